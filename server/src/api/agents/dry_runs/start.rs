//! `POST /agents/{name}/dry-runs`

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::agent::AgentName;
use engine::{DryRunEstimate, DryRunView, NewDryRun};

use crate::{
    api::{body::Body, path::Named},
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Reads the last conversations again with another extractor, or other words for it, and puts what would come of them beside what came of
/// them. Nothing is proposed. Without `confirm` only what it would be over and cost is answered.
#[utoipa::path(
    post, path = "/agents/{name}/dry-runs", tag = "agents", params(("name" = AgentName, Path), OnceHeader), request_body = NewDryRun,
    responses((status = 200, body = DryRunEstimate), (status = 202, body = DryRunView, headers(("Location"))))
)]
pub async fn start_dry_run(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(agent): Named<AgentName>,
    body: Body<NewDryRun>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let new = body.value;
    let work = async {
        if !new.confirm {
            let estimate = app.engine.estimate_dry_run(permit, &agent, &new).await?;
            return Ok(Json(estimate).into_response());
        }
        let run = app.engine.start_dry_run(permit, &agent, &new).await?;
        let location = format!("/api/v1/agents/{agent}/dry-runs/{}", run.id);
        let at = [(header::LOCATION, location)];
        Ok((StatusCode::ACCEPTED, at, Json(run)).into_response())
    };
    once.run(permit, &body.raw, work).await
}
