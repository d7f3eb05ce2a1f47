//! Exports over HTTP: asked for, watched, fetched whole and in parts, refused to whom they are not for, and gone in the end.

use std::time::Duration;

use domain::{
    agent::AgentName,
    audit::hex,
    permission::{Grant, RoleName},
    time::Span,
};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::testing::TestDb;

use crate::{
    house::{Answer, Api, story},
    sign_in::Browser,
};

/// A file, or a part of one.
struct Fetched {
    status: u16,
    headers: header::HeaderMap,
    bytes: Vec<u8>,
}

impl Fetched {
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }
}

async fn fetch(api: &Api<'_>, id: &str, headers: &[(&str, &str)]) -> Fetched {
    let url = format!("{}/api/v1/exports/{id}/file", api.house.url);
    let mut request = api.house.http.get(url).bearer_auth(&api.key);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.unwrap();
    Fetched {
        status: answer.status().as_u16(),
        headers: answer.headers().clone(),
        bytes: answer.bytes().await.unwrap().to_vec(),
    }
}

async fn written(api: &Api<'_>, id: &str) -> Value {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    loop {
        let export = api.get(&format!("/exports/{id}")).await.ok(StatusCode::OK);
        if !matches!(export["state"].as_str(), Some("queued" | "running")) {
            return export;
        }
        assert!(tokio::time::Instant::now() < deadline, "still {export}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn made(api: &Api<'_>, body: Value) -> Value {
    let asked = api.post("/exports", body).await.ok(StatusCode::ACCEPTED);
    let export = written(api, asked["id"].as_str().unwrap()).await;
    assert_eq!(export["state"], "done", "{export}");
    export
}

async fn removed(api: &Api<'_>, id: &str) -> Answer {
    let path = format!("/exports/{id}");
    api.call(Method::DELETE, &path, &[], None).await
}

fn only(agent: &AgentName, role: RoleName) -> Vec<Grant> {
    vec![Grant {
        agent: Some(agent.clone()),
        ..Grant::everywhere(role)
    }]
}

story! {
    // E4
    async fn an_auditor_asks_waits_and_fetches_the_file_whole_and_in_parts(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        agent.says("ana", "I live in Oslo and I prefer short answers").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let odo = house.person_key(&odo).await;
        let asked = odo.post("/exports", json!({"user_id": "ana", "language": "ja"})).await;
        let location = asked.header("location");
        let asked = asked.ok(StatusCode::ACCEPTED);
        let id = asked["id"].as_str().unwrap();
        assert_eq!(location, format!("/api/v1/exports/{id}"));
        assert_eq!((asked["sort"].as_str(), asked["by"]["name"].as_str()), (Some("audit"), Some("Odo")));
        let export = written(&odo, id).await;
        assert_eq!(export["state"], "done", "{export}");

        let whole = fetch(&odo, id, &[("accept-encoding", "gzip, br")]).await;
        let sum = hex(&Sha256::digest(&whole.bytes));
        assert_eq!((whole.status, whole.header("content-type")), (200, "application/zip"));
        assert_eq!(whole.header("etag"), format!("\"{sum}\""));
        assert_eq!(export["sha256"], sum);
        assert_eq!(export["bytes"], whole.bytes.len());
        assert_eq!(whole.header("content-length"), whole.bytes.len().to_string());
        assert!(whole.header("content-disposition").contains(&format!("keepsake-{id}.zip")));
        assert!(whole.bytes.starts_with(b"PK\x03\x04"));

        let part = fetch(&odo, id, &[("range", "bytes=4-9")]).await;
        assert_eq!((part.status, part.bytes.as_slice()), (206, &whole.bytes[4..10]));
        assert_eq!(part.header("content-range"), format!("bytes 4-9/{}", whole.bytes.len()));
        let etag = format!("\"{sum}\"");
        let rest = fetch(&odo, id, &[("range", "bytes=100-"), ("if-range", &etag)]).await;
        assert_eq!((rest.status, rest.bytes.as_slice()), (206, &whole.bytes[100..]));
        let other = fetch(&odo, id, &[("range", "bytes=100-"), ("if-range", "\"other\"")]).await;
        assert_eq!((other.status, other.bytes.len()), (200, whole.bytes.len()));
        assert_eq!(fetch(&odo, id, &[("if-none-match", &etag)]).await.status, 304);
        let beyond = fetch(&odo, id, &[("range", "bytes=999999999-")]).await;
        assert_eq!((beyond.status, beyond.header("content-range")), (416, &*format!("bytes */{}", whole.bytes.len())));
        assert_eq!(serde_json::from_slice::<Value>(&beyond.bytes).unwrap()["code"], "range_not_satisfiable");

        // What goes on where another broke off is no download of its own.
        let export = odo.get(&format!("/exports/{id}")).await.ok(StatusCode::OK);
        assert_eq!(export["downloads"], 2);
        let events = odo.get("/audit/events?agent=system&type=export.downloaded").await.ok(StatusCode::OK);
        assert_eq!(events["data"].as_array().unwrap().len(), 2);
        let list = odo.get("/exports").await.ok(StatusCode::OK);
        assert_eq!(list["data"][0]["id"], id);
    }

    // E4, G7
    async fn what_is_not_for_somebody_is_not_there(house: &House) {
        let support = house.agent("support").await;
        let sales = house.agent("sales").await;
        let agent = house.agent_key(&support).await;
        agent.says("ana", "I live in Oslo").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let odo = house.person_key(&odo).await;
        let all = made(&odo, json!({})).await;
        let one = made(&odo, json!({"agent": "support"})).await;
        let lin = house.person_with("Lin", only(&sales, RoleName::Auditor)).await;
        let lin = house.person_key(&lin).await;
        for export in [&all, &one] {
            let id = export["id"].as_str().unwrap();
            assert_eq!(lin.get(&format!("/exports/{id}")).await.problem(404), "not_found");
            assert_eq!(fetch(&lin, id, &[]).await.status, 404);
            assert_eq!(removed(&lin, id).await.problem(404), "not_found");
        }
        assert_eq!(lin.get("/exports").await.ok(StatusCode::OK)["data"], json!([]));
        assert_eq!(lin.post("/exports", json!({"agent": "support"})).await.problem(404), "not_found");
        assert_eq!(lin.post("/exports", json!({})).await.ok(StatusCode::ACCEPTED)["agent"], "sales");
        for role in [RoleName::Viewer, RoleName::Reviewer] {
            let person = house.person(role.as_str(), role).await;
            let key = house.person_key(&person).await;
            assert_eq!(key.post("/exports", json!({})).await.problem(403), "forbidden");
            assert_eq!(fetch(&key, one["id"].as_str().unwrap(), &[]).await.status, 403);
        }
        assert_eq!(agent.post("/exports", json!({})).await.problem(403), "forbidden");
        let unknown = odo.post("/exports", json!({"user_id": "nobody"})).await;
        assert_eq!(unknown.problem(422), "invalid");
        assert_eq!(unknown.json()["errors"][0]["pointer"], "/user_id");
        for (body, pointer) in [
            (json!({"sort": "copy"}), "/user_id"),
            (json!({"sort": "copy", "user_id": "ana", "from": "2020-01-01T00:00:00Z"}), "/from"),
            (json!({"sort": "draft"}), "/sort"),
        ] {
            let refused = odo.post("/exports", body).await;
            assert_eq!(refused.problem(422), "invalid");
            assert_eq!(refused.json()["errors"][0]["pointer"], pointer);
        }
    }

    // E4, G5
    async fn a_persons_own_copy_is_chosen_and_fetched_like_any_other(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        agent.says("ana", "I live in Oslo, canary-ana").await;
        agent.says("bo", "I live in Bergen, canary-bo").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let key = house.person_key(&odo).await;
        let export = made(&key, json!({"sort": "copy", "user_id": "ana", "language": "zh"})).await;
        assert_eq!((&export["sort"], &export["user_id"]), (&json!("copy"), &json!("ana")));
        let id = export["id"].as_str().unwrap();
        let whole = fetch(&key, id, &[]).await;
        assert_eq!((whole.status, whole.header("content-type")), (200, "application/zip"));
        assert_eq!(export["sha256"], hex(&Sha256::digest(&whole.bytes)));
        let holds = |name: &str| whole.bytes.windows(name.len()).any(|window| window == name.as_bytes());
        assert!(["about-you.html", "about-you.json", "conversations.ndjson", "README.txt", "SHA256SUMS"].into_iter().all(holds));
        assert!(!holds("events.ndjson") && !holds("SIGNATURE"), "neither a chain nor a signature");
        let rest = fetch(&key, id, &[("range", "bytes=100-")]).await;
        assert_eq!((rest.status, rest.bytes.as_slice()), (206, &whole.bytes[100..]));

        let mut browser = Browser::new(house);
        browser.signs_in(&odo.email).await;
        let page = browser.get("/exports?user=bo&sort=copy").await;
        assert!(page.text.contains("Own copy") && page.text.contains("value=\"bo\""));
        let chosen = page.text.split("<option").find(|one| one.starts_with(" value=\"copy\"")).unwrap();
        assert!(chosen.split('>').next().unwrap().contains("selected"), "{chosen}");
        let refused = browser.post("/exports", &[("sort", "copy"), ("user_id", "bo"), ("to", "2020-01-01")]).await;
        let page = browser.get(&refused.header("location")).await;
        assert!(page.text.contains("A copy is of the whole time") && page.text.contains("value=\"bo\""));
        let asked = browser.post("/exports", &[("sort", "copy"), ("language", "ja"), ("user_id", "bo")]).await;
        assert_eq!(asked.status, 303);
        let list = key.get("/exports").await.ok(StatusCode::OK);
        let ours = |one: &&Value| one["sort"] == "copy" && one["language"] == "ja";
        assert_eq!(list["data"].as_array().unwrap().iter().filter(ours).count(), 1, "{list}");
    }

    // E4
    async fn a_file_that_is_gone_says_so(house: &House) {
        house.agent("support").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let odo = house.person_key(&odo).await;
        let (one, two) = (made(&odo, json!({})).await, made(&odo, json!({})).await);
        let (one, two) = (one["id"].as_str().unwrap(), two["id"].as_str().unwrap());
        assert_eq!(removed(&odo, two).await.status, 204);
        assert_eq!(removed(&odo, two).await.status, 204, "once more does no harm");
        house.clock.advance(Span::days(8));
        for id in [one, two] {
            let gone = odo.get(&format!("/exports/{id}/file")).await;
            assert_eq!(gone.problem(410), "export_expired");
        }
    }

    // E4
    async fn an_auditor_does_the_same_with_a_browser(house: &House) {
        let support = house.agent("support").await;
        house.agent_key(&support).await.says("ana", "I live in Oslo").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let key = house.person_key(&odo).await;
        let mut browser = Browser::new(house);
        browser.signs_in(&odo.email).await;
        let page = browser.get("/exports").await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("No exports yet") && page.text.contains("action=\"/exports\""));
        let refused = browser.post("/exports", &[("user_id", "nobody")]).await;
        let page = browser.get(&refused.header("location")).await;
        assert!(page.text.contains("value=\"nobody\"") && page.text.contains("aria-invalid=\"true\""));
        let asked = browser.post("/exports", &[("agent", "support"), ("user_id", "ana"), ("from", "2020-01-01"), ("bom", "true")]).await;
        assert_eq!(asked.status, 303);
        let list = key.get("/exports").await.ok(StatusCode::OK);
        let id = list["data"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(written(&key, &id).await["state"], "done");
        let page = browser.get("/exports").await;
        assert!(page.text.contains(&format!("/exports/{id}/file")));
        assert_eq!(page.header("refresh"), "", "nothing is being written");
        let file = browser.get(&format!("/exports/{id}/file")).await;
        assert_eq!((file.status, file.header("content-type")), (200, "application/zip".to_owned()));
        assert_eq!(browser.post(&format!("/exports/{id}/remove"), &[]).await.status, 303);
        assert_eq!(browser.get(&format!("/exports/{id}/file")).await.status, 410);
    }
}
