//! The forms that decide about a candidate: approve, edit and approve, reject for a reason, reopen; with those that merge it, claim it
//! and hand it over.

use domain::candidate::Reason;
use leptos::prelude::*;

use super::{
    Candidate, Standing,
    claim::{claim_button, claims_at},
    handover::{hand_over, is_typed},
    merge::merge,
};
use crate::{
    components::{
        form::{Control, Field, Typed, field},
        keys::badge,
        metadata::metadata,
        tag,
    },
    keys::{Action as Key, Keys},
    shell::Frame,
    text::Text,
};

pub(super) fn hidden(candidate: &Candidate, next: &str) -> AnyView {
    view! {
        <input type="hidden" name="version" value=candidate.version />
        <input type="hidden" name="next" value=next.to_owned() />
        <input type="hidden" name="here" value=candidate.here.clone() />
        // The island fills in for how many milliseconds the candidate was in view.
        <input type="hidden" name="took" />
    }
    .into_any()
}

/// [`hidden`], with the revision of the memory that is shown beside: approving must not replace one that nobody here has seen.
fn hidden_to_approve(candidate: &Candidate) -> AnyView {
    let target = candidate.target.as_ref().map(|(_, revision)| {
        view! { <input type="hidden" name="target_revision" value=*revision /> }
    });
    let absorbed: Vec<String> = candidate
        .absorbed
        .iter()
        .map(|(_, memory, revision)| format!("{memory}:{revision}"))
        .collect();
    let absorbed = (!absorbed.is_empty())
        .then(|| view! { <input type="hidden" name="absorbed" value=absorbed.join(" ") /> });
    view! {
        {hidden(candidate, &candidate.next)}
        {target}
        {absorbed}
    }
    .into_any()
}

/// The forms of a candidate that waits, or the one that brings a decided one back.
pub fn actions(frame: &Frame, candidate: &Candidate) -> AnyView {
    let (text, keys) = (frame.text(), &frame.keys);
    let address = |verb: &str| format!("/candidates/{}/{verb}", candidate.id);
    if !candidate.may_decide {
        return view! { <p class="quiet">{text.candidate.read_only}</p> }.into_any();
    }
    if !candidate.speaks {
        return pass_on(frame, candidate);
    }
    if candidate.standing != Standing::Waiting {
        return view! {
            <div class="actions">
                <form method="post" action=address("reopen")>
                    {hidden(candidate, &candidate.here)}
                    <button class="button">{text.candidate.reopen}</button>
                </form>
                <p class="hint">{text.candidate.reopen_how}</p>
            </div>
        }
        .into_any();
    }
    view! {
        <div class="actions" role="group" aria-label=text.candidate.actions>
            <form method="post" action=address("approve")>
                {hidden_to_approve(candidate)}
                <button class="button primary" data-action=Key::Approve.word() aria-keyshortcuts=keys.aria(Key::Approve)>
                    {text.candidate.approve}
                    {badge(keys, Key::Approve)}
                </button>
            </form>
            {edit(text, keys, candidate, address("approve"))}
            {merge(text, keys, candidate, address("approve"))}
            {reject(text, keys, candidate, address("reject"))}
            <div id="claim-button" data-region>
                {claim_button(frame, candidate)}
            </div>
            {hand_over(text, candidate)}
            {skip(text, keys, candidate)}
        </div>
    }
    .into_any()
}

/// What is left to whose role is for other languages (G7): to hand it over, or to go on. No button that could only be refused.
fn pass_on(frame: &Frame, candidate: &Candidate) -> AnyView {
    let (text, keys) = (frame.text(), &frame.keys);
    if candidate.standing != Standing::Waiting {
        return view! { <p class="quiet">{text.candidate.read_only}</p> }.into_any();
    }
    // Typed before the role was narrowed: it can still be copied.
    let typed = candidate
        .typed
        .values
        .get("content")
        .map(|words| view! { <blockquote class="said">{words.clone()}</blockquote> });
    view! {
        <div class="callout" data-tone="warn" id="other-language">
            <p>{(text.flash.code)("language_not_yours")}</p>
            {typed}
        </div>
        <div class="actions" role="group" aria-label=text.candidate.actions>
            {hand_over(text, candidate)}
            {skip(text, keys, candidate)}
        </div>
    }
    .into_any()
}

/// On to the next without a decision; on a page of its own there is none.
fn skip(text: &'static Text, keys: &Keys, candidate: &Candidate) -> Option<AnyView> {
    (candidate.next != candidate.here).then(|| {
        view! {
            <a class="button plain" href=candidate.next.clone() data-action=Key::Skip.word() aria-keyshortcuts=keys.aria(Key::Skip)>
                {text.keys.skip}
                {badge(keys, Key::Skip)}
            </a>
        }
        .into_any()
    })
}

fn edit(text: &'static Text, keys: &Keys, candidate: &Candidate, action: String) -> AnyView {
    let form = format!("edit-{}", candidate.id);
    let kinds = candidate
        .kinds
        .iter()
        .map(|kind| (kind.clone(), tag::kind_name(text, kind)))
        .collect();
    let nothing = Typed::default();
    let typed = if is_typed(&candidate.typed) || is_rejection(&candidate.typed) {
        &nothing
    } else {
        &candidate.typed
    };
    let draw = |one: Field<'_>| field(text, &form, typed, one);
    let content = draw(Field {
        name: "content",
        label: text.words.content,
        hint: None,
        value: &candidate.content,
        control: Control::Lines(3),
    });
    let kind = draw(Field {
        name: "kind",
        label: text.words.kind_label,
        hint: None,
        value: &candidate.kind,
        control: Control::Choice(kinds),
    });
    let name = draw(Field {
        name: "name",
        label: text.words.name,
        hint: None,
        value: candidate.name.as_deref().unwrap_or_default(),
        control: Control::Line("text", Some("off"), false),
    });
    let importance = draw(Field {
        name: "importance",
        label: text.words.importance,
        hint: None,
        value: &format!("{:.2}", candidate.importance),
        control: Control::Number(0.0, 1.0, 0.01),
    });
    let rest = Some(candidate.metadata_json.as_str()).filter(|json| !json.is_empty());
    let metadata = metadata(text, &form, typed, &candidate.metadata_fields, rest);
    let note = draw(Field {
        name: "note",
        label: text.candidate.reject_note,
        hint: None,
        value: "",
        control: Control::Lines(1),
    });
    view! {
        <details class="edit" name="verdict" data-claim=claims_at(candidate) open=!typed.values.is_empty() && !typed.values.contains_key("merge_into")>
            <summary class="button" data-action=Key::Edit.word() aria-keyshortcuts=keys.aria(Key::Edit)>
                {text.candidate.edit}
                {badge(keys, Key::Edit)}
            </summary>
            <form method="post" action=action class="grid">
                {hidden_to_approve(candidate)} <input type="hidden" name="edited" value="1" /> {content}
                {kind} {name} {importance} {metadata} {note} <div class="buttons">
                    <button class="button primary" aria-keyshortcuts=keys.aria(Key::Save)>
                        {text.candidate.save}
                        {badge(keys, Key::Save)}
                    </button>
                </div>
            </form>
        </details>
    }
    .into_any()
}

/// Whether what was typed belongs to the form that rejects.
fn is_rejection(typed: &Typed) -> bool {
    typed.values.contains_key("reason")
}

fn reject(text: &'static Text, keys: &Keys, candidate: &Candidate, action: String) -> AnyView {
    let reasons = Reason::OF_A_PERSON
        .iter()
        .zip(1..)
        .map(|(&reason, number)| {
            let key = Key::Reason(number);
            view! {
                <li>
                    <button name="reason" value=reason.as_str() data-action=key.word() aria-keyshortcuts=keys.aria(key)>
                        {badge(keys, key)}
                        <b>{(text.words.reason)(reason)}</b>
                        " "
                        <span>{(text.words.reason_why)(reason)}</span>
                    </button>
                </li>
            }
        })
        .collect_view();
    let nothing = Typed::default();
    let open = is_rejection(&candidate.typed);
    let typed = if open { &candidate.typed } else { &nothing };
    // Several lines, so that Enter in it never presses the first reason.
    let note = field(
        text,
        &format!("reject-{}", candidate.id),
        typed,
        Field {
            name: "note",
            label: text.candidate.reject_note,
            hint: None,
            value: "",
            control: Control::Lines(1),
        },
    );
    view! {
        <details class="reject" name="verdict" open=open>
            <summary class="button danger" data-action=Key::Reject.word() aria-keyshortcuts=keys.aria(Key::Reject)>
                {text.candidate.reject}
                {badge(keys, Key::Reject)}
            </summary>
            <form method="post" action=action>
                {hidden(candidate, &candidate.next)}
                <p class="label">{text.candidate.reject_why}</p>
                <ol class="reasons">{reasons}</ol>
                {note}
            </form>
        </details>
    }
    .into_any()
}
