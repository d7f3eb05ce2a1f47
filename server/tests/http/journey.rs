//! The main job: what Ana and Yuki say becomes candidates, Mia decides, and the agent is told exactly what was approved.

use domain::{permission::RoleName, time::Span};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{house::story, redact::redacted, schema::assert_described, sign_in::Browser};
use store::testing::TestDb;

fn kinds(candidates: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<_> = candidates
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    kinds.sort_unstable();
    kinds
}

fn of_kind<'a>(candidates: &'a [Value], kind: &str) -> &'a Value {
    candidates.iter().find(|one| one["kind"] == kind).unwrap()
}

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

story! {
    // A7, A8, A13, F3
    async fn what_was_approved_comes_back_and_nothing_else(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;

        let said = agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        assert_described(&said, "OperationView");
        insta::assert_json_snapshot!("operation", redacted(said));
        agent.says("ana", "I'm the CTO of StartupCorp and we're building a SaaS platform").await;
        agent.says("ana", "We launch our product next month, so I need everything ready quickly").await;
        agent.says("yuki", "コード例は擬似コードよりPythonで見せてもらう方が好きです").await;

        let ana = mia.waiting("ana").await;
        assert_eq!(kinds(&ana), ["context", "fact", "preference"]);
        assert_eq!(kinds(&mia.waiting("yuki").await), ["preference"]);
        insta::assert_json_snapshot!("candidate", redacted(of_kind(&ana, "preference").clone()));
        assert_eq!(agent.context("ana").await["items"], json!([]), "nothing is served before it is approved");

        let preference = of_kind(&ana, "preference");
        let path = format!("/candidates/{}", id(preference));
        let detail = mia.get(&path).await;
        assert_eq!(detail.header("etag"), "\"1\"");
        assert_described(&detail.json(), "CandidateDetail");
        insta::assert_json_snapshot!("candidate_detail", redacted(detail.json()));

        let edit = json!({"content": "User prefers Python examples", "note": "shortened"});
        let approved = mia.post(&format!("{path}/approve"), edit).await;
        assert_eq!(approved.header("etag"), "\"2\"");
        let approved = approved.ok(StatusCode::OK);
        assert_described(&approved, "CandidateView");
        insta::assert_json_snapshot!("candidate_approved", redacted(approved.clone()));

        let fact = mia.post(&format!("/candidates/{}/approve", id(of_kind(&ana, "fact"))), json!({"content": "User is the CTO of StartupCorp"})).await.ok(StatusCode::OK);
        let context = of_kind(&ana, "context");
        mia.post(&format!("/candidates/{}/reject", id(context)), json!({"reason": "not_durable"})).await.ok(StatusCode::OK);

        let told = agent.context("ana").await;
        assert_described(&told, "Context");
        insta::assert_json_snapshot!("context", redacted(told.clone()));
        let block = told["block"].as_str().unwrap();
        assert!(block.contains("User prefers Python examples"), "{block}");
        assert!(block.contains("StartupCorp"), "{block}");
        assert!(!block.contains("pseudocode") && !block.contains("launch"), "{block}");
        let same = agent.post("/context", json!({"user_id": "ana", "if_changed": told["etag"]})).await.ok(StatusCode::OK);
        assert_eq!(same, json!({"unchanged": true, "etag": told["etag"]}));

        let memory = approved["memory"].as_str().unwrap();
        let shown = agent.get(&format!("/memories/{memory}")).await.ok(StatusCode::OK);
        assert_described(&shown, "MemoryView");
        insta::assert_json_snapshot!("memory", redacted(shown));
        let revisions = mia.get(&format!("/memories/{memory}/revisions")).await.ok(StatusCode::OK);
        assert_described(&revisions["data"][0], "RevisionView");
        insta::assert_json_snapshot!("revisions_for_a_person", redacted(revisions));
        let revisions = agent.get(&format!("/memories/{memory}/revisions")).await.ok(StatusCode::OK);
        insta::assert_json_snapshot!("revisions_for_an_agent", redacted(revisions));

        // Undone, it is gone.
        let reopened = mia.post(&format!("/candidates/{}/reopen", id(&fact)), json!({"note": "wrong company"})).await;
        assert_eq!(reopened.ok(StatusCode::OK)["status"], "pending");
        let block = agent.context("ana").await["block"].to_string();
        assert!(!block.contains("StartupCorp") && block.contains("Python"), "{block}");

        let verified = mia.get("/audit/verify").await.ok(StatusCode::OK);
        assert_eq!((&verified["ok"], &verified["faults"]), (&json!(true), &json!([])));
    }
}

story! {
    // A6
    async fn what_nobody_decided_in_seven_days_expires_whether_or_not_the_job_ran(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Reviewer).await;
        let mia = house.person_key(&mia).await;
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let candidate = mia.waiting("ana").await.remove(0);

        house.clock.advance(Span::days(6));
        assert_eq!(mia.waiting("ana").await.len(), 1);
        house.clock.advance(Span::days(1));
        assert!(mia.waiting("ana").await.is_empty());
        let late = mia.post(&format!("/candidates/{}/approve", id(&candidate)), json!({})).await;
        assert_eq!(late.problem(409), "expired");
        house.engine.tick().await.unwrap();
        let kept = mia.get(&format!("/candidates/{}", id(&candidate))).await.ok(StatusCode::OK);
        assert_eq!((&kept["status"], &kept["reason"]), (&json!("rejected"), &json!("expired")));
    }
}

story! {
    // F7
    async fn the_second_reviewer_learns_who_was_first(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Reviewer).await;
        let aiko = house.person("Aiko", RoleName::Reviewer).await;
        let (mia, aiko) = (house.person_key(&mia).await, house.person_key(&aiko).await);
        agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
        let candidate = mia.waiting("ana").await.remove(0);
        let path = format!("/candidates/{}", id(&candidate));

        mia.post(&format!("{path}/approve"), json!({})).await.ok(StatusCode::OK);
        house.clock.advance(Span::seconds(12));
        let wrong = json!({"reason": "wrong"});
        let seen = [("if-match", "\"1\"")];
        let late = aiko.call(reqwest::Method::POST, &format!("{path}/reject"), &seen, Some(wrong.clone())).await;
        assert_eq!(late.problem(412), "already_decided");
        let document = late.json();
        assert_eq!(document["detail"], "Mia approved this 12 seconds ago");
        assert_eq!(document["current"]["status"], "approved");
        assert_described(&document, "ProblemDocument");
        insta::assert_json_snapshot!("problem_already_decided", redacted(document));

        let blind = aiko.post(&format!("{path}/reject"), wrong).await;
        assert_eq!(blind.problem(409), "not_pending");
        assert_eq!(blind.json()["current"]["decided_by"]["name"], "Mia");
        let stale = aiko.call(reqwest::Method::POST, &format!("{path}/reopen"), &seen, Some(json!({}))).await;
        assert_eq!(stale.status, 412, "{}", stale.text);
        let two = [
            json!({"id": candidate["id"], "decision": "approve"}),
            json!({"id": "cand_00000000000000000000000000", "decision": "reject", "reason": "wrong"}),
        ];
        let results = aiko.post("/candidates/decide", json!({"decisions": two})).await.ok(StatusCode::OK);
        insta::assert_json_snapshot!("decide_results", redacted(results));
    }
}

story! {
    // A12, B1
    async fn a_person_writes_edits_retires_and_restores_a_memory(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let new = json!({"user_id": "ana", "kind": "fact", "content": "User lives in Oslo"});
        let made = mia.post("/memories?agent=support", new).await;
        assert_eq!(made.header("etag"), "\"1\"");
        let made = made.ok(StatusCode::CREATED);
        let path = format!("/memories/{}", id(&made));

        let bare = mia.call(reqwest::Method::PATCH, &path, &[], Some(json!({"content": "User lives in Bergen"}))).await;
        assert_eq!(bare.problem(428), "precondition_required");
        let patch = |seen: &'static str| {
            let (mia, path) = (&mia, path.clone());
            async move { mia.call(reqwest::Method::PATCH, &path, &[("if-match", seen)], Some(json!({"content": "User lives in Bergen"}))).await }
        };
        assert_eq!(patch("\"7\"").await.problem(412), "stale");
        let edited = patch("\"1\"").await.ok(StatusCode::OK);
        assert_eq!((&edited["revision"], &edited["content"]), (&json!(2), &json!("User lives in Bergen")));

        let retired = mia.call(reqwest::Method::DELETE, &path, &[("if-match", "*")], None).await.ok(StatusCode::OK);
        assert_eq!((&retired["status"], &retired["reason"]), (&json!("retired"), &json!("deleted")));
        let approved = mia.get("/memories?agent=support&user_id=ana").await.ok(StatusCode::OK);
        assert_eq!(approved["data"], json!([]));
        let gone = mia.get("/memories?agent=support&user_id=ana&status=retired").await.ok(StatusCode::OK);
        assert_eq!(gone["data"].as_array().unwrap().len(), 1);

        let restored = mia.call(reqwest::Method::POST, &format!("{path}/restore"), &[("if-match", "*")], Some(json!({"revision": 1}))).await;
        let restored = restored.ok(StatusCode::OK);
        assert_eq!((&restored["status"], &restored["content"]), (&json!("approved"), &json!("User lives in Oslo")));
        let found = mia.post("/memories/search?agent=support", json!({"query": "oslo", "user_id": "ana"})).await.ok(StatusCode::OK);
        assert_eq!(found["data"][0]["id"], made["id"]);
    }
}

story! {
    // A1, A12
    async fn an_agents_settings_are_changed_and_its_figures_read(house: &House) {
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let made = mia.post("/agents", json!({"name": "support"})).await.ok(StatusCode::CREATED);
        assert_described(&made, "AgentView");
        insta::assert_json_snapshot!("agent", redacted(made));
        assert_eq!(mia.post("/agents", json!({"name": "support"})).await.problem(409), "name_taken");

        let off = mia.call(reqwest::Method::PATCH, "/agents/support", &[("if-match", "*")], Some(json!({"learn": false}))).await;
        assert_eq!(off.ok(StatusCode::OK)["learn"], false);
        let shown = mia.post("/keys", json!({"agent": "support"})).await.ok(StatusCode::CREATED);
        let agent = crate::house::Api { house, key: shown["secret"].as_str().unwrap().to_owned() };
        let said = agent.says("ana", "I prefer tea").await;
        assert_eq!((&said["state"], &said["skipped"]), (&json!("succeeded"), &json!("memory_off")));
        assert_eq!(mia.get("/users").await.ok(StatusCode::OK)["data"], json!([]), "memory off stores nobody");

        let stats = mia.get("/agents/support/stats").await.ok(StatusCode::OK);
        insta::assert_json_snapshot!("agent_stats", redacted(stats));
        let kinds = mia.get("/agents/support/kinds").await.ok(StatusCode::OK);
        insta::assert_json_snapshot!("kinds", redacted(kinds));

        let keys = mia.get("/keys?agent=support").await.ok(StatusCode::OK);
        insta::assert_json_snapshot!("keys", keys, {
            ".data[].id" => "<id>", ".data[].hint" => "<hint>", ".data[].created_at" => "<time>", ".data[].last_used_at" => "<time>"
        });
        let revoked = mia.call(reqwest::Method::DELETE, &format!("/keys/{}", id(&shown["key"])), &[], None).await;
        assert_eq!(revoked.status, 204);
        assert_eq!(agent.get("/memories").await.problem(401), "unauthorized");
    }
}

story! {
    // F8
    async fn a_users_page_and_timeline_tell_what_happened(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        agent.says("山本ゆき/1", "I prefer code examples in Python rather than pseudocode").await;
        let encoded = "%E5%B1%B1%E6%9C%AC%E3%82%86%E3%81%8D%2F1";
        let user = mia.get(&format!("/users/{encoded}?agent=support")).await.ok(StatusCode::OK);
        assert_described(&user, "UserDetail");
        assert_eq!(user["user_id"], "山本ゆき/1");
        assert_eq!((&user["waiting"], user["candidates"].as_array().map(Vec::len)), (&json!(1), Some(1)));
        let own = mia.get(&format!("/users/{}", id(&user))).await.ok(StatusCode::OK);
        assert_eq!(own["id"], user["id"]);
        let scope = mia.get("/users?agent=support&scope=%7B%22user_id%22%3A%22%E5%B1%B1%E6%9C%AC%E3%82%86%E3%81%8D%2F1%22%7D").await;
        assert_eq!(scope.ok(StatusCode::OK)["data"][0]["id"], user["id"]);

        let page = mia.get(&format!("/users/{}/events?limit=2", id(&user))).await.ok(StatusCode::OK);
        let types = |page: &Value| -> Vec<String> {
            page["data"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
        };
        let mut all = types(&page);
        let mut next = page["next"].as_str().map(str::to_owned);
        while let Some(cursor) = next {
            let page = mia.get(&format!("/users/{}/events?limit=2&cursor={cursor}", id(&user))).await.ok(StatusCode::OK);
            all.extend(types(&page));
            next = page["next"].as_str().map(str::to_owned);
        }
        all.sort();
        assert_eq!(all, ["candidate.proposed", "conversation.received", "extraction.succeeded", "user.created"]);
    }
}

story! {
    // E2
    async fn in_the_browser_one_approves_edits_rejects_and_reads_every_revision_of_a_user(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let api = house.person_key(&mia).await;
        let mut browser = Browser::new(house);
        browser.signs_in(&mia.email).await;
        for (content, verb, more, status) in [
            ("User lives in Oslo", "approve", vec![], "approved"),
            ("User plays the harp", "approve", vec![("edited", "1"), ("content", "User plays the Celtic harp"), ("kind", "fact")], "approved"),
            ("User had soup today", "reject", vec![("reason", "not_durable"), ("note", "Only today")], "rejected"),
        ] {
            let body = json!({"user_id": "ana", "kind": "fact", "content": content});
            let proposed = agent.post("/candidates", body).await.ok(StatusCode::CREATED);
            let here = format!("/candidates/{}", id(&proposed["candidate"]));
            let page = browser.get(&here).await.text;
            assert!(page.contains(&format!("action=\"{here}/{verb}\"")), "{page}");
            let form = [vec![("version", "1"), ("next", "/review"), ("here", here.as_str())], more].concat();
            let answer = browser.post(&format!("{here}/{verb}"), &form).await;
            assert_eq!((answer.status, browser.get(&answer.header("location")).await.status), (303, 200), "{}", answer.text);
            let decided = api.get(&here).await.ok(StatusCode::OK);
            assert_eq!((&decided["status"], &decided["content"]), (&json!(status), &json!(content)), "what was proposed stays");
        }

        let memories = api.get("/memories?agent=support&user_id=ana").await.ok(StatusCode::OK);
        let mut memories: Vec<_> = memories["data"].as_array().unwrap().iter().map(|one| (one["content"].as_str().unwrap(), id(one))).collect();
        memories.sort_unstable();
        let [(lives, memory), (plays, _)] = memories[..] else { panic!("{memories:?}") };
        assert_eq!((lives, plays), ("User lives in Oslo", "User plays the Celtic harp"));
        let here = format!("/memories/{memory}");
        let edit = [("revision", "1"), ("content", "User lives in Bergen"), ("kind", "fact"), ("note", "She moved")];
        let saved = browser.post(&format!("{here}/edit"), &edit).await;
        assert!(browser.get(&saved.header("location")).await.text.contains("Saved"));
        let restored = browser.post(&format!("{here}/restore"), &[("revision", "2"), ("number", "1")]).await;
        let page = browser.get(&restored.header("location")).await.text;
        for there in ["revision 1", "revision 2", "revision 3", "Bergen", "Oslo", "She moved", "Mia"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let revisions = api.get(&format!("{here}/revisions")).await.ok(StatusCode::OK);
        let revisions: Vec<_> = revisions["data"].as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect();
        assert_eq!(revisions, ["User lives in Oslo", "User lives in Bergen", "User lives in Oslo"]);

        let user = api.get("/users/ana?agent=support").await.ok(StatusCode::OK);
        let page = browser.get(&format!("/users/{}", id(&user))).await.text;
        for there in ["Approved", "Rejected", "Memory updated", "Memory restored", "User had soup today"] {
            assert!(page.contains(there), "{there}: {page}");
        }
    }
}
