//! `POST /imports`

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    agent::AgentName,
    import::{ImportFormat, ImportMapping},
};
use engine::{ImportView, NewUpload};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::body::Body,
    auth::{Caller, need::Administer},
    http::{
        FILE_LIMIT,
        idempotency::{Once, OnceHeader},
    },
    problem::Problem,
    state::AppState,
};

/// A file of memories, to be looked at. Nothing of it is proposed before it is run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportPost {
    /// Into which agent; may be left out where the key names one.
    agent: Option<AgentName>,
    /// Left out: the one that the file looks like.
    format: Option<ImportFormat>,
    /// What the columns become: `user_id`, `content`, `kind`, `name`, `tags`, `importance`, `said_at`, `source_id`, `metadata.…`,
    /// `scope.…`. Left out: what their names say.
    mapping: Option<ImportMapping>,
    /// The name of the file.
    file: Option<String>,
    /// What is in it.
    content: String,
}

/// Uploads a file of memories: a table with a head, or JSON as mem0 gives it out. At most 8 MiB and 10,000 rows.
#[utoipa::path(
    post, path = "/imports", tag = "imports", params(OnceHeader), request_body = ImportPost,
    responses((status = 201, body = ImportView, headers(("Location"))))
)]
pub async fn upload_import(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    body: Body<ImportPost, FILE_LIMIT>,
) -> Result<Response, Problem> {
    let agent = caller.agent(body.value.agent.as_ref())?;
    let upload = NewUpload {
        format: body.value.format,
        file: body.value.file,
        mapping: body.value.mapping,
        content: body.value.content.into_bytes(),
    };
    let permit = &caller.permit;
    let work = async {
        let import = app.engine.upload_import(permit, &agent, upload).await?;
        let location = format!("/api/v1/imports/{}", import.id);
        let at = [(header::LOCATION, location)];
        Ok((StatusCode::CREATED, at, Json(import)).into_response())
    };
    once.run(permit, &body.raw, work).await
}
