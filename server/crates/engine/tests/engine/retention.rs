//! Retention: what is past its time goes, each thing by a setting of its own, and the words that a memory rests on stay (A14).

use std::{path::Path, sync::Arc, time::Duration};

use domain::{
    audit::EventType,
    candidate::Reason,
    export::{ExportSort, ExportState, ReportLanguage},
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{
    Approval, CandidateView, Engine, EngineError, EventFilter, EventView, Extractors, NewExport,
    NewHold, OsEntropy, Page, Retention, Settings, UserRef,
};
use store::testing::TestDb;

use crate::world::{World, settings, system};

const KEEP: Option<Duration> = Some(Duration::from_secs(30 * 24 * 60 * 60));

fn keeping(db: &TestDb, world: &World, folder: &Path, retention: Retention) -> Engine {
    let settings = Settings {
        exports: Some(folder.to_owned()),
        retention,
        ..settings()
    };
    Engine::new(
        db.db.clone(),
        world.clock.clone(),
        Arc::new(OsEntropy),
        Extractors::builtin(),
        settings,
    )
}

async fn events(engine: &Engine, r#type: EventType) -> Vec<EventView> {
    let filter = EventFilter {
        types: vec![r#type],
        ..EventFilter::default()
    };
    let permit = system(Permission::ReadAudit);
    let listed = engine.events(&permit, &filter, &Page::default()).await;
    listed.unwrap().data
}

impl World {
    /// Something is approved, something rejected, and the agent is told.
    async fn lives(&self, user: &str) -> CandidateView {
        let decides = self.mia(Permission::Decide);
        let good = self
            .proposed(user, "fact", None, "User lives in Oslo")
            .await;
        self.engine
            .approve(&decides, &good.id, None, Approval::default())
            .await
            .unwrap();
        let bad = self
            .proposed(user, "preference", None, "User prefers blue")
            .await;
        self.engine
            .reject(&decides, &bad.id, None, Reason::NotDurable, None)
            .await
            .unwrap();
        assert_eq!(self.served(user).await, ["User lives in Oslo"]);
        self.engine.flush().await.unwrap();
        bad
    }

    async fn servings(&self, db: &TestDb) -> i64 {
        let rows = db.rows_of_agent(self.agent.as_str()).await;
        let servings = rows.into_iter().find(|(table, _)| table == "servings");
        servings.map_or(0, |(_, rows)| rows)
    }
}

store::both! {
    // A14
    async fn a_conversation_past_its_time_goes_and_the_words_of_a_memory_stay(db: &TestDb) {
        let world = World::new(db).await;
        let folder = tempfile::tempdir().unwrap();
        let engine = keeping(db, &world, folder.path(), Retention { conversations: KEEP, ..Retention::default() });
        let (decides, reads) = (world.mia(Permission::Decide), world.mia(Permission::ReadCandidates));
        let good = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let approved = world.engine.approve(&decides, &good.id, None, Approval::default()).await.unwrap();
        let (memory, talk) = (approved.memory.unwrap(), good.evidence[0].conversation.clone());
        world.pass(Span::days(29));
        let young = world.proposed("ana", "fact", None, "User has a dog").await.evidence[0].conversation.clone();
        assert_eq!(engine.remove_old_conversations().await.unwrap(), 0, "it is not past its time");
        world.pass(Span::days(2));
        assert_eq!(engine.remove_old_conversations().await.unwrap(), 1);
        assert_eq!(engine.remove_old_conversations().await.unwrap(), 0);

        let left = engine.conversation(&reads, &talk).await.unwrap();
        assert_eq!((left.removed_at.is_some(), left.turns.len()), (true, 0));
        let whole = engine.conversation(&reads, &young).await.unwrap();
        assert_eq!((whole.removed_at, whole.turns.len()), (None, 1));
        let of_candidate = engine.candidate(&reads, &good.id).await.unwrap();
        assert_eq!(of_candidate.candidate.evidence, good.evidence);
        let of_memory = engine.memory_detail(&world.mia(Permission::ReadMemories), &memory).await.unwrap();
        for transcripts in [of_candidate.transcripts, of_memory.transcripts] {
            assert_eq!(transcripts.len(), 1);
            assert_eq!((&transcripts[0].conversation, transcripts[0].turns.len()), (&talk, 0));
            assert_eq!(transcripts[0].quotes, ["User lives in Oslo"]);
        }
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);

        let removed = events(&engine, EventType::ConversationRemoved).await;
        assert_eq!((removed.len(), removed[0].subject.as_str(), removed[0].data["messages"].as_i64()), (1, talk.as_str(), Some(1)));
        let applied = events(&engine, EventType::RetentionApplied).await;
        assert_eq!((applied.len(), applied[0].data["conversations"].as_i64()), (1, Some(1)));
        // Whoever goes on is heard as before.
        world.proposed("ana", "fact", None, "User moved to Bergen").await;
        world.verify().await;
    }

    async fn each_thing_goes_by_a_setting_of_its_own_and_nothing_without_one(db: &TestDb) {
        let world = World::new(db).await;
        let folder = tempfile::tempdir().unwrap();
        let all = Retention { conversations: KEEP, rejected: KEEP, servings: KEEP, exports: KEEP };
        let nothing = keeping(db, &world, folder.path(), Retention::default());
        let engine = keeping(db, &world, folder.path(), all);
        let (anas, bos) = (world.lives("ana").await, world.lives("bo").await);
        let exports = world.mia(Permission::Export);
        let new = NewExport {
            sort: ExportSort::Audit,
            agent: None,
            user: None,
            named: None,
            from: None,
            to: None,
            as_of: None,
            bom: false,
            language: ReportLanguage::English,
        };
        let export = engine.request_export(&exports, new).await.unwrap();
        while engine.work_export_once().await.unwrap() {}
        let hold = NewHold {
            agent: Some(world.agent.clone()),
            user: Some(UserRef::Scope(Scope::user_id("bo").unwrap())),
            everywhere: false,
            until: None,
            reason: "Case 12-345".into(),
        };
        let hold = world.engine.place_hold(&world.mia(Permission::Administer), &hold).await.unwrap();
        world.pass(Span::days(31));
        assert_eq!(engine.expire_exports().await.unwrap(), 1);
        assert_eq!(engine.export(&exports, &export.id).await.unwrap().state, ExportState::Expired);

        for none in [
            nothing.remove_old_conversations().await,
            nothing.remove_old_rejections().await,
            nothing.remove_old_servings().await,
            nothing.remove_old_exports().await,
        ] {
            assert_eq!(none.unwrap(), 0);
        }
        assert_eq!(events(&engine, EventType::RetentionApplied).await.len(), 0);

        // Whom a hold keeps is passed over.
        assert_eq!(world.servings(db).await, 2);
        assert_eq!(engine.remove_old_rejections().await.unwrap(), 1);
        assert_eq!(engine.remove_old_servings().await.unwrap(), 1);
        assert_eq!(engine.remove_old_exports().await.unwrap(), 1);
        assert_eq!(world.servings(db).await, 1);
        let reads = world.mia(Permission::ReadCandidates);
        let gone = engine.candidate(&reads, &anas.id).await.map(drop).unwrap_err();
        assert!(matches!(gone, EngineError::CandidateRemoved { at } if at == engine.now()), "{gone:?}");
        assert!(engine.candidate(&reads, &bos.id).await.is_ok());
        assert!(engine.exports(&exports, &Page::default()).await.unwrap().data.is_empty());
        let removed = events(&engine, EventType::CandidateRemoved).await;
        assert_eq!((removed.len(), removed[0].subject.as_str()), (1, anas.id.as_str()));
        assert_eq!(events(&engine, EventType::RetentionApplied).await.len(), 3);

        world.engine.release_hold(&world.mia(Permission::Administer), &hold.id).await.unwrap();
        assert_eq!(engine.remove_old_rejections().await.unwrap(), 1);
        assert_eq!(engine.remove_old_servings().await.unwrap(), 1);
        assert_eq!(engine.remove_old_conversations().await.unwrap(), 4);
        // What was rejected and is gone may be proposed again (F4).
        world.proposed("ana", "preference", None, "User prefers blue").await;
        world.verify().await;
    }
}
