//! The pages on which an administrator sets up what an agent remembers: plain forms, as a browser with scripts off sends them.

use domain::permission::RoleName;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Answer, House, story},
    sign_in::Browser,
};

async fn mia<'a>(house: &'a House) -> Browser<'a> {
    house.person("Mia", RoleName::Admin).await;
    let mut mia = Browser::new(house);
    mia.signs_in("mia@example.com").await;
    mia
}

/// The page that a form led to.
async fn followed(browser: &mut Browser<'_>, answer: Answer) -> Answer {
    assert_eq!(answer.status, 303, "{}", answer.text);
    let page = browser.get(&answer.header("location")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    page
}

/// The value of a hidden or typed field.
fn field(page: &str, name: &str) -> String {
    let (_, rest) = page
        .split_once(&format!("name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("no {name} in {page}"));
    rest.split('"').next().unwrap().to_owned()
}

story! {
    // D1, D5
    async fn a_schema_with_a_fault_is_told_where_it_is_and_becomes_a_profile_when_it_is_put_right(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;

        let new = mia.get("/agents/support/schemas/new").await;
        assert!(new.text.contains("technical_stack"), "the form begins with an example: {}", new.text);
        let broken = "{\n  \"properties\": {\n    \"job_status\": {\"type\": }\n  }\n}";
        let form = |schema| [("id", "user-profile"), ("schema", schema)];
        let answer = mia.post("/agents/support/schemas", &form(broken)).await;
        let page = followed(&mut mia, answer).await.text;
        for there in ["value=\"3\" data-fault", "This is no JSON.", "user-profile", "\"type\": }"] {
            assert!(page.contains(there) || page.contains(&there.replace('"', "&quot;")), "{there}: {page}");
        }
        let wrong = "{\n  \"properties\": {\n    \"job_status\": {\n      \"type\": \"strin\"\n    }\n  }\n}";
        let answer = mia.post("/agents/support/schemas", &form(wrong)).await;
        let page = followed(&mut mia, answer).await.text;
        assert!(page.contains("value=\"4\" data-fault"), "{page}");
        assert!(page.contains("/properties/job_status/type"), "{page}");

        let right = json!({"type": "object", "properties": {
            "technical_stack": {"type": "string"}, "job_status": {"type": "string", "enum": ["student", "employed"]},
        }});
        let answer = mia.post("/agents/support/schemas", &form(&right.to_string())).await;
        let page = followed(&mut mia, answer).await.text;
        assert!(page.contains("student · employed"), "its fields are listed: {page}");

        let proposal = json!({
            "user_id": "ana", "kind": "profile_field", "name": "user-profile/technical_stack", "content": "ADK",
            "metadata": {"schema": "user-profile", "field": "technical_stack", "value": "ADK", "extracted": "ADK"},
        });
        let made = agent.post("/candidates", proposal).await.ok(StatusCode::CREATED);
        let id = made["candidate"]["id"].as_str().unwrap();
        bo.post(&format!("/candidates/{id}/approve"), json!({})).await.ok(StatusCode::OK);
        let users = bo.get("/users").await.ok(StatusCode::OK);
        let user = users["data"][0]["id"].as_str().unwrap().to_owned();
        let page = mia.get(&format!("/users/{user}")).await.text;
        let (_, profile) = page.split_once("id=\"profile\"").unwrap_or_else(|| panic!("{page}"));
        for there in ["technical_stack", ">ADK<", "job_status", "not known"] {
            assert!(profile.contains(there), "{there}: {profile}");
        }

        let schema = mia.get("/agents/support/schemas/user-profile").await.text;
        let version = field(&schema, "version");
        let answer = mia.post("/agents/support/schemas/user-profile/remove", &[("version", &version)]).await;
        assert!(followed(&mut mia, answer).await.text.contains("The schema user-profile is removed"));
        assert_eq!(mia.get("/agents/support/schemas/user-profile").await.status, 404);
    }
}

story! {
    // A11, A12
    async fn a_kind_of_ones_own_is_made_and_changed_on_its_page(house: &House) {
        house.agent("support").await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        let form = |schema| [
            ("name", "goal"), ("label", "Goals"), ("description", "What the user wants to reach"), ("guideline", "No daily chores."),
            ("enabled", "true"), ("position", "6"), ("ttl_days", "90"), ("cap", ""), ("evidence", "user_quote"), ("metadata_schema", schema),
        ];
        let answer = mia.post("/agents/support/kinds", &form("{\"type\": \"objec\"}")).await;
        let page = followed(&mut mia, answer).await.text;
        for there in ["data-fault", "Goals", "No daily chores.", "value=\"90\""] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let answer = mia.post("/agents/support/kinds", &form("{\"type\": \"object\"}")).await;
        assert!(answer.header("location").starts_with("/agents/support/kinds/goal"), "{answer:?}");
        let kinds = bo.get("/agents/support/kinds").await.ok(StatusCode::OK);
        let goal = |kinds: &Value| kinds["data"].as_array().unwrap().iter().find(|kind| kind["name"] == "goal").unwrap().clone();
        let made = goal(&kinds);
        assert_eq!((&made["ttl_days"], &made["always"], &made["guideline"]), (&json!(90), &json!(false), &json!("No daily chores.")));
        let change = [("label", "Aims"), ("description", "What the user wants"), ("position", "2"), ("always", "true"), ("evidence", "any_turn")];
        let page = mia.get("/agents/support/kinds/goal").await.text;
        let version = field(&page, "version");
        let elsewhere = json!({"cap": 7});
        bo.call(reqwest::Method::PATCH, "/agents/support/kinds/goal", &[], Some(elsewhere)).await.ok(StatusCode::OK);
        let late = [change.as_slice(), &[("version", version.as_str())]].concat();
        let answer = mia.post("/agents/support/kinds/goal", &late).await;
        let page = followed(&mut mia, answer).await.text;
        assert!(page.contains("It changed since you opened it") && page.contains("Aims"), "{page}");
        let kept = goal(&bo.get("/agents/support/kinds").await.ok(StatusCode::OK));
        assert_eq!((&kept["label"], &kept["cap"]), (&json!("Goals"), &json!(7)));
        let version = field(&page, "version");
        let again = [change.as_slice(), &[("version", version.as_str())]].concat();
        let answer = mia.post("/agents/support/kinds/goal", &again).await;
        assert!(followed(&mut mia, answer).await.text.contains("Saved"));
        let now = goal(&bo.get("/agents/support/kinds").await.ok(StatusCode::OK));
        assert_eq!((&now["label"], &now["ttl_days"], &now["always"], &now["enabled"]), (&json!("Aims"), &Value::Null, &json!(true), &json!(false)));
        let agent = mia.get("/agents/support").await.text;
        assert!(agent.contains("no, switched off"), "the table says what is true: {agent}");

        let version = field(&agent, "version");
        let answer = mia.post("/agents/support/sets", &[("version", version.as_str()), ("business", "true")]).await;
        followed(&mut mia, answer).await;
        let kinds = bo.get("/agents/support/kinds").await.ok(StatusCode::OK);
        let on = |name: &str| kinds["data"].as_array().unwrap().iter().any(|kind| kind["name"] == name && kind["enabled"] == true);
        assert!(on("campaign") && !on("fact"));
    }
}

story! {
    // A12, C2, D8, G2, G14
    async fn every_setting_is_saved_by_its_form_and_what_was_typed_survives_a_refusal(house: &House) {
        house.agent("support").await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        let page = mia.get("/agents/support").await.text;
        let version = field(&page, "version");
        let form = |quiet| [
            ("version", version.as_str()), ("serve", "true"), ("max_memories", "7"), ("confidence_floor", "0.6"), ("max_candidates", "5"),
            ("extractor", ""), ("guidance", "Only what helps."), ("shared_ids", "guest-*\r\n\r\nkiosk\r\n"), ("trigger_messages", ""),
            ("trigger_quiet_seconds", quiet), ("trigger_interval_seconds", "600"), ("budget_tokens_per_day", "100000"),
            ("budget_money_per_day", ""), ("budget_price_in", "0.15"), ("budget_price_out", "0.6"),
        ];
        let answer = mia.post("/agents/support/settings", &form("99999999")).await;
        let page = followed(&mut mia, answer).await.text;
        for there in ["Not saved", "99999999", "Only what helps.", "guest-*"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let answer = mia.post("/agents/support/settings", &form("")).await;
        assert!(followed(&mut mia, answer).await.text.contains("Saved"));
        let agent = bo.get("/agents/support").await.ok(StatusCode::OK);
        assert_eq!(agent["learn"], false);
        assert_eq!(agent["natural_language"], false);
        assert_eq!(agent["shared_ids"], json!(["guest-*", "kiosk"]));
        assert_eq!(agent["trigger"], json!({"messages": null, "quiet_seconds": null, "interval_seconds": 600}));
        assert_eq!(agent["budget"]["tokens_per_day"], 100_000);
        assert_eq!(agent["budget"]["price_out"], 0.6);

        let late = mia.post("/agents/support/settings", &form("30")).await;
        let page = followed(&mut mia, late).await.text;
        assert!(page.contains("It changed since you opened it") && page.contains("value=\"30\""), "{page}");
    }
}

story! {
    // A12
    async fn a_policy_is_switched_on_by_name_decides_in_that_name_and_is_switched_off(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        let page = mia.get("/agents/support").await.text;
        assert!(page.contains("None is on"), "{page}");
        let version = field(&page, "version");
        let none = [("version", version.as_str()), ("auto_approve_name", "sure-preferences"), ("auto_approve_min_confidence", "0.8")];
        let answer = mia.post("/agents/support/policies", &none).await;
        let page = followed(&mut mia, answer).await.text;
        assert!(page.contains("Not saved") && page.contains("sure-preferences"), "a policy without kinds: {page}");
        let on = [none.as_slice(), &[("policy_kind.preference", "true")]].concat();
        let answer = mia.post("/agents/support/policies", &on).await;
        let page = followed(&mut mia, answer).await.text;
        assert!(page.contains("is on") && page.contains("Mia"), "{page}");

        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let approved = bo.get("/candidates?status=approved&agent=support&user_id=ana").await.ok(StatusCode::OK);
        let id = approved["data"][0]["id"].as_str().unwrap_or_else(|| panic!("{approved}"));
        let page = mia.get(&format!("/candidates/{id}")).await.text;
        assert!(page.contains("sure-preferences") && page.contains("Mia"), "{page}");

        let page = mia.get("/agents/support").await.text;
        let off = [("version", field(&page, "version")), ("name", "sure-preferences".to_owned())];
        let off: Vec<(&str, &str)> = off.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = mia.post("/agents/support/policies/off", &off).await;
        assert!(followed(&mut mia, answer).await.text.contains("None is on"));
    }
}

story! {
    // A12, F7
    async fn an_approval_that_is_refused_says_what_stands_in_the_way_and_opens_no_empty_form(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        let proposal = json!({"user_id": "ana", "kind": "preference", "name": "tea", "content": "User prefers green tea"});
        let made = agent.post("/candidates", proposal).await.ok(StatusCode::CREATED);
        let id = made["candidate"]["id"].as_str().unwrap();
        let other = json!({"user_id": "ana", "kind": "preference", "name": "tea", "content": "User prefers black tea"});
        let memory = bo.post("/memories?agent=support", other).await.ok(StatusCode::CREATED);
        let memory = memory["id"].as_str().unwrap();
        let here = format!("/candidates/{id}");
        let plain = [("version", "1"), ("next", "/review"), ("here", here.as_str())];
        let answer = mia.post(&format!("{here}/approve"), &plain).await;
        let page = followed(&mut mia, answer).await.text;
        assert!(page.contains("Not approved") && page.contains(&format!("href=\"/memories/{memory}\"")), "{page}");
        assert!(!page.contains("class=\"edit\" name=\"verdict\" open"), "no form is opened: {page}");
        assert!(page.contains(&format!("value=\"{memory}:1\"")), "it can be merged into what is there: {page}");

        let into = format!("{memory}:1");
        let merge = [plain.as_slice(), &[("merge_into", into.as_str())]].concat();
        let answer = mia.post(&format!("{here}/approve"), &merge).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        let now = bo.get(&format!("/memories/{memory}")).await.ok(StatusCode::OK);
        assert_eq!((&now["revision"], &now["content"]), (&json!(2), &json!("User prefers green tea")));
    }
}

story! {
    // F7, D4
    async fn what_was_typed_for_a_memory_survives_a_change_by_somebody_else_and_its_end_can_be_set(house: &House) {
        house.agent("support").await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        let made = json!({"user_id": "ana", "kind": "fact", "content": "User lives in Oslo"});
        let memory = bo.post("/memories?agent=support", made).await.ok(StatusCode::CREATED);
        let here = format!("/memories/{}", memory["id"].as_str().unwrap());
        let change = json!({"content": "User lives in Bergen"});
        bo.call(reqwest::Method::PATCH, &here, &[("if-match", "\"1\"")], Some(change)).await.ok(StatusCode::OK);
        let form = [("revision", "1"), ("content", "User lives in Oslo, near the park"), ("kind", "fact"), ("importance", "0.50")];
        let answer = mia.post(&format!("{here}/edit"), &form).await;
        let page = followed(&mut mia, answer).await.text;
        for there in ["It changed since you opened it", "Oslo, near the park", "Bergen", "name=\"revision\" value=\"2\""] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let day = (house.now() + domain::time::Span::days(30)).format("%Y-%m-%d").to_string();
        let answer = mia.post(&format!("{here}/expiry"), &[("revision", "2"), ("expires_at", &day)]).await;
        assert!(followed(&mut mia, answer).await.text.contains("Saved"));
        let next = (house.now() + domain::time::Span::days(31)).format("%Y-%m-%dT00:00:00Z").to_string();
        assert_eq!(bo.get(&here).await.ok(StatusCode::OK)["expires_at"], next);
        assert!(mia.get(&here).await.text.contains(&format!("value=\"{day}\"")));
    }
}

story! {
    // G2
    async fn a_person_is_opted_out_and_in_again_on_their_page(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let users = bo.get("/users").await.ok(StatusCode::OK);
        let here = format!("/users/{}", users["data"][0]["id"].as_str().unwrap());
        let answer = mia.post(&format!("{here}/opt-out"), &[("opted_out", "true")]).await;
        let page = followed(&mut mia, answer).await.text;
        assert!(page.contains("This person has opted out"), "{page}");
        assert_eq!(agent.context("ana").await["reason"], "opted_out");
        let answer = mia.post(&format!("{here}/opt-out"), &[]).await;
        assert!(followed(&mut mia, answer).await.text.contains("Opted in again"));
    }
}

story! {
    // F7
    async fn what_was_typed_is_not_lost_when_somebody_else_decided_first(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        let proposal = json!({"user_id": "ana", "kind": "preference", "content": "User prefers green tea"});
        let made = agent.post("/candidates", proposal).await.ok(StatusCode::CREATED);
        let here = format!("/candidates/{}", made["candidate"]["id"].as_str().unwrap());
        bo.post(&format!("{here}/approve"), json!({})).await.ok(StatusCode::OK);
        let form = [
            ("version", "1"), ("here", here.as_str()), ("edited", "1"), ("content", "User prefers green tea without sugar"),
            ("kind", "preference"), ("importance", "0.50"),
        ];
        let answer = mia.post(&format!("{here}/approve"), &form).await;
        let page = followed(&mut mia, answer).await.text;
        for there in ["Approved by Bo", "What you had typed", "User prefers green tea without sugar"] {
            assert!(page.contains(there), "{there}: {page}");
        }
    }
}

story! {
    // B1
    async fn metadata_is_edited_field_by_field_as_its_schema_has_it(house: &House) {
        house.agent("support").await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        let business = json!({"kinds": {"sets": ["assistant", "business"]}});
        bo.call(reqwest::Method::PATCH, "/agents/support", &[], Some(business)).await.ok(StatusCode::OK);
        let metric = json!({
            "user_id": "ana", "kind": "metric", "name": "ctr", "content": "CTR is 2.1 %", "metadata": {"metric": "ctr", "value": 2.1, "unit": "%"}
        });
        let memory = bo.post("/memories?agent=support", metric).await.ok(StatusCode::CREATED);
        let here = format!("/memories/{}", memory["id"].as_str().unwrap());
        assert!(mia.get(&here).await.text.contains("name=\"meta.value\" value=\"2.1\""));
        let form = |value| [
            ("revision", "1"), ("content", "CTR is 2.6 %"), ("kind", "metric"), ("name", "ctr"), ("importance", "0.50"),
            ("meta.metric", "ctr"), ("meta.value", value), ("meta.unit", "%"), ("meta.period", "week 49"), ("meta.campaign", ""),
        ];
        let answer = mia.post(&format!("{here}/edit"), &form("much")).await;
        let page = followed(&mut mia, answer).await.text;
        assert!(page.contains("Not saved") && page.contains("value=\"much\"") && page.contains("value=\"week 49\""), "{page}");
        let answer = mia.post(&format!("{here}/edit"), &form("2.6")).await;
        assert!(followed(&mut mia, answer).await.text.contains("Saved"));
        let now = bo.get(&here).await.ok(StatusCode::OK);
        assert_eq!(now["metadata"], json!({"metric": "ctr", "value": 2.6, "unit": "%", "period": "week 49"}));
    }
}

story! {
    // C2, C8, G4
    async fn the_page_of_an_agent_counts_its_webhooks_and_says_what_its_extractor_is_told(house: &House) {
        for name in ["support", "sales"] {
            house.agent(name).await;
        }
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let mut mia = mia(house).await;
        let page = mia.get("/agents/support").await.text;
        for there in ["No webhook is told what happens here.", "asks no model, so it is told nothing", "keepsake hook install --client claude-code"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        // One of each agent, and one of all.
        for agent in ["support", "sales", "*"] {
            let new = json!({"agent": agent, "url": "https://runtime.invalid/hook", "events": ["memory.recalled"]});
            bo.post("/webhooks", new).await.ok(StatusCode::CREATED);
        }
        let page = mia.get("/agents/support").await.text;
        assert!(page.contains("2 webhooks are told what happens here."), "{page}");
    }
}
