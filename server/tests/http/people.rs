//! People and roles (G7): invited, limited, shut out; one's own account; the password once more before what is grave.

use domain::{
    key::KeyScope,
    permission::{Grant, RoleName},
    time::Span,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, House, PASSWORD, story},
    schema::assert_described,
    sign_in::Browser,
};

const OTHER: &str = "nine patient lanterns";

/// The one-time link that a page shows.
fn link(house: &House, page: &str) -> String {
    let (_, rest) = page
        .split_once("class=\"secret\">")
        .unwrap_or_else(|| panic!("no link in {page}"));
    let (address, _) = rest.split_once('<').unwrap();
    address.strip_prefix(&house.url).unwrap().to_owned()
}

fn token(link: &str) -> &str {
    link.split_once("token=").unwrap().1
}

/// What a kept form holds, by the names of its hidden fields.
fn kept<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("type=\"hidden\" name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("no {name} in {page}"));
    rest.split_once('"').unwrap().0
}

async fn system_events(admin: &Api<'_>, r#type: &str) -> Vec<Value> {
    let list = admin
        .get(&format!("/audit/events?agent=system&type={type}"))
        .await
        .ok(StatusCode::OK);
    list["data"].as_array().unwrap().clone()
}

story! {
    // G7
    async fn who_is_invited_chooses_a_password_by_a_link_that_works_once(house: &House) {
        house.agent("support").await;
        house.person("Ada", RoleName::Admin).await;
        let mut ada = Browser::new(house);
        ada.signs_in("ada@example.com").await;
        let form = [("name", "Lin"), ("email", "lin@example.com"), ("role.0", "reviewer"), ("agent.0", "support"), ("language.0.ja", "true")];
        let refused = ada.post("/admin/people", &[&form[..1], &[("email", "nowhere")], &form[2..]].concat()).await;
        let page = ada.get(&refused.header("location")).await;
        assert!(page.text.contains("value=\"Lin\"") && page.text.contains("value=\"nowhere\""), "what was typed stays");

        let invited = ada.post("/admin/people", &form).await;
        assert_eq!(invited.status, 303, "{}", invited.text);
        let page = ada.get(&invited.header("location")).await;
        let link = link(house, &page.text);
        assert!(!ada.get("/admin").await.text.contains(token(&link)), "it is shown this once");

        let mut lin = Browser::new(house);
        assert_eq!(lin.signs_in("lin@example.com").await.header("location").split('?').next(), Some("/login"), "no password yet");
        assert!(lin.get(&link).await.text.contains("lin@example.com"));
        let weak = lin.post("/join", &[("token", token(&link)), ("password", "short")]).await;
        assert!(lin.get(&weak.header("location")).await.text.contains("class=\"fault\""));
        let joined = lin.post("/join", &[("token", token(&link)), ("password", PASSWORD)]).await;
        assert_eq!((joined.status, joined.header("location").as_str()), (303, "/"), "{}", joined.text);
        assert_eq!(lin.get("/review").await.status, 200);
        assert_eq!(lin.get("/admin").await.status, 403);
        let mut late = Browser::new(house);
        let again = late.post("/join", &[("token", token(&link)), ("password", OTHER)]).await;
        assert_eq!(again.header("location"), "/join", "it is used up");
        assert_eq!(late.get("/review").await.status, 303);
        let list = ada.get("/admin").await.text;
        assert!(list.contains("lin@example.com") && list.contains("Reviewer: support · Japanese"), "{list}");
    }
}

story! {
    // G7
    async fn an_old_sign_in_gives_its_password_again_and_what_was_typed_goes_on(house: &House) {
        let mia = house.person("Mia", RoleName::Viewer).await;
        house.person("Ada", RoleName::Admin).await;
        let mut ada = Browser::new(house);
        ada.signs_in("ada@example.com").await;
        house.clock.advance(Span::minutes(11));
        let path = format!("/admin/people/{}/change", mia.id);
        let asked = ada.post(&path, &[("version", "1"), ("name", "Mia & Co"), ("role.0", "auditor"), ("agent.0", "*")]).await;
        assert!(asked.header("location").starts_with("/confirm?flash="), "{asked:?}");
        let page = ada.get(&asked.header("location")).await.text;
        assert!(page.contains(&format!("action=\"{path}\"")) && page.contains("name=\"confirm_password\""), "{page}");
        let (name, role) = (kept(&page, "name").replace("&amp;", "&"), kept(&page, "role.0"));
        assert_eq!((name.as_str(), role, kept(&page, "agent.0"), kept(&page, "version")), ("Mia & Co", "auditor", "*", "1"));
        assert!(!ada.get("/admin").await.text.contains("Auditor: All agents"), "nothing was changed yet");

        let form = [("version", "1"), ("name", "Mia & Co"), ("role.0", "auditor"), ("agent.0", "*"), ("confirm_password", "not the password")];
        let wrong = ada.post(&path, &form).await;
        let page = ada.get(&wrong.header("location")).await.text;
        assert_eq!(kept(&page, "role.0"), "auditor", "still there");
        assert!(page.contains("data-tone=\"bad\"") && !page.contains("not the password"), "{page}");
        let right = ada.post(&path, &[&form[..4], &[("confirm_password", PASSWORD)]].concat()).await;
        assert!(right.header("location").starts_with(&format!("/admin/people/{}?flash=", mia.id)), "{right:?}");
        let list = ada.get("/admin").await.text;
        assert!(list.contains("Mia &amp; Co") && list.contains("Auditor: All agents"), "{list}");
        // Fresh again: the next one is not asked for.
        let next = ada.post(&format!("/admin/people/{}/link", mia.id), &[]).await;
        assert!(next.header("location").starts_with("/admin/people/"), "{next:?}");

        // A viewer is not asked for a password to be refused.
        let mut vic = Browser::new(house);
        vic.signs_in("mia@example.com").await;
        house.clock.advance(Span::minutes(11));
        assert_eq!(vic.post(&path, &form).await.status, 403);
        let asked = ada.post(&path, &form[..4]).await.header("location");
        let page = vic.get(&asked).await.text;
        assert!(page.contains("Nothing waits to go on") && !page.contains("auditor"), "nobody else is led to send it: {page}");
    }
}

story! {
    // G7
    async fn of_two_administrators_at_one_person_the_second_is_told_and_nothing_is_lost(house: &House) {
        let mia = house.person("Mia", RoleName::Viewer).await;
        house.person("Ada", RoleName::Admin).await;
        house.person("Bo", RoleName::Admin).await;
        let (mut ada, mut bo) = (Browser::new(house), Browser::new(house));
        ada.signs_in("ada@example.com").await;
        bo.signs_in("bo@example.com").await;
        let here = format!("/admin/people/{}", mia.id);
        let stored = async || {
            let mia = house.engine.person(&mia.id).await.unwrap().unwrap();
            (mia.name, mia.roles[0].role, mia.roles[0].languages.clone())
        };
        let (hers, his) = (ada.get(&here).await.text, bo.get(&here).await.text);
        let seen = kept(&hers, "version").to_owned();
        assert_eq!(kept(&his, "version"), seen);
        let first = [("version", seen.as_str()), ("name", "Mia Keller"), ("role.0", "auditor"), ("agent.0", "*")];
        let saved = ada.post(&format!("{here}/change"), &first).await;
        assert!(ada.get(&saved.header("location")).await.text.contains("Saved"));

        let second = [("version", seen.as_str()), ("name", "Mia & Co"), ("role.0", "reviewer"), ("agent.0", "*"), ("language.0.ja", "true")];
        let late = bo.post(&format!("{here}/change"), &second).await;
        let page = bo.get(&late.header("location")).await.text;
        for there in ["It changed since you opened it", "value=\"Mia &amp; Co\"", "<option value=\"reviewer\" selected"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let (_, box_of_japanese) = page.split_once("name=\"language.0.ja\"").unwrap();
        assert!(box_of_japanese.split('>').next().unwrap().contains("checked"), "{page}");
        assert_eq!(stored().await, ("Mia Keller".to_owned(), RoleName::Auditor, vec![]), "what the first saved stays");
        let out = ada.post(&format!("{here}/deactivate"), &[("version", seen.as_str())]).await;
        assert!(ada.get(&out.header("location")).await.text.contains("It changed since you opened it"));
        assert!(house.engine.actor(&mia.id).await.unwrap().is_some(), "nobody is shut out by an old page");

        let newest = kept(&page, "version");
        assert_ne!(newest, seen);
        let again = bo.post(&format!("{here}/change"), &[&second[1..], &[("version", newest)]].concat()).await;
        assert!(bo.get(&again.header("location")).await.text.contains("Saved"));
        assert_eq!(stored().await, ("Mia & Co".to_owned(), RoleName::Reviewer, vec!["ja".to_owned()]));
        // A form that does not say what it was drawn with changes nothing.
        let blind = ada.post(&format!("{here}/change"), &first[1..]).await;
        let page = ada.get(&blind.header("location")).await.text;
        assert!(page.contains("data-tone=\"bad\"") && page.contains("value=\"Mia Keller\""), "{page}");
        assert_eq!(stored().await.0, "Mia & Co");
    }
}

story! {
    // G7
    async fn who_is_shut_out_is_out_at_once_and_the_last_administrator_stays(house: &House) {
        let mia = house.person("Mia", RoleName::Reviewer).await;
        let root = house.person("Ada", RoleName::Admin).await;
        let key = house.person_key(&mia).await;
        let (mut ada, mut browser) = (Browser::new(house), Browser::new(house));
        ada.signs_in("ada@example.com").await;
        browser.signs_in("mia@example.com").await;
        assert_eq!((browser.get("/review").await.status, key.get("/candidates").await.status), (200, 200));

        let done = ada.post(&format!("/admin/people/{}/deactivate", mia.id), &[("version", "1")]).await;
        let page = ada.get(&done.header("location")).await.text;
        assert!(page.contains("Mia is deactivated") && page.contains("/reactivate"), "{page}");
        assert_eq!((browser.get("/review").await.status, key.get("/candidates").await.status), (303, 401));
        assert!(browser.signs_in("mia@example.com").await.header("location").starts_with("/login"));

        let form = [("version", "1"), ("name", "Ada"), ("role.0", "viewer"), ("agent.0", "*")];
        for (verb, form) in [("deactivate", &form[..1]), ("change", &form[..])] {
            let kept = ada.post(&format!("/admin/people/{}/{verb}", root.id), form).await;
            let page = ada.get(&kept.header("location")).await.text;
            assert!(page.contains("Somebody must stay who can administer everything"), "{verb}: {page}");
        }
        assert_eq!(ada.get("/admin").await.status, 200);

        ada.post(&format!("/admin/people/{}/reactivate", mia.id), &[("version", "2")]).await;
        browser.signs_in("mia@example.com").await;
        assert_eq!((browser.get("/review").await.status, key.get("/candidates").await.status), (200, 401), "keys stay revoked");
        let api = house.person_key(&root).await;
        let told = system_events(&api, "person.deactivated").await;
        assert_eq!((told.len(), &told[0]["data"]["sessions"], &told[0]["data"]["keys"]), (1, &json!(1), &json!(1)), "{told:?}");
        assert_eq!(system_events(&api, "person.reactivated").await.len(), 1);
    }
}

story! {
    // G7
    async fn people_look_after_their_own_account(house: &House) {
        let mia = house.person("Mia", RoleName::Reviewer).await;
        let (mut here, mut there) = (Browser::new(house), Browser::new(house));
        here.signs_in("mia@example.com").await;
        there.signs_in("mia@example.com").await;
        let stored = async || {
            let mia = house.engine.person(&mia.id).await.unwrap().unwrap();
            (mia.name, mia.language)
        };
        let empty = here.post("/account", &[("name", " "), ("language", "ja")]).await;
        let page = here.get(&empty.header("location")).await.text;
        assert!(page.contains("class=\"fault\"") && page.contains("<html lang=\"en\""), "{page}");
        assert_eq!(stored().await, ("Mia".to_owned(), None), "a refused name saves no language");
        let saved = here.post("/account", &[("name", "Mia Keller"), ("language", "ja")]).await;
        let page = here.get(&saved.header("location")).await.text;
        assert!(page.contains("value=\"Mia Keller\"") && page.contains("<html lang=\"ja\""), "{page}");
        assert_eq!(stored().await, ("Mia Keller".to_owned(), Some("ja".to_owned())));
        here.post("/account", &[("name", "Mia Keller"), ("language", "en")]).await;

        let (_, rest) = here.get("/account").await.text.split_once("action=\"/account/sessions/end\"").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        let other = kept(&rest, "session").to_owned();
        assert_eq!(there.get("/review").await.status, 200);
        here.post("/account/sessions/end", &[("session", &other)]).await;
        assert_eq!((there.get("/review").await.status, here.get("/review").await.status), (303, 200));
        let mut stranger = Browser::new(house);
        house.person("Rei", RoleName::Reviewer).await;
        stranger.signs_in("rei@example.com").await;
        assert_eq!(stranger.post("/account/sessions/end", &[("session", &other)]).await.status, 404);

        there.signs_in("mia@example.com").await;
        let wrong = here.post("/account/password", &[("present", "not the password"), ("password", OTHER)]).await;
        let page = here.get(&wrong.header("location")).await.text;
        assert!(page.contains("This is not your present password.") && !page.contains(OTHER), "{page}");
        let right = here.post("/account/password", &[("present", PASSWORD), ("password", OTHER)]).await;
        assert!(here.get(&right.header("location")).await.text.contains("data-tone=\"good\""));
        assert_eq!((there.get("/review").await.status, here.get("/review").await.status), (303, 200), "signed out everywhere else");
        assert!(there.signs_in("mia@example.com").await.header("location").starts_with("/login"), "the old password is gone");
    }
}

story! {
    // G7, G10
    async fn a_role_for_a_language_decides_in_that_language_only_and_reads_all(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let root = house.person("Ada", RoleName::Admin).await;
        let root = house.person_key(&root).await;
        let japanese = Grant { languages: vec!["ja".to_owned()], ..Grant::everywhere(RoleName::Reviewer) };
        let lin = house.person_with("Lin", vec![japanese]).await;
        let api = house.person_key(&lin).await;
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        agent.says("yuki", "コード例は擬似コードよりPythonで見せてもらう方が好きです").await;
        let (english, yuki) = (api.waiting("ana").await, api.waiting("yuki").await);
        let path = format!("/candidates/{}", english[0]["id"].as_str().unwrap());
        assert_eq!(api.get(&path).await.status, 200, "reading is not limited");
        for (verb, body) in [("approve", json!({})), ("reject", json!({"reason": "wrong"}))] {
            let refused = api.post(&format!("{path}/{verb}"), body).await;
            assert_eq!(refused.problem(403), "language_not_yours");
            assert!(refused.json()["detail"].as_str().unwrap().contains("in ja; this is in en"), "{}", refused.text);
        }
        let mut browser = Browser::new(house);
        browser.signs_in("lin@example.com").await;
        let form = [("version", "1"), ("edited", "1"), ("content", "User likes Rust"), ("kind", "preference"), ("importance", "0.8")];
        let back = browser.post(&format!("{path}/approve"), &form).await;
        let page = browser.get(&back.header("location")).await.text;
        assert!(page.contains("content in other languages") && page.contains("User likes Rust"), "{page}");
        let yuki = format!("/candidates/{}/approve", yuki[0]["id"].as_str().unwrap());
        api.post(&yuki, json!({})).await.ok(StatusCode::OK);

        let memory = root.post(&format!("{path}/approve"), json!({})).await.ok(StatusCode::OK)["memory"].clone();
        assert_eq!(api.post(&format!("{path}/reopen"), json!({})).await.problem(403), "language_not_yours");
        let memory = format!("/memories/{}", memory.as_str().unwrap());
        let edit = Some(json!({"content": "User prefers Rust"}));
        let refused = api.call(Method::PATCH, &memory, &[("if-match", "*")], edit).await;
        assert_eq!(refused.problem(403), "language_not_yours");
        assert_eq!(api.call(Method::DELETE, &memory, &[("if-match", "*")], None).await.problem(403), "language_not_yours");
        let form = [("revision", "1"), ("content", "User prefers Rust"), ("kind", "preference"), ("importance", "0.8")];
        let back = browser.post(&format!("{memory}/edit"), &form).await;
        assert!(browser.get(&back.header("location")).await.text.contains("content in other languages"));
    }
}

story! {
    // G7
    async fn people_are_managed_over_the_api_by_who_administers_everything(house: &House) {
        let support = house.agent("support").await;
        let root = house.person("Ada", RoleName::Admin).await;
        let api = house.person_key(&root).await;
        let body = json!({"name": "Lin", "email": "lin@example.com", "roles": [{"agent": "support", "role": "reviewer", "languages": ["ja"]}]});
        let made = api.post("/people", body.clone()).await.ok(StatusCode::CREATED);
        assert_described(&made, "PersonInvited");
        assert_eq!((&made["person"]["state"], &made["person"]["roles"]), (&json!("invited"), &body["roles"]));
        let link = made["link"].as_str().unwrap().strip_prefix(&house.url).unwrap();
        assert_eq!(house.http.get(format!("{}{link}", house.url)).send().await.unwrap().status(), 200);
        assert_eq!(api.post("/people", body).await.problem(409), "name_taken");
        let wrong = api.post("/people", json!({"name": "", "email": "x", "roles": []})).await;
        assert_eq!(wrong.problem(422), "invalid");
        let nowhere = json!({"name": "Li", "email": "li@example.com", "roles": [{"agent": "nobody", "role": "viewer"}, {"agent": "*", "role": "viewer", "languages": ["fr"]}]});
        let wrong = api.post("/people", nowhere).await;
        let pointers: Vec<Value> = wrong.json()["errors"].as_array().unwrap().iter().map(|fault| fault["pointer"].clone()).collect();
        assert_eq!(pointers, [json!("/roles/0/agent"), json!("/roles/1/languages")]);

        let path = format!("/people/{}", made["person"]["id"].as_str().unwrap());
        let patch = async |body: Value| api.call(Method::PATCH, &path, &[], Some(body)).await;
        let changed = patch(json!({"name": "Lin Wu", "roles": [{"agent": "*", "role": "auditor"}]})).await.ok(StatusCode::OK);
        assert_eq!((&changed["name"], &changed["roles"][0]["role"]), (&json!("Lin Wu"), &json!("auditor")));
        assert_eq!((&made["person"]["version"], &changed["version"]), (&json!(1), &json!(2)));
        assert_eq!(patch(json!({"active": false})).await.ok(StatusCode::OK)["state"], "deactivated");
        assert_eq!(house.http.get(format!("{}{link}", house.url)).send().await.unwrap().text().await.unwrap().matches("name=\"password\"").count(), 0);
        let seen = async |version: &str, body: Value| api.call(Method::PATCH, &path, &[("if-match", version)], Some(body)).await;
        let stale = seen("\"2\"", json!({"active": true})).await;
        assert_eq!(stale.problem(412), "stale");
        let now = stale.json()["current"].clone();
        assert_described(&now, "PersonView");
        assert_eq!((&now["version"], &now["state"]), (&json!(3), &json!("deactivated")));
        let again = seen("\"3\"", json!({"active": true})).await;
        assert_eq!((again.header("etag").as_str(), &again.ok(StatusCode::OK)["state"]), ("\"4\"", &json!("invited")));
        assert_eq!(seen("\"x\"", json!({})).await.problem(400), "invalid");
        let own = format!("/people/{}", root.id);
        let refused = api.call(Method::PATCH, &own, &[], Some(json!({"roles": [{"agent": "*", "role": "viewer"}]}))).await;
        assert_eq!(refused.problem(409), "last_admin");
        let unknown = api.call(Method::PATCH, "/people/per_00000000000000000000000000", &[], Some(json!({}))).await;
        assert_eq!(unknown.problem(404), "not_found");

        let list = api.get("/people").await.ok(StatusCode::OK);
        assert_described(&list["data"][1], "PersonView");
        assert_eq!(list["data"].as_array().unwrap().len(), 2);
        let narrow = house.key(Some(&support), Some(&root), KeyScope::ALL).await;
        assert_eq!(narrow.get("/people").await.problem(403), "forbidden", "a key for one agent manages no people");
        let events = system_events(&api, "person.changed").await;
        assert_eq!(events[0]["data"]["roles"], json!([{"agent": null, "languages": [], "role": "auditor"}]), "{events:?}");
        assert!(!events[0].to_string().contains("Wu"), "no text of a person");
    }
}

story! {
    // G7, G11
    async fn the_installation_is_told_beside_its_people_and_who_manages_them_ends_their_sign_ins(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Viewer).await;
        let person = house.person("Ada", RoleName::Admin).await;
        let api = house.person_key(&person).await;
        let (mut ada, mut one, mut other) = (Browser::new(house), Browser::new(house), Browser::new(house));
        ada.signs_in("ada@example.com").await;
        one.signs_in("mia@example.com").await;
        other.signs_in("mia@example.com").await;
        api.post("/holds", json!({"agent": "support", "reason": "Case 12-345"})).await.ok(StatusCode::CREATED);
        assert_eq!(ada.post("/audit/verify", &[]).await.status, 303);
        let page = ada.get("/admin").await.text;
        let (_, cards) = page.split_once("id=\"running\"").unwrap();
        assert!(!cards.contains("more agent"), "{cards}");
        for there in [
            "3 of 2 people", "1 hold<", "every chain holds", "until erased", "no e-mail is sent", "builtin, the default", &house.url,
            " a second, ", "href=\"/agents/support#cost\"", "KEEPSAKE_RETENTION_SERVINGS",
        ] {
            assert!(cards.contains(there), "{there}: {cards}");
        }
        for number in 1..=50 {
            house.agent(&format!("team-{number}")).await;
        }
        let many = ada.get("/admin").await.text;
        assert!(many.contains("And 1 more agent<"), "{many}");

        let here = format!("/admin/people/{}", mia.id);
        let ends = format!("{here}/sessions/end");
        let page = ada.get(&here).await.text;
        assert!(page.contains(&format!("action=\"{ends}\"")) && page.contains("Where they are signed in"), "{page}");
        assert_eq!(one.post(&ends, &[]).await.status, 403);
        let nobody = format!("/admin/people/per_{}/sessions/end", "0".repeat(26));
        assert_eq!(ada.post(&nobody, &[]).await.status, 404);
        let ended = ada.post(&ends, &[]).await;
        let page = ada.get(&ended.header("location")).await.text;
        assert!(page.contains("Mia is signed out everywhere") && page.contains("Not signed in anywhere."), "{page}");
        for browser in [&mut one, &mut other] {
            assert_eq!(browser.get("/review").await.status, 303, "signed out");
        }
        let told = system_events(&api, "person.signed_out").await;
        assert_eq!((told.len(), &told[0]["actor"]["name"], &told[0]["subject"]), (1, &json!("Ada"), &json!(mia.id)), "{told:?}");

        // One's own: all but the one that asks.
        one.signs_in("mia@example.com").await;
        other.signs_in("mia@example.com").await;
        assert!(one.get("/account").await.text.contains("action=\"/account/sessions/end-others\""));
        let ended = one.post("/account/sessions/end-others", &[]).await;
        let page = one.get(&ended.header("location")).await.text;
        assert!(page.contains("You are signed out everywhere else") && !page.contains("end-others"), "{page}");
        assert_eq!(other.get("/review").await.status, 303, "signed out");
        let told = system_events(&api, "person.signed_out").await;
        assert_eq!((told.len(), &told[0]["actor"]["name"]), (2, &json!("Mia")), "{told:?}");
    }
}
