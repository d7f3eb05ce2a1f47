//! The version of what a model is told (C8): another one as soon as an agent's words in it are others, and no schema with it.

use domain::{kind::Kind, permission::Permission};
use engine::{
    AgentPatch, Approval, CandidateView, KindPatch, Prompt,
    extractor::{
        Extract, Window,
        model::{ModelConfig, extractors},
    },
};
use serde_json::json;
use store::testing::TestDb;

use super::stub::*;
use crate::world::World;

// C8
#[tokio::test]
async fn the_version_holds_what_an_agent_adds_to_the_prompt_and_nothing_else() {
    let provider = server(vec![Wire::OpenAi.answer("{}", false)]).await;
    let model = Wire::OpenAi.model(&provider, LONG);
    let versions = |window: &Window| {
        let is = model.provenance_over(window);
        (is.prompt_version.unwrap(), is.schema_version.unwrap())
    };
    let plain = window(&["I live in Oslo"]);
    let (prompt, schema) = versions(&plain);
    assert!(prompt.starts_with("2+") && prompt.len() == 10, "{prompt}");
    let other_words = Window {
        ended: false,
        ..window(&["I love green tea", "and coffee"])
    };
    let again = Wire::OpenAi.model(&provider, LONG);
    let is = again.provenance_over(&other_words);
    assert_eq!(
        is.prompt_version.as_deref(),
        Some(prompt.as_str()),
        "of the same agent, after a restart"
    );

    let mut seen = vec![prompt.clone()];
    let mut differs = |change: &dyn Fn(&mut Window)| {
        let mut changed = plain.clone();
        change(&mut changed);
        let (prompt, same) = versions(&changed);
        assert_eq!(same, schema, "the schemas are what they were");
        assert!(!seen.contains(&prompt), "{prompt} stands for two prompts");
        seen.push(prompt);
    };
    differs(&|window| window.settings.guidance = Some("Look at budgets.".into()));
    differs(&|window| window.settings.guidance = Some("Look at places.".into()));
    differs(&|window| window.kinds[0].guideline = Some("Only lasting ones.".into()));
    differs(&|window| window.kinds[0].description.push_str(" Of work."));
    differs(&|window| window.kinds[0].label.push('s'));

    let mut fewer = plain.clone();
    fewer.settings.max_candidates = 3;
    let untold = Kind::always_there();
    fewer.kinds.extend(untold.into_iter().map(|kind| Kind {
        description: "told to nobody".into(),
        metadata_schema: None,
        ..kind
    }));
    assert_eq!(
        versions(&fewer).0,
        prompt,
        "summaries have words of their own"
    );
    let mut reshaped = plain.clone();
    reshaped.kinds[0].metadata_schema = Some(json!({"type": "object", "required": ["since"]}));
    let (same, other) = versions(&reshaped);
    assert_eq!(same, prompt);
    assert_ne!(other, schema);
}

/// What an agent's model made of one statement, approved.
async fn learnt(world: &World, user: &str) -> CandidateView {
    let accepted = world.say(user, &["I live in Oslo"]).await;
    world.work().await;
    let made = world.operation(&accepted).await.candidates;
    let decide = world.mia(Permission::Decide);
    let approval = Approval::default();
    let approved = world.engine.approve(&decide, &made[0], None, approval);
    approved.await.unwrap()
}

async fn told(world: &World) -> Prompt {
    let reads = world.mia(Permission::ReadAgents);
    let told = world.engine.prompt(&reads, &world.agent).await.unwrap();
    told.expect("a model is told something")
}

store::both! {
    // C8, F11
    async fn before_and_after_a_change_of_its_words_an_extractor_is_counted_apart(db: &TestDb) {
        let answer = candidates(&[("User lives in Oslo", "I live in Oslo", "m1")]);
        let provider = server(vec![Wire::OpenAi.answer(&answer, false)]).await;
        let config = ModelConfig {
            model: "stub-model".into(),
            base_url: Some(format!("{}/v1", provider.uri())),
            api_key: Some("the-key".to_owned().into()),
            timeout: LONG,
        };
        let world = World::with_extractors(db, extractors(&config).unwrap()).await;
        let admin = world.mia(Permission::Administer);
        let version = |candidate: &CandidateView| candidate.extractor.clone().unwrap().prompt_version.unwrap();
        let first = version(&learnt(&world, "ana").await);
        assert_eq!(first, version(&learnt(&world, "bo").await));
        assert_eq!(told(&world).await.version.as_ref(), Some(&first));

        let patch = AgentPatch {
            guidance: Some(Some("Where people live matters here.".into())),
            ..AgentPatch::default()
        };
        world.engine.change_agent(&admin, &world.agent, None, patch).await.unwrap();
        let second = version(&learnt(&world, "kim").await);
        let patch: KindPatch = serde_json::from_value(json!({"guideline": "Places they have left are none."})).unwrap();
        world.engine.change_kind(&admin, &world.agent, "preference", None, patch).await.unwrap();
        let third = learnt(&world, "liu").await;
        assert!(first != second && second != version(&third) && first != version(&third));

        // What the page shows is what was sent.
        let shown = told(&world).await;
        assert_eq!(shown.version, Some(version(&third)));
        let requests = provider.received_requests().await.unwrap();
        let (system, _) = Wire::OpenAi.asked(requests.last().unwrap());
        assert_eq!(shown.system, system);
        assert!(system.contains("Where people live matters here.") && system.contains("Places they have left are none."));

        let found = world.engine.quality(&world.mia(Permission::ReadCandidates), Some(&world.agent), 7).await.unwrap();
        let mut counted: Vec<_> = found.by_extractor.iter().map(|by| (by.prompt_version.clone().unwrap(), by.rate.approved, by.answers)).collect();
        counted.sort();
        let mut expected = [(first, 2, 2), (second, 1, 1), (version(&third), 1, 1)];
        expected.sort();
        assert_eq!(counted, expected);
        // No schema has changed, so nothing that is stored is looked at again.
        assert!(world.waiting().await.is_empty());
        assert_eq!(world.engine.kind(&admin, &world.agent, "preference").await.unwrap().misfits, 0);
        world.verify().await;
    }

    // C8
    async fn the_built_in_extractor_is_told_nothing(db: &TestDb) {
        let world = World::builtin(db).await;
        let reads = world.mia(Permission::ReadAgents);
        assert_eq!(world.engine.prompt(&reads, &world.agent).await.unwrap(), None);
        let accepted = world.say("ana", &["I prefer code examples in Python rather than pseudocode."]).await;
        world.work().await;
        let by = world.operation(&accepted).await.extractor.unwrap();
        assert_eq!((by.name.as_str(), by.prompt_version), ("builtin", None));
        let nobody = domain::agent::AgentName::parse("nobody").unwrap();
        assert_eq!(world.engine.prompt(&reads, &nobody).await.unwrap_err().code(), "not_found");
    }
}
