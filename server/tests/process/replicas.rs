//! One binary, with nothing set but where its data is: by itself on SQLite, and as several processes on one PostgreSQL.

use reqwest::Client;
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::installation::{Installation, call, ended, operation};

store::both! {
    // F14
    async fn without_a_model_key_one_process_does_all_and_what_one_of_many_took_the_others_have(db: &TestDb) {
        let here = Installation::on(db);
        let keys = here.people();
        // On PostgreSQL two processes answer and a third one works; on SQLite one does all.
        let (first, second, _worker) = if here.is_postgres() {
            let only = || here.serve(&["--no-worker"]);
            (only(), Some(only()), Some(here.start(&["worker"])))
        } else {
            (here.serve(&[]), None, None)
        };
        let one = first.url.clone();
        let other = second.as_ref().map_or(&one, |second| &second.url).clone();
        assert_eq!(here.data().join("keepsake.db").exists(), !here.is_postgres());

        let said = json!({"user_id": "ana", "end": true, "messages": [{"role": "user", "content": "I prefer code examples in Python rather than pseudocode"}]});
        let mut taken = Vec::new();
        for url in [&one, &other] {
            let post = Client::new().post(format!("{url}/api/v1/conversations")).bearer_auth(&keys.agent);
            let post = post.header("idempotency-key", "once").json(&said).send().await.unwrap();
            assert_eq!(post.status(), 202);
            taken.push(post.json::<Value>().await.unwrap());
        }
        assert_eq!(taken[0], taken[1], "taken once, whoever is asked");
        let read = operation(&other, &keys.agent, taken[0]["operation"].as_str().unwrap(), ended).await;
        assert_eq!(read["state"], "succeeded", "{read}");
        let (_, queue) = call(&other, &keys.person, "GET", "/candidates?status=pending", None).await;
        let mut waiting = queue["data"].as_array().unwrap().iter();
        let candidate = waiting.find(|one| one["kind"] == "preference").unwrap_or_else(|| panic!("{queue}"));
        assert_eq!(candidate["extractor"]["name"], "builtin", "{candidate}");
        let approve = format!("/candidates/{}/approve", candidate["id"].as_str().unwrap());
        let (status, approved) = call(&other, &keys.person, "POST", &approve, Some(json!({}))).await;
        assert_eq!(status, 200, "{approved}");
        let (_, told) = call(&one, &keys.agent, "POST", "/context", Some(json!({"user_id": "ana"}))).await;
        assert!(told["block"].as_str().unwrap().contains("Python"), "{told}");
        let (_, verified) = call(&one, &keys.person, "GET", "/audit/verify", None).await;
        assert_eq!(verified["ok"], true, "{verified}");
    }
}
