//! Gemini CLI: one JSON object with `messages` (older editions), or JSONL in which a message may come again with more in it, and
//! `$rewindTo` takes back a message and all behind it.

use domain::conversation::Role;
use serde_json::Value;

use super::{Said, lines, text_of};

pub(super) fn said(text: &str) -> Vec<Said> {
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let messages = match whole
        .as_ref()
        .and_then(|whole| whole["messages"].as_array())
    {
        Some(messages) => messages.clone(),
        None => of_lines(text),
    };
    messages.iter().filter_map(one).collect()
}

fn of_lines(text: &str) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    for record in lines(text) {
        let place = |id: &Value| messages.iter().position(|message| message["id"] == *id);
        if record["$rewindTo"].is_string() {
            let from = place(&record["$rewindTo"]).unwrap_or_default();
            messages.truncate(from);
        } else if record["id"].is_string() {
            match place(&record["id"]) {
                Some(at) => messages[at] = record,
                None => messages.push(record),
            }
        }
    }
    messages
}

fn one(message: &Value) -> Option<Said> {
    let role = match message["type"].as_str()? {
        "user" => Role::User,
        "gemini" => Role::Assistant,
        _ => return None,
    };
    let content = text_of(&message["content"], &["text"]);
    let at = message["timestamp"].as_str();
    Said::new(message["id"].as_str()?, role, &content, at)
}
