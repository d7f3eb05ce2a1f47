//! When something was changed, and by whom.

use domain::{
    Timestamp, agent::AutoApprove, audit::EventActor, candidate::DecidedBy, id::PersonId,
    permission::Actor,
};

use crate::BulkClaim;

/// What every change is signed with.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// When.
    pub now: Timestamp,
    /// Who.
    pub actor: EventActor,
    /// The same as a decision and a revision have it.
    pub decided_by: DecidedBy,
    /// The bulk that it is a part of (F7).
    pub bulk: Option<InBulk>,
    /// How long a person had in view what they decide on, in milliseconds, where that is known (F11).
    pub took_ms: Option<i64>,
}

/// Of which bulk a decision is an item.
#[derive(Debug, Clone)]
pub struct InBulk {
    /// The bulk, in the hands of who works on it.
    pub claim: BulkClaim,
    /// Whether the candidate is a risky one, decided because an administrator insisted.
    pub insisted: bool,
    /// Until when the claim holds after this decision.
    pub until: Timestamp,
}

impl Stamp {
    /// By an actor.
    pub fn by(actor: &Actor, now: Timestamp) -> Self {
        let person = actor.person().cloned();
        Self {
            now: domain::time::micros(now),
            actor: EventActor::from(actor),
            decided_by: person.map_or(DecidedBy::System, DecidedBy::Person),
            bulk: None,
            took_ms: None,
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
            bulk: None,
            took_ms: None,
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
            bulk: None,
            took_ms: None,
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
