//! `/review`: the list of what waits, the candidate that is open, the words that support it.

pub mod bulk;
mod chips;
mod filter;
mod list;
mod views;

use domain::{
    Timestamp,
    candidate::{Action, Flag},
    id::CandidateId,
};
use leptos::prelude::*;

use self::{filter::filters, list::list};
pub use self::{
    filter::{EVERY, Filter},
    list::{For, Holder},
    views::View,
};
use super::candidate::{Candidate, evidence, pane};
use crate::{
    components::{
        form::Typed,
        keys::{foot, key_help},
        notice::notice,
        time::span,
    },
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
    /// When it was proposed.
    pub created_at: Timestamp,
    /// When it stops waiting.
    pub expires_at: Timestamp,
    /// The version that is seen.
    pub version: i64,
    /// Whether it is picked for a decision on many.
    pub picked: bool,
    /// Who has claimed it.
    pub claim: Option<Holder>,
    /// For whom it waits.
    pub handed: Option<For>,
    /// Who agreed to it as the first of two (G9).
    pub agreed: Option<String>,
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
    /// Whether the reader decides somewhere.
    pub may_decide: bool,
    /// Whether their queue begins with some languages.
    pub limited: bool,
    /// The people to choose from: id and name.
    pub people: Vec<(String, String)>,
    /// The reader's saved views.
    pub views: Vec<View>,
    /// The view whose form was refused; empty: the one that was to be saved.
    pub refused_view: Option<String>,
    /// What was typed there.
    pub typed: Typed,
    /// Where others have claimed all that fits: how many, and until when.
    pub claimed: Option<(i64, Timestamp)>,
    /// What the bar for many has to say.
    pub bulk: bulk::Bulk,
}

impl Review {
    /// The filter that filters nothing.
    fn nothing(&self) -> Filter {
        Filter {
            language: if self.limited { EVERY } else { "" }.to_owned(),
            ..Filter::default()
        }
    }

    /// The address of all that waits.
    fn whole(&self) -> String {
        self.nothing().href(None)
    }
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
    let filters = filters(frame, &page);
    let many = bulk::bar(frame, &page);
    let list = list(frame, &page);
    let (candidate, evidence) = match &page.open {
        Some(candidate) => (pane(frame, candidate), evidence(frame, candidate)),
        None => (nothing(), nothing()),
    };
    let opened = (page.named && page.open.is_some()).then_some("");
    let back = page.filter.href(None);
    let message = notice(frame);
    let (foot, key_help) = (foot(frame, message), key_help(frame));
    let desk = view! {
        <div id="desk" class="desk">
            {head} {filters} {many} <div class="panes" data-open=opened>
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
            </div> {foot} {key_help}
        </div>
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
