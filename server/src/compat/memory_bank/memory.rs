//! A memory as Memory Bank's clients read one.

use std::fmt::Display;

use domain::{Timestamp, profile, user::Scope};
use engine::MemoryView;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    metadata::{self, Given},
    name::Bank,
    topic::Topic,
};

/// What stands in the description of what nobody has decided yet.
const WAITS: &str = "Waits for a person: nothing of it is read before it is approved.";

/// A memory. Of what waits nothing is told but whom it is about.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<Scope>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    topics: Vec<Topic>,
    #[serde(skip_serializing_if = "Given::is_empty")]
    metadata: Given,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_type: Option<MemoryType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<StructuredContent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    create_time: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    update_time: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expire_time: Option<Timestamp>,
}

/// Whether it is a sentence or a field of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MemoryType {
    NaturalLanguageCollection,
    StructuredProfile,
}

/// A field of a profile.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StructuredContent {
    schema_id: String,
    data: Map<String, Value>,
}

/// The memories that came of messages or were given as they are.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Generated {
    generated_memories: Vec<GeneratedMemory>,
}

/// One of them. There is no `action`: nothing has been created or changed before a person approves it.
#[derive(Debug, Serialize)]
struct GeneratedMemory {
    memory: Memory,
}

impl FromIterator<Memory> for Generated {
    fn from_iter<T: IntoIterator<Item = Memory>>(memories: T) -> Self {
        let memories = memories.into_iter();
        Self {
            generated_memories: memories.map(|memory| GeneratedMemory { memory }).collect(),
        }
    }
}

impl Memory {
    /// Nothing but a name.
    pub fn named(bank: &Bank, id: impl Display) -> Self {
        Self {
            name: bank.memory(id),
            fact: None,
            scope: None,
            topics: Vec::new(),
            metadata: Given::new(),
            memory_type: None,
            structured_content: None,
            description: None,
            create_time: None,
            update_time: None,
            expire_time: None,
        }
    }

    /// What waits for a person.
    pub fn waiting(bank: &Bank, id: impl Display, scope: Scope, since: Timestamp) -> Self {
        Self {
            scope: Some(scope),
            description: Some(WAITS),
            create_time: Some(since),
            ..Self::named(bank, id)
        }
    }

    /// One that is approved.
    pub fn remembered(bank: &Bank, memory: MemoryView) -> Self {
        let structured_content = structured(&memory);
        let (memory_type, topics, metadata) = match structured_content {
            Some(_) => (MemoryType::StructuredProfile, Vec::new(), Given::new()),
            None => (
                MemoryType::NaturalLanguageCollection,
                vec![Topic::of(&memory.kind)],
                metadata::outward(memory.metadata.clone()),
            ),
        };
        Self {
            scope: scope_of(&memory),
            topics,
            metadata,
            memory_type: Some(memory_type),
            structured_content,
            create_time: Some(memory.created_at),
            update_time: Some(memory.updated_at),
            expire_time: memory.expires_at,
            fact: Some(memory.content),
            ..Self::named(bank, memory.id)
        }
    }
}

/// Whom a memory is about.
pub fn scope_of(memory: &MemoryView) -> Option<Scope> {
    let of_user = || Scope::user_id(memory.user_id.as_deref()?).ok();
    memory.scope.clone().or_else(of_user)
}

fn structured(memory: &MemoryView) -> Option<StructuredContent> {
    let data = field_of(&memory.kind, memory.name.as_deref(), &memory.metadata)?;
    let (schema, _) = profile::parse_name(memory.name.as_deref()?)?;
    Some(StructuredContent {
        schema_id: schema.to_owned(),
        data,
    })
}

/// A field of a profile with its value; of other memories nothing.
pub fn field_of(
    kind: &str,
    name: Option<&str>,
    metadata: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let (_, field) = profile::parse_name(name.filter(|_| kind == profile::KIND)?)?;
    let value = metadata.get("value")?.clone();
    Some(Map::from_iter([(field.to_owned(), value)]))
}
