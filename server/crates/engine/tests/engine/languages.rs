//! A role for some languages (G7): what it keeps a person from writing and changing, and what it does not.

use domain::{
    candidate::{Action, Edit, Reason, Status},
    id::MemoryId,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    user::Scope,
};
use engine::{Approval, CandidateView, EngineError, NewMemory, Version};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, id_of, system};

const TOKYO: &str = "ユーザーは東京に住んでいます";
const KYOTO: &str = "ユーザーは京都に住んでいます";

/// Aiko, as a reviewer of one language.
fn reviews(world: &World, language: &str) -> Permit {
    let Actor::Person { id, name, .. } = world.aiko.clone() else {
        unreachable!()
    };
    let grants = vec![Grant {
        languages: vec![language.to_owned()],
        ..Grant::everywhere(RoleName::Reviewer)
    }];
    Permit::ask(Actor::Person { id, name, grants }, Permission::Decide).unwrap()
}

fn says(content: &str) -> Edit {
    Edit {
        content: Some(content.to_owned()),
        ..Edit::default()
    }
}

fn edited(content: &str) -> Approval {
    Approval {
        edit: says(content),
        ..Approval::default()
    }
}

fn into(memory: &MemoryId) -> Approval {
    Approval {
        merge_into: Some(memory.clone()),
        ..Approval::default()
    }
}

fn by_hand(content: &str) -> NewMemory {
    NewMemory {
        scope: Scope::user_id("kenji").unwrap(),
        kind: "fact".into(),
        name: None,
        content: content.to_owned(),
        metadata: Default::default(),
        tags: vec![],
        importance: None,
        note: None,
    }
}

/// A memory of Kenji's that Mia approved, who decides in every language.
async fn kept(world: &World, content: &str) -> MemoryId {
    let made = world.proposed("kenji", "fact", None, content).await;
    let mia = world.mia(Permission::Decide);
    let approved = world
        .engine
        .approve(&mia, &made.id, None, Approval::default())
        .await;
    approved.unwrap().memory.unwrap()
}

/// A proposal to change a memory of Kenji's.
async fn change_of(world: &World, memory: &MemoryId, content: &str) -> CandidateView {
    world.script.says(&json!({"candidates": [
        {"action": "update", "target": memory, "kind": "fact", "content": content, "confidence": 0.9, "importance": 0.7, "evidence": content}
    ]}));
    let accepted = world.say("kenji", &[content]).await;
    world.work().await;
    let made = world.operation(&accepted).await.candidates;
    let change = world.candidate(&made[0]).await;
    assert_eq!(
        (change.action, change.target.as_ref()),
        (Action::Update, Some(memory))
    );
    change
}

/// How many events there are: whatever is written tells of it.
async fn events(world: &World) -> i64 {
    let audit = system(Permission::ReadAudit);
    world.engine.verify(&audit).await.unwrap().events
}

/// Refused because it is in this language.
#[track_caller]
fn is_not_theirs<T: std::fmt::Debug>(answer: Result<T, EngineError>, language: &str) {
    let error = answer.unwrap_err();
    assert_eq!(
        (error.code(), error.status()),
        ("language_not_yours", 403),
        "{error:?}"
    );
    assert!(
        matches!(&error, EngineError::LanguageNotYours { language: of, .. } if of == language),
        "{error:?}"
    );
}

store::both! {
    // G7
    async fn an_approval_that_changes_the_language_is_refused_and_writes_nothing(db: &TestDb) {
        let world = World::new(db).await;
        let japanese = reviews(&world, "ja");
        let tokyo = world.proposed("kenji", "fact", None, TOKYO).await;
        let before = events(&world).await;
        is_not_theirs(world.engine.approve(&japanese, &tokyo.id, None, edited("User lives in Tokyo")).await, "en");
        assert_eq!(events(&world).await, before);
        let waits = world.candidate(&tokyo.id).await;
        assert_eq!((waits.status, waits.version), (Status::Pending, 1));
        assert!(world.served("kenji").await.is_empty());

        let approved = world.engine.approve(&japanese, &tokyo.id, None, edited(KYOTO)).await.unwrap();
        assert_eq!(approved.status, Status::Approved);
        assert_eq!(world.served("kenji").await, [KYOTO]);
        world.verify().await;
    }

    // G7
    async fn a_memory_in_another_language_is_neither_changed_nor_takes_anything_in(db: &TestDb) {
        let world = World::new(db).await;
        let english = reviews(&world, "en");
        let (tokyo, honey) = (kept(&world, TOKYO).await, kept(&world, "User sells honey").await);
        let bees = world.proposed("kenji", "fact", None, "User keeps bees").await;
        let osaka = change_of(&world, &tokyo, "User lives in Osaka").await;
        let before = events(&world).await;
        is_not_theirs(world.engine.approve(&english, &bees.id, None, into(&tokyo)).await, "ja");
        is_not_theirs(world.engine.approve(&english, &osaka.id, None, Approval::default()).await, "ja");
        assert_eq!(events(&world).await, before);
        for candidate in [&bees, &osaka] {
            assert_eq!(world.candidate(&candidate.id).await.status, Status::Pending);
        }
        assert_eq!(world.served("kenji").await, ["User sells honey", TOKYO]);

        let merged = world.engine.approve(&english, &bees.id, None, into(&honey)).await.unwrap();
        assert_eq!(merged.memory.as_ref(), Some(&honey));
        world.engine.approve(&world.mia(Permission::Decide), &osaka.id, None, Approval::default()).await.unwrap();
        assert_eq!(world.served("kenji").await, ["User keeps bees", "User lives in Osaka"]);
        world.verify().await;
    }

    // G7
    async fn by_hand_nothing_is_written_or_brought_back_in_another_language(db: &TestDb) {
        let world = World::new(db).await;
        let (mia, japanese) = (world.mia(Permission::Decide), reviews(&world, "ja"));
        let before = events(&world).await;
        is_not_theirs(world.engine.add_memory(&japanese, &world.agent, by_hand("User lives in Tokyo")).await, "en");
        assert_eq!(events(&world).await, before, "not even the user");
        let tokyo = world.engine.add_memory(&japanese, &world.agent, by_hand(TOKYO)).await.unwrap().id;

        let before = events(&world).await;
        is_not_theirs(world.engine.edit_memory(&japanese, &tokyo, Version::Is(1), says("User lives in Kyoto"), None).await, "en");
        assert_eq!(events(&world).await, before);
        let kyoto = world.engine.edit_memory(&japanese, &tokyo, Version::Is(1), says(KYOTO), None).await.unwrap();
        assert_eq!((kyoto.revision, kyoto.content.as_str()), (2, KYOTO));

        // An earlier value comes back only where it could be written, too.
        world.engine.edit_memory(&mia, &tokyo, Version::Is(2), says("User lives in Osaka"), None).await.unwrap();
        is_not_theirs(world.engine.restore_memory(&japanese, &tokyo, Version::Is(3), Some(1), None).await, "en");
        world.engine.restore_memory(&mia, &tokyo, Version::Is(3), Some(1), None).await.unwrap();
        let before = events(&world).await;
        is_not_theirs(world.engine.restore_memory(&japanese, &tokyo, Version::Is(4), Some(3), None).await, "en");
        assert_eq!(events(&world).await, before);
        world.engine.restore_memory(&japanese, &tokyo, Version::Is(4), Some(2), None).await.unwrap();
        assert_eq!(world.served("kenji").await, [KYOTO]);

        // Whose language cannot be told, or has no name here, is refused to nobody.
        let oslo = "Пользователь живёт в Осло";
        let written = world.engine.add_memory(&japanese, &world.agent, by_hand(oslo)).await.unwrap();
        assert_eq!(written.content, oslo);
        world.verify().await;
    }

    // G4, G7, G10
    async fn what_is_in_another_language_is_handed_over_and_recalled_all_the_same(db: &TestDb) {
        let world = World::new(db).await;
        let japanese = reviews(&world, "ja");
        let oslo = kept(&world, "User lives in Oslo").await;
        let bees = world.proposed("kenji", "fact", None, "User keeps bees").await;
        is_not_theirs(world.engine.reject(&japanese, &bees.id, None, Reason::Wrong, None).await, "en");
        let note = Some("It is in English.".to_owned());
        let handed = world.engine.hand_over(&japanese, &bees.id, Some(id_of(&world.mia)), note).await.unwrap();
        assert_eq!(handed.handover.unwrap().to.unwrap().name.as_deref(), Some("Mia"));
        world.engine.take_back(&japanese, &bees.id).await.unwrap();

        // Who may not retire it stops it still: what is wrong does not wait for a translator.
        is_not_theirs(world.engine.retire_memory(&japanese, &oslo, Version::Is(1), None).await, "en");
        let recalled = world.engine.recall(&japanese, &oslo, Version::Is(1), "Never said").await.unwrap();
        assert_eq!(recalled.recalled.unwrap().by.name.as_deref(), Some("Aiko"));
        assert!(world.served("kenji").await.is_empty());
        is_not_theirs(world.engine.restore_memory(&japanese, &oslo, Version::Is(2), None, None).await, "en");
        world.verify().await;
    }
}
