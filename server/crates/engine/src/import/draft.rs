//! From a row to what it proposes, by what its columns become.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use domain::{
    Timestamp,
    import::{ImportField, ImportMapping, takes_imports},
    kind::Kind,
    text,
    time::Span,
    user::{InvalidScope, Scope},
};
use serde_json::{Map, Value};

use super::Fault;
use crate::ingest::fits_id;

/// The most tags of a memory, and the longest, in characters.
const MOST_TAGS: usize = 20;
const MOST_TAG: usize = 64;
/// How far a clock elsewhere may be ahead.
const AHEAD: Span = Span::days(1);

/// What a row proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// About whom.
    pub scope: Scope,
    /// The statement.
    pub content: String,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// Metadata, with the types that the kind's schema asks for where the text has them.
    pub metadata: Map<String, Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How much it matters.
    pub importance: Option<f64>,
    /// When it was said.
    pub said_at: Option<Timestamp>,
    /// What it is called where it comes from.
    pub source_id: Option<String>,
}

/// Turns a row into what it proposes; whether that can be kept is asked afterwards.
///
/// # Errors
/// Which part cannot be read, and why.
pub fn draft(
    record: &Map<String, Value>,
    mapping: &ImportMapping,
    kinds: &[Kind],
    now: Timestamp,
) -> Result<Draft, Fault> {
    let row = Row { record, mapping };
    let scope = whom(record, mapping)?;
    let content = row.text(&ImportField::Content)?;
    let content = content.ok_or(("content", "required"))?;
    let kind = row.text(&ImportField::Kind)?;
    let kind = kind.ok_or(("kind", "required"))?;
    let kind = kinds
        .iter()
        .find(|known| known.name == kind && takes_imports(known))
        .ok_or(("kind", "unknown"))?;
    Ok(Draft {
        name: row.text(&ImportField::Name)?,
        metadata: row.metadata(kind),
        tags: row.tags()?,
        importance: row.importance()?,
        said_at: row.said_at(now)?,
        source_id: row.source_id()?,
        kind: kind.name.clone(),
        scope,
        content,
    })
}

/// Whom a row is about.
///
/// # Errors
/// Why nobody can tell.
pub fn whom(record: &Map<String, Value>, mapping: &ImportMapping) -> Result<Scope, Fault> {
    let row = Row { record, mapping };
    let user = row.text(&ImportField::UserId)?;
    let user = user.ok_or(("user_id", "required"))?;
    let mut pairs = BTreeMap::from([("user_id".to_owned(), user)]);
    for (name, field) in mapping.pairs() {
        if let Some(value) = row.text(field)? {
            pairs.insert(name.to_owned(), value);
        }
    }
    Scope::parse(pairs).map_err(|error| match error {
        InvalidScope::Reserved => ("user_id", "reserved"),
        // What is empty in a file was left out, so there is none here.
        InvalidScope::Empty(_) => ("user_id", "required"),
        InvalidScope::Length(name) if name == "user_id" => ("user_id", "too_long"),
        InvalidScope::Pairs | InvalidScope::Length(_) => ("scope", "too_long"),
    })
}

struct Row<'a> {
    record: &'a Map<String, Value>,
    mapping: &'a ImportMapping,
}

impl Row<'_> {
    /// What stands in the column of a field, else what stands for all rows.
    fn value(&self, field: &ImportField) -> Option<Value> {
        let column = self.mapping.column_of(field);
        let there = column.and_then(|column| self.record.get(column));
        there.cloned().or_else(|| {
            let constant = self.mapping.constants.get(field)?;
            (!constant.trim().is_empty()).then(|| Value::from(constant.trim()))
        })
    }

    fn text(&self, field: &ImportField) -> Result<Option<String>, Fault> {
        let text = match self.value(field) {
            None => return Ok(None),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            Some(_) => return Err((field.word(), "wrong_type")),
        };
        Ok((!text.is_empty()).then_some(text))
    }

    fn source_id(&self) -> Result<Option<String>, Fault> {
        let id = self.text(&ImportField::SourceId)?;
        match id {
            Some(id) if !fits_id(&id) => Err(("source_id", "too_long")),
            id => Ok(id),
        }
    }

    fn tags(&self) -> Result<Vec<String>, Fault> {
        let wrong = ("tags", "wrong_type");
        let tags: Vec<String> = match self.value(&ImportField::Tags) {
            None => Vec::new(),
            Some(Value::String(text)) => text
                .split([',', ';', '、', '，', '；'])
                .map(str::to_owned)
                .collect(),
            Some(Value::Array(items)) => items
                .into_iter()
                .map(|item| match item {
                    Value::String(tag) => Ok(tag),
                    _ => Err(wrong),
                })
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(wrong),
        };
        let tags: Vec<String> = tags
            .into_iter()
            .map(|tag| tag.trim().to_owned())
            .filter(|tag| !tag.is_empty())
            .collect();
        let long = |tag: &String| text::length(tag) > MOST_TAG;
        if tags.len() > MOST_TAGS || tags.iter().any(long) {
            return Err(("tags", "too_long"));
        }
        Ok(tags)
    }

    fn importance(&self) -> Result<Option<f64>, Fault> {
        let number = match self.value(&ImportField::Importance) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => text.trim().replace(',', ".").parse().ok(),
            Some(_) => None,
        };
        match number {
            Some(number) if (0.0..=1.0).contains(&number) => Ok(Some(number)),
            _ => Err(("importance", "range")),
        }
    }

    fn said_at(&self, now: Timestamp) -> Result<Option<Timestamp>, Fault> {
        let at = match self.value(&ImportField::SaidAt) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_f64().and_then(since_1970),
            Some(Value::String(text)) => moment(text.trim()),
            Some(_) => None,
        };
        let at = at.ok_or(("said_at", "date"))?;
        if at > now + AHEAD || at < Timestamp::UNIX_EPOCH {
            return Err(("said_at", "range"));
        }
        Ok(Some(domain::time::micros(at)))
    }

    fn metadata(&self, kind: &Kind) -> Map<String, Value> {
        let columns = self.mapping.columns.values();
        let fields = columns.chain(self.mapping.constants.keys());
        let mut metadata = Map::new();
        for field in fields {
            if let ImportField::Metadata(name) = field
                && let Some(value) = self.value(field)
            {
                metadata.insert(name.clone(), typed(kind, name, value));
            }
        }
        metadata
    }
}

/// A value as the kind's schema asks for it, where its text is one; else as it stands, and the schema refuses it.
fn typed(kind: &Kind, name: &str, value: Value) -> Value {
    let Value::String(text) = &value else {
        return value;
    };
    let schema = kind.metadata_schema.as_ref();
    let property = schema.and_then(|schema| schema.get("properties")?.get(name));
    let Some(wanted) = property.and_then(|property| property.get("type")) else {
        return value;
    };
    let asks = |kind: &str| match wanted {
        Value::String(only) => only == kind,
        Value::Array(several) => several.iter().any(|one| one == kind),
        _ => false,
    };
    if asks("string") {
        return value;
    }
    let text = text.trim();
    let parsed = serde_json::from_str::<Value>(text).ok();
    let taken = match parsed {
        Some(number @ Value::Number(_)) if asks("number") || asks("integer") => Some(number),
        Some(truth @ Value::Bool(_)) if asks("boolean") => Some(truth),
        Some(items @ Value::Array(_)) if asks("array") => Some(items),
        Some(members @ Value::Object(_)) if asks("object") => Some(members),
        _ if asks("array") => {
            let items = text.split([';', '、', '；']).map(str::trim);
            Some(
                items
                    .filter(|item| !item.is_empty())
                    .map(Value::from)
                    .collect(),
            )
        }
        _ if asks("boolean") => match text.to_lowercase().as_str() {
            "true" | "yes" | "1" | "はい" | "是" => Some(Value::Bool(true)),
            "false" | "no" | "0" | "いいえ" | "否" => Some(Value::Bool(false)),
            _ => None,
        },
        _ => None,
    };
    taken.unwrap_or(value)
}

/// A moment as files write it: with a zone, or in UTC; a day is its beginning.
fn moment(text: &str) -> Option<Timestamp> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.to_utc());
    }
    for form in ["%Y-%m-%d %H:%M:%S%.f%:z", "%Y-%m-%d %H:%M:%S%.f%z"] {
        if let Ok(at) = DateTime::parse_from_str(text, form) {
            return Some(at.to_utc());
        }
    }
    let plain = text.trim_end_matches(" UTC");
    for form in [
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y/%m/%d %H:%M:%S%.f",
        "%Y-%m-%d %H:%M",
        "%Y/%m/%d %H:%M",
    ] {
        if let Ok(at) = NaiveDateTime::parse_from_str(plain, form) {
            return Some(at.and_utc());
        }
    }
    for form in ["%Y-%m-%d", "%Y/%m/%d", "%Y年%m月%d日"] {
        if let Ok(day) = NaiveDate::parse_from_str(plain, form) {
            return Some(day.and_hms_opt(0, 0, 0)?.and_utc());
        }
    }
    text.parse().ok().and_then(since_1970)
}

/// Seconds since 1970, or milliseconds where they would be of another millennium.
fn since_1970(number: f64) -> Option<Timestamp> {
    const MILLISECONDS: f64 = 100_000_000_000.0;
    let seconds = if number.abs() >= MILLISECONDS {
        number / 1000.0
    } else {
        number
    };
    if !seconds.is_finite() || seconds.abs() >= MILLISECONDS {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "seconds of this millennium in microseconds fit"
    )]
    let micros = (seconds * 1_000_000.0) as i64;
    DateTime::from_timestamp_micros(micros)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn now() -> Timestamp {
        moment("2026-12-01T09:00:00Z").unwrap()
    }

    fn kinds() -> Vec<Kind> {
        let mut kinds = [Kind::assistant(), Kind::business(), Kind::always_there()].concat();
        for kind in &mut kinds {
            kind.enabled = true;
        }
        kinds
    }

    fn of(record: Value, mapping: &[(&str, &str)]) -> Result<Draft, Fault> {
        let record = record.as_object().unwrap().clone();
        let columns = mapping
            .iter()
            .map(|(column, field)| ((*column).to_owned(), field.parse().unwrap()));
        let mapping = ImportMapping {
            columns: columns.collect(),
            constants: [(ImportField::Kind, "fact".to_owned())].into(),
        };
        draft(&record, &mapping, &kinds(), now())
    }

    // G13
    #[test]
    fn a_row_becomes_what_its_columns_become() {
        let record = json!({
            "u": 7, "m": " User likes tea ", "at": "2026-03-01 10:00:00", "c": ["taste", " tea "], "w": "0,8", "x": "kept out", "i": "m-1",
        });
        let mapping = [
            ("u", "user_id"),
            ("m", "content"),
            ("at", "said_at"),
            ("c", "tags"),
            ("w", "importance"),
            ("i", "source_id"),
        ];
        let made = of(record, &mapping).unwrap();
        assert_eq!(made.scope, Scope::user_id("7").unwrap());
        assert_eq!(made.content, "User likes tea");
        assert_eq!((made.kind.as_str(), made.name), ("fact", None));
        assert_eq!(made.tags, ["taste", "tea"]);
        assert_eq!(made.importance, Some(0.8));
        assert_eq!(made.said_at, moment("2026-03-01T10:00:00Z"));
        assert_eq!(made.source_id.as_deref(), Some("m-1"));
        assert!(made.metadata.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_part() {
        let whole = json!({"u": "ana", "m": "User likes tea"});
        let with = |field: &str, value: Value| {
            let mut record = whole.clone();
            record["x"] = value;
            let mapping = [("u", "user_id"), ("m", "content"), ("x", field)];
            of(record, &mapping).unwrap_err()
        };
        assert_eq!(with("importance", json!("high")), ("importance", "range"));
        assert_eq!(with("importance", json!(2)), ("importance", "range"));
        assert_eq!(with("said_at", json!("soon")), ("said_at", "date"));
        assert_eq!(with("said_at", json!("2027-02-01")), ("said_at", "range"));
        assert_eq!(with("tags", json!([1])), ("tags", "wrong_type"));
        assert_eq!(with("tags", json!("x".repeat(65))), ("tags", "too_long"));
        assert_eq!(with("name", json!(["a"])), ("name", "wrong_type"));
        let long = json!("x".repeat(257));
        assert_eq!(with("source_id", long), ("source_id", "too_long"));
        assert_eq!(
            with("source_id", json!("a\u{7}")),
            ("source_id", "too_long")
        );
        assert_eq!(with("kind", json!("hobby")), ("kind", "unknown"));
        assert_eq!(with("kind", json!("pattern")), ("kind", "unknown"));
        let mapping = [("u", "user_id"), ("m", "content")];
        let missing = |record| of(record, &mapping).unwrap_err();
        assert_eq!(missing(json!({"m": "x"})), ("user_id", "required"));
        assert_eq!(missing(json!({"u": "ana"})), ("content", "required"));
        let ours = json!({"u": "usr_x", "m": "x"});
        assert_eq!(missing(ours), ("user_id", "reserved"));
    }

    // G13, D9
    #[test]
    fn pairs_name_somebody_where_a_row_has_them() {
        let mapping = [
            ("u", "user_id"),
            ("m", "content"),
            ("a", "scope.app_id"),
            ("t", "scope.team"),
        ];
        let whom = |record: Value| of(record, &mapping).map(|draft| draft.scope.canonical());
        let told = |text: &str| Ok(text.to_owned());
        assert_eq!(
            whom(json!({"u": "ana", "m": "x"})),
            told(r#"{"user_id":"ana"}"#)
        );
        let row = json!({"u": "ana", "m": "x", "a": " boats ", "t": 7});
        assert_eq!(
            whom(row),
            told(r#"{"app_id":"boats","team":"7","user_id":"ana"}"#)
        );
        assert_eq!(
            whom(json!({"m": "x", "a": "boats"})),
            Err(("user_id", "required"))
        );
        assert_eq!(
            whom(json!({"u": "ana", "m": "x", "a": ["boats"]})),
            Err(("scope", "wrong_type"))
        );
        let long = "x".repeat(257);
        assert_eq!(
            whom(json!({"u": "ana", "m": "x", "a": long})),
            Err(("scope", "too_long"))
        );
        assert_eq!(
            whom(json!({"u": long, "m": "x", "a": "boats"})),
            Err(("user_id", "too_long"))
        );
        let many: Vec<String> = (0..5).map(|number| format!("scope.p{number}")).collect();
        let many = many.iter().map(|field| (&field[6..], field.as_str()));
        let many: Vec<_> = many.chain([("u", "user_id"), ("m", "content")]).collect();
        let row = json!({"u": "ana", "m": "x", "p0": 1, "p1": 1, "p2": 1, "p3": 1, "p4": 1});
        assert_eq!(of(row, &many).map(|_| ()), Err(("scope", "too_long")));
    }

    #[test]
    fn metadata_gets_the_types_that_the_schema_asks_for() {
        let record = json!({
            "u": "ana", "m": "Use target CPA", "k": "decision", "a": "Use target CPA", "r": "cheaper", "e": "Alpha; Beta", "rev": "yes",
        });
        let mapping = [
            ("u", "user_id"),
            ("m", "content"),
            ("k", "kind"),
            ("a", "metadata.action"),
            ("r", "metadata.rationale"),
            ("e", "metadata.affected_entities"),
            ("rev", "metadata.reversible"),
        ];
        let made = of(record, &mapping).unwrap();
        let expected = json!({
            "action": "Use target CPA", "rationale": "cheaper", "affected_entities": ["Alpha", "Beta"], "reversible": true,
        });
        assert_eq!(Value::Object(made.metadata), expected);
    }

    #[test]
    fn moments_are_read_in_the_forms_of_exports() {
        let at = moment("2025-07-06T05:04:03Z");
        for text in [
            "2025-07-06T07:04:03+02:00",
            "2025-07-06 05:04:03",
            "2025-07-06 05:04:03 UTC",
            "2025-07-06T05:04:03.000000",
            "2025-07-05 22:04:03-0700",
            "1751778243",
            "1751778243000",
        ] {
            assert_eq!(moment(text), at, "{text}");
        }
        let day = moment("2025-07-06T00:00:00Z");
        for text in ["2025-07-06", "2025/07/06", "2025年7月6日"] {
            assert_eq!(moment(text), day, "{text}");
        }
        let minute = moment("2025-07-06T05:04:00Z");
        for text in ["2025-07-06 05:04", "2025/07/06 05:04", "2025/7/6 05:04:00"] {
            assert_eq!(moment(text), minute, "{text}");
        }
        // One that begins with the day or the month could be either.
        for text in [
            "",
            "06.07.2025",
            "03/01/2026",
            "3/1/2026",
            "03-01-2026",
            "yesterday",
            "1e300",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
        let short = json!({"u": "ana", "m": "User likes tea", "at": "03/01/26"});
        let mapping = [("u", "user_id"), ("m", "content"), ("at", "said_at")];
        assert_eq!(of(short, &mapping).unwrap_err().0, "said_at");
    }
}
