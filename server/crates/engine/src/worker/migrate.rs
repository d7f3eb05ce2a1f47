//! After a change of a schema (C8): what is approved and no longer fits is found, and a change or a retirement of each is proposed. A
//! person decides; until then it is served as it is.
//!
//! A change only drops what the schema has no more and writes values another way where nothing is lost. What cannot be made to fit is
//! proposed for retirement where it holds a profile field, which is nothing but its value. A statement says something without its
//! metadata, so it is left alone, and counted.

use domain::{
    candidate::{Action, Cause, Proposal, Target},
    fitting::{Fields, Fitting, Repaired},
    id::CandidateId,
    kind::Kind,
    memory::Memory,
    profile::{self, ProfileSchema},
};
use serde_json::{Map, Value};
use store::{Claimed, JobState, Stamp};

use super::span;
use crate::{
    Engine, again,
    error::Result,
    schema::{fits, place_of, value_of},
};

/// How many memories are looked at between two looks at the database.
const PART: u32 = 200;

/// What memories have to fit.
enum Rule<'a> {
    /// The metadata schema of their kind.
    Metadata(Box<Fitting>),
    /// The profile schemas.
    Profiles(&'a [ProfileSchema], Fields),
}

/// What is proposed about a memory that does not.
struct Change {
    action: Action,
    content: String,
    metadata: Map<String, Value>,
    why: String,
}

impl Engine {
    /// Looks through an agent's memories of every kind that has a schema.
    pub(super) async fn migrate(&self, claimed: &Claimed) -> Result<()> {
        let agent = &claimed.operation.agent;
        let mut outcome = claimed.operation.outcome.clone();
        if claimed.operation.attempt > self.settings().attempts {
            return self
                .end(claimed, JobState::Failed, Some("crashed"), &outcome)
                .await;
        }
        let mut tx = self.read_all().await?;
        let kinds = tx.kinds(agent).await?;
        let schemas = tx.profile_schemas(agent).await?;
        drop(tx);
        for kind in &kinds {
            let Some(rule) = Rule::of(kind, &schemas) else {
                continue;
            };
            let mut after = None;
            loop {
                let mut tx = self.read_all().await?;
                let part = tx
                    .memories_of_kind(agent, &kind.name, after.as_ref(), PART, self.now())
                    .await?;
                drop(tx);
                let Some(last) = part.last() else { break };
                after = Some(last.id.clone());
                for memory in part.iter().filter(|memory| !rule.holds(memory)) {
                    let made = again!(self.migrate_one(claimed, memory, &rule).await)?;
                    outcome.candidates.extend(made);
                }
            }
        }
        self.end(claimed, JobState::Succeeded, None, &outcome).await
    }

    async fn migrate_one(
        &self,
        claimed: &Claimed,
        memory: &Memory,
        rule: &Rule<'_>,
    ) -> Result<Option<CandidateId>> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease))
            .await?;
        let present = tx.memory_for_update(&memory.id).await?;
        let Some(memory) = present.filter(|memory| memory.served(stamp.now)) else {
            return Ok(None);
        };
        if rule.holds(&memory) {
            return Ok(None);
        }
        let Some(change) = rule.change(&memory) else {
            return Ok(None);
        };
        let (agent, user) = (memory.agent.clone(), memory.user.clone());
        let made = self
            .suggest(&mut tx, &agent, &user, proposal(memory, change), &stamp)
            .await?;
        tx.commit().await?;
        Ok(made)
    }
}

impl<'a> Rule<'a> {
    fn of(kind: &Kind, schemas: &'a [ProfileSchema]) -> Option<Self> {
        if kind.name == profile::KIND {
            return Some(Self::Profiles(schemas, Fields::new(schemas)));
        }
        let schema = kind.metadata_schema.as_ref()?;
        Some(Self::Metadata(Box::new(Fitting::new(schema))))
    }

    fn holds(&self, memory: &Memory) -> bool {
        match self {
            Self::Metadata(fitting) => fitting.fits(&memory.metadata),
            Self::Profiles(_, fields) => fits(fields, memory),
        }
    }

    fn change(&self, memory: &Memory) -> Option<Change> {
        match self {
            Self::Metadata(fitting) => {
                let repaired = fitting.repair(&memory.metadata)?;
                Some(Change {
                    action: Action::Update,
                    content: memory.content.clone(),
                    why: metadata_changes(&memory.language, &repaired),
                    metadata: repaired.metadata,
                })
            }
            Self::Profiles(schemas, _) => Some(field_change(schemas, memory)),
        }
    }
}

fn field_change(schemas: &[ProfileSchema], memory: &Memory) -> Change {
    let retire = |why| Change {
        action: Action::Retire,
        content: memory.content.clone(),
        metadata: memory.metadata.clone(),
        why,
    };
    let language = memory.language.as_str();
    let (id, field) = place_of(memory).unwrap_or_default();
    let Some(schema) = schemas.iter().find(|schema| schema.id == id) else {
        return retire(match language {
            "ja" => format!("プロフィールのスキーマ {id} はもうありません。"),
            "zh" => format!("档案结构 {id} 已不存在。"),
            _ => format!("The profile schema {id} is no longer there."),
        });
    };
    if schema.field(field).is_none() {
        return retire(match language {
            "ja" => format!("{id} に {field} という項目はもうありません。"),
            "zh" => format!("{id} 不再有字段 {field}。"),
            _ => format!("{id} has no field {field} any more."),
        });
    }
    let value = value_of(memory);
    let Some(value) = schema.coerce(field, &value) else {
        return retire(match language {
            "ja" => format!("{id} の {field} は、もうこの値を取りません。"),
            "zh" => format!("{id} 的 {field} 不再接受这个值。"),
            _ => format!("{field} of {id} no longer takes this value."),
        });
    };
    let extracted = memory.metadata.get("extracted").unwrap_or(&value);
    Change {
        action: Action::Update,
        content: profile::words(&value),
        metadata: profile::metadata(id, field, &value, extracted),
        why: match language {
            "ja" => format!("{id} の {field} は、この値を別の形で書くようになりました。"),
            "zh" => format!("{id} 的 {field} 现在以另一种形式书写这个值。"),
            _ => format!("{field} of {id} now writes this value in another way."),
        },
    }
}

fn metadata_changes(language: &str, repaired: &Repaired) -> String {
    let list = |names: &[String]| names.join(", ");
    let (changed, left_out) = (list(&repaired.changed), list(&repaired.left_out));
    match (language, changed.is_empty(), left_out.is_empty()) {
        ("ja", false, true) => format!("種類のスキーマが変わり、{changed} の書き方が変わります。"),
        ("ja", true, _) => format!("種類のスキーマが変わり、{left_out} がなくなります。"),
        ("ja", ..) => format!(
            "種類のスキーマが変わり、{changed} の書き方が変わり、{left_out} がなくなります。"
        ),
        ("zh", false, true) => format!("类型的结构已变更：{changed} 换一种写法。"),
        ("zh", true, _) => format!("类型的结构已变更：去掉 {left_out}。"),
        ("zh", ..) => format!("类型的结构已变更：{changed} 换一种写法，去掉 {left_out}。"),
        (_, false, true) => {
            format!("The schema of this kind has changed: {changed} is written in another way.")
        }
        (_, true, _) => format!("The schema of this kind has changed: {left_out} is left out."),
        _ => format!(
            "The schema of this kind has changed: {changed} is written in another way, {left_out} is left out."
        ),
    }
}

fn proposal(memory: Memory, change: Change) -> Proposal {
    Proposal {
        action: change.action,
        targets: vec![Target {
            memory: memory.id,
            revision: memory.revision,
            absorbed: false,
        }],
        kind: memory.kind,
        name: memory.name,
        content: change.content,
        metadata: change.metadata,
        tags: memory.tags,
        confidence: memory.confidence,
        importance: memory.importance,
        language: memory.language,
        flags: Vec::new(),
        evidence: Vec::new(),
        explanation: Some(change.why),
        cause: Some(Cause::SchemaChanged),
    }
}
