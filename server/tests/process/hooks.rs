//! `keepsake hook` as clients run it: the real binary, their JSON on stdin, their records on disk, and a Keepsake that is there, away,
//! or hangs. No test looks at a clock: each asks which way was taken.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

use crate::installation::{Installation, call};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hooks");
/// The clients, each with a record of one and the same talk.
const CLIENTS: [(&str, &str); 4] = [
    ("claude-code", "transcript.jsonl"),
    ("codex", "rollout.jsonl"),
    ("gemini", "session.json"),
    ("cursor", "transcript.jsonl"),
];
const WORDS: &str = "I prefer code examples in Python rather than pseudocode.";

/// The machine of somebody who talks to an agent.
struct Laptop {
    here: Installation,
}

impl Laptop {
    /// Hooks find Keepsake at `url`.
    fn new(url: &str, key: &str) -> Self {
        let here = Installation::fresh();
        let home = here.dir().join("home");
        fs::create_dir(&home).unwrap();
        let here = here
            .with("HOME", &home.display().to_string())
            .with("USER", "ana")
            .with("KEEPSAKE_URL", url)
            .with("KEEPSAKE_API_KEY", key);
        Self { here }
    }

    fn home(&self) -> PathBuf {
        self.here.dir().join("home")
    }

    fn state(&self, client: &str) -> PathBuf {
        self.home().join(".local/state/keepsake/hook").join(client)
    }

    /// The record of the session, so far with its first `lines`.
    fn says(&self, client: &str, file: &str, lines: usize) {
        let whole = fs::read_to_string(Path::new(FIXTURES).join(client).join(file)).unwrap();
        let part: String = whole.split_inclusive('\n').take(lines).collect();
        fs::write(self.home().join("record"), part).unwrap();
    }

    /// What the client writes for an event.
    fn event(&self, client: &str, event: &str) -> String {
        let text = Path::new(FIXTURES)
            .join(client)
            .join(format!("{event}.json"));
        let (record, home) = (self.home().join("record"), self.home());
        fs::read_to_string(text)
            .unwrap()
            .replace("TRANSCRIPT", &record.display().to_string())
            .replace("WORKSPACE", &home.display().to_string())
    }

    /// Runs the hook; whatever happens it ends with 0 and says nothing on stderr. Gives its stdout.
    #[track_caller]
    fn hook(&self, client: &str, event: &str) -> String {
        self.hears(client, event, &self.event(client, event))
    }

    #[track_caller]
    fn hears(&self, client: &str, event: &str, stdin: &str) -> String {
        let output = self
            .here
            .run_with(&["hook", "--client", client, "--event", event], stdin);
        harmless(&output);
        String::from_utf8(output.stdout).unwrap()
    }

    /// How many deliveries wait, whomever they are for.
    fn waits(&self, client: &str) -> usize {
        let destinations = fs::read_dir(self.state(client).join("spool"));
        let destinations = destinations.into_iter().flatten();
        let deliveries = destinations.flat_map(|folder| {
            let folder = fs::read_dir(folder.unwrap().path()).unwrap();
            folder.map(|entry| entry.unwrap().file_name())
        });
        deliveries
            .filter(|name| name.to_string_lossy().ends_with(".json"))
            .count()
    }

    /// Lets hooks run until nothing waits: one that had too little time leaves the rest to the next.
    #[track_caller]
    fn all_sent(&self, client: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.waits(client) > 0 {
            assert!(Instant::now() < deadline, "{}", self.log(client));
            self.hook(client, "turn");
        }
    }

    /// Lets sessions start until the agent is told something.
    #[track_caller]
    fn told(&self, client: &str) -> Value {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let stdout = self.hook(client, "session-start");
            if !stdout.is_empty() {
                return serde_json::from_str(&stdout).unwrap();
            }
            assert!(Instant::now() < deadline, "{}", self.log(client));
        }
    }

    fn log(&self, client: &str) -> String {
        fs::read_to_string(self.state(client).join("log")).unwrap_or_default()
    }
}

#[track_caller]
fn harmless(output: &Output) {
    assert_eq!(output.status.code(), Some(0));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, "", "a client would show it");
}

/// An address where nobody listens.
fn nobody() -> String {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", free.local_addr().unwrap())
}

/// Answers as Keepsake does, and remembers what it was sent.
async fn keepsake(block: &str) -> MockServer {
    let server = MockServer::start().await;
    answer(&server, block).await;
    server
}

async fn answer(server: &MockServer, block: &str) {
    let taken = ResponseTemplate::new(202).set_body_json(json!({"operation": "op_x"}));
    let context = ResponseTemplate::new(200).set_body_json(json!({"block": block}));
    for (place, answer) in [
        ("/api/v1/conversations", taken),
        ("/api/v1/context", context),
    ] {
        Mock::given(method("POST"))
            .and(path(place))
            .respond_with(answer)
            .mount(server)
            .await;
    }
}

/// The bodies that were posted as conversations, in their order.
async fn posted(server: &MockServer) -> Vec<Value> {
    let requests = server.received_requests().await.unwrap();
    let posts = requests
        .iter()
        .filter(|request| request.url.path() == "/api/v1/conversations");
    posts.map(|request| request.body_json().unwrap()).collect()
}

fn contents(bodies: &[Value]) -> Vec<&str> {
    let messages = bodies
        .iter()
        .flat_map(|body| body["messages"].as_array().unwrap());
    messages
        .map(|one| one["content"].as_str().unwrap())
        .collect()
}

// C2
#[tokio::test]
async fn a_session_is_told_what_is_approved_and_what_is_said_in_it_waits_for_review() {
    let server = Installation::fresh();
    let keys = server.people();
    let running = server.serve(&[]);
    let url = running.url.clone();
    let known =
        json!({"user_id": "ana", "kind": "preference", "content": "User prefers metric units"});
    let path = "/memories?agent=support";
    let (status, made) = call(&url, &keys.person, "POST", path, Some(known)).await;
    assert_eq!(status, 201, "{made}");

    let laptop = Laptop::new(&url, &keys.agent);
    laptop.says("claude-code", "transcript.jsonl", 0);
    let told = laptop.told("claude-code");
    let output = &told["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "SessionStart");
    let context = output["additionalContext"].as_str().unwrap();
    assert!(context.contains("<entity_memory>") && context.contains("User prefers metric units"));

    laptop.says("claude-code", "transcript.jsonl", usize::MAX);
    assert_eq!(laptop.hook("claude-code", "turn"), "");
    assert_eq!(laptop.hook("claude-code", "session-end"), "");
    laptop.all_sent("claude-code");
    let deadline = Instant::now() + Duration::from_secs(30);
    let queue = loop {
        let waiting = "/candidates?status=pending&agent=support&user_id=ana";
        let (_, queue) = call(&url, &keys.person, "GET", waiting, None).await;
        if queue
            .to_string()
            .contains("User prefers code examples in Python")
        {
            break queue;
        }
        assert!(Instant::now() < deadline, "{queue}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    // F6: neither what a tool printed nor what Keepsake had told.
    for other in ["tabs", "metric units"] {
        assert!(!queue.to_string().contains(other), "{queue}");
    }
    let log = laptop.log("claude-code");
    assert!(
        !log.contains("Python") && !log.contains(&keys.agent),
        "{log}"
    );
}

// C2
#[tokio::test]
async fn every_client_sends_what_is_new_once_and_the_end() {
    for (client, file) in CLIENTS {
        let server = keepsake("").await;
        let laptop = Laptop::new(&server.uri(), "keep_live_x");
        laptop.says(client, file, usize::MAX);
        for event in ["session-start", "turn", "turn", "session-end"] {
            assert_eq!(laptop.hook(client, event), "", "{client} {event}");
        }
        laptop.all_sent(client);
        let bodies = posted(&server).await;
        let said = contents(&bodies);
        assert_eq!((said.len(), said[0]), (4, WORDS), "{client}: {bodies:?}");
        let last = bodies.last().unwrap();
        assert_eq!(
            (&last["end"], &last["user_id"]),
            (&json!(true), &json!("ana")),
            "{client}"
        );
        assert!(
            last["conversation_id"]
                .as_str()
                .unwrap()
                .starts_with(client)
        );
        assert!(
            bodies.iter().rev().skip(1).all(|body| body["end"] == false),
            "{client}"
        );
    }
}

#[tokio::test]
async fn a_turn_sends_only_what_the_turn_before_had_not() {
    let server = keepsake("").await;
    let laptop = Laptop::new(&server.uri(), "keep_live_x");
    for lines in [6, 11, usize::MAX] {
        laptop.says("claude-code", "transcript.jsonl", lines);
        laptop.hook("claude-code", "turn");
    }
    laptop.all_sent("claude-code");
    let bodies = posted(&server).await;
    let messages = bodies
        .iter()
        .map(|body| body["messages"].as_array().unwrap().len());
    assert_eq!(messages.collect::<Vec<_>>(), [2, 1, 1]);
    let mut ids: Vec<_> = bodies
        .iter()
        .flat_map(|body| body["messages"].as_array().unwrap())
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn what_was_said_while_keepsake_was_away_is_sent_in_its_order_by_the_next_hook() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(503))
        .mount(&server)
        .await;
    let laptop = Laptop::new(&server.uri(), "keep_live_x");
    for (lines, waits) in [(6, 1), (usize::MAX, 2)] {
        laptop.says("claude-code", "transcript.jsonl", lines);
        assert_eq!(laptop.hook("claude-code", "turn"), "");
        assert_eq!(laptop.waits("claude-code"), waits);
    }
    assert_eq!(laptop.hook("claude-code", "session-end"), "");
    assert_eq!(laptop.waits("claude-code"), 3);
    let log = laptop.log("claude-code");
    assert!(
        log.contains("deliveries wait") && !log.contains("Python"),
        "{log}"
    );

    server.reset().await;
    answer(&server, "").await;
    let deadline = Instant::now() + Duration::from_secs(60);
    while laptop.waits("claude-code") > 0 {
        assert!(Instant::now() < deadline, "{}", laptop.log("claude-code"));
        laptop.hook("claude-code", "session-start");
    }
    let bodies = posted(&server).await;
    let sizes = bodies.iter().map(|body| {
        (
            body["messages"].as_array().unwrap().len(),
            body["end"] == true,
        )
    });
    assert_eq!(
        sizes.collect::<Vec<_>>(),
        [(2, false), (2, false), (0, true)]
    );
}

#[tokio::test]
async fn what_waits_for_one_keepsake_is_told_to_no_other_one() {
    let laptop = Laptop::new(&nobody(), "keep_live_x");
    laptop.says("claude-code", "transcript.jsonl", 6);
    assert_eq!(laptop.hook("claude-code", "turn"), "");
    assert_eq!(laptop.waits("claude-code"), 1);

    // What is said from now on is for another one.
    let server = keepsake("").await;
    let url = server.uri();
    laptop.says("claude-code", "transcript.jsonl", usize::MAX);
    let turn = [
        "hook",
        "--client",
        "claude-code",
        "--event",
        "turn",
        "--url",
        url.as_str(),
    ];
    let deadline = Instant::now() + Duration::from_secs(60);
    while posted(&server).await.is_empty() || laptop.waits("claude-code") > 1 {
        assert!(Instant::now() < deadline, "{}", laptop.log("claude-code"));
        harmless(
            &laptop
                .here
                .run_with(&turn, &laptop.event("claude-code", "turn")),
        );
    }
    let bodies = posted(&server).await;
    let told = contents(&bodies);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(!told.contains(&WORDS), "{told:?}");
    assert_eq!(laptop.waits("claude-code"), 1);
}

#[tokio::test]
async fn a_keepsake_that_hangs_keeps_no_session_waiting() {
    let server = MockServer::start().await;
    let never = ResponseTemplate::new(202).set_delay(Duration::from_secs(600));
    Mock::given(method("POST"))
        .respond_with(never)
        .mount(&server)
        .await;
    let laptop = Laptop::new(&server.uri(), "keep_live_x");
    laptop.says("codex", "rollout.jsonl", usize::MAX);
    // Each of them would wait ten minutes.
    for event in ["session-start", "turn"] {
        assert_eq!(laptop.hook("codex", event), "", "{event}");
    }
    assert_eq!(laptop.waits("codex"), 1);
}

#[tokio::test]
async fn what_keepsake_refuses_for_good_does_not_hold_up_the_rest() {
    let server = MockServer::start().await;
    let changed = ResponseTemplate::new(409).set_body_json(json!({"code": "message_changed"}));
    Mock::given(method("POST"))
        .respond_with(changed)
        .mount(&server)
        .await;
    let laptop = Laptop::new(&server.uri(), "keep_live_x");
    laptop.says("gemini", "session.json", usize::MAX);
    laptop.hook("gemini", "turn");
    laptop.all_sent("gemini");
    let log = laptop.log("gemini");
    assert!(
        log.contains("dropped a delivery: refused 409 message_changed"),
        "{log}"
    );
}

#[tokio::test]
async fn what_is_refused_because_of_the_key_waits_and_the_log_says_why() {
    let server = Installation::fresh();
    server.people();
    let running = server.serve(&[]);
    let person = ["--agent", "*", "--person", "mia@example.com"];
    let key = server.done(&[&["key", "create"][..], &person, &["--scopes", "admin"]].concat());
    let laptop = Laptop::new(&running.url, &key);
    laptop.says("gemini", "session.json", usize::MAX);
    // How long it takes is not promised: until it was refused.
    let deadline = Instant::now() + Duration::from_secs(60);
    while !laptop
        .log("gemini")
        .contains("refused 422 invalid: /agent: say which agent")
    {
        assert!(Instant::now() < deadline, "{}", laptop.log("gemini"));
        laptop.hook("gemini", "turn");
    }
    assert_eq!(laptop.waits("gemini"), 1);
    assert!(!laptop.log("gemini").contains("dropped"));
}

#[tokio::test]
async fn garbage_from_a_client_is_a_line_of_the_log() {
    let server = keepsake("<entity_memory>\n</entity_memory>").await;
    let laptop = Laptop::new(&server.uri(), "keep_live_x");
    for (client, _) in CLIENTS {
        for stdin in [
            "",
            "{",
            "null",
            "[]",
            "{}",
            "\u{0}",
            r#"{"session_id": "a\u0000b"}"#,
            r#"{"session_id": 5}"#,
        ] {
            for event in ["session-start", "turn", "session-end"] {
                assert_eq!(
                    laptop.hears(client, event, stdin),
                    "",
                    "{client} {event} {stdin}"
                );
            }
        }
        assert!(laptop.log(client).contains("stdin names no session"));
        let no_record = json!({"session_id": "s", "transcript_path": "/nowhere", "cwd": "/"});
        assert_eq!(laptop.hears(client, "turn", &no_record.to_string()), "");
    }
    assert!(posted(&server).await.is_empty());
    // An event of another edition, which would end with 2 and mean no.
    let later = ["hook", "--client", "codex", "--event", "someday"];
    let output = laptop.here.run_with(&later, "{}");
    harmless(&output);
    assert!(output.stdout.is_empty());
}

#[tokio::test]
async fn two_hooks_at_once_send_nothing_twice() {
    let server = keepsake("").await;
    let laptop = Laptop::new(&server.uri(), "keep_live_x");
    laptop.says("claude-code", "transcript.jsonl", usize::MAX);
    let event = laptop.event("claude-code", "turn");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| laptop.hears("claude-code", "turn", &event));
        }
    });
    laptop.all_sent("claude-code");
    let bodies = posted(&server).await;
    assert_eq!(contents(&bodies).len(), 4, "{bodies:?}");
}

// C2
#[tokio::test]
async fn where_a_hook_cannot_tell_anything_the_block_comes_and_goes_in_the_instruction_file() {
    let server = keepsake("<entity_memory>\n- User likes tea\n</entity_memory>").await;
    let laptop = Laptop::new(&server.uri(), "keep_live_x");
    laptop.says("cursor", "transcript.jsonl", usize::MAX);
    let rules = laptop.home().join(".cursor/rules/keepsake.mdc");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !rules.exists() {
        assert!(Instant::now() < deadline, "{}", laptop.log("cursor"));
        assert_eq!(laptop.hook("cursor", "session-start"), "");
    }
    let text = fs::read_to_string(&rules).unwrap();
    assert!(
        text.contains("alwaysApply: true") && text.contains("User likes tea"),
        "{text}"
    );
    assert_eq!(laptop.hook("cursor", "session-end"), "");
    assert!(!rules.exists());
}

// C2
#[tokio::test]
async fn install_asks_keepsake_whether_a_hook_can_use_the_key() {
    let server = Installation::fresh();
    let keys = server.people();
    let running = server.serve(&[]);
    let key = |arguments: &[&str]| server.done(&[&["key", "create"][..], arguments].concat());
    let everywhere = key(&[
        "--agent",
        "*",
        "--person",
        "mia@example.com",
        "--scopes",
        "admin",
    ]);
    let reads = key(&["--agent", "support", "--scopes", "context:read"]);
    let revoked = key(&["--agent", "support", "--name", "old"]);
    let listed = server.done(&["key", "list"]);
    let old = listed
        .lines()
        .find(|line| line.contains("\told\t"))
        .unwrap();
    server.done(&["key", "revoke", old.split('\t').next().unwrap()]);

    let laptop = Laptop::new(&running.url, &keys.agent);
    let file = laptop.home().join("key.txt");
    let install = |key: &str, client: &str| {
        fs::write(&file, format!("{key}\n")).unwrap();
        let file = file.to_str().unwrap();
        let install = [
            "hook",
            "install",
            "--yes",
            "--client",
            client,
            "--key-file",
            file,
        ];
        let output = laptop.here.run(&install);
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    };
    for (key, why) in [
        (&everywhere, "names no single agent"),
        (&reads, "may not send conversations"),
        (&revoked, "was revoked"),
    ] {
        let (code, said) = install(key, "claude-code");
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(why), "{said}");
        assert!(said.contains("keepsake key create --agent") && !said.contains("Done"));
    }
    assert!(!laptop.home().join(".claude").exists() && !laptop.home().join(".config").exists());
    let (code, said) = install(&keys.agent, "claude-code");
    assert!(
        code == Some(0) && said.contains("Done.") && !said.contains("Note"),
        "{said}"
    );
    let (_, users) = call(&running.url, &keys.person, "GET", "/users", None).await;
    assert_eq!(users["data"], json!([]), "nothing was sent or served");

    running.kill();
    let (code, said) = install(&keys.agent, "gemini");
    assert!(code == Some(0) && said.contains("Done."), "{said}");
    assert!(
        said.contains("does not answer as Keepsake does (unreachable)"),
        "{said}"
    );
}

// C2
#[test]
fn install_shows_what_it_would_do_and_uninstall_leaves_nothing() {
    const KEY: &str = "keep_live_";
    let server = Installation::fresh();
    let keys = server.people();
    let laptop = Laptop::new(&nobody(), &keys.agent);
    let settings = laptop.home().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let mine = "{ \"model\" :\"x\",\n\t\"hooks\": {\"Stop\": [ ]} }";
    fs::write(&settings, mine).unwrap();
    let own = laptop.home().join(".config/keepsake/hook-claude-code.toml");
    let install = ["hook", "install", "--client", "claude-code"];
    let with = |more: &[&str]| laptop.here.run(&[&install[..], more].concat());

    let looked = with(&["--dry-run"]);
    let shown = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(
        looked.status.success() && shown.contains("+") && shown.contains("--event session-end")
    );
    assert!(!shown.contains(KEY), "{shown}");
    let nobody = with(&[]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("--yes"));
    assert!(fs::read_to_string(&settings).unwrap() == mine && !own.exists());

    for _ in 0..2 {
        assert!(
            with(&["--yes", "--user-id", "ana@example.org"])
                .status
                .success()
        );
    }
    let text = fs::read_to_string(&settings).unwrap();
    assert_eq!(text.matches("hook --client claude-code --event").count(), 3);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&own).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let status = laptop.here.done(&["hook", "status"]);
    assert!(
        status.contains("session-start, turn, session-end") && status.contains("ana@example.org")
    );
    assert!(!status.contains(&keys.agent), "{status}");

    let uninstall = ["hook", "uninstall", "--client", "claude-code", "--yes"];
    assert!(laptop.here.run(&uninstall).status.success());
    assert_eq!(fs::read_to_string(&settings).unwrap(), mine);
    let left: Vec<_> = fs::read_dir(settings.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(!own.exists() && !laptop.state("claude-code").exists());

    // Where there was no file there is none again.
    for verb in ["install", "uninstall"] {
        laptop
            .here
            .done(&["hook", verb, "--client", "codex", "--yes"]);
    }
    assert!(!laptop.home().join(".codex/config.toml").exists());
}
