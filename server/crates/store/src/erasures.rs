//! Erasing a person (F9): every row about them, what was kept for others that may speak of them, and last their key. The chain keeps what
//! it says: it holds no text, and what it commits to can be read by nobody any more.
//!
//! What is left is a row of `erasures` and a mark: a keyed hash of their look-up, from which nobody makes the name again. The marks are
//! also written outside the database, so that a backup that is restored loses whom it should no longer hold.

use std::collections::{HashMap, HashSet};

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventType, hex},
    erasure::{ErasureCounts, ErasureReason},
    id::{PersonId, RequestId, UserId},
    user::{Scope, User},
};
use serde_json::json;

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, json as from_json, parsed, parsed_opt, to_json},
    dialect::Dialect,
    events::Telling,
    export::ExportPart,
    exports::{ExportClaim, Whom},
    statement::{ScopeColumn, sql},
};

/// Somebody who was erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    /// The agent that talked to them.
    pub agent: AgentName,
    /// Our id of them, which the chain still names.
    pub user: UserId,
    /// When they were first heard of.
    pub known_since: Timestamp,
    /// When they were erased.
    pub at: Timestamp,
    /// By whom; `None`: by Keepsake itself.
    pub person: Option<PersonId>,
    /// Why.
    pub reason: ErasureReason,
    /// The data subject's request that asked for it.
    pub request: Option<RequestId>,
    /// How much went.
    pub counts: ErasureCounts,
}

/// An erasure as it is written outside the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasureMark {
    /// When.
    pub at: Timestamp,
    /// 32 bytes, as lower-case hex: a keyed hash of whom.
    pub mark: String,
}

/// Why somebody is erased.
#[derive(Debug, Clone, Copy)]
pub struct Erasing<'a> {
    /// What their agent calls them; `None` where their key is gone already, as in a backup that was restored without it.
    pub scope: Option<&'a Scope>,
    /// Why.
    pub reason: ErasureReason,
    /// The data subject's request that asked for it.
    pub request: Option<&'a RequestId>,
}

/// What came of an erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    /// How much went.
    pub counts: ErasureCounts,
    /// The exports whose files must go from the folder, as far as these claims wrote them.
    pub exports: Vec<ExportClaim>,
}

/// Everything there is about a user, what refers to something before what it refers to.
const REMOVALS: &[&str] = &[
    // First, so that a worker in the middle of one can write nothing more.
    "delete from jobs
     where agent = $1 and conversation_id in (select id from conversations where agent = $1 and user_id = $2)",
    "delete from jobs
     where agent = $1 and user_id = $2 and conversation_id is null",
    "delete from dry_run_items
     where agent = $1 and user_id = $2",
    "delete from feedback
     where agent = $1 and memory_id in (select id from memories where agent = $1 and user_id = $2)",
    "delete from feedback
     where agent = $1 and serving_id in (select id from servings where agent = $1 and user_id = $2)",
    "delete from serving_items
     where agent = $1 and serving_id in (select id from servings where agent = $1 and user_id = $2)",
    "delete from servings
     where agent = $1 and user_id = $2",
    "delete from search_tokens
     where agent = $1 and subject in (select id from memories where agent = $1 and user_id = $2)",
    "delete from search_tokens
     where agent = $1 and subject in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from sightings
     where agent = $1 and subject in (select id from memories where agent = $1 and user_id = $2)",
    "delete from sightings
     where agent = $1 and subject in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from revisions
     where agent = $1 and memory_id in (select id from memories where agent = $1 and user_id = $2)",
    "delete from memories
     where agent = $1 and user_id = $2",
    "delete from bulk_items
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from claims
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from handovers
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from agreements
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from remarks
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from judgements
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from decisions
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from evidence
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from candidate_targets
     where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)",
    "delete from candidates
     where agent = $1 and user_id = $2",
    "delete from extractions
     where agent = $1 and conversation_id in (select id from conversations where agent = $1 and user_id = $2)",
    "delete from messages
     where agent = $1 and conversation_id in (select id from conversations where agent = $1 and user_id = $2)",
    "delete from conversations
     where agent = $1 and user_id = $2",
    "delete from joins
     where agent = $1 and guest_id = $2",
    "delete from joins
     where agent = $1 and main_id = $2",
];

#[derive(sqlx::FromRow)]
struct Row {
    agent: String,
    user_id: String,
    known_since: i64,
    at: i64,
    person_id: Option<String>,
    reason: String,
    request_id: Option<String>,
    counts: String,
}

impl Row {
    fn erasure(self) -> Result<Erasure> {
        Ok(Erasure {
            agent: parsed(&self.agent)?,
            user: parsed(&self.user_id)?,
            known_since: at(self.known_since)?,
            at: at(self.at)?,
            person: parsed_opt(self.person_id.as_deref())?,
            reason: parsed(&self.reason)?,
            request: parsed_opt(self.request_id.as_deref())?,
            counts: from_json(&self.counts)?,
        })
    }
}

const ERASURES: &str = "
    select agent, user_id, known_since, at, person_id, reason, request_id, counts
    from erasures
    where true";

impl Tx {
    /// How much would go with a user.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn erasure_counts(&mut self, user: &User) -> Result<ErasureCounts> {
        self.inside(&user.agent)?;
        let lookup = self.user_lookup(&user.agent, &user.scope);
        self.counts_of(&Whom {
            agent: &user.agent,
            user: &user.id,
            lookup: &lookup,
            known_since: user.created_at,
        })
        .await
    }

    /// Raised by everything that happens about a user: who has seen the counts of another version has not seen what would go now.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn erasure_version(&mut self, agent: &AgentName, user: &UserId) -> Result<i64> {
        const SQL: &str = "
            select coalesce(max(seq), 0)
            from events
            where agent = $1 and user_id = $2";
        self.inside(agent)?;
        let (seq,): (i64,) = sql(SQL).bind(agent).bind(user).one(&mut self.conn).await?;
        Ok(seq)
    }

    /// Erases a user. Whether a hold keeps them has been asked before, in this transaction.
    ///
    /// # Errors
    /// [`Error::Stale`] where they are not there any more; [`Error::OutOfScope`]; what the database answers.
    pub async fn erase_user(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        erasing: Erasing<'_>,
        stamp: &Stamp,
    ) -> Result<Erased> {
        const FIND: &str = "
            select lookup, created_at
            from users
            where agent = $1 and id = $2";
        const USER: &str = "
            delete from users
            where agent = $1 and id = $2";
        const NOTE: &str = "
            insert into erasures (agent, user_id, mark, known_since, at, person_id, reason, request_id, counts)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        self.lock_user(agent, user).await?;
        let row: Option<(Vec<u8>, i64)> = sql(FIND)
            .bind(agent)
            .bind(user)
            .optional(&mut self.conn)
            .await?;
        let (lookup, known_since) = row.ok_or(Error::Stale)?;
        let whom = Whom {
            agent,
            user,
            lookup: &lookup,
            known_since: at(known_since)?,
        };
        self.lock_agents(Some(agent)).await?;
        let counts = self.counts_of(&whom).await?;
        self.overwrite_what_goes(true).await?;
        let exports = self.forget_in_exports(&whom, stamp).await?;
        self.forget_in_bulks(agent, user, stamp).await?;
        self.forget_in_imports(&whom).await?;
        match erasing.scope {
            Some(scope) => self.forget_views(user, scope).await?,
            // Which of them name somebody whose name is gone cannot be told.
            None => self.forget_all_views().await?,
        }
        self.forget_holds(&whom).await?;
        for removal in REMOVALS {
            sql(removal)
                .bind(agent)
                .bind(user)
                .run(&mut self.conn)
                .await?;
        }
        let gone = sql(USER).bind(agent).bind(user).run(&mut self.conn).await?;
        if gone != 1 {
            return Err(Error::Stale);
        }
        // What others write meanwhile is seen only by what comes late.
        self.forget_answers(agent).await?;
        // What forms left for the next page may be about anybody, and lasts ten minutes.
        sql("delete from flashes").run(&mut self.conn).await?;
        // Last: whatever copy of a row there is in old pages, logs and backups, nobody opens it any more.
        self.destroy_user_key(agent, user).await?;
        self.overwrite_what_goes(false).await?;
        sql(NOTE)
            .bind(agent)
            .bind(user)
            .bind(self.erasure_mark(&lookup))
            .bind(known_since)
            .bind(stamp.now)
            .bind(stamp.person().as_ref())
            .bind(erasing.reason.as_str())
            .bind(erasing.request)
            .bind(to_json(&counts))
            .run(&mut self.conn)
            .await?;
        let mut data = json!(counts);
        data["reason"] = json!(erasing.reason);
        if let Some(request) = erasing.request {
            data["request"] = json!(request);
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type: EventType::UserErased,
                user: Some(user),
                subject: user.as_str(),
                data,
                commitment: None,
            },
        );
        Ok(Erased { counts, exports })
    }

    /// The erasure of a user within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn erasure(&mut self, user: &UserId) -> Result<Option<Erasure>> {
        let row: Option<Row> = sql(ERASURES)
            .clause(" and user_id = ?", user)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .optional(&mut self.conn)
            .await?;
        row.map(Row::erasure).transpose()
    }

    /// Which of these users within the scope were erased.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn erased_among(&mut self, users: &[UserId]) -> Result<HashSet<UserId>> {
        let rows: Vec<(String,)> = sql("select user_id from erasures where true")
            .clause_in(" and user_id in (", users)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(|(id,)| parsed(&id)).collect()
    }

    /// Who was erased of the people that a part of an export is about, by their ids; nobody where it is about some only.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn exported_erasures(&mut self, part: &ExportPart) -> Result<Vec<Erasure>> {
        self.inside(&part.agent)?;
        if part.users.is_some() {
            return Ok(Vec::new());
        }
        let rows: Vec<Row> = sql(ERASURES)
            .clause(" and agent = ?", &part.agent)
            .clause_if(" and known_since < ?", part.to)
            .push(" order by user_id")
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(Row::erasure).collect()
    }

    /// All erasures, the oldest first, as they are written outside the database.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn erasure_marks(&mut self) -> Result<Vec<ErasureMark>> {
        const SQL: &str = "
            select at, mark
            from erasures
            order by at, agent, user_id";
        let rows: Vec<(i64, Vec<u8>)> = sql(SQL).all(&mut self.conn).await?;
        rows.into_iter()
            .map(|(us, mark)| {
                Ok(ErasureMark {
                    at: at(us)?,
                    mark: hex(&mark),
                })
            })
            .collect()
    }

    /// The users whom one of these marks means, and who were there when it was made: a backup brought them back. Whoever came again
    /// afterwards is somebody new.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn users_marked(
        &mut self,
        marks: &[ErasureMark],
    ) -> Result<Vec<(AgentName, UserId)>> {
        const ROWS: u32 = 1000;
        const USERS: &str = "
            select agent, id, lookup, created_at
            from users
            where (agent, id) > ($1, $2)
            order by agent, id
            limit $3";
        let mut newest: HashMap<&str, Timestamp> = HashMap::new();
        for mark in marks {
            let last = newest.entry(mark.mark.as_str()).or_insert(mark.at);
            *last = mark.at.max(*last);
        }
        let mut found = Vec::new();
        let mut after = (String::new(), String::new());
        while !newest.is_empty() {
            let rows: Vec<(String, String, Vec<u8>, i64)> = sql(USERS)
                .bind(after.0.as_str())
                .bind(after.1.as_str())
                .bind(ROWS)
                .all(&mut self.conn)
                .await?;
            let Some((agent, id, ..)) = rows.last() else {
                break;
            };
            after = (agent.clone(), id.clone());
            for (agent, id, lookup, created_at) in rows {
                let mark = hex(&self.erasure_mark(&lookup));
                let erased_at = newest.get(mark.as_str());
                if erased_at.is_some_and(|erased_at| crate::column::us(*erased_at) >= created_at) {
                    found.push((parsed(&agent)?, parsed(&id)?));
                }
            }
        }
        Ok(found)
    }

    async fn counts_of(&mut self, whom: &Whom<'_>) -> Result<ErasureCounts> {
        const SQL: &str = "
            select
              (select count(*) from conversations where agent = $1 and user_id = $2 and removed_at is null),
              (select count(*) from messages
               where agent = $1 and conversation_id in (select id from conversations where agent = $1 and user_id = $2)),
              (select count(*) from extractions
               where agent = $1 and conversation_id in (select id from conversations where agent = $1 and user_id = $2)),
              (select count(*) from candidates where agent = $1 and user_id = $2),
              (select count(*) from decisions
               where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)),
              (select count(*) from memories where agent = $1 and user_id = $2),
              (select count(*) from revisions
               where agent = $1 and memory_id in (select id from memories where agent = $1 and user_id = $2)),
              (select count(*) from servings where agent = $1 and user_id = $2),
              (select count(*) from jobs
               where agent = $1 and conversation_id in (select id from conversations where agent = $1 and user_id = $2)),
              (select count(*) from jobs where agent = $1 and user_id = $2 and conversation_id is null)";
        type Counts = (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64);
        let (
            conversations,
            messages,
            extractions,
            candidates,
            decisions,
            memories,
            revisions,
            servings,
            read,
            alone,
        ): Counts = sql(SQL)
            .bind(whom.agent)
            .bind(whom.user)
            .one(&mut self.conn)
            .await?;
        Ok(ErasureCounts {
            conversations,
            messages,
            extractions,
            candidates,
            decisions,
            memories,
            revisions,
            servings,
            jobs: read + alone,
            exports: self.files_that_hold(whom).await?,
        })
    }

    fn erasure_mark(&self, lookup: &[u8]) -> Vec<u8> {
        self.vault.index.hash("erasures.mark", &[&hex(lookup)])
    }

    /// Whether SQLite writes zeros over what it deletes: a key, and the hashes of words, that who has the master key could still use.
    /// PostgreSQL has nothing like it; there they stay in old pages until these are used again.
    pub(crate) async fn overwrite_what_goes(&mut self, on: bool) -> Result<()> {
        let pragma = if on {
            "pragma secure_delete = on"
        } else {
            "pragma secure_delete = off"
        };
        if self.dialect() == Dialect::Sqlite {
            sql(pragma).run(&mut self.conn).await?;
        }
        Ok(())
    }
}
