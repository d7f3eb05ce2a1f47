//! A worker that is stopped on its way through a conversation: the next one goes on, and knows how it went so far.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use domain::{agent::AgentScope, conversation::Role};
use engine::{
    Extractor, Extractors, Provenance,
    extractor::{Extract, ExtractError, Extracted, Window},
};
use futures::future::BoxFuture;
use store::{Claimed, Db, JobState, Outcome, testing::TestDb};
use tokio::sync::watch;

use crate::world::{Script, World, message};

/// Answers as the script does, but never for the second window it is asked about.
#[derive(Default)]
struct StaysSilent {
    script: Script,
    asked: AtomicUsize,
    silent: tokio::sync::Notify,
}

impl Extract for StaysSilent {
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 1 {
            self.silent.notify_one();
            return Box::pin(std::future::pending());
        }
        self.script.extract(window)
    }

    fn provenance(&self) -> Provenance {
        self.script.provenance()
    }
}

/// Ends the job for which it is asked and then tells the worker to stop, so that the stop comes before the worker has heard of the end.
struct EndsUnheard {
    script: Script,
    db: Db,
    stopping: watch::Sender<bool>,
}

impl Extract for EndsUnheard {
    fn extract<'a>(&'a self, _: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        Box::pin(async move {
            let mut tx = self.db.write(AgentScope::All).await.unwrap();
            let operation = tx.running().await.unwrap().remove(0);
            let now = operation.created_at;
            let claimed = Claimed {
                operation,
                epoch: 1,
            };
            let came_of_it = Outcome::default();
            tx.finish_job(&claimed, JobState::Succeeded, None, &came_of_it, now)
                .await
                .unwrap();
            tx.commit().await.unwrap();
            self.stopping.send_replace(true);
            std::future::pending().await
        })
    }

    fn provenance(&self) -> Provenance {
        self.script.provenance()
    }
}

store::both! {
    // F11
    async fn a_job_that_ends_in_the_moment_of_a_stop_has_ended_and_nothing_went_wrong(db: &TestDb) {
        let (stopping, mut stopped) = watch::channel(false);
        let extractor = EndsUnheard { script: Script::default(), db: db.db.clone(), stopping };
        let world = World::with_extractors(db, Extractors::new(Extractor::Custom(Arc::new(extractor)))).await;
        let accepted = world.post("ana", vec![message(Role::User, "I live in Oslo")], true).await;
        assert!(world.engine.work(&mut stopped).await.unwrap());
        let ended = world.operation(&accepted).await;
        assert_eq!((ended.state, ended.attempt), ("succeeded", 1));
    }

    // F11
    async fn a_stop_between_windows_forgets_no_failure(db: &TestDb) {
        let extractor = Arc::new(StaysSilent::default());
        let world = World::with_extractors(db, Extractors::new(Extractor::Custom(extractor.clone()))).await;
        extractor.script.says_text("I am afraid I cannot do that.");
        let messages = (0..30).map(|number| message(Role::User, &format!("line {number}"))).collect();
        let accepted = world.post("ana", messages, true).await;
        // Stopped while the second window is read.
        world.engine.run(extractor.silent.notified()).await;
        assert_eq!(world.operation(&accepted).await.state, "queued");
        world.work().await;
        let done = world.operation(&accepted).await;
        assert_eq!((done.state, done.attempt), ("failed", 1), "the first window could not be read");
        assert_eq!(extractor.asked.load(Ordering::SeqCst), 3, "the first window is not read again");
        world.verify().await;
    }
}
