//! Contexts whose date has passed (G12): shown so wherever they are read, and proposed for retirement by the clock.

use domain::{Timestamp, candidate::Cause, id::MemoryId, time::Span};
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
    /// Proposes to retire the contexts of all agents whose date has passed; answers how many proposals are new.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn propose_passed(&self) -> Result<u32> {
        let now = self.now();
        let agents = self.read_all().await?.agents().await?;
        let mut proposed = 0;
        for agent in agents {
            let mut after: Option<MemoryId> = None;
            loop {
                let contexts = self
                    .read_all()
                    .await?
                    .memories_of_kind(&agent.name, CONTEXT, after.as_ref(), BATCH, now)
                    .await?;
                let Some(last) = contexts.last() else {
                    break;
                };
                after = Some(last.id.clone());
                for context in &contexts {
                    if passed(&context.kind, &context.metadata, now) {
                        let new = self
                            .propose_retirement(&context.id, Cause::DatePassed)
                            .await?;
                        proposed += u32::from(new);
                    }
                }
            }
        }
        Ok(proposed)
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
