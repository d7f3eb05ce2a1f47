//! `GET /bulks/{id}`

use axum::{Json, extract::State};
use domain::id::BulkId;
use engine::{BulkItemView, BulkView, Listing};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    api::{
        listing::{Listed, page},
        path::Named,
        query::Query,
    },
    auth::{Caller, need::Decide},
    problem::Problem,
    state::AppState,
};

/// Which of its candidates are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Which {
    /// Those that were refused.
    #[default]
    Failed,
    /// Of an undo: those that sessions had been told of.
    Served,
}

/// What is listed of it.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ItemsQuery {
    /// `failed`, or of an undo `served`; left out: `failed`.
    #[param(inline)]
    items: Option<Which>,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// A bulk, and those of its candidates that are worth a look.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkDetail {
    #[serde(flatten)]
    bulk: BulkView,
    /// Those that were refused, or that sessions had been told of.
    items: Listed<BulkItemView>,
}

/// How far a bulk is, what it could not do and why.
#[utoipa::path(
    get, path = "/bulks/{id}", tag = "bulks", params(("id" = BulkId, Path), ItemsQuery),
    responses((status = 200, body = BulkDetail))
)]
pub async fn get_bulk(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Named(id): Named<BulkId>,
    Query(asked): Query<ItemsQuery>,
) -> Result<Json<BulkDetail>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let listing = match asked.items.unwrap_or_default() {
        Which::Failed => Listing::Failed,
        Which::Served => Listing::Told,
    };
    let bulk = app.engine.bulk(&caller.permit, &id).await?;
    let items = app
        .engine
        .bulk_items(&caller.permit, &id, listing, &page)
        .await?;
    Ok(Json(BulkDetail {
        bulk,
        items: items.into(),
    }))
}
