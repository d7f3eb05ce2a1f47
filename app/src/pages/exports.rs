//! `/exports`: asking for an export, how far each is, fetching it, and how to verify one.

use domain::{
    Timestamp,
    export::{ExportSort, ExportState},
    id::ExportId,
};
use leptos::prelude::*;
use serde::Deserialize;

use crate::{
    components::{
        bar::address,
        content::with_code,
        empty::empty,
        form::{Control, Field, Typed, agent_choice, field, switch},
        table::{Caption, Head, Row, table},
        time::{attribute, date_time, span, when},
    },
    shell::{Frame, page},
    text::{Language, Text},
};

/// What the address asks for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// Where the page of the list begins.
    pub after: String,
    /// Not empty: the form is shown also while one is written.
    pub form: String,
    /// A user to be filled in.
    pub user: String,
    /// A sort to be chosen.
    pub sort: String,
}

/// An export.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Which.
    pub id: ExportId,
    /// For whom it is made.
    pub sort: ExportSort,
    /// How far it is.
    pub state: ExportState,
    /// Of one agent.
    pub agent: Option<String>,
    /// About one user, as people read it.
    pub who: Option<String>,
    /// Not before.
    pub from: Option<Timestamp>,
    /// Before.
    pub to: Option<Timestamp>,
    /// What stood at this instant.
    pub as_of: Option<Timestamp>,
    /// Who asked for it.
    pub by: String,
    /// When.
    pub created_at: Timestamp,
    /// Lines written.
    pub done: i64,
    /// Of about so many.
    pub total: i64,
    /// Why it was given up, as a code.
    pub error: Option<String>,
    /// The size of its file.
    pub bytes: Option<i64>,
    /// The sum of its file.
    pub sha256: Option<String>,
    /// How often it was fetched.
    pub downloads: i64,
    /// When its file goes.
    pub expires_at: Option<Timestamp>,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Exports {
    /// A page of the list, newest first.
    pub rows: Vec<Export>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// Whether all of them may be asked for at once.
    pub may_all: bool,
    /// Whether the form is shown also while one is written.
    pub form: bool,
    /// What was typed.
    pub typed: Typed,
    /// The public key.
    pub key: String,
    /// Its fingerprint.
    pub fingerprint: String,
}

impl Exports {
    /// Whether something is still being written.
    pub fn is_open(&self) -> bool {
        self.rows.iter().any(|export| export.state.is_open())
    }

    /// Whether the page looks again by itself: only where nothing typed is lost by it.
    pub fn refreshes(&self) -> bool {
        self.is_open() && !self.shows_form()
    }

    fn shows_form(&self) -> bool {
        self.form || self.typed.is_refused() || !self.is_open()
    }
}

/// The page.
pub fn exports(frame: &Frame, exports: &Exports) -> AnyView {
    let words = &frame.text().exports;
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let list = if exports.rows.is_empty() {
        empty(words.none, words.none_how, None)
    } else {
        listed(frame, exports)
    };
    let content = view! {
        {ask(frame, exports)}
        <section id="made">
            <h2>{words.list}</h2>
            {list}
        </section>
        {check(frame, exports)}
    }
    .into_any();
    page(frame, words.title, Some(lead), content)
}

fn ask(frame: &Frame, exports: &Exports) -> AnyView {
    let text = frame.text();
    let words = &text.exports;
    if !exports.shows_form() {
        return view! {
            <div class="running" role="status">
                <p>{words.refreshes}</p>
                <a class="button" href="/exports">
                    {words.look_again}
                </a>
                <a class="button" href="/exports?form=1#ask">
                    {words.another}
                </a>
            </div>
        }
        .into_any();
    }
    let typed = &exports.typed;
    let draw = |one: Field<'_>| field(text, "export", typed, one);
    let sorts = ExportSort::ALL
        .iter()
        .map(|&sort| (sort.to_string(), (words.sort)(sort).to_owned()));
    let sort = draw(Field {
        name: "sort",
        label: words.for_whom,
        hint: Some(words.for_whom_how),
        value: ExportSort::Audit.as_str(),
        control: Control::Choice(sorts.collect()),
    });
    let all = exports.may_all.then_some(words.all_agents);
    let agent = agent_choice(text, "export", typed, &exports.agents, all);
    let user = draw(Field {
        name: "user_id",
        label: words.user,
        hint: Some(words.user_how),
        value: "",
        control: Control::Line("text", Some("off"), false),
    });
    let from = draw(Field {
        name: "from",
        label: words.from,
        hint: None,
        value: "",
        control: Control::Day,
    });
    let to = draw(Field {
        name: "to",
        label: words.to,
        hint: Some(words.to_how),
        value: "",
        control: Control::Day,
    });
    let as_of = draw(Field {
        name: "as_of",
        label: words.as_of,
        hint: Some(words.as_of_how),
        value: "",
        control: Control::Line("datetime-local", None, false),
    });
    let languages = Language::ALL.into_iter().map(|language| {
        (
            language.word().to_owned(),
            language.text().own_name.to_owned(),
        )
    });
    let language = draw(Field {
        name: "language",
        label: words.language,
        hint: Some(words.language_how),
        value: frame.language.word(),
        control: Control::Choice(languages.collect()),
    });
    let bom = typed.is_on("bom", false);
    view! {
        <section id="ask">
            <h2>{words.ask}</h2>
            <form class="card wide" method="post" action="/exports">
                <p class="hint">{words.ask_how}</p>
                <div class="grid">{sort} {language} {agent} {user} {from} {to} {as_of}</div>
                {switch("export", "bom", words.bom, words.bom_how, bom)}
                <button class="button primary">{words.submit}</button>
            </form>
        </section>
    }
    .into_any()
}

fn listed(frame: &Frame, exports: &Exports) -> AnyView {
    let text = frame.text();
    let words = &text.exports;
    let heads = [
        Head::Words(words.what),
        Head::Words(words.asked),
        Head::Words(words.standing),
        Head::Words(words.file),
        Head::Buttons(words.remove),
    ];
    let rows = exports.rows.iter().map(|export| Row {
        of: what(frame, export).into_any(),
        cells: vec![
            view! {
                {export.by.clone()}
                " · "
                {when(frame, export.created_at)}
            }
            .into_any(),
            standing(text, export),
            file(frame, export).into_any(),
            button(text, export).into_any(),
        ],
    });
    let more = exports.next.as_ref().map(|cursor| {
        view! {
            <a class="more" href=address("/exports", [("after", cursor.as_str())])>
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

/// What an export is of, in words.
fn what(frame: &Frame, export: &Export) -> String {
    let text = frame.text();
    let words = &text.exports;
    let at = |at: Timestamp| date_time(text, frame.zone, at);
    // Whoever it was asked for by a name has none any more.
    let erased = export.error.as_deref() == Some("erased") && export.who.is_none();
    let parts = [
        (export.sort == ExportSort::Copy).then(|| words.copy.to_owned()),
        erased.then(|| words.of_erased.to_owned()),
        export.who.as_deref().map(words.of_user),
        export.agent.clone(),
        export.from.map(|from| (words.since)(&at(from))),
        export.to.map(|to| (words.until)(&at(to))),
        export.as_of.map(|then| (words.then)(&at(then))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        words.everything.to_owned()
    } else {
        parts.join(" · ")
    }
}

fn standing(text: &'static Text, export: &Export) -> AnyView {
    let words = &text.exports;
    let state = (words.state)(export.state);
    match (export.state, &export.error) {
        (ExportState::Running, _) => {
            let (done, total) = (export.done.unsigned_abs(), export.total.unsigned_abs());
            let line = (words.progress)(done, total);
            view! {
                {state}
                <br />
                <progress
                    value=(total > 0).then(|| done.to_string())
                    max=total.max(1).to_string()
                    aria-label=line.clone()
                ></progress>
                <br />
                {line}
            }
            .into_any()
        }
        (ExportState::Failed | ExportState::Expired, Some(code)) => view! {
            {state}
            <br />
            <span class="fault">{(words.error)(code)}</span>
        }
        .into_any(),
        _ => state.into_any(),
    }
}

/// The file, with what is compared after it was fetched.
fn file(frame: &Frame, export: &Export) -> Option<AnyView> {
    let text = frame.text();
    let words = &text.exports;
    let (ExportState::Done, Some(bytes), Some(sum)) = (export.state, export.bytes, &export.sha256)
    else {
        return None;
    };
    let expires = export.expires_at.map(|at| {
        let line = (words.expires)(&(text.time.in_)(&span(text, at - frame.now)));
        view! {
            " · "
            <time datetime=attribute(at)>{line}</time>
        }
    });
    Some(
        view! {
            <a class="button" href=format!("/exports/{}/file", export.id) download="">
                {words.download}
            </a>
            <p class="hint">
                {(words.bytes)(bytes.unsigned_abs())} " · " {(words.fetched)(export.downloads.unsigned_abs())}
                {expires}
            </p>
            <details class="numbers">
                <summary>{words.sum}</summary>
                <code class="fingerprint">{sum.clone()}</code>
            </details>
        }
        .into_any(),
    )
}

fn button(text: &'static Text, export: &Export) -> Option<AnyView> {
    let words = &text.exports;
    let label = match export.state {
        ExportState::Queued | ExportState::Running => words.stop,
        ExportState::Done => words.remove,
        ExportState::Failed | ExportState::Expired => return None,
    };
    Some(
        view! {
            <form method="post" action=format!("/exports/{}/remove", export.id)>
                <button class="button danger">{label}</button>
            </form>
        }
        .into_any(),
    )
}

fn check(frame: &Frame, exports: &Exports) -> AnyView {
    let words = &frame.text().exports;
    let commands = format!(
        "keepsake verify BUNDLE.zip --key '{key}'\npython3 verify.py BUNDLE.zip --key '{key}'",
        key = exports.key.trim_end()
    );
    view! {
        <section id="verify">
            <h2>{words.check}</h2>
            <p>{with_code(words.check_how)}</p>
            <pre tabindex="0">
                <code>{commands}</code>
            </pre>
            <dl class="facts">
                <div>
                    <dt>{words.key}</dt>
                    <dd>
                        <code class="fingerprint">{exports.key.trim_end().to_owned()}</code>
                    </dd>
                </div>
                <div>
                    <dt>{words.fingerprint}</dt>
                    <dd>
                        <code class="fingerprint">{exports.fingerprint.clone()}</code>
                    </dd>
                </div>
            </dl>
            <p class="hint">{words.key_how}</p>
        </section>
    }
    .into_any()
}
