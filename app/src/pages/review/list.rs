//! The list of the queue, and what stands there where it is empty.

use domain::Timestamp;
use leptos::prelude::*;

use super::{Filter, Review, Row};
use crate::{
    components::{
        content::{excerpt, lang, revealed},
        empty::empty,
        tag,
        time::{clock, date_time, left, when},
    },
    pages::candidate::language,
    shell::Frame,
};

/// A claim as a row shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Holder {
    /// Whose it is.
    pub by: String,
    /// Until when.
    pub until: Timestamp,
    /// Whether it is the reader's.
    pub mine: bool,
}

/// For whom a row waits.
#[derive(Debug, Clone, PartialEq)]
pub enum For {
    /// A person, by name.
    Person(String),
    /// Whoever speaks its language.
    Native,
}

/// The list.
pub(super) fn list(frame: &Frame, page: &Review) -> AnyView {
    if page.rows.is_empty() {
        return nothing(frame, page);
    }
    let text = frame.text();
    let open = page.open.as_ref().map(|candidate| &candidate.id);
    let rows = page
        .rows
        .iter()
        .map(|row| row_view(frame, page, row, Some(&row.id) == open))
        .collect_view();
    let more = page.next.as_ref().map(|cursor| {
        let next = Filter {
            after: cursor.clone(),
            ..page.filter.clone()
        };
        view! {
            <a class="more" href=next.href(None)>
                {text.shell.next_page}
            </a>
        }
    });
    let first = (!page.filter.after.is_empty()).then(|| {
        let first = Filter {
            after: String::new(),
            ..page.filter.clone()
        };
        view! {
            <a class="more" href=first.href(None)>
                {text.shell.first_page}
            </a>
        }
    });
    let all_claimed = all_claimed(page).map(|until| {
        let line = (text.desk.all_claimed)(&clock(frame.zone, until));
        view! { <p class="quiet remark">{line}</p> }
    });
    view! {
        {first}
        {all_claimed}
        <ol>{rows}</ol>
        {more}
    }
    .into_any()
}

/// Until when others have everything on this page, where they do.
fn all_claimed(page: &Review) -> Option<Timestamp> {
    let others = page.rows.iter().map(|row| {
        let holder = row.claim.as_ref().filter(|holder| !holder.mine);
        holder.map(|holder| holder.until)
    });
    let others: Option<Vec<Timestamp>> = others.collect();
    others?.into_iter().max()
}

fn nothing(frame: &Frame, page: &Review) -> AnyView {
    let text = frame.text();
    let filter = &page.filter;
    if page.agents.is_empty() {
        let link = ("/agents".to_owned(), text.overview.make_agent.to_owned());
        return empty(
            text.overview.no_agents,
            text.overview.no_agents_how,
            Some(link),
        );
    }
    if let Some((count, until)) = page.claimed {
        let until = clock(frame.zone, until);
        let heading = (text.desk.others_have)(count.unsigned_abs(), &until);
        let shown = filter.with("claim", "").href(None);
        let link = (shown, text.desk.show_claimed.to_owned());
        return empty(&heading, text.desk.others_have_how, Some(link));
    }
    if filter.view == "expired" {
        let link = (page.whole(), text.desk.show_waiting.to_owned());
        return empty(
            text.desk.none_expired,
            text.desk.none_expired_how,
            Some(link),
        );
    }
    if filter.narrows() && page.waiting > 0 {
        let heading = (text.review.hidden)(page.waiting.unsigned_abs());
        let link = (page.whole(), text.review.show_all.to_owned());
        return empty(&heading, text.review.hidden_how, Some(link));
    }
    let here = filter.href(None);
    view! {
        {empty(text.review.empty, text.review.empty_how, None)}
        <noscript>
            <a class="more" href=here>
                {text.review.reload}
            </a>
        </noscript>
    }
    .into_any()
}

fn row_view(frame: &Frame, page: &Review, row: &Row, open: bool) -> AnyView {
    let text = frame.text();
    let who = format!("{} · {}", row.who, row.agent);
    let pick = page.may_decide.then(|| {
        let label = (text.desk.pick)(&excerpt(&row.content));
        let value = format!("{}:{}", row.id, row.version);
        view! {
            <label class="pick">
                <input type="checkbox" form="bulk" name="pick" value=value checked=row.picked aria-label=label />
            </label>
        }
    });
    let until = date_time(text, frame.zone, row.expires_at);
    view! {
        <li data-id=row.id.to_string()>
            {pick}
            <a class="row" href=page.filter.href(Some(row.id.as_str())) aria-current=open.then_some("true")>
                <span class="who">{who}</span>
                {left(frame, row.expires_at)}
                <span class="instant">{until}</span>
                <span class="line" lang=lang(&row.language)>
                    {revealed(text, &row.content)}
                </span>
                <span class="tags">
                    {tag::tag(&tag::kind_name(text, &row.kind), None, None)}
                    {tag::change(text, row.action)} {tag::flags(text, &row.flags)}
                    {desk_tags(frame, row)} {origin(frame, row)} {tag::confidence(text, row.confidence)}
                </span>
            </a>
        </li>
    }
    .into_any()
}

/// How old it is, and the language of what it says: a small mark, by its whole name for who points at it or hears it.
fn origin(frame: &Frame, row: &Row) -> AnyView {
    let name = language(frame.text(), &row.language);
    let title = name.clone();
    view! {
        <span class="origin">
            {when(frame, row.created_at)}
            <span class="language" title=title>
                <span aria-hidden="true">{row.language.clone()}</span>
                <span class="visually-hidden">{name}</span>
            </span>
        </span>
    }
    .into_any()
}

/// Who has it, and for whom it waits.
fn desk_tags(frame: &Frame, row: &Row) -> Vec<AnyView> {
    let words = &frame.text().desk;
    let claim = row.claim.as_ref().map(|holder| {
        let until = clock(frame.zone, holder.until);
        if holder.mine {
            tag::tag(&(words.yours_until)(&until), Some("accent"), None)
        } else {
            let line = (words.claimed_until)(&holder.by, &until);
            tag::tag(&line, Some("warn"), None)
        }
    });
    let handed = row.handed.as_ref().map(|to| match to {
        For::Person(name) => tag::tag(&(words.for_person)(name), Some("accent"), None),
        For::Native => tag::tag(words.native, Some("accent"), None),
    });
    let agreed = row.agreed.as_ref().map(|who| {
        let line = (frame.text().four_eyes.one_of_two)(who);
        tag::tag(&line, Some("accent"), None)
    });
    claim.into_iter().chain(handed).chain(agreed).collect()
}
