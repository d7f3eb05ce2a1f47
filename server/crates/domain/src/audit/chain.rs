//! The verifier: walks a chain and names what is wrong with it.
//!
//! It is meant to be run over everything there is, every night and on every request for it: 300,000 events a second on one core are
//! the target. So a body that is spelled as events are is read where it lies, hashes are compared without being written out, and an
//! event without a fault allocates nothing.

use serde::Serialize;

use super::{
    EventBody, Extent, GENESIS, Hash, canonical::Columns, is_hex, leaf_hash, tree::Frontier,
};
use crate::Timestamp;

/// A line of a chain as it is stored: the body, and the columns worked out of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// The column `agent`.
    pub agent: String,
    /// The column `seq`.
    pub seq: i64,
    /// The column `prev_hash`.
    pub prev_hash: Vec<u8>,
    /// The column `hash`.
    pub hash: Vec<u8>,
    /// The column `type`.
    pub r#type: String,
    /// The column `user_id`.
    pub user: Option<String>,
    /// The column `subject`.
    pub subject: String,
    /// The column `at`.
    pub at: Timestamp,
    /// The column `body`, canonical JSON.
    pub body: String,
}

/// What is wrong with a chain. The words are outward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// A number is missing.
    Gap,
    /// A body names another predecessor than the line before.
    Link,
    /// The hash is not that of the body.
    Hash,
    /// The first event does not begin a chain.
    Genesis,
    /// A column says otherwise than the body.
    Column,
    /// The chain ends before, or elsewhere than, its head or a checkpoint says.
    Truncated,
    /// The body cannot be read.
    Body,
    /// The chain says otherwise than a checkpoint of the same size.
    Fork,
    /// A checkpoint is not as it was signed.
    Signature,
    /// Nothing is left of a chain that a checkpoint names.
    Missing,
}

/// A fault, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Fault {
    /// The chain.
    pub agent: String,
    /// The number of the event where it shows.
    pub seq: i64,
    /// What is wrong.
    pub kind: FaultKind,
}

/// Walks one chain, event by event in the order of `seq`.
#[derive(Debug, Clone)]
pub struct Verifier {
    agent: String,
    seq: i64,
    head: Hash,
    /// Grows only as long as a checkpoint lies ahead.
    tree: Frontier,
    /// What checkpoints say of the chain, by size.
    expected: Vec<Extent>,
    /// How many of them the walk has reached.
    reached: usize,
    forked: bool,
    faults: Vec<Fault>,
}

impl Verifier {
    /// Begins at the genesis of `agent`'s chain.
    pub fn new(agent: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            seq: 0,
            head: GENESIS,
            tree: Frontier::default(),
            expected: Vec::new(),
            reached: 0,
            forked: false,
            faults: Vec::new(),
        }
    }

    /// Holds the chain against what checkpoints say of it, in any order. They must have been read before the events were: of events
    /// that came in between a later checkpoint would know more, and the chain would seem cut.
    #[must_use]
    pub fn expecting(mut self, mut extents: Vec<Extent>) -> Self {
        extents.sort_by_key(|extent| extent.size);
        self.expected = extents;
        self.compare_extents();
        self
    }

    /// Takes the next event.
    pub fn next(&mut self, event: &StoredEvent) {
        let first = self.seq == 0;
        let expected = self.seq.saturating_add(1);
        if event.seq != expected {
            self.fault(
                if first {
                    FaultKind::Genesis
                } else {
                    FaultKind::Gap
                },
                event.seq.min(expected),
            );
        }
        let hash = leaf_hash(&event.body);
        if event.hash != hash {
            self.fault(FaultKind::Hash, event.seq);
        }
        if let Some(columns) = Columns::read(&event.body) {
            self.compare_columns(event, &columns, true);
        } else {
            match serde_json::from_str::<EventBody>(&event.body) {
                Err(_) => self.fault(FaultKind::Body, event.seq),
                Ok(body) => {
                    let canonical = body.canonical() == event.body;
                    self.compare_columns(event, &Columns::of(&body), canonical);
                }
            }
        }
        self.seq = event.seq;
        self.head = hash;
        if self.reached < self.expected.len() {
            self.tree.push(hash);
            self.compare_extents();
        }
    }

    /// Ends the walk against the head that the database keeps (`None`: it keeps none).
    pub fn finish(mut self, head: Option<(i64, &[u8])>) -> (i64, Hash, Vec<Fault>) {
        let agrees = match head {
            Some((seq, hash)) => seq == self.seq && hash == self.head,
            None => self.seq == 0,
        };
        let ahead = self.reached < self.expected.len();
        if ahead && self.seq == 0 {
            self.fault(FaultKind::Missing, 0);
        } else if ahead || !agrees {
            self.fault(FaultKind::Truncated, self.seq);
        }
        (self.seq, self.head, self.faults)
    }

    fn compare_columns(&mut self, event: &StoredEvent, body: &Columns<'_>, canonical: bool) {
        let same = canonical
            && body.agent == event.agent
            && body.agent == self.agent
            && body.seq == event.seq
            && is_hex(body.prev_hash, &event.prev_hash)
            && body.r#type.as_str() == event.r#type
            && body.user == event.user.as_deref()
            && body.subject == event.subject
            && body.at_us == event.at.timestamp_micros();
        if !same {
            self.fault(FaultKind::Column, event.seq);
        }
        if !is_hex(body.prev_hash, &self.head) {
            self.fault(
                if self.seq == 0 {
                    FaultKind::Genesis
                } else {
                    FaultKind::Link
                },
                event.seq,
            );
        }
    }

    /// Compares with each checkpoint whose size the walk has come to. By the number of the event and not by how many there were:
    /// after a gap the two differ, and people look for numbers.
    fn compare_extents(&mut self) {
        while let Some(extent) = self.expected.get(self.reached)
            && u64::try_from(self.seq).is_ok_and(|seq| extent.size <= seq)
        {
            let same = *extent == self.tree.extent();
            self.reached += 1;
            // Told once: whatever comes after the first difference differs as well.
            if !same && !self.forked {
                self.forked = true;
                self.fault(FaultKind::Fork, self.seq);
            }
        }
    }

    fn fault(&mut self, kind: FaultKind, seq: i64) {
        self.faults.push(Fault {
            agent: self.agent.clone(),
            seq,
            kind,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{EventActor, EventType, hex, tree::empty_root};

    fn chain(length: i64) -> Vec<StoredEvent> {
        let mut prev = GENESIS;
        (1..=length)
            .map(|seq| {
                let at = Timestamp::UNIX_EPOCH + chrono::TimeDelta::microseconds(seq);
                let body = EventBody {
                    v: 1,
                    agent: "support".into(),
                    seq,
                    prev_hash: hex(&prev),
                    at_us: seq,
                    r#type: EventType::CandidateProposed,
                    actor: EventActor {
                        r#type: "system".into(),
                        id: None,
                    },
                    user: None,
                    subject: format!("cand_{seq}"),
                    data: Default::default(),
                    commitment: None,
                }
                .canonical();
                let event = StoredEvent {
                    agent: "support".into(),
                    seq,
                    prev_hash: prev.to_vec(),
                    hash: leaf_hash(&body).to_vec(),
                    r#type: "candidate.proposed".into(),
                    user: None,
                    subject: format!("cand_{seq}"),
                    at,
                    body,
                };
                prev = leaf_hash(&event.body);
                event
            })
            .collect()
    }

    fn kinds(found: &[Fault]) -> Vec<FaultKind> {
        found.iter().map(|fault| fault.kind).collect()
    }

    fn faults(events: &[StoredEvent], head: &StoredEvent) -> Vec<FaultKind> {
        let mut verifier = Verifier::new("support");
        events.iter().for_each(|event| verifier.next(event));
        kinds(&verifier.finish(Some((head.seq, &head.hash))).2)
    }

    fn extent(events: &[StoredEvent]) -> Extent {
        let mut tree = Frontier::default();
        events
            .iter()
            .for_each(|event| tree.push(leaf_hash(&event.body)));
        tree.extent()
    }

    /// The walk over a chain whose head is true, against checkpoints.
    fn against(events: &[StoredEvent], extents: Vec<Extent>) -> Vec<(FaultKind, i64)> {
        let mut verifier = Verifier::new("support").expecting(extents);
        events.iter().for_each(|event| verifier.next(event));
        let head = events.last().map(|last| (last.seq, last.hash.as_slice()));
        let (_, _, found) = verifier.finish(head);
        found.iter().map(|fault| (fault.kind, fault.seq)).collect()
    }

    #[test]
    fn a_true_chain_has_no_fault_and_each_damage_is_named() {
        let good = chain(5);
        let head = good[4].clone();
        assert_eq!(faults(&good, &head), []);

        let mut dropped = good.clone();
        dropped.remove(2);
        assert!(faults(&dropped, &head).contains(&FaultKind::Gap));

        let mut flipped = good.clone();
        flipped[1].body = flipped[1].body.replace("cand_2", "cand_9");
        assert!(faults(&flipped, &head).contains(&FaultKind::Hash));

        let mut column = good.clone();
        column[3].r#type = "candidate.approved".into();
        assert_eq!(faults(&column, &head), [FaultKind::Column]);

        let mut about = good.clone();
        about[3].user = Some("usr_somebody".into());
        assert_eq!(faults(&about, &head), [FaultKind::Column]);

        assert_eq!(faults(&good[..4], &head), [FaultKind::Truncated]);
        assert!(faults(&good[1..], &head).contains(&FaultKind::Genesis));

        // Rewritten and linked anew: only the head, kept apart, still tells.
        let mut rewritten = chain(4);
        rewritten.extend(chain(5).into_iter().skip(4));
        rewritten[4].body = rewritten[4].body.replace("cand_5", "cand_6");
        rewritten[4].subject = "cand_6".into();
        rewritten[4].hash = leaf_hash(&rewritten[4].body).to_vec();
        assert_eq!(faults(&rewritten, &head), [FaultKind::Truncated]);
    }

    #[test]
    fn a_body_that_can_be_read_but_is_spelled_otherwise_is_a_column_and_one_that_cannot_a_body() {
        let spelled = |from: &str, to: &str| {
            let mut only = chain(1);
            only[0].body = only[0].body.replace(from, to);
            only[0].hash = leaf_hash(&only[0].body).to_vec();
            faults(&only, &only[0])
        };
        assert_eq!(spelled(r#""v":1"#, r#""v": 1"#), [FaultKind::Column]);
        assert_eq!(spelled("cand_1", r"c\u0061nd_1"), [FaultKind::Column]);
        assert_eq!(spelled("{}", r#"{"b":1,"a":1}"#), [FaultKind::Column]);
        // Rare, but canonical.
        assert_eq!(spelled("{}", r#"{"a":0.5,"b":"\n"}"#), []);
        assert_eq!(spelled(r#""v":1"#, ""), [FaultKind::Body]);
        assert_eq!(
            spelled("candidate.proposed", "candidate.sung"),
            [FaultKind::Body]
        );
    }

    #[test]
    fn a_number_at_the_end_of_all_numbers_is_only_a_gap() {
        let mut chain = chain(3);
        chain[1].seq = i64::MAX;
        let head = chain[2].clone();
        assert!(faults(&chain, &head).contains(&FaultKind::Gap));
    }

    #[test]
    fn checkpoints_show_what_links_do_not() {
        let good = chain(9);
        let signed = vec![
            extent(&good[..7]),
            extent(&good[..3]),
            extent(&[]),
            extent(&good),
        ];
        assert_eq!(against(&good, signed.clone()), []);
        // It may have grown since.
        assert_eq!(against(&good, signed[..2].to_vec()), []);

        assert_eq!(
            against(&good[..8], signed.clone()),
            [(FaultKind::Truncated, 8)]
        );
        assert_eq!(against(&[], signed.clone()), [(FaultKind::Missing, 0)]);
        assert_eq!(against(&[], vec![extent(&[])]), []);

        let mut rewritten = good.clone();
        let mut prev: Hash = rewritten[4].hash.as_slice().try_into().unwrap();
        for event in &mut rewritten[5..] {
            event.body = event
                .body
                .replace(&hex(&event.prev_hash), &hex(&prev))
                .replace("cand_6", "cand_x");
            event.subject = event.subject.replace("cand_6", "cand_x");
            event.prev_hash = prev.to_vec();
            prev = leaf_hash(&event.body);
            event.hash = prev.to_vec();
        }
        assert_eq!(against(&rewritten, vec![]), []);
        assert_eq!(
            against(&rewritten, signed[..3].to_vec()),
            [(FaultKind::Fork, 7)]
        );
        assert_eq!(against(&rewritten, signed.clone()), [(FaultKind::Fork, 7)]);
        assert_eq!(
            against(&rewritten[..8], signed.clone()),
            [(FaultKind::Fork, 7), (FaultKind::Truncated, 8)]
        );

        // Two that contradict each other: whoever signed them told two stories.
        let other = Extent {
            size: 3,
            root: empty_root(),
        };
        assert_eq!(
            against(&good, vec![other, signed[1]]),
            [(FaultKind::Fork, 3)]
        );
        let nothing = Extent { size: 0, ..other };
        assert_eq!(against(&good, vec![nothing]), []);
        let no_root = Extent {
            size: 0,
            root: GENESIS,
        };
        assert_eq!(against(&good, vec![no_root]), [(FaultKind::Fork, 0)]);
    }

    #[test]
    fn the_head_a_database_keeps_of_a_chain_that_is_gone_does_not_hide_it() {
        let good = chain(2);
        let gone = Verifier::new("support").expecting(vec![extent(&good)]);
        let (seq, _, found) = gone.finish(Some((2, &good[1].hash)));
        assert_eq!((seq, kinds(&found)), (0, vec![FaultKind::Missing]));
    }

    #[test]
    fn the_body_is_canonical_json_with_sorted_names() {
        let body = &chain(1)[0].body;
        assert!(
            body.starts_with(
                r#"{"actor":{"id":null,"type":"system"},"agent":"support","at_us":1,"#
            ),
            "{body}"
        );
    }
}
