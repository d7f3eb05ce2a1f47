//! The audit chain, read and verified.

use domain::{
    Timestamp,
    audit::{EventType, Fault, SYSTEM_CHAIN, Verifier, hex},
    id::UserId,
    permission::{Permission, Permit},
};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

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
}

/// What a walk over the chains found.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Verified {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// How many events were read.
    pub events: i64,
    /// The head of the one chain, or a hash over the heads of all, as hex.
    pub head: String,
    /// What is wrong.
    pub faults: Vec<Fault>,
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
        let mut tx = self.read(permit).await?;
        let filter = store::EventFilter {
            chain: filter.agent.clone(),
            user: filter.user.clone(),
            subject: filter.subject.clone(),
            types: filter.types.clone(),
        };
        let rows = tx.events(&filter, &page(wanted)?).await?;
        let data = Names::default().events(&mut tx, rows.rows).await?;
        Ok(List {
            data,
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }

    /// Walks every chain the permit holds for, from its genesis to its head.
    ///
    /// # Errors
    /// Only the database's; faults are in the answer.
    pub async fn verify(&self, permit: &Permit) -> Result<Verified> {
        need(permit, &[Permission::ReadAudit])?;
        let mut tx = self.read(permit).await?;
        let mut heads = tx.heads().await?;
        heads.sort_by(|a, b| {
            (a.chain != SYSTEM_CHAIN, &a.chain).cmp(&(b.chain != SYSTEM_CHAIN, &b.chain))
        });
        let mut chains = tx.chains().await?;
        chains.sort_by(|a, b| (a != SYSTEM_CHAIN, a).cmp(&(b != SYSTEM_CHAIN, b)));
        let (mut events, mut faults) = (0, Vec::new());
        for chain in &chains {
            let mut verifier = Verifier::new(chain);
            let mut after = 0;
            loop {
                let rows = tx.chain(chain, after, 1000).await?;
                let Some(last) = rows.last() else { break };
                after = last.seq;
                events += i64::try_from(rows.len()).unwrap_or(i64::MAX);
                rows.iter().for_each(|event| verifier.next(event));
            }
            let head = heads.iter().find(|head| head.chain == *chain);
            let (_, _, found) = verifier.finish(head.map(|head| (head.seq, head.hash.as_slice())));
            faults.extend(found);
        }
        let head = match heads.as_slice() {
            [only] => hex(&only.hash),
            heads => {
                let mut all = Sha256::new();
                for head in heads {
                    all.update(&head.hash);
                }
                hex(&all.finalize())
            }
        };
        Ok(Verified {
            ok: faults.is_empty(),
            events,
            head,
            faults,
        })
    }
}
