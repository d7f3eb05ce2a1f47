//! One event of a session: what is new is written down, then sent, and at the start the agent is told what is known. Nothing that goes
//! wrong in here reaches the session: it is a line of the log.

use std::{
    fs::{File, TryLockError},
    io::{self, Read, Write},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use domain::Timestamp;
use engine::{CallError, Clock, HookClient, SystemClock};
use serde_json::{Value, json};

use super::{
    EventArguments, block,
    client::{Client, Event, Inject},
    diary,
    input::Input,
    place::{Folders, Settings, private_file, private_folder},
    spool::{Session, Spool},
    transcript,
};

/// When the network is given up, counted from the start: what is left of the limit is for files.
const NETWORK: Duration = Duration::from_millis(1_600);
/// How long another hook is waited for that is writing down what is new.
const COLLECTING: Duration = Duration::from_millis(500);
/// Time between two looks at a lock.
const LOOK: Duration = Duration::from_millis(20);
/// The most tokens of the block; clients cut what is longer.
const TOKENS: u32 = 2_000;
/// The most that is read from stdin, in bytes.
const STDIN: u64 = 4 * 1024 * 1024;

/// Does what an event asks for.
pub fn run(arguments: &EventArguments, start: Instant) {
    let Ok(folders) = Folders::find() else {
        return;
    };
    let folder = folders.state(arguments.client);
    if private_folder(&folder).is_err() {
        return;
    }
    let now = SystemClock.now();
    let note = |line: &str| diary::note(&folder, now, line);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let worked = runtime.context("start the runtime").and_then(|runtime| {
        let hook = Hook {
            arguments,
            folders: &folders,
            folder: &folder,
            note: &note,
            start,
            now,
        };
        runtime.block_on(hook.work())
    });
    if let Err(error) = worked {
        note(&format!("{}: {error:#}", arguments.event.name()));
    }
}

struct Hook<'a> {
    arguments: &'a EventArguments,
    folders: &'a Folders,
    folder: &'a Path,
    note: &'a dyn Fn(&str),
    start: Instant,
    now: Timestamp,
}

impl Hook<'_> {
    async fn work(&self) -> Result<()> {
        let EventArguments { client, event, .. } = *self.arguments;
        let mut text = String::new();
        io::stdin()
            .take(STDIN)
            .read_to_string(&mut text)
            .context("read stdin")?;
        let input = Input::parse(client, event, &text, self.folders);
        let input = input.context("stdin names no session")?;
        let file = self.folders.settings(client);
        let settings = Settings::find(
            &file,
            self.arguments.url.as_deref(),
            self.arguments.user_id.as_deref(),
        )?;

        // Before anything is written down: whose it would be is not known. The record still has it for the next hook.
        let Some(key) = settings.api_key.given() else {
            bail!(
                "there is no key for {}: run `keepsake hook install --client {}`, or set KEEPSAKE_API_KEY too",
                settings.url,
                client.name()
            );
        };
        let spool = Spool::open(self.folder, &settings.destination())?;
        if let Err(error) = self.collect(&spool, &input, &settings).await {
            (self.note)(&format!("{}: {error:#}", event.name()));
        }
        let keepsake = HookClient::new(&settings.url, key)?;
        let tell = async {
            match event {
                Event::SessionStart => self.tell(&keepsake, &settings, &input).await,
                Event::Turn => Ok(()),
                Event::SessionEnd => self.untell(&input, &settings),
            }
        };
        let (told, sent) = tokio::join!(tell, self.send(&spool, &keepsake));
        if let Err(error) = told {
            (self.note)(&format!("{}: {error:#}", event.name()));
        }
        sent
    }

    /// Writes down what is new in the session's record.
    async fn collect(&self, spool: &Spool, input: &Input, settings: &Settings) -> Result<()> {
        let EventArguments { client, event, .. } = *self.arguments;
        if event == Event::SessionStart {
            return Ok(());
        }
        // Without it what is new may be written down twice, which is known by the ids, but nothing is lost.
        let _one = lock(&self.folder.join("collect.lock"), self.start + COLLECTING).await;
        let said = match &input.transcript {
            Some(path) => transcript::read(client, path),
            None => Ok(Vec::new()),
        };
        let ends = event == Event::SessionEnd;
        let session = Session {
            user_id: &settings.user_id,
            conversation: &input.conversation(client),
        };
        // A record that cannot be read does not keep the end back.
        let new = spool.collect(
            &session,
            said.as_deref().unwrap_or_default(),
            ends,
            self.now,
        )?;
        let dropped = spool.bound(self.now)?;
        (self.note)(&format!("{}: {new} new messages", event.name()));
        if dropped > 0 {
            (self.note)(&format!(
                "dropped the oldest {dropped} deliveries: too much or too old"
            ));
        }
        said.map(|_| ())
    }

    /// Sends what waits, in its order, until something fails. Another hook that sends is waited for: what it began with may not hold
    /// what this one wrote down.
    async fn send(&self, spool: &Spool, keepsake: &HookClient) -> Result<()> {
        let deadline = self.start + NETWORK;
        let Some(_one) = lock(&self.folder.join("send.lock"), deadline).await else {
            return Ok(());
        };
        for waiting in spool.waiting()? {
            let patience = deadline.saturating_duration_since(Instant::now());
            let body = std::fs::read_to_string(&waiting.path)?;
            let body: Value = serde_json::from_str(&body).unwrap_or_default();
            let error = match keepsake.post("/conversations", &body, patience).await {
                Ok(_) => None,
                Err(error) if error.is_final() => Some(error),
                Err(error) => {
                    let waits = spool.waiting()?.len();
                    bail!("{error}; {waits} deliveries wait");
                }
            };
            std::fs::remove_file(&waiting.path)?;
            match error {
                None => (self.note)("sent a delivery"),
                Some(error) => (self.note)(&format!("dropped a delivery: {error}")),
            }
        }
        Ok(())
    }

    /// Tells the agent what is known about the user. What cannot be asked for is not told, an older block neither.
    async fn tell(&self, keepsake: &HookClient, settings: &Settings, input: &Input) -> Result<()> {
        let client = self.arguments.client;
        let inject = self.inject();
        if inject == Inject::Off {
            return Ok(());
        }
        let asked = json!({
            "user_id": settings.user_id,
            "conversation_id": input.conversation(client),
            "max_tokens": TOKENS,
        });
        let patience = (self.start + NETWORK).saturating_duration_since(Instant::now());
        let answer = keepsake.post("/context", &asked, patience).await;
        let context = match &answer {
            Ok(answer) => answer["block"].as_str().unwrap_or_default(),
            Err(_) => "",
        };
        match inject {
            Inject::File => self.write(client, input, settings, context)?,
            Inject::Hook if !context.is_empty() => {
                let told = client.tells(&input.event, context).to_string();
                let mut stdout = io::stdout();
                let _ = writeln!(stdout, "{told}").and_then(|()| stdout.flush());
            }
            Inject::Hook | Inject::Off => {}
        }
        let told = |error: CallError| anyhow::anyhow!("no context: {error}");
        answer.map(|_| ()).map_err(told)
    }

    /// Takes the block out of the instruction file.
    fn untell(&self, input: &Input, settings: &Settings) -> Result<()> {
        match self.inject() {
            Inject::File => self.write(self.arguments.client, input, settings, ""),
            Inject::Hook | Inject::Off => Ok(()),
        }
    }

    fn write(&self, client: Client, input: &Input, settings: &Settings, text: &str) -> Result<()> {
        let file = client.instructions(self.folders, input.workspace.as_deref());
        let file = file.context("the client names no folder for its instructions")?;
        block::write(&file, client.preamble(), &settings.user_id, text)
    }

    fn inject(&self) -> Inject {
        let EventArguments { client, inject, .. } = *self.arguments;
        inject.unwrap_or_else(|| client.inject())
    }
}

/// The lock of a file, until it is dropped; `None` where another process keeps it until `deadline`.
async fn lock(path: &Path, deadline: Instant) -> Option<File> {
    let file = private_file(path, true).ok()?;
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                tokio::time::sleep(LOOK).await;
            }
            Err(_) => return None,
        }
    }
}
