//! A request's id, its one log line, its metrics, and the net under it: a panic becomes a 500.

use std::{
    panic::{AssertUnwindSafe, resume_unwind},
    time::Instant,
};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::Entropy;
use futures::FutureExt;
use tokio::task::JoinError;

use crate::{problem::Problem, state::AppState};

tokio::task_local! {
    static REQUEST_ID: String;
}

/// The id of the request this task answers; empty outside of one.
pub fn current_id() -> String {
    REQUEST_ID.try_with(Clone::clone).unwrap_or_default()
}

/// The id of a request, to be taken along into another task that works on it.
#[derive(Debug, Clone)]
pub struct RequestId(String);

impl RequestId {
    /// That of the request this task answers.
    pub fn current() -> Self {
        Self(current_id())
    }

    /// Does `work` under it.
    pub async fn within<F: Future>(self, work: F) -> F::Output {
        REQUEST_ID.scope(self.0, work).await
    }
}

/// Gives the request an id, runs it, and writes one line: the route's template, never the path or the query, which hold names of
/// people.
pub async fn around(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let id = new_id(app.entropy());
    let method = request.method().clone();
    let route = route(&request);
    let started = Instant::now();
    let mut response = REQUEST_ID
        .scope(id.clone(), caught(&route, next.run(request)))
        .await;
    let status = response.status().as_u16();
    let seconds = started.elapsed().as_secs_f64();
    let labels = [
        ("route", route.clone()),
        ("method", method.to_string()),
        ("status", status.to_string()),
    ];
    ::metrics::histogram!("keepsake_http_request_seconds", &labels).record(seconds);
    tracing::info!(
        request_id = id,
        %method,
        route,
        status,
        ms = (seconds * 1000.0) as u64,
        "request"
    );
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

/// The template of the route that a request takes.
pub fn route(request: &Request) -> String {
    let path = request.extensions().get::<MatchedPath>();
    path.map_or("-", MatchedPath::as_str).to_owned()
}

/// An answer, whatever becomes of its making: a panic is a 500 and a line in the log.
pub async fn caught(route: &str, answer: impl Future<Output = Response>) -> Response {
    let answer = AssertUnwindSafe(answer).catch_unwind().await;
    answer.unwrap_or_else(|_| {
        tracing::error!(request_id = current_id(), route, "a handler panicked");
        Problem::internal().into_response()
    })
}

/// Does a request that may be sent twice to its end, also where nobody waits for the answer any more: half done, its key would stay
/// taken.
pub async fn to_its_end(request: Request, next: Next) -> Response {
    if !request.headers().contains_key("idempotency-key") {
        return next.run(request).await;
    }
    let work = REQUEST_ID.scope(current_id(), next.run(request));
    match tokio::spawn(work).await.map_err(JoinError::try_into_panic) {
        Ok(response) => response,
        Err(Ok(panic)) => resume_unwind(panic),
        Err(Err(_stopped)) => Problem::internal().into_response(),
    }
}

/// Whatever a layer below answered without a problem document gets one, and keeps what its headers say: which methods there are, and
/// what is left for the key.
pub async fn only_problems(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let refused = status.is_client_error() || status.is_server_error();
    let told = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind == "application/problem+json");
    if !refused || told {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    let (problem, body) = Problem::of_status(status).into_response().into_parts();
    parts.status = problem.status;
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(problem.headers);
    Response::from_parts(parts, body)
}

fn new_id(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 12];
    entropy.fill(&mut bytes);
    format!("req_{}", domain::audit::hex(&bytes))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::{Router, body::Body, middleware, routing::post};
    use tokio::sync::Notify;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn a_request_with_a_key_is_done_to_its_end_after_its_caller_has_gone() {
        let (begun, go_on, done) = (Notify::new(), Notify::new(), Notify::new());
        let steps = Arc::new((begun, go_on, done));
        let inside = steps.clone();
        let handler = move || async move {
            inside.0.notify_one();
            inside.1.notified().await;
            inside.2.notify_one();
        };
        let app: Router = Router::new()
            .route("/", post(handler))
            .layer(middleware::from_fn(to_its_end));
        let request = Request::post("/")
            .header("idempotency-key", "k1")
            .body(Body::empty())
            .unwrap();
        let (begun, go_on, done) = (&steps.0, &steps.1, &steps.2);
        tokio::select! {
            _ = app.oneshot(request) => panic!("it waits to go on"),
            () = begun.notified() => {}
        }
        go_on.notify_one();
        tokio::time::timeout(std::time::Duration::from_secs(10), done.notified())
            .await
            .unwrap();
    }
}
