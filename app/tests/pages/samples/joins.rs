//! Sample data: ids that are one person, were, and may be.

use app::{
    components::form::Typed,
    pages::{
        candidate,
        joins::{Id, Join, Joins, form_name, joins},
        memories, user,
    },
    shell::Place,
    text::Language,
};
use domain::{
    candidate::Flag,
    erasure::ErasureCounts,
    id::{JoinId, MemoryId, UserId},
    join::JoinState,
    memory::MemoryStatus,
    time::Span,
};

use super::{Counter, Page, frame, line, now, one_user, sample, user_id};

fn guest(number: u8) -> Id {
    Id {
        user: UserId::new(now(), &Counter(30 + number)),
        who: format!("guest-{number}"),
    }
}

fn join(number: u8, state: JoinState) -> Join {
    let proposed = state == JoinState::Proposed;
    Join {
        id: JoinId::new(now(), &Counter(40 + number)),
        agent: "support".into(),
        guest: guest(number),
        main: Id {
            user: user_id(),
            who: "ana".into(),
        },
        state,
        version: 2,
        proposed: (number == 1).then(|| "signed in with the same cookie".into()),
        reason: (!proposed).then(|| "She said so on the phone".into()),
        ended: (state == JoinState::Split).then(|| "Her brother uses the same machine".into()),
        made: ("Mia Keller".into(), now() - Span::days(3)),
        decided: (!proposed).then(|| ("Aiko Tanaka".into(), now() - Span::hours(5))),
        may_decide: true,
    }
}

fn of_one_person(typed: Typed) -> user::User {
    let silent = memories::Line {
        id: MemoryId::new(now(), &Counter(51)),
        who: "guest-2".into(),
        content: "User lives in Bergen".into(),
        language: "en".into(),
        ..line(MemoryStatus::Approved)
    };
    user::User {
        joined: user::Joined {
            rows: vec![
                join(1, JoinState::Proposed),
                join(2, JoinState::Joined),
                join(3, JoinState::Split),
                join(4, JoinState::Declined),
            ],
            conflicts: vec![user::Conflict {
                told: line(MemoryStatus::Approved),
                silent,
            }],
            may_join: true,
            typed,
        },
        ..one_user()
    }
}

fn refused() -> Typed {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Typed {
        values: [pair("join_other", "guest-9"), pair("join_as", "main")].into(),
        faults: [
            pair("join_other", "unknown"),
            pair("join_reason", "required"),
        ]
        .into(),
    }
}

/// A reason that came too late for the second join.
fn late() -> Typed {
    let join = join(2, JoinState::Joined);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Typed {
        values: [
            pair("join_form", &form_name("split", &join.id)),
            pair("join_why", "Her brother uses the same machine"),
        ]
        .into(),
        ..Typed::default()
    }
}

fn erasing(with: bool) -> user::User {
    let memories = ErasureCounts {
        memories: 3,
        ..ErasureCounts::default()
    };
    user::User {
        erasing: Some(user::Erasing {
            counts: memories,
            version: 812,
            holds: Vec::new(),
            with: if with {
                vec![("guest-2".into(), memories)]
            } else {
                Vec::new()
            },
            stays: (!with).then(|| "ana".into()),
            may_everywhere: false,
            request: None,
            typed: Typed::default(),
        }),
        ..of_one_person(Typed::default())
    }
}

/// A candidate that says otherwise than another id of the person.
fn elsewhere() -> candidate::Candidate {
    candidate::Candidate {
        elsewhere: vec![candidate::Beside {
            href: "/memories/x".into(),
            content: "User lives in Bergen".into(),
            language: "en".into(),
            at: now() - Span::days(9),
        }],
        ..sample(&[Flag::Contradiction], candidate::Standing::Waiting)
    }
}

/// The pages with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move |place| frame(language, place);
    vec![
        (
            "joins",
            Box::new(move || {
                let waiting = Joins {
                    rows: vec![join(1, JoinState::Proposed)],
                    next: Some("cursor".into()),
                    typed: late(),
                };
                joins(&at(Place::Users), &waiting)
            }) as Page,
        ),
        (
            "joins-none",
            Box::new(move || {
                let none = Joins {
                    rows: Vec::new(),
                    next: None,
                    typed: Typed::default(),
                };
                joins(&at(Place::Users), &none)
            }),
        ),
        (
            "user-joins",
            Box::new(move || user::user(&at(Place::Users), &of_one_person(Typed::default()))),
        ),
        (
            "user-joins-refused",
            Box::new(move || user::user(&at(Place::Users), &of_one_person(refused()))),
        ),
        (
            "user-joins-late",
            Box::new(move || user::user(&at(Place::Users), &of_one_person(late()))),
        ),
        (
            "user-erasing-both",
            Box::new(move || user::user(&at(Place::Users), &erasing(true))),
        ),
        (
            "user-erasing-guest",
            Box::new(move || user::user(&at(Place::Users), &erasing(false))),
        ),
        (
            "candidate-elsewhere",
            Box::new(move || candidate::candidate(&at(Place::Review), &elsewhere())),
        ),
    ]
}
