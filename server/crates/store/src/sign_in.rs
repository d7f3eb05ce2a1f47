//! What keeps strangers out: the one-time setup link, and the count of failed tries. Who tried is kept as a keyed hash.

use domain::Timestamp;

use crate::{Result, Tx, column::at, statement::sql};

/// The failed tries of an account or an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttle {
    /// How many in a row.
    pub failures: i64,
    /// When the next try is allowed.
    pub next_at: Timestamp,
}

impl Tx {
    /// Makes this the one setup link that works.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn put_setup_token(&mut self, hash: &[u8; 32], expires_at: Timestamp) -> Result<()> {
        const SQL: &str = "
            insert into setup_tokens (hash, expires_at)
            values ($1, $2)";
        sql("delete from setup_tokens").run(&mut self.conn).await?;
        sql(SQL)
            .bind(hash.as_slice())
            .bind(expires_at)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Whether this setup link works at `now`.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn setup_token_valid(&mut self, hash: &[u8; 32], now: Timestamp) -> Result<bool> {
        let row: Option<(i64,)> =
            sql("select expires_at from setup_tokens where hash = $1 and expires_at > $2")
                .bind(hash.as_slice())
                .bind(now)
                .optional(&mut self.conn)
                .await?;
        Ok(row.is_some())
    }

    /// Uses the setup link up; answers whether it worked.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn take_setup_token(&mut self, hash: &[u8; 32], now: Timestamp) -> Result<bool> {
        let touched = sql("delete from setup_tokens where hash = $1 and expires_at > $2")
            .bind(hash.as_slice())
            .bind(now)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// The failed tries of `subject` (`account:…` or `address:…`). Other tries of it wait until this transaction ends; of several
    /// subjects the account comes first.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn throttle(&mut self, subject: &str, now: Timestamp) -> Result<Throttle> {
        // Only what is written is locked, and a row must be there to be locked: many first tries at once are many, too.
        const SQL: &str = "
            insert into sign_in_failures (subject, failures, next_at, at)
            values ($1, 0, $2, $2)
            on conflict (subject) do update
            set at = excluded.at
            returning failures, next_at";
        let (failures, next_at): (i64, i64) = sql(SQL)
            .bind(self.throttle_subject(subject))
            .bind(now)
            .one(&mut self.conn)
            .await?;
        Ok(Throttle {
            failures,
            next_at: at(next_at)?,
        })
    }

    /// Writes that a try failed: the `failures`-th in a row, the next allowed at `next_at`.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn note_failure(
        &mut self,
        subject: &str,
        throttle: Throttle,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into sign_in_failures (subject, failures, next_at, at)
            values ($1, $2, $3, $4)
            on conflict (subject) do update
            set failures = excluded.failures, next_at = excluded.next_at, at = excluded.at";
        sql(SQL)
            .bind(self.throttle_subject(subject))
            .bind(throttle.failures)
            .bind(throttle.next_at)
            .bind(now)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Forgets the failed tries of `subject`.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn clear_failures(&mut self, subject: &str) -> Result<()> {
        let subject = self.throttle_subject(subject);
        sql("delete from sign_in_failures where subject = $1")
            .bind(subject)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    fn throttle_subject(&self, subject: &str) -> Vec<u8> {
        self.vault
            .index
            .hash("sign_in_failures.subject", &[subject])
    }
}
