//! `GET /quality`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::Quality;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::query::Query,
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// Of which agent, over how many days.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct QualityQuery {
    /// Of this agent; left out: of all that the key reaches.
    agent: Option<AgentName>,
    /// The last days, 1 to 90; left out: 30.
    days: Option<i64>,
}

/// What people made of what was proposed, how fast they decide, and which answers could not be read. Counted is what people decided and
/// what still stands.
#[utoipa::path(get, path = "/quality", tag = "agents", params(QualityQuery), responses((status = 200, body = Quality)))]
pub async fn get_quality(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Query(asked): Query<QualityQuery>,
) -> Result<Json<Quality>, Problem> {
    let days = asked.days.unwrap_or(30);
    let figures = app
        .engine
        .quality(&caller.permit, asked.agent.as_ref(), days)
        .await?;
    Ok(Json(figures))
}
