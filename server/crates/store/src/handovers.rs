//! Hand-overs: a candidate that somebody else should decide, one person or whoever speaks its language (G10). The note is sealed with
//! the key of the user whom the candidate is about.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventType, commitment, hex},
    candidate::Candidate,
    id::{CandidateId, PersonId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Result, Stamp, Tx,
    column::{at, canonical, parsed, parsed_opt},
    events::Telling,
    remarks::{Remark, RemarkType},
    seal::Place,
    statement::sql,
};

/// For whom a candidate waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandedTo {
    /// One person.
    Person(PersonId),
    /// Whoever speaks its language.
    Native,
}

impl HandedTo {
    /// The person, where it is one.
    pub fn person(&self) -> Option<&PersonId> {
        match self {
            Self::Person(person) => Some(person),
            Self::Native => None,
        }
    }
}

/// A candidate that was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// For whom it waits.
    pub to: HandedTo,
    /// Who handed it over.
    pub by: PersonId,
    /// When.
    pub at: Timestamp,
    /// What they wrote.
    pub note: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    note: Option<String>,
    /// The salt of the commitment to the note, as hex.
    salt: String,
}

#[derive(sqlx::FromRow)]
struct Row {
    candidate_id: String,
    person_id: Option<String>,
    by_person_id: String,
    at: i64,
    sealed: Vec<u8>,
}

const HANDOVERS: &str = "
    select candidate_id, person_id, by_person_id, at, sealed
    from handovers
    where agent = $1";

impl Tx {
    /// Hands a candidate over, in the place of an earlier hand-over. A claim of who does it ends: it is no longer theirs.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn hand_over(
        &mut self,
        candidate: &Candidate,
        to: &HandedTo,
        note: Option<&str>,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into handovers (agent, candidate_id, user_id, person_id, native, by_person_id, at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            on conflict (agent, candidate_id) do update
            set person_id = excluded.person_id, native = excluded.native, by_person_id = excluded.by_person_id,
                at = excluded.at, sealed = excluded.sealed";
        let Candidate {
            agent, id, user, ..
        } = candidate;
        self.lock_user(agent, user).await?;
        let key = self.user_key(agent, user).await?;
        let salt = self.salt();
        let body = Sealed {
            note: note.map(str::to_owned),
            salt: hex(&salt),
        };
        let sealed = key.seal_json(place(agent, id), &body, self.entropy());
        let person = to.person();
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(user)
            .bind(person)
            .bind(person.is_none())
            .bind(stamp.person().as_ref())
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        self.free_claim(agent, id).await?;
        let committed = note.map(|note| canonical(&json!({ "note": note })));
        if let (Some(text), Some(by)) = (&committed, stamp.person()) {
            let remark = Remark {
                r#type: RemarkType::HandedOver,
                person: &by,
                text,
                salt: &salt,
            };
            self.keep_remark(candidate, &remark, stamp).await?;
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type: EventType::CandidateHandedOver,
                user: Some(user),
                subject: id.as_str(),
                data: json!({
                    "to": if person.is_some() { "person" } else { "native" },
                    "person": person,
                    "language": candidate.proposal.language,
                }),
                commitment: committed.map(|text| commitment(&salt, &text)),
            },
        );
        Ok(())
    }

    /// Takes a hand-over back; answers whether there was one.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn take_back(&mut self, candidate: &Candidate, stamp: &Stamp) -> Result<bool> {
        let Candidate {
            agent, id, user, ..
        } = candidate;
        self.lock_user(agent, user).await?;
        if !self.end_handover(agent, id).await? {
            return Ok(false);
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type: EventType::CandidateTakenBack,
                user: Some(user),
                subject: id.as_str(),
                data: json!({}),
                commitment: None,
            },
        );
        Ok(true)
    }

    /// Removes the row, where there is one: a decision ends a hand-over, and its event says so.
    pub(crate) async fn end_handover(
        &mut self,
        agent: &AgentName,
        candidate: &CandidateId,
    ) -> Result<bool> {
        const SQL: &str = "
            delete from handovers
            where agent = $1 and candidate_id = $2";
        let touched = sql(SQL)
            .bind(agent)
            .bind(candidate)
            .run(&mut self.conn)
            .await?;
        Ok(touched > 0)
    }

    /// The hand-overs of some candidates of an agent.
    pub(crate) async fn handovers_of(
        &mut self,
        agent: &AgentName,
        candidates: &[&Candidate],
        found: &mut HashMap<String, Handover>,
    ) -> Result<()> {
        let rows: Vec<Row> = sql(HANDOVERS)
            .bind(agent)
            .clause_in(
                " and candidate_id in (",
                candidates.iter().map(|candidate| &candidate.id),
            )
            .all(&mut self.conn)
            .await?;
        let mut rows: HashMap<String, Row> = rows
            .into_iter()
            .map(|row| (row.candidate_id.clone(), row))
            .collect();
        for candidate in candidates {
            let Some(row) = rows.remove(candidate.id.as_str()) else {
                continue;
            };
            let key = self.user_key(agent, &candidate.user).await?;
            let body: Sealed = key.open_json(place(agent, &candidate.id), &row.sealed)?;
            let person: Option<PersonId> = parsed_opt(row.person_id.as_deref())?;
            let handover = Handover {
                to: person.map_or(HandedTo::Native, HandedTo::Person),
                by: parsed(&row.by_person_id)?,
                at: at(row.at)?,
                note: body.note,
            };
            found.insert(row.candidate_id, handover);
        }
        Ok(())
    }
}

fn place<'a>(agent: &'a AgentName, id: &'a CandidateId) -> Place<'a> {
    Place::new("handovers.sealed", agent.as_str(), id.as_str())
}
