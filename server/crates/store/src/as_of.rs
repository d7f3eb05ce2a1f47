//! What was approved and what waited at an earlier instant (G6): rows that never change, and the events that moved an end.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    as_of::{GivenBack, served_until, waits_until},
    audit::{EventBody, EventType},
    candidate::{Candidate, WAITS_FOR},
    id::{CandidateId, DecisionId, PersonId, UserId},
    memory::Revision,
    time::Span,
};

use crate::{
    Error, Result, Tx,
    column::{at, json, parsed},
    revisions::RevisionRow,
    statement::sql,
};

/// A memory as it stood.
#[derive(Debug, Clone)]
pub struct Stood {
    /// The revision that stood.
    pub revision: Revision,
    /// Until when it was to be served, as far as that was known.
    pub expires_at: Option<Timestamp>,
    /// Who had agreed before, where two people were needed.
    pub agreed_by: Option<PersonId>,
}

/// A candidate as it waited.
#[derive(Debug, Clone)]
pub struct Waited {
    /// Which. What it proposes never changes; its state is that of today.
    pub candidate: Candidate,
    /// Since when: it was proposed or reopened.
    pub since: Timestamp,
    /// Until when, as far as that was known.
    pub until: Timestamp,
}

impl Tx {
    /// The memories of a user that were approved and unexpired at an instant, oldest first, each in the revision that stood then.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn memories_as_of(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        then: Timestamp,
    ) -> Result<Vec<Stood>> {
        const SQL: &str = "
            select r.agent, r.memory_id, r.number, r.id, r.user_id, r.action, r.kind, r.confidence, r.importance,
              r.conversation_id, r.said_at, r.candidate_id, r.decision_id, r.actor, r.person_id, r.expires_at, r.at, r.sealed
            from memories m
            join revisions r on r.agent = m.agent and r.memory_id = m.id
            where m.agent = $1 and m.user_id = $2 and r.action <> 'retire'
              and r.number = (
                select max(n.number)
                from revisions n
                where n.agent = m.agent and n.memory_id = m.id and n.at <= $3)
            order by m.id";
        self.inside(agent)?;
        let rows: Vec<RevisionRow> = sql(SQL)
            .bind(agent)
            .bind(user)
            .bind(then)
            .all(&mut self.conn)
            .await?;
        let revisions = self.revisions_of_rows(agent, rows).await?;
        let ending: Vec<&str> = revisions
            .iter()
            .filter(|revision| revision.expires_at.is_some())
            .map(|revision| revision.memory.as_str())
            .collect();
        let mut renewals = self
            .ends_told(agent, &[EventType::CandidateSeenAgain], &ending, then)
            .await?;
        let decisions: Vec<DecisionId> = revisions
            .iter()
            .filter_map(|revision| revision.decision.clone())
            .collect();
        let decisions = self.decisions_by_id(agent, &decisions).await?;
        let mut stood = Vec::with_capacity(revisions.len());
        for revision in revisions {
            let renewed = renewals.remove(revision.memory.as_str());
            let renewed = renewed.unwrap_or_default();
            // What was said again before this revision renewed the one before it.
            let renewed = renewed
                .into_iter()
                .filter(|(said, _)| *said >= revision.at)
                .map(|(_, end)| end);
            let expires_at = served_until(revision.expires_at, renewed);
            if expires_at.is_some_and(|end| end <= then) {
                continue;
            }
            let decision = revision.decision.as_ref().and_then(|id| decisions.get(id));
            stood.push(Stood {
                agreed_by: decision.and_then(|decision| decision.agreed_by.clone()),
                expires_at,
                revision,
            });
        }
        Ok(stood)
    }

    /// The candidates of a user that waited at an instant, oldest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn candidates_as_of(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        then: Timestamp,
    ) -> Result<Vec<Waited>> {
        // The last decision up to then: none yet, or one that brought it back.
        const SQL: &str = "
            select c.id, coalesce(d.at, c.created_at) as since
            from candidates c
            left join decisions d on d.agent = c.agent and d.candidate_id = c.id
              and d.version = (
                select max(l.version)
                from decisions l
                where l.agent = c.agent and l.candidate_id = c.id and l.at <= $3)
            where c.agent = $1 and c.user_id = $2 and c.created_at <= $3
              and (d.verdict is null or d.verdict = 'reopen')
            order by c.id";
        self.inside(agent)?;
        let rows: Vec<(String, i64)> = sql(SQL)
            .bind(agent)
            .bind(user)
            .bind(then)
            .all(&mut self.conn)
            .await?;
        let given_back = self.given_back(agent).await?;
        let ids: Vec<&str> = rows.iter().map(|(id, _)| id.as_str()).collect();
        let moved = [EventType::CandidateProposed, EventType::CandidateReopened];
        let mut ends = self.ends_told(agent, &moved, &ids, then).await?;
        let mut waited: Vec<(CandidateId, Timestamp, Timestamp)> = Vec::new();
        for (id, since) in rows {
            let since = at(since)?;
            let told = ends.remove(&id).unwrap_or_default();
            let told = told.into_iter().rfind(|(at, _)| *at == since);
            // What is proposed waits a week where its event tells no other end, and what was brought back before events told it got a new
            // one.
            let end = told.map_or(since + WAITS_FOR, |(_, end)| end);
            let until = waits_until(since, end, &given_back, then);
            if then < until {
                waited.push((parsed(&id)?, since, until));
            }
        }
        let ids: Vec<CandidateId> = waited.iter().map(|(id, ..)| id.clone()).collect();
        let mut candidates = self.candidates_by_id(agent, &ids).await?;
        Ok(waited
            .into_iter()
            .filter_map(|(id, since, until)| {
                Some(Waited {
                    candidate: candidates.remove(&id)?,
                    since,
                    until,
                })
            })
            .collect())
    }

    /// When events of some types told of another end of these, up to an instant, and which: of memories that were said again, of candidates
    /// that are imported or were brought back.
    async fn ends_told(
        &mut self,
        agent: &AgentName,
        types: &[EventType],
        subjects: &[&str],
        then: Timestamp,
    ) -> Result<HashMap<String, Vec<(Timestamp, Timestamp)>>> {
        const SQL: &str = "
            select subject, at, body
            from events
            where agent = $1 and at <= $2";
        if subjects.is_empty() {
            return Ok(HashMap::new());
        }
        let rows: Vec<(String, i64, String)> = sql(SQL)
            .bind(agent)
            .bind(then)
            .clause_in(" and subject in (", subjects.iter().copied())
            .clause_in(" and type in (", types.iter().map(|one| one.as_str()))
            .push(" order by seq")
            .all(&mut self.conn)
            .await?;
        let mut ends: HashMap<String, Vec<_>> = HashMap::new();
        for (subject, told, body) in rows {
            let body: EventBody = json(&body)?;
            let end = body.data.get("expires_at").and_then(|end| end.as_i64());
            if let Some(end) = end {
                let told = (at(told)?, at(end)?);
                ends.entry(subject).or_default().push(told);
            }
        }
        Ok(ends)
    }

    /// The downtimes that what waited in an agent got back.
    async fn given_back(&mut self, agent: &AgentName) -> Result<Vec<GivenBack>> {
        // Such an event is about the agent as a whole.
        const SQL: &str = "
            select body
            from events
            where agent = $1 and subject = $1 and type = $2
            order by seq";
        let rows: Vec<(String,)> = sql(SQL)
            .bind(agent)
            .bind(EventType::CandidateExtended.as_str())
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(body,)| {
                let body: EventBody = json(&body)?;
                let number = |name: &str| {
                    let number = body.data.get(name).and_then(|number| number.as_i64());
                    number.ok_or(Error::Corrupt("downtime"))
                };
                Ok(GivenBack {
                    from: at(number("from_us")?)?,
                    span: Span::microseconds(number("gap_us")?),
                })
            })
            .collect()
    }
}
