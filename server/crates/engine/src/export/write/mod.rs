//! Writing a bundle: what `bundle.rs` says, of what is stored, in one go and in little memory.
//!
//! All of it is read in one transaction, so that the files agree with each other. The checkpoint is made after that transaction has its
//! view of the database, and so reaches at least as far: what was added between the two is in its trees, not in the files, and stands in
//! the proofs as hashes.

mod as_of;
mod lines;
mod of;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    sync::atomic::{AtomicI64, Ordering},
};

use domain::{
    agent::AgentScope,
    audit::{
        Extent, hex,
        pruned::{Prover, Pruned},
        sums::SignedSums,
    },
    candidate::DecidedBy,
    id::PersonId,
};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use store::{AuditKey, ChainPart, Export, ExportFile, ExportPart, ExportedServing, Tx};

use self::lines::{
    candidate_line, decision_line, erased_line, post_line, remark_line, revision_line,
    serving_line, user_line,
};
pub(super) use self::of::{Of, of};
use super::{
    bundle::{
        self, ChainCount, ChainProof, Decider, FORMAT, Filter, Form, Hex, Manifest, Part, Proofs,
        line,
    },
    files::{self, Paths},
    report::{Story, Whose},
    table,
    zip::Zip,
};
use crate::{Engine, audit::SignedCheckpoint, error::EngineError, view::Names};

/// How to check a bundle by hand.
const HOW_TO: &str = include_str!("../../../templates/export/verify.md");

/// How far a bundle is.
#[derive(Debug, Default)]
pub(super) struct Progress {
    done: AtomicI64,
    total: AtomicI64,
}

impl Progress {
    /// Lines written, and of about how many.
    pub(super) fn now(&self) -> (i64, i64) {
        let done = self.done.load(Ordering::Relaxed);
        (done, self.total.load(Ordering::Relaxed).max(done))
    }

    /// Counts about how many lines these parts come to.
    pub(super) async fn expect(&self, tx: &mut Tx, parts: &[ExportPart]) -> Result<()> {
        let mut total = 0;
        for part in parts {
            total += tx.count_export(part).await?;
        }
        self.total.store(total, Ordering::Relaxed);
        Ok(())
    }

    pub(super) fn add(&self, lines: usize) {
        let lines = i64::try_from(lines).unwrap_or(i64::MAX);
        self.done.fetch_add(lines, Ordering::Relaxed);
    }
}

/// Why a bundle was not written.
#[derive(Debug)]
pub(super) enum NotWritten {
    /// For a reason that another try does not change; its code.
    Refused(&'static str),
    /// The disk.
    Storage(io::Error),
    /// The database, or something inside.
    Engine(EngineError),
}

impl From<io::Error> for NotWritten {
    fn from(error: io::Error) -> Self {
        Self::Storage(error)
    }
}

impl From<EngineError> for NotWritten {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<store::Error> for NotWritten {
    fn from(error: store::Error) -> Self {
        Self::Engine(error.into())
    }
}

pub(super) type Result<T, E = NotWritten> = std::result::Result<T, E>;

/// A chain that has events here.
struct Chain {
    part: ChainPart,
    /// How far it was signed.
    signed: Extent,
    events: u64,
    proof: Pruned,
}

impl Engine {
    /// Writes the bundle of an export into its file; the folder is there. The caller renames it.
    pub(super) async fn write_bundle(
        &self,
        export: &Export,
        scope: AgentScope,
        paths: &Paths,
        progress: &Progress,
    ) -> Result<ExportFile> {
        // Who was served within the last second waits in memory.
        self.flush().await?;
        let key = self.db().audit_key().await?;
        let mut tx = self.db().read(scope).await?;
        // The first statement fixes the view.
        let heads: BTreeMap<String, i64> = tx
            .heads()
            .await?
            .into_iter()
            .map(|head| (head.chain, head.seq))
            .collect();
        let of = of(&mut tx, export, &heads).await?;
        if export.as_of.is_some() && of.who.is_none() {
            // Whoever it was of is forgotten; without them it would be of everybody.
            return Err(NotWritten::Refused("user_unknown"));
        }
        let signed = self.checkpoint().await.map_err(|error| match error {
            error @ (EngineError::Unavailable | EngineError::Busy) => NotWritten::Engine(error),
            error => {
                tracing::error!(export = %export.id, %error, "no checkpoint could be made for an export");
                NotWritten::Refused("checkpoint")
            }
        })?;
        progress.expect(&mut tx, &of.parts).await?;
        let filter = filter(export);
        let form = Form::of(&filter);
        let mut writing = Writing {
            engine: self,
            export,
            zip: Zip::new(files::create(&paths.body)?),
            tx,
            names: Names::default(),
            counts: form
                .counted()
                .map(|part| (part.name().to_owned(), 0))
                .collect(),
            story: Story::new(export.language, of.who.is_some()),
            progress,
        };
        let chains = writing.events(&of, &heads, &signed).await?;
        writing.texts(&of.parts).await?;
        writing.as_of(&of.parts).await?;
        writing.table(&chains).await?;
        let manifest = writing.manifest(&key, filter, &chains);
        let whose = writing.whose(of.who).await?;
        writing.rest(&key, &manifest, &whose, chains, &signed)?;
        let (body, entries) = writing.zip.into_body()?;
        let zip = put_together(&key, form, &manifest, body, &entries, paths)?;
        let file = finish(zip, paths)?;
        files::remove_file(&paths.body)?;
        Ok(file)
    }
}

/// A bundle that is being written.
struct Writing<'a> {
    engine: &'a Engine,
    export: &'a Export,
    zip: Zip<File>,
    tx: Tx,
    names: Names,
    counts: BTreeMap<String, u64>,
    story: Story,
    progress: &'a Progress,
}

impl Writing<'_> {
    fn put<T: Serialize>(&mut self, part: Part, content: &T) -> Result<()> {
        self.zip.write(line(content).as_bytes())?;
        self.count(part, 1);
        Ok(())
    }

    fn count(&mut self, part: Part, lines: usize) {
        if let Some(count) = self.counts.get_mut(part.name()) {
            *count += lines as u64;
        }
        self.progress.add(lines);
    }

    /// The events of each chain, and what proves them.
    async fn events(
        &mut self,
        of: &Of,
        heads: &BTreeMap<String, i64>,
        signed: &SignedCheckpoint,
    ) -> Result<Vec<Chain>> {
        self.zip.begin(Part::Events.name())?;
        let extents: BTreeMap<&str, Extent> = signed.checkpoint.chains().collect();
        let mut chains = Vec::new();
        for part in &of.chains {
            let head = heads.get(&part.chain).copied().unwrap_or_default();
            let shown = self.events_of(part).await?;
            if shown.is_empty() {
                continue;
            }
            // A chain that does not hold together is left out of checkpoints.
            let extent = extents.get(part.chain.as_str()).copied();
            let extent = extent.ok_or(NotWritten::Refused("chain_damaged"))?;
            let proof = self.proof(part, head, &shown, extent).await?;
            chains.push(Chain {
                part: part.clone(),
                signed: extent,
                events: shown.len() as u64,
                proof,
            });
        }
        Ok(chains)
    }

    /// Writes the events of a chain; answers their numbers.
    async fn events_of(&mut self, part: &ChainPart) -> Result<Vec<i64>> {
        let mut shown = Vec::new();
        let mut after = 0;
        loop {
            let events = self.tx.exported_events(part, after).await?;
            let Some(last) = events.last() else {
                return Ok(shown);
            };
            after = last.seq;
            for event in &events {
                self.zip.write(event.body.as_bytes())?;
                self.zip.write(b"\n")?;
                self.story.event(&event.r#type, event.at);
                shown.push(event.seq);
            }
            self.count(Part::Events, events.len());
        }
    }

    /// What leads from the events that are here to the root that was signed.
    async fn proof(
        &mut self,
        part: &ChainPart,
        head: i64,
        shown: &[i64],
        signed: Extent,
    ) -> Result<Pruned> {
        let damaged = || NotWritten::Refused("chain_damaged");
        let size = i64::try_from(signed.size).map_err(|_| damaged())?;
        let mut shown = shown.iter().copied().peekable();
        let mut prover = Prover::default();
        let mut after = 0;
        // In the view, which may be older than the checkpoint; then what came in between.
        let mut later = None;
        while after < size {
            let upto = if after < head { head.min(size) } else { size };
            let leaves = if after < head {
                self.tx.leaves(&part.chain, after, upto).await?
            } else {
                if later.is_none() {
                    later = Some(self.engine.db().read(AgentScope::All).await?);
                }
                match &mut later {
                    Some(tx) => tx.leaves(&part.chain, after, upto).await?,
                    None => Vec::new(),
                }
            };
            if leaves.is_empty() {
                return Err(damaged());
            }
            for (seq, leaf) in leaves {
                if seq != after + 1 {
                    return Err(damaged());
                }
                prover.push(leaf, shown.next_if_eq(&seq).is_some());
                after = seq;
            }
        }
        let proof = prover.finish();
        if proof.extent == signed && shown.peek().is_none() {
            Ok(proof)
        } else {
            Err(damaged())
        }
    }

    /// Users, texts and servings, each in its file.
    async fn texts(&mut self, parts: &[ExportPart]) -> Result<()> {
        self.zip.begin(Part::Users.name())?;
        for part in parts {
            let mut along = self.tx.along_users(part).await?;
            while let Some(users) = self.tx.exported_users(part, &mut along).await? {
                for user in &users {
                    self.put(Part::Users, &user_line(user))?;
                }
            }
            for erasure in self.tx.exported_erasures(part).await? {
                self.put(Part::Users, &erased_line(erasure))?;
            }
        }
        self.zip.begin(Part::Conversations.name())?;
        for part in parts {
            let mut along = self.tx.along_conversations(part).await?;
            while let Some(posts) = self.tx.exported_posts(part, &mut along).await? {
                for post in posts {
                    self.story.day(post.at).posts += 1;
                    self.put(Part::Conversations, &post_line(post)?)?;
                }
            }
        }
        self.zip.begin(Part::Candidates.name())?;
        for part in parts {
            let mut along = self.tx.along_candidates(part).await?;
            while let Some(candidates) = self.tx.exported_candidates(part, &mut along).await? {
                for candidate in candidates {
                    self.story.candidate(&candidate);
                    self.put(Part::Candidates, &candidate_line(candidate)?)?;
                }
            }
        }
        self.decisions(parts).await?;
        self.memories(parts).await?;
        self.servings(parts).await
    }

    async fn decisions(&mut self, parts: &[ExportPart]) -> Result<()> {
        self.zip.begin(Part::Decisions.name())?;
        for part in parts {
            let mut along = self.tx.along_candidates(part).await?;
            while let Some(decisions) = self.tx.exported_decisions(part, &mut along).await? {
                self.learn(decisions.iter().map(|decision| &decision.by))
                    .await?;
                for decision in decisions {
                    let by = self.decider(&decision.by);
                    self.put(Part::Decisions, &decision_line(decision, by)?)?;
                }
            }
        }
        self.zip.begin(Part::Remarks.name())?;
        for part in parts {
            let mut along = self.tx.along_candidates(part).await?;
            while let Some(remarks) = self.tx.exported_remarks(part, &mut along).await? {
                let people = remarks.iter().map(|remark| remark.person.clone());
                let people: Vec<PersonId> = people.collect();
                self.names.learn_people(&mut self.tx, people).await?;
                for remark in remarks {
                    let by = self.decider(&DecidedBy::Person(remark.person.clone()));
                    self.put(Part::Remarks, &remark_line(remark, by)?)?;
                }
            }
        }
        Ok(())
    }

    async fn memories(&mut self, parts: &[ExportPart]) -> Result<()> {
        self.zip.begin(Part::Memories.name())?;
        for part in parts {
            let mut along = self.tx.along_memories(part).await?;
            while let Some(revisions) = self.tx.exported_revisions(part, &mut along).await? {
                self.learn(revisions.iter().map(|revision| &revision.by))
                    .await?;
                for revision in revisions {
                    let by = self.decider(&revision.by);
                    let text = text(&revision.proof)?;
                    self.story.revision(&revision, &text, by.name.as_deref());
                    self.put(Part::Memories, &revision_line(revision, text, by)?)?;
                }
            }
        }
        Ok(())
    }

    async fn servings(&mut self, parts: &[ExportPart]) -> Result<()> {
        self.zip.begin(Part::Servings.name())?;
        for part in parts {
            let mut along = self.tx.along_servings(part).await?;
            while let Some(servings) = self.tx.exported_servings(part, &mut along).await? {
                for serving in servings {
                    self.serving(serving)?;
                }
            }
            let mut along = self.tx.along_batches(part)?;
            while let Some(servings) = self.tx.exported_batches(part, &mut along).await? {
                for serving in servings {
                    self.serving(serving)?;
                }
            }
        }
        Ok(())
    }

    fn serving(&mut self, serving: ExportedServing) -> Result<()> {
        self.story.day(serving.serving.at).served += 1;
        self.put(Part::Servings, &serving_line(serving))
    }

    /// The events once more, for a spreadsheet.
    async fn table(&mut self, chains: &[Chain]) -> Result<()> {
        self.zip.begin(Part::Table.name())?;
        if self.export.bom {
            self.zip.write(table::BYTE_ORDER_MARK.as_bytes())?;
        }
        self.zip.write(&table::head())?;
        for chain in chains {
            let mut after = 0;
            loop {
                let events = self.tx.exported_events(&chain.part, after).await?;
                let Some(last) = events.last() else {
                    break;
                };
                after = last.seq;
                self.zip.write(&table::lines(&chain.part.chain, &events))?;
                self.progress.add(events.len());
            }
        }
        Ok(())
    }

    fn manifest(&self, key: &AuditKey, filter: Filter, chains: &[Chain]) -> Manifest {
        Manifest {
            format: FORMAT.to_owned(),
            software: format!("keepsake {}", env!("CARGO_PKG_VERSION")),
            instance: key.instance().to_owned(),
            made_at: domain::time::micros(self.engine.now()),
            sort: self.export.sort,
            filter,
            counts: self.counts.clone(),
            chains: chains
                .iter()
                .map(|chain| {
                    let count = ChainCount {
                        size: chain.signed.size,
                        root: Hex(chain.signed.root),
                        events: chain.events,
                    };
                    (chain.part.chain.clone(), count)
                })
                .collect(),
        }
    }

    /// Who asked, by name.
    async fn whose(&mut self, who: Option<String>) -> Result<Whose> {
        let person = &self.export.person;
        self.names
            .learn_people(&mut self.tx, [person.clone()])
            .await?;
        let by = self.names.by(&DecidedBy::Person(person.clone()));
        Ok(Whose {
            by: by.name.unwrap_or_else(|| person.to_string()),
            who,
        })
    }

    /// The report, the proofs and what they lead to, and how to check all of it.
    fn rest(
        &mut self,
        key: &AuditKey,
        manifest: &Manifest,
        whose: &Whose,
        chains: Vec<Chain>,
        signed: &SignedCheckpoint,
    ) -> Result<()> {
        let public_key = key.public_key();
        let fingerprint = public_key.fingerprint();
        let report = self.story.tell(manifest, whose, &fingerprint);
        self.zip.file(Part::Report.name(), report.as_bytes())?;
        let proofs = Proofs {
            chains: chains
                .into_iter()
                .map(|chain| {
                    let proof = ChainProof {
                        size: chain.signed.size,
                        root: Hex(chain.signed.root),
                        hashes: chain.proof.hashes.into_iter().map(Hex).collect(),
                    };
                    (chain.part.chain, proof)
                })
                .collect(),
        };
        self.zip
            .file(Part::Proofs.name(), line(&proofs).as_bytes())?;
        self.zip
            .file(Part::Checkpoint.name(), signed.note.as_bytes())?;
        let public_key = bundle::public_key(&public_key);
        self.zip
            .file(Part::PublicKey.name(), public_key.as_bytes())?;
        self.zip.file(Part::HowTo.name(), HOW_TO.as_bytes())?;
        Ok(())
    }

    /// Looks up the names of people who decided.
    async fn learn<'d>(&mut self, by: impl Iterator<Item = &'d DecidedBy>) -> Result<()> {
        let people: Vec<PersonId> = by.filter_map(DecidedBy::person).cloned().collect();
        self.names.learn_people(&mut self.tx, people).await?;
        Ok(())
    }

    fn decider(&self, by: &DecidedBy) -> Decider {
        Decider::of(by, self.names.by(by).name)
    }
}

/// What was asked for, as the manifest has it.
fn filter(export: &Export) -> Filter {
    Filter {
        agent: export.agent.clone(),
        user: export.user.clone(),
        named: export.named.as_ref().map(|named| named.pairs().clone()),
        from: export.from,
        to: export.to,
        as_of: export.as_of,
    }
}

/// Puts the zip together: the manifest, the files that were written, their sums, the signature.
fn put_together(
    key: &AuditKey,
    form: Form,
    manifest: &Manifest,
    mut body: File,
    entries: &[super::zip::Entry],
    paths: &Paths,
) -> Result<Zip<File>> {
    let mut zip = Zip::new(files::create(&paths.part)?);
    zip.file(Part::Manifest.name(), line(manifest).as_bytes())?;
    body.seek(SeekFrom::Start(0))?;
    zip.take_over(&mut body, entries)?;
    let hashes = zip.entries().iter().map(|entry| &entry.sha256);
    let sums = bundle::sums(form, hashes);
    zip.file(Part::Sums.name(), sums.as_bytes())?;
    let signature = SignedSums {
        instance: key.instance().to_owned(),
        sums: Sha256::digest(&sums).into(),
    }
    .sign(key.signer());
    zip.file(Part::Signature.name(), signature.as_bytes())?;
    Ok(zip)
}

/// Ends a zip, and puts it on the disk.
pub(super) fn finish(zip: Zip<File>, paths: &Paths) -> Result<ExportFile> {
    let mut file = zip.finish()?;
    file.sync_all()?;
    let (bytes, sha256) = summed_up(&mut file)?;
    Ok(ExportFile {
        name: paths.name.clone(),
        bytes,
        sha256,
    })
}

/// The size of a file, and its SHA-256.
fn summed_up(file: &mut File) -> io::Result<(i64, String)> {
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut bytes: i64 = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, hex(&hasher.finalize()))),
            read => {
                hasher.update(&buffer[..read]);
                bytes += i64::try_from(read).unwrap_or_default();
            }
        }
    }
}

/// The text that was committed to.
pub(super) fn text<T: DeserializeOwned>(proof: &store::Proof) -> Result<T> {
    serde_json::from_str(&proof.committed)
        .map_err(|error| NotWritten::Engine(EngineError::Internal(Box::new(error))))
}
