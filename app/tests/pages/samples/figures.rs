//! The pages on which the work is looked at, with figures of each sort and with none.

use app::{
    pages::{
        decisions::{self, Decisions},
        jobs::{self, Figures, Job, Jobs},
        overview::{self, KindFigures},
        quality::{self, BadAnswer, Extractor, Group, Person, Quality},
    },
    shell::Place,
    text::Language,
};
use domain::{
    candidate::{Dropped, Reason},
    id::OperationId,
    schedule::ScheduleName,
    time::Span,
};

use super::{Counter, Page, candidate_id, conversation_id, figures, frame, now};

/// The first page's figures.
pub fn front() -> overview::Overview {
    let kind = |kind: &str, waiting, approved, rejected: i64| KindFigures {
        kind: kind.into(),
        waiting,
        approved,
        rejected,
        acceptance: (approved + rejected > 0)
            .then(|| approved as f64 / (approved + rejected) as f64),
    };
    overview::Overview {
        waiting: 128,
        expiring: 9,
        oldest: Some((candidate_id(5), now() - Span::days(5))),
        decided_today: 41,
        memories: 1204,
        users: 311,
        failed: 2,
        late: Some(now() - Span::minutes(12)),
        not_allowed: 0,
        joins: 2,
        requests: (3, 1),
        kinds: (
            30,
            vec![
                kind("preference", 100, 812, 204),
                kind("fact", 28, 377, 12),
                kind("invoice_terms", 0, 0, 0),
            ],
        ),
        agents: vec![figures()],
        first: None,
    }
}

fn group(name: &str, approved: i64, rejected: i64) -> Group {
    let decided = approved + rejected;
    Group {
        name: name.into(),
        approved,
        rejected,
        acceptance: (decided > 0).then(|| approved as f64 / decided as f64),
    }
}

fn measured() -> Quality {
    let bins = (0..10).map(|bin| {
        let name = format!(
            "{:.1}–{:.1}",
            f64::from(bin) / 10.0,
            f64::from(bin + 1) / 10.0
        );
        group(&name, i64::from(bin * bin), if bin < 3 { 0 } else { 12 })
    });
    let extractor = |name: &str, approved, rejected, answers, failed| Extractor {
        group: group(name, approved, rejected),
        answers,
        failed,
        truncated: failed / 2,
    };
    Quality {
        agents: vec!["support".into(), "ads-buddy".into()],
        agent: String::new(),
        days: 30,
        all: group("", 1189, 216),
        junk: Some(216.0 / 1405.0),
        edited: Some(0.14),
        left_out: (31, 12, 4),
        kinds: vec![
            group("preference", 812, 204),
            group("fact", 377, 12),
            group("invoice_terms", 1, 999),
        ],
        languages: vec![
            group("en", 900, 150),
            group("ja", 289, 66),
            group("und", 0, 3),
        ],
        extractors: vec![
            extractor("gpt-5-mini · 2.ab12cd34", 1000, 120, 800, 6),
            extractor("builtin 1", 189, 90, 400, 0),
            extractor("", 0, 6, 0, 0),
        ],
        confidence: bins.collect(),
        reasons: vec![(Reason::NotDurable, 120), (Reason::Wrong, 96)],
        waited: Some((5400.0, 93_000.0)),
        viewed: Some((4.3, 21.0)),
        people: vec![
            Person {
                name: Some("Mia Keller".into()),
                decided: 900,
                timed: 880,
                quick: Some(0.21),
            },
            Person {
                name: Some("山本ゆき".into()),
                decided: 505,
                timed: 0,
                quick: None,
            },
        ],
        dropped: vec![(Dropped::NoEvidence, 1204), (Dropped::Secret, 3)],
        bad: vec![BadAnswer {
            conversation: conversation_id(),
            operation: operation(9),
            agent: "support".into(),
            extractor: "gpt-5-mini · 2.ab12cd34".into(),
            code: "not_json".into(),
            at: now() - Span::hours(5),
        }],
        floors: vec![
            ("en".into(), 0.58),
            ("ja".into(), 0.64),
            ("zh".into(), 0.67),
        ],
    }
}

fn nothing_measured() -> Quality {
    Quality {
        all: group("", 0, 0),
        junk: None,
        edited: None,
        left_out: (0, 0, 0),
        kinds: vec![],
        languages: vec![],
        extractors: vec![],
        reasons: vec![],
        waited: None,
        viewed: None,
        people: vec![],
        dropped: vec![],
        bad: vec![],
        ..measured()
    }
}

fn operation(number: u8) -> OperationId {
    OperationId::new(now(), &Counter(number))
}

fn job(number: u8, code: Option<&str>, minutes: i64) -> Job {
    Job {
        id: operation(number),
        agent: "support".into(),
        task: if number == 3 { "patterns" } else { "extract" },
        conversation: (number != 3).then(conversation_id),
        attempt: i64::from(number),
        code: code.map(str::to_owned),
        at: now() + Span::minutes(minutes),
        retriable: number != 3,
    }
}

fn at_work() -> Jobs {
    let all = Figures {
        queued: 14,
        due: 3,
        oldest_due: Some(now() - Span::minutes(12)),
        put_off: 5,
        not_allowed: 2,
        running: 1,
        given_up: 3,
    };
    Jobs {
        filter: jobs::Filter {
            reason: "unreachable".into(),
            ..jobs::Filter::default()
        },
        all,
        agents: vec![
            ("support".into(), all),
            ("ads-buddy".into(), Figures::default()),
        ],
        reasons: vec![("unreachable".into(), 2), ("truncated".into(), 1)],
        failed: vec![
            job(1, Some("unreachable"), -30),
            job(3, Some("unreachable"), -90),
        ],
        next_failed: Some("cursor".into()),
        running: vec![job(4, None, -2)],
        next: vec![job(5, None, -12), job(6, Some("budget"), 600)],
        schedules: ScheduleName::ALL
            .iter()
            .map(|name| {
                let ran = (*name != ScheduleName::Words).then(|| now() - Span::minutes(1));
                (*name, ran, now() + Span::minutes(1))
            })
            .collect(),
        may_retry: true,
        goes_on: Some(("unreachable".into(), "0.op_last".into())),
    }
}

fn idle() -> Jobs {
    Jobs {
        filter: jobs::Filter::default(),
        all: Figures::default(),
        agents: vec![],
        reasons: vec![],
        failed: vec![],
        next_failed: None,
        running: vec![],
        next: vec![],
        schedules: vec![],
        may_retry: false,
        goes_on: None,
    }
}

fn decided() -> Decisions {
    let row = |number, content: &str, language: &str, rejected| decisions::Row {
        id: candidate_id(number),
        content: content.into(),
        language: language.into(),
        kind: "preference".into(),
        who: "ana".into(),
        agent: "support".into(),
        rejected,
        by: "Mia Keller".into(),
        at: now() - Span::minutes(i64::from(number)),
    };
    Decisions {
        filter: decisions::Filter {
            span: "today".into(),
            ..decisions::Filter::default()
        },
        agents: vec!["support".into()],
        kinds: vec!["preference".into(), "fact".into()],
        count: 1405,
        rows: vec![
            row(5, "User prefers code examples in Python", "en", None),
            row(
                6,
                "ユーザーは箇条書きの要約を好む",
                "ja",
                Some(Reason::NotDurable),
            ),
        ],
        next: Some("cursor".into()),
    }
}

/// The pages with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move |place| frame(language, place);
    vec![
        (
            "quality",
            Box::new(move || quality::quality(&at(Place::Quality), &measured())) as Page,
        ),
        (
            "quality-nothing",
            Box::new(move || quality::quality(&at(Place::Quality), &nothing_measured())),
        ),
        (
            "decisions",
            Box::new(move || decisions::decisions(&at(Place::Quality), &decided())),
        ),
        (
            "decisions-none",
            Box::new(move || {
                let none = Decisions {
                    count: 0,
                    rows: vec![],
                    next: None,
                    ..decided()
                };
                decisions::decisions(&at(Place::Quality), &none)
            }),
        ),
        (
            "jobs",
            Box::new(move || jobs::jobs(&at(Place::Jobs), &at_work())),
        ),
        (
            "jobs-idle",
            Box::new(move || jobs::jobs(&at(Place::Jobs), &idle())),
        ),
    ]
}
