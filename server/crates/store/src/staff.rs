//! What administrators change about people: roles, names, who may still come in. Each change says which version it has seen, raises
//! it, and is told on the system's chain.

use domain::{
    Timestamp,
    audit::EventType,
    id::{KeyId, PersonId},
    permission::Grant,
};
use serde_json::{Value, json};

use crate::{Error, Person, Result, Stamp, Tx, column::parsed, events::Telling, statement::sql};

/// What a person who was shut out let go of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Freed {
    /// Candidates they had claimed.
    pub claims: u64,
    /// Candidates that were handed over to them.
    pub handovers: u64,
    /// Their sessions.
    pub sessions: u64,
    /// Their keys.
    pub keys: u64,
}

impl Tx {
    /// Makes every other change of people wait until the end of this transaction: whether an administrator is left is asked of all of
    /// them together.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn lock_people(&mut self) -> Result<()> {
        let lock = self.dialect().for_update();
        let _ids: Vec<(String,)> = sql("select id from people order by id")
            .push(lock)
            .all(&mut self.conn)
            .await?;
        Ok(())
    }

    /// Makes every other change of a person wait until the end of this transaction. Who is read after it is as they are then.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn lock_person(&mut self, id: &PersonId) -> Result<()> {
        let lock = self.dialect().for_update();
        let _id: Option<(String,)> = sql("select id from people where id = $1")
            .bind(id)
            .push(lock)
            .optional(&mut self.conn)
            .await?;
        Ok(())
    }

    /// How many people can sign in and administer everything.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn administrators(&mut self) -> Result<i64> {
        const SQL: &str = "
            select count(*)
            from people p
            join person_roles r on r.person_id = p.id
            where r.agent = '*' and r.role = 'admin' and p.deactivated_at is null and p.password_hash is not null";
        let (count,): (i64,) = sql(SQL).one(&mut self.conn).await?;
        Ok(count)
    }

    /// Gives a person, as they were read, another name, other roles, or both; answers the version that this makes.
    ///
    /// # Errors
    /// [`Error::Stale`] where another version is there, or no such person.
    pub async fn change_person(
        &mut self,
        person: &Person,
        name: Option<&str>,
        grants: Option<&[Grant]>,
        stamp: &Stamp,
    ) -> Result<i64> {
        let version = self.raise_person(&person.id, person.version).await?;
        let mut data = serde_json::Map::new();
        let mut changed = Vec::new();
        if let Some(name) = name {
            changed.push("name");
            self.rename_person(person, name).await?;
        }
        if let Some(grants) = grants {
            changed.push("roles");
            data.insert("roles".to_owned(), roles(grants));
            sql("delete from person_roles where person_id = $1")
                .bind(&person.id)
                .run(&mut self.conn)
                .await?;
            self.put_roles(&person.id, grants).await?;
        }
        data.insert("changed".to_owned(), json!(changed));
        self.tell_of_person(EventType::PersonChanged, &person.id, data.into(), stamp);
        Ok(version)
    }

    /// Shuts a person out: their sessions, keys, links and claims end, and what was handed over to them is free again. Their name
    /// stays beside what they did. `version` is the one that was seen.
    ///
    /// # Errors
    /// [`Error::Stale`] where another version is there, or no such person, or they are shut out already.
    pub async fn deactivate_person(
        &mut self,
        id: &PersonId,
        version: i64,
        stamp: &Stamp,
    ) -> Result<Freed> {
        self.set_deactivated(id, version, Some(stamp.now)).await?;
        self.delete_links_of(id).await?;
        let freed = Freed {
            claims: self
                .delete_of(id, "delete from claims where person_id = $1")
                .await?,
            handovers: self
                .delete_of(id, "delete from handovers where person_id = $1")
                .await?,
            sessions: self.delete_sessions_of(id, None).await?,
            keys: self.revoke_keys_of(id, stamp).await?,
        };
        let data = json!({
            "claims": freed.claims,
            "handovers": freed.handovers,
            "sessions": freed.sessions,
            "keys": freed.keys,
        });
        self.tell_of_person(EventType::PersonDeactivated, id, data, stamp);
        Ok(freed)
    }

    /// Lets a person in again, with the roles and the password they had. `version` is the one that was seen.
    ///
    /// # Errors
    /// [`Error::Stale`] where another version is there, or no such person, or they are not shut out.
    pub async fn reactivate_person(
        &mut self,
        id: &PersonId,
        version: i64,
        stamp: &Stamp,
    ) -> Result<()> {
        self.set_deactivated(id, version, None).await?;
        self.tell_of_person(EventType::PersonReactivated, id, json!({}), stamp);
        Ok(())
    }

    /// Keeps the password that a person chose.
    ///
    /// # Errors
    /// [`Error::Stale`] where there is no such person.
    pub async fn choose_password(
        &mut self,
        id: &PersonId,
        hash: &str,
        stamp: &Stamp,
    ) -> Result<()> {
        self.set_password_hash(id, hash).await?;
        self.tell_of_person(EventType::PersonPasswordChanged, id, json!({}), stamp);
        Ok(())
    }

    pub(crate) async fn put_roles(&mut self, id: &PersonId, grants: &[Grant]) -> Result<()> {
        const SQL: &str = "
            insert into person_roles (person_id, agent, role, languages)
            values ($1, $2, $3, $4)";
        for grant in grants {
            sql(SQL)
                .bind(id)
                .bind(grant.agent.as_ref().map_or("*", |agent| agent.as_str()))
                .bind(grant.role.as_str())
                .bind(grant.languages.join(","))
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    pub(crate) fn tell_of_person(
        &mut self,
        r#type: EventType,
        id: &PersonId,
        data: Value,
        stamp: &Stamp,
    ) {
        let telling = Telling {
            r#type,
            user: None,
            subject: id.as_str(),
            data,
            commitment: None,
        };
        self.tell(None, stamp, telling);
    }

    /// Before anything else of a change is written, so that of two at once only one goes on.
    async fn raise_person(&mut self, id: &PersonId, seen: i64) -> Result<i64> {
        const SQL: &str = "
            update people
            set version = version + 1
            where id = $1 and version = $2";
        let touched = sql(SQL).bind(id).bind(seen).run(&mut self.conn).await?;
        if touched == 1 {
            Ok(seen + 1)
        } else {
            Err(Error::Stale)
        }
    }

    async fn set_deactivated(
        &mut self,
        id: &PersonId,
        seen: i64,
        at: Option<Timestamp>,
    ) -> Result<()> {
        const SQL: &str = "
            update people
            set deactivated_at = $1, version = version + 1
            where id = $2 and version = $3";
        let touched = sql(SQL)
            .bind(at)
            .bind(id)
            .bind(seen)
            .push(if at.is_some() {
                " and deactivated_at is null"
            } else {
                " and deactivated_at is not null"
            })
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }

    async fn delete_of(&mut self, id: &PersonId, text: &'static str) -> Result<u64> {
        sql(text).bind(id).run(&mut self.conn).await
    }

    async fn revoke_keys_of(&mut self, id: &PersonId, stamp: &Stamp) -> Result<u64> {
        let rows: Vec<(String,)> =
            sql("select id from keys where person_id = $1 and revoked_at is null")
                .bind(id)
                .all(&mut self.conn)
                .await?;
        let mut revoked = 0;
        for (key,) in rows {
            let key: KeyId = parsed(&key)?;
            revoked += u64::from(self.revoke_key(&key, stamp).await?);
        }
        Ok(revoked)
    }
}

/// Roles as an event has them.
pub(crate) fn roles(grants: &[Grant]) -> Value {
    grants
        .iter()
        .map(|grant| {
            json!({ "agent": grant.agent, "role": grant.role, "languages": grant.languages })
        })
        .collect()
}
