//! Jobs, which are the operations a caller asks about: enqueued in the transaction of the change that needs them.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::Dropped,
    conversation::Conversation,
    id::{CandidateId, ConversationId, OperationId, UserId},
};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, at_opt, json, parsed, parsed_opt, to_json},
    statement::{ScopeColumn, sql},
};

macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $type {
            /// The word that stands for it in JSON and in the tables.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl std::str::FromStr for $type {
            type Err = crate::Error;

            fn from_str(word: &str) -> crate::Result<Self> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(crate::Error::Corrupt("word")),
                }
            }
        }
    };
}
pub(crate) use words;

/// How far a job has come. The last three are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It waits, for the first time or for another try.
    Queued,
    /// A worker has it.
    Running,
    /// Done.
    Succeeded,
    /// Given up; it can be retried.
    Failed,
    /// Done with what was whole of an answer that was cut off; it can be retried.
    Truncated,
}

words!(JobState {
    Queued = "queued",
    Running = "running",
    Succeeded = "succeeded",
    Failed = "failed",
    Truncated = "truncated",
});

impl JobState {
    /// Whether nothing follows.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Truncated)
    }
}

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobType {
    /// Reads what is new in a conversation.
    Extract,
    /// Looks for patterns over a user's sessions (C1, B9).
    Patterns,
    /// Proposes changes for what no longer fits a schema (C8).
    Migrate,
}

words!(JobType { Extract = "extract", Patterns = "patterns", Migrate = "migrate" });

/// Why nothing was done, rightly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skipped {
    /// Learning is off (A1).
    MemoryOff,
    /// The person wants neither to be learnt from nor served (G2).
    OptedOut,
    /// The id is shared or anonymous (G2).
    SharedId,
}

words!(Skipped { MemoryOff = "memory_off", OptedOut = "opted_out", SharedId = "shared_id" });

/// Which extractor made something, to the version (C8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// `builtin` or `model`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The model's name.
    pub model: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// The version of the answer's schema.
    pub schema_version: Option<String>,
}

/// What came of a job: ids, counts and words, never text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// The candidates it made.
    pub candidates: Vec<CandidateId>,
    /// How often something waiting or stored was said again.
    pub sightings: u32,
    /// How often a person's rejection kept something out.
    pub suppressed: u32,
    /// What became no candidate, by reason.
    pub dropped: BTreeMap<Dropped, u32>,
    /// Why nothing was done.
    pub skipped: Option<Skipped>,
    /// The extractor.
    pub extractor: Option<Provenance>,
    /// Tokens that the extractor read, over all windows; 0 where it counts none.
    pub tokens_in: i64,
    /// Tokens that it wrote.
    pub tokens_out: i64,
}

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// The agent it belongs to.
    pub agent: AgentName,
    /// Ours.
    pub id: OperationId,
    /// What it does.
    pub r#type: JobType,
    /// About whom; `None` where nothing was stored.
    pub user: Option<UserId>,
    /// Over which conversation.
    pub conversation: Option<ConversationId>,
    /// Where a retry begins; else it begins at the conversation's `extracted_upto`.
    pub from: Option<i64>,
    /// The position of the last message it is to read.
    pub upto: i64,
    /// How far it has come.
    pub state: JobState,
    /// How often it was claimed.
    pub attempt: i64,
    /// When it is tried next, while it waits.
    pub next_at: Option<Timestamp>,
    /// The code of what went wrong in the last try.
    pub error: Option<String>,
    /// What came of it so far.
    pub outcome: Outcome,
    /// The failed one whose stretch it does again.
    pub retry_of: Option<OperationId>,
    /// The one that does its stretch again.
    pub retried_by: Option<OperationId>,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// When it reached its final state.
    pub finished_at: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
pub(crate) struct JobRow {
    agent: String,
    id: String,
    r#type: String,
    user_id: Option<String>,
    conversation_id: Option<String>,
    starts: Option<i64>,
    upto: i64,
    state: String,
    attempt: i64,
    pub(crate) epoch: i64,
    next_at: Option<i64>,
    error: Option<String>,
    outcome: String,
    retry_of: Option<String>,
    retried_by: Option<String>,
    created_at: i64,
    finished_at: Option<i64>,
}

impl JobRow {
    pub(crate) fn operation(self) -> Result<Operation> {
        Ok(Operation {
            agent: parsed(&self.agent)?,
            id: parsed(&self.id)?,
            r#type: parsed(&self.r#type)?,
            user: parsed_opt(self.user_id.as_deref())?,
            conversation: parsed_opt(self.conversation_id.as_deref())?,
            from: self.starts,
            upto: self.upto,
            state: parsed(&self.state)?,
            attempt: self.attempt,
            next_at: at_opt(self.next_at)?,
            error: self.error,
            outcome: json(&self.outcome)?,
            retry_of: parsed_opt(self.retry_of.as_deref())?,
            retried_by: parsed_opt(self.retried_by.as_deref())?,
            created_at: at(self.created_at)?,
            finished_at: at_opt(self.finished_at)?,
        })
    }
}

pub(crate) const JOBS: &str = "
    select agent, id, type, user_id, conversation_id, starts, upto, state, attempt, epoch, next_at, error, outcome,
      retry_of, retried_by, created_at, finished_at
    from jobs
    where true";

const INSERT: &str = "
    insert into jobs
      (agent, id, type, user_id, conversation_id, starts, upto, state, attempt, epoch, next_at, outcome, retry_of,
       created_at, finished_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, $9, $10, $11, $12, $13)";

impl Tx {
    /// Asks for the extraction of a conversation up to a position, from `due` on; `None`: not before somebody asks again. The job
    /// that nobody has claimed yet is joined: it reads up to the greater position, and is due now if `due` is, or later if it was
    /// waiting for quiet.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn enqueue_extract(
        &mut self,
        conversation: &Conversation,
        upto: i64,
        due: impl Into<Option<Timestamp>>,
        stamp: &Stamp,
    ) -> Result<Operation> {
        let due: Option<Timestamp> = due.into();
        const JOIN: &str = "
            update jobs
            set upto = case when upto < $1 then $1 else upto end,
                next_at = case when next_at <= $2 then next_at when $3 <= $2 then $2 else $3 end
            where agent = $4 and conversation_id = $5 and type = 'extract' and state = 'queued' and epoch = 0
              and starts is null
            returning agent, id, type, user_id, conversation_id, starts, upto, state, attempt, epoch, next_at, error, outcome,
              retry_of, retried_by, created_at, finished_at";
        self.lock_user(&conversation.agent, &conversation.user)
            .await?;
        self.wake_at_commit();
        let joined: Option<JobRow> = sql(JOIN)
            .bind(upto)
            .bind(stamp.now)
            .bind(due)
            .bind(&conversation.agent)
            .bind(&conversation.id)
            .optional(&mut self.conn)
            .await?;
        if let Some(row) = joined {
            return row.operation();
        }
        let operation = Operation {
            agent: conversation.agent.clone(),
            id: OperationId::new(stamp.now, self.entropy()),
            r#type: JobType::Extract,
            user: Some(conversation.user.clone()),
            conversation: Some(conversation.id.clone()),
            from: None,
            upto,
            state: JobState::Queued,
            attempt: 0,
            next_at: due,
            error: None,
            outcome: Outcome::default(),
            retry_of: None,
            retried_by: None,
            created_at: stamp.now,
            finished_at: None,
        };
        self.insert_job(&operation).await?;
        Ok(operation)
    }

    /// Asks for a job of an agent that is no extraction, about one user or about all. One that waits, for the first time or for
    /// another try, stands for this one too: what there is to look at is read when it is claimed.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn enqueue(
        &mut self,
        agent: &AgentName,
        user: Option<&UserId>,
        r#type: JobType,
        stamp: &Stamp,
    ) -> Result<()> {
        const WAITS: &str = "
            select id
            from jobs
            where agent = $1 and type = $2 and state = 'queued' and conversation_id is null";
        self.inside(agent)?;
        if let Some(user) = user {
            self.lock_user(agent, user).await?;
        }
        let waits: Option<(String,)> = sql(WAITS)
            .bind(agent)
            .bind(r#type.as_str())
            .clause_if(" and user_id = ?", user)
            .push(" limit 1")
            .optional(&mut self.conn)
            .await?;
        if waits.is_some() {
            return Ok(());
        }
        self.wake_at_commit();
        self.insert_job(&Operation {
            agent: agent.clone(),
            id: OperationId::new(stamp.now, self.entropy()),
            r#type,
            user: user.cloned(),
            conversation: None,
            from: None,
            upto: 0,
            state: JobState::Queued,
            attempt: 0,
            next_at: Some(stamp.now),
            error: None,
            outcome: Outcome::default(),
            retry_of: None,
            retried_by: None,
            created_at: stamp.now,
            finished_at: None,
        })
        .await
    }

    /// Writes that a request was rightly not worked on; nothing else of it is stored.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn skipped_operation(
        &mut self,
        agent: &AgentName,
        why: Skipped,
        stamp: &Stamp,
    ) -> Result<Operation> {
        self.inside(agent)?;
        let operation = Operation {
            agent: agent.clone(),
            id: OperationId::new(stamp.now, self.entropy()),
            r#type: JobType::Extract,
            user: None,
            conversation: None,
            from: None,
            upto: 0,
            state: JobState::Succeeded,
            attempt: 0,
            next_at: None,
            error: None,
            outcome: Outcome {
                skipped: Some(why),
                ..Outcome::default()
            },
            retry_of: None,
            retried_by: None,
            created_at: stamp.now,
            finished_at: Some(stamp.now),
        };
        self.insert_job(&operation).await?;
        Ok(operation)
    }

    /// A job within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn operation(&mut self, id: &OperationId) -> Result<Option<Operation>> {
        let row: Option<JobRow> = sql(JOBS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .optional(&mut self.conn)
            .await?;
        row.map(JobRow::operation).transpose()
    }

    /// The newest job of a conversation.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn last_operation(
        &mut self,
        conversation: &Conversation,
    ) -> Result<Option<Operation>> {
        let row: Option<JobRow> = sql(JOBS)
            .clause(" and agent = ?", &conversation.agent)
            .clause(" and conversation_id = ?", &conversation.id)
            .push(" order by id desc limit 1")
            .optional(&mut self.conn)
            .await?;
        row.map(JobRow::operation).transpose()
    }

    /// The jobs of a conversation, newest first.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn operations_of(&mut self, conversation: &Conversation) -> Result<Vec<Operation>> {
        let rows: Vec<JobRow> = sql(JOBS)
            .clause(" and agent = ?", &conversation.agent)
            .clause(" and conversation_id = ?", &conversation.id)
            .push(" order by id desc limit 200")
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(JobRow::operation).collect()
    }

    /// Enqueues a new job over the stretch of one that failed or was cut off; `from` is where that stretch began.
    ///
    /// # Errors
    /// [`Error::Stale`] where the job is not so, or was retried already; [`Error::OutOfScope`].
    pub async fn retry(
        &mut self,
        operation: &Operation,
        from: i64,
        stamp: &Stamp,
    ) -> Result<Operation> {
        const LINK: &str = "
            update jobs
            set retried_by = $1
            where agent = $2 and id = $3 and retried_by is null and state in ('failed', 'truncated')";
        if let Some(user) = &operation.user {
            self.lock_user(&operation.agent, user).await?;
        }
        let id = OperationId::new(stamp.now, self.entropy());
        let linked = sql(LINK)
            .bind(&id)
            .bind(&operation.agent)
            .bind(&operation.id)
            .run(&mut self.conn)
            .await?;
        if linked != 1 {
            return Err(Error::Stale);
        }
        let again = Operation {
            id,
            from: Some(from),
            state: JobState::Queued,
            attempt: 0,
            next_at: Some(stamp.now),
            error: None,
            outcome: Outcome::default(),
            retry_of: Some(operation.id.clone()),
            retried_by: None,
            created_at: stamp.now,
            finished_at: None,
            ..operation.clone()
        };
        self.insert_job(&again).await?;
        self.wake_at_commit();
        Ok(again)
    }

    /// When the next job falls due or a lease ends, whichever is first.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn next_due(&mut self) -> Result<Option<Timestamp>> {
        const SQL: &str = "
            select
              (select min(next_at) from jobs where state = 'queued'),
              (select min(lease_until) from jobs where state = 'running')";
        let (queued, leased): (Option<i64>, Option<i64>) = sql(SQL).one(&mut self.conn).await?;
        at_opt([queued, leased].into_iter().flatten().min())
    }

    /// Takes up again what was put off for this reason.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn take_up_again(
        &mut self,
        agent: &AgentName,
        why: &str,
        now: Timestamp,
    ) -> Result<u64> {
        const SQL: &str = "
            update jobs
            set next_at = $1, error = null
            where agent = $2 and state = 'queued' and error = $3";
        self.inside(agent)?;
        self.wake_at_commit();
        sql(SQL)
            .bind(now)
            .bind(agent)
            .bind(why)
            .run(&mut self.conn)
            .await
    }

    /// Gives a time to the jobs of an agent that had none, because no trigger was on.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn make_due(&mut self, agent: &AgentName, due: Timestamp) -> Result<u64> {
        const SQL: &str = "
            update jobs
            set next_at = $1
            where agent = $2 and state = 'queued' and next_at is null";
        self.inside(agent)?;
        sql(SQL).bind(due).bind(agent).run(&mut self.conn).await
    }

    /// How many jobs of an agent were put off for this reason.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn put_off(&mut self, agent: &AgentName, why: &str) -> Result<i64> {
        const SQL: &str = "
            select count(*)
            from jobs
            where agent = $1 and state = 'queued' and error = $2";
        self.inside(agent)?;
        let (count,): (i64,) = sql(SQL).bind(agent).bind(why).one(&mut self.conn).await?;
        Ok(count)
    }

    /// Whether this process is to run a schedule now: one of many gets the turn, and nobody another one for as long as it is `held`,
    /// unless [`Tx::next_turn`] says otherwise.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn take_turn(
        &mut self,
        name: &'static str,
        held: domain::time::Span,
        now: Timestamp,
    ) -> Result<bool> {
        const SQL: &str = "
            insert into schedules (name, next_at, ran_at)
            values ($1, $2, $3)
            on conflict (name) do update
            set next_at = excluded.next_at, ran_at = excluded.ran_at
            where schedules.next_at <= excluded.ran_at";
        let touched = sql(SQL)
            .bind(name)
            .bind(now + held)
            .bind(now)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// Says when a schedule comes next, for who took its turn at `taken`; changes nothing where it was taken since, and answers
    /// whether it was not.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn next_turn(
        &mut self,
        name: &'static str,
        taken: Timestamp,
        next: Timestamp,
    ) -> Result<bool> {
        const SQL: &str = "
            update schedules
            set next_at = $1
            where name = $2 and ran_at = $3";
        let touched = sql(SQL)
            .bind(next)
            .bind(name)
            .bind(taken)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// Notes how the turn went that was taken at `taken`. Answers how many in a row have failed by now; `None` where it was taken
    /// since, and nothing is noted.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn note_turn(
        &mut self,
        name: &'static str,
        taken: Timestamp,
        failed: bool,
    ) -> Result<Option<i64>> {
        const SQL: &str = "
            update schedules
            set failures = case when $1 then failures + 1 else 0 end
            where name = $2 and ran_at = $3
            returning failures";
        let row: Option<(i64,)> = sql(SQL)
            .bind(failed)
            .bind(name)
            .bind(taken)
            .optional(&mut self.conn)
            .await?;
        Ok(row.map(|(failures,)| failures))
    }

    async fn insert_job(&mut self, operation: &Operation) -> Result<()> {
        sql(INSERT)
            .bind(&operation.agent)
            .bind(&operation.id)
            .bind(operation.r#type.as_str())
            .bind(operation.user.as_ref())
            .bind(operation.conversation.as_ref())
            .bind(operation.from)
            .bind(operation.upto)
            .bind(operation.state.as_str())
            .bind(operation.next_at)
            .bind(to_json(&operation.outcome))
            .bind(operation.retry_of.as_ref())
            .bind(operation.created_at)
            .bind(operation.finished_at)
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}
