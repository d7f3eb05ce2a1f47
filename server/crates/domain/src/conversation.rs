//! Conversations and messages, as an agent sent them.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    agent::AgentName,
    id::{ConversationId, MessageId, UserId},
};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Assistant,
    /// The operator's instructions.
    System,
    /// What a tool answered.
    Tool,
}

/// Who made the words, where the role alone does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A human being typed or said it.
    #[default]
    Human,
    /// Another agent wrote it.
    Agent,
    /// A timer or a script wrote it.
    Automation,
}

macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $type {
            /// Every value, in the order of its declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word that stands for it in JSON and in the tables.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        #[cfg(feature = "openapi")]
        crate::openapi::closed_list!($type);

        impl std::str::FromStr for $type {
            type Err = crate::conversation::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(crate::conversation::UnknownWord { allowed: &[$($word),*] }),
                }
            }
        }
    };
}
pub(crate) use words;

/// A word outside a closed list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not one of: {}", allowed.join(", "))]
pub struct UnknownWord {
    /// The words of the list.
    pub allowed: &'static [&'static str],
}

words!(Role { User = "user", Assistant = "assistant", System = "system", Tool = "tool" });
words!(Source { Human = "human", Agent = "agent", Automation = "automation" });

/// A stored message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Ours.
    pub id: MessageId,
    /// From 1, without gaps within the conversation.
    pub position: i64,
    /// Who speaks.
    pub role: Role,
    /// Who made the words.
    pub source: Source,
    /// When it was said.
    pub at: Timestamp,
    /// The agent's own id of it.
    pub external_id: Option<String>,
    /// What was said, as received.
    pub content: String,
}

/// A stored conversation, without its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// The agent that had it.
    pub agent: AgentName,
    /// Ours.
    pub id: ConversationId,
    /// With whom.
    pub user: UserId,
    /// The agent's own id of it.
    pub external_id: Option<String>,
    /// IANA name of the zone in which relative dates are meant.
    pub time_zone: Option<String>,
    /// The position of the last message.
    pub messages: i64,
    /// The position up to which extraction has come.
    pub extracted_upto: i64,
    /// When the agent said that it is over.
    pub ended_at: Option<Timestamp>,
    /// When the first message came.
    pub created_at: Timestamp,
}

/// A message on its way in: its size, role and words are already checked.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The agent's own id, unique in the conversation.
    pub external_id: Option<String>,
    /// Who speaks.
    pub role: Role,
    /// Who made the words.
    pub source: Source,
    /// When it was said; `None`: when it was received.
    pub at: Option<Timestamp>,
    /// What was said.
    pub content: String,
}
