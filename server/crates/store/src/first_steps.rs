//! How far an installation has come: what there is of each thing, but for the demo.

use domain::agent::AgentName;

use crate::{
    Result, Tx,
    column::parsed,
    statement::{ScopeColumn, sql},
};

/// What there is within the scope, but for the demo.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstSteps {
    /// The first agent.
    pub agent: Option<AgentName>,
    /// Whether an agent has a key that holds.
    pub key: bool,
    /// Whether a conversation came in.
    pub sent: bool,
    /// Whether anything was decided.
    pub decided: bool,
    /// Whether an agent was told something.
    pub told: bool,
}

impl Tx {
    /// What there is of each thing that one does first.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn first_steps(&mut self) -> Result<FirstSteps> {
        const AGENTS: &str = "
            select agent
            from agents
            where demo = $1";
        let rows: Vec<(String,)> = sql(AGENTS)
            .bind(false)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .push(" order by created_at, agent")
            .all(&mut self.conn)
            .await?;
        let agents: Vec<String> = rows.into_iter().map(|(agent,)| agent).collect();
        Ok(FirstSteps {
            agent: agents.first().map(|name| parsed(name)).transpose()?,
            key: self
                .has_of("select agent from keys where revoked_at is null", &agents)
                .await?,
            sent: self
                .has_of("select agent from conversations where true", &agents)
                .await?,
            decided: self
                .has_of("select agent from decisions where true", &agents)
                .await?,
            told: self
                .has_of("select agent from servings where true", &agents)
                .await?,
        })
    }

    async fn has_of(&mut self, select: &'static str, agents: &[String]) -> Result<bool> {
        let row: Option<(String,)> = sql(select)
            .clause_in(" and agent in (", agents.iter().map(String::as_str))
            .push(" limit 1")
            .optional(&mut self.conn)
            .await?;
        Ok(row.is_some())
    }
}
