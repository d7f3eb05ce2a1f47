//! mem0's filters: a tree of `AND`, `OR` and `NOT` over fields of a memory.
//!
//! Whom it is about is taken out of the tree and given to the store, which binds it; the rest looks at the memories of that one user
//! here. So no filter reaches past the boundary, and none becomes part of a statement. What is not understood is refused.

use std::cmp::Ordering;

use chrono::{NaiveDate, NaiveDateTime};
use domain::{Timestamp, candidate::MAX_CONTENT};
use engine::{FieldError, MemoryView};
use serde_json::{Map, Value};

use super::subject::{Ids, NAMES};
use crate::api::subject::field;

/// A filter that was read.
#[derive(Debug, Default)]
pub struct Filter {
    ids: Ids,
    conditions: Vec<Condition>,
}

#[derive(Debug)]
enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Vec<Condition>),
    /// The time compares as one of these with `at`.
    Time {
        of: Time,
        orders: &'static [Ordering],
        at: Timestamp,
    },
    /// It has one of these tags.
    Tagged(Vec<String>),
    /// It is one of these memories.
    Is(Vec<String>),
    /// It holds these words; in whatever case, they are in small letters here.
    Says {
        words: String,
        any_case: bool,
    },
    /// What stands in the metadata under a key.
    Metadata {
        key: String,
        test: Test,
    },
}

#[derive(Debug, Clone, Copy)]
enum Time {
    Created,
    Updated,
    Said,
}

#[derive(Debug)]
enum Test {
    In(Vec<Value>),
    Contains(Value),
}

impl Filter {
    /// Reads one.
    ///
    /// # Errors
    /// At what is not understood.
    pub fn parse(filters: &Map<String, Value>) -> Result<Self, FieldError> {
        let mut filter = Self::default();
        filter.must(filters, "/filters")?;
        Ok(filter)
    }

    /// Reads one that may only name ids.
    ///
    /// # Errors
    /// As [`Filter::parse`]; it does more.
    pub fn only_ids(filters: &Map<String, Value>) -> Result<Ids, FieldError> {
        let filter = Self::parse(filters)?;
        if filter.conditions.is_empty() {
            return Ok(filter.ids);
        }
        let detail = format!("only ids can be given here: {}", NAMES.join(", "));
        Err(field("/filters", "not_supported", detail))
    }

    /// Whom it is about.
    pub fn ids(&self) -> Ids {
        self.ids.clone()
    }

    /// Narrows it by what stands beside the filter, at `at`.
    ///
    /// # Errors
    /// There, where the value does not fit.
    pub fn and(
        &mut self,
        at: &str,
        name: &str,
        operator: &str,
        value: Option<Value>,
    ) -> Result<(), FieldError> {
        let Some(value) = value else { return Ok(()) };
        let condition = condition(name, operator, &value, at)?;
        self.conditions.push(condition);
        Ok(())
    }

    /// Narrows it by values in the metadata.
    ///
    /// # Errors
    /// At a test that is not known.
    pub fn and_metadata(&mut self, wanted: &Map<String, Value>) -> Result<(), FieldError> {
        self.conditions.push(metadata(wanted, "/metadata")?);
        Ok(())
    }

    /// Whether it lets a memory through.
    pub fn holds(&self, memory: &MemoryView) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.holds(memory))
    }

    /// Reads what must hold in any case: the root, what stands in `AND` there, and an `OR` of one.
    fn must(&mut self, fields: &Map<String, Value>, at: &str) -> Result<(), FieldError> {
        for (name, value) in fields {
            let at = format!("{at}/{name}");
            match name.as_str() {
                "AND" => {
                    for part in parts(value, &at)? {
                        self.must(part, &at)?;
                    }
                }
                "OR" => match parts(value, &at)?.as_slice() {
                    [part] => self.must(part, &at)?,
                    _ => self.conditions.push(group(name, value, &at)?),
                },
                name if NAMES.contains(&name) => self.id(name, value, &at)?,
                name => self.conditions.push(group(name, value, &at)?),
            }
        }
        Ok(())
    }

    fn id(&mut self, name: &str, value: &Value, at: &str) -> Result<(), FieldError> {
        let one = match value {
            Value::Object(test) if test.len() == 1 => match (test.get("eq"), test.get("in")) {
                (Some(one), _) => Some(one),
                (_, Some(Value::Array(list))) if list.len() == 1 => list.first(),
                _ => None,
            },
            value => Some(value),
        };
        match one.and_then(Value::as_str) {
            // Every memory belongs to the agent of the key.
            Some("*") if name == "agent_id" => Ok(()),
            Some(id) if id != "*" => self.ids.set(name, id.to_owned(), at),
            _ => {
                let detail = format!("exactly one {name} can be asked for, as text");
                Err(field(at, "not_supported", detail))
            }
        }
    }
}

/// A part of the tree that need not hold by itself.
fn group(name: &str, value: &Value, at: &str) -> Result<Condition, FieldError> {
    let each = || -> Result<Vec<Condition>, FieldError> {
        let mut conditions = Vec::new();
        for part in parts(value, at)? {
            let all: Result<Vec<_>, FieldError> = part
                .iter()
                .map(|(name, value)| group(name, value, &format!("{at}/{name}")))
                .collect();
            conditions.push(Condition::All(all?));
        }
        Ok(conditions)
    };
    match name {
        "AND" => Ok(Condition::All(each()?)),
        "OR" => Ok(Condition::Any(each()?)),
        "NOT" => Ok(Condition::Not(each()?)),
        name if NAMES.contains(&name) => {
            let detail = format!(
                "{name} says whose memories are looked at; it cannot stand inside OR or NOT"
            );
            Err(field(at, "not_supported", detail))
        }
        "metadata" => match value {
            Value::Object(wanted) => metadata(wanted, at),
            _ => Err(field(
                at,
                "wrong_type",
                "an object is needed: {\"key\": value}",
            )),
        },
        name => match value {
            Value::Object(tests) => {
                let all: Result<Vec<_>, FieldError> = tests
                    .iter()
                    .map(|(operator, value)| condition(name, operator, value, at))
                    .collect();
                Ok(Condition::All(all?))
            }
            Value::Array(_) => condition(name, "in", value, at),
            value => condition(name, "eq", value, at),
        },
    }
}

/// The objects of `AND`, `OR` or `NOT`; one object stands for a list of one.
fn parts<'a>(value: &'a Value, at: &str) -> Result<Vec<&'a Map<String, Value>>, FieldError> {
    let objects = match value {
        Value::Object(one) => Some(vec![one]),
        Value::Array(list) => list.iter().map(Value::as_object).collect(),
        _ => None,
    };
    objects.ok_or_else(|| field(at, "wrong_type", "a list of objects is needed"))
}

fn condition(name: &str, operator: &str, value: &Value, at: &str) -> Result<Condition, FieldError> {
    let unknown = || {
        let detail = format!("{name} cannot be asked for with {operator:?}");
        field(at, "not_supported", detail)
    };
    let time = |of| -> Result<Condition, FieldError> {
        let orders: &[Ordering] = match operator {
            "eq" => &[Ordering::Equal],
            "ne" => &[Ordering::Less, Ordering::Greater],
            "gt" => &[Ordering::Greater],
            "gte" => &[Ordering::Greater, Ordering::Equal],
            "lt" => &[Ordering::Less],
            "lte" => &[Ordering::Less, Ordering::Equal],
            _ => return Err(unknown()),
        };
        let wrong = || {
            field(
                at,
                "invalid",
                "a time such as 2026-12-01T09:30:00Z or 2026-12-01 is needed",
            )
        };
        let at = instant(value).ok_or_else(wrong)?;
        Ok(Condition::Time { of, orders, at })
    };
    let texts = || {
        texts(value).ok_or_else(|| field(at, "wrong_type", "text, or a list of texts, is needed"))
    };
    match (name, operator) {
        ("created_at", _) => time(Time::Created),
        ("updated_at", _) => time(Time::Updated),
        ("timestamp", _) => time(Time::Said),
        ("categories", "eq" | "in" | "contains") => Ok(Condition::Tagged(texts()?)),
        ("categories", "ne") => Ok(Condition::Not(vec![Condition::Tagged(texts()?)])),
        ("memory_ids", "eq" | "in") => Ok(Condition::Is(texts()?)),
        ("keywords", "eq" | "contains" | "icontains") => match value {
            Value::String(words) if words.chars().count() > MAX_CONTENT => {
                let detail = format!("no memory says more than {MAX_CONTENT} characters");
                Err(field(at, "too_long", detail))
            }
            Value::String(words) => {
                let any_case = operator != "contains";
                Ok(Condition::Says {
                    words: if any_case {
                        words.to_lowercase()
                    } else {
                        words.clone()
                    },
                    any_case,
                })
            }
            _ => Err(field(at, "wrong_type", "text is needed")),
        },
        ("categories" | "memory_ids" | "keywords", _) => Err(unknown()),
        _ => {
            let detail = "what can be asked for: user_id, agent_id, app_id, run_id, created_at, updated_at, timestamp, categories, \
                          keywords, memory_ids, and metadata as {\"metadata\": {\"key\": value}}";
            Err(field(at, "not_supported", detail))
        }
    }
}

fn metadata(wanted: &Map<String, Value>, at: &str) -> Result<Condition, FieldError> {
    let mut all = Vec::new();
    for (key, value) in wanted {
        let is = |test| Condition::Metadata {
            key: key.clone(),
            test,
        };
        let Value::Object(tests) = value else {
            all.push(is(Test::In(vec![value.clone()])));
            continue;
        };
        for (operator, value) in tests {
            all.push(match (operator.as_str(), value) {
                ("eq", value) => is(Test::In(vec![value.clone()])),
                ("ne", value) => Condition::Not(vec![is(Test::In(vec![value.clone()]))]),
                ("in", Value::Array(list)) => is(Test::In(list.clone())),
                ("contains", value) => is(Test::Contains(value.clone())),
                _ => {
                    let detail = "metadata can be asked for with eq, ne, in and contains";
                    return Err(field(&format!("{at}/{key}"), "not_supported", detail));
                }
            });
        }
    }
    Ok(Condition::All(all))
}

impl Condition {
    fn holds(&self, memory: &MemoryView) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(memory)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(memory)),
            Self::Not(parts) => !parts.iter().any(|part| part.holds(memory)),
            Self::Time { of, orders, at } => {
                let time = match of {
                    Time::Created => memory.created_at,
                    Time::Updated => memory.updated_at,
                    Time::Said => memory.said_at,
                };
                orders.contains(&time.cmp(at))
            }
            Self::Tagged(tags) => tags.iter().any(|tag| memory.tags.contains(tag)),
            Self::Is(ids) => ids.iter().any(|id| memory.id.as_str() == id),
            Self::Says { words, any_case } => {
                if *any_case {
                    memory.content.to_lowercase().contains(words.as_str())
                } else {
                    memory.content.contains(words.as_str())
                }
            }
            Self::Metadata { key, test } => {
                let there = memory.metadata.get(key);
                there.is_some_and(|value| test.holds(value))
            }
        }
    }
}

impl Test {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::In(values) => values.contains(value),
            Self::Contains(part) => match (value, part) {
                (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
                (Value::Array(list), part) => list.contains(part),
                _ => false,
            },
        }
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(list) => list
            .iter()
            .map(|text| text.as_str().map(str::to_owned))
            .collect(),
        _ => None,
    }
}

/// A time, a day (its beginning in UTC) or seconds from 1970.
fn instant(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(seconds) => Timestamp::from_timestamp(seconds.as_i64()?, 0),
        Value::String(text) => {
            let zoned = || chrono::DateTime::parse_from_rfc3339(text).ok();
            let naive = || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok();
            let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
            zoned()
                .map(|time| time.to_utc())
                .or_else(|| naive().map(|time| time.and_utc()))
                .or_else(|| Some(day()?.and_hms_opt(0, 0, 0)?.and_utc()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(filters: Value) -> Result<Filter, FieldError> {
        Filter::parse(filters.as_object().unwrap())
    }

    #[test]
    fn whom_it_is_about_is_found_wherever_it_must_hold() {
        for filters in [
            json!({"user_id": "ana"}),
            json!({"AND": [{"user_id": "ana"}, {"agent_id": "*"}]}),
            json!({"OR": [{"user_id": {"eq": "ana"}}]}),
            json!({"AND": [{"AND": [{"user_id": {"in": ["ana"]}}]}]}),
            json!({"AND": {"user_id": "ana"}}),
        ] {
            let ids = read(filters.clone()).unwrap().ids();
            assert_eq!(ids.user_id.as_deref(), Some("ana"), "{filters}");
        }
        let odd = "x\" or \"1\"=\"1";
        let ids = read(json!({"user_id": odd})).unwrap().ids();
        assert_eq!(ids.user_id.as_deref(), Some(odd));
    }

    #[test]
    fn what_is_not_understood_is_refused_and_says_where() {
        for (filters, at) in [
            (json!({"user_id": "*"}), "/filters/user_id"),
            (
                json!({"user_id": {"in": ["ana", "bo"]}}),
                "/filters/user_id",
            ),
            (json!({"user_id": {"ne": "ana"}}), "/filters/user_id"),
            (json!({"user_id": 5}), "/filters/user_id"),
            (
                json!({"AND": [{"user_id": "ana"}, {"user_id": "bo"}]}),
                "/filters/AND/user_id",
            ),
            (
                json!({"OR": [{"user_id": "ana"}, {"user_id": "bo"}]}),
                "/filters/OR/user_id",
            ),
            (json!({"NOT": [{"user_id": "ana"}]}), "/filters/NOT/user_id"),
            (json!({"colour": "red"}), "/filters/colour"),
            (
                json!({"created_at": {"near": "2026-01-01"}}),
                "/filters/created_at",
            ),
            (
                json!({"created_at": {"gte": "yesterday"}}),
                "/filters/created_at",
            ),
            (json!({"categories": {"gt": "a"}}), "/filters/categories"),
            (
                json!({"keywords": "x".repeat(MAX_CONTENT + 1)}),
                "/filters/keywords",
            ),
            (json!({"metadata": "food"}), "/filters/metadata"),
            (
                json!({"metadata": {"food": {"like": "x"}}}),
                "/filters/metadata/food",
            ),
            (json!({"AND": "user_id"}), "/filters/AND"),
        ] {
            let refused = read(filters.clone()).map(|_| ()).unwrap_err();
            assert_eq!(refused.pointer, at, "{filters}");
        }
        let more = json!({"user_id": "ana", "categories": "food"});
        assert!(Filter::only_ids(more.as_object().unwrap()).is_err());
    }

    #[test]
    fn words_in_whatever_case_are_kept_in_small_letters() {
        for (operator, kept) in [("icontains", "åse in oslo"), ("contains", "ÅSE in Oslo")] {
            let filter = read(json!({"keywords": {operator: "ÅSE in Oslo"}})).unwrap();
            let told = format!("{:?}", filter.conditions);
            assert!(told.contains(kept), "{told}");
        }
    }

    #[test]
    fn a_time_is_read_as_clients_write_it() {
        let midnight = instant(&json!("2026-12-01")).unwrap();
        for same in [
            json!("2026-12-01T00:00:00Z"),
            json!("2026-12-01T00:00:00"),
            json!("2026-12-01T01:00:00+01:00"),
            json!(midnight.timestamp()),
        ] {
            assert_eq!(instant(&same), Some(midnight), "{same}");
        }
        for wrong in [json!("soon"), json!("2026-13-01"), json!(1.5), json!(null)] {
            assert_eq!(instant(&wrong), None, "{wrong}");
        }
    }
}
