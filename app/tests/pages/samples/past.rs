//! Sample data: earlier instants, and what was told.

use app::{
    components::form::Typed,
    pages::{serving, sheet, user},
    shell::Place,
    text::Language,
};
use domain::{
    audit::EventType,
    candidate::{Action, Flag, Reason},
    id::ServingId,
    memory::{MemoryStatus, RevisionAction},
    time::Span,
};

use super::{
    Counter, Page, candidate_id, conversation_id, frame, memory_id, now, transcript, user_id, value,
};

/// One answer that an agent got; of one of its revisions the words are gone.
pub fn serving() -> serving::Serving {
    let item = |revision, content: Option<&str>| serving::Item {
        memory: memory_id(),
        revision,
        kind: content.map(|_| "fact".into()),
        name: content.map(|_| "place".into()),
        content: content.map(str::to_owned),
    };
    serving::Serving {
        id: ServingId::new(now(), &Counter(11)),
        user: user_id(),
        who: "ana".into(),
        agent: "support".into(),
        session: Some("c-18".into()),
        conversation: Some(conversation_id()),
        at: now() - Span::hours(9),
        tokens: 41,
        cut: 2,
        items: vec![
            item(2, Some("User lives in Oslo")),
            item(1, Some("ユーザーは箇条書きを好む")),
            item(7, None),
        ],
    }
}

fn then() -> user::Then {
    user::Then {
        at: now() - Span::hours(8),
        known: vec![user::Known {
            memory: memory_id(),
            revision: 2,
            kind: "fact".into(),
            name: None,
            content: "User lives in Oslo".into(),
            by: "Mia Keller".into(),
            agreed_by: Some("Aiko".into()),
            approved_at: now() - Span::days(3),
            expires_at: None,
        }],
        waiting: vec![user::Waited {
            candidate: candidate_id(2),
            action: Action::Update,
            kind: "fact".into(),
            content: "User lives in Bergen".into(),
            language: "en".into(),
            since: now() - Span::days(1),
            until: now() + Span::days(6),
        }],
        servings: vec![serving()],
        next: Some("cursor".into()),
    }
}

/// What was asked about an earlier instant; `then` is the answer.
fn as_of(typed: Typed, then: Option<user::Then>) -> user::AsOf {
    user::AsOf {
        user: user_id(),
        who: "ana".into(),
        agent: "support".into(),
        may_export: true,
        typed,
        then,
    }
}

/// A proposal that was rejected, reopened and approved otherwise.
fn decided() -> sheet::Sheet {
    let decision = |verdict, hours| sheet::Decision {
        verdict,
        reason: None,
        by: "Mia Keller".into(),
        agreed_by: None,
        at: now() - Span::hours(hours),
        diff: vec![],
        changes: vec![],
        note: None,
    };
    let event = |seq, r#type| sheet::Event {
        seq,
        r#type,
        by: "Mia Keller".into(),
        at: now() - Span::hours(40 - seq),
        hash: format!("{seq:02}").repeat(32),
    };
    sheet::Sheet {
        id: candidate_id(2),
        agent: "support".into(),
        user: user_id(),
        who: "ana".into(),
        action: Action::Update,
        kind: "fact".into(),
        name: Some("place".into()),
        content: "User lives in Oslo <b>now</b>".into(),
        language: "en".into(),
        metadata: vec![("since".into(), "2026".into())],
        confidence: 0.91,
        importance: 0.7,
        flags: vec![Flag::Contradiction, Flag::PersonalData],
        diff: domain::diff::words("User lives in Bergen", "User lives in Oslo"),
        values: vec![value("since", "2019", "2026")],
        created_at: now() - Span::hours(30),
        cause: None,
        explanation: Some("The user said where they live.".into()),
        run: Some(sheet::Run {
            id: format!("ext_{}", "0".repeat(26)),
            extractor: "openai 0.7".into(),
            model: Some("openai::gpt-4.1-mini".into()),
            prompt: Some("3.0a1b2c3d".into()),
            schema: Some("2".into()),
            at: now() - Span::hours(30),
        }),
        transcripts: vec![transcript("")],
        quotes: vec!["今はオスロに住んでいます".into()],
        decisions: vec![
            sheet::Decision {
                reason: Some(Reason::Wrong),
                note: Some("is it not Bergen?".into()),
                ..decision("reject", 20)
            },
            decision("reopen", 19),
            sheet::Decision {
                agreed_by: Some("Aiko".into()),
                diff: domain::diff::words("User lives in Oslo", "User lives in Oslo, Norway"),
                changes: vec![("Importance".into(), "0.90".into())],
                ..decision("approve", 18)
            },
        ],
        memory: Some(sheet::Came {
            id: memory_id(),
            status: MemoryStatus::Approved,
            content: "User lives in Oslo, Norway".into(),
            language: "en".into(),
            revision: 3,
            revisions: vec![(2, RevisionAction::Update, now() - Span::hours(18))],
        }),
        served: vec![
            sheet::Told {
                session: "c-18".into(),
                revision: 2,
                at: now() - Span::hours(9),
                event: Some((35, "9c".repeat(32))),
            },
            sheet::Told {
                session: "c-17".into(),
                revision: 2,
                at: now() - Span::hours(10),
                event: None,
            },
        ],
        times: 12,
        events: vec![
            event(21, EventType::CandidateProposed),
            event(23, EventType::CandidateRejected),
            event(25, EventType::CandidateReopened),
            event(26, EventType::CandidateApproved),
            event(27, EventType::MemoryUpdated),
        ],
        signed: Some(sheet::Signed {
            size: 34,
            root: "7f".repeat(32),
            at: now() - Span::hours(1),
        }),
        fingerprint: "ab".repeat(32),
    }
}

/// One that waits, proposed by hand.
fn by_hand() -> sheet::Sheet {
    sheet::Sheet {
        run: None,
        transcripts: vec![],
        quotes: vec![],
        decisions: vec![],
        memory: None,
        served: vec![],
        signed: None,
        ..decided()
    }
}

/// The pages.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move |place| frame(language, place);
    let mut refused = Typed::default();
    refused
        .values
        .insert("at".into(), "2099-01-01T09:00".into());
    refused.faults.insert("at".into(), "future".into());
    let nothing = user::Then {
        known: vec![],
        waiting: vec![],
        servings: vec![],
        next: None,
        ..then()
    };
    vec![
        (
            "as-of",
            Box::new(move || user::as_of(&at(Place::Users), &as_of(Typed::default(), Some(then()))))
                as Page,
        ),
        (
            "as-of-nothing",
            Box::new(move || {
                user::as_of(&at(Place::Users), &as_of(Typed::default(), Some(nothing)))
            }),
        ),
        (
            "as-of-refused",
            Box::new(move || user::as_of(&at(Place::Users), &as_of(refused, None))),
        ),
        (
            "serving",
            Box::new(move || serving::serving(&at(Place::Users), &serving())),
        ),
        (
            "sheet",
            Box::new(move || sheet::sheet(&at(Place::Review), &decided())),
        ),
        (
            "sheet-by-hand",
            Box::new(move || sheet::sheet(&at(Place::Review), &by_hand())),
        ),
    ]
}
