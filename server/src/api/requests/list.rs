//! `GET /requests`

use axum::{Json, extract::State};
use engine::RequestView;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
    },
    auth::{Caller, need::Export},
    problem::Problem,
    state::AppState,
};

/// A page of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RequestsQuery {
    /// Only those that wait for an answer.
    #[serde(default)]
    open: bool,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// The requests of people, newest first.
#[utoipa::path(
    get, path = "/requests", tag = "requests", params(RequestsQuery),
    responses((status = 200, body = Listed<RequestView>))
)]
pub async fn list_requests(
    caller: Caller<Export>,
    State(app): State<AppState>,
    Query(asked): Query<RequestsQuery>,
) -> Result<Json<Listed<RequestView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let list = app
        .engine
        .requests(&caller.permit, asked.open, &page)
        .await?;
    Ok(Json(list.into()))
}
