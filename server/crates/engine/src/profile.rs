//! Profiles (D4-D6): one a schema and user, one memory a field, read in one call without search.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    id::MemoryId,
    kind::Kind,
    memory::Memory,
    permission::{Actor, Permission, Permit},
    profile::{self, ProfileSchema},
    time::Span,
    user::User,
};
use serde::Serialize;
use serde_json::{Map, Value};
use store::Tx;

use crate::{
    Engine,
    error::{EngineError, Result},
    join::told_fields,
    need, only_agent, opt_out,
    schema::{place_of, value_of},
    user::{UserRef, find},
};

/// The profiles of a user: schema, then field, then value. A schema without a filled field is there, empty.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ProfileView {
    /// What is approved, by schema and field.
    pub profiles: BTreeMap<String, BTreeMap<String, Value>>,
    /// Why an agent is told nothing: `serving_off`, `opted_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub reason: Option<&'static str>,
}

/// A profile as a person looks at it: every field of the schema, filled or not.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileTable {
    /// The id of the schema.
    pub schema: String,
    /// Its version; `None`: there is no such schema any more.
    pub version: Option<i64>,
    /// The fields in the order of the schema, then those that it has no more.
    pub fields: Vec<ProfileRow>,
}

/// A field of a user's profile.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileRow {
    /// Its name.
    pub field: String,
    /// What it holds.
    pub description: Option<String>,
    /// Its value; `None`: empty.
    pub value: Option<Value>,
    /// The words of the value.
    pub words: String,
    /// The memory that holds it.
    pub memory: Option<MemoryId>,
    /// The number of its newest revision.
    pub revision: Option<i64>,
    /// When it stops being served.
    pub expires_at: Option<Timestamp>,
    /// When its newest revision was made.
    pub updated_at: Option<Timestamp>,
    /// Whether the value fits the schema; an empty field does.
    pub fits: bool,
}

const READS: &[Permission] = &[
    Permission::ReadMemories,
    Permission::ReadHistory,
    Permission::ReadUsers,
    Permission::Decide,
];

impl Engine {
    /// The profiles of a user. A name that the agent has not used yet has empty ones.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an id of ours that is not there.
    pub async fn profile(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
    ) -> Result<ProfileView> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let found = match find(&mut tx, permit, user, agent).await {
            Err(EngineError::NotFound) if matches!(user, UserRef::Scope(_)) => None,
            found => Some(found?),
        };
        let agent = match &found {
            Some(user) => user.agent.clone(),
            None => only_agent(permit, agent)?,
        };
        let settings = tx.agent(&agent).await?.ok_or(EngineError::NotFound)?;
        let schemas = tx.profile_schemas(&agent).await?;
        let mut profiles: BTreeMap<String, BTreeMap<String, Value>> = schemas
            .into_iter()
            .map(|schema| (schema.id, BTreeMap::new()))
            .collect();
        let reason = match (permit.actor(), &found) {
            (Actor::Key { .. }, _) if !settings.settings.serve => Some("serving_off"),
            (Actor::Key { .. }, Some(user)) if opt_out::out(&mut tx, user).await? => {
                Some("opted_out")
            }
            _ => None,
        };
        if let (Some(user), None) = (&found, reason) {
            let ids = tx.together(&agent, &user.id).await?;
            let fields = told_fields(&mut tx, &agent, &ids, self.now()).await?;
            for memory in fields.memories {
                // A field of a schema that was removed waits for a person to retire it; it is nobody's profile.
                if let Some((schema, field)) = place_of(&memory)
                    && let Some(profile) = profiles.get_mut(schema)
                {
                    profile.insert(field.to_owned(), value_of(&memory));
                }
            }
        }
        Ok(ProfileView { profiles, reason })
    }

    /// The profiles of a user field by field, with the memory that holds each.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn profile_fields(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
    ) -> Result<Vec<ProfileTable>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let User { agent, id, .. } = find(&mut tx, permit, user, agent).await?;
        let schemas = tx.profile_schemas(&agent).await?;
        let memories = tx.profile(&agent, &id, self.now()).await?;
        Ok(tables(schemas, memories))
    }
}

fn tables(schemas: Vec<ProfileSchema>, memories: Vec<Memory>) -> Vec<ProfileTable> {
    let mut held: BTreeMap<String, BTreeMap<String, Memory>> = BTreeMap::new();
    for memory in memories {
        if let Some((schema, field)) = place_of(&memory) {
            let (schema, field) = (schema.to_owned(), field.to_owned());
            held.entry(schema).or_default().insert(field, memory);
        }
    }
    let mut tables = Vec::new();
    for schema in schemas {
        let mut filled = held.remove(&schema.id).unwrap_or_default();
        let mut fields: Vec<ProfileRow> = schema
            .fields()
            .map(|field| ProfileRow {
                description: field.description().map(str::to_owned),
                ..row(field.name, filled.remove(field.name), Some(&schema))
            })
            .collect();
        fields.extend(gone(filled));
        tables.push(ProfileTable {
            schema: schema.id,
            version: Some(schema.version),
            fields,
        });
    }
    tables.extend(held.into_iter().map(|(schema, filled)| ProfileTable {
        schema,
        version: None,
        fields: gone(filled).collect(),
    }));
    tables
}

fn gone(filled: BTreeMap<String, Memory>) -> impl Iterator<Item = ProfileRow> {
    filled
        .into_iter()
        .map(|(field, memory)| row(&field, Some(memory), None))
}

fn row(field: &str, memory: Option<Memory>, schema: Option<&ProfileSchema>) -> ProfileRow {
    let value = memory.as_ref().map(value_of);
    let fits = value
        .as_ref()
        .is_none_or(|value| schema.is_some_and(|schema| schema.fits(field, value)));
    ProfileRow {
        field: field.to_owned(),
        description: None,
        words: value.as_ref().map(profile::words).unwrap_or_default(),
        value,
        revision: memory.as_ref().map(|memory| memory.revision),
        expires_at: memory.as_ref().and_then(|memory| memory.expires_at),
        updated_at: memory.as_ref().map(|memory| memory.updated_at),
        memory: memory.map(|memory| memory.id),
        fits,
    }
}

/// How long an approved memory lives: a profile field as its schema says, else as its kind does (B6, D4).
///
/// # Errors
/// Only the database's.
pub(crate) async fn time_to_live(
    tx: &mut Tx,
    agent: &AgentName,
    kind: &Kind,
    name: Option<&str>,
) -> Result<Option<Span>> {
    if kind.name == profile::KIND
        && let Some((id, field)) = name.and_then(profile::parse_name)
        && let Some(schema) = tx.profile_schema(agent, id).await?
        && let Some(days) = schema.field(field).and_then(|field| field.ttl_days())
    {
        return Ok(Some(Span::days(days)));
    }
    Ok(kind.time_to_live())
}

/// What a person writes into a profile field: as words, or as the metadata's `value`. Both must say the same, and fit the schema, so
/// the one that was changed makes the other. Memories of other kinds are left as they are. `before` is what is there or was proposed.
///
/// # Errors
/// [`EngineError::Invalid`] at `/name` where there is none, and for a field that no schema has, at `/content` or `/metadata/value` for a value that does not
/// fit it.
pub(crate) async fn settled(
    tx: &mut Tx,
    agent: &AgentName,
    kind: &str,
    name: Option<&str>,
    written: (String, Map<String, Value>),
    before: Option<(&str, &Map<String, Value>)>,
) -> Result<(String, Map<String, Value>)> {
    let (content, metadata) = written;
    if kind != profile::KIND {
        return Ok((content, metadata));
    }
    let unknown = || {
        let detail = "a field of a profile is named schema/field, as a schema of this agent has it";
        EngineError::invalid("/name", "unknown", detail)
    };
    let name = name.ok_or_else(|| {
        let detail = "a field of a profile needs a name, which is schema/field as a schema of this agent has it, such as user-profile/home_city";
        EngineError::invalid("/name", "required", detail)
    })?;
    let (id, field) = profile::parse_name(name).ok_or_else(unknown)?;
    let schema = tx.profile_schema(agent, id).await?.ok_or_else(unknown)?;
    let takes = schema.field(field).ok_or_else(unknown)?.takes();
    let held = before.and_then(|(_, metadata)| metadata.get("value"));
    let given = metadata.get("value");
    let retyped = before.is_none_or(|(before, _)| before != content);
    let (pointer, value) = match given {
        Some(value) if Some(value) != held || !retyped => {
            ("/metadata/value", schema.coerce(field, value))
        }
        _ => ("/content", schema.read(field, &content)),
    };
    let Some(value) = value else {
        let detail = format!("{id}/{field} takes: {takes}");
        return Err(EngineError::invalid(pointer, "schema", detail));
    };
    let extracted = before
        .and_then(|(_, metadata)| metadata.get("extracted"))
        .unwrap_or(&value);
    let metadata = profile::metadata(id, field, &value, extracted);
    Ok((profile::words(&value), metadata))
}
