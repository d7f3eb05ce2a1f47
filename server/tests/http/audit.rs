//! The audit over the API and on its page: what happened, whether it holds, and what was signed of it.

use std::time::Duration;

use domain::{
    key::KeyScope,
    permission::{Grant, Permission, RoleName},
};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Answer, Api, House},
    schema::assert_described,
    sign_in::Browser,
};

/// The rows of the events on the page.
fn rows(page: &Answer) -> Vec<&str> {
    assert_eq!(page.status, 200, "{}", page.text);
    let (_, events) = page.text.split_once("id=\"events\"").unwrap();
    let events = events.split("</section>").next().unwrap();
    match events.split_once("<tbody>") {
        Some((_, rows)) => rows.split("<tr>").skip(1).collect(),
        None => Vec::new(),
    }
}

/// The page that a form led to.
async fn verified(browser: &mut Browser<'_>) -> String {
    let answer = browser.post("/audit/verify", &[]).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let page = browser.get(&answer.header("location")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    page.text
}

/// Waits until the clock has had its first turn, so that nothing is signed or walked in the middle of the story.
async fn settled(house: &House) {
    let reads = House::system(Permission::ReadAudit);
    while house
        .engine
        .last_verification(&reads)
        .await
        .unwrap()
        .is_none()
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Somebody who is signed in.
async fn comes_in<'a>(house: &'a House, name: &str, grants: Vec<Grant>) -> Browser<'a> {
    let person = house.person_with(name, grants).await;
    let mut browser = Browser::new(house);
    assert_eq!(browser.signs_in(&person.email).await.status, 303);
    browser
}

store::both! {
    // E2
    async fn what_happened_is_found_on_its_page_with_every_filter_in_the_address(db: &TestDb) {
        let house = House::open(db).await;
        {
            settled(&house).await;
            let support = house.agent("support").await;
            let agent = house.agent_key(&support).await;
            let bo = house.person("Bo", RoleName::Admin).await;
            let bo = house.person_key(&bo).await;
            let mut mia = comes_in(&house, "Mia", vec![Grant::everywhere(RoleName::Admin)]).await;
            for (user, name) in [("ana", "tea"), ("ben", "rice")] {
                let body = json!({"user_id": user, "kind": "preference", "name": name, "content": format!("User prefers fresh {name}")});
                let made = agent.post("/candidates", body).await.ok(StatusCode::CREATED);
                let id = made["candidate"]["id"].as_str().unwrap();
                bo.post(&format!("/candidates/{id}/approve"), json!({})).await.ok(StatusCode::OK);
            }
            let named = engine::NewKey {
                agent: Some(support.clone()),
                scopes: KeyScope::OF_AN_AGENT.to_vec(),
                person: None,
                name: Some("night shift".into()),
                expires_at: None,
            };
            let (key, _) = house.engine.create_key(&House::system(Permission::Administer), named).await.unwrap();
            let night = Api { house: &house, key: key.reveal().to_owned() };
            night.post("/candidates", json!({"user_id": "cy", "kind": "preference", "name": "soup", "content": "User prefers fresh soup"})).await.ok(StatusCode::CREATED);
            let by_keys = mia.get("/audit?actor=key").await;
            assert!(rows(&by_keys).iter().any(|row| row.contains("night shift (key_")), "{}", by_keys.text);

            let page = mia.get("/audit").await;
            assert!(page.text.contains("<a href=\"/audit\" aria-current=\"page\">"), "{}", page.text);
            let all = rows(&page).len();
            assert!(all > 8, "{all}");

            let approved = mia.get("/audit?agent=support&type=candidate.approved&actor=person&user=ana&from=2000-01-01&until=2999-12-31").await;
            let found = rows(&approved);
            assert_eq!(found.len(), 1, "{}", approved.text);
            for there in ["Approved", "Bo", "support", "href=\"/candidates/cand_", "href=\"/users/usr_"] {
                assert!(found[0].contains(there), "{there}: {}", found[0]);
            }
            for nothing in ["/audit?user=nobody", "/audit?user=usr_00000000000000000000000000", "/audit?until=2000-01-01", "/audit?actor=%25", "/audit?agent=elsewhere"] {
                let page = mia.get(nothing).await;
                assert!(rows(&page).is_empty() && page.text.contains("No event fits"), "{nothing}: {}", page.text);
            }
            // What means nothing filters nothing.
            assert_eq!(rows(&mia.get("/audit?type=flown&from=yesterday").await).len(), rows(&mia.get("/audit").await).len());
            assert_eq!(mia.get("/audit?after=nonsense").await.status, 422);

            let limited = Grant { agent: Some(support.clone()), ..Grant::everywhere(RoleName::Auditor) };
            let mut ida = comes_in(&house, "Ida", vec![limited]).await;
            let seen = ida.get("/audit").await;
            assert!(!rows(&seen).is_empty() && rows(&seen).iter().all(|row| row.contains("support")), "{}", seen.text);
            assert!(rows(&ida.get("/audit?agent=system").await).is_empty());
            let mut vic = comes_in(&house, "Vic", vec![Grant::everywhere(RoleName::Viewer)]).await;
            assert_eq!(vic.get("/audit").await.status, 403);
            assert_eq!(vic.post("/audit/verify", &[]).await.status, 403);
            assert!(!vic.get("/").await.text.contains("href=\"/audit\""));
        }
        house.close().await;
    }

    // E2
    async fn a_fault_stands_over_every_page_of_whom_it_concerns_until_it_is_gone(db: &TestDb) {
        let house = House::open(db).await;
        {
            let support = house.agent("support").await;
            let sales = house.agent("sales").await;
            let mut mia = comes_in(&house, "Mia", vec![Grant::everywhere(RoleName::Admin)]).await;
            let of = |agent: &domain::agent::AgentName| vec![Grant { agent: Some(agent.clone()), ..Grant::everywhere(RoleName::Auditor) }];
            let mut ida = comes_in(&house, "Ida", of(&support)).await;
            let mut sam = comes_in(&house, "Sam", of(&sales)).await;
            let mut rei = comes_in(&house, "Rei", vec![Grant::everywhere(RoleName::Reviewer)]).await;
            settled(&house).await;
            house.engine.checkpoint().await.unwrap();
            let well = verified(&mut mia).await;
            assert!(well.contains("Every chain holds.") && !well.contains("class=\"alarm\""), "{well}");
            assert!(well.contains(&house.engine.audit_key(&House::system(Permission::ReadAudit)).await.unwrap().fingerprint));

            db.unlock_history().await;
            db.keep_history().await;
            db.behind_the_back("update events set subject = 'x' where agent = 'support' and seq = 1").await.unwrap();
            let wrong = verified(&mut mia).await;
            for there in ["The audit does not hold: 1 fault found.", "<b>support, event 1</b>", "a column says otherwise", "class=\"alarm\""] {
                assert!(wrong.contains(there), "{there}: {wrong}");
            }
            for path in ["/", "/review", "/users", "/account", "/audit"] {
                for (who, concerned) in [(&mut mia, true), (&mut ida, true), (&mut sam, false), (&mut rei, false)] {
                    if path == "/audit" && !who.get(path).await.text.contains("id=\"events\"") {
                        continue;
                    }
                    let page = who.get(path).await;
                    assert_eq!((page.status, page.text.contains("class=\"alarm\"")), (200, concerned), "{path}: {}", page.text);
                }
            }
            let (seen, nothing) = (verified(&mut ida).await, verified(&mut sam).await);
            assert!(seen.contains("The audit does not hold: 1 fault found."), "{seen}");
            assert!(nothing.contains("Every chain holds.") && !nothing.contains("support, event"), "{nothing}");

            db.restore_history().await;
            let well = verified(&mut mia).await;
            assert!(well.contains("Every chain holds.") && !well.contains("class=\"alarm\""), "{well}");
        }
        house.close().await;
    }

    // E3
    async fn checkpoints_are_listed_and_a_walk_names_its_faults_over_the_api(db: &TestDb) {
        let house = House::open(db).await;
        {
            let support = house.agent("support").await;
            house.agent("sales").await;
            let mia = house.person("Mia", RoleName::Auditor).await;
            let api = house.key(None, Some(&mia), &[KeyScope::AuditRead]).await;
            let limited = house.key(Some(&support), Some(&mia), &[KeyScope::AuditRead]).await;
            settled(&house).await;
            let mut notes = Vec::new();
            for _ in 0..3 {
                notes.push(house.engine.checkpoint().await.unwrap().note);
            }
            let verified = api.get("/audit/verify").await.ok(StatusCode::OK);
            assert_described(&verified, "Verified");
            assert_eq!((&verified["ok"], &verified["faults"]), (&json!(true), &json!([])));
            assert!(verified["checkpoints"].as_i64().unwrap() >= 3, "{verified}");

            let mut listed: Vec<Value> = Vec::new();
            let mut path = "/audit/checkpoints?limit=2".to_owned();
            loop {
                let part = api.get(&path).await.ok(StatusCode::OK);
                listed.extend(part["data"].as_array().unwrap().clone());
                let Some(next) = part["next"].as_str() else { break };
                path = format!("/audit/checkpoints?limit=2&cursor={next}");
            }
            notes.reverse();
            for (checkpoint, note) in listed.iter().zip(&notes) {
                assert_described(checkpoint, "CheckpointView");
                assert_eq!(checkpoint["note"], *note);
                let agents = checkpoint["agents"].as_array().unwrap().iter();
                assert_eq!(agents.map(|one| one["agent"].as_str().unwrap()).collect::<Vec<_>>(), ["sales", "support"]);
            }
            let few = limited.get("/audit/checkpoints").await.ok(StatusCode::OK);
            assert_eq!((&few["data"][0]["note"], few["data"][0]["agents"].as_array().unwrap().len()), (&Value::Null, 1));
            assert_eq!(few["data"][0]["agents"][0]["agent"], "support");
            assert_eq!(api.get("/audit/checkpoints?cursor=1.e").await.problem(422), "invalid");
            let unscoped = house.key(None, Some(&mia), &[KeyScope::CandidatesRead]).await;
            assert_eq!(unscoped.get("/audit/checkpoints").await.status, 403);

            db.unlock_history().await;
            db.behind_the_back("delete from checkpoints").await.unwrap();
            let gone = api.get("/audit/verify").await.ok(StatusCode::OK);
            assert_described(&gone, "Verified");
            assert_eq!((&gone["ok"], &gone["checkpoints"]), (&json!(false), &json!(0)));
            let faults = gone["faults"].as_array().unwrap();
            assert!(faults.len() >= 3 && faults.iter().all(|fault| fault["kind"] == "missing" && fault["agent"] == "system"), "{gone}");
        }
        house.close().await;
    }
}
