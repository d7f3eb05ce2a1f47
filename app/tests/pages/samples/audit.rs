//! The audit: when all is well, when something is wrong, and before anything happened.

use app::{
    pages::{
        audit::{self, Audit, Checkpoint, Fault, Filter, Row, Verification},
        review,
    },
    shell::{Alarm, Frame, Place},
    text::Language,
};
use domain::{
    audit::{EventType, FaultKind},
    time::Span,
};

use super::{Page, candidate_id, frame, now, queue, rows, user_id};

fn well() -> Audit {
    let row = |seq, r#type, chain: &str, subject: String, href: Option<String>| Row {
        at: now() - Span::minutes(seq),
        chain: chain.into(),
        seq,
        r#type,
        by: "Mia Keller".into(),
        subject,
        href,
        user: (chain == "support").then(user_id),
    };
    let candidate = candidate_id(2).to_string();
    let href = format!("/candidates/{candidate}");
    Audit {
        filter: Filter {
            agent: "support".into(),
            r#type: "candidate.approved".into(),
            ..Filter::default()
        },
        chains: vec!["system".into(), "support".into(), "sales".into()],
        rows: vec![
            row(
                8,
                EventType::CandidateApproved,
                "support",
                candidate,
                Some(href),
            ),
            row(
                31,
                EventType::AuditCheckpointed,
                "system",
                "0123456789abcdef".into(),
                None,
            ),
        ],
        next: Some("cursor".into()),
        verification: Some(Verification {
            at: now() - Span::hours(3),
            read: Some((12_345, 31)),
            found: 0,
            faults: vec![],
        }),
        checkpoints: vec![Checkpoint {
            at: now() - Span::minutes(20),
            size: 31,
            agents: 2,
            root: "ab".repeat(32),
        }],
        folder: Some("/var/lib/keepsake/checkpoints".into()),
        fingerprint: "0123456789abcdef".repeat(4),
    }
}

fn wrong() -> Audit {
    let kinds = [
        ("support", 7, FaultKind::Hash),
        ("support", 8, FaultKind::Link),
        ("support", 9, FaultKind::Gap),
        ("support", 1, FaultKind::Genesis),
        ("support", 12, FaultKind::Column),
        ("support", 13, FaultKind::Body),
        ("support", 20, FaultKind::Truncated),
        ("support", 20, FaultKind::Fork),
        ("sales", 0, FaultKind::Missing),
        ("system", 31, FaultKind::Missing),
        ("system", 22, FaultKind::Signature),
    ];
    let fault = |(chain, seq, kind): (&str, i64, FaultKind)| Fault {
        chain: chain.into(),
        seq,
        kind,
    };
    Audit {
        verification: Some(Verification {
            at: now() - Span::hours(3),
            read: Some((12_345, 31)),
            found: 997,
            faults: kinds.into_iter().map(fault).collect(),
        }),
        ..well()
    }
}

fn nothing() -> Audit {
    Audit {
        filter: Filter::default(),
        rows: vec![],
        next: None,
        verification: None,
        checkpoints: vec![],
        folder: None,
        ..well()
    }
}

/// The pages with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move |place| frame(language, place);
    let alarmed = move |place| Frame {
        alarm: Some(Alarm {
            found: 997,
            at: now() - Span::hours(3),
        }),
        ..frame(language, place)
    };
    vec![
        (
            "audit",
            Box::new(move || audit::audit(&at(Place::Audit), &well())) as Page,
        ),
        (
            "audit-wrong",
            Box::new(move || audit::audit(&alarmed(Place::Audit), &wrong())),
        ),
        (
            "audit-nothing",
            Box::new(move || audit::audit(&at(Place::Audit), &nothing())),
        ),
        (
            "audit-none-fits",
            Box::new(move || {
                let none = Audit {
                    rows: vec![],
                    next: None,
                    ..well()
                };
                audit::audit(&at(Place::Audit), &none)
            }),
        ),
        (
            "review-alarm",
            Box::new(move || review::review(&alarmed(Place::Review), queue(rows(), None))),
        ),
    ]
}
