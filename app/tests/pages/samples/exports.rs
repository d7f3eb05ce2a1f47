//! Exports: one of every state, the form that was refused, and before any was asked for.

use app::{
    components::form::Typed,
    pages::exports::{Export, Exports, exports},
    shell::Place,
    text::Language,
};
use domain::{
    export::{ExportSort, ExportState},
    id::ExportId,
    time::Span,
};

use super::{Page, frame, now};

fn export(number: usize, state: ExportState) -> Export {
    let id = format!("exp_{number:026}");
    let done = state == ExportState::Done;
    Export {
        id: ExportId::parse(&id).expect("an id"),
        sort: ExportSort::Audit,
        state,
        agent: Some("support".into()),
        who: Some("ana".into()),
        from: Some(now() - Span::days(30)),
        to: None,
        as_of: None,
        by: "Odo Brandt".into(),
        created_at: now() - Span::minutes(3),
        done: 12_000,
        total: 48_000,
        error: None,
        bytes: done.then_some(1_234_567),
        sha256: done.then(|| "0a".repeat(32)),
        downloads: 2,
        expires_at: done.then(|| now() + Span::days(6)),
    }
}

fn none() -> Exports {
    Exports {
        rows: Vec::new(),
        next: None,
        agents: vec!["support".into(), "sales".into()],
        may_all: true,
        form: false,
        typed: Typed::default(),
        key: "keepsake-0123456789abcdef+0a0b0c0d+AQ==\n".into(),
        fingerprint: "0b".repeat(32),
    }
}

fn made() -> Exports {
    let failed = Export {
        error: Some("storage".into()),
        ..export(3, ExportState::Failed)
    };
    let everything = Export {
        agent: None,
        who: None,
        from: None,
        ..export(4, ExportState::Expired)
    };
    let copy = Export {
        sort: ExportSort::Copy,
        from: None,
        ..export(6, ExportState::Expired)
    };
    let then = Export {
        from: None,
        as_of: Some(now() - Span::hours(8)),
        ..export(7, ExportState::Done)
    };
    Exports {
        rows: vec![export(2, ExportState::Done), failed, everything, copy, then],
        next: Some("cursor".into()),
        ..none()
    }
}

/// While one is written.
pub fn running() -> Exports {
    let mut page = made();
    page.rows.insert(0, export(1, ExportState::Running));
    page.rows.insert(0, export(5, ExportState::Queued));
    page
}

fn refused() -> Exports {
    let mut page = running();
    let typed = &mut page.typed;
    typed.values.insert("sort".into(), "copy".into());
    typed.values.insert("language".into(), "zh".into());
    typed.values.insert("user_id".into(), "nobody".into());
    typed.faults.insert("user_id".into(), "unknown".into());
    typed.faults.insert("to".into(), "whole_time".into());
    page
}

/// The pages with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move || frame(language, Place::Exports);
    vec![
        ("exports", Box::new(move || exports(&at(), &made())) as Page),
        ("exports-none", Box::new(move || exports(&at(), &none()))),
        (
            "exports-running",
            Box::new(move || exports(&at(), &running())),
        ),
        (
            "exports-refused",
            Box::new(move || exports(&at(), &refused())),
        ),
    ]
}
