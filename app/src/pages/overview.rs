//! `/`: few figures, each a link to what it counts.

use domain::Timestamp;
use leptos::prelude::*;

use crate::{
    components::{
        empty::empty,
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
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Overview {
    /// Waiting candidates.
    pub waiting: i64,
    /// Of these, those that expire within a day.
    pub expiring: i64,
    /// When the oldest of them was proposed.
    pub oldest: Option<Timestamp>,
    /// Decided in the last 24 h.
    pub decided_today: i64,
    /// Approved memories.
    pub memories: i64,
    /// Users.
    pub users: i64,
    /// Failed extractions that nobody retried.
    pub failed: i64,
    /// The agents.
    pub agents: Vec<AgentFigures>,
}

fn figure(
    href: &'static str,
    number: String,
    label: String,
    tone: Option<&'static str>,
) -> AnyView {
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
    if figures.agents.is_empty() {
        let link = ("/agents".to_owned(), text.overview.make_agent.to_owned());
        let content = empty(
            text.overview.no_agents,
            text.overview.no_agents_how,
            Some(link),
        );
        return page(frame, text.overview.title, None, content);
    }
    let count = |href, number: i64, label: fn(u64) -> String, tone| {
        let number = number.unsigned_abs();
        figure(href, grouped(number), label(number), tone)
    };
    let expiring = (figures.expiring > 0).then(|| {
        count(
            "/review?soon=1",
            figures.expiring,
            text.overview.expiring,
            Some("bad"),
        )
    });
    let oldest = figures.oldest.map(|at| {
        view! {
            <li>
                <a class="figure" href="/review">
                    <b>
                        <time datetime=attribute(at)>{span(text, frame.now - at)}</time>
                    </b>
                    " "
                    <span>{text.overview.oldest}</span>
                </a>
            </li>
        }
    });
    let failed = (figures.failed > 0).then(|| {
        view! {
            <li>
                <p class="figure" data-tone="bad">
                    <b>{grouped(figures.failed.unsigned_abs())}</b>
                    " "
                    <span>{(text.overview.failed)(figures.failed.unsigned_abs())}</span>
                </p>
            </li>
        }
    });
    let clear =
        (figures.waiting == 0).then(|| view! { <p class="lead">{text.overview.all_clear}</p> });
    let start = (figures.waiting > 0).then(|| {
        view! {
            <p>
                <a class="button primary" href="/review">
                    {text.overview.start_review}
                </a>
            </p>
        }
    });
    let waiting = count(
        "/review",
        figures.waiting,
        text.overview.waiting,
        Some("lead"),
    );
    let decided = count(
        "/users",
        figures.decided_today,
        text.overview.decided_today,
        None,
    );
    let memories = count("/memories", figures.memories, text.overview.memories, None);
    let users = count("/users", figures.users, text.overview.users, None);
    let content = view! {
        <ul class="figures">
            {waiting} {expiring} {oldest} {decided} {memories} {users} {failed}
        </ul>
        {clear}
        {start}
        {agents(text, &figures.agents)}
    }
    .into_any();
    page(frame, text.overview.title, None, content)
}

/// The agents with their switches and figures.
pub fn agents(text: &'static Text, agents: &[AgentFigures]) -> AnyView {
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
                        <a href=format!("/review?agent={}", agent.name)>{number(agent.pending)}</a>
                    </td>
                    <td class="num">
                        <a href=format!("/memories?agent={}", agent.name)>{number(agent.approved)}</a>
                    </td>
                    <td class="num">
                        <a href=format!("/users?agent={}", agent.name)>{number(agent.users)}</a>
                    </td>
                    <td class="num">{number(agent.total)}</td>
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
                        <th scope="col" class="num">
                            {text.overview.total}
                        </th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
