//! Topics of memories. In Keepsake a memory has one kind; the topics that Memory Bank has of its own are three of ours, and any other
//! kind is a topic of the customer's.

use engine::FieldError;
use serde::{Deserialize, Serialize};

use crate::api::subject::field;

/// The kind of a memory that was given no topic: what is lastingly true of somebody.
const FACT: &str = "fact";
const PREFERENCE: &str = "preference";
const CONTEXT: &str = "context";

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Topic {
    /// The name of a kind.
    #[serde(alias = "custom_memory_topic_label")]
    CustomMemoryTopicLabel(String),
    /// One of Memory Bank's own.
    #[serde(alias = "managed_memory_topic")]
    ManagedMemoryTopic(Managed),
}

/// The topics that Memory Bank has of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Managed {
    UserPersonalInfo,
    UserPreferences,
    KeyConversationDetails,
    /// What somebody asked to be remembered; by what it says it is a fact like others.
    ExplicitInstructions,
}

impl Topic {
    /// The topic of a kind.
    pub fn of(kind: &str) -> Self {
        match kind {
            FACT => Self::ManagedMemoryTopic(Managed::UserPersonalInfo),
            PREFERENCE => Self::ManagedMemoryTopic(Managed::UserPreferences),
            CONTEXT => Self::ManagedMemoryTopic(Managed::KeyConversationDetails),
            kind => Self::CustomMemoryTopicLabel(kind.to_owned()),
        }
    }

    /// Its kind.
    pub fn kind(&self) -> &str {
        match self {
            Self::CustomMemoryTopicLabel(kind) => kind,
            Self::ManagedMemoryTopic(Managed::UserPreferences) => PREFERENCE,
            Self::ManagedMemoryTopic(Managed::KeyConversationDetails) => CONTEXT,
            Self::ManagedMemoryTopic(Managed::UserPersonalInfo | Managed::ExplicitInstructions) => {
                FACT
            }
        }
    }
}

/// The kind of what is given with these topics.
///
/// # Errors
/// There are several.
pub fn kind(topics: &[Topic]) -> Result<&str, FieldError> {
    match topics {
        [] => Ok(FACT),
        [topic] => Ok(topic.kind()),
        _ => Err(field("/topics", "too_long", "a memory has one topic")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kind_comes_back_as_the_topic_that_it_was() {
        for written in [
            json!({"managedMemoryTopic": "USER_PREFERENCES"}),
            json!({"managedMemoryTopic": "USER_PERSONAL_INFO"}),
            json!({"managedMemoryTopic": "KEY_CONVERSATION_DETAILS"}),
            json!({"customMemoryTopicLabel": "warranty"}),
        ] {
            let topic: Topic = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(
                serde_json::to_value(Topic::of(topic.kind())).unwrap(),
                written
            );
        }
        let asked = json!({"managed_memory_topic": "EXPLICIT_INSTRUCTIONS"});
        let asked: Topic = serde_json::from_value(asked).unwrap();
        assert_eq!(kind(std::slice::from_ref(&asked)), Ok("fact"));
        assert_eq!(kind(&[]), Ok("fact"));
        assert_eq!(
            kind(&[asked.clone(), asked]).unwrap_err().pointer,
            "/topics"
        );
    }
}
