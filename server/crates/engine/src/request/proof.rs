//! Proof that a request was answered: its events, those of the export that was handed out and of those who were erased, each with its
//! hash and whether it is signed by now, and the checkpoint that signs them.

use domain::{
    audit::{SYSTEM_CHAIN, StoredEvent},
    id::RequestId,
    permission::{Permission, Permit},
};

use super::{RequestDetail, erasure};
use crate::{
    Engine,
    audit::{CheckpointView, EventView},
    error::Result,
    need,
    page::Page,
    view::Names,
};

/// The most events of one thing.
const MOST: u32 = 50;

/// What proves that a request was answered.
#[derive(Debug, Clone)]
pub struct RequestProof {
    /// The request with what was found.
    pub detail: RequestDetail,
    /// What happened, in the order of time.
    pub events: Vec<ProofEvent>,
    /// The sum of the file that was handed out, as hex.
    pub export_sum: Option<String>,
    /// The newest checkpoint.
    pub checkpoint: Option<CheckpointView>,
    /// The key that signs, as `pubkey.txt` of an export has it.
    pub key: String,
    /// What people compare it by.
    pub fingerprint: String,
}

/// An event of a proof.
#[derive(Debug, Clone)]
pub struct ProofEvent {
    /// Itself.
    pub event: EventView,
    /// Whether the newest checkpoint signs it.
    pub signed: bool,
}

impl Engine {
    /// The proof of a request.
    ///
    /// # Errors
    /// [`crate::EngineError::NotFound`].
    pub async fn request_proof(&self, permit: &Permit, id: &RequestId) -> Result<RequestProof> {
        need(permit, &[Permission::Export])?;
        let detail = self.request(permit, id).await?;
        let mut stored = self.events_of_request(&detail).await?;
        stored.sort_by_key(|event| (event.at, event.seq));
        let mut tx = self.read(permit).await?;
        let export_sum = match &detail.request.export {
            Some(export) => tx.export(export).await?.and_then(|made| made.file),
            None => None,
        };
        let events = Names::default().events(&mut tx, stored).await?;
        drop(tx);
        let key = self.export_key(permit).await?;
        let checkpoint = self.newest_checkpoint(permit).await?;
        let signed = |event: &EventView| {
            checkpoint.as_ref().is_some_and(|checkpoint| {
                if event.agent == SYSTEM_CHAIN {
                    return event.seq <= checkpoint.size;
                }
                let mut agents = checkpoint.agents.iter();
                let of = agents.find(|signed| signed.agent == event.agent);
                of.is_some_and(|signed| event.seq.unsigned_abs() <= signed.size)
            })
        };
        let events = events.into_iter().map(|event| ProofEvent {
            signed: signed(&event),
            event,
        });
        Ok(RequestProof {
            events: events.collect(),
            export_sum: export_sum.map(|file| file.sha256),
            detail,
            checkpoint,
            key: key.key,
            fingerprint: key.fingerprint,
        })
    }

    /// The events about a request that the caller may see. Those of its own stand in the chain of the system, of which they are the only
    /// ones that who is limited to some agents is shown.
    async fn events_of_request(&self, detail: &RequestDetail) -> Result<Vec<StoredEvent>> {
        let mut tx = self.read_all().await?;
        let mut events = Vec::new();
        let export = detail.request.export.as_ref().map(ToString::to_string);
        for subject in std::iter::once(detail.request.id.to_string()).chain(export) {
            let filter = store::EventFilter {
                chain: Some(SYSTEM_CHAIN.to_owned()),
                subject: Some(subject),
                ..store::EventFilter::default()
            };
            let found = tx.events(&filter, &store::Page::first(MOST)).await?;
            events.extend(found.rows);
        }
        for user in detail.users.iter().filter(|user| user.erased) {
            events.extend(erasure(&mut tx, &user.agent, &user.user).await?);
        }
        Ok(events)
    }

    async fn newest_checkpoint(&self, permit: &Permit) -> Result<Option<CheckpointView>> {
        // Whoever may export may read the audit too: it is the same people.
        let Ok(reads) = Permit::ask(permit.actor().clone(), Permission::ReadAudit) else {
            return Ok(None);
        };
        let newest = Page {
            limit: 1,
            ..Page::default()
        };
        let checkpoints = self.checkpoints(&reads, &newest).await?;
        Ok(checkpoints.data.into_iter().next())
    }
}
