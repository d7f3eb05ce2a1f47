//! Errors as pages of the dashboard, in the reader's language.

use app::pages::error::{Failure, error};
use axum::{
    extract::{FromRequestParts, Request, State},
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::permission::Permission;

use super::look::Look;
use crate::{auth::Visitor, http::request::current_id, page_error::Refused, state::AppState};

/// Draws the page of what was refused. The error itself knows neither reader nor language, so it only leaves its status.
pub async fn dress(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let mut asked = parts.clone();
    let response = next.run(Request::from_parts(parts, body)).await;
    let Some(Refused { status, lacks }) = response.extensions().get::<Refused>().copied() else {
        return response;
    };
    let look = Look::from_request_parts(&mut asked, &app).await;
    let visitor = Visitor::from_request_parts(&mut asked, &app).await;
    match (look, visitor) {
        (Ok(look), Ok(visitor)) => {
            let frame = look.open_frame(&visitor);
            let failure = failure(&look, &visitor, status, lacks).await;
            look.draw_with(status, move || error(&frame, &failure))
                .await
                .into_response()
        }
        _ => response,
    }
}

/// What the page says: to who is signed in also which role is missing, and who can give it.
async fn failure(
    look: &Look,
    visitor: &Visitor,
    status: StatusCode,
    lacks: Option<Permission>,
) -> Failure {
    let lacks = lacks.filter(|_| visitor.person.is_some());
    let roles = lacks.into_iter().flat_map(Permission::roles).collect();
    let ask = match lacks {
        // A page about a refusal is drawn without the names, too.
        Some(_) => look.engine().administrators().await.unwrap_or_default(),
        None => Vec::new(),
    };
    Failure {
        status: status.as_u16(),
        request: current_id(),
        roles,
        ask,
    }
}
