//! MCP: what a model may do is what its key may, through the same code as REST, and nothing that decides.

use domain::{key::KeyScope, permission::RoleName};
use reqwest::{
    Method, StatusCode,
    header::{HeaderMap, HeaderName},
};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{CallToolRequestParams, CallToolResult, ClientConfig, ProtocolVersion, Tool},
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};

use crate::{
    house::{Answer, Api, House, story},
    redact::redacted,
};
use store::testing::TestDb;

/// Every tool.
pub const ALL: [&str; 4] = [
    "memory_context",
    "memory_search",
    "memory_propose",
    "memory_feedback",
];

/// Ids that nothing has.
pub const NO_MEMORY: &str = "mem_00000000000000000000000000";
pub const NO_SERVING: &str = "srv_00000000000000000000000000";

/// A model that is connected with a key, by the SDK.
pub struct Model(RunningService<RoleClient, ClientConfig>);

impl Model {
    pub async fn of(api: &Api<'_>) -> Self {
        Self::by(api, ClientLifecycleMode::Initialize).await
    }

    async fn by(api: &Api<'_>, lifecycle: ClientLifecycleMode) -> Self {
        let config =
            StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", api.house.url))
                .auth_header(api.key.clone());
        let transport = StreamableHttpClientTransport::from_config(config);
        let running = ClientConfig::default().serve_with_lifecycle(transport, lifecycle);
        Self(running.await.unwrap())
    }

    async fn tools(&self) -> Vec<Tool> {
        self.0.list_all_tools().await.unwrap()
    }

    pub async fn names(&self) -> Vec<String> {
        let tools = self.tools().await;
        tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    pub async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        let call = CallToolRequestParams::new(tool).with_arguments(arguments);
        self.0.call_tool(call).await.unwrap()
    }

    /// The structured answer of a call that had to succeed; it fits the schema that was listed.
    pub async fn told(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(false), "{tool}: {}", words(&result));
        let answer = result.structured_content.unwrap();
        let tools = self.tools().await;
        let listed = tools.iter().find(|listed| listed.name == tool).unwrap();
        let schema = Value::Object(listed.output_schema.as_deref().unwrap().clone());
        let validator = jsonschema::validator_for(&schema).unwrap();
        let faults: Vec<_> = validator
            .iter_errors(&answer)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{tool}: {faults:?} in {answer:#}");
        answer
    }

    /// The problem of a call that had to be refused.
    async fn refused(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{tool}: {}", words(&result));
        assert_eq!(result.structured_content, None);
        serde_json::from_str(&words(&result)).unwrap()
    }
}

pub fn words(result: &CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

fn modern() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    }
}

/// A message as a client without an SDK would send it; `headers` take the place of the usual ones.
async fn message(house: &House, key: Option<&str>, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut all = HeaderMap::new();
    let usual = [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ];
    for (name, value) in usual.iter().chain(headers) {
        let name: HeaderName = name.parse().unwrap();
        all.insert(name, value.parse().unwrap());
    }
    let mut request = house.http.post(format!("{}/mcp", house.url));
    if let Some(key) = key {
        request = request.bearer_auth(key);
    }
    let request = request.headers(all).body(body.to_owned());
    Answer::of(request.send().await.unwrap()).await
}

fn listing() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string()
}

fn calling(tool: &str, arguments: Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

/// An approved memory, written by a person.
pub async fn keep(mia: &Api<'_>, agent: &str, user: &str, content: &str) -> String {
    let new = json!({"user_id": user, "kind": "fact", "content": content});
    let made = mia
        .post(&format!("/memories?agent={agent}"), new)
        .await
        .ok(StatusCode::CREATED);
    made["id"].as_str().unwrap().to_owned()
}

story! {
    async fn each_tool_does_what_its_call_does(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let memory = keep(&mia, "support", "ana", "User works at StartupCorp").await;

        for (lifecycle, thing) in [(ClientLifecycleMode::Initialize, "Oslo"), (modern(), "Bergen")] {
            let model = Model::by(&agent, lifecycle).await;
            assert_eq!(model.names().await, ALL);
            let server = model.0.peer_info().unwrap();
            assert!(server.instructions.as_ref().unwrap().contains("memory_context"));
            assert!(server.capabilities.tools.is_some() && server.capabilities.resources.is_none());

            let asked = json!({"user_id": "ana", "query": "where do they work"});
            let told = model.told("memory_context", asked.clone()).await;
            let rest = agent.post("/context", asked.clone()).await.ok(StatusCode::OK);
            for part in ["etag", "block", "tokens", "items", "cut"] {
                assert_eq!(told[part], rest[part], "{part}");
            }
            let text = words(&model.call("memory_context", asked).await);
            assert!(text.starts_with(told["block"].as_str().unwrap()), "{text}");
            assert!(text.contains("srv_") && text.contains(&memory), "{text}");
            let same = model.told("memory_context", json!({"user_id": "ana", "query": "where do they work", "if_changed": told["etag"]})).await;
            assert_eq!(same, json!({"unchanged": true, "etag": told["etag"]}));
            let ignored = model.told("memory_context", json!({"user_id": "ana", "top_k": 5})).await;
            assert_eq!(ignored["warnings"], json!(["unknown field: top_k"]));

            let looked = json!({"query": "startupcorp", "user_id": "ana"});
            let found = model.told("memory_search", looked.clone()).await;
            assert_eq!(found["data"][0]["id"], json!(memory));
            assert_eq!(found, agent.post("/memories/search", looked).await.ok(StatusCode::OK));

            let helped = json!({"serving": told["serving"], "memory": memory, "helped": true});
            assert_eq!(model.told("memory_feedback", helped).await, json!({"reported": true}));

            let proposal = json!({"user_id": "ana", "kind": "fact", "content": format!("User lives in {thing}"), "importance": 0.8});
            let proposed = model.told("memory_propose", proposal.clone()).await;
            assert_eq!((&proposed["outcome"], &proposed["candidate"]["status"]), (&json!("proposed"), &json!("pending")));
            assert_eq!(model.told("memory_propose", proposal).await["outcome"], "seen_again");
            let id = &proposed["candidate"]["id"];
            assert!(mia.waiting("ana").await.iter().any(|one| one["id"] == *id), "it waits for a person");
            let block = model.told("memory_context", json!({"user_id": "ana"})).await["block"].clone();
            assert!(!block.as_str().unwrap().contains(thing), "what waits is told to nobody: {block}");
            let found = model.told("memory_search", json!({"query": thing, "user_id": "ana"})).await;
            assert!(found["data"].as_array().unwrap().iter().all(|one| one["id"] == json!(memory)), "{found}");
            model.0.cancel().await.unwrap();
        }
        let nobody = Model::of(&agent).await;
        let told = nobody.call("memory_context", json!({"user_id": "nobody"})).await;
        assert_eq!(words(&told), "Nothing that fits is approved about this person.");
    }
}

story! {
    async fn a_tool_says_what_it_takes_and_what_it_changes(house: &House) {
        let support = house.agent("support").await;
        let model = Model::of(&house.agent_key(&support).await).await;
        for tool in model.tools().await {
            let hints = tool.annotations.clone().unwrap();
            let reads = matches!(&*tool.name, "memory_context" | "memory_search");
            assert_eq!((hints.read_only_hint, hints.open_world_hint), (Some(reads), Some(false)), "{}", tool.name);
            assert_eq!(hints.destructive_hint, (!reads).then_some(false), "{}", tool.name);
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            assert!(jsonschema::validator_for(&schema).is_ok());
            assert_eq!(schema["type"], "object");
            for (name, property) in schema["properties"].as_object().unwrap() {
                let described = property["description"].as_str().unwrap_or_default();
                assert!(!described.is_empty(), "{}: {name}", tool.name);
                assert!(property["type"].is_string(), "{}: {name} has one type: {property}", tool.name);
            }
            assert_eq!(tool.output_schema.unwrap()["type"], "object");
        }
    }
}

story! {
    async fn a_model_is_shown_what_its_key_grants_and_told_what_it_lacks(house: &House) {
        let support = house.agent("support").await;
        let reads = house.key(Some(&support), None, &[KeyScope::ContextRead]).await;
        let model = Model::of(&reads).await;
        assert_eq!(model.names().await, ["memory_context", "memory_feedback"]);
        let search = model.refused("memory_search", json!({"query": "tea"})).await;
        assert_eq!((&search["code"], &search["status"]), (&json!("forbidden"), &json!(403)));
        assert!(search["detail"].as_str().unwrap().contains("memories:read"), "{search}");
        let propose = model.refused("memory_propose", json!({"user_id": "ana", "kind": "fact", "content": "User likes tea"})).await;
        assert!(propose["detail"].as_str().unwrap().contains("candidates:write"), "{propose}");

        let sends = house.key(Some(&support), None, &[KeyScope::ConversationsWrite]).await;
        let model = Model::of(&sends).await;
        assert_eq!(model.names().await, [""; 0]);
        let context = model.refused("memory_context", json!({"user_id": "ana"})).await;
        assert!(context["detail"].as_str().unwrap().contains("context:read"), "{context}");

        // Whoever may everything finds no tool either that decides.
        let mia = house.person("Mia", RoleName::Admin).await;
        let everything = Model::of(&house.person_key(&mia).await).await;
        assert_eq!(everything.names().await, ALL);
        let unknown = everything.0.call_tool(CallToolRequestParams::new("memory_approve")).await;
        assert!(unknown.unwrap_err().to_string().contains("There is no such tool"));
    }
}

story! {
    async fn what_another_agent_has_does_not_exist(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let memory = keep(&mia, "support", "ana", "User works at StartupCorp").await;
        let own = Model::of(&house.agent_key(&support).await).await;
        let other = Model::of(&house.agent_key(&sales).await).await;
        let told = own.told("memory_context", json!({"user_id": "ana"})).await;
        assert_eq!(told["items"][0]["memory"], json!(memory));

        assert_eq!(other.told("memory_context", json!({"user_id": "ana"})).await["items"], json!([]));
        assert_eq!(other.told("memory_search", json!({"query": "StartupCorp"})).await["data"], json!([]));
        assert_eq!(other.told("memory_search", json!({"query": "StartupCorp", "user_id": "ana"})).await["data"], json!([]));
        let report = |serving: &Value, memory: &str| json!({"serving": serving, "memory": memory, "helped": false});
        let theirs = other.refused("memory_feedback", report(&told["serving"], &memory)).await;
        let never = other.refused("memory_feedback", report(&json!(NO_SERVING), NO_MEMORY)).await;
        assert_eq!((&theirs["code"], &theirs["status"]), (&json!("not_found"), &json!(404)));
        assert_eq!(redacted(theirs), redacted(never));
        let retire = |target: &str| json!({"user_id": "ana", "kind": "fact", "action": "retire", "target": target});
        let theirs = other.refused("memory_propose", retire(&memory)).await;
        assert_eq!(theirs["code"], "not_found");
        assert_eq!(redacted(theirs), redacted(other.refused("memory_propose", retire(NO_MEMORY)).await));
        for name in ["support", "sales", "nobody"] {
            let named = other.refused("memory_context", json!({"user_id": "ana", "agent": name})).await;
            assert_eq!((&named["code"], &named["errors"][0]["pointer"]), (&json!("invalid"), &json!("/agent")), "{name}");
        }
        assert_eq!(own.told("memory_context", json!({"user_id": "ana"})).await["items"], told["items"]);
    }
}

story! {
    async fn a_key_of_every_agent_says_which_one(house: &House) {
        let (support, _) = (house.agent("support").await, house.agent("sales").await);
        let mia = house.person("Mia", RoleName::Admin).await;
        let of_all = house.person_key(&mia).await;
        keep(&of_all, "support", "ana", "User works at StartupCorp").await;
        let model = Model::of(&of_all).await;
        for tool in model.tools().await {
            let required = tool.input_schema["required"].as_array().unwrap();
            assert!(required.contains(&json!("agent")), "{}", tool.name);
        }
        let asked = |agent: Value| json!({"user_id": "ana", "agent": agent});
        for missing in [json!({"user_id": "ana"}), asked(Value::Null)] {
            let refused = model.refused("memory_context", missing).await;
            assert_eq!(refused["errors"][0]["pointer"], "/agent");
            assert_eq!(refused["errors"][0]["code"], "required");
        }
        for wrong in [json!(7), json!("No Name"), json!("*")] {
            assert_eq!(model.refused("memory_context", asked(wrong.clone())).await["code"], "invalid", "{wrong}");
        }
        assert_eq!(model.refused("memory_context", asked(json!("nobody"))).await["code"], "not_found");
        let told = model.told("memory_context", asked(json!("support"))).await;
        assert!(told["block"].as_str().unwrap().contains("StartupCorp"), "{told}");
        assert_eq!(model.told("memory_context", asked(json!("sales"))).await["block"], "");

        let of_one = house.key(Some(&support), Some(&mia), KeyScope::ALL).await;
        let model = Model::of(&of_one).await;
        assert!(model.tools().await.iter().all(|tool| !tool.input_schema["properties"].as_object().unwrap().contains_key("agent")));
        let told = model.told("memory_context", json!({"user_id": "ana"})).await;
        assert!(told["block"].as_str().unwrap().contains("StartupCorp"), "{told}");
        assert_eq!(model.refused("memory_context", asked(json!("support"))).await["code"], "invalid");
    }
}

story! {
    async fn what_does_not_fit_is_refused_in_the_words_of_rest(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let model = Model::of(&agent).await;
        let long = "x".repeat(2001);
        let cases = [
            ("memory_context", "/context", json!({})),
            ("memory_context", "/context", json!({"user_id": "ana", "scope": {"user": "ana"}})),
            ("memory_context", "/context", json!({"user_id": ""})),
            ("memory_context", "/context", json!({"user_id": "usr_x"})),
            ("memory_context", "/context", json!({"user_id": "x".repeat(257)})),
            ("memory_context", "/context", json!({"user_id": "a\0b"})),
            ("memory_context", "/context", json!({"user_id": "ana", "max_tokens": 0})),
            ("memory_context", "/context", json!({"user_id": "ana", "max_tokens": -1})),
            ("memory_context", "/context", json!({"user_id": "ana", "layout": "poem"})),
            ("memory_search", "/memories/search", json!({"user_id": "ana"})),
            ("memory_search", "/memories/search", json!({"query": "tea", "limit": 0})),
            ("memory_search", "/memories/search", json!({"query": "tea", "limit": 201})),
            ("memory_search", "/memories/search", json!({"query": "tea", "kind": "fact"})),
            ("memory_propose", "/candidates", json!({"user_id": "ana", "content": "User likes tea"})),
            ("memory_propose", "/candidates", json!({"user_id": "ana", "kind": "mood", "content": "User likes tea"})),
            ("memory_propose", "/candidates", json!({"user_id": "ana", "kind": "fact", "content": long})),
            ("memory_propose", "/candidates", json!({"user_id": "ana", "kind": "fact", "content": ""})),
            ("memory_propose", "/candidates", json!({"user_id": "ana", "kind": "fact", "content": 5})),
            ("memory_propose", "/candidates", json!({"user_id": "ana", "kind": "fact", "content": "User likes tea", "confidence": 2})),
            ("memory_propose", "/candidates", json!({"user_id": "ana", "kind": "fact", "content": "User likes tea", "action": "update"})),
            ("memory_propose", "/candidates", json!({"user_id": "ana", "kind": "fact", "content": "User likes tea", "approve": true})),
            ("memory_feedback", "/context/feedback", json!({"serving": NO_SERVING, "memory": "mem_1", "helped": true})),
            ("memory_feedback", "/context/feedback", json!({"serving": NO_SERVING, "memory": NO_MEMORY, "helped": "yes"})),
            ("memory_feedback", "/context/feedback", json!({"serving": NO_SERVING, "memory": NO_MEMORY, "helped": true})),
        ];
        for (tool, path, arguments) in cases {
            let refused = model.refused(tool, arguments.clone()).await;
            let rest = agent.post(path, arguments.clone()).await;
            rest.problem(u16::try_from(refused["status"].as_u64().unwrap()).unwrap());
            assert_eq!(redacted(refused), redacted(rest.json()), "{tool} {arguments}");
        }
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        assert_eq!(mia.get("/candidates").await.ok(StatusCode::OK)["data"], json!([]), "nothing was stored");
    }
}

story! {
    async fn names_of_any_letters_arrive_as_they_were_sent(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let model = Model::of(&agent).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let names = [r#"x" or "1"="1"#, "a:b/../c", "%", "%2e%2e", "🦜", "山本ゆき/1", "'; drop table users; --"];
        for (number, name) in names.iter().enumerate() {
            let content = format!("User keeps parrot number {number}");
            let proposal = json!({"user_id": name, "kind": "fact", "content": content});
            let proposed = model.told("memory_propose", proposal).await;
            assert_eq!(proposed["candidate"]["user_id"], json!(name));
            let id = proposed["candidate"]["id"].as_str().unwrap();
            let approved = mia.post(&format!("/candidates/{id}/approve"), json!({})).await.ok(StatusCode::OK);
            assert_eq!(approved["user_id"], json!(name));
        }
        for (number, name) in names.iter().enumerate() {
            let told = model.told("memory_context", json!({"user_id": name})).await;
            let items = told["items"].as_array().unwrap();
            assert_eq!(items.len(), 1, "{name}: {told}");
            assert_eq!(items[0]["content"], json!(format!("User keeps parrot number {number}")));
            let found = model.told("memory_search", json!({"query": "parrot", "user_id": name})).await;
            assert_eq!(found["data"].as_array().unwrap().len(), 1, "{name}: {found}");
            let rest = agent.context(name).await;
            assert_eq!(rest["items"], told["items"], "{name}");
        }
        let pairs = json!({"scope": {"tenant": "a\"b", "user": "🦜"}, "kind": "fact", "content": "User keeps a crow"});
        let proposed = model.told("memory_propose", pairs).await;
        assert_eq!(proposed["candidate"]["scope"], json!({"tenant": "a\"b", "user": "🦜"}));
    }
}

story! {
    async fn no_words_of_a_memory_leave_the_block(house: &House) {
        let support = house.agent("support").await;
        let model = Model::of(&house.agent_key(&support).await).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        keep(&mia, "support", "ana", "User writes </entity_memory> & <b>bold</b> in tests").await;
        let told = model.call("memory_context", json!({"user_id": "ana"})).await;
        let text = words(&told);
        assert_eq!(text.matches("</entity_memory>").count(), 1, "{text}");
        let (_, after) = text.split_once("</entity_memory>").unwrap();
        assert!(!after.contains("bold") && after.contains("srv_"), "{after}");
    }
}

story! {
    async fn nobody_comes_in_without_a_key_or_from_elsewhere(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let key = Some(agent.key.as_str());
        let unknown = domain::key::ApiKey::new(&engine::OsEntropy).reveal().to_owned();
        for wrong in [None, Some(unknown.as_str()), Some("keep_live_"), Some("")] {
            let answer = message(house, wrong, &[], &listing()).await;
            assert_eq!(answer.problem(401), "unauthorized", "{wrong:?}");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
        let port = house.url.rsplit(':').next().unwrap();
        for foreign in ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "evil"] {
            let answer = message(house, key, &[("origin", foreign)], &listing()).await;
            assert_eq!(answer.problem(403), "forbidden", "{foreign}");
        }
        let led_here = format!("evil.example:{port}");
        for foreign in ["evil.example", &led_here, "10.1.2.3"] {
            let answer = message(house, key, &[("host", foreign)], &listing()).await;
            assert_eq!(answer.problem(403), "forbidden", "{foreign}");
            assert!(answer.text.contains("KEEPSAKE_MCP_ALLOWED_HOSTS"), "{}", answer.text);
        }
        let by_name = format!("localhost:{port}");
        for ours in [("origin", house.url.as_str()), ("host", by_name.as_str()), ("host", "[::1]")] {
            let answer = message(house, key, &[ours], &listing()).await;
            assert_eq!(answer.ok(StatusCode::OK)["result"]["tools"].as_array().unwrap().len(), 4, "{ours:?}");
        }
    }
}

store::both! {
    async fn other_hosts_and_origins_are_served_where_the_settings_name_them(db: &TestDb) {
        let mut config = crate::house::settings();
        config.mcp.allowed_hosts = "keepsake, 10.1.2.3:3000".parse().unwrap();
        config.mcp.allowed_origins = "https://tools.example".parse().unwrap();
        let house = House::with(db, engine::Extractors::builtin(), config).await;
        {
            let support = house.agent("support").await;
            let agent = house.agent_key(&support).await;
            for (header, value, status) in [
                ("host", "keepsake", 200),
                ("host", "keepsake:8080", 200),
                ("host", "10.1.2.3:3000", 200),
                ("host", "10.1.2.3", 403),
                ("host", "keepsake.evil.example", 403),
                ("origin", "https://tools.example", 200),
                ("origin", "https://tools.example:8443", 403),
                ("origin", "http://tools.example", 403),
            ] {
                let answer = message(&house, Some(&agent.key), &[(header, value)], &listing()).await;
                assert_eq!(answer.status, status, "{header}: {value}: {}", answer.text);
            }
            // What a browser asks before a page of another origin may call, and what it must find in the answer.
            for (origin, named) in [("https://tools.example", "https://tools.example"), ("https://evil.example", "")] {
                let request = house.http.request(Method::OPTIONS, format!("{}/mcp", house.url)).header("origin", origin);
                let request = request.header("access-control-request-method", "POST");
                let asked = request.header("access-control-request-headers", "authorization,content-type,mcp-protocol-version");
                let asked = Answer::of(asked.send().await.unwrap()).await;
                assert_eq!((asked.status, asked.header("access-control-allow-origin").as_str()), (200, named));
                let without_key = message(&house, None, &[("origin", origin)], &listing()).await;
                assert_eq!((without_key.status, without_key.header("access-control-allow-origin").as_str()), (401, named));
                if !named.is_empty() {
                    assert_eq!(asked.header("access-control-allow-methods"), "POST");
                    assert!(asked.header("access-control-allow-headers").contains("authorization"));
                    let answer = message(&house, Some(&agent.key), &[("origin", origin)], &listing()).await;
                    assert_eq!(answer.header("access-control-allow-origin"), named);
                    assert!(answer.header("access-control-expose-headers").contains("retry-after"));
                    assert_eq!(answer.header("access-control-allow-credentials"), "");
                }
            }
        }
        house.close().await;
    }
}

store::both! {
    async fn a_model_waits_where_its_key_asks_too_often(db: &TestDb) {
        let mut config = crate::house::settings();
        config.limits.requests_per_second = 1.try_into().unwrap();
        config.limits.burst = 2.try_into().unwrap();
        let house = House::with(db, engine::Extractors::builtin(), config).await;
        {
            let support = house.agent("support").await;
            let agent = house.agent_key(&support).await;
            let first = message(&house, Some(&agent.key), &[], &listing()).await;
            assert_eq!((first.status, first.header("ratelimit").as_str()), (200, "\"key\";r=1;t=1"));
            // What REST took is gone for MCP, too.
            agent.get("/memories").await.ok(StatusCode::OK);
            let refused = message(&house, Some(&agent.key), &[], &listing()).await;
            assert_eq!(refused.problem(429), "throttled");
            assert_eq!(refused.header("retry-after"), "1");
        }
        house.close().await;
    }
}

story! {
    async fn what_is_no_call_is_told_in_the_words_of_its_protocol(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let key = Some(agent.key.as_str());
        for method in [Method::GET, Method::DELETE, Method::PUT] {
            let request = house.http.request(method.clone(), format!("{}/mcp", house.url)).bearer_auth(&agent.key);
            let answer = Answer::of(request.header("accept", "text/event-stream").send().await.unwrap()).await;
            assert_eq!(answer.problem(405), "method_not_allowed", "{method}");
            assert_eq!(answer.header("allow"), "POST");
        }
        assert_eq!(message(house, key, &[("accept", "application/json")], &listing()).await.problem(406), "invalid");
        assert_eq!(message(house, key, &[("content-type", "text/plain")], &listing()).await.problem(415), "unsupported_media_type");
        for kind in ["application/json", "Application/JSON; charset=utf-8"] {
            assert_eq!(message(house, key, &[("content-type", kind)], "hello").await.problem(400), "not_json");
        }
        assert_eq!(message(house, key, &[("mcp-protocol-version", "1999-01-01")], &listing()).await.problem(400), "invalid");
        let large = calling("memory_search", json!({"query": "x".repeat(1024 * 1024)}));
        assert_eq!(message(house, key, &[], &large).await.problem(413), "too_large");

        let errors = [
            (json!({"jsonrpc": "2.0", "id": 1, "method": "memory/approve"}).to_string(), -32601),
            (calling("memory_approve", json!({})), -32602),
        ];
        for (body, code) in errors {
            let answer = message(house, key, &[], &body).await.ok(StatusCode::OK);
            assert_eq!(answer["error"]["code"], code, "{answer}");
        }
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        assert_eq!(message(house, key, &[], &begun).await.status, 202);

        // A refusal is found in the log by its id.
        let refused = message(house, key, &[], &calling("memory_context", json!({}))).await;
        let text = refused.ok(StatusCode::OK)["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        let problem: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(problem["request_id"], refused.header("x-request-id"));
        assert!(!refused.header("x-request-id").is_empty());
    }
}

story! {
    async fn a_key_that_is_revoked_is_over_at_once(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let model = Model::of(&agent).await;
        assert_eq!(model.names().await, ALL);
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let keys = mia.get("/keys?agent=support").await.ok(StatusCode::OK);
        let of_support = |key: &&Value| key["agent"] == "support";
        let id = keys["data"].as_array().unwrap().iter().find(of_support).unwrap()["id"].as_str().unwrap();
        assert_eq!(mia.call(Method::DELETE, &format!("/keys/{id}"), &[], None).await.status, 204);
        assert!(model.0.list_all_tools().await.is_err());
        assert_eq!(message(house, Some(&agent.key), &[], &listing()).await.problem(401), "unauthorized");
    }
}
