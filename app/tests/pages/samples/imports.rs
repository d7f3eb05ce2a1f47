//! Imports: the list with an upload that was refused, one that is looked at, one that runs, and before there are any.

use app::{
    components::form::Typed,
    pages::imports::{Counts, Import, Imports, Misfit, One, Preview, imports, one},
    shell::Place,
    text::Language,
};
use domain::{
    id::ImportId,
    import::{ImportFormat, ImportState, RowState},
    time::Span,
};

use super::{Page, candidate_id, frame, now};

fn import(number: usize, state: ImportState) -> Import {
    let id = format!("imp_{number:026}");
    Import {
        id: ImportId::parse(&id).expect("an id"),
        agent: "support".into(),
        format: ImportFormat::Json,
        state,
        file: (number != 3).then(|| "mem0-export.json".into()),
        by: "Odo Brandt".into(),
        created_at: now() - Span::minutes(3),
        counts: Counts {
            rows: 1240,
            waits: 1100,
            proposed: if state == ImportState::Ready { 0 } else { 100 },
            duplicate: 20,
            known: 15,
            failed: 5,
        },
    }
}

fn none() -> Imports {
    Imports {
        rows: Vec::new(),
        next: None,
        agents: vec!["support".into(), "sales".into()],
        typed: Typed::default(),
    }
}

fn refused() -> Imports {
    let mut typed = Typed::default();
    typed.values.insert("agent".into(), "sales".into());
    typed.faults.insert("file".into(), "not_utf8".into());
    Imports {
        rows: vec![
            import(1, ImportState::Ready),
            import(2, ImportState::Done),
            import(3, ImportState::Withdrawn),
            import(4, ImportState::Expired),
        ],
        next: Some("cursor".into()),
        typed,
        ..none()
    }
}

fn quote_refused() -> Imports {
    let mut page = refused();
    page.typed
        .faults
        .insert("file".into(), "open_quote 4".into());
    page
}

fn looked_at() -> One {
    let row = |row, state, content: &str, language: &str| Preview {
        row,
        line: Some(row + 1),
        state,
        user: "ana".into(),
        content: content.into(),
        language: language.into(),
        kind: "fact".into(),
        more: "topic: drinks · food".into(),
        importance: (row == 2).then_some(0.8),
        said_at: (row == 1).then(|| now() - Span::days(30)),
        candidate: None,
    };
    let misfit = |row, column: Option<&str>, field: &str, code: &str| Misfit {
        row,
        line: Some(row + 1),
        column: column.map(str::to_owned),
        field: field.into(),
        code: code.into(),
    };
    let column = |name: &str, becomes: &str| (name.to_owned(), becomes.to_owned());
    One {
        import: import(1, ImportState::Ready),
        error: None,
        columns: vec![
            column("memory", "content"),
            column("user_id", "user_id"),
            column("created_at", "said_at"),
            column("metadata.topic", "metadata.topic"),
            column("hash", ""),
        ],
        for_all: (String::new(), "fact".into()),
        kinds: vec!["preference".into(), "fact".into(), "warranty".into()],
        preview: vec![
            row(1, RowState::Waits, "User prefers tea over coffee", "en"),
            row(2, RowState::Duplicate, "ユーザーは大阪に住んでいる", "ja"),
            row(3, RowState::Known, "用户喜欢简短的回答", "zh"),
        ],
        misfits: vec![
            misfit(5, Some("memory"), "content", "secret"),
            misfit(9, None, "user_id", "required"),
            misfit(12, None, "row", "columns"),
        ],
        typed: Typed::default(),
    }
}

/// A table whose first line is a row like the others.
fn headless() -> One {
    let mut page = looked_at();
    page.import.format = ImportFormat::Csv;
    page.columns = ["ana", "User likes tea"]
        .map(|name| (name.to_owned(), String::new()))
        .into();
    page.preview.clear();
    page
}

fn mapping_refused() -> One {
    let mut page = looked_at();
    page.typed.values.insert("column.0".into(), String::new());
    page.typed.values.insert("user_id".into(), "ana".into());
    page.typed
        .faults
        .insert("mapping".into(), "required".into());
    page
}

fn running() -> One {
    let mut page = looked_at();
    page.import = import(1, ImportState::Running);
    page.preview[0].state = RowState::Proposed;
    page.preview[0].candidate = Some(candidate_id(1));
    page
}

fn halted() -> One {
    One {
        import: import(3, ImportState::Stopped),
        error: Some("deactivated".into()),
        ..looked_at()
    }
}

/// The pages with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move || frame(language, Place::Agents);
    vec![
        (
            "imports",
            Box::new(move || imports(&at(), &refused())) as Page,
        ),
        ("imports-none", Box::new(move || imports(&at(), &none()))),
        (
            "imports-quote",
            Box::new(move || imports(&at(), &quote_refused())),
        ),
        ("import", Box::new(move || one(&at(), &looked_at()))),
        ("import-headless", Box::new(move || one(&at(), &headless()))),
        (
            "import-mapping-refused",
            Box::new(move || one(&at(), &mapping_refused())),
        ),
        ("import-running", Box::new(move || one(&at(), &running()))),
        ("import-halted", Box::new(move || one(&at(), &halted()))),
    ]
}
