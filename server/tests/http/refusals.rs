//! Bad input: each the documented problem, nothing stored, never a 500.

use domain::{
    key::KeyScope,
    permission::{Permission, RoleName},
    time::Span,
};
use engine::NewKey;
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::house::{Api, House, story};
use store::testing::TestDb;

const JSON: &str = "application/json";

fn post(content: &str) -> String {
    format!(
        r#"{{"user_id": "ana", "end": true, "messages": [{{"role": "user", "content": {content}}}]}}"#
    )
}

story! {
    async fn bad_conversations_are_refused_and_store_nothing(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let long = "x".repeat(10_000);
        let many = format!(r#"{{"user_id": "ana", "messages": [{}]}}"#, vec![r#"{"role": "user", "content": "hi"}"#; 600].join(","));
        let deep = format!(r#"{{"user_id": "ana", "x": {}{}}}"#, "[".repeat(5000), "]".repeat(5000));
        let cases: Vec<(&str, String, u16, &str, &str)> = vec![
            ("no JSON", "hello".into(), 400, "not_json", ""),
            ("cut off", r#"{"user_id": "ana""#.into(), 400, "not_json", ""),
            ("a list", "[]".into(), 422, "invalid", ""),
            ("deep", deep, 422, "invalid", "/messages"),
            ("nobody", r#"{"end": true, "messages": []}"#.into(), 422, "invalid", "/user_id"),
            ("both", r#"{"user_id": "a", "scope": {"user_id": "a"}, "end": true}"#.into(), 422, "invalid", "/scope"),
            ("six pairs", r#"{"scope": {"a":"1","b":"1","c":"1","d":"1","e":"1","f":"1"}, "end": true}"#.into(), 422, "invalid", "/scope"),
            ("no messages", r#"{"user_id": "ana", "messages": []}"#.into(), 422, "invalid", "/messages"),
            ("unknown role", r#"{"user_id": "ana", "messages": [{"role": "boss", "content": "x"}]}"#.into(), 422, "invalid", "/messages/0/role"),
            ("no role", r#"{"user_id": "ana", "messages": [{"content": "x"}]}"#.into(), 422, "invalid", "/messages/0/role"),
            ("a number", post("5"), 422, "invalid", "/messages/0/content"),
            ("NUL", post(r#""a\u0000b""#), 422, "invalid", "/messages/0/content"),
            ("lone surrogate", post(r#""\ud83d""#), 400, "not_json", ""),
            ("long message", post(&format!("\"{}\"", "x".repeat(32 * 1024 + 1))), 422, "invalid", "/messages/0/content"),
            ("600 messages", many, 422, "invalid", "/messages"),
            ("empty user", r#"{"user_id": "", "end": true}"#.into(), 422, "invalid", "/user_id"),
            ("long user", format!(r#"{{"user_id": "{long}", "end": true}}"#), 422, "invalid", "/user_id"),
            ("long conversation", format!(r#"{{"user_id": "ana", "conversation_id": "{long}", "end": true}}"#), 422, "invalid", "/conversation_id"),
            ("ours", r#"{"user_id": "usr_x", "end": true}"#.into(), 422, "invalid", "/user_id"),
            ("zone", r#"{"user_id": "ana", "time_zone": "Mars/Base", "end": true}"#.into(), 422, "invalid", "/time_zone"),
            ("time", r#"{"user_id": "ana", "messages": [{"role": "user", "content": "x", "at": "yesterday"}]}"#.into(), 422, "invalid", "/messages/0/at"),
        ];
        for (name, body, status, code, pointer) in cases {
            let answer = house.raw(&agent.key, Method::POST, "/conversations", JSON, body).await;
            assert_eq!(answer.problem(status), code, "{name}");
            assert_eq!(answer.json().pointer("/errors/0/pointer").and_then(|p| p.as_str()).unwrap_or(""), pointer, "{name}: {}", answer.text);
            assert!(answer.text.len() < 2_000, "{name} is answered at length");
            let time = answer.text.contains("such as 2026-12-01T09:30:00Z");
            assert_eq!(time, name == "time", "{}", answer.text);
            // Where people stumble first, the sentence says what to do.
            let said = match name {
                "a list" => ("wrong_type", "an object, not a list, is needed"),
                "empty user" => ("required", "user_id is needed; it must not be empty"),
                "long user" => ("too_long", "user_id: a key has 1 to 64 characters"),
                _ => continue,
            };
            let error = &answer.json()["errors"][0];
            assert_eq!(error["code"], said.0, "{name}");
            assert!(error["detail"].as_str().unwrap().starts_with(said.1), "{error}");
        }
        let large = post(&format!("\"{}\"", "x".repeat(2 * 1024 * 1024)));
        assert_eq!(house.raw(&agent.key, Method::POST, "/conversations", JSON, large).await.problem(413), "too_large");
        let bytes = house.raw(&agent.key, Method::POST, "/conversations", JSON, vec![b'"', 0xff, 0xfe, b'"']).await;
        assert_eq!(bytes.problem(400), "not_json");
        let plain = house.raw(&agent.key, Method::POST, "/conversations", "text/plain", post("\"x\"")).await;
        assert_eq!(plain.problem(415), "unsupported_media_type");

        assert_eq!(mia.get("/users").await.ok(StatusCode::OK)["data"], json!([]), "nothing was stored");
    }
}

story! {
    async fn unknown_fields_are_named_to_agents_and_refused_to_administrators(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let body = json!({"user_id": "ana", "colour": 1, "messages": [{"role": "user", "content": "hi", "mood": "fine"}]});
        let taken = agent.post("/conversations", body).await.ok(StatusCode::ACCEPTED);
        assert_eq!(taken["warnings"], json!(["unknown field: colour", "unknown field: messages.0.mood"]));
        let asked = agent.post("/context", json!({"user_id": "ana", "top_k": 5})).await.ok(StatusCode::OK);
        assert_eq!(asked["warnings"], json!(["unknown field: top_k"]));

        let refused = mia.call(Method::PATCH, "/agents/support", &[], Some(json!({"lern": false}))).await;
        assert_eq!(refused.problem(422), "invalid");
        assert_eq!(refused.json()["errors"][0], json!({"pointer": "/lern", "code": "unknown_field", "detail": refused.json()["errors"][0]["detail"]}));
        let unknown = mia.get("/candidates?stat=pending").await;
        assert_eq!(unknown.problem(422), "invalid");
        assert_eq!(unknown.json()["errors"][0]["pointer"], "/stat");
        assert!(unknown.json()["detail"].as_str().unwrap().starts_with("/stat: unknown field"), "{}", unknown.text);
        let ana = mia.get("/users?user_id=ana").await.ok(StatusCode::OK);
        assert_eq!((ana["data"].as_array().unwrap().len(), &ana["data"][0]["user_id"]), (1, &json!("ana")));
        assert_eq!(mia.get("/users?user_id=nobody").await.ok(StatusCode::OK)["data"], json!([]));
        assert_eq!(mia.get("/candidates?limit=201").await.problem(422), "invalid");
        assert_eq!(mia.get("/candidates?cursor=nonsense").await.problem(422), "invalid");
        assert_eq!(mia.get("/candidates?user_id=a%00b").await.problem(422), "invalid");
    }
}

story! {
    async fn wrong_keys_open_nothing_and_do_not_tell_why(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let soon = NewKey {
            agent: Some(support.clone()),
            scopes: KeyScope::OF_AN_AGENT.to_vec(),
            person: None,
            name: None,
            expires_at: Some(house.now() + Span::hours(1)),
        };
        let (expiring, _) = house.engine.create_key(&House::system(Permission::Administer), soon).await.unwrap();
        let expiring = Api { house, key: expiring.reveal().to_owned() };
        expiring.get("/memories").await.ok(StatusCode::OK);
        house.clock.advance(Span::hours(1));

        let mut typo = agent.key.clone();
        typo.replace_range(12..13, if typo.as_bytes()[12] == b'a' { "b" } else { "a" });
        let unknown = domain::key::ApiKey::new(&engine::OsEntropy).reveal().to_owned();
        let mut bodies = Vec::new();
        for key in [expiring.key.as_str(), &typo, &unknown, "keep_live_", "", "🗝️"] {
            let answer = house
                .http
                .get(format!("{}/api/v1/memories", house.url))
                .header("authorization", reqwest::header::HeaderValue::from_bytes(format!("Bearer {key}").as_bytes()).unwrap())
                .send()
                .await
                .unwrap();
            let answer = crate::house::Answer::of(answer).await;
            assert_eq!(answer.problem(401), "unauthorized", "{key}");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            bodies.push(crate::redact::redacted(answer.json()));
        }
        // Who sends nothing that could be a key is told that one is missing; which fault a key has is not told.
        for missing in bodies.split_off(4) {
            assert!(missing["detail"].as_str().unwrap().starts_with("Send a key"), "{missing}");
        }
        bodies.dedup();
        assert_eq!(bodies.len(), 1, "{bodies:?}");
    }
}

story! {
    async fn addresses_and_methods_that_are_not_there_are_problems_too(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        assert_eq!(agent.get("/nothing").await.problem(404), "not_found");
        let unknown = agent.call(Method::PUT, "/memories", &[], None).await;
        assert_eq!(unknown.problem(405), "method_not_allowed");
        assert!(unknown.header("allow").contains("POST"), "{unknown:?}");
        assert!(unknown.header("ratelimit").starts_with("\"key\";r="), "{unknown:?}");
        assert_eq!(unknown.header("ratelimit-policy"), agent.get("/memories").await.header("ratelimit-policy"));
        assert_eq!(agent.get("/memories/%FF").await.problem(404), "not_found");
        assert_eq!(agent.get(&format!("/memories/{}", "x".repeat(10_000))).await.problem(404), "not_found");
        assert_eq!(agent.get("/memories/mem_00000000000000000000000000").await.problem(404), "not_found");
        let odd = agent.call(Method::POST, "/conversations", &[("idempotency-key", "")], Some(json!({"user_id": "ana", "end": true}))).await;
        assert_eq!(odd.problem(400), "invalid");
    }
}

store::both! {
    async fn a_key_that_asks_too_often_is_told_to_wait(db: &TestDb) {
        let mut config = crate::house::settings();
        config.limits.requests_per_second = 1.try_into().unwrap();
        config.limits.burst = 2.try_into().unwrap();
        let house = House::with(db, engine::Extractors::builtin(), config).await;
        {
            let support = house.agent("support").await;
            let agent = house.agent_key(&support).await;
            let other = house.agent_key(&support).await;
            let first = agent.get("/memories").await;
            assert_eq!((first.status, first.header("ratelimit").as_str()), (200, "\"key\";r=1;t=1"));
            assert_eq!(first.header("ratelimit-policy"), "\"key\";q=2");
            agent.get("/memories").await.ok(StatusCode::OK);
            let refused = agent.get("/memories").await;
            assert_eq!(refused.problem(429), "throttled");
            assert_eq!(refused.header("retry-after"), "1");
            other.get("/memories").await.ok(StatusCode::OK);
        }
        house.close().await;
    }
}
