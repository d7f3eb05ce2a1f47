//! What comes back or changes needs a place: never beside what says otherwise, never beyond the limit, and not past its own end.

use domain::{candidate::Action, candidate::Edit, permission::Permission, time::Span, user::Scope};
use engine::{
    AgentPatch, Approval, CandidateView, EngineError, MemoryEdit, MemoryView, NewMemory,
    ProposeAnswer, Proposed, Version,
};
use store::testing::TestDb;

use crate::world::World;

impl World {
    async fn add(&self, content: &str) -> MemoryView {
        let new = NewMemory {
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: content.into(),
            metadata: Default::default(),
            tags: vec![],
            importance: None,
            note: None,
        };
        let decide = self.mia(Permission::Decide);
        self.engine
            .add_memory(&decide, &self.agent, new)
            .await
            .unwrap()
    }

    async fn change(
        &self,
        action: Action,
        target: &MemoryView,
        content: Option<&str>,
    ) -> CandidateView {
        let proposed = Proposed {
            action: Some(action),
            target: Some(target.id.clone()),
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: content.map(str::to_owned),
            metadata: Default::default(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        };
        let key = self.key(Permission::Propose);
        match self
            .engine
            .propose(&key, &self.agent, proposed)
            .await
            .unwrap()
        {
            ProposeAnswer::Proposed { candidate } => *candidate,
            other => panic!("{other:?}"),
        }
    }

    async fn approves(&self, candidate: &CandidateView) -> Result<CandidateView, EngineError> {
        let decide = self.mia(Permission::Decide);
        self.engine
            .approve(&decide, &candidate.id, None, Approval::default())
            .await
    }
}

store::both! {
    // B4, B5
    async fn nothing_comes_back_or_is_changed_to_stand_beside_what_says_otherwise(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let drinks = world.add("User drinks coffee").await;
        let boat = world.add("User has a boat").await;
        // Proposed while nobody said otherwise.
        let update = world.change(Action::Update, &boat, Some("User drinks coffee at sea")).await;
        let retire = world.change(Action::Retire, &drinks, None).await;
        world.approves(&retire).await.unwrap();
        let not = world.add("User does not drink coffee").await;
        let not_at_sea = world.add("User does not drink coffee at sea").await;
        let served = world.served("ana").await;

        let taken = |refused: EngineError, by: &MemoryView| match refused {
            EngineError::SlotTaken { memory } => assert_eq!(memory, by.id),
            other => panic!("{other:?}"),
        };
        let undone = world.engine.reopen(&decide, &retire.id, None, None).await;
        taken(undone.unwrap_err(), &not);
        let restored = world.engine.restore_memory(&decide, &drinks.id, Version::Any, None, None).await;
        taken(restored.unwrap_err(), &not);
        let edit = Edit { content: Some("User drinks coffee".into()), ..Edit::default() };
        let edited = world.engine.edit_memory(&decide, &boat.id, Version::Any, edit, None).await;
        taken(edited.unwrap_err(), &not);
        taken(world.approves(&update).await.unwrap_err(), &not_at_sea);
        assert_eq!(world.served("ana").await, served);

        // What stands beside nothing but itself may be changed.
        let edit = Edit { content: Some("User drinks coffee".into()), ..Edit::default() };
        world.engine.edit_memory(&decide, &not.id, Version::Any, edit, None).await.unwrap();
        world.verify().await;
    }

    // A12
    async fn what_comes_back_counts_for_the_limit(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let limit = async |limit: u32| {
            let patch = AgentPatch { max_memories: Some(limit), ..AgentPatch::default() };
            world.engine.change_agent(&world.mia(Permission::Administer), &world.agent, None, patch).await.unwrap();
        };
        limit(1).await;
        let boat = world.add("User has a boat").await;
        let retire = world.change(Action::Retire, &boat, None).await;
        world.approves(&retire).await.unwrap();
        let dog = world.add("User has a dog called Rex").await;
        let full = |refused: EngineError| assert!(matches!(refused, EngineError::Full { limit: 1, retire: Some(_) }), "{refused:?}");
        full(world.engine.reopen(&decide, &retire.id, None, None).await.unwrap_err());
        full(world.engine.restore_memory(&decide, &boat.id, Version::Any, None, None).await.unwrap_err());
        assert_eq!(world.served("ana").await, ["User has a dog called Rex"]);
        // What is served already takes no more room.
        let edit = Edit { content: Some("User has a dog called Max".into()), ..Edit::default() };
        world.engine.edit_memory(&decide, &dog.id, Version::Any, edit, None).await.unwrap();
        limit(2).await;
        world.engine.reopen(&decide, &retire.id, None, None).await.unwrap();
        assert_eq!(world.served("ana").await.len(), 2);
        world.verify().await;
    }

    // F7, B6
    async fn undo_leaves_what_was_there_even_where_its_end_has_passed_meanwhile(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let boat = world.add("User has a boat").await;
        let ends = MemoryEdit { edit: Edit::default(), expires_at: Some(Some(world.engine.now() + Span::days(10))) };
        let boat = world.engine.edit_memory(&decide, &boat.id, Version::Any, ends, None).await.unwrap();
        let update = world.change(Action::Update, &boat, Some("User has a boat and a raft")).await;
        world.approves(&update).await.unwrap();
        world.pass(Span::days(5));
        world.engine.reopen(&decide, &update.id, None, None).await.unwrap();
        let memory = async || world.engine.memory(&world.mia(Permission::ReadMemories), &boat.id).await.unwrap();
        assert_eq!(memory().await.expires_at, boat.expires_at, "an end to come stays");
        world.approves(&world.candidate(&update.id).await).await.unwrap_err();
        let of_now = Approval { seen_target: Some(memory().await.revision), ..Approval::default() };
        world.engine.approve(&decide, &update.id, None, of_now).await.unwrap();
        world.pass(Span::days(6));
        world.engine.reopen(&decide, &update.id, None, None).await.unwrap();
        assert_eq!(world.served("ana").await, ["User has a boat"]);
        world.verify().await;
    }
}
