//! An agent with one of everything: policies, cost, kinds, profile schemas, a report.

use std::collections::BTreeMap;

use app::{
    components::{
        form::Typed,
        metadata::{Entry, Sort},
        source::Fault,
    },
    pages::{agent, kind, memory, schema},
};
use domain::{
    agent::AgentSettings, guideline::GuidelineLanguage, id::KeyId, key::KeyScope, kind::Kind,
    time::Span,
};

use super::{Counter, candidate_id, figures, memory_id, now};

fn kinds() -> Vec<agent::Kind> {
    let all = Kind::assistant()
        .into_iter()
        .chain(Kind::business())
        .chain(Kind::always_there());
    all.map(|kind| agent::Kind {
        misfits: i64::from(kind.name == "metric") * 2,
        name: kind.name,
        set: kind.set,
        description: kind.description,
        ttl_days: kind.ttl_days,
        always: kind.always,
        enabled: kind.enabled,
    })
    .collect()
}

/// With one of everything.
pub fn agent() -> agent::Agent {
    agent::Agent {
        settings: AgentSettings {
            guidance: Some("Only what helps with advertising.".into()),
            shared_ids: vec!["guest-*".into(), "kiosk".into()],
            allowed_extractors: vec!["builtin".into(), "https://models.example/v1/".into()],
            ..AgentSettings::default()
        },
        policies: vec![agent::Policy {
            name: "sure-preferences".into(),
            kinds: vec!["preference".into(), "fact".into()],
            min_confidence: 0.95,
            by: Some("Mia Keller".into()),
            at: now() - Span::days(2),
        }],
        today: agent::Today {
            tokens_in: 812_400,
            tokens_out: 20_100,
            dry_run_tokens: 40_100,
            cost: Some(1.284),
            used: Some(0.832),
            warns: true,
            waiting: 3,
            not_allowed: 2,
        },
        kinds: kinds(),
        schemas: vec![agent::Schema {
            id: "user-profile".into(),
            fields: vec!["technical_stack".into(), "job_status".into()],
            version: 2,
            misfits: 1,
            updated_at: now() - Span::days(1),
        }],
        unhelpful: vec![agent::Unhelpful {
            memory: memory_id(),
            content: "ユーザーは箇条書きの要約を好む".into(),
            language: "ja".into(),
            who: "山本ゆき".into(),
            servings: 41,
            not_helped: 5,
            last_served_at: now() - Span::hours(3),
            proposal: Some(candidate_id(2)),
        }],
        prompt: Some(agent::Prompt {
            version: Some("2+a1b2c3d4".into()),
            system: "You read a conversation.\n# Kinds\n- \"fact\" <b>(Facts)</b>".into(),
        }),
        webhooks: 2,
        ..bare_agent()
    }
}

/// Just made.
pub fn bare_agent() -> agent::Agent {
    agent::Agent {
        figures: figures(),
        settings: AgentSettings::default(),
        version: 3,
        policies: vec![],
        today: agent::Today::default(),
        kinds: kinds(),
        schemas: vec![],
        unhelpful: vec![],
        prompt: None,
        webhooks: 0,
        keys: vec![agent::Key {
            id: KeyId::new(now(), &Counter(8)),
            name: Some("production".into()),
            hint: "keep_live_4fTq…".into(),
            scopes: KeyScope::OF_AN_AGENT.to_vec(),
            last_used_at: Some(now() - Span::minutes(4)),
            revoked: false,
        }],
        new_key: Some("keep_live_0123456789abcdefghijABCDEFGHIJ012345".into()),
        public_url: "http://127.0.0.1:3000".into(),
        may_change: true,
        typed: Typed::default(),
    }
}

fn fault(pointer: &str, line: Option<usize>, detail: &str) -> Fault {
    Fault {
        pointer: pointer.into(),
        line,
        code: "invalid_schema".into(),
        detail: detail.into(),
    }
}

/// A kind, or one whose metadata schema was refused.
fn guidelines() -> Vec<kind::Guideline> {
    let ours = |language| {
        let words = domain::guideline::beginning("pain_point", language);
        words.unwrap_or_default().to_owned()
    };
    let first = |language| kind::Version {
        number: 0,
        content: ours(language),
        diff: Vec::new(),
        by: None,
        at: None,
    };
    let ja = GuidelineLanguage::Ja;
    let rewritten = "残すもの：繰り返し起きる困りごと。";
    let second = kind::Version {
        number: 1,
        content: rewritten.into(),
        diff: domain::diff::words(&ours(ja), rewritten),
        by: Some("Mia Keller".into()),
        at: Some(super::now()),
    };
    [
        (GuidelineLanguage::En, vec![first(GuidelineLanguage::En)]),
        (ja, vec![second, first(ja)]),
        (GuidelineLanguage::Zh, vec![first(GuidelineLanguage::Zh)]),
    ]
    .map(|(language, versions)| kind::Guideline { language, versions })
    .to_vec()
}

pub fn kind(refused: bool) -> kind::Page {
    let kind = Kind::business()
        .into_iter()
        .find(|kind| kind.name == "pain_point");
    let typed = "{\n  \"type\": \"object\",";
    kind::Page {
        agent: "ads-buddy".into(),
        guidelines: guidelines(),
        kind: kind.unwrap(),
        schema: "{\n  \"type\": \"object\"\n}".into(),
        version: Some(3),
        misfits: 2,
        proposed: agent::Proposed::Yes,
        may_change: true,
        faults: if refused {
            vec![fault("", Some(2), "EOF while parsing an object")]
        } else {
            vec![]
        },
        typed: if refused {
            typed_with("metadata_schema", typed)
        } else {
            Typed::default()
        },
    }
}

fn typed_with(field: &str, value: &str) -> Typed {
    Typed {
        values: BTreeMap::from([(field.to_owned(), value.to_owned())]),
        faults: BTreeMap::from([(field.to_owned(), "faults".to_owned())]),
    }
}

/// A profile schema, or one that was refused.
pub fn schema(refused: bool) -> schema::Page {
    let typed = "{\n  \"type\": \"object\",\n  \"properties\": {\n    \"technical_stack\": {\"type\": \"strin\"}\n  }\n}";
    schema::Page {
        agent: "tutor".into(),
        stored: Some(schema::Stored {
            id: "user-profile".into(),
            version: 2,
            fields: vec![
                schema::Row {
                    name: "technical_stack".into(),
                    description: Some("Languages and tools: ADK, Python".into()),
                    values: None,
                    joins: true,
                    ttl_days: None,
                },
                schema::Row {
                    name: "job_status".into(),
                    description: None,
                    values: Some(vec!["student".into(), "employed".into()]),
                    joins: false,
                    ttl_days: Some(365),
                },
            ],
            misfits: 1,
            updated_at: now() - Span::hours(2),
        }),
        source: "{\n  \"type\": \"object\",\n  \"properties\": {\n    \"technical_stack\": {\"type\": \"string\"}\n  }\n}".into(),
        may_change: true,
        faults: if refused {
            vec![fault(
                "/properties/technical_stack/type",
                None,
                "\"strin\" is not one of the types",
            )]
        } else {
            vec![]
        },
        typed: if refused {
            typed_with("schema", typed)
        } else {
            Typed::default()
        },
    }
}

/// A field of each sort.
pub fn metadata() -> Vec<Entry> {
    let entry = |name: &str, sort, value: &str| Entry {
        name: name.into(),
        description: Some("As the schema says".into()),
        sort,
        value: value.into(),
    };
    let severity = Sort::Choice(vec!["low".into(), "high".into()]);
    vec![
        entry("frequency", Sort::Line, "every Monday"),
        entry("value", Sort::Number, "2.6"),
        entry("resolved", Sort::YesNo, "false"),
        entry("severity", severity, "high"),
        entry("related_campaigns", Sort::List, "Alpha\nBeta"),
    ]
}

/// A metric over three weeks.
pub fn series() -> memory::Series {
    let values = [2.1, 2.4, 2.2, 2.6];
    memory::Series {
        values: values
            .iter()
            .zip(1..)
            .map(|(&value, revision)| memory::Value {
                memory: memory_id(),
                revision,
                value,
                unit: Some("%".into()),
                period: Some("week".into()),
                at: now() - Span::days(7 * (5 - revision)),
            })
            .collect(),
        count: 4,
        sessions: 3,
        ..memory::Series::default()
    }
}

/// A pain point that came up in three sessions.
pub fn mentions() -> memory::Series {
    memory::Series {
        mentions: [21, 6, 6, 1]
            .map(|days| memory::Mention {
                conversation: super::conversation_id(),
                at: now() - Span::days(days),
            })
            .to_vec(),
        count: 4,
        sessions: 3,
        ..memory::Series::default()
    }
}
