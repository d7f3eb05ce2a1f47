//! `/live`.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName},
    response::{
        IntoResponse, Response,
        sse::{KeepAlive, Sse},
    },
};

use crate::{
    auth::Listener,
    live::{Line, PING},
    page_error::PageError,
    state::AppState,
};

/// The stream of what happens to candidates.
pub async fn show(
    listener: Listener,
    State(app): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let last = headers.get("last-event-id");
    let last = last.and_then(|id| id.to_str().ok()?.parse().ok());
    let line = Line::open(
        app.engine.clone(),
        &listener.permit,
        listener.session,
        last,
        app.stopped(),
    )
    .await?;
    let stream = Sse::new(line.events()).keep_alive(KeepAlive::new().interval(PING).text("ping"));
    // A proxy that waits for the end of an answer would wait for ever.
    let header = (HeaderName::from_static("x-accel-buffering"), "no");
    Ok(([header], stream).into_response())
}
