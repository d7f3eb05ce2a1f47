//! Situations whose date has passed (G12): shown so, and proposed for retirement.

use std::time::Duration;

use domain::{
    agent::{AgentName, AgentScope},
    candidate::{Action, Cause, Flag, Reason},
    id::MemoryId,
    permission::Permission,
    time::Span,
};
use engine::{Approval, CandidateFilter, CandidateView, MemoryView};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, start, system};

impl World {
    async fn situation(&self, content: &str, date: &str) -> CandidateView {
        self.script.says(&json!({"candidates": [
            {"kind": "context", "content": content, "metadata": {"date": date}, "confidence": 0.9, "importance": 0.7, "evidence": content}
        ]}));
        let accepted = self.say("ana", &[content]).await;
        self.work().await;
        let done = self.operation(&accepted).await;
        self.candidate(&done.candidates[0]).await
    }

    async fn to_retire(&self) -> Vec<CandidateView> {
        let filter = CandidateFilter {
            agent: Some(self.agent.clone()),
            action: Some(Action::Retire),
            ..CandidateFilter::default()
        };
        self.queue(filter).await
    }

    /// While somebody else writes about the user, for whom nothing is waited.
    async fn proposes_none_without_a_lock(&self, db: &TestDb, memory: &MemoryId) {
        let mut other = db.db.write(AgentScope::All).await.unwrap();
        let owner = other.memory(memory).await.unwrap().unwrap();
        other.lock_user(&owner.agent, &owner.user).await.unwrap();
        let limit = Duration::from_secs(5);
        let proposed = tokio::time::timeout(limit, self.engine.propose_passed()).await;
        assert_eq!(proposed.expect("no lock is waited for").unwrap(), 0);
    }
}

store::both! {
    // G12
    async fn a_situation_whose_date_has_passed_is_shown_so_and_proposed_for_retirement(db: &TestDb) {
        let world = World::new(db).await;
        let day = |days: i64| (start() + Span::days(days)).format("%Y-%m-%d").to_string();
        let launch = world.situation("User's product launches on Friday", &day(3)).await;
        let exam = world.situation("User has an exam in spring", &day(120)).await;
        assert!(launch.flags.is_empty());
        let decide = world.mia(Permission::Decide);
        let approved = world.engine.approve(&decide, &launch.id, None, Approval::default()).await.unwrap();
        let memory = approved.memory.unwrap();
        world.engine.approve(&decide, &exam.id, None, Approval::default()).await.unwrap();
        let waiting = world.situation("User visits the fair tomorrow", &day(1)).await;
        assert_eq!(world.engine.propose_passed().await.unwrap(), 0);

        world.pass(Span::days(5));
        assert_eq!(world.candidate(&waiting.id).await.flags, [Flag::DatePassed]);
        let seen: MemoryView = world.engine.memory(&world.key(Permission::ReadMemories), &memory).await.unwrap();
        assert_eq!(seen.flags, [Flag::DatePassed]);
        assert_eq!(world.engine.propose_passed().await.unwrap(), 1);
        assert_eq!(world.engine.propose_passed().await.unwrap(), 0, "it waits already");
        world.proposes_none_without_a_lock(db, &memory).await;
        let proposed = world.to_retire().await;
        assert_eq!((proposed.len(), proposed[0].target.as_ref(), proposed[0].cause), (1, Some(&memory), Some(Cause::DatePassed)));

        // A person may know better: then it is left for the cool-down.
        world.engine.reject(&decide, &proposed[0].id, None, Reason::Wrong, None).await.unwrap();
        assert_eq!(world.engine.propose_passed().await.unwrap(), 0);
        world.proposes_none_without_a_lock(db, &memory).await;
        world.pass(Span::days(91));
        assert_eq!(world.engine.propose_passed().await.unwrap(), 1);
        world.verify().await;
    }

    // G12
    async fn what_cannot_be_read_keeps_no_other_agent_from_its_turn(db: &TestDb) {
        let mut world = World::new(db).await;
        let day = (start() + Span::days(3)).format("%Y-%m-%d").to_string();
        let decide = world.mia(Permission::Decide);
        let launch = world.situation("User's product launches on Friday", &day).await;
        world.engine.approve(&decide, &launch.id, None, Approval::default()).await.unwrap();
        let support = world.agent.clone();
        world.agent = AgentName::parse("another").unwrap();
        world.engine.create_agent(&system(Permission::Administer), world.agent.clone(), Default::default()).await.unwrap();
        let fair = world.situation("User visits the fair on Friday", &day).await;
        world.engine.approve(&decide, &fair.id, None, Approval::default()).await.unwrap();
        db.behind_the_back("update memories set sealed = (select wrapped from user_keys limit 1) where agent = 'another'").await.unwrap();
        world.pass(Span::days(5));
        assert_eq!(world.engine.propose_passed().await.unwrap(), 1);
        world.agent = support;
        assert_eq!(world.to_retire().await.len(), 1);
    }
}
