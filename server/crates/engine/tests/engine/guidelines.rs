//! Guidelines: what a kind begins with, what an administrator writes over it, and which words a reader sees (G10).

use domain::{guideline::GuidelineLanguage as Language, permission::Permission};
use engine::{Current, EngineError, NewKind, Version};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, system};

async fn beside(world: &World, kind: &str, language: Language) -> Option<String> {
    let reads = world.mia(Permission::ReadCandidates);
    world
        .engine
        .guideline_beside(&reads, &world.agent, kind, language)
        .await
        .unwrap()
}

store::both! {
    // G10
    async fn a_guideline_begins_with_ours_and_keeps_every_version(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let write = |version, content: &'static str| {
            world.engine.write_guideline(&admin, &world.agent, "fact", Language::Ja, version, content)
        };
        assert!(beside(&world, "fact", Language::Ja).await.unwrap().starts_with("残すもの"));
        let first = write(Version::Is(0), " 一年以上変わらないこと。\r\n例：職業 ").await.unwrap();
        assert_eq!((first.version, first.content.as_str()), (1, "一年以上変わらないこと。\n例：職業"));
        assert_eq!(first.by.unwrap().name.as_deref(), Some("Mia"));
        let stale = write(Version::Is(0), "別の文").await;
        let Err(EngineError::Stale { current: Current::Guideline(current) }) = stale else { panic!("{stale:?}") };
        assert_eq!(current.version, 1);
        let same = write(Version::Is(1), "一年以上変わらないこと。\n例：職業").await.unwrap();
        assert_eq!(same.version, 1, "the same words are no new version");
        write(Version::Any, "半年以上変わらないこと。").await.unwrap();

        let all = world.engine.guidelines(&admin, &world.agent, "fact").await.unwrap();
        let versions: Vec<_> = all.iter().filter(|one| one.language == Language::Ja).map(|one| one.version).collect();
        assert_eq!(versions, [2, 1, 0]);
        assert_eq!(all.iter().filter(|one| one.language == Language::En).count(), 1);
        assert_eq!(beside(&world, "fact", Language::Ja).await.as_deref(), Some("半年以上変わらないこと。"));
        assert!(matches!(
            world.engine.guidelines(&admin, &world.agent, "deal").await,
            Err(EngineError::NotFound)
        ));
        world.verify().await;
    }

    // G10
    async fn a_reader_sees_their_language_then_english_then_what_the_extractor_is_told(db: &TestDb) {
        let world = World::new(db).await;
        let admin = system(Permission::Administer);
        let kind = json!({"name": "deal", "label": "Deals", "description": "A deal.", "guideline": "Only signed ones."});
        let kind: NewKind = serde_json::from_value(kind).unwrap();
        world.engine.create_kind(&admin, &world.agent, kind).await.unwrap();
        assert_eq!(beside(&world, "deal", Language::Zh).await.as_deref(), Some("Only signed ones."));
        let write = |language, content: &'static str| {
            world.engine.write_guideline(&admin, &world.agent, "deal", language, Version::Any, content)
        };
        write(Language::En, "Deals that were signed.").await.unwrap();
        assert_eq!(beside(&world, "deal", Language::Zh).await.as_deref(), Some("Deals that were signed."));
        write(Language::Zh, "已签署的交易。").await.unwrap();
        assert_eq!(beside(&world, "deal", Language::Zh).await.as_deref(), Some("已签署的交易。"));
        write(Language::Zh, "").await.unwrap();
        assert_eq!(beside(&world, "deal", Language::Zh).await.as_deref(), Some("Deals that were signed."), "emptied");
    }
}
