//! Sample data: requests of people, open, overdue and closed, and the proof of one.

use app::{
    components::form::Typed,
    pages::{
        requests::{
            Closed, Detail, Elsewhere, FoundUser, InAgent, Proof, Request, Requests, proof,
            request, requests,
        },
        sheet::Event,
    },
    shell::Place,
    text::Language,
};
use domain::{
    audit::EventType,
    id::{ExportId, RequestId},
    request::{FoundBy, RequestOutcome, RequestSort},
    time::Span,
};

use super::{Counter, Page, frame, memory_id, now, user_id};

fn open() -> Request {
    Request {
        id: RequestId::new(now(), &Counter(21)),
        sort: RequestSort::Both,
        agent: None,
        who: Some("ana".into()),
        user_id: Some("ana".into()),
        words: Some("Ana Berger".into()),
        note: Some("by letter".into()),
        received_at: now() - Span::days(32),
        due_at: now() - Span::days(2),
        overdue: true,
        by: "Odo Brandt".into(),
        created_at: now() - Span::days(31),
        copied: None,
        closed: None,
    }
}

fn closed() -> Request {
    Request {
        who: None,
        user_id: None,
        words: None,
        note: None,
        overdue: false,
        copied: Some((export_id(), now() - Span::days(1))),
        closed: Some(Closed {
            outcome: RequestOutcome::Done,
            note: Some("copy sent, then erased".into()),
            by: "Odo Brandt".into(),
            at: now() - Span::hours(3),
        }),
        ..open()
    }
}

fn export_id() -> ExportId {
    ExportId::new(now(), &Counter(22))
}

fn found() -> Vec<InAgent> {
    vec![InAgent {
        agent: "support".into(),
        users: 2,
        erased: 1,
        elsewhere: 1,
    }]
}

fn users() -> Vec<FoundUser> {
    let there = FoundUser {
        agent: "support".into(),
        user: user_id(),
        who: "ana".into(),
        by: FoundBy::Name,
        approved: 12,
        conversations: 4,
        erased: false,
        erased_at: None,
    };
    let erased = FoundUser {
        agent: "sales".into(),
        who: String::new(),
        by: FoundBy::Value,
        approved: 0,
        conversations: 0,
        erased: true,
        erased_at: Some(now() - Span::hours(4)),
        ..there.clone()
    };
    vec![there, erased]
}

fn detail(request: Request, typed: Typed) -> Detail {
    Detail {
        request,
        found: found(),
        users: users(),
        elsewhere: vec![
            Elsewhere {
                agent: "support".into(),
                href: Some(format!("/memories/{}", memory_id())),
                content: Some("User has a sister called Ana Berger".into()),
            },
            Elsewhere {
                agent: "support".into(),
                href: None,
                content: None,
            },
        ],
        looked: (10_000, false),
        exports: vec![(export_id(), "ana · 30 Nov 2026".into())],
        typed,
    }
}

fn proven() -> Proof {
    let event = |seq, r#type| Event {
        seq,
        r#type,
        by: "Odo Brandt".into(),
        at: now() - Span::hours(20 - seq),
        hash: format!("{seq:02}").repeat(32),
    };
    Proof {
        request: closed(),
        found: found(),
        users: users(),
        events: vec![
            (event(11, EventType::RequestOpened), true),
            (event(12, EventType::ExportFinished), true),
            (event(14, EventType::RequestClosed), false),
        ],
        sum: Some("0a".repeat(32)),
        checkpoint: Some((
            now() - Span::hours(4),
            Some("keepsake/0011/system\n13\nroot\n".into()),
        )),
        key: "keepsake-0011+1a2b3c4d+AQID".into(),
        fingerprint: "ab".repeat(32),
    }
}

/// The pages.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move || frame(language, Place::Requests);
    let listed = |rows: Vec<Request>| Requests {
        rows,
        next: Some("cursor".into()),
        agents: vec!["support".into(), "sales".into()],
        may_all: true,
        typed: Typed::default(),
    };
    let (some, none) = (listed(vec![open(), closed()]), listed(vec![]));
    let mut refused = Typed::default();
    refused
        .values
        .insert("note".into(), "all done, I think".into());
    refused.faults.insert("outcome".into(), "not_erased".into());
    vec![
        ("requests", Box::new(move || requests(&at(), &some)) as Page),
        ("requests-none", Box::new(move || requests(&at(), &none))),
        (
            "request",
            Box::new(move || request(&at(), &detail(open(), Typed::default()))),
        ),
        (
            "request-closed",
            Box::new(move || request(&at(), &detail(closed(), Typed::default()))),
        ),
        (
            "request-refused",
            Box::new(move || request(&at(), &detail(open(), refused))),
        ),
        ("request-proof", Box::new(move || proof(&at(), &proven()))),
    ]
}
