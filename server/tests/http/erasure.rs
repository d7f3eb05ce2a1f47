//! Erasing somebody over HTTP: with a key, and with a browser from a request of theirs; legal holds (F9).

use domain::{agent::AgentScope, permission::RoleName, time::Span};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::{Held, Stamp, testing::TestDb};

use crate::{
    house::{PASSWORD, story},
    schema::assert_described,
    sign_in::Browser,
};

/// What a page holds in a hidden field.
fn kept<'a>(page: &'a str, name: &str) -> &'a str {
    let field = format!("name=\"{name}\" value=\"");
    let (_, rest) = page.split_once(&field).unwrap_or_else(|| panic!("{page}"));
    rest.split('"').next().unwrap()
}

fn wanted(confirm: &str, seen: &Value) -> Value {
    json!({"confirm": confirm, "version": seen["version"], "reason": "asked_for"})
}

story! {
    // F9
    async fn whoever_saw_the_counts_erases_and_a_hold_keeps(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        agent.says("ana", "I live in Oslo").await;
        agent.says("bo", "I live in Bergen").await;
        let ada = house.person("Ada", RoleName::Admin).await;
        let ada = house.person_key(&ada).await;
        let seen = ada.get("/users/ana/erasure?agent=support").await.ok(StatusCode::OK);
        assert_described(&seen, "ErasurePreview");
        assert_eq!((&seen["confirm"], &seen["counts"]["conversations"], &seen["holds"]), (&json!("ana"), &json!(1), &json!([])));
        let user = seen["user"].as_str().unwrap();
        let path = format!("/users/{user}/erase");

        let mut unasked = wanted("ana", &seen);
        unasked["request"] = json!(format!("req_{}", "0".repeat(26)));
        let mut own = wanted("ana", &seen);
        own["reason"] = json!("restored");
        for (body, pointer, code) in [
            (wanted("bo", &seen), "/confirm", "not_the_name"),
            (unasked, "/request", "unknown"),
            (own, "/reason", "unknown"),
        ] {
            let wrong = ada.post(&path, body).await;
            assert_eq!(wrong.problem(422), "invalid");
            let error = &wrong.json()["errors"][0];
            assert_eq!((&error["pointer"], &error["code"]), (&json!(pointer), &json!(code)));
        }

        let hold = ada.post("/holds", json!({"user": user, "reason": "Case 12-345"})).await.ok(StatusCode::CREATED);
        assert_described(&hold, "HoldView");
        let held = ada.post(&path, wanted("ana", &seen)).await;
        assert_eq!(held.problem(409), "held");
        assert!(held.text.contains("Case 12-345") && held.text.contains("Ada"), "{}", held.text);
        let seen = ada.get(&format!("/users/{user}/erasure")).await.ok(StatusCode::OK);
        assert_eq!(seen["holds"][0]["id"], hold["id"]);
        let release = format!("/holds/{}", hold["id"].as_str().unwrap());
        let released = ada.call(Method::DELETE, &release, &[], None).await.ok(StatusCode::OK);
        assert_eq!(released["keeps"], false);
        assert_eq!(ada.get("/holds").await.ok(StatusCode::OK)["data"][0]["id"], hold["id"], "that it was there stays on record");

        agent.says("ana", "And I have a dog").await;
        let stale = ada.post(&path, wanted("ana", &seen)).await;
        assert_eq!(stale.problem(412), "stale");
        let now = &stale.json()["current"];
        assert_eq!(now["counts"]["conversations"], 2);
        let done = ada.post(&path, wanted("ana", now)).await.ok(StatusCode::OK);
        assert_described(&done, "ErasureView");
        assert_eq!((&done["user"], &done["erased"], &done["by"]["name"]), (&seen["user"], &now["counts"], &json!("Ada")));

        assert_eq!(ada.get(&format!("/users/{user}")).await.problem(410), "erased");
        assert_eq!(ada.post(&path, wanted("ana", now)).await.problem(410), "erased");
        assert_eq!(ada.get("/users/ana?agent=support").await.problem(404), "not_found");
        assert_eq!(ada.get("/users/bo?agent=support").await.status, 200);
        let events = format!("/audit/events?user={user}&type=user.erased");
        assert_eq!(ada.get(&events).await.ok(StatusCode::OK)["data"].as_array().unwrap().len(), 1);
        for role in [RoleName::Viewer, RoleName::Reviewer, RoleName::Auditor] {
            let person = house.person(role.as_str(), role).await;
            let key = house.person_key(&person).await;
            assert_eq!(key.get("/users/bo/erasure?agent=support").await.problem(403), "forbidden", "{role:?}");
        }
    }

    // F9, G5
    async fn an_administrator_comes_from_a_request_and_gives_the_password_again(house: &House) {
        let support = house.agent("support").await;
        house.agent_key(&support).await.says("ana", "I live in Oslo").await;
        let ada = house.person("Ada", RoleName::Admin).await;
        let api = house.person_key(&ada).await;
        let opened = api.post("/requests", json!({"sort": "erase", "user_id": "ana"})).await.ok(StatusCode::CREATED);
        let (id, user) = (opened["id"].as_str().unwrap(), opened["users"][0]["user"].as_str().unwrap());
        let mut browser = Browser::new(house);
        browser.signs_in(&ada.email).await;
        let here = format!("/users/{user}?request={id}");
        let request = browser.get(&format!("/requests/{id}")).await.text;
        assert!(request.contains(&format!("href=\"{here}#erase\"")), "{request}");
        let page = browser.get(&here).await.text;
        assert_eq!(kept(&page, "request"), id);
        let (path, version) = (format!("/users/{user}/erase"), kept(&page, "version").to_owned());
        let form = [("version", version.as_str()), ("request", id), ("why", "asked_for"), ("confirm", "anna")];
        let wrong = browser.post(&path, &form).await;
        let page = browser.get(&wrong.header("location")).await.text;
        assert!(page.contains("value=\"anna\"") && page.contains("not the name by which"), "{page}");
        assert_eq!(kept(&page, "request"), id, "nothing is lost");

        house.clock.advance(Span::minutes(11));
        let form = [&form[..3], &[("confirm", "ana")]].concat();
        let asked = browser.post(&path, &form).await;
        assert!(asked.header("location").starts_with("/confirm?flash="), "{asked:?}");
        let page = browser.get(&asked.header("location")).await.text;
        assert_eq!((kept(&page, "request"), kept(&page, "confirm")), (id, "ana"));
        assert_eq!(api.get(&format!("/users/{user}")).await.status, 200, "nobody was erased yet");
        let done = browser.post(&path, &[&form[..], &[("confirm_password", PASSWORD)]].concat()).await;
        assert!(done.header("location").starts_with(&format!("/users/{user}?flash=")), "{done:?}");
        let gone = browser.get(&done.header("location")).await.text;
        assert!(gone.contains(&format!("href=\"/requests/{id}\"")) && !gone.contains("Oslo"), "{gone}");
        let closed = browser.post(&format!("/requests/{id}/close"), &[("outcome", "done"), ("note", "")]).await;
        assert_eq!(closed.status, 303);
        let proof = browser.get(&format!("/requests/{id}/proof")).await.text;
        assert!(proof.contains(user), "{proof}");
    }

    // F9
    async fn a_hold_is_placed_on_the_page_of_whom_it_keeps_and_released_in_the_list(house: &House) {
        let support = house.agent("support").await;
        house.agent_key(&support).await.says("ana", "I live in Oslo").await;
        let ada = house.person("Ada", RoleName::Admin).await;
        let api = house.person_key(&ada).await;
        let user = api.get("/users/ana?agent=support").await.ok(StatusCode::OK)["id"].as_str().unwrap().to_owned();
        let mut browser = Browser::new(house);
        browser.signs_in(&ada.email).await;
        assert_eq!(browser.get("/holds").await.status, 200);
        let (page, path) = (format!("/users/{user}"), format!("/users/{user}/hold"));
        assert!(browser.get(&page).await.text.contains(&format!("action=\"{path}\"")));
        let empty = browser.post(&path, &[("reason", " "), ("until", "2020-01-01")]).await;
        let text = browser.get(&empty.header("location")).await.text;
        assert!(text.contains("aria-invalid=\"true\"") && text.contains("2020-01-01"), "{text}");
        let placed = browser.post(&path, &[("reason", "Case 12-345"), ("until", "")]).await;
        let text = browser.get(&placed.header("location")).await.text;
        assert!(text.contains("Case 12-345") && !text.contains(&format!("action=\"{page}/erase\"")), "{text}");
        let list = browser.get("/holds").await.text;
        assert!(list.contains("Case 12-345"));
        let (_, rest) = list.split_once("action=\"/holds/").unwrap();
        let release = format!("/holds/{}", rest.split('"').next().unwrap());
        assert_eq!(browser.post(&release, &[("next", "/holds")]).await.status, 303);
        assert!(browser.get(&page).await.text.contains(&format!("action=\"{page}/erase\"")));

        // Everybody of an agent is kept from the list.
        let late = browser.post("/holds", &[("agent", "support"), ("reason", "Case 67-890"), ("until", "2020-01-01")]).await;
        let text = browser.get(&late.header("location")).await.text;
        assert!(text.contains("aria-invalid=\"true\"") && text.contains("Case 67-890"), "{text}");
        let placed = browser.post("/holds", &[("agent", "support"), ("reason", "Case 67-890"), ("until", "")]).await;
        assert!(placed.header("location").ends_with("#place"), "{placed:?}");
        assert!(browser.get("/holds").await.text.contains("everybody of support"));
        let text = browser.get(&page).await.text;
        assert!(text.contains("Case 67-890") && !text.contains(&format!("action=\"{page}/erase\"")), "{text}");
    }

    // E1, F9
    async fn what_is_gone_is_no_dead_end_of_the_audit(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mut ids = Vec::new();
        for (user, content) in [("ana", "User prefers green tea"), ("bo", "User lives in Oslo")] {
            let body = json!({"user_id": user, "kind": "fact", "content": content});
            let made = agent.post("/candidates", body).await.ok(StatusCode::CREATED);
            ids.push(made["candidate"]["id"].as_str().unwrap().to_owned());
        }
        let ada = house.person("Ada", RoleName::Admin).await;
        let key = house.person_key(&ada).await;
        let reject = format!("/candidates/{}/reject", ids[0]);
        key.post(&reject, json!({"reason": "wrong"})).await.ok(StatusCode::OK);
        let now = house.engine.now();
        let mut tx = house.engine.db().write(AgentScope::All).await.unwrap();
        let old = now + Span::days(1);
        let removed = tx.remove_rejected(&support, old, &Held::default(), 10, &Stamp::system(now)).await.unwrap();
        assert_eq!(removed.removed, 1);
        tx.commit().await.unwrap();
        let seen = key.get("/users/bo/erasure?agent=support").await.ok(StatusCode::OK);
        let erase = format!("/users/{}/erase", seen["user"].as_str().unwrap());
        key.post(&erase, wanted("bo", &seen)).await.ok(StatusCode::OK);

        let mut browser = Browser::new(house);
        browser.signs_in(&ada.email).await;
        let audit = browser.get("/audit?agent=support").await.text;
        let link = |id: &str| format!("href=\"/candidates/{id}\"");
        assert!(audit.contains(&link(&ids[0])), "its page says what became of it");
        assert!(audit.contains(&ids[1]) && !audit.contains(&link(&ids[1])), "there is nothing to read of who was erased");
        let page = browser.get(&format!("/candidates/{}", ids[0])).await;
        assert_eq!(page.status, 410);
        assert!(page.text.contains("Retention removed this candidate on"), "{}", page.text);
        assert_eq!(key.get(&format!("/candidates/{}", ids[0])).await.problem(410), "removed");
        let nothing = format!("/candidates/cand_{}", "0".repeat(26));
        assert_eq!(browser.get(&nothing).await.status, 404);
        assert_eq!(key.get(&nothing).await.problem(404), "not_found");
        assert_eq!(key.get(&format!("/candidates/{}", ids[1])).await.problem(404), "not_found");
        let page = browser.get(&format!("/review?c={}", ids[0])).await;
        assert_eq!(page.status, 200, "the list goes on");
        assert_eq!(browser.get(&format!("/candidates/{}", ids[1])).await.status, 404);
    }
}
