//! Memories that are told apart by their name alone: fields of profiles and summaries of conversations. What they say is compared only
//! within their slot: "true" in one field is no repetition of "true" in another.

use super::{
    judge::{Judgement, Seen, Stored, StoredMemory, Waiting},
    slot::slot,
};
use crate::{
    candidate::{Action, Flag, Proposal, Target},
    id::{CandidateId, MemoryId},
    profile,
};

/// What is the same value is written the same but for case, space and the marks between items. No normal form: `C` is not `C++`, and
/// `-` may be all the difference.
pub(super) fn plain(content: &str) -> String {
    let marks = content.replace(['、', '，'], ",").replace('；', ";");
    let words: Vec<String> = marks.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").replace(" ,", ",").replace(", ", ",")
}

pub(super) fn same(a: &str, b: &str) -> bool {
    plain(a) == plain(b)
}

/// A field or a summary: set where nothing is, else an update of what is there.
pub(super) fn judge(
    proposal: &Proposal,
    wanted: Option<&StoredMemory>,
    stored: &Stored,
) -> Judgement {
    let own = slot(&proposal.kind, proposal.name.as_deref(), &proposal.content);
    let fills = |kind: &str, name: Option<&str>| own.is_some() && slot(kind, name, "") == own;
    let target = wanted.or_else(|| {
        stored
            .memories
            .iter()
            .find(|memory| fills(&memory.kind, memory.name.as_deref()))
    });
    if let Some(memory) = target.filter(|memory| same(&memory.content, &proposal.content)) {
        return Judgement::SeenAgain(Seen::Memory(memory.id.clone()));
    }
    let waiting: Vec<&Waiting> = stored
        .waiting
        .iter()
        .filter(|waiting| states(waiting) && fills(&waiting.kind, waiting.name.as_deref()))
        .collect();
    if let Some(waiting) = waiting
        .iter()
        .find(|waiting| same(&waiting.content, &proposal.content))
    {
        return Judgement::SeenAgain(Seen::Waiting(waiting.id.clone()));
    }
    if let Some(rejected) = stored.rejected.iter().find(|rejected| {
        rejected.action != Action::Retire
            && fills(&rejected.kind, rejected.name.as_deref())
            && same(&rejected.content, &proposal.content)
    }) {
        return Judgement::Suppressed(rejected.id.clone());
    }
    let contradicts = target.is_some_and(|memory| {
        proposal.kind == profile::KIND && !profile::covers(&proposal.content, &memory.content)
    });
    Judgement::Propose {
        action: target.map_or(Action::Create, |_| Action::Update),
        targets: target
            .map(|memory| Target {
                memory: memory.id.clone(),
                revision: memory.revision,
                absorbed: false,
            })
            .into_iter()
            .collect(),
        flags: contradicts
            .then_some(Flag::Contradiction)
            .into_iter()
            .collect(),
        supersedes: waiting.iter().map(|waiting| waiting.id.clone()).collect(),
    }
}

/// The waiting changes of `memory` that are overtaken when its value is said again: those that leave it out. One that only adds to it
/// stands.
pub(super) fn overtaken(memory: &StoredMemory, stored: &Stored) -> Vec<CandidateId> {
    let own = slot(&memory.kind, memory.name.as_deref(), "");
    stored
        .waiting
        .iter()
        .filter(|waiting| {
            let fills = own.is_some() && slot(&waiting.kind, waiting.name.as_deref(), "") == own;
            let adds =
                waiting.kind == profile::KIND && profile::covers(&waiting.content, &memory.content);
            states(waiting) && fills && !adds && !same(&waiting.content, &memory.content)
        })
        .map(|waiting| waiting.id.clone())
        .collect()
}

fn states(waiting: &Waiting) -> bool {
    matches!(waiting.action, Action::Create | Action::Update)
}

/// Of the memories that "forget that I …" means, best first, those to propose for retirement: the best statement, the best field and
/// the best summary or pattern. A statement and what was made of it go together.
pub fn to_forget(meant: &[MemoryId], stored: &Stored) -> Vec<MemoryId> {
    let sort = |id: &MemoryId| {
        let memory = stored.memories.iter().find(|memory| memory.id == *id)?;
        Some(match memory.kind.as_str() {
            profile::KIND => 0,
            crate::gate::SUMMARY | "pattern" => 1,
            _ => 2,
        })
    };
    let mut seen = Vec::new();
    meant
        .iter()
        .filter(|id| {
            let sort = sort(id);
            let first = !seen.contains(&sort);
            seen.push(sort);
            first
        })
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entropy, Timestamp};

    struct Nth(u8);

    impl Entropy for Nth {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn memory(nth: u8, kind: &str, name: &str, content: &str) -> StoredMemory {
        StoredMemory {
            id: MemoryId::new(Timestamp::UNIX_EPOCH, &Nth(nth)),
            revision: 3,
            kind: kind.to_owned(),
            name: Some(name.to_owned()),
            content: content.to_owned(),
            period: None,
            conversation: None,
        }
    }

    fn waits(nth: u8, name: &str, content: &str) -> Waiting {
        Waiting {
            id: CandidateId::new(Timestamp::UNIX_EPOCH, &Nth(nth)),
            action: Action::Create,
            kind: profile::KIND.to_owned(),
            name: Some(name.to_owned()),
            content: content.to_owned(),
            targets: Vec::new(),
            urgent: false,
        }
    }

    fn field(name: &str, content: &str) -> Proposal {
        Proposal {
            action: Action::Create,
            targets: Vec::new(),
            kind: profile::KIND.to_owned(),
            name: Some(name.to_owned()),
            content: content.to_owned(),
            metadata: Default::default(),
            tags: Vec::new(),
            confidence: 0.9,
            importance: 0.5,
            language: "en".to_owned(),
            flags: Vec::new(),
            evidence: Vec::new(),
            explanation: None,
            cause: None,
        }
    }

    // D3, D4
    #[test]
    fn a_field_is_compared_within_its_own_slot() {
        let stack = memory(1, profile::KIND, "p/stack", "ADK");
        let stored = Stored {
            memories: vec![stack.clone(), memory(2, "preference", "stack", "Python")],
            waiting: vec![waits(3, "p/hobby", "Python")],
            rejected: Vec::new(),
        };
        let judged =
            |name: &str, content: &str| super::super::judge(&field(name, content), &[], &stored);
        let update = |flags: Vec<Flag>| Judgement::Propose {
            action: Action::Update,
            targets: vec![Target {
                memory: stack.id.clone(),
                revision: 3,
                absorbed: false,
            }],
            flags,
            supersedes: Vec::new(),
        };
        assert_eq!(
            judged("p/stack", "ADK, Python"),
            update(vec![]),
            "more is no contradiction"
        );
        assert_eq!(judged("p/stack", "Rust"), update(vec![Flag::Contradiction]));
        assert_eq!(
            judged("p/stack", " adk"),
            Judgement::SeenAgain(Seen::Memory(stack.id.clone()))
        );
        assert_eq!(
            judged("p/hobby", "Python"),
            Judgement::SeenAgain(Seen::Waiting(stored.waiting[0].id.clone()))
        );
        let Judgement::Propose {
            action: Action::Create,
            supersedes,
            ..
        } = judged("p/hobby", "chess")
        else {
            panic!("an empty field is set");
        };
        assert_eq!(supersedes, [stored.waiting[0].id.clone()]);
        assert!(!same("C", "C++") && same("ADK, Python", "adk、Python"));
    }

    // A3
    #[test]
    fn the_approved_value_said_again_overtakes_only_what_leaves_it_out() {
        let stack = memory(1, profile::KIND, "p/stack", "ADK");
        let stored = |waiting: &str| Stored {
            memories: vec![stack.clone()],
            waiting: vec![waits(3, "p/stack", waiting)],
            rejected: Vec::new(),
        };
        assert!(overtaken(&stack, &stored("ADK, Python")).is_empty());
        assert_eq!(overtaken(&stack, &stored("Rust")).len(), 1);
    }
}
