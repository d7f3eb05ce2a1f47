//! What somebody with access to the database can do to a log: of a thousand mutations of one of 10,000 events, with three signed
//! checkpoints, each is found, where it was made, and by its name.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    audit::{
        Checkpoint, EventActor, EventBody, EventType, Extent, Fault, FaultKind, GENESIS, Hash,
        Notes, Signer, StoredEvent, Verifier, hex, leaf_hash, tree::Frontier,
    },
    time::Span,
};

const LENGTH: usize = 10_000;
const SIGNED_AT: [usize; 3] = [2_500, 7_000, 10_000];
const MUTATIONS: usize = 1_000;

/// A verifier is kept each so many events. What lies before a mutation is the true log, so its walk begins at the last one kept.
const STRIDE: usize = 100;

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // The low bits of such a sequence repeat early.
        (self.0 >> 33) as usize % end
    }
}

#[derive(Debug, Clone, Copy)]
enum Mutation {
    /// A bit of a body is turned round.
    Flip,
    /// An event is deleted.
    Drop,
    /// Two neighbours change places, with their numbers or without.
    Swap,
    /// A forged event, linked to the one before it, is put in, and what follows has new numbers or not.
    Insert,
    /// The last events are deleted, and the head is put back or not.
    Cut,
    /// An event is rewritten, and everything after it, and the head, linked anew.
    Rewrite,
    /// Another log, in which nothing is wrong, takes the place of this one.
    Replace,
    /// All events are deleted, and the head or not.
    Remove,
}

impl Mutation {
    const ALL: [Self; 8] = [
        Self::Flip,
        Self::Drop,
        Self::Swap,
        Self::Insert,
        Self::Cut,
        Self::Rewrite,
        Self::Replace,
        Self::Remove,
    ];

    /// What it may be called first.
    fn names(self) -> &'static [FaultKind] {
        use FaultKind::{Column, Fork, Gap, Genesis, Hash, Missing, Truncated};
        match self {
            Self::Flip => &[Hash],
            // The first event: the chain does not begin; the last one: it ends too soon.
            Self::Drop => &[Gap, Genesis, Truncated],
            // Rows that took over each other's numbers say otherwise than their bodies.
            Self::Swap => &[Gap, Genesis, Column],
            // At the end it is the head that knows nothing of it; where a checkpoint ends it is the checkpoint that does not.
            Self::Insert => &[Gap, Column, Truncated, Fork],
            Self::Cut => &[Truncated],
            Self::Rewrite => &[Fork],
            // Before the first checkpoint only its length tells.
            Self::Replace => &[Fork, Truncated],
            Self::Remove => &[Missing],
        }
    }

    /// Whether the log is well-formed afterwards, so that nothing may be said beyond what is expected.
    fn leaves_it_well_formed(self) -> bool {
        matches!(
            self,
            Self::Cut | Self::Rewrite | Self::Replace | Self::Remove
        )
    }
}

struct Log {
    events: Vec<StoredEvent>,
    /// Walked over the first events: none, `STRIDE`, twice as many, and so on.
    walked: Vec<Verifier>,
}

impl Log {
    fn new(events: Vec<StoredEvent>, signed: Vec<Extent>) -> Self {
        let mut verifier = Verifier::new("support").expecting(signed);
        let mut walked = vec![verifier.clone()];
        for (event, count) in events.iter().zip(1_usize..) {
            verifier.next(event);
            if count.is_multiple_of(STRIDE) {
                walked.push(verifier.clone());
            }
        }
        Self { events, walked }
    }

    /// What is found where the first events are as they were and others follow.
    fn faults<'a>(
        &'a self,
        first: usize,
        others: impl IntoIterator<Item = &'a StoredEvent>,
        head: Option<&StoredEvent>,
    ) -> Vec<Fault> {
        let kept = first / STRIDE;
        let mut verifier = self.walked[kept].clone();
        for event in self.events[kept * STRIDE..first].iter().chain(others) {
            verifier.next(event);
        }
        let (_, _, faults) = verifier.finish(head.map(|head| (head.seq, head.hash.as_slice())));
        faults
    }

    fn hash_before(&self, index: usize) -> Hash {
        match index.checked_sub(1) {
            Some(before) => self.events[before].hash.as_slice().try_into().unwrap(),
            None => GENESIS,
        }
    }
}

fn event(seq: i64, prev: Hash, dice: &mut Dice) -> StoredEvent {
    let r#type = EventType::ALL[dice.below(EventType::ALL.len())];
    let user = (dice.below(4) != 0).then(|| format!("usr_{:022}", dice.below(500)));
    let subject = format!("cand_{:022}", dice.below(1 << 30));
    let at = Timestamp::UNIX_EPOCH + Span::days(20_000) + Span::milliseconds(seq);
    let serde_json::Value::Object(data) = serde_json::json!({
        "confidence": dice.below(1_001),
        "kind": "preference",
        "action": "create",
        "targets": [format!("mem_{:022}", dice.below(1 << 30))],
        "version": dice.below(9),
    }) else {
        unreachable!("it is written as an object")
    };
    let body = EventBody {
        v: 1,
        agent: "support".to_owned(),
        seq,
        prev_hash: hex(&prev),
        at_us: at.timestamp_micros(),
        r#type,
        actor: EventActor {
            r#type: "person".to_owned(),
            id: Some(format!("per_{:022}", dice.below(9))),
        },
        user: user.clone(),
        subject: subject.clone(),
        data,
        commitment: (dice.below(2) == 0).then(|| hex(&leaf_hash(&subject))),
    }
    .canonical();
    StoredEvent {
        agent: "support".to_owned(),
        seq,
        prev_hash: prev.to_vec(),
        hash: leaf_hash(&body).to_vec(),
        r#type: r#type.as_str().to_owned(),
        user,
        subject,
        at,
        body,
    }
}

fn log(length: usize, dice: &mut Dice) -> Vec<StoredEvent> {
    let mut events: Vec<StoredEvent> = Vec::with_capacity(length);
    let mut prev = GENESIS;
    for seq in (1..).take(length) {
        let event = event(seq, prev, dice);
        prev = leaf_hash(&event.body);
        events.push(event);
    }
    events
}

/// What three checkpoints say of the chain, out of a file of signed notes.
fn signed(events: &[StoredEvent]) -> Vec<Extent> {
    let signer = Signer::from_seed(&[3; 32], "keepsake/test/system").unwrap();
    let mut tree = Frontier::default();
    let mut file = String::new();
    for (event, count) in events.iter().zip(1..) {
        tree.push(leaf_hash(&event.body));
        if SIGNED_AT.contains(&count) {
            let checkpoint = Checkpoint {
                origin: Checkpoint::origin_of("test"),
                time_us: event.at.timestamp_micros(),
                system: Frontier::default().extent(),
                agents: BTreeMap::from([("support".to_owned(), tree.extent())]),
            };
            file += &checkpoint.sign(&signer).unwrap();
        }
    }
    let notes = Notes::split(&file);
    assert_eq!((notes.whole.len(), notes.cut), (SIGNED_AT.len(), None));
    notes
        .whole
        .iter()
        .map(|note| signer.public_key().open(note).unwrap().agents["support"])
        .collect()
}

/// Links events anew from `prev` on, without writing their bodies from the beginning.
fn link(events: &mut [StoredEvent], mut prev: Hash) {
    const NAME: &str = r#""prev_hash":""#;
    for event in events {
        let at = event.body.find(NAME).unwrap() + NAME.len();
        event.body.replace_range(at..at + 64, &hex(&prev));
        event.prev_hash = prev.to_vec();
        prev = leaf_hash(&event.body);
        event.hash = prev.to_vec();
    }
}

/// Does it at a place of the dice's choice. Answers what is found, and what has to be found first: of what kind, at which number.
fn mutate(
    mutation: Mutation,
    log: &Log,
    foreign: &[Vec<StoredEvent>],
    dice: &mut Dice,
) -> (Vec<Fault>, Vec<(FaultKind, i64)>) {
    let events = &log.events;
    let head = events.last();
    let number = |count: usize| i64::try_from(count).unwrap();
    match mutation {
        Mutation::Flip => {
            let index = dice.below(LENGTH);
            let mut flipped = events[index].clone();
            let mut bytes = flipped.body.into_bytes();
            let byte = dice.below(bytes.len());
            // Bodies are ASCII, and stay text without the highest bit.
            bytes[byte] ^= 1 << dice.below(7);
            flipped.body = String::from_utf8(bytes).unwrap();
            let others = [&flipped].into_iter().chain(&events[index + 1..]);
            let found = log.faults(index, others, head);
            (found, vec![(FaultKind::Hash, number(index + 1))])
        }
        Mutation::Drop => {
            let index = dice.below(LENGTH);
            let found = log.faults(index, &events[index + 1..], head);
            let expected = match index {
                0 => (FaultKind::Genesis, 1),
                _ if index == LENGTH - 1 => (FaultKind::Truncated, number(index)),
                _ => (FaultKind::Gap, number(index + 1)),
            };
            (found, vec![expected])
        }
        Mutation::Swap => {
            let index = dice.below(LENGTH - 1);
            let (mut second, mut first) = (events[index].clone(), events[index + 1].clone());
            let with_numbers = dice.below(2) == 0;
            if !with_numbers {
                std::mem::swap(&mut first.seq, &mut second.seq);
            }
            let others = [&first, &second].into_iter().chain(&events[index + 2..]);
            let found = log.faults(index, others, head);
            let kind = match index {
                _ if !with_numbers => FaultKind::Column,
                0 => FaultKind::Genesis,
                _ => FaultKind::Gap,
            };
            (found, vec![(kind, number(index + 1))])
        }
        Mutation::Insert => {
            let index = dice.below(LENGTH + 1);
            let forged = event(number(index + 1), log.hash_before(index), dice);
            let mut others = vec![forged];
            others.extend_from_slice(&events[index..]);
            let renumbered = dice.below(2) == 0;
            if renumbered {
                for moved in &mut others[1..] {
                    moved.seq += 1;
                }
            }
            let expected = if SIGNED_AT.contains(&(index + 1)) {
                (FaultKind::Fork, index + 1)
            } else if index == LENGTH {
                // With its head it would only be an event more, which no checkpoint rules out.
                (FaultKind::Truncated, index + 1)
            } else if renumbered {
                (FaultKind::Column, index + 2)
            } else {
                (FaultKind::Gap, index + 1)
            };
            let found = log.faults(index, &others, head);
            (found, vec![(expected.0, number(expected.1))])
        }
        Mutation::Cut => {
            let length = 1 + dice.below(LENGTH - 1);
            let head = if dice.below(2) == 0 {
                head
            } else {
                events[..length].last()
            };
            let found = log.faults(length, [], head);
            (found, vec![(FaultKind::Truncated, number(length))])
        }
        Mutation::Rewrite => {
            let index = dice.below(LENGTH);
            let mut others = events[index..].to_vec();
            let rewritten = &mut others[0];
            let subject = std::mem::replace(&mut rewritten.subject, "cand_rewritten".to_owned());
            rewritten.body = rewritten.body.replace(&subject, &rewritten.subject);
            link(&mut others, log.hash_before(index));
            let found = log.faults(index, &others, others.last());
            let next = SIGNED_AT.iter().find(|signed| **signed > index).unwrap();
            (found, vec![(FaultKind::Fork, number(*next))])
        }
        Mutation::Replace => {
            let other = &foreign[dice.below(foreign.len())];
            let length = 1 + dice.below(other.len());
            let others = &other[..length];
            let found = log.faults(0, others, others.last());
            let mut expected = Vec::new();
            if length >= SIGNED_AT[0] {
                expected.push((FaultKind::Fork, number(SIGNED_AT[0])));
            }
            if length < LENGTH {
                expected.push((FaultKind::Truncated, number(length)));
            }
            (found, expected)
        }
        Mutation::Remove => {
            let head = head.filter(|_| dice.below(2) == 0);
            (log.faults(0, [], head), vec![(FaultKind::Missing, 0)])
        }
    }
}

// E2, E4
#[test]
fn each_of_a_thousand_mutations_is_found_and_called_by_its_name() {
    let mut dice = Dice(20_260_714);
    let events = log(LENGTH, &mut dice);
    let signed = signed(&events);
    let log_of_support = Log::new(events, signed);
    assert_eq!(
        log_of_support.faults(LENGTH, [], log_of_support.events.last()),
        []
    );
    let foreign = [LENGTH + 500, LENGTH].map(|length| log(length, &mut dice));

    for (number, mutation) in (0..MUTATIONS).zip(Mutation::ALL.into_iter().cycle()) {
        let (found, expected) = mutate(mutation, &log_of_support, &foreign, &mut dice);
        let found: Vec<(FaultKind, i64)> =
            found.iter().map(|fault| (fault.kind, fault.seq)).collect();
        assert!(
            found.starts_with(&expected),
            "{number}: {mutation:?} shows as {found:?}, not as {expected:?}"
        );
        assert!(mutation.names().contains(&found[0].0), "{mutation:?}");
        if mutation.leaves_it_well_formed() {
            assert_eq!(found, expected, "{number}: {mutation:?}");
        }
    }
}
