//! Values of metadata: Memory Bank's have one of four types, ours are JSON.

use std::{cmp::Ordering, collections::BTreeMap};

use chrono::DateTime;
use domain::{Timestamp, time::rfc3339};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A value with its type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MetadataValue {
    #[serde(rename = "boolValue", alias = "bool_value")]
    Bool(bool),
    #[serde(rename = "doubleValue", alias = "double_value")]
    Double(f64),
    #[serde(rename = "stringValue", alias = "string_value")]
    String(String),
    /// Kept as its text, so that it comes back as a string.
    #[serde(rename = "timestampValue", alias = "timestamp_value")]
    Timestamp(Timestamp),
}

/// Metadata as clients write it.
pub type Given = BTreeMap<String, MetadataValue>;

/// What is kept of it.
pub fn kept(given: Given) -> Map<String, Value> {
    let values = given.into_iter();
    values
        .map(|(key, value)| (key, Value::from(value)))
        .collect()
}

/// How it goes out: a list or an object as its JSON, and nothing where there is nothing.
pub fn outward(kept: Map<String, Value>) -> Given {
    let values = kept.into_iter();
    values
        .filter_map(|(key, value)| {
            let value = match value {
                Value::Null => return None,
                Value::Bool(value) => MetadataValue::Bool(value),
                Value::Number(value) => MetadataValue::Double(value.as_f64()?),
                Value::String(value) => MetadataValue::String(value),
                value @ (Value::Array(_) | Value::Object(_)) => {
                    MetadataValue::String(value.to_string())
                }
            };
            Some((key, value))
        })
        .collect()
}

impl From<MetadataValue> for Value {
    fn from(value: MetadataValue) -> Self {
        match value {
            MetadataValue::Bool(value) => value.into(),
            MetadataValue::Double(value) => value.into(),
            MetadataValue::String(value) => value.into(),
            MetadataValue::Timestamp(at) => rfc3339(at).into(),
        }
    }
}

impl MetadataValue {
    /// How what is kept compares with this one; `None` where it is of another type. Times compare by their seconds.
    pub fn compared(&self, kept: &Value) -> Option<Ordering> {
        match (kept, self) {
            (Value::Bool(kept), Self::Bool(value)) => Some(kept.cmp(value)),
            (Value::Number(kept), Self::Double(value)) => kept.as_f64()?.partial_cmp(value),
            (Value::String(kept), Self::String(value)) => Some(kept.cmp(value)),
            (Value::String(kept), Self::Timestamp(at)) => {
                let kept = DateTime::parse_from_rfc3339(kept).ok()?;
                Some(kept.timestamp().cmp(&at.timestamp()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_given_is_kept_as_json_and_comes_back() {
        let given = json!({
            "a": {"stringValue": "x"}, "b": {"double_value": 1.5}, "c": {"boolValue": true},
            "d": {"timestamp_value": "2027-01-01T12:30:00+00:00"},
        });
        let kept = kept(serde_json::from_value(given).unwrap());
        assert_eq!(
            Value::Object(kept.clone()),
            json!({"a": "x", "b": 1.5, "c": true, "d": "2027-01-01T12:30:00Z"})
        );
        assert_eq!(
            serde_json::to_value(outward(kept)).unwrap(),
            json!({
                "a": {"stringValue": "x"}, "b": {"doubleValue": 1.5}, "c": {"boolValue": true},
                "d": {"stringValue": "2027-01-01T12:30:00Z"},
            })
        );
        let typed = json!({"list": ["a"], "none": null, "count": 3});
        assert_eq!(
            serde_json::to_value(outward(typed.as_object().unwrap().clone())).unwrap(),
            json!({"list": {"stringValue": "[\"a\"]"}, "count": {"doubleValue": 3.0}})
        );
    }

    #[test]
    fn only_values_of_one_type_compare() {
        let at = "2027-01-01T12:30:00Z".parse().unwrap();
        for (kept, value, order) in [
            (
                json!("b"),
                MetadataValue::String("a".into()),
                Some(Ordering::Greater),
            ),
            (json!(1), MetadataValue::Double(1.5), Some(Ordering::Less)),
            (
                json!(true),
                MetadataValue::Bool(true),
                Some(Ordering::Equal),
            ),
            (
                json!("2027-01-01T12:30:00.9Z"),
                MetadataValue::Timestamp(at),
                Some(Ordering::Equal),
            ),
            (json!("soon"), MetadataValue::Timestamp(at), None),
            (json!("1"), MetadataValue::Double(1.0), None),
        ] {
            assert_eq!(value.compared(&kept), order, "{kept} {value:?}");
        }
    }
}
