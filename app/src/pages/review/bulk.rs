//! The bar that decides on several rows at once (F7). The rows' check boxes belong to its form; what could not be done is named in it
//! and stays selected.

use domain::{
    bulk::{BulkVerdict, CONFIRMED_ABOVE, MOST_PICKED},
    candidate::Reason,
    id::{BulkId, CandidateId},
};
use leptos::prelude::*;

use super::Review;
use crate::{
    components::{
        content::{excerpt, lang},
        form::{Control, Field, Typed, check, field},
    },
    pages::candidate::NATIVE,
    shell::Frame,
    text::{Text, grouped},
};

/// What the bar has to say, besides its buttons.
#[derive(Debug, Clone, Default)]
pub struct Bulk {
    /// Whether the reader may approve risky ones too.
    pub may_insist: bool,
    /// What stays selected, as the rows' check boxes have it: `cand_…:1`.
    pub picked: Vec<String>,
    /// The number that must be typed before they are approved.
    pub asks: Option<u64>,
    /// What was typed into the form that was refused.
    pub typed: Typed,
    /// What was done last could not do these; where it was a bulk, which.
    pub failed: Option<(Option<BulkId>, Vec<Failed>)>,
    /// To whom several can be handed over: id and name.
    pub colleagues: Vec<(String, String)>,
}

/// What the form sends, in the place of a verdict, to hand over what is ticked.
pub const HAND_OVER: &str = "hand_over";

/// A candidate that a bulk could not decide on.
#[derive(Debug, Clone)]
pub struct Failed {
    /// Which.
    pub id: CandidateId,
    /// What it says.
    pub content: String,
    /// In which language.
    pub language: String,
    /// Whom it is about.
    pub who: String,
    /// Why not.
    pub code: String,
    /// The value of its check box, where it can be decided still.
    pub pick: Option<String>,
}

impl Bulk {
    /// Whether a candidate stays selected, at whichever version it was seen.
    pub fn holds(&self, id: &str) -> bool {
        let id_of = |pick: &String| pick.split(':').next() == Some(id);
        self.picked.iter().any(id_of)
    }
}

/// The bar.
pub fn bar(frame: &Frame, page: &Review) -> AnyView {
    let bulk = &page.bulk;
    if !page.may_decide || (page.rows.is_empty() && bulk.failed.is_none()) {
        return view! { <section id="bulk-bar" data-region hidden></section> }.into_any();
    }
    let text = frame.text();
    let next = page.filter.href(None);
    view! {
        <section id="bulk-bar" data-region class="bulk" aria-label=text.bulk.bar>
            {failures(text, page)} <form id="bulk" method="post" action="/review/bulk">
                <input type="hidden" name="next" value=next />
                {elsewhere(page)}
                <p class="picked">
                    <b data-picked>{grouped(bulk.picked.len() as u64)}</b>
                    " "
                    {text.bulk.selected}
                </p>
                {verdicts(text, page)}
            </form>
        </section>
    }
    .into_any()
}

/// What stays selected and stands in no row of this page.
fn elsewhere(page: &Review) -> Vec<AnyView> {
    let bulk = &page.bulk;
    let listed = |pick: &&String| {
        let here = page
            .rows
            .iter()
            .any(|row| pick.starts_with(row.id.as_str()));
        let named = bulk.failed.iter().flat_map(|(_, failed)| failed);
        !here
            && !named
                .filter_map(|one| one.pick.as_ref())
                .any(|one| one == *pick)
    };
    let hidden = bulk.picked.iter().filter(listed).take(MOST_PICKED);
    hidden
        .map(|pick| view! { <input type="hidden" name="pick" value=pick.clone() /> }.into_any())
        .collect()
}

/// The list of what expired unseen: that is reopened.
fn is_expired(page: &Review) -> bool {
    page.filter.view == "expired"
}

fn verdicts(text: &'static Text, page: &Review) -> AnyView {
    let bulk = &page.bulk;
    let button = |verdict: BulkVerdict, class: &'static str| {
        view! {
            <button class=class name="verdict" value=verdict.as_str()>
                {(text.bulk.selected_button)(verdict)}
            </button>
        }
    };
    if is_expired(page) {
        return button(BulkVerdict::Reopen, "button primary").into_any();
    }
    let reasons = Reason::OF_A_PERSON
        .iter()
        .map(|&reason| {
            view! {
                <li>
                    <button name="reason" value=reason.as_str()>
                        <b>{(text.words.reason)(reason)}</b>
                        " "
                        <span>{(text.words.reason_why)(reason)}</span>
                    </button>
                </li>
            }
        })
        .collect_view();
    let note = field(
        text,
        "bulk",
        &bulk.typed,
        Field {
            name: "note",
            label: text.bulk.note,
            hint: Some(text.bulk.note_how),
            value: "",
            control: Control::Lines(1),
        },
    );
    let insist = bulk.may_insist.then(|| {
        let on = bulk.typed.is_on("insist", false);
        view! {
            {check("bulk", "insist".to_owned(), text.bulk.insist, on)}
            <p class="hint">{text.bulk.insist_how}</p>
        }
    });
    let open = bulk.typed.is_refused() || !bulk.typed.values.is_empty();
    view! {
        {confirm(text, bulk)}
        {button(BulkVerdict::Approve, "button primary")}
        <details name="bulk" class="reject">
            <summary class="button danger">{(text.bulk.selected_button)(BulkVerdict::Reject)}</summary>
            <ol class="reasons">{reasons}</ol>
        </details>
        {hand_over(text, bulk)}
        <details name="bulk-more" class="more-fields" open=open>
            <summary class="button">{text.bulk.note}</summary>
            <div class="grid">{note} {insist}</div>
        </details>
    }
    .into_any()
}

/// To one person, or to whoever speaks the language of each.
fn hand_over(text: &'static Text, bulk: &Bulk) -> AnyView {
    let open = bulk.typed.values.contains_key("to");
    let native = (NATIVE.to_owned(), text.desk.native.to_owned());
    let to = field(
        text,
        "bulk",
        &bulk.typed,
        Field {
            name: "to",
            label: text.desk.hand_over_to,
            hint: Some(text.desk.hand_over_how),
            value: "",
            control: Control::Choice(bulk.colleagues.iter().cloned().chain([native]).collect()),
        },
    );
    view! {
        <details name="bulk" class="hand-over" open=open>
            <summary class="button">{text.bulk.hand_over}</summary>
            <div class="grid">
                {to}
                <div class="buttons">
                    <button class="button primary" name="verdict" value=HAND_OVER>
                        {text.bulk.hand_over}
                    </button>
                </div>
            </div>
        </details>
    }
    .into_any()
}

/// Asks for the number, where many would be approved.
fn confirm(text: &'static Text, bulk: &Bulk) -> Option<AnyView> {
    let number = bulk.asks?;
    debug_assert!(i64::try_from(number).is_ok_and(|number| number > CONFIRMED_ABOVE));
    Some(field(
        text,
        "bulk",
        &bulk.typed,
        Field {
            name: "confirm",
            label: &(text.bulk.confirm)(number),
            hint: Some(&(text.bulk.confirm_how)(number)),
            value: "",
            control: Control::Line("text", Some("off"), false),
        },
    ))
}

fn failures(text: &'static Text, page: &Review) -> Option<AnyView> {
    let (id, failed) = page
        .bulk
        .failed
        .as_ref()
        .filter(|(_, failed)| !failed.is_empty())?;
    let rows = failed
        .iter()
        .map(|one| {
            let why = why(text, &one.code);
            let row = page.rows.iter().any(|row| row.id == one.id);
            // In the list its row has the check box.
            let pick = one.pick.clone().filter(|_| !row).map(|pick| {
                view! {
                    <input
                        type="checkbox"
                        name="pick"
                        form="bulk"
                        value=pick
                        checked
                        aria-label=excerpt(&one.content)
                    />
                }
            });
            view! {
                <li>
                    {pick} <a href=format!("/candidates/{}", one.id) lang=lang(&one.language)>
                        {excerpt(&one.content)}
                    </a> " " <span class="quiet">{one.who.clone()}</span> " " <b>{why}</b>
                </li>
            }
        })
        .collect_view();
    let count = failed.len() as u64;
    let see = id
        .as_ref()
        .map(|id| view! { <a href=format!("/bulks/{id}")>{text.bulk.see}</a> });
    Some(
        view! {
            <details class="failures" open>
                <summary>{(text.bulk.still_selected)(count)}</summary>
                <ul>{rows}</ul>
                {see}
            </details>
        }
        .into_any(),
    )
}

/// Why one was refused.
pub fn why(text: &'static Text, code: &str) -> String {
    (text.bulk.why)(code).map_or_else(|| (text.bulk.why_else)(code), str::to_owned)
}

/// How to decide on what is ticked, and the way to all that match, on all pages of the list.
pub(super) fn all(frame: &Frame, page: &Review) -> Option<AnyView> {
    if !page.may_decide {
        return None;
    }
    let text = frame.text();
    let count = page.fitting.unsigned_abs();
    let verdicts: &[BulkVerdict] = if is_expired(page) {
        &[BulkVerdict::Reopen]
    } else {
        &[BulkVerdict::Approve, BulkVerdict::Reject]
    };
    let list = page.filter.href(None);
    let query = list.split_once('?').map_or("", |(_, query)| query);
    let links = verdicts
        .iter()
        .map(|&verdict| {
            let href = format!("/review/bulk?verdict={verdict}&{query}");
            view! {
                <a class="button" href=href.trim_end_matches('&').to_owned()>
                    {(text.bulk.all)(verdict, count)}
                </a>
            }
        })
        .collect_view();
    let several = (count > 0).then(|| {
        view! {
            <p class="hint">{text.bulk.how}</p>
            {links}
        }
    });
    let view = view! {
        <details>
            <summary class="chip">{text.bulk.bar}</summary>
            <div class="all">{several} <a href="/bulks">{text.bulk.all_recent}</a></div>
        </details>
    };
    Some(view.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_stays_selected_at_whichever_version_it_is_now() {
        let bulk = Bulk {
            picked: vec!["cand_1:3".to_owned(), "cand_2:1".to_owned()],
            ..Bulk::default()
        };
        assert!(bulk.holds("cand_1") && bulk.holds("cand_2") && !bulk.holds("cand_"));
    }
}
