//! When something was changed, and by whom.

use domain::{Timestamp, audit::EventActor, candidate::DecidedBy, id::PersonId, permission::Actor};

/// What every change is signed with.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// When.
    pub now: Timestamp,
    /// Who.
    pub actor: EventActor,
}

impl Stamp {
    /// By an actor.
    pub fn by(actor: &Actor, now: Timestamp) -> Self {
        Self {
            now: domain::time::micros(now),
            actor: EventActor::from(actor),
        }
    }

    /// By Keepsake itself.
    pub fn system(now: Timestamp) -> Self {
        Self::by(&Actor::System, now)
    }

    /// The person who did it, where it was one.
    pub fn person(&self) -> Option<PersonId> {
        let id = self.actor.id.as_deref()?;
        (self.actor.r#type == "person").then(|| PersonId::parse(id).ok())?
    }

    /// The same as a decision and a revision have it.
    pub fn decided_by(&self) -> DecidedBy {
        self.person().map_or(DecidedBy::System, DecidedBy::Person)
    }
}
