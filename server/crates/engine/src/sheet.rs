//! "Explain this decision" (G6): everything that is on record about one proposal, on one sheet: what was proposed by what, the words
//! it rests on, each decision, the memory that came of it, where it was told, and its events with their hashes.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::hex,
    id::{CandidateId, ExtractionId},
    permission::{Permission, Permit},
};
use store::Tx;

use crate::{
    Engine,
    audit::EventView,
    candidate::{CandidateDetail, Told},
    error::{EngineError, Result},
    extractor::Provenance,
    memory::{MemoryView, RevisionView},
    need,
    view::Names,
};

/// The most events of one thing that are looked through: what is decided and reopened again and again still has few.
const MOST_EVENTS: u32 = 200;

/// Everything about one proposal.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// The proposal with its words, its decisions, and who was told.
    pub detail: CandidateDetail,
    /// The run that made it; `None`: it was proposed by hand, or by Keepsake itself.
    pub extraction: Option<Run>,
    /// The memory it made or changed, as it stands now.
    pub memory: Option<MemoryView>,
    /// The revisions of that memory that came of it, newest first.
    pub revisions: Vec<RevisionView>,
    /// Where it was told, with the event that says so where one is known.
    pub served: Vec<(Told, Option<Numbered>)>,
    /// How often the memory was told in all.
    pub times_told: i64,
    /// Its events, oldest first.
    pub events: Vec<EventView>,
    /// How far the agent's chain was last signed.
    pub signed: Option<SignedUpTo>,
    /// What people compare the signing key by.
    pub fingerprint: String,
}

/// A run of an extractor.
#[derive(Debug, Clone)]
pub struct Run {
    /// Which.
    pub id: ExtractionId,
    /// By which extractor, model, prompt and schema.
    pub provenance: Provenance,
    /// When.
    pub at: Timestamp,
}

/// An event by its place in its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// Its number.
    pub seq: i64,
    /// Its hash, as hex.
    pub hash: String,
}

/// How far a chain was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedUpTo {
    /// How many of its events.
    pub size: u64,
    /// The root over them, as hex.
    pub root: String,
    /// When.
    pub at: Timestamp,
}

impl Engine {
    /// The sheet of a candidate.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn sheet(&self, permit: &Permit, id: &CandidateId) -> Result<Sheet> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        // Who was told within the last second waits in memory, and is named too.
        self.flush().await?;
        let detail = self.candidate(permit, id).await?;
        let agent = detail.candidate.agent.clone();
        let key = self.db().audit_key().await?;
        let mut tx = self.read(permit).await?;
        let row = tx.candidate(id).await?.ok_or(EngineError::NotFound)?;
        let extraction = match &row.candidate.extraction {
            Some(extraction) => tx.extraction(extraction).await?,
            None => None,
        };
        let mut names = Names::at(self.now());
        let mut memory = None;
        let mut times_told = 0;
        if let Some(came) = &detail.candidate.memory {
            times_told = tx.told_count(&agent, came).await?;
            if let Some(stands) = tx.memory(came).await? {
                memory = names.memory(&mut tx, stands).await?;
            }
        }
        let events = events(&mut tx, &mut names, &agent, &detail).await?;
        let servings: Vec<_> = detail
            .told
            .iter()
            .map(|told| told.serving.clone())
            .collect();
        let mut told_by = tx.serving_events(&agent, &servings).await?;
        let served = detail.told.iter().map(|told| {
            let event = told_by.remove(&told.serving);
            let numbered = event.map(|(seq, hash)| Numbered {
                seq,
                hash: hex(&hash),
            });
            (told.clone(), numbered)
        });
        let served = served.collect();
        let signed = signed(&mut tx, &key.public_key(), &agent).await?;
        drop(tx);
        let revisions = match &memory {
            Some(memory) => self.revisions_from(permit, memory, id).await?,
            None => Vec::new(),
        };
        Ok(Sheet {
            extraction: extraction.map(|run| Run {
                id: run.id,
                provenance: run.provenance.into(),
                at: run.at,
            }),
            fingerprint: key.fingerprint().to_owned(),
            detail,
            memory,
            revisions,
            served,
            times_told,
            events,
            signed,
        })
    }

    /// The revisions of a memory that came of a candidate, for who may read its history.
    async fn revisions_from(
        &self,
        permit: &Permit,
        memory: &MemoryView,
        id: &CandidateId,
    ) -> Result<Vec<RevisionView>> {
        let Ok(reads) = Permit::ask(permit.actor().clone(), Permission::ReadHistory) else {
            return Ok(Vec::new());
        };
        let all = self.revisions(&reads, &memory.id).await?;
        Ok(all
            .data
            .into_iter()
            .filter(|revision| revision.candidate.as_ref() == Some(id))
            .collect())
    }
}

/// The events of a candidate, and those of its memory that name it, oldest first.
async fn events(
    tx: &mut Tx,
    names: &mut Names,
    agent: &AgentName,
    detail: &CandidateDetail,
) -> Result<Vec<EventView>> {
    let id = detail.candidate.id.as_str();
    let memory = detail.candidate.memory.as_ref();
    let mut all = Vec::new();
    for subject in std::iter::once(id).chain(memory.map(|memory| memory.as_str())) {
        let filter = store::EventFilter {
            chain: Some(agent.as_str().to_owned()),
            subject: Some(subject.to_owned()),
            ..store::EventFilter::default()
        };
        let page = store::Page::first(MOST_EVENTS);
        let rows = tx.events(&filter, &page).await?.rows;
        all.extend(names.events(tx, rows).await?);
    }
    all.retain(|event| {
        let names_it = event.data.get("candidate").and_then(|it| it.as_str()) == Some(id);
        event.subject == id || names_it
    });
    all.sort_by_key(|event| event.seq);
    Ok(all)
}

/// How far the chain of an agent was signed by the newest checkpoint that names it.
pub(crate) async fn signed(
    tx: &mut Tx,
    key: &domain::audit::PublicKey,
    agent: &AgentName,
) -> Result<Option<SignedUpTo>> {
    let newest = tx.checkpoints(&store::Page::first(1)).await?.rows.pop();
    // One that does not open shows in the next verification; here nothing is claimed by it.
    let said = newest.and_then(|kept| Some((key.open(&kept.note).ok()?, kept.at)));
    Ok(said.and_then(|(said, at)| {
        let extent = said.agents.get(agent.as_str())?;
        Some(SignedUpTo {
            size: extent.size,
            root: hex(&extent.root),
            at,
        })
    }))
}
