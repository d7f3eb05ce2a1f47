//! Whether a bundle is what it claims to be: signed by its installation, whole, every event in the signed trees, every text the one
//! that its event commits to. `docs/EXPORTS.md` lists the checks in the order in which they are made, and `docs/verify.py` makes the same.
//! Of a person's copy, which carries neither a chain nor a signature, only that its files are those that were summed up.
//!
//! A bundle comes from outside, so nothing in it is trusted: no file is held whole that may be large, what is unpacked has a limit, and
//! what is remembered of a line is a hash or a number. Nothing stops at a fault as long as what follows can still be judged: whoever
//! looks for the cause of one needs all of them.

pub(super) mod archive;
mod as_of;
mod events;
mod ledger;
pub(super) mod lines;
mod servings;
mod signatures;
mod texts;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read},
    path::{Path, PathBuf},
};

use domain::{
    audit::{Hash, PublicKey, pruned},
    export::ExportSort,
};
use serde::Serialize;

use self::{archive::Archive, events::Events, ledger::Ledger, signatures::Signed};
use super::bundle::{
    self, CandidateLine, DecisionLine, FORMAT, Form, Manifest, Part, PostLine, Proofs, RemarkLine,
    RevisionLine, UserLine,
};

/// The faults that are listed; what is beyond is counted.
const LISTED: usize = 100;

/// What is wrong with a bundle. The words are outward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BundleFaultKind {
    /// The zip does not hold exactly the files of an export, or one cannot be unpacked.
    Form,
    /// A file is not the one that was summed up.
    Sum,
    /// A line, or a file of one piece, is not of its form.
    Format,
    /// The public key cannot be read, or is not the one that was given.
    Key,
    /// A note is not signed by the key, or is about something else.
    Signature,
    /// An event is not in its place.
    Order,
    /// An event does not follow the one before it.
    Link,
    /// The events are not proven to be in the chain that was signed.
    Proof,
    /// No event commits to a text, or the one that does is about something else.
    Commitment,
    /// A text is not the one that was committed to.
    Text,
    /// The text of an event is missing.
    Missing,
    /// The manifest counts otherwise.
    Count,
    /// The servings are not those that an event tells of.
    Serving,
    /// What is said to have stood at an instant did not, or something that did is not told.
    AsOf,
}

/// A fault, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BundleFault {
    /// The file; empty: the bundle itself.
    pub file: String,
    /// The line in it, from 1.
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: BundleFaultKind,
    /// The same for a reader.
    pub detail: String,
}

/// What the checks came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// For whom it was made; `None`: it is no export. A person's copy is neither signed nor proven.
    pub sort: Option<ExportSort>,
    /// The installation that the bundle says it is of.
    pub instance: Option<String>,
    /// The fingerprint of the key it is signed with ([`PublicKey::fingerprint`]). Whether that is the right one only people can know.
    pub key: Option<String>,
    /// Whether it was compared with a key that was given.
    pub key_compared: bool,
    /// How many lines each file has.
    pub counts: BTreeMap<String, u64>,
    /// How many faults there are.
    pub found: u64,
    /// The first hundred of them.
    pub faults: Vec<BundleFault>,
}

/// The bundle cannot be read at all: it is not there, or the disk fails.
#[derive(Debug, thiserror::Error)]
#[error("read {}", .path.display())]
pub struct OpenError {
    path: PathBuf,
    source: io::Error,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(in crate::export) struct Findings {
    count: u64,
    faults: Vec<BundleFault>,
}

impl Findings {
    /// Whether there is none.
    pub(in crate::export) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn add(
        &mut self,
        file: &str,
        line: Option<u64>,
        kind: BundleFaultKind,
        detail: impl Into<String>,
    ) {
        self.count += 1;
        if self.faults.len() < LISTED {
            self.faults.push(BundleFault {
                file: file.to_owned(),
                line,
                kind,
                detail: detail.into(),
            });
        }
    }

    /// Of a file as a whole.
    fn of(&mut self, part: Part, kind: BundleFaultKind, detail: impl Into<String>) {
        self.add(part.name(), None, kind, detail);
    }
}

/// Checks a bundle. With `key` it must also be signed with that key.
///
/// # Errors
/// Only where the file cannot be read; everything that is wrong with what is in it is in the report.
pub fn verify(path: &Path, key: Option<&PublicKey>) -> Result<Report, OpenError> {
    Ok(opened(path, key)?.0)
}

/// A bundle that was checked and is still open: whoever reads on reads what was checked, or an error.
pub(super) struct Opened {
    pub(super) archive: Archive,
    pub(super) manifest: Manifest,
    /// The SHA-256 of the manifest.
    pub(super) hash: Hash,
    /// The chains of agents with made-up people.
    pub(super) made_up: BTreeSet<String>,
}

/// Checks a bundle, and leaves one of an auditor open; whether nothing is wrong with it is in the report.
///
/// # Errors
/// As [`verify`].
pub(super) fn opened(
    path: &Path,
    key: Option<&PublicKey>,
) -> Result<(Report, Option<Opened>), OpenError> {
    let mut report = Report {
        ok: false,
        sort: None,
        instance: None,
        key: None,
        key_compared: key.is_some(),
        counts: BTreeMap::new(),
        found: 0,
        faults: Vec::new(),
    };
    let mut found = Findings::default();
    let opened = open(path, key, &mut report, &mut found).map_err(|source| OpenError {
        path: path.to_owned(),
        source,
    })?;
    report.ok = found.count == 0;
    report.found = found.count;
    report.faults = found.faults;
    Ok((report, opened))
}

fn open(
    path: &Path,
    key: Option<&PublicKey>,
    report: &mut Report,
    found: &mut Findings,
) -> io::Result<Option<Opened>> {
    let Some(mut archive) = Archive::open(path, found)? else {
        return Ok(None);
    };
    let Some((manifest, made_up)) = check(&mut archive, key, report, found)? else {
        return Ok(None);
    };
    let hash = archive.hash(Part::Manifest)?;
    Ok(Some(Opened {
        archive,
        manifest,
        hash,
        made_up,
    }))
}

/// Answers the manifest, where it can be read, and the chains of made-up people: without a manifest the rest is not judged.
fn check(
    archive: &mut Archive,
    key: Option<&PublicKey>,
    report: &mut Report,
    found: &mut Findings,
) -> io::Result<Option<(Manifest, BTreeSet<String>)>> {
    report.sort = Some(archive.form().sort());
    let sums = check_sums(archive, found)?;
    if archive.form() == Form::Copy {
        report.key_compared = false;
        if key.is_some() {
            // Whoever brings a key wants to know who made this; nothing here can tell.
            let detail = "a person's copy is not signed, so there is nothing to compare a key with";
            found.add("", None, BundleFaultKind::Key, detail);
        }
        return Ok(None);
    }
    let Some(sums) = sums else {
        return Ok(None);
    };
    let Some(manifest) = read_manifest(archive, found)? else {
        return Ok(None);
    };
    report.instance = Some(manifest.instance.clone());
    as_of::check_filter(archive.form(), &manifest.filter, found);
    let signed = signatures::check(archive, &manifest.instance, &sums, key, found)?;
    report.key = signed.key.as_ref().map(PublicKey::fingerprint);

    let mut ledger = Ledger::default();
    let proofs = read_proofs(archive, found)?;
    let mut events = Events::new(archive, &mut ledger, found)?;
    let chains = lead_to_the_roots(&mut events, proofs.as_ref());
    let counts = &mut report.counts;
    counts.insert(Part::Events.name().to_owned(), events.end()?);
    compare_chains(&chains, proofs.as_ref(), &signed, &manifest, found);

    let mut count = |part: Part, lines| counts.insert(part.name().to_owned(), lines);
    count(
        Part::Users,
        lines::each::<UserLine>(archive, Part::Users, found, |_, _, _| {})?,
    );
    count(
        Part::Conversations,
        texts::check::<PostLine>(archive, &mut ledger, found)?,
    );
    count(
        Part::Candidates,
        texts::check::<CandidateLine>(archive, &mut ledger, found)?,
    );
    count(
        Part::Decisions,
        texts::check::<DecisionLine>(archive, &mut ledger, found)?,
    );
    count(
        Part::Remarks,
        texts::check::<RemarkLine>(archive, &mut ledger, found)?,
    );
    count(
        Part::Memories,
        texts::check::<RevisionLine>(archive, &mut ledger, found)?,
    );
    count(
        Part::Servings,
        servings::check(archive, &mut ledger, &manifest.filter, found)?,
    );
    if archive.form() == Form::AsOf {
        count(
            Part::AsOf,
            as_of::check(archive, manifest.filter.as_of, found)?,
        );
    }

    ledger.ask_for_the_rest(found);
    let counted: Vec<Part> = archive.form().counted().collect();
    for part in &counted {
        let (said, there) = (manifest.counts.get(part.name()), counts[part.name()]);
        if said != Some(&there) {
            let said = said.map_or_else(|| "nothing".to_owned(), u64::to_string);
            let detail = format!("it has {there} lines, the manifest says {said}");
            found.of(*part, BundleFaultKind::Count, detail);
        }
    }
    if manifest.counts.len() != counted.len() {
        let detail = "it counts other files than those of lines";
        found.of(Part::Manifest, BundleFaultKind::Count, detail);
    }
    Ok(Some((manifest, ledger.made_up)))
}

/// The hash of `SHA256SUMS`, after every file was read and compared with it. `None`: some cannot be read.
fn check_sums(archive: &mut Archive, found: &mut Findings) -> io::Result<Option<Hash>> {
    let form = archive.form();
    let mut hashes = BTreeMap::new();
    for part in form.files() {
        match archive.hash(*part) {
            Ok(hash) => {
                hashes.insert(*part, hash);
            }
            Err(error) => {
                let detail = format!("it cannot be unpacked: {error}");
                found.of(*part, BundleFaultKind::Form, detail);
            }
        }
    }
    let Some(sums) = hashes
        .get(&Part::Sums)
        .copied()
        .filter(|_| hashes.len() == form.files().len())
    else {
        return Ok(None);
    };
    match read_text(archive, Part::Sums)?.and_then(|text| bundle::read_sums(form, &text)) {
        None => {
            let detail = "it does not list the files before it, one a line";
            found.of(Part::Sums, BundleFaultKind::Format, detail);
        }
        Some(listed) => {
            for (part, hash) in listed {
                if hash != hashes[&part] {
                    let detail = "its SHA-256 is not the one in SHA256SUMS";
                    found.of(part, BundleFaultKind::Sum, detail);
                }
            }
        }
    }
    Ok(Some(sums))
}

/// A file that is read in one piece; its size has a limit ([`Part::largest`]). `None`: it is not UTF-8.
fn read_text(archive: &mut Archive, part: Part) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    archive.read(part)?.read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).ok())
}

fn read_manifest(archive: &mut Archive, found: &mut Findings) -> io::Result<Option<Manifest>> {
    let text = read_text(archive, Part::Manifest)?.unwrap_or_default();
    let read = bundle::read_line::<Manifest>(text.as_bytes()).and_then(|(manifest, _)| {
        if manifest.format != FORMAT {
            Err(format!("its format is not {FORMAT}"))
        } else if manifest.sort != ExportSort::Audit {
            Err("it is not of the sort audit".to_owned())
        } else {
            Ok(manifest)
        }
    });
    match read {
        Ok(manifest) => Ok(Some(manifest)),
        Err(detail) => {
            found.of(Part::Manifest, BundleFaultKind::Format, detail);
            Ok(None)
        }
    }
}

fn read_proofs(archive: &mut Archive, found: &mut Findings) -> io::Result<Option<Proofs>> {
    let read: Result<Proofs, _> = serde_json::from_reader(archive.read(Part::Proofs)?);
    match read {
        Ok(proofs) => Ok(Some(proofs)),
        Err(error) if error.is_io() => Err(error.into()),
        Err(error) => {
            found.of(Part::Proofs, BundleFaultKind::Format, error.to_string());
            Ok(None)
        }
    }
}

/// Reads every event, and compares for each chain what its events and `hashes` lead to. Answers how many events each chain has.
fn lead_to_the_roots(events: &mut Events<'_>, proofs: Option<&Proofs>) -> BTreeMap<String, u64> {
    let mut chains = BTreeMap::new();
    while let Some(chain) = events.chain() {
        let mut count = 0;
        let proof = proofs.and_then(|proofs| proofs.chains.get(&chain));
        let led = proof.map(|proof| {
            let leaves = std::iter::from_fn(|| events.next_in(&chain)).inspect(|_| count += 1);
            let hashes = proof.hashes.iter().map(|hash| hash.0);
            pruned::root(proof.size, leaves, hashes).map(|root| root == proof.root.0)
        });
        // What a proof did not take, because it failed early, is still looked at.
        while events.next_in(&chain).is_some() {
            count += 1;
        }
        let detail = match led {
            Some(Ok(true)) => None,
            Some(Ok(false)) => Some("its events and hashes lead to another root".to_owned()),
            Some(Err(error)) => Some(error.to_string()),
            None => proofs.map(|_| "it has events here and no proof".to_owned()),
        };
        if let Some(detail) = detail {
            let detail = format!("chain {chain:?}: {detail}");
            events
                .found()
                .of(Part::Proofs, BundleFaultKind::Proof, detail);
        }
        chains.insert(chain, count);
    }
    chains
}

/// Whether proofs, checkpoint and manifest speak of the same chains, and of the same trees.
fn compare_chains(
    chains: &BTreeMap<String, u64>,
    proofs: Option<&Proofs>,
    signed: &Signed,
    manifest: &Manifest,
    found: &mut Findings,
) {
    let signed_extents: Option<BTreeMap<_, _>> = signed
        .checkpoint
        .as_ref()
        .map(|checkpoint| checkpoint.chains().collect());
    for (name, proof) in proofs.into_iter().flat_map(|proofs| &proofs.chains) {
        let mut fault = |detail: &str| {
            let detail = format!("chain {name:?}: {detail}");
            found.of(Part::Proofs, BundleFaultKind::Proof, detail);
        };
        if !chains.contains_key(name) {
            fault("it has no events here");
        }
        let same = signed_extents.as_ref().is_none_or(|extents| {
            extents
                .get(name.as_str())
                .is_some_and(|extent| (extent.size, extent.root) == (proof.size, proof.root.0))
        });
        if !same {
            fault("its size and root are not those of the checkpoint");
        }
    }
    for (name, said) in &manifest.chains {
        let mut fault = |kind, detail: &str| {
            found.of(Part::Manifest, kind, format!("chain {name:?}: {detail}"));
        };
        if chains.get(name) != Some(&said.events) {
            fault(BundleFaultKind::Count, "it counts other events");
        }
        let proof = proofs.and_then(|proofs| proofs.chains.get(name));
        if proof.is_some_and(|proof| (proof.size, proof.root) != (said.size, said.root)) {
            fault(
                BundleFaultKind::Proof,
                "its size and root are not those of the proof",
            );
        }
    }
    for name in chains.keys() {
        if !manifest.chains.contains_key(name) {
            let detail = format!("chain {name:?}: it is not mentioned");
            found.of(Part::Manifest, BundleFaultKind::Count, detail);
        }
    }
}
