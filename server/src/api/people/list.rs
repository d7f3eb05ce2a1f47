//! `GET /people`

use axum::{Json, extract::State};
use engine::PersonView;

use crate::{
    api::listing::Listed,
    auth::{Caller, need::ManagePeople},
    problem::Problem,
    state::AppState,
};

/// Everybody who can sign in, was invited or was shut out.
#[utoipa::path(
    get, path = "/people", tag = "people",
    responses((status = 200, body = Listed<PersonView>))
)]
pub async fn list_people(
    caller: Caller<ManagePeople>,
    State(app): State<AppState>,
) -> Result<Json<Listed<PersonView>>, Problem> {
    Ok(Json(app.engine.people(&caller.permit).await?.into()))
}
