//! Earlier instants, what was told, and the sheet that explains a decision, over HTTP.

use domain::{permission::RoleName, time::Span};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{house::story, schema::assert_described, sign_in::Browser};

fn rfc3339(at: domain::Timestamp) -> String {
    domain::time::rfc3339(at)
}

story! {
    // G6
    async fn what_was_known_and_served_is_asked_for_by_an_instant(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let odo = house.person("Odo", RoleName::Auditor).await;
        let reads = house.person_key(&odo).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let decides = house.person_key(&mia).await;
        let before = house.now();
        house.clock.advance(Span::minutes(1));
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let candidate = decides.waiting("ana").await.remove(0);
        let waited = house.now();
        house.clock.advance(Span::minutes(1));
        let path = format!("/candidates/{}/approve", candidate["id"].as_str().unwrap());
        let edit = json!({"content": "User prefers Python examples", "note": "shortened"});
        let memory = decides.post(&path, edit).await.ok(StatusCode::OK)["memory"].clone();
        house.clock.advance(Span::minutes(1));
        agent.context("ana").await;
        house.clock.advance(Span::minutes(1));
        let told = house.now();

        let at = |at| format!("/users/ana/as-of?agent=support&at={}", rfc3339(at));
        let nothing = reads.get(&at(before)).await.ok(StatusCode::OK);
        assert_eq!((&nothing["memories"], &nothing["waiting"]), (&json!([]), &json!([])));
        let waiting = reads.get(&at(waited)).await.ok(StatusCode::OK);
        assert_eq!((&waiting["memories"], &waiting["waiting"][0]["candidate"]), (&json!([]), &candidate["id"]));
        let now = reads.get(&at(told)).await.ok(StatusCode::OK);
        assert_described(&now, "AsOf");
        let known = &now["memories"][0];
        assert_eq!((&known["memory"], &known["revision"]), (&memory, &json!(1)));
        assert_eq!((&known["content"], &known["approved_by"]["name"]), (&json!("User prefers Python examples"), &json!("Mia")));
        assert_eq!(now["servings"][0]["items"][0]["content"], "User prefers Python examples");
        assert_eq!(now["waiting"], json!([]));

        let future = reads.get(&at(told + Span::days(1))).await;
        assert_eq!(future.problem(422), "invalid");
        assert_eq!(future.json()["errors"][0]["pointer"], "/at");
        assert_eq!(reads.get("/users/nobody/as-of?agent=support&at=2026-03-03T14:00:00Z").await.problem(404), "not_found");
        assert_eq!(reads.get("/users/ana/as-of?agent=support").await.problem(422), "invalid");
        assert_eq!(agent.get(&at(told)).await.problem(403), "forbidden");

        let users = reads.get("/users").await.ok(StatusCode::OK);
        let ana = users["data"][0]["id"].as_str().unwrap().to_owned();
        let mut browser = Browser::new(house);
        browser.signs_in(&odo.email).await;
        let page = browser.get(&format!("/users/{ana}/as-of")).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("type=\"datetime-local\"") && !page.text.contains("id=\"known\""));
        let page = browser.get(&format!("/users/{ana}/as-of?at={}", rfc3339(told))).await;
        assert!(page.text.contains("User prefers Python examples") && page.text.contains("/servings/srv_"));
        let far = browser.get(&format!("/users/{ana}/as-of?at=2999-01-01T09:00")).await;
        assert!(far.text.contains("aria-invalid=\"true\"") && far.text.contains("2999-01-01T09:00"));
        let serving = now["servings"][0]["id"].as_str().unwrap();
        let page = browser.get(&format!("/servings/{serving}")).await;
        assert!(page.status == 200 && page.text.contains("User prefers Python examples"));
        // The timeline names what was told between the events.
        let page = browser.get(&format!("/users/{ana}")).await.text;
        let (_, timeline) = page.split_once("class=\"timeline\"").unwrap();
        assert!(timeline.contains(&format!("/servings/{serving}")) && timeline.contains("1 memory told"), "{timeline}");
    }

    // G6
    async fn a_sheet_explains_a_decision_with_the_hashes_of_the_chain(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let api = house.person_key(&mia).await;
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let candidate = api.waiting("ana").await.remove(0);
        let id = candidate["id"].as_str().unwrap();
        let reject = json!({"reason": "wrong", "note": "did she say so?"});
        api.post(&format!("/candidates/{id}/reject"), reject).await.ok(StatusCode::OK);
        api.post(&format!("/candidates/{id}/reopen"), json!({})).await.ok(StatusCode::OK);
        let edit = json!({"content": "User prefers Python examples", "note": "shortened"});
        api.post(&format!("/candidates/{id}/approve"), edit).await.ok(StatusCode::OK);
        agent.context("ana").await;
        house.engine.checkpoint().await.unwrap();

        let vic = house.person("Vic", RoleName::Viewer).await;
        let mut browser = Browser::new(house);
        browser.signs_in(&vic.email).await;
        let candidate_page = browser.get(&format!("/candidates/{id}")).await;
        assert!(candidate_page.text.contains(&format!("/candidates/{id}/sheet")));
        let sheet = browser.get(&format!("/candidates/{id}/sheet")).await;
        assert_eq!(sheet.status, 200);
        for there in ["did she say so?", "shortened", "Mia", "<mark>", "builtin"] {
            assert!(sheet.text.contains(there), "{there}");
        }
        let events = api.get("/audit/events?agent=support&limit=200").await.ok(StatusCode::OK);
        let of = |fits: &dyn Fn(&Value) -> bool| {
            let events = events["data"].as_array().unwrap().iter();
            events.filter(|event| fits(event)).cloned().collect::<Vec<_>>()
        };
        let own = of(&|event| event["subject"] == id || event["data"]["candidate"] == id);
        assert!(own.len() >= 5, "{own:?}");
        let served = of(&|event| event["type"] == "context.served");
        assert_eq!(served.len(), 1);
        for event in own.iter().chain(&served) {
            let hash = event["hash"].as_str().unwrap();
            assert!(sheet.text.contains(hash), "{event}");
        }
        assert!(sheet.text.contains("The chain was last signed up to event"));
        let unknown = format!("/candidates/cand_{}/sheet", "0".repeat(26));
        assert_eq!(browser.get(&unknown).await.status, 404);
    }
}
