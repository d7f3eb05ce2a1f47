//! Forms: identifiers out of paths, refusals into flashes, and flashes back into what was typed.

use std::str::FromStr;

use app::components::form::Typed;
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use domain::Timestamp;
use engine::{EngineError, Version};
use serde::{Deserialize, Deserializer};

use super::look::Look;
use crate::{flash::Flash, page_error::PageError};

/// An identifier of a path; what has another shape is as unknown as one that is not there.
pub fn id<T: FromStr>(text: &str) -> Result<T, PageError> {
    text.parse().map_err(|_| EngineError::NotFound.into())
}

/// The version a form was drawn with.
pub fn version(seen: i64) -> Version {
    Version::Is(seen)
}

/// What was typed, if anything.
pub fn typed(value: &str) -> Option<String> {
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// A day that was typed, if anything.
pub fn day(pointer: &str, text: &str) -> Result<Option<NaiveDate>, EngineError> {
    let Some(text) = typed(text) else {
        return Ok(None);
    };
    let day = text.parse::<NaiveDate>();
    day.map(Some)
        .map_err(|_| EngineError::invalid(pointer, "invalid", "a day"))
}

/// When a day begins where the reader is.
pub fn begins(
    look: &Look,
    pointer: &str,
    day: Option<NaiveDate>,
) -> Result<Option<Timestamp>, EngineError> {
    let Some(day) = day else {
        return Ok(None);
    };
    let begins = look.day_begins(day);
    begins
        .map(Some)
        .ok_or_else(|| EngineError::invalid(pointer, "range", "a day of our time"))
}

/// An instant that was typed, if anything: as everybody writes it, or as the clock on the reader's wall shows it.
pub fn instant(look: &Look, pointer: &str, text: &str) -> Result<Option<Timestamp>, EngineError> {
    let Some(text) = typed(text) else {
        return Ok(None);
    };
    if let Ok(at) = DateTime::parse_from_rfc3339(&text) {
        return Ok(Some(at.to_utc()));
    }
    let local = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]
        .into_iter()
        .find_map(|pattern| NaiveDateTime::parse_from_str(&text, pattern).ok())
        .ok_or_else(|| EngineError::invalid(pointer, "invalid", "a date with its time"))?;
    let skipped = || EngineError::invalid(pointer, "range", "a time that clocks showed");
    look.instant(local).map(Some).ok_or_else(skipped)
}

/// What was typed, where it is something and says otherwise than what is there: an edit holds only what was changed.
pub fn changed(value: &str, present: &str) -> Option<String> {
    // A browser sends line ends as CR LF whatever they were.
    typed(&value.replace("\r\n", "\n")).filter(|value| value != present)
}

/// The content of an edit: [`changed`], but an emptied one is refused, because leaving it as it was is not what was meant.
pub fn content(value: &str, present: &str) -> Result<Option<String>, EngineError> {
    if value.trim().is_empty() {
        return Err(EngineError::invalid(
            "/content",
            "required",
            "write what is to be remembered; it must not be empty",
        ));
    }
    Ok(changed(value, present))
}

/// A refusal as a flash: the faults by field, and what was typed, so that none of it is lost. Anything that is no fault of a field
/// stays an error.
pub fn refused(error: EngineError, values: &[(&str, &str)]) -> Result<Flash, PageError> {
    let mut flash = Flash::new("refused");
    match &error {
        EngineError::NameTaken => flash = flash.with("fault.name", "exists"),
        EngineError::SlotTaken { .. } => flash = flash.with("fault.name", "slot_taken"),
        EngineError::Full { .. } => flash = flash.with("fault.content", "memory_limit"),
        EngineError::Invalid(_) | EngineError::Secret { .. } => {
            for fault in error.fields() {
                let field = field_of(&fault.pointer);
                flash = flash.with(&format!("fault.{field}"), fault.code);
            }
        }
        _ => return Err(error.into()),
    }
    Ok(keep(flash, values))
}

/// The field of a form that a fault's place is in: all of the metadata is one, and so is a list.
fn field_of(pointer: &str) -> String {
    let mut steps = pointer.split('/').skip(1);
    let first = steps.next().unwrap_or_default();
    let rest = steps.filter(|step| first != "metadata" && step.parse::<usize>().is_err());
    std::iter::once(first)
        .chain(rest)
        .collect::<Vec<_>>()
        .join("_")
}

/// A number.
///
/// # Errors
/// `invalid` at `pointer`.
pub fn number<T: FromStr>(text: &str, pointer: &'static str) -> Result<T, EngineError> {
    let wrong = |_| EngineError::invalid(pointer, "invalid", "not a number that fits");
    text.trim().parse().map_err(wrong)
}

/// A number, or nothing where nothing was typed.
///
/// # Errors
/// `invalid` at `pointer`.
pub fn maybe<T: FromStr>(text: &str, pointer: &'static str) -> Result<Option<T>, EngineError> {
    typed(text).map(|text| number(&text, pointer)).transpose()
}

/// A number of a form that also has fields of unknown names: beside those, serde reads everything as text.
///
/// # Errors
/// What is no number that fits.
pub fn figure<'de, D: Deserializer<'de>, T: FromStr>(from: D) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    text.parse()
        .map_err(|_| serde::de::Error::custom("not a number that fits"))
}

/// As [`figure`], for one that may be absent.
///
/// # Errors
/// What is no number that fits.
pub fn figure_given<'de, D: Deserializer<'de>, T: FromStr>(from: D) -> Result<Option<T>, D::Error> {
    figure(from).map(Some)
}

/// The flash with what was typed.
pub fn keep(flash: Flash, values: &[(&str, &str)]) -> Flash {
    values.iter().fold(flash, |flash, (field, value)| {
        flash.with(&format!("typed.{field}"), *value)
    })
}

/// What a refused form left in the flash.
pub fn typed_of(flash: Option<&Flash>) -> Typed {
    let mut typed = Typed::default();
    for (name, value) in flash.iter().flat_map(|flash| &flash.fields) {
        if let Some(field) = name.strip_prefix("typed.") {
            typed.values.insert(field.to_owned(), value.clone());
        } else if let Some(field) = name.strip_prefix("fault.") {
            typed.faults.insert(field.to_owned(), value.clone());
        }
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_survives_a_refusal() {
        let error = EngineError::Secret {
            pointer: "/content",
        };
        let flash = refused(error, &[("content", "my password is …")]).unwrap();
        let typed = typed_of(Some(&flash));
        assert_eq!(typed.value("content", ""), "my password is …");
        assert_eq!(typed.faults["content"], "secret");
    }

    #[test]
    fn a_fault_is_shown_at_the_field_it_was_typed_into() {
        for (pointer, field) in [
            ("/content", "content"),
            ("/trigger/quiet_seconds", "trigger_quiet_seconds"),
            ("/shared_ids/3", "shared_ids"),
            ("/auto_approve/0/name", "auto_approve_name"),
            ("/metadata/severity", "metadata"),
        ] {
            assert_eq!(field_of(pointer), field);
        }
        assert_eq!(maybe::<u32>("  ", "/x").unwrap(), None);
        assert_eq!(maybe::<u32>("20", "/x").unwrap(), Some(20));
        assert!(maybe::<u32>("-1", "/x").is_err());
    }

    #[test]
    fn a_form_that_was_not_touched_edits_nothing() {
        assert_eq!(changed("two\r\nlines", "two\nlines"), None);
        assert_eq!(changed("  ", "x"), None);
        assert_eq!(changed("new", "old"), Some("new".to_owned()));
        assert!(content(" \r\n", "old").is_err());
    }
}
