//! The clients, and what is different about each: names of events, files, units of time-outs, and how a hook tells the agent something.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::place::Folders;

/// A program in which people talk to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Cursor, the editor and its command line.
    Cursor,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
}

/// What happened in the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Event {
    /// A session begins or goes on: the context is asked for.
    SessionStart,
    /// The agent has answered: what is new is sent.
    Turn,
    /// The session is over: the rest is sent, and the end.
    SessionEnd,
}

/// How the context gets to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Inject {
    /// By what the hook prints.
    Hook,
    /// By a block between markers in the client's instruction file.
    File,
    /// Not at all.
    Off,
}

/// A file with instructions for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instructions {
    /// The file.
    pub path: PathBuf,
    /// The folder that is worked in, where the file lies in it: what else is in there others may have written.
    pub workspace: Option<PathBuf>,
}

impl Client {
    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// The client's own name of an event.
    pub fn event(self, event: Event) -> &'static str {
        match (self, event) {
            (Self::Cursor, Event::SessionStart) => "sessionStart",
            (Self::Cursor, Event::Turn) => "stop",
            (Self::Cursor, Event::SessionEnd) => "sessionEnd",
            (_, Event::SessionStart) => "SessionStart",
            (Self::Gemini, Event::Turn) => "AfterAgent",
            (_, Event::Turn) => "Stop",
            (_, Event::SessionEnd) => "SessionEnd",
        }
    }

    /// How long the client is to wait, in its own unit. More than a hook ever takes; Codex allows its last event 3 seconds.
    pub fn timeout(self, event: Event) -> u32 {
        match (self, event) {
            (Self::Gemini, _) => 5_000,
            (Self::Codex, Event::SessionEnd) => 3,
            _ => 5,
        }
    }

    /// How the context gets to the agent unless told otherwise. Editions of Cursor drop what a hook adds at the start.
    pub fn inject(self) -> Inject {
        match self {
            Self::Cursor => Inject::File,
            _ => Inject::Hook,
        }
    }

    /// The file in which the client's hooks are set up.
    pub fn settings(self, folders: &Folders) -> PathBuf {
        match self {
            Self::ClaudeCode => folders.claude.join("settings.json"),
            Self::Cursor => folders.home.join(".cursor/hooks.json"),
            Self::Codex => folders.codex.join("config.toml"),
            Self::Gemini => folders.home.join(".gemini/settings.json"),
        }
    }

    /// The file with instructions that the client reads by itself. Only Cursor has none outside the folder that is worked in.
    pub fn instructions(self, folders: &Folders, workspace: Option<&Path>) -> Option<Instructions> {
        let of_the_person = |path| Instructions {
            path,
            workspace: None,
        };
        Some(match self {
            Self::ClaudeCode => of_the_person(folders.claude.join("CLAUDE.md")),
            Self::Cursor => Instructions {
                path: workspace?.join(".cursor/rules/keepsake.mdc"),
                workspace: workspace.map(Path::to_owned),
            },
            Self::Codex => of_the_person(folders.codex.join("AGENTS.md")),
            Self::Gemini => of_the_person(folders.home.join(".gemini/GEMINI.md")),
        })
    }

    /// What a new file with instructions begins with.
    pub fn preamble(self) -> &'static str {
        match self {
            Self::Cursor => {
                "---\ndescription: What is known about the user\nalwaysApply: true\n---\n"
            }
            _ => "",
        }
    }

    /// What a hook prints so that the agent reads `block`; `event` is the name that the client gave.
    pub fn tells(self, event: &str, block: &str) -> Value {
        match self {
            Self::Cursor => json!({"additional_context": block}),
            _ => {
                json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}})
            }
        }
    }
}

impl Event {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::SessionStart, Self::Turn, Self::SessionEnd];

    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Turn => "turn",
            Self::SessionEnd => "session-end",
        }
    }
}

impl Inject {
    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::File => "file",
            Self::Off => "off",
        }
    }
}
