//! The OpenAPI 3.1 document: put together from the handlers, then given what holds for all of them.

use std::sync::Arc;

use axum::{
    Router,
    http::header,
    response::{IntoResponse, Response},
};
use utoipa::openapi::{
    Components, ContentBuilder, HeaderBuilder, InfoBuilder, LicenseBuilder, Object, OpenApi,
    OpenApiBuilder, Ref, RefOr, Required, Response as Described, ResponseBuilder, Type,
    path::Operation,
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
    (
        "views",
        "Filters of the queue that a person keeps under a name.",
    ),
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

/// What the headers of answers say. A handler's description only names those that it sends.
const HEADERS: &[(&str, Type, &str)] = &[
    (
        "Content-Range",
        Type::String,
        "Which bytes of the file these are, and of how many; of a part that it does not have, only of how many.",
    ),
    (
        "ETag",
        Type::String,
        "The version that is answered, for `If-Match`; of a file its SHA-256.",
    ),
    (
        "Idempotency-Replayed",
        Type::String,
        "`true` where this was answered before, to the first request with this `Idempotency-Key`; else absent.",
    ),
    (
        "Location",
        Type::String,
        "The path of what was made, or of what is being done.",
    ),
    (
        "RateLimit",
        Type::String,
        "How many requests the key may make now, and after how many seconds it may make all of them: `\"key\";r=399;t=1`.",
    ),
    (
        "RateLimit-Policy",
        Type::String,
        "How many requests a key may make at once: `\"key\";q=400`.",
    ),
    (
        "Retry-After",
        Type::Integer,
        "After how many seconds the key may make requests again.",
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
    let headers = HEADERS.iter().map(|(name, kind, says)| {
        let header = HeaderBuilder::new()
            .schema(Some(Object::with_type(kind.clone())))
            .description(Some(*says))
            .build();
        ((*name).to_owned(), RefOr::T(header))
    });
    components.headers.extend(headers);
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
            complete(operation);
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

/// Adds how every call may be refused, and the headers that its answers have without its handler's doing.
fn complete(operation: &mut Operation) {
    let parameter = |name: &str| {
        let mut parameters = operation.parameters.iter().flatten();
        parameters.find_map(|parameter| match parameter {
            RefOr::T(parameter) if parameter.name == name => {
                Some(parameter.required == Required::True)
            }
            _ => None,
        })
    };
    let once = parameter("Idempotency-Key").is_some();
    let must_match = parameter("If-Match") == Some(true);
    let answers = &mut operation.responses.responses;
    let mut refuse = |status: &str, why: &str| {
        answers.insert(status.to_owned(), RefOr::T(refusal(why)));
    };
    if must_match {
        refuse("428", "Without `If-Match`");
    }
    refuse("429", "Too many requests with this key");
    refuse("default", "A problem document");
    for (status, answer) in answers {
        let RefOr::T(answer) = answer else { continue };
        if status.starts_with('4') && answer.content.is_empty() {
            answer.content = refusal("").content;
        }
        let mut headers: Vec<String> = answer.headers.keys().cloned().collect();
        headers.extend(["RateLimit", "RateLimit-Policy"].map(str::to_owned));
        headers.extend((status == "429").then(|| "Retry-After".to_owned()));
        headers
            .extend((once && status.starts_with('2')).then(|| "Idempotency-Replayed".to_owned()));
        let headers = headers.into_iter().map(|name| {
            let described = Ref::new(format!("#/components/headers/{name}"));
            (name, RefOr::Ref(described))
        });
        answer.headers = headers.collect();
    }
}

fn refusal(why: &str) -> Described {
    let problem = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(ProblemDocument::name())))
        .build();
    ResponseBuilder::new()
        .description(why)
        .content("application/problem+json", problem)
        .build()
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
