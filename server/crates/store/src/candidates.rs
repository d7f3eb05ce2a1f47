//! Candidates: proposing, seeing again, and what the matcher compares with.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventType, commitment, hex},
    candidate::{
        Action, Candidate, Evidence, Proposal, Reason, SUPPRESSED_FOR, State, Status, Verdict,
        WAITS_FOR,
    },
    id::{CandidateId, DecisionId, ExtractionId, UserId},
    memory::Memory,
    time::Span,
};
use serde_json::json;

use crate::{
    Error, Result, Stamp, Tx,
    candidate_rows::{CANDIDATES, Sealed, place},
    column::{canonical, parsed, thousandths, us},
    demo::FILLING,
    events::Telling,
    index::slot,
    seal::Place,
    statement::{ScopeColumn, sql},
};

/// A candidate on its way in.
#[derive(Debug, Clone)]
pub struct NewCandidate {
    /// The agent it belongs to.
    pub agent: AgentName,
    /// Whom it is about.
    pub user: UserId,
    /// What it proposes.
    pub proposal: Proposal,
    /// The extraction that made it; `None`: by hand.
    pub extraction: Option<ExtractionId>,
    /// The waiting ones whose place it takes (A3).
    pub supersedes: Vec<CandidateId>,
}

/// What is known of a user, as far as a new statement has to be compared with it (A3, F4).
#[derive(Debug, Clone)]
pub struct Known {
    /// Memories that are served.
    pub memories: Vec<Memory>,
    /// Candidates that wait.
    pub waiting: Vec<Candidate>,
    /// What a person rejected in the last 90 days, for a reason that keeps it out.
    pub rejected: Vec<Candidate>,
}

impl Tx {
    /// Puts a proposal into the queue for seven days (A5, A6), in the place of those it supersedes.
    ///
    /// # Errors
    /// [`Error::StillWaiting`] where a create that says the same waits; [`Error::OutOfScope`]; [`Error::Erased`].
    pub async fn propose(&mut self, new: &NewCandidate, stamp: &Stamp) -> Result<Candidate> {
        self.propose_for(new, WAITS_FOR, stamp).await
    }

    /// The same for another time (G13).
    ///
    /// # Errors
    /// As [`Tx::propose`].
    pub async fn propose_for(
        &mut self,
        new: &NewCandidate,
        waits_for: Span,
        stamp: &Stamp,
    ) -> Result<Candidate> {
        self.lock_user(&new.agent, &new.user).await?;
        let id = CandidateId::new(stamp.now, self.entropy());
        for older in &new.supersedes {
            self.supersede(older, Some(&id), stamp).await?;
        }
        let mut proposal = new.proposal.clone();
        proposal.flags.retain(|flag| flag.is_stored());
        proposal.flags.sort_unstable();
        proposal.flags.dedup();
        let candidate = Candidate {
            agent: new.agent.clone(),
            id,
            user: new.user.clone(),
            proposal,
            state: State::Pending,
            version: 1,
            expires_at: stamp.now + waits_for,
            created_at: stamp.now,
            extraction: new.extraction.clone(),
        };
        let same = self.fingerprint_of(&candidate).await?;
        if candidate.proposal.action == Action::Create {
            self.make_room(&candidate, &same, stamp).await?;
        }
        self.insert_candidate(&candidate, same, stamp).await?;
        Ok(candidate)
    }

    /// What a new statement about this user is compared with. In a transaction that writes it locks the user first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn known(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        now: Timestamp,
    ) -> Result<Known> {
        self.lock_user(agent, user).await?;
        self.known_beside(agent, user, now).await
    }

    /// The same of another id of the person (G15), about which nothing is written: without the lock.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn known_beside(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        now: Timestamp,
    ) -> Result<Known> {
        let memories = self.approved(agent, user, now).await?;
        let of_user = || {
            sql(CANDIDATES)
                .clause(" and c.agent = ?", agent)
                .clause(" and c.user_id = ?", user)
        };
        // `+ 0` keeps the planner from looking through all that waits in the agent.
        let waiting = of_user()
            .clause(" and c.status = 'pending' and c.expires_at + 0 > ?", now)
            .push(" order by c.id");
        let suppressing = Reason::OF_A_PERSON
            .iter()
            .filter(|reason| reason.suppresses())
            .map(|reason| reason.as_str());
        let rejected = of_user()
            .clause(
                " and c.status = 'rejected' and d.actor = 'person' and d.at >= ?",
                now - SUPPRESSED_FOR,
            )
            .clause_in(" and c.reason in (", suppressing)
            .push(" order by c.id desc");
        Ok(Known {
            memories,
            waiting: self.plain_candidates(waiting).await?,
            rejected: self.plain_candidates(rejected).await?,
        })
    }

    /// A candidate, read under the lock of its user: what is decided after this, nobody else decides meanwhile.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn candidate_for_update(&mut self, id: &CandidateId) -> Result<Option<Candidate>> {
        const OWNER: &str = "
            select agent, user_id
            from candidates
            where true";
        let owner: Option<(String, String)> = sql(OWNER)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .optional(&mut self.conn)
            .await?;
        let Some((agent, user)) = owner else {
            return Ok(None);
        };
        self.lock_user(&parsed(&agent)?, &parsed(&user)?).await?;
        let read = sql(CANDIDATES)
            .clause(" and c.agent = ?", agent)
            .clause(" and c.id = ?", id);
        Ok(self.plain_candidates(read).await?.pop())
    }

    /// Moves candidates that are past their time to `rejected`, reason `expired` (A6); answers how many. Call until 0. What happens long ago
    /// in an agent that is being filled with made-up people is left to who tells it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn expire_waiting(&mut self, limit: u32, stamp: &Stamp) -> Result<u32> {
        const DUE: &str = "
            select agent, user_id, id
            from candidates
            where status = 'pending' and expires_at <= $1
              and not exists (
                select 1
                from idempotency i
                where i.owner = candidates.agent and i.key_hash = $2 and i.expires_at > $1)";
        let mut due: Vec<(String, String, String)> = sql(DUE)
            .bind(stamp.now)
            .bind(FILLING)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .clause(" order by expires_at, id limit ?", limit)
            .all(&mut self.conn)
            .await?;
        // Locks are taken in one order, whichever process runs this.
        due.sort_unstable();
        let mut expired = 0;
        for (_, _, id) in due {
            let candidate = match self.candidate_for_update(&parsed(&id)?).await {
                Ok(Some(candidate)) => candidate,
                Ok(None) => continue,
                // It waits no more either way, and the others must have their turn.
                Err(error) if error.is_of_one_row() => {
                    tracing::error!(candidate = %id, %error, "a candidate past its time could not be rejected");
                    continue;
                }
                Err(error) => return Err(error),
            };
            expired += u32::from(self.expire_one(candidate, stamp).await?);
        }
        Ok(expired)
    }

    /// Candidates of one agent by their ids; what is gone is left out.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn candidates_by_id(
        &mut self,
        agent: &AgentName,
        ids: &[CandidateId],
    ) -> Result<HashMap<CandidateId, Candidate>> {
        self.inside(agent)?;
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let read = sql(CANDIDATES)
            .clause(" and c.agent = ?", agent)
            .clause_in(" and c.id in (", ids);
        let candidates = self.plain_candidates(read).await?;
        Ok(candidates
            .into_iter()
            .map(|candidate| (candidate.id.clone(), candidate))
            .collect())
    }

    /// Refuses where a waiting create of this fingerprint is there besides `candidate`; expires one that is past its time.
    pub(crate) async fn make_room(
        &mut self,
        candidate: &Candidate,
        same: &[u8],
        stamp: &Stamp,
    ) -> Result<()> {
        let read = sql(CANDIDATES)
            .clause(
                " and c.status = 'pending' and c.action = 'create' and c.agent = ?",
                &candidate.agent,
            )
            .clause(" and c.user_id = ?", &candidate.user)
            .clause(" and c.fingerprint = ?", same)
            .clause(" and c.id <> ?", &candidate.id);
        for twin in self.plain_candidates(read).await? {
            let id = twin.id.clone();
            if !self.expire_one(twin, stamp).await? {
                return Err(Error::StillWaiting(id));
            }
        }
        Ok(())
    }

    async fn expire_one(&mut self, candidate: Candidate, stamp: &Stamp) -> Result<bool> {
        let decision = DecisionId::new(stamp.now, self.entropy());
        let Ok(after) = candidate.clone().expire(decision, stamp.now) else {
            return Ok(false);
        };
        let by_clock = Stamp::system(stamp.now);
        self.write_decision(
            &candidate,
            &after,
            &Verdict::Reject(Reason::Expired),
            None,
            None,
            &by_clock,
        )
        .await?;
        Ok(true)
    }

    /// Takes a waiting candidate out because a newer statement says otherwise (A3); `newer` is the candidate that takes its place,
    /// `None` where the statement is what is approved already. One that was decided meanwhile stays as it is.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn supersede(
        &mut self,
        older: &CandidateId,
        newer: Option<&CandidateId>,
        stamp: &Stamp,
    ) -> Result<()> {
        self.give_way(older, newer, None, stamp).await.map(drop)
    }

    /// The same because of a wish that what it says is forgotten (G1); `words` are those of the wish, which its decision keeps. `false`
    /// where it was decided meanwhile.
    ///
    /// # Errors
    /// As [`Tx::supersede`].
    pub async fn take_out(
        &mut self,
        waiting: &CandidateId,
        newer: Option<&CandidateId>,
        words: Option<&str>,
        stamp: &Stamp,
    ) -> Result<bool> {
        self.give_way(waiting, newer, words, stamp).await
    }

    async fn give_way(
        &mut self,
        older: &CandidateId,
        newer: Option<&CandidateId>,
        note: Option<&str>,
        stamp: &Stamp,
    ) -> Result<bool> {
        let Some(candidate) = self.candidate_for_update(older).await? else {
            return Ok(false);
        };
        let decision = DecisionId::new(stamp.now, self.entropy());
        // What was decided or ran out meanwhile needs no successor.
        let Ok(after) = candidate.clone().supersede(decision, stamp.now) else {
            return Ok(false);
        };
        let by_matcher = Stamp::system(stamp.now);
        self.write_decision(
            &candidate,
            &after,
            &Verdict::Reject(Reason::Superseded),
            note,
            newer,
            &by_matcher,
        )
        .await?;
        Ok(true)
    }

    async fn insert_candidate(
        &mut self,
        candidate: &Candidate,
        same: Vec<u8>,
        stamp: &Stamp,
    ) -> Result<()> {
        let Candidate {
            agent,
            id,
            user,
            proposal,
            ..
        } = candidate;
        let salt = self.salt();
        let stands = (Status::Pending, None);
        self.write_candidate(candidate, stands, same, hex(&salt))
            .await?;
        self.index_candidate(candidate).await?;
        let targets: Vec<_> = proposal
            .targets
            .iter()
            .map(|target| json!({ "memory": target.memory, "revision": target.revision, "absorbed": target.absorbed }))
            .collect();
        let mut data = json!({
            "action": proposal.action,
            "confidence": thousandths(proposal.confidence),
            "importance": thousandths(proposal.importance),
            "flags": proposal.flags,
            "targets": targets,
            "extraction": candidate.extraction,
            "evidence": proposal.evidence.len(),
            "version": 1,
        });
        // Told where it is not the usual one, so that it is known later until when this waited (G6).
        if candidate.expires_at != candidate.created_at + WAITS_FOR {
            data["expires_at"] = json!(us(candidate.expires_at));
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type: EventType::CandidateProposed,
                user: Some(user),
                subject: id.as_str(),
                data,
                commitment: Some(commitment(&salt, &canonical(&committed(proposal)))),
            },
        );
        Ok(())
    }

    /// Writes the row of a candidate, which stands as the pair says whatever its decisions are, with its targets and the words that
    /// support it. `salt` is that of the commitment to what it proposes, as hex.
    pub(crate) async fn write_candidate(
        &mut self,
        candidate: &Candidate,
        (status, reason): (Status, Option<Reason>),
        same: Vec<u8>,
        salt: String,
    ) -> Result<()> {
        const SQL: &str = "
            insert into candidates
              (agent, id, user_id, action, kind, slot, fingerprint, confidence, importance, flags, language, extraction_id,
               created_at, sealed, status, reason, version, expires_at, urgent)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
        const TARGET: &str = "
            insert into candidate_targets (agent, candidate_id, position, memory_id, revision, part)
            values ($1, $2, $3, $4, $5, $6)";
        let Candidate {
            agent,
            id,
            user,
            proposal,
            ..
        } = candidate;
        let key = self.user_key(agent, user).await?;
        let body = Sealed {
            name: proposal.name.clone(),
            content: proposal.content.clone(),
            metadata: proposal.metadata.clone(),
            tags: proposal.tags.clone(),
            explanation: proposal.explanation.clone(),
            cause: proposal.cause,
            salt,
        };
        let sealed = key.seal_json(place(agent, id), &body, self.entropy());
        let flags: Vec<&str> = proposal.flags.iter().map(|flag| flag.as_str()).collect();
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(user)
            .bind(proposal.action.as_str())
            .bind(proposal.kind.as_str())
            .bind(slot(
                &key,
                &proposal.kind,
                proposal.name.as_deref(),
                &proposal.content,
            ))
            .bind(same)
            .bind(proposal.confidence)
            .bind(proposal.importance)
            // A space on both sides of each word, so that one can be looked for.
            .bind(format!(" {} ", flags.join(" ")))
            .bind(proposal.language.as_str())
            .bind(candidate.extraction.as_ref())
            .bind(candidate.created_at)
            .bind(sealed)
            .bind(status.as_str())
            .bind(reason.map(Reason::as_str))
            .bind(candidate.version)
            .bind(candidate.expires_at)
            .bind(i64::from(proposal.is_urgent()))
            .run(&mut self.conn)
            .await?;
        for (position, target) in (0_i64..).zip(&proposal.targets) {
            sql(TARGET)
                .bind(agent)
                .bind(id)
                .bind(position)
                .bind(&target.memory)
                .bind(target.revision)
                .bind(if target.absorbed { "absorbed" } else { "keeps" })
                .run(&mut self.conn)
                .await?;
        }
        for (position, evidence) in (0_i64..).zip(&proposal.evidence) {
            self.insert_evidence(candidate, position, evidence).await?;
        }
        Ok(())
    }

    async fn insert_evidence(
        &mut self,
        candidate: &Candidate,
        position: i64,
        evidence: &Evidence,
    ) -> Result<()> {
        const SQL: &str = "
            insert into evidence
              (agent, candidate_id, position, user_id, conversation_id, message_id, starts, ends, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let Candidate {
            agent, id, user, ..
        } = candidate;
        let key = self.user_key(agent, user).await?;
        let row = format!("{id}/{position}");
        let quote = key.seal(
            Place::new("evidence.sealed", agent.as_str(), &row),
            evidence.quote.as_bytes(),
            self.entropy(),
        );
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(position)
            .bind(user)
            .bind(&evidence.conversation)
            .bind(evidence.message.as_ref())
            .bind(evidence.start as i64)
            .bind(evidence.end as i64)
            .bind(quote)
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}

/// What the event of a proposal commits to.
pub(crate) fn committed(proposal: &Proposal) -> serde_json::Value {
    json!({
        "kind": proposal.kind,
        "name": proposal.name,
        "content": proposal.content,
        "metadata": proposal.metadata,
        "tags": proposal.tags,
        "language": proposal.language,
        "explanation": proposal.explanation,
        "evidence": proposal.evidence,
    })
}
