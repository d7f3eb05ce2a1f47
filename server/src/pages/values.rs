//! The values beside a statement that a change alters, as a reader takes them (F2).

use app::{
    components::{diff::ValueDiff, tag},
    text::Text,
};
use domain::values::{ValueChange, ValueName};
use serde_json::Value;

use super::candidate::plain;

/// Each with what it is called, and from what to what.
pub fn values(text: &'static Text, changes: &[ValueChange]) -> Vec<ValueDiff> {
    changes
        .iter()
        .map(|change| {
            let both = |shown: &dyn Fn(&Value) -> String| {
                let side = |value: Option<&Value>| value.map(shown).unwrap_or_default();
                (side(change.before.as_ref()), side(change.after.as_ref()))
            };
            let mut sides = both(&|value| written(text, change.value, value));
            if sides.0 == sides.1 {
                // Of another type, as "500" and 500.
                sides = both(&Value::to_string);
            }
            ValueDiff {
                name: name(text, change),
                parts: domain::diff::words(&sides.0, &sides.1),
            }
        })
        .collect()
}

fn name(text: &'static Text, change: &ValueChange) -> String {
    let words = &text.words;
    let label = match change.value {
        ValueName::Kind => words.kind_label,
        ValueName::Name => words.name,
        ValueName::Importance => words.importance,
        ValueName::Tags => words.tags,
        ValueName::Metadata => words.metadata,
    };
    change.key.clone().unwrap_or_else(|| label.to_owned())
}

fn written(text: &'static Text, which: ValueName, value: &Value) -> String {
    match (which, value) {
        (ValueName::Kind, Value::String(kind)) => tag::kind_name(text, kind),
        (ValueName::Importance, importance) => {
            format!("{:.2}", importance.as_f64().unwrap_or_default())
        }
        (_, Value::Array(items)) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        (_, other) => plain(other),
    }
}

#[cfg(test)]
mod tests {
    use app::text::Language;
    use domain::diff::{Change, Part};
    use serde_json::json;

    use super::*;

    fn shown(text: &'static Text, value: ValueName, before: Value, after: Value) -> String {
        let change = ValueChange {
            value,
            key: None,
            before: Some(before).filter(|before| !before.is_null()),
            after: Some(after).filter(|after| !after.is_null()),
        };
        let diff = values(text, &[change]).remove(0);
        let part = |part: &Part| match part.change {
            Change::Same => part.text.clone(),
            Change::Removed => format!("[-{}-]", part.text),
            Change::Added => format!("[+{}+]", part.text),
        };
        let parts: String = diff.parts.iter().map(part).collect();
        format!("{}: {parts}", diff.name)
    }

    // F2
    #[test]
    fn a_value_is_shown_as_its_reader_writes_it() {
        let english = Language::English.text();
        for (value, before, after, told) in [
            (
                ValueName::Importance,
                json!(0.9),
                json!(0.7),
                "Importance: [-0.90-][+0.70+]",
            ),
            (
                ValueName::Kind,
                json!("fact"),
                json!("deal"),
                "Kind: [-fact-][+deal+]",
            ),
            (
                ValueName::Tags,
                json!(["a", "b"]),
                json!(["a"]),
                "Tags: a[-, b-]",
            ),
            (
                ValueName::Name,
                json!("lives in"),
                json!(null),
                "Topic: [-lives in-]",
            ),
            (
                ValueName::Metadata,
                json!("500"),
                json!(500),
                "Metadata: [-\"-]500[-\"-]",
            ),
        ] {
            assert_eq!(shown(english, value, before, after), told);
        }
        let japanese = Language::Japanese.text();
        let kind = shown(japanese, ValueName::Kind, json!("deal"), json!("fact"));
        assert!(
            !kind.contains("fact") && kind.contains("[-deal-]"),
            "{kind}"
        );
    }
}
