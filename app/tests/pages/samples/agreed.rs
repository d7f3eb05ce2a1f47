//! Two people who must agree, a memory that was recalled, a digest.

use std::collections::BTreeMap;

use app::{
    components::form::Typed,
    pages::{
        account::{self, Digest},
        candidate::{self, Agreed, Recalled, Standing},
        memory::{self, How, Made, MadeIn, Reach, ToldSession},
    },
    shell::Place,
    text::Language,
};
use domain::{
    memory::{MemoryStatus, RetiredFor},
    time::Span,
};

use super::{Page, candidate_id, frame, memory_id, now, one_memory, sample};

fn agreed(own: bool) -> candidate::Candidate {
    candidate::Candidate {
        agreed: Some(Agreed {
            by: "Mia Keller".into(),
            own,
            at: Some(now() - Span::minutes(7)),
            diff: domain::diff::words("User lives in Oslo", "User lives in Oslo, Norway"),
            changes: vec![("Importance".into(), "0.90".into())],
            merges: false,
            note: Some("as in the contract".into()),
        }),
        ..sample(&[], Standing::Waiting)
    }
}

fn approved() -> candidate::Candidate {
    let standing = Standing::Approved {
        by: "山本ゆき".into(),
        at: now() - Span::minutes(3),
        memory: Some(memory_id()),
        edit: vec![],
        note: None,
    };
    candidate::Candidate {
        agreed: Some(Agreed {
            by: "Mia Keller".into(),
            own: false,
            at: None,
            diff: vec![],
            changes: vec![],
            merges: false,
            note: None,
        }),
        recalled: Some(Recalled {
            by: "Mia Keller".into(),
            at: now() - Span::minutes(1),
            reason: Some("It is her sister who lives there".into()),
        }),
        ..sample(&[], standing)
    }
}

fn recalled() -> memory::Memory {
    let session = |conversation: Option<&str>, times| ToldSession {
        conversation: conversation.map(str::to_owned),
        revisions: vec![3, 2],
        times,
        last_at: now() - Span::hours(4),
    };
    let made = |how, place| Made {
        how,
        place,
        content: "User asks for a table in every session".into(),
        language: "en".into(),
        kind: "pattern".into(),
    };
    memory::Memory {
        reason: Some(RetiredFor::Recalled),
        reach: Reach {
            recalled: Some((
                "Mia Keller".into(),
                now() - Span::minutes(1),
                Some("It is her sister who lives there".into()),
            )),
            told: vec![session(Some("c-18"), 4), session(None, 1)],
            times: 12_005,
            made: vec![
                made(
                    How::Pattern,
                    MadeIn::Memory {
                        id: memory_id(),
                        served: true,
                    },
                ),
                made(
                    How::Merge,
                    MadeIn::Memory {
                        id: memory_id(),
                        served: false,
                    },
                ),
                made(How::Summary, MadeIn::Candidate(candidate_id(3))),
            ],
        },
        ..one_memory(MemoryStatus::Retired)
    }
}

fn digest() -> Digest {
    Digest {
        on: true,
        hour: 9,
        weekdays: vec![1, 2, 3, 4, 5],
        zone: "Asia/Tokyo".into(),
        zones: vec!["Asia/Tokyo".into(), "Europe/Oslo".into(), "UTC".into()],
        by: "webhook".into(),
        shape: "teams".into(),
        url: "https://hooks.example/services/x".into(),
        mail_to: Some("mia@example.com".into()),
        saved: true,
        next_at: Some(now() + Span::hours(15)),
        sent_at: Some(now() - Span::hours(9)),
        failed: Some("answered_404".into()),
        typed: Typed::default(),
    }
}

fn refused() -> Digest {
    let typed = [("hour", "7"), ("on", "true"), ("url", "http://10.0.0.1/")];
    let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let faults = [("url", "https"), ("weekdays", "required")];
    Digest {
        mail_to: None,
        saved: false,
        failed: None,
        typed: Typed {
            values: BTreeMap::from(typed.map(pair)),
            faults: BTreeMap::from(faults.map(pair)),
        },
        ..digest()
    }
}

/// The pages, with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move |place| frame(language, place);
    vec![
        (
            "candidate-agreed",
            Box::new(move || candidate::candidate(&at(Place::Review), &agreed(false))),
        ),
        (
            "candidate-agreed-own",
            Box::new(move || candidate::candidate(&at(Place::Review), &agreed(true))),
        ),
        (
            "candidate-recalled",
            Box::new(move || candidate::candidate(&at(Place::Review), &approved())),
        ),
        (
            "memory-recalled",
            Box::new(move || memory::memory(&at(Place::Memories), &recalled())),
        ),
        (
            "digest",
            Box::new(move || account::digest(&at(Place::Elsewhere), &digest())),
        ),
        (
            "digest-refused",
            Box::new(move || account::digest(&at(Place::Elsewhere), &refused())),
        ),
    ]
}
