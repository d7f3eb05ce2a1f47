//! `kill -9` in the middle of a job: afterwards it runs once more, and nothing doubles.

use std::time::Duration;

use serde_json::json;

use crate::{
    installation::{Installation, call, ended, operation},
    peer::{Peer, Wire, tea},
};
use store::testing::TestDb;

store::both! {
    async fn a_job_whose_worker_was_killed_runs_once_more_and_nothing_doubles(db: &TestDb) {
        let peer = Peer::start(Wire::OpenAi).await;
        let wire = Wire::OpenAi;
        let hangs = wire.says(&tea().to_string()).set_delay(Duration::from_secs(300));
        peer.answers(hangs, 1, 1).await;
        peer.answers(wire.says(&tea().to_string()), 100, 2).await;
        let here = Installation::on(db)
            // Long enough for a machine that does other things beside, short enough to wait for.
            .with("KEEPSAKE_JOBS_LEASE", "6s")
            .with("KEEPSAKE_EXTRACTOR_MODEL", wire.model())
            .with("KEEPSAKE_EXTRACTOR_BASE_URL", &peer.base_url())
            .with("KEEPSAKE_EXTRACTOR_API_KEY", "sk-test");
        let keys = here.people();

        // With PostgreSQL the worker is a process of its own; with SQLite the one process does both.
        let (keepsake, worker) = if here.is_postgres() {
            (Some(here.serve(&["--no-worker"])), here.start(&["worker"]))
        } else {
            (None, here.serve(&[]))
        };
        let url = keepsake.as_ref().unwrap_or(&worker).url.clone();
        let post = json!({"user_id": "ana", "end": true, "messages": [{"role": "user", "content": "I prefer tea over coffee"}]});
        let (status, taken) = call(&url, &keys.agent, "POST", "/conversations", Some(post)).await;
        assert_eq!(status, 202, "{taken}");
        let id = taken["operation"].as_str().unwrap();
        peer.asked_times(1).await;
        let view = operation(&url, &keys.agent, id, |view| view["state"] == "running").await;
        assert_eq!(view["attempt"], 1);
        worker.kill();

        let (keepsake, _worker) = match keepsake {
            Some(keepsake) => (keepsake, Some(here.start(&["worker"]))),
            None => (here.serve(&[]), None),
        };
        let url = &keepsake.url;
        let view = operation(url, &keys.agent, id, ended).await;
        assert_eq!((&view["state"], &view["attempt"]), (&json!("succeeded"), &json!(2)), "{view}");
        assert_eq!(view["candidates"].as_array().unwrap().len(), 1, "{view}");
        assert_eq!(peer.asked().await.len(), 2);
        let (_, queue) = call(url, &keys.person, "GET", "/candidates", None).await;
        assert_eq!(queue["data"].as_array().unwrap().len(), 1, "{queue}");
        let (_, verified) = call(url, &keys.person, "GET", "/audit/verify", None).await;
        assert_eq!(verified["ok"], true, "{verified}");
        let (_, events) = call(url, &keys.person, "GET", "/audit/events?type=extraction.succeeded", None).await;
        assert_eq!(events["data"].as_array().unwrap().len(), 1, "{events}");
    }
}
