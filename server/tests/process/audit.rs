//! The audit from the command line, against somebody with access to the database.

use std::{
    fs,
    net::TcpListener,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use store::testing::{TestDb, behind_the_back, unlock_history};

use crate::installation::Installation;

/// What a walk that had to end with 1 told.
fn faults(here: &Installation, arguments: &[&str]) -> Vec<Value> {
    let output = here.run(&[&["audit", "verify"][..], arguments].concat());
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["ok"], false);
    told["faults"].as_array().unwrap().clone()
}

/// Where somebody with access to it finds the database.
fn database(here: &Installation, db: &TestDb) -> String {
    if here.is_postgres() {
        return db.url.clone();
    }
    format!("sqlite:{}", here.data().join("keepsake.db").display())
}

/// The first thing that is measured of the audit other than `not`.
async fn measured(address: &str, not: Option<&str>) -> String {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let figures = reqwest::get(format!("http://{address}/metrics")).await;
        let figures = figures.unwrap().text().await.unwrap();
        let mut lines = figures.lines();
        let ok = lines.find_map(|line| line.strip_prefix("keepsake_audit_ok "));
        if let Some(ok) = ok
            && not != Some(ok)
        {
            return ok.to_owned();
        }
        assert!(Instant::now() < deadline, "still {figures}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

store::both! {
    // E2, E4
    async fn a_tail_that_was_cut_off_after_a_checkpoint_ends_the_walk_with_1(db: &TestDb) {
        let here = Installation::on(db);
        here.people();
        let note = here.done(&["audit", "checkpoint"]);
        let folder = here.data().join("checkpoints");
        let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(fs::read_to_string(&files[0]).unwrap(), format!("{note}\n"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            for (path, mode) in [(&folder, 0o700), (&files[0], 0o600)] {
                assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, mode);
            }
        }
        let key = here.done(&["audit", "key"]);
        let (key, fingerprint) = key.split_once("\nSHA256 ").unwrap();
        assert_eq!(fingerprint.len(), 64);
        let name = format!("keepsake-{}", &fingerprint[..16]);
        assert!(key.starts_with(&format!("{name}+")), "{key}");
        assert!(note.starts_with(&format!("keepsake/{}/system\n", &fingerprint[..16])), "{note}");
        assert!(note.contains(&format!("\n— {name} ")) && note.contains("\nsupport "), "{note}");
        let told: Value = serde_json::from_str(&here.done(&["audit", "verify"])).unwrap();
        assert_eq!((&told["ok"], &told["checkpoints"]), (&json!(true), &json!(1)));
        let elsewhere = here.dir().join("elsewhere");
        copied(&folder, &elsewhere);

        let url = database(&here, db);
        unlock_history(&url).await;
        for cut in [
            "delete from events where agent = 'support' and seq > 1",
            "update heads set seq = 1, hash = (select hash from events where agent = 'support' and seq = 1) where agent = 'support'",
        ] {
            assert!(behind_the_back(&url, cut).await.unwrap() > 0, "{cut}");
        }
        let truncated = json!({"agent": "support", "seq": 1, "kind": "truncated"});
        assert_eq!(faults(&here, &[]), std::slice::from_ref(&truncated));
        // Whoever takes the table and the folder away too forgets the copy, and what the chain of the system tells.
        behind_the_back(&url, "delete from checkpoints").await.unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let missing = faults(&here, &[]);
        assert!(missing.iter().all(|fault| fault["agent"] == "system" && fault["kind"] == "missing"), "{missing:?}");
        let copy = elsewhere.display().to_string();
        assert!(faults(&here, &["--checkpoints", &copy]).contains(&truncated));

        let nowhere = here.run(&["audit", "verify", "--checkpoints", "nowhere"]);
        assert_eq!(nowhere.status.code(), Some(1));
        assert!(nowhere.stdout.is_empty() && String::from_utf8_lossy(&nowhere.stderr).contains("no such folder"));
    }
}

store::both! {
    // E2, E4
    async fn the_walk_by_the_clock_is_measured_as_1_and_as_0_once_a_chain_is_damaged(db: &TestDb) {
        // A free port, given back at once; nobody else here takes one by number.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap().to_string();
        drop(free);
        let here = Installation::on(db)
            .with("KEEPSAKE_METRICS_LISTEN", &address)
            .with("KEEPSAKE_JOBS_EXPIRY_TICK", "50ms")
            .with("KEEPSAKE_JOBS_VERIFICATION_TICK", "100ms");
        here.people();
        let keepsake = here.serve(&[]);
        assert_eq!(measured(&address, None).await, "1");

        let url = database(&here, db);
        unlock_history(&url).await;
        let damaged = "delete from events where agent = 'support' and seq = 1";
        assert_eq!(behind_the_back(&url, damaged).await.unwrap(), 1);
        assert_eq!(measured(&address, Some("1")).await, "0");
        assert_eq!(keepsake.ask_to_end(), Some(0));
        assert!(here.log().contains("the audit does not hold"));
    }
}
