//! Links to choose a password (G7), asked for and used by several at once.

use domain::{
    id::PersonId,
    permission::{Grant, Permission, RoleName},
};
use engine::{EngineError, Invitation, LinkToken};
use secrecy::SecretString;
use store::testing::TestDb;
use tokio::task::JoinSet;

use crate::world::{World, system};

/// Eight ask for a link for one person at the same time: the links that hold afterwards.
async fn asked_for_at_once(world: &World, person: &PersonId) -> Vec<LinkToken> {
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let (engine, person) = (world.engine.clone(), person.clone());
        tasks.spawn(async move {
            let manages = system(Permission::ManagePeople);
            engine.password_link(&manages, &person).await
        });
    }
    let mut hold = Vec::new();
    for asked in tasks.join_all().await {
        let link = asked.unwrap().link;
        let lets_in = world.engine.joining(link.reveal()).await.unwrap();
        if lets_in.is_some() {
            hold.push(link);
        }
    }
    hold
}

store::both! {
    // G7
    async fn of_links_that_are_asked_for_at_once_one_holds_and_lets_one_in(db: &TestDb) {
        let world = World::new(db).await;
        let ines = Invitation {
            name: "Ines".into(),
            email: "ines@example.com".into(),
            grants: vec![Grant::everywhere(RoleName::Viewer)],
        };
        let invited = world.engine.invite(&system(Permission::ManagePeople), ines).await.unwrap();
        let links = asked_for_at_once(&world, &invited.person.id).await;
        assert_eq!(links.len(), 1);
        assert_eq!(world.engine.joining(invited.link.reveal()).await.unwrap(), None, "nor does the first");

        let chooses = |words: &str| world.engine.join(links[0].reveal(), SecretString::from(words));
        let (one, other) = tokio::join!(chooses("tangle orbit melon nine"), chooses("quiet harbour lantern six"));
        assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1);
        let refused = one.err().or(other.err()).unwrap();
        assert!(matches!(refused, EngineError::LinkInvalid), "{refused:?}");

        // The same of links for another password.
        let links = asked_for_at_once(&world, &invited.person.id).await;
        assert_eq!(links.len(), 1);
        let joining = world.engine.joining(links[0].reveal()).await.unwrap().unwrap();
        assert!(!joining.first);
        world.verify().await;
    }
}
