//! The events of a bundle, chain by chain.

use std::io;

use domain::audit::{GENESIS, Hash, leaf_hash};

use super::{BundleFaultKind, Findings, archive::Archive, ledger::Ledger, lines::Lines};
use crate::export::bundle::{EventLine, Part};

/// Reads the events in their order, and says of each what is wrong with it.
pub(super) struct Events<'a> {
    lines: Lines<'a>,
    ledger: &'a mut Ledger,
    found: &'a mut Findings,
    /// The last one that was in its place.
    before: Option<Placed>,
    /// The one that was looked at and not yet taken.
    next: Option<Placed>,
    broken: Option<io::Error>,
}

/// An event in its place.
#[derive(Debug, Clone)]
struct Placed {
    chain: String,
    seq: i64,
    leaf: Hash,
}

impl<'a> Events<'a> {
    pub(super) fn new(
        archive: &'a mut Archive,
        ledger: &'a mut Ledger,
        found: &'a mut Findings,
    ) -> io::Result<Self> {
        Ok(Self {
            lines: Lines::of(archive, Part::Events)?,
            ledger,
            found,
            before: None,
            next: None,
            broken: None,
        })
    }

    /// The chain of the next event; `None` at the end.
    pub(super) fn chain(&mut self) -> Option<String> {
        self.look();
        self.next.as_ref().map(|event| event.chain.clone())
    }

    /// The next event of this chain: its place among the leaves, from 0, and its leaf.
    pub(super) fn next_in(&mut self, chain: &str) -> Option<(u64, Hash)> {
        self.look();
        let event = self.next.take_if(|event| event.chain == chain)?;
        let place = u64::try_from(event.seq - 1).ok()?;
        Some((place, event.leaf))
    }

    pub(super) fn found(&mut self) -> &mut Findings {
        self.found
    }

    /// How many lines there were, after all were read.
    pub(super) fn end(self) -> io::Result<u64> {
        match self.broken {
            None => Ok(self.lines.number()),
            Some(error) => Err(error),
        }
    }

    fn look(&mut self) {
        while self.next.is_none() && self.broken.is_none() {
            match self.lines.next_by(EventLine::read, self.found) {
                Ok(None) => break,
                Ok(Some(line)) => self.next = self.place(line.number, &line.content, &line.text),
                Err(error) => self.broken = Some(error),
            }
        }
    }

    /// The event, if it is in its place: later in its chain than the one before, or in a later chain.
    fn place(&mut self, number: u64, event: &EventLine, text: &str) -> Option<Placed> {
        let mut fault = |kind, detail: &str| {
            self.found
                .add(Part::Events.name(), Some(number), kind, detail);
        };
        if event.v != 1 || event.seq < 1 {
            fault(
                BundleFaultKind::Format,
                "no event has this version or this number",
            );
            return None;
        }
        let before = self.before.take();
        if let Some(before) = &before
            && (event.agent.as_str(), event.seq) <= (before.chain.as_str(), before.seq)
        {
            fault(
                BundleFaultKind::Order,
                "it does not come after the event before it",
            );
            self.before = Some(before.clone());
            return None;
        }
        let follows = match &before {
            _ if event.seq == 1 => event.prev_hash.0 == GENESIS,
            Some(before) if before.chain == event.agent && before.seq + 1 == event.seq => {
                event.prev_hash.0 == before.leaf
            }
            // What lies between is not here; the proof binds both.
            _ => true,
        };
        if !follows {
            fault(
                BundleFaultKind::Link,
                "it does not name the hash of the event before it",
            );
        }
        self.ledger.note(number, event, self.found);
        let placed = Placed {
            chain: event.agent.clone(),
            seq: event.seq,
            leaf: leaf_hash(text),
        };
        self.before = Some(placed.clone());
        Some(placed)
    }
}
