//! Two agents: what one has does not exist for the other.

use domain::permission::RoleName;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    house::{Api, story},
    redact::redacted,
};
use store::testing::TestDb;

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
    async fn work_in_one_agent_changes_nothing_in_the_other_and_its_ids_mean_nothing_there(house: &House) {
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

        let said = support_key.says("ana", "I'm the CTO of StartupCorp and we're building a SaaS platform").await;
        let memory = mia.post(&approve(&of_support), json!({"content": "User likes Rust"})).await.ok(StatusCode::OK)["memory"].clone();
        let memory = memory.as_str().unwrap();
        mia.call(Method::PATCH, "/agents/support", &[], Some(json!({"max_memories": 3}))).await.ok(StatusCode::OK);
        support_key.context("ana").await;
        mia.call(Method::DELETE, &format!("/memories/{memory}"), &[("if-match", "*")], None).await.ok(StatusCode::OK);
        assert_eq!(picture(&mia, &sales_key, "sales").await, before);

        // Sales and its reviewer ask for support's things.
        let reviewer = house.person("Rei", RoleName::Admin).await;
        let rei = house.key(Some(&sales), Some(&reviewer), domain::key::KeyScope::ALL).await;
        let (memory, candidate) = (memory.to_owned(), of_support["id"].as_str().unwrap().to_owned());
        let operation = said["id"].as_str().unwrap();
        let theirs = [
            (&sales_key, Method::GET, format!("/operations/{operation}"), "op_00000000000000000000000000"),
            (&sales_key, Method::POST, format!("/operations/{operation}/retry"), "op_00000000000000000000000000"),
            (&sales_key, Method::GET, format!("/memories/{memory}"), "mem_00000000000000000000000000"),
            (&sales_key, Method::GET, format!("/memories/{memory}/revisions"), "mem_00000000000000000000000000"),
            (&rei, Method::GET, format!("/candidates/{candidate}"), "cand_00000000000000000000000000"),
            (&rei, Method::POST, format!("/candidates/{candidate}/approve"), "cand_00000000000000000000000000"),
            (&rei, Method::POST, format!("/candidates/{candidate}/reopen"), "cand_00000000000000000000000000"),
            (&rei, Method::PATCH, format!("/memories/{memory}"), "mem_00000000000000000000000000"),
            (&rei, Method::DELETE, format!("/memories/{memory}"), "mem_00000000000000000000000000"),
            (&rei, Method::POST, format!("/memories/{memory}/restore"), "mem_00000000000000000000000000"),
            (&rei, Method::GET, "/agents/support".to_owned(), "nobody"),
            (&rei, Method::PATCH, "/agents/support".to_owned(), "nobody"),
            (&rei, Method::GET, "/agents/support/kinds".to_owned(), "nobody"),
            (&rei, Method::PATCH, "/agents/support/kinds/fact".to_owned(), "nobody"),
            (&rei, Method::GET, "/agents/support/schemas".to_owned(), "nobody"),
            (&rei, Method::DELETE, "/agents/support/schemas/user-profile".to_owned(), "nobody"),
            (&rei, Method::GET, "/agents/support/stats".to_owned(), "nobody"),
        ];
        for (api, method, path, unknown) in theirs {
            let body = match method {
                Method::GET => None,
                _ if path.starts_with("/memories") && method == Method::PATCH => Some(json!({"content": "User likes Go"})),
                _ => Some(json!({})),
            };
            let headers = [("if-match", "*")];
            let told = api.call(method.clone(), &path, &headers, body.clone()).await;
            assert_eq!(told.problem(404), "not_found", "{method} {path}");
            let own = path.split('/').nth(2).unwrap();
            let never = api.call(method.clone(), &path.replace(own, unknown), &headers, body).await;
            assert_eq!(redacted(told.json()), redacted(never.json()), "{method} {path}");
        }
        assert_eq!(sales_key.get("/memories?agent=support").await.ok(StatusCode::OK)["data"], json!([]));
        let foreign = json!({"user_id": "ana", "messages": [{"role": "user", "content": "hi"}]});
        assert_eq!(sales_key.post("/conversations?agent=support", foreign).await.problem(404), "not_found");
    }
}
