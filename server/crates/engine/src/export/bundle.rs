//! What a bundle holds: the names and the order of its files, and the form of every line. Whoever writes one and whoever checks one
//! take it from here; `docs/EXPORTS.md` and `docs/verify.py` say the same to everybody else, so a change here is a change there.
//!
//! Every line is canonical JSON (RFC 8785): then there is one spelling of what it says, and two readers cannot read it differently.
//! Words of lists that grow (actions, flags, reasons) are plain text here, so that a bundle of a later version can still be checked.

use std::{collections::BTreeMap, fmt};

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventActor, Hash, PlainBody, PublicKey, hex},
    candidate::{DecidedBy, Target},
    export::ExportSort,
    id::{
        CandidateId, ConversationId, DecisionId, ExtractionId, MemoryId, PersonId, RevisionId,
        ServingId, UserId,
    },
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value, json};

/// The form that is described here.
pub const FORMAT: &str = "keepsake-export/1";

/// A file of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// What the export is of.
    Manifest,
    /// The events, as they were hashed.
    Events,
    /// The people.
    Users,
    /// What agents sent.
    Conversations,
    /// What was proposed.
    Candidates,
    /// What was decided.
    Decisions,
    /// What was written when a candidate was handed over, or agreed to first.
    Remarks,
    /// The revisions of memories.
    Memories,
    /// What agents were told.
    Servings,
    /// What of all this stood at the instant that was asked for.
    AsOf,
    /// The events, for a spreadsheet.
    Table,
    /// The same told for a reader.
    Report,
    /// What leads from the events to the roots.
    Proofs,
    /// The roots, signed.
    Checkpoint,
    /// The public key of the installation.
    PublicKey,
    /// How to check by hand.
    HowTo,
    /// The hash of each file above.
    Sums,
    /// The signature over these.
    Signature,
    /// What is kept about a person, for programs.
    About,
    /// The same for the person to read.
    AboutPage,
    /// What a person's copy is.
    Readme,
}

impl Part {
    /// The files of an auditor's export, in the order in which they stand in the zip.
    pub const AUDIT: [Self; 17] = [
        Self::Manifest,
        Self::Events,
        Self::Users,
        Self::Conversations,
        Self::Candidates,
        Self::Decisions,
        Self::Remarks,
        Self::Memories,
        Self::Servings,
        Self::Table,
        Self::Report,
        Self::Proofs,
        Self::Checkpoint,
        Self::PublicKey,
        Self::HowTo,
        Self::Sums,
        Self::Signature,
    ];

    /// The same of one about an instant.
    pub const AS_OF: [Self; 18] = [
        Self::Manifest,
        Self::Events,
        Self::Users,
        Self::Conversations,
        Self::Candidates,
        Self::Decisions,
        Self::Remarks,
        Self::Memories,
        Self::Servings,
        Self::AsOf,
        Self::Table,
        Self::Report,
        Self::Proofs,
        Self::Checkpoint,
        Self::PublicKey,
        Self::HowTo,
        Self::Sums,
        Self::Signature,
    ];

    /// The files of a person's copy.
    pub const COPY: [Self; 5] = [
        Self::Conversations,
        Self::About,
        Self::AboutPage,
        Self::Readme,
        Self::Sums,
    ];

    /// Those of one JSON object a line that every auditor's export has.
    pub const LINES: [Self; 8] = [
        Self::Events,
        Self::Users,
        Self::Conversations,
        Self::Candidates,
        Self::Decisions,
        Self::Remarks,
        Self::Memories,
        Self::Servings,
    ];

    /// Its name in the zip.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manifest => "manifest.json",
            Self::Events => "events.ndjson",
            Self::Users => "users.ndjson",
            Self::Conversations => "conversations.ndjson",
            Self::Candidates => "candidates.ndjson",
            Self::Decisions => "decisions.ndjson",
            Self::Remarks => "remarks.ndjson",
            Self::Memories => "memories.ndjson",
            Self::Servings => "servings.ndjson",
            Self::AsOf => "as-of.ndjson",
            Self::Table => "events.csv",
            Self::Report => "report.html",
            Self::Proofs => "proofs.json",
            Self::Checkpoint => "checkpoint.txt",
            Self::PublicKey => "pubkey.txt",
            Self::HowTo => "VERIFY.md",
            Self::Sums => "SHA256SUMS",
            Self::Signature => "SIGNATURE",
            Self::About => "about-you.json",
            Self::AboutPage => "about-you.html",
            Self::Readme => "README.txt",
        }
    }

    /// The file of this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::AS_OF.into_iter().chain(Self::COPY);
        all.find(|part| part.name() == name)
    }

    /// The most bytes it may unpack to. What is read in one piece is small; what is read line by line must still end.
    pub fn largest(self) -> u64 {
        match self {
            Self::PublicKey => 4 << 10,
            Self::Sums | Self::Signature => 64 << 10,
            Self::HowTo | Self::Readme => 1 << 20,
            Self::Manifest | Self::Checkpoint => 16 << 20,
            Self::Proofs => 256 << 20,
            _ => 64 << 30,
        }
    }
}

/// Which files an export has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An auditor's.
    Audit,
    /// An auditor's that is about an instant.
    AsOf,
    /// A person's copy.
    Copy,
}

impl Form {
    /// That of an auditor's export of this filter.
    pub fn of(filter: &Filter) -> Self {
        match filter.as_of {
            None => Self::Audit,
            Some(_) => Self::AsOf,
        }
    }

    /// For whom an export of this form is.
    pub fn sort(self) -> ExportSort {
        match self {
            Self::Audit | Self::AsOf => ExportSort::Audit,
            Self::Copy => ExportSort::Copy,
        }
    }

    /// Its files, in the order in which they stand in the zip.
    pub fn files(self) -> &'static [Part] {
        match self {
            Self::Audit => &Part::AUDIT,
            Self::AsOf => &Part::AS_OF,
            Self::Copy => &Part::COPY,
        }
    }

    /// Those whose hashes `SHA256SUMS` lists: the ones before it.
    pub fn summed(self) -> &'static [Part] {
        let files = self.files();
        let before = files.iter().take_while(|part| **part != Part::Sums);
        &files[..before.count()]
    }

    /// Those of an auditor's export whose lines the manifest counts.
    pub fn counted(self) -> impl Iterator<Item = Part> {
        let more = (self == Self::AsOf).then_some(Part::AsOf);
        Part::LINES.into_iter().chain(more)
    }
}

/// A hash, or a salt: 32 bytes as lower-case hex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex(pub Hash);

impl Hex {
    /// Reads it back; upper-case digits are refused.
    pub fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (digit(*high)? << 4) | digit(*low)?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("not 64 digits of lower-case hex"))
    }
}

/// `manifest.json`: what the export is of. One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// The program that wrote it, with its version.
    pub software: String,
    /// The installation that it is of.
    pub instance: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// For whom.
    pub sort: ExportSort,
    /// What was asked for.
    pub filter: Filter,
    /// How many lines each file of [`Form::counted`] has, by its name.
    pub counts: BTreeMap<String, u64>,
    /// The chains that have events here, by name.
    pub chains: BTreeMap<String, ChainCount>,
}

/// What was asked for; what is `null` was not limited.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    /// One agent.
    pub agent: Option<AgentName>,
    /// One user of that agent.
    pub user: Option<UserId>,
    /// Whoever has this name, in every agent: the pairs of a scope.
    pub named: Option<BTreeMap<String, String>>,
    /// What happened not before this.
    pub from: Option<Timestamp>,
    /// What happened before this.
    pub to: Option<Timestamp>,
    /// The instant that it is about, where it is about one: then it has [`Part::AsOf`] too, is of one person and of the whole time. The
    /// field is left out elsewhere, as it was before there were such exports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Timestamp>,
}

impl Filter {
    /// Whether it is of one person, under one id or one name, and of the whole time: else what stood at an instant cannot be told from it.
    pub fn holds_a_person_whole(&self) -> bool {
        let of_a_person = self.user.is_some() || self.named.is_some();
        of_a_person && self.from.is_none() && self.to.is_none()
    }

    /// Whether the chains that are here are here whole.
    pub fn takes_whole_chains(&self) -> bool {
        self.user.is_none() && self.named.is_none() && self.from.is_none() && self.to.is_none()
    }
}

/// A chain in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainCount {
    /// How many events the chain had.
    pub size: u64,
    /// The root over them.
    pub root: Hex,
    /// How many of them are here.
    pub events: u64,
}

/// A line of `events.ndjson`: the body of an event, of any type there ever was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventLine {
    /// 1.
    pub v: u64,
    /// The chain.
    pub agent: String,
    /// From 1, without gaps within the chain.
    pub seq: i64,
    /// The hash of the event before.
    pub prev_hash: Hex,
    /// Microseconds since 1970 in UTC.
    pub at_us: i64,
    /// What happened.
    pub r#type: String,
    /// Who did it.
    pub actor: EventActor,
    /// The user it is about.
    pub user: Option<String>,
    /// The id of the thing it is about.
    pub subject: String,
    /// Ids, closed words and integers.
    pub data: Map<String, Value>,
    /// The commitment to a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<Hex>,
}

impl EventLine {
    /// [`read_line`] for events, of which there are most by far. What is spelled as events are is read where it lies, and not written
    /// anew to compare, which makes buffers for each field and sorts them.
    ///
    /// # Errors
    /// As there.
    pub fn read(line: &[u8]) -> Result<(Self, String), String> {
        Self::plain(line).map_or_else(|| read_line(line), Ok)
    }

    /// `None` says only that it has to be read the slow way.
    fn plain(line: &[u8]) -> Option<(Self, String)> {
        let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
        let body = PlainBody::read(text)?;
        let commitment = match body.commitment {
            Some(hash) => Some(Hex::parse(hash)?),
            None => None,
        };
        let event = Self {
            v: 1,
            agent: body.agent.to_owned(),
            seq: body.seq,
            prev_hash: Hex::parse(body.prev_hash)?,
            at_us: body.at_us,
            r#type: body.r#type.to_owned(),
            actor: EventActor {
                r#type: body.actor.to_owned(),
                id: body.actor_id.map(str::to_owned),
            },
            user: body.user.map(str::to_owned),
            subject: body.subject.to_owned(),
            data: serde_json::from_str(body.data).ok()?,
            commitment,
        };
        Some((event, text.to_owned()))
    }
}

/// A line of `users.ndjson`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserLine {
    /// The agent that talks to them.
    pub agent: AgentName,
    /// Ours.
    pub id: UserId,
    /// What the agent calls them, where that is one word.
    pub user_id: Option<String>,
    /// What the agent calls them, in pairs; `None`: erased.
    pub scope: Option<BTreeMap<String, String>>,
    /// When first heard of.
    pub created_at: Timestamp,
    /// When erased.
    pub erased_at: Option<Timestamp>,
}

/// A text that an event commits to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The salt.
    pub salt: Hex,
    /// What was hashed after it: the canonical JSON of `text`.
    pub committed: String,
}

/// A line of `conversations.ndjson`: what came with one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PostLine {
    /// The agent.
    pub agent: AgentName,
    /// The conversation.
    pub id: ConversationId,
    /// With whom.
    pub user: UserId,
    /// When it came.
    pub at: Timestamp,
    /// The messages.
    pub text: Value,
    /// Of the text.
    pub proof: Proof,
}

/// A line of `candidates.ndjson`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateLine {
    /// The agent.
    pub agent: AgentName,
    /// Ours.
    pub id: CandidateId,
    /// Whom it is about.
    pub user: UserId,
    /// `create`, `update`, `merge`, `retire`.
    pub action: String,
    /// `pending`, `approved`, `rejected`.
    pub status: String,
    /// Why, of a rejected one.
    pub reason: Option<String>,
    /// Raised by one with every change.
    pub version: i64,
    /// How sure the extractor was, 0 to 1.
    pub confidence: f64,
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// Warnings.
    pub flags: Vec<String>,
    /// The memories it is about.
    pub targets: Vec<Target>,
    /// The extraction that made it; `None`: by hand.
    pub extraction: Option<ExtractionId>,
    /// Why Keepsake itself proposes it.
    pub cause: Option<String>,
    /// The candidate that took its place.
    pub superseded_by: Option<CandidateId>,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// When it stops waiting.
    pub expires_at: Timestamp,
    /// Kind, name, content, metadata, tags, language, explanation, evidence.
    pub text: Value,
    /// Of the text.
    pub proof: Proof,
}

/// Who decided or wrote something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decider {
    /// `person`, `policy`, `system`.
    pub r#type: String,
    /// The person; of a policy, who switched it on.
    pub id: Option<PersonId>,
    /// The person's name.
    pub name: Option<String>,
    /// The policy's name.
    pub policy: Option<String>,
}

impl Decider {
    /// Who that is, with the name of the person where it is known.
    pub fn of(by: &DecidedBy, name: Option<String>) -> Self {
        let (r#type, policy) = match by {
            DecidedBy::Person(_) => ("person", None),
            DecidedBy::Policy { name, .. } => ("policy", Some(name.clone())),
            DecidedBy::System => ("system", None),
        };
        Self {
            r#type: r#type.to_owned(),
            id: by.person().cloned(),
            name,
            policy,
        }
    }
}

/// A line of `decisions.ndjson`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionLine {
    /// The agent.
    pub agent: AgentName,
    /// Ours.
    pub id: DecisionId,
    /// On which candidate.
    pub candidate: CandidateId,
    /// Whom that is about.
    pub user: UserId,
    /// The version of the candidate that it made.
    pub version: i64,
    /// `approve`, `reject`, `reopen`.
    pub verdict: String,
    /// Why, of a rejection.
    pub reason: Option<String>,
    /// By whom.
    pub by: Decider,
    /// Who had agreed before, where two people were needed.
    pub agreed_by: Option<PersonId>,
    /// The memory that was made or changed.
    pub memory: Option<MemoryId>,
    /// The candidate that took its place.
    pub superseded_by: Option<CandidateId>,
    /// When.
    pub at: Timestamp,
    /// Edit and note, where there is one.
    pub text: Option<Value>,
    /// Of the text, where there is one.
    pub proof: Option<Proof>,
}

/// A line of `remarks.ndjson`: what was written when a candidate was handed over, or agreed to first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemarkLine {
    /// The agent.
    pub agent: AgentName,
    /// About which candidate.
    pub candidate: CandidateId,
    /// Whom that is about.
    pub user: UserId,
    /// `handed_over`, `agreed`.
    pub occasion: String,
    /// By whom.
    pub by: Decider,
    /// When.
    pub at: Timestamp,
    /// The note, and with `agreed` the edit.
    pub text: Value,
    /// Of the text.
    pub proof: Proof,
}

/// A line of `memories.ndjson`: a revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RevisionLine {
    /// The agent.
    pub agent: AgentName,
    /// The memory.
    pub id: MemoryId,
    /// Its number, from 1.
    pub revision: i64,
    /// Ours.
    pub revision_id: RevisionId,
    /// Whom it is about.
    pub user: UserId,
    /// `create`, `update`, `merge`, `restore`, `retire`.
    pub action: String,
    /// By whom.
    pub by: Decider,
    /// How sure the extractor was, 0 to 1.
    pub confidence: f64,
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// The conversation it was said in.
    pub conversation: Option<ConversationId>,
    /// When it was said.
    pub said_at: Timestamp,
    /// The candidate it came from.
    pub candidate: Option<CandidateId>,
    /// The decision that made it.
    pub decision: Option<DecisionId>,
    /// When it stops being served.
    pub expires_at: Option<Timestamp>,
    /// When it was made.
    pub at: Timestamp,
    /// Kind, name, content, metadata, tags, language, note.
    pub text: Value,
    /// Of the text.
    pub proof: Proof,
}

/// A line of `servings.ndjson`: an answer to `POST /context`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingLine {
    /// The agent that was told.
    pub agent: AgentName,
    /// Ours.
    pub id: ServingId,
    /// About whom.
    pub user: UserId,
    /// When.
    pub at: Timestamp,
    /// The agent's own id of the conversation it asked for.
    pub conversation: Option<String>,
    /// Tokens of the block, as estimated.
    pub tokens: i64,
    /// How many memories were cut.
    pub cut: i64,
    /// What was told, in the order of the block.
    pub items: Vec<Served>,
    /// The first serving of the batch that one event tells of, which is the subject of that event; `None`: it is not known. The lines
    /// of a batch stand together, in the order in which they were told.
    pub batch: Option<ServingId>,
}

/// A memory that was served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    /// Which.
    pub memory: MemoryId,
    /// In which revision.
    pub revision: i64,
}

/// What stands in `as-of.ndjson`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// A memory that was approved and had not ended.
    Memory,
    /// A candidate that waited.
    Candidate,
    /// What the agent had been told by then.
    Serving,
}

impl Held {
    /// The file in which it is told whole.
    pub fn part(self) -> Part {
        match self {
            Self::Memory => Part::Memories,
            Self::Candidate => Part::Candidates,
            Self::Serving => Part::Servings,
        }
    }
}

/// A line of `as-of.ndjson`: something that stood at the instant, and is told whole in the file of its sort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsOfLine {
    /// The agent.
    pub agent: AgentName,
    /// About whom.
    pub user: UserId,
    /// What it is.
    pub what: Held,
    /// Which: `mem_…`, `cand_…` or `srv_…`.
    pub id: String,
    /// Of a memory, the revision that stood.
    pub revision: Option<i64>,
    /// Since when: the revision was made, the candidate was proposed or reopened; of a serving, when the agent was told.
    pub at: Timestamp,
    /// Until when, as far as that was known then: of a memory its end, if it had one, of a candidate the end of its wait.
    pub until: Option<Timestamp>,
}

impl ServingLine {
    /// As the event of its batch has it: the hash in the event is over the canonical JSON of a list of these.
    pub fn told(&self) -> String {
        let items: Vec<_> = self
            .items
            .iter()
            .map(|item| (&item.memory, item.revision))
            .collect();
        canonical(&json!({
            "id": self.id,
            "user": self.user,
            "at_us": self.at.timestamp_micros(),
            "items": items,
        }))
    }
}

/// `proofs.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proofs {
    /// The chains that have events here, by name.
    #[serde(deserialize_with = "each_once")]
    pub chains: BTreeMap<String, ChainProof>,
}

/// What leads from the events of a chain to its root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainProof {
    /// How many events the chain had.
    pub size: u64,
    /// The root over them.
    pub root: Hex,
    /// The roots of the largest subtrees without an event that is here, from left to right ([`domain::audit::pruned`]).
    pub hashes: Vec<Hex>,
}

/// A map in which no name comes twice: of two proofs of one chain a reader would take one, and another reader the other.
fn each_once<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, ChainProof>, D::Error> {
    struct EachOnce;

    impl<'de> Visitor<'de> for EachOnce {
        type Value = BTreeMap<String, ChainProof>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object in which each name comes once")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some((name, proof)) = access.next_entry::<String, ChainProof>()? {
                if map.insert(name, proof).is_some() {
                    return Err(A::Error::custom("a name comes twice"));
                }
            }
            Ok(map)
        }
    }

    from.deserialize_map(EachOnce)
}

/// Canonical JSON (RFC 8785).
pub fn canonical<T: Serialize>(value: &T) -> String {
    serde_json_canonicalizer::to_string(value).expect("our own types are JSON")
}

/// A line of a file of [`Part::LINES`], or all of `manifest.json`.
pub fn line<T: Serialize>(content: &T) -> String {
    let mut line = canonical(content);
    line.push('\n');
    line
}

/// What such a line says, and the line without its end.
///
/// # Errors
/// Why it is none: another form, or another spelling than the canonical one.
pub fn read_line<T: Serialize + DeserializeOwned>(line: &[u8]) -> Result<(T, String), String> {
    let text = line
        .strip_suffix(b"\n")
        .ok_or("it does not end with a line feed")?;
    let content: T = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    // A name too many, one too few or one twice shows here as well.
    let canonical = canonical(&content);
    if canonical.as_bytes() == text {
        Ok((content, canonical))
    } else {
        Err("it is not the canonical JSON of what belongs here".to_owned())
    }
}

/// `SHA256SUMS` of an export of a form: of the files before it, in their order.
pub fn sums<'a>(form: Form, hashes: impl IntoIterator<Item = &'a Hash>) -> String {
    form.summed()
        .iter()
        .zip(hashes)
        .map(|(part, hash)| format!("{}  {}\n", hex(hash), part.name()))
        .collect()
}

/// The hashes that `SHA256SUMS` lists. `None`: it does not list exactly the files before it.
pub fn read_sums(form: Form, text: &str) -> Option<Vec<(Part, Hash)>> {
    let mut lines = text.strip_suffix('\n')?.split('\n');
    let summed = form.summed();
    let mut listed = Vec::with_capacity(summed.len());
    for part in summed {
        let (hash, name) = lines.next()?.split_once("  ")?;
        if name != part.name() {
            return None;
        }
        listed.push((*part, Hex::parse(hash)?.0));
    }
    lines.next().is_none().then_some(listed)
}

/// The text of `pubkey.txt`.
pub fn public_key(key: &PublicKey) -> String {
    format!("{key}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_one_name_and_one_place() {
        for (number, part) in Part::AS_OF.into_iter().enumerate() {
            assert_eq!(Part::named(part.name()), Some(part));
            assert_eq!(part as usize, number);
        }
        let more = Part::AS_OF.into_iter().filter(|part| *part != Part::AsOf);
        assert!(more.eq(Part::AUDIT), "one file more, and nothing else");
        for part in Part::COPY {
            assert_eq!(Part::named(part.name()), Some(part));
        }
        assert_eq!(Part::named("events.json"), None);
        for form in [Form::Audit, Form::AsOf, Form::Copy] {
            assert_eq!(form.files()[form.summed().len()], Part::Sums);
        }
    }

    #[test]
    fn sums_read_back_and_what_is_listed_otherwise_is_refused() {
        let hashes: Vec<Hash> = (0..15).map(|number| [number; 32]).collect();
        let text = sums(Form::Audit, &hashes);
        let read = read_sums(Form::Audit, &text).unwrap();
        assert_eq!(read.len(), hashes.len());
        assert!(
            read.iter()
                .zip(&hashes)
                .all(|((_, read), hash)| read == hash)
        );
        for (from, to) in [
            ("  manifest.json", " manifest.json"),
            ("manifest.json", "Manifest.json"),
            ("0c0c", "0C0C"),
            ("VERIFY.md\n", "VERIFY.md"),
            ("VERIFY.md\n", "VERIFY.md\n\n"),
            ("\n", "\r\n"),
        ] {
            let other = text.replace(from, to);
            assert_ne!(other, text);
            let read = read_sums(Form::Audit, &other);
            assert_eq!(read, None, "{from:?} to {to:?}");
        }
        for other in [Form::AsOf, Form::Copy] {
            assert_eq!(read_sums(other, &text), None);
        }
    }

    #[test]
    fn a_line_has_one_spelling() {
        let good = line(&Served {
            memory: "mem_01j00000000000000000000000".parse().unwrap(),
            revision: 2,
        });
        assert_eq!(
            good,
            "{\"memory\":\"mem_01j00000000000000000000000\",\"revision\":2}\n"
        );
        assert!(read_line::<Served>(good.as_bytes()).is_ok());
        for (from, to) in [
            ("\n", ""),
            (":2", ": 2"),
            (":2", ":2.0"),
            (":2", ":2,\"revision\":2"),
            (":2", ":2,\"why\":null"),
            ("mem_", "usr_"),
            ("mem_", "\\u006dem_"),
        ] {
            let other = good.replace(from, to);
            assert!(read_line::<Served>(other.as_bytes()).is_err(), "{other}");
        }
    }

    // G6
    #[test]
    fn a_filter_without_an_instant_is_spelled_as_it_always_was() {
        let before = "{\"agent\":null,\"from\":null,\"named\":null,\"to\":null,\"user\":null}\n";
        let (read, _) = read_line::<Filter>(before.as_bytes()).unwrap();
        assert_eq!((&read, line(&read).as_str()), (&Filter::default(), before));
        let about = Filter {
            as_of: Some(Timestamp::UNIX_EPOCH),
            ..Filter::default()
        };
        assert_eq!(
            read_line::<Filter>(line(&about).as_bytes()).unwrap().0,
            about
        );
        let null = before.replace("\"from\"", "\"as_of\":null,\"from\"");
        assert!(read_line::<Filter>(null.as_bytes()).is_err());
    }

    #[test]
    fn an_event_is_read_where_it_lies_as_any_other_line_would_be() {
        let good = r#"{"actor":{"id":"per_1","type":"person"},"agent":"support","at_us":7,"commitment":"HASH","data":{"revision":2,"why":[null,true,"é"]},"prev_hash":"HASH","seq":3,"subject":"mem_1","type":"memory.sung","user":"usr_1","v":1}"#
            .replace("HASH", &"0a".repeat(32))
            + "\n";
        let both = |line: &str| {
            let read = EventLine::read(line.as_bytes());
            assert_eq!(read, read_line::<EventLine>(line.as_bytes()), "{line}");
            read.is_ok()
        };
        let plain = EventLine::plain(good.as_bytes()).unwrap();
        assert_eq!(read_line::<EventLine>(good.as_bytes()), Ok(plain));
        let commitment = format!("\"commitment\":\"{}\",", "0a".repeat(32));
        let commitment = commitment.as_str();
        for (from, to, right) in [
            ("\"per_1\"", "null", true),
            ("\"usr_1\"", "null", true),
            (commitment, "", true),
            ("\"v\":1", "\"v\":2", true),
            ("\"revision\":2", "\"revision\":0.5", true),
            ("mem_1", "mem\\n1", true),
            ("mem_1", "mem_\\u0031", false),
            ("\"revision\":2", "\"revision\":2.0", false),
            ("\"revision\":2", "\"revision\":2,\"revision\":2", false),
            ("\"seq\":3", "\"seq\":3,\"seq\":3", false),
            ("\"seq\":3", "\"seq\": 3", false),
            ("\"seq\":3", "\"seq\":\"3\"", false),
            (",\"v\":1", "", false),
            (",\"v\":1", ",\"v\":1,\"why\":null", false),
            ("\"prev_hash\":\"0a", "\"prev_hash\":\"0A", false),
            ("\"commitment\":\"0a", "\"commitment\":\"0", false),
            (commitment, "\"commitment\":null,", false),
            ("\n", "", false),
        ] {
            let other = good.replace(from, to);
            assert_ne!(other, good);
            assert_eq!(both(&other), right, "{other}");
        }
    }

    #[test]
    fn a_number_with_many_digits_reads_back_as_itself() {
        let good = line(&json!({ "share": 0.300_000_000_000_000_04_f64, "sum": 1e21 }));
        assert_eq!(good, "{\"share\":0.30000000000000004,\"sum\":1e+21}\n");
        assert!(read_line::<Value>(good.as_bytes()).is_ok());
    }

    #[test]
    fn no_chain_is_proven_twice() {
        let proof = r#"{"size":1,"root":"ROOT","hashes":[]}"#.replace("ROOT", &"0a".repeat(32));
        let read = |text: &str| serde_json::from_str::<Proofs>(text).is_ok();
        assert!(read(&format!(
            r#"{{"chains":{{"a":{proof},"b":{proof}}}}}"#
        )));
        assert!(!read(&format!(
            r#"{{"chains":{{"a":{proof},"a":{proof}}}}}"#
        )));
        assert!(!read(r#"{"chains":{},"chains":{}}"#));
        assert!(!read(&proof));
    }
}
