//! Whether what was served helped (C9), as the agents report it, and what never did.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    id::{CandidateId, MemoryId, UserId},
};
use serde_json::json;

use crate::{
    Result, Serving, Stamp, Tx,
    column::{at, parsed},
    events::Telling,
    statement::sql,
};

/// A memory that was served often and never reported helpful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unhelpful {
    /// Which.
    pub memory: MemoryId,
    /// Of whom.
    pub user: UserId,
    /// How often its present revision was served.
    pub servings: i64,
    /// How many of them did not help.
    pub not_helped: i64,
    /// When it was served last.
    pub last_served_at: Timestamp,
}

impl Tx {
    /// Notes whether a memory that a serving held helped. A later report of the same takes the place of an earlier one; the same
    /// report again changes nothing.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn report_helped(
        &mut self,
        serving: &Serving,
        memory: &MemoryId,
        helped: bool,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into feedback (agent, memory_id, serving_id, user_id, helped, at)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (agent, memory_id, serving_id) do update
            set helped = excluded.helped, at = excluded.at
            where feedback.helped <> excluded.helped";
        let Serving {
            agent, id, user, ..
        } = serving;
        self.lock_user(agent, user).await?;
        let changed = sql(SQL)
            .bind(agent)
            .bind(memory)
            .bind(id)
            .bind(user)
            .bind(helped)
            .bind(stamp.now)
            .run(&mut self.conn)
            .await?;
        if changed == 0 {
            return Ok(());
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type: EventType::ContextFeedback,
                user: Some(user),
                subject: memory.as_str(),
                data: json!({ "serving": id, "helped": i64::from(helped) }),
                commitment: None,
            },
        );
        Ok(())
    }

    /// The approved memories of an agent whose present revision was served at least `served` times and reported as no help at least
    /// `not_helped` times, while no revision of them was ever reported as one. The most served first, at most `limit`.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn never_helpful(
        &mut self,
        agent: &AgentName,
        served: i64,
        not_helped: i64,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Unhelpful>> {
        // Begins with the reports, which are few; servings are counted only of what is left.
        const SQL: &str = "
            with bad as (
              select m.agent, m.id, m.user_id, m.revision, count(*) as not_helped
              from feedback f
              join memories m on m.agent = f.agent and m.id = f.memory_id
              join serving_items i
                on i.agent = f.agent and i.serving_id = f.serving_id and i.memory_id = f.memory_id and i.revision = m.revision
              where f.agent = $1 and m.status = 'approved' and (m.expires_at is null or m.expires_at > $2)
                and not exists (
                  select 1 from feedback h
                  where h.agent = f.agent and h.memory_id = f.memory_id and h.helped = $3)
              group by m.agent, m.id, m.user_id, m.revision
              having count(*) >= $4),
            told as (
              select b.id, b.user_id, b.not_helped, count(*) as servings, max(s.at) as last_served_at
              from bad b
              join serving_items i on i.agent = b.agent and i.memory_id = b.id and i.revision = b.revision
              join servings s on s.agent = i.agent and s.id = i.serving_id
              group by b.id, b.user_id, b.not_helped)
            select id, user_id, servings, not_helped, last_served_at
            from told
            where servings >= $5
            order by servings desc, id
            limit $6";
        self.inside(agent)?;
        let rows: Vec<(String, String, i64, i64, i64)> = sql(SQL)
            .bind(agent)
            .bind(now)
            .bind(true)
            .bind(not_helped)
            .bind(served)
            .bind(limit)
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(memory, user, servings, not_helped, last)| {
                Ok(Unhelpful {
                    memory: parsed(&memory)?,
                    user: parsed(&user)?,
                    servings,
                    not_helped,
                    last_served_at: at(last)?,
                })
            })
            .collect()
    }

    /// The candidate that waits to retire a memory, if one does.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn waiting_retirement(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
        now: Timestamp,
    ) -> Result<Option<CandidateId>> {
        // `+ 0` keeps the planner from looking through all that waits in the agent.
        const SQL: &str = "
            select c.id
            from candidate_targets t
            join candidates c on c.agent = t.agent and c.id = t.candidate_id
            where t.agent = $1 and t.memory_id = $2 and c.action = 'retire' and c.status = 'pending' and c.expires_at + 0 > $3
            limit 1";
        self.inside(agent)?;
        let row: Option<(String,)> = sql(SQL)
            .bind(agent)
            .bind(memory)
            .bind(now)
            .optional(&mut self.conn)
            .await?;
        row.map(|(id,)| parsed(&id)).transpose()
    }
}
