//! A new value of a field beside the one that is there (D3).

use serde_json::Value;

use super::Field;
use crate::text;

/// Words in the name of a field of which a person has one at a time.
const ONE_AT_A_TIME: &[&str] = &[
    "name",
    "nickname",
    "age",
    "birthday",
    "birthdate",
    "dob",
    "gender",
    "pronouns",
    "city",
    "town",
    "country",
    "region",
    "location",
    "address",
    "home",
    "residence",
    "timezone",
    "zone",
    "locale",
    "employer",
    "company",
    "title",
    "role",
    "occupation",
    "profession",
    "position",
    "status",
    "level",
    "stage",
    "email",
    "phone",
    "salary",
    "income",
    "budget",
    "currency",
    "height",
    "weight",
    "size",
    "tone",
    "format",
    "style",
    "mood",
    "plan",
    "tier",
    "summary",
    "bio",
    "goal",
    "nationality",
    "school",
    "university",
    "major",
    "grade",
    "date",
    "id",
];

pub(super) fn only_one(name: &str) -> bool {
    let mut word = String::new();
    let mut words = Vec::new();
    for letter in name.chars() {
        if !letter.is_alphanumeric()
            || (letter.is_uppercase() && word.ends_with(char::is_lowercase))
        {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.push(letter);
        }
    }
    words.push(word);
    words
        .iter()
        .any(|word| ONE_AT_A_TIME.contains(&word.to_lowercase().as_str()))
}

/// A new value beside the one that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Consolidated {
    /// What the field would hold.
    pub value: Value,
    /// Whether the old value is gone.
    pub replaces: bool,
}

/// Consolidates a field (D3): `"ADK"` and `"Python"` give `"ADK, Python"`. A new value that already holds all of the old one is taken as
/// it is: the extractor has consolidated.
pub fn consolidate(field: Field<'_>, old: &Value, new: &Value) -> Consolidated {
    let replaced = || Consolidated {
        value: new.clone(),
        replaces: old != new,
    };
    if !field.joins() {
        return replaced();
    }
    match (old, new) {
        (Value::String(old), Value::String(new)) => {
            let joined = join(parts(old), parts(new));
            let value = if covers(new, old) {
                new.clone()
            } else {
                joined.join(", ")
            };
            Consolidated {
                value: Value::String(value),
                replaces: false,
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let mut all = old.clone();
            for item in new {
                if !all.iter().any(|held| same(held, item)) {
                    all.push(item.clone());
                }
            }
            Consolidated {
                value: Value::Array(all),
                replaces: false,
            }
        }
        _ => replaced(),
    }
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            text::normal_form(one) == text::normal_form(other)
        }
        _ => one == other,
    }
}

pub(crate) fn parts(list: &str) -> Vec<&str> {
    list.split([',', ';', '、', '，', '；', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

fn join<'a>(old: Vec<&'a str>, new: Vec<&'a str>) -> Vec<&'a str> {
    let mut all = old;
    for part in new {
        if !all
            .iter()
            .any(|held| text::normal_form(held) == text::normal_form(part))
        {
            all.push(part);
        }
    }
    all
}

/// Whether a list of words holds all of another one.
pub fn covers(new: &str, old: &str) -> bool {
    let held: Vec<String> = parts(new).into_iter().map(text::normal_form).collect();
    parts(old)
        .into_iter()
        .all(|part| held.contains(&text::normal_form(part)))
}
