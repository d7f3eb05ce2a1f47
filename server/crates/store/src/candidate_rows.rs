//! The rows of candidates, opened, with their targets and the words that support them.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Candidate, Cause, DecidedBy, Evidence, Proposal, State, Target},
    id::{CandidateId, DecisionId, PersonId, UserId},
};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Result, Tx,
    column::{at, parsed, parsed_opt},
    index::fingerprint,
    seal::Place,
    statement::{Statement, sql},
};

/// Who decided on the version a candidate has now, and in favour of what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Decided {
    pub by: Option<DecidedBy>,
    pub superseded_by: Option<CandidateId>,
    /// Who had agreed before, where two people were needed.
    pub agreed_by: Option<PersonId>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Sealed {
    pub name: Option<String>,
    pub content: String,
    pub metadata: serde_json::Map<String, serde_json::Value>,
    pub tags: Vec<String>,
    pub explanation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The salt of the commitment to the proposal, as hex.
    pub salt: String,
}

#[derive(sqlx::FromRow)]
pub(crate) struct CandidateRow {
    pub agent: String,
    pub id: String,
    pub user_id: String,
    action: String,
    kind: String,
    confidence: f64,
    importance: f64,
    flags: String,
    language: String,
    extraction_id: Option<String>,
    created_at: i64,
    sealed: Vec<u8>,
    status: String,
    reason: Option<String>,
    version: i64,
    pub expires_at: i64,
    pub urgent: i64,
    decision_id: Option<String>,
    decided_at: Option<i64>,
    actor: Option<String>,
    person_id: Option<String>,
    memory_id: Option<String>,
    superseded_by: Option<String>,
    agreed_by: Option<String>,
}

#[derive(sqlx::FromRow)]
struct EvidenceRow {
    candidate_id: String,
    position: i64,
    conversation_id: String,
    message_id: Option<String>,
    starts: i64,
    ends: i64,
    sealed: Vec<u8>,
}

/// The decision that made the present version is the one of the same number.
pub(crate) const CANDIDATES: &str = "
    select c.agent, c.id, c.user_id, c.action, c.kind, c.confidence, c.importance, c.flags, c.language, c.extraction_id,
      c.created_at, c.sealed, c.status, c.reason, c.version, c.expires_at, c.urgent,
      d.id as decision_id, d.at as decided_at, d.actor, d.person_id, d.memory_id, d.superseded_by, d.agreed_by
    from candidates c
    left join decisions d on d.agent = c.agent and d.candidate_id = c.id and d.version = c.version
    where true";

impl Tx {
    pub(crate) async fn plain_candidates(&mut self, read: Statement) -> Result<Vec<Candidate>> {
        let rows: Vec<CandidateRow> = read.all(&mut self.conn).await?;
        Ok(self
            .candidates_from(rows)
            .await?
            .into_iter()
            .map(|(candidate, _)| candidate)
            .collect())
    }

    /// The salts of the commitments to what rows propose, as hex, in their order.
    pub(crate) async fn salts_of(&mut self, rows: &[CandidateRow]) -> Result<Vec<String>> {
        let mut salts = Vec::with_capacity(rows.len());
        for row in rows {
            let (agent, id) = (parsed(&row.agent)?, parsed(&row.id)?);
            let key = self.user_key(&agent, &parsed(&row.user_id)?).await?;
            let body: Sealed = key.open_json(place(&agent, &id), &row.sealed)?;
            salts.push(body.salt);
        }
        Ok(salts)
    }

    /// Opens rows, with targets and evidence, in their order.
    pub(crate) async fn candidates_from(
        &mut self,
        rows: Vec<CandidateRow>,
    ) -> Result<Vec<(Candidate, Decided)>> {
        self.load_keys_of(
            rows.iter()
                .map(|row| (row.agent.as_str(), row.user_id.as_str())),
        )
        .await?;
        let mut by_agent: HashMap<AgentName, Vec<String>> = HashMap::new();
        for row in &rows {
            by_agent
                .entry(parsed(&row.agent)?)
                .or_default()
                .push(row.id.clone());
        }
        let mut evidence: HashMap<String, Vec<EvidenceRow>> = HashMap::new();
        let mut targets: HashMap<String, Vec<Target>> = HashMap::new();
        for (agent, ids) in &by_agent {
            self.evidence_rows(agent, ids, &mut evidence).await?;
            self.target_rows(agent, ids, &mut targets).await?;
        }
        let mut candidates = Vec::with_capacity(rows.len());
        for row in rows {
            let evidence = evidence.remove(&row.id).unwrap_or_default();
            let targets = targets.remove(&row.id).unwrap_or_default();
            candidates.push(self.candidate_from(row, evidence, targets).await?);
        }
        Ok(candidates)
    }

    async fn candidate_from(
        &mut self,
        row: CandidateRow,
        evidence: Vec<EvidenceRow>,
        targets: Vec<Target>,
    ) -> Result<(Candidate, Decided)> {
        let agent: AgentName = parsed(&row.agent)?;
        let id: CandidateId = parsed(&row.id)?;
        let user: UserId = parsed(&row.user_id)?;
        let key = self.user_key(&agent, &user).await?;
        let body: Sealed = key.open_json(place(&agent, &id), &row.sealed)?;
        let evidence = evidence
            .into_iter()
            .map(|found| {
                let place = format!("{id}/{}", found.position);
                let quote = key.open(
                    Place::new("evidence.sealed", agent.as_str(), &place),
                    &found.sealed,
                )?;
                Ok(Evidence {
                    conversation: parsed(&found.conversation_id)?,
                    message: parsed_opt(found.message_id.as_deref())?,
                    start: usize::try_from(found.starts).map_err(|_| Error::Corrupt("offset"))?,
                    end: usize::try_from(found.ends).map_err(|_| Error::Corrupt("offset"))?,
                    quote: String::from_utf8(quote.to_vec())
                        .map_err(|_| Error::Corrupt("quote"))?,
                })
            })
            .collect::<Result<_>>()?;
        let decided = Decided {
            by: row
                .actor
                .as_deref()
                .map(|actor| crate::decisions::decided_by(actor, row.person_id.as_deref()))
                .transpose()?,
            superseded_by: parsed_opt(row.superseded_by.as_deref())?,
            agreed_by: parsed_opt(row.agreed_by.as_deref())?,
        };
        let candidate = Candidate {
            state: row.state()?,
            proposal: Proposal {
                action: parsed(&row.action)?,
                targets,
                kind: row.kind,
                name: body.name,
                content: body.content,
                metadata: body.metadata,
                tags: body.tags,
                confidence: row.confidence,
                importance: row.importance,
                language: row.language,
                flags: row
                    .flags
                    .split_whitespace()
                    .map(parsed)
                    .collect::<Result<_>>()?,
                evidence,
                explanation: body.explanation,
                cause: body.cause,
            },
            version: row.version,
            expires_at: at(row.expires_at)?,
            created_at: at(row.created_at)?,
            extraction: parsed_opt(row.extraction_id.as_deref())?,
            agent,
            id,
            user,
        };
        Ok((candidate, decided))
    }

    async fn evidence_rows(
        &mut self,
        agent: &AgentName,
        ids: &[String],
        found: &mut HashMap<String, Vec<EvidenceRow>>,
    ) -> Result<()> {
        const SQL: &str = "
            select candidate_id, position, conversation_id, message_id, starts, ends, sealed
            from evidence
            where agent = $1";
        let rows: Vec<EvidenceRow> = sql(SQL)
            .bind(agent)
            .clause_in(" and candidate_id in (", ids.iter().map(String::as_str))
            .push(" order by candidate_id, position")
            .all(&mut self.conn)
            .await?;
        for row in rows {
            found.entry(row.candidate_id.clone()).or_default().push(row);
        }
        Ok(())
    }

    async fn target_rows(
        &mut self,
        agent: &AgentName,
        ids: &[String],
        found: &mut HashMap<String, Vec<Target>>,
    ) -> Result<()> {
        const SQL: &str = "
            select candidate_id, memory_id, revision, part
            from candidate_targets
            where agent = $1";
        let rows: Vec<(String, String, i64, String)> = sql(SQL)
            .bind(agent)
            .clause_in(" and candidate_id in (", ids.iter().map(String::as_str))
            .push(" order by candidate_id, position")
            .all(&mut self.conn)
            .await?;
        for (candidate, memory, revision, part) in rows {
            let target = Target {
                memory: parsed(&memory)?,
                revision,
                absorbed: part == "absorbed",
            };
            found.entry(candidate).or_default().push(target);
        }
        Ok(())
    }

    /// The fingerprint a candidate was stored with.
    pub(crate) async fn fingerprint_of(&mut self, candidate: &Candidate) -> Result<Vec<u8>> {
        let key = self.user_key(&candidate.agent, &candidate.user).await?;
        Ok(fingerprint(
            &key,
            &candidate.proposal.kind,
            candidate.proposal.name.as_deref(),
            &candidate.proposal.content,
        ))
    }
}

impl CandidateRow {
    fn state(&self) -> Result<State> {
        let decided = || -> Result<(DecisionId, Timestamp)> {
            let decision = self
                .decision_id
                .as_deref()
                .ok_or(Error::Corrupt("decision"))?;
            Ok((
                parsed(decision)?,
                at(self.decided_at.ok_or(Error::Corrupt("decision"))?)?,
            ))
        };
        Ok(match self.status.as_str() {
            "pending" => State::Pending,
            "approved" => {
                let (decision, at) = decided()?;
                let memory = self
                    .memory_id
                    .as_deref()
                    .ok_or(Error::Corrupt("memory of a decision"))?;
                State::Approved {
                    decision,
                    memory: parsed(memory)?,
                    at,
                }
            }
            _ => {
                let (decision, at) = decided()?;
                let reason = self.reason.as_deref().ok_or(Error::Corrupt("reason"))?;
                State::Rejected {
                    decision,
                    reason: parsed(reason)?,
                    at,
                }
            }
        })
    }
}

/// Where a candidate's ciphertext belongs.
pub(crate) fn place<'a>(agent: &'a AgentName, id: &'a CandidateId) -> Place<'a> {
    Place::new("candidates.sealed", agent.as_str(), id.as_str())
}
