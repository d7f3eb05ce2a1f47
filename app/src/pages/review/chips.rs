//! The chips above the queue: the whole with its count, what expires soon, the saved views, and each condition that is on, which a
//! press takes off.

use domain::time::Span;
use leptos::prelude::*;

use super::{Filter, Review, filter::EVERY};
use crate::{
    components::{tag, time::span},
    pages::candidate::language,
    shell::Frame,
    text::{Text, grouped},
};

/// The chips.
pub(super) fn chips(frame: &Frame, page: &Review) -> AnyView {
    let text = frame.text();
    let filter = &page.filter;
    let soon = if filter.soon == "1" {
        filter.with("soon", "")
    } else {
        Filter {
            soon: "1".to_owned(),
            ..page.nothing()
        }
    };
    let query = filter.query();
    let views = page
        .views
        .iter()
        .map(|view| chip(view.name.clone(), None, view.href(), view.query == query))
        .collect_view();
    let active = filter
        .active()
        // That one has its own chip.
        .filter(|condition| *condition != ("soon", "1"))
        .map(|(name, value)| {
            let off = if name == "language" && page.limited {
                filter.with(name, EVERY)
            } else {
                filter.with(name, "")
            };
            removable(text, label(frame, page, name, value), off.href(None))
        })
        .collect_view();
    view! {
        {chip(text.review.all_waiting.to_owned(), Some(page.waiting), page.whole(), !filter.narrows())}
        {chip(text.review.soon.to_owned(), Some(page.expiring), soon.href(None), filter.soon == "1")}
        {views}
        {active}
    }
    .into_any()
}

fn chip(label: String, count: Option<i64>, href: String, on: bool) -> AnyView {
    view! {
        <a class="chip" href=href aria-current=on.then_some("true")>
            {label}
            {count.map(|count| view! { <b>{grouped(count.unsigned_abs())}</b> })}
        </a>
    }
    .into_any()
}

/// A condition that is on; a press takes it off.
fn removable(text: &'static Text, label: String, href: String) -> AnyView {
    view! {
        <a class="chip" href=href aria-current="true" title=text.desk.take_off>
            {label}
            <span aria-hidden="true">"×"</span>
            <span class="visually-hidden">{text.desk.take_off}</span>
        </a>
    }
    .into_any()
}

/// What a condition says; one that means nothing says its value.
fn label(frame: &Frame, page: &Review, name: &str, value: &str) -> String {
    let text = frame.text();
    let words = &text.desk;
    let hours = |each: i64| {
        let number: i64 = value.parse().ok()?;
        let hours = number.checked_mul(each)?;
        (1..=10_000)
            .contains(&hours)
            .then(|| span(text, Span::hours(hours)))
    };
    let said = match name {
        "user" => page
            .filtered_user
            .as_ref()
            .map(|who| (text.review.of_user)(who)),
        "kind" => Some(tag::kind_name(text, value)),
        "action" => value
            .parse()
            .ok()
            .map(|it| (text.words.action)(it).to_owned()),
        "flag" => value
            .parse()
            .ok()
            .map(|it| (text.words.flag)(it).to_owned()),
        "language" => Some(language_names(text, value)),
        "floor" => Some((words.confidence_from)(value)),
        "age" => hours(1).map(|span| (words.older_than)(&span)),
        "soon" => hours(24).map(|span| (words.expires_within)(&span)),
        "text" => Some((words.with_text)(value)),
        "for" => match value {
            "me" => Some(words.for_you.to_owned()),
            "native" => Some(words.native.to_owned()),
            person => {
                let known = page.people.iter().find(|(id, _)| id == person);
                known.map(|(_, name)| (words.for_person)(name))
            }
        },
        "claim" => match value {
            "me" => Some(words.claim_mine.to_owned()),
            "free" => Some(words.claim_free.to_owned()),
            _ => None,
        },
        "view" => (value == "expired").then(|| words.view_expired.to_owned()),
        _ => None,
    };
    said.unwrap_or_else(|| value.to_owned())
}

/// The names of languages, given by their tags with commas between them.
pub(super) fn language_names(text: &'static Text, tags: &str) -> String {
    let names: Vec<String> = tags.split(',').map(|tag| language(text, tag)).collect();
    names.join(" · ")
}
