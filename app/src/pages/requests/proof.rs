//! The proof of a request: what the audit tells of it, and what was signed of that.

use leptos::prelude::*;

use super::{
    Proof,
    one::{about, found, users},
};
use crate::{
    components::time::{date, date_time},
    pages::sheet::{Event, chain, facts, hashed, verify},
    shell::{Frame, still},
};

/// The proof of a request: to be printed, without a script.
pub fn proof(frame: &Frame, proof: &Proof) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let request = &proof.request;
    let lead = view! {
        <p class="quiet">
            <a href=format!("/requests/{}", request.id)>
                <code>{request.id.to_string()}</code>
            </a>
            " · "
            {(text.sheet.drawn)(&date_time(text, frame.zone, frame.now))}
        </p>
        <p class="quiet screen">{words.proof_lead}</p>
    }
    .into_any();
    let sum = proof
        .sum
        .as_ref()
        .map(|sum| facts(vec![(words.sum.to_owned(), hashed(sum))]));
    let content = view! {
        <div class="letter sheet">
            {about(frame, request)}
            {sum}
            <section id="found">
                <h2>{words.found}</h2>
                {found(frame, &proof.found)}
                {users(frame, &proof.users)}
            </section>
            <section id="events">
                <h2>{text.sheet.events}</h2>
                <p class="quiet">{text.sheet.events_how}</p>
                {proven(frame, proof)}
            </section>
            {checkpoint(frame, proof)}
            <section id="verify">
                <h2>{text.sheet.verify}</h2>
                {verify(text, &proof.fingerprint)}
            </section>
        </div>
    }
    .into_any();
    still(frame, words.proof, Some(lead), content)
}

fn proven(frame: &Frame, proof: &Proof) -> AnyView {
    let words = &frame.text().requests;
    let (signed, unsigned): (Vec<_>, Vec<_>) = proof
        .events
        .iter()
        .cloned()
        .partition(|(_, signed)| *signed);
    let events = |some: Vec<(Event, bool)>| {
        let some: Vec<Event> = some.into_iter().map(|(event, _)| event).collect();
        (!some.is_empty()).then(|| chain(frame, &some))
    };
    let waits = (!unsigned.is_empty()).then(|| {
        view! {
            <h3>{words.proof_signed} ": " {words.proof_not_yet}</h3>
            <p class="warning">{words.proof_wait}</p>
        }
    });
    let held = (!signed.is_empty()).then(|| {
        view! { <h3>{words.proof_signed} ": " {words.proof_yes}</h3> }
    });
    view! {
        {held}
        {events(signed)}
        {waits}
        {events(unsigned)}
    }
    .into_any()
}

fn checkpoint(frame: &Frame, proof: &Proof) -> Option<AnyView> {
    let words = &frame.text().requests;
    let (at, note) = proof.checkpoint.as_ref()?;
    let note = match note {
        Some(note) => view! {
            <pre tabindex="0" lang="und">
                {note.clone()}
            </pre>
        }
        .into_any(),
        None => view! { <p class="quiet">{words.checkpoint_limited}</p> }.into_any(),
    };
    Some(
        view! {
            <section id="checkpoint">
                <h2>{words.checkpoint}</h2>
                <p class="quiet">{words.checkpoint_how}</p>
                <p>{date(frame, *at)}</p>
                {note}
                <pre tabindex="0" lang="und">
                    {proof.key.trim_end().to_owned()}
                </pre>
            </section>
        }
        .into_any(),
    )
}
