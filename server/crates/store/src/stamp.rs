//! When something was changed, and by whom.

use domain::{
    Timestamp, agent::AutoApprove, audit::EventActor, candidate::DecidedBy, id::PersonId,
    permission::Actor,
};

/// What every change is signed with.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// When.
    pub now: Timestamp,
    /// Who.
    pub actor: EventActor,
    /// The same as a decision and a revision have it.
    pub decided_by: DecidedBy,
}

impl Stamp {
    /// By an actor.
    pub fn by(actor: &Actor, now: Timestamp) -> Self {
        let person = actor.person().cloned();
        Self {
            now: domain::time::micros(now),
            actor: EventActor::from(actor),
            decided_by: person.map_or(DecidedBy::System, DecidedBy::Person),
        }
    }

    /// By a person about whom nothing else is asked: signing in and out.
    pub fn person_alone(person: &PersonId, now: Timestamp) -> Self {
        Self {
            now: domain::time::micros(now),
            actor: EventActor {
                r#type: "person".to_owned(),
                id: Some(person.to_string()),
            },
            decided_by: DecidedBy::Person(person.clone()),
        }
    }

    /// By Keepsake itself.
    pub fn system(now: Timestamp) -> Self {
        Self::by(&Actor::System, now)
    }

    /// By a policy, which names who switched it on.
    pub fn policy(policy: &AutoApprove, now: Timestamp) -> Self {
        Self {
            now: domain::time::micros(now),
            actor: EventActor {
                r#type: "policy".to_owned(),
                id: Some(policy.name.clone()),
            },
            decided_by: DecidedBy::Policy {
                name: policy.name.clone(),
                by: policy.by.clone(),
            },
        }
    }

    /// The person who did it, where it was one.
    pub fn person(&self) -> Option<PersonId> {
        match &self.decided_by {
            DecidedBy::Person(person) => Some(person.clone()),
            DecidedBy::Policy { .. } | DecidedBy::System => None,
        }
    }
}
