//! The description of the API: complete, of version 3.1, and true.

use std::{collections::BTreeSet, fs, path::PathBuf};

use domain::permission::RoleName;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::house::story;
use store::testing::TestDb;

fn document() -> Value {
    serde_json::to_value(server::api::document()).unwrap()
}

#[test]
fn the_document_is_what_it_was() {
    insta::assert_json_snapshot!("openapi", document());
}

// E3
#[test]
fn the_document_is_openapi_3_1_and_every_reference_leads_somewhere() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let text = document.to_string();
    assert!(!text.contains("nullable"));
    let mut at = 0;
    while let Some(found) = text[at..].find("\"#/") {
        let rest = &text[at + found + 2..];
        let pointer = &rest[..rest.find('"').unwrap()];
        assert!(document.pointer(pointer).is_some(), "{pointer}");
        at += found + 3;
    }
}

/// Every call with its method, its id and its description.
fn calls() -> Vec<(String, String, Value)> {
    let mut calls = Vec::new();
    for item in document()["paths"].as_object().unwrap().values() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap().to_owned();
            calls.push((method.clone(), id, operation.clone()));
        }
    }
    calls
}

fn takes(operation: &Value, header: &str) -> Option<bool> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let mut headers = parameters.filter(|one| one["in"] == "header" && one["name"] == header);
    headers.next().map(|one| one["required"] == true)
}

/// Calls whose answer holds a secret that is shown once: they refuse an `Idempotency-Key`.
const SECRETS: [&str; 4] = [
    "create_key",
    "create_webhook",
    "invite_person",
    "rotate_webhook",
];

/// Calls that may be repeated as they are.
const READS: [&str; 3] = ["ask_context", "report_feedback", "search_memories"];

// E2
#[test]
fn every_post_is_done_once_under_a_key_or_says_why_not() {
    let posts = calls().into_iter().filter(|(method, ..)| method == "post");
    let without: BTreeSet<String> = posts
        .filter(|(_, _, operation)| takes(operation, "Idempotency-Key").is_none())
        .map(|(_, id, _)| id)
        .collect();
    let known: BTreeSet<String> = SECRETS
        .iter()
        .chain(&READS)
        .map(|&id| id.to_owned())
        .collect();
    assert_eq!(
        without, known,
        "a POST takes an Idempotency-Key, or is one of these for its reason"
    );
}

// E2, E3
#[test]
fn every_answer_says_which_headers_it_has_and_how_a_call_is_refused() {
    for (_, id, operation) in calls() {
        let answers = operation["responses"].as_object().unwrap();
        let must_match = takes(&operation, "If-Match") == Some(true);
        assert_eq!(answers.contains_key("428"), must_match, "{id}");
        assert!(
            answers.contains_key("429") && answers.contains_key("default"),
            "{id}"
        );
        let once = takes(&operation, "Idempotency-Key").is_some();
        for (status, answer) in answers {
            let has = |header: &str| answer["headers"].get(header).is_some();
            assert!(has("RateLimit") && has("RateLimit-Policy"), "{id} {status}");
            assert_eq!(has("Retry-After"), status == "429", "{id} {status}");
            assert_eq!(
                has("Idempotency-Replayed"),
                once && status.starts_with('2'),
                "{id} {status}"
            );
            let refused = !status.starts_with(['2', '3']);
            let problem = answer["content"].get("application/problem+json").is_some();
            assert_eq!(problem, refused, "{id} {status}");
        }
    }
}

/// Each `METHOD /api/v1/…` of a text, with the parameters of its path in braces.
fn named_calls(text: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (at, path) in text.match_indices("/api/v1/") {
        let before = text[..at].trim_end();
        let method: String = before
            .chars()
            .rev()
            .take_while(char::is_ascii_uppercase)
            .collect();
        let method: String = method.chars().rev().collect();
        if !matches!(method.as_str(), "GET" | "POST" | "PATCH" | "PUT" | "DELETE") {
            continue;
        }
        let ends = |letter: char| !(letter.is_ascii_alphanumeric() || "/{}_-".contains(letter));
        let rest = &text[at..];
        let end = path.len()
            + rest[path.len()..]
                .find(ends)
                .unwrap_or(rest.len() - path.len());
        found.insert((
            method.to_lowercase(),
            rest[..end].trim_end_matches('/').to_owned(),
        ));
    }
    found
}

/// Whether a path of a text is this one of the document: a parameter may be called otherwise, or filled in.
fn is_path(written: &str, described: &str) -> bool {
    let (written, described) = (written.split('/'), described.split('/'));
    written.clone().count() == described.clone().count()
        && written
            .zip(described)
            .all(|(one, other)| one == other || other.starts_with('{'))
}

// E3
#[test]
fn every_call_that_the_documentation_names_is_there() {
    let document = document();
    let described = document["paths"].as_object().unwrap();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let pages = docs
        .map(|entry| entry.unwrap().path())
        .chain([root.join("README.md")]);
    let mut named = 0;
    for page in pages.filter(|page| page.extension().is_some_and(|kind| kind == "md")) {
        for (method, path) in named_calls(&fs::read_to_string(&page).unwrap()) {
            let there = described
                .iter()
                .any(|(other, item)| is_path(&path, other) && item.get(&method).is_some());
            assert!(there, "{}: {method} {path}", page.display());
            named += 1;
        }
    }
    assert!(named >= 10, "{named}");
    assert!(!is_path("/api/v1/users/{id}", "/api/v1/users"));
    let text = "`DELETE /api/v1/users/{id}`, GET  /api/v1/keys. See /api/v1/agents";
    let found = named_calls(text).into_iter().collect::<Vec<_>>();
    let expected = [("delete", "/api/v1/users/{id}"), ("get", "/api/v1/keys")];
    assert_eq!(
        found,
        expected.map(|(method, path)| (method.to_owned(), path.to_owned()))
    );
}

story! {
    // E2
    async fn what_shows_a_secret_refuses_a_key_under_which_it_would_have_to_be_kept(house: &House) {
        house.agent("support").await;
        let ada = house.person("Ada", RoleName::Admin).await;
        let ada = house.person_key(&ada).await;
        let hook = json!({"agent": "support", "url": "https://runtime.invalid/hook", "events": ["memory.recalled"]});
        let made = ada.post("/webhooks", hook.clone()).await.ok(StatusCode::CREATED);
        let rotate = format!("/webhooks/{}/rotate", made["webhook"]["id"].as_str().unwrap());
        let calls = [
            ("/keys".to_owned(), json!({"agent": "support"})),
            ("/webhooks".to_owned(), hook),
            ("/people".to_owned(), json!({"name": "Bo", "email": "bo@example.com", "roles": []})),
            (rotate, json!({})),
        ];
        assert_eq!(calls.len(), SECRETS.len());
        for (path, body) in calls {
            let refused = ada.call(Method::POST, &path, &[("idempotency-key", "k1")], Some(body)).await;
            assert_eq!(refused.problem(400), "idempotency_not_kept", "{path}");
        }
        for (path, there) in [("/keys", 1), ("/webhooks", 1), ("/people", 1)] {
            let list = ada.get(path).await.ok(StatusCode::OK);
            assert_eq!(list["data"].as_array().unwrap().len(), there, "nothing was made: {list}");
        }
        let webhook = ada.get("/webhooks").await.ok(StatusCode::OK)["data"][0].clone();
        assert_eq!(webhook["overlaps_until"], Value::Null, "nor was its secret turned");
    }
}

story! {
    // E3
    async fn the_document_and_its_page_are_served_and_load_nothing_from_outside(house: &House) {
        let served = house.http.get(format!("{}/api/openapi.json", house.url)).send().await.unwrap();
        assert_eq!(served.json::<Value>().await.unwrap(), document());
        let page = house.http.get(format!("{}/api/docs", house.url)).send().await.unwrap();
        assert_eq!(page.headers()["content-security-policy"], "default-src 'none'; style-src 'self'; frame-ancestors 'none'");
        let html = page.text().await.unwrap();
        for path in document()["paths"].as_object().unwrap().keys() {
            assert!(html.contains(path.as_str()), "{path}");
        }
        assert!(!html.contains("http://") && !html.contains("https://"), "the page stands alone");
        let attribute = |name: &str| -> BTreeSet<String> {
            html.split(name).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
        };
        let nowhere: Vec<String> = attribute("href=\"#").difference(&attribute(" id=\"")).cloned().collect();
        assert_eq!(nowhere, [""; 0], "every link within the page leads somewhere");
        let called: usize = document()["paths"].as_object().unwrap().values().map(|item| item.as_object().unwrap().len()).sum();
        assert_eq!(html.matches("<pre><code>curl ").count(), called, "every call has a line for a shell");
        assert!(html.contains("curl &#34;$KEEPSAKE_URL/api/v1/conversations&#34;"), "{html}");
        let problem = house.http.get(format!("{}/problems/already-decided", house.url)).send().await.unwrap();
        assert_eq!((problem.status().as_u16(), problem.headers()["location"].to_str().unwrap()), (303, "/api/docs#already-decided"));
    }
}
