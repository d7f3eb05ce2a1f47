//! The digests of waiting work that people asked for (G8): where each goes and when it is due, and the figures in it. Where it goes is
//! sealed with the key of the staff: an address of a webhook is a key to somebody's channel.

use domain::{Timestamp, agent::AgentName, audit::EventType, id::PersonId, time::Span};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

use crate::{
    Result, Stamp, Tx,
    column::{at_opt, parsed},
    events::Telling,
    seal::Place,
    statement::sql,
};

/// The digest of a person; `S` is what they set.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest<S> {
    /// Whose.
    pub person: PersonId,
    /// What they set.
    pub settings: S,
    /// When the next one is due; `None`: never.
    pub next_at: Option<Timestamp>,
    /// When the last one went out.
    pub sent_at: Option<Timestamp>,
    /// Why the last try failed, in a word; `None` after one that went out.
    pub failed: Option<String>,
    /// How many tries in a row failed.
    pub failures: i64,
}

/// How a try ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// It went out.
    Yes,
    /// There was nothing to say.
    Nothing,
    /// It failed, for this reason in a word.
    Failed(String),
}

/// What waits for a person in one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitingWork {
    /// Candidates that wait.
    pub waiting: i64,
    /// When the oldest of them was proposed.
    pub oldest: Option<Timestamp>,
    /// Of them, those that expire within 24 hours.
    pub expiring_24h: i64,
    /// Of them, those that expire within 72 hours.
    pub expiring_72h: i64,
    /// Of them, those that expire before a time that was asked about.
    pub expiring_before: i64,
    /// Extractions that failed and were not tried again.
    pub failed: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    person_id: String,
    next_at: Option<i64>,
    sent_at: Option<i64>,
    failed: Option<String>,
    failures: i64,
    sealed: Vec<u8>,
}

const DIGESTS: &str = "
    select person_id, next_at, sent_at, failed, failures, sealed
    from digests
    where true";

impl Tx {
    /// The digest of a person; its settings are `None` where they cannot be read.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn digest<S: DeserializeOwned>(
        &mut self,
        person: &PersonId,
    ) -> Result<Option<Digest<Option<S>>>> {
        let row: Option<Row> = sql(DIGESTS)
            .clause(" and person_id = ?", person)
            .optional(&mut self.conn)
            .await?;
        row.map(|row| self.digest_of(row)).transpose()
    }

    /// The digests that are due, the longest overdue first. One whose settings cannot be read is among them, without them: it must not
    /// keep the others from going out.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn digests_due<S: DeserializeOwned>(
        &mut self,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Digest<Option<S>>>> {
        let rows: Vec<Row> = sql(DIGESTS)
            .clause(" and next_at is not null and next_at <= ?", now)
            .clause(" order by next_at limit ?", limit)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(|row| self.digest_of(row)).collect()
    }

    /// Keeps what a person set. What failed before is forgotten: it may have been put right.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn put_digest<S: Serialize>(
        &mut self,
        person: &PersonId,
        settings: &S,
        by: &'static str,
        next_at: Option<Timestamp>,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into digests (person_id, next_at, failures, sealed)
            values ($1, $2, 0, $3)
            on conflict (person_id) do update
            set next_at = excluded.next_at, failed = null, failures = 0, sealed = excluded.sealed";
        let sealed = self
            .vault
            .staff
            .seal_json(place(person), settings, self.entropy());
        sql(SQL)
            .bind(person)
            .bind(next_at)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        let telling = Telling {
            r#type: EventType::PersonDigestChanged,
            user: None,
            subject: person.as_str(),
            data: json!({ "on": next_at.is_some(), "by": by }),
            commitment: None,
        };
        self.tell(None, stamp, telling);
        Ok(())
    }

    /// Takes a digest that is due, so that no other process sends it too; `false` where it is gone. A process that dies with it in its
    /// hands leaves it for `hold`.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn take_digest<S>(
        &mut self,
        digest: &Digest<S>,
        now: Timestamp,
        hold: Span,
    ) -> Result<bool> {
        const SQL: &str = "
            update digests
            set next_at = $1
            where person_id = $2 and next_at = $3";
        let touched = sql(SQL)
            .bind(now + hold)
            .bind(&digest.person)
            .bind(digest.next_at)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// Notes how a try ended, and when the next one is due; the time of one that the person set meanwhile stays.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn digest_sent(
        &mut self,
        person: &PersonId,
        held_until: Timestamp,
        sent: &Sent,
        next_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update digests
            set next_at = $1, sent_at = coalesce($2, sent_at), failed = $3,
                failures = case when $4 then failures + 1 else 0 end
            where person_id = $5 and next_at = $6";
        let failed = match sent {
            Sent::Failed(why) => Some(why.as_str()),
            Sent::Yes | Sent::Nothing => None,
        };
        sql(SQL)
            .bind(next_at)
            .bind((*sent == Sent::Yes).then_some(now))
            .bind(failed)
            .bind(failed.is_some())
            .bind(person)
            .bind(held_until)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The figures of what waits in an agent, in some languages (`None`: in all); `before`: how many expire before then.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn waiting_work(
        &mut self,
        agent: &AgentName,
        languages: Option<&[String]>,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<WaitingWork> {
        const SQL: &str = "
            select count(*), min(created_at), count(*) filter (where expires_at <= $1),
              count(*) filter (where expires_at <= $2), count(*) filter (where expires_at <= $3)
            from candidates
            where agent = $4 and status = 'pending' and expires_at > $5";
        const FAILED: &str = "
            select count(*)
            from jobs
            where agent = $1 and state in ('failed', 'truncated') and retried_by is null";
        self.inside(agent)?;
        let mut read = sql(SQL)
            .bind(now + Span::hours(24))
            .bind(now + Span::hours(72))
            .bind(before)
            .bind(agent)
            .bind(now);
        if let Some(languages) = languages {
            read = read.clause_in(" and language in (", languages.iter().map(String::as_str));
        }
        let (waiting, oldest, expiring_24h, expiring_72h, expiring_before): (
            i64,
            Option<i64>,
            i64,
            i64,
            i64,
        ) = read.one(&mut self.conn).await?;
        let (failed,): (i64,) = sql(FAILED).bind(agent).one(&mut self.conn).await?;
        Ok(WaitingWork {
            waiting,
            oldest: at_opt(oldest)?,
            expiring_24h,
            expiring_72h,
            expiring_before,
            failed,
        })
    }

    fn digest_of<S: DeserializeOwned>(&self, row: Row) -> Result<Digest<Option<S>>> {
        let person: PersonId = parsed(&row.person_id)?;
        let settings = match self.vault.staff.open_json(place(&person), &row.sealed) {
            Ok(settings) => Some(settings),
            Err(error) if error.is_of_one_row() => None,
            Err(error) => return Err(error),
        };
        Ok(Digest {
            settings,
            next_at: at_opt(row.next_at)?,
            sent_at: at_opt(row.sent_at)?,
            failed: row.failed,
            failures: row.failures,
            person,
        })
    }
}

fn place(person: &PersonId) -> Place<'_> {
    Place::new("digests.sealed", "", person.as_str())
}
