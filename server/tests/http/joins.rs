//! Ids of one person over HTTP: proposed with an agent's key, decided with a person's, and with a browser (G15).

use domain::permission::RoleName;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, story},
    schema::assert_described,
    sign_in::Browser,
};

/// What two ids say, which a person approves.
async fn known(agent: &Api<'_>, mia: &Api<'_>) {
    agent
        .says(
            "ana",
            "I'm the CTO of StartupCorp and we're building a SaaS platform",
        )
        .await;
    agent
        .says(
            "guest-1",
            "I prefer code examples in Python rather than pseudocode",
        )
        .await;
    for user in ["ana", "guest-1"] {
        for waiting in mia.waiting(user).await {
            let path = format!("/candidates/{}/approve", waiting["id"].as_str().unwrap());
            mia.post(&path, json!({})).await.ok(StatusCode::OK);
        }
    }
}

/// How many memories an agent is told of each of the two.
async fn told(agent: &Api<'_>) -> [usize; 2] {
    let count = |context: Value| context["items"].as_array().unwrap().len();
    [
        count(agent.context("ana").await),
        count(agent.context("guest-1").await),
    ]
}

story! {
    // G15
    async fn an_agent_proposes_a_join_and_a_person_joins_splits_and_undoes(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Reviewer).await;
        let mia_key = house.person_key(&mia).await;
        known(&agent, &mia_key).await;
        let apart = told(&agent).await;
        let together = apart[0] + apart[1];
        assert!(apart[0] > 0 && apart[1] > 0, "{apart:?}");

        let body = json!({"guest": "guest-1", "main": "ana", "reason": "the same cookie"});
        let once = [("idempotency-key", "k-1")];
        let first = agent.call(Method::POST, "/joins", &once, Some(body.clone())).await;
        let (location, etag) = (first.header("location"), first.header("etag"));
        let proposed = first.ok(StatusCode::CREATED);
        assert_described(&proposed, "JoinView");
        let id = proposed["id"].as_str().unwrap();
        assert_eq!((location, etag.as_str()), (format!("/api/v1/joins/{id}"), "\"1\""));
        assert_eq!((&proposed["state"], &proposed["guest"]["user_id"], &proposed["proposed"]), (&json!("proposed"), &json!("guest-1"), &json!("the same cookie")));
        let replayed = agent.call(Method::POST, "/joins", &once, Some(body.clone())).await;
        assert_eq!((replayed.header("idempotency-replayed"), replayed.json()["id"].as_str()), ("true".to_owned(), Some(id)));
        assert_eq!(told(&agent).await, apart, "what waits joins nobody");
        for (body, pointer) in [(json!({"guest": "", "main": "ana"}), "/guest"), (json!({"guest": "guest-1", "main": "guest-1"}), "/main")] {
            let wrong = agent.post("/joins", body).await;
            assert_eq!(wrong.problem(422), "invalid");
            assert_eq!(wrong.json()["errors"][0]["pointer"], pointer);
        }
        assert_eq!(agent.post("/joins", json!({"guest": "guest-1", "main": "nobody"})).await.problem(404), "not_found");

        let path = format!("/joins/{id}");
        let why = json!({"reason": "she told me"});
        for verb in ["approve", "reject", "split", "undo"] {
            let refused = agent.post(&format!("{path}/{verb}"), why.clone()).await;
            assert_eq!(refused.problem(403), "forbidden", "{verb} with an agent's key");
        }
        assert_eq!(agent.get(&path).await.problem(403), "forbidden");
        let of_sales = house.key(Some(&sales), Some(&mia), domain::key::KeyScope::ALL).await;
        for verb in ["approve", "reject", "split", "undo"] {
            assert_eq!(of_sales.post(&format!("{path}/{verb}"), why.clone()).await.problem(404), "not_found");
        }
        assert_eq!(of_sales.get(&path).await.problem(404), "not_found");
        assert_eq!(of_sales.get("/joins").await.ok(StatusCode::OK)["data"], json!([]));

        let approve = format!("{path}/approve");
        assert_eq!(mia_key.post(&approve, json!({})).await.problem(422), "invalid");
        assert_eq!(mia_key.post(&approve, json!({"reason": " "})).await.problem(422), "invalid");
        let stale = mia_key.call(Method::POST, &approve, &[("if-match", "\"9\"")], Some(why.clone())).await;
        assert_eq!(stale.problem(412), "stale");
        assert_eq!(stale.json()["current"]["version"], 1);
        let seen = [("if-match", "\"1\"")];
        let joined = mia_key.call(Method::POST, &approve, &seen, Some(why.clone())).await;
        assert_eq!(joined.header("etag"), "\"2\"");
        let joined = joined.ok(StatusCode::OK);
        assert_described(&joined, "JoinView");
        assert_eq!((&joined["state"], &joined["reason"], &joined["decided_by"]["name"]), (&json!("joined"), &json!("she told me"), &json!("Mia")));
        assert_eq!(told(&agent).await, [together, together]);
        assert_eq!(mia_key.post(&approve, why.clone()).await.problem(409), "moved_on");
        for (guest, main, code) in [("guest-1", "ana", "already_joined"), ("ana", "guest-1", "join_chain")] {
            let refused = agent.post("/joins", json!({"guest": guest, "main": main})).await;
            assert_eq!(refused.problem(409), code);
        }

        let shown = mia_key.get(&path).await.ok(StatusCode::OK);
        assert_eq!(shown["version"], 2);
        let listed = mia_key.get("/joins?agent=support&user=ana").await.ok(StatusCode::OK);
        assert_eq!(listed["data"][0]["id"], id);
        assert_eq!(mia_key.get("/joins?waiting=true").await.ok(StatusCode::OK)["data"], json!([]));
        let user = mia_key.get("/users/ana?agent=support").await.ok(StatusCode::OK);
        assert_described(&user, "UserDetail");
        assert_eq!((&user["joins"][0]["id"], &user["conflicts"]), (&json!(id), &json!([])));

        let split = mia_key.post(&format!("{path}/split"), json!({"reason": "two people"})).await.ok(StatusCode::OK);
        assert_eq!((&split["state"], &split["ended"]), (&json!("split"), &json!("two people")));
        assert_eq!(told(&agent).await, apart, "each has again what it had");
        let undone = mia_key.call(Method::POST, &format!("{path}/undo"), &[], None).await.ok(StatusCode::OK);
        assert_eq!(undone["state"], "joined");
        assert_eq!(told(&agent).await, [together, together]);

        let odo = house.person("Odo", RoleName::Auditor).await;
        let odo = house.person_key(&odo).await;
        for (kind, events) in [("user.join_proposed", 2), ("user.joined", 4), ("user.split", 2)] {
            let told = odo.get(&format!("/audit/events?agent=support&type={kind}")).await.ok(StatusCode::OK);
            let told = told["data"].as_array().unwrap();
            assert_eq!(told.len(), events, "{kind}: once of each id");
            assert!(told.iter().all(|event| event["subject"] == id && !event.to_string().contains("cookie")));
        }
        assert_eq!(odo.get("/audit/verify").await.ok(StatusCode::OK)["ok"], true);
        assert_eq!(odo.post(&approve, why).await.problem(403), "forbidden");
    }

    // G15
    async fn a_reviewer_joins_two_ids_by_a_form_splits_them_and_takes_it_back(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Reviewer).await;
        let mia_key = house.person_key(&mia).await;
        known(&agent, &mia_key).await;
        let ana = mia_key.get("/users/ana?agent=support").await.ok(StatusCode::OK);
        let ana = ana["id"].as_str().unwrap();
        let mut browser = Browser::new(house);
        browser.signs_in(&mia.email).await;

        let form = format!("/users/{ana}/joins");
        let wrong = browser.post(&form, &[("join_other", "nobody"), ("join_as", "guest"), ("join_reason", "she said so")]).await;
        assert_eq!(wrong.status, 303, "{}", wrong.text);
        let page = browser.get(&wrong.header("location")).await;
        assert!(page.text.contains("aria-invalid=\"true\"") && page.text.contains("value=\"nobody\"") && page.text.contains("she said so"));
        let made = browser.post(&form, &[("join_other", "guest-1"), ("join_as", "guest"), ("join_reason", "she said so")]).await;
        let page = browser.get(&made.header("location")).await;
        assert!(page.text.contains("Joined. Agents are told of either id what both have."), "{}", page.text);
        let (_, rest) = page.text.split_once("action=\"/joins/").unwrap();
        let join = format!("/joins/{}", rest.split('/').next().unwrap());
        assert!(page.text.contains(&format!("action=\"{join}/undo\"")), "offered at once");

        let here = format!("/users/{ana}#joins");
        let split = browser.post(&format!("{join}/split"), &[("version", "1"), ("next", &here), ("join_why", "two people")]).await;
        let page = browser.get(&split.header("location")).await;
        assert!(page.text.contains("Split. Each id has again what it had.") && page.text.contains("two people"));
        let late = browser.post(&format!("{join}/split"), &[("version", "1"), ("next", &here), ("join_why", "a brother and a sister")]).await;
        let page = browser.get(&late.header("location")).await.text;
        assert!(page.contains("It was decided otherwise"));
        assert!(page.contains("What you had typed") && page.contains("a brother and a sister"), "its form is not there any more");
        let undone = browser.post(&format!("{join}/undo"), &[("version", "2"), ("next", &here)]).await;
        assert!(browser.get(&undone.header("location")).await.text.contains("Joined."));
        let stale = browser.post(&format!("{join}/split"), &[("version", "1"), ("next", &here), ("join_why", "a brother and a sister")]).await;
        let page = browser.get(&stale.header("location")).await.text;
        assert!(page.contains("It was decided otherwise") && page.contains("value=\"a brother and a sister\""), "its form is there");
        assert!(!page.contains("What you had typed"));

        agent.says("guest-2", "hello there").await;
        agent.post("/joins", json!({"guest": "guest-2", "main": "ana", "reason": "the same cookie"})).await.ok(StatusCode::CREATED);
        let front = browser.get("/").await;
        assert!(front.text.contains("join is proposed") && front.text.contains("href=\"/joins\""));
        let list = browser.get("/joins").await;
        assert!(list.text.contains("the same cookie") && list.text.contains("/decline\""));

        // Its id is joined by somebody else in between.
        browser.post(&form, &[("join_other", "guest-2"), ("join_as", "guest"), ("join_reason", "she said so")]).await;
        let (_, rest) = list.text.split_once("action=\"/joins/").unwrap();
        let approve = format!("/joins/{}/approve", rest.split('/').next().unwrap());
        let late = browser.post(&approve, &[("version", "1"), ("next", "/joins"), ("join_why", "by her voice")]).await;
        assert_eq!(late.status, 303, "{}", late.text);
        assert!(browser.get(&late.header("location")).await.text.contains("by her voice"));

        let vic = house.person("Vic", RoleName::Viewer).await;
        let mut reader = Browser::new(house);
        reader.signs_in(&vic.email).await;
        let page = reader.get(&format!("/users/{ana}")).await;
        assert!(page.text.contains("guest-1") && !page.text.contains("action=\"/joins/"), "who may not decide reads it");
    }
}
