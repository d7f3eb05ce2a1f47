//! `Idempotency-Key`: once done, twice answered.

use domain::permission::RoleName;
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::house::story;
use store::testing::TestDb;

story! {
    async fn the_same_post_is_done_once_and_answered_twice(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let other = house.agent_key(&support).await;
        let once = [("idempotency-key", "9f0c-1")];
        let body = json!({"user_id": "ana", "messages": [{"role": "user", "content": "hello"}]});
        let post = |api: &crate::house::Api<'_>, body: &serde_json::Value| {
            let (key, body) = (crate::house::Api { house, key: api.key.clone() }, body.clone());
            async move { key.call(Method::POST, "/conversations", &once, Some(body)).await }
        };
        let first = post(&agent, &body).await;
        let again = post(&agent, &body).await;
        assert_eq!(first.ok(StatusCode::ACCEPTED), again.ok(StatusCode::ACCEPTED));
        assert_eq!(first.header("location"), again.header("location"));
        assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), (String::new(), "true".to_owned()));

        let changed = json!({"user_id": "ana", "messages": [{"role": "user", "content": "goodbye"}]});
        assert_eq!(post(&agent, &changed).await.problem(422), "idempotency_mismatch");
        let theirs = post(&other, &changed).await.ok(StatusCode::ACCEPTED);
        assert_ne!(theirs["conversation"], first.json()["conversation"]);
    }
}

story! {
    async fn a_refused_call_is_not_remembered(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Reviewer).await;
        let mia = house.person_key(&mia).await;
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let candidate = mia.waiting("ana").await.remove(0);
        let path = format!("/candidates/{}/approve", candidate["id"].as_str().unwrap());
        let headers = [("idempotency-key", "k1"), ("if-match", "\"9\"")];
        assert_eq!(mia.call(Method::POST, &path, &headers, Some(json!({}))).await.problem(412), "stale");
        mia.call(Method::POST, &path, &headers[..1], Some(json!({}))).await.ok(StatusCode::OK);
        let again = mia.call(Method::POST, &path, &headers[..1], Some(json!({}))).await;
        assert_eq!(again.ok(StatusCode::OK)["status"], "approved");
        assert_eq!(again.header("etag"), "\"2\"");
    }
}

story! {
    // E2
    async fn what_is_placed_claimed_tested_or_erased_under_a_key_is_done_once(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let ada = house.person("Ada", RoleName::Admin).await;
        let ada = house.person_key(&ada).await;
        agent.says("ana", "I live in Oslo").await;
        let candidate = ada.waiting("ana").await.remove(0)["id"].as_str().unwrap().to_owned();
        let hook = json!({"agent": "support", "url": "https://runtime.invalid/hook", "events": ["memory.recalled"]});
        let hook = ada.post("/webhooks", hook).await.ok(StatusCode::CREATED)["webhook"]["id"].as_str().unwrap().to_owned();
        for (path, body) in [
            ("/holds".to_owned(), json!({"agent": "support", "user_id": "ana", "reason": "Case 12-345"})),
            (format!("/candidates/{candidate}/claim"), json!({})),
            (format!("/webhooks/{hook}/test"), json!({})),
        ] {
            let key = [("idempotency-key", path.as_str())];
            let first = ada.call(Method::POST, &path, &key, Some(body.clone())).await;
            assert!(matches!(first.status, 200 | 201), "{first:?}");
            house.clock.advance(domain::time::Span::minutes(1));
            let again = ada.call(Method::POST, &path, &key, Some(body)).await;
            assert_eq!((again.status, again.json()), (first.status, first.json()), "{path}");
            assert_eq!(again.header("idempotency-replayed"), "true", "{path}");
        }
        let holds = ada.get("/holds").await.ok(StatusCode::OK);
        assert_eq!(holds["data"].as_array().unwrap().len(), 1, "{holds}");
        let hold = format!("/holds/{}", holds["data"][0]["id"].as_str().unwrap());
        ada.call(Method::DELETE, &hold, &[], None).await.ok(StatusCode::OK);

        let seen = ada.get("/users/ana/erasure?agent=support").await.ok(StatusCode::OK);
        let path = format!("/users/{}/erase", seen["user"].as_str().unwrap());
        let erase = json!({"confirm": seen["confirm"], "version": seen["version"], "reason": "asked_for"});
        let key = [("idempotency-key", "erase-ana")];
        ada.call(Method::POST, &path, &key, Some(erase.clone())).await.ok(StatusCode::OK);
        let again = ada.call(Method::POST, &path, &key, Some(erase.clone())).await;
        assert_eq!(again.problem(410), "idempotency_gone", "it is done, and its answer went with what was kept of them");
        assert_eq!(ada.post(&path, erase).await.problem(410), "erased");
    }
}
