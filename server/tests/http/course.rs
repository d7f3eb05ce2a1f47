//! What becomes of memories over time, over HTTP: the course of a figure, whether what was served helped, dates that pass, patterns.

use std::time::Duration;

use domain::{permission::RoleName, time::Span};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    house::{Api, House, story},
    schema::assert_described,
};
use store::testing::TestDb;

/// Waits for the candidates of ana's that a schedule or a job proposes.
async fn proposed(
    api: &Api<'_>,
    house: &House,
    wanted: usize,
    fits: fn(&Value) -> bool,
) -> Vec<Value> {
    for _ in 0..1200 {
        let mut waiting = api.waiting("ana").await;
        waiting.retain(fits);
        if waiting.len() >= wanted {
            return waiting;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("nothing was proposed by {}", house.now());
}

async fn add(api: &Api<'_>, memory: Value) -> Value {
    let mut body = json!({"user_id": "ana"});
    body.as_object_mut()
        .unwrap()
        .extend(memory.as_object().unwrap().clone());
    api.post("/memories?agent=support", body)
        .await
        .ok(StatusCode::CREATED)
}

story! {
    // B9
    async fn a_metrics_values_can_be_read_by_the_agent_too(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let on = json!({"kinds": {"sets": ["assistant", "business"]}});
        mia.call(Method::PATCH, "/agents/support", &[("if-match", "*")], Some(on)).await.ok(StatusCode::OK);
        let metric = json!({"kind": "metric", "name": "CTR", "content": "The CTR is 2.1%", "metadata": {"metric": "CTR", "value": 2.1, "unit": "%", "period": "May"}});
        let memory = add(&mia, metric).await;
        let path = format!("/memories/{}/series", memory["id"].as_str().unwrap());
        for api in [&agent, &mia] {
            let series = api.get(&path).await.ok(StatusCode::OK);
            assert_described(&series, "Series");
            assert_eq!(series["points"][0]["value"], 2.1);
            assert_eq!(series["points"][0]["period"], "May");
            assert_eq!(series["points"][0]["memory"], memory["id"]);
            assert_eq!(series["count"], 1);
        }
        let other = house.agent("other").await;
        let stranger = house.agent_key(&other).await;
        assert_eq!(stranger.get(&path).await.problem(404), "not_found");
    }
}

story! {
    // C9
    async fn an_agent_reports_what_helped_and_the_clock_proposes_to_retire_what_never_did(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let memory = add(&mia, json!({"kind": "fact", "content": "User once owned a red bicycle"})).await;
        for number in 0..20 {
            let context = agent.context("ana").await;
            let report = json!({"serving": context["serving"], "memory": memory["id"], "helped": false});
            if number < 3 {
                assert_eq!(agent.post("/context/feedback", report).await.status, 204);
            }
        }
        let unknown = json!({"serving": "srv_00000000000000000000000000", "memory": memory["id"], "helped": true});
        assert_eq!(agent.post("/context/feedback", unknown).await.problem(404), "not_found");
        assert_eq!(agent.post("/context/feedback", json!({"helped": true})).await.status, 422);

        let report = mia.get("/agents/support/report").await.ok(StatusCode::OK);
        assert_described(&report, "Report");
        assert_eq!(report["memories"][0]["memory"]["id"], memory["id"]);
        assert_eq!((&report["memories"][0]["servings"], &report["memories"][0]["not_helped"]), (&json!(20), &json!(3)));
        assert_eq!(agent.get("/agents/support/report").await.problem(403), "forbidden");

        house.clock.advance(Span::hours(25));
        let found = proposed(&mia, house, 1, |candidate| candidate["action"] == "retire").await;
        assert_eq!((&found[0]["cause"], &found[0]["target"]), (&json!("never_helpful"), &memory["id"]));
        let report = mia.get("/agents/support/report").await.ok(StatusCode::OK);
        assert_eq!(report["memories"][0]["proposal"], found[0]["id"]);
    }
}

story! {
    // G12
    async fn a_context_whose_date_has_passed_is_flagged_and_proposed_for_retirement(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let date = (house.now() + Span::days(2)).format("%Y-%m-%d").to_string();
        let memory = add(&mia, json!({"kind": "context", "content": "User's product launches soon", "metadata": {"date": date}})).await;
        assert_eq!(memory["flags"], json!([]));
        house.clock.advance(Span::days(4));
        let path = format!("/memories/{}", memory["id"].as_str().unwrap());
        assert_eq!(mia.get(&path).await.ok(StatusCode::OK)["flags"], json!(["date_passed"]));
        let found = proposed(&mia, house, 1, |candidate| candidate["action"] == "retire").await;
        assert_eq!((&found[0]["cause"], &found[0]["flags"]), (&json!("date_passed"), &json!(["date_passed"])));
    }
}

story! {
    // B9, C1
    async fn a_returning_trouble_is_proposed_after_the_sessions_by_the_clock(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let on = json!({"kinds": {"sets": ["assistant", "business"]}});
        mia.call(Method::PATCH, "/agents/support", &[("if-match", "*")], Some(on)).await.ok(StatusCode::OK);
        let words = "The export keeps breaking every Monday and it costs us hours";
        agent.says("ana", words).await;
        let waiting = mia.waiting("ana").await;
        let trouble = waiting.iter().find(|one| one["kind"] == "pain_point").unwrap_or_else(|| panic!("{waiting:?}"));
        let approve = format!("/candidates/{}/approve", trouble["id"].as_str().unwrap());
        mia.post(&approve, json!({})).await.ok(StatusCode::OK);
        for _ in 0..2 {
            house.clock.advance(Span::minutes(5));
            let done = agent.says("ana", words).await;
            assert_eq!(done["sightings"], 1, "{done}");
        }
        house.clock.advance(Span::hours(2));
        let found = proposed(&mia, house, 1, |candidate| candidate["kind"] == "pattern").await;
        assert_eq!(found[0]["cause"], "returning");
        assert_eq!(found[0]["metadata"]["sessions"], 3);
        let sessions: std::collections::BTreeSet<_> = found[0]["evidence"].as_array().unwrap().iter().map(|one| one["conversation"].as_str().unwrap()).collect();
        assert_eq!(sessions.len(), 3);
    }
}
