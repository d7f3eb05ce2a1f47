//! A person asks for what is kept of them, and to be erased: found in every agent, answered, proven, and then not named any more (G5).

use std::collections::BTreeMap;

use domain::{
    agent::{AgentName, AgentSettings},
    audit::EventType,
    erasure::ErasureReason,
    id::{KeyId, RequestId, UserId},
    key::KeyScope,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    request::{FoundBy, RequestOutcome, RequestSort},
    time::Span,
    user::Scope,
};
use engine::{
    Approval, Erase, Incoming, NewRequest, OsEntropy, Page, RequestDetail, RequestsStanding,
    UserRef,
};
use store::testing::TestDb;

use crate::world::{World, message, start, system};

fn asks(name: &str, sort: RequestSort) -> NewRequest {
    NewRequest {
        sort,
        agent: None,
        named: Scope::user_id(name).unwrap(),
        words: None,
        note: None,
        received_at: None,
        due_at: None,
    }
}

impl World {
    fn may_export(&self) -> Permit {
        self.mia(Permission::Export)
    }

    async fn another_agent(&self, name: &str) -> AgentName {
        let name = AgentName::parse(name).unwrap();
        self.engine
            .create_agent(
                &system(Permission::Administer),
                name.clone(),
                AgentSettings::default(),
            )
            .await
            .unwrap();
        name
    }

    /// Somebody says something to an agent.
    async fn speaks_to(&self, agent: &AgentName, scope: Scope) {
        let key = Actor::Key {
            id: KeyId::new(start(), &OsEntropy),
            agent: agent.clone(),
            scopes: KeyScope::OF_AN_AGENT.to_vec(),
        };
        let incoming = Incoming {
            scope,
            conversation_id: None,
            messages: vec![message(domain::conversation::Role::User, "hello there")],
            time_zone: None,
            end: true,
            flush: false,
        };
        let permit = Permit::ask(key, Permission::Ingest).unwrap();
        self.engine.ingest(&permit, agent, incoming).await.unwrap();
        self.work().await;
    }

    async fn erases_for(&self, user: &UserId, request: &RequestId) {
        let admin = self.mia(Permission::Administer);
        let of = UserRef::Id(user.clone());
        let seen = self
            .engine
            .preview_erasure(&admin, &of, None)
            .await
            .unwrap();
        let wanted = Erase {
            reason: ErasureReason::AskedFor,
            confirm: seen.confirm,
            version: seen.version,
            request: Some(request.clone()),
        };
        self.engine.erase(&admin, &of, None, &wanted).await.unwrap();
    }

    async fn closes(
        &self,
        id: &RequestId,
        outcome: RequestOutcome,
        note: Option<&str>,
    ) -> engine::Result<RequestDetail> {
        let note = note.map(str::to_owned);
        self.engine
            .close_request(&self.may_export(), id, outcome, note)
            .await
    }
}

fn counts(detail: &RequestDetail) -> Vec<(&str, u64, u64, u64)> {
    let found = detail.found.iter();
    found
        .map(|one| (one.agent.as_str(), one.users, one.erased, one.third_party))
        .collect()
}

store::both! {
    // G5
    async fn an_administrator_of_one_agent_can_name_no_request_of_another(db: &TestDb) {
        let world = World::new(db).await;
        let sales = world.another_agent("sales").await;
        world.speaks_to(&world.agent, Scope::user_id("ana").unwrap()).await;
        let asked = NewRequest { agent: Some(sales), ..asks("ana", RequestSort::Erase) };
        let theirs = world.engine.open_request(&world.may_export(), asked).await.unwrap().request.id;
        let Actor::Person { id, name, .. } = world.aiko.clone() else { unreachable!("a person") };
        let limited = Grant { agent: Some(world.agent.clone()), ..Grant::everywhere(RoleName::Admin) };
        let admin = Permit::ask(Actor::Person { id, name, grants: vec![limited] }, Permission::Administer).unwrap();
        let (ana, agent) = (UserRef::Scope(Scope::user_id("ana").unwrap()), Some(&world.agent));
        let version = world.engine.preview_erasure(&admin, &ana, agent).await.unwrap().version;
        for request in [theirs, RequestId::new(start(), &OsEntropy)] {
            let wanted = Erase { reason: ErasureReason::AskedFor, confirm: "ana".into(), version, request: Some(request) };
            let refused = world.engine.erase(&admin, &ana, agent, &wanted).await.unwrap_err();
            assert_eq!((refused.fields()[0].pointer.as_str(), refused.fields()[0].code), ("/request", "unknown"));
        }
    }

    // G5
    async fn who_asks_to_be_erased_is_found_everywhere_erased_proven_and_forgotten(db: &TestDb) {
        let world = World::new(db).await;
        let sales = world.another_agent("sales").await;
        world.speaks_to(&world.agent, Scope::user_id("ana").unwrap()).await;
        world.speaks_to(&sales, Scope::user_id("ana").unwrap()).await;
        let pairs = BTreeMap::from([("login".to_owned(), "Ana".to_owned()), ("shop".to_owned(), "oslo".to_owned())]);
        world.speaks_to(&sales, Scope::parse(pairs).unwrap()).await;
        world.speaks_to(&sales, Scope::user_id("anabel").unwrap()).await;
        let sister = world.proposed("bo", "fact", None, "User has a sister called Ana Berger").await;
        world.engine.approve(&world.mia(Permission::Decide), &sister.id, None, Approval::default()).await.unwrap();

        let new = NewRequest { words: Some("Ana Berger".into()), note: Some("by letter".into()), ..asks("ana", RequestSort::Erase) };
        let opened = world.engine.open_request(&world.may_export(), new).await.unwrap();
        let request = &opened.request;
        assert!(request.open && !request.overdue);
        assert_eq!((request.user_id.as_deref(), request.by.name.as_deref()), (Some("ana"), Some("Mia")));
        assert_eq!((request.received_at, request.due_at), (start(), start() + Span::days(30)));
        assert_eq!((request.names_opened, request.all_names_opened), (5, true));
        assert_eq!(counts(&opened), [("sales", 2, 0, 0), ("support", 1, 0, 1)]);
        assert_eq!(opened.third_party[0].content.as_deref(), Some("User has a sister called Ana Berger"));
        let by_value: Vec<_> = opened.users.iter().filter(|user| user.found_by == FoundBy::Value).collect();
        assert_eq!(by_value.len(), 1, "another name with the same value is shown, for a person to look at");
        assert!(by_value[0].who.contains("login=Ana"));

        let standing = world.engine.requests_standing(&world.may_export()).await.unwrap();
        assert_eq!(standing, RequestsStanding { open: 1, overdue: 0 });
        world.pass(Span::days(31));
        let standing = world.engine.requests_standing(&world.may_export()).await.unwrap();
        assert_eq!(standing, RequestsStanding { open: 1, overdue: 1 });

        let id = request.id.clone();
        for (outcome, pointer, code) in [
            (RequestOutcome::Done, "/outcome", "not_erased"),
            (RequestOutcome::NothingFound, "/outcome", "was_found"),
            (RequestOutcome::Refused, "/note", "required"),
        ] {
            let refused = world.closes(&id, outcome, None).await.unwrap_err();
            assert_eq!((refused.fields()[0].pointer.as_str(), refused.fields()[0].code), (pointer, code));
        }
        for user in opened.users.iter().filter(|user| user.found_by == FoundBy::Name) {
            world.erases_for(&user.user, &id).await;
        }
        world.pass(Span::minutes(1));
        let closed = world.closes(&id, RequestOutcome::Done, Some("erased in both")).await.unwrap();
        assert_eq!(counts(&closed), [("sales", 2, 1, 0), ("support", 1, 1, 1)]);
        let request = &closed.request;
        assert_eq!((request.open, request.outcome, request.closing_note.as_deref()), (false, Some(RequestOutcome::Done), Some("erased in both")));
        assert_eq!((&request.user_id, &request.words, &request.note), (&None, &None, &None), "nobody can tell who it was");
        assert_eq!(db.behind_the_back("delete from user_keys where agent = 'system'").await.unwrap(), 0, "its key is gone");
        let sealed = "update requests set version = version where length(sealed) > 0";
        assert_eq!(db.behind_the_back(sealed).await.unwrap(), 0, "and what it opened");
        assert_eq!(world.closes(&id, RequestOutcome::Done, None).await.unwrap_err().code(), "request_closed");
        let again = world.engine.look_for_person(&world.may_export(), &id).await.unwrap_err();
        assert_eq!(again.code(), "request_closed");

        let proof = world.engine.request_proof(&world.may_export(), &id).await.unwrap();
        let types: Vec<EventType> = proof.events.iter().map(|one| one.event.r#type).collect();
        assert_eq!(types, [EventType::RequestOpened, EventType::UserErased, EventType::UserErased, EventType::RequestClosed]);
        assert!(proof.events.iter().all(|one| !one.signed) && proof.checkpoint.is_none());
        world.engine.checkpoint().await.unwrap();
        let proof = world.engine.request_proof(&world.may_export(), &id).await.unwrap();
        assert!(proof.events.iter().all(|one| one.signed));
        assert!(proof.checkpoint.unwrap().note.is_some());
        world.verify().await;
    }

    // G5, G7
    async fn who_is_limited_to_an_agent_looks_there_and_sees_no_other_request(db: &TestDb) {
        let world = World::new(db).await;
        let sales = world.another_agent("sales").await;
        for agent in [&world.agent, &sales] {
            world.speaks_to(agent, Scope::user_id("ana").unwrap()).await;
        }
        let everywhere = world.engine.open_request(&world.may_export(), asks("ana", RequestSort::Copy)).await.unwrap();
        let only = vec![Grant { agent: Some(sales.clone()), ..Grant::everywhere(RoleName::Auditor) }];
        let (Actor::Person { id, name, .. }, grants) = (world.aiko.clone(), only) else { panic!("a person") };
        let limited = Permit::ask(Actor::Person { id, name, grants }, Permission::Export).unwrap();
        let hidden = world.engine.request(&limited, &everywhere.request.id).await.unwrap_err();
        assert_eq!(hidden.code(), "not_found");
        let own = world.engine.open_request(&limited, asks("ana", RequestSort::Copy)).await.unwrap();
        assert_eq!(counts(&own), [("sales", 1, 0, 0)]);
        let listed = world.engine.requests(&limited, true, &Page::default()).await.unwrap().data;
        assert_eq!(listed.iter().map(|one| &one.id).collect::<Vec<_>>(), [&own.request.id]);
        assert_eq!(world.engine.requests(&world.may_export(), true, &Page::default()).await.unwrap().data.len(), 2);
        let elsewhere = NewRequest { agent: Some(world.agent.clone()), ..asks("ana", RequestSort::Copy) };
        assert_eq!(world.engine.open_request(&limited, elsewhere).await.unwrap_err().code(), "not_found");

        let nobody = world.engine.open_request(&limited, asks("zoe", RequestSort::Both)).await.unwrap();
        assert!(counts(&nobody).is_empty());
        let closed = world.engine.close_request(&limited, &nobody.request.id, RequestOutcome::NothingFound, None).await.unwrap();
        assert_eq!(closed.request.outcome, Some(RequestOutcome::NothingFound));
        let proof = world.engine.request_proof(&limited, &nobody.request.id).await.unwrap();
        assert_eq!(proof.events.len(), 2, "its own events are shown, nothing else of the system's chain");
        let late = NewRequest { received_at: Some(start() + Span::days(1)), ..asks("ana", RequestSort::Copy) };
        let late = world.engine.open_request(&limited, late).await.unwrap_err();
        assert_eq!((late.fields()[0].pointer.as_str(), late.fields()[0].code), ("/received_at", "future"));
    }

    // G5
    async fn who_came_after_the_last_look_is_not_certified_away(db: &TestDb) {
        let world = World::new(db).await;
        let id = world.engine.open_request(&world.may_export(), asks("ana", RequestSort::Erase)).await.unwrap().request.id;
        world.speaks_to(&world.agent, Scope::user_id("ana").unwrap()).await;
        for (outcome, code) in [(RequestOutcome::Done, "not_erased"), (RequestOutcome::NothingFound, "was_found")] {
            let refused = world.closes(&id, outcome, None).await.unwrap_err();
            assert_eq!(refused.fields()[0].code, code);
        }
        let found = world.engine.look_for_person(&world.may_export(), &id).await.unwrap();
        world.erases_for(&found.users[0].user, &id).await;
        let closed = world.closes(&id, RequestOutcome::Done, None).await.unwrap();
        assert!(!closed.request.open);
    }

    // G5
    async fn a_request_whose_key_is_gone_is_closed_with_a_note(db: &TestDb) {
        let world = World::new(db).await;
        let id = world.engine.open_request(&world.may_export(), asks("ana", RequestSort::Copy)).await.unwrap().request.id;
        assert_eq!(db.behind_the_back("delete from user_keys where agent = 'system'").await.unwrap(), 1, "as after a backup is restored");
        let open = world.engine.request(&world.may_export(), &id).await.unwrap().request;
        assert_eq!((open.open, open.who), (true, None));
        let silent = world.closes(&id, RequestOutcome::Done, None).await.unwrap_err();
        assert_eq!((silent.fields()[0].pointer.as_str(), silent.fields()[0].code), ("/note", "required"));
        let closed = world.closes(&id, RequestOutcome::Done, Some("was closed before")).await.unwrap();
        assert_eq!((closed.request.open, closed.request.outcome), (false, Some(RequestOutcome::Done)));
    }
}
