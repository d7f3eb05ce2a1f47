//! `/imports`: bringing in memories from elsewhere; and one upload, with what its rows would become (G13).

use domain::{
    Timestamp,
    id::{CandidateId, ImportId},
    import::{ImportField, ImportFormat, ImportState, RowState},
};
use leptos::prelude::*;

use crate::{
    components::{
        bar::address,
        content::lang,
        empty::empty,
        form::{Control, Field, Typed, field},
        table::{Caption, Head, Row, table},
        tag::kind_name,
        time::{date, when},
    },
    shell::{Frame, page},
    text::Text,
};

/// What the name of a choice begins with that says what a column becomes; its place follows, from 0.
pub const COLUMN: &str = "column.";

/// How many rows became what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All.
    pub rows: i64,
    /// That fit and were not proposed yet.
    pub waits: i64,
    /// That are candidates.
    pub proposed: i64,
    /// That say what is there.
    pub duplicate: i64,
    /// That were imported before.
    pub known: i64,
    /// That do not fit.
    pub failed: i64,
}

/// An import.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Which.
    pub id: ImportId,
    /// Into which agent.
    pub agent: String,
    /// The form of the file.
    pub format: ImportFormat,
    /// How far it is.
    pub state: ImportState,
    /// The name of the file.
    pub file: Option<String>,
    /// Who uploaded it.
    pub by: String,
    /// When.
    pub created_at: Timestamp,
    /// How many rows became what.
    pub counts: Counts,
}

/// What the list shows.
#[derive(Debug, Clone)]
pub struct Imports {
    /// A page of it, newest first.
    pub rows: Vec<Import>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// What was typed; a fault of the file is at `file`, behind it and a blank the line or column that it is about.
    pub typed: Typed,
}

/// A row as it would become.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// Its number.
    pub row: i64,
    /// In which line of the file it begins.
    pub line: Option<i64>,
    /// What became of it.
    pub state: RowState,
    /// About whom.
    pub user: String,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Its kind.
    pub kind: String,
    /// Its metadata and tags, for people.
    pub more: String,
    /// How much it matters, where the file says so.
    pub importance: Option<f64>,
    /// When it was said, where the file says so.
    pub said_at: Option<Timestamp>,
    /// The candidate it became.
    pub candidate: Option<CandidateId>,
}

/// A row that does not fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Misfit {
    /// Its number.
    pub row: i64,
    /// In which line of the file it begins.
    pub line: Option<i64>,
    /// The column.
    pub column: Option<String>,
    /// Which part does not fit.
    pub field: String,
    /// Why.
    pub code: String,
}

/// What the page of one shows.
#[derive(Debug, Clone)]
pub struct One {
    /// The import.
    pub import: Import,
    /// Why it could not go on.
    pub error: Option<String>,
    /// Its columns, each with the word of what it becomes; empty: it is not taken over.
    pub columns: Vec<(String, String)>,
    /// The user and the kind of all rows.
    pub for_all: (String, String),
    /// The kinds to choose from.
    pub kinds: Vec<String>,
    /// The first rows.
    pub preview: Vec<Preview>,
    /// The first rows that do not fit.
    pub misfits: Vec<Misfit>,
    /// What was typed; a fault of the mapping is at `mapping`.
    pub typed: Typed,
}

/// The list, and the form that uploads.
pub fn imports(frame: &Frame, imports: &Imports) -> AnyView {
    let words = &frame.text().imports;
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let list = if imports.rows.is_empty() {
        empty(words.none, words.none_how, None)
    } else {
        listed(frame, imports)
    };
    let content = view! {
        {upload(frame, imports)}
        <section id="uploaded">
            <h2>{words.list}</h2>
            {list}
        </section>
    }
    .into_any();
    page(frame, words.title, Some(lead), content)
}

fn upload(frame: &Frame, imports: &Imports) -> AnyView {
    let text = frame.text();
    let words = &text.imports;
    let typed = &imports.typed;
    let agents = imports
        .agents
        .iter()
        .map(|name| (name.clone(), name.clone()));
    let agent = field(
        text,
        "import",
        typed,
        Field {
            name: "agent",
            label: text.words.agent,
            hint: None,
            value: "",
            control: Control::Choice(agents.collect()),
        },
    );
    let looks = (String::new(), words.as_it_looks.to_owned());
    let formats = ImportFormat::ALL
        .iter()
        .map(|&format| (format.to_string(), (words.formats)(format).to_owned()));
    let format = field(
        text,
        "import",
        typed,
        Field {
            name: "format",
            label: words.format,
            hint: None,
            value: "",
            control: Control::Choice(std::iter::once(looks).chain(formats).collect()),
        },
    );
    let fault = typed.faults.get("file").map(|fault| {
        let (code, which) = fault.split_once(' ').unwrap_or((fault, ""));
        view! {
            <p id="import-file-fault" class="fault">
                {(words.file_fault)(code, which)}
            </p>
        }
    });
    let (described, invalid) = if fault.is_some() {
        ("import-file-fault import-file-hint", Some("true"))
    } else {
        ("import-file-hint", None)
    };
    view! {
        <section id="upload">
            <h2>{words.upload}</h2>
            <form class="card wide" method="post" action="/imports" enctype="multipart/form-data">
                <p class="hint">{words.upload_how}</p>
                <div class="grid">
                    {agent} <div class="field">
                        <label for="import-file">{words.file}</label>
                        <input
                            id="import-file"
                            type="file"
                            name="file"
                            accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson"
                            required
                            aria-describedby=described
                            aria-invalid=invalid
                        />
                        {fault}
                        <p id="import-file-hint" class="hint">
                            {words.file_how}
                        </p>
                    </div> {format}
                </div>
                <button class="button primary">{words.submit}</button>
            </form>
        </section>
    }
    .into_any()
}

fn listed(frame: &Frame, imports: &Imports) -> AnyView {
    let text = frame.text();
    let words = &text.imports;
    let heads = [
        Head::Words(words.file),
        Head::Words(text.words.agent),
        Head::Words(words.uploaded),
        Head::Words(words.standing),
    ];
    let rows = imports.rows.iter().map(|import| Row {
        of: view! { <a href=format!("/imports/{}", import.id)>{name(text, import)}</a> }.into_any(),
        cells: vec![
            import.agent.clone().into_any(),
            view! {
                {import.by.clone()}
                " · "
                {when(frame, import.created_at)}
            }
            .into_any(),
            view! {
                {(words.state)(import.state)}
                " · "
                {(words.rows)(import.counts.rows.unsigned_abs())}
            }
            .into_any(),
        ],
    });
    let more = imports.next.as_ref().map(|cursor| {
        view! {
            <a class="more" href=address("/imports", [("after", cursor.as_str())])>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        {table(words.list, Caption::Heard, &heads, rows.collect())}
        {more}
    }
    .into_any()
}

fn name(text: &'static Text, import: &Import) -> String {
    let named = import.file.clone();
    named.unwrap_or_else(|| text.imports.no_name.to_owned())
}

/// The page of one.
pub fn one(frame: &Frame, one: &One) -> AnyView {
    let text = frame.text();
    let words = &text.imports;
    let import = &one.import;
    let error = one
        .error
        .as_deref()
        .map(|code| view! { <p class="fault">{(words.error)(code)}</p> });
    let content = view! {
        {progress(frame, import)}
        {error}
        {no_content(text, one)}
        {figures(text, import)}
        {buttons(frame, import)}
        {preview(frame, one)}
        {misfits(frame, one)}
        {mapping(frame, one)}
        <p>
            <a href="/imports">{words.all}</a>
        </p>
    }
    .into_any();
    let beside = view! {
        <p class="quiet">
            {import.by.clone()} " · " {import.agent.clone()} " · " {(words.formats)(import.format)} " · "
            {when(frame, import.created_at)}
        </p>
    }
    .into_any();
    let title = match &import.file {
        Some(file) => (words.of_file)(file),
        None => words.no_name.to_owned(),
    };
    page(frame, &title, Some(beside), content)
}

/// Where nothing is taken for the statement of a table: its first line may be none of names, and is then lost.
fn no_content(text: &'static Text, one: &One) -> Option<AnyView> {
    let content = ImportField::Content;
    let found = one
        .columns
        .iter()
        .any(|(_, becomes)| becomes == content.word());
    let is_table = one.import.format == ImportFormat::Csv;
    if found || one.columns.is_empty() || !is_table || !one.import.state.can_run() {
        return None;
    }
    let names: Vec<&str> = one.columns.iter().map(|(name, _)| name.as_str()).collect();
    let line = (text.imports.no_content)(&names.join(", "));
    Some(
        view! {
            <div class="callout" data-tone="warn" id="no-content">
                <p>{line}</p>
            </div>
        }
        .into_any(),
    )
}

/// While it runs: how far, another look, and the way to stop it.
fn progress(frame: &Frame, import: &Import) -> Option<AnyView> {
    if !import.state.is_open() {
        return None;
    }
    let words = &frame.text().imports;
    let Counts { rows, waits, .. } = import.counts;
    let tried = rows - waits;
    let line = (words.progress)(tried.unsigned_abs(), rows.unsigned_abs());
    let stop = (import.state == ImportState::Running).then(|| {
        view! {
            <form method="post" action=format!("/imports/{}/stop", import.id)>
                <button class="button danger">{words.stop}</button>
            </form>
            <p class="hint">{words.stop_how}</p>
        }
    });
    Some(
        view! {
            <div class="running" role="status">
                <progress value=tried.to_string() max=rows.max(1).to_string() aria-label=line.clone()></progress>
                <p>{line}</p>
                <p class="quiet">{frame.text().exports.refreshes}</p>
                <a class="button" href=frame.path.clone()>
                    {words.look_again}
                </a>
                {stop}
            </div>
        }
        .into_any(),
    )
}

fn figures(text: &'static Text, import: &Import) -> AnyView {
    let words = &text.imports;
    let counts = import.counts;
    let figure = |label: &'static str, count: i64| {
        view! {
            <div>
                <dt>{label}</dt>
                <dd>{(words.rows)(count.unsigned_abs())}</dd>
            </div>
        }
    };
    let by_state = [
        (RowState::Waits, counts.waits),
        (RowState::Proposed, counts.proposed),
        (RowState::Duplicate, counts.duplicate),
        (RowState::Known, counts.known),
        (RowState::Failed, counts.failed),
    ];
    view! {
        <dl class="facts">
            <div>
                <dt>{words.standing}</dt>
                <dd>{(words.state)(import.state)}</dd>
            </div>
            {by_state
                .into_iter()
                .map(|(state, count)| figure((words.row_state)(state), count))
                .collect_view()}
        </dl>
    }
    .into_any()
}

fn buttons(frame: &Frame, import: &Import) -> AnyView {
    let words = &frame.text().imports;
    let run = (import.state.can_run() && import.counts.waits > 0).then(|| {
        view! {
            <form class="actions" method="post" action=format!("/imports/{}/run", import.id)>
                <button class="button primary">{(words.run)(import.counts.waits.unsigned_abs())}</button>
                <p class="hint">{words.run_how}</p>
            </form>
        }
    });
    let queue = (import.counts.proposed > 0).then(|| {
        let pairs = [("agent", import.agent.as_str()), ("flag", "imported")];
        view! {
            <p>
                <a class="button" href=address("/review", pairs)>
                    {words.in_queue}
                </a>
            </p>
        }
    });
    // Of what nothing was proposed nothing can be taken back, and once it has ended nothing of it is kept.
    let (label, hint, offered) = if import.counts.proposed > 0 {
        (words.withdraw, words.withdraw_how, true)
    } else {
        (words.forget, words.forget_how, import.state.can_run())
    };
    let withdraw = (offered && import.state.can_withdraw()).then(|| {
        view! {
            <form class="actions" method="post" action=format!("/imports/{}/withdraw", import.id)>
                <button class="button danger">{label}</button>
                <p class="hint">{hint}</p>
            </form>
        }
    });
    view! {
        <section>
            {run}
            {queue}
            {withdraw}
        </section>
    }
    .into_any()
}

/// What rows are counted by: the lines of the file, where it has such.
fn counted_by(text: &Text, by_line: bool) -> Head {
    Head::Figures(if by_line {
        text.imports.line
    } else {
        text.imports.number
    })
}

fn preview(frame: &Frame, one: &One) -> Option<AnyView> {
    if one.preview.is_empty() {
        return None;
    }
    let text = frame.text();
    let words = &text.imports;
    let by_line = one.preview.iter().all(|row| row.line.is_some());
    let dated = one.preview.iter().any(|row| row.said_at.is_some());
    let mut heads = vec![
        counted_by(text, by_line),
        Head::Words(text.words.user),
        Head::Words((words.field)("kind")),
        Head::Words((words.field)("content")),
        Head::Words((words.field)("metadata")),
    ];
    if dated {
        heads.push(Head::Words((words.field)("said_at")));
    }
    heads.push(Head::Words(words.standing));
    let rows = one.preview.iter().map(|row| {
        let state = (words.row_state)(row.state);
        let state = match &row.candidate {
            None => state.into_any(),
            Some(id) => view! { <a href=format!("/candidates/{id}")>{state}</a> }.into_any(),
        };
        let importance = row
            .importance
            .map(|importance| format!("{}: {importance}", (words.field)("importance")));
        let more = Some(row.more.clone()).filter(|more| !more.is_empty());
        let more: Vec<String> = more.into_iter().chain(importance).collect();
        let mut cells = vec![
            row.user.clone().into_any(),
            kind_name(text, &row.kind).into_any(),
            view! { <span lang=lang(&row.language)>{row.content.clone()}</span> }.into_any(),
            more.join(" · ").into_any(),
        ];
        if dated {
            let at = row.said_at;
            cells.push(at.map_or_else(|| "–".into_any(), |at| date(frame, at)));
        }
        cells.push(state);
        Row {
            of: place(by_line, row.row, row.line).into_any(),
            cells,
        }
    });
    Some(
        view! {
            <section id="preview">
                <h2>{words.preview}</h2>
                <p class="hint">{words.preview_how}</p>
                {table(words.preview, Caption::Heard, &heads, rows.collect())}
            </section>
        }
        .into_any(),
    )
}

/// The number of a row, or its line.
fn place(by_line: bool, row: i64, line: Option<i64>) -> String {
    line.filter(|_| by_line).unwrap_or(row).to_string()
}

fn misfits(frame: &Frame, one: &One) -> Option<AnyView> {
    if one.misfits.is_empty() {
        return None;
    }
    let words = &frame.text().imports;
    let by_line = one.misfits.iter().all(|row| row.line.is_some());
    let heads = [
        counted_by(frame.text(), by_line),
        Head::Words(words.column),
        Head::Words(words.what_to_do),
    ];
    let rows = one.misfits.iter().map(|misfit| Row {
        of: place(by_line, misfit.row, misfit.line).into_any(),
        cells: vec![
            misfit
                .column
                .clone()
                .unwrap_or_else(|| (words.field)(&misfit.field).to_owned())
                .into_any(),
            (words.fault)(&misfit.field, &misfit.code).into_any(),
        ],
    });
    Some(
        view! {
            <section id="errors">
                <h2>{words.faults}</h2>
                <p class="hint">{words.faults_how}</p>
                {table(words.faults, Caption::Heard, &heads, rows.collect())}
                <p>
                    <a class="button" href=format!("/imports/{}/errors", one.import.id) download="">
                        {words.download}
                    </a>
                </p>
            </section>
        }
        .into_any(),
    )
}

/// What the columns become; only while that can still be changed.
fn mapping(frame: &Frame, one: &One) -> Option<AnyView> {
    if !one.import.state.can_run() {
        return None;
    }
    let text = frame.text();
    let words = &text.imports;
    let columns = one.columns.iter().enumerate().map(|(index, column)| {
        let (name, becomes) = column;
        field(
            text,
            "map",
            &one.typed,
            Field {
                name: &format!("{COLUMN}{index}"),
                label: name,
                hint: None,
                value: becomes,
                control: Control::Choice(choices(text, name, becomes)),
            },
        )
    });
    let columns = columns.collect_view();
    let (user, kind) = &one.for_all;
    let user = field(
        text,
        "map",
        &one.typed,
        Field {
            name: "user_id",
            label: (words.field)("user_id"),
            hint: Some(words.for_all_how),
            value: user,
            control: Control::Line("text", Some("off"), false),
        },
    );
    let none = (String::new(), words.not_taken.to_owned());
    let kinds = one
        .kinds
        .iter()
        .map(|kind| (kind.clone(), kind_name(text, kind)));
    let kind = field(
        text,
        "map",
        &one.typed,
        Field {
            name: "kind",
            label: (words.field)("kind"),
            hint: None,
            value: kind,
            control: Control::Choice(std::iter::once(none).chain(kinds).collect()),
        },
    );
    let fault = one
        .typed
        .faults
        .get("mapping")
        .map(|code| view! { <p class="fault">{(words.mapping_fault)(code)}</p> });
    Some(
        view! {
            <section id="mapping">
                <h2>{words.mapping}</h2>
                <form class="card wide" method="post" action=format!("/imports/{}/map", one.import.id)>
                    <p class="hint">{words.mapping_how}</p>
                    {fault}
                    <div class="grid">{columns}</div>
                    <fieldset class="grid">
                        <legend>{words.for_all}</legend>
                        {user}
                        {kind}
                    </fieldset>
                    <button class="button">{words.check_again}</button>
                </form>
            </section>
        }
        .into_any(),
    )
}

/// What a column can become; metadata and a pair of the user's under its own name, or under the one that it has already.
fn choices(text: &'static Text, column: &str, becomes: &str) -> Vec<(String, String)> {
    let words = &text.imports;
    let named_so = |of: &str| {
        let there = becomes.strip_prefix(of).or_else(|| {
            let below = column.strip_prefix(of);
            below.filter(|name| !name.is_empty())
        });
        there.unwrap_or(column).to_owned()
    };
    let (metadata, pair) = (named_so("metadata."), named_so("scope."));
    let named = ImportField::NAMED.iter().map(|field| {
        let word = field.word();
        (word.to_owned(), (words.field)(word).to_owned())
    });
    let mut choices = vec![(String::new(), words.not_taken.to_owned())];
    choices.extend(named);
    let as_metadata = (words.as_metadata)(&metadata);
    let as_pair = (words.as_pair)(&pair);
    choices.push((ImportField::Metadata(metadata).to_string(), as_metadata));
    // The user id has a word of its own.
    if pair != "user_id" {
        choices.push((ImportField::Scope(pair).to_string(), as_pair));
    }
    choices
}
