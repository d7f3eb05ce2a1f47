//! `/bulks`: what was decided together; one of them; and the page that asks before all that match is decided.

mod matching;
mod one;

use domain::{
    Timestamp,
    bulk::{BulkState, BulkVerdict},
    id::BulkId,
};
use leptos::prelude::*;

pub use self::{
    matching::{Matching, matching},
    one::{Item, One, one},
};
use crate::{
    components::{bar::address, empty::empty, time::when},
    shell::{Frame, page},
    text::Text,
};

/// Many decisions as one job.
#[derive(Debug, Clone)]
pub struct Bulk {
    /// Which.
    pub id: BulkId,
    /// What became of each.
    pub verdict: BulkVerdict,
    /// How far it is.
    pub state: BulkState,
    /// Who asked for it.
    pub by: String,
    /// How many there are.
    pub total: i64,
    /// How many were decided.
    pub done: i64,
    /// How many were refused.
    pub failed: i64,
    /// When it was asked for.
    pub created_at: Timestamp,
}

/// The list.
#[derive(Debug, Clone)]
pub struct Bulks {
    /// The rows.
    pub rows: Vec<Bulk>,
    /// The cursor of the next page.
    pub next: Option<String>,
}

/// The page of the list.
pub fn bulks(frame: &Frame, list: &Bulks) -> AnyView {
    let text = frame.text();
    let content = if list.rows.is_empty() {
        let link = ("/review".to_owned(), text.bulk.back.to_owned());
        empty(text.bulk.none, text.bulk.none_how, Some(link))
    } else {
        table(frame, list)
    };
    let lead = view! { <p class="quiet">{text.bulk.lead}</p> }.into_any();
    page(frame, text.bulk.title, Some(lead), content)
}

fn table(frame: &Frame, list: &Bulks) -> AnyView {
    let text = frame.text();
    let rows = list
        .rows
        .iter()
        .map(|bulk| {
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/bulks/{}", bulk.id)>{name(text, bulk)}</a>
                    </th>
                    <td>{bulk.by.clone()}</td>
                    <td>{when(frame, bulk.created_at)}</td>
                    <td>{standing(text, bulk)}</td>
                </tr>
            }
        })
        .collect_view();
    let more = list.next.as_ref().map(|cursor| {
        view! {
            <a class="more" href=address("/bulks", [("after", cursor.as_str())])>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=text.bulk.title>
            <table>
                <caption class="visually-hidden">{text.bulk.lead}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.bulk.bar}</th>
                        <th scope="col">{text.bulk.by}</th>
                        <th scope="col">{text.bulk.asked}</th>
                        <th scope="col">{text.bulk.decided}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {more}
    }
    .into_any()
}

fn name(text: &Text, bulk: &Bulk) -> String {
    (text.bulk.one)(bulk.verdict, bulk.total.unsigned_abs())
}

/// How far it is, in words.
fn standing(text: &Text, bulk: &Bulk) -> String {
    let result = (text.bulk.result)(bulk.done.unsigned_abs(), bulk.failed.unsigned_abs());
    if bulk.state == BulkState::Done {
        result
    } else {
        format!("{} · {result}", (text.bulk.state)(bulk.state))
    }
}
