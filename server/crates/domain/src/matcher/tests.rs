mod opposite;

use super::*;
use crate::{
    Entropy, Timestamp,
    candidate::{Action, Flag, Proposal, Target},
    id::{CandidateId, MemoryId},
};

struct Byte(u8);
impl Entropy for Byte {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0);
    }
}

fn mem(n: u8) -> MemoryId {
    MemoryId::new(Timestamp::UNIX_EPOCH, &Byte(n))
}

fn cand(n: u8) -> CandidateId {
    CandidateId::new(Timestamp::UNIX_EPOCH, &Byte(n))
}

fn proposal(action: Action, kind: &str, name: Option<&str>, content: &str) -> Proposal {
    Proposal {
        action,
        targets: vec![],
        kind: kind.into(),
        name: name.map(str::to_owned),
        content: content.into(),
        metadata: Default::default(),
        tags: vec![],
        confidence: 0.9,
        importance: 0.7,
        language: "en".into(),
        flags: vec![],
        evidence: vec![],
        explanation: None,
        cause: None,
    }
}

fn says(kind: &str, name: Option<&str>, content: &str) -> Proposal {
    proposal(Action::Create, kind, name, content)
}

fn memory(n: u8, kind: &str, name: Option<&str>, content: &str) -> StoredMemory {
    StoredMemory {
        id: mem(n),
        revision: 3,
        kind: kind.into(),
        name: name.map(str::to_owned),
        content: content.into(),
        period: None,
        conversation: None,
    }
}

fn waiting(n: u8, action: Action, kind: &str, content: &str, targets: Vec<MemoryId>) -> Waiting {
    Waiting {
        id: cand(n),
        action,
        kind: kind.into(),
        name: None,
        content: content.into(),
        targets,
        urgent: false,
    }
}

fn rejected(n: u8, action: Action, content: &str) -> Rejected {
    Rejected {
        id: cand(n),
        action,
        kind: "preference".into(),
        name: None,
        content: content.into(),
    }
}

fn create(flags: &[Flag], supersedes: &[CandidateId]) -> Judgement {
    Judgement::Propose {
        action: Action::Create,
        targets: vec![],
        flags: flags.to_vec(),
        supersedes: supersedes.to_vec(),
    }
}

fn update(n: u8, flags: &[Flag], supersedes: &[CandidateId]) -> Judgement {
    let targets = vec![Target {
        memory: mem(n),
        revision: 3,
        absorbed: false,
    }];
    Judgement::Propose {
        action: Action::Update,
        targets,
        flags: flags.to_vec(),
        supersedes: supersedes.to_vec(),
    }
}

// A3, case same-twice
#[test]
fn what_is_there_already_is_a_sighting() {
    let draft = says("preference", None, "User prefers dark mode.");
    let mut stored = Stored {
        waiting: vec![waiting(
            1,
            Action::Create,
            "preference",
            "User prefers dark mode",
            vec![],
        )],
        ..Default::default()
    };
    assert_eq!(
        judge(&draft, &[], &stored),
        Judgement::SeenAgain(Seen::Waiting(cand(1)))
    );
    stored
        .memories
        .push(memory(2, "preference", None, "I prefer dark mode"));
    assert_eq!(
        judge(&draft, &[], &stored),
        Judgement::SeenAgain(Seen::Memory(mem(2)))
    );
    // Another wording of the same value in a known slot.
    stored.memories.push(memory(
        3,
        "preference",
        Some("favourite player"),
        "User's favourite player is Messi",
    ));
    let again = says(
        "preference",
        None,
        "The user's current favorite player is Messi",
    );
    assert_eq!(
        judge(&again, &[], &stored),
        Judgement::SeenAgain(Seen::Memory(mem(3)))
    );
}

// A3, B5, F2, case update-with-diff
#[test]
fn another_value_of_a_slot_updates_the_approved_one_and_overtakes_what_waits() {
    let stored = Stored {
        memories: vec![memory(
            1,
            "preference",
            Some("favourite player"),
            "User's favourite player is Ronaldo",
        )],
        waiting: vec![waiting(
            2,
            Action::Update,
            "preference",
            "User's favourite player is Neymar",
            vec![mem(1)],
        )],
        ..Default::default()
    };
    let draft = says(
        "preference",
        Some("favourite player"),
        "User's favourite player is Messi",
    );
    assert_eq!(
        judge(&draft, &[], &stored),
        update(1, &[Flag::Contradiction], &[cand(2)])
    );
    // Across languages where the slot is known.
    let draft = says(
        "preference",
        Some("好きな選手"),
        "ユーザーの好きな選手はメッシ",
    );
    assert_eq!(
        judge(&draft, &[], &stored),
        update(1, &[Flag::Contradiction], &[cand(2)])
    );
}

// A3, cases overtaken-while-waiting, numbers-differ
#[test]
fn a_newer_statement_overtakes_the_one_that_waits() {
    let mut oslo = waiting(1, Action::Create, "fact", "User lives in Oslo", vec![]);
    oslo.name = Some("lives in".into());
    let stored = Stored {
        waiting: vec![oslo],
        ..Default::default()
    };
    assert_eq!(
        judge(
            &says("fact", Some("lives in"), "User lives in Bergen"),
            &[],
            &stored
        ),
        create(&[], &[cand(1)])
    );
    let mut budget = waiting(2, Action::Create, "context", "The budget is $500", vec![]);
    budget.name = Some("budget".into());
    let stored = Stored {
        waiting: vec![budget],
        ..Default::default()
    };
    assert_eq!(
        judge(
            &says("context", Some("budget"), "The budget is $5,000"),
            &[],
            &stored
        ),
        create(&[], &[cand(2)])
    );
}

// A3
#[test]
fn whoever_goes_back_to_the_approved_value_overtakes_the_change_that_waits() {
    let stored = Stored {
        memories: vec![
            memory(
                1,
                "preference",
                Some("favourite player"),
                "User's favourite player is Ronaldo",
            ),
            memory(2, "fact", None, "User eats meat"),
            memory(3, "fact", None, "User knows Rust"),
        ],
        waiting: vec![
            waiting(
                4,
                Action::Update,
                "preference",
                "User's favourite player is Messi",
                vec![mem(1)],
            ),
            waiting(
                5,
                Action::Update,
                "fact",
                "User does not eat meat",
                vec![mem(2)],
            ),
            waiting(
                6,
                Action::Update,
                "fact",
                "User knows Rust and Go",
                vec![mem(3)],
            ),
            waiting(
                7,
                Action::Retire,
                "preference",
                "User's favourite player is Ronaldo",
                vec![mem(1)],
            ),
        ],
        ..Default::default()
    };
    let again = says("preference", None, "My favourite player is Ronaldo");
    assert_eq!(
        judge(&again, &[], &stored),
        Judgement::SeenAgain(Seen::Memory(mem(1)))
    );
    assert_eq!(overtaken(&mem(1), &stored), [cand(4)]);
    assert_eq!(overtaken(&mem(2), &stored), [cand(5)]);
    assert!(
        overtaken(&mem(3), &stored).is_empty(),
        "more detail is no other value"
    );
    assert!(overtaken(&mem(9), &stored).is_empty());
}

// F4, cases rejected-before, expired-is-not-rejected
#[test]
fn only_a_persons_rejection_of_the_statement_keeps_it_out() {
    let draft = says("preference", None, "User loves pineapple pizza");
    let stored = Stored {
        rejected: vec![rejected(1, Action::Create, "User loves pineapple pizza.")],
        ..Default::default()
    };
    assert_eq!(judge(&draft, &[], &stored), Judgement::Suppressed(cand(1)));
    assert_eq!(
        judge(
            &says("fact", None, "User loves pineapple pizza"),
            &[],
            &stored
        ),
        Judgement::Suppressed(cand(1))
    );
    let stored = Stored {
        rejected: vec![rejected(1, Action::Retire, "User loves pineapple pizza.")],
        ..Default::default()
    };
    assert_eq!(judge(&draft, &[], &stored), create(&[], &[]));
    assert_eq!(judge(&draft, &[], &Stored::default()), create(&[], &[]));
}

// cases cjk-not-similar, cjk-unrelated
#[test]
fn unrelated_statements_leave_each_other_alone() {
    let stored = Stored {
        waiting: vec![waiting(
            1,
            Action::Create,
            "fact",
            "Plan は毎週月曜に更新される",
            vec![],
        )],
        ..Default::default()
    };
    assert_eq!(
        judge(&says("fact", None, "Plan の予算は 50 万円"), &[], &stored),
        create(&[], &[])
    );
    let stored = Stored {
        memories: vec![memory(1, "context", None, "用户想周游世界")],
        ..Default::default()
    };
    assert_eq!(
        judge(
            &says("preference", None, "用户喜欢在周末吃夜宵"),
            &[],
            &stored
        ),
        create(&[], &[])
    );
}

// B5
#[test]
fn a_denial_is_an_update_and_other_figures_are_flagged() {
    let stored = Stored {
        memories: vec![
            memory(1, "fact", None, "User eats meat"),
            memory(2, "fact", None, "User's team has 5 people"),
        ],
        ..Default::default()
    };
    assert_eq!(
        judge(&says("fact", None, "User does not eat meat"), &[], &stored),
        update(1, &[Flag::Contradiction], &[])
    );
    assert_eq!(
        judge(
            &says("fact", None, "User's team has 7 people"),
            &[],
            &stored
        ),
        create(&[Flag::Contradiction], &[])
    );
    let series = Stored {
        memories: vec![memory(3, "metric", None, "CTR of Alpha was 5% in week 1")],
        ..Default::default()
    };
    assert_eq!(
        judge(
            &says("metric", None, "CTR of Alpha was 7% in week 2"),
            &[],
            &series
        ),
        create(&[], &[])
    );
}

#[test]
fn what_is_close_is_only_flagged() {
    let stored = Stored {
        memories: vec![memory(
            1,
            "preference",
            None,
            "User prefers short texts with code examples",
        )],
        ..Default::default()
    };
    let draft = says(
        "preference",
        None,
        "User prefers short texts with a code example",
    );
    assert_eq!(
        judge(&draft, &[], &stored),
        create(&[Flag::PossibleDuplicate], &[])
    );
    // The same words under another kind are for a person to see, not for a machine to drop.
    assert_eq!(
        judge(
            &says("fact", None, "User prefers short texts with code examples"),
            &[],
            &stored
        ),
        create(&[Flag::PossibleDuplicate], &[])
    );
}

#[test]
fn targets_that_an_extractor_named_are_taken_when_they_exist() {
    let stored = Stored {
        memories: vec![
            memory(1, "fact", None, "User knows Rust"),
            memory(2, "fact", None, "User knows Python"),
        ],
        ..Default::default()
    };
    let draft = proposal(Action::Update, "fact", None, "User knows Rust and Go");
    assert_eq!(judge(&draft, &[mem(1)], &stored), update(1, &[], &[]));
    // A12: what would overwrite another thing, on the extractor's word alone, is for a person.
    let other = proposal(Action::Update, "preference", None, "User likes tea");
    assert_eq!(
        judge(&other, &[mem(1)], &stored),
        update(1, &[Flag::Contradiction], &[])
    );
    let worded = proposal(Action::Update, "fact", None, "User's knowledge: Rust");
    assert_eq!(
        judge(&worded, &[mem(1)], &stored),
        update(1, &[Flag::Contradiction], &[])
    );
    assert_eq!(judge(&draft, &[mem(9)], &stored), create(&[], &[]));
    let Judgement::Propose {
        action, targets, ..
    } = judge(
        &proposal(Action::Merge, "fact", None, "User knows Rust and Python"),
        &[mem(2), mem(1), mem(2)],
        &stored,
    )
    else {
        panic!("a merge is proposed");
    };
    let kept: Vec<_> = targets
        .iter()
        .map(|target| (target.memory.clone(), target.absorbed))
        .collect();
    assert_eq!(
        (action, kept),
        (Action::Merge, vec![(mem(2), false), (mem(1), true)])
    );
}

// G1
#[test]
fn forgetting_finds_what_is_meant() {
    let stored = Stored {
        memories: vec![
            memory(1, "fact", None, "User lives in Oslo"),
            memory(2, "preference", None, "User prefers dark mode"),
            memory(3, "preference", None, "用户喜欢吃素"),
            memory(4, "fact", None, "ユーザーは東京に住んでいる"),
            memory(5, "fact", None, "User works as a nurse"),
        ],
        ..Default::default()
    };
    assert_eq!(meant("forget that I prefer dark mode", &stored), [mem(2)]);
    assert_eq!(meant("I live in Oslo", &stored).first(), Some(&mem(1)));
    assert_eq!(meant("I work as a nurse", &stored), [mem(5)]);
    assert_eq!(meant("忘掉我喜欢吃素", &stored), [mem(3)]);
    assert_eq!(meant("東京に住んでいることは忘れて", &stored), [mem(4)]);
    assert!(meant("forget that I own a boat", &stored).is_empty());
    let retire = proposal(Action::Retire, "preference", None, "User prefers dark mode");
    let Judgement::Propose {
        action: Action::Retire,
        targets,
        ..
    } = judge(&retire, &[], &stored)
    else {
        panic!("a retirement is proposed");
    };
    assert_eq!(targets[0].memory, mem(2));
    let nothing = proposal(Action::Retire, "fact", None, "User owns a boat");
    assert_eq!(judge(&nothing, &[], &stored), Judgement::NoTarget);
    let again = Stored {
        waiting: vec![waiting(
            7,
            Action::Retire,
            "preference",
            "User prefers dark mode",
            vec![mem(2)],
        )],
        ..stored
    };
    assert_eq!(
        judge(&retire, &[], &again),
        Judgement::SeenAgain(Seen::Waiting(cand(7)))
    );
    let wish = Proposal {
        flags: vec![Flag::AskedToForget],
        ..retire
    };
    let Judgement::Propose { supersedes, .. } = judge(&wish, &[], &again) else {
        panic!("the user's own wish takes the place of another retirement");
    };
    assert_eq!(supersedes, [cand(7)]);
    let mut wished = again;
    wished.waiting[0].urgent = true;
    assert_eq!(
        judge(&wish, &[], &wished),
        Judgement::SeenAgain(Seen::Waiting(cand(7)))
    );
}

// G1
#[test]
fn what_waits_and_is_to_be_forgotten_is_found_and_nothing_else() {
    let fact = |n: u8, content: &str| waiting(n, Action::Create, "fact", content, Vec::new());
    let stored = Stored {
        waiting: vec![
            fact(1, "User lives in Oslo"),
            fact(2, "User lives in Munich"),
            fact(3, "User eats meat"),
            waiting(
                4,
                Action::Update,
                "fact",
                "ユーザーは東京に住んでいる",
                vec![mem(4)],
            ),
            waiting(
                5,
                Action::Retire,
                "fact",
                "User lives in Oslo",
                vec![mem(5)],
            ),
            waiting(
                6,
                Action::Merge,
                "fact",
                "User lives in Oslo with cats",
                vec![mem(6), mem(7)],
            ),
            fact(7, "User works with a vegetarian colleague"),
            fact(8, "User sails a boat from Bergen to Stavanger every summer"),
        ],
        ..Default::default()
    };
    assert!(meant_waiting("I am vegetarian", &stored).is_empty());
    assert!(meant_waiting("my boat", &stored).is_empty());
    assert_eq!(meant_waiting("I live in Oslo", &stored), [cand(1), cand(6)]);
    assert_eq!(meant_waiting("I live in Munich", &stored), [cand(2)]);
    assert_eq!(meant_waiting("東京に住んでいる", &stored), [cand(4)]);
    assert_eq!(meant_waiting("I eat meat", &stored), [cand(3)]);
    assert!(meant_waiting("I don't eat meat", &stored).is_empty());
    assert!(meant_waiting("I own a boat", &stored).is_empty());
}
