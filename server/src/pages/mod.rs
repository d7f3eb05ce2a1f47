//! The dashboard: one file a page. A handler names its permission in its signature, calls the engine, and draws a page of `app`
//! or answers 303 to the next one; what it has to say there travels as a flash.

mod agent;
mod agents;
mod by;
mod candidate;
mod conversation;
mod error;
mod form;
mod help;
mod kind;
mod language;
mod look;
mod memories;
mod memory;
mod metadata;
mod notice;
mod overview;
mod review;
mod schema;
mod setup;
mod sign_in;
mod source;
mod transcript;
mod user;
mod users;

use axum::{
    Router,
    routing::{get, post},
};

pub use error::dress;

use crate::state::AppState;

/// Every page and form.
pub fn router() -> Router<AppState> {
    Router::new()
        .route("/", get(overview::show))
        .route("/setup", get(setup::show).post(setup::submit))
        .route("/login", get(sign_in::show).post(sign_in::submit))
        .route("/logout", post(sign_in::leave))
        .route("/language", post(language::choose))
        .route("/help", get(help::show))
        .route("/review", get(review::show))
        .route("/candidates/{id}", get(candidate::show))
        .route("/candidates/{id}/approve", post(candidate::approve))
        .route("/candidates/{id}/reject", post(candidate::reject))
        .route("/candidates/{id}/reopen", post(candidate::reopen))
        .route("/users", get(users::show))
        .route("/users/{id}", get(user::show))
        .route("/users/{id}/opt-out", post(user::opt_out))
        .route("/memories", get(memories::show))
        .route("/memories/{id}", get(memory::show))
        .route("/memories/{id}/edit", post(memory::edit))
        .route("/memories/{id}/expiry", post(memory::expiry))
        .route("/memories/{id}/retire", post(memory::retire))
        .route("/memories/{id}/restore", post(memory::restore))
        .route("/conversations/{id}", get(conversation::show))
        .route("/operations/{id}/retry", post(conversation::retry))
        .route("/agents", get(agents::show).post(agents::create))
        .route("/agents/{name}", get(agent::show))
        .route("/agents/{name}/settings", post(agent::change))
        .route("/agents/{name}/sets", post(agent::sets))
        .route("/agents/{name}/policies", post(agent::switch_on))
        .route("/agents/{name}/policies/off", post(agent::switch_off))
        .route("/agents/{name}/kinds", post(kind::create))
        .route("/agents/{name}/kinds/new", get(kind::new))
        .route(
            "/agents/{name}/kinds/{kind}",
            get(kind::show).post(kind::change),
        )
        .route("/agents/{name}/schemas", post(schema::create))
        .route("/agents/{name}/schemas/new", get(schema::new))
        .route(
            "/agents/{name}/schemas/{id}",
            get(schema::show).post(schema::change),
        )
        .route("/agents/{name}/schemas/{id}/remove", post(schema::remove))
        .route("/agents/{name}/keys", post(agent::create_key))
        .route("/agents/{name}/keys/{id}/revoke", post(agent::revoke_key))
}
