//! Whether what was served helped (C9): reported memory by memory, listed where it never did, and proposed for retirement.

use domain::{
    agent::AgentName,
    candidate::{Action, Cause, Reason},
    id::MemoryId,
    memory::{MemoryStatus, RetiredFor},
    permission::Permission,
    time::Span,
};
use engine::{Approval, CandidateFilter, CandidateView, EngineError, Feedback, Report};
use store::testing::TestDb;

use crate::world::{World, system};

impl World {
    async fn remembered(&self, content: &str) -> MemoryId {
        let candidate = self.proposed("ana", "fact", None, content).await;
        let decide = self.mia(Permission::Decide);
        let approved = self
            .engine
            .approve(&decide, &candidate.id, None, Approval::default())
            .await;
        approved.unwrap().memory.unwrap()
    }

    async fn served_once(&self, memory: &MemoryId, helped: Option<bool>) {
        let context = self.context("ana").await;
        if let Some(helped) = helped {
            let feedback = Feedback {
                serving: context.serving,
                memory: memory.clone(),
                helped,
            };
            let agent = self.key(Permission::ReadContext);
            self.engine
                .feedback(&agent, &self.agent, &feedback)
                .await
                .unwrap();
        }
    }

    async fn report(&self) -> Report {
        let people = self.mia(Permission::ReadHistory);
        self.engine.report(&people, &self.agent).await.unwrap()
    }

    async fn retirements(&self) -> Vec<CandidateView> {
        let filter = CandidateFilter {
            agent: Some(self.agent.clone()),
            action: Some(Action::Retire),
            ..CandidateFilter::default()
        };
        self.queue(filter).await
    }
}

store::both! {
    // C9
    async fn what_is_served_often_and_never_helps_is_listed_and_proposed_for_retirement(db: &TestDb) {
        let world = World::new(db).await;
        let memory = world.remembered("User once owned a red bicycle").await;
        for _ in 0..3 {
            world.served_once(&memory, Some(false)).await;
        }
        assert!(world.report().await.memories.is_empty(), "three servings are not often");
        for _ in 0..17 {
            world.served_once(&memory, None).await;
        }
        let report = world.report().await;
        assert_eq!(report.memories.len(), 1);
        assert_eq!((report.memories[0].servings, report.memories[0].not_helped), (20, 3));
        assert_eq!(report.memories[0].memory.id, memory);
        assert_eq!(report.memories[0].proposal, None);

        assert_eq!(world.engine.propose_never_helpful().await.unwrap(), 1);
        assert_eq!(world.engine.propose_never_helpful().await.unwrap(), 0, "it waits already");
        let waiting = world.retirements().await;
        assert_eq!((waiting.len(), waiting[0].cause, waiting[0].target.as_ref()), (1, Some(Cause::NeverHelpful), Some(&memory)));
        assert_eq!(world.report().await.memories[0].proposal.as_ref(), Some(&waiting[0].id));
        assert_eq!(world.served("ana").await.len(), 1, "until a person decides it is served");

        let decide = world.mia(Permission::Decide);
        world.engine.approve(&decide, &waiting[0].id, None, Approval::default()).await.unwrap();
        let retired = world.engine.memory(&world.mia(Permission::ReadHistory), &memory).await.unwrap();
        assert_eq!((retired.status, retired.reason), (MemoryStatus::Retired, Some(RetiredFor::Deleted)));
        assert!(world.report().await.memories.is_empty());
        world.verify().await;
    }

    // C9
    async fn one_report_of_help_and_a_persons_no_keep_a_memory(db: &TestDb) {
        let world = World::new(db).await;
        let memory = world.remembered("User lives in Oslo").await;
        for _ in 0..19 {
            world.served_once(&memory, Some(false)).await;
        }
        world.served_once(&memory, Some(true)).await;
        assert!(world.report().await.memories.is_empty());
        assert_eq!(world.engine.propose_never_helpful().await.unwrap(), 0);

        let other = world.remembered("User once owned a red bicycle").await;
        for _ in 0..20 {
            world.served_once(&other, Some(false)).await;
        }
        assert_eq!(world.engine.propose_never_helpful().await.unwrap(), 1);
        let waiting = world.retirements().await;
        let decide = world.mia(Permission::Decide);
        world.engine.reject(&decide, &waiting[0].id, None, Reason::Wrong, None).await.unwrap();
        assert_eq!(world.engine.propose_never_helpful().await.unwrap(), 0);
        world.pass(Span::days(91));
        assert_eq!(world.engine.propose_never_helpful().await.unwrap(), 1, "after the cool-down it may be asked again");
    }

    // C9
    async fn the_newest_report_counts_and_only_what_was_served_can_be_reported(db: &TestDb) {
        let world = World::new(db).await;
        let memory = world.remembered("User lives in Oslo").await;
        let context = world.context("ana").await;
        let agent = world.key(Permission::ReadContext);
        let report = |helped| Feedback { serving: context.serving.clone(), memory: memory.clone(), helped };
        for helped in [true, false, false] {
            world.engine.feedback(&agent, &world.agent, &report(helped)).await.unwrap();
        }
        let mut tx = db.db.read(domain::agent::AgentScope::All).await.unwrap();
        let never = tx.never_helpful(&world.agent, 1, 1, world.engine.now(), 10).await.unwrap();
        assert_eq!((never.len(), never[0].not_helped), (1, 1));
        let filter = store::EventFilter { types: vec![domain::audit::EventType::ContextFeedback], ..store::EventFilter::default() };
        let told = tx.events(&filter, &store::Page::first(10)).await.unwrap();
        assert_eq!(told.rows.len(), 2, "the same report again tells nothing new");
        drop(tx);

        let elsewhere = AgentName::parse("other").unwrap();
        world.engine.create_agent(&system(Permission::Administer), elsewhere.clone(), Default::default()).await.unwrap();
        let foreign = world.engine.feedback(&system(Permission::ReadContext), &elsewhere, &report(true)).await;
        assert!(matches!(foreign, Err(EngineError::NotFound)));
        let unserved = world.remembered("User plays the cello").await;
        let wrong = Feedback { memory: unserved, ..report(true) };
        let refused = world.engine.feedback(&agent, &world.agent, &wrong).await;
        assert!(matches!(refused, Err(EngineError::NotFound)));
        world.verify().await;
    }
}
