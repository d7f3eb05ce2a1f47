//! `keepsake hook`: what a client runs when a session starts, an answer is there, or a session ends; and how that is set up.
//!
//! A hook is a guest in somebody's session. It always ends with 0 and within two seconds, prints only what the client reads, and says
//! everything else in a log of its own. `docs/HOOKS.md` tells what is sent.

mod block;
mod check;
mod client;
mod diary;
mod event;
mod input;
mod install;
mod json_settings;
mod place;
mod spool;
mod status;
mod toml_settings;
mod transcript;

use std::{
    ffi::OsString,
    process::ExitCode,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

use client::{Client, Event, Inject};

pub const EXAMPLE: &str = "Examples:
  keepsake key create --agent coding > key.txt
  keepsake hook install --client claude-code --key-file key.txt
  keepsake hook status
  keepsake hook uninstall --client claude-code

What `install` writes into the client's settings runs, at its time:
  keepsake hook --client claude-code --event turn < event.json";

const INSTALL: &str = "Example:
  keepsake hook install --client codex --url https://keepsake.example --key-file key.txt --dry-run";

const UNINSTALL: &str = "Example:
  keepsake hook uninstall --client gemini";

const STATUS: &str = "Example:
  keepsake hook status";

/// How long a hook may take in all.
const LIMIT: Duration = Duration::from_secs(2);

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The program that runs the hook.
    #[arg(long, value_enum, required = true)]
    client: Option<Client>,
    /// What happened in it.
    #[arg(long, value_enum, required = true)]
    event: Option<Event>,
    /// How the context gets to the agent. Left out: as it works in this client.
    #[arg(long, value_enum)]
    inject: Option<Inject>,
    /// Who the agent talks to. Left out: as installed, else the user of the operating system.
    #[arg(long, alias = "user", value_name = "ID")]
    user_id: Option<String>,
    /// The address of Keepsake. Left out: KEEPSAKE_URL, else as installed.
    #[arg(long)]
    url: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show what would change in the client's settings, ask, and write it.
    #[command(after_help = INSTALL)]
    Install(install::Install),
    /// Take out exactly what `install` put in.
    #[command(after_help = UNINSTALL)]
    Uninstall(install::Uninstall),
    /// Tell which clients have hooks, and what waits to be sent.
    #[command(after_help = STATUS)]
    Status,
}

/// The arguments of one event.
#[derive(Debug)]
pub struct EventArguments {
    client: Client,
    event: Event,
    inject: Option<Inject>,
    user_id: Option<String>,
    url: Option<String>,
}

/// Whether the arguments of a process are those of an event: then not even wrong ones may end in anything but 0, which clients take
/// for a no to what the person asked.
pub fn is_of_a_session(arguments: impl IntoIterator<Item = OsString>) -> bool {
    let mut arguments = arguments.into_iter().skip(1);
    arguments.next().is_some_and(|first| first == "hook")
        && arguments.any(|one| one.to_string_lossy().starts_with("--event"))
}

pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let Arguments {
        command,
        client,
        event,
        inject,
        user_id,
        url,
    } = arguments;
    match (command, client, event) {
        (Some(Command::Install(install)), ..) => install.run(),
        (Some(Command::Uninstall(uninstall)), ..) => uninstall.run(),
        (Some(Command::Status), ..) => status::run(),
        (None, Some(client), Some(event)) => Ok(within_the_limit(EventArguments {
            client,
            event,
            inject,
            user_id,
            url,
        })),
        (None, ..) => unreachable!("clap asks for both"),
    }
}

/// Runs an event on a thread of its own and leaves it behind when its time is over; what it had to send is a file by then.
fn within_the_limit(arguments: EventArguments) -> ExitCode {
    let start = Instant::now();
    // A panic would be written into somebody's session.
    std::panic::set_hook(Box::new(|_| {}));
    let (done, finished) = mpsc::channel::<()>();
    let worker = thread::Builder::new().spawn(move || {
        // Dropped at the end, also of a panic, which is what is waited for.
        let _done = done;
        event::run(&arguments, start);
    });
    if worker.is_ok() {
        let _ = finished.recv_timeout(LIMIT);
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_from_what_a_person_types() {
        let of = |line: &str| is_of_a_session(line.split(' ').map(OsString::from));
        assert!(of("keepsake hook --client codex --event turn"));
        assert!(of("keepsake hook --event=someday --client codex"));
        assert!(!of("keepsake hook install --client codex"));
        assert!(!of("keepsake serve --event"));
        assert!(!of("keepsake"));
    }

    // C2
    #[test]
    fn what_the_first_steps_of_an_agent_show_is_a_command() {
        let shown = app::components::snippets::hook("https://keepsake.example");
        let (_, command) = shown.split_once(" keepsake ").unwrap();
        let parser = <Arguments as clap::Args>::augment_args(clap::Command::new("hook"));
        let parsed = parser.try_get_matches_from(command.split(' ')).unwrap();
        assert_eq!(parsed.subcommand_name(), Some("install"));
    }
}
