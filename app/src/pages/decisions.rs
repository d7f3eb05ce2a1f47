//! `/decisions`: what was decided and stands, newest first. It is the list behind the figures of decisions, and the way back to each of
//! them: a decision is taken back on its candidate's page.

use domain::{Timestamp, candidate::Reason, id::CandidateId};
use leptos::prelude::*;
use serde::Deserialize;

use crate::{
    components::{
        bar::{address, choices, select},
        content::{lang, revealed},
        empty::empty,
        tag,
        time::when,
    },
    shell::{Frame, page},
    text::Text,
};

/// The filters, as they stand in the address. A value that means nothing filters nothing.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// An agent's name.
    pub agent: String,
    /// A kind.
    pub kind: String,
    /// `approve` or `reject`.
    pub verdict: String,
    /// `policy`; else people.
    pub by: String,
    /// `today`, or how many days back.
    pub span: String,
    /// Where the page of the list begins.
    pub after: String,
}

impl Filter {
    /// The address of this list.
    pub fn href(&self) -> String {
        let pairs = [
            ("agent", self.agent.as_str()),
            ("kind", &self.kind),
            ("verdict", &self.verdict),
            ("by", &self.by),
            ("span", &self.span),
            ("after", &self.after),
        ];
        address("/decisions", pairs)
    }
}

/// A decision.
#[derive(Debug, Clone)]
pub struct Row {
    /// Of which candidate.
    pub id: CandidateId,
    /// What it states.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Its kind.
    pub kind: String,
    /// The user as shown.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// Why it was rejected; `None`: it was approved.
    pub rejected: Option<Reason>,
    /// Who decided.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Decisions {
    /// The filters.
    pub filter: Filter,
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// The kinds to choose from.
    pub kinds: Vec<String>,
    /// How many fit.
    pub count: i64,
    /// A page of them.
    pub rows: Vec<Row>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// The spans to choose from, in days.
pub const SPANS: [u64; 3] = [7, 30, 90];

/// The page.
pub fn decisions(frame: &Frame, decisions: &Decisions) -> AnyView {
    let text = frame.text();
    let words = &text.quality;
    let rows = decisions
        .rows
        .iter()
        .map(|row| line(frame, row))
        .collect_view();
    let list = if decisions.rows.is_empty() {
        let link = ("/review".to_owned(), text.overview.start_review.to_owned());
        empty(words.list_empty, words.list_empty_how, Some(link))
    } else {
        view! { <ul class="statements">{rows}</ul> }.into_any()
    };
    let more = decisions.next.as_ref().map(|cursor| {
        let next = Filter {
            after: cursor.clone(),
            ..decisions.filter.clone()
        };
        view! {
            <a class="more" href=next.href()>
                {text.shell.next_page}
            </a>
        }
    });
    let count = (words.list_count)(decisions.count.unsigned_abs());
    let beside = view! {
        <p class="quiet" id="count">
            {count}
        </p>
    }
    .into_any();
    let content = view! {
        {bar(text, decisions)}
        {list}
        {more}
    }
    .into_any();
    page(frame, words.list, Some(beside), content)
}

fn line(frame: &Frame, row: &Row) -> AnyView {
    let text = frame.text();
    let verdict = match row.rejected {
        None => tag::tag(text.words.approved, Some("good"), None),
        Some(reason) => tag::tag(
            &format!("{}: {}", text.words.rejected, (text.words.reason)(reason)),
            Some("warn"),
            None,
        ),
    };
    view! {
        <li>
            <a href=format!("/candidates/{}", row.id) lang=lang(&row.language)>
                {revealed(text, &row.content)}
            </a>
            <span class="tags quiet">
                {verdict} {tag::tag(&tag::kind_name(text, &row.kind), None, None)}
                <span>{row.who.clone()} " · " {row.agent.clone()}</span>
                <span>{(text.quality.decided_by)(&row.by)}</span> {when(frame, row.at)}
            </span>
        </li>
    }
    .into_any()
}

fn bar(text: &'static Text, decisions: &Decisions) -> AnyView {
    let (words, filter) = (&text.quality, &decisions.filter);
    let agents = decisions
        .agents
        .iter()
        .map(|name| (name.clone(), name.clone()));
    let kinds = decisions
        .kinds
        .iter()
        .map(|kind| (kind.clone(), tag::kind_name(text, kind)));
    let verdicts = [
        ("approve", text.words.approved),
        ("reject", text.words.rejected),
    ];
    let by = [("", words.by_people), ("policy", words.by_policies)];
    let own = |(value, label): (&str, &str)| (value.to_owned(), label.to_owned());
    let spans = std::iter::once(("today".to_owned(), words.today.to_owned()))
        .chain(SPANS.map(|days| (days.to_string(), (words.days)(days))))
        .collect();
    view! {
        <form class="bar" method="get" action="/decisions">
            {select("span", words.span, &filter.span, spans)}
            {select("agent", text.words.agent, &filter.agent, choices(text.review.any_agent, agents))}
            {select("kind", text.words.kind_label, &filter.kind, choices(text.review.any_kind, kinds))}
            {select(
                "verdict",
                words.verdict,
                &filter.verdict,
                choices(words.any_verdict, verdicts.into_iter().map(own)),
            )}
            {select("by", words.by, &filter.by, by.into_iter().map(own).collect())}
            <button class="button">{words.show}</button>
        </form>
    }
    .into_any()
}
