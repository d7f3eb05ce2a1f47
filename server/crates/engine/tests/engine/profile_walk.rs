//! The reference case of profiles (D11), from two conversations to the profile, with a person's approvals in between: with a scripted
//! model over HTTP, and with the built-in extractor.

use std::time::Duration;

use domain::{candidate::Action, id::MemoryId, permission::Permission, profile, user::Scope};
use engine::{
    Approval, CandidateView, UserRef,
    extractor::model::{ModelConfig, extractors},
};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    model::stub::{Wire, spoken},
    world::World,
};

const FIRST: &str = "Can you help me build an ADK agent that organizes my daily tasks?";
const SECOND: &str =
    "Do you have any career recommendations for students that specialize in Python?";

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "technical_stack": {"type": "string", "description": "The technologies, frameworks and languages that the user works with"},
            "job_status": {"type": "string", "enum": ["student", "employed", "unemployed", "retired"], "description": "What the user does for a living"},
        },
    })
}

async fn with_schema(world: &World) {
    world
        .engine
        .create_schema(
            &world.mia(Permission::Administer),
            &world.agent,
            "user-profile",
            schema(),
        )
        .await
        .unwrap();
}

/// The fields that wait, by their names.
async fn fields(world: &World) -> Vec<CandidateView> {
    let mut waiting = world.waiting().await;
    waiting.retain(|candidate| candidate.kind == profile::KIND);
    waiting.sort_by(|a, b| a.name.cmp(&b.name));
    waiting
}

async fn approve(world: &World, candidate: &CandidateView) -> MemoryId {
    let approved = world
        .engine
        .approve(
            &world.mia(Permission::Decide),
            &candidate.id,
            None,
            Approval::default(),
        )
        .await
        .unwrap();
    approved.memory.unwrap()
}

async fn profile_of(world: &World) -> Value {
    let user = UserRef::Scope(Scope::user_id("st").unwrap());
    let profile = world
        .engine
        .profile(
            &world.key(Permission::ReadMemories),
            &user,
            Some(&world.agent),
        )
        .await
        .unwrap();
    serde_json::to_value(&profile.profiles).unwrap()
}

/// Two conversations, each read by `read` and then decided.
async fn walk(world: &World, before: impl AsyncFn(u8)) {
    with_schema(world).await;
    before(1).await;
    world.say("st", &[FIRST]).await;
    world.work().await;
    let waiting = fields(world).await;
    let [stack] = &waiting[..] else {
        panic!("{waiting:?}")
    };
    assert_eq!(
        (stack.action, stack.name.as_deref(), stack.content.as_str()),
        (Action::Create, Some("user-profile/technical_stack"), "ADK")
    );
    assert_eq!(
        profile_of(world).await,
        json!({"user-profile": {}}),
        "nothing is read before a person approves"
    );
    let memory = approve(world, stack).await;

    before(2).await;
    world.say("st", &[SECOND]).await;
    world.work().await;
    let waiting = fields(world).await;
    let [status, stack] = &waiting[..] else {
        panic!("{waiting:?}")
    };
    assert_eq!(
        (status.action, status.content.as_str()),
        (Action::Create, "student")
    );
    assert_eq!(
        (stack.action, stack.content.as_str(), stack.target.as_ref()),
        (Action::Update, "ADK, Python", Some(&memory))
    );
    assert!(
        stack.flags.is_empty(),
        "more of the same is no contradiction: {:?}",
        stack.flags
    );
    for candidate in [status, stack] {
        assert!(
            SECOND.contains(&candidate.evidence[0].quote),
            "{candidate:?}"
        );
        approve(world, candidate).await;
    }
    assert_eq!(
        profile_of(world).await,
        json!({"user-profile": {"technical_stack": "ADK, Python", "job_status": "student"}})
    );

    let revisions = world
        .engine
        .revisions(&world.mia(Permission::ReadHistory), &memory)
        .await
        .unwrap()
        .data;
    let told: Vec<_> = revisions
        .iter()
        .map(|revision| {
            let extracted = revision.extracted.as_ref().map(profile::words);
            (
                revision.revision,
                revision.content.as_str(),
                extracted,
                revision.before.as_deref(),
            )
        })
        .collect();
    // D7
    assert_eq!(
        told,
        [
            (2, "ADK, Python", Some("Python".to_owned()), Some("ADK")),
            (1, "ADK", Some("ADK".to_owned()), None),
        ]
    );
    assert!(
        revisions
            .iter()
            .all(|revision| revision.explanation.is_some()),
        "each says why"
    );
    assert!(FIRST.contains(&revisions[1].evidence[0].quote));
    world.verify().await;
}

fn field(field: &str, value: &str, evidence: &str, explanation: &str) -> Value {
    json!({
        "schema": "user-profile", "field": field, "value": value, "confidence": 0.9, "importance": 0.6, "evidence": [evidence],
        "message": "m1", "explanation": explanation,
    })
}

store::both! {
    // D11, D2, D3, D5
    async fn two_questions_become_a_profile_by_a_scripted_model(db: &TestDb) {
        let provider = spoken().await;
        let config = ModelConfig {
            model: "stub-model".into(),
            base_url: Some(format!("{}/v1", provider.server.uri())),
            api_key: Some("the-key".to_owned().into()),
            timeout: Duration::from_secs(20),
        };
        let world = World::with_extractors(db, extractors(&config).unwrap()).await;
        walk(&world, async |step| {
            let fields = if step == 1 {
                vec![field("technical_stack", "ADK", "help me build an ADK agent", "The user builds agents with ADK.")]
            } else {
                vec![
                    field("technical_stack", "Python", "specialize in Python", "The user specialises in Python."),
                    field("job_status", "student", "recommendations for students", "The user asks for students' careers."),
                ]
            };
            let answer = json!({"candidates": [], "fields": fields, "summary": null}).to_string();
            provider.says(Wire::OpenAi.answer(&answer, false));
        })
        .await;

        let requests = provider.server.received_requests().await.unwrap();
        assert_eq!(requests.len(), 2);
        let (system, window) = Wire::OpenAi.asked(&requests[1]);
        assert!(
            system.contains(r#""job_status" {"enum":["student","employed","unemployed","retired"],"type":"string"}: What the user does"#)
                || system.contains(r#""job_status" {"type":"string","enum":["student","employed","unemployed","retired"]}: What the user does"#),
            "{system}"
        );
        assert_eq!(window["profile"], json!({"user-profile": {"technical_stack": "ADK"}}));
        let body: Value = requests[1].body_json().unwrap();
        let shape = &body["response_format"]["json_schema"]["schema"]["properties"]["fields"]["items"]["anyOf"];
        assert_eq!(shape.as_array().unwrap().len(), 2, "{body}");
    }

    // D11, D2, D3, F14
    async fn two_questions_become_a_profile_by_the_built_in_extractor(db: &TestDb) {
        let world = World::builtin(db).await;
        walk(&world, async |_| {}).await;
    }

    // D2, D5: as README walks it.
    async fn what_one_sentence_says_of_the_stack_is_in_the_profile_once_it_is_approved(db: &TestDb) {
        let world = World::builtin(db).await;
        let schema = json!({"type": "object", "properties": {"technical_stack": {"type": "string", "description": "Languages and tools the user works with"}}});
        world.engine.create_schema(&world.mia(Permission::Administer), &world.agent, "user-profile", schema).await.unwrap();
        world.say("st", &["I work with ADK and Python."]).await;
        world.work().await;
        let waiting = fields(&world).await;
        let [stack] = &waiting[..] else { panic!("{waiting:?}") };
        approve(&world, stack).await;
        assert_eq!(profile_of(&world).await, json!({"user-profile": {"technical_stack": "ADK, Python"}}));
    }
}
