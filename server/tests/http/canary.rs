//! No text of a person is readable in the files of the database.

use domain::permission::RoleName;
use reqwest::StatusCode;
use serde_json::json;

use crate::{
    house::House,
    search::{folder, holders},
};
use store::testing::TestDb;

/// Words that are nowhere else.
const CANARY: &str = "Zanzibarquartz";
const USER: &str = "ana.quuxington@example.org";

#[test]
fn the_search_finds_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("page"),
        [b"\0\xff".as_slice(), CANARY.as_bytes(), b"\0"].concat(),
    )
    .unwrap();
    assert_eq!(holders(dir.path(), &[USER, CANARY]).len(), 1);
    assert_eq!(holders(dir.path(), &[USER]).len(), 0);
}

#[test]
#[should_panic(expected = "cannot be searched")]
fn a_folder_that_is_not_there_is_not_a_clean_one() {
    let dir = tempfile::tempdir().unwrap();
    holders(&dir.path().join("nowhere"), &[CANARY]);
}

store::both! {
    async fn no_words_of_a_person_are_readable_in_the_files(db: &TestDb) {
        let house = House::open(db).await;
        let id = {
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
            candidate["id"].as_str().unwrap().to_owned()
        };
        house.close().await;

        let folder = folder(db).await;
        assert!(!holders(&folder, &[&id]).is_empty(), "{id} is not in {}: these are not its files", folder.display());
        assert_eq!(holders(&folder, &[CANARY, USER]), Vec::<String>::new());
    }
}
