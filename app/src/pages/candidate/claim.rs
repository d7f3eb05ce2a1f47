//! Who has claimed a candidate, and the forms that claim, release and take over.

use domain::Timestamp;
use leptos::prelude::*;

use super::{Candidate, Standing};
use crate::{
    components::{keys::badge, time::clock},
    keys::Action as Key,
    shell::Frame,
};

/// A claim that holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Whose it is.
    pub by: String,
    /// When it runs out.
    pub until: Timestamp,
    /// Whether it is the reader's.
    pub mine: bool,
    /// Whether it was taken over from the reader.
    pub lost: bool,
}

fn form(candidate: &Candidate, verb: &str, inside: AnyView) -> AnyView {
    view! {
        <form method="post" action=format!("/candidates/{}/{verb}", candidate.id)>
            <input type="hidden" name="next" value=candidate.here.clone() />
            {inside}
        </form>
    }
    .into_any()
}

/// Who has it, and until when; while it is the reader's, with the form that says that they are still there.
pub(super) fn claim(frame: &Frame, candidate: &Candidate) -> Option<AnyView> {
    let claim = candidate.claim.as_ref()?;
    let words = &frame.text().desk;
    let until = clock(frame.zone, claim.until);
    let line = match (claim.mine, claim.lost) {
        (true, _) => (words.yours_until)(&until),
        (false, true) => (words.taken_from_you)(&claim.by, &until),
        (false, false) => (words.claimed_until)(&claim.by, &until),
    };
    let button = |verb: &str, label: &'static str| {
        form(
            candidate,
            verb,
            view! { <button class="button">{label}</button> }.into_any(),
        )
    };
    let button = match claim.mine {
        true => Some(button("release", words.release)),
        false if candidate.may_take_over => Some(button("take-over", words.take_over)),
        false => None,
    };
    let heartbeat = claim.mine.then(|| {
        view! {
            <form id="heartbeat" method="post" action=format!("/candidates/{}/claim", candidate.id) hidden>
                <input type="hidden" name="quiet" value="1" />
            </form>
        }
    });
    let tone = if claim.mine { "plain" } else { "warn" };
    Some(
        view! {
            <div class="callout held" data-tone=tone id="held">
                <p>
                    <strong>{line}</strong>
                </p>
                {button}
                {heartbeat}
            </div>
        }
        .into_any(),
    )
}

/// The address to which an island tells that the edit form was opened, where that claims the candidate.
pub(super) fn claims_at(candidate: &Candidate) -> Option<String> {
    let free = candidate.claim.is_none() && candidate.standing == Standing::Waiting;
    free.then(|| format!("/candidates/{}/claim", candidate.id))
}

/// The button that claims what nobody has.
pub(super) fn claim_button(frame: &Frame, candidate: &Candidate) -> Option<AnyView> {
    candidate.claim.is_none().then(|| {
        let (words, keys) = (&frame.text().desk, &frame.keys);
        let button = view! {
            <button class="button" title=words.claim_how data-action=Key::Claim.word() aria-keyshortcuts=keys.aria(Key::Claim)>
                {words.claim}
                {badge(keys, Key::Claim)}
            </button>
        };
        form(candidate, "claim", button.into_any())
    })
}
