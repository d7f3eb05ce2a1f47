//! `POST /exports`

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Timestamp,
    agent::AgentName,
    export::{ExportSort, ReportLanguage},
    id::UserId,
};
use engine::{ExportView, NewExport};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        subject::{fault, scope},
    },
    auth::{Caller, need::Export},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// What an export is to hold; all conditions must hold, and without any one for an auditor holds everything.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportPost {
    /// For whom it is made; left out: `audit`. A `copy` is of one person and of the whole time.
    sort: Option<ExportSort>,
    /// Of this agent; left out: of all, or of the one that the key names.
    agent: Option<AgentName>,
    /// About this user, as the agents name them.
    user_id: Option<String>,
    /// About this user, as the agents name them by pairs.
    scope: Option<BTreeMap<String, String>>,
    /// About this user, `usr_…`.
    user: Option<UserId>,
    /// What happened from then on.
    #[schema(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// What happened before then.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// What was known and served at this instant, which has passed: `as-of.ndjson`, and a section of the report. Of one user, for an
    /// auditor, and of the whole time.
    #[schema(value_type = Option<String>, format = DateTime)]
    as_of: Option<Timestamp>,
    /// Whether `events.csv` begins with a byte order mark, which some spreadsheets need.
    #[serde(default)]
    bom: bool,
    /// The language of the report; left out: `en`.
    language: Option<ReportLanguage>,
}

/// Asks for an export. It is written in the background.
#[utoipa::path(
    post, path = "/exports", tag = "exports", params(OnceHeader), request_body = ExportPost,
    responses((status = 202, body = ExportView, description = "It is written in the background", headers(("Location"))))
)]
pub async fn create_export(
    caller: Caller<Export>,
    State(app): State<AppState>,
    once: Once,
    body: Body<ExportPost>,
) -> Result<Response, Problem> {
    let new = body.value.parse()?;
    let permit = &caller.permit;
    let work = async {
        let export = app.engine.request_export(permit, new).await?;
        let location = format!("/api/v1/exports/{}", export.id);
        let headers = [(header::LOCATION, location)];
        Ok((StatusCode::ACCEPTED, headers, Json(export)).into_response())
    };
    once.run(permit, &body.raw, work).await
}

impl ExportPost {
    fn parse(self) -> Result<NewExport, Problem> {
        let named = match (self.user_id.as_deref(), self.scope) {
            (None, None) => None,
            (id, pairs) => Some(scope(id, pairs).map_err(fault)?),
        };
        Ok(NewExport {
            sort: self.sort.unwrap_or(ExportSort::Audit),
            agent: self.agent,
            user: self.user,
            named,
            from: self.from,
            to: self.to,
            as_of: self.as_of,
            bom: self.bom,
            language: self.language.unwrap_or_default(),
        })
    }
}
