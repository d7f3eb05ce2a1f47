//! `/users`: the people that agents talk to.

use domain::{Timestamp, candidate::Flag, id::UserId};
use leptos::prelude::*;

use super::review::EVERY;
use crate::{
    components::{
        bar::{address, select},
        empty::empty,
        tag::flags,
        time::when,
    },
    shell::{Frame, page},
    text::grouped,
};

/// A row of the list.
#[derive(Debug, Clone)]
pub struct Row {
    /// Ours.
    pub id: UserId,
    /// As the agent names them.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// Approved memories.
    pub approved: i64,
    /// Waiting candidates.
    pub waiting: i64,
    /// When they were first heard of.
    pub first_seen: Timestamp,
    /// When the last message came.
    pub last_seen: Option<Timestamp>,
    /// Whether they opted out.
    pub opted_out: bool,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Users {
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// The agent that is chosen.
    pub agent: String,
    /// The user id that is looked for, or with an agent a part of it.
    pub q: String,
    /// How many users were looked at, where there are more.
    pub opened: Option<u64>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The cursor of the next page.
    pub next: Option<String>,
}

/// The page.
pub fn users(frame: &Frame, users: &Users) -> AnyView {
    let text = frame.text();
    let narrowed = !users.q.is_empty() || !users.agent.is_empty();
    let content = if users.rows.is_empty() {
        let heading = if narrowed {
            text.users.not_found
        } else {
            text.users.empty
        };
        empty(heading, text.users.empty_how, None)
    } else {
        table(frame, users)
    };
    let agents = std::iter::once((String::new(), text.review.any_agent.to_owned()))
        .chain(users.agents.iter().map(|name| (name.clone(), name.clone())))
        .collect();
    let (label, hint) = if users.agent.is_empty() && users.agents.len() > 1 {
        (text.users.search, Some(text.search.exact_why.to_owned()))
    } else {
        (text.search.part, users.opened.map(text.search.cut))
    };
    let hint = hint.map(|line| view! { <p class="hint">{line}</p> });
    let search = view! {
        <form class="bar" method="get" action="/users" role="search">
            <label class="wide">
                <span>{label}</span>
                <input type="search" name="q" value=users.q.clone() autocomplete="off" />
            </label>
            {select("agent", text.words.agent, &users.agent, agents)}
            <button class="button">{text.review.apply}</button>
        </form>
        {hint}
    }
    .into_any();
    let lead = view! { <p class="quiet">{text.users.lead}</p> }.into_any();
    page(
        frame,
        text.users.title,
        Some(lead),
        view! {
            {search}
            {content}
        }
        .into_any(),
    )
}

fn table(frame: &Frame, users: &Users) -> AnyView {
    let text = frame.text();
    let rows = users
        .rows
        .iter()
        .map(|row| {
            let waiting = (row.waiting > 0).then(|| {
                view! {
                    <a href=address("/review", [("user", row.id.as_str()), ("language", EVERY)])>
                        {grouped(row.waiting.unsigned_abs())}
                    </a>
                }
            });
            let out = row.opted_out.then(|| flags(text, &[Flag::OptedOut]));
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/users/{}", row.id)>{row.who.clone()}</a>
                        " "
                        {out}
                    </th>
                    <td>{row.agent.clone()}</td>
                    <td class="num">{grouped(row.approved.unsigned_abs())}</td>
                    <td class="num">{waiting.map_or_else(|| "0".into_any(), IntoAny::into_any)}</td>
                    <td>{row.last_seen.map(|at| when(frame, at))}</td>
                    <td>{when(frame, row.first_seen)}</td>
                </tr>
            }
        })
        .collect_view();
    let more = users.next.as_ref().map(|cursor| {
        let pairs = [
            ("q", users.q.as_str()),
            ("agent", users.agent.as_str()),
            ("after", cursor.as_str()),
        ];
        view! {
            <a class="more" href=address("/users", pairs)>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=text.users.title>
            <table>
                <caption class="visually-hidden">{text.users.lead}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.words.user}</th>
                        <th scope="col">{text.words.agent}</th>
                        <th scope="col" class="num">
                            {text.users.memories}
                        </th>
                        <th scope="col" class="num">
                            {text.users.waiting}
                        </th>
                        <th scope="col">{text.users.last_seen}</th>
                        <th scope="col">{text.users.first_seen}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {more}
    }
    .into_any()
}
