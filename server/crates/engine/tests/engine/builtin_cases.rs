//! `cases/builtin.jsonl` through the whole pipeline with the built-in extractor.

use domain::{
    agent::{AgentName, AgentSettings},
    permission::Permission,
    user::Scope,
};
use engine::{CandidateFilter, Incoming};
use serde_json::Value;
use store::testing::TestDb;

use crate::world::{World, cases, message, system};

fn third_person(kind: &str, content: &str) -> bool {
    let subject = ["User", "The user", "ユーザー", "用户"]
        .iter()
        .any(|subject| content.starts_with(subject));
    let first = [
        " I ", " I'm", "I'm ", " my ", "My ", " we ", "We ", " our ", "私", "我",
    ]
    .iter()
    .any(|word| content.contains(word));
    if kind == "context" { !first } else { subject }
}

fn meets(candidate: &engine::CandidateView, expected: &Value) -> bool {
    let content = candidate.content.to_lowercase();
    let kind = expected["kind"]
        .as_str()
        .is_none_or(|kind| candidate.kind == kind);
    let words = expected["mentions"].as_array().is_none_or(|words| {
        words
            .iter()
            .all(|word| content.contains(&word.as_str().unwrap().to_lowercase()))
    });
    let confidence = expected["confidence"].as_array().is_none_or(|range| {
        (range[0].as_f64().unwrap()..=range[1].as_f64().unwrap()).contains(&candidate.confidence)
    });
    let person =
        expected["third_person"] != true || third_person(&candidate.kind, &candidate.content);
    kind && words && confidence && person
}

store::both! {
    // A9, A13, C3, G1
    async fn every_builtin_case_holds_through_the_pipeline(db: &TestDb) {
        let world = World::builtin(db).await;
        for (number, case) in cases("builtin.jsonl").iter().enumerate() {
            let id = case["id"].as_str().unwrap();
            let agent = AgentName::parse(&format!("case-{number}")).unwrap();
            world.engine.create_agent(&system(Permission::Administer), agent.clone(), AgentSettings::default()).await.unwrap();
            let messages = case["messages"].as_array().unwrap().iter()
                .map(|sent| message(sent["role"].as_str().unwrap().parse().unwrap(), sent["content"].as_str().unwrap()))
                .collect();
            let incoming = Incoming { scope: Scope::user_id("ana").unwrap(), conversation_id: None, messages, time_zone: None, end: true, flush: false };
            world.engine.ingest(&system(Permission::Ingest), &agent, incoming).await.unwrap();
            world.work().await;
            let found = world.queue(CandidateFilter { agent: Some(agent), ..CandidateFilter::default() }).await;
            let expected = &case["expect"];
            if expected == "none_or_in_french" {
                let said = case["messages"][0]["content"].as_str().unwrap();
                assert!(found.iter().all(|candidate| said.contains(candidate.content.trim_end_matches('.'))), "{id}: {found:#?}");
                continue;
            }
            let expected = expected.as_array().unwrap();
            if expected.is_empty() {
                assert!(found.is_empty(), "{id}: {found:#?}");
            }
            for entry in expected {
                assert!(found.iter().any(|candidate| meets(candidate, entry)), "{id}: {entry}\nfound {found:#?}");
            }
        }
        world.verify().await;
    }

    // A13, C4
    async fn a_summary_does_not_repeat_what_is_proposed_as_memories(db: &TestDb) {
        let world = World::builtin(db).await;
        let stated = [
            "I prefer code examples in Python rather than pseudocode.",
            "I'm the CTO of StartupCorp and we're building a SaaS platform.",
            "We launch our product next month, so I need everything ready quickly.",
        ];
        let kinds = async |user: &str, said: &[&str]| {
            let messages = said.iter().map(|said| message(domain::conversation::Role::User, said)).collect();
            let incoming = Incoming { scope: Scope::user_id(user).unwrap(), conversation_id: None, messages, time_zone: None, end: true, flush: false };
            world.engine.ingest(&system(Permission::Ingest), &world.agent, incoming).await.unwrap();
            world.work().await;
            let filter = CandidateFilter { scope: Some(Scope::user_id(user).unwrap()), agent: Some(world.agent.clone()), ..CandidateFilter::default() };
            let mut kinds: Vec<String> = world.queue(filter).await.into_iter().map(|candidate| candidate.kind).collect();
            kinds.sort();
            kinds
        };
        assert_eq!(kinds("ana", &stated).await, ["context", "fact", "preference"]);
        let asked = [&stated[..], &["Can you plan the launch week for the whole team with me?"]].concat();
        assert_eq!(kinds("bo", &asked).await, ["context", "fact", "preference", "session_summary"]);
    }
}
