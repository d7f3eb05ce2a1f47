//! A person's timeline (F8): what was proposed, decided, served and erased, in one list.
//!
//! An event about what was served tells of a batch, often about several people, so the servings of a person are read from their own
//! rows and put between their events by the time. The cursor says how far each of the two has been read.

use std::collections::HashMap;

use domain::{
    agent::AgentName,
    id::{CandidateId, MemoryId, ServingId},
    permission::{Permission, Permit},
};
use store::{Cursor, Tx};

use crate::{
    Engine,
    audit::EventView,
    error::{EngineError, Result},
    need,
    page::{List, Page},
    serving::{self, ServingView},
    user::{UserRef, find},
    view::Names,
};

/// Something that happened about a person.
#[derive(Debug, Clone)]
pub enum TimelineEntry {
    /// An event of the chain.
    Event {
        /// Itself.
        event: Box<EventView>,
        /// What the candidate or the memory said that it is about, while that is there.
        said: Option<Said>,
    },
    /// An answer that the agent got.
    Served(Box<ServingView>),
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The words.
    pub content: String,
    /// Their language, BCP 47.
    pub language: String,
}

/// How far events and servings have been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Read {
    event: Option<i64>,
    serving: Option<ServingId>,
}

impl Read {
    fn parse(text: &str) -> Option<Self> {
        let (event, serving) = text.split_once('-')?;
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Some(Self {
            event: given(event)
                .map(|seq| seq.parse::<i64>())
                .transpose()
                .ok()?,
            serving: given(serving)
                .map(|id| id.parse::<ServingId>())
                .transpose()
                .ok()?,
        })
    }

    fn written(&self) -> String {
        let event = self.event.map(|seq| seq.to_string());
        let serving = self.serving.as_ref().map(ServingId::as_str);
        format!(
            "{}-{}",
            event.unwrap_or_default(),
            serving.unwrap_or_default()
        )
    }

    fn events(&self, limit: u32) -> store::Page {
        let after = self.event.map(|seq| format!("{seq}.e"));
        store::Page {
            after: after.and_then(|cursor| Cursor::parse(&cursor)),
            limit,
        }
    }

    fn servings(&self, limit: u32) -> store::Page {
        let after = self.serving.as_ref().map(|id| format!("0.{id}"));
        store::Page {
            after: after.and_then(|cursor| Cursor::parse(&cursor)),
            limit,
        }
    }
}

impl Engine {
    /// What happened about a user, with what the agent was told, newest first.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Erased`]; `invalid` for a cursor that is not ours.
    pub async fn timeline_with_servings(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
        wanted: &Page,
    ) -> Result<List<TimelineEntry>> {
        need(permit, &[Permission::ReadUsers])?;
        let mut read = match &wanted.cursor {
            None => Read::default(),
            Some(text) => Read::parse(text).ok_or_else(EngineError::cursor)?,
        };
        let limit = wanted.rows();
        self.flush().await?;
        let mut tx = self.read(permit).await?;
        let user = find(&mut tx, permit, user, agent).await?;
        let mut names = Names::default();
        names.met(&user);
        let events = tx
            .timeline(&user.agent, &user.id, &read.events(limit))
            .await?;
        let servings = tx
            .servings_of(&user.agent, &user.id, None, &read.servings(limit))
            .await?;
        let more = events.next.is_some() || servings.next.is_some();
        let events = names.events(&mut tx, events.rows).await?;
        let servings = serving::outward(&mut tx, &mut names, servings.rows).await?;
        let mut said = said(&mut tx, &user.agent, &events).await?;
        let (mut events, mut servings) = (
            events.into_iter().peekable(),
            servings.into_iter().peekable(),
        );
        let mut data = Vec::new();
        while data.len() < limit as usize {
            let event_is_next = match (events.peek(), servings.peek()) {
                (Some(event), Some(serving)) => event.at >= serving.at,
                (event, _) => event.is_some(),
            };
            if event_is_next && let Some(event) = events.next() {
                read.event = Some(event.seq);
                data.push(TimelineEntry::Event {
                    said: said.remove(&event.seq),
                    event: Box::new(event),
                });
            } else if let Some(serving) = servings.next() {
                read.serving = Some(serving.id.clone());
                data.push(TimelineEntry::Served(Box::new(serving)));
            } else {
                break;
            }
        }
        let left = more || events.peek().is_some() || servings.peek().is_some();
        Ok(List {
            data,
            next: left.then(|| read.written()),
        })
    }
}

/// What the things that events are about said then, by the number of the event.
async fn said(tx: &mut Tx, agent: &AgentName, events: &[EventView]) -> Result<HashMap<i64, Said>> {
    let mut candidates: Vec<CandidateId> = Vec::new();
    let mut revisions: Vec<(MemoryId, i64)> = Vec::new();
    for event in events {
        if let Ok(candidate) = CandidateId::parse(&event.subject) {
            candidates.push(candidate);
        } else if let Some(revision) = revision_of(event) {
            revisions.push(revision);
        }
    }
    candidates.sort_unstable();
    candidates.dedup();
    let candidates = tx.candidates_by_id(agent, &candidates).await?;
    let revisions = tx.revisions_at(agent, &revisions).await?;
    let said = events.iter().filter_map(|event| {
        let candidate = CandidateId::parse(&event.subject).ok();
        let said = match candidate.and_then(|id| candidates.get(&id)) {
            Some(candidate) => Said {
                content: candidate.proposal.content.clone(),
                language: candidate.proposal.language.clone(),
            },
            None => {
                let revision = revisions.get(&revision_of(event)?)?;
                Said {
                    content: revision.content.clone(),
                    language: domain::text::language(&revision.content).to_owned(),
                }
            }
        };
        Some((event.seq, said))
    });
    Ok(said.collect())
}

/// The revision of a memory that an event tells of.
fn revision_of(event: &EventView) -> Option<(MemoryId, i64)> {
    let memory = MemoryId::parse(&event.subject).ok()?;
    Some((memory, event.data.get("revision")?.as_i64()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    // F8
    #[test]
    fn a_cursor_says_how_far_each_was_read_and_reads_back() {
        let serving: ServingId = format!("srv_{}", "0".repeat(26)).parse().unwrap();
        for read in [
            Read::default(),
            Read {
                event: Some(7),
                serving: None,
            },
            Read {
                event: Some(7),
                serving: Some(serving),
            },
        ] {
            assert_eq!(Read::parse(&read.written()), Some(read));
        }
        for odd in ["", "x", "x-", "1-mem_x", "7.e"] {
            assert_eq!(Read::parse(odd), None, "{odd}");
        }
    }
}
