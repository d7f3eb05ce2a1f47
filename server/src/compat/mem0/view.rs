//! A memory as mem0's clients read one.

use chrono::NaiveTime;
use domain::{Timestamp, agent::AgentName, id::MemoryId};
use engine::MemoryView;
use serde::Serialize;
use serde_json::{Map, Value};

/// Of the platform's fields and the self-hosted server's those that both have, and `kind`, which is ours.
#[derive(Debug, Serialize)]
pub struct Memory {
    id: MemoryId,
    memory: String,
    user_id: Option<String>,
    agent_id: AgentName,
    app_id: Option<String>,
    kind: String,
    metadata: Map<String, Value>,
    categories: Vec<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The day from which it is served no more, `YYYY-MM-DD` in UTC.
    expiration_date: Option<String>,
    /// How well it fits a query, 0.0 to 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

impl Memory {
    /// One that a query found.
    pub fn found(memory: MemoryView, score: f64) -> Self {
        Self {
            score: Some(score),
            ..memory.into()
        }
    }
}

impl From<MemoryView> for Memory {
    fn from(memory: MemoryView) -> Self {
        let pair = |name: &str| memory.scope.as_ref()?.pairs().get(name).cloned();
        Self {
            user_id: memory.user_id.clone().or_else(|| pair("user_id")),
            app_id: pair("app_id"),
            id: memory.id,
            memory: memory.content,
            agent_id: memory.agent,
            kind: memory.kind,
            metadata: memory.metadata,
            categories: memory.tags,
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            expiration_date: memory.expires_at.map(day_after),
            score: None,
        }
    }
}

/// The day from which something is served no more: of what ends within a day the next one, so that who writes it back cuts nothing
/// off.
fn day_after(end: Timestamp) -> String {
    let day = end.date_naive();
    let whole = end.time() == NaiveTime::MIN;
    let after = if whole { Some(day) } else { day.succ_opt() };
    after.unwrap_or(day).format("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_an_end_never_comes_before_it() {
        for (end, day) in [
            ("2026-12-01T00:00:00Z", "2026-12-01"),
            ("2026-12-01T00:00:00.000001Z", "2026-12-02"),
            ("2026-12-31T23:59:59Z", "2027-01-01"),
        ] {
            assert_eq!(day_after(end.parse().unwrap()), day, "{end}");
        }
    }
}
