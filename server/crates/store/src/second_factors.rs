//! Second factors of people who sign in: the secret of which an app makes codes, sealed with the key of the staff, and the hashes of the
//! recovery codes that were not used yet.

use domain::{Timestamp, audit::EventType, id::PersonId};
use serde_json::json;
use zeroize::Zeroizing;

use crate::{Error, Result, Stamp, Tx, column::at_opt, seal::Place, statement::sql};

/// A second factor.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// What codes are made of.
    pub secret: Zeroizing<Vec<u8>>,
    /// Since when it is asked for; `None`: it waits for its first code.
    pub enabled_at: Option<Timestamp>,
    /// Until when it waits for that; `None` once it is on.
    pub expires_at: Option<Timestamp>,
}

// Whoever has the secret makes the codes.
impl std::fmt::Debug for SecondFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecondFactor")
            .field("enabled_at", &self.enabled_at)
            .finish_non_exhaustive()
    }
}

/// With what a person proved at a sign-in that it is they, besides the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondProof {
    /// A code of their app.
    Code,
    /// One of their recovery codes, which is used up.
    RecoveryCode,
}

impl SecondProof {
    /// The word of it in an event.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::RecoveryCode => "recovery_code",
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    enabled_at: Option<i64>,
    expires_at: Option<i64>,
    sealed: Vec<u8>,
}

impl Tx {
    /// Keeps a secret that waits for its first code, in the place of one that waited; where a second factor is on, it stays as it is.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn put_second_factor(
        &mut self,
        person: &PersonId,
        secret: &[u8],
        expires_at: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into second_factors (person_id, expires_at, last_step, sealed)
            values ($1, $2, 0, $3)
            on conflict (person_id) do update
            set expires_at = excluded.expires_at, sealed = excluded.sealed
            where second_factors.enabled_at is null";
        let sealed = self.vault.staff.seal(place(person), secret, self.entropy());
        sql(SQL)
            .bind(person)
            .bind(expires_at)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The second factor of a person, whether it is on or waits.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; what the database answers.
    pub async fn second_factor(&mut self, person: &PersonId) -> Result<Option<SecondFactor>> {
        const SQL: &str = "
            select enabled_at, expires_at, sealed
            from second_factors
            where person_id = $1";
        let row: Option<Row> = sql(SQL).bind(person).optional(&mut self.conn).await?;
        row.map(|row| {
            Ok(SecondFactor {
                secret: self.vault.staff.open(place(person), &row.sealed)?,
                enabled_at: at_opt(row.enabled_at)?,
                expires_at: at_opt(row.expires_at)?,
            })
        })
        .transpose()
    }

    /// Switches the second factor on that waits, with the step of its first code and with recovery codes, and tells of it. `seen` is until
    /// when it was to wait: another secret waits until another time.
    ///
    /// # Errors
    /// [`Error::Stale`] where another one waits by now, or none.
    pub async fn enable_second_factor(
        &mut self,
        person: &PersonId,
        seen: Timestamp,
        step: i64,
        codes: &[String],
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            update second_factors
            set enabled_at = $1, expires_at = null, last_step = $2
            where person_id = $3 and expires_at = $4";
        let touched = sql(SQL)
            .bind(stamp.now)
            .bind(step)
            .bind(person)
            .bind(seen)
            .run(&mut self.conn)
            .await?;
        one(touched)?;
        self.put_recovery_codes(person, codes).await?;
        let r#type = EventType::PersonSecondFactorEnabled;
        self.tell_of_person(r#type, person, json!({}), stamp);
        Ok(())
    }

    /// Uses the code of a step up, and all that are older; answers whether it was newer than the last that was taken.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn take_code_step(&mut self, person: &PersonId, step: i64) -> Result<bool> {
        const SQL: &str = "
            update second_factors
            set last_step = $1
            where person_id = $2 and last_step < $1 and enabled_at is not null";
        let touched = sql(SQL).bind(step).bind(person).run(&mut self.conn).await?;
        Ok(touched == 1)
    }

    /// Makes these the recovery codes of a person, so that those from before hold no more, and tells of it.
    ///
    /// # Errors
    /// [`Error::Stale`] where no second factor is on.
    pub async fn renew_recovery_codes(
        &mut self,
        person: &PersonId,
        codes: &[String],
        stamp: &Stamp,
    ) -> Result<()> {
        // Changes nothing, and makes whoever switches it off meanwhile wait.
        const SQL: &str = "
            update second_factors
            set last_step = last_step
            where person_id = $1 and enabled_at is not null";
        one(sql(SQL).bind(person).run(&mut self.conn).await?)?;
        self.put_recovery_codes(person, codes).await?;
        let r#type = EventType::PersonRecoveryCodesRenewed;
        self.tell_of_person(r#type, person, json!({}), stamp);
        Ok(())
    }

    /// Uses a recovery code up; answers whether it was one.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn take_recovery_code(&mut self, person: &PersonId, code: &str) -> Result<bool> {
        let touched = sql("delete from recovery_codes where person_id = $1 and hash = $2")
            .bind(person)
            .bind(self.recovery_hash(person, code))
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// How many recovery codes a person has left.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn recovery_codes_left(&mut self, person: &PersonId) -> Result<i64> {
        let (left,): (i64,) = sql("select count(*) from recovery_codes where person_id = $1")
            .bind(person)
            .one(&mut self.conn)
            .await?;
        Ok(left)
    }

    /// Removes the second factor that its own person switches off, with the recovery codes, and tells of it.
    ///
    /// # Errors
    /// [`Error::Stale`] where none is on.
    pub async fn disable_second_factor(&mut self, person: &PersonId, stamp: &Stamp) -> Result<()> {
        self.remove_second_factor(person).await?;
        let r#type = EventType::PersonSecondFactorDisabled;
        self.tell_of_person(r#type, person, json!({}), stamp);
        Ok(())
    }

    /// Removes the second factor of somebody who has lost it, with the recovery codes; their sessions end. Tells of it, and answers how
    /// many sessions there were.
    ///
    /// # Errors
    /// [`Error::Stale`] where none is on.
    pub async fn reset_second_factor(&mut self, person: &PersonId, stamp: &Stamp) -> Result<u64> {
        self.remove_second_factor(person).await?;
        let sessions = self.delete_sessions_of(person, None).await?;
        let data = json!({ "sessions": sessions });
        self.tell_of_person(EventType::PersonSecondFactorReset, person, data, stamp);
        Ok(sessions)
    }

    async fn remove_second_factor(&mut self, person: &PersonId) -> Result<()> {
        const SQL: &str = "
            delete from second_factors
            where person_id = $1 and enabled_at is not null";
        let touched = sql(SQL).bind(person).run(&mut self.conn).await?;
        one(touched)?;
        self.delete_recovery_codes(person).await
    }

    async fn put_recovery_codes(&mut self, person: &PersonId, codes: &[String]) -> Result<()> {
        const SQL: &str = "
            insert into recovery_codes (person_id, hash)
            values ($1, $2)";
        self.delete_recovery_codes(person).await?;
        for code in codes {
            sql(SQL)
                .bind(person)
                .bind(self.recovery_hash(person, code))
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    async fn delete_recovery_codes(&mut self, person: &PersonId) -> Result<()> {
        sql("delete from recovery_codes where person_id = $1")
            .bind(person)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Keyed, so that whoever reads the table cannot try codes against it.
    fn recovery_hash(&self, person: &PersonId, code: &str) -> Vec<u8> {
        self.vault
            .index
            .hash("recovery_codes.hash", &[person.as_str(), code])
    }
}

fn one(touched: u64) -> Result<()> {
    if touched == 1 {
        Ok(())
    } else {
        Err(Error::Stale)
    }
}

fn place(person: &PersonId) -> Place<'_> {
    Place::new("second_factors.sealed", "", person.as_str())
}
