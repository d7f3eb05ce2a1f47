//! Figures that go one way and troubles that come back (B9): read as a course, and proposed as patterns, whatever the extractor.

use domain::{
    agent::AgentScope,
    candidate::{Action, Cause, Flag, Reason},
    id::MemoryId,
    permission::Permission,
    time::Span,
};
use engine::{AgentPatch, Approval, CandidateView, EngineError, Series};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::world::{World, system};

impl World {
    async fn selling(db: &TestDb) -> Self {
        let world = Self::new(db).await;
        let patch: AgentPatch =
            serde_json::from_value(json!({"kinds": {"sets": ["assistant", "business"]}})).unwrap();
        let admin = system(Permission::Administer);
        let changed = world
            .engine
            .change_agent(&admin, &world.agent, None, patch)
            .await;
        changed.unwrap();
        world
    }

    /// One session in which ana says this, and the candidate it leaves, if it leaves one.
    async fn session(&self, words: &str, mut candidate: Value) -> Option<CandidateView> {
        candidate["content"] = json!(words);
        candidate["evidence"] = json!([words]);
        candidate["confidence"] = json!(0.9);
        candidate["importance"] = json!(0.7);
        self.script.says(&json!({"candidates": [candidate]}));
        let accepted = self.say("ana", &[words]).await;
        self.work().await;
        let done = self.operation(&accepted).await;
        self.pass(Span::hours(1));
        match done.candidates.first() {
            Some(id) => Some(self.candidate(id).await),
            None => None,
        }
    }

    async fn approve(&self, candidate: &CandidateView) -> MemoryId {
        let decide = self.mia(Permission::Decide);
        let approved = self
            .engine
            .approve(&decide, &candidate.id, None, Approval::default())
            .await;
        approved.unwrap().memory.unwrap()
    }

    /// A session that gives a metric another value, which is approved.
    async fn measured(&self, value: f64) -> MemoryId {
        let metadata = json!({"metric": "CTR", "value": value, "unit": "%"});
        let candidate =
            json!({"kind": "metric", "name": "ctr of the spring sale", "metadata": metadata});
        let words = format!("The CTR of the spring sale is {value}% now");
        let candidate = self
            .session(&words, candidate)
            .await
            .expect("another value");
        self.approve(&candidate).await
    }

    /// What waits as a pattern after a look.
    async fn patterns(&self) -> Vec<CandidateView> {
        self.engine.ask_for_patterns().await.unwrap();
        self.work().await;
        let mut waiting = self.waiting().await;
        waiting.retain(|candidate| candidate.kind == "pattern");
        waiting
    }

    async fn series(&self, memory: &MemoryId) -> Series {
        let reads = self.key(Permission::ReadMemories);
        self.engine.series(&reads, memory).await.unwrap()
    }
}

fn sessions_of(candidate: &CandidateView) -> usize {
    let mut sessions: Vec<_> = candidate
        .evidence
        .iter()
        .map(|piece| &piece.conversation)
        .collect();
    sessions.sort();
    sessions.dedup();
    sessions.len()
}

store::both! {
    // B4, B9
    async fn a_figure_that_improves_over_three_sessions_is_proposed_as_a_pattern(db: &TestDb) {
        let world = World::selling(db).await;
        let memory = world.measured(2.1).await;
        assert_eq!(world.measured(2.6).await, memory, "one object, with its history");
        assert!(world.patterns().await.is_empty(), "two sessions are no trend");
        world.measured(3.4).await;
        let found = world.patterns().await;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].content, "CTR has been improving over 3 sessions: 2.1% → 2.6% → 3.4%");
        assert_eq!((found[0].cause, found[0].action), (Some(Cause::Trend), Action::Create));
        assert_eq!(found[0].metadata["figures"], json!([2.1, 2.6, 3.4]));
        assert_eq!(sessions_of(&found[0]), 3);
        assert_eq!(world.patterns().await.len(), 1, "the same is not proposed twice");
        let pattern = world.approve(&found[0]).await;

        // The next value makes it an update of the same pattern, and no contradiction.
        world.measured(4.0).await;
        let found = world.patterns().await;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].action, found[0].target.clone()), (Action::Update, Some(pattern)));
        assert!(!found[0].flags.contains(&Flag::Contradiction));
        assert!(found[0].content.ends_with("over 4 sessions: 2.1% → 2.6% → 3.4% → 4%"));
        world.verify().await;
    }

    // B9
    async fn newer_figures_take_the_place_of_a_trend_that_waits_and_a_rejected_one_stays_away(db: &TestDb) {
        let world = World::selling(db).await;
        for value in [2.0, 3.0, 4.0] {
            world.measured(value).await;
        }
        let first = world.patterns().await.pop().unwrap();
        world.measured(5.0).await;
        let found = world.patterns().await;
        assert_eq!(found.len(), 1);
        assert_ne!(found[0].id, first.id);
        assert_eq!(world.candidate(&first.id).await.reason, Some(Reason::Superseded));

        let decide = world.mia(Permission::Decide);
        world.engine.reject(&decide, &found[0].id, None, Reason::NotDurable, None).await.unwrap();
        world.measured(6.0).await;
        assert!(world.patterns().await.is_empty(), "going on the same way is what a person did not want");
        for value in [5.0, 4.0] {
            world.measured(value).await;
        }
        let found = world.patterns().await;
        assert_eq!(found[0].metadata["direction"], "worsening", "another way is another finding");
        world.verify().await;
    }

    // B9
    async fn the_values_of_a_metric_and_how_often_it_was_said_can_be_read(db: &TestDb) {
        let world = World::selling(db).await;
        let memory = world.measured(2.1).await;
        world.measured(2.6).await;
        let series = world.series(&memory).await;
        let points: Vec<_> = series.points.iter().map(|point| (point.revision, point.value)).collect();
        assert_eq!(points, [(1, 2.1), (2, 2.6)]);
        assert_eq!(series.points[0].unit.as_deref(), Some("%"));
        assert!(series.points[0].at < series.points[1].at);
        assert_eq!((series.count, series.sessions), (2, 2));
        assert!(series.mentions.is_empty(), "its values are its course");

        // A metric that ran out is still history for people, and gone for agents.
        world.pass(Span::days(31));
        world.engine.tick().await.unwrap();
        let agents = world.engine.series(&world.key(Permission::ReadMemories), &memory).await;
        assert!(matches!(agents, Err(EngineError::NotFound)));
        let next = world.measured(3.0).await;
        assert_ne!(next, memory);
        let people = world.engine.series(&world.mia(Permission::ReadMemories), &next).await.unwrap();
        let values: Vec<_> = people.points.iter().map(|point| point.value).collect();
        assert_eq!(values, [2.1, 2.6, 3.0]);
        assert_eq!(world.series(&next).await.points.len(), 1, "an agent sees what is served");

        // G2
        let ana = engine::UserRef::parse("ana").unwrap();
        world.engine.set_opt_out(&world.mia(Permission::Administer), &ana, true).await.unwrap();
        let hidden = world.engine.series(&world.key(Permission::ReadMemories), &next).await;
        assert!(matches!(hidden, Err(EngineError::NotFound)));
    }

    // B9
    async fn a_trouble_that_comes_back_is_counted_and_proposed_as_a_pattern(db: &TestDb) {
        let world = World::selling(db).await;
        let trouble = || json!({"kind": "pain_point", "metadata": {"severity": "high"}});
        let words = "The export keeps breaking every Monday";
        let first = world.session(words, trouble()).await.unwrap();
        let memory = world.approve(&first).await;
        assert!(world.session(words, trouble()).await.is_none(), "seen again");
        assert!(world.patterns().await.is_empty());
        assert!(world.session(words, trouble()).await.is_none());
        let series = world.series(&memory).await;
        assert_eq!((series.count, series.sessions, series.points.len()), (3, 3, 0));
        let came_up = &series.mentions;
        assert_eq!((came_up.len(), &came_up[0].conversation), (3, &first.evidence[0].conversation), "the oldest first");
        assert!(came_up.windows(2).all(|pair| pair[0].at < pair[1].at));
        let found = world.patterns().await;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].cause, Some(Cause::Returning));
        assert_eq!(found[0].content, format!("Returning pain point, raised 3 times in 3 sessions: {words}"));
        assert_eq!(sessions_of(&found[0]), 3);
        assert_eq!((&found[0].metadata["count"], &found[0].metadata["sessions"]), (&json!(3), &json!(3)));
        world.verify().await;
    }

    // B9, C1
    async fn what_the_reading_of_a_session_finds_belongs_to_the_look_at_it(db: &TestDb) {
        let world = World::selling(db).await;
        let words = "The export keeps breaking every Monday";
        let trouble = || json!({"kind": "pain_point", "metadata": {"severity": "high"}});
        let first = world.session(words, trouble()).await.unwrap();
        world.approve(&first).await;
        world.session(words, trouble()).await;
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 1);

        // A session ends after the look was asked for, and its extraction waits behind it.
        world.pass(Span::seconds(1));
        let mut candidate = trouble();
        candidate["content"] = json!(words);
        candidate["evidence"] = json!([words]);
        world.script.says(&json!({"candidates": [candidate]}));
        let accepted = world.say("ana", &[words]).await;
        assert!(world.engine.work_once().await.unwrap());
        assert_eq!(world.operation(&accepted).await.state, "queued", "the look came first");
        let ana = db.db.read(AgentScope::All).await.unwrap().operation(&accepted.operation).await.unwrap().unwrap().user.unwrap();
        let looked = async || db.db.read(AgentScope::All).await.unwrap().patterns_at(&world.agent, &ana).await.unwrap();
        assert_eq!(looked().await, None, "and left her for the next turn");
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 0, "nor is it asked for before she was read");
        world.work().await;
        let found = world.patterns().await;
        assert_eq!((found.len(), sessions_of(&found[0])), (1, 3));
        assert!(looked().await.is_some());
        world.verify().await;
    }

    // B9, G14
    async fn a_reading_that_waits_for_the_next_days_budget_hides_nobody_and_is_looked_at_then(db: &TestDb) {
        let world = World::selling(db).await;
        let words = "The export keeps breaking every Monday";
        let trouble = || json!({"kind": "pain_point", "metadata": {"severity": "high"}});
        let first = world.session(words, trouble()).await.unwrap();
        world.approve(&first).await;
        world.session(words, trouble()).await;
        let budget: AgentPatch = serde_json::from_value(json!({"budget": {"tokens_per_day": 1}})).unwrap();
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, budget).await.unwrap();
        assert!(world.session(words, trouble()).await.is_none(), "put off");
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 1);
        world.work().await;
        assert!(world.patterns().await.is_empty());
        world.pass(Span::days(1));
        world.work().await;
        let found = world.patterns().await;
        assert_eq!((found.len(), sessions_of(&found[0])), (1, 3));
        world.verify().await;
    }

    // B9, F10
    async fn a_trend_is_said_in_the_language_of_the_memory(db: &TestDb) {
        let world = World::selling(db).await;
        for (value, words) in [(50, "先月の売上は50万円でした"), (60, "先月の売上は60万円でした"), (80, "先月の売上は80万円でした")] {
            let metadata = json!({"metric": "売上", "value": value, "unit": "万円"});
            let candidate = json!({"kind": "metric", "name": "revenue", "metadata": metadata});
            let candidate = world.session(words, candidate).await.unwrap();
            world.approve(&candidate).await;
        }
        let found = world.patterns().await;
        assert_eq!(found[0].content, "売上は3回のセッションを通じて改善し続けている：50万円 → 60万円 → 80万円");
        assert_eq!(found[0].language, "ja");
    }
}
