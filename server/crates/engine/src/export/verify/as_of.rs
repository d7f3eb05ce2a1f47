//! What stood at an instant (G6): told by `as-of.ndjson`, and worked out here once more, of the events and of the lines that they prove.
//!
//! The files are read a second time for it; what is wrong with their lines was told of the first time. How long what waited got back after
//! a downtime is told in no export of one person, so of a candidate only the least is known until when it waited.

use std::{collections::HashMap, io};

use domain::{Timestamp, audit::Hash, candidate::WAITS_FOR};
use serde_json::Value;

use super::{
    BundleFaultKind, Findings,
    archive::Archive,
    ledger::{Place, Thing, thing},
    lines::{self, Lines},
};
use crate::export::bundle::{
    AsOfLine, CandidateLine, EventLine, Filter, Form, Held, Part, RevisionLine, ServingLine,
};

/// Checks that what was asked for and the files are of one form.
pub(super) fn check_filter(form: Form, filter: &Filter, found: &mut Findings) {
    if form != Form::of(filter) {
        let detail =
            "an export about an instant names it here and has as-of.ndjson; no other has either";
        found.of(Part::Manifest, BundleFaultKind::Form, detail);
    }
    if filter.as_of.is_some() && !filter.holds_a_person_whole() {
        let detail = "an export about an instant is of one person and of the whole time";
        found.of(Part::Manifest, BundleFaultKind::Format, detail);
    }
}

/// Checks what is told of the instant; answers how many lines there are.
pub(super) fn check(
    archive: &mut Archive,
    instant: Option<Timestamp>,
    found: &mut Findings,
) -> io::Result<u64> {
    let Some(instant) = instant else {
        // Told of with the manifest.
        return lines::each(archive, Part::AsOf, found, |_, _, _: AsOfLine| {});
    };
    let then_us = instant.timestamp_micros();
    let mut standing = standing(archive, then_us)?;
    let lines = lines::each(
        archive,
        Part::AsOf,
        found,
        |found, number, line: AsOfLine| {
            let stood = standing.remove(&key(
                line.what,
                line.agent.as_str(),
                line.user.as_str(),
                &line.id,
            ));
            let detail = match stood {
                Some(stood) if stood.is_told_by(&line, then_us) => return,
                Some(_) => "it stood then otherwise than this says",
                None => "it did not stand then, or is told twice",
            };
            found.add(
                Part::AsOf.name(),
                Some(number),
                BundleFaultKind::AsOf,
                detail,
            );
        },
    )?;
    let mut missing: Vec<(Part, u64)> = standing
        .values()
        .filter(|stood| stood.end.is_known(then_us))
        .map(|stood| (stood.part, stood.line))
        .collect();
    missing.sort_unstable();
    for (part, line) in missing {
        let detail = "it stood at the instant, and as-of.ndjson does not tell of it";
        found.add(part.name(), Some(line), BundleFaultKind::AsOf, detail);
    }
    Ok(lines)
}

/// Something that stood at the instant, or may have.
struct Stood {
    /// The file that tells it whole, and the line there.
    part: Part,
    line: u64,
    revision: Option<i64>,
    at_us: i64,
    end: End,
}

/// When something was to end, in microseconds since 1970.
enum End {
    /// Then; `None`: never.
    At(Option<i64>),
    /// Not before that.
    NotBefore(i64),
}

impl End {
    /// Whether it is certain that this stood.
    fn is_known(&self, then_us: i64) -> bool {
        match self {
            Self::At(_) => true,
            Self::NotBefore(end) => *end > then_us,
        }
    }

    fn may_be(&self, told: Option<i64>, then_us: i64) -> bool {
        match self {
            Self::At(end) => told == *end,
            Self::NotBefore(end) => told.is_some_and(|told| told >= *end && told > then_us),
        }
    }
}

impl Stood {
    fn is_told_by(&self, line: &AsOfLine, then_us: i64) -> bool {
        let until = line.until.map(|until| until.timestamp_micros());
        self.revision == line.revision
            && self.at_us == line.at.timestamp_micros()
            && self.end.may_be(until, then_us)
    }
}

/// What a line is about, in few bytes.
fn key(what: Held, agent: &str, user: &str, id: &str) -> Hash {
    let place = Place {
        part: what.part(),
        agent,
        user,
        subject: id,
        mark: "",
    };
    place.hash()
}

/// All that stood at the instant, or may have.
fn standing(archive: &mut Archive, then_us: i64) -> io::Result<HashMap<Hash, Stood>> {
    let mut quiet = Findings::default();
    let mut told = Told::default();
    let mut events = Lines::of(archive, Part::Events)?;
    while let Some(line) = events.next_by(EventLine::read, &mut quiet)? {
        if line.content.at_us <= then_us {
            told.note(&line.content);
        }
    }
    let mut standing = HashMap::new();
    lines::each(
        archive,
        Part::Memories,
        &mut quiet,
        |_, number, line: RevisionLine| {
            let Some((at_us, end)) = told.memory(&line) else {
                return;
            };
            if end.is_some_and(|end| end <= then_us) {
                return;
            }
            let of = key(
                Held::Memory,
                line.agent.as_str(),
                line.user.as_str(),
                line.id.as_str(),
            );
            let stood = Stood {
                part: Part::Memories,
                line: number,
                revision: Some(line.revision),
                at_us,
                end: End::At(end),
            };
            standing.insert(of, stood);
        },
    )?;
    lines::each(
        archive,
        Part::Candidates,
        &mut quiet,
        |_, number, line: CandidateLine| {
            let waits = told
                .waiting
                .get(&thing(line.agent.as_str(), line.id.as_str()));
            let Some(&(at_us, end)) = waits else {
                return;
            };
            let of = key(
                Held::Candidate,
                line.agent.as_str(),
                line.user.as_str(),
                line.id.as_str(),
            );
            let stood = Stood {
                part: Part::Candidates,
                line: number,
                revision: None,
                at_us,
                end: End::NotBefore(end),
            };
            standing.insert(of, stood);
        },
    )?;
    lines::each(
        archive,
        Part::Servings,
        &mut quiet,
        |_, number, line: ServingLine| {
            let at_us = line.at.timestamp_micros();
            if at_us > then_us {
                return;
            }
            let of = key(
                Held::Serving,
                line.agent.as_str(),
                line.user.as_str(),
                line.id.as_str(),
            );
            let stood = Stood {
                part: Part::Servings,
                line: number,
                revision: None,
                at_us,
                end: End::At(None),
            };
            standing.insert(of, stood);
        },
    )?;
    Ok(standing)
}

/// What the events up to the instant tell.
#[derive(Default)]
struct Told {
    /// The last revision of each memory.
    revised: HashMap<Thing, Revised>,
    /// When a memory was said again, and the end that it got with it.
    renewed: HashMap<Thing, Vec<(i64, i64)>>,
    /// Since when a candidate waits, and until when at least.
    waiting: HashMap<Thing, (i64, i64)>,
}

struct Revised {
    revision: Option<i64>,
    at_us: i64,
    retired: bool,
}

impl Told {
    fn note(&mut self, event: &EventLine) {
        let about = thing(&event.agent, &event.subject);
        let number = |name: &str| event.data.get(name).and_then(Value::as_i64);
        match event.r#type.as_str() {
            "memory.created" | "memory.updated" | "memory.merged" | "memory.restored"
            | "memory.retired" => {
                let revised = Revised {
                    revision: number("revision"),
                    at_us: event.at_us,
                    retired: event.r#type == "memory.retired",
                };
                self.revised.insert(about, revised);
            }
            "candidate.seen_again" => {
                if let Some(end) = number("expires_at") {
                    let renewed = self.renewed.entry(about).or_default();
                    renewed.push((event.at_us, end));
                }
            }
            "candidate.proposed" | "candidate.reopened" => {
                let week = WAITS_FOR.num_microseconds().unwrap_or(i64::MAX);
                let end = number("expires_at").unwrap_or(event.at_us.saturating_add(week));
                self.waiting.insert(about, (event.at_us, end));
            }
            "candidate.approved"
            | "candidate.rejected"
            | "candidate.expired"
            | "candidate.superseded" => {
                self.waiting.remove(&about);
            }
            _ => {}
        }
    }

    /// When the revision of a line was made, and when it was to end; `None`: it is not the one that stood.
    fn memory(&self, line: &RevisionLine) -> Option<(i64, Option<i64>)> {
        let about = thing(line.agent.as_str(), line.id.as_str());
        let revised = self.revised.get(&about)?;
        if revised.retired || revised.revision != Some(line.revision) {
            return None;
        }
        // What was said again before this revision renewed the one before it.
        let renewed = self.renewed.get(&about).into_iter().flatten();
        let renewed = renewed.filter(|(said, _)| *said >= revised.at_us);
        let end = line.expires_at.map(|end| {
            renewed.fold(end.timestamp_micros(), |end, (_, renewed)| {
                end.max(*renewed)
            })
        });
        Some((revised.at_us, end))
    }
}
