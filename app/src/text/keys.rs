//! What the keys, the palette and the live desk say.

use super::{Count, With};
use crate::keys::{Action, Wrong};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Keys {
    pub action: fn(Action) -> &'static str,
    pub arrived: Count,
    pub over: &'static str,
    pub over_link: &'static str,
    pub skip: &'static str,
    pub diff_then: &'static str,
    pub palette: &'static str,
    pub palette_how: &'static str,
    pub palette_none: &'static str,
    pub palette_actions: &'static str,
    pub palette_pages: &'static str,
    pub palette_agents: &'static str,
    pub palette_views: &'static str,
    pub palette_search: &'static str,
    pub find_users: With,
    pub find_memories: With,
    pub find_queue: With,
    pub change: &'static str,
    pub lead: &'static str,
    pub on: &'static str,
    pub on_how: &'static str,
    pub write_how: &'static str,
    pub save: &'static str,
    pub reset: &'static str,
    pub reset_how: &'static str,
    pub reset_done: &'static str,
    pub wrong: fn(Wrong) -> String,
}
