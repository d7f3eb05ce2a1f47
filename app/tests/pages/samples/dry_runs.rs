//! Dry runs: before there are any, what one would cost, one that runs, one that waits, and one beside what came of its conversations.

use app::{
    components::form::Typed,
    pages::dry_runs::{
        Came, Decided, DryRun, DryRuns, Estimate, Item, Line, Run, Spent, Statement, Words,
        dry_run, dry_runs,
    },
    shell::Place,
    text::Language,
};
use domain::{
    candidate::{Action, Flag, Reason, Status},
    dry_run::{Difference, DryRunState, TrialState},
    id::{ConversationId, DryRunId},
    time::Span,
};

use super::{Counter, Page, candidate_id, frame, now};

fn run(number: usize, state: DryRunState) -> Run {
    Run {
        id: DryRunId::parse(&format!("dry_{number:026}")).expect("an id"),
        extractor: "openai::gpt-5-mini".into(),
        by: "Mia Keller".into(),
        state,
        over: if state == DryRunState::Running { 7 } else { 20 },
        done: if state == DryRunState::Running { 6 } else { 17 },
        failed: 1,
        conversations: 20,
        created_at: now() - Span::minutes(4),
    }
}

fn none() -> DryRuns {
    DryRuns {
        agent: "support".into(),
        extractor: String::new(),
        guidance: "Only what helps with advertising.".into(),
        prices: ("0.25".into(), "2".into()),
        kinds: vec![Words {
            name: "preference".into(),
            description: "How the user wants to be helped.".into(),
            guideline: "Lasting wishes; no moods of the day.".into(),
        }],
        typed: Typed::default(),
        estimate: None,
        rows: Vec::new(),
        next: None,
    }
}

fn asked() -> DryRuns {
    DryRuns {
        typed: Typed {
            values: [
                ("extractor", "openai::gpt-5-mini"),
                ("conversations", "20"),
                ("kinds_preference_guideline", "Only how to be helped."),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
            faults: Default::default(),
        },
        estimate: Some(Estimate {
            extractor: "openai::gpt-5-mini".into(),
            conversations: 20,
            windows: 31,
            tokens: Some((74_400, 6_200)),
            cost: Some(0.031),
            basis: "conversations",
            over_budget: true,
            words_unread: false,
        }),
        rows: vec![run(1, DryRunState::Running), run(2, DryRunState::Done)],
        next: Some("next".into()),
        ..none()
    }
}

fn refused() -> DryRuns {
    DryRuns {
        typed: Typed {
            values: [("extractor".to_owned(), "gpt-9".to_owned())].into(),
            faults: [("extractor".to_owned(), "not_allowed".to_owned())].into(),
        },
        estimate: None,
        ..asked()
    }
}

fn statement(kind: &str, content: &str, language: &str) -> Statement {
    Statement {
        action: Action::Create,
        kind: kind.into(),
        content: content.into(),
        language: language.into(),
        flags: Vec::new(),
    }
}

fn came(number: u8, says: Statement, status: Status, reason: Option<Reason>) -> Came {
    Came {
        candidate: candidate_id(number),
        says,
        status,
        reason,
    }
}

fn conversation(number: u8) -> ConversationId {
    ConversationId::new(now(), &Counter(number))
}

fn done() -> DryRun {
    let tea = statement("preference", "User prefers green tea", "en");
    let lines = vec![
        Line {
            difference: Difference::Same,
            today: Some(came(1, tea.clone(), Status::Approved, None)),
            new: Some(statement(
                "preference",
                "User would rather have green tea",
                "en",
            )),
        },
        Line {
            difference: Difference::OtherKind,
            today: Some(came(
                2,
                statement("fact", "ユーザーは京都へ行く予定", "ja"),
                Status::Pending,
                None,
            )),
            new: Some(statement("context", "ユーザーは京都へ行く予定", "ja")),
        },
        Line {
            difference: Difference::OnlyToday,
            today: Some(came(
                3,
                statement("fact", "用户今天很累", "zh"),
                Status::Rejected,
                Some(Reason::NotDurable),
            )),
            new: None,
        },
        Line {
            difference: Difference::OnlyNew,
            today: None,
            new: Some(Statement {
                flags: vec![Flag::ThirdParty],
                action: Action::Update,
                ..statement("fact", "User works as a nurse", "en")
            }),
        },
    ];
    let item = |number, who: &str, state, error: Option<&str>, lines| Item {
        conversation: conversation(number),
        who: who.into(),
        said_at: (number != 4).then(|| now() - Span::days(i64::from(number))),
        state,
        error: error.map(str::to_owned),
        sightings: 1,
        suppressed: 2,
        lines,
    };
    DryRun {
        run: run(2, DryRunState::Done),
        agent: "support".into(),
        error: None,
        waits_until: None,
        kinds: vec!["preference".into()],
        guidance: Some("Nothing about moods.".into()),
        counts: vec![
            (Difference::Same, 41),
            (Difference::OtherKind, 3),
            (Difference::OnlyToday, 12),
            (Difference::OnlyNew, 5),
        ],
        decided: (
            Decided {
                approved: 30,
                rejected: 10,
                undecided: 16,
                junk: Some(0.25),
            },
            Decided {
                approved: 28,
                rejected: 4,
                undecided: 17,
                junk: Some(0.125),
            },
        ),
        spent: (
            Spent {
                tokens_in: 74_400,
                tokens_out: 6_200,
                cost: Some(0.031),
            },
            Spent {
                tokens_in: 70_100,
                tokens_out: 5_900,
                cost: None,
            },
        ),
        took_ms: 93_250,
        unreadable: 1,
        left_out: 2,
        words_unread: false,
        items: vec![
            item(1, "ana", TrialState::Done, None, lines),
            item(
                2,
                "山本ゆき",
                TrialState::Done,
                Some("truncated"),
                Vec::new(),
            ),
            item(3, "eva", TrialState::Failed, Some("timeout"), Vec::new()),
            item(4, "lin", TrialState::Skipped, Some("opted_out"), Vec::new()),
        ],
    }
}

/// Nobody could be asked.
fn all_failed() -> DryRun {
    let mut page = done();
    page.run.done = 0;
    page.run.failed = 20;
    for item in &mut page.items {
        item.state = TrialState::Failed;
        item.error = Some("no_key".into());
        item.lines.clear();
    }
    page
}

/// Words that are tried on an extractor that reads none.
fn unread() -> DryRun {
    let mut page = done();
    page.run.extractor = "builtin".into();
    page.words_unread = true;
    page
}

fn asked_unread() -> DryRuns {
    let mut page = asked();
    if let Some(estimate) = &mut page.estimate {
        estimate.words_unread = true;
    }
    page
}

fn waits() -> DryRun {
    DryRun {
        run: run(1, DryRunState::Running),
        error: Some("budget".into()),
        waits_until: Some(now() + Span::hours(9)),
        kinds: Vec::new(),
        guidance: None,
        ..done()
    }
}

/// The pages with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move || frame(language, Place::Agents);
    vec![
        (
            "dry-runs-none",
            Box::new(move || dry_runs(&at(), &none())) as Page,
        ),
        (
            "dry-runs-asked",
            Box::new(move || dry_runs(&at(), &asked())),
        ),
        (
            "dry-runs-refused",
            Box::new(move || dry_runs(&at(), &refused())),
        ),
        (
            "dry-runs-unread",
            Box::new(move || dry_runs(&at(), &asked_unread())),
        ),
        ("dry-run", Box::new(move || dry_run(&at(), &done()))),
        (
            "dry-run-failed",
            Box::new(move || dry_run(&at(), &all_failed())),
        ),
        (
            "dry-run-unread",
            Box::new(move || dry_run(&at(), &unread())),
        ),
        ("dry-run-waits", Box::new(move || dry_run(&at(), &waits()))),
    ]
}
