//! Webhooks over REST and on their pages: made, shown once, changed, turned, removed; out of reach for everybody else. What is sent is
//! tested in the engine, with a peer.

use domain::{
    key::KeyScope,
    permission::{Grant, RoleName},
    time::Span,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, story},
    sign_in::Browser,
};

/// No name of this kind is ever known (RFC 6761), so nothing is sent.
const NOWHERE: &str = "https://runtime.invalid/hooks/T0K3N";

/// The newest delivery of a webhook, once it was tried at another time than `before`.
async fn attempted(api: &Api<'_>, webhook: &str, before: &Value) -> Value {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let list = api.get(&format!("{webhook}/deliveries")).await;
        let list = list.ok(StatusCode::OK);
        let newest = &list["data"][0];
        if newest["attempted_at"].is_string() && newest["attempted_at"] != *before {
            return newest.clone();
        }
        assert!(tokio::time::Instant::now() < deadline, "{list}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

story! {
    // G4
    async fn an_administrator_makes_changes_turns_and_removes_a_webhook(house: &House) {
        let support = house.agent("support").await;
        let ada = house.person("Ada", RoleName::Admin).await;
        let ada = house.person_key(&ada).await;
        let new = json!({"agent": "support", "url": NOWHERE, "events": ["memory.recalled", "candidate.proposed"]});
        let made = ada.post("/webhooks", new.clone()).await;
        let shown = made.ok(StatusCode::CREATED);
        let (secret, webhook) = (shown["secret"].as_str().unwrap(), &shown["webhook"]);
        assert!(secret.starts_with("whsec_"), "{secret}");
        let id = webhook["id"].as_str().unwrap();
        assert_eq!(made.header("location"), format!("/api/v1/webhooks/{id}"));
        assert_eq!((&webhook["state"], &webhook["url"], &webhook["agent"]), (&json!("enabled"), &json!(NOWHERE), &json!("support")));
        assert_eq!(webhook["events"], json!(["candidate.proposed", "memory.recalled"]));
        let here = format!("/webhooks/{id}");
        let list = ada.get("/webhooks?agent=support").await;
        assert!(!list.text.contains(secret));
        assert_eq!(list.ok(StatusCode::OK)["data"][0]["id"], id);
        assert!(!ada.get(&here).await.text.contains("whsec_"));

        for (body, pointer, code) in [
            (json!({"agent": "support", "url": "https://127.0.0.1/x", "events": ["memory.recalled"]}), "/url", "private_address"),
            (json!({"agent": "support", "url": NOWHERE, "events": []}), "/events", "required"),
            (json!({"agent": "support", "url": NOWHERE, "events": ["memory.forgotten"]}), "/events/0", "not_allowed"),
            (json!({"agent": "nobody", "url": NOWHERE, "events": ["memory.recalled"]}), "/agent", "unknown"),
            (json!({"agent": "support", "url": NOWHERE, "events": ["memory.recalled"], "secret": "mine"}), "", "unknown_field"),
        ] {
            let refused = ada.post("/webhooks", body).await.ok(StatusCode::UNPROCESSABLE_ENTITY);
            let error = &refused["errors"][0];
            assert_eq!((&error["code"], error["pointer"].as_str().unwrap().starts_with(pointer)), (&json!(code), true), "{refused}");
        }

        let off = ada.call(Method::PATCH, &here, &[], Some(json!({"enabled": false, "events": ["memory.recalled"]}))).await.ok(StatusCode::OK);
        assert_eq!((&off["state"], &off["events"]), (&json!("disabled"), &json!(["memory.recalled"])));
        let turned = ada.post(&format!("{here}/rotate"), json!({})).await.ok(StatusCode::OK);
        assert_ne!(turned["secret"], secret);
        assert!(turned["webhook"]["overlaps_until"].is_string());
        let tested = ada.post(&format!("{here}/test"), json!({})).await.ok(StatusCode::OK);
        assert_eq!((&tested["arrived"], &tested["error"], &tested["status"]), (&json!(false), &json!("not_resolved"), &json!(null)));
        let none = ada.get(&format!("{here}/deliveries?limit=1")).await.ok(StatusCode::OK);
        assert_eq!(none, json!({"data": [], "next": null}));

        // What happens while it is off is written down once it is on, and can be sent again.
        let key = house.agent_key(&support).await;
        key.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let again = json!({"enabled": true, "events": ["candidate.proposed"]});
        ada.call(Method::PATCH, &here, &[], Some(again)).await.ok(StatusCode::OK);
        let delivery = attempted(&ada, &here, &json!(null)).await;
        assert_eq!((&delivery["type"], &delivery["state"], &delivery["error"]), (&json!("candidate.proposed"), &json!("waiting"), &json!("not_resolved")));
        let resend = format!("{here}/deliveries/{}/resend", delivery["id"].as_str().unwrap());
        let resent = ada.post(&resend, json!({})).await.ok(StatusCode::ACCEPTED);
        assert_eq!((&resent["id"], &resent["state"]), (&delivery["id"], &json!("waiting")));
        assert_eq!(ada.post(&format!("{here}/deliveries/dlv_00000000000000000000000000/resend"), json!({})).await.problem(404), "not_found");

        assert_eq!(ada.call(Method::DELETE, &here, &[], None).await.status, 204);
        assert_eq!(ada.get(&here).await.problem(404), "not_found");
        let audited = ada.get("/audit/events?agent=support&type=webhook.removed").await;
        assert!(audited.text.contains(id) && !audited.text.contains("T0K3N"), "{}", audited.text);
    }

    // G4, G7
    async fn a_webhook_does_not_exist_for_another_agents_administrator_nor_for_other_roles(house: &House) {
        house.agent("support").await;
        let sales = house.agent("sales").await;
        let ada = house.person("Ada", RoleName::Admin).await;
        let ada = house.person_key(&ada).await;
        let new = json!({"agent": "support", "url": NOWHERE, "events": ["memory.recalled"]});
        let shown = ada.post("/webhooks", new.clone()).await.ok(StatusCode::CREATED);
        let here = format!("/webhooks/{}", shown["webhook"]["id"].as_str().unwrap());
        let unknown = "/webhooks/hook_00000000000000000000000000";
        let sal = house.person_with("Sal", vec![Grant { agent: Some(sales.clone()), ..Grant::everywhere(RoleName::Admin) }]).await;
        let sal = house.key(Some(&sales), Some(&sal), KeyScope::ALL).await;
        for (method, verb) in [(Method::GET, ""), (Method::DELETE, ""), (Method::GET, "/deliveries"), (Method::POST, "/rotate"), (Method::POST, "/test")] {
            let mut told = Vec::new();
            for path in [here.as_str(), unknown] {
                let answer = sal.call(method.clone(), &format!("{path}{verb}"), &[], None).await;
                assert_eq!(answer.problem(404), "not_found", "{method} {verb}");
                let mut body = answer.json();
                body.as_object_mut().unwrap().remove("request_id");
                body.as_object_mut().unwrap().remove("instance");
                told.push(body);
            }
            assert_eq!(told[0], told[1]);
        }
        assert_eq!(sal.get("/webhooks").await.ok(StatusCode::OK)["data"], json!([]));
        let of_all = json!({"agent": "*", "url": NOWHERE, "events": ["memory.recalled"]});
        assert_eq!(sal.post("/webhooks", of_all).await.problem(403), "forbidden");
        for role in [RoleName::Viewer, RoleName::Reviewer, RoleName::Auditor] {
            let person = house.person(&format!("{role:?}"), role).await;
            let key = house.person_key(&person).await;
            assert_eq!(key.get("/webhooks").await.problem(403), "forbidden", "{role}");
            assert_eq!(key.post("/webhooks", new.clone()).await.problem(403), "forbidden", "{role}");
        }
    }

    // G4
    async fn the_pages_make_a_webhook_show_its_secret_once_and_lose_nothing_that_was_typed(house: &House) {
        house.agent("support").await;
        house.person("Ada", RoleName::Admin).await;
        let mut ada = Browser::new(house);
        ada.signs_in("ada@example.com").await;
        let form = [("agent", "support"), ("url", "http://10.0.0.7/hook"), ("event.memory.updated", "true")];
        let refused = ada.post("/webhooks", &form).await;
        let page = ada.get(&refused.header("location")).await.text;
        assert!(page.contains("value=\"http://10.0.0.7/hook\"") && page.contains("class=\"fault\""), "{page}");
        assert!(page.contains("name=\"event.memory.updated\" value=\"true\" checked"), "{page}");

        let made = ada.post("/webhooks", &[form[0], ("url", NOWHERE), form[2]]).await;
        let to = made.header("location");
        let page = ada.get(&to).await.text;
        assert!(page.contains("class=\"secret\"") && page.contains("whsec_"), "{page}");
        let (here, _) = to.split_once('?').unwrap();
        assert!(!ada.get(here).await.text.contains("whsec_"), "it is shown this once");
        let list = ada.get("/webhooks").await.text;
        assert!(list.contains(&format!("href=\"{here}\"")) && list.contains(NOWHERE), "{list}");

        let turned = ada.post(&format!("{here}/rotate"), &[]).await;
        let page = ada.get(&turned.header("location")).await.text;
        assert!(page.contains("whsec_") && page.contains("signs too until"), "{page}");
        let tested = ada.post(&format!("{here}/test"), &[]).await;
        let page = ada.get(&tested.header("location")).await.text;
        assert!(page.contains("The test did not arrive"), "{page}");
        ada.post(&format!("{here}/disable"), &[]).await;
        assert!(ada.get(here).await.text.contains(&format!("action=\"{here}/enable\"")));
        ada.post(here, &[("url", NOWHERE), ("events.memory", "true"), ("event.key.created", "true")]).await;
        let page = ada.get(here).await.text;
        for event in domain::audit::EventType::ALL {
            let wanted = event.as_str().starts_with("memory.") || event.as_str() == "key.created";
            let ticked = page.contains(&format!("name=\"event.{event}\" value=\"true\" checked"));
            assert_eq!(ticked, wanted, "{event}");
        }
        let nothing = ada.post(here, &[("url", NOWHERE)]).await;
        assert!(ada.get(&nothing.header("location")).await.text.contains("class=\"fault\""), "an event is needed");
        let removed = ada.post(&format!("{here}/remove"), &[]).await;
        assert!(ada.get(&removed.header("location")).await.text.contains("The webhook is removed."));
        assert_eq!(ada.get(here).await.status, 404);
    }

    // G4, G7
    async fn who_administers_the_agent_has_a_delivery_sent_again_by_the_form_of_its_page(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let ada = house.person("Ada", RoleName::Admin).await;
        let api = house.person_key(&ada).await;
        let new = json!({"agent": "support", "url": NOWHERE, "events": ["candidate.proposed"]});
        let shown = api.post("/webhooks", new).await.ok(StatusCode::CREATED);
        let here = format!("/webhooks/{}", shown["webhook"]["id"].as_str().unwrap());
        let proposed = json!({"user_id": "ana", "kind": "fact", "content": "User lives in Oslo"});
        house.agent_key(&support).await.post("/candidates", proposed).await.ok(StatusCode::CREATED);
        let first = attempted(&api, &here, &json!(null)).await;
        let form = format!("{here}/deliveries/{}/resend", first["id"].as_str().unwrap());
        house.clock.advance(Span::seconds(1));

        let mut nobody = Browser::new(house);
        assert_eq!(nobody.post(&form, &[]).await.header("location"), "/login");
        let only = Grant { agent: Some(sales), ..Grant::everywhere(RoleName::Admin) };
        for (name, grants, status) in [
            ("Vic", vec![Grant::everywhere(RoleName::Viewer)], 403),
            ("Rei", vec![Grant::everywhere(RoleName::Reviewer)], 403),
            ("Odo", vec![Grant::everywhere(RoleName::Auditor)], 403),
            ("Sal", vec![only], 404),
        ] {
            let person = house.person_with(name, grants).await;
            let mut browser = Browser::new(house);
            browser.signs_in(&person.email).await;
            assert_eq!(browser.post(&form, &[]).await.status, status, "{name}");
            assert_eq!(browser.get(&here).await.status, status, "{name}");
        }
        let listed = api.get(&format!("{here}/deliveries")).await.ok(StatusCode::OK);
        assert_eq!(listed["data"][0], first, "nothing was sent again");

        let mut browser = Browser::new(house);
        browser.signs_in(&ada.email).await;
        let page = browser.get(&here).await.text;
        assert!(page.contains(&format!("action=\"{form}\"")), "{page}");
        let resent = browser.post(&form, &[]).await;
        assert_eq!(resent.status, 303, "{}", resent.text);
        let page = browser.get(&resent.header("location")).await.text;
        assert!(page.contains("It is sent again."), "{page}");
        let again = attempted(&api, &here, &first["attempted_at"]).await;
        assert_eq!((&again["id"], &again["attempt"], &again["state"]), (&first["id"], &json!(1), &json!("waiting")));
        let unknown = format!("{here}/deliveries/dlv_00000000000000000000000000/resend");
        assert_eq!(browser.post(&unknown, &[]).await.status, 404);
    }
}
