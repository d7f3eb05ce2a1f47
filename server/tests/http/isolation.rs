//! Two agents: what one has does not exist for the other.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use domain::{
    agent::AgentName,
    permission::{Grant, RoleName},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    house::{Answer, Api, House, story},
    mcp::{self, Model},
    permissions::{self, Route},
    redact::redacted,
};
use store::testing::TestDb;

/// Names that only `support` has, and their like that nobody has.
const USER: [&str; 2] = ["only-with-support", "never-anywhere"];
const KIND: [&str; 2] = ["pets", "no_such_kind"];
const SCHEMA: [&str; 2] = ["user-profile", "no-profile"];

/// What stands in a path and belongs to no agent, by the word before it.
const WORDS: [(&str, &str); 4] = [
    ("guidelines", "ja"),
    ("locations", "eu"),
    ("projects", "p-1"),
    ("revisions", "1"),
];

/// A call whose answer is another than 404, and the same for what is there and what is not.
struct Otherwise {
    call: &'static str,
    what: &'static str,
    status: u16,
    why: &'static str,
}

const OTHERWISE: &[Otherwise] = &[
    Otherwise {
        call: "GET /api/v1/users/{id}/profile",
        what: "name",
        status: 200,
        why: "a name that the agent has not used yet has empty profiles",
    },
    Otherwise {
        call: "PATCH /api/v1/users/{id}",
        what: "name",
        status: 200,
        why: "somebody opts out by their name, also before an agent has heard of it",
    },
    Otherwise {
        call: "PUT /api/v1/agents/{name}/schemas/{id}",
        what: "schema",
        status: 200,
        why: "the name is free in one's own agent, so a schema is made",
    },
    Otherwise {
        call: "PATCH /api/v1/people/{id}",
        what: "person",
        status: 403,
        why: "people are of no agent, and only who administers all of them may ask",
    },
];

/// Something of the agent `support`, and the like that is nowhere.
struct Thing {
    what: &'static str,
    theirs: String,
    nobodys: String,
}

/// By the word that stands before it in a path.
type Things = BTreeMap<&'static str, Vec<Thing>>;

/// What there is of another agent, and whose place it could take in a path.
struct Neighbour {
    things: Things,
    /// What `sales` has itself, where something is asked for within it.
    own: BTreeMap<&'static str, String>,
}

/// One thing in one place of a path.
struct Case<'a> {
    thing: &'a Thing,
    /// With what lies around it in `sales`.
    theirs: String,
    nobodys: String,
    /// Where it really is.
    there: String,
}

fn id(of: &Value) -> String {
    of["id"].as_str().unwrap().to_owned()
}

/// A thing with an id of ours.
fn thing(what: &'static str, of: &Value) -> Thing {
    let theirs = id(of);
    let (prefix, _) = theirs.split_once('_').unwrap();
    let nobodys = format!("{prefix}_{}", "0".repeat(26));
    Thing {
        what,
        theirs,
        nobodys,
    }
}

/// A thing that people named.
fn named(what: &'static str, [theirs, nobodys]: [&str; 2]) -> Thing {
    Thing {
        what,
        theirs: theirs.to_owned(),
        nobodys: nobodys.to_owned(),
    }
}

/// An approved memory of a user of `support`.
async fn remembers(mia: &Api<'_>, user: &str, content: &str) -> Value {
    let new = json!({"user_id": user, "kind": "fact", "content": content});
    let made = mia.post("/memories?agent=support", new).await;
    made.ok(StatusCode::CREATED)
}

/// Somebody who was erased, by our id.
async fn erased(mia: &Api<'_>) -> Value {
    remembers(mia, "gone-since", "User lived in Oslo").await;
    let seen = mia.get("/users/gone-since/erasure?agent=support").await;
    let seen = seen.ok(StatusCode::OK);
    let path = format!("/users/{}/erase", seen["user"].as_str().unwrap());
    let wanted =
        json!({"confirm": "gone-since", "version": seen["version"], "reason": "asked_for"});
    mia.post(&path, wanted).await.ok(StatusCode::OK);
    json!({"id": seen["user"]})
}

async fn webhook(mia: &Api<'_>, agent: &str) -> Value {
    let new = json!({"agent": agent, "url": "https://runtime.invalid/hook", "events": ["candidate.proposed"]});
    let made = mia.post("/webhooks", new).await.ok(StatusCode::CREATED);
    made["webhook"].clone()
}

/// What a webhook was told first.
async fn delivery(mia: &Api<'_>, webhook: &Value) -> Value {
    let path = format!("/webhooks/{}/deliveries", id(webhook));
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    loop {
        let list = mia.get(&path).await.ok(StatusCode::OK);
        if list["data"][0].is_object() {
            return list["data"][0].clone();
        }
        assert!(tokio::time::Instant::now() < deadline, "nothing is told");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

impl Neighbour {
    /// One of everything in the agent `support`.
    async fn moves_in(house: &House, support: &AgentName, mia: &Api<'_>) -> Self {
        let agent = house.agent_key(support).await;
        let gone = erased(mia).await;
        let (hook, own_hook) = (webhook(mia, "support").await, webhook(mia, "sales").await);
        let said = agent
            .says(
                USER[0],
                "I prefer code examples in Python rather than pseudocode",
            )
            .await;
        let waits = mia.get("/candidates?status=pending&agent=support").await;
        let waits = waits.ok(StatusCode::OK)["data"][0].clone();
        let memory = remembers(mia, USER[0], "User owns two horses").await;
        let retired = remembers(mia, USER[0], "User had a boat").await;
        let (path, seen) = (format!("/memories/{}", id(&retired)), [("if-match", "*")]);
        let retired = mia.call(Method::DELETE, &path, &seen, None).await;
        let retired = retired.ok(StatusCode::OK);
        remembers(mia, "guest-of-support", "User plays chess").await;

        let post = async |path: &str, body: Value, status: StatusCode| {
            mia.post(path, body).await.ok(status)
        };
        let (created, accepted) = (StatusCode::CREATED, StatusCode::ACCEPTED);
        let said_by_hand = json!({"user_id": USER[0], "kind": "fact", "content": "User sings"});
        let proposed = agent.post("/candidates", said_by_hand).await.ok(created);
        let decided = &proposed["candidate"];
        let picks = json!([{"id": decided["id"], "version": decided["version"]}]);
        let bulk = json!({"verdict": "reject", "reason": "wrong", "candidates": picks});
        let bulk = post("/bulks", bulk, created).await;
        let kind =
            json!({"name": KIND[0], "label": "Pets", "description": "Animals they live with."});
        post("/agents/support/kinds", kind, created).await;
        let schema = json!({"id": SCHEMA[0], "schema": schema()});
        post("/agents/support/schemas", schema, created).await;
        let run = post(
            "/agents/support/dry-runs",
            json!({"confirm": true}),
            accepted,
        )
        .await;
        let request = json!({"sort": "copy", "agent": "support", "user_id": USER[0]});
        let request = post("/requests", request, created).await;
        let export = post("/exports", json!({"agent": "support"}), accepted).await;
        let hold = post(
            "/holds",
            json!({"agent": "support", "reason": "Case 1"}),
            created,
        )
        .await;
        let file = json!({"agent": "support", "content": "user_id,memory\nbo,User has a kite\n"});
        let import = post("/imports", file, created).await;
        let join = json!({"guest": "guest-of-support", "main": USER[0]});
        let join = agent.post("/joins", join).await.ok(created);
        let key = post("/keys", json!({"agent": "support"}), created).await;
        let view = json!({"name": "Of support", "query": "agent=support"});
        let view = post("/views", view, created).await;
        let user = mia.get(&format!("/users/{}?agent=support", USER[0])).await;
        let user = user.ok(StatusCode::OK);
        let person = house.person("Pat", RoleName::Viewer).await;
        let told = delivery(mia, &hook).await;

        let engine = || named("agent", ["support", "nobody"]);
        let operation = || thing("operation", &said);
        let things = [
            ("agents", vec![engine()]),
            ("bulks", vec![thing("bulk", &bulk)]),
            (
                "candidates",
                vec![thing("candidate", &waits), thing("decided", decided)],
            ),
            ("deliveries", vec![thing("delivery", &told)]),
            ("dry-runs", vec![thing("dry run", &run)]),
            ("event", vec![operation()]),
            ("exports", vec![thing("export", &export)]),
            ("holds", vec![thing("hold", &hold)]),
            ("imports", vec![thing("import", &import)]),
            ("joins", vec![thing("join", &join)]),
            ("keys", vec![thing("key", &key["key"])]),
            ("kinds", vec![named("kind", KIND)]),
            (
                "memories",
                vec![
                    thing("memory", &memory),
                    thing("retired", &retired),
                    thing("candidate", &waits),
                ],
            ),
            ("operations", vec![operation()]),
            ("people", vec![thing("person", &json!({"id": person.id}))]),
            ("reasoningEngines", vec![engine()]),
            ("requests", vec![thing("request", &request)]),
            ("schemas", vec![named("schema", SCHEMA)]),
            (
                "users",
                vec![
                    thing("user", &user),
                    thing("erased", &gone),
                    named("name", USER),
                ],
            ),
            ("views", vec![thing("view", &view)]),
            ("webhooks", vec![thing("webhook", &hook)]),
        ];
        let own = [
            ("agents", "sales".to_owned()),
            ("reasoningEngines", "sales".to_owned()),
            ("webhooks", id(&own_hook)),
        ];
        Self {
            things: things.into(),
            own: own.into(),
        }
    }

    /// What belongs in a place of a path.
    fn of(&self, word: &str) -> &[Thing] {
        self.things
            .get(word)
            .unwrap_or_else(|| panic!("make one of `{word}` in the agent support"))
    }

    /// Every thing in every place of a path.
    fn cases(&self, path: &str) -> Vec<Case<'_>> {
        let parts: Vec<&str> = path.split('/').collect();
        let word = |at: usize| parts[at - 1];
        let places: Vec<usize> = (1..parts.len())
            .filter(|&at| parts[at].starts_with('{') && plain(word(at)).is_none())
            .collect();
        let theirs = |at: usize| self.of(word(at))[0].theirs.clone();
        let mine = |at: usize| {
            let own = self.own.get(word(at)).cloned();
            own.unwrap_or_else(|| panic!("make one of `{}` in the agent sales", word(at)))
        };
        let mut cases = Vec::new();
        for &place in &places {
            let filled = |id: &str, before: &dyn Fn(usize) -> String| {
                let each = parts.iter().enumerate().map(|(at, &part)| {
                    if !part.starts_with('{') {
                        return part.to_owned();
                    }
                    if let Some(same) = plain(word(at)) {
                        return same.to_owned();
                    }
                    match at.cmp(&place) {
                        Ordering::Less => before(at),
                        Ordering::Equal => id.to_owned(),
                        Ordering::Greater => theirs(at),
                    }
                });
                each.collect::<Vec<_>>().join("/")
            };
            for thing in self.of(word(place)) {
                cases.push(Case {
                    thing,
                    theirs: filled(&thing.theirs, &mine),
                    nobodys: filled(&thing.nobodys, &mine),
                    there: filled(&thing.theirs, &theirs),
                });
            }
        }
        cases
    }
}

fn plain(word: &str) -> Option<&'static str> {
    let same = WORDS.iter().find(|(before, _)| *before == word);
    same.map(|(_, same)| *same)
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"}}})
}

/// How a call is written down.
fn call(route: &Route) -> String {
    format!("{} {}", route.method, route.path)
}

/// Why a call about this is answered otherwise.
fn exempt(route: &Route, case: &Case<'_>) -> Option<&'static Otherwise> {
    let call = call(route);
    OTHERWISE
        .iter()
        .find(|other| other.call == call && other.what == case.thing.what)
}

/// What a call takes besides its path, so that nothing but what the path names can be wrong.
fn body(route: &Route) -> Option<Value> {
    if route.method == Method::GET {
        return None;
    }
    // A bank has two spellings, and mem0 two servers.
    let path = route.path.as_str();
    let path = match path.split_once("reasoningEngines/{engine}") {
        Some((_, rest)) => format!("bank{rest}"),
        None => path
            .replace("/compat/mem0/v1/", "mem0/")
            .replace("/compat/mem0/", "mem0/"),
    };
    let scope = json!({"user_id": USER[0]});
    let said = json!({"events": [{"content": {"role": "user", "parts": [{"text": "I sail"}]}}]});
    let call = format!("{} {}", route.method, path.trim_end_matches('/'));
    Some(match call.as_str() {
        "PATCH /api/v1/agents/{name}" => json!({"max_memories": 3}),
        "POST /api/v1/agents/{name}/dry-runs" => json!({"confirm": true}),
        "POST /api/v1/agents/{name}/kinds" => {
            json!({"name": "boats", "label": "Boats", "description": "What they sail."})
        }
        "PATCH /api/v1/agents/{name}/kinds/{kind}" => json!({"label": "Animals"}),
        "PUT /api/v1/agents/{name}/kinds/{kind}/guidelines/{language}" => {
            json!({"content": "Only their own."})
        }
        "POST /api/v1/agents/{name}/schemas" => json!({"id": "another", "schema": schema()}),
        "PUT /api/v1/agents/{name}/schemas/{id}" => json!({"schema": schema()}),
        "POST /api/v1/candidates/{id}/hand-over" => json!({"to": "native"}),
        "POST /api/v1/candidates/{id}/reject" => json!({"reason": "not_durable"}),
        "POST /api/v1/imports/{id}/map" => {
            json!({"columns": {"user_id": "user_id", "memory": "content"}})
        }
        "POST /api/v1/joins/{id}/approve" | "POST /api/v1/joins/{id}/split" => {
            json!({"reason": "they say so"})
        }
        "POST /api/v1/memories/{id}/recall" => json!({"reason": "it is wrong"}),
        "PATCH /api/v1/memories/{id}" => json!({"content": "User likes Go"}),
        "PATCH /api/v1/people/{id}" => json!({"name": "Patricia"}),
        "PATCH /api/v1/requests/{id}" => json!({"look": true}),
        "PATCH /api/v1/users/{id}" => json!({"opted_out": true}),
        "POST /api/v1/users/{id}/erase" => {
            json!({"confirm": USER[0], "version": 1, "reason": "asked_for"})
        }
        "PATCH /api/v1/views/{id}" => json!({"name": "Mine"}),
        "PATCH /api/v1/webhooks/{id}" => json!({"enabled": false}),
        "PUT mem0/memories/{id}" => json!({"text": "User likes Go"}),
        "POST bank/memories" => json!({"fact": "User sails", "scope": scope}),
        "PATCH bank/memories/{memory}" => json!({"fact": "User likes Go"}),
        "POST bank/memories/{memory}" => json!({"targetRevisionId": "1"}),
        "POST bank/memories:retrieve" | "POST bank/memories:retrieveProfiles" => {
            json!({"scope": scope})
        }
        "POST bank/memories:generate" | "POST bank/memories:ingestEvents" => {
            json!({"scope": scope, "directContentsSource": said})
        }
        "POST bank/memories:purge" => {
            json!({"filter": "scope.user_id=ana", "force": true})
        }
        _ => json!({}),
    })
}

/// What stands behind the path of a call.
fn rest(route: &Route) -> &'static str {
    match route.path.as_str() {
        "/api/v1/users/{id}/as-of" => "?at=2020-01-01T00:00:00Z",
        path if route.method == Method::POST && path.ends_with("/memories/{memory}") => ":rollback",
        _ => "",
    }
}

async fn asked(api: &Api<'_>, route: &Route, path: &str) -> Answer {
    let url = format!("{}{path}{}", api.house.url, rest(route));
    let request = api.house.http.request(route.method.clone(), url);
    let request = request.bearer_auth(&api.key).header("if-match", "*");
    let request = match body(route) {
        Some(body) => request.json(&body),
        None => request,
    };
    Answer::of(request.send().await.unwrap()).await
}

/// An answer without the name of its request and of what was asked about.
fn told(answer: &Answer, about: &str) -> (u16, String, Value) {
    let request = answer.header("x-request-id");
    assert!(!request.is_empty(), "{answer:?}");
    let text = answer.text.replace(&request, "<request>");
    let body = serde_json::from_str(&text.replace(about, "<asked>"));
    let body = body.unwrap_or_else(|_| panic!("{} {text}", answer.status));
    (answer.status, answer.header("content-type"), redacted(body))
}

/// Everything that can be seen of an agent.
async fn picture(mia: &Api<'_>, agent: &Api<'_>, name: &str) -> Value {
    let mut all = serde_json::Map::new();
    for path in ["candidates", "memories", "users"] {
        let list = mia
            .get(&format!("/{path}?agent={name}"))
            .await
            .ok(StatusCode::OK);
        all.insert(path.to_owned(), list);
    }
    all.insert(
        "stats".to_owned(),
        mia.get(&format!("/agents/{name}/stats"))
            .await
            .ok(StatusCode::OK),
    );
    all.insert(
        "settings".to_owned(),
        mia.get(&format!("/agents/{name}")).await.ok(StatusCode::OK),
    );
    let block = agent.context("ana").await;
    all.insert("block".to_owned(), block["block"].clone());
    Value::Object(all)
}

story! {
    async fn work_in_one_agent_changes_nothing_in_the_other(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let (support_key, sales_key) = (house.agent_key(&support).await, house.agent_key(&sales).await);
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        for agent in [&support_key, &sales_key] {
            agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        }
        let of_support = mia.get("/candidates?agent=support").await.ok(StatusCode::OK)["data"][0].clone();
        let of_sales = mia.get("/candidates?agent=sales").await.ok(StatusCode::OK)["data"][0].clone();
        let approve = |one: &Value| format!("/candidates/{}/approve", one["id"].as_str().unwrap());
        mia.post(&approve(&of_sales), json!({})).await.ok(StatusCode::OK);
        let before = picture(&mia, &sales_key, "sales").await;

        support_key.says("ana", "I'm the CTO of StartupCorp and we're building a SaaS platform").await;
        let memory = mia.post(&approve(&of_support), json!({"content": "User likes Rust"})).await.ok(StatusCode::OK)["memory"].clone();
        let memory = memory.as_str().unwrap();
        mia.call(Method::PATCH, "/agents/support", &[], Some(json!({"max_memories": 3}))).await.ok(StatusCode::OK);
        support_key.context("ana").await;
        mia.call(Method::DELETE, &format!("/memories/{memory}"), &[("if-match", "*")], None).await.ok(StatusCode::OK);
        assert_eq!(picture(&mia, &sales_key, "sales").await, before);

        assert_eq!(sales_key.get("/memories?agent=support").await.ok(StatusCode::OK)["data"], json!([]));
        let foreign = json!({"user_id": "ana", "messages": [{"role": "user", "content": "hi"}]});
        for agent in ["support", "nobody"] {
            assert_eq!(sales_key.post(&format!("/conversations?agent={agent}"), foreign.clone()).await.problem(404), "not_found");
        }
    }
}

story! {
    // G7
    async fn every_call_answers_about_a_thing_of_another_agent_as_about_none(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let neighbour = Neighbour::moves_in(house, &support, &mia).await;
        let (of_support, of_sales) = (house.agent_key(&support).await, house.agent_key(&sales).await);
        let only = Grant { agent: Some(sales.clone()), ..Grant::everywhere(RoleName::Admin) };
        let sal = house.person_with("Sal", vec![only]).await;
        let sal = house.person_key(&sal).await;
        let mut routes = permissions::routes();
        routes.extend(permissions::compatible());
        routes.retain(|route| route.path.contains('{'));
        assert!(routes.len() >= 100, "{}", routes.len());

        // What is done to names and in one's own agent comes last: until then nothing of `support` moves.
        let mut cases = Vec::new();
        for route in &routes {
            cases.extend(neighbour.cases(&route.path).into_iter().map(|case| (route, case)));
        }
        cases.sort_by_key(|(route, case)| exempt(route, case).is_some());
        let (mut found, mut used) = (BTreeSet::new(), BTreeSet::new());
        let before = picture(&mia, &of_support, "support").await;
        let mut after = None;
        for (route, case) in &cases {
            let status = match exempt(route, case) {
                None => 404,
                Some(other) => {
                    if after.is_none() {
                        after = Some(picture(&mia, &of_support, "support").await);
                    }
                    used.insert(other.why);
                    other.status
                }
            };
            let agent = (!route.scope.needs_a_person()).then_some(&of_sales);
            for stranger in agent.into_iter().chain([&sal]) {
                let theirs = told(&asked(stranger, route, &case.theirs).await, &case.thing.theirs);
                let nobodys = told(&asked(stranger, route, &case.nobodys).await, &case.thing.nobodys);
                assert_eq!(theirs.0, status, "{} of a {}: {}", call(route), case.thing.what, theirs.2);
                assert_eq!(theirs, nobodys, "{} of a {}", call(route), case.thing.what);
            }
            // Whoever may see it sees that it is there.
            if route.method == Method::GET && matches!(asked(&mia, route, &case.there).await.status, 200 | 409 | 410) {
                found.insert(case.thing.what);
            }
        }
        assert_eq!(after, Some(before));
        let needless: Vec<_> = OTHERWISE.iter().filter(|other| !used.contains(other.why)).map(|other| other.call).collect();
        assert!(needless.is_empty(), "no such call, or nothing to name in it: {needless:?}");
        let mut lists = String::new();
        let deliveries = format!("/webhooks/{}/deliveries", neighbour.of("webhooks")[0].theirs);
        for path in ["/holds", "/keys", "/people", "/users?agent=support", "/views", deliveries.as_str()] {
            let list = mia.get(path).await;
            list.ok(StatusCode::OK);
            lists.push_str(&list.text);
        }
        for thing in neighbour.things.values().flatten() {
            assert!(found.contains(thing.what) || lists.contains(&thing.theirs), "there is no {} to begin with", thing.what);
        }
        assert!(found.contains("erased") && found.contains("retired"), "{found:?}");
    }
}

/// What a tool is asked, about somebody and what is kept of them.
fn arguments(tool: &str, user: &str, serving: &str, memory: &str) -> Value {
    match tool {
        "memory_context" => json!({"user_id": user}),
        "memory_search" => json!({"user_id": user, "query": "StartupCorp"}),
        "memory_propose" => {
            json!({"user_id": user, "kind": "fact", "action": "retire", "target": memory})
        }
        "memory_feedback" => json!({"serving": serving, "memory": memory, "helped": false}),
        other => panic!("say what {other} can be asked about what another agent has"),
    }
}

/// What a model was told by a tool, without what names the request.
async fn heard(model: &Model, tool: &'static str, arguments: Value) -> (Option<bool>, Value) {
    let result = model.call(tool, arguments).await;
    let words = mcp::words(&result);
    let words = serde_json::from_str(&words).unwrap_or(Value::String(words));
    (result.is_error, redacted(words))
}

story! {
    async fn every_tool_answers_about_a_thing_of_another_agent_as_about_none(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let memory = mcp::keep(&mia, "support", USER[0], "User works at StartupCorp").await;
        let own = Model::of(&house.agent_key(&support).await).await;
        let block = own.told("memory_context", json!({"user_id": USER[0]})).await;
        let serving = block["serving"].as_str().unwrap();
        let only = Grant { agent: Some(sales.clone()), ..Grant::everywhere(RoleName::Admin) };
        let sal = house.person_with("Sal", vec![only]).await;
        let (of_sales, sal) = (house.agent_key(&sales).await, house.person_key(&sal).await);
        let (of_sales, sal) = (Model::of(&of_sales).await, Model::of(&sal).await);
        assert_eq!(of_sales.names().await, mcp::ALL);
        for tool in mcp::ALL {
            let theirs = arguments(tool, USER[0], serving, &memory);
            let nobodys = arguments(tool, USER[1], mcp::NO_SERVING, mcp::NO_MEMORY);
            let (told, never) = (heard(&of_sales, tool, theirs.clone()).await, heard(&of_sales, tool, nobodys).await);
            assert_eq!(told, never, "{tool}");
            // A key that names all agents says which; its person may not see this one.
            let within = |agent: &str| {
                let mut within = theirs.clone();
                within["agent"] = json!(agent);
                within
            };
            let (told, never) = (heard(&sal, tool, within("support")).await, heard(&sal, tool, within("nobody")).await);
            assert_eq!((told.0, &told.1["status"]), (Some(true), &json!(404)), "{tool}: {}", told.1);
            assert_eq!(told, never, "{tool}");
        }
        let again = own.told("memory_context", json!({"user_id": USER[0]})).await;
        assert_eq!(again["items"], block["items"]);
        assert!(again["block"].as_str().unwrap().contains("StartupCorp"), "{again}");
    }
}
