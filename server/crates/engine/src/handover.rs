//! Handing over: to a person who may decide, or to whoever speaks the language of the candidate, with a note (G10). Anybody who may
//! decide may also hand over anew or take back, so that nothing gets stuck with somebody who is away.

use std::collections::HashSet;

use domain::{
    Timestamp,
    agent::AgentName,
    bulk::MOST_PICKED,
    candidate::Candidate,
    id::{CandidateId, PersonId},
    permission::{Actor, Permission, Permit},
};
use serde::Serialize;
use store::{HandedTo, Handover, Person, Tx};

use crate::{
    Engine, again,
    candidate::CandidateView,
    claim::unclaimed,
    error::{EngineError, Result},
    need,
    page::By,
    review::{view, waiting},
    speaks,
    view::Names,
};

/// The longest note, in characters.
const NOTE: usize = 1000;

/// A hand-over, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct HandoverView {
    /// For whom it waits; `None`: for whoever speaks its language.
    pub to: Option<By>,
    /// Who handed it over.
    pub by: By,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What they wrote.
    pub note: Option<String>,
}

impl HandoverView {
    pub(crate) fn new(handover: Handover, name: impl Fn(&PersonId) -> Option<String>) -> Self {
        let by = |person: &PersonId| By::person(person, name(person));
        Self {
            to: handover.to.person().map(by),
            by: by(&handover.by),
            at: handover.at,
            note: handover.note,
        }
    }
}

/// What came of handing several over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandedOver {
    /// How many were.
    pub done: usize,
    /// The others, each with the code of why: `unknown` where the person that was chosen does not decide on it.
    pub failed: Vec<(CandidateId, &'static str)>,
}

/// Somebody who may decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colleague {
    /// Who.
    pub id: PersonId,
    /// Their name.
    pub name: String,
}

impl Engine {
    /// Hands a candidate that waits over; `to` `None`: to whoever speaks its language.
    ///
    /// # Errors
    /// `invalid` for somebody who may not decide on it, and for a note that is too long; `claimed`, `already_decided`, `expired`.
    pub async fn hand_over(
        &self,
        permit: &Permit,
        id: &CandidateId,
        to: Option<PersonId>,
        note: Option<String>,
    ) -> Result<CandidateView> {
        need(permit, &[Permission::Decide])?;
        short_enough(note.as_deref())?;
        let to = to.map_or(HandedTo::Native, HandedTo::Person);
        again!(self.hand_over_once(permit, id, &to, note.as_deref()).await)
    }

    async fn hand_over_once(
        &self,
        permit: &Permit,
        id: &CandidateId,
        to: &HandedTo,
        note: Option<&str>,
    ) -> Result<CandidateView> {
        let stamp = self.stamp(permit);
        let by = stamp.person().ok_or(EngineError::Forbidden)?;
        let mut tx = self.write(permit).await?;
        let candidate = waiting(&mut tx, id, stamp.now).await?;
        unclaimed(&mut tx, &candidate, &stamp).await?;
        if let HandedTo::Person(person) = to {
            if *person == by {
                return Err(yourself());
            }
            let language = &candidate.proposal.language;
            let decides = tx
                .person(person)
                .await?
                .is_some_and(|person| decides(&person, &candidate.agent, language));
            if !decides {
                return Err(EngineError::invalid(
                    "/to",
                    "unknown",
                    "choose somebody who may decide on this candidate",
                ));
            }
        }
        tx.hand_over(&candidate, to, note, &stamp).await?;
        let view = view(&mut tx, id).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Hands several over that wait, at most [`MOST_PICKED`], each in a transaction of its own: one refusal leaves the others handed over.
    ///
    /// # Errors
    /// `invalid` for oneself, for a note that is too long, and for none or too many of them.
    pub async fn hand_over_many(
        &self,
        permit: &Permit,
        picks: &[CandidateId],
        to: Option<&PersonId>,
        note: Option<&str>,
    ) -> Result<HandedOver> {
        need(permit, &[Permission::Decide])?;
        short_enough(note)?;
        if to.is_some() && to == permit.actor().person() {
            return Err(yourself());
        }
        if picks.is_empty() || picks.len() > MOST_PICKED {
            let detail = format!("1 to {MOST_PICKED} candidates are picked");
            return Err(EngineError::invalid("/candidates", "length", detail));
        }
        let mut met = HashSet::new();
        let mut all = HandedOver::default();
        for id in picks.iter().filter(|id| met.insert(*id)) {
            let note = note.map(str::to_owned);
            match self.hand_over(permit, id, to.cloned(), note).await {
                Ok(_) => all.done += 1,
                Err(error) => all.failed.push((id.clone(), code(id, &error))),
            }
        }
        Ok(all)
    }

    /// Candidates as the queue shows them, in this order; those that are not there, or not for the permit, are left out.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn candidates_by_id(
        &self,
        permit: &Permit,
        ids: &[CandidateId],
    ) -> Result<Vec<CandidateView>> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        let mut tx = self.read(permit).await?;
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            rows.extend(tx.candidate(id).await?);
        }
        Names::at(self.now()).candidates(&mut tx, rows).await
    }

    /// Takes a hand-over back. Where there is none, that is well too.
    ///
    /// # Errors
    /// `already_decided`, `expired`; [`EngineError::NotFound`].
    pub async fn take_back(&self, permit: &Permit, id: &CandidateId) -> Result<()> {
        need(permit, &[Permission::Decide])?;
        again!(self.take_back_once(permit, id).await)
    }

    async fn take_back_once(&self, permit: &Permit, id: &CandidateId) -> Result<()> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let candidate = waiting(&mut tx, id, stamp.now).await?;
        tx.take_back(&candidate, &stamp).await?;
        Ok(tx.commit().await?)
    }

    /// The people who may decide in some agent of the permit; where the agent and language of a candidate are given, those to whom it can
    /// be handed over.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn colleagues(
        &self,
        permit: &Permit,
        candidate: Option<(&AgentName, &str)>,
    ) -> Result<Vec<Colleague>> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        let mut tx = self.read(permit).await?;
        let agents: Vec<AgentName> = match candidate {
            Some(_) => Vec::new(),
            None => tx.agents().await?.into_iter().map(|it| it.name).collect(),
        };
        let people = tx.people().await?.into_iter();
        let mut colleagues: Vec<Colleague> = people
            .filter(|person| match candidate {
                Some((agent, language)) => {
                    permit.actor().person() != Some(&person.id) && decides(person, agent, language)
                }
                None => agents
                    .iter()
                    .any(|agent| decision(person).is_some_and(|it| it.scope().contains(agent))),
            })
            .map(|person| Colleague {
                id: person.id,
                name: person.name,
            })
            .collect();
        colleagues.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(colleagues)
    }
}

fn short_enough(note: Option<&str>) -> Result<()> {
    if note.is_some_and(|note| note.chars().count() > NOTE) {
        let most = format!("a note has at most {NOTE} characters");
        return Err(EngineError::invalid("/note", "too_long", most));
    }
    Ok(())
}

fn yourself() -> EngineError {
    EngineError::invalid(
        "/to",
        "yourself",
        "you have it already; choose somebody else, or whoever speaks its language",
    )
}

/// Why one of many was not handed over, in a word; what failed inside goes to the log.
fn code(id: &CandidateId, error: &EngineError) -> &'static str {
    match error {
        EngineError::Invalid(fields) => fields.first().map_or(error.code(), |fault| fault.code),
        EngineError::Internal(source) => {
            tracing::error!(candidate = %id, error = %source, "a candidate could not be handed over");
            error.code()
        }
        error => error.code(),
    }
}

/// A person's permit to decide, where they have one.
fn decision(person: &Person) -> Option<Permit> {
    let actor = Actor::Person {
        id: person.id.clone(),
        name: person.name.clone(),
        grants: person.grants.clone(),
    };
    let here = person.deactivated_at.is_none();
    here.then(|| Permit::ask(actor, Permission::Decide).ok())?
}

/// Whether a person may decide on a candidate of this agent in this language.
fn decides(person: &Person, agent: &AgentName, language: &str) -> bool {
    decision(person).is_some_and(|permit| speaks(&permit, agent, language).is_ok())
}

/// Whether the first of two people may still decide on what they agreed to.
pub(crate) async fn still_decides(
    tx: &mut Tx,
    person: &PersonId,
    candidate: &Candidate,
) -> Result<bool> {
    let person = tx.person(person).await?;
    Ok(person
        .is_some_and(|person| decides(&person, &candidate.agent, &candidate.proposal.language)))
}

/// The languages in which a person is asked where a native speaker is needed: those of their role, else the one that they read the
/// dashboard in.
pub(crate) fn speaks_natively(person: &Person) -> Vec<String> {
    let of_role = decision(person).and_then(|permit| permit.languages());
    of_role.unwrap_or_else(|| person.language.clone().into_iter().collect())
}
