//! Typed entities: a campaign, a figure, a decision, a trouble, a wish, each one object that can be asked for, and all of them in one
//! queue with everything else.

use std::collections::BTreeSet;

use domain::{
    candidate::{Action, Flag},
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{AgentPatch, Approval, MemoryFilter, MemoryView, Page, ProposeAnswer, Proposed};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::world::{World, system};

impl World {
    async fn in_business(db: &TestDb) -> Self {
        let world = Self::new(db).await;
        let patch: AgentPatch =
            serde_json::from_value(json!({"kinds": {"sets": ["assistant", "business"]}})).unwrap();
        world
            .engine
            .change_agent(&system(Permission::Administer), &world.agent, None, patch)
            .await
            .unwrap();
        world
    }

    /// What a conversation of these words and this answer of the model leaves waiting.
    async fn heard(&self, words: &str, mut candidate: Value) -> engine::CandidateView {
        candidate["evidence"] = json!([words]);
        candidate["confidence"] = json!(0.9);
        self.script.says(&json!({"candidates": [candidate]}));
        let accepted = self.say("ana", &[words]).await;
        self.work().await;
        let done = self.operation(&accepted).await;
        assert_eq!(done.candidates.len(), 1, "{words}: {done:?}");
        self.candidate(&done.candidates[0]).await
    }

    async fn heard_and_approved(&self, words: &str, candidate: Value) -> MemoryView {
        let candidate = self.heard(words, candidate).await;
        let decide = self.mia(Permission::Decide);
        let approved = self
            .engine
            .approve(&decide, &candidate.id, None, Approval::default())
            .await
            .unwrap();
        self.engine
            .memory(
                &self.mia(Permission::ReadMemories),
                &approved.memory.unwrap(),
            )
            .await
            .unwrap()
    }

    async fn of_kind(&self, kind: &str) -> Vec<MemoryView> {
        let filter = MemoryFilter {
            agent: Some(self.agent.clone()),
            scope: Some(Scope::user_id("ana").unwrap()),
            kinds: vec![kind.to_owned()],
            ..MemoryFilter::default()
        };
        self.engine
            .memories(
                &self.key(Permission::ReadMemories),
                &filter,
                &Page::default(),
            )
            .await
            .unwrap()
            .data
    }
}

store::both! {
    // B1, B3, B4
    async fn every_business_entity_keeps_its_typed_metadata_over_updates(db: &TestDb) {
        let world = World::in_business(db).await;
        let said = [
            ("Campaign Alpha runs on target CPA with 5,000 euros a month", json!({
                "kind": "campaign", "name": "Alpha", "content": "Campaign Alpha runs on target CPA with 5,000 euros a month", "importance": 0.7, "tags": ["search"],
                "metadata": {"campaign_id": "a-1", "strategy": "target CPA", "budget": 5000, "status": "running", "last_performance": [{"name": "ctr", "value": 0.03}]}}),
             json!({"campaign_id": "a-1", "strategy": "target CPA", "budget": 5000, "status": "running", "last_performance": {"ctr": 0.03}})),
            ("Our conversion rate was 3.2 percent in October", json!({
                "kind": "metric", "name": "conversion rate", "content": "The conversion rate was 3.2 percent in October", "importance": 0.9,
                "metadata": {"metric": "conversion rate", "value": 3.2, "unit": "%", "period": "2026-10"}}),
             json!({"metric": "conversion rate", "value": 3.2, "unit": "%", "period": "2026-10"})),
            ("We decided to stop the banner ads because nobody clicks them", json!({
                "kind": "decision", "name": "banner ads", "content": "Stop the banner ads because nobody clicks them", "importance": 0.95,
                "metadata": {"action": "stop the banner ads", "rationale": "nobody clicks them", "affected_entities": ["banner ads"], "reversible": true, "outcome": null}}),
             json!({"action": "stop the banner ads", "rationale": "nobody clicks them", "affected_entities": ["banner ads"], "reversible": true})),
            ("The weekly report keeps breaking", json!({
                "kind": "pain_point", "name": "weekly report", "content": "The weekly report keeps breaking", "importance": 0.6,
                "metadata": {"severity": "high", "frequency": "weekly", "resolved": false, "related_campaigns": ["Alpha"]}}),
             json!({"severity": "high", "frequency": "weekly", "resolved": false, "related_campaigns": ["Alpha"]})),
            ("I want the numbers as a table, always", json!({
                "kind": "preference", "name": "form of numbers", "content": "User wants numbers as a table", "importance": 0.9,
                "metadata": {"category": "communication", "value": "tables", "confidence": 0.9}}),
             json!({"category": "communication", "value": "tables", "confidence": 0.9})),
        ];
        for (words, candidate, metadata) in said {
            let memory = world.heard_and_approved(words, candidate.clone()).await;
            assert_eq!(memory.name.as_deref(), candidate["name"].as_str());
            assert_eq!(json!(memory.metadata), metadata, "{words}");
            assert_eq!(json!(memory.importance), candidate["importance"]);
            assert_eq!(json!(memory.tags), candidate.get("tags").cloned().unwrap_or(json!([])));
            assert_eq!(memory.revision, 1);
            assert!(memory.conversation.is_some(), "the session it was said in");
            assert_eq!(memory.created_at, memory.updated_at);
        }

        // Seen again with another value: the same object, a version more, and when it was first known stays.
        world.pass(Span::days(3));
        let before = world.of_kind("campaign").await.remove(0);
        let after = world.heard_and_approved("Campaign Alpha now runs on maximise clicks", json!({
            "kind": "campaign", "name": "alpha", "content": "Campaign Alpha runs on maximise clicks", "importance": 0.5,
            "metadata": {"campaign_id": "a-1", "strategy": "maximise clicks", "status": "running"}})).await;
        assert_eq!((after.id.clone(), after.revision, after.created_at), (before.id, 2, before.created_at));
        assert!(after.updated_at > after.created_at);
        assert_eq!(after.metadata["strategy"], "maximise clicks");
        assert!((after.importance - 0.6).abs() < 1e-9, "a lower importance becomes the mean of both: {}", after.importance);
        world.verify().await;
    }

    // B2, B5
    async fn an_entity_can_be_asked_for_and_its_change_is_a_contradiction_in_view(db: &TestDb) {
        let world = World::in_business(db).await;
        world.heard_and_approved("campaign Alpha moved to target CPA last Tuesday", json!({
            "kind": "campaign", "name": "Alpha", "content": "Campaign Alpha moved to target CPA last Tuesday", "importance": 0.7, "metadata": {"strategy": "target CPA"}})).await;
        world.heard_and_approved("campaign Beta is paused", json!({
            "kind": "campaign", "name": "Beta", "content": "Campaign Beta is paused", "importance": 0.6, "metadata": {"status": "paused"}})).await;
        assert_eq!(world.of_kind("campaign").await.len(), 2);
        let theirs = MemoryFilter { agent: Some(world.agent.clone()), scope: Some(Scope::user_id("ana").unwrap()), ..MemoryFilter::default() };
        let found = world.engine.search(&world.key(Permission::ReadMemories), theirs, "what is the strategy of Alpha?", 1).await.unwrap();
        assert_eq!(found.data[0].memory.content, "Campaign Alpha moved to target CPA last Tuesday");

        let change = world.heard("we switched campaign Alpha to maximise clicks", json!({
            "kind": "campaign", "name": "Alpha", "content": "Campaign Alpha moved to maximise clicks", "importance": 0.7, "metadata": {"strategy": "maximise clicks"}})).await;
        assert_eq!((change.action, change.flags.contains(&Flag::Contradiction)), (Action::Update, true), "{change:?}");
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &change.id).await.unwrap();
        let base = detail.base.unwrap();
        assert_eq!((base.metadata["strategy"].as_str(), change.metadata["strategy"].as_str()), (Some("target CPA"), Some("maximise clicks")), "from X to Y, side by side");
        assert!(!detail.diff.is_empty());
        assert_eq!(world.of_kind("campaign").await.len(), 2, "nothing is overwritten before somebody decides");
    }

    // F1
    async fn everything_that_can_be_remembered_waits_in_one_queue(db: &TestDb) {
        let world = World::in_business(db).await;
        let schema = json!({"type": "object", "properties": {"job_status": {"type": "string", "enum": ["student", "employed"]}}});
        world.engine.put_schema(&world.mia(Permission::Administer), &world.agent, "user-profile", schema, None).await.unwrap();
        let words = "I am a student and I like tea. Campaign Alpha runs on target CPA.";
        world.script.says(&json!({
            "candidates": [
                {"kind": "preference", "content": "User likes tea", "confidence": 0.9, "importance": 0.6, "evidence": "I like tea"},
                {"kind": "campaign", "name": "Alpha", "content": "Campaign Alpha runs on target CPA", "confidence": 0.9, "importance": 0.6, "evidence": "Campaign Alpha runs on target CPA", "metadata": {"strategy": "target CPA"}},
            ],
            "fields": [{"schema": "user-profile", "field": "job_status", "value": "student", "confidence": 0.9, "evidence": "I am a student"}],
            "summary": {"content": "User spoke about studies, tea and campaign Alpha", "importance": 0.5},
        }));
        world.say("ana", &[words]).await;
        world.work().await;
        let pattern = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id("ana").unwrap(),
            kind: "pattern".into(),
            name: None,
            content: Some("User asks about campaigns every Monday".into()),
            metadata: Default::default(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        };
        let answer = world.engine.propose(&world.key(Permission::Propose), &world.agent, pattern).await.unwrap();
        assert!(matches!(answer, ProposeAnswer::Proposed { .. }));
        let waiting = world.waiting().await;
        let kinds: BTreeSet<&str> = waiting.iter().map(|candidate| candidate.kind.as_str()).collect();
        assert_eq!(kinds, BTreeSet::from(["campaign", "pattern", "preference", "profile_field", "session_summary"]));
        assert_eq!(waiting.len(), 5);
        // And each is decided in the same way.
        for candidate in waiting {
            let decide = world.mia(Permission::Decide);
            let approved = world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap();
            assert!(approved.memory.is_some(), "{candidate:?}");
        }
        world.verify().await;
    }
}
