//! `GET /agents/{name}/dry-runs`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::DryRunView;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        path::Named,
        query::Query,
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// A page of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DryRunsQuery {
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// The dry runs of an agent, newest first. What came of one goes thirty days after its end.
#[utoipa::path(
    get, path = "/agents/{name}/dry-runs", tag = "agents", params(("name" = AgentName, Path), DryRunsQuery),
    responses((status = 200, body = Listed<DryRunView>))
)]
pub async fn list_dry_runs(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(agent): Named<AgentName>,
    Query(asked): Query<DryRunsQuery>,
) -> Result<Json<Listed<DryRunView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let runs = app.engine.dry_runs(&caller.permit, &agent, &page).await?;
    Ok(Json(runs.into()))
}
