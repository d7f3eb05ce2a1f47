//! The queue, as reviewers look at it: filtered, in pages, with everything a row shows in a handful of queries.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Candidate, DecidedBy, State, Status},
    id::{CandidateId, MemoryId, PersonId, UserId},
    memory::MemoryStatus,
    time::Span,
    user::User,
};

use crate::{
    Agreement, Claim, Cursor, Error, Handover, Listed, Page, QueueFilter, Result, Sort, Tx, View,
    candidate_rows::{CANDIDATES, CandidateRow, Decided},
    column::{at, at_opt, parsed},
    statement::{ScopeColumn, Statement, sql},
    users::UserRow,
};

/// A target as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetNow {
    /// Which memory.
    pub memory: MemoryId,
    /// Its present revision; 0 where it is gone.
    pub revision: i64,
    /// Its present status.
    pub status: MemoryStatus,
}

/// A candidate with what its row in the queue shows.
#[derive(Debug, Clone)]
pub struct Queued {
    /// The candidate.
    pub candidate: Candidate,
    /// Whom it is about.
    pub user: User,
    /// Who made its present version; `None` where nobody has decided yet.
    pub decided_by: Option<DecidedBy>,
    /// Its targets as they are now, in the order of the proposal.
    pub targets: Vec<TargetNow>,
    /// The one that took its place.
    pub superseded_by: Option<CandidateId>,
    /// How often it was said again.
    pub sightings: i64,
    /// Who claimed it last; it may have run out.
    pub claim: Option<Claim>,
    /// For whom it waits, where it was handed over.
    pub handover: Option<Handover>,
    /// The first of two people who must agree, while it waits for the second (G9).
    pub agreement: Option<Agreement>,
    /// Who had agreed before its present version was approved.
    pub agreed_by: Option<PersonId>,
}

impl Queued {
    /// Whether a target changed since this was proposed.
    pub fn target_moved(&self) -> bool {
        self.candidate
            .proposal
            .targets
            .iter()
            .zip(&self.targets)
            .any(|(then, now)| {
                then.revision != now.revision || now.status != MemoryStatus::Approved
            })
    }
}

/// The figures above the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueFigures {
    /// How many wait.
    pub waiting: i64,
    /// How many of them expire within a day.
    pub expiring_24h: i64,
    /// When the oldest of them was proposed.
    pub oldest: Option<Timestamp>,
}

/// What of the queue is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Urgent,
    Usual,
    All,
}

/// What is urgent stands before everything else: its end is counted from the least number on. No end lies before 1970, so a cursor of
/// before there was anything urgent is one behind all that is.
const URGENT: i64 = i64::MIN;

fn is_urgent(place: i64) -> bool {
    place < 0
}

fn expires_at(place: i64) -> i64 {
    if is_urgent(place) {
        place - URGENT
    } else {
        place
    }
}

impl CandidateRow {
    /// Its place in the queue, which its id completes.
    fn stands_at(&self) -> i64 {
        if self.urgent == 0 {
            self.expires_at
        } else {
            URGENT + self.expires_at
        }
    }
}

impl Tx {
    /// A candidate within the scope.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn candidate(&mut self, id: &CandidateId) -> Result<Option<Queued>> {
        let rows: Vec<CandidateRow> = sql(CANDIDATES)
            .clause(" and c.id = ?", id)
            .scope(ScopeColumn::Candidate, &self.scope().clone())
            .all(&mut self.conn)
            .await?;
        Ok(self.queued_from(rows).await?.pop())
    }

    /// What was rejected because this one says it anew, newest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn superseded_by(&mut self, by: &Candidate) -> Result<Vec<Queued>> {
        const SQL: &str = "
            select candidate_id
            from decisions
            where agent = $1 and superseded_by = $2";
        self.inside(&by.agent)?;
        let ids: Vec<(String,)> = sql(SQL)
            .bind(&by.agent)
            .bind(&by.id)
            .all(&mut self.conn)
            .await?;
        let rows: Vec<CandidateRow> = sql(CANDIDATES)
            .clause(" and c.agent = ?", &by.agent)
            .clause_in(" and c.id in (", ids.into_iter().map(|(id,)| id))
            // Not what was decided anew since then.
            .clause(" and d.superseded_by = ?", &by.id)
            .push(" order by c.id desc")
            .all(&mut self.conn)
            .await?;
        self.queued_from(rows).await
    }

    /// A part of the queue.
    ///
    /// # Errors
    /// [`Error::Cursor`]; [`Error::Erased`]; what the database answers.
    pub async fn queue(
        &mut self,
        filter: &QueueFilter,
        page: &Page,
        now: Timestamp,
    ) -> Result<Listed<Queued>> {
        let mut rows: Vec<CandidateRow> = Vec::new();
        // Two statuses at once have no index in the order of the list, so each is read along its own and then they are joined.
        let views: &[View] = match filter.view {
            View::Decided => &[
                View::Status(Status::Approved),
                View::Status(Status::Rejected),
            ],
            _ => &[filter.view],
        };
        // So is what is urgent, which is little, and what is not.
        let parts: &[Part] = match filter.sort {
            Sort::ExpiresFirst => &[Part::Urgent, Part::Usual],
            Sort::Newest => &[Part::All],
        };
        for &view in views {
            let filter = QueueFilter {
                view,
                ..filter.clone()
            };
            for &part in parts {
                if let Some(read) = self.page_of_queue(&filter, part, page, now)? {
                    rows.extend(read.all(&mut self.conn).await?);
                }
            }
        }
        match filter.sort {
            Sort::ExpiresFirst => {
                rows.sort_by(|a, b| (a.stands_at(), &a.id).cmp(&(b.stands_at(), &b.id)))
            }
            Sort::Newest => rows.sort_by(|a, b| b.id.cmp(&a.id)),
        }
        rows.truncate(page.limit as usize + 1);
        let last = rows.get((page.limit as usize).saturating_sub(1));
        let number = last.map_or(0, CandidateRow::stands_at);
        let queued = self.queued_from(rows).await?;
        Ok(Listed::cut(queued, page, |queued| Cursor {
            number,
            id: queued.candidate.id.as_str().to_owned(),
        }))
    }

    /// How many candidates a filter finds.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn queue_count(&mut self, filter: &QueueFilter, now: Timestamp) -> Result<i64> {
        let waits = " and c.status = 'pending' and c.expires_at > ?";
        let all = sql("select count(*) from candidates c where true")
            .scope(ScopeColumn::Candidate, self.scope());
        let count = match filter.view {
            // Whatever has this reason was rejected. Without its status no row is looked at: the index of what expired has the rest.
            View::ExpiredUnseen => {
                self.narrowed(all.push(" and c.reason = 'expired'"), filter, now)
            }
            _ => self.filtered(all, filter, waits, now),
        };
        let (count,): (i64,) = count.one(&mut self.conn).await?;
        Ok(count)
    }

    /// How many candidates of a filter others than this person have claimed, and until when the last of them.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn claimed_by_others(
        &mut self,
        filter: &QueueFilter,
        person: &PersonId,
        now: Timestamp,
    ) -> Result<Option<(i64, Timestamp)>> {
        const SQL: &str = "
            select count(*), max(k.until)
            from claims k
            join candidates c on c.agent = k.agent and c.id = k.candidate_id
            where k.until > $1 and k.person_id <> $2";
        let filter = QueueFilter {
            claimed_by: None,
            ..filter.clone()
        };
        let waits = " and c.status = 'pending' and c.expires_at > ?";
        let all = sql(SQL)
            .bind(now)
            .bind(person)
            .scope(ScopeColumn::Candidate, self.scope());
        let claimed = self.filtered(all, &filter, waits, now);
        let (count, until): (i64, Option<i64>) = claimed.one(&mut self.conn).await?;
        until.map(|until| Ok((count, at(until)?))).transpose()
    }

    /// The figures of what waits within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn queue_figures(&mut self, now: Timestamp) -> Result<QueueFigures> {
        // Both counts are read out of an index alone; ids tell the time, so the oldest comes first in theirs.
        const COUNTS: &str = "
            select count(*), count(*) filter (where c.expires_at <= $1)
            from candidates c
            where c.status = 'pending' and c.expires_at > $2";
        const OLDEST: &str = "
            select c.created_at
            from candidates c
            where c.status = 'pending'";
        let scope = self.scope().clone();
        let (waiting, expiring_24h): (i64, i64) = sql(COUNTS)
            .bind(now + Span::hours(24))
            .bind(now)
            .scope(ScopeColumn::Candidate, &scope)
            .one(&mut self.conn)
            .await?;
        let oldest: Option<(i64,)> = sql(OLDEST)
            .clause(" and c.expires_at + 0 > ?", now)
            .scope_along(ScopeColumn::Candidate, &scope)
            .push(" order by c.id limit 1")
            .optional(&mut self.conn)
            .await?;
        Ok(QueueFigures {
            waiting,
            expiring_24h,
            oldest: at_opt(oldest.map(|(created_at,)| created_at))?,
        })
    }

    /// `None` where the page begins behind this part.
    fn page_of_queue(
        &self,
        filter: &QueueFilter,
        part: Part,
        page: &Page,
        now: Timestamp,
    ) -> Result<Option<Statement>> {
        let all = sql(CANDIDATES).scope_along(ScopeColumn::Candidate, self.scope());
        let after = page.after(CandidateId::PREFIX)?;
        // The words are part of the text, so that the partial index can be used; a value instead of the status keeps the planner on it.
        let (waits, only) = match part {
            Part::Urgent => (
                " and (c.status || '') = 'pending' and c.expires_at > ?",
                " and c.urgent = 1",
            ),
            Part::Usual => (
                " and c.status = 'pending' and c.expires_at > ?",
                " and c.urgent = 0",
            ),
            Part::All => {
                // `+ 0` keeps the planner from the index of the times, along which it would have to read and sort everything.
                let waits = " and c.status = 'pending' and c.expires_at + 0 > ?";
                return Ok(Some(
                    self.filtered(all, filter, waits, now)
                        .clause_if(" and c.id < ?", after.map(|after| after.id.as_str()))
                        .clause(" order by c.id desc limit ?", page.probe()),
                ));
            }
        };
        let after = match after {
            Some(after) if part == Part::Usual && is_urgent(after.number) => None,
            Some(after) if part == Part::Urgent && !is_urgent(after.number) => return Ok(None),
            after => after,
        };
        let statement = self.filtered(all, filter, waits, now).push(only);
        let statement = match after {
            Some(after) => statement
                .clause(" and (c.expires_at, c.id) > (?", expires_at(after.number))
                .clause(", ?)", after.id.as_str()),
            None => statement,
        };
        Ok(Some(statement.clause(
            " order by c.expires_at, c.id limit ?",
            page.probe(),
        )))
    }

    pub(crate) async fn queued_from(&mut self, rows: Vec<CandidateRow>) -> Result<Vec<Queued>> {
        let candidates = self.candidates_from(rows).await?;
        let mut by_agent: HashMap<AgentName, Vec<&Candidate>> = HashMap::new();
        for (candidate, _) in &candidates {
            by_agent
                .entry(candidate.agent.clone())
                .or_default()
                .push(candidate);
        }
        let mut users = HashMap::new();
        let mut targets = HashMap::new();
        let mut sightings = HashMap::new();
        let mut claims = HashMap::new();
        let mut handovers = HashMap::new();
        let mut agreements = HashMap::new();
        for (agent, of_agent) in &by_agent {
            self.users_by_id(agent, of_agent, &mut users).await?;
            self.targets_now(agent, of_agent, &mut targets).await?;
            self.sighting_counts(agent, of_agent, &mut sightings)
                .await?;
            // What is decided belongs to nobody.
            let waiting: Vec<&Candidate> = of_agent
                .iter()
                .copied()
                .filter(|candidate| candidate.state == State::Pending)
                .collect();
            if !waiting.is_empty() {
                self.claims_on(agent, &waiting, &mut claims).await?;
                self.handovers_of(agent, &waiting, &mut handovers).await?;
                let ids: Vec<_> = waiting.iter().map(|candidate| &candidate.id).collect();
                agreements.extend(self.agreements_to(agent, &ids).await?);
            }
        }
        candidates
            .into_iter()
            .map(|(candidate, decided): (Candidate, Decided)| {
                Ok(Queued {
                    user: users
                        .get(&candidate.user)
                        .cloned()
                        .ok_or(Error::Corrupt("user of a candidate"))?,
                    decided_by: decided.by,
                    superseded_by: decided.superseded_by,
                    targets: targets.remove(candidate.id.as_str()).unwrap_or_default(),
                    sightings: sightings.get(candidate.id.as_str()).copied().unwrap_or(0),
                    claim: claims.remove(candidate.id.as_str()),
                    handover: handovers.remove(candidate.id.as_str()),
                    agreement: agreements.remove(&candidate.id),
                    agreed_by: decided.agreed_by,
                    candidate,
                })
            })
            .collect()
    }

    async fn users_by_id(
        &mut self,
        agent: &AgentName,
        candidates: &[&Candidate],
        found: &mut HashMap<UserId, User>,
    ) -> Result<()> {
        const SQL: &str = "
            select agent, id, sealed, created_at
            from users
            where agent = $1";
        let rows: Vec<UserRow> = sql(SQL)
            .bind(agent)
            .clause_in(
                " and id in (",
                candidates.iter().map(|candidate| &candidate.user),
            )
            .all(&mut self.conn)
            .await?;
        for user in self.users_of(rows).await? {
            found.insert(user.id.clone(), user);
        }
        Ok(())
    }

    async fn targets_now(
        &mut self,
        agent: &AgentName,
        candidates: &[&Candidate],
        found: &mut HashMap<String, Vec<TargetNow>>,
    ) -> Result<()> {
        const SQL: &str = "
            select t.candidate_id, t.memory_id, coalesce(m.revision, 0), coalesce(m.status, 'retired')
            from candidate_targets t
            left join memories m on m.agent = t.agent and m.id = t.memory_id
            where t.agent = $1";
        let rows: Vec<(String, String, i64, String)> = sql(SQL)
            .bind(agent)
            .clause_in(
                " and t.candidate_id in (",
                candidates.iter().map(|candidate| &candidate.id),
            )
            .push(" order by t.candidate_id, t.position")
            .all(&mut self.conn)
            .await?;
        for (candidate, memory, revision, status) in rows {
            let target = TargetNow {
                memory: parsed(&memory)?,
                revision,
                status: parsed(&status)?,
            };
            found.entry(candidate).or_default().push(target);
        }
        Ok(())
    }

    async fn sighting_counts(
        &mut self,
        agent: &AgentName,
        candidates: &[&Candidate],
        found: &mut HashMap<String, i64>,
    ) -> Result<()> {
        const SQL: &str = "
            select subject, count(*)
            from sightings
            where agent = $1";
        let rows: Vec<(String, i64)> = sql(SQL)
            .bind(agent)
            .clause_in(
                " and subject in (",
                candidates.iter().map(|candidate| &candidate.id),
            )
            .push(" group by subject")
            .all(&mut self.conn)
            .await?;
        found.extend(rows);
        Ok(())
    }
}
