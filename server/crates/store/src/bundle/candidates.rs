//! The candidates of an export, each as it stood.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{
        Action, Candidate, Cause, Evidence, Flag, Proposal, Reason, State, Status, Target,
    },
    id::{CandidateId, ExtractionId, UserId},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{KEYS, same, text};
use crate::{Proof, Result, Tx, candidates::committed};

/// A candidate as an export has it.
#[derive(Debug, Clone)]
pub struct ImportedCandidate {
    /// The agent.
    pub agent: AgentName,
    /// Ours.
    pub id: CandidateId,
    /// Whom it is about.
    pub user: UserId,
    /// What it would do.
    pub action: Action,
    /// What has become of it.
    pub status: Status,
    /// Why, of a rejected one.
    pub reason: Option<Reason>,
    /// Raised by one with every change.
    pub version: i64,
    /// How sure the extractor was.
    pub confidence: f64,
    /// How much it matters.
    pub importance: f64,
    /// Warnings.
    pub flags: Vec<Flag>,
    /// The memories it is about.
    pub targets: Vec<Target>,
    /// The extraction that made it, which is in no export.
    pub extraction: Option<ExtractionId>,
    /// Why Keepsake itself proposed it.
    pub cause: Option<Cause>,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// When it stops waiting.
    pub expires_at: Timestamp,
    /// What it proposes.
    pub proof: Proof,
}

/// A proposal as it is committed to.
#[derive(Deserialize)]
struct Proposed {
    kind: String,
    name: Option<String>,
    content: String,
    metadata: Map<String, Value>,
    tags: Vec<String>,
    language: String,
    explanation: Option<String>,
    evidence: Vec<Evidence>,
}

impl Tx {
    /// Takes a candidate in. Its decisions come after it.
    ///
    /// # Errors
    /// [`crate::Error::Corrupt`]; [`crate::Error::Erased`] where nobody of that id was taken in; [`crate::Error::OutOfScope`]; what the
    /// database answers.
    pub async fn import_candidate(&mut self, one: &ImportedCandidate) -> Result<()> {
        self.inside(&one.agent)?;
        self.forget_keys_above(KEYS);
        let proposed: Proposed = text(&one.proof)?;
        let candidate = Candidate {
            agent: one.agent.clone(),
            id: one.id.clone(),
            user: one.user.clone(),
            proposal: Proposal {
                action: one.action,
                targets: one.targets.clone(),
                kind: proposed.kind,
                name: proposed.name,
                content: proposed.content,
                metadata: proposed.metadata,
                tags: proposed.tags,
                confidence: one.confidence,
                importance: one.importance,
                language: proposed.language,
                flags: one.flags.clone(),
                evidence: proposed.evidence,
                explanation: proposed.explanation,
                cause: one.cause,
            },
            // The row says how it stands; the decision that made it so is not here yet.
            state: State::Pending,
            version: one.version,
            expires_at: one.expires_at,
            created_at: one.created_at,
            extraction: one.extraction.clone(),
        };
        same(&one.proof, &committed(&candidate.proposal))?;
        let fingerprint = self.fingerprint_of(&candidate).await?;
        let stands = (one.status, one.reason);
        self.write_candidate(&candidate, stands, fingerprint, one.proof.salt.clone())
            .await?;
        // By its words one finds what waits, and what ran out unseen.
        if one.status == Status::Pending || one.reason == Some(Reason::Expired) {
            self.index_candidate(&candidate).await?;
        }
        Ok(())
    }
}
