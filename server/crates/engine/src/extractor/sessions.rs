//! What an extractor reads to find behaviour that repeats (C1): the user's words of several sessions that ended.

use domain::{Timestamp, agent::AgentSettings, kind::Kind};

use super::{Nearest, WindowTurn};

/// Several sessions of one user, the oldest first.
#[derive(Debug, Clone)]
pub struct Sessions {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// The patterns that are stored.
    pub patterns: Vec<Nearest>,
    /// The kind that is wanted.
    pub kind: Kind,
    /// The agent's settings.
    pub settings: AgentSettings,
    /// When this is read.
    pub now: Timestamp,
}

/// A session that ended.
#[derive(Debug, Clone)]
pub struct Session {
    /// When.
    pub ended_at: Timestamp,
    /// The zone in which its times are meant.
    pub time_zone: Option<String>,
    /// What the user said. A quote's turn counts through the turns of all sessions, in their order.
    pub turns: Vec<WindowTurn>,
}

impl Sessions {
    /// The turns of all sessions, in the order in which quotes count them.
    pub fn turns(&self) -> impl Iterator<Item = &WindowTurn> {
        self.sessions.iter().flat_map(|session| &session.turns)
    }
}
