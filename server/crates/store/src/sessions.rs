//! Sign-ins, and what a refused form said. Kept under the SHA-256 of the cookie's value, sealed with a key that only its holder can
//! make again: who reads the table learns nothing.

use domain::{Timestamp, audit::hex, id::PersonId, time::Span};
use sha2::{Digest, Sha256};

use crate::{
    Result, Tx,
    column::{at, parsed_opt},
    seal::Place,
    statement::sql,
};

/// A sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// What names it without opening it: see [`session_name`].
    pub name: String,
    /// Who signed in; `None` before that.
    pub person: Option<PersonId>,
    /// What the session holds; empty in a list.
    pub data: Vec<u8>,
    /// When the cookie ends.
    pub expires_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_seen_at: Timestamp,
    /// When it began.
    pub created_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Vec<u8>,
    person_id: Option<String>,
    created_at: i64,
    last_seen_at: i64,
    expires_at: i64,
    sealed: Vec<u8>,
}

impl Row {
    fn session(self, data: Vec<u8>) -> Result<SessionRow> {
        Ok(SessionRow {
            name: hex(&self.id),
            person: parsed_opt(self.person_id.as_deref())?,
            data,
            expires_at: at(self.expires_at)?,
            last_seen_at: at(self.last_seen_at)?,
            created_at: at(self.created_at)?,
        })
    }
}

/// What names the session of a cookie on a page: its hash, of which nobody makes the cookie again.
pub fn session_name(token: &str) -> String {
    hex(&hashed(token))
}

fn hashed(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

impl Tx {
    /// Writes a session, new or changed.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn save_session(
        &mut self,
        token: &str,
        person: Option<&PersonId>,
        data: &[u8],
        expires_at: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into sessions (id, person_id, created_at, last_seen_at, expires_at, sealed)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (id) do update
            set person_id = excluded.person_id, last_seen_at = excluded.last_seen_at,
                expires_at = excluded.expires_at, sealed = excluded.sealed";
        let sealed = self.seal_for("sessions.sealed", token, data);
        sql(SQL)
            .bind(hashed(token))
            .bind(person)
            .bind(now)
            .bind(now)
            .bind(expires_at)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The session of a cookie, while it lasts.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn load_session(
        &mut self,
        token: &str,
        now: Timestamp,
    ) -> Result<Option<SessionRow>> {
        const SQL: &str = "
            select id, person_id, created_at, last_seen_at, expires_at, sealed
            from sessions
            where id = $1 and expires_at > $2";
        let row: Option<Row> = sql(SQL)
            .bind(hashed(token))
            .bind(now)
            .optional(&mut self.conn)
            .await?;
        row.map(|row| {
            let data = self.open_for("sessions.sealed", token, &row.sealed)?;
            row.session(data)
        })
        .transpose()
    }

    /// What only this installation makes of a person: it proves that a mark in a browser is one of ours.
    pub fn browser_mark(&self, person: &PersonId) -> Vec<u8> {
        self.vault.index.hash("browser.mark", &[person.as_str()])
    }

    /// Notes that a session is in use; written at most once a minute.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn touch_session(&mut self, token: &str, now: Timestamp) -> Result<()> {
        const SQL: &str = "
            update sessions
            set last_seen_at = $1
            where id = $2 and last_seen_at < $3";
        sql(SQL)
            .bind(now)
            .bind(hashed(token))
            .bind(now - Span::minutes(1))
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Ends a session.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn delete_session(&mut self, token: &str) -> Result<()> {
        sql("delete from sessions where id = $1")
            .bind(hashed(token))
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Ends one session of a person, by its name; answers whether they had it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn delete_session_of(&mut self, person: &PersonId, name: &str) -> Result<bool> {
        let rows: Vec<(Vec<u8>,)> = sql("select id from sessions where person_id = $1")
            .bind(person)
            .all(&mut self.conn)
            .await?;
        let Some((id,)) = rows.into_iter().find(|(id,)| hex(id) == name) else {
            return Ok(false);
        };
        let touched = sql("delete from sessions where id = $1")
            .bind(id)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// Ends the sessions of a person, but for one; answers how many.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn delete_sessions_of(
        &mut self,
        person: &PersonId,
        except: Option<&str>,
    ) -> Result<u64> {
        sql("delete from sessions where person_id = $1")
            .bind(person)
            .clause_if(" and id <> ?", except.map(hashed))
            .run(&mut self.conn)
            .await
    }

    /// The sessions of a person that last, newest first, without what they hold.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn sessions_of(
        &mut self,
        person: &PersonId,
        now: Timestamp,
    ) -> Result<Vec<SessionRow>> {
        const SQL: &str = "
            select id, person_id, created_at, last_seen_at, expires_at, sealed
            from sessions
            where person_id = $1 and expires_at > $2
            order by created_at desc";
        let rows: Vec<Row> = sql(SQL).bind(person).bind(now).all(&mut self.conn).await?;
        rows.into_iter()
            .map(|row| row.session(Vec::new()))
            .collect()
    }

    /// How many sign-ins last that were used after `since`, and of how many people.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn open_sessions(&mut self, since: Timestamp, now: Timestamp) -> Result<(i64, i64)> {
        const SQL: &str = "
            select count(*), count(distinct person_id)
            from sessions
            where person_id is not null and expires_at > $1 and last_seen_at > $2";
        sql(SQL).bind(now).bind(since).one(&mut self.conn).await
    }

    /// Keeps a flash under an unguessable token.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn put_flash(
        &mut self,
        token: &str,
        data: &[u8],
        expires_at: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into flashes (id, expires_at, sealed)
            values ($1, $2, $3)
            on conflict (id) do update
            set expires_at = excluded.expires_at, sealed = excluded.sealed";
        let sealed = self.seal_for("flashes.sealed", token, data);
        sql(SQL)
            .bind(hashed(token))
            .bind(expires_at)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// What a flash holds, which stays there until it is taken or its time is over.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn flash(&mut self, token: &str, now: Timestamp) -> Result<Option<Vec<u8>>> {
        const SQL: &str = "
            select sealed
            from flashes
            where id = $1 and expires_at > $2";
        let row: Option<(Vec<u8>,)> = sql(SQL)
            .bind(hashed(token))
            .bind(now)
            .optional(&mut self.conn)
            .await?;
        row.map(|(sealed,)| self.open_for("flashes.sealed", token, &sealed))
            .transpose()
    }

    /// Takes a flash: it is shown once.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn take_flash(&mut self, token: &str, now: Timestamp) -> Result<Option<Vec<u8>>> {
        const SQL: &str = "
            delete from flashes
            where id = $1 and expires_at > $2
            returning sealed";
        let row: Option<(Vec<u8>,)> = sql(SQL)
            .bind(hashed(token))
            .bind(now)
            .optional(&mut self.conn)
            .await?;
        row.map(|(sealed,)| self.open_for("flashes.sealed", token, &sealed))
            .transpose()
    }

    /// Deletes what has run out: sessions, flashes, idempotent answers, links, second factors that nobody switched on, failed tries a day
    /// old, old deliveries.
    /// Answers how many rows.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn sweep(&mut self, now: Timestamp) -> Result<u64> {
        let mut gone = 0;
        for text in [
            "delete from sessions where expires_at <= $1",
            "delete from flashes where expires_at <= $1",
            "delete from idempotency where expires_at <= $1",
            "delete from setup_tokens where expires_at <= $1",
            "delete from person_links where expires_at <= $1",
            "delete from second_factors where expires_at <= $1",
        ] {
            gone += sql(text).bind(now).run(&mut self.conn).await?;
        }
        gone += sql("delete from sign_in_failures where at <= $1 and next_at <= $2")
            .bind(now - Span::days(1))
            .bind(now)
            .run(&mut self.conn)
            .await?;
        Ok(gone + self.sweep_deliveries(now).await?)
    }

    fn seal_for(&self, column: &'static str, token: &str, data: &[u8]) -> Vec<u8> {
        let row = hex(&hashed(token));
        self.vault.index.of_token(column, token).seal(
            Place::new(column, "", &row),
            data,
            self.entropy(),
        )
    }

    fn open_for(&self, column: &'static str, token: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        let row = hex(&hashed(token));
        let plain = self
            .vault
            .index
            .of_token(column, token)
            .open(Place::new(column, "", &row), sealed)?;
        Ok(plain.to_vec())
    }
}
