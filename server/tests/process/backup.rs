//! The drill: an installation is backed up while it runs, lost, and restored from the two files and the master key.

use std::{fs, path::Path};

use serde_json::json;
use store::testing::behind_the_back;

use crate::installation::{Installation, call, ended, operation};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A command that had to fail, and what it said.
fn refused(here: &Installation, arguments: &[&str]) -> String {
    let output = here.run(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stdout.is_empty());
    text(&output.stderr)
}

async fn rows(path: &Path, delete: &'static str) -> u64 {
    let copy = path.with_extension("looked-at");
    fs::copy(path, &copy).unwrap();
    let url = format!("sqlite:{}", copy.display());
    let rows = behind_the_back(&url, delete).await.unwrap();
    fs::remove_file(copy).unwrap();
    rows
}

#[tokio::test]
async fn what_was_backed_up_while_it_ran_is_there_again_after_everything_was_lost() {
    let here = Installation::fresh();
    let keys = here.people();
    let auditor = here.done(&[
        "key",
        "create",
        "--agent",
        "*",
        "--scopes",
        "exports:read",
        "--person",
        "mia@example.com",
    ]);
    let keepsake = here.serve(&[]);
    let url = keepsake.url.clone();
    let said = json!({"user_id": "ana", "end": true, "messages": [{"role": "user", "content": "I prefer code examples in Python rather than pseudocode"}]});
    let (_, accepted) = call(&url, &keys.agent, "POST", "/conversations", Some(said)).await;
    operation(
        &url,
        &keys.agent,
        accepted["operation"].as_str().unwrap(),
        ended,
    )
    .await;
    let (_, waiting) = call(
        &url,
        &keys.person,
        "GET",
        "/candidates?status=pending",
        None,
    )
    .await;
    let candidate = waiting["data"][0]["id"].as_str().unwrap();
    let approve = format!("/candidates/{candidate}/approve");
    let (status, _) = call(&url, &keys.person, "POST", &approve, Some(json!({}))).await;
    assert_eq!(status, 200);
    let asked = json!({"sort": "copy", "user_id": "ana"});
    let (status, request) = call(&url, &auditor, "POST", "/requests", Some(asked)).await;
    assert_eq!(status, 201, "{request}");
    let request = request["id"].as_str().unwrap();
    here.done(&["audit", "checkpoint"]);

    let file = here.dir().join("keepsake.backup");
    let file_keys = here.dir().join("keepsake.backup.keys");
    let name = file.display().to_string();
    here.done(&["backup", &name]);
    #[cfg(unix)]
    for path in [&file, &file_keys] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
    assert!(!here.dir().join("keepsake.backup.part").exists());
    assert_eq!(rows(&file, "delete from user_keys").await, 0);
    assert_eq!(rows(&file, "delete from instance_keys").await, 0);
    // Of ana, and of the request that names her.
    assert_eq!(rows(&file_keys, "delete from user_keys").await, 2);
    assert!(rows(&file_keys, "delete from instance_keys").await >= 3);
    // One that was killed left its keys behind; the next one refuses to overwrite, and still takes them away.
    let part = here.dir().join("keepsake.backup.part");
    fs::write(&part, "half").unwrap();
    assert!(refused(&here, &["backup", &name]).contains("nothing is overwritten"));
    assert!(!part.exists());
    assert!(refused(&here, &["restore", &name]).contains("not an empty folder"));
    // Closed after the backup.
    let path = format!("/requests/{request}");
    let closing = json!({"outcome": "withdrawn"});
    let (status, closed) = call(&url, &auditor, "PATCH", &path, Some(closing)).await;
    assert_eq!((status, &closed["open"]), (200, &json!(false)), "{closed}");
    keepsake.kill();

    // All is lost but the backup, the master key and the folder of the checkpoints.
    let safe = here.dir().join("safe");
    fs::rename(here.data(), &safe).unwrap();
    assert!(refused(&here, &["restore", &name]).contains("the master key is missing"));
    fs::create_dir_all(here.data()).unwrap();
    fs::copy(safe.join("master.key"), here.data().join("master.key")).unwrap();
    fs::rename(safe.join("checkpoints"), here.data().join("checkpoints")).unwrap();
    // Nobody was ever erased, and the list says so; where it is lost, that must be said.
    let list = here.data().join("checkpoints/erasures.txt");
    let whose = fs::read_to_string(&list).unwrap();
    assert!(whose.starts_with("of ") && whose.lines().count() == 1);
    fs::rename(&list, safe.join("erasures.txt")).unwrap();
    assert!(refused(&here, &["restore", &name]).contains("--without-erasures"));
    // One in which nobody is says nothing: any start makes it, in any installation.
    for of_nobody in ["", "of 0123456789abcdef\n"] {
        fs::write(&list, of_nobody).unwrap();
        let said = refused(&here, &["restore", &name]);
        let whose = "is not that of the installation whose backup this is";
        assert!(
            said.contains("nothing was restored") && said.contains(whose),
            "{said}"
        );
        assert!(!here.data().join("keepsake.db").exists());
    }
    fs::remove_file(&list).unwrap();
    let without = "--without-erasures";
    let missing = here.dir().join("nowhere.keys").display().to_string();
    assert!(
        refused(&here, &["restore", without, &name, "--keys", &missing]).contains("nowhere.keys")
    );
    let swapped = file_keys.display().to_string();
    assert!(
        refused(&here, &["restore", without, &swapped, "--keys", &swapped])
            .contains("this is not a backup")
    );
    let bytes = fs::read(&file).unwrap();
    let cut = here.dir().join("cut.backup");
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let cut = cut.display().to_string();
    refused(&here, &["restore", without, &cut, "--keys", &swapped]);
    assert!(
        !here.data().join("keepsake.db").exists(),
        "a refusal leaves nothing behind"
    );

    fs::rename(safe.join("erasures.txt"), &list).unwrap();
    let restored = here.run(&["restore", &name]);
    let said = text(&restored.stderr);
    assert!(restored.status.success(), "{said}");
    assert!(
        said.contains("one that was closed after that is open again") && said.contains(request),
        "{said}"
    );
    let verified: serde_json::Value =
        serde_json::from_str(&here.done(&["audit", "verify"])).unwrap();
    assert_eq!(verified["ok"], true, "{verified}");
    assert!(verified["checkpoints"].as_i64().unwrap() >= 1, "{verified}");
    let again = here.serve(&[]);
    let (status, memories) = call(
        &again.url,
        &keys.agent,
        "GET",
        "/memories?user_id=ana",
        None,
    )
    .await;
    assert_eq!(status, 200, "{memories}");
    assert!(
        memories["data"][0]["content"]
            .as_str()
            .unwrap()
            .contains("Python"),
        "{memories}"
    );
    assert_eq!(again.ask_to_end(), Some(0));
    assert!(refused(&here, &["restore", &name]).contains("not an empty folder"));
}

// F9
#[tokio::test]
async fn whoever_was_erased_after_the_backup_is_erased_again_where_it_is_restored() {
    let here = Installation::fresh();
    let keys = here.people();
    let keepsake = here.serve(&[]);
    let url = keepsake.url.clone();
    let mut users = Vec::new();
    for name in ["ana", "bo"] {
        let said = json!({"user_id": name, "end": true, "messages": [{"role": "user", "content": "I prefer code examples in Python rather than pseudocode"}]});
        let (_, accepted) = call(&url, &keys.agent, "POST", "/conversations", Some(said)).await;
        operation(
            &url,
            &keys.agent,
            accepted["operation"].as_str().unwrap(),
            ended,
        )
        .await;
        let look = format!("/users/{name}/erasure?agent=support");
        let (_, seen) = call(&url, &keys.person, "GET", &look, None).await;
        users.push((
            seen["user"].as_str().unwrap().to_owned(),
            seen["version"].clone(),
        ));
    }
    let name = here.dir().join("keepsake.backup").display().to_string();
    here.done(&["backup", &name]);
    let (bo, version) = &users[1];
    let erase = json!({"confirm": "bo", "version": version, "reason": "asked_for"});
    let (status, erased) = call(
        &url,
        &keys.person,
        "POST",
        &format!("/users/{bo}/erase"),
        Some(erase),
    )
    .await;
    assert_eq!(status, 200, "{erased}");
    let list = here.data().join("checkpoints/erasures.txt");
    let marks = || {
        let list = fs::read_to_string(&list).unwrap();
        list.lines().filter(|line| !line.starts_with("of ")).count()
    };
    assert_eq!(marks(), 1);
    keepsake.kill();

    // The list of erasures is kept where the checkpoints are, apart from the backups.
    let safe = here.dir().join("safe");
    fs::rename(here.data(), &safe).unwrap();
    fs::create_dir_all(here.data()).unwrap();
    fs::copy(safe.join("master.key"), here.data().join("master.key")).unwrap();
    assert!(refused(&here, &["restore", &name]).contains("copy the folder data/checkpoints"));
    fs::rename(safe.join("checkpoints"), here.data().join("checkpoints")).unwrap();
    here.done(&["restore", &name]);
    let again = here.serve(&[]);
    for ((user, _), wanted) in users.iter().zip([200, 410]) {
        let (status, answer) = call(
            &again.url,
            &keys.person,
            "GET",
            &format!("/users/{user}"),
            None,
        )
        .await;
        assert_eq!(status, wanted, "{answer}");
    }
    assert_eq!(marks(), 2, "and it says so");
    assert_eq!(again.ask_to_end(), Some(0));
    let verified: serde_json::Value =
        serde_json::from_str(&here.done(&["audit", "verify"])).unwrap();
    assert_eq!(verified["ok"], true, "{verified}");
}

#[tokio::test]
async fn a_request_that_cannot_be_read_undoes_no_restore() {
    let here = Installation::fresh();
    here.people();
    let auditor = here.done(&[
        "key",
        "create",
        "--agent",
        "*",
        "--scopes",
        "exports:read",
        "--person",
        "mia@example.com",
    ]);
    let keepsake = here.serve(&[]);
    let asked = json!({"sort": "copy", "user_id": "ana"});
    let (status, request) = call(&keepsake.url, &auditor, "POST", "/requests", Some(asked)).await;
    assert_eq!(status, 201, "{request}");
    keepsake.kill();
    let file = here.dir().join("keepsake.backup");
    let name = file.display().to_string();
    here.done(&["backup", &name]);
    let url = format!("sqlite:{name}");
    let spoilt = behind_the_back(&url, "update requests set sealed = x'00'").await;
    assert_eq!(spoilt.unwrap(), 1);

    let safe = here.dir().join("safe");
    fs::rename(here.data(), &safe).unwrap();
    fs::create_dir_all(here.data()).unwrap();
    for kept in ["master.key", "checkpoints"] {
        fs::rename(safe.join(kept), here.data().join(kept)).unwrap();
    }
    let restored = here.run(&["restore", &name]);
    let said = text(&restored.stderr);
    assert!(
        restored.status.success() && said.contains("look at them under Requests"),
        "{said}"
    );
    here.done(&["audit", "verify"]);
}

#[test]
fn another_master_key_restores_nothing_and_postgresql_has_a_way_of_its_own() {
    let here = Installation::fresh();
    here.people();
    let name = here.dir().join("keepsake.backup").display().to_string();
    here.done(&["backup", &name]);
    let elsewhere = Installation::fresh().with("KEEPSAKE_MASTER_KEY", &"11".repeat(32));
    let said = refused(&elsewhere, &["restore", "--without-erasures", &name]);
    assert!(
        said.contains("nothing was restored") && said.contains("master key"),
        "{said}"
    );
    assert!(!elsewhere.data().join("keepsake.db").exists());

    let nothing = Installation::fresh();
    refused(&nothing, &["backup", "x.backup"]);
    assert!(!nothing.data().exists() && !nothing.dir().join("x.backup").exists());
    let shared = Installation::fresh()
        .with("KEEPSAKE_DATABASE_URL", "postgres://localhost/nowhere")
        .with("KEEPSAKE_MASTER_KEY", &"11".repeat(32));
    let said = refused(&shared, &["backup", "x.backup"]);
    assert!(
        said.contains("pg_dump --format=custom") && said.contains("x.backup.keys"),
        "{said}"
    );
    assert!(refused(&shared, &["restore", "x.backup"]).contains("pg_restore"));
}
