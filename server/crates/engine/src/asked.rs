//! What whoever asked for something may do by now: what is done in the background, a part at a time, is done with the rights that they have
//! then.

use domain::{
    agent::AgentName,
    id::{KeyId, PersonId},
    permission::{Actor, Permission, Permit},
};

use crate::{Engine, error::Result};

impl Engine {
    /// Who asked, a person or through a key of theirs, as long as they administer the agent; else the code of why they do not. Without a
    /// person it was the command line.
    pub(crate) async fn still_administers(
        &self,
        agent: &AgentName,
        person: Option<&PersonId>,
        key: Option<&KeyId>,
    ) -> Result<Result<Actor, &'static str>> {
        let (actor, gone) = match (person, key) {
            (None, _) => (Some(Actor::System), "forbidden"),
            (Some(_), Some(key)) => (self.actor_of_key(key).await?, "key_ended"),
            (Some(person), None) => (self.actor(person).await?, "deactivated"),
        };
        let Some(actor) = actor else {
            return Ok(Err(gone));
        };
        let administers = Permit::ask(actor.clone(), Permission::Administer)
            .is_ok_and(|permit| permit.scope().contains(agent));
        Ok(administers.then_some(actor).ok_or("forbidden"))
    }
}
