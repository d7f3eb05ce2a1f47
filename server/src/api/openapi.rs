//! The OpenAPI 3.1 document: put together from the handlers, then given what holds for all of them.

use std::sync::Arc;

use axum::{
    Router,
    http::header,
    response::{IntoResponse, Response},
};
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref, RefOr,
    ResponseBuilder,
    schema::Schema,
    security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    tag::TagBuilder,
};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;

use super::guard::SCHEME;
use crate::{problem::ProblemDocument, state::AppState};

const TAGS: &[(&str, &str)] = &[
    ("conversations", "What agents send."),
    ("operations", "What came of it."),
    ("context", "What agents are told."),
    ("candidates", "The queue, and decisions."),
    ("bulks", "Decisions by the hundred."),
    ("memories", "What is approved, and its history."),
    ("users", "The people agents talk to."),
    ("joins", "Ids that are one person."),
    ("holds", "What may neither be erased nor removed."),
    ("agents", "Assistants whose memory is governed."),
    ("keys", "Who may call."),
    (
        "webhooks",
        "Who is told what happened, at an address of theirs.",
    ),
    ("people", "Who may sign in, and what they may do."),
    ("audit", "The chain of everything that happened."),
    (
        "exports",
        "What an auditor takes away, to be read and verified without Keepsake.",
    ),
    (
        "imports",
        "Memories from elsewhere, which wait for a person like all others.",
    ),
    (
        "requests",
        "People who ask for what is kept of them, or to be erased.",
    ),
];

const INTRODUCTION: &str = "Keepsake decides what AI agents may remember about people. Agents send conversations; proposed \
memories wait for a person; only approved ones come back. Every call needs a key: `Authorization: Bearer keep_live_…`. A key names \
one agent; a person's key can name all (`*`, then `?agent=` where one is needed). Errors are problem documents (RFC 9457) with a \
`code`. Lists are `{data, next}`. `ETag` and `If-Match` carry versions; `Idempotency-Key` makes a POST harmless to repeat.";

/// Splits the routes from their description, and completes the description.
pub fn describe(routes: OpenApiRouter<AppState>) -> (Router<AppState>, OpenApi) {
    let (router, gathered) = routes.split_for_parts();
    let mut components = gathered.components.unwrap_or_else(Components::new);
    components.add_security_scheme(
        SCHEME,
        SecurityScheme::Http(
            HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .bearer_format("keep_live_…")
                .build(),
        ),
    );
    let mut schemas: Vec<(String, RefOr<Schema>)> = vec![(
        ProblemDocument::name().into_owned(),
        ProblemDocument::schema(),
    )];
    ProblemDocument::schemas(&mut schemas);
    components.schemas.extend(schemas);
    let mut paths = utoipa::openapi::Paths::new();
    for (path, mut item) in gathered.paths.paths {
        let operations = [
            &mut item.get,
            &mut item.post,
            &mut item.patch,
            &mut item.put,
            &mut item.delete,
        ];
        for operation in operations.into_iter().flatten() {
            let problem = ContentBuilder::new()
                .schema(Some(Ref::from_schema_name(ProblemDocument::name())))
                .build();
            let refused = ResponseBuilder::new()
                .description("A problem document")
                .content("application/problem+json", problem)
                .build();
            let answers = &mut operation.responses.responses;
            answers.insert("default".to_owned(), RefOr::T(refused));
        }
        paths.paths.insert(format!("/api/v1{path}"), item);
    }
    let info = InfoBuilder::new()
        .title("Keepsake")
        .version("1")
        .description(Some(INTRODUCTION))
        .license(Some(
            LicenseBuilder::new()
                .name("Apache-2.0")
                .identifier(Some("Apache-2.0"))
                .build(),
        ))
        .build();
    let tags = TAGS.iter().map(|(name, description)| {
        TagBuilder::new()
            .name(*name)
            .description(Some(*description))
            .build()
    });
    let document = OpenApiBuilder::new()
        .info(info)
        .paths(paths)
        .components(Some(components))
        .tags(Some(tags.collect::<Vec<_>>()))
        .build();
    (router, document)
}

/// The document, written once.
#[derive(Clone)]
pub struct Served(Arc<str>);

impl Served {
    pub fn new(document: &OpenApi) -> Self {
        Self(document.to_json().expect("a document is JSON").into())
    }
}

impl IntoResponse for Served {
    fn into_response(self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, "application/json"),
            (header::CACHE_CONTROL, "no-cache"),
        ];
        (headers, self.0.to_string()).into_response()
    }
}
