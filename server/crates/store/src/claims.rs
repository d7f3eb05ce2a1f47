//! Claims: who is at a candidate, and until when (F7). One that has run out counts for nothing, so that nothing has to sweep them.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    candidate::Candidate,
    id::{CandidateId, PersonId},
};
use serde_json::json;

use crate::{
    Result, Stamp, Tx,
    column::{at, parsed, parsed_opt, us},
    events::Telling,
    statement::sql,
};

/// A claim on a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Whose it is.
    pub person: PersonId,
    /// When it runs out.
    pub until: Timestamp,
    /// From whom it was taken over.
    pub taken_from: Option<PersonId>,
}

impl Claim {
    /// Whether it still counts.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.until > now
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    candidate_id: String,
    person_id: String,
    until: i64,
    taken_from: Option<String>,
}

impl Row {
    fn claim(&self) -> Result<Claim> {
        Ok(Claim {
            person: parsed(&self.person_id)?,
            until: at(self.until)?,
            taken_from: parsed_opt(self.taken_from.as_deref())?,
        })
    }
}

const CLAIMS: &str = "
    select candidate_id, person_id, until, taken_from
    from claims
    where agent = $1";

impl Tx {
    /// The claim on a candidate, where it still counts.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn claim_of(
        &mut self,
        candidate: &Candidate,
        now: Timestamp,
    ) -> Result<Option<Claim>> {
        self.inside(&candidate.agent)?;
        let row: Option<Row> = sql(CLAIMS)
            .bind(&candidate.agent)
            .clause(" and candidate_id = ?", &candidate.id)
            .optional(&mut self.conn)
            .await?;
        let claim = row.map(|row| row.claim()).transpose()?;
        Ok(claim.filter(|claim| claim.holds(now)))
    }

    /// Gives a candidate to a person until then, whoever has it. An event tells of it, unless it is theirs already: a heartbeat is
    /// no news.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn put_claim(
        &mut self,
        candidate: &Candidate,
        person: &PersonId,
        until: Timestamp,
        stamp: &Stamp,
    ) -> Result<Claim> {
        const SQL: &str = "
            insert into claims (agent, candidate_id, person_id, until, taken_from)
            values ($1, $2, $3, $4, $5)
            on conflict (agent, candidate_id) do update
            set person_id = excluded.person_id, until = excluded.until, taken_from = excluded.taken_from";
        self.lock_user(&candidate.agent, &candidate.user).await?;
        let before = self.claim_of(candidate, stamp.now).await?;
        let (news, taken_from) = match before {
            Some(before) if before.person == *person => (None, before.taken_from),
            Some(before) => (Some(EventType::CandidateTakenOver), Some(before.person)),
            None => (Some(EventType::CandidateClaimed), None),
        };
        let claim = Claim {
            person: person.clone(),
            until,
            taken_from,
        };
        sql(SQL)
            .bind(&candidate.agent)
            .bind(&candidate.id)
            .bind(&claim.person)
            .bind(claim.until)
            .bind(claim.taken_from.as_ref())
            .run(&mut self.conn)
            .await?;
        if let Some(r#type) = news {
            let data = json!({ "from": claim.taken_from, "until_us": us(until) });
            self.tell_of_claim(r#type, candidate, data, stamp);
        }
        Ok(claim)
    }

    /// Takes the claim off a candidate; answers whether one counted.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn give_up_claim(&mut self, candidate: &Candidate, stamp: &Stamp) -> Result<bool> {
        self.lock_user(&candidate.agent, &candidate.user).await?;
        let Some(claim) = self.claim_of(candidate, stamp.now).await? else {
            return Ok(false);
        };
        self.free_claim(&candidate.agent, &candidate.id).await?;
        let data = json!({ "from": claim.person });
        self.tell_of_claim(EventType::CandidateReleased, candidate, data, stamp);
        Ok(true)
    }

    /// Removes the row: what is decided belongs to nobody any more, and the decision's event says so.
    pub(crate) async fn free_claim(
        &mut self,
        agent: &AgentName,
        candidate: &CandidateId,
    ) -> Result<()> {
        const SQL: &str = "
            delete from claims
            where agent = $1 and candidate_id = $2";
        sql(SQL)
            .bind(agent)
            .bind(candidate)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The claims on some candidates of an agent, also those that have run out.
    pub(crate) async fn claims_on(
        &mut self,
        agent: &AgentName,
        candidates: &[&Candidate],
        found: &mut HashMap<String, Claim>,
    ) -> Result<()> {
        let rows: Vec<Row> = sql(CLAIMS)
            .bind(agent)
            .clause_in(
                " and candidate_id in (",
                candidates.iter().map(|candidate| &candidate.id),
            )
            .all(&mut self.conn)
            .await?;
        for row in rows {
            let claim = row.claim()?;
            found.insert(row.candidate_id, claim);
        }
        Ok(())
    }

    fn tell_of_claim(
        &mut self,
        r#type: EventType,
        candidate: &Candidate,
        data: serde_json::Value,
        stamp: &Stamp,
    ) {
        self.tell(
            Some(&candidate.agent),
            stamp,
            Telling {
                r#type,
                user: Some(&candidate.user),
                subject: candidate.id.as_str(),
                data,
                commitment: None,
            },
        );
    }
}
