//! Users: the people agents talk to, named by the agent's own words.

use std::collections::BTreeMap;

use crate::{Timestamp, agent::AgentName, id::UserId};

/// Why a user cannot be named so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidScope {
    /// No pair, or more than five.
    #[error("a scope has 1 to 5 pairs")]
    Pairs,
    /// A value is empty.
    #[error("{0} is needed; it must not be empty")]
    Empty(String),
    /// A key is empty or over 64 characters, a value over 256, or one of them holds control characters.
    #[error("{0}: a key has 1 to 64 characters, a value 1 to 256, without control characters")]
    Length(String),
    /// The value looks like one of our own identifiers.
    #[error("a user id does not begin with \"usr_\": that shape is Keepsake's own")]
    Reserved,
}

/// The pairs that name a user (D9): exact match, immutable, at most five. `user_id: x` is the scope `{"user_id": x}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Scope(BTreeMap<String, String>);

impl Scope {
    /// The longest value, in characters.
    pub const MAX_VALUE: usize = 256;

    /// The scope of a plain user id.
    pub fn user_id(user_id: &str) -> Result<Self, InvalidScope> {
        Self::parse(BTreeMap::from([("user_id".to_owned(), user_id.to_owned())]))
    }

    /// Checks number and length of the pairs.
    pub fn parse(pairs: BTreeMap<String, String>) -> Result<Self, InvalidScope> {
        if !(1..=5).contains(&pairs.len()) {
            return Err(InvalidScope::Pairs);
        }
        let fits = |text: &str, most: usize| {
            (1..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control)
        };
        for (key, value) in &pairs {
            if value.is_empty() && fits(key, 64) {
                return Err(InvalidScope::Empty(key.clone()));
            }
            if !fits(key, 64) || !fits(value, Self::MAX_VALUE) {
                return Err(InvalidScope::Length(key.chars().take(64).collect()));
            }
            if key == "user_id" && value.starts_with(UserId::PREFIX) {
                return Err(InvalidScope::Reserved);
            }
        }
        Ok(Self(pairs))
    }

    /// The pairs, in the order of their keys.
    pub fn pairs(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// The plain user id, when the scope is nothing else.
    pub fn as_user_id(&self) -> Option<&str> {
        match self.0.get("user_id") {
            Some(id) if self.0.len() == 1 => Some(id),
            _ => None,
        }
    }

    /// What a person reads: the user id, or `key=value` pairs.
    pub fn display(&self) -> String {
        self.as_user_id().map_or_else(
            || {
                let pairs: Vec<_> = self.0.iter().map(|(k, v)| format!("{k}={v}")).collect();
                pairs.join(", ")
            },
            str::to_owned,
        )
    }

    /// Whether a pattern means this user: `*` stands for any characters, everything else for itself, upper and lower case alike. It
    /// is compared with the user id, or with each value where there is none.
    pub fn fits(&self, pattern: &str) -> bool {
        let pattern = pattern.to_lowercase();
        let fits = |value: &String| fits(&pattern, &value.to_lowercase());
        match self.0.get("user_id") {
            Some(id) => fits(id),
            None => self.0.values().any(fits),
        }
    }

    /// Canonical text: what is hashed to find the user and sealed to show the name.
    pub fn canonical(&self) -> String {
        serde_json::to_string(&self.0).expect("a map of strings is JSON")
    }
}

/// Whether `text` is `pattern`, in which `*` stands for any characters. Each part between stars is taken where it comes first, which
/// leaves most for the rest, so nothing has to be tried twice.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(tail)
}

#[cfg(feature = "openapi")]
crate::openapi::pairs!(Scope);

impl<'de> serde::Deserialize<'de> for Scope {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let pairs = BTreeMap::deserialize(from)?;
        Self::parse(pairs).map_err(serde::de::Error::custom)
    }
}

/// A user of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct User {
    /// The agent that talks to them.
    pub agent: AgentName,
    /// Ours.
    pub id: UserId,
    /// Theirs.
    pub scope: Scope,
    /// When first heard of.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    // G2
    #[test]
    fn a_pattern_of_shared_ids_fits_whole_ids_only() {
        let fits = |pattern: &str, id: &str| Scope::user_id(id).unwrap().fits(pattern);
        assert!(fits("guest-*", "guest-42") && fits("guest-*", "Guest-") && fits("*", "ana"));
        assert!(
            fits("*@kiosk.*", "a@kiosk.example") && fits("a*b*c", "abbc") && fits("客*", "客人1")
        );
        assert!(!fits("guest-*", "a-guest-1") && !fits("guest", "guest-1") && !fits("a*a", "a"));
        assert!(!fits("a*b*c", "acb") && !fits("*x", "xy"));
        let pairs = [("user_id", "ana"), ("channel", "guest-web")];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let scope = Scope::parse(BTreeMap::from(pairs)).unwrap();
        assert!(!scope.fits("guest-*"), "the user id says who it is");
    }

    #[test]
    fn odd_user_ids_travel_unchanged_and_reserved_ones_are_refused() {
        for id in ["x\" or \"1\"=\"1", "a:b/../c", "%", "🙂", "山本ゆき"] {
            assert_eq!(Scope::user_id(id).unwrap().as_user_id(), Some(id));
        }
        assert_eq!(Scope::user_id("usr_x"), Err(InvalidScope::Reserved));
        let length = || Err(InvalidScope::Length("user_id".to_owned()));
        assert_eq!(
            Scope::user_id(""),
            Err(InvalidScope::Empty("user_id".to_owned()))
        );
        assert_eq!(Scope::user_id(&"x".repeat(10_000)), length());
        assert_eq!(Scope::user_id("a\0b"), length());
    }
}
