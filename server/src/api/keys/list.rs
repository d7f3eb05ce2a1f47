//! `GET /keys`

use axum::{Json, extract::State};
use engine::KeyView;

use crate::{
    api::{
        listing::Listed,
        query::{AgentQuery, Query},
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// The keys, without the keys themselves.
#[utoipa::path(
    get, path = "/keys", tag = "keys", params(AgentQuery),
    responses((status = 200, body = Listed<KeyView>))
)]
pub async fn list_keys(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Query(asked): Query<AgentQuery>,
) -> Result<Json<Listed<KeyView>>, Problem> {
    let keys = app
        .engine
        .keys(&caller.permit, asked.agent.as_ref())
        .await?;
    Ok(Json(keys.into()))
}
