//! `/users/{id}`: one person, as a letter file: who, what is known, what waits, what happened when.

mod as_of;
mod context;
mod erase;
mod joins;
mod profile;
mod timeline;

use domain::{
    Timestamp,
    id::{ConversationId, UserId},
};
use leptos::prelude::*;

pub use self::{
    as_of::{AsOf, Known, Then, Waited, as_of},
    context::{Ask, Because, ContextPreview, Told, context},
    erase::{Erased, Erasing, erased},
    joins::{Conflict, Joined},
    profile::{Profile, Row},
    timeline::{Entry, Event},
};
use super::{
    memories::{Line, lines},
    review::EVERY,
};
use crate::{
    components::{
        bar::address,
        content::{lang, revealed},
        demo::banner,
        tag,
        time::{date, left, when},
    },
    shell::{Frame, page},
};

/// Something that waits.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Its address.
    pub href: String,
    /// Its kind.
    pub kind: String,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// When it stops waiting.
    pub expires_at: Timestamp,
}

/// A conversation.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// Which.
    pub id: ConversationId,
    /// How many messages it has.
    pub messages: i64,
    /// When it began.
    pub at: Timestamp,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct User {
    /// Ours.
    pub id: UserId,
    /// As the agent names them.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// When they were first heard of.
    pub first_seen: Timestamp,
    /// When the last message came.
    pub last_seen: Option<Timestamp>,
    /// What is approved, by kind in the order of a context block: the kind, and its memories.
    pub known: Vec<(String, Vec<Line>)>,
    /// The profiles, one a schema.
    pub profiles: Vec<Profile>,
    /// Whether this person has opted out.
    pub opted_out: bool,
    /// Whether the reader may switch that.
    pub may_opt_out: bool,
    /// What waits.
    pub waiting: Vec<Waiting>,
    /// The conversations of this page, newest first.
    pub conversations: Vec<Conversation>,
    /// The cursor of those before.
    pub next_conversations: Option<String>,
    /// Whether there are newer ones than these.
    pub further_conversations: bool,
    /// Whether the reader may take out what is stored of this person.
    pub may_export: bool,
    /// What happened, newest first.
    pub events: Vec<Entry>,
    /// The cursor of what happened before.
    pub next: Option<String>,
    /// Other ids of theirs.
    pub joined: Joined,
    /// What would go with them, and what keeps it; for who may erase.
    pub erasing: Option<Erasing>,
}

/// The page.
pub fn user(frame: &Frame, user: &User) -> AnyView {
    let text = frame.text();
    let last = user.last_seen.map(|at| {
        view! {
            {text.users.last_seen}
            " "
            {when(frame, at)}
            " · "
        }
    });
    let beside = view! {
        <p class="quiet">
            <a href=format!("/agents/{}", user.agent)>{user.agent.clone()}</a>
            " · "
            {last}
            {text.users.first_seen}
            " "
            {date(frame, user.first_seen)}
            " · "
            <code>{user.id.to_string()}</code>
        </p>
    }
    .into_any();
    let opted_out = user.opted_out.then(|| {
        view! {
            <div class="callout" data-tone="bad">
                <p>
                    <strong>{text.users.opted_out}</strong>
                </p>
            </div>
        }
    });
    let content = view! {
        <div class="letter">
            {banner(frame, &user.agent)}
            {opted_out}
            {profile::profiles(frame, user)}
            <section>
                <h2>{text.users.known}</h2>
                {known(frame, user)}
            </section>
            <section id="context">
                <h2>{text.preview.title}</h2>
                <p class="quiet">{text.preview.see_how}</p>
                <p>
                    <a class="button" href=format!("/users/{}/context", user.id)>
                        {text.preview.see}
                    </a>
                </p>
            </section>
            <section id="as-of">
                <h2>{text.as_of.link}</h2>
                <p class="quiet">{text.as_of.link_how}</p>
                <p>
                    <a class="button" href=format!("/users/{}/as-of", user.id)>
                        {text.as_of.link}
                    </a>
                </p>
            </section>
            {export(frame, user)}
            <section>
                <h2>{text.users.waiting}</h2>
                {waiting(frame, user)}
            </section>
            {joins::joins(frame, user)}
            <section id="conversations">
                <h2>{text.users.conversations}</h2>
                {conversations(frame, user)}
            </section>
            <section id="timeline">
                <h2>{text.users.timeline}</h2>
                {timeline::timeline(frame, user)}
            </section>
            {opt_out(frame, user)}
            {user.erasing.as_ref().map(|erasing| erase::hold(frame, user, erasing))}
            {user.erasing.as_ref().map(|erasing| erase::erase(frame, user, erasing))}
        </div>
    }
    .into_any();
    page(frame, &user.who, Some(beside), content)
}

/// To the form that asks for an export, with this person filled in.
fn export(frame: &Frame, user: &User) -> Option<AnyView> {
    let words = &frame.text().users;
    let form = address("/exports", [("user", user.id.as_str())]);
    user.may_export.then(|| {
        view! {
            <section id="export">
                <h2>{words.export}</h2>
                <p class="quiet">{words.export_how}</p>
                <p>
                    <a class="button" href=format!("{form}#ask")>
                        {words.export}
                    </a>
                </p>
            </section>
        }
        .into_any()
    })
}

/// The switch that outlives everything else about this person (G2).
fn opt_out(frame: &Frame, user: &User) -> Option<AnyView> {
    let text = frame.text();
    let (address, words) = (format!("/users/{}/opt-out", user.id), &text.users);
    let form = if user.opted_out {
        view! {
            <form class="actions" method="post" action=address>
                <button class="button">{words.opt_in}</button>
            </form>
        }
        .into_any()
    } else {
        view! {
            <div class="actions">
                <details class="reject">
                    <summary class="button danger">{words.opt_out}</summary>
                    <form method="post" action=address>
                        <input type="hidden" name="opted_out" value="true" />
                        <p>{words.opt_out_how}</p>
                        <button class="button danger">{words.opt_out_sure}</button>
                    </form>
                </details>
            </div>
        }
        .into_any()
    };
    user.may_opt_out.then(|| {
        view! {
            <section id="opt-out">
                <h2>{words.opt_out}</h2>
                {form}
            </section>
        }
        .into_any()
    })
}

fn known(frame: &Frame, user: &User) -> AnyView {
    let text = frame.text();
    if user.known.is_empty() {
        return view! { <p class="quiet">{text.users.known_none}</p> }.into_any();
    }
    user.known
        .iter()
        .map(|(kind, memories)| {
            view! {
                <h3>{tag::kind_name(text, kind)}</h3>
                {lines(frame, memories, false)}
            }
        })
        .collect_view()
        .into_any()
}

fn waiting(frame: &Frame, user: &User) -> AnyView {
    let text = frame.text();
    if user.waiting.is_empty() {
        return view! { <p class="quiet">{text.users.waits_none}</p> }.into_any();
    }
    let rows = user
        .waiting
        .iter()
        .map(|row| {
            view! {
                <li>
                    <a href=row.href.clone() lang=lang(&row.language)>
                        {revealed(text, &row.content)}
                    </a>
                    <span class="tags">
                        {tag::tag(&tag::kind_name(text, &row.kind), None, None)}
                        {left(frame, row.expires_at)}
                    </span>
                </li>
            }
        })
        .collect_view();
    view! {
        <ul class="statements">{rows}</ul>
        <p>
            <a class="button" href=address("/review", [("user", user.id.as_str()), ("language", EVERY)])>
                {text.users.review_these}
            </a>
        </p>
    }
    .into_any()
}

fn conversations(frame: &Frame, user: &User) -> AnyView {
    let text = frame.text();
    if user.conversations.is_empty() {
        return view! { <p class="quiet">{text.users.conversations_none}</p> }.into_any();
    }
    let rows = user
        .conversations
        .iter()
        .map(|row| {
            view! {
                <li>
                    <a href=format!("/conversations/{}", row.id)>{date(frame, row.at)}</a>
                    " "
                    <span class="quiet">{(text.users.messages)(row.messages.unsigned_abs())}</span>
                </li>
            }
        })
        .collect_view();
    let to = |cursor: &str, label: &'static str| {
        let pairs = [("conversations", cursor)];
        let page = address(&format!("/users/{}", user.id), pairs);
        view! {
            <a class="more" href=format!("{page}#conversations")>
                {label}
            </a>
        }
    };
    let first = user
        .further_conversations
        .then(|| to("", text.shell.first_page));
    let next = user
        .next_conversations
        .as_deref()
        .map(|cursor| to(cursor, text.shell.next_page));
    view! {
        {first}
        <ul class="plainlist">{rows}</ul>
        {next}
    }
    .into_any()
}
