//! `keepsake hook install` and `uninstall`: what changes is shown before it is written, and what was put in can be taken out again.

use std::{
    env, fs,
    io::{self, BufRead, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use similar::TextDiff;

use super::{
    block, check,
    client::{Client, Event, Inject},
    json_settings,
    place::{Folders, Settings, private_folder, remove, replace},
    toml_settings,
};

#[derive(Debug, clap::Args)]
pub struct Install {
    /// The program whose sessions are to be heard.
    #[arg(long, value_enum)]
    client: Client,
    /// Only show what would change.
    #[arg(long)]
    dry_run: bool,
    /// Write it without asking.
    #[arg(long)]
    yes: bool,
    /// Who the agent talks to. Left out: the user of the operating system.
    #[arg(long, alias = "user", value_name = "ID")]
    user_id: Option<String>,
    /// The address of Keepsake. Left out: KEEPSAKE_URL, else http://127.0.0.1:3000.
    #[arg(long)]
    url: Option<String>,
    /// A file with an agent's key, or - for stdin. Left out: KEEPSAKE_API_KEY, else the key of the last time where the address is the same.
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// How the context gets to the agent. Left out: as it works in this client.
    #[arg(long, value_enum)]
    inject: Option<Inject>,
}

#[derive(Debug, clap::Args)]
pub struct Uninstall {
    /// The program whose sessions are no longer to be heard.
    #[arg(long, value_enum)]
    client: Client,
    /// Only show what would change.
    #[arg(long)]
    dry_run: bool,
    /// Write it without asking.
    #[arg(long)]
    yes: bool,
}

/// The hooks that are to be in a client's settings.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Whose.
    pub client: Client,
    /// The program to run, as a shell takes it.
    pub program: String,
    /// How the context gets to the agent, where that is not as usual.
    pub inject: Option<Inject>,
}

impl Wanted {
    /// The command of an event.
    pub fn command(&self, event: Event) -> String {
        let (client, event) = (self.client.name(), event.name());
        let inject = self
            .inject
            .map(|inject| format!(" --inject {}", inject.name()));
        let inject = inject.unwrap_or_default();
        format!(
            "{} hook --client {client} --event {event}{inject}",
            self.program
        )
    }
}

/// Whether a command is one that [`Wanted`] wrote, whatever the program was called.
pub fn is_ours(command: &str, client: Client) -> bool {
    command.contains(&format!(" hook --client {} --event ", client.name()))
        && command.contains("keepsake")
}

/// The settings with the hooks that are wanted; as they are where they have them already.
pub fn with(text: &str, wanted: &Wanted) -> Result<String> {
    let has = installed(text, wanted.client)?.len() == Event::ALL.len();
    let as_wanted = |event| text.contains(&format!("{}\"", quoted(&wanted.command(event))));
    if has && Event::ALL.into_iter().all(as_wanted) {
        return Ok(text.to_owned());
    }
    match wanted.client {
        Client::Codex => toml_settings::with(text, wanted),
        _ => json_settings::with(text, wanted),
    }
}

/// The settings without our hooks. Where they are as [`with`] left them, they are byte for byte what they were `before`.
pub fn without(text: &str, client: Client, before: Option<&str>) -> Result<String> {
    let written = wanted_by(text, client);
    let untouched = |before: &&str| with(before, &written).is_ok_and(|with| with == text);
    if let Some(before) = before.filter(untouched) {
        return Ok(before.to_owned());
    }
    match client {
        Client::Codex => toml_settings::without(text, client),
        _ => json_settings::without(text, client),
    }
}

/// The events for which our hook is set up.
pub fn installed(text: &str, client: Client) -> Result<Vec<Event>> {
    match client {
        Client::Codex => toml_settings::installed(text, client),
        _ => json_settings::installed(text, client),
    }
}

/// As it stands between double quotes.
fn quoted(command: &str) -> String {
    command.replace('\\', "\\\\")
}

/// The hooks that the settings name, as they were wanted.
fn wanted_by(text: &str, client: Client) -> Wanted {
    let mark = format!(" hook --client {} --event ", client.name());
    let (before, after) = text.split_once(&mark).unwrap_or_default();
    let program = before.rsplit(['"', '\n']).next().unwrap_or_default();
    let rest = after.split(['"', '\n']).next().unwrap_or_default();
    let inject = [Inject::Hook, Inject::File, Inject::Off]
        .into_iter()
        .find(|inject| rest.ends_with(&format!(" --inject {}", inject.name())));
    Wanted {
        client,
        program: program.replace("\\\\", "\\"),
        inject,
    }
}

/// This very program, as a shell takes it.
fn program() -> Result<String> {
    let path = env::current_exe().context("find this program")?;
    let path = path
        .to_str()
        .context("the path of this program is no Unicode")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:\\".contains(c);
    if path.chars().all(plain) {
        Ok(path.to_owned())
    } else if cfg!(windows) || path.contains('\'') {
        bail!("the path of this program, {path}, has characters that a shell reads: move it");
    } else {
        Ok(format!("'{path}'"))
    }
}

impl Install {
    pub fn run(self) -> Result<ExitCode> {
        let folders = Folders::find()?;
        let client = self.client;
        let file = folders.settings(client);
        let mut settings = Settings::find(&file, self.url.as_deref(), self.user_id.as_deref())?;
        if let Some(from) = &self.key_file {
            settings.api_key = key(from)?.into();
        }
        let Some(key) = settings.api_key.given() else {
            bail!(
                "there is no key: make one with `keepsake key create --agent NAME > key.txt` and give --key-file key.txt"
            );
        };
        let wanted = Wanted {
            client,
            program: program()?,
            inject: self.inject,
        };
        let path = client.settings(&folders);
        let before = text(&path)?;
        let after = with(before.as_deref().unwrap_or_default(), &wanted)
            .with_context(|| refused(&path, &wanted))?;
        show(&path, before.as_deref().unwrap_or_default(), &after);
        println!(
            "{} gets the address, the user id and the key.",
            file.display()
        );
        if client == Client::Codex && folders.codex.join("hooks.json").exists() {
            println!(
                "Codex also reads hooks.json beside it, and says at each start that there are both."
            );
        }
        if self.dry_run || !agreed(self.yes)? {
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(note) = check::key(&settings.url, key)? {
            println!("{note}");
        }
        if let Some(folder) = file.parent() {
            private_folder(folder).with_context(|| format!("make {}", folder.display()))?;
        }
        replace(&file, &settings.text()).with_context(|| format!("write {}", file.display()))?;
        if before.as_deref() != Some(after.as_str()) {
            let has = installed(before.as_deref().unwrap_or_default(), client)?;
            // A second time there is nothing new to go back to.
            if let Some(before) = before.as_deref().filter(|_| has.is_empty()) {
                let backup = backup(&path);
                replace(&backup, before).with_context(|| format!("write {}", backup.display()))?;
            }
            write(&path, &after)?;
        }
        println!(
            "Done. Sessions that start from now on are heard as {}.",
            settings.user_id
        );
        if client == Client::Codex {
            println!("Codex asks once whether you trust the hooks: see /hooks in it.");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Uninstall {
    pub fn run(self) -> Result<ExitCode> {
        let folders = Folders::find()?;
        let client = self.client;
        let path = client.settings(&folders);
        let file = folders.settings(client);
        let backup = backup(&path);
        let before = text(&path)?;
        let (old, saved) = (before.as_deref().unwrap_or_default(), text(&backup)?);
        let after = without(old, client, Some(saved.as_deref().unwrap_or_default()))?;
        show(&path, old, &after);
        println!("{} goes, and what waits to be sent.", file.display());
        if self.dry_run || !agreed(self.yes)? {
            return Ok(ExitCode::SUCCESS);
        }
        if after != old {
            // Without a backup there was no file.
            if after.is_empty() && saved.is_none() {
                remove(&path).with_context(|| format!("remove {}", path.display()))?;
            } else {
                write(&path, &after)?;
            }
        }
        remove(&backup).with_context(|| format!("remove {}", backup.display()))?;
        let here = env::current_dir().ok();
        if let Some(instructions) = client.instructions(&folders, here.as_deref())
            && let Ok(settings) = Settings::find(&file, None, None)
        {
            block::write(&instructions, client.preamble(), &settings.user_id, "")?;
        }
        remove(&file).with_context(|| format!("remove {}", file.display()))?;
        let state = folders.state(client);
        if state.exists() {
            fs::remove_dir_all(&state).with_context(|| format!("remove {}", state.display()))?;
        }
        println!("Done.");
        Ok(ExitCode::SUCCESS)
    }
}

fn refused(path: &Path, wanted: &Wanted) -> String {
    let commands = Event::ALL.map(|event| {
        format!(
            "\n  {}: {}",
            wanted.client.event(event),
            wanted.command(event)
        )
    });
    format!(
        "{} was left as it is; put it right, or add these commands by hand:{}",
        path.display(),
        commands.concat()
    )
}

fn key(from: &Path) -> Result<String> {
    let mut text = String::new();
    if from == Path::new("-") {
        io::stdin()
            .read_to_string(&mut text)
            .context("read stdin")?;
    } else {
        text = fs::read_to_string(from).with_context(|| format!("read {}", from.display()))?;
    }
    let key = text.trim();
    if domain::key::ApiKey::parse(key).is_none() {
        bail!("{}: that is no key of Keepsake", from.display());
    }
    Ok(key.to_owned())
}

fn text(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text
            .map(Some)
            .with_context(|| format!("read {}", path.display())),
    }
}

fn backup(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".before-keepsake");
    path.with_file_name(name)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    }
    replace(path, text).with_context(|| format!("write {}", path.display()))
}

fn show(path: &Path, before: &str, after: &str) {
    if before == after {
        println!("{} stays as it is.", path.display());
        return;
    }
    let name = path.display().to_string();
    let diff = TextDiff::from_lines(before, after);
    print!("{}", diff.unified_diff().header(&name, &name));
}

/// Asks on a terminal; elsewhere there is nobody to ask.
fn agreed(yes: bool) -> Result<bool> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        bail!("nothing was written: say --yes, or --dry-run to only look");
    }
    print!("Write this? [y/N] ");
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    let agreed = matches!(answer.trim(), "y" | "Y" | "yes");
    if !agreed {
        println!("Nothing was written.");
    }
    Ok(agreed)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const CLIENTS: [Client; 4] = [
        Client::ClaudeCode,
        Client::Cursor,
        Client::Codex,
        Client::Gemini,
    ];

    fn wanted(client: Client) -> Wanted {
        Wanted {
            client,
            program: "/opt/keepsake/bin/keepsake".to_owned(),
            inject: None,
        }
    }

    /// Settings as people have them, with hooks of others, comments and odd spaces.
    fn samples(client: Client) -> Vec<&'static str> {
        match client {
            Client::Codex => vec![
                "",
                "model = \"gpt-5.5\" # mine\n\n[projects.\"/home/ana\"]\ntrust_level = \"trusted\"\n",
                "# Mine\r\nmodel = \"x\"\r\n\r\n[[hooks.Stop]]\r\n[[hooks.Stop.hooks]]\r\ntype = \"command\"\r\ncommand = \"mine\"\r\n",
                "[hooks.state]\n[[hooks.SessionStart]]\nmatcher = \"startup\"\n\n  [[hooks.SessionStart.hooks]]\n  type = \"command\"\n  command = \"mine\"",
            ],
            Client::Cursor => vec![
                "",
                "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./mine.sh\" }]\n  }\n}",
            ],
            _ => vec![
                "",
                "{}",
                "{\"hooks\":{}}\n",
                "{\n    \"model\": \"x\",\n    \"hooks\": {\n        \"Stop\": [],\n        \"SessionStart\": [ {\"matcher\": \"startup\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]} ]\n    },\n    \"big\": 12345678901234567890123\n}\n",
                "{\r\n\t// mine\r\n\t\"theme\": \"dark\", /* and this */\r\n}\r\n",
            ],
        }
    }

    // C2
    #[test]
    fn what_install_puts_in_uninstall_takes_out_byte_for_byte() {
        for client in CLIENTS {
            for before in samples(client) {
                for inject in [None, Some(Inject::File)] {
                    let wanted = Wanted {
                        inject,
                        ..wanted(client)
                    };
                    let after = with(before, &wanted).unwrap();
                    assert_ne!(after, before);
                    assert_eq!(installed(&after, client).unwrap(), Event::ALL, "{after}");
                    assert_eq!(without(&after, client, Some(before)).unwrap(), before);
                    assert_eq!(with(&after, &wanted).unwrap(), after, "twice is once");
                }
            }
        }
    }

    fn values(text: &str, client: Client) -> Value {
        if client == Client::Codex {
            let table: toml::Table = text.parse().unwrap();
            return serde_json::to_value(table).unwrap();
        }
        let no_comments = text.replace("// mine", "").replace("/* and this */", "");
        let no_comments = no_comments.replace("\"dark\", ", "\"dark\" ");
        serde_json::from_str(&no_comments).unwrap()
    }

    #[test]
    fn where_settings_changed_meanwhile_only_ours_are_taken_out() {
        for client in CLIENTS {
            for before in samples(client).into_iter().skip(1) {
                let other = Wanted {
                    program: "/old/keepsake".to_owned(),
                    ..wanted(client)
                };
                let twice = with(&with(before, &other).unwrap(), &wanted(client)).unwrap();
                assert!(!twice.contains("/old/keepsake"), "{twice}");
                // No backup, as where somebody has changed the file since.
                let after = without(&twice, client, None).unwrap();
                assert!(installed(&after, client).unwrap().is_empty(), "{after}");
                let (mut was, mut is) = (values(before, client), values(&after, client));
                for side in [&mut was, &mut is] {
                    // Lists that hold nothing, and the number of a format, are nothing to lose.
                    let side = side.as_object_mut().unwrap();
                    side.remove("version");
                    let hooks = side.remove("hooks").unwrap_or_default();
                    let filled = hooks.as_object().into_iter().flatten();
                    let filled = filled
                        .filter(|(_, list)| list.as_array().is_none_or(|list| !list.is_empty()));
                    let filled: serde_json::Map<_, _> = filled
                        .map(|(name, list)| (name.clone(), list.clone()))
                        .collect();
                    side.insert("hooks".to_owned(), filled.into());
                }
                assert_eq!(is, was, "{after}");
                assert_eq!(before.contains("mine"), after.contains("mine"));
            }
        }
    }

    #[test]
    fn each_client_gets_its_own_form() {
        let of = |client| values(&with("", &wanted(client)).unwrap(), client);
        let command = |client: &str, event: &str| {
            format!("/opt/keepsake/bin/keepsake hook --client {client} --event {event}")
        };
        let claude = of(Client::ClaudeCode);
        assert_eq!(
            claude["hooks"]["SessionEnd"],
            json!([{"hooks": [{"type": "command", "command": command("claude-code", "session-end"), "timeout": 5}]}])
        );
        let codex = of(Client::Codex);
        assert_eq!(
            codex["hooks"]["SessionEnd"],
            json!([{"hooks": [{"type": "command", "command": command("codex", "session-end"), "timeout": 3}]}])
        );
        let gemini = of(Client::Gemini);
        assert_eq!(
            gemini["hooks"]["AfterAgent"],
            json!([{"hooks": [{"name": "keepsake", "type": "command", "command": command("gemini", "turn"), "timeout": 5000}]}])
        );
        let cursor = of(Client::Cursor);
        assert_eq!(cursor["version"], 1);
        assert_eq!(
            cursor["hooks"]["sessionStart"],
            json!([{"command": command("cursor", "session-start"), "timeout": 5}])
        );
    }

    #[test]
    fn settings_that_are_not_as_expected_are_left_alone() {
        for wrong in [
            "{",
            "[]",
            "{'hooks': {}}",
            "{\"hooks\": []}",
            "{\"hooks\": {\"Stop\": {}}}",
        ] {
            assert!(with(wrong, &wanted(Client::ClaudeCode)).is_err(), "{wrong}");
        }
        for wrong in [
            "model =",
            "hooks = 5",
            "[hooks.Stop]\ncommand = \"x\"",
            "hooks = { Stop = [] }",
        ] {
            assert!(with(wrong, &wanted(Client::Codex)).is_err(), "{wrong}");
        }
    }
}
