//! What a webhook is sent: type, time, and our ids of what the event is about. No words of anybody, no name, nobody's own id: whoever may
//! read more reads it over REST by these ids, by the rules that hold there.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventBody, EventType},
    id::{ConversationId, DeliveryId, MemoryId, ServingId, WebhookId},
    time::rfc3339,
};
use serde::Serialize;

use crate::{Engine, error::Result};

/// The most servings that a recall names; the count beside them is whole.
const SERVINGS: u32 = 200;

/// The type of what is sent to see whether it arrives; no event of a chain has it.
const TEST: &str = "webhook.test";

#[derive(Serialize)]
struct Payload<'a, D> {
    r#type: &'a str,
    timestamp: String,
    data: D,
}

#[derive(Serialize)]
struct Told {
    /// The chain: an agent's name, or `system`.
    agent: String,
    /// The number of the event there, from 1 without gaps: who gets two out of order can tell.
    seq: i64,
    /// The user it is about, `usr_…`.
    user: Option<String>,
    /// The thing it is about.
    subject: String,
    #[serde(flatten)]
    recalled: Option<Recalled>,
}

/// What runtimes need to put a recall right: which answers of theirs told the memory, and in which conversations.
#[derive(Serialize)]
struct Recalled {
    /// How often it was told.
    told: i64,
    servings: Vec<ServingId>,
    conversations: Vec<ConversationId>,
}

#[derive(Serialize)]
struct Test<'a> {
    agent: Option<&'a AgentName>,
    subject: &'a WebhookId,
}

impl Engine {
    /// The body for an event; `None` where that cannot be read.
    pub(super) async fn webhook_payload(&self, event: &str) -> Result<Option<String>> {
        let Ok(event) = serde_json::from_str::<EventBody>(event) else {
            return Ok(None);
        };
        let Some(at) = Timestamp::from_timestamp_micros(event.at_us) else {
            return Ok(None);
        };
        let recalled = match event.r#type {
            EventType::MemoryRecalled => Some(self.recalled_to(&event).await?),
            _ => None,
        };
        Ok(Some(written(
            event.r#type.as_str(),
            at,
            Told {
                agent: event.agent,
                seq: event.seq,
                user: event.user,
                subject: event.subject,
                recalled,
            },
        )))
    }

    async fn recalled_to(&self, event: &EventBody) -> Result<Recalled> {
        let count = event.data.get("told").and_then(serde_json::Value::as_i64);
        let mut recalled = Recalled {
            told: count.unwrap_or_default(),
            servings: Vec::new(),
            conversations: Vec::new(),
        };
        let named = AgentName::parse(&event.agent).ok();
        let memory = MemoryId::parse(&event.subject).ok();
        if let (Some(agent), Some(memory)) = (named, memory) {
            let mut tx = self.read_all().await?;
            let told = tx.told_to(&agent, &memory, SERVINGS).await?;
            (recalled.servings, recalled.conversations) = told;
        }
        Ok(recalled)
    }
}

/// The body of a test.
pub(super) fn test(webhook: &WebhookId, agent: Option<&AgentName>, now: Timestamp) -> String {
    let data = Test {
        agent,
        subject: webhook,
    };
    written(TEST, now, data)
}

/// The headers of a body. The id stays over all tries, so that who gets it twice can tell.
pub(super) fn headers(
    id: &DeliveryId,
    sent_at: i64,
    signature: String,
) -> [(&'static str, String); 3] {
    [
        ("webhook-id", id.to_string()),
        ("webhook-timestamp", sent_at.to_string()),
        ("webhook-signature", signature),
    ]
}

fn written<D: Serialize>(r#type: &str, at: Timestamp, data: D) -> String {
    let payload = Payload {
        r#type,
        timestamp: rfc3339(at),
        data,
    };
    serde_json::to_string(&payload).expect("our own types are JSON")
}
