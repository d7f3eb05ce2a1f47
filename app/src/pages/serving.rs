//! `/servings/{id}`: one answer that an agent got, each statement in the revision in which it was told (F8).

use domain::{
    Timestamp,
    id::{ConversationId, MemoryId, ServingId, UserId},
};
use leptos::prelude::*;

use crate::{
    components::{
        content::{excerpt, lang, revealed},
        demo::banner,
        tag,
        time::date,
    },
    shell::{Frame, page},
    text::Text,
};

/// One answer.
#[derive(Debug, Clone)]
pub struct Serving {
    /// Which.
    pub id: ServingId,
    /// About whom.
    pub user: UserId,
    /// As the agent names them.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// The agent's own id of the session it was for.
    pub session: Option<String>,
    /// The same session here, where it was sent to us.
    pub conversation: Option<ConversationId>,
    /// When.
    pub at: Timestamp,
    /// Tokens of the text, about.
    pub tokens: u64,
    /// How many memories were left out.
    pub cut: u64,
    /// What was told, in the order of the text.
    pub items: Vec<Item>,
}

/// A statement as it was told.
#[derive(Debug, Clone)]
pub struct Item {
    /// Of which memory.
    pub memory: MemoryId,
    /// In which revision.
    pub revision: i64,
    /// Its kind then.
    pub kind: Option<String>,
    /// Its name then.
    pub name: Option<String>,
    /// The words; `None`: they are gone.
    pub content: Option<String>,
}

/// The page.
pub fn serving(frame: &Frame, serving: &Serving) -> AnyView {
    let text = frame.text();
    let words = &text.served;
    let beside = view! {
        <p class="quiet">
            <a href=format!("/users/{}", serving.user)>{serving.who.clone()}</a>
            " · "
            <a href=format!("/agents/{}", serving.agent)>{serving.agent.clone()}</a>
            " · "
            {date(frame, serving.at)}
        </p>
    }
    .into_any();
    let session = match (&serving.conversation, &serving.session) {
        (Some(id), Some(session)) => {
            view! { <a href=format!("/conversations/{id}")>{(words.in_session)(session)}</a> }
                .into_any()
        }
        _ => session_of(text, serving).into_any(),
    };
    let items = serving
        .items
        .iter()
        .map(|item| told(text, item))
        .collect_view();
    let list = if serving.items.is_empty() {
        view! { <p class="quiet">{words.nothing}</p> }.into_any()
    } else {
        view! { <ul class="statements">{items}</ul> }.into_any()
    };
    let content = view! {
        <div class="letter">
            {banner(frame, &serving.agent)}
            <p class="quiet">{words.lead}</p>
            <p>
                {session} " · " {(words.tokens)(serving.tokens)} " · " {(words.cut)(serving.cut)} " · "
                <code>{serving.id.to_string()}</code>
            </p>
            {list}
        </div>
    }
    .into_any();
    page(frame, words.title, Some(beside), content)
}

/// In which session it was told, in words.
pub fn session_of(text: &'static Text, serving: &Serving) -> String {
    match &serving.session {
        Some(session) => (text.served.in_session)(session),
        None => text.served.in_no_session.to_owned(),
    }
}

/// How much was told, to be followed to what it was.
pub fn link(text: &'static Text, serving: &Serving) -> AnyView {
    let line = (text.served.told)(serving.items.len() as u64);
    view! { <a href=format!("/servings/{}", serving.id)>{line}</a> }.into_any()
}

fn told(text: &'static Text, item: &Item) -> AnyView {
    let kind = item
        .kind
        .as_ref()
        .map(|kind| tag::tag(&tag::kind_name(text, kind), None, None));
    let name = item.name.as_ref().map(|name| format!("{name}: "));
    let words = match &item.content {
        Some(content) => view! {
            <a href=format!("/memories/{}", item.memory) lang=lang(domain::text::language(content))>
                {name}
                {revealed(text, content)}
            </a>
        }
        .into_any(),
        None => view! { <span class="quiet">{text.served.gone}</span> }.into_any(),
    };
    view! {
        <li>
            {words}
            <span class="tags">{kind} <span class="quiet">{(text.memories.revision)(item.revision)}</span></span>
        </li>
    }
    .into_any()
}

/// What was told in few words, a line each: the statement and its revision.
pub fn briefly(text: &'static Text, serving: &Serving) -> AnyView {
    let lines = serving
        .items
        .iter()
        .map(|item| {
            let words = match &item.content {
                Some(content) => view! {
                    <span lang=lang(domain::text::language(content))>{excerpt(content)}</span>
                }
                .into_any(),
                None => text.served.gone.into_any(),
            };
            view! {
                <li>
                    <a href=format!("/memories/{}", item.memory)>{words}</a>
                    " "
                    <span class="quiet">{(text.memories.revision)(item.revision)}</span>
                </li>
            }
        })
        .collect_view();
    view! { <ul class="plainlist">{lines}</ul> }.into_any()
}
