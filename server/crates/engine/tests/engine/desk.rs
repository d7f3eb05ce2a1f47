//! Who is at a candidate, for whom it waits, and the views that people keep.

use domain::{
    candidate::{Edit, Reason},
    id::{CandidateId, PersonId},
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
};
use engine::{
    Approval, CandidateFilter, Choice, Claims, EngineError, Handed, OneDecision, OsEntropy, Page,
    Version,
};
use store::{Stamp, testing::TestDb};

use crate::world::{World, id_of, start};

/// A person with these roles.
async fn joins(db: &TestDb, name: &str, grants: Vec<Grant>) -> Actor {
    let new = store::NewPerson {
        email: format!("{name}@example.com"),
        name: name.to_owned(),
        password_hash: None,
        grants: grants.clone(),
    };
    let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
    let person = tx
        .create_person(&new, &Stamp::system(start()))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    Actor::Person {
        id: person.id,
        name: person.name,
        grants,
    }
}

fn decides(actor: &Actor) -> Permit {
    Permit::ask(actor.clone(), Permission::Decide).unwrap()
}

fn reads(actor: &Actor) -> Permit {
    Permit::ask(actor.clone(), Permission::ReadCandidates).unwrap()
}

async fn rows(world: &World, actor: &Actor, filter: CandidateFilter) -> usize {
    let list = world
        .engine
        .candidates(&reads(actor), &filter, &Page::default())
        .await
        .unwrap();
    list.data.len()
}

store::both! {
    // F7
    async fn what_one_claims_another_reads_but_does_not_decide(db: &TestDb) {
        let world = World::new(db).await;
        let rei = joins(db, "Rei", vec![Grant::everywhere(RoleName::Reviewer)]).await;
        let made = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let (mia, rei_decides) = (world.mia(Permission::Decide), decides(&rei));
        let claim = world.engine.claim(&mia, &made.id).await.unwrap();
        assert_eq!((claim.by.name.as_deref(), claim.until), (Some("Mia"), start() + Span::minutes(5)));
        let shown = world.candidate(&made.id).await.claim.unwrap();
        assert!(shown.is_of(&id_of(&world.mia)));

        for refused in [
            world.engine.claim(&rei_decides, &made.id).await.map(drop),
            world.engine.release(&rei_decides, &made.id).await,
            world.engine.approve(&rei_decides, &made.id, None, Approval::default()).await.map(drop),
            world.engine.reject(&rei_decides, &made.id, None, Reason::Wrong, None).await.map(drop),
            world.engine.hand_over(&rei_decides, &made.id, None, None).await.map(drop),
        ] {
            let refused = refused.unwrap_err();
            assert!(matches!(&refused, EngineError::Claimed { by: Some(by), until, .. } if by == "Mia" && *until == claim.until), "{refused}");
            assert_eq!((refused.code(), refused.status()), ("claimed", 409));
        }
        let one = OneDecision { id: made.id.clone(), version: None, choice: Choice::Approve(Box::default()) };
        let many = world.engine.decide(&rei_decides, vec![one]).await.unwrap();
        assert_eq!(many[0].code, Some("claimed"), "nor among many");

        world.pass(Span::minutes(4));
        let renewed = world.engine.claim(&mia, &made.id).await.unwrap();
        assert_eq!(renewed.until, start() + Span::minutes(9));
        world.pass(Span::minutes(5));
        assert!(world.candidate(&made.id).await.claim.is_none(), "run out");
        world.engine.approve(&rei_decides, &made.id, None, Approval::default()).await.unwrap();
        let late = world.engine.claim(&mia, &made.id).await.unwrap_err();
        assert!(matches!(&late, EngineError::AlreadyDecided { by: Some(by), .. } if by == "Rei"), "{late}");
        world.verify().await;
    }

    // F7
    async fn an_administrator_takes_over_and_the_other_sees_who_did(db: &TestDb) {
        let world = World::new(db).await;
        let rei = joins(db, "Rei", vec![Grant::everywhere(RoleName::Reviewer)]).await;
        let bo = joins(db, "Bo", vec![Grant::everywhere(RoleName::Reviewer)]).await;
        let made = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.engine.claim(&decides(&rei), &made.id).await.unwrap();
        let not_his = world.engine.take_over(&decides(&bo), &made.id).await.unwrap_err();
        assert!(matches!(not_his, EngineError::Forbidden));
        world.engine.take_over(&world.mia(Permission::Decide), &made.id).await.unwrap();
        let claim = world.candidate(&made.id).await.claim.unwrap();
        assert_eq!((claim.by.name.as_deref(), claim.taken_from), (Some("Mia"), Some(id_of(&rei))));
        let lost = world.engine.approve(&decides(&rei), &made.id, Some(Version::Is(1)), Approval::default()).await.unwrap_err();
        assert_eq!(lost.code(), "claimed");
        world.engine.release(&world.mia(Permission::Decide), &made.id).await.unwrap();
        world.engine.approve(&decides(&rei), &made.id, Some(Version::Is(1)), Approval::default()).await.unwrap();
        world.verify().await;
    }

    // F7, G10, G7
    async fn of_many_that_are_handed_over_each_that_cannot_be_says_why_and_the_others_are(db: &TestDb) {
        let world = World::new(db).await;
        let japanese = Grant { languages: vec!["ja".into()], ..Grant::everywhere(RoleName::Reviewer) };
        let yuki = joins(db, "Yuki", vec![japanese]).await;
        let rei = joins(db, "Rei", vec![Grant::everywhere(RoleName::Reviewer)]).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await.id;
        let tokyo = world.proposed("kenji", "fact", None, "ユーザーは東京に住んでいます").await.id;
        let kyoto = world.proposed("ken", "fact", None, "ユーザーは京都に住んでいます").await.id;
        let osaka = world.proposed("mai", "fact", None, "ユーザーは大阪に住んでいます").await.id;
        let mia = world.mia(Permission::Decide);
        world.engine.claim(&decides(&rei), &kyoto).await.unwrap();
        world.engine.reject(&mia, &osaka, None, Reason::Wrong, None).await.unwrap();
        let nobody = CandidateId::new(start(), &OsEntropy);
        // One that is picked twice is handed over once.
        let picks = [&oslo, &tokyo, &tokyo, &kyoto, &osaka, &nobody].map(Clone::clone);

        let to = id_of(&yuki);
        let handed = world.engine.hand_over_many(&mia, &picks, Some(&to), Some("Please look")).await.unwrap();
        let failed = [(oslo.clone(), "unknown"), (kyoto.clone(), "claimed"), (osaka.clone(), "already_decided"), (nobody.clone(), "not_found")];
        assert_eq!((handed.done, &handed.failed[..]), (1, &failed[..]));
        let waits = world.candidate(&tokyo).await.handover.unwrap();
        assert_eq!((waits.to.unwrap().name.as_deref(), waits.note.as_deref()), (Some("Yuki"), Some("Please look")));
        assert!(world.candidate(&oslo).await.handover.is_none());
        let shown = world.engine.candidates_by_id(&reads(&world.mia), &[kyoto.clone(), nobody, oslo.clone()]).await.unwrap();
        assert_eq!(shown.into_iter().map(|view| view.id).collect::<Vec<_>>(), [kyoto, oslo.clone()]);

        let all = world.engine.hand_over_many(&mia, &[oslo, tokyo], None, None).await.unwrap();
        assert_eq!((all.done, all.failed.len()), (2, 0), "to whoever speaks the language of each");
        for (picks, to, note, at) in [
            (&picks[..0], None, None, "/candidates"),
            (&picks[..], Some(id_of(&world.mia)), None, "/to"),
            (&picks[..], None, Some("x".repeat(1001)), "/note"),
        ] {
            let refused = world.engine.hand_over_many(&mia, picks, to.as_ref(), note.as_deref()).await.unwrap_err();
            assert_eq!(refused.fields()[0].pointer, at);
        }
        world.verify().await;
    }

    // G10, G7
    async fn a_hand_over_reaches_who_may_decide_and_who_speaks_the_language(db: &TestDb) {
        let world = World::new(db).await;
        let japanese = Grant { languages: vec!["ja".into()], ..Grant::everywhere(RoleName::Reviewer) };
        let yuki = joins(db, "Yuki", vec![japanese]).await;
        let vic = joins(db, "Vic", vec![Grant::everywhere(RoleName::Viewer)]).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let tokyo = world.proposed("kenji", "fact", None, "ユーザーは東京に住んでいます").await;
        let mia = world.mia(Permission::Decide);
        let names = async |language: &str| {
            let people = world.engine.colleagues(&mia, Some((&world.agent, language))).await.unwrap();
            people.into_iter().map(|person| person.name).collect::<Vec<_>>()
        };
        assert_eq!(names("en").await, ["Aiko"], "nobody hands over to themselves");
        assert_eq!(names("ja").await, ["Aiko", "Yuki"]);
        assert_eq!(world.engine.colleagues(&mia, None).await.unwrap().len(), 3, "a viewer decides nothing");
        for nobody in [id_of(&yuki), id_of(&vic), id_of(&world.mia)] {
            let refused = world.engine.hand_over(&mia, &oslo.id, Some(nobody), None).await.unwrap_err();
            assert_eq!(refused.fields()[0].pointer, "/to");
        }
        let long = "x".repeat(1001);
        assert_eq!(world.engine.hand_over(&mia, &oslo.id, None, Some(long)).await.unwrap_err().fields()[0].pointer, "/note");

        let note = Some("Is this still so?".to_owned());
        let handed = world.engine.hand_over(&mia, &oslo.id, Some(id_of(&world.aiko)), note).await.unwrap();
        let handed = handed.handover.unwrap();
        assert_eq!(handed.to.unwrap().name.as_deref(), Some("Aiko"));
        assert_eq!((handed.by.name.as_deref(), handed.note.as_deref()), (Some("Mia"), Some("Is this still so?")));
        world.engine.hand_over(&mia, &tokyo.id, None, None).await.unwrap();
        let to_me = CandidateFilter { handed: Some(Handed::ToMe), ..CandidateFilter::default() };
        assert_eq!(rows(&world, &world.aiko, to_me.clone()).await, 1);
        assert_eq!(rows(&world, &yuki, to_me.clone()).await, 1, "hers by the language");
        assert_eq!(rows(&world, &world.mia, to_me.clone()).await, 0);
        world.engine.set_language(&id_of(&world.mia), Some("ja")).await.unwrap();
        assert_eq!(rows(&world, &world.mia, to_me).await, 1, "who reads Japanese is asked too");
        let to_aiko = CandidateFilter { handed: Some(Handed::To(id_of(&world.aiko))), ..CandidateFilter::default() };
        assert_eq!(rows(&world, &yuki, to_aiko).await, 1);
        let native = CandidateFilter { handed: Some(Handed::Native), ..CandidateFilter::default() };
        assert_eq!(rows(&world, &world.mia, native.clone()).await, 1);

        let not_hers = world.engine.claim(&decides(&yuki), &oslo.id).await.unwrap_err();
        assert_eq!(not_hers.code(), "language_not_yours", "what one may not decide one does not keep from others");
        world.engine.take_back(&mia, &tokyo.id).await.unwrap();
        assert_eq!(rows(&world, &world.mia, native).await, 0);
        let edit = Edit { content: Some("User lives in Bergen".into()), ..Edit::default() };
        world.engine.approve(&world.aiko(Permission::Decide), &oslo.id, None, Approval { edit, ..Approval::default() }).await.unwrap();
        assert!(world.candidate(&oslo.id).await.handover.is_none(), "a decision ends it");
        world.verify().await;
    }

    // F7
    async fn the_desk_counts_what_it_lists_and_tells_what_others_have(db: &TestDb) {
        let world = World::new(db).await;
        let rei = joins(db, "Rei", vec![Grant::everywhere(RoleName::Reviewer)]).await;
        let tea = world.proposed("ana", "preference", None, "User prefers green tea").await;
        world.pass(Span::hours(30));
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let desk = async |filter: &CandidateFilter| world.engine.desk(&reads(&rei), filter, &Page::default()).await.unwrap();
        let whole = desk(&CandidateFilter::default()).await;
        assert_eq!((whole.fitting, whole.waiting, whole.oldest, whole.claimed), (2, 2, Some(tea.created_at), None));
        let words = CandidateFilter { text: Some("tea".into()), ..CandidateFilter::default() };
        let found = desk(&words).await;
        assert_eq!((found.fitting, found.waiting, found.rows.data[0].id.clone()), (1, 2, tea.id.clone()));
        let old = CandidateFilter { waits_longer_than: Some(Span::hours(24)), ..CandidateFilter::default() };
        assert_eq!(desk(&old).await.rows.data[0].id, tea.id);

        let free = CandidateFilter { claims: Some(Claims::Free), ..CandidateFilter::default() };
        let mia = world.mia(Permission::Decide);
        world.engine.claim(&mia, &tea.id).await.unwrap();
        let one_left = desk(&free).await;
        assert_eq!((one_left.fitting, one_left.claimed), (1, None));
        let until = world.engine.claim(&mia, &oslo.id).await.unwrap().until;
        let none_left = desk(&free).await;
        assert_eq!((none_left.fitting, none_left.waiting, none_left.claimed), (0, 2, Some((2, until))));
        let mine = CandidateFilter { claims: Some(Claims::Mine), ..CandidateFilter::default() };
        assert_eq!(desk(&mine).await.fitting, 0);
        assert_eq!(rows(&world, &world.mia, mine).await, 2);
        world.pass(Span::minutes(5));
        assert_eq!(desk(&free).await.fitting, 2);
        world.engine.index_waiting().await.unwrap();
    }

    async fn views_are_kept_by_name_renamed_removed_and_no_more_than_thirty(db: &TestDb) {
        let world = World::new(db).await;
        let mia = world.mia(Permission::ReadCandidates);
        let view = world.engine.save_view(&mia, " Soon ", "soon=1").await.unwrap();
        assert_eq!(view.name, "Soon");
        assert!(matches!(world.engine.save_view(&mia, "Soon", "soon=3").await, Err(EngineError::NameTaken)));
        for (name, query, pointer) in [("", "soon=1", "/name"), ("x", "", "/query")] {
            assert_eq!(world.engine.save_view(&mia, name, query).await.unwrap_err().fields()[0].pointer, pointer);
        }
        for number in 1..30 {
            world.engine.save_view(&mia, &format!("View {number}"), "kind=fact").await.unwrap();
        }
        assert_eq!(world.engine.save_view(&mia, "One more", "kind=fact").await.unwrap_err().fields()[0].code, "too_many");
        assert!(matches!(world.engine.rename_view(&mia, &view.id, "View 1").await, Err(EngineError::NameTaken)));
        world.engine.rename_view(&mia, &view.id, "Urgent").await.unwrap();
        let aiko = world.aiko(Permission::ReadCandidates);
        assert!(matches!(world.engine.rename_view(&aiko, &view.id, "Mine").await, Err(EngineError::NotFound)));
        assert!(matches!(world.engine.remove_view(&aiko, &view.id).await, Err(EngineError::NotFound)));
        assert!(world.engine.saved_views(&aiko).await.unwrap().is_empty());
        world.engine.remove_view(&mia, &view.id).await.unwrap();
        let left = world.engine.saved_views(&mia).await.unwrap();
        assert_eq!(left.len(), 29);
        assert!(left.iter().all(|view| view.name.starts_with("View ")));
        let key = world.key(Permission::Propose);
        assert!(matches!(world.engine.saved_views(&key).await, Err(EngineError::Forbidden)));
    }

    async fn another_agents_candidate_cannot_be_claimed_or_handed_over(db: &TestDb) {
        let world = World::new(db).await;
        let made = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let sales = domain::agent::AgentName::parse("sales").unwrap();
        let outside = Grant { agent: Some(sales), ..Grant::everywhere(RoleName::Admin) };
        let sam = decides(&joins(db, "Sam", vec![outside]).await);
        let someone: Option<PersonId> = Some(id_of(&world.mia));
        for refused in [
            world.engine.claim(&sam, &made.id).await.map(drop),
            world.engine.take_over(&sam, &made.id).await.map(drop),
            world.engine.release(&sam, &made.id).await,
            world.engine.hand_over(&sam, &made.id, someone, None).await.map(drop),
            world.engine.take_back(&sam, &made.id).await,
        ] {
            assert!(matches!(refused, Err(EngineError::NotFound)), "{refused:?}");
        }
    }
}
