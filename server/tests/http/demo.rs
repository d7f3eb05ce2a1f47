//! What a new installation offers: the demo, the first steps, and the pages that help where one cannot go on.

use domain::{
    agent::{AgentName, AgentScope, AgentSettings},
    key::KeyScope,
    kind::Kind,
    permission::RoleName,
};
use reqwest::StatusCode;
use serde_json::json;
use store::{Stamp, testing::TestDb};

use crate::{
    house::{Answer, House, PASSWORD, story},
    sign_in::Browser,
};

async fn enters<'a>(house: &'a House, name: &str, role: RoleName) -> Browser<'a> {
    house.person(name, role).await;
    let mut browser = Browser::new(house);
    browser
        .signs_in(&format!("{}@example.com", name.to_lowercase()))
        .await;
    browser
}

/// The token of the form that a sign-in page carries on.
fn kept(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"kept\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

async fn followed(browser: &mut Browser<'_>, answer: Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text);
    let page = browser.get(&answer.header("location")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    page.text
}

story! {
    async fn the_demo_is_filled_by_one_press_marked_on_its_pages_and_removed_by_one(house: &House) {
        let mut mia = enters(house, "Mia", RoleName::Admin).await;
        let mut vera = enters(house, "Vera", RoleName::Viewer).await;
        let page = mia.get("/").await.text;
        assert!(page.contains("action=\"/demo\"") && page.contains("Make an agent"), "{page}");
        assert!(!vera.get("/").await.text.contains("action=\"/demo\""));
        let answer = mia.post("/demo", &[]).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("The demo is there") && page.contains("demo-lena"), "{page}");
        let agent = mia.get("/agents/demo").await.text;
        assert!(agent.contains("Demo data") && agent.contains("/demo/remove"), "{agent}");
        let seen = vera.get("/agents/demo").await.text;
        assert!(seen.contains("Demo data") && !seen.contains("/demo/remove"), "who may not remove it is not offered to");
        assert!(mia.get("/").await.text.contains("Make an agent"), "the demo is no first step");
        assert_eq!(vera.post("/demo/remove", &[]).await.status, 403);
        let answer = mia.post("/demo/remove", &[]).await;
        assert!(followed(&mut mia, answer).await.contains("The demo is removed"));
        assert_eq!(mia.get("/agents/demo").await.status, 404);

        house.agent("demo").await;
        let answer = mia.post("/demo", &[]).await;
        assert!(followed(&mut mia, answer).await.contains("it is your own"));
        assert!(!mia.get("/agents/demo").await.text.contains("Demo data"), "one's own agent is no demo");
    }
}

story! {
    async fn a_demo_that_was_half_filled_says_so_and_is_completed_by_another_press(house: &House) {
        let mut mia = enters(house, "Mia", RoleName::Admin).await;
        let demo = AgentName::parse("demo").unwrap();
        let stamp = Stamp::system(house.engine.now());
        let mut tx = house.engine.db().write(AgentScope::All).await.unwrap();
        let kinds = [Kind::assistant(), Kind::always_there()].concat();
        tx.create_demo(&demo, &AgentSettings::default(), &kinds, &stamp).await.unwrap();
        tx.commit().await.unwrap();
        let half = mia.get("/agents/demo").await.text;
        assert!(half.contains("Not all of it is there") && half.contains("action=\"/demo\""), "{half}");
        let answer = mia.post("/demo", &[]).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("The demo is there") && page.contains("demo-lena"), "{page}");
        let whole = mia.get("/agents/demo").await.text;
        assert!(whole.contains("/demo/remove") && !whole.contains("action=\"/demo\""), "{whole}");
    }
}

story! {
    async fn each_first_step_ticks_itself_by_what_is_there(house: &House) {
        let mut mia = enters(house, "Mia", RoleName::Admin).await;
        let steps = |page: &str| page.matches("data-done=\"\"").count();
        assert_eq!(steps(&mia.get("/").await.text), 0);
        let support = house.agent("support").await;
        let page = mia.get("/").await.text;
        assert!(steps(&page) == 1 && page.contains("/agents/support#keys"), "{page}");
        let agent = house.agent_key(&support).await;
        let page = mia.get("/").await.text;
        for there in ["requests.post", "await fetch", &format!("{}/api/v1/conversations", house.url)] {
            assert!(page.contains(there), "{there}: {page}");
        }
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        assert_eq!(steps(&mia.get("/").await.text), 3);
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let id = bo.waiting("ana").await[0]["id"].as_str().unwrap().to_owned();
        bo.post(&format!("/candidates/{id}/approve"), json!({})).await.ok(StatusCode::OK);
        assert!(mia.get("/").await.text.contains("/api/v1/context"));
        agent.context("ana").await;
        house.engine.flush().await.unwrap();
        assert!(!mia.get("/").await.text.contains("id=\"first-steps\""), "nothing is left to do");
    }
}

story! {
    // F12
    async fn the_preview_shows_the_text_an_agent_gets_and_why(house: &House) {
        let support = house.agent("support").await;
        house.agent("sales").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut vera = enters(house, "Vera", RoleName::Viewer).await;
        for (kind, content) in [("preference", "User prefers tea"), ("context", "User moves house in May")] {
            bo.post("/memories?agent=support", json!({"user_id": "ana", "kind": kind, "content": content})).await.ok(StatusCode::CREATED);
        }
        let users = bo.get("/users").await.ok(StatusCode::OK);
        let here = format!("/users/{}", users["data"][0]["id"].as_str().unwrap());
        assert!(vera.get(&here).await.text.contains(&format!("{here}/context")));
        let page = vera.get(&format!("{here}/context?query=a+cup+of+tea")).await.text;
        for there in ["&lt;entity_memory", "its kind is in every context", "it has nothing to do with the task", "User moves house in May"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        bo.call(reqwest::Method::PATCH, "/agents/support", &[], Some(json!({"serve": false}))).await.ok(StatusCode::OK);
        assert!(vera.get(&format!("{here}/context?layout=nonsense&tokens=x")).await.text.contains("Serving is switched off"));
        assert_eq!(agent.context("ana").await["reason"], "serving_off");
    }
}

story! {
    async fn a_part_of_a_users_name_is_found_within_one_agent(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        for (agent, user) in [(&support, "Ana.Ruiz@example.org"), (&support, "bo"), (&sales, "ana.other")] {
            house.agent_key(agent).await.says(user, "I prefer code examples in Python rather than pseudocode").await;
        }
        let mut vera = enters(house, "Vera", RoleName::Viewer).await;
        let page = vera.get("/users?agent=support&q=ana.R").await.text;
        assert!(page.contains("Ana.Ruiz@example.org") && !page.contains("ana.other") && !page.contains(">bo<"), "{page}");
        let page = vera.get("/users?q=ana").await.text;
        assert!(page.contains("No user of this name") && page.contains("keyed hashes"), "over all agents it has to be whole: {page}");
        assert!(vera.get("/users?q=ana.other").await.text.contains("ana.other"));
    }
}

story! {
    // G7
    async fn a_page_that_is_refused_says_which_role_is_needed_and_who_gives_it(house: &House) {
        house.agent("support").await;
        house.person("Mia", RoleName::Admin).await;
        let mut vera = enters(house, "Vera", RoleName::Viewer).await;
        let refused = vera.get("/agents/support/kinds/new").await;
        assert_eq!(refused.status, 403);
        assert!(refused.text.contains("administrator") && refused.text.contains("Mia"), "{}", refused.text);
        let nobody = Browser::new(house).get("/nowhere").await;
        assert!(!nobody.text.contains("Mia"), "a stranger learns no names");
    }
}

story! {
    // F7
    async fn what_was_typed_when_the_session_was_over_comes_back_after_the_sign_in(house: &House) {
        house.agent("support").await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let made = json!({"user_id": "ana", "kind": "fact", "content": "User lives in Oslo"});
        let memory = bo.post("/memories?agent=support", made).await.ok(StatusCode::CREATED);
        let here = format!("/memories/{}", memory["id"].as_str().unwrap());
        let mut mia = enters(house, "Mia", RoleName::Reviewer).await;
        house.clock.advance(domain::time::Span::minutes(31));
        let typed = [("revision", "1"), ("content", "User lives in Bergen, by the harbour"), ("kind", "fact"), ("importance", "0.50")];
        let answer = mia.post(&format!("{here}/edit"), &typed).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("What you typed is kept") && !page.contains("harbour"), "it is not in a page that everybody sees: {page}");
        let kept = kept(&page);
        let wrong = [("email", "mia@example.com"), ("password", "not the password"), ("kept", &kept)];
        let answer = mia.post("/login", &wrong).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains(&format!("name=\"kept\" value=\"{kept}\"")), "{page}");
        house.clock.advance(domain::time::Span::minutes(1));
        let right = [("email", "mia@example.com"), ("password", PASSWORD), ("kept", &kept)];
        let answer = mia.post("/login", &right).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("Bergen, by the harbour") && page.contains(&format!("action=\"{here}/edit\"")), "{page}");
        let now = bo.get(&here).await.ok(StatusCode::OK);
        assert_eq!(now["content"], "User lives in Oslo", "nothing is sent before the person says so");
        let answer = mia.post(&format!("{here}/edit"), &typed).await;
        assert!(followed(&mut mia, answer).await.contains("Saved"));

        house.clock.advance(domain::time::Span::minutes(31));
        let secret = mia.post("/account/password", &[("password", "x"), ("new_password", "y")]).await;
        assert_eq!(secret.header("location"), "/login", "a password is not kept");
    }
}

story! {
    // G10
    async fn a_guideline_is_written_in_three_languages_and_read_beside_the_candidate(house: &House) {
        let support = house.agent("support").await;
        let sales = house.agent("sales").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = enters(house, "Mia", RoleName::Admin).await;
        let here = "/agents/support/kinds/preference";
        let page = mia.get(here).await.text;
        for there in ["Should: a lasting wish", "残すもの", "应当保留"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let write = |version, words| [("version", version), ("guideline_ja", words)];
        let answer = mia.post(&format!("{here}/guidelines/ja"), &write("0", "長く続く希望だけ。")).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("Saved") && page.contains("長く続く希望だけ。") && page.contains("by Mia"), "{page}");
        let answer = mia.post(&format!("{here}/guidelines/ja"), &write("0", "遅い版")).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("It changed since you opened it") && page.contains("遅い版"), "{page}");
        let long = "x".repeat(4001);
        let answer = mia.post(&format!("{here}/guidelines/ja"), &write("1", &long)).await;
        assert!(followed(&mut mia, answer).await.contains(&long), "what was typed is not lost");
        assert_eq!(mia.post(&format!("{here}/guidelines/tlh"), &write("1", "x")).await.status, 404);

        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let id = bo.waiting("ana").await[0]["id"].as_str().unwrap().to_owned();
        assert!(mia.get(&format!("/candidates/{id}")).await.text.contains("Should: a lasting wish"));

        let path = "/agents/support/kinds/preference/guidelines";
        let put = |language: &str, words: &str, seen: &'static str| {
            let body = json!({"content": words});
            let path = format!("{path}/{language}");
            let bo = &bo;
            async move { bo.call(reqwest::Method::PUT, &path, &[("if-match", seen)], Some(body)).await }
        };
        let written = put("en", "Lasting wishes only.", "*").await;
        assert_eq!((written.ok(StatusCode::OK)["version"].clone(), written.header("etag")), (json!(1), "\"1\"".to_owned()));
        assert_eq!(put("en", "Late.", "\"7\"").await.problem(412), "stale");
        assert_eq!(put("en", &"x".repeat(4001), "*").await.problem(422), "invalid");
        put("tlh", "x", "*").await.problem(404);
        let all = bo.get(path).await.ok(StatusCode::OK);
        assert_eq!(all["data"][0]["content"], "Lasting wishes only.");
        assert!(mia.get(&format!("/candidates/{id}")).await.text.contains("Lasting wishes only."));
        let other = house.key(Some(&sales), Some(&house.person("Kim", RoleName::Admin).await), KeyScope::ALL).await;
        other.get(path).await.problem(404);
        other.call(reqwest::Method::PUT, &format!("{path}/en"), &[], Some(json!({"content": "x"}))).await.problem(404);
        agent.call(reqwest::Method::PUT, &format!("{path}/en"), &[], Some(json!({"content": "x"}))).await.problem(403);
    }
}
