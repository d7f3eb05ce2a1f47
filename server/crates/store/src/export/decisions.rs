//! The decisions of an export, by candidate and version; and what was written when one was handed over or agreed to first.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{DecidedBy, Reason},
    id::{CandidateId, DecisionId, MemoryId, PersonId, UserId},
};

use super::{Along, Columns, ExportPart, Proof, Walked};
use crate::{
    Result, Tx,
    column::{at, canonical, parsed, parsed_opt},
    decisions::{Sealed, committed, decided_by, place},
    remarks::{self, RemarkType},
    statement::sql,
};

/// A decision.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedDecision {
    /// The agent.
    pub agent: AgentName,
    /// Ours.
    pub id: DecisionId,
    /// On which candidate.
    pub candidate: CandidateId,
    /// Whom that is about.
    pub user: UserId,
    /// The version that it made.
    pub version: i64,
    /// `approve`, `reject`, `reopen`.
    pub verdict: String,
    /// Why, of rejections.
    pub reason: Option<Reason>,
    /// By whom.
    pub by: DecidedBy,
    /// Who had agreed before, where two people were needed.
    pub agreed_by: Option<PersonId>,
    /// The memory that was made or changed.
    pub memory: Option<MemoryId>,
    /// The candidate that took its place.
    pub superseded_by: Option<CandidateId>,
    /// When.
    pub at: Timestamp,
    /// Edit and note, where there are any.
    pub proof: Option<Proof>,
}

/// What was written when a candidate was handed over or agreed to first.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedRemark {
    /// The agent.
    pub agent: AgentName,
    /// About which candidate.
    pub candidate: CandidateId,
    /// Whom that is about.
    pub user: UserId,
    /// On what occasion.
    pub r#type: RemarkType,
    /// By whom.
    pub person: PersonId,
    /// When.
    pub at: Timestamp,
    /// Note and edit.
    pub proof: Proof,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    candidate_id: String,
    user_id: String,
    version: i64,
    verdict: String,
    reason: Option<String>,
    actor: String,
    person_id: Option<String>,
    agreed_by: Option<String>,
    memory_id: Option<String>,
    superseded_by: Option<String>,
    at: i64,
    sealed: Vec<u8>,
}

#[derive(sqlx::FromRow)]
struct RemarkRow {
    candidate_id: String,
    number: i64,
    user_id: String,
    r#type: String,
    person_id: String,
    at: i64,
    sealed: Vec<u8>,
}

impl Walked for Row {
    fn place(&self) -> (&str, i64) {
        (&self.candidate_id, self.version)
    }

    fn owner(&self) -> &str {
        &self.user_id
    }
}

impl Walked for RemarkRow {
    fn place(&self) -> (&str, i64) {
        (&self.candidate_id, self.number)
    }

    fn owner(&self) -> &str {
        &self.user_id
    }
}

const DECISIONS: &str = "
    select id, candidate_id, user_id, version, verdict, reason, actor, person_id, agreed_by, memory_id, superseded_by, at, sealed
    from decisions
    where agent = $1";

const REMARKS: &str = "
    select candidate_id, number, user_id, type, person_id, at, sealed
    from remarks
    where agent = $1";

const DECISION_COLUMNS: Columns = Columns {
    after: " and (candidate_id, version) > (?",
    numbered: true,
    of: " and candidate_id in (",
    order: " order by candidate_id, version",
    from: " and at >= ?",
    to: " and at < ?",
};

const REMARK_COLUMNS: Columns = Columns {
    after: " and (candidate_id, number) > (?",
    order: " order by candidate_id, number",
    ..DECISION_COLUMNS
};

impl Tx {
    /// The next decisions of a walk along candidates; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_decisions(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedDecision>>> {
        let read = sql(DECISIONS).bind(&part.agent);
        let rows = self.next_rows::<Row>(read, &DECISION_COLUMNS, part, along);
        let Some(rows) = rows.await? else {
            return Ok(None);
        };
        let mut decisions = Vec::with_capacity(rows.len());
        for row in rows {
            decisions.extend(self.exported_decision(&part.agent, row).await?);
        }
        Ok(Some(decisions))
    }

    async fn exported_decision(
        &mut self,
        agent: &AgentName,
        row: Row,
    ) -> Result<Option<ExportedDecision>> {
        let user: UserId = parsed(&row.user_id)?;
        let id: DecisionId = parsed(&row.id)?;
        let Some(key) = super::unless_erased(self.user_key(agent, &user).await)? else {
            return Ok(None);
        };
        let body: Sealed = key.open_json(place(agent, &id), &row.sealed)?;
        let texts = body.edit.is_some() || body.note.is_some();
        let proof = texts.then(|| Proof {
            committed: canonical(&committed(body.edit.as_ref(), body.note.as_deref())),
            salt: body.salt.clone(),
        });
        Ok(Some(ExportedDecision {
            agent: agent.clone(),
            id,
            candidate: parsed(&row.candidate_id)?,
            user,
            version: row.version,
            verdict: row.verdict,
            reason: parsed_opt(row.reason.as_deref())?,
            by: decided_by(&row.actor, row.person_id.as_deref())?,
            agreed_by: parsed_opt(row.agreed_by.as_deref())?,
            memory: parsed_opt(row.memory_id.as_deref())?,
            superseded_by: parsed_opt(row.superseded_by.as_deref())?,
            at: at(row.at)?,
            proof,
        }))
    }

    /// The next remarks of a walk along candidates; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_remarks(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedRemark>>> {
        let read = sql(REMARKS).bind(&part.agent);
        let rows = self.next_rows::<RemarkRow>(read, &REMARK_COLUMNS, part, along);
        let Some(rows) = rows.await? else {
            return Ok(None);
        };
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let user: UserId = parsed(&row.user_id)?;
            let key = self.user_key(&part.agent, &user).await;
            let Some(key) = super::unless_erased(key)? else {
                continue;
            };
            let name = remarks::row(&row.candidate_id, row.number);
            let body: remarks::Sealed =
                key.open_json(remarks::place(&part.agent, &name), &row.sealed)?;
            found.push(ExportedRemark {
                agent: part.agent.clone(),
                candidate: parsed(&row.candidate_id)?,
                user,
                r#type: parsed(&row.r#type)?,
                person: parsed(&row.person_id)?,
                at: at(row.at)?,
                proof: Proof {
                    salt: body.salt,
                    committed: body.text,
                },
            });
        }
        Ok(Some(found))
    }
}
