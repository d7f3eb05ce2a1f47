//! `cargo xtask sdk`: what others wrote for agents, walking through the real binary. Each walk is a script of `end2end/sdk` that gets a
//! Keepsake of its own; what it imports is named in `requirements.txt` or `package.json` beside it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::process::{call, output, step, works};
use crate::{clients, journeys, left_out, packages, python};

/// Where the scripts lie, and what they need.
pub const FOLDER: &str = "end2end/sdk";
const VENV: &str = "target/sdk/venv";

/// The walk through what docs/API.md shows.
const API: &str = "api_walk.py";

/// The scripts, and who wrote what they walk with.
const WALKS: &[(Language, &str)] = &[
    (Language::Python, "mcp_walk.py"),
    (Language::Python, "mem0_walk.py"),
    (Language::Python, "memory_bank_walk.py"),
    (Language::Python, API),
    (Language::Node, "mcp_walk.mjs"),
];

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    Node,
}

/// `cargo xtask sdk`
pub fn run(_: &[String]) -> Result<()> {
    left_out::tell(&walk(&journeys::build()?)?)
}

/// Plays every walk against a binary, and answers what was not walked, because it cannot be installed here.
///
/// # Errors
/// A walk failed.
pub fn walk(keepsake: &Path) -> Result<Vec<String>> {
    let keepsake = std::path::absolute(keepsake)?;
    let mut left_out = Vec::new();
    let shown = shown();
    match &shown {
        Ok(()) => clients::compile()?,
        Err(why) => left_out.push(format!("{FOLDER}/{API}: {why:#}")),
    }
    for language in [Language::Python, Language::Node] {
        let program = match language.ensure() {
            Ok(program) => program,
            Err(why) => {
                left_out.push(format!("{FOLDER} in {language:?}: {why:#}"));
                continue;
            }
        };
        let walks = WALKS.iter().filter(|(of, _)| *of == language);
        for (_, script) in walks.filter(|(_, script)| shown.is_ok() || *script != API) {
            step(&format!("Walking {FOLDER}/{script}"), || {
                let here = match *script {
                    API => Installation::as_shown(&keepsake)?,
                    _ => Installation::start(&keepsake)?,
                };
                here.walked(&program, &Path::new(FOLDER).join(script))
            })?;
        }
    }
    Ok(left_out)
}

/// Installs what docs/API.md is shown with, in a shell and in TypeScript.
fn shown() -> Result<()> {
    for program in ["curl", "jq"] {
        if !works(Command::new(program).arg("--version")) {
            packages::install(&[program])?;
        }
    }
    clients::install()
}

/// A Python that has what others wrote for agents.
///
/// # Errors
/// It cannot be installed here.
pub fn interpreter() -> Result<PathBuf> {
    Language::Python.ensure()
}

impl Language {
    /// Installs what the scripts import, as far as it is missing, and gives the program that runs them.
    fn ensure(self) -> Result<PathBuf> {
        match self {
            Self::Python => venv(VENV, &Path::new(FOLDER).join("requirements.txt")),
            Self::Node => {
                let wanted = Path::new(FOLDER).join("package-lock.json");
                let stamp = Path::new(FOLDER).join("node_modules/.keepsake-lock");
                once(&wanted, &stamp, || {
                    call(
                        Command::new("npm")
                            .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
                            .current_dir(FOLDER),
                    )
                })?;
                Ok("node".into())
            }
        }
    }
}

/// An environment of Python's with the packages that a file names, and the program that runs in it.
///
/// # Errors
/// The packages cannot be installed here.
pub fn venv(folder: &str, wanted: &Path) -> Result<PathBuf> {
    python::ensure()?;
    if !works(Command::new("python3").args(["-c", "import ensurepip, venv"])) {
        packages::install(&["python3-venv"])?;
    }
    let program = std::path::absolute(Path::new(folder).join("bin/python"))?;
    once(wanted, &Path::new(folder).join("keepsake-stamp"), || {
        call(Command::new("python3").args(["-m", "venv", "--clear", folder]))?;
        call(
            Command::new(&program)
                .args(["-m", "pip", "install", "--quiet"])
                .args(["--disable-pip-version-check", "--requirement"])
                .arg(wanted),
        )
    })?;
    Ok(program)
}

/// Installs unless the stamp says that just this was installed before.
///
/// # Errors
/// What `install` fails with.
pub fn once(wanted: &Path, stamp: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let list = fs::read(wanted).with_context(|| format!("read {}", wanted.display()))?;
    if fs::read(stamp).is_ok_and(|installed| installed == list) {
        return Ok(());
    }
    step(
        &format!("Installing what {} names", wanted.display()),
        install,
    )?;
    Ok(fs::write(stamp, list)?)
}

/// A running Keepsake in a folder of its own, with an administrator. Gone when dropped.
pub struct Installation {
    folder: PathBuf,
    keepsake: PathBuf,
    server: Option<Child>,
    /// What a script finds in its environment.
    told: Vec<(&'static str, String)>,
}

impl Installation {
    /// Starts one that has two agents, with a binary, whose path is absolute.
    ///
    /// # Errors
    /// The binary does not do what it should.
    pub fn start(keepsake: &Path) -> Result<Self> {
        let mut here = Self::set_up(keepsake, "mia@example.com")?;
        for agent in ["support", "sales"] {
            output(here.command().args(["agent", "create", agent]))?;
        }
        let told = vec![
            ("KEEPSAKE_SUPPORT_KEY", here.key(&["--agent", "support"])?),
            ("KEEPSAKE_SALES_KEY", here.key(&["--agent", "sales"])?),
            (
                "KEEPSAKE_PERSON_KEY",
                here.key(&[
                    "--agent",
                    "*",
                    "--person",
                    "mia@example.com",
                    "--scopes",
                    "context:read,memories:read,candidates:read,candidates:write,review:write,admin",
                ])?,
            ),
        ];
        here.told = told;
        here.serve()?;
        Ok(here)
    }

    /// Starts one as docs/API.md takes it for granted: `keepsake` is found, and you administer. The page makes the rest itself.
    fn as_shown(keepsake: &Path) -> Result<Self> {
        let mut here = Self::set_up(keepsake, "you@example.com")?;
        let folder = keepsake.parent().context("the binary lies in no folder")?;
        let before = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&before));
        let path = std::env::join_paths(folders)?.into_string();
        let path = path.ok().context("PATH is no Unicode")?;
        here.told = vec![
            ("KEEPSAKE_DATA_DIR", here.data().display().to_string()),
            ("PATH", path),
        ];
        here.serve()?;
        Ok(here)
    }

    /// One that nobody has started yet, with an administrator.
    fn set_up(keepsake: &Path, administrator: &str) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("keepsake-sdk-{}", std::process::id()));
        fs::create_dir_all(&folder).context("make a folder for the installation")?;
        let here = Self {
            folder,
            keepsake: keepsake.to_owned(),
            server: None,
            told: Vec::new(),
        };
        here.administrator(administrator)?;
        Ok(here)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A new key, with the arguments of `keepsake key create`.
    ///
    /// # Errors
    /// It is refused.
    pub fn key(&self, arguments: &[&str]) -> Result<String> {
        let key = output(self.command().args(["key", "create"]).args(arguments))?;
        Ok(key.trim().to_owned())
    }

    /// What a script finds in its environment under this name.
    pub fn told(&self, name: &str) -> &str {
        let told = self.told.iter().find(|(known, _)| *known == name);
        told.map_or("", |(_, value)| value)
    }

    /// The binary with nothing of this machine's settings.
    fn command(&self) -> Command {
        let mut command = without_settings(&self.keepsake);
        command
            .current_dir(&self.folder)
            .env("KEEPSAKE_LISTEN", "127.0.0.1:0")
            .env("KEEPSAKE_DATA_DIR", self.data());
        command
    }

    fn administrator(&self, email: &str) -> Result<()> {
        let mut child = self
            .command()
            .args(["admin", "create", "--email", email])
            .args(["--name", "Mia", "--password-stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .context("start keepsake admin create")?;
        let mut stdin = child.stdin.take().context("keepsake has no stdin")?;
        stdin.write_all(b"seven quiet harbours\n")?;
        drop(stdin);
        if !child.wait()?.success() {
            bail!("no administrator could be made");
        }
        Ok(())
    }

    fn serve(&mut self) -> Result<()> {
        let log = File::create(self.folder.join("log")).context("make a file for the log")?;
        let server = self
            .command()
            .arg("serve")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .context("start keepsake serve")?;
        let server = self.server.insert(server);
        let stdout = server.stdout.take().context("keepsake has no stdout")?;
        let mut stdout = BufReader::new(stdout);
        let mut first = String::new();
        stdout.read_line(&mut first)?;
        // A server whose words go nowhere ends.
        server.stdout = Some(stdout.into_inner());
        let url = first
            .trim_end()
            .strip_prefix("Keepsake listens on ")
            .with_context(|| format!("keepsake serve did not start: {}", self.log()))?;
        self.told.push(("KEEPSAKE_URL", url.to_owned()));
        Ok(())
    }

    fn walked(&self, program: &Path, script: &Path) -> Result<()> {
        let told = self.told.iter().map(|(name, value)| (name, value));
        let walked = call(without_settings(program).arg(script).envs(told));
        walked.with_context(|| format!("the log of Keepsake ends with:\n{}", self.log()))
    }

    /// The last lines of the server's log.
    pub fn log(&self) -> String {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

/// A program that finds nothing of this machine's settings.
fn without_settings(program: &Path) -> Command {
    let mut command = Command::new(program);
    let ours = std::env::vars_os().map(|(name, _)| name);
    for name in ours.filter(|name| name.to_string_lossy().starts_with("KEEPSAKE_")) {
        command.env_remove(name);
    }
    command
}

impl Drop for Installation {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}
