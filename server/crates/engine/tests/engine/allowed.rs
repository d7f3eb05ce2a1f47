//! Which extractors may read what an agent's users say (G11).

use std::sync::Arc;

use domain::{audit::EventType, permission::Permission, time::Span};
use engine::{AgentPatch, EngineError, EventFilter, Extractor, Extractors, Page};
use store::testing::TestDb;

use crate::world::{Script, World};

const SCRIPT: &str = "script::written-down";

fn only(entries: &[&str]) -> AgentPatch {
    AgentPatch {
        allowed_extractors: Some(entries.iter().map(|&entry| entry.to_owned()).collect()),
        ..AgentPatch::default()
    }
}

fn extractor(name: Option<&str>) -> AgentPatch {
    AgentPatch {
        extractor: Some(name.map(str::to_owned)),
        ..AgentPatch::default()
    }
}

impl World {
    async fn changes(&self, patch: AgentPatch) -> Result<engine::AgentView, EngineError> {
        let permit = self.mia(Permission::Administer);
        self.engine
            .change_agent(&permit, &self.agent, None, patch)
            .await
    }

    async fn held(&self) -> (i64, i64) {
        let reads = self.mia(Permission::ReadAgents);
        let figures = self
            .engine
            .agent_figures(&reads, &self.agent)
            .await
            .unwrap();
        let jobs = self.engine.jobs(&reads, None).await.unwrap();
        (figures.today.not_allowed, jobs.all.not_allowed)
    }
}

store::both! {
    // G11
    async fn what_an_extractor_that_is_not_allowed_should_read_waits_and_is_sent_nowhere(db: &TestDb) {
        let world = World::new(db).await;
        let before = world.say("ana", &["I drink green tea"]).await;
        // The list leaves out the extractor in use: nothing is refused, and nothing is read.
        let agent = world.changes(only(&["builtin"])).await.unwrap();
        assert_eq!(agent.settings.allowed_extractors, ["builtin"]);
        let after = world.say("bo", &["I drink black tea"]).await;
        world.work().await;
        for accepted in [&before, &after] {
            let waits = world.operation(accepted).await;
            assert_eq!((waits.state, waits.attempt, waits.error.unwrap().code.as_str()), ("queued", 0, "not_allowed"));
            assert!(waits.next_at.unwrap() > world.engine.now());
        }
        assert_eq!(world.held().await, (2, 2));
        let front = world.engine.overview(&world.mia(Permission::ReadCandidates), world.engine.now()).await.unwrap();
        assert_eq!((front.extraction.not_allowed, front.extraction.given_up), (2, 0), "nothing failed, and all is not well");
        assert!(world.waiting().await.is_empty() && world.script.windows().is_empty(), "the built-in one is no substitute");
        // It is looked at again by itself, in case the installation changed, and waits on.
        world.pass(Span::hours(2));
        world.work().await;
        assert_eq!(world.operation(&before).await.state, "queued");
        assert!(world.script.windows().is_empty());

        // Allowed, it goes on at once.
        world.changes(only(&["builtin", SCRIPT])).await.unwrap();
        world.work().await;
        for accepted in [&before, &after] {
            assert_eq!(world.operation(accepted).await.state, "succeeded");
        }
        assert_eq!((world.script.windows().len(), world.held().await), (2, (0, 0)));

        // So it does with another that is allowed.
        world.changes(only(&["builtin"])).await.unwrap();
        let third = world.say("ana", &["I prefer short answers"]).await;
        world.work().await;
        assert_eq!(world.operation(&third).await.state, "queued");
        world.changes(extractor(Some("builtin"))).await.unwrap();
        world.work().await;
        assert_eq!(world.operation(&third).await.extractor.unwrap().name, "builtin");
        assert_eq!(world.script.windows().len(), 2);
        world.verify().await;
    }

    // G11, C1
    async fn sessions_wait_too(db: &TestDb) {
        let world = World::new(db).await;
        for words in ["a table first", "a table again"] {
            world.say("ana", &[words]).await;
        }
        world.work().await;
        world.changes(only(&["builtin"])).await.unwrap();
        world.pass(Span::hours(2));
        world.engine.ask_for_patterns().await.unwrap();
        world.work().await;
        assert!(world.script.sessions().is_empty());
        world.changes(only(&[])).await.unwrap();
        world.work().await;
        assert_eq!(world.script.sessions().len(), 1);
    }

    // G11
    async fn one_that_is_chosen_is_one_of_those_that_are_allowed(db: &TestDb) {
        let other = Arc::new(Script::default());
        let extractors = Extractors::builtin().with("other", Extractor::Custom(other.clone()));
        let world = World::with_extractors(db, extractors).await;
        let allowed = world.changes(only(&["other", "other"])).await.unwrap();
        assert_eq!(allowed.settings.allowed_extractors, [SCRIPT], "each once, by the name that means it");
        world.changes(extractor(Some("other"))).await.unwrap();
        let refused = world.changes(extractor(None)).await.unwrap_err();
        let fault = &refused.fields()[0];
        assert_eq!((fault.pointer.as_str(), fault.code), ("/extractor", "not_allowed"));
        assert!(fault.detail.contains(SCRIPT) && fault.detail.contains("builtin is none of them"), "{}", fault.detail);
        let unknown = world.changes(only(&["other", "bananas"])).await.unwrap_err();
        assert_eq!((unknown.fields()[0].pointer.as_str(), unknown.fields()[0].code), ("/allowed_extractors/1", "unknown"));
        // Neither changed anything.
        let reads = world.mia(Permission::ReadAgents);
        let agent = world.engine.agent(&reads, &world.agent).await.unwrap();
        assert_eq!((agent.settings.extractor.as_deref(), agent.settings.allowed_extractors), (Some("other"), vec![SCRIPT.to_owned()]));

        // Another change goes through while the one in use is left out.
        world.changes(only(&["builtin"])).await.unwrap();
        world.changes(AgentPatch { max_candidates: Some(7), ..AgentPatch::default() }).await.unwrap();
        let events = world.engine.events(&world.mia(Permission::ReadAudit), &EventFilter::default(), &Page::default()).await.unwrap();
        let changed = events.data.iter().filter(|event| event.r#type == EventType::AgentChanged);
        let told: Vec<_> = changed.map(|event| event.data["settings"].to_string()).collect();
        assert!(told.contains(&r#"["allowed_extractors"]"#.to_owned()), "{told:?}");
        assert!(!format!("{:?}", events.data).contains(SCRIPT), "the chain names the setting, not what it holds");
    }
}
