//! `/memories`: what is approved.

use domain::{Timestamp, id::MemoryId, memory::MemoryStatus, profile};
use leptos::prelude::*;

use crate::{
    components::{
        bar::{address, select},
        content::{lang, revealed},
        empty::empty,
        tag,
        time::when,
    },
    shell::{Frame, page},
};

/// A memory in a list.
#[derive(Debug, Clone)]
pub struct Line {
    /// Which.
    pub id: MemoryId,
    /// The user as shown.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// Its kind.
    pub kind: String,
    /// Its name within the kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Whether it is served.
    pub status: MemoryStatus,
    /// When its newest revision was made.
    pub updated_at: Timestamp,
    /// The number of that revision.
    pub revision: i64,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Memories {
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// The kinds to choose from.
    pub kinds: Vec<String>,
    /// The agent that is chosen.
    pub agent: String,
    /// The kind that is chosen.
    pub kind: String,
    /// `approved` or `retired`.
    pub status: String,
    /// The words that are looked for.
    pub q: String,
    /// The rows.
    pub rows: Vec<Line>,
    /// The cursor of the next page.
    pub next: Option<String>,
}

/// The page.
pub fn memories(frame: &Frame, memories: &Memories) -> AnyView {
    let text = frame.text();
    let narrowed = [&memories.agent, &memories.kind, &memories.q]
        .iter()
        .any(|value| !value.is_empty())
        || memories.status == MemoryStatus::Retired.as_str();
    let content = if memories.rows.is_empty() {
        let heading = if narrowed {
            text.memories.not_found
        } else {
            text.memories.empty
        };
        empty(heading, text.memories.empty_how, None)
    } else {
        lines(frame, &memories.rows, true)
    };
    let more = memories.next.as_ref().map(|cursor| {
        let pairs = [
            ("q", memories.q.as_str()),
            ("agent", memories.agent.as_str()),
            ("kind", memories.kind.as_str()),
            ("status", memories.status.as_str()),
            ("after", cursor.as_str()),
        ];
        view! {
            <a class="more" href=address("/memories", pairs)>
                {text.shell.next_page}
            </a>
        }
    });
    let lead = view! { <p class="quiet">{text.memories.lead}</p> }.into_any();
    let content = view! {
        {search(frame, memories)}
        {content}
        {more}
    }
    .into_any();
    page(frame, text.memories.title, Some(lead), content)
}

fn search(frame: &Frame, memories: &Memories) -> AnyView {
    let text = frame.text();
    let any = |label: &str| std::iter::once((String::new(), label.to_owned()));
    let agents = any(text.review.any_agent)
        .chain(
            memories
                .agents
                .iter()
                .map(|name| (name.clone(), name.clone())),
        )
        .collect();
    let kinds = any(text.review.any_kind)
        .chain(
            memories
                .kinds
                .iter()
                .map(|kind| (kind.clone(), tag::kind_name(text, kind))),
        )
        .collect();
    let states = [
        (MemoryStatus::Approved, text.memories.status_approved),
        (MemoryStatus::Retired, text.memories.status_retired),
    ]
    .map(|(status, label)| (status.to_string(), label.to_owned()))
    .to_vec();
    view! {
        <form class="bar" method="get" action="/memories" role="search">
            <label class="wide">
                <span>{text.memories.search}</span>
                <input type="search" name="q" value=memories.q.clone() autocomplete="off" />
            </label>
            {select("agent", text.words.agent, &memories.agent, agents)}
            {select("kind", text.words.kind_label, &memories.kind, kinds)}
            {select("status", text.words.status, &memories.status, states)}
            <button class="button">{text.review.apply}</button>
        </form>
    }
    .into_any()
}

/// Memories as a list of statements; `whose` adds kind, user and agent.
pub fn lines(frame: &Frame, memories: &[Line], whose: bool) -> AnyView {
    let text = frame.text();
    let rows = memories
        .iter()
        .map(|memory| {
            let whose = whose.then(|| {
                view! {
                    {tag::tag(&tag::kind_name(text, &memory.kind), None, None)}
                    <span>{memory.who.clone()} " · " {memory.agent.clone()}</span>
                }
            });
            // Every other statement says by itself what it is about; the value of a field does not.
            let name = memory
                .name
                .as_ref()
                .filter(|_| memory.kind == profile::KIND)
                .map(|name| view! { <b>{name.clone()} ": "</b> });
            let retired = (memory.status == MemoryStatus::Retired)
                .then(|| tag::tag(text.words.retired_label, Some("warn"), None));
            view! {
                <li>
                    <a href=format!("/memories/{}", memory.id) lang=lang(&memory.language)>
                        {name}
                        {revealed(text, &memory.content)}
                    </a>
                    <span class="tags quiet">
                        {whose} {retired} <span>{(text.memories.revision)(memory.revision)}</span>
                        {when(frame, memory.updated_at)}
                    </span>
                </li>
            }
        })
        .collect_view();
    view! { <ul class="statements">{rows}</ul> }.into_any()
}
