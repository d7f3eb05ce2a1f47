//! A server to measure.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use store::testing::TestDb;

use crate::client::Client;

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
        let url = format!("http://127.0.0.1:{}/readyz", self.port);
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
        self.command(
            &[
                "admin",
                "create",
                "--email",
                "mia@example.org",
                "--name",
                "Mia",
                "--password-stdin",
            ],
            "three calm herons wade",
        )?;
        self.command(&["agent", "create", "support"], "")?;
        let agent = self.command(
            &[
                "key",
                "create",
                "--agent",
                "support",
                "--scopes",
                "conversations:write,context:read,candidates:write,memories:read",
            ],
            "",
        )?;
        let scopes = "candidates:read,review:write,memories:read";
        let person = self.command(
            &[
                "key",
                "create",
                "--agent",
                "support",
                "--scopes",
                scopes,
                "--person",
                "mia@example.org",
            ],
            "",
        )?;
        let url = format!("http://127.0.0.1:{}", self.port);
        let client = |key: String| Client::new(&url, key);
        Ok((client(agent), client(person)))
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

    /// Copies of every user, by `store`'s example.
    pub fn crowd(&self, copies: u64) -> Result<()> {
        self.example("crowd", &[&copies.to_string()]).map(drop)
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

    /// Ends the server; its database stays.
    pub fn end(&mut self) -> Result<()> {
        Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()?;
        let status = self.child.wait()?;
        ensure!(status.success(), "keepsake ended with {status}");
        Ok(())
    }
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
