//! `/account/keys`.

use std::collections::BTreeMap;

use app::{
    keys::{KEYS, Keys},
    pages::keys::{OwnKeys, own_keys},
    shell::Place,
    text::Text,
};
use axum::{Form, response::Response};
use serde::Deserialize;

use super::look::Look;
use crate::{
    auth::Person,
    flash::{Flash, Flashes},
    page_error::PageError,
};

const HERE: &str = "/account/keys";

/// What the form sends: the switch, and a field for each action.
#[derive(Deserialize)]
pub struct Typed {
    #[serde(default)]
    on: String,
    #[serde(flatten)]
    keys: BTreeMap<String, String>,
}

/// The reader's keys, or what was typed and refused.
pub async fn show(person: Person, look: Look) -> Result<Response, PageError> {
    let frame = look.frame_of(&person.actor, Place::Elsewhere).await?;
    let refused = look
        .flash
        .as_ref()
        .filter(|flash| flash.code == "keys_refused");
    let own = refused.map_or_else(OwnKeys::default, |flash| {
        let typed = flash.fields.clone();
        let on = typed.contains_key("on");
        OwnKeys {
            faults: faults(on, &typed),
            on: Some(on),
            typed,
        }
    });
    look.draw(move || own_keys(&frame, &own)).await
}

/// Keeps them, or says what is wrong.
pub async fn change(
    person: Person,
    flashes: Flashes,
    look: Look,
    Form(typed): Form<Typed>,
) -> Result<Response, PageError> {
    let on = !typed.on.is_empty();
    if !faults(on, &typed.keys).is_empty() {
        let mut flash = Flash::new("keys_refused");
        flash.fields = typed.keys;
        if on {
            flash = flash.with("on", "true");
        }
        return flashes.see_other(HERE, flash).await;
    }
    let keys = keys(on, &typed.keys);
    let own = engine::OwnKeys {
        on,
        changes: keys
            .changes()
            .map(|(word, chord)| (word.to_owned(), chord.to_owned()))
            .collect(),
    };
    look.engine().set_own_keys(&person.id, &own).await?;
    flashes.see_other(HERE, Flash::new("saved")).await
}

/// Back to the shipped keys.
pub async fn reset(person: Person, flashes: Flashes, look: Look) -> Result<Response, PageError> {
    let shipped = engine::OwnKeys::default();
    look.engine().set_own_keys(&person.id, &shipped).await?;
    flashes.see_other(HERE, Flash::new("keys_reset")).await
}

/// The first key that was refused, and why.
pub fn refused(text: &'static Text, flash: &Flash) -> String {
    let faults = faults(flash.fields.contains_key("on"), &flash.fields);
    let refused = text.flash.refused;
    match faults.first() {
        Some(fault) => {
            let action = (text.keys.action)(fault.action);
            let wrong = (text.keys.wrong)(fault.wrong);
            format!("{refused} – {action}: {wrong}")
        }
        None => refused.to_owned(),
    }
}

fn keys(on: bool, typed: &BTreeMap<String, String>) -> Keys {
    let pairs = typed
        .iter()
        .map(|(word, key)| (word.as_str(), key.as_str()));
    Keys::changed(on, pairs)
}

/// What is wrong with what was typed: what is no key first, then what meets another.
fn faults(on: bool, typed: &BTreeMap<String, String>) -> Vec<app::keys::Fault> {
    let mut faults: Vec<_> = KEYS
        .iter()
        .filter_map(|row| {
            let key = typed.get(row.action.word())?.trim();
            let wrong = app::keys::chord::parse(key)
                .err()
                .filter(|_| !key.is_empty())?;
            Some(app::keys::Fault {
                action: row.action,
                wrong,
            })
        })
        .collect();
    let unread: Vec<_> = faults.iter().map(|fault| fault.action).collect();
    // What cannot be read is not in the table, where the shipped key stands for it.
    let read = typed
        .iter()
        .map(|(word, key)| (word.as_str(), key.as_str()))
        .chain(unread.iter().map(|action| (action.word(), "")));
    faults.extend(Keys::changed(on, read).faults());
    faults
}
