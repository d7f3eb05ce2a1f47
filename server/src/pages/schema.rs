//! `/agents/{name}/schemas/{id}`, `/agents/{name}/schemas/new`, and the forms that change a profile schema.

use app::{
    pages::schema::{Page, Row, Stored, schema},
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{agent::AgentName, permission::Permission, profile};
use engine::{EngineError, FieldView, SchemaView};
use serde::Deserialize;
use serde_json::Value;

use super::{
    form::{id, typed_of, version},
    look::Look,
    source::{Refusal, faults_of, read, refused, written},
};
use crate::{
    auth::{Admin, Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// What the form of a new schema begins with: two fields that show what a schema can say.
const BEGINNING: &str = r#"{
  "type": "object",
  "properties": {
    "technical_stack": {
      "type": "string",
      "description": "Languages, frameworks and tools the user works with"
    },
    "job_status": {
      "type": "string",
      "enum": ["student", "employed", "looking for work"],
      "description": "What the user does for a living",
      "x-ttl-days": 365
    }
  }
}"#;

/// The form of a new schema.
pub async fn new(
    admin: Admin,
    look: Look,
    Path(agent): Path<String>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    look.engine()
        .agent(&admin.ask(Permission::ReadAgents)?, &agent)
        .await?;
    draw(&look, &admin, &agent, None, true).await
}

/// One schema.
pub async fn show(
    signed: Signed<need::ReadAgents>,
    look: Look,
    Path((agent, schema)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let stored = look
        .engine()
        .schema(&signed.permit, &agent, &schema)
        .await?;
    let administers = signed.may(Permission::Administer);
    draw(&look, &signed, &agent, Some(stored), administers).await
}

async fn draw<P: crate::auth::Need>(
    look: &Look,
    signed: &Signed<P>,
    agent: &AgentName,
    found: Option<SchemaView>,
    may_change: bool,
) -> Result<Response, PageError> {
    let frame = look.frame(signed, Place::Agents).await?;
    let flash = look.flash.as_ref();
    let source = found
        .as_ref()
        .map_or_else(|| BEGINNING.to_owned(), |view| written(&view.schema));
    let page = Page {
        agent: agent.to_string(),
        stored: found.map(stored),
        source,
        may_change,
        faults: faults_of(flash),
        typed: typed_of(flash),
    };
    look.draw(move || schema(&frame, &page)).await
}

fn stored(view: SchemaView) -> Stored {
    Stored {
        id: view.id,
        version: view.version,
        fields: view.fields.into_iter().map(row).collect(),
        misfits: view.misfits,
        updated_at: view.updated_at,
    }
}

fn row(field: FieldView) -> Row {
    let words = |values: Vec<Value>| values.iter().map(profile::words).collect();
    Row {
        name: field.name,
        description: field.description,
        values: field.values.map(words),
        joins: field.joins,
        ttl_days: field.ttl_days,
    }
}

/// What the forms send.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Written {
    version: i64,
    id: String,
    schema: String,
}

impl Written {
    fn read(&self) -> Result<Value, Refusal> {
        let wanted = || EngineError::invalid("/schema", "required", "a JSON Schema");
        Ok(read(&self.schema)?.ok_or_else(wanted)?)
    }

    fn typed(&self) -> [(&'static str, &str); 2] {
        [("id", &self.id), ("schema", &self.schema)]
    }
}

/// Makes a schema.
pub async fn create(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(agent): Path<String>,
    Form(form): Form<Written>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let made: Result<SchemaView, Refusal> = async {
        let schema = form.read()?;
        let id = form.id.trim();
        Ok(app
            .engine
            .create_schema(&admin.permit, &agent, id, schema)
            .await?)
    }
    .await;
    match made {
        Ok(view) => {
            let here = format!("/agents/{agent}/schemas/{}", view.id);
            flashes.see_other(&here, Flash::new("saved")).await
        }
        Err(Refusal::Engine(EngineError::NameTaken)) => {
            let taken = EngineError::invalid("/id", "exists", "there is one of this id");
            let flash = refused(taken.into(), "schema", &form.typed())?;
            flashes
                .see_other(&format!("/agents/{agent}/schemas/new"), flash)
                .await
        }
        Err(refusal) => {
            let flash = refused(refusal, "schema", &form.typed())?;
            flashes
                .see_other(&format!("/agents/{agent}/schemas/new"), flash)
                .await
        }
    }
}

/// Puts what was typed in its place.
pub async fn change(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path((agent, schema)): Path<(String, String)>,
    Form(form): Form<Written>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let saved: Result<SchemaView, Refusal> = async {
        let value = form.read()?;
        let seen = Some(version(form.version));
        let saved = app
            .engine
            .put_schema(&admin.permit, &agent, &schema, value, seen);
        Ok(saved.await?)
    }
    .await;
    let flash = match saved {
        Ok(_) => Flash::new("saved"),
        Err(refusal) => refused(refusal, "schema", &[("schema", &form.schema)])?,
    };
    flashes
        .see_other(&format!("/agents/{agent}/schemas/{schema}"), flash)
        .await
}

/// Removes a schema.
pub async fn remove(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path((agent, schema)): Path<(String, String)>,
    Form(form): Form<Written>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let seen = Some(version(form.version));
    match app
        .engine
        .remove_schema(&admin.permit, &agent, &schema, seen)
        .await
    {
        Ok(()) => {
            let flash = Flash::new("schema_removed").with("what", &schema);
            flashes
                .see_other(&format!("/agents/{agent}#schemas"), flash)
                .await
        }
        Err(error @ EngineError::Stale { .. }) => {
            let here = format!("/agents/{agent}/schemas/{schema}");
            flashes.see_other(&here, Flash::new(error.code())).await
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // D1
    #[test]
    fn what_a_new_schema_begins_with_is_one() {
        let schema: Value = serde_json::from_str(BEGINNING).unwrap();
        assert_eq!(profile::check(&schema), []);
    }
}
