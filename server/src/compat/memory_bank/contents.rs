//! Contents as Google's clients send them, as messages of a conversation. Only text is read: what else a part may hold is named.

use domain::{
    Timestamp,
    conversation::{NewMessage, Role, Source},
    time::micros,
};
use engine::FieldError;
use serde::Deserialize;

use crate::api::subject::field;

/// Our names of what a client gives.
pub const NAMES: &[(&str, &str)] = &[
    ("/messages", "/directContentsSource/events"),
    ("/conversation_id", "/streamId"),
];

/// What was said.
#[derive(Debug, Default, Deserialize)]
pub struct Contents {
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    content: Content,
    #[serde(alias = "event_id")]
    event_id: Option<String>,
    #[serde(alias = "event_time")]
    event_time: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
struct Content {
    role: Option<String>,
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
struct Part {
    text: Option<String>,
    /// What a model wrote for itself, and nobody was told.
    #[serde(default)]
    thought: bool,
}

impl Contents {
    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The messages that hold words.
    ///
    /// # Errors
    /// At a role that is none.
    pub fn messages(self) -> Result<Vec<NewMessage>, FieldError> {
        let mut messages = Vec::with_capacity(self.events.len());
        for (at, event) in self.events.into_iter().enumerate() {
            let Content { role, parts } = event.content;
            let role = match role.as_deref() {
                None | Some("user") => Role::User,
                Some("model" | "assistant") => Role::Assistant,
                Some("system") => Role::System,
                Some("tool" | "function") => Role::Tool,
                Some(_) => {
                    let at = format!("/directContentsSource/events/{at}/content/role");
                    return Err(field(
                        &at,
                        "not_allowed",
                        "user, model, system, tool or function",
                    ));
                }
            };
            let words = parts.into_iter().filter(|part| !part.thought);
            let words: Vec<String> = words.filter_map(|part| part.text).collect();
            let content = words.join("\n");
            if content.is_empty() {
                continue;
            }
            messages.push(NewMessage {
                external_id: event.event_id,
                role,
                source: Source::default(),
                at: event.event_time.map(micros),
                content,
            });
        }
        Ok(messages)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(events: Value) -> Result<Vec<NewMessage>, FieldError> {
        let contents: Contents = serde_json::from_value(json!({"events": events})).unwrap();
        contents.messages()
    }

    #[test]
    fn text_is_read_and_what_a_model_thought_is_not() {
        let messages = read(json!([
            {"content": {"role": "user", "parts": [{"text": "I like"}, {"inlineData": {}}, {"text": "dogs."}]},
             "event_id": "e1", "eventTime": "2026-12-01T00:00:00+00:00"},
            {"content": {"role": "model", "parts": [{"text": "They like dogs.", "thought": true}, {"text": "Noted!"}]}},
            {"content": {"role": "model", "parts": [{"functionCall": {"name": "save"}}]}},
            {"content": {"parts": [{"text": "And cats."}]}},
        ]))
        .unwrap();
        let told: Vec<_> = messages
            .iter()
            .map(|message| (message.role, message.content.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (Role::User, "I like\ndogs."),
                (Role::Assistant, "Noted!"),
                (Role::User, "And cats.")
            ]
        );
        assert_eq!(messages[0].external_id.as_deref(), Some("e1"));
        assert!(messages[0].at.is_some() && messages[1].at.is_none());
        let wrong = read(json!([{"content": {"role": "boss", "parts": []}}])).unwrap_err();
        assert_eq!(wrong.pointer, "/directContentsSource/events/0/content/role");
    }
}
