//! Whom a call of mem0 is about.
//!
//! `user_id` is our user; with an `app_id` the pair of them is (D9), so that what one app has the other has not. `agent_id` is the
//! name of the key's agent: it chooses among those that a person's key names, and nothing else. `run_id` is a conversation.

use std::collections::BTreeMap;

use domain::{agent::AgentName, id::ConversationId, permission::Permit, user::Scope};
use engine::{EngineError, FieldError, MemoryFilter, MemoryView};

use crate::{
    api::subject::{fault, field, scope},
    auth::Caller,
    compat::memories,
    problem::Problem,
    state::AppState,
};

/// The names that mem0 gives to those a memory belongs to.
pub const NAMES: [&str; 4] = ["user_id", "agent_id", "app_id", "run_id"];

/// Those of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ids {
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub app_id: Option<String>,
    pub run_id: Option<String>,
}

/// Whom the call is about.
pub struct About {
    pub agent: AgentName,
    pub scope: Scope,
    pub run: Option<String>,
}

impl Ids {
    /// Takes in one more name, from `at`.
    ///
    /// # Errors
    /// There is another one already.
    pub fn set(&mut self, name: &str, value: String, at: &str) -> Result<(), FieldError> {
        let place = match name {
            "user_id" => &mut self.user_id,
            "agent_id" => &mut self.agent_id,
            "app_id" => &mut self.app_id,
            _ => &mut self.run_id,
        };
        if place.as_ref().is_some_and(|there| *there != value) {
            let detail = format!("{name} is given twice, and differently");
            return Err(field(at, "both", detail));
        }
        *place = Some(value);
        Ok(())
    }

    /// Takes in those of a filter beside the ones that were given.
    ///
    /// # Errors
    /// The two differ.
    pub fn with(mut self, others: Self) -> Result<Self, FieldError> {
        let Self {
            user_id,
            agent_id,
            app_id,
            run_id,
        } = others;
        let values = [user_id, agent_id, app_id, run_id];
        for (name, value) in NAMES.into_iter().zip(values) {
            if let Some(value) = value {
                self.set(name, value, &format!("/filters/{name}"))?;
            }
        }
        Ok(self)
    }

    /// Whom they name.
    ///
    /// # Errors
    /// 422 without a `user_id` or for one that cannot be; 404 for an agent outside the key's.
    pub fn about<P>(&self, caller: &Caller<P>) -> Result<About, Problem> {
        let Some(user) = &self.user_id else {
            let detail = "a user_id is needed: what Keepsake remembers is about a person";
            return Err(Problem::invalid("/user_id", "required", detail));
        };
        let scope = match &self.app_id {
            None => scope(Some(user), None),
            Some(app) => {
                let pairs = [("user_id", user), ("app_id", app)];
                let pairs = pairs.map(|(name, value)| (name.to_owned(), value.clone()));
                scope(None, Some(BTreeMap::from(pairs)))
            }
        };
        Ok(About {
            scope: scope.map_err(fault)?,
            agent: self.agent(caller)?,
            run: self.run_id.clone(),
        })
    }

    fn agent<P>(&self, caller: &Caller<P>) -> Result<AgentName, Problem> {
        match &self.agent_id {
            Some(name) => {
                let name = AgentName::parse(name).map_err(|_| Problem::not_found())?;
                caller.agent(Some(&name))
            }
            None => caller.agent(None).map_err(|_| {
                let detail = "this key names several agents: give the name of one as agent_id";
                Problem::invalid("/agent_id", "required", detail)
            }),
        }
    }
}

impl About {
    /// Every approved memory of theirs, newest first; with a `run_id` those said in that conversation. A user has at most as many as
    /// the agent allows.
    ///
    /// # Errors
    /// As [`Engine::memories`](engine::Engine::memories).
    pub async fn memories(
        &self,
        app: &AppState,
        permit: &Permit,
    ) -> Result<Vec<MemoryView>, EngineError> {
        let mut all = memories::all(app, permit, &self.filter()).await?;
        let run = self.run(app, permit).await?;
        all.retain(|memory| run.holds(memory));
        Ok(all)
    }

    /// What the store is asked for.
    pub fn filter(&self) -> MemoryFilter {
        MemoryFilter {
            agent: Some(self.agent.clone()),
            scope: Some(self.scope.clone()),
            ..MemoryFilter::default()
        }
    }

    /// The conversation that is meant.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn run(&self, app: &AppState, permit: &Permit) -> Result<Run, EngineError> {
        let Some(run) = &self.run else {
            return Ok(Run::Any);
        };
        let engine = &app.engine;
        let found = engine.conversation_called(permit, &self.agent, &self.scope, run);
        Ok(Run::Is(found.await?))
    }
}

/// The conversation in which a memory was said.
pub enum Run {
    /// Whichever.
    Any,
    /// This one; `None`: one that there never was.
    Is(Option<ConversationId>),
}

impl Run {
    /// Whether a memory was said there.
    pub fn holds(&self, memory: &MemoryView) -> bool {
        match self {
            Self::Any => true,
            Self::Is(run) => run.is_some() && *run == memory.conversation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_given_twice_must_be_the_same() {
        let named = |id: &str| Ids {
            user_id: Some(id.to_owned()),
            ..Ids::default()
        };
        assert_eq!(named("ana").with(named("ana")), Ok(named("ana")));
        assert_eq!(named("ana").with(Ids::default()), Ok(named("ana")));
        let refused = named("ana").with(named("bo")).unwrap_err();
        assert_eq!(refused.pointer, "/filters/user_id");
    }
}
