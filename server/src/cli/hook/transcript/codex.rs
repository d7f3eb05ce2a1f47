//! Codex: a rollout in JSONL. Events `user_message` and `agent_message` hold what a person saw and typed; the items of the model's
//! input also hold instructions, and are read only where a record has no such event.

use domain::conversation::Role;

use super::{Said, lines, text_of};

pub(super) fn said(text: &str) -> Vec<Said> {
    let (mut events, mut items) = (Vec::new(), Vec::new());
    for line in lines(text) {
        let payload = &line["payload"];
        let at = line["timestamp"].as_str();
        let name = at.unwrap_or_default();
        match (line["type"].as_str(), payload["type"].as_str()) {
            (Some("event_msg"), Some(kind @ ("user_message" | "agent_message"))) => {
                let role = if kind == "user_message" {
                    Role::User
                } else {
                    Role::Assistant
                };
                let words = payload["message"].as_str().unwrap_or_default();
                events.extend(Said::new(name, role, words, at));
            }
            (Some("response_item"), Some("message")) => {
                let role = match payload["role"].as_str() {
                    Some("user") => Role::User,
                    Some("assistant") => Role::Assistant,
                    _ => continue,
                };
                let words = text_of(&payload["content"], &["input_text", "output_text", "text"]);
                if !words.starts_with("# AGENTS.md instructions") {
                    items.extend(Said::new(name, role, &words, at));
                }
            }
            _ => {}
        }
    }
    if events.iter().any(|one: &Said| one.role == Role::User) {
        events
    } else {
        items
    }
}
