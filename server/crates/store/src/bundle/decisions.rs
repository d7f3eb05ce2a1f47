//! The decisions of an export, and what was written when a candidate was handed over or agreed to first. How long somebody had a candidate
//! in view is in no export.

use domain::{
    agent::AgentName,
    audit::{EventBody, EventType, hex},
    candidate::{Candidate, DecidedBy, Edit, Reason, Verdict},
    id::CandidateId,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{KEYS, same, text};
use crate::{
    Error, ExportedDecision, ExportedRemark, Result, Stamp, Tx,
    column::{json as from_json, us},
    decisions::{INSERT, Sealed, committed, deciding, place},
    remarks::Remark,
    statement::sql,
};

/// Edit and note as they are committed to.
#[derive(Default, Deserialize)]
struct Written {
    edit: Option<Edit>,
    note: Option<String>,
}

impl Tx {
    /// Takes a decision in, and counts it where it stands (F11).
    ///
    /// # Errors
    /// [`Error::Untold`] where the chain tells otherwise; [`Error::Corrupt`]; [`Error::Erased`] where nobody of that id was taken in;
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn import_decision(&mut self, decision: &ExportedDecision) -> Result<()> {
        const CANDIDATE: &str = "
            select user_id, version
            from candidates
            where agent = $1 and id = $2";
        let ExportedDecision {
            agent,
            id,
            candidate,
            user,
            ..
        } = decision;
        self.inside(agent)?;
        self.forget_keys_above(KEYS);
        let row: Option<(String, i64)> = sql(CANDIDATE)
            .bind(agent)
            .bind(candidate)
            .optional(&mut self.conn)
            .await?;
        let (owner, version) = row.ok_or(Error::Corrupt("candidate"))?;
        let fits = owner == user.as_str() && decision.version <= version;
        // Only texts were compared with the chain so far, and most decisions have none.
        if !fits || !self.is_told(decision).await? {
            return Err(Error::Untold);
        }
        let (written, salt) = match &decision.proof {
            Some(proof) => {
                let written: Written = text(proof)?;
                same(
                    proof,
                    &committed(written.edit.as_ref(), written.note.as_deref()),
                )?;
                (written, proof.salt.clone())
            }
            None => (Written::default(), hex(&self.salt())),
        };
        let verdict = match (decision.verdict.as_str(), decision.reason) {
            ("approve", None) => Verdict::Approve(written.edit.clone().unwrap_or_default()),
            ("reject", Some(reason)) => Verdict::Reject(reason),
            ("reopen", None) => Verdict::Reopen,
            _ => return Err(Error::Corrupt("verdict of a decision")),
        };
        let body = Sealed {
            edit: written.edit,
            note: written.note,
            salt,
        };
        let key = self.user_key(agent, user).await?;
        let sealed = key.seal_json(place(agent, id), &body, self.entropy());
        let (actor, person) = deciding(&decision.by);
        sql(INSERT)
            .bind(agent)
            .bind(id)
            .bind(candidate)
            .bind(user)
            .bind(decision.version)
            .bind(decision.verdict.as_str())
            .bind(decision.reason.map(Reason::as_str))
            .bind(actor)
            .bind(person)
            .bind(decision.memory.as_ref())
            .bind(decision.superseded_by.as_ref())
            .bind(decision.at)
            .bind(sealed)
            .bind(None::<i64>)
            .bind(decision.agreed_by.as_ref())
            .run(&mut self.conn)
            .await?;
        if decision.version == version && verdict != Verdict::Reopen {
            let candidate = self.imported(agent, candidate).await?;
            let stamp = Stamp {
                decided_by: decision.by.clone(),
                ..Stamp::system(decision.at)
            };
            self.judge(&candidate, id, &verdict, &stamp).await?;
        }
        Ok(())
    }

    /// Takes in what was written about a candidate, after its decisions.
    ///
    /// # Errors
    /// As [`Tx::import_decision`].
    pub async fn import_remark(&mut self, remark: &ExportedRemark) -> Result<()> {
        let candidate = self.imported(&remark.agent, &remark.candidate).await?;
        if candidate.user != remark.user {
            return Err(Error::Corrupt("user of a remark"));
        }
        let salt = remark.proof.salt_bytes().ok_or(Error::Corrupt("salt"))?;
        let kept = Remark {
            r#type: remark.r#type,
            person: &remark.person,
            text: &remark.proof.committed,
            salt: &salt,
        };
        self.keep_remark(&candidate, &kept, &Stamp::system(remark.at))
            .await
    }

    /// Whether an event tells of a decision as it came.
    async fn is_told(&mut self, decision: &ExportedDecision) -> Result<bool> {
        const SQL: &str = "
            select body
            from events
            where agent = $1 and subject = $2";
        let bodies: Vec<(String,)> = sql(SQL)
            .bind(&decision.agent)
            .bind(&decision.candidate)
            .all(&mut self.conn)
            .await?;
        for (body,) in bodies {
            if tells_of(&from_json(&body)?, decision) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn imported(&mut self, agent: &AgentName, id: &CandidateId) -> Result<Candidate> {
        self.forget_keys_above(KEYS);
        let ids = std::slice::from_ref(id);
        let mut found = self.candidates_by_id(agent, ids).await?;
        found.remove(id).ok_or(Error::Corrupt("candidate"))
    }
}

fn tells_of(event: &EventBody, decision: &ExportedDecision) -> bool {
    let r#type = match (decision.verdict.as_str(), decision.reason) {
        ("approve", _) => EventType::CandidateApproved,
        ("reopen", _) => EventType::CandidateReopened,
        (_, Some(Reason::Expired)) => EventType::CandidateExpired,
        (_, Some(Reason::Superseded)) => EventType::CandidateSuperseded,
        _ => EventType::CandidateRejected,
    };
    let actor = (event.actor.r#type.as_str(), event.actor.id.as_deref());
    let by = match &decision.by {
        DecidedBy::Person(person) => actor == ("person", Some(person.as_str())),
        DecidedBy::Policy { name, .. } => actor == ("policy", Some(name.as_str())),
        DecidedBy::System => !matches!(actor.0, "person" | "policy"),
    };
    let said = [
        ("decision", json!(decision.id)),
        ("version", json!(decision.version)),
        ("reason", json!(decision.reason)),
        ("memory", json!(decision.memory)),
        ("superseded_by", json!(decision.superseded_by)),
        ("agreed_by", json!(decision.agreed_by)),
    ];
    by && event.r#type == r#type
        && event.user.as_deref() == Some(decision.user.as_str())
        && event.at_us == us(decision.at)
        && said
            .iter()
            .all(|(name, value)| event.data.get(*name).unwrap_or(&Value::Null) == value)
}
