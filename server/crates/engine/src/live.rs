//! What people hear while it happens: what became of candidates, as ids and words, never a text. The audit chains are the source,
//! so that whoever was away hears exactly what they missed.

use std::{collections::BTreeMap, fmt, str::FromStr};

use domain::{
    audit::{EventType, SYSTEM_CHAIN},
    id::PersonId,
    permission::{Permission, Permit},
};
use serde::Serialize;
use store::Wakeups;

use crate::{Engine, error::Result, need, session::IDLE};

/// Most events of one agent that are told one by one; whoever missed more looks at everything again.
const MOST: i64 = 200;

/// How far somebody has heard: the number of the last event of each agent's chain. Written as `support:12,travel:4`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heard(BTreeMap<String, i64>);

impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (chain, seq)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{chain}:{seq}")?;
        }
        Ok(())
    }
}

impl FromStr for Heard {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let pairs = text.split(',').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| {
                let (chain, seq) = pair.split_once(':').unwrap_or((pair, ""));
                Ok((chain.to_owned(), seq.parse()?))
            })
            .collect::<std::result::Result<_, _>>()
            .map(Self)
    }
}

/// One thing that happened to a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Happening {
    /// What.
    pub r#type: EventType,
    /// To which candidate.
    pub id: String,
}

/// What happened since somebody heard last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// This, in the order of each agent's chain; nothing at all where it is empty.
    Happened(Vec<Happening>),
    /// More than is told one by one.
    Much,
}

impl Engine {
    /// Wakes whoever listens when something may have happened.
    pub fn happenings(&self) -> Wakeups {
        self.db().happenings()
    }

    /// The present: nothing of what was before is news.
    ///
    /// # Errors
    /// `forbidden`; the database's.
    pub async fn heard_all(&self, permit: &Permit) -> Result<Heard> {
        need(permit, &[Permission::ReadCandidates])?;
        let heads = self.read(permit).await?.heads().await?;
        Ok(Heard(
            heads
                .into_iter()
                .map(|head| (head.chain, head.seq))
                .collect(),
        ))
    }

    /// What happened to candidates of the permit's agents since `heard`, which moves on.
    ///
    /// # Errors
    /// `forbidden`; the database's.
    pub async fn news(&self, permit: &Permit, heard: &mut Heard) -> Result<News> {
        need(permit, &[Permission::ReadCandidates])?;
        let mut tx = self.read(permit).await?;
        let mut happened = Vec::new();
        let mut much = false;
        let mut present = BTreeMap::new();
        for head in tx.heads().await? {
            let before = heard.0.get(&head.chain).copied().unwrap_or_default();
            if head.chain != SYSTEM_CHAIN && head.seq - before > MOST {
                much = true;
            } else if head.chain != SYSTEM_CHAIN && head.seq > before {
                let events = tx.chain(&head.chain, before, MOST as u32).await?;
                happened.extend(events.into_iter().filter_map(|event| {
                    let r#type: EventType = event.r#type.parse().ok()?;
                    r#type.is_about_a_candidate().then_some(Happening {
                        r#type,
                        id: event.subject,
                    })
                }));
            }
            present.insert(head.chain, head.seq);
        }
        // Only now: a read that failed half way is done again from where it began.
        heard.0 = present;
        Ok(if much {
            News::Much
        } else {
            News::Happened(happened)
        })
    }

    /// Whose sign-in it is, while it lasts. Asking keeps it no longer awake.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn session_person(&self, token: &str) -> Result<Option<PersonId>> {
        let now = self.now();
        let found = self.read_all().await?.load_session(token, now).await?;
        let lasts = found.filter(|session| now - session.last_seen_at < IDLE);
        Ok(lasts.and_then(|session| session.person))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_one_has_heard_is_written_and_read_back() {
        let heard: Heard = "support:12,travel:4".parse().unwrap();
        assert_eq!(heard.to_string(), "support:12,travel:4");
        assert_eq!("".parse(), Ok(Heard::default()));
        assert_eq!(Heard::default().to_string(), "");
        for text in ["support", "support:", "support:x", ":"] {
            assert!(Heard::from_str(text).is_err(), "{text}");
        }
    }
}
