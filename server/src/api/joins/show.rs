//! `GET /joins/{id}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::id::JoinId;
use engine::JoinView;

use crate::{
    api::{conditional::versioned, path::Named},
    auth::{Caller, need::ReadUsers},
    problem::Problem,
    state::AppState,
};

/// One of them, with the reasons that were given.
#[utoipa::path(
    get, path = "/joins/{id}", tag = "joins", params(("id" = JoinId, Path)),
    responses((status = 200, body = JoinView, headers(("ETag"))))
)]
pub async fn get_join(
    caller: Caller<ReadUsers>,
    State(app): State<AppState>,
    Named(id): Named<JoinId>,
) -> Result<Response, Problem> {
    let join = app.engine.join_view(&caller.permit, &id).await?;
    Ok(versioned(StatusCode::OK, join.version, &join))
}
