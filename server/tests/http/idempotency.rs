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
