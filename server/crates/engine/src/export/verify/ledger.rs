//! What the events promise: the texts they commit to and the servings they tell of, each of which the files after them must make good.

use std::collections::{BTreeSet, HashMap, HashSet, hash_map::Entry};

use domain::audit::{Hash, commitment};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{BundleFaultKind, Findings};
use crate::export::bundle::{EventLine, Hex, Part, Proof};

/// What was noted of the events. Of a text it holds hashes and numbers only, so that millions of them fit into memory.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    texts: HashMap<Hash, Owed>,
    servings: HashMap<Batch, Told>,
    /// Agents and users, by numbers.
    names: HashMap<String, u32>,
    /// Users that were erased: nothing of them is left to be shown.
    erased: HashSet<u32>,
    /// Agents with a user that was erased.
    forgetful: HashSet<u32>,
    /// Agents that were removed whole, and the line of the event that tells of it: nothing from before it is left.
    removed: HashMap<u32, u64>,
    /// Conversations and candidates that retention removed, and the line of the event that tells of it.
    things: HashMap<Thing, u64>,
    /// The chains of agents with made-up people: of one that is there, and of one that was removed, as no other agent is.
    pub(super) made_up: BTreeSet<String>,
    /// Up to when servings of agents were removed by retention, in microseconds since 1970.
    served: HashMap<u32, i64>,
}

/// What an event is about: an agent and a subject, as the first half of their hash.
pub(super) type Thing = [u8; 16];

/// A text that an event commits to.
#[derive(Debug)]
struct Owed {
    /// Which line of which file it must be.
    place: Hash,
    /// The candidate, memory or conversation that it is about.
    thing: Thing,
    agent: u32,
    user: Option<u32>,
    /// The line of the event.
    line: u64,
    used: bool,
}

/// The servings that one event tells of: an agent, and the first of them.
pub(super) type Batch = (String, String);

/// What an event tells of a batch of servings.
#[derive(Debug)]
pub(super) struct Told {
    /// How many.
    pub(super) servings: u64,
    /// The hash over them.
    pub(super) hash: Hash,
    agent: u32,
    /// When the event was written.
    at_us: i64,
    line: u64,
    met: bool,
}

/// Which line of which file a text belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) part: Part,
    pub(super) agent: &'a str,
    pub(super) user: &'a str,
    /// The candidate, memory or conversation.
    pub(super) subject: &'a str,
    /// What tells it apart from others about the same thing: the number of a revision, the id of a decision, the occasion of a remark.
    pub(super) mark: &'a str,
}

impl Place<'_> {
    pub(super) fn hash(&self) -> Hash {
        let mut hasher = Sha256::new();
        for word in [
            self.part.name(),
            self.agent,
            self.user,
            self.subject,
            self.mark,
        ] {
            // No length is the beginning of another, so no two places are written alike.
            hasher.update((word.len() as u64).to_le_bytes());
            hasher.update(word);
        }
        hasher.finalize().into()
    }
}

/// No name of an agent holds a space, so no two are written alike.
pub(super) fn thing(agent: &str, subject: &str) -> Thing {
    let hash: Hash = Sha256::digest(format!("{agent} {subject}")).into();
    let (half, _) = hash.split_at(16);
    half.try_into().unwrap_or_default()
}

/// In which file the text of an event is, and its mark. `None`: events of this type have no text, as far as this version knows.
fn text_of(event: &EventLine) -> Option<(Part, String)> {
    let word = |name: &str| match event.data.get(name) {
        Some(Value::String(word)) => word.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    match event.r#type.as_str() {
        "conversation.received" => Some((Part::Conversations, String::new())),
        "candidate.proposed" => Some((Part::Candidates, String::new())),
        "candidate.approved"
        | "candidate.rejected"
        | "candidate.expired"
        | "candidate.superseded"
        | "candidate.reopened" => Some((Part::Decisions, word("decision"))),
        "candidate.handed_over" => Some((Part::Remarks, "handed_over".to_owned())),
        "candidate.agreed" => Some((Part::Remarks, "agreed".to_owned())),
        "memory.created" | "memory.updated" | "memory.merged" | "memory.restored"
        | "memory.retired" => Some((Part::Memories, word("revision"))),
        _ => None,
    }
}

impl Ledger {
    /// Notes what an event promises, and what it takes back of what others did.
    pub(super) fn note(&mut self, line: u64, event: &EventLine, found: &mut Findings) {
        let agent = self.name(&event.agent);
        match event.r#type.as_str() {
            "user.erased" => {
                let user = self.user(&event.agent, &event.subject);
                self.erased.insert(user);
                self.forgetful.insert(agent);
            }
            "agent.created" if event.subject == event.agent => {
                if event.data.get("demo") == Some(&Value::Bool(true)) {
                    self.made_up.insert(event.agent.clone());
                } else {
                    self.made_up.remove(&event.agent);
                }
            }
            "agent.removed" if event.subject == event.agent => {
                self.removed.insert(agent, line);
                self.made_up.insert(event.agent.clone());
            }
            "conversation.removed" | "candidate.removed" => {
                self.things
                    .insert(thing(&event.agent, &event.subject), line);
            }
            "retention.applied" => {
                let before = event.data.get("servings_before_us").and_then(Value::as_i64);
                if let Some(before) = before {
                    // What comes later cannot have been removed by then.
                    let before = before.min(event.at_us);
                    let upto = self.served.entry(agent).or_insert(before);
                    *upto = before.max(*upto);
                }
            }
            "context.served" => self.note_servings(line, agent, event, found),
            _ => {}
        }
        let Some(commitment) = event.commitment else {
            return;
        };
        let about = text_of(event).map(|(part, mark)| {
            let place = Place {
                part,
                agent: &event.agent,
                user: event.user.as_deref().unwrap_or_default(),
                subject: &event.subject,
                mark: &mark,
            };
            place.hash()
        });
        let owed = Owed {
            // Of another type no line can be the text; it will be missing.
            place: about.unwrap_or_default(),
            thing: thing(&event.agent, &event.subject),
            agent,
            user: event
                .user
                .as_deref()
                .map(|user| self.user(&event.agent, user)),
            line,
            used: false,
        };
        match self.texts.entry(commitment.0) {
            Entry::Vacant(entry) => {
                entry.insert(owed);
            }
            Entry::Occupied(_) => found.add(
                Part::Events.name(),
                Some(line),
                BundleFaultKind::Commitment,
                "another event commits to the same text",
            ),
        }
    }

    fn note_servings(&mut self, line: u64, agent: u32, event: &EventLine, found: &mut Findings) {
        let servings = event.data.get("servings").and_then(Value::as_u64);
        let hash = event.data.get("hash").and_then(Value::as_str);
        let (Some(servings), Some(hash)) = (servings, hash.and_then(Hex::parse)) else {
            let detail = "it does not say how many servings there were, or their hash";
            found.add(
                Part::Events.name(),
                Some(line),
                BundleFaultKind::Serving,
                detail,
            );
            return;
        };
        let told = Told {
            servings,
            hash: hash.0,
            agent,
            at_us: event.at_us,
            line,
            met: false,
        };
        let batch = (event.agent.clone(), event.subject.clone());
        if self.servings.insert(batch, told).is_some() {
            found.add(
                Part::Events.name(),
                Some(line),
                BundleFaultKind::Serving,
                "another event tells of the same servings",
            );
        }
    }

    /// Makes good what an event promised: this text, in this place.
    ///
    /// # Errors
    /// Why no event commits to it.
    pub(super) fn use_up(&mut self, place: Place<'_>, proof: &Proof) -> Result<(), &'static str> {
        let hash = commitment(&proof.salt.0, &proof.committed);
        let owed = self
            .texts
            .get_mut(&hash)
            .ok_or("no event here commits to this text")?;
        if owed.place != place.hash() {
            return Err("the event that commits to this text is about something else");
        }
        if owed.used {
            return Err("the text of this event was there before");
        }
        owed.used = true;
        Ok(())
    }

    /// What an event tells of a batch.
    pub(super) fn told(&self, batch: &Batch) -> Option<&Told> {
        self.servings.get(batch)
    }

    /// Notes that a batch is there; false where it was there before.
    pub(super) fn meet(&mut self, batch: &Batch) -> bool {
        self.servings
            .get_mut(batch)
            .is_some_and(|told| !std::mem::replace(&mut told.met, true))
    }

    /// Whether servings that an event tells of may be missing: users of the agent were erased, or retention removed them.
    pub(super) fn forgot(&self, told: &Told) -> bool {
        let upto = self.served.get(&told.agent);
        let removed = upto.is_some_and(|upto| told.at_us < *upto);
        removed || self.forgetful.contains(&told.agent)
    }

    /// The lines of the events whose servings are nowhere, in their order.
    pub(super) fn unmet(&self) -> Vec<u64> {
        let unmet = self
            .servings
            .values()
            .filter(|told| !told.met && !self.forgot(told) && !self.is_gone(told.agent, told.line));
        let mut lines: Vec<u64> = unmet.map(|told| told.line).collect();
        lines.sort_unstable();
        lines
    }

    /// Tells of every event whose text is not here, unless it cannot be any more.
    pub(super) fn ask_for_the_rest(&self, found: &mut Findings) {
        let missing = self.texts.values().filter(|owed| {
            let erased = owed.user.is_some_and(|user| self.erased.contains(&user));
            let removed = self.things.get(&owed.thing);
            let removed = removed.is_some_and(|upto| owed.line < *upto);
            !owed.used && !erased && !removed && !self.is_gone(owed.agent, owed.line)
        });
        let mut lines: Vec<u64> = missing.map(|owed| owed.line).collect();
        lines.sort_unstable();
        for line in lines {
            let detail =
                "the text that it commits to is not here, and no event tells that it was removed";
            found.add(
                Part::Events.name(),
                Some(line),
                BundleFaultKind::Missing,
                detail,
            );
        }
    }

    fn is_gone(&self, agent: u32, line: u64) -> bool {
        self.removed.get(&agent).is_some_and(|upto| line < *upto)
    }

    fn user(&mut self, agent: &str, user: &str) -> u32 {
        // No name of an agent holds a space.
        self.name(&format!("{agent} {user}"))
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.to_owned(), number);
        number
    }
}
