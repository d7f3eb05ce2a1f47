//! Every route of the OpenAPI document with every kind of caller.

use domain::{key::KeyScope, permission::RoleName};
use reqwest::Method;
use serde_json::{Value, json};

use crate::house::{Api, story};
use store::testing::TestDb;

/// A route as the document has it.
struct Route {
    id: String,
    method: Method,
    path: String,
    scope: KeyScope,
}

fn routes() -> Vec<Route> {
    let document = serde_json::to_value(server::api::document()).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let scope = operation
                .pointer("/security/0/key/0")
                .and_then(Value::as_str);
            found.push(Route {
                id: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: path
                    .strip_prefix("/api/v1")
                    .unwrap()
                    .replace("{id}", "mem_00000000000000000000000000")
                    .replace("{kind}", "fact")
                    .replace("{name}", "nobody"),
                scope: scope
                    .unwrap_or_else(|| panic!("{method} {path} names no scope"))
                    .parse()
                    .unwrap(),
            });
        }
    }
    found
}

async fn status(api: &Api<'_>, route: &Route) -> u16 {
    let body = (route.method != Method::GET).then(|| json!({}));
    api.call(route.method.clone(), &route.path, &[], body)
        .await
        .status
}

const READS: &[&str] = &[
    "list_candidates",
    "get_candidate",
    "list_memories",
    "get_memory",
    "list_revisions",
    "search_memories",
    "list_users",
    "get_user",
    "list_user_events",
    "list_agents",
    "get_agent",
    "list_kinds",
    "get_kind",
    "list_schemas",
    "get_schema",
    "get_profile",
    "get_agent_stats",
    "get_agent_report",
    "get_series",
];
const AUDITS: &[&str] = &["list_events", "verify_chain"];
const ADMINISTERS: &[&str] = &[
    "create_agent",
    "change_agent",
    "change_user",
    "create_kind",
    "change_kind",
    "create_schema",
    "put_schema",
    "remove_schema",
    "list_keys",
    "create_key",
    "revoke_key",
];
const INGESTS: &[&str] = &["create_conversation", "get_operation", "retry_operation"];

fn may(role: RoleName, id: &str) -> bool {
    match role {
        RoleName::Admin => true,
        RoleName::Reviewer => ![AUDITS, ADMINISTERS, INGESTS].concat().contains(&id),
        RoleName::Auditor => READS.contains(&id) || AUDITS.contains(&id),
        RoleName::Viewer => READS.contains(&id),
    }
}

story! {
    // G7
    async fn every_route_asks_who_calls(house: &House) {
        let support = house.agent("support").await;
        let all_for_an_agent: Vec<_> = KeyScope::ALL.iter().copied().filter(|scope| !scope.needs_a_person()).collect();
        let agent = house.key(Some(&support), None, &all_for_an_agent).await;
        let people = [
            ("Ada", RoleName::Admin),
            ("Rei", RoleName::Reviewer),
            ("Odo", RoleName::Auditor),
            ("Vic", RoleName::Viewer),
        ];
        let mut keys = Vec::new();
        for (name, role) in people {
            let person = house.person(name, role).await;
            keys.push((role, house.person_key(&person).await, house.key(None, Some(&person), &[KeyScope::ContextRead]).await));
        }
        let routes = routes();
        assert!(routes.len() >= 30, "{}", routes.len());
        for route in &routes {
            let nobody = house.http.request(route.method.clone(), format!("{}/api/v1{}", house.url, route.path));
            assert_eq!(nobody.send().await.unwrap().status(), 401, "{} without a key", route.id);

            let expected = route.scope.needs_a_person();
            let told = status(&agent, route).await;
            assert_eq!(told == 403, expected, "{} with an agent's key: {told}", route.id);

            for (role, everything, context_only) in &keys {
                let told = status(everything, route).await;
                assert_eq!(told != 403, may(*role, &route.id), "{} as {role}: {told}", route.id);
                assert!(told != 401 && told < 500, "{} as {role}: {told}", route.id);
                let told = status(context_only, route).await;
                let open = route.scope == KeyScope::ContextRead && may(*role, &route.id);
                assert_eq!(told != 403, open, "{} as {role} with a narrow key: {told}", route.id);
            }
        }
    }
}
