//! The REST API, `/api/v1`: one folder a resource, one file a verb.
//!
//! A handler takes a [`Caller`](crate::auth::Caller) first, parses once into types that cannot be wrong, makes one call to the
//! engine, and answers. The OpenAPI document is put together from the handlers themselves.

mod agents;
mod audit;
pub(crate) mod body;
mod bulks;
pub(crate) mod candidates;
mod conditional;
pub(crate) mod context;
mod conversations;
mod docs;
mod exports;
mod figures;
pub(crate) mod guard;
mod holds;
mod imports;
mod joins;
mod keys;
pub(crate) mod listing;
pub(crate) mod memories;
mod openapi;
mod operations;
pub(crate) mod path;
mod people;
pub(crate) mod query;
mod requests;
mod sentence;
pub(crate) mod subject;
mod users;
mod views;
mod webhooks;

use axum::{Router, middleware, routing::get};
use utoipa_axum::router::OpenApiRouter;

use crate::{auth, http::request, problem::Problem, state::AppState};

/// `/api/…` and `/problems/…`.
pub fn router(app: &AppState) -> Router<AppState> {
    let (v1, document) = openapi::describe(routes());
    let v1 = v1
        .fallback(|| async { Problem::not_found() })
        .layer(middleware::from_fn(request::to_its_end))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            auth::authenticate,
        ))
        .layer(middleware::from_fn(request::only_problems));
    let page = docs::Page::new(&document);
    let document = openapi::Served::new(&document);
    Router::new()
        .nest("/api/v1", v1)
        .route("/api/openapi.json", get(move || async move { document }))
        .route("/api/docs", get(move || async move { page }))
        .route("/problems/{code}", get(docs::problem))
        .route(
            "/api",
            get(|| async { axum::response::Redirect::to("/api/docs") }),
        )
}

/// The OpenAPI document, as `/api/openapi.json` has it.
pub fn document() -> utoipa::openapi::OpenApi {
    openapi::describe(routes()).1
}

fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .merge(conversations::routes())
        .merge(operations::routes())
        .merge(context::routes())
        .merge(candidates::routes())
        .merge(views::routes())
        .merge(bulks::routes())
        .merge(memories::routes())
        .merge(users::routes())
        .merge(joins::routes())
        .merge(holds::routes())
        .merge(agents::routes())
        .merge(keys::routes())
        .merge(webhooks::routes())
        .merge(people::routes())
        .merge(figures::routes())
        .merge(audit::routes())
        .merge(exports::routes())
        .merge(imports::routes())
        .merge(requests::routes())
}
