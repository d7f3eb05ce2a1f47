//! Decisions by the hundred: asked for, under way, done, taken back.

use std::collections::BTreeMap;

use app::{
    components::form::Typed,
    pages::{
        bulk::{self, Bulk, Bulks, Item, Matching, One},
        candidate::Standing,
        review,
    },
    shell::Place,
    text::Language,
};
use domain::{
    bulk::{BulkState, BulkVerdict},
    candidate::{Flag, Reason},
    id::BulkId,
    time::Span,
};

use super::{Counter, Page, candidate_id, colleagues, frame, now, queue, rows, sample};

fn id(number: u8) -> BulkId {
    BulkId::new(now(), &Counter(number))
}

fn job(number: u8, verdict: BulkVerdict, state: BulkState, figures: (i64, i64, i64)) -> Bulk {
    let (total, done, failed) = figures;
    Bulk {
        id: id(number),
        verdict,
        state,
        by: "Mia Keller".into(),
        total,
        done,
        failed,
        created_at: now() - Span::minutes(i64::from(number)),
    }
}

fn list() -> Bulks {
    Bulks {
        rows: vec![
            job(
                1,
                BulkVerdict::Approve,
                BulkState::Running,
                (10_000, 4200, 31),
            ),
            job(2, BulkVerdict::Reopen, BulkState::Done, (197, 197, 0)),
            job(3, BulkVerdict::Approve, BulkState::Done, (200, 197, 3)),
            job(4, BulkVerdict::Reject, BulkState::Failed, (60, 50, 0)),
        ],
        next: Some("0.bulk_0".into()),
    }
}

fn item(number: u8, content: &str, language: &str, code: &str) -> Item {
    Item {
        id: candidate_id(number),
        content: content.into(),
        language: language.into(),
        who: "ana".into(),
        code: code.into(),
        told: 2,
    }
}

fn one(bulk: Bulk) -> One {
    let ended = !bulk.state.is_open();
    One {
        can_be_undone: ended && bulk.verdict != BulkVerdict::Reopen,
        bulk,
        reason: None,
        note: Some("Seen together with Aiko".into()),
        error: None,
        undo_of: None,
        undone_by: None,
        reasons: vec![("risky".into(), 2), ("a_new_code".into(), 1)],
        failed: vec![
            item(5, "User lives in Oslo", "en", "already_decided"),
            item(6, "紅茶が好き", "ja", "risky"),
        ],
        next: Some("3.cand_0".into()),
        told: (0, 0),
        served: vec![],
        next_served: None,
    }
}

fn undo() -> One {
    One {
        undo_of: Some(id(3)),
        reasons: vec![],
        failed: vec![],
        next: None,
        told: (2, 4),
        served: vec![item(5, "User lives in Oslo", "en", "")],
        ..one(job(2, BulkVerdict::Reopen, BulkState::Done, (197, 197, 0)))
    }
}

fn matching(verdict: BulkVerdict, count: i64) -> Matching {
    Matching {
        verdict,
        list: "/review?kind=fact".into(),
        count,
        kinds: vec![("fact".into(), count - 4), ("their_own".into(), 4)],
        flags: vec![(Flag::Contradiction, 3), (Flag::BadNumber, 1)],
        risky: 3,
        frozen_at: now(),
        may_insist: true,
        typed: Typed::default(),
    }
}

/// The queue after a form over many: what failed is named and ticked, the number is asked for.
fn bar() -> review::Review {
    let typed = Typed {
        values: BTreeMap::from([("note".to_owned(), "seen together".to_owned())]),
        faults: BTreeMap::from([("confirm".to_owned(), "confirm".to_owned())]),
    };
    let failed = |number: u8, code: &str, pick: bool| review::bulk::Failed {
        id: candidate_id(number),
        content: "User lives in Oslo".into(),
        language: "en".into(),
        who: "ana".into(),
        code: code.into(),
        pick: pick.then(|| format!("{}:1", candidate_id(number))),
    };
    review::Review {
        may_decide: true,
        bulk: review::bulk::Bulk {
            may_insist: true,
            picked: vec![
                format!("{}:1", candidate_id(40)),
                format!("{}:1", candidate_id(41)),
            ],
            asks: Some(34),
            typed,
            failed: Some((
                Some(id(3)),
                vec![
                    failed(40, "risky", true),
                    failed(42, "already_decided", false),
                ],
            )),
            colleagues: colleagues(),
        },
        ..queue(rows(), Some(sample(&[], Standing::Waiting)))
    }
}

/// The pages.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move || frame(language, Place::Review);
    vec![
        ("bulks", Box::new(move || bulk::bulks(&at(), &list()))),
        (
            "bulks-none",
            Box::new(move || {
                let none = Bulks {
                    rows: vec![],
                    next: None,
                };
                bulk::bulks(&at(), &none)
            }),
        ),
        (
            "bulk",
            Box::new(move || {
                bulk::one(
                    &at(),
                    &one(job(3, BulkVerdict::Approve, BulkState::Done, (200, 197, 3))),
                )
            }),
        ),
        (
            "bulk-running",
            Box::new(move || {
                bulk::one(
                    &at(),
                    &one(job(
                        1,
                        BulkVerdict::Approve,
                        BulkState::Running,
                        (10_000, 4200, 31),
                    )),
                )
            }),
        ),
        (
            "bulk-failed",
            Box::new(move || {
                let failed = One {
                    reason: Some(Reason::NotDurable),
                    error: Some("deactivated".into()),
                    undone_by: Some(id(2)),
                    ..one(job(4, BulkVerdict::Reject, BulkState::Failed, (60, 50, 0)))
                };
                bulk::one(&at(), &failed)
            }),
        ),
        ("bulk-undo", Box::new(move || bulk::one(&at(), &undo()))),
        (
            "bulk-matching",
            Box::new(move || bulk::matching(&at(), &matching(BulkVerdict::Approve, 10_000))),
        ),
        (
            "bulk-matching-reject",
            Box::new(move || bulk::matching(&at(), &matching(BulkVerdict::Reject, 12))),
        ),
        (
            "bulk-matching-nothing",
            Box::new(move || bulk::matching(&at(), &matching(BulkVerdict::Reopen, 0))),
        ),
        (
            "review-many",
            Box::new(move || review::review(&at(), bar())),
        ),
    ]
}
