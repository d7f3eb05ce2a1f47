//! Ids of one person: a join is one row, a split leaves every other row as it was, and neither reaches beyond its agent.

mod actors;

use actors::*;
use domain::{
    agent::AgentScope, audit::EventType, erasure::ErasureReason, join::JoinState, user::User,
};
use store::{
    Db, Erasing, Error, EventFilter, HoldOn, Join, Leftover, NewJoin, Page, Serving, Stamp,
    testing::TestDb,
};

fn mia(at: i64) -> Stamp {
    Stamp::by(&reviewer(1), hour(at))
}

fn both(guest: &User, main: &User, state: JoinState) -> NewJoin {
    NewJoin {
        agent: guest.agent.clone(),
        guest: guest.id.clone(),
        main: main.id.clone(),
        state,
        reason: Some("the same zebrafinch".into()),
    }
}

async fn joined(db: &Db, guest: &User, main: &User, at: i64) -> Join {
    let mut tx = db
        .write(AgentScope::One(guest.agent.clone()))
        .await
        .unwrap();
    let new = both(guest, main, JoinState::Joined);
    let join = tx.create_join(&new, &mia(at)).await.unwrap();
    tx.commit().await.unwrap();
    join
}

async fn decided(db: &Db, before: &Join, state: JoinState, reason: Option<&str>, at: i64) -> Join {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let undoes = reason.is_none();
    let join = tx
        .decide_join(before, state, reason, undoes, &mia(at))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    join
}

async fn erase(db: &Db, user: &User, at: i64) {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let erasing = Erasing {
        scope: Some(&user.scope),
        reason: ErasureReason::AskedFor,
        request: None,
    };
    tx.erase_user(&user.agent, &user.id, erasing, &mia(at))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

store::both! {
    // E4
    async fn an_import_with_a_join_whose_id_is_another_agents_is_not_whole(db: &TestDb) {
        const COPY: &str = "
            insert into joins
              (agent, id, guest_id, main_id, state, version, actor, actor_id, created_at, decided_by, decided_at, sealed)
            select 'sales', id, (select min(id) from users where agent = 'sales'), (select max(id) from users where agent = 'sales'),
              state, version, actor, actor_id, created_at, decided_by, decided_at, sealed
            from joins";
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let (guest, ana) = (user(&db.db, &support, "guest-1").await, user(&db.db, &support, "ana").await);
        for name in ["ana", "guest-1"] {
            user(&db.db, &sales, name).await;
        }
        joined(&db.db, &guest, &ana, 1).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.settle_import(&sales, &[]).await.unwrap().is_none());
        drop(tx);
        db.behind_the_back(COPY).await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let left = tx.settle_import(&sales, &[]).await.unwrap();
        assert!(matches!(left, Some(Leftover::Id)), "whoever asks by the id alone must find one join");
    }

    // G15
    async fn a_join_is_one_row_and_a_split_leaves_every_other_as_it_was(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let (ana, bo) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "bo").await);
        let (guest, second) = (user(&db.db, &support, "guest-1").await, user(&db.db, &support, "guest-2").await);
        memory(&db.db, &ana, &statement("User keeps a zebrafinch", hour(1)), hour(1)).await;
        memory(&db.db, &guest, &statement("User keeps a cat", hour(1)), hour(1)).await;
        let rows = async |user: &User| {
            let rows = db.rows_of_user(user.id.as_str()).await;
            rows.into_iter().filter(|(table, _)| table != "events").collect::<Vec<_>>()
        };
        let before = (rows(&ana).await, rows(&guest).await);
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.together(&support, &ana.id).await.unwrap(), std::slice::from_ref(&ana.id));
        drop(tx);

        let join = joined(&db.db, &guest, &ana, 2).await;
        joined(&db.db, &second, &ana, 3).await;
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let all = [ana.id.clone(), guest.id.clone(), second.id.clone()];
        for user in [&ana, &guest, &second] {
            assert_eq!(tx.together(&support, &user.id).await.unwrap(), all, "the main id first, whoever is asked about");
        }
        assert_eq!(tx.together(&support, &bo.id).await.unwrap(), std::slice::from_ref(&bo.id));
        assert_eq!(tx.joins_of(&support, &ana.id).await.unwrap().len(), 2);
        assert_eq!(tx.joins_of(&support, &guest.id).await.unwrap(), std::slice::from_ref(&join));
        assert_eq!(join.reasons.joined.as_deref(), Some("the same zebrafinch"));
        drop(tx);

        let split = decided(&db.db, &join, JoinState::Split, Some("two people on one machine"), 4).await;
        assert_eq!((split.version, split.reasons.ended.as_deref()), (2, Some("two people on one machine")));
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert_eq!(tx.together(&support, &guest.id).await.unwrap(), std::slice::from_ref(&guest.id));
        assert_eq!(tx.together(&support, &ana.id).await.unwrap(), [ana.id.clone(), second.id.clone()]);
        let late = tx.decide_join(&join, JoinState::Split, None, false, &mia(5)).await;
        assert!(matches!(late, Err(Error::Stale)), "{late:?}");
        drop(tx);
        assert_eq!((rows(&ana).await, rows(&guest).await), before);

        let again = decided(&db.db, &split, JoinState::Joined, None, 6).await;
        assert_eq!((again.reasons.joined.is_some(), again.reasons.ended), (true, None));
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        for user in [&guest, &ana] {
            let filter = EventFilter {
                user: Some(user.id.clone()),
                types: vec![EventType::UserJoined, EventType::UserSplit],
                ..EventFilter::default()
            };
            let events = tx.events(&filter, &Page::first(10)).await.unwrap().rows;
            let of_this: Vec<_> = events.iter().filter(|event| event.subject == join.id.as_str()).collect();
            let types: Vec<_> = of_this.iter().map(|event| event.r#type.as_str()).collect();
            assert_eq!(types, ["user.joined", "user.split", "user.joined"], "the history of either says it");
            assert!(of_this[0].body.contains("\"undoes\":1") && of_this[1].body.contains("\"undoes\":0"));
            assert!(of_this.iter().all(|event| event.body.contains(guest.id.as_str()) && event.body.contains(ana.id.as_str())));
            assert!(events.iter().all(|event| !event.body.contains("zebrafinch") && !event.body.contains("machine")), "no text");
        }
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    // G15
    async fn a_guest_id_belongs_to_one_person_and_is_proposed_once(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let (ana, bo) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "bo").await);
        let guest = user(&db.db, &support, "guest-1").await;
        joined(&db.db, &guest, &ana, 2).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let twice = tx.create_join(&both(&guest, &bo, JoinState::Joined), &mia(3)).await;
        assert!(matches!(twice, Err(Error::Exists)), "{twice:?}");
        drop(tx);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let proposed = both(&guest, &bo, JoinState::Proposed);
        let waits = tx.create_join(&proposed, &by_system(hour(3))).await.unwrap();
        assert_eq!((waits.decided, tx.joins_waiting().await.unwrap()), (None, 1));
        assert_eq!(tx.joins(None, true, &Page::first(10)).await.unwrap().rows.len(), 1);
        assert_eq!(tx.joins(Some(&support), false, &Page::first(1)).await.unwrap().rows.len(), 1);
        assert_eq!(tx.together(&support, &bo.id).await.unwrap(), std::slice::from_ref(&bo.id), "what waits joins nobody");
        let again = tx.create_join(&proposed, &by_system(hour(4))).await;
        assert!(matches!(again, Err(Error::Exists)), "{again:?}");
    }

    // G15
    async fn a_join_does_not_exist_for_another_agent(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let (ana, guest) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "guest-1").await);
        let join = joined(&db.db, &guest, &ana, 2).await;
        let mut tx = db.db.write(AgentScope::One(sales.clone())).await.unwrap();
        assert_eq!(tx.join(&join.id).await.unwrap(), None);
        assert_eq!(tx.join_for_update(&join.id).await.unwrap(), None);
        assert_eq!(tx.joins(None, false, &Page::first(10)).await.unwrap().rows, []);
        assert!(matches!(tx.together(&support, &ana.id).await, Err(Error::OutOfScope)));
        assert!(matches!(tx.joins_of(&support, &ana.id).await, Err(Error::OutOfScope)));
        assert_eq!(tx.together(&sales, &ana.id).await.unwrap(), std::slice::from_ref(&ana.id), "bound to the agent that is asked about");
        let late = tx.decide_join(&join, JoinState::Split, None, false, &mia(3)).await;
        assert!(matches!(late, Err(Error::OutOfScope)), "{late:?}");
    }

    // G15, F6
    async fn what_was_told_of_one_id_is_known_as_told_under_the_other_also_after_a_split(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let (ana, guest) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "guest-1").await);
        let known = memory(&db.db, &ana, &statement("User keeps a zebrafinch", hour(1)), hour(1)).await;
        let join = joined(&db.db, &guest, &ana, 2).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let told = Serving {
            id: tx.serving_id(hour(3)),
            agent: support.clone(),
            user: guest.id.clone(),
            conversation: None,
            tokens: 5,
            items: vec![(known.id.clone(), 1)],
            cut: 0,
            at: hour(3),
        };
        tx.record_servings(std::slice::from_ref(&told), hour(3)).await.unwrap();
        tx.report_helped(&told, &known.id, true, &by_system(hour(4))).await.unwrap();
        tx.commit().await.unwrap();
        decided(&db.db, &join, JoinState::Split, Some("wrong"), 5).await;
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let lines = tx.served_lines(&support, &guest.id).await.unwrap();
        assert!(lines.holds("User keeps a zebrafinch") && !lines.holds("User keeps a cat"));
        drop(tx);
        // What was reported of ana's memory, in an answer about the guest, does not keep the guest.
        erase(&db.db, &guest, 6).await;
        every_chain_verifies(&db.db).await;
    }

    // G15, F9
    async fn the_reasons_go_with_whoever_of_the_two_is_erased(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        for (number, of_guest) in [(1, true), (2, false)] {
            let ana = user(&db.db, &support, &format!("ana-{number}")).await;
            let guest = user(&db.db, &support, &format!("guest-{number}")).await;
            let join = joined(&db.db, &guest, &ana, 2).await;
            assert_eq!(db.columns_with(&["zebrafinch"]).await, Vec::<String>::new(), "sealed");
            let (gone, left) = if of_guest { (&guest, &ana) } else { (&ana, &guest) };
            erase(&db.db, gone, 3).await;
            let mut tx = db.db.read(AgentScope::All).await.unwrap();
            assert_eq!(tx.join(&join.id).await.unwrap(), None);
            assert_eq!(tx.together(&support, &left.id).await.unwrap(), std::slice::from_ref(&left.id));
            assert!(tx.user(&left.id).await.unwrap().is_some(), "the store erases whom it is told to");
        }
        every_chain_verifies(&db.db).await;
    }

    // G15, F9
    async fn a_hold_on_one_id_holds_the_others_while_they_are_joined(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let (ana, guest) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "guest-1").await);
        let person = store::NewPerson {
            email: "mia@example.com".into(),
            name: "Mia".into(),
            password_hash: None,
            grants: vec![],
        };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let person = tx.create_person(&person, &by_system(hour(0))).await.unwrap().id;
        let on = HoldOn::User(support.clone(), guest.id.clone());
        let hold = tx.place_hold(&on, "Case 12-345", None, &person, &by_system(hour(1))).await.unwrap();
        tx.commit().await.unwrap();
        let kept = async |at: i64| {
            let mut tx = db.db.read(AgentScope::All).await.unwrap();
            let of_ana: Vec<_> = tx.holds_on(&ana, hour(at)).await.unwrap().into_iter().map(|hold| hold.id).collect();
            (of_ana, tx.held(&support, hour(at)).await.unwrap().users.len())
        };
        assert_eq!(kept(2).await, (vec![], 1));
        let join = joined(&db.db, &guest, &ana, 2).await;
        assert_eq!(kept(3).await, (vec![hold], 2));
        decided(&db.db, &join, JoinState::Split, Some("wrong"), 4).await;
        assert_eq!(kept(5).await, (vec![], 1));
    }
}
