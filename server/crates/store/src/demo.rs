//! The agent with made-up people: its mark, and its removal whole. Of everything else nothing is ever removed row by row.

use domain::{agent::AgentName, audit::EventType};
use serde_json::json;

use crate::{Error, Result, Stamp, Tx, events::Telling, statement::sql};

/// Everything an agent holds, what refers to something before what it refers to. Its events and the head of its chain stay: they hold
/// no text, and a chain is never cut.
const REMOVALS: &[&str] = &[
    // First, so that a worker in the middle of one can write nothing more.
    "delete from jobs where agent = $1",
    "delete from feedback where agent = $1",
    "delete from serving_items where agent = $1",
    "delete from servings where agent = $1",
    "delete from search_tokens where agent = $1",
    "delete from revisions where agent = $1",
    "delete from memories where agent = $1",
    "delete from claims where agent = $1",
    "delete from handovers where agent = $1",
    "delete from agreements where agent = $1",
    "delete from bulk_items where agent = $1",
    "delete from sightings where agent = $1",
    "delete from judgements where agent = $1",
    "delete from decisions where agent = $1",
    "delete from evidence where agent = $1",
    "delete from candidate_targets where agent = $1",
    "delete from candidates where agent = $1",
    "delete from extractions where agent = $1",
    "delete from messages where agent = $1",
    "delete from conversations where agent = $1",
    "delete from user_keys where agent = $1",
    "delete from users where agent = $1",
    "delete from usage where agent = $1",
    "delete from guidelines where agent = $1",
    "delete from profile_schemas where agent = $1",
    "delete from kinds where agent = $1",
    // Answers that were kept for who asks again hold text.
    "delete from idempotency where owner in (select id from keys where agent = $1)",
    "delete from keys where agent = $1",
    "delete from person_roles where agent = $1",
    "delete from agents where agent = $1",
];

impl Tx {
    /// Marks an agent as one with made-up people.
    ///
    /// # Errors
    /// [`Error::Stale`] where there is none; [`Error::OutOfScope`]; what the database answers.
    pub async fn mark_demo(&mut self, agent: &AgentName) -> Result<()> {
        self.inside(agent)?;
        let touched = sql("update agents set demo = $1 where agent = $2")
            .bind(true)
            .bind(agent)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }

    /// Whether an agent is one with made-up people; `None`: there is no such agent within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn is_demo(&mut self, agent: &AgentName) -> Result<Option<bool>> {
        if self.inside(agent).is_err() {
            return Ok(None);
        }
        let row: Option<(bool,)> = sql("select demo from agents where agent = $1")
            .bind(agent)
            .optional(&mut self.conn)
            .await?;
        Ok(row.map(|(demo,)| demo))
    }

    /// Removes an agent with made-up people: every row that it has, and the keys of its users.
    ///
    /// # Errors
    /// [`Error::Stale`] where it is none; [`Error::OutOfScope`]; what the database answers.
    pub async fn remove_demo(&mut self, agent: &AgentName, stamp: &Stamp) -> Result<()> {
        if self.is_demo(agent).await? != Some(true) {
            return Err(Error::Stale);
        }
        let figures = self.figures(agent, stamp.now).await?;
        for removal in REMOVALS {
            sql(removal).bind(agent).run(&mut self.conn).await?;
        }
        let telling = Telling {
            r#type: EventType::AgentRemoved,
            user: None,
            subject: agent.as_str(),
            data: json!({ "users": figures.users, "candidates": figures.total }),
            commitment: None,
        };
        self.tell(Some(agent), stamp, telling);
        Ok(())
    }
}
