//! What happened about a person, newest first: what was proposed, decided, served and erased (F8).

use domain::{Timestamp, audit::EventType};
use leptos::prelude::*;

use super::User;
use crate::{
    components::{
        bar::address,
        content::{excerpt, lang},
        time::date,
    },
    pages::serving::{Serving, briefly, session_of},
    shell::Frame,
};

/// A line.
#[derive(Debug, Clone)]
pub enum Entry {
    /// An event of the chain.
    Event(Event),
    /// What the agent was told.
    Served(Serving),
}

/// Something that happened.
#[derive(Debug, Clone)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// What.
    pub r#type: EventType,
    /// Who did it: a person's name, a key's, or the system.
    pub by: Option<String>,
    /// Where its subject can be seen.
    pub href: Option<String>,
    /// What its subject said, and the language of that.
    pub said: Option<(String, String)>,
    /// The number in the agent's chain.
    pub seq: i64,
    /// What more there is to say: a reason, a figure.
    pub detail: Option<String>,
}

pub(super) fn timeline(frame: &Frame, user: &User) -> AnyView {
    let text = frame.text();
    let rows = user
        .events
        .iter()
        .map(|entry| match entry {
            Entry::Event(event) => happened(frame, event),
            Entry::Served(serving) => served(frame, serving),
        })
        .collect_view();
    let more = user.next.as_ref().map(|cursor| {
        let path = address(&format!("/users/{}", user.id), [("after", cursor.as_str())]);
        view! {
            <a class="more" href=format!("{path}#timeline")>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        <ol class="timeline">{rows}</ol>
        {more}
    }
    .into_any()
}

fn happened(frame: &Frame, event: &Event) -> AnyView {
    let text = frame.text();
    let what = (text.words.event)(event.r#type);
    let what = match &event.href {
        Some(href) => view! { <a href=href.clone()>{what}</a> }.into_any(),
        None => what.into_any(),
    };
    let said = event
        .said
        .as_ref()
        .map(|(content, language)| view! { <q lang=lang(language)>{excerpt(content)}</q> });
    let detail = event
        .detail
        .clone()
        .map(|detail| view! { <span class="quiet">{detail}</span> });
    let by = event
        .by
        .as_ref()
        .map(|by| view! { <span class="quiet">{(text.users.by)(by)}</span> });
    view! {
        <li>
            {date(frame, event.at)}
            <span>{what} " " {said} " " {detail} " " {by}</span>
            <code class="quiet">{format!("#{}", event.seq)}</code>
        </li>
    }
    .into_any()
}

fn served(frame: &Frame, serving: &Serving) -> AnyView {
    let text = frame.text();
    let line = format!(
        "{} {}",
        (text.served.told)(serving.items.len() as u64),
        session_of(text, serving)
    );
    view! {
        <li>
            {date(frame, serving.at)}
            <details>
                <summary>{line}</summary>
                {briefly(text, serving)}
            </details>
            <a class="quiet" href=format!("/servings/{}", serving.id)>
                {text.served.see}
            </a>
        </li>
    }
    .into_any()
}
