//! Agents: the boundary of isolation, and their settings.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a name is no agent's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "an agent's name has 1 to 64 letters a-z, digits, '-' or '_', begins with a letter or digit, and is not \"system\""
)]
pub struct InvalidAgentName;

/// The name an agent is addressed by, unique in an installation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct AgentName(String);

impl AgentName {
    /// Checks the shape. `system` names the audit chain of the installation and `*` means every agent, so neither can be a name.
    pub fn parse(text: &str) -> Result<Self, InvalidAgentName> {
        let shaped = (1..=64).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_');
        (shaped && text != "system")
            .then(|| Self(text.to_owned()))
            .ok_or(InvalidAgentName)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for AgentName {
    type Err = InvalidAgentName;

    fn from_str(text: &str) -> Result<Self, InvalidAgentName> {
        Self::parse(text)
    }
}

impl TryFrom<String> for AgentName {
    type Error = InvalidAgentName;

    fn try_from(text: String) -> Result<Self, InvalidAgentName> {
        Self::parse(&text)
    }
}

#[cfg(feature = "openapi")]
crate::openapi::text!(AgentName, "^[a-z0-9][a-z0-9_-]{0,63}$");

impl<'de> Deserialize<'de> for AgentName {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Which agents a caller may see. Every statement of the store is bound to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentScope {
    /// One agent, as an agent's key has it.
    One(AgentName),
    /// Several, as a person limited to agents has them. Never empty.
    Some(Vec<AgentName>),
    /// All of them.
    All,
}

impl AgentScope {
    /// Whether `agent` is inside.
    pub fn contains(&self, agent: &AgentName) -> bool {
        match self {
            Self::One(one) => one == agent,
            Self::Some(some) => some.contains(agent),
            Self::All => true,
        }
    }
}

/// When the extraction of a conversation starts, besides its end and a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExtractionTrigger {
    /// As soon as this many messages are new.
    pub messages: u32,
    /// When nothing new came for this many seconds.
    pub quiet_seconds: u32,
}

impl Default for ExtractionTrigger {
    fn default() -> Self {
        Self {
            messages: 20,
            quiet_seconds: 60,
        }
    }
}

/// What an administrator sets for an agent (A1, A12). Kept as JSON; a field that is missing there has its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct AgentSettings {
    /// Whether conversations become candidates.
    pub learn: bool,
    /// Whether approved memories are given out.
    pub serve: bool,
    /// Most approved memories a user may have.
    pub max_memories: u32,
    /// Drafts under this confidence are dropped (0.0 to 1.0).
    pub confidence_floor: f64,
    /// Most candidates of one window.
    pub max_candidates: u32,
    /// When extraction starts.
    pub trigger: ExtractionTrigger,
    /// The extractor of this agent, as `KEEPSAKE_EXTRACTOR_MODEL` has it; `None`: the installation's.
    pub extractor: Option<String>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            learn: true,
            serve: true,
            max_memories: 50,
            confidence_floor: 0.5,
            max_candidates: 10,
            trigger: ExtractionTrigger::default(),
            extractor: None,
        }
    }
}

/// An assistant whose memory is governed.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Its name.
    pub name: AgentName,
    /// Its settings.
    pub settings: AgentSettings,
    /// Raised by one with every change of the settings.
    pub version: i64,
    /// When it was made.
    pub created_at: crate::Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_chains_and_odd_shapes_are_refused() {
        for name in ["system", "*", "", "-a", "A", "a b", "ä", &"a".repeat(65)] {
            assert_eq!(AgentName::parse(name), Err(InvalidAgentName), "{name}");
        }
        assert!(AgentName::parse("ads-buddy_2").is_ok());
    }
}
