//! `/`: few figures, each a link to what it counts.

use domain::{Timestamp, id::CandidateId, time::Span};
use leptos::prelude::*;

use super::{decisions, review};
use crate::{
    components::{
        bar::address,
        demo::{AGENT, banner},
        empty::empty,
        first_steps::{FirstSteps, first_steps},
        share::percent_of,
        table::{Caption, Head, Row, table},
        tag::kind_name,
        time::{attribute, span},
    },
    shell::{Frame, page},
    text::{Text, grouped},
};

/// Figures of an agent (A12).
#[derive(Debug, Clone)]
pub struct AgentFigures {
    /// Its name.
    pub name: String,
    /// Whether it learns.
    pub learn: bool,
    /// Whether it serves.
    pub serve: bool,
    /// Approved memories.
    pub approved: i64,
    /// Waiting candidates.
    pub pending: i64,
    /// Users.
    pub users: i64,
    /// All candidates.
    pub total: i64,
    /// Conversations that wait until it allows its extractor.
    pub not_allowed: i64,
}

/// Figures of a kind.
#[derive(Debug, Clone)]
pub struct KindFigures {
    /// Its name.
    pub kind: String,
    /// Waiting candidates.
    pub waiting: i64,
    /// Approved by people lately.
    pub approved: i64,
    /// Rejected by people lately.
    pub rejected: i64,
    /// Approved of both.
    pub acceptance: Option<f64>,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Overview {
    /// Waiting candidates.
    pub waiting: i64,
    /// Of these, those that expire within a day.
    pub expiring: i64,
    /// The one that has waited longest, and since when.
    pub oldest: Option<(CandidateId, Timestamp)>,
    /// Decided by people since the reader's midnight.
    pub decided_today: i64,
    /// Approved memories.
    pub memories: i64,
    /// Users.
    pub users: i64,
    /// Failed extractions that nobody retried.
    pub failed: i64,
    /// Since when the extraction that is due longest waits.
    pub late: Option<Timestamp>,
    /// Conversations that wait until their agent allows its extractor.
    pub not_allowed: i64,
    /// Joins of ids that agents propose (G15).
    pub joins: i64,
    /// Open requests of people, and how many of them are overdue; nothing for who may not see them.
    pub requests: (i64, i64),
    /// By kind: what waits, and what people made of it in so many days.
    pub kinds: (u64, Vec<KindFigures>),
    /// The agents.
    pub agents: Vec<AgentFigures>,
    /// How far the installation has come, for who administers it.
    pub first: Option<FirstSteps>,
}

/// An extraction that is due for longer than this is late: the figure is shown from then on.
const LATE: Span = Span::minutes(5);

fn figure(href: String, number: String, label: String, tone: Option<&'static str>) -> AnyView {
    view! {
        <li>
            <a class="figure" href=href data-tone=tone>
                <b>{number}</b>
                " "
                <span>{label}</span>
            </a>
        </li>
    }
    .into_any()
}

/// A switch in a word.
pub fn on_off(text: &'static Text, on: bool) -> AnyView {
    let (word, tone) = if on {
        (text.overview.on, "good")
    } else {
        (text.overview.off, "warn")
    };
    view! {
        <span class="tag" data-tone=tone>
            {word}
        </span>
    }
    .into_any()
}

/// The page.
pub fn overview(frame: &Frame, figures: &Overview) -> AnyView {
    let text = frame.text();
    let first = figures
        .first
        .as_ref()
        .and_then(|steps| first_steps(frame, steps));
    if figures.agents.is_empty() {
        let content = first
            .unwrap_or_else(|| empty(text.overview.no_agents, text.overview.no_agents_how, None));
        return page(frame, text.overview.title, None, content);
    }
    let count = |href: &str, number: i64, label: fn(u64) -> String, tone| {
        let number = number.unsigned_abs();
        figure(href.to_owned(), grouped(number), label(number), tone)
    };
    let since = |href: String, at: Timestamp, label: &'static str, tone: Option<&'static str>| {
        view! {
            <li>
                <a class="figure" href=href data-tone=tone>
                    <b>
                        <time datetime=attribute(at)>{span(text, frame.now - at)}</time>
                    </b>
                    " "
                    <span>{label}</span>
                </a>
            </li>
        }
    };
    let words = &text.overview;
    let expiring = (figures.expiring > 0).then(|| {
        count(
            "/review?soon=1",
            figures.expiring,
            words.expiring,
            Some("bad"),
        )
    });
    let oldest = figures
        .oldest
        .as_ref()
        .map(|(id, at)| since(format!("/candidates/{id}"), *at, words.oldest, None));
    let failed = (figures.failed > 0)
        .then(|| count("/jobs#failed", figures.failed, words.failed, Some("bad")));
    let late = figures
        .late
        .filter(|at| frame.now - *at > LATE)
        .map(|at| since("/jobs#next".to_owned(), at, words.late, Some("bad")));
    let proposed =
        (figures.joins > 0).then(|| count("/joins", figures.joins, text.joins.overview, None));
    let (open, overdue) = figures.requests;
    let asked = (open > 0).then(|| count("/requests", open, text.requests.overview_open, None));
    let overdue = (overdue > 0).then(|| {
        count(
            "/requests",
            overdue,
            text.requests.overview_overdue,
            Some("bad"),
        )
    });
    let stuck = (failed.is_some() || late.is_some()).then(|| {
        view! {
            <div class="callout" data-tone="warn" id="extraction-stuck">
                <p>
                    <strong>{text.failures.extraction_stuck}</strong>
                    " "
                    {text.failures.extraction_stuck_how}
                </p>
                <p>
                    <a class="button" href="/jobs">
                        {text.jobs.title}
                    </a>
                </p>
            </div>
        }
    });
    let waits = (figures.not_allowed > 0).then(|| {
        let line = (words.extraction_waits)(figures.not_allowed.unsigned_abs());
        view! {
            <div class="callout" data-tone="warn" id="extraction-waits">
                <p>
                    <a href="/jobs">{line}</a>
                </p>
            </div>
        }
    });
    let well = (failed.is_none() && late.is_none() && waits.is_none())
        .then(|| view! { <p class="quiet">{words.extraction_well}</p> });
    let clear = (figures.waiting == 0).then(|| view! { <p class="lead">{words.all_clear}</p> });
    let start = (figures.waiting > 0).then(|| {
        view! {
            <p>
                <a class="button primary" href="/review">
                    {words.start_review}
                </a>
            </p>
        }
    });
    let waiting = count("/review", figures.waiting, words.waiting, Some("lead"));
    let decided = count(
        "/decisions?span=today",
        figures.decided_today,
        words.decided_today,
        None,
    );
    let memories = count("/memories", figures.memories, words.memories, None);
    let users = count("/users", figures.users, words.users, None);
    let content = view! {
        <ul class="figures">
            {waiting} {expiring} {oldest} {decided} {memories} {users} {failed} {late} {proposed} {asked} {overdue}
        </ul>
        {stuck}
        {waits}
        {clear}
        {start}
        {banner(frame, AGENT)}
        {first}
        {well}
        {kinds(text, figures)}
        {agents(text, &figures.agents)}
    }
    .into_any();
    page(frame, words.title, None, content)
}

/// What waits and what became of it, by kind; each number is the list behind it.
fn kinds(text: &'static Text, figures: &Overview) -> Option<AnyView> {
    let (days, kinds) = &figures.kinds;
    if kinds.is_empty() {
        return None;
    }
    let words = &text.quality;
    let heads = [
        Head::Words(text.words.kind_label),
        Head::Figures(text.agents.pending),
        Head::Figures(words.approved),
        Head::Figures(words.rejected),
        Head::Figures(words.acceptance),
    ];
    let rows = kinds.iter().map(|kind| {
        let number = |href: String, number: i64| {
            view! { <a href=href>{grouped(number.unsigned_abs())}</a> }.into_any()
        };
        let decided = |verdict: &str| {
            let filter = decisions::Filter {
                kind: kind.kind.clone(),
                verdict: verdict.to_owned(),
                span: days.to_string(),
                ..decisions::Filter::default()
            };
            filter.href()
        };
        let quality = address("/quality", [("days", days.to_string().as_str())]);
        let rate = percent_of(text, kind.acceptance);
        Row {
            of: kind_name(text, &kind.kind).into_any(),
            cells: vec![
                number(
                    address("/review", [("kind", kind.kind.as_str())]),
                    kind.waiting,
                ),
                number(decided("approve"), kind.approved),
                number(decided("reject"), kind.rejected),
                view! { <a href=quality>{rate}</a> }.into_any(),
            ],
        }
    });
    Some(
        view! {
            <section>
                <h2>{text.overview.by_kind}</h2>
                <p class="quiet">{(text.overview.by_kind_how)(*days)}</p>
                {table(text.overview.by_kind, Caption::Heard, &heads, rows.collect())}
            </section>
        }
        .into_any(),
    )
}

/// What waits in an agent, in every language: also for a reader whose queue begins with some.
pub(super) fn waiting_of(agent: &str) -> String {
    let all = review::Filter {
        agent: agent.to_owned(),
        language: review::EVERY.to_owned(),
        ..review::Filter::default()
    };
    all.href(None)
}

/// The agents with their switches and figures.
pub fn agents(text: &'static Text, agents: &[AgentFigures]) -> AnyView {
    let some_wait = agents.iter().any(|agent| agent.not_allowed > 0);
    let rows = agents
        .iter()
        .map(|agent| {
            let number = |n: i64| grouped(n.unsigned_abs());
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/agents/{}", agent.name)>{agent.name.clone()}</a>
                    </th>
                    <td>{on_off(text, agent.learn)}</td>
                    <td>{on_off(text, agent.serve)}</td>
                    <td class="num">
                        <a href=waiting_of(&agent.name)>{number(agent.pending)}</a>
                    </td>
                    <td class="num">
                        <a href=format!("/memories?agent={}", agent.name)>{number(agent.approved)}</a>
                    </td>
                    <td class="num">
                        <a href=format!("/users?agent={}", agent.name)>{number(agent.users)}</a>
                    </td>
                    {some_wait.then(|| view! { <td class="num">{number(agent.not_allowed)}</td> })}
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=text.overview.by_agent>
            <table>
                <caption>{text.overview.by_agent}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.words.agent}</th>
                        <th scope="col">{text.overview.learn}</th>
                        <th scope="col">{text.overview.serve}</th>
                        <th scope="col" class="num">
                            {text.agents.pending}
                        </th>
                        <th scope="col" class="num">
                            {text.agents.approved}
                        </th>
                        <th scope="col" class="num">
                            {text.agents.users}
                        </th>
                        {some_wait
                            .then(|| {
                                view! {
                                    <th scope="col" class="num">
                                        {text.jobs.not_allowed}
                                    </th>
                                }
                            })}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
