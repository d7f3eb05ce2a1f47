//! No text of a person is in the log, whatever its filter says.

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::installation::{Installation, call, ended, operation};

/// Words that are nowhere else.
const CANARY: &str = "Zanzibarquartz";
const USER: &str = "ana.quuxington@example.org";

#[tokio::test]
async fn no_words_of_a_person_are_in_the_log() {
    let here = Installation::fresh().with("KEEPSAKE_LOG_FILTER", "trace");
    let keys = here.people();
    let keepsake = here.serve(&[]);
    let url = keepsake.url.clone();
    let post = async |key: &str, path: &str, body: Value| {
        let (status, answer) = call(&url, key, "POST", path, Some(body)).await;
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
        answer
    };
    let said = json!({"user_id": USER, "conversation_id": CANARY, "end": true, "messages": [
        {"id": CANARY, "role": "user", "content": format!("I'm the CTO of {CANARY} and we're building a SaaS platform")}
    ]});
    let taken = post(&keys.agent, "/conversations", said).await;
    let id = taken["operation"].as_str().unwrap();
    operation(&url, &keys.agent, id, ended).await;
    let (_, queue) = call(&url, &keys.person, "GET", "/candidates", None).await;
    let candidate = &queue["data"][0];
    assert!(
        candidate["content"].as_str().unwrap().contains(CANARY),
        "{queue}"
    );
    let approve = format!("/candidates/{}/approve", candidate["id"].as_str().unwrap());
    let edit =
        json!({"content": format!("User works at {CANARY}"), "name": CANARY, "note": CANARY});
    post(&keys.person, &approve, edit).await;
    let asked = json!({"user_id": USER, "query": CANARY});
    let told = post(&keys.agent, "/context", asked).await;
    assert!(told.to_string().contains(CANARY), "{told}");
    let user = format!("/users/{USER}?agent=support");
    let (status, answer) = call(&url, &keys.person, "GET", &user, None).await;
    assert_eq!(status, 200, "{answer}");
    let mcp = async |message: Value| {
        let asked = Client::new()
            .post(format!("{url}/mcp"))
            .bearer_auth(&keys.agent)
            .header("accept", "application/json, text/event-stream")
            .json(&message);
        asked.send().await.unwrap().text().await.unwrap()
    };
    let arguments =
        json!({"user_id": USER, "kind": "fact", "content": format!("User owns {CANARY}")});
    let params = json!({"name": "memory_propose", "arguments": arguments});
    let proposal = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    assert!(mcp(proposal).await.contains("proposed"));
    let wrong = json!({"jsonrpc": "2.0", "id": CANARY, "method": CANARY, "params": {"x": CANARY}});
    assert!(mcp(wrong).await.contains("error"));
    // What is refused is told to the caller, and to nobody else.
    let wrong = json!({"user_id": USER, "messages": [{"role": CANARY, "content": CANARY}]});
    let (status, _) = call(&url, &keys.agent, "POST", "/conversations", Some(wrong)).await;
    assert!((400..500).contains(&status), "{status}");
    let page = Client::new().get(format!("{url}/memories?q={CANARY}"));
    let page = page.send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK, "the sign-in");
    assert_eq!(keepsake.ask_to_end(), Some(0));

    let log = here.log();
    for path in [
        "/api/v1/conversations",
        "/api/v1/context",
        "/memories",
        "/mcp",
    ] {
        assert!(log.contains(path), "{path} is not in the log: {log}");
    }
    let told: Vec<_> = log
        .lines()
        .filter(|line| line.contains(CANARY) || line.contains(USER))
        .collect();
    assert_eq!(told, Vec::<&str>::new());
}
