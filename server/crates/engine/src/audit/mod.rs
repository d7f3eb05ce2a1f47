//! The audit chains: read (`mod.rs`), signed (`checkpoint.rs`, `folder.rs`), walked and compared with what was signed (`verify.rs`).

mod checkpoint;
pub(crate) mod folder;
mod verify;

pub use checkpoint::{AuditKeyView, CheckpointView, SignedChain, SignedCheckpoint};
pub use verify::{VerificationView, Verified};

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
    id::UserId,
    permission::{Permission, Permit},
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    Engine,
    error::Result,
    need,
    page::{By, List, Page},
    queue::page,
    view::Names,
};

/// A line of a chain, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct EventView {
    /// The chain: an agent's name, or `system`.
    pub agent: String,
    /// Its number within the chain.
    pub seq: i64,
    /// Its hash, as hex.
    pub hash: String,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What happened.
    pub r#type: EventType,
    /// Who did it.
    pub actor: By,
    /// The user it is about.
    pub user: Option<UserId>,
    /// The id of the thing it is about.
    pub subject: String,
    /// Ids, closed words and integers.
    pub data: Map<String, Value>,
}

/// Which events.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Of one chain.
    pub agent: Option<String>,
    /// About one user.
    pub user: Option<UserId>,
    /// About one thing.
    pub subject: Option<String>,
    /// Of these types; empty: all.
    pub types: Vec<EventType>,
    /// Done by this sort of actor, one of [`ACTORS`]; another word: by nobody.
    pub actor: Option<String>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Before.
    pub until: Option<Timestamp>,
}

/// The sorts of actors, as events name them.
pub const ACTORS: [&str; 4] = ["person", "key", "policy", "system"];

/// Whether a chain lies within a scope. That of the system does only where the scope is everything.
fn within(scope: &AgentScope, chain: &str) -> bool {
    match scope {
        AgentScope::All => true,
        some => AgentName::parse(chain).is_ok_and(|agent| some.contains(&agent)),
    }
}

impl Engine {
    /// A page of events, newest first. The `system` chain shows only where the permit holds for all agents.
    ///
    /// # Errors
    /// As [`Engine::candidates`].
    pub async fn events(
        &self,
        permit: &Permit,
        filter: &EventFilter,
        wanted: &Page,
    ) -> Result<List<EventView>> {
        need(permit, &[Permission::ReadAudit])?;
        let known = |actor: &String| ACTORS.contains(&actor.as_str());
        if !filter.actor.as_ref().is_none_or(known) {
            return Ok(List::whole(Vec::new()));
        }
        let mut tx = self.read(permit).await?;
        let filter = store::EventFilter {
            chain: filter.agent.clone(),
            user: filter.user.clone(),
            subject: filter.subject.clone(),
            types: filter.types.clone(),
            actor: filter.actor.clone(),
            since: filter.since,
            until: filter.until,
        };
        let rows = tx.events(&filter, &page(wanted)?).await?;
        let data = Names::default().events(&mut tx, rows.rows).await?;
        Ok(List {
            data,
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }
}
