//! The candidates of an export, by their ids.

use domain::{
    candidate::{Candidate, DecidedBy},
    id::{CandidateId, PersonId},
};

use super::{Along, Columns, ExportPart, Proof, Walked};
use crate::{
    Result, Tx,
    candidate_rows::{CANDIDATES, CandidateRow},
    candidates::committed,
    column::canonical,
    statement::sql,
};

/// A candidate.
#[derive(Debug, Clone)]
pub struct ExportedCandidate {
    /// As it stands.
    pub candidate: Candidate,
    /// Who decided last.
    pub by: Option<DecidedBy>,
    /// Who had agreed before, where two people were needed.
    pub agreed_by: Option<PersonId>,
    /// The candidate that took its place.
    pub superseded_by: Option<CandidateId>,
    /// What it proposes.
    pub proof: Proof,
}

const COLUMNS: Columns = Columns {
    after: " and c.id > ?",
    numbered: false,
    of: " and c.id in (",
    order: " order by c.id",
    from: " and c.created_at >= ?",
    to: " and c.created_at < ?",
};

impl Walked for CandidateRow {
    fn place(&self) -> (&str, i64) {
        (&self.id, 0)
    }

    fn owner(&self) -> &str {
        &self.user_id
    }
}

impl Tx {
    /// The next candidates of a walk; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_candidates(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedCandidate>>> {
        let read = sql(CANDIDATES).clause(" and c.agent = ?", &part.agent);
        let rows = self.next_rows::<CandidateRow>(read, &COLUMNS, part, along);
        let Some(mut rows) = rows.await? else {
            return Ok(None);
        };
        rows.retain(|row| self.has_key(&row.user_id));
        let salts = self.salts_of(&rows).await?;
        let candidates = self.candidates_from(rows).await?;
        Ok(Some(
            candidates
                .into_iter()
                .zip(salts)
                .map(|((candidate, decided), salt)| ExportedCandidate {
                    proof: Proof {
                        salt,
                        committed: canonical(&committed(&candidate.proposal)),
                    },
                    candidate,
                    by: decided.by,
                    agreed_by: decided.agreed_by,
                    superseded_by: decided.superseded_by,
                })
                .collect(),
        ))
    }
}
