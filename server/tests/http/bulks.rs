//! Decisions by the hundred, over the API and on the pages with plain forms.

use domain::{key::KeyScope, permission::RoleName};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, House, story},
    sign_in::Browser,
};

/// Statements about houses of these numbers.
async fn propose(key: &Api<'_>, numbers: std::ops::Range<usize>) -> Vec<Value> {
    let mut made = Vec::with_capacity(numbers.len());
    for number in numbers {
        let body = json!({
            "user_id": format!("user-{}", number % 3), "kind": "fact", "content": format!("User has visited house {number}")
        });
        let answer = key.post("/candidates", body).await.ok(StatusCode::CREATED);
        made.push(answer["candidate"].clone());
    }
    made
}

fn id(of: &Value) -> &str {
    of["id"].as_str().unwrap()
}

fn pick(of: &Value) -> String {
    format!("{}:1", id(of))
}

/// Waits until the worker is done with a bulk.
async fn ended(key: &Api<'_>, bulk: &Value) -> Value {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let now = key
            .get(&format!("/bulks/{}", id(bulk)))
            .await
            .ok(StatusCode::OK);
        if !matches!(now["state"].as_str(), Some("collecting" | "running")) {
            return now;
        }
        assert!(tokio::time::Instant::now() < deadline, "still {now}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// The page that a form led to.
async fn followed(browser: &mut Browser<'_>, path: &str, form: &[(&str, &str)]) -> String {
    let answer = browser.post(path, form).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    browser.get(&answer.header("location")).await.text
}

async fn reviewer<'a>(house: &'a House, name: &str) -> Browser<'a> {
    house.person(name, RoleName::Admin).await;
    let mut browser = Browser::new(house);
    browser
        .signs_in(&format!("{}@example.com", name.to_lowercase()))
        .await;
    browser
}

story! {
    // F7
    async fn picked_candidates_are_decided_at_once_over_the_api(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let made = propose(&agent, 0..4).await;
        mia.post(&format!("/candidates/{}/reject", id(&made[0])), json!({"reason": "wrong"})).await.ok(StatusCode::OK);
        let candidates: Vec<_> = made.iter().map(|one| json!({"id": one["id"], "version": 1})).collect();
        let refused = agent.post("/bulks", json!({"verdict": "approve", "candidates": candidates})).await;
        assert_eq!(refused.problem(403), "forbidden");
        let answer = mia.post("/bulks", json!({"verdict": "approve", "candidates": candidates})).await;
        let bulk = answer.ok(StatusCode::CREATED);
        assert_eq!(answer.header("location"), format!("/api/v1/bulks/{}", id(&bulk)));
        assert_eq!((&bulk["state"], &bulk["done"], &bulk["failed"]), (&json!("done"), &json!(3), &json!(1)));
        let shown = mia.get(&format!("/bulks/{}", id(&bulk))).await.ok(StatusCode::OK);
        assert_eq!(shown["reasons"], json!({"already_decided": 1}));
        assert_eq!((&shown["items"]["data"][0]["id"], &shown["items"]["data"][0]["code"]), (&made[0]["id"], &json!("already_decided")));

        let undo = mia.post(&format!("/bulks/{}/undo", id(&bulk)), json!({})).await.ok(StatusCode::CREATED);
        assert_eq!((&undo["undo_of"], &undo["done"], &undo["told"]), (&bulk["id"], &json!(3), &json!(0)));
        assert_eq!(mia.post(&format!("/bulks/{}/undo", id(&bulk)), json!({})).await.problem(409), "already_undone");
        assert_eq!(mia.post(&format!("/bulks/{}/stop", id(&bulk)), json!({})).await.problem(409), "bulk_over");
        let list = mia.get("/bulks").await.ok(StatusCode::OK);
        assert_eq!(list["data"].as_array().unwrap().len(), 2);

        // What is wrong is said where it is.
        for (body, pointer) in [
            (json!({"verdict": "approve"}), "/candidates"),
            (json!({"verdict": "approve", "candidates": [], "filter": {}}), "/filter"),
            (json!({"verdict": "reject", "candidates": candidates}), "/reason"),
            (json!({"verdict": "approve", "candidates": []}), "/candidates"),
            (json!({"verdict": "approve", "candidates": candidates, "insist": true}), "/note"),
        ] {
            let problem = mia.post("/bulks", body).await;
            assert_eq!(problem.problem(422), "invalid");
            assert_eq!(problem.json()["errors"][0]["pointer"], pointer);
        }
    }
}

story! {
    // F7
    async fn all_that_match_are_decided_in_the_background_and_only_the_own_agent(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let (of_support, of_sales) = (house.agent_key(&support).await, house.agent_key(&sales).await);
        propose(&of_support, 0..25).await;
        let theirs = propose(&of_sales, 0..1).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let all = house.person_key(&mia).await;
        let one = house.key(Some(&support), Some(&mia), KeyScope::ALL).await;
        let other = house.key(Some(&sales), Some(&mia), KeyScope::ALL).await;
        let filter = json!({"kind": "fact"});
        let unsure = one.post("/bulks", json!({"verdict": "approve", "filter": filter})).await;
        assert_eq!(unsure.problem(422), "invalid");
        assert_eq!(unsure.json()["errors"][0]["pointer"], "/confirm");
        let bulk = one.post("/bulks", json!({"verdict": "approve", "filter": filter, "confirm": 25})).await.ok(StatusCode::ACCEPTED);
        let done = ended(&one, &bulk).await;
        assert_eq!((&done["state"], &done["total"], &done["done"]), (&json!("done"), &json!(25), &json!(25)));
        let untouched = all.get(&format!("/candidates/{}", id(&theirs[0]))).await.ok(StatusCode::OK);
        assert_eq!(untouched["status"], "pending");

        // To a key of the other agent there is no such thing.
        for (method, path) in [(Method::GET, ""), (Method::POST, "/undo"), (Method::POST, "/stop")] {
            for bulk in [id(&bulk), "bulk_00000000000000000000000000"] {
                let body = (method == Method::POST).then(|| json!({}));
                let answer = other.call(method.clone(), &format!("/bulks/{bulk}{path}"), &[], body).await;
                assert_eq!(answer.problem(404), "not_found", "{path}");
            }
        }
        assert_eq!(other.get("/bulks").await.ok(StatusCode::OK)["data"], json!([]));
    }
}

story! {
    // F7, E2
    async fn ticked_rows_are_decided_by_a_plain_form_and_what_failed_stays_ticked(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let made = propose(&agent, 0..22).await;
        let mut mia = reviewer(house, "Mia").await;
        let queue = mia.get("/review").await.text;
        assert!(queue.contains("form=\"bulk\"") && queue.contains("action=\"/review/bulk\""), "{queue}");

        let none = followed(&mut mia, "/review/bulk", &[("verdict", "approve"), ("next", "/review?kind=fact")]).await;
        assert!(none.contains("Nothing is selected"), "{none}");

        let picks: Vec<String> = made.iter().map(pick).collect();
        let mut form: Vec<(&str, &str)> = picks.iter().map(|pick| ("pick", pick.as_str())).collect();
        form.extend([("verdict", "approve"), ("next", "/review"), ("note", "seen together")]);
        let asks = followed(&mut mia, "/review/bulk", &form).await;
        assert!(asks.contains("Type 22 to approve them") && asks.contains("seen together"), "{asks}");
        let ticked = asks.split("<input").filter(|input| input.contains("name=\"pick\"") && input.contains(" checked")).count();
        assert_eq!(ticked, 22, "what was ticked is not lost: {asks}");

        // Somebody is first with one of them.
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        bo.post(&format!("/candidates/{}/reject", id(&made[3])), json!({"reason": "wrong"})).await.ok(StatusCode::OK);
        bo.post(&format!("/candidates/{}/reopen", id(&made[3])), json!({})).await.ok(StatusCode::OK);
        form.push(("confirm", "22"));
        let done = followed(&mut mia, "/review/bulk", &form).await;
        assert!(done.contains("21 approved, 1 failed"), "{done}");
        assert!(done.contains("It changed since it was selected"), "{done}");
        let still = format!("{}:3", id(&made[3]));
        let ticked: Vec<_> = done.split("<input").filter(|input| input.contains("name=\"pick\"") && input.contains(" checked")).collect();
        assert!(ticked.len() == 1 && ticked[0].contains(&still), "{ticked:?}");

        // The message takes all of it back.
        let undo = done.split("action=\"").map(|rest| rest.split('"').next().unwrap()).find(|to| to.starts_with("/bulks/")).unwrap();
        let undone = followed(&mut mia, undo, &[("next", "/review")]).await;
        assert!(undone.contains("Taken back: 21 wait again"), "{undone}");
        let one = undo.trim_end_matches("/undo");
        let page = mia.get(one).await.text;
        assert!(page.contains("Approval of 22") && page.contains("This was taken back") && !page.contains("/undo\""), "{page}");
        let again = followed(&mut mia, undo, &[]).await;
        assert!(again.contains("It was taken back already"), "{again}");
        assert!(mia.get("/bulks").await.text.contains("Reopening of 21"));
    }
}

story! {
    // F7
    async fn the_page_for_all_that_match_says_what_is_in_it_and_wants_the_number(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        propose(&agent, 0..21).await;
        let mut mia = reviewer(house, "Mia").await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let page = mia.get("/review/bulk?verdict=approve&kind=fact").await.text;
        assert!(page.contains("Approve 21 candidates") && page.contains("Type 21 to approve them"), "{page}");
        let frozen = page.split("name=\"frozen_at\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let mut form = vec![("verdict", "approve"), ("list", "/review?kind=fact"), ("shown", "21"), ("frozen_at", frozen.as_str()), ("note", "all of these")];
        let refused = followed(&mut mia, "/bulks", &form).await;
        assert!(refused.contains("Approve 21 candidates") && refused.contains("all of these"), "{refused}");

        house.clock.advance(domain::time::Span::seconds(1));
        propose(&agent, 100..102).await;
        form.push(("confirm", "21"));
        let answer = mia.post("/bulks", &form).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        let there = answer.header("location");
        let bulk = there.split(['/', '?']).nth(2).unwrap().to_owned();
        let done = ended(&bo, &json!({"id": bulk})).await;
        assert_eq!((&done["done"], &done["failed"]), (&json!(21), &json!(0)));
        let page = mia.get(&format!("/bulks/{bulk}")).await.text;
        assert!(page.contains("21 done") && page.contains("all of these") && page.contains("Take all of it back"), "{page}");
        let waiting = bo.get("/candidates?status=pending&limit=200").await.ok(StatusCode::OK);
        assert_eq!(waiting["data"].as_array().unwrap().len(), 2, "what arrived after the page was drawn is untouched");
        assert_eq!(mia.get("/review/bulk?verdict=nonsense").await.status, 404);
    }
}

story! {
    // F7, G10
    async fn ticked_rows_are_handed_over_by_the_same_form_and_what_was_not_stays_ticked(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let made = propose(&agent, 0..3).await;
        let aiko = house.person("Aiko", RoleName::Reviewer).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = reviewer(house, "Mia").await;
        let queue = mia.get("/review").await.text;
        let (_, bar) = queue.split_once("id=\"bulk-bar\"").unwrap();
        let (bar, _) = bar.split_once("</section>").unwrap();
        assert!(bar.contains("name=\"verdict\" value=\"hand_over\""), "{bar}");
        let options = bar.split("<option value=\"").skip(1).filter_map(|rest| rest.split('"').next());
        assert_eq!(options.count(), 3, "Aiko, Bo, whoever speaks the language: {bar}");

        // Somebody is at one of them, and has decided another.
        bo.post(&format!("/candidates/{}/claim", id(&made[1])), json!({})).await.ok(StatusCode::OK);
        bo.post(&format!("/candidates/{}/reject", id(&made[2])), json!({"reason": "wrong"})).await.ok(StatusCode::OK);
        let picks: Vec<String> = made.iter().map(pick).collect();
        let mut form: Vec<(&str, &str)> = picks.iter().map(|pick| ("pick", pick.as_str())).collect();
        form.extend([("verdict", "hand_over"), ("next", "/review"), ("note", "Is this Oslo?")]);
        let nobody = [form.as_slice(), &[("to", "somebody")]].concat();
        let refused = followed(&mut mia, "/review/bulk", &nobody).await;
        let ticked = |page: &str| {
            let inputs = page.split("<input").filter(|input| input.contains("name=\"pick\"") && input.contains(" checked"));
            inputs.count()
        };
        assert!(refused.contains("Is this Oslo?") && refused.contains("aria-invalid=\"true\""), "{refused}");
        assert_eq!(ticked(&refused), 2, "what is listed still: {refused}");

        form.push(("to", aiko.id.as_str()));
        let done = followed(&mut mia, "/review/bulk", &form).await;
        for there in ["1 handed over, 2 failed", "Somebody else has claimed it", "Somebody decided before", "for Aiko"] {
            assert!(done.contains(there), "{there}: {done}");
        }
        assert_eq!(ticked(&done), 1, "only what waits still: {done}");
        assert!(!done.contains("/undo\""), "a hand-over is taken back where it is: {done}");
        let shown = bo.get(&format!("/candidates/{}", id(&made[0]))).await.ok(StatusCode::OK);
        assert_eq!((&shown["handover"]["to"]["name"], &shown["handover"]["note"]), (&json!("Aiko"), &json!("Is this Oslo?")));
    }
}
