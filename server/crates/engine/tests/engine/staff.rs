//! People and roles (G7): links that hold for a while and once, roles that nobody can have, the last administrator.

use std::net::IpAddr;

use domain::{
    agent::AgentName,
    id::PersonId,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
};
use engine::{Current, EngineError, Invitation, PersonPatch, PersonState, Version};
use secrecy::SecretString;
use store::testing::TestDb;

use crate::world::{World, id_of, system, whole};

fn manages() -> Permit {
    system(Permission::ManagePeople)
}

fn here() -> IpAddr {
    "127.0.0.1".parse().unwrap()
}

fn words(text: &str) -> SecretString {
    SecretString::from(text)
}

fn ines(grants: Vec<Grant>) -> Invitation {
    Invitation {
        name: " Ines ".into(),
        email: "Ines@example.com".into(),
        grants,
    }
}

fn roles(grants: Vec<Grant>) -> PersonPatch {
    PersonPatch {
        grants: Some(grants),
        ..PersonPatch::default()
    }
}

/// Lets somebody of the world sign in.
async fn with_password(db: &TestDb, person: &PersonId) {
    let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
    tx.set_password_hash(person, "$argon2id$…").await.unwrap();
    tx.commit().await.unwrap();
}

store::both! {
    // G7
    async fn an_invitation_holds_for_three_days_and_once(db: &TestDb) {
        let world = World::new(db).await;
        let engine = &world.engine;
        let viewer = vec![Grant::everywhere(RoleName::Viewer)];
        let first = engine.invite(&manages(), ines(viewer.clone())).await.unwrap();
        assert_eq!((first.person.name.as_str(), first.person.state), ("Ines", PersonState::Invited));
        assert_eq!(engine.invite(&manages(), ines(viewer)).await.unwrap_err().code(), "name_taken");
        world.pass(Span::hours(72));
        assert_eq!(engine.joining(first.link.reveal()).await.unwrap(), None);
        let again = engine.password_link(&manages(), &first.person.id).await.unwrap();
        let newest = engine.password_link(&manages(), &first.person.id).await.unwrap();
        world.pass(Span::hours(71));
        assert_eq!(engine.joining(again.link.reveal()).await.unwrap(), None, "a newer one makes it worthless");
        let joining = engine.joining(newest.link.reveal()).await.unwrap().unwrap();
        assert!(joining.first && joining.email == "Ines@example.com");

        let weak = engine.join(newest.link.reveal(), words("password1234")).await.unwrap_err();
        assert_eq!(weak.fields()[0].pointer, "/password");
        let joined = whole(engine.join(newest.link.reveal(), words("tangle orbit melon nine")).await.unwrap());
        assert_eq!((joined.state, joined.signed_in_at.is_some(), joined.link_expires_at), (PersonState::Active, true, None));
        let late = engine.join(newest.link.reveal(), words("another long pass phrase")).await;
        assert!(matches!(late, Err(EngineError::LinkInvalid)));
        engine.sign_in("ines@example.com", words("tangle orbit melon nine"), here()).await.unwrap();
        world.verify().await;
    }

    // G7
    async fn a_reset_holds_for_a_day_and_ends_what_was_open(db: &TestDb) {
        let world = World::new(db).await;
        let engine = &world.engine;
        let invited = engine.invite(&manages(), ines(vec![Grant::everywhere(RoleName::Viewer)])).await.unwrap();
        let id = invited.person.id;
        engine.join(invited.link.reveal(), words("tangle orbit melon nine")).await.unwrap();
        let until = engine.now() + Span::hours(12);
        engine.save_session("of-ines", Some((&id, engine.now())), b"{}", until).await.unwrap();
        for _ in 0..7 {
            engine.sign_in("ines@example.com", words("not the password"), here()).await.unwrap_err();
        }
        let reset = engine.password_link(&manages(), &id).await.unwrap();
        assert_eq!(reset.expires_at - engine.now(), Span::hours(24));
        assert!(!engine.joining(reset.link.reveal()).await.unwrap().unwrap().first);
        engine.join(reset.link.reveal(), words("quiet harbour lantern six")).await.unwrap();
        assert!(engine.session("of-ines").await.unwrap().is_none());
        engine.sign_in("ines@example.com", words("quiet harbour lantern six"), here()).await.unwrap();

        let shut_out = PersonPatch { active: Some(false), ..PersonPatch::default() };
        let late = engine.password_link(&manages(), &id).await.unwrap();
        engine.change_person(&manages(), &id, None, shut_out).await.unwrap();
        assert_eq!(engine.joining(late.link.reveal()).await.unwrap(), None);
        assert_eq!(engine.password_link(&manages(), &id).await.unwrap_err().code(), "deactivated");
        assert!(engine.actor(&id).await.unwrap().is_none());
        world.verify().await;
    }

    // G7
    async fn somebody_who_administers_everything_always_stays(db: &TestDb) {
        let world = World::new(db).await;
        let (mia, aiko) = (id_of(&world.mia), id_of(&world.aiko));
        with_password(db, &mia).await;
        let shut_out = || PersonPatch { active: Some(false), ..PersonPatch::default() };
        let viewer = || roles(vec![Grant::everywhere(RoleName::Viewer)]);
        let of_one = || roles(vec![Grant { agent: Some(world.agent.clone()), ..Grant::everywhere(RoleName::Admin) }]);
        // Aiko administers, but never chose a password: she could not let anybody in.
        for patch in [shut_out(), viewer(), of_one()] {
            let refused = world.engine.change_person(&manages(), &mia, None, patch).await.unwrap_err();
            assert_eq!((refused.code(), refused.status()), ("last_admin", 409));
        }
        assert!(world.engine.actor(&mia).await.unwrap().is_some(), "nothing was half done");
        with_password(db, &aiko).await;
        let permit = manages();
        let (one, other) = tokio::join!(
            world.engine.change_person(&permit, &mia, None, viewer()),
            world.engine.change_person(&permit, &aiko, None, viewer()),
        );
        assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1, "two at once leave one");
        world.verify().await;
    }

    // G7
    async fn of_two_who_change_a_person_the_second_is_told_what_the_first_did(db: &TestDb) {
        let world = World::new(db).await;
        let (engine, aiko) = (&world.engine, id_of(&world.aiko));
        let change = async |version: i64, patch: PersonPatch| engine.change_person(&manages(), &aiko, Some(Version::Is(version)), patch).await;
        let named = |name: &str| PersonPatch { name: Some(name.into()), ..PersonPatch::default() };
        let comes_in = |active| PersonPatch { active: Some(active), ..PersonPatch::default() };
        let viewer = roles(vec![Grant::everywhere(RoleName::Viewer)]);
        assert_eq!(change(1, viewer).await.unwrap().version, 2);
        let late = change(1, named("Aiko Mori")).await.unwrap_err();
        assert_eq!((late.code(), late.status()), ("stale", 412));
        let Some(Current::Person(current)) = late.current() else { panic!("{late:?}") };
        assert_eq!((current.version, current.name.as_str(), current.roles[0].role), (2, "Aiko", RoleName::Viewer));
        let again = change(2, named("Aiko Mori")).await.unwrap();
        assert_eq!((again.version, again.name.as_str(), again.roles[0].role), (3, "Aiko Mori", RoleName::Viewer));
        assert_eq!(change(3, named("Aiko Mori")).await.unwrap().version, 3, "nothing was changed");

        // What she calls herself an administrator has not seen either; a name that is refused takes the language with it.
        engine.change_self(&aiko, "Aiko M", Some("ja")).await.unwrap();
        assert_eq!(change(3, comes_in(false)).await.unwrap_err().code(), "stale");
        assert_eq!(engine.change_self(&aiko, " ", Some("zh")).await.unwrap_err().code(), "invalid");
        let stored = engine.person(&aiko).await.unwrap().unwrap();
        assert_eq!((stored.version, stored.name.as_str(), stored.language.as_deref()), (4, "Aiko M", Some("ja")));
        assert_eq!(change(4, comes_in(false)).await.unwrap().state, PersonState::Deactivated);
        assert_eq!(change(4, comes_in(true)).await.unwrap_err().code(), "stale");
        let any = engine.change_person(&manages(), &aiko, None, comes_in(true)).await.unwrap();
        assert_eq!(any.version, 6, "who names no version means the newest");

        let (one, other) = tokio::join!(change(6, named("One")), change(6, named("Other")));
        assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1, "of two at once one goes on");
        assert_eq!(engine.person(&aiko).await.unwrap().unwrap().version, 7);
        world.verify().await;
    }

    // G7
    async fn where_somebody_is_signed_in_is_seen_and_ended_by_who_manages_people(db: &TestDb) {
        let world = World::new(db).await;
        let engine = &world.engine;
        let (mia, aiko) = (id_of(&world.mia), id_of(&world.aiko));
        let ends = engine.now() + Span::hours(12);
        for (token, person) in [("one", &aiko), ("two", &aiko), ("of mia", &mia)] {
            engine.save_session(token, Some((person, engine.now())), b"{}", ends).await.unwrap();
        }
        let standing = engine.installation_standing(&manages()).await.unwrap();
        assert_eq!((standing.sessions, standing.signed_in, standing.holds), (3, 2, 0));
        assert_eq!(engine.sessions_of(&manages(), &aiko).await.unwrap().len(), 2);
        let other = world.mia(Permission::Administer);
        for refused in [
            engine.sessions_of(&other, &aiko).await.map(drop),
            engine.end_sessions_of(&other, &aiko).await.map(drop),
            engine.installation_standing(&other).await.map(drop),
        ] {
            assert!(matches!(refused, Err(EngineError::Forbidden)), "a permit for something else");
        }

        assert!(engine.end_other_sessions(&aiko, "two").await.unwrap());
        assert!(!engine.end_other_sessions(&aiko, "two").await.unwrap(), "there is no other");
        assert!(engine.session("one").await.unwrap().is_none() && engine.session("two").await.unwrap().is_some());
        let manager = world.mia(Permission::ManagePeople);
        assert!(engine.end_sessions_of(&manager, &aiko).await.unwrap());
        assert!(!engine.end_sessions_of(&manager, &aiko).await.unwrap(), "they are over");
        assert!(engine.session("two").await.unwrap().is_none() && engine.session("of mia").await.unwrap().is_some());
        let nobody = PersonId::new(engine.now(), &engine::OsEntropy);
        assert!(matches!(engine.end_sessions_of(&manager, &nobody).await, Err(EngineError::NotFound)));

        world.pass(Span::minutes(31));
        assert!(engine.sessions_of(&manager, &mia).await.unwrap().is_empty(), "idle");
        assert_eq!(engine.installation_standing(&manages()).await.unwrap().sessions, 0);
        world.verify().await;
    }

    // G7
    async fn roles_that_nobody_can_have_are_named_by_their_place(db: &TestDb) {
        let world = World::new(db).await;
        let reviewer = Grant::everywhere(RoleName::Reviewer);
        let odd = vec![
            reviewer.clone(),
            Grant { agent: Some(AgentName::parse("nobody").unwrap()), ..reviewer.clone() },
            Grant { languages: vec!["ja".into(), "tlh".into()], ..Grant::everywhere(RoleName::Viewer) },
            reviewer,
        ];
        let refused = world.engine.invite(&manages(), ines(odd)).await.unwrap_err();
        let faults: Vec<_> = refused.fields().iter().map(|fault| (fault.pointer.clone(), fault.code)).collect();
        let wanted = [("/roles/1/agent", "unknown"), ("/roles/2/languages", "unknown"), ("/roles/3", "twice")];
        assert_eq!(faults, wanted.map(|(pointer, code)| (pointer.to_owned(), code)));
        let none = world.engine.change_person(&manages(), &id_of(&world.mia), None, roles(vec![])).await.unwrap_err();
        assert_eq!(none.fields()[0].pointer, "/roles");
        let reads = world.engine.people(&world.mia(Permission::Administer)).await;
        assert!(matches!(reads, Err(EngineError::Forbidden)), "a permit for something else");
    }

    // G7
    async fn a_decision_in_another_language_is_refused_and_roles_count_agent_by_agent(db: &TestDb) {
        let world = World::new(db).await;
        let candidate = world.proposed("ana", "preference", None, "User prefers Python examples").await;
        let person = |grants: Vec<Grant>| {
            let Actor::Person { id, name, .. } = &world.mia else { panic!() };
            Permit::ask(Actor::Person { id: id.clone(), name: name.clone(), grants }, Permission::Decide).unwrap()
        };
        let limited = |agent: &str, tag: &str| Grant {
            agent: Some(AgentName::parse(agent).unwrap()),
            languages: vec![tag.to_owned()],
            ..Grant::everywhere(RoleName::Reviewer)
        };
        let elsewhere = person(vec![limited("support", "ja"), limited("sales", "en")]);
        let refused = world.engine.approve(&elsewhere, &candidate.id, None, engine::Approval::default()).await.unwrap_err();
        assert_eq!((refused.code(), refused.status()), ("language_not_yours", 403));
        assert_eq!(world.waiting().await.len(), 1, "it waits as before");
        let both = person(vec![limited("support", "ja"), Grant { languages: vec!["en".into()], ..Grant::everywhere(RoleName::Reviewer) }]);
        world.engine.approve(&both, &candidate.id, None, engine::Approval::default()).await.unwrap();
        world.verify().await;
    }
}
