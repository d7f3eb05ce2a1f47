//! The walk over every chain, compared with everything that was ever signed: in the database, and in the folder outside.
//!
//! The folder is read before the database. Each of its notes was committed before it was written there, so the database knows of it, and
//! what does not reach as far was cut: nothing has to be passed over as perhaps too new while events go on being written.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use domain::{
    Timestamp,
    agent::AgentScope,
    audit::{
        Checkpoint, EventType, Extent, Fault, FaultKind, Hash, Notes, PublicKey, SYSTEM_CHAIN,
        StoredEvent, Verifier, hex,
    },
    permission::{Actor, Permission, Permit},
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::{AuditKey, KeptCheckpoint, Tx, Verification};

use super::{
    folder::{Folder, blocking},
    within,
};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
};

/// Events or checkpoints that are read at once.
const BATCH: u32 = 1000;

/// What a walk over the chains found.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Verified {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// How many events were read.
    pub events: i64,
    /// With how many signed checkpoints they were compared.
    pub checkpoints: i64,
    /// The head of the one chain, or a hash over the heads of all, as hex.
    pub head: String,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// The last walk over all chains, as far as it concerns who asks.
#[derive(Debug, Clone)]
pub struct VerificationView {
    /// When it ended.
    pub finished_at: Timestamp,
    /// How many events were read; `None`: who asks may not read all of them.
    pub events: Option<i64>,
    /// With how many checkpoints they were compared.
    pub checkpoints: i64,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// How many faults were found.
    pub found: i64,
    /// The first of them.
    pub faults: Vec<Fault>,
}

impl Engine {
    /// Walks every chain the permit holds for, from its genesis to its head, and compares it with the checkpoints.
    ///
    /// # Errors
    /// The database's, and where the folder of the checkpoints cannot be read; faults are in the answer.
    pub async fn verify(&self, permit: &Permit) -> Result<Verified> {
        let folder = self.settings().checkpoints.as_deref();
        self.verify_against(permit, folder).await
    }

    /// The same with a copy of the folder; `None`: with what the database keeps alone.
    ///
    /// # Errors
    /// As [`Engine::verify`].
    pub async fn verify_against(&self, permit: &Permit, folder: Option<&Path>) -> Result<Verified> {
        need(permit, &[Permission::ReadAudit])?;
        let key = self.db().audit_key().await?;
        let mut signed = Signed::new(&key);
        if let Some(folder) = folder {
            signed.read_folder(folder.to_owned()).await?;
        }
        let mut tx = self.read(permit).await?;
        signed.read_database(&mut tx).await?;
        let mut heads = tx.heads().await?;
        heads.sort_by(|a, b| system_first(&a.chain).cmp(&system_first(&b.chain)));
        let mut chains: BTreeSet<String> = tx.chains().await?.into_iter().collect();
        let named = signed.extents.keys();
        chains.extend(named.filter(|chain| within(permit.scope(), chain)).cloned());
        let mut chains: Vec<String> = chains.into_iter().collect();
        chains.sort_by(|a, b| system_first(a).cmp(&system_first(b)));
        let (mut events, mut faults) = (0, Vec::new());
        for chain in &chains {
            let mut verifier = Verifier::new(chain).expecting(signed.extents_of(chain));
            let mut after = 0;
            loop {
                let rows = tx.chain(chain, after, BATCH).await?;
                let Some(last) = rows.last() else { break };
                after = last.seq;
                events += i64::try_from(rows.len()).unwrap_or(i64::MAX);
                for event in &rows {
                    verifier.next(event);
                    signed.told(event);
                }
            }
            let head = heads.iter().find(|head| head.chain == *chain);
            let (_, _, found) = verifier.finish(head.map(|head| (head.seq, head.hash.as_slice())));
            faults.extend(found);
        }
        let checkpoints = signed.compared();
        // The checkpoints are the system's business.
        if within(permit.scope(), SYSTEM_CHAIN) {
            faults.extend(signed.faults());
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
            checkpoints,
            head,
            faults,
        })
    }

    /// [`Engine::verify`] on request. What it found is kept and told in the chain `system` where the permit holds for all agents.
    ///
    /// # Errors
    /// As [`Engine::verify`].
    pub async fn verify_now(&self, permit: &Permit) -> Result<Verified> {
        let started_at = self.now();
        let found = self.verify(permit).await?;
        if *permit.scope() == AgentScope::All {
            let walk = Verification {
                started_at,
                finished_at: self.now(),
                events: found.events,
                checkpoints: found.checkpoints,
                ok: found.ok,
                found: i64::try_from(found.faults.len()).unwrap_or(i64::MAX),
                faults: found.faults.clone(),
            };
            let key = self.db().audit_key().await?;
            again!(self.keep_verification(permit, &walk, &key).await)?;
            measure(walk.ok, walk.finished_at);
        }
        Ok(found)
    }

    /// The same by the clock.
    ///
    /// # Errors
    /// As [`Engine::verify`].
    pub async fn verify_by_the_clock(&self) -> Result<Verified> {
        let permit = Permit::ask(Actor::System, Permission::ReadAudit);
        let permit = permit.map_err(|_| EngineError::Forbidden)?;
        let found = self.verify_now(&permit).await?;
        if !found.ok {
            let (faults, first) = (found.faults.len(), found.faults.first());
            tracing::error!(faults, ?first, "the audit does not hold");
        }
        Ok(found)
    }

    async fn keep_verification(
        &self,
        permit: &Permit,
        walk: &Verification,
        key: &AuditKey,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.keep_verification(walk, key, &self.stamp(permit)).await?;
        Ok(tx.commit().await?)
    }

    /// What the last walk found, as far as it concerns who asks: of chains outside the permit nothing is said.
    ///
    /// # Errors
    /// `forbidden`; the database's.
    pub async fn last_verification(&self, permit: &Permit) -> Result<Option<VerificationView>> {
        need(permit, &[Permission::ReadAudit])?;
        let last = self.read(permit).await?.last_verification().await?;
        Ok(last.map(|walk| {
            let all = *permit.scope() == AgentScope::All;
            let mut faults = walk.faults;
            faults.retain(|fault| within(permit.scope(), &fault.agent));
            let found = match i64::try_from(faults.len()) {
                Ok(count) if !all => count,
                _ => walk.found,
            };
            VerificationView {
                finished_at: walk.finished_at,
                events: all.then_some(walk.events),
                checkpoints: walk.checkpoints,
                ok: found == 0,
                found,
                faults,
            }
        }))
    }

    /// Tells the metrics of this process what the last walk found, whichever process did it.
    pub(crate) async fn measure_audit(&self) -> Result<()> {
        if let Some(last) = self.read_all().await?.last_verification().await? {
            measure(last.ok, last.finished_at);
        }
        Ok(())
    }
}

/// The chain of the system, then the others by name.
fn system_first(chain: &str) -> (bool, &str) {
    (chain != SYSTEM_CHAIN, chain)
}

fn measure(ok: bool, at: Timestamp) {
    metrics::gauge!("keepsake_audit_ok").set(f64::from(u8::from(ok)));
    metrics::gauge!("keepsake_audit_verified_at").set(at.timestamp() as f64);
}

/// Everything that was signed, and what is wrong with it.
struct Signed {
    key: PublicKey,
    origin: String,
    /// What is said of each chain: size and root.
    extents: BTreeMap<String, BTreeSet<(u64, Hash)>>,
    /// The sizes of the chain `system` that a note of the folder, the database, or an event names.
    in_folder: BTreeSet<i64>,
    in_database: BTreeSet<i64>,
    in_chain: BTreeSet<i64>,
    /// Notes of the folder whose writing broke off.
    cut: Vec<String>,
    faults: Vec<Fault>,
}

impl Signed {
    fn new(key: &AuditKey) -> Self {
        Self {
            key: key.public_key(),
            origin: key.origin(),
            extents: BTreeMap::new(),
            in_folder: BTreeSet::new(),
            in_database: BTreeSet::new(),
            in_chain: BTreeSet::new(),
            cut: Vec::new(),
            faults: Vec::new(),
        }
    }

    async fn read_folder(&mut self, folder: PathBuf) -> Result<()> {
        for file in blocking(move || Folder::new(folder).files()).await? {
            let notes = Notes::split(&file);
            for note in notes.whole {
                match self.open(note) {
                    Some(said) => {
                        self.in_folder.extend(i64::try_from(said.system.size));
                        self.add(&said);
                    }
                    None => self.fault(FaultKind::Signature, claimed_size(note)),
                }
            }
            // What was cut inside a letter is no text there.
            let cut = notes.cut.map(|cut| cut.trim_end_matches('\u{fffd}'));
            self.cut.extend(cut.map(str::to_owned));
        }
        Ok(())
    }

    /// The checkpoints of the database. A note of the folder that was being written when the process ended is the beginning of one.
    async fn read_database(&mut self, tx: &mut Tx) -> Result<()> {
        let mut after = 0;
        loop {
            let rows = tx.checkpoints_after(after, BATCH).await?;
            let Some(last) = rows.last() else { break };
            after = last.size;
            for kept in &rows {
                self.take_kept(kept);
            }
        }
        for cut in std::mem::take(&mut self.cut) {
            self.fault(FaultKind::Signature, claimed_size(&cut));
        }
        Ok(())
    }

    fn take_kept(&mut self, kept: &KeptCheckpoint) {
        self.cut.retain(|cut| !kept.note.starts_with(cut.as_str()));
        self.in_database.insert(kept.size);
        match self.open(&kept.note) {
            Some(said) => {
                let same = said.system.root.as_slice() == kept.root
                    && i64::try_from(said.system.size) == Ok(kept.size)
                    && said.time_us == kept.at.timestamp_micros();
                if !same {
                    self.fault(FaultKind::Column, kept.size);
                }
                self.add(&said);
            }
            None => self.fault(FaultKind::Signature, kept.size),
        }
    }

    /// What a note says, where this installation signed it.
    fn open(&self, note: &str) -> Option<Checkpoint> {
        let said = self.key.open(note).ok()?;
        (said.origin == self.origin).then_some(said)
    }

    fn add(&mut self, said: &Checkpoint) {
        for (chain, Extent { size, root }) in said.chains() {
            let extents = self.extents.entry(chain.to_owned()).or_default();
            extents.insert((size, root));
        }
    }

    /// Notes that an event tells of a checkpoint.
    fn told(&mut self, event: &StoredEvent) {
        let checkpoint = EventType::AuditCheckpointed.as_str();
        if event.agent == SYSTEM_CHAIN && event.r#type == checkpoint {
            self.in_chain.insert(event.seq);
        }
    }

    fn extents_of(&self, chain: &str) -> Vec<Extent> {
        let known = self.extents.get(chain).into_iter().flatten();
        known.map(|&(size, root)| Extent { size, root }).collect()
    }

    /// How many different checkpoints there were to compare with.
    fn compared(&self) -> i64 {
        let known = self.in_folder.union(&self.in_database).count();
        i64::try_from(known).unwrap_or(i64::MAX)
    }

    /// What is wrong with the checkpoints themselves, once every chain was walked. One that the folder or an event tells of is missing
    /// where the database has it no more.
    fn faults(mut self) -> Vec<Fault> {
        let known: Vec<i64> = self.in_folder.union(&self.in_chain).copied().collect();
        for size in known {
            if !self.in_database.contains(&size) {
                self.fault(FaultKind::Missing, size);
            }
        }
        self.faults
    }

    fn fault(&mut self, kind: FaultKind, seq: i64) {
        self.faults.push(Fault {
            agent: SYSTEM_CHAIN.to_owned(),
            seq,
            kind,
        });
    }
}

/// The size that a note gives the chain `system`, whether it was signed or not; 0 where it gives none.
fn claimed_size(note: &str) -> i64 {
    let size = note.lines().nth(1).and_then(|line| line.parse().ok());
    size.unwrap_or_default()
}
