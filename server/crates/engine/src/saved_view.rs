//! Filters of the queue that a person keeps under a name of their own.

use domain::{
    agent::AgentName,
    id::{PersonId, ViewId},
    permission::{Actor, Permission, Permit},
};
use store::Tx;
use url::form_urlencoded;

use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
};

pub use store::SavedView;

/// The most views of a person.
const MOST: usize = 30;
/// The longest name, in characters.
const NAME: usize = 60;
/// The longest filter, in bytes of its address.
const QUERY: usize = 2000;

impl Engine {
    /// The views of the person; for a key of one agent those that show this agent.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`].
    pub async fn saved_views(&self, permit: &Permit) -> Result<Vec<SavedView>> {
        let person = owner(permit)?;
        let mut tx = self.read(permit).await?;
        within_reach(&mut tx, permit, person).await
    }

    /// Keeps a filter, as the query of its address, under a name. With a key of one agent it has to show this agent.
    ///
    /// # Errors
    /// `name_taken`; `invalid` for a name or filter that is empty or too long, for a filter of other agents, and for one view too many;
    /// [`EngineError::Forbidden`] for a key that does not decide.
    pub async fn save_view(&self, permit: &Permit, name: &str, query: &str) -> Result<SavedView> {
        if query.is_empty() || query.len() > QUERY {
            let some = "filter something first, by less than 2000 characters";
            return Err(EngineError::invalid("/query", "length", some));
        }
        if let Some(agent) = agent_of_key(permit)
            && !shows(query, agent)
        {
            let within = format!("this key is for {agent}; add agent={agent} to the filter");
            return Err(EngineError::invalid("/query", "outside_agent", within));
        }
        let name = named(name)?;
        again!(self.save_view_once(permit, name, query).await)
    }

    async fn save_view_once(&self, permit: &Permit, name: &str, query: &str) -> Result<SavedView> {
        let stamp = self.stamp(permit);
        let person = writer(permit)?;
        let mut tx = self.write(permit).await?;
        let views = tx.saved_views(person).await?;
        if views.len() >= MOST {
            let most = format!("there is room for {MOST} views; remove one first");
            return Err(EngineError::invalid("/name", "too_many", most));
        }
        if views.iter().any(|view| view.name == name) {
            return Err(EngineError::NameTaken);
        }
        let view = tx.save_view(person, name, query, &stamp).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Gives a view another name.
    ///
    /// # Errors
    /// `name_taken`, `invalid`; [`EngineError::NotFound`]; [`EngineError::Forbidden`] for a key that does not decide.
    pub async fn rename_view(&self, permit: &Permit, id: &ViewId, name: &str) -> Result<SavedView> {
        let name = named(name)?;
        again!(self.rename_view_once(permit, id, name).await)
    }

    async fn rename_view_once(
        &self,
        permit: &Permit,
        id: &ViewId,
        name: &str,
    ) -> Result<SavedView> {
        let person = writer(permit)?;
        let mut tx = self.write(permit).await?;
        let view = reached(&mut tx, permit, person, id).await?;
        let views = tx.saved_views(person).await?;
        if views
            .iter()
            .any(|other| other.id != *id && other.name == name)
        {
            return Err(EngineError::NameTaken);
        }
        let view = SavedView {
            name: name.to_owned(),
            ..view
        };
        tx.change_view(person, &view).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Removes a view.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Forbidden`] for a key that does not decide.
    pub async fn remove_view(&self, permit: &Permit, id: &ViewId) -> Result<()> {
        again!(self.remove_view_once(permit, id).await)
    }

    async fn remove_view_once(&self, permit: &Permit, id: &ViewId) -> Result<()> {
        let person = writer(permit)?;
        let mut tx = self.write(permit).await?;
        reached(&mut tx, permit, person, id).await?;
        if !tx.remove_view(person, id).await? {
            return Err(EngineError::NotFound);
        }
        Ok(tx.commit().await?)
    }
}

/// Whose views: only a person has some.
fn owner(permit: &Permit) -> Result<&PersonId> {
    need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
    permit.actor().person().ok_or(EngineError::Forbidden)
}

/// Whose views are changed. A key that only reads changes none.
fn writer(permit: &Permit) -> Result<&PersonId> {
    if matches!(permit.actor(), Actor::PersonKey { .. }) {
        need(permit, &[Permission::Decide])?;
    }
    owner(permit)
}

/// The one agent of the key; `None` for a key of all agents, and without a key.
fn agent_of_key(permit: &Permit) -> Option<&AgentName> {
    match permit.actor() {
        Actor::PersonKey { agent, .. } => agent.as_ref(),
        _ => None,
    }
}

/// Whether a filter shows this agent and no other.
fn shows(query: &str, agent: &AgentName) -> bool {
    let mut agents = form_urlencoded::parse(query.as_bytes())
        .filter(|(name, _)| name == "agent")
        .map(|(_, value)| value)
        .peekable();
    agents.peek().is_some() && agents.all(|value| value == agent.as_str())
}

/// The views of a person that the caller reaches.
async fn within_reach(tx: &mut Tx, permit: &Permit, person: &PersonId) -> Result<Vec<SavedView>> {
    let mut views = tx.saved_views(person).await?;
    if let Some(agent) = agent_of_key(permit) {
        views.retain(|view| shows(&view.query, agent));
    }
    Ok(views)
}

/// One of them.
async fn reached(
    tx: &mut Tx,
    permit: &Permit,
    person: &PersonId,
    id: &ViewId,
) -> Result<SavedView> {
    let views = within_reach(tx, permit, person).await?;
    let view = views.into_iter().find(|view| view.id == *id);
    view.ok_or(EngineError::NotFound)
}

fn named(name: &str) -> Result<&str> {
    let name = name.trim();
    let length = name.chars().count();
    if (1..=NAME).contains(&length) && !name.chars().any(char::is_control) {
        return Ok(name);
    }
    let most = format!("a name has 1 to {NAME} characters");
    Err(EngineError::invalid("/name", "length", most))
}
