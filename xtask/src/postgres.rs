//! A PostgreSQL cluster for the tests: in a temporary directory, as an unprivileged user, on a free port of the loopback
//! interface, gone afterwards.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::packages;
use crate::process::{call, output, works};

const READY_WITHIN: Duration = Duration::from_secs(60);

/// A running cluster. Dropping it stops it and removes its folder.
pub struct Postgres {
    child: Child,
    folder: PathBuf,
    port: u16,
    programs: PathBuf,
}

impl Postgres {
    /// Makes a cluster and starts it.
    ///
    /// # Errors
    /// PostgreSQL is missing and cannot be installed, or does not become ready in a minute; the end of its log is in the error.
    pub fn start() -> Result<Self> {
        // What a power cut would do to tests does not matter. Durability is PostgreSQL's own promise.
        Self::start_with(&[
            "-c",
            "fsync=off",
            "-c",
            "full_page_writes=off",
            "-c",
            "synchronous_commit=off",
        ])
    }

    /// As [`Self::start`], but what it confirms is on disk, as where people use it: figures without that would flatter.
    ///
    /// # Errors
    /// As there.
    pub fn start_durable() -> Result<Self> {
        Self::start_with(&[])
    }

    fn start_with(options: &[&str]) -> Result<Self> {
        let programs = match programs() {
            Some(found) => found,
            None => {
                packages::install(&["postgresql"])?;
                programs().context("PostgreSQL was installed, but its programs are not found")?
            }
        };
        sweep();
        let folder = std::env::temp_dir().join(format!("keepsake-postgres-{}", std::process::id()));
        fs::create_dir_all(&folder).context("make a folder for PostgreSQL")?;
        let data = folder.join("data");
        if is_root() {
            call(Command::new("chown").arg("postgres").arg(&folder))?;
        }
        let made = unprivileged(&programs.join("initdb"))
            .args([
                "--username=keepsake",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "--pgdata",
            ])
            .arg(&data)
            .current_dir(&folder)
            .stdout(Stdio::null())
            .status();
        if !made.is_ok_and(|status| status.success()) {
            let _ = fs::remove_dir_all(&folder);
            bail!("initdb failed");
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut child = unprivileged(&programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string()])
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
            ])
            .args(options)
            .args(["-c", "max_connections=400", "-c", "lc_messages=C"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("start postgres")?;
        let log = child.stderr.take().context("read the log of postgres")?;
        let ready = wait_ready(log, folder.join("log"));
        // From here on, dropping it cleans up.
        let cluster = Self {
            child,
            folder,
            port,
            programs,
        };
        ready.map(|()| cluster)
    }

    /// The server, without a database: each test makes one of its own.
    pub fn url(&self) -> String {
        format!("postgres://keepsake@127.0.0.1:{}", self.port)
    }

    /// The folder of the cluster's files, for tests that search its bytes.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The folder of `psql` and the others.
    pub fn programs(&self) -> &Path {
        &self.programs
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // SIGINT is PostgreSQL's fast shutdown: it breaks off what clients do and ends its children.
        let _ = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Waits for the line that says it is ready, then keeps emptying the pipe into a file.
fn wait_ready(log: impl std::io::Read + Send + 'static, file: PathBuf) -> Result<()> {
    let (ready, event) = mpsc::channel();
    std::thread::spawn(move || {
        let mut seen = String::new();
        let mut out = fs::File::create(file).ok();
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            if line.contains("database system is ready to accept connections") {
                let _ = ready.send(Ok(()));
            }
            if seen.len() < 4_000 {
                seen.push_str(&line);
                seen.push('\n');
            }
            if let Some(out) = &mut out {
                let _ = writeln!(out, "{line}");
            }
        }
        let _ = ready.send(Err(seen));
    });
    match event.recv_timeout(READY_WITHIN) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(log)) => bail!("postgres ended:\n{log}"),
        Err(_) => bail!("postgres was not ready within {} s", READY_WITHIN.as_secs()),
    }
}

/// The newest installed version. Debian keeps the server's programs out of PATH.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((
                entry.file_name().to_str()?.parse().ok()?,
                entry.path().join("bin"),
            ))
        })
        .filter(|(_, folder)| folder.join("initdb").exists())
        .collect();
    found.sort();
    found.pop().map(|(_, folder)| folder).or_else(|| {
        let folder = PathBuf::from(
            output(Command::new("pg_config").arg("--bindir"))
                .ok()?
                .trim(),
        );
        folder.join("initdb").exists().then_some(folder)
    })
}

/// PostgreSQL refuses to run as root. `setpriv` replaces itself with the program, so that the child's id is the server's;
/// and the server gets a SIGINT when this process is gone, however it ended.
fn unprivileged(program: &Path) -> Command {
    if !works(Command::new("setpriv").arg("--version")) {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]);
    }
    command.arg("--pdeathsig=INT").arg(program);
    command
}

fn is_root() -> bool {
    works(Command::new("sh").args(["-c", "test $(id -u) = 0"]))
}

/// Removes what a run that was killed has left.
fn sweep() {
    for entry in fs::read_dir(std::env::temp_dir())
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name();
        let Some(owner) = name
            .to_str()
            .and_then(|name| name.strip_prefix("keepsake-postgres-"))
        else {
            continue;
        };
        if Path::new("/proc/self").exists() && !Path::new("/proc").join(owner).exists() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_ends_early_is_in_the_error() {
        let file = std::env::temp_dir().join(format!("keepsake-log-{}", std::process::id()));
        let error =
            wait_ready(std::io::Cursor::new("FATAL: no space\n"), file.clone()).unwrap_err();
        let _ = fs::remove_file(file);
        assert!(error.to_string().contains("no space"), "{error}");
    }
}
