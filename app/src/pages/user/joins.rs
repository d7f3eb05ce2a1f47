//! Other ids of a person: the joins there are, what contradicts each other, and the form that joins another id (G15).

use leptos::prelude::*;

use super::User;
use crate::{
    components::{
        content::{lang, revealed},
        form::{Control, Field, Typed, field},
    },
    pages::{
        joins::{Join, kept, listed},
        memories::Line,
    },
    shell::Frame,
};

/// Two memories that contradict each other under different ids.
#[derive(Debug, Clone)]
pub struct Conflict {
    /// What agents are told.
    pub told: Line,
    /// What they are not.
    pub silent: Line,
}

/// What the section shows.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    /// The joins of this person, newest first.
    pub rows: Vec<Join>,
    /// What contradicts each other.
    pub conflicts: Vec<Conflict>,
    /// Whether the reader may join another id.
    pub may_join: bool,
    /// What was typed into a form when it was refused.
    pub typed: Typed,
}

/// The section.
pub(super) fn joins(frame: &Frame, user: &User) -> AnyView {
    let text = frame.text();
    let words = &text.joins;
    let joined = &user.joined;
    let here = format!("/users/{}#joins", user.id);
    let rows = if joined.rows.is_empty() {
        view! { <p class="quiet">{words.none}</p> }.into_any()
    } else {
        listed(frame, &joined.rows, &joined.typed, Some(&user.id), &here)
    };
    view! {
        <section id="joins">
            <h2>{words.section}</h2>
            <p class="quiet">{words.lead}</p>
            {kept(text, &joined.rows, &joined.typed)}
            {rows}
            {conflicts(frame, joined)}
            {joined.may_join.then(|| add(frame, user))}
        </section>
    }
    .into_any()
}

fn conflicts(frame: &Frame, joined: &Joined) -> Option<AnyView> {
    let text = frame.text();
    let words = &text.joins;
    let one = |line: &Line, standing: &'static str| {
        view! {
            <p>
                <a href=format!("/memories/{}", line.id) lang=lang(&line.language)>
                    {revealed(text, &line.content)}
                </a>
                " "
                <span class="quiet">{line.who.clone()} " · " {standing}</span>
            </p>
        }
    };
    let rows = joined
        .conflicts
        .iter()
        .map(|conflict| {
            view! {
                <li>
                    {one(&conflict.told, words.told)}
                    {one(&conflict.silent, words.silent)}
                </li>
            }
        })
        .collect_view();
    (!joined.conflicts.is_empty()).then(|| {
        view! {
            <div class="callout" data-tone="warn" id="conflicts">
                <p>
                    <strong>{words.conflicts}</strong>
                    " "
                    {words.conflicts_how}
                </p>
                <ul class="plainlist">{rows}</ul>
            </div>
        }
        .into_any()
    })
}

fn add(frame: &Frame, user: &User) -> AnyView {
    let text = frame.text();
    let words = &text.joins;
    let typed = &user.joined.typed;
    let draw = |one: Field<'_>| field(text, "join", typed, one);
    let line = |name: &'static str, label: &'static str, hint: &'static str| {
        draw(Field {
            name,
            label,
            hint: Some(hint),
            value: "",
            control: Control::Line("text", Some("off"), true),
        })
    };
    let roles = [
        ("guest", words.other_is_guest),
        ("main", words.this_is_guest),
    ];
    let roles = roles.map(|(value, label)| (value.to_owned(), label.to_owned()));
    let role = draw(Field {
        name: "join_as",
        label: words.role,
        hint: None,
        value: "guest",
        control: Control::Choice(roles.to_vec()),
    });
    let open = ["join_other", "join_reason"]
        .iter()
        .any(|name| typed.values.contains_key(*name) || typed.faults.contains_key(*name));
    view! {
        <details class="reject" open=open>
            <summary class="button">{words.add}</summary>
            <form class="grid" method="post" action=format!("/users/{}/joins", user.id)>
                <p class="hint">{words.add_how}</p>
                {line("join_other", words.other, words.other_how)}
                {role}
                {line("join_reason", words.reason, words.reason_how)}
                <div class="buttons">
                    <button class="button primary">{words.submit}</button>
                </div>
            </form>
        </details>
    }
    .into_any()
}
