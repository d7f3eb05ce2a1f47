//! `/review/bulk`: what all that match a filter is made of, before it is decided.

use domain::{
    Timestamp,
    bulk::{BulkVerdict, CONFIRMED_ABOVE},
    candidate::{Flag, Reason},
};
use leptos::prelude::*;

use crate::{
    components::{
        empty::empty,
        form::{Control, Field, Typed, field, switch},
        tag,
        time::date_time,
    },
    shell::{Frame, page},
    text::{Text, grouped},
};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Matching {
    /// What is to become of each.
    pub verdict: BulkVerdict,
    /// The address of the list that it is about.
    pub list: String,
    /// How many match.
    pub count: i64,
    /// How many of each kind.
    pub kinds: Vec<(String, i64)>,
    /// How many with each flag.
    pub flags: Vec<(Flag, i64)>,
    /// How many are risky.
    pub risky: i64,
    /// Up to when they were proposed.
    pub frozen_at: Timestamp,
    /// Whether the reader may approve risky ones too.
    pub may_insist: bool,
    /// What was typed into the form that was refused.
    pub typed: Typed,
}

/// The page.
pub fn matching(frame: &Frame, matching: &Matching) -> AnyView {
    let text = frame.text();
    let count = matching.count.unsigned_abs();
    let title = (text.bulk.matching)(matching.verdict, count);
    if count == 0 {
        let link = (matching.list.clone(), text.bulk.back.to_owned());
        let nothing = empty(text.bulk.nothing, text.bulk.nothing_how, Some(link));
        return page(frame, &title, None, nothing);
    }
    let frozen = (text.bulk.frozen)(&date_time(text, frame.zone, matching.frozen_at));
    let risky = (matching.verdict == BulkVerdict::Approve && matching.risky > 0).then(
        || view! { <p class="warning">{(text.bulk.risky)(matching.risky.unsigned_abs())}</p> },
    );
    let content = view! {
        <p>{frozen}</p>
        {risky}
        <div class="makeup">
            {kinds(text, matching)}
            {flags(text, matching)}
        </div>
        {form(text, matching)}
        <p>
            <a href=matching.list.clone()>{text.bulk.back}</a>
        </p>
    }
    .into_any();
    page(frame, &title, None, content)
}

fn kinds(text: &'static Text, matching: &Matching) -> AnyView {
    let rows = matching
        .kinds
        .iter()
        .map(|(kind, count)| (tag::kind_name(text, kind), *count));
    counts(text.bulk.by_kind, text.words.kind_label, rows)
}

fn flags(text: &'static Text, matching: &Matching) -> AnyView {
    if matching.flags.is_empty() {
        return view! { <p class="quiet">{text.bulk.flags_none}</p> }.into_any();
    }
    let rows = matching
        .flags
        .iter()
        .map(|(flag, count)| ((text.words.flag)(*flag).to_owned(), *count));
    counts(text.bulk.by_flag, text.words.flags, rows)
}

fn counts(
    caption: &'static str,
    what: &'static str,
    rows: impl Iterator<Item = (String, i64)>,
) -> AnyView {
    let rows = rows
        .map(|(name, count)| {
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td class="num">{grouped(count.unsigned_abs())}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table>
            <caption>{caption}</caption>
            <thead class="visually-hidden">
                <tr>
                    <th scope="col">{what}</th>
                    <th scope="col">"#"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

fn form(text: &'static Text, matching: &Matching) -> AnyView {
    let count = matching.count.unsigned_abs();
    let draw = |one: Field<'_>| field(text, "matching", &matching.typed, one);
    let reason = (matching.verdict == BulkVerdict::Reject).then(|| {
        let reasons = Reason::OF_A_PERSON
            .iter()
            .map(|&reason| (reason.to_string(), (text.words.reason)(reason).to_owned()))
            .collect();
        draw(Field {
            name: "reason",
            label: text.bulk.reason,
            hint: None,
            value: Reason::OF_A_PERSON[0].as_str(),
            control: Control::Choice(reasons),
        })
    });
    let note = draw(Field {
        name: "note",
        label: text.bulk.note,
        hint: Some(text.bulk.note_how),
        value: "",
        control: Control::Lines(2),
    });
    let approves = matching.verdict == BulkVerdict::Approve;
    let insist = (approves && matching.may_insist).then(|| {
        let on = matching.typed.is_on("insist", false);
        switch(
            "matching",
            "insist",
            text.bulk.insist,
            text.bulk.insist_how,
            on,
        )
    });
    let confirm = (approves && matching.count > CONFIRMED_ABOVE).then(|| {
        draw(Field {
            name: "confirm",
            label: &(text.bulk.confirm)(count),
            hint: Some(&(text.bulk.confirm_how)(count)),
            value: "",
            control: Control::Line("text", Some("off"), true),
        })
    });
    view! {
        <form method="post" action="/bulks" class="grid">
            <input type="hidden" name="verdict" value=matching.verdict.as_str() />
            <input type="hidden" name="list" value=matching.list.clone() />
            <input type="hidden" name="shown" value=matching.count.to_string() />
            <input type="hidden" name="frozen_at" value=domain::time::rfc3339(matching.frozen_at) />
            {reason}
            {note}
            {insist}
            {confirm}
            <div class="buttons">
                <button class="button primary">{(text.bulk.start)(matching.verdict, count)}</button>
            </div>
        </form>
    }
    .into_any()
}
