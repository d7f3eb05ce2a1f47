//! Taking in an export (E4): what an auditor's bundle holds of whole agents becomes rows of an installation that knows nothing of these
//! agents yet, all of it or nothing.
//!
//! A bundle is checked whole before a byte of it is believed, with the verifier that everybody else uses; the check remembers a hash or a
//! number of each line, so its memory grows with them. What is read on from the same open file afterwards is held against the hashes of the
//! first reading. Then there is one transaction, for these agents alone: lines become rows one by one, so that it takes no more memory for a
//! million events than for a thousand, and whatever does not fit ends it with nothing changed.
//!
//! The chains of agents come as they were hashed, so proofs and commitments hold as before, and what is appended here goes on from there:
//! first that what waited got the time of the move back, as after any time in which no Keepsake ran (A6). Made-up people stay where they are.
//! The chain of the other installation does not come: this one has its own, and that tells of the import. `docs/EXPORTS.md` says what is
//! in no export, and so does not come either.

mod lines;

use std::{collections::BTreeSet, io, path::Path};

use domain::{
    agent::{AgentName, AgentScope, AgentSettings},
    audit::{EventBody, PublicKey, SYSTEM_CHAIN, hex},
    export::ExportSort,
    id::ServingId,
    kind::{EvidenceRule, Kind},
    permission::{Permission, Permit},
};
use store::{ImportCounts, ImportedEvent, ImportedRevision, Leftover, Stamp, Tx};

use super::{
    bundle::{
        CandidateLine, DecisionLine, EventLine, Part, PostLine, RemarkLine, RevisionLine,
        ServingLine, UserLine,
    },
    verify::{
        self, Findings, OpenError, Opened, Report,
        archive::Archive,
        lines::{Line, Lines},
    },
};
use crate::{Engine, error::EngineError, need, worker::span};

/// Events that are written by one statement.
const EVENTS: usize = 100;

/// What an import brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The installation that the export is of.
    pub instance: String,
    /// The SHA-256 of its manifest, as hex: the event of the import names it.
    pub manifest: String,
    /// The fingerprint of the key it is signed with.
    pub key: Option<String>,
    /// Whether it was compared with a key that was given.
    pub key_compared: bool,
    /// The agents, by name.
    pub agents: Vec<ImportedAgent>,
    /// Chains that were passed over: of agents with made-up people.
    pub passed_over: Vec<String>,
    /// How much there was.
    pub counts: ImportCounts,
}

/// An agent that came with an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedAgent {
    /// Its name.
    pub name: AgentName,
    /// Kinds of its own, of which no export says more than the name.
    pub own_kinds: Vec<String>,
}

/// Whose word an import takes: what is not proven is as true as whoever signed it is honest.
#[derive(Debug, Clone, Copy)]
pub enum SignedBy<'a> {
    /// Of whoever has this key, which was handed over by another way.
    Key(&'a PublicKey),
    /// Of whoever has the key with this fingerprint ([`PublicKey::fingerprint`]), which nobody vouches for.
    Fingerprint(&'a str),
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The bundle cannot be read at all.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It is a person's copy, or no export at all.
    #[error(
        "this is a person's own copy, which proves nothing and lacks what was decided: import an export of the sort audit"
    )]
    Copy,
    /// Something is wrong with it.
    #[error("{} found in the bundle, so nothing of it can be believed", of(.0.found, "fault"))]
    Damaged(Box<Report>),
    /// Somebody else signed it.
    #[error("it is signed with the key {0}, not with the one whose fingerprint was given")]
    Signer(String),
    /// It holds a part of the chains that it has events of.
    #[error(
        "this export is of one person or of a span of time, so it holds a part of a chain, and a part proves nothing without the rest: ask \
         the installation that made it for an export of the whole agent, or of everything, without from and to"
    )]
    Part,
    /// It holds no agent.
    #[error(
        "this export holds the chain of no agent but such with made-up people, so there is nothing to import"
    )]
    Empty,
    /// A chain in it cannot be that of an agent.
    #[error("the chain {0:?} has a name that no agent can have")]
    Name(String),
    /// The name of an agent is used here.
    #[error(
        "an agent named {0} is here, or was: its chain stays and cannot become another one. Import into an installation that has never had \
         an agent of this name"
    )]
    Known(AgentName),
    /// A line says what does not fit here.
    #[error("{file}, line {line}: {why}")]
    Line {
        /// The file.
        file: &'static str,
        /// The line in it, from 1.
        line: u64,
        /// Why.
        why: String,
    },
    /// What came does not hold together.
    #[error("agent {agent}: {why}")]
    Unsettled {
        /// The agent.
        agent: AgentName,
        /// Why.
        why: &'static str,
    },
    /// The file cannot be read any further, or is another one by now.
    #[error("read the bundle on: {0}")]
    Read(#[from] io::Error),
    /// The database.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<store::Error> for ImportError {
    fn from(error: store::Error) -> Self {
        Self::Engine(error.into())
    }
}

impl ImportError {
    /// An error of the store, with the line that it is about.
    fn at(part: Part, line: u64, error: store::Error) -> Self {
        if error.is_unavailable() {
            return error.into();
        }
        let why = match error {
            store::Error::Exists => "an id or a name in it is taken here already".to_owned(),
            store::Error::OutOfScope => {
                "it is of an agent whose chain the manifest does not name".to_owned()
            }
            store::Error::Untold => {
                "it is not what the chain of its agent tells, so it cannot be believed".to_owned()
            }
            store::Error::Erased => "it is about somebody who is not in users.ndjson".to_owned(),
            store::Error::Corrupt(what) => format!(
                "this version of Keepsake cannot take it in ({what}): update Keepsake where you import"
            ),
            // Holds neither SQL nor values.
            other => other.to_string(),
        };
        Self::Line {
            file: part.name(),
            line,
            why,
        }
    }
}

fn of(number: u64, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
}

type Result<T, E = ImportError> = std::result::Result<T, E>;

impl Engine {
    /// Takes in what a bundle holds, all of it or nothing. The agents serve at once and do not learn: their settings are in no export.
    ///
    /// # Errors
    /// [`ImportError`]; then nothing was changed.
    pub async fn import_bundle(
        &self,
        permit: &Permit,
        bundle: &Path,
        signed_by: SignedBy<'_>,
    ) -> Result<Imported> {
        need(permit, &[Permission::Administer])?;
        if *permit.scope() != AgentScope::All {
            return Err(EngineError::Forbidden.into());
        }
        let key = match signed_by {
            SignedBy::Key(key) => Some(key),
            SignedBy::Fingerprint(_) => None,
        };
        let (report, opened) = verify::opened(bundle, key)?;
        if report.sort == Some(ExportSort::Copy) {
            return Err(ImportError::Copy);
        }
        let mut opened = match opened {
            Some(opened) if report.ok => opened,
            _ => return Err(ImportError::Damaged(Box::new(report))),
        };
        if let (SignedBy::Fingerprint(given), Some(key)) = (signed_by, &report.key)
            && given != key
        {
            return Err(ImportError::Signer(key.clone()));
        }
        let names = importable(&opened)?;
        let stamp = self.stamp(permit);
        // A sign of life: what waits here from now on gets the time until the first start back.
        let longest = span(self.settings().alive_gap);
        self.db().extend_after_gap(longest, &stamp).await?;
        let mut importing = Importing {
            tx: self.db().write(AgentScope::Some(names.clone())).await?,
            counts: ImportCounts::default(),
            made_up: opened.made_up,
        };
        importing.begin(&names, &stamp).await?;
        importing.read(&mut opened.archive).await?;
        let mut agents = Vec::with_capacity(names.len());
        for name in &names {
            agents.push(importing.settle(name).await?);
        }
        let Importing {
            mut tx,
            mut counts,
            made_up,
        } = importing;
        counts.agents = agents.len() as u64;
        let made_at = opened.manifest.made_at;
        let gap = stamp.now - made_at;
        if gap > longest {
            tx.give_back(made_at, gap, &stamp).await?;
        }
        tx.import_opt_outs(&names, &stamp).await?;
        let manifest = hex(&opened.hash);
        tx.tell_of_bundle(&manifest, &counts, &stamp);
        tx.commit().await?;
        Ok(Imported {
            instance: opened.manifest.instance,
            manifest,
            key: report.key,
            key_compared: report.key_compared,
            agents,
            passed_over: made_up.into_iter().collect(),
            counts,
        })
    }
}

/// The agents of a bundle, all of whose chains are here from their beginning. Those with made-up people are none of them: they would come as
/// real ones, and where there is a demo already their name would keep everybody else out.
fn importable(opened: &Opened) -> Result<Vec<AgentName>> {
    let manifest = &opened.manifest;
    if !manifest.filter.takes_whole_chains() {
        return Err(ImportError::Part);
    }
    let chains = manifest.chains.keys();
    let names = chains
        .filter(|chain| chain.as_str() != SYSTEM_CHAIN && !opened.made_up.contains(*chain))
        .map(|chain| AgentName::parse(chain).map_err(|_| ImportError::Name(chain.clone())))
        .collect::<Result<Vec<_>>>()?;
    if names.is_empty() {
        return Err(ImportError::Empty);
    }
    Ok(names)
}

/// An import on its way.
struct Importing {
    tx: Tx,
    counts: ImportCounts,
    /// Whose lines are passed over.
    made_up: BTreeSet<String>,
}

/// Hands each line of a file on, but for those of made-up people.
macro_rules! each {
    ($this:ident, $archive:ident, $part:ident, $line:ty, |$number:ident, $content:ident| $take:expr) => {{
        let mut found = Findings::default();
        let mut lines = Lines::of($archive, Part::$part)?;
        while let Some(line) = lines.next::<$line>(&mut found)? {
            let Line {
                number: $number,
                content: $content,
                ..
            } = line;
            if $this.made_up.contains($content.agent.as_str()) {
                continue;
            }
            $take
        }
        as_checked(&found)?;
    }};
}

impl Importing {
    async fn begin(&mut self, names: &[AgentName], stamp: &Stamp) -> Result<()> {
        // Which settings held is in no export. What was approved is served; nothing is learnt until somebody has looked at them.
        let settings = AgentSettings {
            learn: false,
            ..AgentSettings::default()
        };
        let kinds = [Kind::assistant(), Kind::always_there()].concat();
        for name in names {
            if self.tx.knows_agent(name).await? {
                return Err(ImportError::Known(name.clone()));
            }
            self.tx.import_agent(name, &settings, &kinds, stamp).await?;
        }
        Ok(())
    }

    /// Takes in every file of lines, each after those that it refers to.
    async fn read(&mut self, archive: &mut Archive) -> Result<()> {
        each!(self, archive, Users, UserLine, |number, line| {
            if let Some(user) = lines::user(line).map_err(fault(Part::Users, number))? {
                let done = self.tx.import_user(&user).await;
                done.map_err(|error| ImportError::at(Part::Users, number, error))?;
                self.counts.users += 1;
            }
        });
        self.events(archive).await?;
        each!(self, archive, Conversations, PostLine, |number, line| {
            let done = self.tx.import_post(&lines::post(line)).await;
            done.map_err(|error| ImportError::at(Part::Conversations, number, error))?;
            self.counts.posts += 1;
        });
        each!(self, archive, Candidates, CandidateLine, |number, line| {
            let one = lines::candidate(line).map_err(fault(Part::Candidates, number))?;
            let done = self.tx.import_candidate(&one).await;
            done.map_err(|error| ImportError::at(Part::Candidates, number, error))?;
            self.counts.candidates += 1;
        });
        each!(self, archive, Decisions, DecisionLine, |number, line| {
            let one = lines::decision(line).map_err(fault(Part::Decisions, number))?;
            let done = self.tx.import_decision(&one).await;
            done.map_err(|error| ImportError::at(Part::Decisions, number, error))?;
            self.counts.decisions += 1;
        });
        each!(self, archive, Remarks, RemarkLine, |number, line| {
            let one = lines::remark(line).map_err(fault(Part::Remarks, number))?;
            let done = self.tx.import_remark(&one).await;
            done.map_err(|error| ImportError::at(Part::Remarks, number, error))?;
            self.counts.remarks += 1;
        });
        self.memories(archive).await?;
        self.servings(archive).await
    }

    /// The chains of agents; that of the other installation is passed over.
    async fn events(&mut self, archive: &mut Archive) -> Result<()> {
        let mut found = Findings::default();
        let mut lines = Lines::of(archive, Part::Events)?;
        let mut waits: Vec<ImportedEvent> = Vec::with_capacity(EVENTS);
        let mut first = 1;
        while let Some(line) = lines.next_by(EventLine::read, &mut found)? {
            let chain = line.content.agent.as_str();
            if chain == SYSTEM_CHAIN || self.made_up.contains(chain) {
                continue;
            }
            let body: EventBody = serde_json::from_str(&line.text).map_err(|_| {
                let known = format!(
                    "this version of Keepsake knows no event {:?}: update Keepsake where you import",
                    line.content.r#type
                );
                fault(Part::Events, line.number)(known)
            })?;
            let other = waits
                .last()
                .is_some_and(|before| before.body.agent != body.agent);
            if other || waits.len() == EVENTS {
                self.append(&mut waits, first).await?;
            }
            if waits.is_empty() {
                first = line.number;
            }
            waits.push(ImportedEvent {
                body,
                text: line.text,
            });
        }
        as_checked(&found)?;
        self.append(&mut waits, first).await
    }

    /// Events of one chain, of which the first stands in this line.
    async fn append(&mut self, events: &mut Vec<ImportedEvent>, line: u64) -> Result<()> {
        let Some(first) = events.first() else {
            return Ok(());
        };
        let agent = AgentName::parse(&first.body.agent)
            .map_err(|_| ImportError::Name(first.body.agent.clone()))?;
        let done = self.tx.import_events(&agent, events).await;
        done.map_err(|error| ImportError::at(Part::Events, line, error))?;
        self.counts.events += events.len() as u64;
        events.clear();
        Ok(())
    }

    /// Memory by memory: the lines of one stand together, and only these are held at once.
    async fn memories(&mut self, archive: &mut Archive) -> Result<()> {
        let mut one: Vec<ImportedRevision> = Vec::new();
        let mut first = 1;
        each!(self, archive, Memories, RevisionLine, |number, line| {
            let revision = lines::revision(line).map_err(fault(Part::Memories, number))?;
            let other = one
                .last()
                .is_some_and(|before| before.memory != revision.memory);
            if other {
                self.memory(&mut one, first).await?;
            }
            if one.is_empty() {
                first = number;
            }
            one.push(revision);
        });
        self.memory(&mut one, first).await
    }

    async fn memory(&mut self, revisions: &mut Vec<ImportedRevision>, line: u64) -> Result<()> {
        let done = self.tx.import_memory(revisions).await;
        done.map_err(|error| ImportError::at(Part::Memories, line, error))?;
        self.counts.revisions += revisions.len() as u64;
        revisions.clear();
        Ok(())
    }

    async fn servings(&mut self, archive: &mut Archive) -> Result<()> {
        let mut batch: Option<ServingId> = None;
        let mut place = 0;
        each!(self, archive, Servings, ServingLine, |number, line| {
            place = if line.batch.is_some() && line.batch == batch {
                place + 1
            } else {
                0
            };
            batch.clone_from(&line.batch);
            let done = self.tx.import_serving(&lines::serving(line), place).await;
            done.map_err(|error| ImportError::at(Part::Servings, number, error))?;
            self.counts.servings += 1;
        });
        Ok(())
    }

    /// Ends the import of an agent: every kind that something is of has a row in its registry.
    async fn settle(&mut self, name: &AgentName) -> Result<ImportedAgent> {
        let registry = self.tx.kinds(name).await?;
        let mut missing = self.tx.kinds_found(name).await?;
        missing.retain(|found| registry.iter().all(|kind| kind.name != *found));
        let business = Kind::business();
        let of_set = |name: &String| business.iter().any(|kind| kind.name == *name);
        let (of_business, own_kinds): (Vec<String>, Vec<String>) =
            missing.into_iter().partition(of_set);
        let mut kinds: Vec<Kind> = own_kinds.iter().map(|name| own_kind(name)).collect();
        if !of_business.is_empty() {
            kinds.extend(business);
        }
        let agent = name.clone();
        let why = match self.tx.settle_import(name, &kinds).await? {
            None => {
                return Ok(ImportedAgent {
                    name: agent,
                    own_kinds,
                });
            }
            Some(Leftover::Decision) => {
                "a candidate stands otherwise than its decisions and its chain say"
            }
            Some(Leftover::User) => "its chain does not tell of a user who is in users.ndjson",
            Some(Leftover::Id) => "another agent of this installation has one of its ids",
        };
        Err(ImportError::Unsettled { agent, why })
    }
}

/// A kind of an agent's own, as far as an export tells of it. It is out of use until somebody has written what it holds.
fn own_kind(name: &str) -> Kind {
    Kind {
        name: name.to_owned(),
        set: "own".to_owned(),
        label: name.to_owned(),
        description: String::new(),
        metadata_schema: None,
        ttl_days: None,
        position: 6,
        cap: None,
        always: false,
        evidence: EvidenceRule::UserQuote,
        enabled: false,
        guideline: None,
    }
}

/// What is wrong with a line, as an error.
fn fault(part: Part, line: u64) -> impl Fn(String) -> ImportError {
    move |why| ImportError::Line {
        file: part.name(),
        line,
        why,
    }
}

/// Refuses a file that reads otherwise than when it was checked.
fn as_checked(found: &Findings) -> io::Result<()> {
    if found.is_empty() {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it was changed after it was checked",
        ))
    }
}
