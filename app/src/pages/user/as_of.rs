//! `/users/{id}/as-of`: what was approved, what waited and what had been told at an instant (G6).

use chrono_tz::Tz;
use domain::{
    Timestamp,
    candidate::Action,
    id::{CandidateId, MemoryId, UserId},
};
use leptos::prelude::*;

use crate::{
    components::{
        bar::address,
        content::{lang, revealed},
        demo::banner,
        form::{Control, Field, Typed, field},
        table::{Caption, Head, Row, table},
        tag,
        time::{attribute, date, date_time},
    },
    pages::serving::{Serving, link, session_of},
    shell::{Frame, page},
};

/// The pattern of a date with its time that a browser's field takes.
const LOCAL: &str = "%Y-%m-%dT%H:%M";

/// What the page shows.
#[derive(Debug, Clone)]
pub struct AsOf {
    /// The person.
    pub user: UserId,
    /// As the agent names them.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// Whether the reader may export it.
    pub may_export: bool,
    /// What was typed, and what is wrong with it.
    pub typed: Typed,
    /// What held; `None`: nothing was asked yet, or it cannot be answered.
    pub then: Option<Then>,
}

/// What held at an instant.
#[derive(Debug, Clone)]
pub struct Then {
    /// The instant.
    pub at: Timestamp,
    /// What was approved and unexpired.
    pub known: Vec<Known>,
    /// What waited.
    pub waiting: Vec<Waited>,
    /// What had been told, newest first.
    pub servings: Vec<Serving>,
    /// Where the servings before these begin.
    pub next: Option<String>,
}

/// A memory as it stood.
#[derive(Debug, Clone)]
pub struct Known {
    /// Which.
    pub memory: MemoryId,
    /// The revision that stood.
    pub revision: i64,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Who approved it.
    pub by: String,
    /// Who had agreed before.
    pub agreed_by: Option<String>,
    /// When it was approved.
    pub approved_at: Timestamp,
    /// Until when it was to be served.
    pub expires_at: Option<Timestamp>,
}

/// A candidate as it waited.
#[derive(Debug, Clone)]
pub struct Waited {
    /// Which.
    pub candidate: CandidateId,
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Since when it waited.
    pub since: Timestamp,
    /// Until when it was to wait.
    pub until: Timestamp,
}

/// The page.
pub fn as_of(frame: &Frame, asked: &AsOf) -> AnyView {
    let text = frame.text();
    let words = &text.as_of;
    let beside = view! {
        <p class="quiet">
            <a href=format!("/users/{}", asked.user)>{asked.who.clone()}</a>
            " · "
            <a href=format!("/agents/{}", asked.agent)>{asked.agent.clone()}</a>
        </p>
    }
    .into_any();
    let then = asked.then.as_ref().map(|then| {
        let local = date_time(text, frame.zone, then.at);
        let utc = date_time(text, Tz::UTC, then.at);
        view! {
            <div class="callout" data-tone="plain">
                <p>
                    <strong>
                        <time datetime=attribute(then.at)>{(words.then)(&local, &utc)}</time>
                    </strong>
                </p>
                <p>
                    <a href=path(asked, then, "")>{words.same}</a>
                </p>
                {export(frame, asked, then)}
            </div>
            <section id="known">
                <h2>{words.known}</h2>
                {known(frame, then)}
            </section>
            <section id="waited">
                <h2>{words.waiting}</h2>
                {waiting(frame, then)}
            </section>
            <section id="served">
                <h2>{words.served}</h2>
                {served(frame, asked, then)}
            </section>
        }
    });
    let content = view! {
        <div class="letter">
            {banner(frame, &asked.agent)}
            <p class="quiet">{words.lead}</p>
            {form(frame, asked)}
            {then}
        </div>
    }
    .into_any();
    page(frame, words.title, Some(beside), content)
}

/// The address of what is shown, the same for every reader.
fn path(asked: &AsOf, then: &Then, after: &str) -> String {
    let at = attribute(then.at);
    let pairs = [("at", at.as_str()), ("after", after)];
    address(&format!("/users/{}/as-of", asked.user), pairs)
}

/// Asks for an export of what is shown.
fn export(frame: &Frame, asked: &AsOf, then: &Then) -> Option<AnyView> {
    let words = &frame.text().as_of;
    asked.may_export.then(|| {
        view! {
            <form method="post" action="/exports">
                <input type="hidden" name="user_id" value=asked.user.to_string() />
                <input type="hidden" name="as_of" value=attribute(then.at) />
                <button class="button">{words.export}</button>
                <p class="hint">{words.export_how}</p>
            </form>
        }
        .into_any()
    })
}

fn form(frame: &Frame, asked: &AsOf) -> AnyView {
    let text = frame.text();
    let words = &text.as_of;
    let shown = asked.then.as_ref().map_or(frame.now, |then| then.at);
    let local = shown.with_timezone(&frame.zone).format(LOCAL).to_string();
    let label = (words.at)(frame.zone.name());
    let at = field(
        text,
        "as-of",
        &asked.typed,
        Field {
            name: "at",
            label: &label,
            hint: Some(words.at_how),
            value: &local,
            control: Control::Line("datetime-local", None, true),
        },
    );
    view! {
        <form class="bar" method="get" action=format!("/users/{}/as-of", asked.user)>
            {at}
            <button class="button">{words.show}</button>
        </form>
    }
    .into_any()
}

fn known(frame: &Frame, then: &Then) -> AnyView {
    let text = frame.text();
    let words = &text.as_of;
    if then.known.is_empty() {
        return view! { <p class="quiet">{words.known_none}</p> }.into_any();
    }
    let heads = [
        Head::Words(words.memory),
        Head::Words(text.words.kind_label),
        Head::Words(text.memories.revisions),
        Head::Words(words.approved),
        Head::Words(words.by),
        Head::Words(words.ends),
    ];
    let rows = then.known.iter().map(|known| {
        let name = known.name.as_ref().map(|name| format!("{name}: "));
        let agreed = known
            .agreed_by
            .as_ref()
            .map(|who| view! { <span class="quiet">" " {(words.agreed)(who)}</span> });
        let ends = known
            .expires_at
            .map_or_else(|| text.memories.never.into_any(), |at| date(frame, at));
        Row {
            of: view! {
                <a href=format!("/memories/{}", known.memory) lang=lang(domain::text::language(&known.content))>
                    {name}
                    {revealed(text, &known.content)}
                </a>
            }
            .into_any(),
            cells: vec![
                tag::kind_name(text, &known.kind).into_any(),
                (text.memories.revision)(known.revision).into_any(),
                date(frame, known.approved_at),
                view! {
                    {known.by.clone()}
                    {agreed}
                }
                .into_any(),
                ends,
            ],
        }
    });
    table(words.known, Caption::Heard, &heads, rows.collect())
}

fn waiting(frame: &Frame, then: &Then) -> AnyView {
    let text = frame.text();
    let words = &text.as_of;
    if then.waiting.is_empty() {
        return view! { <p class="quiet">{words.waiting_none}</p> }.into_any();
    }
    let heads = [
        Head::Words(text.candidate.title),
        Head::Words(text.words.kind_label),
        Head::Words(text.words.action_label),
        Head::Words(words.since),
        Head::Words(words.until),
    ];
    let rows = then.waiting.iter().map(|waited| Row {
        of: view! {
            <a href=format!("/candidates/{}", waited.candidate) lang=lang(&waited.language)>
                {revealed(text, &waited.content)}
            </a>
        }
        .into_any(),
        cells: vec![
            tag::kind_name(text, &waited.kind).into_any(),
            (text.words.action)(waited.action).into_any(),
            date(frame, waited.since),
            date(frame, waited.until),
        ],
    });
    table(words.waiting, Caption::Heard, &heads, rows.collect())
}

fn served(frame: &Frame, asked: &AsOf, then: &Then) -> AnyView {
    let text = frame.text();
    let words = &text.as_of;
    if then.servings.is_empty() {
        return view! { <p class="quiet">{words.served_none}</p> }.into_any();
    }
    let heads = [
        Head::Words(text.preview.when),
        Head::Words(text.served.session),
        Head::Words(text.served.title),
    ];
    let rows = then.servings.iter().map(|serving| Row {
        of: date(frame, serving.at),
        cells: vec![session_of(text, serving).into_any(), link(text, serving)],
    });
    let more = then.next.as_ref().map(|cursor| {
        view! {
            <a class="more" href=format!("{}#served", path(asked, then, cursor))>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        {table(words.served, Caption::Heard, &heads, rows.collect())}
        {more}
    }
    .into_any()
}
