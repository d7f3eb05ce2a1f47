//! The forms in which chat programs take a message.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::words::Message;

/// A chat program that takes messages at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Slack's incoming webhooks.
    #[default]
    Slack,
    /// A workflow of Microsoft Teams that waits for a webhook: it takes an adaptive card.
    Teams,
    /// Mattermost's incoming webhooks.
    Mattermost,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Slack, Self::Teams, Self::Mattermost];

    /// The word of it in a form.
    pub fn word(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Teams => "teams",
            Self::Mattermost => "mattermost",
        }
    }

    /// The one of a word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.word() == word)
    }

    /// The body of the request.
    pub(super) fn body(self, message: &Message) -> Value {
        let lines = message.lines.join("\n");
        let links = |link: fn(&str, &str) -> String| {
            let links = message.links.iter();
            let links: Vec<_> = links.map(|(label, at)| link(label, at)).collect();
            links.join(" · ")
        };
        match self {
            Self::Slack => {
                let links = links(|label, at| format!("<{at}|{label}>"));
                json!({ "text": format!("*{}*\n{lines}\n{links}", message.title) })
            }
            Self::Mattermost => {
                let links = links(|label, at| format!("[{label}]({at})"));
                json!({ "text": format!("**{}**\n{lines}\n\n{links}", message.title) })
            }
            Self::Teams => card(message),
        }
    }
}

/// An adaptive card, as a workflow of Teams posts it.
fn card(message: &Message) -> Value {
    let title = json!({
        "type": "TextBlock", "text": message.title, "weight": "Bolder", "size": "Medium", "wrap": true,
    });
    let lines = message
        .lines
        .iter()
        .map(|line| json!({ "type": "TextBlock", "text": line, "wrap": true }));
    let actions = message
        .links
        .iter()
        .map(|(label, at)| json!({ "type": "Action.OpenUrl", "title": label, "url": at }));
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": std::iter::once(title).chain(lines).collect::<Vec<_>>(),
                "actions": actions.collect::<Vec<_>>(),
            },
        }],
    })
}
