//! For whom a candidate waits, and the forms that hand it over and take it back (G10).

use domain::Timestamp;
use leptos::prelude::*;

use super::Candidate;
use crate::{
    components::{
        form::{Control, Field, Typed, field},
        time::when,
    },
    shell::Frame,
    text::Text,
};

/// The value of the form that stands for whoever speaks the language.
pub const NATIVE: &str = "native";

/// A hand-over.
#[derive(Debug, Clone, PartialEq)]
pub struct Handover {
    /// For whom; `None`: for whoever speaks the language.
    pub to: Option<String>,
    /// Who handed it over.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What they wrote.
    pub note: Option<String>,
}

/// The language of content, in the reader's words.
pub fn language(text: &'static Text, tag: &str) -> String {
    (text.desk.language)(tag).map_or_else(|| tag.to_owned(), str::to_owned)
}

/// For whom it waits, with the note and the way back.
pub(super) fn handover(frame: &Frame, candidate: &Candidate) -> Option<AnyView> {
    let handover = candidate.handover.as_ref()?;
    let text = frame.text();
    let line = match &handover.to {
        Some(to) => (text.desk.handed_to)(to, &handover.by),
        None => (text.desk.handed_to_native)(&language(text, &candidate.language), &handover.by),
    };
    let note = handover
        .note
        .clone()
        .map(|note| view! { <p class="said">{note}</p> });
    let back = candidate.may_decide.then(|| {
        view! {
            <form method="post" action=format!("/candidates/{}/take-back", candidate.id)>
                <input type="hidden" name="next" value=candidate.here.clone() />
                <button class="button">{text.desk.take_back}</button>
            </form>
        }
    });
    Some(
        view! {
            <div class="callout held" data-tone="plain" id="handed">
                <p>
                    <strong>{line}</strong>
                    " "
                    <span class="quiet">{when(frame, handover.at)}</span>
                </p>
                {note}
                {back}
            </div>
        }
        .into_any(),
    )
}

/// Whether what was typed belongs to this form.
pub(super) fn is_typed(typed: &Typed) -> bool {
    typed.values.contains_key("to")
}

/// The form that hands it over.
pub(super) fn hand_over(text: &'static Text, candidate: &Candidate) -> AnyView {
    let nothing = Typed::default();
    let open = is_typed(&candidate.typed);
    let typed = if open { &candidate.typed } else { &nothing };
    let form = format!("hand-over-{}", candidate.id);
    let native = (text.desk.needs_native)(&language(text, &candidate.language));
    let people = candidate
        .people
        .iter()
        .cloned()
        .chain([(NATIVE.to_owned(), native)])
        .collect();
    let to = field(
        text,
        &form,
        typed,
        Field {
            name: "to",
            label: text.desk.hand_over_to,
            hint: Some(text.desk.hand_over_how),
            value: "",
            control: Control::Choice(people),
        },
    );
    let note = field(
        text,
        &form,
        typed,
        Field {
            name: "note",
            label: text.desk.hand_over_note,
            hint: None,
            value: "",
            control: Control::Lines(1),
        },
    );
    view! {
        <details class="hand-over" name="verdict" open=open>
            <summary class="button">{text.desk.hand_over}</summary>
            <form method="post" action=format!("/candidates/{}/hand-over", candidate.id) class="grid">
                <input type="hidden" name="next" value=candidate.here.clone() />
                {to}
                {note}
                <div class="buttons">
                    <button class="button primary">{text.desk.hand_over}</button>
                </div>
            </form>
        </details>
    }
    .into_any()
}
