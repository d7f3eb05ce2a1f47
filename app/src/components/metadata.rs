//! Metadata as fields, one for each property of the kind's schema that a person can type.

use leptos::prelude::*;

use super::form::{Control, Field, Typed, field};
use crate::text::Text;

/// What the name of such a field begins with in a form.
pub const PREFIX: &str = "meta.";

/// What a property is typed into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sort {
    /// Text.
    Line,
    /// A number, or nothing.
    Number,
    /// Yes, no, or nothing.
    YesNo,
    /// One of these, or nothing.
    Choice(Vec<String>),
    /// Several texts, a line each.
    List,
}

/// A property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the schema.
    pub name: String,
    /// What it holds, where the schema says so.
    pub description: Option<String>,
    /// What it is typed into.
    pub sort: Sort,
    /// Its value as it is typed; empty for none.
    pub value: String,
}

/// The fields, and below them what the schema says nothing of, as JSON; `rest` is `None` where that is not asked for.
pub fn metadata(
    text: &'static Text,
    form: &str,
    typed: &Typed,
    entries: &[Entry],
    rest: Option<&str>,
) -> AnyView {
    let nothing = || (String::new(), "–".to_owned());
    let fields = entries
        .iter()
        .map(|entry| {
            let name = format!("{PREFIX}{}", entry.name);
            let options = |words: Vec<(String, String)>| {
                Control::Choice(std::iter::once(nothing()).chain(words).collect())
            };
            let control = match &entry.sort {
                Sort::Line => Control::Line("text", Some("off"), false),
                Sort::Number => Control::Maybe,
                Sort::YesNo => options(vec![
                    ("true".to_owned(), text.shell.yes.to_owned()),
                    ("false".to_owned(), text.shell.no.to_owned()),
                ]),
                Sort::Choice(words) => options(
                    words
                        .iter()
                        .map(|word| (word.clone(), word.clone()))
                        .collect(),
                ),
                Sort::List => Control::Lines(1),
            };
            let one = Field {
                name: &name,
                label: &entry.name,
                hint: entry.description.as_deref(),
                value: &entry.value,
                control,
            };
            field(text, form, typed, one)
        })
        .collect_view();
    let rest = rest.map(|json| {
        let one = Field {
            name: "metadata",
            label: text.words.metadata,
            hint: None,
            value: json,
            control: Control::Code(3),
        };
        field(text, form, typed, one)
    });
    // Where there is no field of its own for it, a fault of the metadata stands below the others.
    let fault = typed
        .faults
        .get("metadata")
        .filter(|_| rest.is_none())
        .map(|code| {
            let line = (text.flash.code)(code).unwrap_or(text.flash.refused);
            view! { <p class="fault">{line}</p> }
        });
    view! {
        {fields}
        {rest}
        {fault}
    }
    .into_any()
}
