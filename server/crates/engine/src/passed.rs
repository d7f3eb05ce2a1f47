//! Contexts whose date has passed (G12): shown so wherever they are read, and proposed for retirement by the clock.

use domain::{Timestamp, agent::AgentName, candidate::Cause, id::MemoryId, time::Span};
use serde_json::{Map, Value};

use crate::{Engine, error::Result};

/// The kind that speaks of a situation, and so of a date that can pass. A birthday in a fact does not.
const CONTEXT: &str = "context";
/// Memories that are read at once.
const BATCH: u32 = 500;

/// Whether what is said of a situation lies behind: everywhere on earth, because the date is one of the speaker's calendar.
pub(crate) fn passed(kind: &str, metadata: &Map<String, Value>, now: Timestamp) -> bool {
    let today = (now - Span::hours(12)).date_naive();
    kind == CONTEXT
        && metadata
            .get("date")
            .and_then(Value::as_str)
            .is_some_and(|date| domain::date::passed(date, today))
}

impl Engine {
    /// Proposes to retire the contexts of all agents whose date has passed; answers how many proposals are new. An agent or a context
    /// that cannot be looked at is passed over, with a line in the log.
    ///
    /// # Errors
    /// Only the database's, before the first agent is looked at.
    pub async fn propose_passed(&self) -> Result<u32> {
        let now = self.now();
        let agents = self.read_all().await?.agents().await?;
        let mut proposed = 0;
        for agent in agents {
            match self.passed_of(&agent.name, now).await {
                Ok(contexts) => proposed += self.retire_each(&contexts, Cause::DatePassed).await,
                Err(error) => {
                    tracing::error!(agent = %agent.name, %error, "the contexts of an agent could not be read");
                }
            }
        }
        Ok(proposed)
    }

    async fn passed_of(&self, agent: &AgentName, now: Timestamp) -> Result<Vec<MemoryId>> {
        let mut found = Vec::new();
        let mut after: Option<MemoryId> = None;
        loop {
            let contexts = self
                .read_all()
                .await?
                .memories_of_kind(agent, CONTEXT, after.as_ref(), BATCH, now)
                .await?;
            let Some(last) = contexts.last() else {
                return Ok(found);
            };
            after = Some(last.id.clone());
            found.extend(
                contexts
                    .into_iter()
                    .filter(|context| passed(&context.kind, &context.metadata, now))
                    .map(|context| context.id),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use serde_json::json;

    use super::*;

    // G12
    #[test]
    fn a_date_has_passed_when_it_has_everywhere() {
        let metadata = |date: &str| json!({ "date": date }).as_object().unwrap().clone();
        let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().to_utc();
        let said = metadata("2026-12-31");
        assert!(!passed("context", &said, at("2027-01-01T11:59:00Z")));
        assert!(passed("context", &said, at("2027-01-01T12:00:00Z")));
        assert!(
            !passed("fact", &said, at("2030-01-01T00:00:00Z")),
            "a birthday"
        );
        assert!(!passed(
            "context",
            &metadata("soon"),
            at("2030-01-01T00:00:00Z")
        ));
        assert!(passed(
            "context",
            &metadata("2026-12"),
            at("2027-01-02T00:00:00Z")
        ));
    }
}
