//! `/livez`: the process answers. `/readyz`: its database does too.

use axum::{extract::State, http::StatusCode};

use crate::state::AppState;

/// 200 as long as the process runs.
pub async fn livez() -> &'static str {
    "ok\n"
}

/// 200 when a request would be answered, else 503.
pub async fn readyz(State(app): State<AppState>) -> (StatusCode, &'static str) {
    match app.engine.ready().await {
        Ok(()) => (StatusCode::OK, "ok\n"),
        Err(error) => {
            tracing::warn!(error = ?error, "not ready");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "the database does not answer\n",
            )
        }
    }
}
