//! `/account/keys`: the reader's own keys.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::{
    components::form::switch,
    keys::{Action, Fault, KEYS},
    shell::{Frame, page},
};

/// What the page shows: the keys of the frame, or what was typed and refused.
#[derive(Debug, Clone, Default)]
pub struct OwnKeys {
    /// What was typed, by the word of the action.
    pub typed: BTreeMap<String, String>,
    /// What was wrong with it.
    pub faults: Vec<Fault>,
    /// Whether keys were to be on, where the form was refused.
    pub on: Option<bool>,
}

/// The page.
pub fn own_keys(frame: &Frame, own: &OwnKeys) -> AnyView {
    let text = &frame.text().keys;
    let on = own.on.unwrap_or_else(|| frame.keys.is_on());
    let rows = KEYS
        .iter()
        .map(|row| line(frame, own, row.action))
        .collect_view();
    let content = view! {
        <p class="lead">{text.lead}</p>
        <form id="keys" class="card wide" method="post" action="/account/keys">
            {switch("keys", "on", text.on, text.on_how, on)}
            <p id="keys-how" class="hint">
                {text.write_how}
            </p>
            <div class="keyfields">{rows}</div>
            <div class="buttons">
                <button class="button primary">{text.save}</button>
            </div>
        </form>
        <form class="card" method="post" action="/account/keys/reset">
            <p class="hint">{text.reset_how}</p>
            <button class="button">{text.reset}</button>
        </form>
    }
    .into_any();
    page(frame, text.change, None, content)
}

fn line(frame: &Frame, own: &OwnKeys, action: Action) -> AnyView {
    let text = &frame.text().keys;
    let word = action.word();
    let value = own
        .typed
        .get(word)
        .cloned()
        .unwrap_or_else(|| frame.keys.set(action).to_owned());
    let fault = own.faults.iter().find(|fault| fault.action == action);
    let id = format!("key-{word}");
    let fault_id = format!("{id}-fault");
    let described = match fault {
        Some(_) => format!("{fault_id} keys-how"),
        None => "keys-how".to_owned(),
    };
    let invalid = fault.map(|_| "true");
    let fault = fault.map(|fault| {
        view! {
            <p id=fault_id class="fault">
                {(text.wrong)(fault.wrong)}
            </p>
        }
    });
    view! {
        <div class="field">
            <label for=id.clone()>{(text.action)(action)}</label>
            <input
                id=id
                type="text"
                name=word
                value=value
                maxlength="30"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-describedby=described
                aria-invalid=invalid
            />
            {fault}
        </div>
    }
    .into_any()
}
