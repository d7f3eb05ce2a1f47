//! The command line: what goes where, and the exit codes.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use store::testing::{TestDb, behind_the_back};

use crate::installation::{Installation, call, ended, operation};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_command_has_help_with_an_example_and_wrong_usage_is_2() {
    let here = Installation::fresh();
    for command in [
        &["serve"][..],
        &["worker"],
        &["migrate"],
        &["admin", "create"],
        &["admin", "reset"],
        &["admin", "reset-second-factor"],
        &["agent", "create"],
        &["agent", "list"],
        &["key", "create"],
        &["key", "list"],
        &["key", "revoke"],
        &["memories", "import"],
        &["audit", "verify"],
        &["audit", "checkpoint"],
        &["audit", "key"],
        &["backup"],
        &["restore"],
        &["export"],
        &["import"],
        &["verify"],
        &["hook"],
        &["hook", "install"],
        &["hook", "uninstall"],
        &["hook", "status"],
        &["doctor"],
    ] {
        let help = here.run(&[command, &["--help"]].concat());
        assert!(help.status.success());
        let help = text(&help.stdout);
        assert!(
            help.contains("Example") && help.contains(&format!("keepsake {}", command.join(" "))),
            "{help}"
        );
    }
    for wrong in [
        &["remember"][..],
        &["agent", "create", "Not A Name"],
        &["key", "create"],
        &["key", "revoke", "support"],
        &["hook", "install"],
        &["export", "export.zip"],
        &[
            "export",
            "export.zip",
            "--person",
            "mia@example.com",
            "--as-of",
            "3 March",
        ],
        &[],
    ] {
        let output = here.run(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
    assert!(!here.data().exists(), "help and mistakes touch nothing");
}

#[test]
fn what_is_no_export_is_not_imported() {
    let here = Installation::fresh();
    let no_export = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for unverified in [&[][..], &["--unverified", "9c56"]] {
        let output = here.run(&[&["import", no_export][..], unverified].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        let said = text(&output.stderr);
        for part in ["the bundle: form: not a zip file", "nothing was imported"] {
            assert!(said.contains(part), "{said}");
        }
    }
    let output = here.run(&["import", no_export, "--key", "pubkey.text"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("nor the line of a key"), "{said}");
}

// G13
#[tokio::test]
async fn what_is_only_looked_at_leaves_no_upload_behind_whatever_happened() {
    let here = Installation::fresh();
    let keys = here.people();
    let table = here.dir().join("notes.csv");
    std::fs::write(&table, "who,text,source\nana,User has a boat,notes\n").unwrap();
    let table = table.to_str().unwrap();
    let import = ["memories", "import", table, "--agent", "support"];
    let columns = format!("the columns of {table} are who, text, source");
    let unknown = format!("--map: the file has no column of this name: nobody; {columns}");
    let unnamed = format!("--map: say which column becomes user_id; {columns}");
    let constant = format!("--set: content comes from a column; {columns}");
    let wrong_errors = [
        "--map",
        "who=user_id",
        "--dry-run",
        "--errors",
        "no/such.csv",
    ];
    let tries: [(&[&str], i32, &str); 6] = [
        (
            &["--map", "who=user_id", "--dry-run"],
            0,
            "1 rows: 1 would be proposed",
        ),
        (&["--map", "nobody=user_id", "--dry-run"], 1, &unknown),
        (&["--map", "nobody=user_id"], 1, &unknown),
        (&[], 1, &unnamed),
        (
            &["--map", "who=user_id", "--set", "content=x"],
            1,
            &constant,
        ),
        (&wrong_errors, 1, "no/such.csv"),
    ];
    for (more, code, expected) in tries {
        let output = here.run(&[&import[..], more].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{more:?}: {said}");
        assert!(said.contains(expected), "{more:?}: {said}");
        assert!(output.stdout.is_empty(), "{more:?}");
    }
    let nobody = here.run(&["memories", "import", table, "--agent", "nope"]);
    assert_eq!(nobody.status.code(), Some(1));
    let said = text(&nobody.stderr);
    assert!(said.contains("--agent: there is no agent nope"), "{said}");
    let empty = here.dir().join("empty.csv");
    std::fs::write(&empty, "\n").unwrap();
    let empty = empty.to_str().unwrap();
    let refused = here.run(&["memories", "import", empty, "--agent", "support"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    let expected = format!("{empty}: the file is empty");
    assert!(said.contains(&expected), "{said}");
    let keepsake = here.serve(&[]);
    let (status, left) = call(&keepsake.url, &keys.person, "GET", "/imports", None).await;
    assert_eq!(status, 200, "{left}");
    assert_eq!(left["data"], json!([]));
}

// E3
#[tokio::test]
async fn keys_are_listed_and_end_when_they_are_revoked() {
    let here = Installation::fresh();
    let keys = here.people();
    here.done(&["agent", "create", "coding"]);
    assert_eq!(here.done(&["agent", "list"]), "coding\nsupport");
    let nightly = ["--agent", "coding", "--expires", "90d", "--name", "nightly"];
    here.done(&[&["key", "create"][..], &nightly].concat());

    let listed = |more: &[&str]| -> Vec<Vec<String>> {
        let told = here.done(&[&["key", "list"][..], more].concat());
        assert!(!told.contains(&keys.agent) && !told.contains(&keys.person));
        let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
        told.lines().map(cells).collect()
    };
    let all = listed(&[]);
    let agents: Vec<&str> = all.iter().map(|key| key[1].as_str()).collect();
    assert_eq!(agents, ["coding", "*", "support"], "newest first");
    assert_eq!(all[1][4], "Mia");
    let coding = listed(&["--agent", "coding"]);
    assert_eq!((coding.len(), &coding[0]), (1, &all[0]));
    assert_eq!(coding[0][4..7], ["-", "nightly", "-"]);
    assert!(coding[0][7].starts_with("valid until "), "{coding:?}");
    let nobody = here.run(&["key", "list", "--agent", "nope"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(text(&nobody.stderr).contains("there is no agent nope"));

    let keepsake = here.serve(&[]);
    let path = "/memories";
    let (status, _) = call(&keepsake.url, &keys.agent, "GET", path, None).await;
    assert_eq!(status, 200);
    let support = listed(&["--agent", "support"]).remove(0);
    assert!(keys.agent.starts_with(support[2].trim_end_matches('…')));
    assert!(support[6].starts_with("used ") && support[7] == "valid");
    assert_eq!(here.done(&["key", "revoke", &support[0]]), support[0]);
    let (status, _) = call(&keepsake.url, &keys.agent, "GET", path, None).await;
    assert_eq!(status, 401);
    let revoked = listed(&["--agent", "support"]).remove(0);
    assert!(revoked[7].starts_with("revoked "), "{revoked:?}");
    let again = here.run(&["key", "revoke", &support[0]]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains(&support[0]));
}

#[test]
fn a_reader_that_has_gone_stops_no_command_and_a_full_disk_does() {
    let here = Installation::fresh();
    let home = here.dir().display().to_string();
    let here = here.with("HOME", &home);
    here.people();
    for command in [
        &["doctor"][..],
        &["doctor", "--defaults"],
        &["hook", "status"],
        &["agent", "list"],
        &["key", "list"],
        &["audit", "checkpoint"],
    ] {
        let (reader, stdout) = std::io::pipe().unwrap();
        drop(reader);
        let output = here.run_into(command, stdout);
        let said = text(&output.stderr);
        assert!(output.status.success(), "{command:?}: {said}");
        assert!(!said.contains("panicked"), "{command:?}: {said}");
    }
    if cfg!(target_os = "linux") {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = here.run_into(&["agent", "list"], full.unwrap());
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(said.starts_with("keepsake: write to stdout: "), "{said}");
    }
}

// E4
#[tokio::test]
async fn an_export_made_over_http_lives_on_in_another_installation() {
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
    let url = &keepsake.url;
    let said = json!({"user_id": "ana", "end": true, "messages": [{"role": "user", "content": "I prefer code examples in Python rather than pseudocode"}]});
    let (_, accepted) = call(url, &keys.agent, "POST", "/conversations", Some(said)).await;
    let accepted = accepted["operation"].as_str().unwrap();
    operation(url, &keys.agent, accepted, ended).await;
    let (_, waiting) = call(url, &keys.person, "GET", "/candidates?status=pending", None).await;
    let candidate = waiting["data"][0]["id"].as_str().unwrap();
    let approve = format!("/candidates/{candidate}/approve");
    let (status, _) = call(url, &keys.person, "POST", &approve, Some(json!({}))).await;
    assert_eq!(status, 200);
    let (status, asked) = call(url, &auditor, "POST", "/exports", Some(json!({}))).await;
    assert_eq!(status, 202, "{asked}");
    let export = format!("/exports/{}", asked["id"].as_str().unwrap());
    let deadline = Instant::now() + Duration::from_secs(30);
    while call(url, &auditor, "GET", &export, None).await.1["state"] != "done" {
        assert!(Instant::now() < deadline, "it is not written");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let file = reqwest::Client::new()
        .get(format!("{url}/api/v1{export}/file"))
        .bearer_auth(&auditor);
    let bytes = file.send().await.unwrap().bytes().await.unwrap();
    let bundle = here.dir().join("export.zip");
    std::fs::write(&bundle, bytes).unwrap();
    let bundle = bundle.display().to_string();
    assert_eq!(keepsake.ask_to_end(), Some(0));

    // Nobody vouches for it: that is said, with what it is signed with, and nothing is made.
    let there = Installation::fresh();
    let output = there.run(&["import", &bundle]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    let told = told.split_once("--unverified ").map(|(_, rest)| rest);
    let fingerprint = told.and_then(|rest| rest.split(' ').next()).unwrap();
    assert_eq!(fingerprint.len(), 64, "{fingerprint}");
    assert!(!there.data().exists());
    let other = "0".repeat(64);
    let output = there.run(&["import", &bundle, "--unverified", &other]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(fingerprint));
    let neither = there.run(&["import", &bundle, "--unverified", fingerprint, "--key", "k"]);
    assert_eq!(neither.status.code(), Some(2));

    let key = here.done(&["audit", "key"]);
    let key = key.lines().next().unwrap();
    assert_eq!(there.done(&["import", &bundle, "--key", key]), "support");
    let verified: Value = serde_json::from_str(&there.done(&["audit", "verify"])).unwrap();
    assert_eq!(verified["ok"], true, "{verified}");
    let agent = there.done(&["key", "create", "--agent", "support"]);
    let process = there.serve(&[]);
    let (status, memories) = call(&process.url, &agent, "GET", "/memories?user_id=ana", None).await;
    assert_eq!(status, 200, "{memories}");
    let content = memories["data"][0]["content"].as_str().unwrap();
    assert!(content.contains("Python"), "{memories}");
    assert_eq!(process.ask_to_end(), Some(0));
    let unverified = Installation::fresh();
    let import = ["import", &bundle, "--unverified", fingerprint];
    assert_eq!(unverified.done(&import), "support");
}

store::both! {
    // E4, G6
    async fn an_export_is_written_into_a_file_without_a_server_in_the_name_of_a_person(db: &TestDb) {
        let here = Installation::on(db);
        let keys = here.people();
        let keepsake = here.serve(&[]);
        let url = &keepsake.url;
        for user in ["ana", "bo"] {
            let said = format!("I prefer code examples in Python rather than pseudocode, canary-{user}");
            let said = json!({"user_id": user, "end": true, "messages": [{"role": "user", "content": said}]});
            let (_, accepted) = call(url, &keys.agent, "POST", "/conversations", Some(said)).await;
            operation(url, &keys.agent, accepted["operation"].as_str().unwrap(), ended).await;
        }
        let (_, waiting) = call(url, &keys.person, "GET", "/candidates?status=pending", None).await;
        let mut waiting = waiting["data"].as_array().unwrap().iter();
        let proposed = waiting.find(|one| one["user_id"] == "ana").unwrap()["created_at"].clone();
        assert_eq!(keepsake.ask_to_end(), Some(0));

        let key = here.done(&["audit", "key"]);
        let key = key.lines().next().unwrap();
        let of_mia = ["--person", "mia@example.com"];
        let told = here.done(&[&["export", "all.zip", "--agent", "support"][..], &of_mia].concat());
        assert!(told.ends_with("  all.zip") && told.len() == 64 + 9, "{told}");
        assert!(here.done(&["verify", "all.zip", "--key", key]).contains("nothing is wrong"));
        let file = here.dir().join("all.zip");
        let whole = std::fs::read(&file).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        // What is there stays.
        let again = here.run(&[&["export", "all.zip"][..], &of_mia].concat());
        assert_eq!(again.status.code(), Some(1));
        assert!(again.stdout.is_empty() && text(&again.stderr).contains("all.zip"));
        assert_eq!(std::fs::read(&file).unwrap(), whole);
        assert!(!here.dir().join("all.zip.part").exists());
        // What a run that was interrupted left is named, and nothing is asked for.
        let part = here.dir().join("old.zip.part");
        std::fs::write(&part, "half").unwrap();
        let after = here.run(&[&["export", "old.zip"][..], &of_mia].concat());
        assert_eq!(after.status.code(), Some(1));
        assert!(text(&after.stderr).contains("old.zip.part"), "{}", text(&after.stderr));
        assert!(part.exists() && !here.dir().join("old.zip").exists());

        // On stdout, of one person at an instant.
        let past = ["export", "-", "--agent", "support", "--user", "ana", "--as-of", proposed.as_str().unwrap()];
        let output = here.run(&[&past[..], &of_mia].concat());
        assert!(output.status.success() && output.stdout.starts_with(b"PK\x03\x04"), "{}", text(&output.stderr));
        std::fs::write(here.dir().join("past.zip"), &output.stdout).unwrap();
        let checked = here.done(&["verify", "past.zip", "--key", key]);
        let stood = checked.lines().find(|line| line.starts_with("as-of.ndjson")).unwrap();
        assert!(!stood.ends_with(" 0 lines") && checked.contains("nothing is wrong"), "{checked}");

        for (wrong, said) in [
            (&["--user", "nobody"][..], "--user: "),
            (&["--user", "ana", "--as-of", "2999-01-01"], "--as-of: "),
            (&["--as-of", "2020-01-01"], "--user: "),
            (&["--user", "ana", "--as-of", "2020-01-01", "--from", "2020-01-01"], "--from: "),
            (&["--from", "2020-01-02", "--to", "2020-01-02"], "--to: "),
        ] {
            let refused = here.run(&[&["export", "wrong.zip"][..], &of_mia, wrong].concat());
            assert_eq!(refused.status.code(), Some(1), "{wrong:?}");
            assert!(refused.stdout.is_empty() && text(&refused.stderr).contains(said), "{wrong:?}: {}", text(&refused.stderr));
            assert!(!here.dir().join("wrong.zip").exists() && !here.dir().join("wrong.zip.part").exists(), "{wrong:?}");
        }
        let stranger = here.run(&["export", "wrong.zip", "--person", "nobody@example.com"]);
        assert_eq!(stranger.status.code(), Some(1));
        assert!(text(&stranger.stderr).contains("nobody@example.com") && !here.dir().join("wrong.zip").exists());

        let process = here.serve(&[]);
        for kind in ["export.requested", "export.downloaded"] {
            let path = format!("/audit/events?agent=system&type={kind}");
            let (_, events) = call(&process.url, &keys.person, "GET", &path, None).await;
            let events = events["data"].as_array().unwrap();
            assert_eq!(events.len(), 2, "{kind}: {events:?}");
            assert!(events.iter().all(|event| event["actor"]["name"] == "Mia"), "{events:?}");
        }
        assert_eq!(process.ask_to_end(), Some(0));
    }
}

#[test]
fn an_export_is_checked_without_an_installation() {
    let here = Installation::fresh();
    let no_export = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = here.run(&["verify", no_export]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("the bundle: form: not a zip file"));
    let output = here.run(&["verify", no_export, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("\"kind\": \"form\""));

    for missing in [
        &["verify", "/nowhere/export.zip"][..],
        &["verify", no_export, "--key", "/nowhere/pubkey.txt"],
    ] {
        let output = here.run(missing);
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty() && text(&output.stderr).contains("read /nowhere/"));
    }
    assert!(!here.data().exists());
}

/// Python writes the zip, as it reads it below.
const A_COPY: &str = r#"
import hashlib, sys, zipfile
names = ["conversations.ndjson", "about-you.json", "about-you.html", "README.txt"]
sums = "".join("{}  {}\n".format(hashlib.sha256(b"{}").hexdigest(), name) for name in names)
with zipfile.ZipFile(sys.argv[1], "w") as copy:
    for name in names:
        copy.writestr(name, "{}")
    copy.writestr("SHA256SUMS", sums)
"#;

// G5
#[test]
fn of_a_persons_copy_both_verifiers_say_that_its_sums_are_all_they_can_check() {
    const VERIFY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify.py");
    let here = Installation::fresh();
    let copy = here.dir().join("copy.zip").display().to_string();
    let python = |arguments: &[&str]| {
        let output = Command::new("python3").arg("-B").args(arguments).output();
        output.expect("python3, in which the second verifier is written")
    };
    assert!(python(&["-c", A_COPY, &copy]).status.success());
    for output in [here.run(&["verify", &copy]), python(&[VERIFY, &copy])] {
        assert!(output.status.success());
        let told = text(&output.stdout);
        for words in [
            "a person's own copy",
            "SHA256SUMS",
            "no audit chain and no signature",
            "nothing is wrong",
        ] {
            assert!(told.contains(words), "{words}: {told}");
        }
    }
    let as_json = here.run(&["verify", &copy, "--json"]);
    assert!(text(&as_json.stdout).contains("\"sort\": \"copy\""));
}

#[test]
fn a_key_is_printed_alone_and_failures_are_1_on_stderr() {
    let here = Installation::fresh();
    let keys = here.people();
    for key in [&keys.agent, &keys.person] {
        assert!(domain::key::ApiKey::parse(key).is_some(), "{key}");
    }
    for (wrong, said) in [
        (&["agent", "create", "support"][..], "name"),
        (&["key", "create", "--agent", "nobody"], ""),
        (&["key", "create", "--agent", "*"], ""),
        (
            &[
                "key",
                "create",
                "--agent",
                "support",
                "--scopes",
                "review:write",
            ],
            "",
        ),
        (
            &[
                "key",
                "create",
                "--agent",
                "*",
                "--person",
                "nobody@example.com",
            ],
            "nobody@example.com",
        ),
    ] {
        let output = here.run(wrong);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{wrong:?}: {}",
            text(&output.stdout)
        );
        assert!(output.stdout.is_empty(), "{wrong:?}");
        let stderr = text(&output.stderr);
        assert!(
            stderr.starts_with("keepsake: ") && stderr.contains(said),
            "{stderr}"
        );
    }
    let stranger = here.run(&["admin", "reset", "--person", "nobody@example.com"]);
    assert_eq!(stranger.status.code(), Some(1));
    assert!(stranger.stdout.is_empty());
    let link = here.done(&["admin", "reset", "--person", "mia@example.com"]);
    let (_, token) = link.split_once("/join?token=").expect("a link");
    assert_eq!(token.len(), 64, "{link}");
    let weak = [
        "admin",
        "create",
        "--email",
        "bo@example.com",
        "--name",
        "Bo",
        "--password-stdin",
    ];
    assert_eq!(here.run_with(&weak, "short").status.code(), Some(1));
    assert_eq!(here.run_with(&weak, "").status.code(), Some(1));

    let verified = here.done(&["audit", "verify"]);
    let verified: serde_json::Value = serde_json::from_str(&verified).unwrap();
    assert_eq!(verified["ok"], true);
    assert!(verified["events"].as_i64().unwrap() >= 4);
}

#[tokio::test]
async fn who_has_lost_their_second_factor_is_let_in_again() {
    let here = Installation::fresh();
    here.people();
    let reset = |email: &str| here.run(&["admin", "reset-second-factor", "--person", email]);
    for (email, why) in [
        ("nobody@example.com", "nobody has the e-mail address"),
        ("mia@example.com", "mia@example.com has no second factor"),
    ] {
        let refused = reset(email);
        assert_eq!(refused.status.code(), Some(1));
        assert!(refused.stdout.is_empty() && text(&refused.stderr).contains(why));
    }
    let url = format!("sqlite:{}", here.data().join("keepsake.db").display());
    let lost = "insert into second_factors (person_id, enabled_at, last_step, sealed) \
                select id, 1, 0, x'00' from people";
    assert_eq!(behind_the_back(&url, lost).await.unwrap(), 1);
    let done = reset("Mia@example.com");
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(text(&done.stdout).starts_with("per_"));
    assert_eq!(
        reset("mia@example.com").status.code(),
        Some(1),
        "it is gone"
    );
    let verified: Value = serde_json::from_str(&here.done(&["audit", "verify"])).unwrap();
    assert_eq!(verified["ok"], true, "{verified}");
}

#[cfg(unix)]
#[test]
fn what_is_made_is_for_its_owner_alone_and_what_others_can_read_is_told() {
    use std::{
        fs::{Permissions, metadata, set_permissions},
        os::unix::fs::PermissionsExt,
    };
    let here = Installation::fresh();
    let database = here.data().join("keepsake.db");
    let mode = |path: &std::path::Path| metadata(path).unwrap().permissions().mode() & 0o777;
    let keepsake = here.serve(&[]);
    let log = here.data().join("keepsake.db-wal");
    for (path, wanted) in [(&here.data(), 0o700), (&database, 0o600), (&log, 0o600)] {
        assert_eq!(mode(path), wanted, "{}", path.display());
    }
    assert_eq!(keepsake.ask_to_end(), Some(0));
    assert!(!here.done(&["doctor"]).contains("others can read it"));

    set_permissions(here.data(), Permissions::from_mode(0o755)).unwrap();
    set_permissions(&database, Permissions::from_mode(0o644)).unwrap();
    here.done(&["migrate"]);
    assert_eq!(
        (mode(&here.data()), mode(&database)),
        (0o755, 0o644),
        "left as they are"
    );
    let doctor = here.done(&["doctor"]);
    for hint in ["`chmod 700 ", "`chmod 600 "] {
        assert!(doctor.contains(hint), "{doctor}");
    }
}

#[test]
fn doctor_says_what_is_wrong_and_what_to_do() {
    let here = Installation::fresh();
    let fresh = here.run(&["doctor"]);
    assert!(fresh.status.success(), "{}", text(&fresh.stdout));
    assert!(!here.data().exists(), "a look changes nothing");
    here.done(&["migrate"]);
    let healthy = here.done(&["doctor"]);
    assert!(
        healthy.contains("ok    master key") && healthy.contains("ok    database"),
        "{healthy}"
    );

    let key = here.data().join("master.key");
    let safe = here.dir().join("master.key");
    std::fs::rename(&key, &safe).unwrap();
    let lost = here.run(&["doctor"]);
    assert_eq!(lost.status.code(), Some(1));
    assert!(text(&lost.stdout).contains("FAULT master key\n      the master key is missing"));
    for command in ["serve", "worker", "migrate"] {
        let refused = here.run(&[command]);
        assert_eq!(refused.status.code(), Some(1), "{command}");
        let said = text(&refused.stderr);
        assert!(
            said.contains("the master key is missing") && said.contains("data/master.key"),
            "{said}"
        );
        assert!(!key.exists(), "{command} made another one");
    }
    std::fs::rename(&safe, &key).unwrap();
    here.done(&["doctor"]);

    let elsewhere = here.with("KEEPSAKE_MASTER_KEY", &"11".repeat(32));
    let other_start = elsewhere.run(&["serve"]);
    assert_eq!(other_start.status.code(), Some(1));
    let said = text(&other_start.stderr);
    assert!(
        said.contains("made with another one") && said.contains("KEEPSAKE_MASTER_KEY"),
        "{said}"
    );
    let other_key = elsewhere.run(&["doctor"]);
    assert_eq!(other_key.status.code(), Some(1));
    assert!(
        text(&other_key.stdout).contains("another master key"),
        "{}",
        text(&other_key.stdout)
    );

    let net = Installation::fresh().with("KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES", "10.1.0.0/99");
    let doctor = net.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(1));
    let doctor = text(&doctor.stdout);
    assert!(
        doctor.contains("FAULT configuration: allowed_private_addresses: \"10.1.0.0/99\"")
            && !doctor.contains("ok    configuration"),
        "{doctor}"
    );
    assert_eq!(net.run(&["serve"]).status.code(), Some(1));

    let open = Installation::fresh().with("KEEPSAKE_PUBLIC_URL", "http://keepsake.example");
    let open = open.run(&["doctor"]);
    assert_eq!(open.status.code(), Some(1));
    assert!(
        text(&open.stdout).contains("https"),
        "{}",
        text(&open.stdout)
    );

    for (model, said) in [
        ("bananas", "provider::model"),
        ("openai::gpt-4.1-mini", "Set KEEPSAKE_EXTRACTOR_API_KEY"),
    ] {
        let here = Installation::fresh().with("KEEPSAKE_EXTRACTOR_MODEL", model);
        let doctor = here.run(&["doctor"]);
        assert_eq!(doctor.status.code(), Some(1), "{model}");
        let doctor = text(&doctor.stdout);
        assert!(
            doctor.contains(&format!("FAULT extractor {model}: ")) && doctor.contains(said),
            "{doctor}"
        );
    }
    let nameless = Installation::fresh().with("KEEPSAKE_EXTRACTOR_MODEL", "bananas");
    let refused = nameless.run(&["serve"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("extractor: \"bananas\""));
    let keyless = Installation::fresh().with("KEEPSAKE_EXTRACTOR_MODEL", "openai::gpt-4.1-mini");
    assert_eq!(keyless.serve(&[]).ask_to_end(), Some(0));
    assert!(
        keyless.log().contains("set KEEPSAKE_EXTRACTOR_API_KEY"),
        "{}",
        keyless.log()
    );

    let typo = Installation::fresh().with("KEEPSAKE_LISTENS", "x");
    assert!(text(&typo.run(&["doctor"]).stdout).contains("KEEPSAKE_LISTENS"));
    assert_eq!(typo.run(&["serve"]).status.code(), Some(1));
    assert!(text(&here_defaults()).contains("[extractor]"));

    let nowhere = Installation::fresh().run(&["serve", "--config", "nowhere.toml"]);
    assert_eq!(nowhere.status.code(), Some(1));
    let said = text(&nowhere.stderr);
    assert!(
        said.starts_with("keepsake: nowhere.toml: ") && said.matches("No such file").count() == 1,
        "{said}"
    );
}

fn here_defaults() -> Vec<u8> {
    Installation::fresh().run(&["doctor", "--defaults"]).stdout
}

#[tokio::test]
async fn the_first_start_makes_a_private_key_prints_one_link_and_ends_when_asked() {
    let here = Installation::fresh();
    let mut keepsake = here.serve(&[]);
    let link = keepsake.says();
    let (_, token) = link.split_once("/setup?token=").expect("a setup link");
    let url = keepsake.url.clone();
    for path in ["/livez", "/readyz"] {
        assert_eq!(
            reqwest::get(format!("{url}{path}")).await.unwrap().status(),
            200,
            "{path}"
        );
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = std::fs::metadata(here.data().join("master.key")).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(keepsake.ask_to_end(), Some(0));
    let log = here.log();
    assert!(!log.contains(token), "the link is in the log");
    assert!(log.contains("/readyz"), "{log}");

    here.people();
    let again = here.serve(&[]);
    let (status, _) = call(&again.url, "keep_live_wrong", "GET", "/memories", None).await;
    assert_eq!(status, 401);
    assert_eq!(again.ask_to_end(), Some(0));
    assert!(here.dir().join("data/keepsake.db").exists());
}

#[tokio::test]
async fn metrics_have_a_listener_of_their_own() {
    // A free port, given back at once; nobody else here takes one by number.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let here = Installation::fresh().with("KEEPSAKE_METRICS_LISTEN", &address);
    let keepsake = here.serve(&[]);
    reqwest::get(format!("{}/livez", keepsake.url))
        .await
        .unwrap();
    let figures = reqwest::get(format!("http://{address}/metrics"))
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(
        figures.contains("keepsake_http_request_seconds") && figures.contains("route=\"/livez\""),
        "{figures}"
    );
    assert_eq!(
        reqwest::get(format!("{}/metrics", keepsake.url))
            .await
            .unwrap()
            .status(),
        404
    );
}
