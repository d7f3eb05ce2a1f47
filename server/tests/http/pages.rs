//! What a browser is answered on the pages.

use domain::permission::RoleName;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, story},
    sign_in::Browser,
};

async fn proposed(key: &Api<'_>, content: &str) -> Value {
    let body = json!({
        "user_id": "ana", "kind": "preference", "name": "favourite player", "content": content
    });
    let answer = key.post("/candidates", body).await.ok(StatusCode::CREATED);
    answer["candidate"].clone()
}

story! {
    async fn nul_in_an_address_or_a_form_is_refused_as_not_understood(house: &House) {
        let support = house.agent("support").await;
        house.person("Mia", RoleName::Admin).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        for path in [
            "/review?kind=%00", "/review?after=%00", "/review?c=%00", "/memories?kind=%00", "/memories?q=a%00b", "/users?q=%00",
            "/login?next=%00", "/setup?token=%00",
        ] {
            let page = mia.get(path).await;
            assert_eq!(page.status, 422, "{path}: {}", page.text);
            assert!(page.text.contains("Not understood"), "{path}: {}", page.text);
        }
        assert_eq!(mia.get("/memories?q=%2500&kind=fact").await.status, 200);
        for (path, field) in [("/agents", "name"), ("/login", "email"), (&format!("/agents/{support}/keys"), "name")] {
            let page = mia.post(path, &[(field, "a\0b")]).await;
            assert_eq!(page.status, 422, "{path}: {}", page.text);
        }
    }
}

story! {
    // F2, F7
    async fn an_approval_of_an_update_names_what_was_seen_and_shows_what_is_there(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        house.person("Mia", RoleName::Admin).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;

        let first = proposed(&agent, "User's favourite player is Ronaldo").await;
        let approve = |of: &Value| format!("/candidates/{}/approve", of["id"].as_str().unwrap());
        let memory = bo.post(&approve(&first), json!({})).await.ok(StatusCode::OK)["memory"].clone();
        let memory = memory.as_str().unwrap();
        let update = proposed(&agent, "User's favourite player is Messi").await;
        let here = format!("/candidates/{}", update["id"].as_str().unwrap());
        assert!(mia.get(&here).await.text.contains("name=\"target_revision\" value=\"1\""));
        let change = json!({"content": "User's favourite player is Zidane"});
        bo.call(reqwest::Method::PATCH, &format!("/memories/{memory}"), &[("if-match", "\"1\"")], Some(change)).await.ok(StatusCode::OK);

        let stale = bo.post(&approve(&update), json!({"target_revision": 1})).await;
        assert_eq!(stale.problem(412), "stale");
        assert_eq!(stale.json()["current"]["revision"], 2);
        let one = json!({"decisions": [{"id": update["id"], "decision": "approve", "target_revision": 1}]});
        let many = bo.post("/candidates/decide", one).await.ok(StatusCode::OK);
        assert_eq!(many["results"][0]["code"], "stale");

        let typed = "User's favourite player is Lionel Messi";
        let form = [("version", "1"), ("target_revision", "1"), ("here", here.as_str()), ("edited", "1"), ("content", typed)];
        let refused = mia.post(&approve(&update), &form).await;
        assert_eq!(refused.status, 303, "{}", refused.text);
        let page = mia.get(&refused.header("location")).await.text;
        for there in ["Zidane", "data-failed", "Lionel Messi", "name=\"target_revision\" value=\"2\""] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let done = mia.post(&approve(&update), &[("version", "1"), ("target_revision", "2")]).await;
        assert_eq!(done.status, 303, "{}", done.text);
        let now = bo.get(&format!("/memories/{memory}")).await.ok(StatusCode::OK);
        assert_eq!((&now["revision"], &now["content"]), (&json!(3), &json!("User's favourite player is Messi")));
    }
}

story! {
    async fn a_filtered_queue_is_headed_by_how_many_fit_and_keeps_the_whole_in_its_chip(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let reads = house.person_key(&mia).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        for (user, name) in [("ana", "tea"), ("bo", "tea"), ("bo", "cake")] {
            let body = json!({"user_id": user, "kind": "preference", "name": name, "content": format!("User prefers green {name}")});
            agent.post("/candidates", body).await.ok(StatusCode::CREATED);
        }
        let whole = mia.get("/review").await.text;
        assert!(whole.contains(">3 waiting"), "{whole}");
        let users = reads.get("/users").await.ok(StatusCode::OK);
        let bo = users["data"].as_array().unwrap().iter().find(|user| user["user_id"] == "bo").unwrap();
        let page = mia.get(&format!("/review?user={}", bo["id"].as_str().unwrap())).await.text;
        assert!(page.contains(">2 waiting") && page.contains("<b>3</b>"), "{page}");
    }
}
