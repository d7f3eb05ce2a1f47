//! Claude Code: JSONL, a line an entry, `type` `user` or `assistant` with `uuid`, `timestamp` and the message of the API.

use domain::conversation::Role;

use super::{Said, lines, text_of};

/// What entries of the terminal begin with: commands of the client, and what they printed.
const OF_THE_TERMINAL: [&str; 7] = [
    "<command-name>",
    "<command-message>",
    "<local-command",
    "<bash-input>",
    "<bash-stdout>",
    "<user-memory-input>",
    "[Request interrupted",
];

pub(super) fn said(text: &str) -> Vec<Said> {
    let entries = lines(text).filter_map(|entry| {
        let role = match entry["type"].as_str()? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return None,
        };
        // What the client wrote in somebody's name, what a subagent was told, and the summary of what was said before.
        let aside = ["isMeta", "isSidechain", "isCompactSummary"];
        if aside.iter().any(|mark| entry[*mark] == true) {
            return None;
        }
        let content = text_of(&entry["message"]["content"], &["text"]);
        let start = content.trim_start();
        if role == Role::User && OF_THE_TERMINAL.iter().any(|mark| start.starts_with(mark)) {
            return None;
        }
        Said::new(
            entry["uuid"].as_str()?,
            role,
            &content,
            entry["timestamp"].as_str(),
        )
    });
    entries.collect()
}
