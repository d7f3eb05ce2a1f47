//! The queue, as reviewers look at it: filtered, in pages, with everything a row shows in a handful of queries.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Candidate, DecidedBy, Flag, Status},
    id::{CandidateId, ConversationId, MemoryId, UserId},
    memory::MemoryStatus,
    time::Span,
    user::User,
};

use crate::{
    Cursor, Error, Listed, Page, Result, Tx,
    candidate_rows::{CANDIDATES, CandidateRow, Decided},
    column::{at_opt, parsed, us},
    statement::{ScopeColumn, Statement, sql},
    users::UserRow,
};

/// Which part of the candidates is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// What waits: pending, and not past its time.
    #[default]
    Waiting,
    /// What was approved or rejected.
    Decided,
    /// What nobody decided in time.
    ExpiredUnseen,
    /// One status; `pending` means what waits.
    Status(Status),
    /// Everything.
    All,
}

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// What expires first.
    #[default]
    ExpiresFirst,
    /// What was proposed last.
    Newest,
}

/// Which candidates are wanted. Every condition narrows the scope of the transaction, none widens it.
#[derive(Debug, Clone, Default)]
pub struct QueueFilter {
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// About one user.
    pub user: Option<UserId>,
    /// Which part.
    pub view: View,
    /// Of one kind.
    pub kind: Option<String>,
    /// With one action.
    pub action: Option<Action>,
    /// With this flag, of those that are stored.
    pub flag: Option<Flag>,
    /// In one language.
    pub language: Option<String>,
    /// At least this sure.
    pub min_confidence: Option<f64>,
    /// That stop waiting before this.
    pub expires_before: Option<Timestamp>,
    /// That rest on one conversation.
    pub conversation: Option<ConversationId>,
    /// In which order.
    pub sort: Sort,
}

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
        for &view in views {
            let filter = QueueFilter {
                view,
                ..filter.clone()
            };
            rows.extend(
                self.page_of_queue(&filter, page, now)?
                    .all(&mut self.conn)
                    .await?,
            );
        }
        match filter.sort {
            Sort::ExpiresFirst => {
                rows.sort_by(|a, b| (a.expires_at, &a.id).cmp(&(b.expires_at, &b.id)))
            }
            Sort::Newest => rows.sort_by(|a, b| b.id.cmp(&a.id)),
        }
        rows.truncate(page.limit as usize + 1);
        let queued = self.queued_from(rows).await?;
        Ok(Listed::cut(queued, page, |queued| Cursor {
            number: us(queued.candidate.expires_at),
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
        let (count,): (i64,) = filtered(all, filter, waits, now)
            .one(&mut self.conn)
            .await?;
        Ok(count)
    }

    /// The figures of what waits within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn queue_figures(&mut self, now: Timestamp) -> Result<QueueFigures> {
        const SQL: &str = "
            select count(*), count(*) filter (where c.expires_at <= $1), min(c.created_at)
            from candidates c
            where c.status = 'pending' and c.expires_at > $2";
        let (waiting, expiring_24h, oldest): (i64, i64, Option<i64>) = sql(SQL)
            .bind(now + Span::hours(24))
            .bind(now)
            .scope(ScopeColumn::Candidate, &self.scope().clone())
            .one(&mut self.conn)
            .await?;
        Ok(QueueFigures {
            waiting,
            expiring_24h,
            oldest: at_opt(oldest)?,
        })
    }

    fn page_of_queue(
        &self,
        filter: &QueueFilter,
        page: &Page,
        now: Timestamp,
    ) -> Result<Statement> {
        let all = sql(CANDIDATES).scope_along(ScopeColumn::Candidate, self.scope());
        Ok(match filter.sort {
            Sort::ExpiresFirst => {
                let statement = filtered(
                    all,
                    filter,
                    " and c.status = 'pending' and c.expires_at > ?",
                    now,
                );
                let statement = match page.after(CandidateId::PREFIX)? {
                    Some(after) => statement
                        .clause(" and (c.expires_at, c.id) > (?", after.number)
                        .clause(", ?)", after.id.as_str()),
                    None => statement,
                };
                statement.clause(" order by c.expires_at, c.id limit ?", page.probe())
            }
            // `+ 0` keeps the planner from the index of the times, along which it would have to read and sort everything.
            Sort::Newest => filtered(
                all,
                filter,
                " and c.status = 'pending' and c.expires_at + 0 > ?",
                now,
            )
            .clause_if(
                " and c.id < ?",
                page.after(CandidateId::PREFIX)?
                    .map(|after| after.id.as_str()),
            )
            .clause(" order by c.id desc limit ?", page.probe()),
        })
    }

    async fn queued_from(&mut self, rows: Vec<CandidateRow>) -> Result<Vec<Queued>> {
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
        for (agent, of_agent) in &by_agent {
            self.users_by_id(agent, of_agent, &mut users).await?;
            self.targets_now(agent, of_agent, &mut targets).await?;
            self.sighting_counts(agent, of_agent, &mut sightings)
                .await?;
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

/// Adds the conditions of a filter; `waits` is the one for what waits.
fn filtered(
    statement: Statement,
    filter: &QueueFilter,
    waits: &'static str,
    now: Timestamp,
) -> Statement {
    // The words of the status are part of the text, so that the partial indexes can be used.
    let statement = match filter.view {
        View::Waiting | View::Status(Status::Pending) => statement.clause(waits, now),
        View::Decided => statement.push(" and c.status in ('approved', 'rejected')"),
        View::ExpiredUnseen => {
            statement.push(" and c.status = 'rejected' and c.reason = 'expired'")
        }
        View::Status(Status::Approved) => statement.push(" and c.status = 'approved'"),
        View::Status(Status::Rejected) => statement.push(" and c.status = 'rejected'"),
        View::All => statement,
    };
    let flag = filter.flag.map(|flag| format!("% {} %", flag.as_str()));
    statement
        .clause_if(" and c.agent = ?", filter.agent.as_ref())
        .clause_if(" and c.user_id = ?", filter.user.as_ref())
        .clause_if(" and c.kind = ?", filter.kind.as_deref())
        .clause_if(" and c.action = ?", filter.action.map(Action::as_str))
        .clause_if(" and c.flags like ?", flag)
        .clause_if(" and c.language = ?", filter.language.as_deref())
        .clause_if(" and c.confidence >= ?", filter.min_confidence)
        .clause_if(" and c.expires_at < ?", filter.expires_before)
        .clause_if(
            " and c.id in (select e.candidate_id from evidence e where e.conversation_id = ?)",
            filter.conversation.as_ref(),
        )
}
