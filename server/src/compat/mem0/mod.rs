//! mem0, at `/compat/mem0`: what its platform's `MemoryClient` calls (`/v1/…` to `/v3/…`) and what its self-hosted server answers
//! (`/memories`, `/search`). Both speak of the same things, so each pair of paths is one handler.
//!
//! An error keeps the words of our problem document, whose `detail` is where both kinds of clients look for a sentence.

mod add;
mod delete;
mod entities;
mod event;
mod filter;
mod history;
mod list;
mod outcome;
mod page;
mod ping;
mod search;
mod show;
mod subject;
mod truth;
mod update;
mod view;

use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::{self, Next},
    response::Response,
};

use super::{Route, table::Table, way_in};
use crate::state::AppState;

const PREFIX: &str = "/compat/mem0";
const NOT_OFFERED: &str = "Keepsake does not offer this call of mem0; docs/COMPAT.md lists those it does, and what to call instead.";

/// Every call, a line each: the paths of the platform first, then that of the self-hosted server.
fn table() -> Table {
    Table::under(PREFIX)
        .on(Method::GET, &["/v1/ping/"], ping::show)
        .on(
            Method::POST,
            &["/v3/memories/add/", "/v1/memories/", "/memories"],
            add::add,
        )
        .on(Method::GET, &["/v1/event/{id}/"], event::show)
        .on(
            Method::POST,
            &["/v3/memories/", "/v2/memories/"],
            list::filtered,
        )
        .on(Method::GET, &["/v1/memories/", "/memories"], list::named)
        .on(
            Method::POST,
            &[
                "/v3/memories/search/",
                "/v2/memories/search/",
                "/v1/memories/search/",
                "/search",
            ],
            search::search,
        )
        .on(
            Method::GET,
            &["/v1/memories/{id}/", "/memories/{id}"],
            show::show,
        )
        .on(
            Method::PUT,
            &["/v1/memories/{id}/", "/memories/{id}"],
            update::update,
        )
        .on(
            Method::DELETE,
            &["/v1/memories/{id}/", "/memories/{id}"],
            delete::one,
        )
        .on(Method::DELETE, &["/v1/memories/", "/memories"], delete::all)
        .on(
            Method::GET,
            &["/v1/memories/{id}/history/", "/memories/{id}/history"],
            history::list,
        )
        .on(Method::GET, &["/v1/entities/"], entities::list)
}

pub fn routes() -> Vec<Route> {
    table().routes()
}

pub fn router(app: &AppState) -> Router<AppState> {
    let calls = way_in::of_callers(table().router(), app, key, NOT_OFFERED)
        .layer(middleware::from_fn(errors_of_mem0));
    Router::new().nest(PREFIX, calls)
}

/// The platform's clients send `Authorization: Token …`, those of the self-hosted server `X-API-Key`.
fn key(headers: &HeaderMap) -> Option<&str> {
    match headers.get(header::AUTHORIZATION) {
        Some(value) => {
            let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
            scheme.eq_ignore_ascii_case("token").then_some(key)
        }
        None => headers.get("x-api-key")?.to_str().ok(),
    }
}

/// The clients read an error only where it calls itself plain JSON.
async fn errors_of_mem0(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if let Some(kind) = response.headers_mut().get_mut(header::CONTENT_TYPE)
        && *kind == "application/problem+json"
    {
        *kind = HeaderValue::from_static("application/json");
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&'static str, &'static str)]) -> Option<String> {
        let headers = pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        key(&headers).map(str::to_owned)
    }

    #[test]
    fn each_client_sends_its_key_its_own_way() {
        assert_eq!(read(&[("authorization", "Token k1")]).unwrap(), "k1");
        assert_eq!(read(&[("x-api-key", "k2")]).unwrap(), "k2");
        let both = [("authorization", "token k1"), ("x-api-key", "k2")];
        assert_eq!(read(&both).unwrap(), "k1");
        // Left as it is: what no key is, is told further in.
        for other in [
            &[("authorization", "Bearer k1")][..],
            &[("authorization", "k1")],
            &[],
        ] {
            assert_eq!(read(other), None, "{other:?}");
        }
    }
}
