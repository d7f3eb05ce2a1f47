//! A server to measure.

use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use engine::OsEntropy;
use store::Db;
use store::testing::{self, TestDb};

use crate::client::Client;
use crate::memory::Memory;
use crate::reviewer::Reviewer;

/// The agent that is measured.
pub const AGENT: &str = "support";
/// Who decides and exports.
const PERSON: &str = "mia@example.org";
/// The password of everybody.
pub const PASSWORD: &str = "three calm herons wade";
/// How often a command that runs is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Which database a server runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    pub const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub fn named(name: &str) -> Result<Self> {
        match name {
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            _ => anyhow::bail!("{name} is no database: sqlite, postgres"),
        }
    }
}

impl std::fmt::Display for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}

/// The release binary on a folder, and where that is asked for a PostgreSQL database, of its own.
pub struct Keepsake {
    folder: tempfile::TempDir,
    postgres: Option<TestDb>,
    bin: PathBuf,
    port: u16,
    env: Vec<(&'static str, String)>,
    child: Child,
    started: Instant,
}

impl Keepsake {
    pub async fn start(database: Database, name: &str) -> Result<Self> {
        // target/release/examples/bench
        let bin = std::env::current_exe()?
            .parent()
            .and_then(Path::parent)
            .context("the folder of the binary")?
            .join("keepsake");
        ensure!(
            bin.exists(),
            "{} is not built; use `cargo xtask bench`",
            bin.display()
        );
        let folder = tempfile::tempdir()?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?
            .local_addr()?
            .port();
        let mut env = vec![
            ("KEEPSAKE_LISTEN", format!("127.0.0.1:{port}")),
            ("KEEPSAKE_DATA_DIR", folder.path().display().to_string()),
            ("KEEPSAKE_LOG_FILTER", "warn".to_owned()),
            ("KEEPSAKE_LIMITS_REQUESTS_PER_SECOND", "1000000".to_owned()),
            ("KEEPSAKE_LIMITS_BURST", "1000000".to_owned()),
            // What the clock does walks through everything, beside what is measured.
            ("KEEPSAKE_JOBS_EXPIRY_TICK", "1d".to_owned()),
            (
                "KEEPSAKE_MASTER_KEY",
                TestDb::master_key().to_hex().to_string(),
            ),
        ];
        let postgres = match database {
            Database::Sqlite => None,
            Database::Postgres => TestDb::postgres(&format!("bench_{name}")).await,
        };
        if let Some(postgres) = &postgres {
            env.push(("KEEPSAKE_DATABASE_URL", postgres.url.clone()));
        }
        ensure!(
            database == Database::Sqlite || postgres.is_some(),
            "KEEPSAKE_TEST_POSTGRES names no server"
        );
        let started = Instant::now();
        let child = spawn(&bin, &env)?;
        Ok(Self {
            folder,
            postgres,
            bin,
            port,
            env,
            child,
            started,
        })
    }

    /// Waits for `/readyz` and gives the time since the process was started.
    pub async fn ready(&mut self) -> Result<Duration> {
        let url = format!("{}/readyz", self.address());
        loop {
            if reqwest::get(&url)
                .await
                .is_ok_and(|answer| answer.status().is_success())
            {
                return Ok(self.started.elapsed());
            }
            if let Some(status) = self.child.try_wait()? {
                anyhow::bail!("keepsake ended with {status}");
            }
            ensure!(
                self.started.elapsed() < Duration::from_secs(60),
                "keepsake was not ready within 60 s"
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// A key of an agent and a key of a person, made as the README shows.
    pub fn keys(&self) -> Result<(Client, Client)> {
        self.administrator(PERSON, "Mia")?;
        self.agent(AGENT)?;
        let agent = self.key(
            AGENT,
            "conversations:write,context:read,candidates:write,memories:read",
            &[],
        )?;
        let person = self.key(
            AGENT,
            "candidates:read,review:write,memories:read",
            &["--person", PERSON],
        )?;
        Ok((agent, person))
    }

    /// A key of the same person, who is there once [`Self::keys`] were made, for exports.
    pub fn auditor(&self) -> Result<Client> {
        self.key(AGENT, "exports:read", &["--person", PERSON])
    }

    /// One more agent.
    pub fn agent(&self, name: &str) -> Result<()> {
        self.command(&["agent", "create", name], "").map(drop)
    }

    /// So many people who decide in every agent, each with a key; none of them is signed in.
    pub fn reviewers(&self, count: usize) -> Result<Vec<Reviewer>> {
        let reviewer = |number: usize| {
            let email = format!("reviewer-{number}@example.org");
            self.administrator(&email, &format!("Reviewer {number}"))?;
            let api = self.key(
                "*",
                "candidates:read,review:write",
                &["--person", email.as_str()],
            )?;
            Reviewer::new(&self.address(), email, api)
        };
        (1..=count).map(reviewer).collect()
    }

    fn administrator(&self, email: &str, name: &str) -> Result<()> {
        let args = [
            "admin",
            "create",
            "--email",
            email,
            "--name",
            name,
            "--password-stdin",
        ];
        self.command(&args, PASSWORD).map(drop)
    }

    fn key(&self, agent: &str, scopes: &str, of: &[&str]) -> Result<Client> {
        let args = ["key", "create", "--agent", agent, "--scopes", scopes];
        let key = self.command(&[&args[..], of].concat(), "")?;
        Ok(Client::new(&self.address(), key))
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn command(&self, args: &[&str], input: &str) -> Result<String> {
        use std::io::Write as _;
        let mut child = Command::new(&self.bin)
            .args(args)
            .envs(self.env.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        child
            .stdin
            .take()
            .context("stdin")?
            .write_all(input.as_bytes())?;
        let done = child.wait_with_output()?;
        ensure!(
            done.status.success(),
            "keepsake {}: {}",
            args.join(" "),
            done.status
        );
        Ok(String::from_utf8(done.stdout)?.trim().to_owned())
    }

    /// Runs a command to its end, and looks at what it takes.
    pub async fn watch(&self, args: &[&str]) -> Result<Watched> {
        // A file takes whatever it prints; a pipe that nobody reads would stop it.
        let mut output = tempfile::tempfile()?;
        let begun = Instant::now();
        let mut child = Command::new(&self.bin)
            .args(args)
            .envs(self.env.iter().cloned())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .spawn()?;
        let memory = Memory::of(child.id());
        let mut peak: Option<u64> = None;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            peak = peak.max(memory.peak());
            tokio::time::sleep(LOOK).await;
        };
        let took = begun.elapsed();
        let mut printed = String::new();
        output.rewind()?;
        output.read_to_string(&mut printed)?;
        ensure!(
            status.success(),
            "keepsake {}: {status}, {printed}",
            args.join(" ")
        );
        Ok(Watched {
            took,
            peak,
            printed,
        })
    }

    /// The memory of the server.
    pub fn memory(&self) -> Memory {
        Memory::of(self.child.id())
    }

    /// The file that the server wrote for an export.
    pub fn export(&self, id: &str) -> Result<PathBuf> {
        for file in std::fs::read_dir(self.folder.path().join("exports"))? {
            let file = file?;
            let name = file.file_name().into_string().unwrap_or_default();
            if name.starts_with(id) && name.ends_with(".zip") {
                return Ok(file.path());
            }
        }
        anyhow::bail!("{id} has no file")
    }

    /// The database, opened beside the server or without one.
    pub async fn open(&self) -> Result<Db> {
        let options = store::Options {
            url: self.url(),
            master_key: TestDb::master_key(),
            entropy: Arc::new(OsEntropy),
            max_connections: 2,
        };
        Ok(Db::open(options).await?)
    }

    /// The database of the server.
    pub fn url(&self) -> String {
        match &self.postgres {
            Some(postgres) => postgres.url.clone(),
            None => format!(
                "sqlite:{}",
                self.folder.path().join("keepsake.db").display()
            ),
        }
    }

    /// Lets PostgreSQL count what is where, as its autovacuum would have by the time so much was there.
    pub async fn analyze(&self) -> Result<()> {
        if self.postgres.is_some() {
            testing::behind_the_back(&self.url(), "vacuum analyze").await?;
        }
        Ok(())
    }

    /// Copies of every user, by `store`'s example.
    pub fn crowd(&self, copies: u64) -> Result<()> {
        self.example("crowd", &[&copies.to_string()]).map(drop)
    }

    /// So many more events at the end of the agent's chain, by `store`'s example.
    pub fn grow(&self, events: u64) -> Result<()> {
        self.example("chain", &[AGENT, &events.to_string()])
            .map(drop)
    }

    /// The bare rows of the same database, of one kind or all, read by `store`'s example, in microseconds on its output.
    pub fn floor(&self, reads: u64, kind: Option<&str>) -> Result<(Duration, Duration)> {
        let reads = reads.to_string();
        let args: Vec<&str> = std::iter::once(&*reads).chain(kind).collect();
        let text = self.example("floor", &args)?;
        let mut micros = text
            .split_whitespace()
            .map(|word| word.parse().map(Duration::from_micros));
        Ok((
            micros.next().context("p50")??,
            micros.next().context("p99")??,
        ))
    }

    fn example(&self, name: &str, args: &[&str]) -> Result<String> {
        let program = self.bin.with_file_name("examples").join(name);
        let done = Command::new(program).arg(self.url()).args(args).output()?;
        ensure!(
            done.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        Ok(String::from_utf8(done.stdout)?)
    }

    /// Starts it again after [`Keepsake::end`].
    pub fn restart(&mut self) -> Result<()> {
        self.started = Instant::now();
        self.child = spawn(&self.bin, &self.env)?;
        Ok(())
    }

    /// Ends the server and takes its database away.
    pub async fn stop(mut self) -> Result<()> {
        self.end()?;
        if let Some(postgres) = self.postgres.take() {
            postgres.close().await;
        }
        Ok(())
    }

    /// Ends the server where it runs; its database stays.
    pub fn end(&mut self) -> Result<()> {
        if self.child.try_wait()?.is_none() {
            Command::new("kill")
                .args(["-TERM", &self.child.id().to_string()])
                .status()?;
        }
        let status = self.child.wait()?;
        ensure!(status.success(), "keepsake ended with {status}");
        Ok(())
    }
}

/// What a command took.
pub struct Watched {
    /// From its start to its end.
    pub took: Duration,
    /// The most memory it had, in bytes; `None` where that cannot be seen.
    pub peak: Option<u64>,
    /// What it printed.
    pub printed: String,
}

fn spawn(bin: &Path, env: &[(&'static str, String)]) -> Result<Child> {
    Ok(Command::new(bin)
        .arg("serve")
        .envs(env.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?)
}

impl Drop for Keepsake {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
