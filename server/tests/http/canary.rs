//! No text of a person is readable in the files of the database.

use std::{
    fs,
    path::{Path, PathBuf},
};

use domain::permission::RoleName;
use reqwest::StatusCode;
use serde_json::json;

use crate::house::House;
use store::testing::TestDb;

/// Words that are nowhere else.
const CANARY: &str = "Zanzibarquartz";
const USER: &str = "ana.quuxington@example.org";

fn holds(path: &Path, needles: &[&str], found: &mut Vec<String>) {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return;
    };
    if meta.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            holds(&entry.path(), needles, found);
        }
        return;
    }
    let Ok(bytes) = fs::read(path) else { return };
    for needle in needles {
        if bytes
            .windows(needle.len())
            .any(|window| window == needle.as_bytes())
        {
            found.push(format!("{needle} in {}", path.display()));
        }
    }
}

/// Where the database keeps its files. PostgreSQL's are readable where the tests started it.
fn folders(db: &TestDb) -> Vec<PathBuf> {
    match &db.dir {
        Some(dir) => vec![dir.path().to_owned()],
        None => std::env::var("KEEPSAKE_TEST_POSTGRES_DATA")
            .map(PathBuf::from)
            .into_iter()
            .collect(),
    }
}

store::both! {
    async fn no_words_of_a_person_are_readable_in_the_files(db: &TestDb) {
        let house = House::open(db).await;
        {
            let support = house.agent("support").await;
            let agent = house.agent_key(&support).await;
            let mia = house.person("Mia", RoleName::Admin).await;
            let mia = house.person_key(&mia).await;
            let body = json!({"user_id": USER, "conversation_id": format!("c-{CANARY}"), "end": true, "messages": [
                {"id": format!("m-{CANARY}"), "role": "user", "content": format!("I'm the CTO of {CANARY} and we're building a SaaS platform")}
            ]});
            let once = [("idempotency-key", CANARY)];
            let taken = agent.call(reqwest::Method::POST, "/conversations", &once, Some(body)).await.ok(StatusCode::ACCEPTED);
            agent.finished(taken["operation"].as_str().unwrap()).await;
            let candidate = mia.get("/candidates?status=pending").await.ok(StatusCode::OK)["data"][0].clone();
            assert!(candidate["content"].as_str().unwrap().contains(CANARY), "{candidate}");
            let path = format!("/candidates/{}/approve", candidate["id"].as_str().unwrap());
            let edit = json!({"content": format!("User works at {CANARY}"), "name": CANARY, "note": CANARY});
            mia.post(&path, edit).await.ok(StatusCode::OK);
            let told = agent.post("/context", json!({"user_id": USER, "conversation_id": CANARY, "query": CANARY})).await;
            assert!(told.text.contains(CANARY), "{}", told.text);
            let user = mia.get(&format!("/users/{USER}?agent=support")).await.ok(StatusCode::OK);
            mia.get(&format!("/users/{}/events", user["id"].as_str().unwrap())).await.ok(StatusCode::OK);
        }
        house.close().await;

        let mut found = Vec::new();
        for folder in folders(db) {
            holds(&folder, &[CANARY, USER], &mut found);
        }
        assert_eq!(found, Vec::<String>::new());
    }
}
