//! What was said in a session, out of the client's own record of it. None of the records is a documented interface, so every reader
//! takes the lines it knows and passes over all others.
//!
//! Only what a person typed and what the agent answered is taken. Calls and output of tools, thoughts, instructions of the client and
//! what Keepsake had told the agent are left out here already: they are nobody's words about themselves (F6).

mod claude_code;
mod codex;
mod cursor;
mod gemini;

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use domain::conversation::Role;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::client::Client;

/// The largest record that is read, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Blocks that clients and Keepsake put into what looks like the user's words.
const NOT_TYPED: [&str; 7] = [
    "system-reminder",
    "environment_context",
    "user_instructions",
    "entity_memory",
    "prior_knowledge",
    "recent_sessions",
    "user_profile",
];

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The same each time the record is read: the client's name of it, or its place, and a digest of its words. Words that the client
    /// has changed since are another message and no conflict.
    pub id: String,
    /// Who said it.
    pub role: Role,
    /// The words.
    pub content: String,
    /// When, as the client writes it.
    pub at: Option<String>,
}

impl Said {
    /// With the words of `content` that were typed or answered; `None` where none are left.
    fn new(name: &str, role: Role, content: &str, at: Option<&str>) -> Option<Self> {
        let content = match role {
            Role::User => typed(content),
            _ => content.replace('\0', ""),
        };
        let content = content.trim().to_owned();
        if content.is_empty() {
            return None;
        }
        let digest = Sha256::digest(format!("{role}\n{content}").as_bytes());
        let digest = domain::audit::hex(&digest[..8]);
        // What names a message may be anything; an id is short and has no control characters.
        let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
        Some(Self {
            id: format!("{name}.{digest}"),
            role,
            content,
            at: at.filter(|at| is_time(at)).map(str::to_owned),
        })
    }
}

/// Reads a session's record.
///
/// # Errors
/// It is no file, too large, or cannot be read.
pub fn read(client: Client, path: &Path) -> Result<Vec<Said>> {
    let about = fs::metadata(path).context("look at the transcript")?;
    if !about.is_file() {
        bail!("the transcript is no file");
    }
    if about.len() > MOST_BYTES {
        bail!("the transcript has over {MOST_BYTES} bytes");
    }
    let bytes = fs::read(path).context("read the transcript")?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match client {
        Client::ClaudeCode => claude_code::said(&text),
        Client::Cursor => cursor::said(&text),
        Client::Codex => codex::said(&text),
        Client::Gemini => gemini::said(&text),
    })
}

/// The lines that are JSON objects; one that is still being written is none yet.
fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(Value::is_object)
}

/// The text of a content: itself, or the parts of it that are text of one of the `kinds`.
fn text_of(content: &Value, kinds: &[&str]) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten().filter(|part| {
        let kind = part["type"].as_str();
        kind.is_none_or(|kind| kinds.contains(&kind)) && part["thought"] != true
    });
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}

/// The words without the blocks that nobody typed. A block that never closes runs to the end.
fn typed(text: &str) -> String {
    NOT_TYPED
        .iter()
        .fold(text.replace('\0', ""), |text, tag| without(&text, tag))
}

fn without(text: &str, tag: &str) -> String {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some(at) = rest.find(&open) {
        kept.push_str(&rest[..at]);
        let inside = &rest[at + open.len()..];
        rest = match inside.find(&close) {
            Some(end) => &inside[end + close.len()..],
            None => "",
        };
    }
    kept.push_str(rest);
    kept
}

/// Whether a time is written as the API takes it.
fn is_time(text: &str) -> bool {
    chrono::DateTime::parse_from_rfc3339(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hooks");
        format!("{folder}/{name}")
    }

    /// What is in the fixture, as `role: words`.
    fn told(client: Client, name: &str) -> Vec<String> {
        let said = read(client, Path::new(&fixture(name))).unwrap();
        let mut ids: Vec<_> = said.iter().map(|one| one.id.clone()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), said.len(), "every message has an id of its own");
        said.iter()
            .map(|one| format!("{}: {}", one.role, one.content))
            .collect()
    }

    const TALK: [&str; 4] = [
        "user: I prefer code examples in Python rather than pseudocode.",
        "assistant: Noted, Python it is.",
        "user: Thanks.\nI work at a bakery.",
        "assistant: The tests pass.",
    ];

    // F6
    #[test]
    fn of_each_client_only_what_was_typed_and_answered_is_taken() {
        for (client, name) in [
            (Client::ClaudeCode, "claude-code/transcript.jsonl"),
            (Client::Codex, "codex/rollout.jsonl"),
            (Client::Gemini, "gemini/session.json"),
            (Client::Gemini, "gemini/session.jsonl"),
            (Client::Cursor, "cursor/transcript.jsonl"),
        ] {
            assert_eq!(told(client, name), TALK, "{name}");
        }
    }

    #[test]
    fn a_rollout_without_events_is_read_from_its_items() {
        let items = told(Client::Codex, "codex/rollout-items.jsonl");
        assert_eq!(items, TALK);
    }

    #[test]
    fn ids_stay_while_a_record_grows_and_times_are_kept() {
        let text = fs::read_to_string(fixture("claude-code/transcript.jsonl")).unwrap();
        let whole = claude_code::said(&text);
        assert_eq!(whole[0].at.as_deref(), Some("2026-11-30T09:00:00.000Z"));
        for end in 0..text.len() {
            if let Some(start) = text.get(..end) {
                let part = claude_code::said(start);
                assert_eq!(part[..], whole[..part.len()]);
            }
        }
    }

    #[test]
    fn anything_at_all_is_read_without_harm() {
        for text in [
            "",
            "null",
            "[]",
            "{",
            "{}",
            "\u{0}",
            r#"{"type": "user"}"#,
            r#"{"type": "user", "message": 5, "uuid": []}"#,
            r#"{"messages": {}}"#,
            r#"{"messages": [5, {"type": "user", "content": [[]]}]}"#,
            r#"{"role": "user", "message": {"content": null}}"#,
            r#"{"type": "event_msg", "payload": {"type": "user_message", "message": 1}}"#,
        ] {
            assert!(claude_code::said(text).is_empty(), "{text}");
            assert!(codex::said(text).is_empty(), "{text}");
            assert!(gemini::said(text).is_empty(), "{text}");
            assert!(cursor::said(text).is_empty(), "{text}");
        }
    }

    // F6
    #[test]
    fn blocks_that_nobody_typed_are_cut_out_of_the_words() {
        assert_eq!(typed("a<entity_memory>b</entity_memory>c"), "ac");
        assert_eq!(typed("a <system-reminder>b"), "a ");
        assert_eq!(typed("a</entity_memory> 1 < 2"), "a</entity_memory> 1 < 2");
        assert_eq!(
            Said::new("x", Role::User, "<user_profile>{}</user_profile>\n", None),
            None
        );
    }
}
