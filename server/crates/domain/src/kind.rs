//! The kind registry: what sorts of memory an agent keeps. A kind is data; these are the rows that every agent starts with.

use serde::{Deserialize, Serialize};

use crate::{conversation::words, time::Span};

/// What counts as evidence for a kind (F5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceRule {
    /// Words of a user turn.
    UserQuote,
    /// A user's agreement plus the proposal it answers.
    Agreement,
    /// Words of any turn; one that no user said is flagged `not_said_by_user`.
    AnyTurn,
    /// The conversation it sums up.
    Conversation,
    /// At least two conversations, a quote from each.
    Conversations,
}

words!(EvidenceRule {
    UserQuote = "user_quote",
    Agreement = "agreement",
    AnyTurn = "any_turn",
    Conversation = "conversation",
    Conversations = "conversations",
});

/// A row of the registry of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// Its name, unique in the agent: `preference`.
    pub name: String,
    /// The set that brought it: `assistant`, `business`, `always` or `own`.
    pub set: String,
    /// The heading in a context block (B8).
    pub label: String,
    /// What it holds, told to the extractor.
    pub description: String,
    /// JSON Schema of its metadata; `None`: an object with anything in it.
    pub metadata_schema: Option<serde_json::Value>,
    /// Days an approved memory lives; `None`: for good.
    pub ttl_days: Option<i64>,
    /// Place in a context block, from 0 (B8).
    pub position: i64,
    /// Most memories of it in a context block.
    pub cap: Option<i64>,
    /// Whether it is in every context, whatever the query (A8, B8).
    pub always: bool,
    /// What counts as evidence.
    pub evidence: EvidenceRule,
    /// Whether extraction proposes it.
    pub enabled: bool,
    /// What belongs in it and what does not, in the words of the people who review: shown beside a candidate and told to the
    /// extractor.
    pub guideline: Option<String>,
}

impl Kind {
    /// How long an approved memory of this kind lives.
    pub fn time_to_live(&self) -> Option<Span> {
        self.ttl_days.map(Span::days)
    }

    fn row(name: &str, set: &str, label: &str, position: i64, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            set: set.to_owned(),
            label: label.to_owned(),
            description: description.to_owned(),
            metadata_schema: None,
            ttl_days: None,
            position,
            cap: None,
            always: false,
            evidence: EvidenceRule::UserQuote,
            enabled: true,
            guideline: None,
        }
    }

    /// The set `assistant` (A9), which never expires unless deleted (A11).
    pub fn assistant() -> Vec<Self> {
        vec![
            Self {
                always: true,
                ..Self::row(
                    "preference",
                    "assistant",
                    "User Preferences",
                    0,
                    "How the user wants to be helped or what they like and dislike, lastingly: tone, format, language, tools, way of working, taste.",
                )
            },
            Self {
                always: true,
                ..Self::row(
                    "fact",
                    "assistant",
                    "Facts",
                    1,
                    "What is lastingly true about the user: name, role, employer, team, place, expertise, family, recurring needs.",
                )
            },
            Self::row(
                "context",
                "assistant",
                "Current Context",
                6,
                "A situation of the user that helps to personalise for some time: a launch, a move, an exam, a project and its deadline.",
            ),
        ]
    }

    /// The set `business` (B1), with its times to live (B6), caps and evidence rules.
    pub fn business() -> Vec<Self> {
        let string = serde_json::json!({"type": ["string", "null"]});
        let strings = serde_json::json!({"type": "array", "items": {"type": "string"}});
        let row = |name: &str,
                   label: &str,
                   position,
                   ttl,
                   evidence,
                   always,
                   description: &str,
                   properties: serde_json::Value,
                   required: &[&str]| Self {
            ttl_days: Some(ttl),
            cap: Some(5),
            always,
            evidence,
            metadata_schema: Some(serde_json::json!({
                "type": "object", "properties": properties, "required": required, "additionalProperties": false
            })),
            ..Self::row(name, "business", label, position, description)
        };
        vec![
            row(
                "pain_point",
                "Known Pain Points",
                2,
                180,
                EvidenceRule::UserQuote,
                true,
                "Something that keeps hurting the user's work, with how bad and how often.",
                serde_json::json!({"severity": {"enum": ["low", "medium", "high", null]}, "frequency": string, "resolved": {"type": ["boolean", "null"]}, "related_campaigns": strings}),
                &[],
            ),
            row(
                "decision",
                "Prior Decisions",
                3,
                180,
                EvidenceRule::Agreement,
                false,
                "What was decided, and why: an explicit choice by the user, or the user's agreement to a proposal.",
                serde_json::json!({"action": {"type": "string"}, "rationale": {"type": "string"}, "affected_entities": strings, "reversible": {"type": "boolean"}, "outcome": string}),
                &["action", "rationale", "affected_entities", "reversible"],
            ),
            row(
                "campaign",
                "Known Campaigns",
                4,
                180,
                EvidenceRule::AnyTurn,
                false,
                "A campaign that is run: strategy, budget, status, last figures.",
                serde_json::json!({"campaign_id": string, "strategy": string, "budget": {"type": ["number", "string", "null"]}, "status": string, "last_performance": {"type": ["object", "null"], "additionalProperties": {"type": "number"}}}),
                &[],
            ),
            row(
                "metric",
                "Historical Metrics",
                5,
                30,
                EvidenceRule::AnyTurn,
                false,
                "A measured value of something, with its unit and period.",
                serde_json::json!({"metric": string, "value": {"type": ["number", "null"]}, "unit": string, "period": string, "campaign": string}),
                &[],
            ),
        ]
    }

    /// `preference` as the set `business` has it (B1, B6, B8): for 180 days, at most five, with metadata that may say what it is about.
    pub fn business_preference() -> Self {
        let own = Self::assistant().remove(0);
        Self {
            set: "business".to_owned(),
            ttl_days: Some(180),
            cap: Some(5),
            metadata_schema: Some(serde_json::json!({
                "type": "object",
                "properties": {
                    "category": {"enum": ["communication", "analysis", "risk", "reporting", null]},
                    "value": {"type": ["string", "number", "boolean", "null"]},
                    "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
                },
            })),
            ..own
        }
    }

    /// The kinds that every agent has.
    pub fn always_there() -> Vec<Self> {
        vec![
            Self::row(
                "profile_field",
                "always",
                "Profile",
                9,
                "A field of a profile schema.",
            ),
            Self {
                ttl_days: Some(90),
                evidence: EvidenceRule::Conversations,
                ..Self::row(
                    "pattern",
                    "always",
                    "Patterns",
                    7,
                    "Behaviour that repeats over several sessions.",
                )
            },
            Self {
                ttl_days: Some(90),
                evidence: EvidenceRule::Conversation,
                ..Self::row(
                    "session_summary",
                    "always",
                    "Recent Sessions",
                    8,
                    "What a session was about and what came of it.",
                )
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A11, B6, C6
    #[test]
    fn the_assistant_set_never_expires_and_the_business_set_does() {
        assert!(Kind::assistant().iter().all(|kind| kind.ttl_days.is_none()));
        let days = |name: &str| {
            let all = [Kind::business(), Kind::always_there()].concat();
            all.iter().find(|kind| kind.name == name).unwrap().ttl_days
        };
        assert_eq!(
            [days("metric"), days("campaign"), days("pattern")],
            [Some(30), Some(180), Some(90)]
        );
    }
}
