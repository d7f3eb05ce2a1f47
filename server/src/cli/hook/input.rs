//! What a client writes to the stdin of a hook. Only what is needed is read; everything else may change.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    client::{Client, Event},
    place::Folders,
};

/// The session that something happened in.
#[derive(Debug, PartialEq, Eq)]
pub struct Input {
    /// The client's id of it.
    pub session: String,
    /// Its record.
    pub transcript: Option<PathBuf>,
    /// The folder that is worked in.
    pub workspace: Option<PathBuf>,
    /// The client's name of the event.
    pub event: String,
}

impl Input {
    /// Reads the JSON; `None` where it names no session.
    pub fn parse(client: Client, event: Event, json: &str, folders: &Folders) -> Option<Self> {
        let json: Value = serde_json::from_str(json).ok()?;
        let text = |names: &[&str]| {
            let given = names.iter().find_map(|name| json[*name].as_str());
            given.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let session = text(&["session_id", "conversation_id"])?;
        let fits = session.chars().count() <= 200 && !session.chars().any(char::is_control);
        if !fits {
            return None;
        }
        let workspace = json["workspace_roots"][0].as_str().map(str::to_owned);
        let workspace = workspace.or_else(|| text(&["cwd"])).map(PathBuf::from);
        let workspace = workspace.filter(|path| path.is_absolute());
        let transcript = text(&["transcript_path"]).map(PathBuf::from).or_else(|| {
            (client == Client::Cursor)
                .then(|| of_cursor(&session, workspace.as_deref()?, folders))?
        });
        Some(Self {
            transcript,
            workspace,
            event: text(&["hook_event_name"]).unwrap_or_else(|| client.event(event).to_owned()),
            session,
        })
    }

    /// The `conversation_id` of the API.
    pub fn conversation(&self, client: Client) -> String {
        format!("{}/{}", client.name(), self.session)
    }
}

/// Where Cursor's command line, which names no record, keeps it: in a folder called after the one that is worked in.
fn of_cursor(session: &str, workspace: &Path, folders: &Folders) -> Option<PathBuf> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !session.chars().all(plain) {
        return None;
    }
    let workspace = workspace.to_str()?.trim_start_matches('/');
    let project: String = workspace
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let folder = folders
        .home
        .join(".cursor/projects")
        .join(project)
        .join("agent-transcripts");
    let file = format!("{session}.jsonl");
    [folder.join(&file), folder.join(session).join(&file)]
        .into_iter()
        .find(|path| path.is_file())
}
