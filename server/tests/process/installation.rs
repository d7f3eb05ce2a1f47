//! An installation on disk or on PostgreSQL, and the processes of the real binary that work on it.

use std::{
    io::{BufRead, BufReader, Lines, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use store::testing::TestDb;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_keepsake");

/// Where processes find their data.
pub struct Installation {
    dir: TempDir,
    settings: Vec<(String, String)>,
}

impl Installation {
    /// A SQLite installation in an empty folder, that nobody has started yet.
    pub fn fresh() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data").display().to_string();
        Self {
            dir,
            settings: vec![("KEEPSAKE_DATA_DIR".into(), data)],
        }
        .with("KEEPSAKE_LISTEN", "127.0.0.1:0")
        .with("KEEPSAKE_JOBS_POLL", "50ms")
        .with("KEEPSAKE_JOBS_LEASE", "30s")
        .with("KEEPSAKE_JOBS_HEARTBEAT", "500ms")
        .with("KEEPSAKE_JOBS_BACKOFF", "20ms")
    }

    /// On a database of the tests.
    pub fn on(db: &TestDb) -> Self {
        let installation = Self::fresh();
        if db.dir.is_some() {
            return installation;
        }
        let key = TestDb::master_key().to_hex();
        installation
            .with("KEEPSAKE_DATABASE_URL", &db.url)
            .with("KEEPSAKE_MASTER_KEY", &key)
    }

    pub fn with(mut self, variable: &str, value: &str) -> Self {
        self.settings.push((variable.to_owned(), value.to_owned()));
        self
    }

    pub fn is_postgres(&self) -> bool {
        self.settings
            .iter()
            .any(|(name, _)| name == "KEEPSAKE_DATABASE_URL")
    }

    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command
            .args(arguments)
            .current_dir(self.dir.path())
            .env_clear()
            .envs(self.settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs one that writes to `stdout`, and gives the rest.
    pub fn run_into(&self, arguments: &[&str], stdout: impl Into<Stdio>) -> Output {
        self.command(arguments).stdout(stdout).output().unwrap()
    }

    /// Runs one with something on stdin.
    pub fn run_with(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(stdin.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap()
    }

    /// Runs one that has to succeed, and gives its stdout without the last line's end.
    #[track_caller]
    pub fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// An agent `support` with its key, and a key of an administrator for everything.
    pub fn people(&self) -> Keys {
        self.done(&["agent", "create", "support"]);
        let admin = [
            "admin",
            "create",
            "--email",
            "mia@example.com",
            "--name",
            "Mia",
            "--password-stdin",
        ];
        let made = self.run_with(&admin, "seven quiet harbours\n");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        Keys {
            agent: self.done(&["key", "create", "--agent", "support"]),
            person: self.done(&[
                "key",
                "create",
                "--agent",
                "*",
                "--scopes",
                "candidates:read,review:write,audit:read,admin",
                "--person",
                "mia@example.com",
            ]),
        }
    }

    /// Starts `keepsake serve …` and waits until it listens.
    pub fn serve(&self, arguments: &[&str]) -> Process {
        let mut process = self.start(&[&["serve"], arguments].concat());
        let stdout = process.child.stdout.take().unwrap();
        let mut lines = BufReader::new(stdout).lines();
        let first = lines.next().expect("it says where it listens").unwrap();
        process.url = first
            .strip_prefix("Keepsake listens on ")
            .expect("an address")
            .to_owned();
        process.rest = Some(lines);
        process
    }

    /// Starts a command that goes on running.
    pub fn start(&self, arguments: &[&str]) -> Process {
        let log = self.dir.path().join(format!("log-{}", std::process::id()));
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(log)
            .unwrap();
        let child = self
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        Process {
            child,
            url: String::new(),
            rest: None,
        }
    }

    /// What the processes logged.
    pub fn log(&self) -> String {
        let log = self.dir.path().join(format!("log-{}", std::process::id()));
        std::fs::read_to_string(log).unwrap_or_default()
    }
}

/// What opens the door.
pub struct Keys {
    pub agent: String,
    pub person: String,
}

/// A running process; killed when the test is over.
pub struct Process {
    child: Child,
    pub url: String,
    rest: Option<Lines<BufReader<ChildStdout>>>,
}

impl Process {
    /// The next line it prints.
    pub fn says(&mut self) -> String {
        self.rest.as_mut().unwrap().next().unwrap().unwrap()
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, and its exit code.
    pub fn ask_to_end(mut self) -> Option<i32> {
        let asked = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(asked.success());
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::yield_now();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A call of the API.
pub async fn call(
    url: &str,
    key: &str,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> (u16, Value) {
    let client = reqwest::Client::new();
    let mut request = client
        .request(method.parse().unwrap(), format!("{url}/api/v1{path}"))
        .bearer_auth(key);
    if let Some(body) = body {
        request = request.json(&body);
    }
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap_or(Value::Null))
}

/// Polls an operation until it is as wanted.
pub async fn operation(url: &str, key: &str, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let (status, view) = call(url, key, "GET", &format!("/operations/{id}"), None).await;
        assert_eq!(status, 200, "{view}");
        if wanted(&view) {
            return view;
        }
        assert!(Instant::now() < deadline, "still {view}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether an operation has ended.
pub fn ended(view: &Value) -> bool {
    !matches!(view["state"].as_str(), Some("queued" | "running"))
}
