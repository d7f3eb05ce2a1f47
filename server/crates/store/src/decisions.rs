//! Decisions: each makes the candidate's next version, and stays apart from the proposal for ever (F3).

use std::collections::HashMap;

use domain::{
    agent::AgentName,
    audit::{EventType, commitment, hex},
    candidate::{Action, Candidate, DecidedBy, Decision, Edit, Reason, State, Verdict},
    id::{CandidateId, DecisionId, PersonId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, canonical, parsed, parsed_opt, us},
    events::Telling,
    seal::Place,
    statement::{Statement, sql},
};

/// What stands before the name of a policy in the column `actor`.
const POLICY: &str = "policy:";

#[derive(Serialize, Deserialize)]
pub(crate) struct Sealed {
    pub edit: Option<Edit>,
    pub note: Option<String>,
    /// The salt of the commitment to edit and note, as hex.
    pub salt: String,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    candidate_id: String,
    user_id: String,
    verdict: String,
    reason: Option<String>,
    actor: String,
    person_id: Option<String>,
    agreed_by: Option<String>,
    at: i64,
    sealed: Vec<u8>,
}

const DECISIONS: &str = "
    select id, candidate_id, user_id, verdict, reason, actor, person_id, agreed_by, at, sealed
    from decisions
    where agent = $1";

/// Writes a decision.
pub(crate) const INSERT: &str = "
    insert into decisions
      (agent, id, candidate_id, user_id, version, verdict, reason, actor, person_id, memory_id, superseded_by, at, sealed,
       took_ms, agreed_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

impl Tx {
    /// Writes what became of a candidate: `before` as it was read under the lock, `after` as `domain` made it of that.
    ///
    /// # Errors
    /// [`Error::Stale`] where the candidate has another version by now; [`Error::StillWaiting`] where a reopened one says what
    /// another one that waits says; [`Error::OutOfScope`]; [`Error::Erased`].
    pub async fn decide(
        &mut self,
        before: &Candidate,
        after: &Candidate,
        verdict: &Verdict,
        note: Option<&str>,
        stamp: &Stamp,
    ) -> Result<Decision> {
        self.lock_user(&before.agent, &before.user).await?;
        if after.state == State::Pending && before.proposal.action == Action::Create {
            let same = self.fingerprint_of(before).await?;
            self.make_room(before, &same, stamp).await?;
        }
        let decision = self
            .write_decision(before, after, verdict, note, None, stamp)
            .await?;
        if let Some(bulk) = &stamp.bulk {
            self.settle_item(bulk, &before.id, after.version, None)
                .await?;
        }
        Ok(decision)
    }

    /// The decisions on a candidate, oldest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn decisions_of(&mut self, candidate: &Candidate) -> Result<Vec<Decision>> {
        self.inside(&candidate.agent)?;
        let read = sql(DECISIONS)
            .bind(&candidate.agent)
            .clause(" and candidate_id = ? order by version", &candidate.id);
        self.decisions_from(&candidate.agent, read).await
    }

    /// Decisions of one agent by their ids.
    pub(crate) async fn decisions_by_id(
        &mut self,
        agent: &AgentName,
        ids: &[DecisionId],
    ) -> Result<HashMap<DecisionId, Decision>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let read = sql(DECISIONS).bind(agent).clause_in(" and id in (", ids);
        let decisions = self.decisions_from(agent, read).await?;
        Ok(decisions
            .into_iter()
            .map(|decision| (decision.id.clone(), decision))
            .collect())
    }

    pub(crate) async fn write_decision(
        &mut self,
        before: &Candidate,
        after: &Candidate,
        verdict: &Verdict,
        note: Option<&str>,
        superseded_by: Option<&CandidateId>,
        stamp: &Stamp,
    ) -> Result<Decision> {
        const MOVE: &str = "
            update candidates
            set status = $1, reason = $2, version = $3, expires_at = $4
            where agent = $5 and id = $6 and version = $7";
        let Candidate {
            agent, id, user, ..
        } = before;
        self.inside(agent)?;
        let (decision, memory, reason) = match &after.state {
            State::Approved {
                decision, memory, ..
            } => (decision.clone(), Some(memory.clone()), None),
            State::Rejected {
                decision, reason, ..
            } => (decision.clone(), None, Some(*reason)),
            State::Pending => (DecisionId::new(stamp.now, self.entropy()), None, None),
        };
        let touched = sql(MOVE)
            .bind(after.status().as_str())
            .bind(reason.map(Reason::as_str))
            .bind(after.version)
            .bind(after.expires_at)
            .bind(agent)
            .bind(id)
            .bind(before.version)
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::Stale);
        }
        self.leave_the_desk(before, &after.state).await?;
        // Whatever is decided ends the agreement of the first of two; an approval names who gave it (G9).
        let agreed_by = self
            .end_agreement(agent, id)
            .await?
            .filter(|_| matches!(verdict, Verdict::Approve(_)));
        let (word, edit) = match verdict {
            Verdict::Approve(edit) => ("approve", (!edit.is_empty()).then(|| edit.clone())),
            Verdict::Reject(_) => ("reject", None),
            Verdict::Reopen => ("reopen", None),
        };
        let key = self.user_key(agent, user).await?;
        let salt = self.salt();
        let body = Sealed {
            edit,
            note: note.map(str::to_owned),
            salt: hex(&salt),
        };
        let sealed = key.seal_json(place(agent, &decision), &body, self.entropy());
        let by = stamp.decided_by.clone();
        let (actor, person) = deciding(&by);
        sql(INSERT)
            .bind(agent)
            .bind(&decision)
            .bind(id)
            .bind(user)
            .bind(after.version)
            .bind(word)
            .bind(reason.map(Reason::as_str))
            .bind(actor)
            .bind(person)
            .bind(memory.as_ref())
            .bind(superseded_by)
            .bind(stamp.now)
            .bind(sealed)
            .bind(stamp.took_ms)
            .bind(agreed_by.as_ref())
            .run(&mut self.conn)
            .await?;
        self.judge(before, &decision, verdict, stamp).await?;
        let r#type = match (&after.state, reason) {
            (State::Approved { .. }, _) => EventType::CandidateApproved,
            (State::Pending, _) => EventType::CandidateReopened,
            (_, Some(Reason::Expired)) => EventType::CandidateExpired,
            (_, Some(Reason::Superseded)) => EventType::CandidateSuperseded,
            _ => EventType::CandidateRejected,
        };
        let texts = body.edit.is_some() || body.note.is_some();
        let mut data = json!({
            "decision": decision,
            "version": after.version,
            "reason": reason,
            "memory": memory,
            "edited": body.edit.is_some(),
            "superseded_by": superseded_by,
        });
        if let Some(first) = &agreed_by {
            data["agreed_by"] = json!(first);
        }
        if after.state == State::Pending {
            data["expires_at"] = json!(us(after.expires_at));
        }
        if let Some(bulk) = &stamp.bulk {
            data["bulk"] = json!(bulk.claim.id);
            data["insisted"] = json!(bulk.insisted);
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type,
                user: Some(user),
                subject: id.as_str(),
                data,
                commitment: texts.then(|| {
                    let text = committed(body.edit.as_ref(), body.note.as_deref());
                    commitment(&salt, &canonical(&text))
                }),
            },
        );
        Ok(Decision {
            id: decision,
            candidate: id.clone(),
            verdict: verdict.clone(),
            by,
            agreed_by,
            note: note.map(str::to_owned),
            at: stamp.now,
        })
    }

    /// What is decided is claimed by nobody and waits for nobody. By its words one finds what waits and what ran out unseen.
    async fn leave_the_desk(&mut self, candidate: &Candidate, after: &State) -> Result<()> {
        let Candidate { agent, id, .. } = candidate;
        self.free_claim(agent, id).await?;
        self.end_handover(agent, id).await?;
        match after {
            State::Pending => self.index_candidate(candidate).await,
            State::Rejected {
                reason: Reason::Expired,
                ..
            } => Ok(()),
            _ => self.forget_words(agent, id.as_str()).await,
        }
    }

    async fn decisions_from(
        &mut self,
        agent: &AgentName,
        read: Statement,
    ) -> Result<Vec<Decision>> {
        let rows: Vec<Row> = read.all(&mut self.conn).await?;
        let mut decisions = Vec::with_capacity(rows.len());
        for row in rows {
            let id: DecisionId = parsed(&row.id)?;
            let user: UserId = parsed(&row.user_id)?;
            let body: Sealed = self
                .user_key(agent, &user)
                .await?
                .open_json(place(agent, &id), &row.sealed)?;
            let verdict = match row.verdict.as_str() {
                "approve" => Verdict::Approve(body.edit.unwrap_or_default()),
                "reopen" => Verdict::Reopen,
                _ => Verdict::Reject(parsed(
                    row.reason.as_deref().ok_or(Error::Corrupt("reason"))?,
                )?),
            };
            decisions.push(Decision {
                candidate: parsed(&row.candidate_id)?,
                verdict,
                by: decided_by(&row.actor, row.person_id.as_deref())?,
                agreed_by: parsed_opt(row.agreed_by.as_deref())?,
                note: body.note,
                at: at(row.at)?,
                id,
            });
        }
        Ok(decisions)
    }
}

/// The two columns that say who decided: a policy stands with its name, and with the person who switched it on.
pub(crate) fn deciding(by: &DecidedBy) -> (String, Option<&PersonId>) {
    match by {
        DecidedBy::Person(person) => ("person".to_owned(), Some(person)),
        DecidedBy::Policy { name, by } => (format!("{POLICY}{name}"), Some(by)),
        DecidedBy::System => ("system".to_owned(), None),
    }
}

/// Who decided, out of the two columns.
pub(crate) fn decided_by(actor: &str, person: Option<&str>) -> Result<DecidedBy> {
    match (actor, person) {
        ("person", Some(person)) => Ok(DecidedBy::Person(parsed(person)?)),
        ("system", None) => Ok(DecidedBy::System),
        (policy, Some(person)) => match policy.strip_prefix(POLICY) {
            Some(name) => Ok(DecidedBy::Policy {
                name: name.to_owned(),
                by: parsed(person)?,
            }),
            None => Err(Error::Corrupt("actor")),
        },
        _ => Err(Error::Corrupt("actor")),
    }
}

/// What the event of a decision commits to, where there is any text.
pub(crate) fn committed(edit: Option<&Edit>, note: Option<&str>) -> serde_json::Value {
    json!({ "edit": edit, "note": note })
}

/// Where a decision's ciphertext belongs.
pub(crate) fn place<'a>(agent: &'a AgentName, id: &'a DecisionId) -> Place<'a> {
    Place::new("decisions.sealed", agent.as_str(), id.as_str())
}
