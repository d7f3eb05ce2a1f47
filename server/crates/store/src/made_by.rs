//! Which extractor, prompt and schema made what is approved (C8): by way of the candidates that it came from.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    agent::AgentName,
    id::{CandidateId, MemoryId},
};

use crate::{
    Provenance, Result, Tx,
    column::{json, parsed},
    statement::sql,
};

impl Tx {
    /// What made the candidates; those that were proposed by hand are left out.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn made_by(
        &mut self,
        agent: &AgentName,
        candidates: &[CandidateId],
    ) -> Result<BTreeMap<CandidateId, Provenance>> {
        const SQL: &str = "
            select c.id, x.provenance
            from candidates c
            join extractions x on x.agent = c.agent and x.id = c.extraction_id
            where c.agent = $1";
        self.inside(agent)?;
        if candidates.is_empty() {
            return Ok(BTreeMap::new());
        }
        let rows: Vec<(String, String)> = sql(SQL)
            .bind(agent)
            .clause_in(" and c.id in (", candidates)
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(id, provenance)| Ok((parsed(&id)?, json(&provenance)?)))
            .collect()
    }

    /// What made the newest value of each of these memories that was extracted; those written by hand alone are left out.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn memories_made_by(
        &mut self,
        agent: &AgentName,
        memories: &[MemoryId],
    ) -> Result<BTreeMap<MemoryId, Provenance>> {
        const SQL: &str = "
            select r.memory_id, x.provenance
            from revisions r
            join candidates c on c.agent = r.agent and c.id = r.candidate_id
            join extractions x on x.agent = c.agent and x.id = c.extraction_id
            where r.agent = $1 and r.action <> 'retire'";
        self.inside(agent)?;
        if memories.is_empty() {
            return Ok(BTreeMap::new());
        }
        // The later rows replace the earlier ones.
        let rows: Vec<(String, String)> = sql(SQL)
            .bind(agent)
            .clause_in(" and r.memory_id in (", memories)
            .push(" order by r.memory_id, r.number")
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(id, provenance)| Ok((parsed(&id)?, json(&provenance)?)))
            .collect()
    }

    /// Those of these memories that came from a file (G13).
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn memories_imported(
        &mut self,
        agent: &AgentName,
        memories: &[MemoryId],
    ) -> Result<BTreeSet<MemoryId>> {
        const SQL: &str = "
            select r.memory_id
            from revisions r
            join import_rows i on i.agent = r.agent and i.candidate_id = r.candidate_id
            where r.agent = $1 and r.action <> 'retire'";
        self.inside(agent)?;
        if memories.is_empty() {
            return Ok(BTreeSet::new());
        }
        let rows: Vec<(String,)> = sql(SQL)
            .bind(agent)
            .clause_in(" and r.memory_id in (", memories)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(|(id,)| parsed(&id)).collect()
    }
}
