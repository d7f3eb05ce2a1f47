//! `POST …/memories:ingestEvents`

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use engine::{FieldError, Incoming};
use serde::Deserialize;
use serde_json::Value;

use super::{
    contents::{Contents, NAMES},
    name::Bank,
    operation::Operation,
    written::{about, always_compared, history_stays, not_kept},
};
use crate::{
    api::{
        body::Body,
        subject::{fault, field},
    },
    auth::{Caller, need::Ingest},
    compat::place::placed,
    http::idempotency::Once,
    problem::Problem,
    state::AppState,
};

/// The conversation of a stream that has no id.
const STREAM: &str = "default";

/// Events of a stream. Other fields are named in the operation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IngestPost {
    scope: Option<BTreeMap<String, String>>,
    #[serde(default, alias = "stream_id")]
    stream_id: String,
    #[serde(default, alias = "direct_contents_source")]
    direct_contents_source: Contents,
    /// When to read them is a setting of the agent; without this they are read at once.
    #[serde(alias = "generation_trigger_config")]
    generation_trigger_config: Option<Value>,
    #[serde(default, alias = "force_flush")]
    force_flush: bool,
    metadata: Option<Value>,
    #[serde(alias = "metadata_merge_strategy")]
    metadata_merge_strategy: Option<String>,
    #[serde(alias = "revision_ttl")]
    revision_ttl: Option<Value>,
    #[serde(alias = "revision_expire_time")]
    revision_expire_time: Option<Value>,
    #[serde(default, alias = "disable_memory_revisions")]
    disable_memory_revisions: bool,
    #[serde(alias = "revision_labels")]
    revision_labels: Option<Value>,
}

/// Takes events into the conversation of a stream, whose name is its id. They are read at once, or when the agent's settings say so
/// (C2, D10).
pub async fn ingest(
    caller: Caller<Ingest>,
    State(app): State<AppState>,
    bank: Bank,
    once: Once,
    body: Body<IngestPost>,
) -> Result<Response, Problem> {
    let permit = bank.permit(&caller)?;
    let mut warnings = body.ignored;
    let incoming = body.value.parse(&mut warnings).map_err(fault)?;
    let work = async {
        let accepted = app.engine.ingest(&permit, &bank.agent, incoming).await;
        let accepted = accepted.map_err(|error| placed(error, NAMES))?;
        let view = app.engine.operation(&permit, &accepted.operation).await?;
        let operation = Operation::reading(&bank, "IngestEvents", view, warnings);
        Ok(Json(operation).into_response())
    };
    once.run(&permit, &body.raw, work).await
}

impl IngestPost {
    fn parse(self, warnings: &mut Vec<String>) -> Result<Incoming, FieldError> {
        history_stays(
            self.revision_ttl.as_ref(),
            self.revision_expire_time.as_ref(),
            self.disable_memory_revisions,
        )?;
        always_compared(self.metadata_merge_strategy.as_deref(), false)?;
        let scope = about(self.scope)?;
        not_kept(
            warnings,
            &[
                ("metadata", self.metadata.is_some()),
                ("revisionLabels", self.revision_labels.is_some()),
            ],
        );
        let flush = self.force_flush || self.generation_trigger_config.is_none();
        if self.direct_contents_source.is_empty() && !self.force_flush {
            let detail =
                "events are needed, or forceFlush; when they are read is a setting of the agent";
            return Err(field("/directContentsSource/events", "required", detail));
        }
        if self.generation_trigger_config.is_some() {
            warnings.push("a setting of the agent: generationTriggerConfig".to_owned());
        }
        let id = Some(self.stream_id).filter(|id| !id.is_empty());
        Ok(Incoming {
            scope,
            conversation_id: Some(id.unwrap_or_else(|| STREAM.to_owned())),
            messages: self.direct_contents_source.messages()?,
            time_zone: None,
            end: false,
            flush,
        })
    }
}
