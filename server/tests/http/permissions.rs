//! Every page and every route of the API with every kind of caller, compared with the table that the code gives; and `docs/ROLES.md`,
//! which is that table for people to read.

use std::{fmt::Write, fs, path::PathBuf};

use domain::{
    Timestamp,
    agent::AgentName,
    id::PersonId,
    key::KeyScope,
    permission::{Actor, Grant, Permission, RoleName, authorize},
};
use engine::{OsEntropy, PersonView};
use reqwest::Method;
use serde_json::{Value, json};
use server::pages::{self, Access};

use crate::{
    house::{Api, House, story},
    sign_in::Browser,
};
use store::testing::TestDb;

/// A route of the API as the document has it.
pub struct Route {
    id: String,
    pub method: Method,
    pub path: String,
    pub scope: KeyScope,
    permission: Permission,
}

pub fn routes() -> Vec<Route> {
    let document = serde_json::to_value(server::api::document()).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let word = |pointer: &str| {
                let word = operation.pointer(pointer).and_then(Value::as_str);
                word.unwrap_or_else(|| panic!("{method} {path} has no {pointer}"))
            };
            found.push(Route {
                id: word("/operationId").to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                scope: word("/security/0/key/0").parse().unwrap(),
                permission: word("/x-permission").parse().unwrap(),
            });
        }
    }
    found
}

/// Those of the surfaces for clients of others.
pub fn compatible() -> Vec<Route> {
    let routes = server::compat::routes().into_iter();
    routes
        .map(|route| Route {
            id: format!("{} {}", route.method, route.path),
            method: route.method,
            path: route.path,
            scope: route.scope,
            permission: route.permission,
        })
        .collect()
}

/// A path with something in it that is not there.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| match part {
        "{id}" => "mem_00000000000000000000000000",
        "{name}" => "nobody",
        "{kind}" => "fact",
        "{language}" => "ja",
        part if part.starts_with('{') => "x",
        part => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn agent() -> AgentName {
    AgentName::parse("support").unwrap()
}

/// Everybody who walks: a name, and their roles.
fn walkers() -> Vec<(&'static str, Vec<Grant>)> {
    let limited = |role, languages: &[&str]| {
        vec![Grant {
            agent: Some(agent()),
            role,
            languages: languages.iter().map(|&tag| tag.to_owned()).collect(),
        }]
    };
    vec![
        ("Vic", vec![Grant::everywhere(RoleName::Viewer)]),
        ("Rei", vec![Grant::everywhere(RoleName::Reviewer)]),
        ("Odo", vec![Grant::everywhere(RoleName::Auditor)]),
        ("Ada", vec![Grant::everywhere(RoleName::Admin)]),
        ("Lin", limited(RoleName::Reviewer, &["ja"])),
        ("Loc", limited(RoleName::Admin, &[])),
        ("Nil", Vec::new()),
    ]
}

fn person(grants: &[Grant]) -> Actor {
    Actor::Person {
        id: PersonId::new(Timestamp::UNIX_EPOCH, &OsEntropy),
        name: String::new(),
        grants: grants.to_vec(),
    }
}

fn may(grants: &[Grant], permission: Permission) -> bool {
    authorize(&person(grants), permission).is_ok()
}

async fn people(house: &House) -> Vec<(&'static str, Vec<Grant>, PersonView)> {
    house.agent("support").await;
    let mut everybody = Vec::new();
    for (name, grants) in walkers() {
        let view = house.person_with(name, grants.clone()).await;
        everybody.push((name, grants, view));
    }
    everybody
}

async fn status(api: &Api<'_>, route: &Route) -> u16 {
    let body = (route.method != Method::GET).then(|| json!({}));
    let url = format!("{}{}", api.house.url, filled(&route.path));
    let request = api.house.http.request(route.method.clone(), url);
    let request = request.bearer_auth(&api.key);
    let request = match &body {
        Some(body) => request.json(body),
        None => request,
    };
    let told = request.send().await.unwrap().status().as_u16();
    assert!(told != 401 && told < 500, "{}: {told}", route.id);
    told
}

story! {
    // G7
    async fn every_route_asks_who_calls(house: &House) {
        let people = people(house).await;
        let all_for_an_agent: Vec<_> = KeyScope::ALL.iter().copied().filter(|scope| !scope.needs_a_person()).collect();
        let of_an_agent = house.key(Some(&agent()), None, &all_for_an_agent).await;
        let mut keys = Vec::new();
        for (name, grants, view) in &people {
            keys.push((name, grants, house.person_key(view).await));
        }
        let admin = &people.iter().find(|(name, ..)| *name == "Ada").unwrap().2;
        let mut narrow = Vec::new();
        for &scope in KeyScope::ALL {
            narrow.push((scope, house.key(None, Some(admin), &[scope]).await));
        }
        let mut routes = routes();
        assert!(routes.len() >= 30, "{}", routes.len());
        let compatible = compatible();
        assert!(compatible.len() >= 20, "{}", compatible.len());
        routes.extend(compatible);
        for route in &routes {
            let nobody = house.http.request(route.method.clone(), format!("{}{}", house.url, filled(&route.path)));
            assert_eq!(nobody.send().await.unwrap().status(), 401, "{} without a key", route.id);
            let told = status(&of_an_agent, route).await;
            assert_eq!(told == 403, route.scope.needs_a_person(), "{} with an agent's key: {told}", route.id);
            for (name, grants, key) in &keys {
                let told = status(key, route).await;
                assert_eq!(told != 403, may(grants, route.permission), "{} as {name}: {told}", route.id);
            }
            for (scope, key) in &narrow {
                let told = status(key, route).await;
                let open = *scope == route.scope || *scope == KeyScope::Admin;
                assert_eq!(told != 403, open, "{} with the scope {scope}: {told}", route.id);
            }
        }
    }
}

story! {
    // G7
    async fn every_page_and_form_asks_who_looks(house: &House) {
        let people = people(house).await;
        let routes = pages::routes();
        assert!(routes.len() >= 50, "{}", routes.len());
        let mut nobody = Browser::new(house);
        for route in &routes {
            let (told, to) = nobody.opens(&route.method, &filled(route.path)).await;
            let at = format!("{} {} as nobody: {told} {to}", route.method, route.path);
            if route.access == Access::Open {
                assert!(told < 500 && told != 403, "{at}");
            } else {
                assert!(told == 303 && to.starts_with("/login"), "{at}");
            }
        }
        for (name, grants, view) in &people {
            let mut browser = Browser::new(house);
            let entered = browser.signs_in(&view.email).await;
            assert_eq!(entered.status, 303, "{}", entered.text);
            for route in &routes {
                // Whoever signs out or in again has another session for the rest of the walk.
                if route.access == Access::Open {
                    continue;
                }
                let (told, to) = browser.opens(&route.method, &filled(route.path)).await;
                let at = format!("{} {} as {name}: {told} {to}", route.method, route.path);
                assert!(told < 500 && told != 401 && !to.starts_with("/login"), "{at}");
                let open = match route.access {
                    Access::Needs(permission) => may(grants, permission),
                    Access::Open | Access::SignedIn => true,
                };
                assert_eq!(told != 403, open, "{at}");
            }
        }
    }
}

/// The table as a document.
fn document() -> String {
    let mut text = String::from(
        "# Who may open what\n\n\
         Made from the code: the pages from the table of routes in `server/src/pages/mod.rs`, the API from its OpenAPI document. Each\n\
         takes what it needs from the signature of its handler. `KEEPSAKE_BLESS=1 cargo test -p server --test http docs_roles` writes\n\
         this file anew; a test fails when it differs, and another walks every line as every kind of caller.\n\n\
         A role holds for all agents or for some; what lies outside answers 404. *all* marks what is about no agent in particular: who\n\
         is limited to some agents does not have it. A role limited to languages decides about content in those only\n\
         (`language_not_yours`); it reads everything.\n\n\
         Open to everybody besides: `/livez`, `/readyz`, `/pkg/…`, `/assets/…`, `/api`, `/api/docs`, `/api/openapi.json`, `/problems/{code}`.\n\n\
         ## Pages and forms\n\n\
         | method | path | needs | viewer | reviewer | auditor | admin |\n|---|---|---|---|---|---|---|\n",
    );
    for route in pages::routes() {
        let (needs, roles) = match route.access {
            Access::Open => ("nothing".to_owned(), "| yes ".repeat(4)),
            Access::SignedIn => ("a sign-in".to_owned(), "| yes ".repeat(4)),
            Access::Needs(permission) => (format!("`{permission}`"), by_role(permission)),
        };
        writeln!(
            text,
            "| {} | `{}` | {needs} {roles}|",
            route.method, route.path
        )
        .unwrap();
    }
    text.push_str(
        "\n## The API\n\n\
         A key of an agent has the scopes of an agent; a person's key needs the scope, or `admin`, and the person the role.\n\n\
         | method | path | scope | needs | an agent's key | viewer | reviewer | auditor | admin |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for route in routes() {
        line(&mut text, &route);
    }
    text.push_str(
        "\n## The surfaces for clients of others\n\n\
         [COMPAT.md](COMPAT.md) tells what they are, and which calls ask for a second scope.\n\n\
         | method | path | scope | needs | an agent's key | viewer | reviewer | auditor | admin |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for route in compatible() {
        line(&mut text, &route);
    }
    text
}

/// A line of the table of what keys open.
fn line(text: &mut String, route: &Route) {
    let agents = if route.scope.needs_a_person() {
        "–"
    } else {
        "yes"
    };
    writeln!(
        text,
        "| {} | `{}` | `{}` | `{}` | {agents} {}|",
        route.method,
        route.path,
        route.scope,
        route.permission,
        by_role(route.permission)
    )
    .unwrap();
}

fn by_role(permission: Permission) -> String {
    let roles = [
        RoleName::Viewer,
        RoleName::Reviewer,
        RoleName::Auditor,
        RoleName::Admin,
    ];
    let cells = roles.map(|role| {
        let some = Grant {
            agent: Some(agent()),
            ..Grant::everywhere(role)
        };
        match (
            may(&[Grant::everywhere(role)], permission),
            may(&[some], permission),
        ) {
            (true, true) => "| yes ",
            (true, false) => "| all ",
            (false, _) => "| – ",
        }
    });
    cells.concat()
}

// G7
#[test]
fn docs_roles_says_what_the_code_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/ROLES.md");
    let wanted = document();
    if std::env::var_os("KEEPSAKE_BLESS").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == wanted,
        "docs/ROLES.md is not what the code says; KEEPSAKE_BLESS=1 cargo test -p server --test http docs_roles writes it anew"
    );
}
