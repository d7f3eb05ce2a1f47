//! Profile schemas (D1): what an agent wants to know of every user. Any number of them, each a JSON Schema with an id; a change raises
//! the version, counts what no longer fits, and lets a job propose what has to change (C8).

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Candidate},
    fitting::Fields,
    memory::Memory,
    permission::{Permission, Permit},
    profile::{self, ProfileSchema},
};
use serde::Serialize;
use serde_json::Value;
use store::{JobType, Page, QueueFilter, Stamp, Tx};

use crate::{
    Engine, again,
    agent::READS,
    error::{Current, EngineError, FieldError, Result},
    kind::MOST_LOOKED_AT,
    need,
    review::Version,
};

/// A profile schema, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct SchemaView {
    /// Its id.
    pub id: String,
    /// The JSON Schema.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// Raised by one with every change.
    pub version: i64,
    /// How many approved fields of it do not fit it any more; at most 20,000 memories are looked at.
    pub misfits: i64,
    /// The fields, in the order of the schema.
    pub fields: Vec<FieldView>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// A field of a profile schema, as Keepsake reads it.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct FieldView {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub description: Option<String>,
    /// The values it takes, where it takes only these.
    pub values: Option<Vec<Value>>,
    /// Whether a new value stands beside the old one instead of in its place.
    pub joins: bool,
    /// Days that a value lives, where the schema says so; else as the kind `profile_field` says.
    pub ttl_days: Option<i64>,
}

fn view(schema: ProfileSchema, misfits: i64) -> SchemaView {
    let fields = schema.fields().map(|field| FieldView {
        name: field.name.to_owned(),
        description: field.description().map(str::to_owned),
        values: field.values().or_else(|| field.values_of_items()).cloned(),
        joins: field.joins(),
        ttl_days: field.ttl_days(),
    });
    SchemaView {
        fields: fields.collect(),
        id: schema.id,
        schema: schema.schema,
        version: schema.version,
        misfits,
        created_at: schema.created_at,
        updated_at: schema.updated_at,
    }
}

/// The value that a field's memory holds; what a person wrote without one is its words.
pub(crate) fn value_of(memory: &Memory) -> Value {
    let value = memory.metadata.get("value").cloned();
    value.unwrap_or_else(|| Value::String(memory.content.clone()))
}

/// Schema and field that a memory of a profile is about.
pub(crate) fn place_of(memory: &Memory) -> Option<(&str, &str)> {
    profile::parse_name(memory.name.as_deref()?)
}

/// Whether what a memory of a profile holds fits the schemas there are now.
pub(crate) fn fits(fields: &Fields, memory: &Memory) -> bool {
    place_of(memory).is_some_and(|(id, field)| fields.fit(id, field, &value_of(memory)))
}

/// The schemas outward, with what of each does not fit, in one walk.
async fn counted(
    tx: &mut Tx,
    agent: &AgentName,
    schemas: Vec<ProfileSchema>,
    now: Timestamp,
) -> Result<Vec<SchemaView>> {
    let fields = Fields::new(&schemas);
    let mut misfits = vec![0_i64; schemas.len()];
    let mut after = None;
    let mut left = MOST_LOOKED_AT;
    while left > 0 && !schemas.is_empty() {
        let part = tx
            .memories_of_kind(agent, profile::KIND, after.as_ref(), left.min(500), now)
            .await?;
        let Some(last) = part.last() else { break };
        after = Some(last.id.clone());
        left = left.saturating_sub(u32::try_from(part.len()).unwrap_or(left));
        for memory in &part {
            let at = place_of(memory)
                .and_then(|(id, _)| schemas.iter().position(|schema| schema.id == id));
            if let Some(at) = at
                && !fits(&fields, memory)
            {
                misfits[at] += 1;
            }
        }
    }
    Ok(schemas
        .into_iter()
        .zip(misfits)
        .map(|(schema, misfits)| view(schema, misfits))
        .collect())
}

/// Refuses what is no schema of profiles, with the place of each fault.
fn check(id: &str, schema: &Value) -> Result<()> {
    let mut faults = Vec::new();
    if !profile::is_id(id) {
        let detail = format!(
            "1 to {} letters, digits, \"_\", \"-\" or \".\"",
            profile::MAX_ID
        );
        faults.push(FieldError::new("/id", "shape", detail));
    }
    faults.extend(profile::check(schema).into_iter().map(|fault| {
        let pointer = format!("/schema{}", fault.pointer);
        FieldError::new(pointer, fault.error.as_str(), fault.detail)
    }));
    if faults.is_empty() {
        Ok(())
    } else {
        Err(EngineError::Invalid(faults))
    }
}

/// The schema as it is, where it is the version that was seen.
fn seen(present: ProfileSchema, version: Option<Version>) -> Result<ProfileSchema> {
    if version.unwrap_or(Version::Any).fits(present.version) {
        return Ok(present);
    }
    Err(EngineError::Stale {
        current: Current::Schema(Box::new(view(present, 0))),
    })
}

/// Takes out of the queue what would fill a field that the schema has no more: nobody could approve it. What retires such a field
/// stays.
async fn withdraw(
    tx: &mut Tx,
    agent: &AgentName,
    id: &str,
    schema: Option<&ProfileSchema>,
    stamp: &Stamp,
) -> Result<()> {
    let there = |field: &str| schema.is_some_and(|schema| schema.field(field).is_some());
    let mut part = Page::first(500);
    let mut gone = Vec::new();
    for action in [Action::Create, Action::Update] {
        let waiting = QueueFilter {
            agent: Some(agent.clone()),
            kind: Some(profile::KIND.to_owned()),
            action: Some(action),
            ..QueueFilter::default()
        };
        loop {
            let found = tx.queue(&waiting, &part, stamp.now).await?;
            for Candidate {
                id: one, proposal, ..
            } in found.rows.into_iter().map(|row| row.candidate)
            {
                let place = proposal.name.as_deref().and_then(profile::parse_name);
                if place.is_some_and(|(of, field)| of == id && !there(field)) {
                    gone.push(one);
                }
            }
            part.after = found.next;
            if part.after.is_none() {
                break;
            }
        }
    }
    for one in &gone {
        tx.supersede(one, None, stamp).await?;
    }
    Ok(())
}

impl Engine {
    /// The profile schemas of an agent, by id.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn schemas(&self, permit: &Permit, agent: &AgentName) -> Result<Vec<SchemaView>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let schemas = tx.profile_schemas(agent).await?;
        counted(&mut tx, agent, schemas, self.now()).await
    }

    /// One profile schema.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn schema(&self, permit: &Permit, agent: &AgentName, id: &str) -> Result<SchemaView> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let schema = tx.profile_schema(agent, id).await?;
        let schema = schema.ok_or(EngineError::NotFound)?;
        let mut views = counted(&mut tx, agent, vec![schema], self.now()).await?;
        views.pop().ok_or(EngineError::NotFound)
    }

    /// Makes a profile schema.
    ///
    /// # Errors
    /// [`EngineError::NameTaken`]; [`EngineError::Invalid`] with a JSON Pointer to each fault, below `/schema`.
    pub async fn create_schema(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &str,
        schema: Value,
    ) -> Result<SchemaView> {
        need(permit, &[Permission::Administer])?;
        check(id, &schema)?;
        again!(self.create_schema_once(permit, agent, id, &schema).await)
    }

    async fn create_schema_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &str,
        schema: &Value,
    ) -> Result<SchemaView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let made = tx.create_profile_schema(agent, id, schema, &stamp).await?;
        // A schema that comes back meets what an earlier one of this id had filled.
        tx.enqueue(agent, None, JobType::Migrate, &stamp).await?;
        tx.commit().await?;
        let mut tx = self.read(permit).await?;
        let mut views = counted(&mut tx, agent, vec![made], stamp.now).await?;
        views.pop().ok_or(EngineError::NotFound)
    }

    /// Makes a profile schema, or gives the one of this id another value. What no longer fits is counted in the answer, and its
    /// change or retirement is proposed by a job.
    ///
    /// # Errors
    /// `stale` where another version than `version` is there; [`EngineError::Invalid`] with a JSON Pointer to each fault, below
    /// `/schema`.
    pub async fn put_schema(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &str,
        schema: Value,
        version: Option<Version>,
    ) -> Result<SchemaView> {
        need(permit, &[Permission::Administer])?;
        check(id, &schema)?;
        again!(
            self.put_schema_once(permit, agent, id, &schema, version)
                .await
        )
    }

    async fn put_schema_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &str,
        schema: &Value,
        version: Option<Version>,
    ) -> Result<SchemaView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let after = match tx.profile_schema(agent, id).await? {
            None if matches!(version, Some(Version::Is(_))) => return Err(EngineError::NotFound),
            None => match tx.create_profile_schema(agent, id, schema, &stamp).await {
                // Somebody else made it meanwhile: look again.
                Err(store::Error::Exists) => return Err(EngineError::Busy),
                made => made?,
            },
            Some(before) => {
                let before = seen(before, version)?;
                if before.schema == *schema {
                    before
                } else {
                    match tx
                        .change_profile_schema(agent, &before, schema, &stamp)
                        .await
                    {
                        Err(store::Error::Stale) => return Err(EngineError::Busy),
                        changed => changed?,
                    }
                }
            }
        };
        withdraw(&mut tx, agent, id, Some(&after), &stamp).await?;
        tx.enqueue(agent, None, JobType::Migrate, &stamp).await?;
        tx.commit().await?;
        // Counted outside the transaction that holds the writers up.
        let mut tx = self.read(permit).await?;
        let mut views = counted(&mut tx, agent, vec![after], stamp.now).await?;
        views.pop().ok_or(EngineError::NotFound)
    }

    /// Removes a profile schema. What it had filled is proposed for retirement, and what waits to fill it waits no more.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `stale`.
    pub async fn remove_schema(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &str,
        version: Option<Version>,
    ) -> Result<()> {
        need(permit, &[Permission::Administer])?;
        again!(self.remove_schema_once(permit, agent, id, version).await)
    }

    async fn remove_schema_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &str,
        version: Option<Version>,
    ) -> Result<()> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let before = tx.profile_schema(agent, id).await?;
        let before = seen(before.ok_or(EngineError::NotFound)?, version)?;
        match tx.remove_profile_schema(agent, &before, &stamp).await {
            Err(store::Error::Stale) => return Err(EngineError::Busy),
            removed => removed?,
        }
        withdraw(&mut tx, agent, id, None, &stamp).await?;
        tx.enqueue(agent, None, JobType::Migrate, &stamp).await?;
        Ok(tx.commit().await?)
    }
}
