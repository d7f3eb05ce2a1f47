//! Checkpoints: how far every chain reaches, signed with the installation's key, and written down outside the database too.

use domain::{
    Timestamp,
    agent::AgentScope,
    audit::{Checkpoint, hex},
    permission::{Permission, Permit},
};
use serde::Serialize;
use store::{AuditKey, Grown, KeptCheckpoint, Stamp};

use super::{
    folder::{Folder, Note, blocking},
    within,
};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
    page::{List, Page},
    queue::page,
};

/// Notes that are looked for in the folder at once.
const NOTES: u32 = 50;

/// A checkpoint that was made.
#[derive(Debug, Clone)]
pub struct SignedCheckpoint {
    /// What it says.
    pub checkpoint: Checkpoint,
    /// The signed note that says it.
    pub note: String,
}

/// A checkpoint, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct CheckpointView {
    /// How many events the chain `system` had; the last of them tells of this checkpoint.
    pub size: i64,
    /// The root of the chain `system`, as hex.
    pub root: String,
    /// When it was signed.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The chains of agents, by name.
    pub agents: Vec<SignedChain>,
    /// The signed note. It names every agent, so only who may read all of them is given it.
    pub note: Option<String>,
}

/// How far the chain of an agent was signed.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct SignedChain {
    /// The agent.
    pub agent: String,
    /// How many events it had.
    pub size: u64,
    /// Its root, as hex.
    pub root: String,
}

/// The key that checkpoints are checked with.
#[derive(Debug, Clone)]
pub struct AuditKeyView {
    /// As `pubkey.txt` of an export has it: `<name>+<hash>+<key>`.
    pub key: String,
    /// The SHA-256 of the key's bytes, as hex: what people compare.
    pub fingerprint: String,
}

impl Engine {
    /// Signs how far every chain reaches. The note is kept in the database, and then in the folder of the checkpoints.
    ///
    /// # Errors
    /// The database's; the chain `system` is damaged; the folder cannot be written, and then the next checkpoint makes up for it.
    pub async fn checkpoint(&self) -> Result<SignedCheckpoint> {
        let key = self.db().audit_key().await?;
        // Before anything is locked: the first time each chain is read whole.
        let chains = self.read_all().await?.grown().await?;
        for damaged in chains.iter().filter(|chain| chain.extent().is_none()) {
            let chain = damaged.chain();
            tracing::error!(
                chain,
                "a damaged chain is left out of the checkpoint; `keepsake audit verify` names what is wrong"
            );
        }
        let kept = again!(self.sign(&chains, &key).await)?;
        let checkpoint = key.public_key().open(&kept.note);
        let checkpoint = checkpoint.map_err(|error| EngineError::Internal(Box::new(error)))?;
        self.write_notes().await?;
        Ok(SignedCheckpoint {
            checkpoint,
            note: kept.note,
        })
    }

    /// The same by the clock: only where something happened since the last one. Notes that a process could not write into the folder
    /// before it ended are written in any case.
    ///
    /// # Errors
    /// As [`Engine::checkpoint`].
    pub async fn checkpoint_if_grown(&self) -> Result<Option<SignedCheckpoint>> {
        if self.read_all().await?.has_grown().await? {
            return self.checkpoint().await.map(Some);
        }
        self.write_notes().await?;
        Ok(None)
    }

    async fn sign(&self, chains: &[Grown], key: &AuditKey) -> Result<KeptCheckpoint> {
        let mut tx = self.write_all().await?;
        let stamp = Stamp::system(self.now());
        let kept = tx.sign_checkpoint(chains, key, &stamp).await?;
        tx.commit().await?;
        Ok(kept)
    }

    /// Writes every note into the folder that is not there yet.
    async fn write_notes(&self) -> Result<()> {
        let Some(folder) = self.settings().checkpoints.clone().map(Folder::new) else {
            return Ok(());
        };
        let mut page = store::Page::first(NOTES);
        let mut missing = Vec::new();
        loop {
            let part = self.read_all().await?.checkpoints(&page).await?;
            let notes = part.rows.into_iter().map(|kept| Note {
                at: kept.at,
                text: kept.note,
            });
            let (mut notes, looks): (Vec<Note>, _) = (notes.collect(), folder.clone());
            let looked_at = notes.len();
            let lacking = blocking(move || {
                let lacks = looks.lacks(&notes)?;
                notes.truncate(lacks);
                Ok(notes)
            })
            .await?;
            // The newest are looked at first: where one is there, all before it are.
            let all = lacking.len() == looked_at;
            missing.extend(lacking);
            match part.next {
                Some(next) if all => page.after = Some(next),
                _ => break,
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        missing.reverse();
        blocking(move || folder.append(&missing)).await
    }

    /// A page of the checkpoints, newest first.
    ///
    /// # Errors
    /// As [`Engine::candidates`].
    pub async fn checkpoints(
        &self,
        permit: &Permit,
        wanted: &Page,
    ) -> Result<List<CheckpointView>> {
        need(permit, &[Permission::ReadAudit])?;
        let key = self.db().audit_key().await?.public_key();
        let kept = self.read(permit).await?.checkpoints(&page(wanted)?).await?;
        let data = kept.rows.into_iter().map(|kept| {
            // One that does not verify shows in the next verification; here it only names no agents.
            let agents = key.open(&kept.note).map(|said| said.agents);
            let signed = agents.unwrap_or_default().into_iter();
            CheckpointView {
                size: kept.size,
                root: hex(&kept.root),
                at: kept.at,
                agents: signed
                    .filter(|(agent, _)| within(permit.scope(), agent))
                    .map(|(agent, extent)| SignedChain {
                        agent,
                        size: extent.size,
                        root: hex(&extent.root),
                    })
                    .collect(),
                note: (*permit.scope() == AgentScope::All).then_some(kept.note),
            }
        });
        Ok(List {
            data: data.collect(),
            next: kept.next.map(|cursor| cursor.to_string()),
        })
    }

    /// The key that checkpoints are checked with.
    ///
    /// # Errors
    /// `forbidden`; the database's.
    pub async fn audit_key(&self, permit: &Permit) -> Result<AuditKeyView> {
        need(permit, &[Permission::ReadAudit])?;
        let key = self.db().audit_key().await?;
        Ok(AuditKeyView {
            key: key.public_key().to_string(),
            fingerprint: key.fingerprint().to_owned(),
        })
    }
}
