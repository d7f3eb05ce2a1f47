//! Agents, their settings and their kinds.

use domain::{
    Timestamp,
    agent::{Agent, AgentName, AgentSettings},
    audit::EventType,
    kind::Kind,
    profile,
};
use serde_json::json;

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, json as from_json, parsed, to_json},
    events::Telling,
    statement::{ScopeColumn, sql},
};

/// The figures of an agent (A12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Figures {
    /// Memories that are served, as their list has them: without profile fields (D6).
    pub approved: i64,
    /// Candidates that wait.
    pub pending: i64,
    /// Candidates that were rejected.
    pub rejected: i64,
    /// Users.
    pub users: i64,
    /// Approved, pending and rejected together.
    pub total: i64,
}

#[derive(sqlx::FromRow)]
struct AgentRow {
    agent: String,
    settings: String,
    version: i64,
    created_at: i64,
}

impl AgentRow {
    fn agent(self) -> Result<Agent> {
        Ok(Agent {
            name: parsed(&self.agent)?,
            settings: from_json(&self.settings)?,
            version: self.version,
            created_at: at(self.created_at)?,
        })
    }
}

#[derive(sqlx::FromRow)]
struct KindRow {
    name: String,
    kind_set: String,
    label: String,
    description: String,
    metadata_schema: Option<String>,
    ttl_days: Option<i64>,
    position: i64,
    cap: Option<i64>,
    always: bool,
    evidence: String,
    enabled: bool,
    guideline: Option<String>,
}

const AGENTS: &str = "
    select agent, settings, version, created_at
    from agents
    where true";

impl Tx {
    /// Makes an agent with its kinds.
    ///
    /// # Errors
    /// [`Error::Exists`] where the name is taken; [`Error::OutOfScope`].
    pub async fn create_agent(
        &mut self,
        name: &AgentName,
        settings: &AgentSettings,
        kinds: &[Kind],
        stamp: &Stamp,
    ) -> Result<Agent> {
        self.make_agent(name, settings, kinds, false, stamp).await
    }

    /// The same; `demo`: of made-up people, which its chain says as well.
    pub(crate) async fn make_agent(
        &mut self,
        name: &AgentName,
        settings: &AgentSettings,
        kinds: &[Kind],
        demo: bool,
        stamp: &Stamp,
    ) -> Result<Agent> {
        const SQL: &str = "
            insert into agents (agent, settings, version, created_at, demo)
            values ($1, $2, 1, $3, $4)";
        self.inside(name)?;
        sql(SQL)
            .bind(name)
            .bind(to_json(settings))
            .bind(stamp.now)
            .bind(demo)
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        for kind in kinds {
            self.write_kind(name, kind).await?;
        }
        let mut data = json!({ "kinds": kinds.len(), "version": 1 });
        if demo {
            data["demo"] = json!(true);
        }
        self.tell(
            Some(name),
            stamp,
            Telling {
                r#type: EventType::AgentCreated,
                user: None,
                subject: name.as_str(),
                data,
                commitment: None,
            },
        );
        Ok(Agent {
            name: name.clone(),
            settings: settings.clone(),
            version: 1,
            created_at: stamp.now,
        })
    }

    /// An agent within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn agent(&mut self, name: &AgentName) -> Result<Option<Agent>> {
        let row: Option<AgentRow> = sql(AGENTS)
            .clause(" and agent = ?", name)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .optional(&mut self.conn)
            .await?;
        row.map(AgentRow::agent).transpose()
    }

    /// The agents within the scope, by name.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn agents(&mut self) -> Result<Vec<Agent>> {
        let rows: Vec<AgentRow> = sql(AGENTS)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .push(" order by agent")
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(AgentRow::agent).collect()
    }

    /// Changes the settings. `version` is the one that was seen, `None` where the newest is meant; `changed` names the settings
    /// for the event.
    ///
    /// # Errors
    /// [`Error::Stale`] where another version is there, or no such agent; [`Error::OutOfScope`].
    pub async fn change_agent(
        &mut self,
        name: &AgentName,
        version: Option<i64>,
        settings: &AgentSettings,
        changed: &[&'static str],
        stamp: &Stamp,
    ) -> Result<Agent> {
        const SQL: &str = "
            update agents
            set settings = $1, version = version + 1
            where agent = $2";
        self.inside(name)?;
        let touched = sql(SQL)
            .bind(to_json(settings))
            .bind(name)
            .clause_if(" and version = ?", version)
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::Stale);
        }
        let agent = self.agent(name).await?.ok_or(Error::Stale)?;
        self.agent_changed(
            name,
            stamp,
            json!({ "settings": changed, "version": agent.version }),
        );
        Ok(agent)
    }

    /// Raises the version of an agent whose kinds have changed; `version` is the one that was seen.
    ///
    /// # Errors
    /// [`Error::Stale`] where another version is there, or no such agent; [`Error::OutOfScope`].
    pub async fn raise_agent(&mut self, name: &AgentName, version: i64) -> Result<Agent> {
        const SQL: &str = "
            update agents
            set version = version + 1
            where agent = $1 and version = $2";
        self.inside(name)?;
        let touched = sql(SQL)
            .bind(name)
            .bind(version)
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::Stale);
        }
        self.agent(name).await?.ok_or(Error::Stale)
    }

    /// The kinds of an agent, in the order of a context block.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn kinds(&mut self, agent: &AgentName) -> Result<Vec<Kind>> {
        const SQL: &str = "
            select name, kind_set, label, description, metadata_schema, ttl_days, position, cap, always, evidence, enabled,
              guideline
            from kinds
            where agent = $1
            order by position, name";
        self.inside(agent)?;
        let rows: Vec<KindRow> = sql(SQL).bind(agent).all(&mut self.conn).await?;
        rows.into_iter()
            .map(|row| {
                Ok(Kind {
                    name: row.name,
                    set: row.kind_set,
                    label: row.label,
                    description: row.description,
                    metadata_schema: row.metadata_schema.as_deref().map(from_json).transpose()?,
                    ttl_days: row.ttl_days,
                    position: row.position,
                    cap: row.cap,
                    always: row.always,
                    evidence: parsed(&row.evidence)?,
                    enabled: row.enabled,
                    guideline: row.guideline,
                })
            })
            .collect()
    }

    /// Adds a row to the registry.
    ///
    /// # Errors
    /// [`Error::Exists`] where the name is taken; [`Error::OutOfScope`]; what the database answers.
    pub async fn create_kind(
        &mut self,
        agent: &AgentName,
        kind: &Kind,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into kinds (agent, name, kind_set, label, description, position, always, evidence, enabled)
            values ($1, $2, $3, '', '', 0, false, $4, false)";
        self.inside(agent)?;
        sql(SQL)
            .bind(agent)
            .bind(kind.name.as_str())
            .bind(kind.set.as_str())
            .bind(kind.evidence.as_str())
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        self.put_kind(agent, kind, stamp).await
    }

    /// Writes a row of the registry: a new kind, or other values of one.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn put_kind(&mut self, agent: &AgentName, kind: &Kind, stamp: &Stamp) -> Result<()> {
        self.inside(agent)?;
        self.write_kind(agent, kind).await?;
        let data = json!({ "settings": ["kinds"], "kind": kind.name });
        self.agent_changed(agent, stamp, data);
        Ok(())
    }

    /// The figures of an agent (A12).
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn figures(&mut self, agent: &AgentName, now: Timestamp) -> Result<Figures> {
        const SQL: &str = "
            select
              (select count(*) from memories
               where agent = $1 and status = 'approved' and (expires_at is null or expires_at > $2) and kind <> $3),
              (select count(*) from candidates where agent = $1 and status = 'pending' and expires_at > $2),
              -- Past its time and not yet moved by the clock counts as rejected already.
              (select count(*) from candidates where agent = $1 and status = 'rejected')
                + (select count(*) from candidates where agent = $1 and status = 'pending' and expires_at <= $2),
              (select count(*) from users where agent = $1)";
        self.inside(agent)?;
        let (approved, pending, rejected, users): (i64, i64, i64, i64) = sql(SQL)
            .bind(agent)
            .bind(now)
            .bind(profile::KIND)
            .one(&mut self.conn)
            .await?;
        Ok(Figures {
            approved,
            pending,
            rejected,
            users,
            total: approved + pending + rejected,
        })
    }

    pub(crate) fn agent_changed(
        &mut self,
        agent: &AgentName,
        stamp: &Stamp,
        data: serde_json::Value,
    ) {
        let telling = Telling {
            r#type: EventType::AgentChanged,
            user: None,
            subject: agent.as_str(),
            data,
            commitment: None,
        };
        self.tell(Some(agent), stamp, telling);
    }

    pub(crate) async fn write_kind(&mut self, agent: &AgentName, kind: &Kind) -> Result<()> {
        const SQL: &str = "
            insert into kinds
              (agent, name, kind_set, label, description, metadata_schema, ttl_days, position, cap, always, evidence, enabled,
               guideline)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            on conflict (agent, name) do update
            set kind_set = excluded.kind_set, label = excluded.label, description = excluded.description,
                metadata_schema = excluded.metadata_schema, ttl_days = excluded.ttl_days, position = excluded.position,
                cap = excluded.cap, always = excluded.always, evidence = excluded.evidence, enabled = excluded.enabled,
                guideline = excluded.guideline";
        sql(SQL)
            .bind(agent)
            .bind(kind.name.as_str())
            .bind(kind.set.as_str())
            .bind(kind.label.as_str())
            .bind(kind.description.as_str())
            .bind(kind.metadata_schema.as_ref().map(to_json))
            .bind(kind.ttl_days)
            .bind(kind.position)
            .bind(kind.cap)
            .bind(kind.always)
            .bind(kind.evidence.as_str())
            .bind(kind.enabled)
            .bind(kind.guideline.as_deref())
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}
