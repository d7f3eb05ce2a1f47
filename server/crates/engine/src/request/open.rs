//! Registering a request.

use domain::{
    Timestamp,
    agent::AgentName,
    id::RequestId,
    permission::{Permission, Permit},
    request::RequestSort,
    time::Span,
    user::Scope,
};

use super::RequestDetail;
use crate::{
    Engine, again,
    error::{EngineError, Result},
    export::agent,
    need,
};

/// The longest words by which others speak of a person, in characters.
const MOST_WORDS: usize = 200;
/// The longest note, in characters.
pub(super) const MOST_NOTE: usize = 2000;

/// A request that comes in.
#[derive(Debug, Clone)]
pub struct NewRequest {
    /// What is asked for.
    pub sort: RequestSort,
    /// Where the person is looked for; `None`: in all agents.
    pub agent: Option<AgentName>,
    /// Who asks, as the agents name them.
    pub named: Scope,
    /// Words by which others speak of them; `None`: their user id.
    pub words: Option<String>,
    /// What else there is to note.
    pub note: Option<String>,
    /// When it came in; `None`: now.
    pub received_at: Option<Timestamp>,
    /// By when it must be answered; `None`: as the installation is set, counted from when it came in.
    pub due_at: Option<Timestamp>,
}

impl Engine {
    /// Registers a request and looks for the person.
    ///
    /// # Errors
    /// `not_found` for an agent outside the permit; `invalid` where a text is too long, it came in in the future, it is due before it
    /// came in, or all agents are meant and the permit holds for less; `forbidden` for who is no person.
    pub async fn open_request(&self, permit: &Permit, new: NewRequest) -> Result<RequestDetail> {
        need(permit, &[Permission::Export])?;
        let id = again!(self.open_request_once(permit, &new).await)?;
        self.look_for_person(permit, &id).await
    }

    async fn open_request_once(&self, permit: &Permit, new: &NewRequest) -> Result<RequestId> {
        let person = permit.actor().person().ok_or(EngineError::Forbidden)?;
        let stamp = self.stamp(permit);
        fits("/words", new.words.as_deref(), MOST_WORDS)?;
        fits("/note", new.note.as_deref(), MOST_NOTE)?;
        let received_at = domain::time::micros(new.received_at.unwrap_or(stamp.now));
        if received_at > stamp.now {
            let detail = "a time that has passed";
            return Err(EngineError::invalid("/received_at", "future", detail));
        }
        let due_at = match new.due_at {
            Some(due_at) => Some(domain::time::micros(due_at)),
            None => Span::from_std(self.settings().request_deadline)
                .ok()
                .and_then(|span| received_at.checked_add_signed(span)),
        };
        let due_at = due_at
            .filter(|due_at| *due_at > received_at)
            .ok_or_else(|| EngineError::invalid("/due_at", "too_early", "after `received_at`"))?;
        let mut tx = self.write(permit).await?;
        let agent = agent(&mut tx, permit, new.agent.as_ref()).await?;
        let request = store::NewRequest {
            person: person.clone(),
            agent,
            sort: new.sort,
            asked: store::Asked {
                named: new.named.clone(),
                words: new.words.clone(),
                note: new.note.clone(),
            },
            received_at,
            due_at,
        };
        let id = tx.open_request(&request, &stamp).await?;
        tx.commit().await?;
        Ok(id)
    }
}

/// Refuses a text that is too long.
pub(super) fn fits(pointer: &str, text: Option<&str>, most: usize) -> Result<()> {
    if text.is_none_or(|text| text.chars().count() <= most) {
        return Ok(());
    }
    let detail = format!("at most {most} characters");
    Err(EngineError::invalid(pointer, "too_long", detail))
}
