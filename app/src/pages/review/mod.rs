//! `/review`: the list of what waits, the candidate that is open, the words that support it.

mod filter;

use domain::{
    Timestamp,
    candidate::{Action, Flag},
    id::CandidateId,
};
use leptos::prelude::*;

pub use self::filter::Filter;
use self::filter::filters;
use super::candidate::{Candidate, evidence, pane};
use crate::{
    components::{
        content::{lang, revealed},
        empty::empty,
        keys::{foot, key_help},
        notice::notice,
        tag,
        time::{left, span},
    },
    islands::desk::Desk,
    shell::{Frame, document},
    text::grouped,
};

/// A row of the list.
#[derive(Debug, Clone)]
pub struct Row {
    /// Which candidate.
    pub id: CandidateId,
    /// The user as shown.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Its kind.
    pub kind: String,
    /// What it would do.
    pub action: Action,
    /// Its flags.
    pub flags: Vec<Flag>,
    /// How sure the extractor is.
    pub confidence: f64,
    /// When it stops waiting.
    pub expires_at: Timestamp,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Review {
    /// The filters of the address.
    pub filter: Filter,
    /// The user of the filter as shown.
    pub filtered_user: Option<String>,
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// The kinds to choose from.
    pub kinds: Vec<String>,
    /// The rows of this page.
    pub rows: Vec<Row>,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// Those that wait and fit the filter, on all pages of the list.
    pub fitting: i64,
    /// All that wait, whatever the filter.
    pub waiting: i64,
    /// Of these, those that expire within a day.
    pub expiring: i64,
    /// When the oldest of them was proposed.
    pub oldest: Option<Timestamp>,
    /// The candidate that is open: the one of the address, else the first.
    pub open: Option<Candidate>,
    /// Whether the address names it: a narrow screen then shows it instead of the list.
    pub named: bool,
}

/// The page.
pub fn review(frame: &Frame, page: Review) -> AnyView {
    let text = frame.text();
    let title = format!(
        "{} ({})",
        text.review.title,
        grouped(page.fitting.unsigned_abs())
    );
    let head = head(frame, &page);
    let filters = filters(text, &page);
    let list = list(frame, &page);
    let (candidate, evidence) = match &page.open {
        Some(candidate) => (pane(frame, candidate), evidence(frame, candidate)),
        None => (nothing(), nothing()),
    };
    let opened = (page.named && page.open.is_some()).then_some("");
    let back = page.filter.href(None);
    let message = notice(frame);
    let desk = view! {
        <Desk>
            {head} {filters} <div class="panes" data-open=opened>
                <nav id="list" data-region aria-label=text.review.list>
                    {list}
                </nav>
                <section id="candidate" class="candidate" aria-label=text.candidate.title>
                    {candidate}
                </section>
                <aside id="evidence" class="evidence" aria-label=text.candidate.evidence>
                    {evidence}
                </aside>
                <a class="back" href=back>
                    {text.review.back}
                </a>
            </div> {foot(text, message)} {key_help(text)}
        </Desk>
    }
    .into_any();
    document(frame, &title, true, desk)
}

fn nothing() -> AnyView {
    ().into_any()
}

fn head(frame: &Frame, page: &Review) -> AnyView {
    let text = frame.text();
    let mut counts = vec![(text.review.waiting)(page.fitting.unsigned_abs())];
    // The other figures are those of the whole, which stands in its chip.
    let whole = !page.filter.narrows();
    if whole && page.expiring > 0 {
        counts.push((text.review.expiring)(page.expiring.unsigned_abs()));
    }
    if whole && let Some(oldest) = page.oldest {
        counts.push((text.review.oldest)(&span(text, frame.now - oldest)));
    }
    view! {
        <header class="top">
            <h1>{text.review.title}</h1>
            <p id="counts" data-region class="quiet">
                {counts.join(" · ")}
            </p>
        </header>
    }
    .into_any()
}

fn list(frame: &Frame, page: &Review) -> AnyView {
    let text = frame.text();
    if page.rows.is_empty() {
        return if page.agents.is_empty() {
            let link = ("/agents".to_owned(), text.overview.make_agent.to_owned());
            empty(
                text.overview.no_agents,
                text.overview.no_agents_how,
                Some(link),
            )
        } else if page.filter.narrows() && page.waiting > 0 {
            let heading = (text.review.hidden)(page.waiting.unsigned_abs());
            let link = ("/review".to_owned(), text.review.show_all.to_owned());
            empty(&heading, text.review.hidden_how, Some(link))
        } else {
            let here = page.filter.href(None);
            view! {
                {empty(text.review.empty, text.review.empty_how, None)}
                <noscript>
                    <a class="more" href=here>
                        {text.review.reload}
                    </a>
                </noscript>
            }
            .into_any()
        };
    }
    let open = page.open.as_ref().map(|candidate| &candidate.id);
    let rows = page
        .rows
        .iter()
        .map(|row| row_view(frame, &page.filter, row, Some(&row.id) == open))
        .collect_view();
    let more = page.next.as_ref().map(|cursor| {
        let next = Filter {
            after: cursor.clone(),
            ..page.filter.clone()
        };
        view! {
            <a class="more" href=next.href(None)>
                {text.shell.next_page}
            </a>
        }
    });
    let first = (!page.filter.after.is_empty()).then(|| {
        let first = Filter {
            after: String::new(),
            ..page.filter.clone()
        };
        view! {
            <a class="more" href=first.href(None)>
                {text.shell.first_page}
            </a>
        }
    });
    view! {
        {first}
        <ol>{rows}</ol>
        {more}
    }
    .into_any()
}

fn row_view(frame: &Frame, filter: &Filter, row: &Row, open: bool) -> AnyView {
    let text = frame.text();
    let who = format!("{} · {}", row.who, row.agent);
    view! {
        <li data-id=row.id.to_string()>
            <a class="row" href=filter.href(Some(row.id.as_str())) aria-current=open.then_some("true")>
                <span class="who">{who}</span>
                {left(frame, row.expires_at)}
                <span class="line" lang=lang(&row.language)>
                    {revealed(text, &row.content)}
                </span>
                <span class="tags">
                    {tag::tag(&tag::kind_name(text, &row.kind), None, None)}
                    {tag::change(text, row.action)} {tag::flags(text, &row.flags)}
                    {tag::confidence(text, row.confidence)}
                </span>
            </a>
        </li>
    }
    .into_any()
}
