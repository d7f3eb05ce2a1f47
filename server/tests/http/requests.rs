//! Requests of people over HTTP: registered, answered with a copy and with erasure refused until it is done, and proven (G5).

use std::time::Duration;

use domain::{permission::RoleName, time::Span};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, story},
    schema::assert_described,
    sign_in::Browser,
};

async fn change(api: &Api<'_>, id: &str, body: Value) -> crate::house::Answer {
    let path = format!("/requests/{id}");
    api.call(Method::PATCH, &path, &[], Some(body)).await
}

/// The id of an export about somebody that is written.
async fn exported(api: &Api<'_>, sort: &str, of: &str) -> String {
    let asked = api
        .post("/exports", json!({"sort": sort, "user_id": of}))
        .await;
    let asked = asked.ok(StatusCode::ACCEPTED);
    let id = asked["id"].as_str().unwrap().to_owned();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    loop {
        let export = api.get(&format!("/exports/{id}")).await.ok(StatusCode::OK);
        if export["state"] == "done" {
            return id;
        }
        assert!(tokio::time::Instant::now() < deadline, "still {export}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

story! {
    // G5
    async fn who_asks_for_a_copy_gets_one_and_is_not_named_any_more(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        agent.says("ana", "I live in Oslo").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let odo = house.person_key(&odo).await;
        let new = json!({"sort": "copy", "user_id": "ana", "note": "by letter"});
        let opened = odo.post("/requests", new).await;
        let location = opened.header("location");
        let opened = opened.ok(StatusCode::CREATED);
        assert_described(&opened, "RequestDetail");
        let id = opened["id"].as_str().unwrap();
        assert_eq!(location, format!("/api/v1/requests/{id}"));
        assert_eq!((&opened["open"], &opened["user_id"], &opened["overdue"]), (&json!(true), &json!("ana"), &json!(false)));
        assert_eq!(opened["found"], json!([{"agent": "support", "users": 1, "erased": 0, "third_party": 0}]));
        let early = change(&odo, id, json!({"outcome": "done"})).await;
        assert_eq!(early.problem(422), "invalid");
        assert_eq!(early.json()["errors"][0]["code"], "not_copied");
        assert_eq!(change(&odo, id, json!({})).await.problem(422), "invalid");
        let unknown = change(&odo, id, json!({"export": format!("exp_{}", "0".repeat(26))})).await;
        assert_eq!(unknown.json()["errors"][0]["pointer"], "/export");

        let auditors = exported(&odo, "audit", "ana").await;
        let refused = change(&odo, id, json!({"export": auditors})).await;
        assert_eq!(refused.problem(422), "invalid");
        assert_eq!(refused.json()["errors"][0]["code"], "not_a_copy");
        agent.says("bo", "I live in Bergen").await;
        let of_bo = exported(&odo, "copy", "bo").await;
        let refused = change(&odo, id, json!({"export": of_bo})).await;
        assert_eq!(refused.problem(422), "invalid");
        assert_eq!(refused.json()["errors"][0]["code"], "of_another");
        let export = exported(&odo, "copy", "ana").await;
        let copied = change(&odo, id, json!({"export": export, "look": true})).await.ok(StatusCode::OK);
        assert_eq!(copied["export"], export);
        house.clock.advance(Span::days(31));
        let late = odo.get("/requests?open=true").await.ok(StatusCode::OK);
        assert_eq!(late["data"][0]["overdue"], true);
        let closed = change(&odo, id, json!({"outcome": "done", "note": "sent"})).await.ok(StatusCode::OK);
        assert_eq!((&closed["open"], &closed["user_id"], &closed["note"], &closed["closing_note"]), (&json!(false), &json!(null), &json!(null), &json!("sent")));
        assert_eq!(change(&odo, id, json!({"look": true})).await.problem(409), "request_closed");
        assert_eq!(odo.get("/requests?open=true").await.ok(StatusCode::OK)["data"], json!([]));
        let listed = odo.get("/requests").await.ok(StatusCode::OK);
        assert_described(&listed["data"][0], "RequestView");
        for event in ["request.opened", "request.closed"] {
            let events = odo.get(&format!("/audit/events?agent=system&type={event}")).await.ok(StatusCode::OK);
            assert_eq!(events["data"][0]["subject"], id, "{event}");
        }
        for role in [RoleName::Viewer, RoleName::Reviewer] {
            let person = house.person(role.as_str(), role).await;
            let key = house.person_key(&person).await;
            assert_eq!(key.get("/requests").await.problem(403), "forbidden");
        }
        let gone = format!("/requests/req_{}", "0".repeat(26));
        assert_eq!(odo.get(&gone).await.problem(404), "not_found");
    }

    // G5
    async fn an_auditor_does_the_same_with_a_browser_and_prints_the_proof(house: &House) {
        let support = house.agent("support").await;
        house.agent_key(&support).await.says("ana", "I live in Oslo").await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let mut browser = Browser::new(house);
        browser.signs_in(&odo.email).await;
        assert!(browser.get("/requests").await.text.contains("No requests yet"));
        let empty = browser.post("/requests", &[("user_id", " "), ("sort", "both"), ("note", "kept")]).await;
        let page = browser.get(&empty.header("location")).await;
        assert!(page.text.contains("aria-invalid=\"true\"") && page.text.contains("kept"));
        let form = [("user_id", "ana"), ("sort", "both"), ("agent", ""), ("received_at", "2020-01-01")];
        let opened = browser.post("/requests", &form).await;
        assert_eq!(opened.status, 303, "{}", opened.text);
        let here = opened.header("location");
        let path = here.split('?').next().unwrap().to_owned();
        assert!(path.starts_with("/requests/req_"));
        let page = browser.get(&here).await;
        assert!(page.text.contains("This is what was found") && page.text.contains("#erase\""));
        // It came in years ago.
        let front = browser.get("/").await;
        assert!(front.text.contains("request is overdue"), "{}", front.text);
        let refused = browser.post(&format!("{path}/close"), &[("outcome", "done"), ("note", "all done")]).await;
        let page = browser.get(&refused.header("location")).await;
        assert!(page.text.contains("still there") && page.text.contains("all done"));
        let why = [("outcome", "refused"), ("note", "not this person")];
        assert_eq!(browser.post(&format!("{path}/close"), &why).await.status, 303);
        house.engine.checkpoint().await.unwrap();
        let proof = browser.get(&format!("{path}/proof")).await;
        assert_eq!(proof.status, 200);
        assert!(proof.text.contains("not this person"));
        assert!(proof.text.contains("/system") && !proof.text.contains("not yet"), "the checkpoint signs all of it");
        assert_eq!(browser.post(&format!("{path}/look"), &[]).await.status, 409);
    }
}
