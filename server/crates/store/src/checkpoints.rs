//! What is signed of the audit chains: how far each reaches, and the root of its tree there.
//!
//! The tree of a chain grows with it and is never counted up anew: its frontier is kept beside the last checkpoint, so that the next one
//! reads only what came since. Whoever verifies trusts no frontier and reads every event.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{Checkpoint, EventType, Extent, GENESIS, SYSTEM_CHAIN, hex, leaf_hash},
};
use serde_json::{Value, json};

use crate::{
    AuditKey, Cursor, Error, Head, Listed, Page, Result, Stamp, Tx,
    column::{at, us},
    events::Telling,
    frontier::Frontier,
    statement::sql,
};

/// Events that are read at once.
const BATCH: u32 = 1000;
/// The id of a cursor over checkpoints, whose number says all.
const CHECKPOINTS: &str = "checkpoints";

/// A checkpoint as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCheckpoint {
    /// How many events the chain `system` had; the last of them tells of this checkpoint.
    pub size: i64,
    /// When it was signed.
    pub at: Timestamp,
    /// The root of the chain `system`.
    pub root: Vec<u8>,
    /// The signed note.
    pub note: String,
}

#[derive(sqlx::FromRow)]
struct CheckpointRow {
    size: i64,
    at: i64,
    root: Vec<u8>,
    note: String,
}

impl CheckpointRow {
    fn kept(self) -> Result<KeptCheckpoint> {
        Ok(KeptCheckpoint {
            size: self.size,
            at: at(self.at)?,
            root: self.root,
            note: self.note,
        })
    }
}

/// A chain with its tree, up to its head.
#[derive(Debug, Clone)]
pub struct Grown {
    head: Head,
    /// `None` where the chain is damaged: its events do not lead from the first to the head.
    tree: Option<Frontier>,
}

impl Grown {
    /// The chain: an agent's name, or `system`.
    pub fn chain(&self) -> &str {
        &self.head.chain
    }

    /// How far it reaches; `None` where it is damaged.
    pub fn extent(&self) -> Option<Extent> {
        self.tree.as_ref().map(Frontier::extent)
    }
}

impl Tx {
    /// Whether anything happened since the last checkpoint. That it was made is nothing that happened.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn has_grown(&mut self) -> Result<bool> {
        const SQL: &str = "
            select count(*)
            from heads h
            left join tree_frontiers t on t.chain = h.agent
            where h.seq > 0 and (t.chain is null or t.size <> h.seq or t.hash <> h.hash)";
        let (changed,): (i64,) = sql(SQL).one(&mut self.conn).await?;
        Ok(changed > 0)
    }

    /// Every chain with its tree, in a transaction that sees all agents.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn grown(&mut self) -> Result<Vec<Grown>> {
        let mut chains = Vec::new();
        for head in self.heads().await?.into_iter().filter(|head| head.seq > 0) {
            chains.push(self.grown_to(head).await?);
        }
        Ok(chains)
    }

    async fn grown_to(&mut self, head: Head) -> Result<Grown> {
        const SQL: &str = "
            select size, hash, frontier
            from tree_frontiers
            where chain = $1";
        let kept: Option<(i64, Vec<u8>, Vec<u8>)> = sql(SQL)
            .bind(head.chain.as_str())
            .optional(&mut self.conn)
            .await?;
        if let Some((size, hash, bytes)) = kept {
            match Frontier::read(size, &bytes) {
                Some(tree) => {
                    if let Some(tree) = self.grow(&head, tree, (size, hash)).await? {
                        let tree = Some(tree);
                        return Ok(Grown { head, tree });
                    }
                }
                // Known to be damaged, and nothing came since.
                None if size == head.seq && hash == head.hash => {
                    return Ok(Grown { head, tree: None });
                }
                None => {}
            }
        }
        // It is the first time, or the chain does not go on from where it was left: then what is there counts.
        let genesis = (0, GENESIS.to_vec());
        let tree = self.grow(&head, Frontier::default(), genesis).await?;
        Ok(Grown { head, tree })
    }

    /// The tree with all events after a number and its hash up to the head; `None` where they do not lead there.
    async fn grow(
        &mut self,
        head: &Head,
        mut tree: Frontier,
        (mut seq, mut hash): (i64, Vec<u8>),
    ) -> Result<Option<Frontier>> {
        while seq < head.seq {
            let events = self.chain(&head.chain, seq, BATCH).await?;
            if events.is_empty() {
                return Ok(None);
            }
            for event in events {
                if seq == head.seq {
                    break;
                }
                if event.seq != seq + 1 || event.prev_hash != hash {
                    return Ok(None);
                }
                let leaf = leaf_hash(&event.body);
                tree.push(leaf);
                (seq, hash) = (event.seq, leaf.to_vec());
            }
        }
        Ok((seq == head.seq && hash == head.hash).then_some(tree))
    }

    /// Signs how far every chain reaches, and tells so in the chain `system`, of which the last event then is that of this checkpoint.
    /// `chains` were read before; the chain `system` is read on to its end here. A chain that is damaged is left out and named.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where the chain `system` itself is damaged; what the database answers.
    pub async fn sign_checkpoint(
        &mut self,
        chains: &[Grown],
        key: &AuditKey,
        stamp: &Stamp,
    ) -> Result<KeptCheckpoint> {
        let (agents, left_out) = parted(chains);
        self.tell(None, stamp, telling(key, &agents, &left_out));
        // Locks the head of the chain, so that nothing more comes before this is kept.
        self.write_events().await?;
        let system = self.system(chains).await?;
        let extent = system
            .extent()
            .ok_or(Error::Corrupt("chain of the system"))?;
        let note = Checkpoint {
            origin: key.origin(),
            time_us: us(stamp.now),
            system: extent,
            agents,
        }
        .sign(key.signer())
        .map_err(|_| Error::Corrupt("checkpoint"))?;
        let kept = KeptCheckpoint {
            size: system.head.seq,
            at: stamp.now,
            root: extent.root.to_vec(),
            note,
        };
        self.keep_checkpoint(&kept).await?;
        let others = chains.iter().filter(|grown| grown.chain() != SYSTEM_CHAIN);
        for grown in others.chain([&system]) {
            self.keep_frontier(grown).await?;
        }
        Ok(kept)
    }

    /// The chain `system` with what came since it was read.
    async fn system(&mut self, chains: &[Grown]) -> Result<Grown> {
        let mut heads = self.heads().await?.into_iter();
        let head = heads
            .find(|head| head.chain == SYSTEM_CHAIN)
            .ok_or(Error::Corrupt("head of the system"))?;
        let before = chains.iter().find(|grown| grown.chain() == SYSTEM_CHAIN);
        if let Some(before) = before
            && let Some(tree) = before.tree.clone()
        {
            let from = (before.head.seq, before.head.hash.clone());
            if let Some(tree) = self.grow(&head, tree, from).await? {
                let tree = Some(tree);
                return Ok(Grown { head, tree });
            }
        }
        self.grown_to(head).await
    }

    async fn keep_checkpoint(&mut self, kept: &KeptCheckpoint) -> Result<()> {
        const SQL: &str = "
            insert into checkpoints (size, at, root, note)
            values ($1, $2, $3, $4)";
        sql(SQL)
            .bind(kept.size)
            .bind(kept.at)
            .bind(kept.root.as_slice())
            .bind(kept.note.as_str())
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    async fn keep_frontier(&mut self, grown: &Grown) -> Result<()> {
        const SQL: &str = "
            insert into tree_frontiers (chain, size, hash, frontier)
            values ($1, $2, $3, $4)
            on conflict (chain) do update
            set size = excluded.size, hash = excluded.hash, frontier = excluded.frontier";
        let bytes = grown.tree.as_ref().map(Frontier::bytes);
        sql(SQL)
            .bind(grown.chain())
            .bind(grown.head.seq)
            .bind(grown.head.hash.as_slice())
            .bind(bytes.unwrap_or_default())
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Checkpoints, newest first.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn checkpoints(&mut self, page: &Page) -> Result<Listed<KeptCheckpoint>> {
        const SQL: &str = "
            select size, at, root, note
            from checkpoints
            where size > 0";
        let after = page.after(CHECKPOINTS)?.map(|after| after.number);
        let rows: Vec<CheckpointRow> = sql(SQL)
            .clause_if(" and size < ?", after)
            .clause(" order by size desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let kept: Result<Vec<_>> = rows.into_iter().map(CheckpointRow::kept).collect();
        Ok(Listed::cut(kept?, page, |kept| Cursor {
            number: kept.size,
            id: CHECKPOINTS.to_owned(),
        }))
    }

    /// Checkpoints after one, in the order in which they were made, for the verifier; empty at the end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn checkpoints_after(
        &mut self,
        size: i64,
        limit: u32,
    ) -> Result<Vec<KeptCheckpoint>> {
        const SQL: &str = "
            select size, at, root, note
            from checkpoints
            where size > $1";
        let rows: Vec<CheckpointRow> = sql(SQL)
            .bind(size)
            .clause(" order by size limit ?", limit)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(CheckpointRow::kept).collect()
    }
}

/// The agents' chains that can be signed, and those that cannot: damaged, or of a name that no agent can have.
fn parted(chains: &[Grown]) -> (BTreeMap<String, Extent>, Vec<&str>) {
    let (mut agents, mut left_out) = (BTreeMap::new(), Vec::new());
    for grown in chains.iter().filter(|grown| grown.chain() != SYSTEM_CHAIN) {
        match grown.extent() {
            Some(extent) if AgentName::parse(grown.chain()).is_ok() => {
                agents.insert(grown.chain().to_owned(), extent);
            }
            _ => left_out.push(grown.chain()),
        }
    }
    (agents, left_out)
}

fn telling<'a>(
    key: &'a AuditKey,
    agents: &BTreeMap<String, Extent>,
    left_out: &[&str],
) -> Telling<'a> {
    let heads: Vec<Value> = agents
        .iter()
        .map(|(agent, Extent { size, root })| {
            json!({ "agent": agent, "size": size, "root": hex(root) })
        })
        .collect();
    let mut data = json!({ "heads": heads });
    if !left_out.is_empty() {
        data["left_out"] = json!(left_out);
    }
    Telling {
        r#type: EventType::AuditCheckpointed,
        user: None,
        subject: key.instance(),
        data,
        commitment: None,
    }
}
