//! `/bulks/{id}`: how far it is, what it could not do and why, and the way back.

use domain::{
    candidate::Reason,
    id::{BulkId, CandidateId},
};
use leptos::prelude::*;

use super::{Bulk, name, standing};
use crate::{
    components::{
        bar::address,
        content::{excerpt, lang},
        time::{date, when},
    },
    pages::review::bulk::why,
    shell::{Frame, page},
    text::{Text, grouped},
};

/// A candidate of the bulk.
#[derive(Debug, Clone)]
pub struct Item {
    /// Which.
    pub id: CandidateId,
    /// What it says.
    pub content: String,
    /// In which language.
    pub language: String,
    /// Whom it is about.
    pub who: String,
    /// Why it was refused.
    pub code: String,
    /// How many sessions had been told.
    pub told: i64,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct One {
    /// The bulk.
    pub bulk: Bulk,
    /// Why, of rejections.
    pub reason: Option<Reason>,
    /// The note of each decision.
    pub note: Option<String>,
    /// Why it could not go on.
    pub error: Option<String>,
    /// The bulk that it takes back.
    pub undo_of: Option<BulkId>,
    /// The bulk that takes it back.
    pub undone_by: Option<BulkId>,
    /// Whether it can be taken back.
    pub can_be_undone: bool,
    /// How many were refused, by the code of why.
    pub reasons: Vec<(String, i64)>,
    /// Those that were refused, a page of them.
    pub failed: Vec<Item>,
    /// The cursor of their next page.
    pub next: Option<String>,
    /// Of how many of what was taken back sessions had been told, and how many sessions.
    pub told: (i64, i64),
    /// Those, a page of them.
    pub served: Vec<Item>,
    /// The cursor of their next page.
    pub next_served: Option<String>,
}

/// The page.
pub fn one(frame: &Frame, one: &One) -> AnyView {
    let text = frame.text();
    let bulk = &one.bulk;
    let said = |label: &'static str, value: AnyView| {
        view! {
            <div>
                <dt>{label}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    let reason = one
        .reason
        .map(|reason| said(text.bulk.reason, (text.words.reason)(reason).into_any()));
    let note = one
        .note
        .clone()
        .map(|note| said(text.bulk.note, note.into_any()));
    let facts = view! {
        <dl class="facts">
            {said(text.bulk.decided, standing(text, bulk).into_any())}
            {said(text.bulk.by, bulk.by.clone().into_any())}
            {said(text.bulk.asked, date(frame, bulk.created_at))} {reason} {note}
        </dl>
    };
    let error = one
        .error
        .as_deref()
        .map(|code| view! { <p class="fault">{(text.bulk.error)(code)}</p> });
    let content = view! {
        {progress(frame, bulk)}
        {error}
        {facts}
        {lineage(text, one)}
        {undo(text, one)}
        {refused(text, one)}
        {served(text, one)}
        <p>
            <a href="/bulks">{text.bulk.all_recent}</a>
        </p>
    }
    .into_any();
    let beside = view! { <p class="quiet">{when(frame, bulk.created_at)}</p> }.into_any();
    page(frame, &name(text, bulk), Some(beside), content)
}

/// While it runs: how far, another look, and the way to stop it.
fn progress(frame: &Frame, bulk: &Bulk) -> Option<AnyView> {
    if !bulk.state.is_open() {
        return None;
    }
    let text = frame.text();
    let tried = bulk.done + bulk.failed;
    let line = (text.bulk.progress)(tried.unsigned_abs(), bulk.total.unsigned_abs());
    Some(
        view! {
            <div class="running" role="status">
                <progress value=tried.to_string() max=bulk.total.max(1).to_string() aria-label=line.clone()></progress>
                <p>{line}</p>
                <p class="quiet">{text.exports.refreshes}</p>
                <a class="button" href=frame.path.clone()>
                    {text.bulk.look_again}
                </a>
                <form method="post" action=format!("/bulks/{}/stop", bulk.id)>
                    <button class="button danger">{text.bulk.stop}</button>
                </form>
                <p class="hint">{text.bulk.stop_how}</p>
            </div>
        }
        .into_any(),
    )
}

fn lineage(text: &'static Text, one: &One) -> Vec<AnyView> {
    let link = |line: &'static str, id: &BulkId| {
        view! {
            <p>
                <a href=format!("/bulks/{id}")>{line}</a>
            </p>
        }
        .into_any()
    };
    let undone = one.undone_by.iter().map(|id| link(text.bulk.undone, id));
    let undoes = one.undo_of.iter().map(|id| link(text.bulk.undo_of, id));
    undone.chain(undoes).collect()
}

fn undo(text: &'static Text, one: &One) -> Option<AnyView> {
    one.can_be_undone.then(|| {
        view! {
            <form method="post" action=format!("/bulks/{}/undo", one.bulk.id)>
                <button class="button">{text.bulk.undo}</button>
                <p class="hint">{text.bulk.undo_how}</p>
            </form>
        }
        .into_any()
    })
}

fn refused(text: &'static Text, one: &One) -> Option<AnyView> {
    if one.reasons.is_empty() {
        return None;
    }
    let reasons = one
        .reasons
        .iter()
        .map(|(code, count)| {
            view! {
                <li>
                    {why(text, code)} " " <b>{grouped(count.unsigned_abs())}</b>
                </li>
            }
        })
        .collect_view();
    let rows = one.failed.iter().map(|item| {
        let reason = why(text, &item.code).into_any();
        row(item, reason)
    });
    Some(
        view! {
            <section>
                <h2>{text.bulk.not_done}</h2>
                <ul class="plainlist">{reasons}</ul>
                {table(text, text.bulk.not_done, text.bulk.reason, rows.collect())}
                {more(text, one, "after", one.next.as_deref())}
            </section>
        }
        .into_any(),
    )
}

fn served(text: &'static Text, one: &One) -> Option<AnyView> {
    one.undo_of.as_ref()?;
    let (memories, sessions) = one.told;
    if memories == 0 {
        let none = (!one.bulk.state.is_open())
            .then(|| view! { <p class="quiet">{text.bulk.told_none}</p> }.into_any());
        return none;
    }
    let rows = one.served.iter().map(|item| {
        let sessions = (text.bulk.sessions)(item.told.unsigned_abs()).into_any();
        row(item, sessions)
    });
    Some(
        view! {
            <section>
                <h2>{text.bulk.told}</h2>
                <p>{(text.bulk.told_lead)(memories.unsigned_abs(), sessions.unsigned_abs())}</p>
                {table(text, text.bulk.told, text.bulk.told, rows.collect())}
                {more(text, one, "served", one.next_served.as_deref())}
            </section>
        }
        .into_any(),
    )
}

fn row(item: &Item, last: AnyView) -> AnyView {
    view! {
        <tr>
            <th scope="row" lang=lang(&item.language)>
                <a href=format!("/candidates/{}", item.id)>{excerpt(&item.content)}</a>
            </th>
            <td>{item.who.clone()}</td>
            <td>{last}</td>
        </tr>
    }
    .into_any()
}

fn table(
    text: &'static Text,
    caption: &'static str,
    last: &'static str,
    rows: Vec<AnyView>,
) -> AnyView {
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=caption>
            <table>
                <caption class="visually-hidden">{caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.bulk.candidate}</th>
                        <th scope="col">{text.words.user}</th>
                        <th scope="col">{last}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn more(
    text: &'static Text,
    one: &One,
    which: &'static str,
    cursor: Option<&str>,
) -> Option<AnyView> {
    let path = format!("/bulks/{}", one.bulk.id);
    cursor.map(|cursor| {
        view! {
            <a class="more" href=address(&path, [(which, cursor)])>
                {text.shell.next_page}
            </a>
        }
        .into_any()
    })
}
