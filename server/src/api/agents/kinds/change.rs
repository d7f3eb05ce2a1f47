//! `PATCH /agents/{name}/kinds/{kind}`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::{KindPatch, KindView};

use crate::{
    api::{body::Body, path::Within},
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Changes a kind; what is left out stays. After another metadata schema the answer counts the approved memories that no longer fit,
/// and what has to change is proposed in the queue.
#[utoipa::path(
    patch, path = "/agents/{name}/kinds/{kind}", tag = "agents", params(("name" = AgentName, Path), ("kind" = String, Path)),
    request_body = KindPatch, responses((status = 200, body = KindView))
)]
pub async fn change_kind(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Within(agent, kind): Within<AgentName, String>,
    body: Body<KindPatch>,
) -> Result<Json<KindView>, Problem> {
    let changed = app
        .engine
        .change_kind(&caller.permit, &agent, &kind, body.value)
        .await?;
    Ok(Json(changed))
}
