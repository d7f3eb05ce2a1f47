//! Kinds, schemas and profiles over HTTP.

use domain::permission::RoleName;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{house::story, redact::redacted, schema::assert_described, sign_in::Browser};
use store::testing::TestDb;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "technical_stack": {"type": "string", "description": "Languages and frameworks that they work with."},
            "job_status": {"type": "string", "enum": ["student", "employed"], "x-ttl-days": 30},
        },
    })
}

story! {
    // D1
    async fn a_schema_is_edited_and_each_fault_names_its_place(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let made = mia.post("/agents/support/schemas", json!({"id": "user-profile", "schema": schema()})).await;
        assert_eq!(made.header("location"), "/api/v1/agents/support/schemas/user-profile");
        assert_eq!(made.header("etag"), "\"1\"");
        let made = made.ok(StatusCode::CREATED);
        assert_described(&made, "SchemaView");
        insta::assert_json_snapshot!("schema", redacted(made));

        let put = async |headers: &[(&str, &str)], schema: Value| {
            mia.call(Method::PUT, "/agents/support/schemas/user-profile", headers, Some(json!({"schema": schema}))).await
        };
        let wrong = put(&[], json!({"type": "object", "properties": {"a": {"type": "strin"}, "b c": {}}})).await;
        assert_eq!(wrong.problem(422), "invalid");
        let faults: Vec<_> = wrong.json()["errors"].as_array().unwrap().iter()
            .map(|fault| (fault["pointer"].as_str().unwrap().to_owned(), fault["code"].as_str().unwrap().to_owned()))
            .collect();
        assert!(faults.contains(&("/schema/properties/a/type".into(), "invalid_schema".into())), "{faults:?}");
        assert!(faults.contains(&("/schema/properties/b c".into(), "field_name".into())), "{faults:?}");
        let mut other = schema();
        other["properties"]["city"] = json!({"type": "string"});
        let stale = put(&[("if-match", "\"4\"")], other.clone()).await;
        assert_eq!(stale.problem(412), "stale");
        assert_eq!(stale.json()["current"]["version"], 1);
        let changed = put(&[("if-match", "\"1\"")], other).await;
        assert_eq!(changed.header("etag"), "\"2\"");
        assert_eq!(changed.ok(StatusCode::OK)["fields"].as_array().unwrap().len(), 3);
        let list = mia.get("/agents/support/schemas").await.ok(StatusCode::OK);
        assert_eq!(list["data"].as_array().unwrap().len(), 1);
        let removed = mia.call(Method::DELETE, "/agents/support/schemas/user-profile", &[("if-match", "\"2\"")], None).await;
        assert_eq!(removed.status, 204);
        assert_eq!(mia.get("/agents/support/schemas/user-profile").await.problem(404), "not_found");
    }
}

story! {
    // D4, D5, D6, D7, D9
    async fn a_profile_is_read_by_its_agent_and_changed_by_people(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        mia.post("/agents/support/schemas", json!({"id": "user-profile", "schema": schema()})).await.ok(StatusCode::CREATED);
        assert_eq!(agent.get("/users/st/profile").await.ok(StatusCode::OK), json!({"profiles": {"user-profile": {}}}));
        let field = |field: &str, words: &str| {
            json!({"user_id": "st", "kind": "profile_field", "name": format!("user-profile/{field}"), "content": words})
        };
        let stack = mia.post("/memories?agent=support", field("technical_stack", "ADK")).await.ok(StatusCode::CREATED);
        let status = mia.post("/memories?agent=support", field("job_status", "student")).await.ok(StatusCode::CREATED);
        assert!(status["expires_at"].is_string() && stack["expires_at"].is_null());
        let unfit = mia.post("/memories?agent=support", field("job_status", "astronaut")).await;
        assert_eq!(unfit.problem(422), "invalid");

        // An agent proposes; until a person decides, the profile is as it was.
        let change = agent.post("/candidates", field("technical_stack", "ADK, Python")).await.json();
        let candidate = change["candidate"]["id"].as_str().unwrap_or_else(|| panic!("{change}")).to_owned();
        let profile = agent.get("/users/st/profile").await.ok(StatusCode::OK);
        assert_described(&profile, "ProfileView");
        assert_eq!(profile["profiles"]["user-profile"], json!({"technical_stack": "ADK", "job_status": "student"}));
        mia.post(&format!("/candidates/{candidate}/approve"), json!({})).await.ok(StatusCode::OK);
        let profile = agent.get("/users/st/profile").await.ok(StatusCode::OK);
        assert_eq!(profile["profiles"]["user-profile"]["technical_stack"], "ADK, Python");

        let stack = format!("/memories/{}", stack["id"].as_str().unwrap());
        let revisions = agent.get(&format!("{stack}/revisions")).await.ok(StatusCode::OK);
        assert_described(&revisions["data"][0], "RevisionView");
        let newest = &revisions["data"][0];
        assert_eq!((&newest["before"], &newest["content"], newest.get("extracted")), (&json!("ADK"), &json!("ADK, Python"), None));
        let newest = &mia.get(&format!("{stack}/revisions?agent=support")).await.ok(StatusCode::OK)["data"][0];
        assert_eq!((&newest["before"], &newest["content"], &newest["extracted"]), (&json!("ADK"), &json!("ADK, Python"), &json!("ADK, Python")));
        let end = json!({"expires_at": "2099-01-01T00:00:00Z"});
        let ended = mia.call(Method::PATCH, &stack, &[("if-match", "*")], Some(end)).await.ok(StatusCode::OK);
        assert_eq!((&ended["revision"], &ended["expires_at"]), (&json!(3), &json!("2099-01-01T00:00:00Z")));
        let never = mia.call(Method::PATCH, &stack, &[("if-match", "*")], Some(json!({"expires_at": null}))).await.ok(StatusCode::OK);
        assert_eq!((&never["revision"], &never["expires_at"]), (&json!(4), &json!(null)));

        assert_eq!(agent.get("/memories?user_id=st").await.ok(StatusCode::OK)["data"], json!([]));
        let asked = agent.get("/memories?user_id=st&kinds=profile_field").await.ok(StatusCode::OK);
        assert_eq!(asked["data"].as_array().unwrap().len(), 2);

        // D9: pairs name another user, exactly.
        let new = json!({"scope": {"user_id": "st", "app": "school"}, "kind": "profile_field", "name": "user-profile/job_status", "content": "employed"});
        mia.post("/memories?agent=support", new).await.ok(StatusCode::CREATED);
        let pairs = "%7B%22app%22%3A%22school%22%2C%22user_id%22%3A%22st%22%7D";
        let of_school = agent.get(&format!("/users/{pairs}/profile")).await.ok(StatusCode::OK);
        assert_eq!(of_school["profiles"]["user-profile"], json!({"job_status": "employed"}));
        let theirs = agent.get(&format!("/memories?scope={pairs}&kinds=profile_field")).await.ok(StatusCode::OK);
        assert_eq!(theirs["data"].as_array().unwrap().len(), 1);
        assert_eq!(agent.get("/users/st/profile").await.ok(StatusCode::OK)["profiles"]["user-profile"]["job_status"], "student");
    }
}

story! {
    async fn a_kind_of_its_own_is_made_changed_and_its_misfits_counted(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let new = json!({
            "name": "deal", "label": "Deals", "description": "A deal that is worked on.", "ttl_days": 60, "cap": 3,
            "metadata_schema": {"type": "object", "properties": {"owner": {"type": "string"}}},
        });
        let made = mia.post("/agents/support/kinds", new.clone()).await;
        assert_eq!(made.header("location"), "/api/v1/agents/support/kinds/deal");
        assert_eq!(made.header("etag"), "\"2\"", "the agent's version, which a change of its kinds raises");
        let made = made.ok(StatusCode::CREATED);
        assert_described(&made, "KindView");
        insta::assert_json_snapshot!("kind_of_its_own", made);
        assert_eq!(mia.post("/agents/support/kinds", new).await.problem(409), "name_taken");
        let deal = json!({"user_id": "ana", "kind": "deal", "content": "Acme wants a quote", "metadata": {"owner": "Mia", "colour": "red"}});
        mia.post("/memories?agent=support", deal).await.ok(StatusCode::CREATED);

        let patch = async |patch: Value| mia.call(Method::PATCH, "/agents/support/kinds/deal", &[], Some(patch)).await;
        let wrong = patch(json!({"ttl_days": 0, "metadata_schema": {"type": "array"}})).await;
        assert_eq!(wrong.problem(422), "invalid");
        let places: Vec<_> = wrong.json()["errors"].as_array().unwrap().iter().map(|fault| fault["pointer"].clone()).collect();
        assert_eq!(places, ["/ttl_days", "/metadata_schema/type"]);
        let seen = async |version: &str| {
            let headers = [("if-match", version)];
            mia.call(Method::PATCH, "/agents/support/kinds/deal", &headers, Some(json!({"label": "Open deals"}))).await
        };
        for stale in ["\"1\"", "\"99\""] {
            let stale = seen(stale).await;
            assert_eq!(stale.problem(412), "stale");
            let now = &stale.json()["current"];
            assert_eq!((&now["label"], &now["version"]), (&json!("Deals"), &json!(2)));
        }
        let shown = mia.get("/agents/support/kinds/deal").await;
        assert_eq!(seen(&shown.header("etag")).await.header("etag"), "\"3\"");
        assert_eq!(seen("*").await.header("etag"), "\"3\"", "nothing changed");
        assert_eq!(mia.get("/agents/support").await.header("etag"), "\"3\"");
        let closed = json!({"type": "object", "properties": {"owner": {"type": "string"}}, "additionalProperties": false});
        let changed = patch(json!({"metadata_schema": closed, "ttl_days": null, "guideline": "Only with a name."})).await.ok(StatusCode::OK);
        assert_eq!((&changed["misfits"], &changed["ttl_days"], &changed["guideline"]), (&json!(1), &json!(null), &json!("Only with a name.")));

        // C8: the worker proposes what has to change.
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
        let waiting = loop {
            let waiting = mia.waiting("ana").await;
            if !waiting.is_empty() { break waiting; }
            assert!(tokio::time::Instant::now() < deadline, "nothing was proposed");
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        };
        assert_eq!((&waiting[0]["action"], &waiting[0]["metadata"]), (&json!("update"), &json!({"owner": "Mia"})));
        let candidate = waiting[0]["id"].as_str().unwrap();
        // F2: the words stay, so what changes is told, and shown, value by value.
        let shown = mia.get(&format!("/candidates/{candidate}")).await.ok(StatusCode::OK);
        assert_described(&shown, "CandidateDetail");
        assert_eq!(shown["diff"], json!([{"change": "same", "text": "Acme wants a quote"}]));
        assert_eq!(shown["changes"], json!([{"value": "metadata", "key": "colour", "before": "red", "after": null}]));
        let mut browser = Browser::new(house);
        browser.signs_in("mia@example.com").await;
        for page in [format!("/candidates/{candidate}"), format!("/candidates/{candidate}/sheet")] {
            let page = browser.get(&page).await.text;
            assert!(page.contains("<del>red") && page.contains("The words stay as they are."), "{page}");
        }
        mia.post(&format!("/candidates/{candidate}/approve"), json!({})).await.ok(StatusCode::OK);
        let kind = mia.get("/agents/support/kinds/deal").await.ok(StatusCode::OK);
        assert_eq!(kind["misfits"], 0);
        assert_eq!(mia.get("/agents/support/kinds/nothing").await.problem(404), "not_found");
    }
}
