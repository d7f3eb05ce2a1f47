//! Bundles of a story: as they should be, and changed in every way that somebody may think of.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::Path,
};

use domain::{
    Timestamp,
    audit::{Checkpoint, Extent, Hash, Signer, leaf_hash, pruned, sums::SignedSums, tree::Tree},
    export::ExportSort,
};
use engine::export::bundle::{
    self, AsOfLine, ChainCount, ChainProof, FORMAT, Filter, Form, Hex, Manifest, Part, Proofs,
    canonical, line,
};
use flate2::{Compression, Crc, write::DeflateEncoder};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::story::Story;
use crate::exports::unpacked;

/// What tells that texts are gone.
const TAKEN_AWAY: [&str; 4] = [
    "user.erased",
    "agent.removed",
    "conversation.removed",
    "candidate.removed",
];

pub const INSTANCE: &str = "0123456789abcdef";

/// The installation's key, or that of somebody else.
pub fn signer(seed: u8) -> Signer {
    Signer::from_seed(&[seed; 32], &format!("keepsake-{INSTANCE}")).unwrap()
}

/// The files of a bundle.
#[derive(Clone)]
pub struct Bundle(pub BTreeMap<Part, Vec<u8>>);

impl Bundle {
    /// A person's own copy.
    pub fn copy() -> Self {
        let mut copy = Self(BTreeMap::from([
            (
                Part::Conversations,
                b"{\"content\":\"I live in Oslo\",\"role\":\"user\"}\n".to_vec(),
            ),
            (
                Part::About,
                b"{\"format\":\"keepsake-copy/1\",\"memories\":[]}\n".to_vec(),
            ),
            (
                Part::AboutPage,
                b"<!doctype html><title>You</title>".to_vec(),
            ),
            (Part::Readme, b"Your own copy\n".to_vec()),
        ]));
        copy.sum_up();
        copy
    }

    /// What a story tells about these users; with `None` all of it. Of a span that ended, what was taken away later is told as well.
    pub fn of(story: &Story, users: Option<&BTreeSet<String>>, filter: Filter) -> Self {
        let about = |user: &str| users.is_none_or(|users| users.contains(user));
        let within = |at_us: i64| filter.to.is_none_or(|to| at_us < to.timestamp_micros());
        let shown: Vec<_> = story
            .events
            .iter()
            .filter(|event| within(event.at_us) || TAKEN_AWAY.contains(&event.r#type.as_str()))
            .filter(|event| match &event.user {
                Some(user) => about(user),
                None => users.is_none(),
            })
            .collect();
        let mut trees: BTreeMap<&str, Tree> = BTreeMap::new();
        for event in &story.events {
            let leaf = leaf_hash(&canonical(event));
            trees.entry(&event.agent).or_default().push(leaf);
        }
        let extents: BTreeMap<&str, Extent> = trees
            .iter()
            .map(|(name, tree)| (*name, tree.extent_at(tree.size()).unwrap()))
            .collect();
        let (mut chains, mut proofs) = (BTreeMap::new(), BTreeMap::new());
        for (name, extent) in &extents {
            let numbers: Vec<u64> = shown
                .iter()
                .filter(|event| event.agent == *name)
                .map(|event| event.seq as u64 - 1)
                .collect();
            if numbers.is_empty() {
                continue;
            }
            let root = Hex(extent.root);
            let count = ChainCount {
                size: extent.size,
                root,
                events: numbers.len() as u64,
            };
            chains.insert((*name).to_owned(), count);
            let leaves = story.events.iter().filter(|event| event.agent == *name);
            let leaves = leaves.map(|event| leaf_hash(&canonical(event)));
            let proof = ChainProof {
                size: extent.size,
                root,
                hashes: pruned::prove(numbers, leaves)
                    .unwrap()
                    .hashes
                    .into_iter()
                    .map(Hex)
                    .collect(),
            };
            proofs.insert((*name).to_owned(), proof);
        }
        let checkpoint = Checkpoint {
            origin: Checkpoint::origin_of(INSTANCE),
            time_us: 1_750_000_000_000_000,
            system: extents["system"],
            agents: extents
                .iter()
                .filter(|(name, _)| **name != "system")
                .map(|(name, extent)| ((*name).to_owned(), *extent))
                .collect(),
        };
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            software: "keepsake 0.1.0".to_owned(),
            instance: INSTANCE.to_owned(),
            made_at: Timestamp::UNIX_EPOCH,
            sort: ExportSort::Audit,
            filter,
            counts: BTreeMap::new(),
            chains,
        };
        let mut bundle = Self(BTreeMap::from([
            (Part::Manifest, line(&manifest).into_bytes()),
            (Part::Events, lines(&shown, |_| true)),
            (
                Part::Users,
                lines(&story.users, |line| about(line.id.as_str())),
            ),
            (
                Part::Conversations,
                lines(&story.posts, |line| about(line.user.as_str())),
            ),
            (
                Part::Candidates,
                lines(&story.candidates, |line| about(line.user.as_str())),
            ),
            (
                Part::Decisions,
                lines(&story.decisions, |line| about(line.user.as_str())),
            ),
            (
                Part::Remarks,
                lines(&story.remarks, |line| about(line.user.as_str())),
            ),
            (
                Part::Memories,
                lines(&story.revisions, |line| about(line.user.as_str())),
            ),
            (
                Part::Servings,
                lines(&story.servings, |line| about(line.user.as_str())),
            ),
            (Part::Table, b"chain,seq\r\nsales,1\r\n".to_vec()),
            (
                Part::Report,
                b"<!doctype html><title>Report</title>".to_vec(),
            ),
            (Part::Proofs, line(&Proofs { chains: proofs }).into_bytes()),
            (
                Part::Checkpoint,
                checkpoint.sign(&signer(1)).unwrap().into_bytes(),
            ),
            (
                Part::PublicKey,
                bundle::public_key(&signer(1).public_key()).into_bytes(),
            ),
            (Part::HowTo, b"# How to check this\n".to_vec()),
        ]));
        bundle.count();
        bundle.seal(&signer(1));
        bundle
    }

    /// The same about an instant, of which these lines tell; the filter names it.
    pub fn with_as_of(mut self, told: &[AsOfLine]) -> Self {
        self.0.insert(Part::AsOf, lines(told, |_| true));
        self.count();
        self.seal(&signer(1));
        self
    }

    /// By the files that it has.
    fn form(&self) -> Form {
        if self.0.contains_key(&Part::About) {
            Form::Copy
        } else if self.0.contains_key(&Part::AsOf) {
            Form::AsOf
        } else {
            Form::Audit
        }
    }

    /// The same with the counts of the manifest put right.
    pub fn count(&mut self) {
        let counts: BTreeMap<String, u64> = self
            .form()
            .counted()
            .map(|part| (part.name().to_owned(), self.lines(part).len() as u64))
            .collect();
        self.edit::<Manifest>(Part::Manifest, |manifest| manifest.counts = counts);
    }

    /// One that an installation made.
    pub fn read(path: &Path) -> Self {
        let mut files = unpacked(path);
        let parts = Part::AUDIT.into_iter();
        Self(
            parts
                .map(|part| (part, files.remove(part.name()).unwrap()))
                .collect(),
        )
    }

    /// Sums the files up anew, and signs that.
    pub fn seal(&mut self, signer: &Signer) {
        self.seal_of(INSTANCE, signer);
    }

    /// The same in the name of an installation.
    pub fn seal_of(&mut self, instance: &str, signer: &Signer) {
        self.sum_up();
        let signed = SignedSums {
            instance: instance.to_owned(),
            sums: Sha256::digest(&self.0[&Part::Sums]).into(),
        };
        self.0
            .insert(Part::Signature, signed.sign(signer).into_bytes());
    }

    /// Sums the files up anew.
    pub fn sum_up(&mut self) {
        let form = self.form();
        let hashes: Vec<Hash> = form
            .summed()
            .iter()
            .map(|part| Sha256::digest(&self.0[part]).into())
            .collect();
        self.0
            .insert(Part::Sums, bundle::sums(form, &hashes).into_bytes());
    }

    /// Changes a file of one piece by what it says.
    pub fn edit<T: Serialize + serde::de::DeserializeOwned>(
        &mut self,
        part: Part,
        change: impl FnOnce(&mut T),
    ) {
        let mut content: T = serde_json::from_slice(&self.0[&part]).unwrap();
        change(&mut content);
        self.0.insert(part, line(&content).into_bytes());
    }

    /// Changes the checkpoint, and signs it anew.
    pub fn edit_checkpoint(&mut self, signer: &Signer, change: impl FnOnce(&mut Checkpoint)) {
        let note = String::from_utf8(self.0[&Part::Checkpoint].clone()).unwrap();
        let mut checkpoint = self::signer(1).public_key().open(&note).unwrap();
        change(&mut checkpoint);
        let note = checkpoint.sign(signer).unwrap();
        self.0.insert(Part::Checkpoint, note.into_bytes());
    }

    /// The lines of a file, without their ends.
    pub fn lines(&self, part: Part) -> Vec<String> {
        let text = String::from_utf8(self.0[&part].clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// Changes the lines of a file.
    pub fn edit_lines(&mut self, part: Part, change: impl FnOnce(&mut Vec<String>)) {
        let mut lines = self.lines(part);
        change(&mut lines);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.0.insert(part, text.into_bytes());
    }

    /// Changes what one line says; it stays canonical.
    pub fn edit_line(&mut self, part: Part, number: usize, change: impl FnOnce(&mut Value)) {
        self.edit_lines(part, |lines| {
            let mut content = serde_json::from_str(&lines[number]).unwrap();
            change(&mut content);
            lines[number] = canonical(&content);
        });
    }

    /// Turns one bit of a file round.
    pub fn flip(&mut self, part: Part, at: usize, bit: u8) {
        if let Some(bytes) = self.0.get_mut(&part) {
            bytes[at] ^= 1 << bit;
        }
    }

    /// The zip.
    pub fn zip(&self) -> Vec<u8> {
        zip(self.files().iter())
    }

    /// Names and contents, in their order.
    pub fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        self.0
            .iter()
            .map(|(part, bytes)| (part.name(), bytes.clone()))
            .collect()
    }
}

fn lines<T: Serialize>(all: &[T], keep: impl Fn(&T) -> bool) -> Vec<u8> {
    let kept = all.iter().filter(|one| keep(one));
    kept.map(line).collect::<String>().into_bytes()
}

/// A zip of these files, every other one deflated.
pub fn zip<'f>(files: impl Iterator<Item = &'f (&'static str, Vec<u8>)>) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::<u8>::new(), Vec::<u8>::new());
    let mut count = 0_u16;
    for (name, bytes) in files {
        let mut crc = Crc::new();
        crc.update(bytes);
        let packed = if count.is_multiple_of(2) {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        } else {
            bytes.clone()
        };
        // Version, flags, method, time, date; sums and sizes; the lengths of name and extra field.
        let mut common = Vec::<u8>::new();
        let method = if count.is_multiple_of(2) { 8 } else { 0 };
        for number in [20_u16, 0, method, 0, 33] {
            common.extend(number.to_le_bytes());
        }
        for number in [crc.sum(), packed.len() as u32, bytes.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        for number in [name.len() as u16, 0] {
            common.extend(number.to_le_bytes());
        }
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((out.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(&packed);
        count += 1;
    }
    let (at, size) = (out.len() as u32, directory.len() as u32);
    out.extend(directory);
    out.extend(b"PK\x05\x06\x00\x00\x00\x00");
    for number in [count, count] {
        out.extend(number.to_le_bytes());
    }
    for number in [size, at] {
        out.extend(number.to_le_bytes());
    }
    out.extend([0; 2]);
    out
}
