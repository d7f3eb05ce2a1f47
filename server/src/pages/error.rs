//! Errors as pages of the dashboard, in the reader's language.

use app::pages::error::error;
use axum::{
    extract::{FromRequestParts, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::look::Look;
use crate::{auth::Visitor, http::request::current_id, page_error::Refused, state::AppState};

/// Draws the page of what was refused. The error itself knows neither reader nor language, so it only leaves its status.
pub async fn dress(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let mut asked = parts.clone();
    let response = next.run(Request::from_parts(parts, body)).await;
    let Some(Refused(status)) = response.extensions().get::<Refused>().copied() else {
        return response;
    };
    let look = Look::from_request_parts(&mut asked, &app).await;
    let visitor = Visitor::from_request_parts(&mut asked, &app).await;
    match (look, visitor) {
        (Ok(look), Ok(visitor)) => {
            let (frame, id) = (look.open_frame(&visitor), current_id());
            look.draw_with(status, move || error(&frame, status.as_u16(), &id))
                .await
                .into_response()
        }
        _ => response,
    }
}
