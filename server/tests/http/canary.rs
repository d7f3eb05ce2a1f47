//! No text of a person is readable in the files of the database.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use domain::permission::RoleName;
use reqwest::StatusCode;
use serde_json::json;

use crate::house::House;
use store::testing::TestDb;

/// Words that are nowhere else.
const CANARY: &str = "Zanzibarquartz";
const USER: &str = "ana.quuxington@example.org";

/// The files in which one of the words stands. `grep` reads a cluster in a second; a debug build takes a minute.
fn holders(folder: &Path, words: &[&str]) -> Vec<String> {
    let patterns = words.iter().flat_map(|word| ["-e", word]);
    let found = Command::new("grep")
        .args(["-rlaF"])
        .args(patterns)
        .arg(folder)
        .output()
        .unwrap();
    String::from_utf8_lossy(&found.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
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

#[test]
fn the_search_finds_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("page"),
        [b"\0\xff".as_slice(), CANARY.as_bytes(), b"\0"].concat(),
    )
    .unwrap();
    assert_eq!(holders(dir.path(), &[USER, CANARY]).len(), 1);
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

        let found: Vec<_> = folders(db).iter().flat_map(|folder| holders(folder, &[CANARY, USER])).collect();
        assert_eq!(found, Vec::<String>::new());
    }
}
