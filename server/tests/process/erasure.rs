//! Whoever was erased is in no file that is left of an installation, as the real binary leaves it.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    installation::{Installation, call, ended, operation},
    search::{folder, holders},
};

/// Words that are nowhere else.
const CANARY: &str = "Quillonberyl";
const USER: &str = "eve.wobbleton@example.org";

/// Unpacks a file, as whoever was given it does.
fn unpacked(zip: &Path, into: &Path) {
    let done = Command::new("python3")
        .args(["-m", "zipfile", "-e"])
        .args([zip, into])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
}

store::both! {
    // F9
    async fn whoever_was_erased_stands_in_no_byte_that_is_left(db: &TestDb) {
        let here = Installation::on(db);
        let (temporary, copy) = (here.dir().join("temporary"), here.dir().join("copy"));
        for folder in [&temporary, &copy] {
            fs::create_dir(folder).unwrap();
        }
        let here = here.with("TMPDIR", &temporary.display().to_string()).with("KEEPSAKE_LOG_FILTER", "trace");
        let keys = here.people();
        let keepsake = here.serve(&[]);
        let url = keepsake.url.clone();
        let ask = async |key: &str, method: &str, path: &str, body: Option<Value>| {
            let (status, answer) = call(&url, key, method, path, body).await;
            assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
            answer
        };

        let said = json!({"user_id": USER, "conversation_id": CANARY, "end": true, "messages": [
            {"id": CANARY, "role": "user", "content": format!("I'm the CTO of {CANARY} and we're building a SaaS platform")}
        ]});
        let taken = ask(&keys.agent, "POST", "/conversations", Some(said)).await;
        operation(&url, &keys.agent, taken["operation"].as_str().unwrap(), ended).await;
        let queue = ask(&keys.person, "GET", "/candidates?status=pending", None).await;
        let mut candidates = queue["data"].as_array().unwrap().iter();
        let good = candidates.find(|one| one["kind"] == "fact" && one["content"].as_str().unwrap().contains(CANARY)).unwrap();
        let edit = json!({"content": format!("User works at {CANARY}"), "name": CANARY, "note": CANARY});
        ask(&keys.person, "POST", &format!("/candidates/{}/approve", good["id"].as_str().unwrap()), Some(edit)).await;
        let by_hand = |content: String| json!({"user_id": USER, "kind": "fact", "content": content, "tags": [CANARY]});
        ask(&keys.agent, "POST", "/candidates", Some(by_hand(format!("User collects {CANARY}")))).await;
        let bad = ask(&keys.agent, "POST", "/candidates", Some(by_hand(format!("User sold a {CANARY} today")))).await;
        let reject = format!("/candidates/{}/reject", bad["candidate"]["id"].as_str().unwrap());
        ask(&keys.person, "POST", &reject, Some(json!({"reason": "not_durable", "note": CANARY}))).await;

        let found = ask(&keys.agent, "POST", "/memories/search", Some(json!({"user_id": USER, "query": CANARY}))).await;
        assert!(found.to_string().contains(CANARY), "{found}");
        let asked = json!({"user_id": USER, "conversation_id": CANARY, "query": CANARY});
        let told = ask(&keys.agent, "POST", "/context", Some(asked)).await;
        assert!(told.to_string().contains(CANARY), "{told}");
        let export = ask(&keys.person, "POST", "/exports", Some(json!({"agent": "support", "user_id": USER}))).await;
        let export = format!("/exports/{}", export["id"].as_str().unwrap());
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let written = ask(&keys.person, "GET", &export, None).await;
            if written["state"] == "done" {
                break;
            }
            assert!(Instant::now() < deadline, "still {written}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let file = Client::new().get(format!("{url}/api/v1{export}/file")).bearer_auth(&keys.person).send().await.unwrap();
        assert_eq!(file.status(), StatusCode::OK);
        let file = file.bytes().await.unwrap();

        // What was taken away holds the words, so the search finds them where they are; and the file lies here as it was taken.
        let exports = || fs::read_dir(here.data().join("exports")).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        let lies = exports();
        assert_eq!(lies.len(), 1, "{lies:?}");
        assert!(fs::read(&lies[0]).unwrap() == file, "the file is another than the one that was fetched");
        unpacked(&lies[0], &copy);
        for word in [CANARY, USER] {
            assert!(!holders(&copy, &[word]).is_empty(), "{word} is not in the export");
        }

        let seen = ask(&keys.person, "GET", &format!("/users/{USER}/erasure?agent=support"), None).await;
        let user = seen["user"].as_str().unwrap();
        let wanted = json!({"confirm": USER, "version": seen["version"], "reason": "asked_for"});
        ask(&keys.person, "POST", &format!("/users/{USER}/erase?agent=support"), Some(wanted)).await;
        let (status, gone) = call(&url, &keys.person, "GET", &format!("/users/{user}"), None).await;
        assert_eq!(status, 410, "{gone}");
        assert_eq!(keepsake.ask_to_end(), Some(0));

        let database = if here.is_postgres() { folder(db).await } else { here.data() };
        assert!(!holders(&database, &[user]).is_empty(), "{user} is not in {}: these are not its files", database.display());
        assert_eq!(exports(), Vec::<std::path::PathBuf>::new());
        for place in [&database, &here.data(), &temporary] {
            assert_eq!(holders(place, &[CANARY, USER]), Vec::<String>::new());
        }
        let log = here.log();
        assert!(log.contains("/erase"), "the calls are not in the log: {log}");
        let told: Vec<_> = log.lines().filter(|line| line.contains(CANARY) || line.contains(USER)).collect();
        assert_eq!(told, Vec::<&str>::new());
    }
}
