//! The first of two people who must agree (G9): to one version of a candidate, with one edit. The row goes with whatever is decided.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventType, commitment, hex},
    candidate::{Candidate, Edit},
    id::{CandidateId, MemoryId, PersonId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, canonical, parsed},
    events::Telling,
    remarks::{Remark, RemarkType},
    seal::Place,
    statement::sql,
};

/// What somebody agreed to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AgreedTo {
    /// What they change of the proposal.
    pub edit: Edit,
    /// The memory that takes the statement in.
    pub merge_into: Option<MemoryId>,
    /// The memories that would be changed, at the revisions that were there.
    pub targets: Vec<(MemoryId, i64)>,
    /// Their note.
    pub note: Option<String>,
}

/// The agreement of the first person.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Who.
    pub person: PersonId,
    /// To what.
    pub to: AgreedTo,
    /// When.
    pub at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    to: AgreedTo,
    /// The salt of the commitment to edit and note, as hex.
    salt: String,
}

#[derive(sqlx::FromRow)]
struct Row {
    candidate_id: String,
    user_id: String,
    person_id: String,
    at: i64,
    sealed: Vec<u8>,
}

impl Tx {
    /// The agreement to the present version of a candidate. That of a person who was shut out since counts for nothing.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn agreement(&mut self, candidate: &Candidate) -> Result<Option<Agreement>> {
        let found = self
            .agreements_to(&candidate.agent, &[&candidate.id])
            .await?;
        Ok(found.into_values().next())
    }

    /// The agreements to some candidates of an agent.
    pub(crate) async fn agreements_to(
        &mut self,
        agent: &AgentName,
        candidates: &[&CandidateId],
    ) -> Result<HashMap<CandidateId, Agreement>> {
        const SQL: &str = "
            select a.candidate_id, a.user_id, a.person_id, a.at, a.sealed
            from agreements a
            join candidates c on c.agent = a.agent and c.id = a.candidate_id and c.version = a.version
            join people p on p.id = a.person_id and p.deactivated_at is null
            where a.agent = $1";
        self.inside(agent)?;
        let rows: Vec<Row> = sql(SQL)
            .bind(agent)
            .clause_in(" and a.candidate_id in (", candidates.iter().copied())
            .all(&mut self.conn)
            .await?;
        let mut found = HashMap::new();
        for row in rows {
            let user: UserId = parsed(&row.user_id)?;
            let body: Sealed = self
                .user_key(agent, &user)
                .await?
                .open_json(place(agent, &row.candidate_id), &row.sealed)?;
            let agreement = Agreement {
                person: parsed(&row.person_id)?,
                to: body.to,
                at: at(row.at)?,
            };
            found.insert(parsed(&row.candidate_id)?, agreement);
        }
        Ok(found)
    }

    /// Notes that somebody agrees to a candidate, in the place of who did before: `before` as it was read under the lock, `after` as
    /// `domain` made it of that.
    ///
    /// # Errors
    /// [`Error::Stale`] where the candidate has another version by now, or nobody in particular agrees; [`Error::OutOfScope`];
    /// [`Error::Erased`].
    pub async fn agree(
        &mut self,
        before: &Candidate,
        after: &Candidate,
        to: &AgreedTo,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into agreements (agent, candidate_id, user_id, version, person_id, at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7)";
        let Candidate {
            agent, id, user, ..
        } = before;
        let person = stamp.person().ok_or(Error::Stale)?;
        self.move_version(before, after).await?;
        let replaces = self.end_agreement(agent, id).await?;
        let key = self.user_key(agent, user).await?;
        let salt = self.salt();
        let body = Sealed {
            to: to.clone(),
            salt: hex(&salt),
        };
        let sealed = key.seal_json(place(agent, id.as_str()), &body, self.entropy());
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(user)
            .bind(after.version)
            .bind(&person)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        self.settle_agreement(after, stamp).await?;
        let texts = !to.edit.is_empty() || to.note.is_some();
        let committed = texts.then(|| canonical(&committed(to)));
        if let Some(text) = &committed {
            let remark = Remark {
                r#type: RemarkType::Agreed,
                person: &person,
                text,
                salt: &salt,
            };
            self.keep_remark(before, &remark, stamp).await?;
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type: EventType::CandidateAgreed,
                user: Some(user),
                subject: id.as_str(),
                data: json!({
                    "version": after.version,
                    "edited": !to.edit.is_empty(),
                    "merge_into": to.merge_into,
                    "replaces": replaces,
                }),
                commitment: committed.map(|text| commitment(&salt, &text)),
            },
        );
        Ok(())
    }

    /// Takes an agreement back.
    ///
    /// # Errors
    /// [`Error::Stale`] where the candidate has another version by now, or nobody agreed; [`Error::OutOfScope`].
    pub async fn withdraw_agreement(
        &mut self,
        before: &Candidate,
        after: &Candidate,
        stamp: &Stamp,
    ) -> Result<()> {
        self.move_version(before, after).await?;
        self.end_agreement(&before.agent, &before.id)
            .await?
            .ok_or(Error::Stale)?;
        self.settle_agreement(after, stamp).await?;
        self.tell(
            Some(&before.agent),
            stamp,
            Telling {
                r#type: EventType::CandidateAgreementWithdrawn,
                user: Some(&before.user),
                subject: before.id.as_str(),
                data: json!({ "version": after.version }),
                commitment: None,
            },
        );
        Ok(())
    }

    /// Forgets an agreement that does not count, so that the decision to come does not name who gave it.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn drop_agreement(&mut self, candidate: &Candidate) -> Result<()> {
        self.inside(&candidate.agent)?;
        self.end_agreement(&candidate.agent, &candidate.id)
            .await
            .map(drop)
    }

    /// Ends the agreement to a candidate; answers whose it was.
    pub(crate) async fn end_agreement(
        &mut self,
        agent: &AgentName,
        candidate: &CandidateId,
    ) -> Result<Option<PersonId>> {
        const SQL: &str = "
            delete from agreements
            where agent = $1 and candidate_id = $2
            returning person_id";
        let row: Option<(String,)> = sql(SQL)
            .bind(agent)
            .bind(candidate)
            .optional(&mut self.conn)
            .await?;
        row.map(|(person,)| parsed(&person)).transpose()
    }

    /// In a bulk, an agreement is what became of its item.
    async fn settle_agreement(&mut self, after: &Candidate, stamp: &Stamp) -> Result<()> {
        match &stamp.bulk {
            Some(bulk) => {
                self.settle_item(bulk, &after.id, after.version, Some("agreed"))
                    .await
            }
            None => Ok(()),
        }
    }

    async fn move_version(&mut self, before: &Candidate, after: &Candidate) -> Result<()> {
        const SQL: &str = "
            update candidates
            set version = $1
            where agent = $2 and id = $3 and version = $4 and status = 'pending'";
        self.inside(&before.agent)?;
        self.lock_user(&before.agent, &before.user).await?;
        let moved = sql(SQL)
            .bind(after.version)
            .bind(&before.agent)
            .bind(&before.id)
            .bind(before.version)
            .run(&mut self.conn)
            .await?;
        if moved == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }
}

/// What the event of an agreement commits to, where there is any text.
fn committed(to: &AgreedTo) -> serde_json::Value {
    json!({ "edit": to.edit, "note": to.note })
}

fn place<'a>(agent: &'a AgentName, candidate: &'a str) -> Place<'a> {
    Place::new("agreements.sealed", agent.as_str(), candidate)
}
