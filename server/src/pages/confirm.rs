//! `/confirm`: asks for the password, and the code where the person has a second factor, before a form that was kept goes on.

use std::collections::BTreeMap;

use app::{
    pages::account::{Waiting, confirm},
    shell::Place,
};
use axum::response::Response;

use super::look::Look;
use crate::{
    auth::{CONFIRMS, CONFIRMS_CODE, Person},
    flash::local,
    page_error::PageError,
};

/// The page. Its form goes where the one that was kept was going, and says the same.
pub async fn show(person: Person, look: Look) -> Result<Response, PageError> {
    let frame = look.frame_of(&person.actor, Place::Elsewhere).await?;
    let found = look.engine().person(&person.id).await?;
    let has_second = found.is_some_and(|found| found.second_factor_at.is_some());
    let fields = look.flash.as_ref().map(|flash| &flash.fields);
    let theirs = |fields: &&BTreeMap<String, String>| {
        fields.get("person").map(String::as_str) == Some(person.id.as_str())
    };
    let waiting = fields.filter(theirs).and_then(|fields| {
        let form = url::form_urlencoded::parse(fields.get("form")?.as_bytes());
        Some(Waiting {
            to: local(fields.get("to").map(String::as_str), "/"),
            fields: form.into_owned().collect(),
            confirms: CONFIRMS,
            confirms_code: has_second.then_some(CONFIRMS_CODE),
        })
    });
    look.draw(move || confirm(&frame, waiting.as_ref())).await
}
