//! Retention: what is past the time that the installation keeps it, removed a stretch at a time, oldest first. Whom a legal hold keeps is
//! passed over. Of each thing that goes with its texts an event tells, so that whoever verifies the chain later knows why they are missing;
//! of servings, which are many, one event tells up to when they are gone.
//!
//! Ids sort by the time at which they were made, so a stretch is found along the primary key, and what is younger is not looked at.

use domain::{
    Entropy, Timestamp,
    agent::AgentName,
    audit::{EventType, SYSTEM_CHAIN},
    id::{CandidateId, ConversationId, ServingId, UserId},
};
use serde_json::{Value, json};

use crate::{
    Held, Result, Stamp, Tx,
    column::{at, parsed, us},
    events::Telling,
    statement::{ScopeColumn, Statement, sql},
};

/// The least that randomness can be: with it an id sorts before all others of its millisecond.
struct Least;

impl Entropy for Least {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

impl Held {
    /// Leaves out whom a hold keeps.
    fn pass_over(&self, read: Statement, outside: &'static str) -> Statement {
        if self.users.is_empty() {
            read
        } else {
            read.clause_in(outside, &self.users)
        }
    }
}

/// How far a stretch came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stretched {
    /// How many were looked at: fewer than were asked for are the last there are.
    pub looked_at: u32,
    /// How many were removed.
    pub removed: i64,
}

impl Tx {
    /// Takes the words out of up to `limit` conversations of an agent to which nothing came since `before`. What was proposed from them
    /// keeps the words it rests on (A14).
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn remove_conversations(
        &mut self,
        agent: &AgentName,
        before: Timestamp,
        held: &Held,
        limit: u32,
        stamp: &Stamp,
    ) -> Result<Stretched> {
        // What still waits to be read stays until it was.
        const DUE: &str = "
            select c.id, c.user_id, c.messages
            from conversations c
            where c.agent = $1 and c.id < $2 and c.updated_at < $3 and c.removed_at is null
              and not exists (
                select 1 from jobs j
                where j.agent = c.agent and j.conversation_id = c.id
                  and (j.state = 'running' or j.state = 'queued' and j.next_at is not null))";
        const REST: [&str; 2] = [
            "delete from jobs where agent = $1 and conversation_id = $2 and state <> 'running'",
            "delete from dry_run_items where agent = $1 and conversation_id = $2",
        ];
        self.inside(agent)?;
        if held.everybody {
            return Ok(Stretched::default());
        }
        let due = sql(DUE)
            .bind(agent)
            .bind(&ConversationId::new(before, &Least))
            .bind(before);
        let rows: Vec<(String, String, i64)> = held
            .pass_over(due, " and c.user_id not in (")
            .clause(" order by c.id limit ?", limit)
            .all(&mut self.conn)
            .await?;
        let mut stretched = Stretched {
            looked_at: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            removed: 0,
        };
        for (id, user, messages) in rows {
            let id: ConversationId = parsed(&id)?;
            let user: UserId = parsed(&user)?;
            if !self
                .empty_conversation(agent, &user, &id, before, stamp.now)
                .await?
            {
                continue;
            }
            self.empty_extractions(agent, &user, &id).await?;
            for removal in REST {
                sql(removal)
                    .bind(agent)
                    .bind(&id)
                    .run(&mut self.conn)
                    .await?;
            }
            self.tell(
                Some(agent),
                stamp,
                Telling {
                    r#type: EventType::ConversationRemoved,
                    user: Some(&user),
                    subject: id.as_str(),
                    data: json!({ "messages": messages }),
                    commitment: None,
                },
            );
            stretched.removed += 1;
        }
        self.tell_of_retention(agent, json!({ "conversations": stretched.removed }), stamp);
        Ok(stretched)
    }

    /// Removes up to `limit` candidates of an agent that were rejected before `before` and never made anything.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn remove_rejected(
        &mut self,
        agent: &AgentName,
        before: Timestamp,
        held: &Held,
        limit: u32,
        stamp: &Stamp,
    ) -> Result<Stretched> {
        // One that was approved once and taken back is a part of its memory's history, and so are the words it rests on.
        const DUE: &str = "
            select c.id, c.user_id, c.version
            from candidates c
            join decisions d on d.agent = c.agent and d.candidate_id = c.id and d.version = c.version
            where c.agent = $1 and c.status = 'rejected' and c.id < $2 and d.at < $3
              and not exists (
                select 1 from decisions m
                where m.agent = c.agent and m.candidate_id = c.id and m.memory_id is not null)";
        const STILL: &str = "
            select version
            from candidates
            where agent = $1 and id = $2 and status = 'rejected'";
        // What refers to a candidate before the candidate. That it was decided stays counted: a figure says nothing of anybody.
        const REMOVALS: [&str; 10] = [
            "delete from search_tokens where agent = $1 and subject = $2",
            "delete from sightings where agent = $1 and subject = $2",
            "delete from claims where agent = $1 and candidate_id = $2",
            "delete from handovers where agent = $1 and candidate_id = $2",
            "delete from agreements where agent = $1 and candidate_id = $2",
            "delete from remarks where agent = $1 and candidate_id = $2",
            "delete from decisions where agent = $1 and candidate_id = $2",
            "delete from evidence where agent = $1 and candidate_id = $2",
            "delete from candidate_targets where agent = $1 and candidate_id = $2",
            "delete from candidates where agent = $1 and id = $2",
        ];
        self.inside(agent)?;
        if held.everybody {
            return Ok(Stretched::default());
        }
        let due = sql(DUE)
            .bind(agent)
            .bind(&CandidateId::new(before, &Least))
            .bind(before);
        let rows: Vec<(String, String, i64)> = held
            .pass_over(due, " and c.user_id not in (")
            .clause(" order by c.id limit ?", limit)
            .all(&mut self.conn)
            .await?;
        let mut stretched = Stretched {
            looked_at: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            removed: 0,
        };
        for (id, user, version) in rows {
            let id: CandidateId = parsed(&id)?;
            let user: UserId = parsed(&user)?;
            self.lock_user(agent, &user).await?;
            let still: Option<(i64,)> = sql(STILL)
                .bind(agent)
                .bind(&id)
                .optional(&mut self.conn)
                .await?;
            // Somebody may have reopened it in between.
            if still != Some((version,)) {
                continue;
            }
            for removal in REMOVALS {
                sql(removal)
                    .bind(agent)
                    .bind(&id)
                    .run(&mut self.conn)
                    .await?;
            }
            self.tell(
                Some(agent),
                stamp,
                Telling {
                    r#type: EventType::CandidateRemoved,
                    user: Some(&user),
                    subject: id.as_str(),
                    data: json!({}),
                    commitment: None,
                },
            );
            stretched.removed += 1;
        }
        self.tell_of_retention(agent, json!({ "candidates": stretched.removed }), stamp);
        Ok(stretched)
    }

    /// Removes up to `limit` records of what an agent was told, of before `before`, with the reports whether it helped.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn remove_servings(
        &mut self,
        agent: &AgentName,
        before: Timestamp,
        held: &Held,
        limit: u32,
        stamp: &Stamp,
    ) -> Result<Stretched> {
        // An event tells of a serving up to a second after it; by its time the event says which are gone.
        const DUE: &str = "
            select s.id
            from servings s
            where s.agent = $1 and s.id < $2 and s.recorded_at < $3";
        const REMOVALS: [(&str, &str); 3] = [
            (
                "delete from feedback where agent = $1",
                " and serving_id in (",
            ),
            (
                "delete from serving_items where agent = $1",
                " and serving_id in (",
            ),
            ("delete from servings where agent = $1", " and id in ("),
        ];
        self.inside(agent)?;
        if held.everybody {
            return Ok(Stretched::default());
        }
        let due = sql(DUE)
            .bind(agent)
            .bind(&ServingId::new(before, &Least))
            .bind(before);
        let rows: Vec<(String,)> = held
            .pass_over(due, " and s.user_id not in (")
            .clause(" order by s.id limit ?", limit)
            .all(&mut self.conn)
            .await?;
        let mut removed = 0;
        if !rows.is_empty() {
            for (from, of) in REMOVALS {
                removed = sql(from)
                    .bind(agent)
                    .clause_in(of, rows.iter().map(|(id,)| id.as_str()))
                    .run(&mut self.conn)
                    .await?;
            }
        }
        let stretched = Stretched {
            looked_at: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            removed: i64::try_from(removed).unwrap_or(i64::MAX),
        };
        let data = json!({ "servings": stretched.removed, "servings_before_us": us(before) });
        self.tell_of_retention(agent, data, stamp);
        Ok(stretched)
    }

    /// When a candidate of an agent within the scope was removed, as its chain tells; `None`: it was not.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn candidate_removed_at(&mut self, id: &CandidateId) -> Result<Option<Timestamp>> {
        // Every chain is looked into along the index of its subjects.
        const SQL: &str = "
            select at
            from events
            where agent in (select agent from agents) and subject = $1 and type = $2";
        let row: Option<(i64,)> = sql(SQL)
            .bind(id)
            .bind(EventType::CandidateRemoved.as_str())
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .optional(&mut self.conn)
            .await?;
        row.map(|(us,)| at(us)).transpose()
    }

    /// Tells that records of exports were removed.
    pub fn tell_of_removed_exports(&mut self, exports: i64, stamp: &Stamp) {
        let telling = Telling {
            r#type: EventType::RetentionApplied,
            user: None,
            subject: SYSTEM_CHAIN,
            data: json!({ "exports": exports }),
            commitment: None,
        };
        if exports > 0 {
            self.tell(None, stamp, telling);
        }
    }

    /// Tells how much went, where anything did.
    fn tell_of_retention(&mut self, agent: &AgentName, data: Value, stamp: &Stamp) {
        let counts = ["conversations", "candidates", "servings"];
        let any = counts.iter().any(|name| data[*name].as_i64() > Some(0));
        let telling = Telling {
            r#type: EventType::RetentionApplied,
            user: None,
            subject: agent.as_str(),
            data,
            commitment: None,
        };
        if any {
            self.tell(Some(agent), stamp, telling);
        }
    }
}
