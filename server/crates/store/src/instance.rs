//! The installation as a whole: when it was last alive, and what its being down has to be made good for (A6).

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
    time::Span,
};
use serde_json::json;

use crate::{
    Db, Result, Stamp, Tx,
    column::{at, parsed, span_us, us},
    events::Telling,
    statement::{ScopeColumn, sql},
};

/// A time in which no process was alive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// When it began.
    pub from: Timestamp,
    /// How long it lasted.
    pub span: Span,
    /// How many waiting candidates got it back.
    pub candidates: i64,
}

impl Db {
    /// Notes that a process is alive. After a gap of more than `longest`, every candidate that waited when it began first gets the
    /// gap added to its time, with an event an agent. To be called at the start, before anything is served, and each minute.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn extend_after_gap(&self, longest: Span, stamp: &Stamp) -> Result<Option<Gap>> {
        let mut tx = self.write(AgentScope::All).await?;
        let last = tx.lock_alive().await?;
        let gap = match last {
            Some(from) if stamp.now - from > longest => {
                Some(tx.give_back(from, stamp.now - from, stamp).await?)
            }
            _ => None,
        };
        tx.mark_alive(stamp.now).await?;
        tx.commit().await?;
        Ok(gap)
    }
}

impl Tx {
    /// When a process was last known to be alive.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn alive_at(&mut self) -> Result<Option<Timestamp>> {
        let row: Option<(i64,)> = sql("select alive_at from instance where id = 1")
            .optional(&mut self.conn)
            .await?;
        row.map(|(us,)| at(us)).transpose()
    }

    /// The same, and whoever starts at the same moment waits until the gap is made good.
    async fn lock_alive(&mut self) -> Result<Option<Timestamp>> {
        let lock = self.dialect().for_update();
        let row: Option<(i64,)> = sql("select alive_at from instance where id = 1")
            .push(lock)
            .optional(&mut self.conn)
            .await?;
        row.map(|(us,)| at(us)).transpose()
    }

    async fn mark_alive(&mut self, now: Timestamp) -> Result<()> {
        const SQL: &str = "
            insert into instance (id, alive_at)
            values (1, $1)
            on conflict (id) do update
            set alive_at = excluded.alive_at
            where instance.alive_at < excluded.alive_at";
        sql(SQL).bind(now).run(&mut self.conn).await.map(drop)
    }

    /// Adds a gap that began at `from` to the time of every candidate within the scope that waited then, with an event an agent.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn give_back(&mut self, from: Timestamp, span: Span, stamp: &Stamp) -> Result<Gap> {
        const WAITED: &str = "
            select agent, count(*)
            from candidates
            where status = 'pending' and expires_at > $1";
        const EXTEND: &str = "
            update candidates
            set expires_at = expires_at + $1
            where status = 'pending' and expires_at > $2";
        let scope = self.scope().clone();
        let waited: Vec<(String, i64)> = sql(WAITED)
            .bind(from)
            .scope(ScopeColumn::Plain, &scope)
            .push(" group by agent order by agent")
            .all(&mut self.conn)
            .await?;
        let extended = sql(EXTEND)
            .bind(span_us(span))
            .bind(from)
            .scope(ScopeColumn::Plain, &scope)
            .run(&mut self.conn)
            .await?;
        for (agent, candidates) in waited {
            let agent: AgentName = parsed(&agent)?;
            let telling = Telling {
                r#type: EventType::CandidateExtended,
                user: None,
                subject: agent.as_str(),
                data: json!({ "candidates": candidates, "from_us": us(from), "gap_us": span_us(span) }),
                commitment: None,
            };
            self.tell(Some(&agent), stamp, telling);
        }
        Ok(Gap {
            from,
            span,
            candidates: i64::try_from(extended).unwrap_or(i64::MAX),
        })
    }
}
