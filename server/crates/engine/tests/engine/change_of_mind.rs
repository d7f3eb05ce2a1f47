//! People change their minds, and change them back.

use domain::{candidate::Reason, permission::Permission};
use engine::Approval;
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, rejected};

fn favourite(player: &str) -> String {
    format!("User's favourite player is {player}")
}

store::both! {
    // A3
    async fn whoever_goes_back_to_the_approved_value_takes_the_change_out_of_the_queue(db: &TestDb) {
        let world = World::new(db).await;
        let first = world.proposed("ana", "preference", Some("favourite player"), &favourite("Ronaldo")).await;
        world.engine.approve(&world.mia(Permission::Decide), &first.id, None, Approval::default()).await.unwrap();
        let change = world.proposed("ana", "preference", Some("favourite player"), &favourite("Messi")).await;
        assert_eq!(world.waiting().await.len(), 1);

        world.script.says(&json!({"candidates": [{"kind": "preference", "name": "favourite player", "content": favourite("Ronaldo"),
            "confidence": 0.9, "importance": 0.7, "evidence": "no, still Ronaldo"}]}));
        let accepted = world.say("ana", &["no, still Ronaldo"]).await;
        world.work().await;
        let done = world.operation(&accepted).await;
        assert_eq!((done.candidates.len(), done.sightings), (0, 1));
        assert!(world.waiting().await.is_empty(), "approving Messi now would be wrong");
        let gone = world.queue(rejected()).await;
        assert_eq!((gone[0].id.clone(), gone[0].reason), (change.id, Some(Reason::Superseded)));
        assert_eq!(world.served("ana").await, [favourite("Ronaldo")]);

        // Superseded is no rejection: said again, the change is proposed again.
        let again = world.proposed("ana", "preference", Some("favourite player"), &favourite("Messi")).await;
        assert_eq!(again.target, world.candidate(&again.id).await.target);
        world.verify().await;
    }
}
