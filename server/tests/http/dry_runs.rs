//! Dry runs over REST and on the pages (G14): what it would cost first, then the result beside today's.

use domain::permission::RoleName;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, story},
    schema::assert_described,
    sign_in::Browser,
};

const PYTHON: &str = "I prefer code examples in Python rather than pseudocode";

/// Waits until the worker is done with it.
async fn ended(key: &Api<'_>, path: &str) -> Value {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let now = key.get(path).await.ok(StatusCode::OK);
        if now["state"] != "running" {
            return now;
        }
        assert!(tokio::time::Instant::now() < deadline, "still {now}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// The page that a form led to.
async fn followed(
    browser: &mut Browser<'_>,
    path: &str,
    form: &[(&str, &str)],
) -> (String, String) {
    let answer = browser.post(path, form).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let to = answer.header("location");
    let page = browser.get(&to).await;
    assert_eq!(page.status, 200, "{}", page.text);
    (to, page.text)
}

story! {
    // G14, G7
    async fn what_it_would_cost_is_said_before_it_begins(house: &House) {
        let support = house.agent("support").await;
        let sales = house.agent("sales").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let rei = house.person("Rei", RoleName::Reviewer).await;
        let (mia, rei) = (house.person_key(&mia).await, house.person_key(&rei).await);
        let path = "/agents/support/dry-runs";
        for key in [&agent, &rei] {
            assert_eq!(key.post(path, json!({})).await.problem(403), "forbidden");
            assert_eq!(key.get(path).await.problem(403), "forbidden");
        }
        let early = mia.post(path, json!({})).await;
        assert_eq!((early.problem(422).as_str(), &early.json()["errors"][0]["code"]), ("invalid", &json!("empty")));
        agent.says("ana", PYTHON).await;

        let estimate = mia.post(path, json!({"conversations": 5})).await.ok(StatusCode::OK);
        assert_described(&estimate, "DryRunEstimate");
        assert_eq!((&estimate["conversations"], &estimate["windows"], &estimate["basis"], &estimate["extractor"]),
            (&json!(1), &json!(1), &json!("free"), &json!("builtin")));
        assert_eq!(mia.get(path).await.ok(StatusCode::OK)["data"], json!([]), "nothing has begun");
        assert_eq!(mia.post(path, json!({"model": "x"})).await.problem(422), "invalid");

        let trial = json!({"kinds": {"preference": {"guideline": "Only how to be helped."}}, "confirm": true});
        let run = mia.post(path, trial).await.ok(StatusCode::ACCEPTED);
        assert_described(&run, "DryRunView");
        let one = format!("{path}/{}", run["id"].as_str().unwrap());
        let done = ended(&mia, &one).await;
        assert_described(&done, "DryRunDetail");
        assert_eq!((&done["state"], &done["done"], &done["totals"]["only_today"], &done["totals"]["only_new"]),
            (&json!("done"), &json!(1), &json!(0), &json!(0)), "{done}");
        assert!(done["totals"]["same"].as_u64().unwrap() >= 1, "the same extractor finds the same: {done}");
        assert_eq!(done["trial"]["kinds"][0]["guideline"], "Only how to be helped.");
        assert_eq!(mia.waiting("ana").await.len(), 1, "nothing was proposed");

        assert_eq!(mia.post(&format!("{one}/stop"), json!({})).await.problem(409), "bulk_over");
        let elsewhere = format!("/agents/{sales}/dry-runs/{}", run["id"].as_str().unwrap());
        let unknown = format!("/agents/{sales}/dry-runs/dry_00000000000000000000000000");
        let (elsewhere, unknown) = (mia.get(&elsewhere).await, mia.get(&unknown).await);
        assert_eq!((elsewhere.problem(404), unknown.problem(404)), ("not_found".into(), "not_found".into()));
    }
}

story! {
    // G14, G11: as a browser with scripts off does it.
    async fn a_form_tells_what_it_would_cost_and_another_press_begins_it(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        agent.says("ana", PYTHON).await;
        house.person("Mia", RoleName::Admin).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        let path = "/agents/support/dry-runs";
        let form = mia.get(path).await;
        assert!(form.text.contains("What would it cost?") && !form.text.contains("name=\"confirm\""), "{}", form.text);
        let wrong = [("extractor", "bananas"), ("conversations", "5"), ("guidance", "Nothing about moods.")];
        let (_, page) = followed(&mut mia, path, &wrong).await;
        assert!(page.contains("bananas") && page.contains("Nothing about moods.") && !page.contains("name=\"confirm\""), "{page}");
        let right = [
            ("extractor", "builtin"), ("conversations", "5"), ("guidance", "Nothing about moods."),
            ("kinds_preference_description", "Wishes that last."), ("kinds_preference_guideline", ""),
        ];
        let (_, page) = followed(&mut mia, path, &right).await;
        for there in ["What it would cost", "1 conversation, 1 window", "costs nothing", "name=\"confirm\"", "Wishes that last."] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let mut begin = right.to_vec();
        begin.push(("confirm", "1"));
        let (to, page) = followed(&mut mia, path, &begin).await;
        assert!(page.contains("The dry run has begun.") && page.contains("Dry run of builtin"), "{page}");
        let to = to.split(['#', '?']).next().unwrap().to_owned();
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
        let done = loop {
            let page = mia.get(&to).await.text;
            if page.contains("in both") && !page.contains("/stop\"") {
                break page;
            }
            assert!(tokio::time::Instant::now() < deadline, "still {page}");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        assert!(done.contains("ana") && done.contains("Nothing about moods."), "{done}");
        assert!(done.contains("id=\"words-unread\""), "guidance tells the built-in extractor nothing: {done}");
        let (_, over) = followed(&mut mia, &format!("{to}/stop"), &[]).await;
        assert!(over.contains("It had ended already."), "{over}");
    }
}
