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
    schema::assert_described,
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
    fetch_at(api, &format!("/exports/{id}/file"), headers).await
}

async fn fetch_at(api: &Api<'_>, path: &str, headers: &[(&str, &str)]) -> Fetched {
    let url = format!("{}/api/v1{path}", api.house.url);
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

/// One of the files in it.
async fn part(api: &Api<'_>, id: &str, name: &str, headers: &[(&str, &str)]) -> Fetched {
    fetch_at(api, &format!("/exports/{id}/file?part={name}"), headers).await
}

/// How often it was noted that somebody fetched an export.
async fn noted(api: &Api<'_>, id: &str) -> u64 {
    let export = api.get(&format!("/exports/{id}")).await.ok(StatusCode::OK);
    let path = "/audit/events?agent=system&type=export.downloaded&limit=200";
    let events = api.get(path).await.ok(StatusCode::OK);
    let events = events["data"].as_array().unwrap();
    let of_it = events.iter().filter(|event| event["subject"] == id).count() as u64;
    assert_eq!(export["downloads"], of_it);
    of_it
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

        // What goes on where another broke off is no download of its own: Odo's was noted when it began.
        assert_eq!(noted(&odo, id).await, 2);
        let list = odo.get("/exports").await.ok(StatusCode::OK);
        assert_eq!(list["data"][0]["id"], id);
    }

    // E4
    async fn nobody_fetches_all_but_a_byte_unseen(house: &House) {
        let support = house.agent("support").await;
        house.agent_key(&support).await.says("ana", "I live in Oslo").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let odo = house.person_key(&odo).await;
        let export = made(&odo, json!({})).await;
        let id = export["id"].as_str().unwrap();
        let ida = house.person("Ida", RoleName::Auditor).await;
        let ida = house.person_key(&ida).await;
        // The first byte of a zip is known, so the rest is as good as the whole; and what comes after it goes on with that.
        let rest = fetch(&odo, id, &[("range", "bytes=1-")]).await;
        assert_eq!((rest.status, rest.bytes.len() as u64), (206, export["bytes"].as_u64().unwrap() - 1));
        assert_eq!(noted(&odo, id).await, 1);
        for range in ["bytes=1-", "bytes=40-50", "bytes=-9"] {
            assert_eq!(fetch(&odo, id, &[("range", range)]).await.status, 206);
        }
        assert_eq!(noted(&odo, id).await, 1);
        // Another download is none of hers, and neither is one file of it, nor one of the day before.
        assert_eq!(fetch(&ida, id, &[("range", "bytes=1-")]).await.status, 206);
        assert_eq!(noted(&odo, id).await, 2);
        house.clock.advance(Span::hours(25));
        assert_eq!(part(&ida, id, "manifest.json", &[]).await.status, 200);
        assert_eq!(noted(&odo, id).await, 3);
        assert_eq!(fetch(&ida, id, &[("range", "bytes=1-")]).await.status, 206);
        assert_eq!(noted(&odo, id).await, 4);
        // Nothing is fetched where nothing is sent.
        let etag = format!("\"{}\"", export["sha256"].as_str().unwrap());
        assert_eq!(fetch(&odo, id, &[("if-none-match", &etag)]).await.status, 304);
        assert_eq!(fetch(&odo, id, &[("range", "bytes=999999999-")]).await.status, 416);
        let path = format!("{}/api/v1/exports/{id}/file", house.url);
        assert_eq!(house.http.head(path).bearer_auth(&odo.key).send().await.unwrap().status(), 200);
        assert_eq!(noted(&odo, id).await, 4);
        let events = odo.get("/audit/events?agent=system&type=export.downloaded").await.ok(StatusCode::OK);
        let fetched: Vec<(&str, &Value)> = events["data"].as_array().unwrap().iter().map(|event| (event["subject"].as_str().unwrap(), &event["data"]["part"])).collect();
        assert_eq!(fetched, [(id, &Value::Null), (id, &json!("manifest.json")), (id, &Value::Null), (id, &Value::Null)]);
    }

    // E4
    async fn one_file_of_an_export_is_fetched_by_its_name(house: &House) {
        let support = house.agent("support").await;
        house.agent_key(&support).await.says("ana", "I live in Oslo and I like tea").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let odo = house.person_key(&odo).await;
        let export = made(&odo, json!({"agent": "support"})).await;
        let id = export["id"].as_str().unwrap();
        let sums = part(&odo, id, "SHA256SUMS", &[]).await;
        assert_eq!((sums.status, sums.header("content-type")), (200, "text/plain; charset=utf-8"));
        let listed = String::from_utf8(sums.bytes.clone()).unwrap();
        assert_eq!(listed.lines().count(), 15);
        for line in listed.lines() {
            let (sum, name) = line.split_once("  ").unwrap();
            let file = part(&odo, id, name, &[("accept-encoding", "gzip, br")]).await;
            assert_eq!((file.status, hex(&Sha256::digest(&file.bytes)).as_str()), (200, sum), "{name}");
            assert_eq!(file.header("content-length"), file.bytes.len().to_string());
            assert!(file.header("content-disposition").contains(&format!("attachment; filename=\"keepsake-{id}-{name}\"")));
        }
        for (name, sort) in [
            ("events.csv", "text/csv; charset=utf-8"),
            ("events.ndjson", "application/x-ndjson"),
            ("manifest.json", "application/json"),
            ("report.html", "text/html; charset=utf-8"),
            ("VERIFY.md", "text/markdown; charset=utf-8"),
        ] {
            // Always whole.
            let file = part(&odo, id, name, &[("range", "bytes=5-")]).await;
            assert_eq!((file.status, file.header("content-type"), file.header("accept-ranges")), (200, sort, "none"));
            let etag = file.header("etag").to_owned();
            assert_eq!(part(&odo, id, name, &[("if-none-match", &etag)]).await.status, 304);
        }
        assert_eq!(noted(&odo, id).await, 1 + 15 + 5);
        for unknown in ["events.json", "", "../keepsake.db", "about-you.json", "as-of.ndjson"] {
            let nothing = odo.get(&format!("/exports/{id}/file?part={unknown}")).await;
            assert_eq!(nothing.problem(404), "no_such_part", "{unknown}");
            assert!(nothing.json()["detail"].as_str().unwrap().contains("SHA256SUMS"));
        }
        assert_eq!(odo.get(&format!("/exports/{id}/file?parts=events.csv")).await.problem(422), "invalid");
        let vic = house.person("Vic", RoleName::Viewer).await;
        let vic = house.person_key(&vic).await;
        assert_eq!(part(&vic, id, "events.csv", &[]).await.status, 403);
        assert_eq!(noted(&odo, id).await, 1 + 15 + 5);
        assert_eq!(removed(&odo, id).await.status, 204);
        assert_eq!(odo.get(&format!("/exports/{id}/file?part=events.csv")).await.problem(410), "export_expired");
    }

    // G6, E4
    async fn what_stood_at_an_instant_is_asked_for_by_rest_and_by_the_page_of_it(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let decides = house.person_key(&mia).await;
        let candidate = decides.waiting("ana").await.remove(0);
        let path = format!("/candidates/{}/approve", candidate["id"].as_str().unwrap());
        decides.post(&path, json!({"content": "User prefers Python examples"})).await.ok(StatusCode::OK);
        agent.context("ana").await;
        let then = domain::time::rfc3339(house.now());
        house.clock.advance(Span::minutes(1));

        let odo = house.person("Odo", RoleName::Auditor).await;
        let key = house.person_key(&odo).await;
        let export = made(&key, json!({"agent": "support", "user_id": "ana", "as_of": then})).await;
        assert_eq!((&export["as_of"], &export["sort"]), (&json!(then), &json!("audit")));
        assert_described(&export, "ExportView");
        let id = export["id"].as_str().unwrap();
        let told = part(&key, id, "as-of.ndjson", &[]).await;
        let told = String::from_utf8(told.bytes).unwrap();
        assert_eq!(told.lines().count(), 2, "{told}");
        let page = format!("/users/ana/as-of?agent=support&at={then}");
        let page = key.get(&page).await.ok(StatusCode::OK);
        for held in [&page["memories"][0]["memory"], &page["servings"][0]["id"]] {
            assert!(told.contains(held.as_str().unwrap()), "{held}: {told}");
        }
        let report = part(&key, id, "report.html", &[]).await;
        assert!(String::from_utf8(report.bytes).unwrap().contains("What was known and served at"));
        for (body, pointer) in [
            (json!({"user_id": "ana", "as_of": "2999-01-01T00:00:00Z"}), "/as_of"),
            (json!({"as_of": then}), "/user_id"),
            (json!({"user_id": "ana", "as_of": then, "to": then}), "/to"),
            (json!({"user_id": "ana", "as_of": then, "sort": "copy"}), "/as_of"),
            (json!({"user_id": "ana", "as_of": "3 March"}), "/as_of"),
        ] {
            let refused = key.post("/exports", body).await;
            assert_eq!(refused.problem(422), "invalid");
            assert_eq!(refused.json()["errors"][0]["pointer"], pointer);
        }

        let user = page["user"].as_str().unwrap();
        let mut browser = Browser::new(house);
        browser.signs_in(&odo.email).await;
        let shown = browser.get(&format!("/users/{user}/as-of?at={then}")).await;
        for there in ["action=\"/exports\"".to_owned(), format!("name=\"user_id\" value=\"{user}\""), format!("name=\"as_of\" value=\"{then}\"")] {
            assert!(shown.text.contains(&there), "{there}");
        }
        house.clock.advance(Span::minutes(1));
        let asked = browser.post("/exports", &[("user_id", user), ("as_of", &then)]).await;
        assert_eq!(asked.status, 303);
        let listed = key.get("/exports").await.ok(StatusCode::OK);
        assert_eq!((&listed["data"][0]["as_of"], &listed["data"][0]["user"]), (&json!(then), &json!(user)));
        written(&key, listed["data"][0]["id"].as_str().unwrap()).await;
        let exports = browser.get("/exports").await;
        assert!(exports.text.contains("what stood at ") && exports.text.contains("name=\"as_of\""));
        // What was refused comes back as it was typed, also in the field of the browser.
        let refused = browser.post("/exports", &[("user_id", user), ("as_of", &then), ("from", "2020-01-01")]).await;
        let back = browser.get(&refused.header("location")).await;
        assert!(back.text.contains("and so is what stood at an instant"));
        assert!(back.text.contains(&format!("value=\"{}", &then[..16])) && back.text.contains("value=\"2020-01-01\""));
        let far = browser.post("/exports", &[("user_id", user), ("as_of", "2999-01-01T09:00")]).await;
        let back = browser.get(&far.header("location")).await;
        assert!(back.text.contains("This lies in the future.") && back.text.contains("value=\"2999-01-01T09:00\""));

        // Whoever may look but not export is shown no button.
        let vic = house.person("Vic", RoleName::Viewer).await;
        let mut looks = Browser::new(house);
        looks.signs_in(&vic.email).await;
        let shown = looks.get(&format!("/users/{user}/as-of?at={then}")).await;
        assert_eq!(shown.status, 200);
        assert!(!shown.text.contains("action=\"/exports\""));
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
