//! The agents of an export: whether there is room for them, and what is looked at when all of them are in.

use domain::{
    Timestamp,
    agent::{AgentName, AgentSettings},
    audit::{EventType, SYSTEM_CHAIN},
    kind::Kind,
};
use serde::Serialize;
use serde_json::json;

use crate::{Error, Result, Stamp, Tx, column::to_json, events::Telling, statement::sql};

/// How much came in with an import. Integers alone: the event of the import holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ImportCounts {
    /// Agents.
    pub agents: u64,
    /// Events of their chains.
    pub events: u64,
    /// People.
    pub users: u64,
    /// Posts to conversations.
    pub posts: u64,
    /// Candidates.
    pub candidates: u64,
    /// Decisions.
    pub decisions: u64,
    /// What was written at hand-overs and agreements.
    pub remarks: u64,
    /// Revisions of memories.
    pub revisions: u64,
    /// Answers to `POST /context`.
    pub servings: u64,
}

/// What keeps an import from being whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftover {
    /// A candidate that stands otherwise than its decisions say, or lacks one that an event tells of.
    Decision,
    /// Somebody of whom no event tells that the agent came to know them.
    User,
    /// An id that another agent of this installation has.
    Id,
}

impl Tx {
    /// Whether an agent, or the chain of one that was removed, has this name here.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn knows_agent(&mut self, name: &AgentName) -> Result<bool> {
        const SQL: &str = "
            select agent from agents where agent = $1
            union all
            select agent from heads where agent = $1
            union all
            select agent from events where agent = $1
            limit 1";
        self.inside(name)?;
        let row: Option<(String,)> = sql(SQL).bind(name).optional(&mut self.conn).await?;
        Ok(row.is_some())
    }

    /// Makes room for an agent of an export. When it was made, its chain tells.
    ///
    /// # Errors
    /// [`Error::Exists`] where the name is taken; [`Error::OutOfScope`]; what the database answers.
    pub async fn import_agent(
        &mut self,
        name: &AgentName,
        settings: &AgentSettings,
        kinds: &[Kind],
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into agents (agent, settings, version, created_at)
            values ($1, $2, 1, $3)";
        self.inside(name)?;
        sql(SQL)
            .bind(name)
            .bind(to_json(settings))
            .bind(stamp.now)
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        for kind in kinds {
            self.write_kind(name, kind).await?;
        }
        Ok(())
    }

    /// Notes when an agent was made.
    pub(super) async fn date_agent(&mut self, name: &AgentName, at: Timestamp) -> Result<()> {
        const SQL: &str = "
            update agents
            set created_at = $1
            where agent = $2";
        sql(SQL)
            .bind(at)
            .bind(name)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Goes on counting where the chain has come to: a version in it means one state of the settings.
    pub(super) async fn count_versions(&mut self, name: &AgentName, version: i64) -> Result<()> {
        const SQL: &str = "
            update agents
            set version = $1
            where agent = $2 and version < $1";
        sql(SQL)
            .bind(version)
            .bind(name)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The kinds that candidates and revisions of an agent are of.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn kinds_found(&mut self, agent: &AgentName) -> Result<Vec<String>> {
        const SQL: &str = "
            select kind from candidates where agent = $1
            union
            select kind from revisions where agent = $1
            order by kind";
        self.inside(agent)?;
        let rows: Vec<(String,)> = sql(SQL).bind(agent).all(&mut self.conn).await?;
        Ok(rows.into_iter().map(|(kind,)| kind).collect())
    }

    /// Ends the import of an agent: kinds that its registry lacked, and what was served in answers that are gone. Answers what keeps the
    /// import from being whole.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn settle_import(
        &mut self,
        agent: &AgentName,
        kinds: &[Kind],
    ) -> Result<Option<Leftover>> {
        for kind in kinds {
            self.write_kind(agent, kind).await?;
        }
        self.mark_forgotten_servings(agent).await?;
        self.pass_over_history(agent).await?;
        self.left_over(agent).await
    }

    async fn left_over(&mut self, agent: &AgentName) -> Result<Option<Leftover>> {
        // Each decision that came is told of by an event of its own, so as many of both means that none is missing.
        const UNDECIDED: &str = "
            select c.id
            from candidates c
            left join decisions d on d.agent = c.agent and d.candidate_id = c.id
              and d.version = (
                select max(l.version)
                from decisions l
                where l.agent = c.agent and l.candidate_id = c.id)
            where c.agent = $1
              and (
                (case c.status
                   when 'approved' then d.verdict = 'approve' and d.version = c.version and d.memory_id is not null
                   when 'rejected' then d.verdict = 'reject' and d.version = c.version and d.reason = c.reason
                   else d.verdict is null or d.verdict = 'reopen'
                 end) is not true
                or (select count(*) from decisions m where m.agent = c.agent and m.candidate_id = c.id)
                  <> (select count(*) from events e
                      where e.agent = c.agent and e.subject = c.id
                        and e.type in ('candidate.approved', 'candidate.rejected', 'candidate.expired', 'candidate.superseded',
                          'candidate.reopened')))
            limit 1";
        const UNKNOWN: &str = "
            select u.id
            from users u
            where u.agent = $1
              and not exists (
                select 1 from events e
                where e.agent = u.agent and e.subject = u.id and e.type = 'user.created' and e.at = u.created_at)
            limit 1";
        // Whoever asks by an id alone must find one thing.
        const ELSEWHERE: [&str; 5] = [
            "select a.id from conversations a join conversations b on b.id = a.id and b.agent <> a.agent where a.agent = $1 limit 1",
            "select a.id from candidates a join candidates b on b.id = a.id and b.agent <> a.agent where a.agent = $1 limit 1",
            "select a.id from memories a join memories b on b.id = a.id and b.agent <> a.agent where a.agent = $1 limit 1",
            "select a.id from servings a join servings b on b.id = a.id and b.agent <> a.agent where a.agent = $1 limit 1",
            "select a.id from joins a join joins b on b.id = a.id and b.agent <> a.agent where a.agent = $1 limit 1",
        ];
        let looks = [(UNDECIDED, Leftover::Decision), (UNKNOWN, Leftover::User)];
        let looks = looks
            .into_iter()
            .chain(ELSEWHERE.map(|elsewhere| (elsewhere, Leftover::Id)));
        for (look, left) in looks {
            let found: Option<(String,)> = sql(look).bind(agent).optional(&mut self.conn).await?;
            if found.is_some() {
                return Ok(Some(left));
            }
        }
        Ok(None)
    }

    /// Tells in the chain of the installation what was taken in: the hash of the manifest, which by way of the sums and the signature
    /// stands for the whole bundle.
    pub fn tell_of_bundle(&mut self, manifest: &str, counts: &ImportCounts, stamp: &Stamp) {
        let mut data = json!(counts);
        data["manifest"] = json!(manifest);
        let telling = Telling {
            r#type: EventType::BundleImported,
            user: None,
            subject: SYSTEM_CHAIN,
            data,
            commitment: None,
        };
        self.tell(None, stamp, telling);
    }
}
