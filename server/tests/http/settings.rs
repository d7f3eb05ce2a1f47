//! What an administrator sets over REST: policies, triggers, budget, opt-out; and the answers that tell how to go on.

use domain::{permission::RoleName, time::Span};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    house::{Api, story},
    schema::assert_described,
};
use store::testing::TestDb;

const PYTHON: &str = "I prefer code examples in Python rather than pseudocode";

async fn patch(api: &Api<'_>, path: &str, body: Value) -> crate::house::Answer {
    api.call(Method::PATCH, path, &[], Some(body)).await
}

story! {
    // A7, A12
    async fn a_policy_is_switched_on_by_who_calls_whatever_the_body_says(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let rei = house.person("Rei", RoleName::Reviewer).await;
        let (mia_id, mia, rei) = (mia.id.clone(), house.person_key(&mia).await, house.person_key(&rei).await);
        let policy = json!({"auto_approve": [{"name": "tastes", "kinds": ["preference"], "min_confidence": 0.8}]});
        assert_eq!(patch(&agent, "/agents/support", policy.clone()).await.problem(403), "forbidden", "an agent's key");
        assert_eq!(patch(&rei, "/agents/support", policy.clone()).await.problem(403), "forbidden", "a reviewer");
        for field in ["by", "at"] {
            let mut forged = policy.clone();
            forged["auto_approve"][0][field] = json!("per_00000000000000000000000000");
            let refused = patch(&mia, "/agents/support", forged).await;
            assert_eq!(refused.problem(422), "invalid", "{field}");
        }
        let odd = json!({"auto_approve": [{"name": "tastes", "kinds": ["mood"], "min_confidence": 0.8}]});
        let odd = patch(&mia, "/agents/support", odd).await;
        assert_eq!((odd.problem(422).as_str(), odd.json()["errors"][0]["pointer"].as_str()), ("invalid", Some("/auto_approve/0/kinds/0")));
        let nowhere = patch(&mia, "/agents/support", json!({"extractor": "bananas"})).await;
        assert_eq!(nowhere.problem(422), "invalid");
        let fault = &nowhere.json()["errors"][0];
        assert_eq!(fault["pointer"], "/extractor");
        assert!(fault["detail"].as_str().unwrap().contains("provider::model"), "{fault}");

        // G11
        let listed = patch(&mia, "/agents/support", json!({"allowed_extractors": ["builtin", "bananas"]})).await;
        assert_eq!((listed.problem(422).as_str(), &listed.json()["errors"][0]["pointer"]), ("invalid", &json!("/allowed_extractors/1")));
        let list = json!({"allowed_extractors": ["builtin", "https://models.example/v1"]});
        let listed = patch(&mia, "/agents/support", list).await.ok(StatusCode::OK);
        assert_eq!(listed["allowed_extractors"], json!(["builtin", "https://models.example/v1/"]));
        let outside = patch(&mia, "/agents/support", json!({"extractor": "builtin", "allowed_extractors": ["https://models.example/v1"]})).await;
        assert_eq!(outside.problem(422), "invalid");
        let fault = &outside.json()["errors"][0];
        assert_eq!((&fault["pointer"], &fault["code"]), (&json!("/extractor"), &json!("not_allowed")));
        assert!(fault["detail"].as_str().unwrap().contains("may use only https://models.example/v1/; builtin"), "{fault}");

        let set = patch(&mia, "/agents/support", policy).await.ok(StatusCode::OK);
        assert_described(&set, "AgentView");
        assert_eq!(set["auto_approve"][0]["by"], json!(mia_id));
        assert!(set["auto_approve"][0]["at"].is_string());

        let said = agent.says("ana", PYTHON).await;
        let candidate = mia.get(&format!("/candidates/{}", said["candidates"][0].as_str().unwrap())).await.ok(StatusCode::OK);
        assert_eq!(candidate["status"], "approved");
        assert_eq!(candidate["decided_by"], json!({"type": "policy", "name": "Mia", "policy": "tastes"}));
        assert_eq!(candidate["decisions"][0]["by"]["policy"], "tastes");
        assert_eq!(agent.context("ana").await["items"].as_array().unwrap().len(), 1);
        // What a policy must never decide.
        let flagged = agent.says("ana", "I prefer vegan food because of my diabetes").await;
        for id in flagged["candidates"].as_array().unwrap() {
            let candidate = mia.get(&format!("/candidates/{}", id.as_str().unwrap())).await.ok(StatusCode::OK);
            assert!(candidate["flags"] == json!([]) || candidate["status"] == "pending", "{candidate}");
        }
        let verified = mia.get("/audit/verify").await.ok(StatusCode::OK);
        assert_eq!(verified["ok"], true);
    }
}

story! {
    // C2, D10
    async fn with_the_triggers_off_an_operation_is_answered_and_waits_for_the_end(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let off = json!({"trigger": {"messages": null, "quiet_seconds": null, "interval_seconds": null}});
        let set = patch(&mia, "/agents/support", off).await.ok(StatusCode::OK);
        assert_eq!(set["trigger"], json!({"messages": null, "quiet_seconds": null, "interval_seconds": null}));
        let post = |body: Value| async { agent.post("/conversations", body).await.ok(StatusCode::ACCEPTED) };
        let said = post(json!({"user_id": "ana", "conversation_id": "c-1", "messages": [{"role": "user", "content": PYTHON}]})).await;
        house.clock.advance(Span::days(2));
        assert!(mia.waiting("ana").await.is_empty());
        let path = format!("/operations/{}", said["operation"].as_str().unwrap());
        let waits = agent.get(&path).await.ok(StatusCode::OK);
        assert_eq!((&waits["state"], &waits["next_at"]), (&json!("queued"), &json!(null)));
        assert_described(&waits, "OperationView");
        let ended = post(json!({"user_id": "ana", "conversation_id": "c-1", "messages": [], "end": true})).await;
        assert_eq!(ended["operation"], said["operation"]);
        agent.finished(said["operation"].as_str().unwrap()).await;
        assert_eq!(mia.waiting("ana").await.len(), 1);

        // One trigger alone; the others stay off.
        let set = patch(&mia, "/agents/support", json!({"trigger": {"interval_seconds": 300}})).await.ok(StatusCode::OK);
        assert_eq!(set["trigger"], json!({"messages": null, "quiet_seconds": null, "interval_seconds": 300}));
    }
}

story! {
    // G2
    async fn a_person_opts_out_over_rest_and_nothing_is_learnt_or_told(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let said = agent.says("ana", PYTHON).await;
        let approved = mia.post(&format!("/candidates/{}/approve", said["candidates"][0].as_str().unwrap()), json!({})).await.ok(StatusCode::OK);
        let memory = format!("/memories/{}", approved["memory"].as_str().unwrap());
        assert_eq!(agent.get(&memory).await.status, 200);

        assert_eq!(patch(&agent, "/users/ana", json!({"opted_out": true})).await.problem(403), "forbidden");
        assert_eq!(patch(&mia, "/users/ana", json!({"opted_in": true})).await.problem(422), "invalid");
        let out = patch(&mia, "/users/ana", json!({"opted_out": true})).await.ok(StatusCode::OK);
        assert_described(&out, "OptOutView");
        assert_eq!((&out["user_id"], &out["opted_out"]), (&json!("ana"), &json!(true)));
        let user = mia.get("/users/ana?agent=support").await.ok(StatusCode::OK);
        assert_described(&user, "UserDetail");
        assert_eq!(user["opted_out"], true);

        let context = agent.context("ana").await;
        assert_described(&context, "Context");
        assert_eq!((&context["reason"], &context["block"]), (&json!("opted_out"), &json!("")));
        assert_eq!(agent.get(&memory).await.problem(404), "not_found");
        assert_eq!(agent.get("/memories?user_id=ana").await.ok(StatusCode::OK)["data"], json!([]));
        let found = agent.post("/memories/search", json!({"user_id": "ana", "query": "Python"})).await.ok(StatusCode::OK);
        assert_eq!(found["data"], json!([]));
        assert_eq!(mia.get(&memory).await.status, 200, "people still see what is stored");
        let accepted = agent.post("/conversations", json!({"user_id": "ana", "end": true, "messages": [{"role": "user", "content": "I live in Oslo"}]})).await.ok(StatusCode::ACCEPTED);
        assert_eq!((&accepted["skipped"], &accepted["conversation"]), (&json!("opted_out"), &json!(null)));

        patch(&mia, "/users/ana", json!({"opted_out": false})).await.ok(StatusCode::OK);
        assert_eq!(agent.context("ana").await["items"].as_array().unwrap().len(), 1);
        // By our id, and before anybody has heard of a name.
        let ours = user["id"].as_str().unwrap();
        assert_eq!(patch(&mia, &format!("/users/{ours}"), json!({"opted_out": true})).await.ok(StatusCode::OK)["users"], json!([ours]));
        assert_eq!(patch(&mia, "/users/nobody", json!({"opted_out": true})).await.ok(StatusCode::OK)["users"], json!([]));
    }
}

story! {
    // A12, B4, F2, G14
    async fn a_refusal_says_how_to_go_on(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        patch(&mia, "/agents/support", json!({"max_memories": 1})).await.ok(StatusCode::OK);
        let candidate = async |words: &str| {
            let said = agent.says("ana", words).await;
            said["candidates"][0].as_str().unwrap().to_owned()
        };
        let first = candidate(PYTHON).await;
        let first = mia.post(&format!("/candidates/{first}/approve"), json!({})).await.ok(StatusCode::OK);
        let second = candidate("I'm the CTO of StartupCorp and we're building a SaaS platform").await;
        let full = mia.post(&format!("/candidates/{second}/approve"), json!({})).await;
        assert_eq!(full.problem(409), "memory_limit");
        assert_described(&full.json(), "ProblemDocument");
        let room = full.json()["candidate"].as_str().unwrap().to_owned();
        let room_view = mia.get(&format!("/candidates/{room}")).await.ok(StatusCode::OK);
        assert_eq!((&room_view["action"], &room_view["target"], &room_view["cause"]), (&json!("retire"), &first["memory"], &json!("limit")));

        // Meanwhile the memory changes: the retirement is decided on what is there.
        let path = format!("/memories/{}", first["memory"].as_str().unwrap());
        let edit = json!({"content": "User prefers Python and Rust"});
        mia.call(Method::PATCH, &path, &[("if-match", "\"1\"")], Some(edit)).await.ok(StatusCode::OK);
        let stale = mia.post(&format!("/candidates/{room}/approve"), json!({})).await;
        assert_eq!(stale.problem(412), "stale");
        assert_eq!((&stale.json()["current"]["revision"], &stale.json()["current"]["content"]), (&json!(2), &json!("User prefers Python and Rust")));
        let moved = mia.get(&format!("/candidates/{room}")).await.ok(StatusCode::OK);
        assert_described(&moved, "CandidateDetail");
        assert_eq!((&moved["target_revision"], &moved["was"]["revision"], &moved["base"]["revision"]), (&json!(1), &json!(1), &json!(2)));
        mia.post(&format!("/candidates/{room}/approve"), json!({"target_revision": 2})).await.ok(StatusCode::OK);
        mia.post(&format!("/candidates/{second}/approve"), json!({})).await.ok(StatusCode::OK);
        assert_eq!(agent.context("ana").await["items"].as_array().unwrap().len(), 1);

        let stats = mia.get("/agents/support/stats").await.ok(StatusCode::OK);
        assert_described(&stats, "Figures");
        assert_eq!((&stats["today"]["extractions"], &stats["today"]["used"], &stats["today"]["budget_warning"]), (&json!(2), &json!(null), &json!(false)));
        let set = patch(&mia, "/agents/support", json!({"budget": {"tokens_per_day": 1000, "price_in": 3.0}})).await.ok(StatusCode::OK);
        assert_eq!(set["budget"], json!({"tokens_per_day": 1000, "money_per_day": null, "price_in": 3.0, "price_out": null}));
        let stats = mia.get("/agents/support/stats").await.ok(StatusCode::OK);
        assert_eq!((&stats["today"]["used"], &stats["today"]["cost"]), (&json!(0.0), &json!(0.0)), "the built-in extractor costs nothing");
    }
}

story! {
    // A11
    async fn the_kinds_in_use_are_told_as_they_are_set(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let shown = async || mia.get("/agents/support").await.ok(StatusCode::OK);
        let fresh = shown().await;
        assert_eq!(fresh["kinds"]["sets"], json!(["assistant"]));
        assert_eq!((&fresh["kinds"]["enabled"]["fact"], fresh["kinds"]["enabled"].get("metric")), (&json!(true), None));
        let set = patch(&mia, "/agents/support", json!({"kinds": {"sets": ["assistant", "business"], "enabled": {"fact": false}}})).await;
        assert_eq!(set.header("etag"), "\"2\"", "kinds are settings too");
        let set = set.ok(StatusCode::OK);
        assert_described(&set, "AgentView");
        assert_eq!(set["kinds"]["sets"], json!(["assistant", "business"]));
        assert_eq!((&set["kinds"]["enabled"]["fact"], &set["kinds"]["enabled"]["metric"]), (&json!(false), &json!(true)));
        let shown = shown().await;
        assert_eq!((&shown["kinds"], &shown["version"]), (&set["kinds"], &json!(2)));
        let same = patch(&mia, "/agents/support", json!({"kinds": shown["kinds"]})).await.ok(StatusCode::OK);
        assert_eq!((&same["kinds"], &same["version"]), (&set["kinds"], &json!(2)));
        let stale = mia.call(Method::PATCH, "/agents/support", &[("if-match", "\"1\"")], Some(json!({"kinds": {"sets": []}}))).await;
        assert_eq!(stale.problem(412), "stale");
    }
}
