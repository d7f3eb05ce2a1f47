//! Filters: comparisons joined by `AND` (a part of AIP-160), and groups of tests of the metadata of which one must hold.
//!
//! Whom it is about is taken out and given to the store, which binds it; the rest looks at the memories that come back. So no filter
//! reaches past the boundary, and none becomes part of a statement. What is not understood is refused.

use std::{cmp::Ordering, collections::BTreeMap};

use chrono::DateTime;
use domain::{Timestamp, candidate::MAX_CONTENT, user::Scope};
use engine::{FieldError, MemoryView};
use serde::Deserialize;

use super::{metadata::MetadataValue, topic::Topic};
use crate::api::subject::{field, scope};

const FORMS: &str = "comparisons joined by AND are needed: scope.user_id=\"…\", fact=\"…\", fact:\"…\", \
                     create_time>\"2026-12-01T00:00:00Z\", update_time<\"…\", topics.managed_memory_topic:\"USER_PREFERENCES\"";

/// A filter that was read.
#[derive(Debug, Default)]
pub struct Filter {
    scope: Option<Scope>,
    conditions: Vec<Condition>,
    groups: Vec<Group>,
}

#[derive(Debug)]
enum Condition {
    /// It says exactly this.
    Is(String),
    /// It says something else.
    IsNot(String),
    /// It says this among other things, in whatever case; here in small letters.
    Says(String),
    /// Its time compares as one of these with `at`.
    Time {
        updated: bool,
        orders: &'static [Ordering],
        at: Timestamp,
    },
    /// It is of this kind.
    Kind(String),
}

/// Tests that must all hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    #[serde(default)]
    filters: Vec<Test>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    key: String,
    value: MetadataValue,
    #[serde(default)]
    op: Operator,
    #[serde(default)]
    negate: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Operator {
    #[default]
    #[serde(alias = "OPERATOR_UNSPECIFIED")]
    Equal,
    GreaterThan,
    LessThan,
}

impl Filter {
    /// Reads one.
    ///
    /// # Errors
    /// At `/filter`, and what is wrong there.
    pub fn parse(text: Option<&str>, groups: Vec<Group>) -> Result<Self, FieldError> {
        let mut filter = Self {
            groups,
            ..Self::default()
        };
        let mut pairs = BTreeMap::new();
        for comparison in comparisons(text.unwrap_or_default())? {
            filter.take(comparison, &mut pairs)?;
        }
        if !pairs.is_empty() {
            let scope = scope(None, Some(pairs)).map_err(|error| wrong(error.detail))?;
            filter.scope = Some(scope);
        }
        Ok(filter)
    }

    /// The scope that it names, with all of its pairs.
    pub fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }

    /// Whether it lets every memory of that scope through.
    pub fn is_open(&self) -> bool {
        self.conditions.is_empty() && self.groups.is_empty()
    }

    /// Whether it lets a memory of that scope through.
    pub fn holds(&self, memory: &MemoryView) -> bool {
        let conditions = self.conditions.iter().all(|one| one.holds(memory));
        let group = |group: &Group| group.filters.iter().all(|test| test.holds(memory));
        conditions && (self.groups.is_empty() || self.groups.iter().any(group))
    }

    fn take(
        &mut self,
        comparison: Comparison,
        pairs: &mut BTreeMap<String, String>,
    ) -> Result<(), FieldError> {
        let Comparison {
            path,
            operator,
            value,
        } = comparison;
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        let condition = match (&parts[..], operator) {
            (["scope"], "=") => {
                let read = serde_json::from_str::<BTreeMap<String, String>>(&value);
                let given =
                    read.map_err(|_| wrong("scope is compared with a JSON object of texts"))?;
                for (key, value) in given {
                    pair(pairs, key, value)?;
                }
                return Ok(());
            }
            (["scope", key @ ..], "=") => return pair(pairs, key.join("."), value),
            (["fact"], "=") => Condition::Is(value),
            (["fact"], "!=") => Condition::IsNot(value),
            (["fact"], ":") => {
                if value.chars().count() > MAX_CONTENT {
                    let detail = format!("no memory says more than {MAX_CONTENT} characters");
                    return Err(field("/filter", "too_long", detail));
                }
                Condition::Says(value.to_lowercase())
            }
            (["create_time" | "createTime"], operator) => time(false, operator, &value)?,
            (["update_time" | "updateTime"], operator) => time(true, operator, &value)?,
            (
                [
                    "topics",
                    "custom_memory_topic_label" | "customMemoryTopicLabel",
                ],
                "=" | ":",
            ) => Condition::Kind(value),
            (["topics", "managed_memory_topic" | "managedMemoryTopic"], "=" | ":") => {
                let topic = serde_json::json!({"managedMemoryTopic": value});
                let topic = serde_json::from_value::<Topic>(topic);
                let topic = topic.map_err(|_| wrong(format!("there is no topic {value}")))?;
                Condition::Kind(topic.kind().to_owned())
            }
            _ => {
                let name = parts.join(".");
                return Err(wrong(format!(
                    "{name} cannot be compared by {operator}; {FORMS}"
                )));
            }
        };
        self.conditions.push(condition);
        Ok(())
    }
}

impl Condition {
    fn holds(&self, memory: &MemoryView) -> bool {
        match self {
            Self::Is(words) => memory.content == *words,
            Self::IsNot(words) => memory.content != *words,
            Self::Says(words) => memory.content.to_lowercase().contains(words),
            Self::Time {
                updated,
                orders,
                at,
            } => {
                let time = if *updated {
                    memory.updated_at
                } else {
                    memory.created_at
                };
                orders.contains(&time.cmp(at))
            }
            Self::Kind(kind) => memory.kind == *kind,
        }
    }
}

impl Test {
    fn holds(&self, memory: &MemoryView) -> bool {
        let wanted = match self.op {
            Operator::Equal => Ordering::Equal,
            Operator::GreaterThan => Ordering::Greater,
            Operator::LessThan => Ordering::Less,
        };
        let kept = memory.metadata.get(&self.key);
        let holds = kept.and_then(|kept| self.value.compared(kept)) == Some(wanted);
        holds != self.negate
    }
}

fn pair(
    pairs: &mut BTreeMap<String, String>,
    key: String,
    value: String,
) -> Result<(), FieldError> {
    if pairs.get(&key).is_some_and(|there| *there != value) {
        return Err(wrong(format!(
            "scope.{key} is given twice, and differently"
        )));
    }
    pairs.insert(key, value);
    Ok(())
}

fn time(updated: bool, operator: &str, value: &str) -> Result<Condition, FieldError> {
    let orders: &[Ordering] = match operator {
        "=" => &[Ordering::Equal],
        "!=" => &[Ordering::Less, Ordering::Greater],
        ">" => &[Ordering::Greater],
        ">=" => &[Ordering::Greater, Ordering::Equal],
        "<" => &[Ordering::Less],
        "<=" => &[Ordering::Less, Ordering::Equal],
        _ => return Err(wrong(format!("a time cannot be compared by {operator}"))),
    };
    let at = DateTime::parse_from_rfc3339(value)
        .map_err(|_| wrong("a time such as 2026-12-01T09:30:00Z is needed"))?;
    Ok(Condition::Time {
        updated,
        orders,
        at: at.to_utc(),
    })
}

fn wrong(detail: impl Into<String>) -> FieldError {
    field("/filter", "not_supported", detail)
}

/// `path operator value`
#[derive(Debug)]
struct Comparison {
    path: Vec<String>,
    operator: &'static str,
    value: String,
}

/// The longer of two that begin alike stands first.
const OPERATORS: [&str; 7] = ["!=", "<=", ">=", "=", "<", ">", ":"];

fn comparisons(text: &str) -> Result<Vec<Comparison>, FieldError> {
    let mut rest = text.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        if !all.is_empty() {
            let after = rest.strip_prefix("AND");
            let after = after.filter(|after| after.starts_with(char::is_whitespace));
            rest = after.ok_or_else(|| wrong(FORMS))?.trim_start();
        }
        let (path, after) = path(rest)?;
        let after = after.trim_start();
        let operator = OPERATORS.into_iter().find(|one| after.starts_with(one));
        let operator = operator.ok_or_else(|| wrong(FORMS))?;
        let (value, after) = word(after[operator.len()..].trim_start(), char::is_whitespace)?;
        all.push(Comparison {
            path,
            operator,
            value,
        });
        rest = after.trim_start();
    }
    Ok(all)
}

/// Names joined by dots; one that holds other characters than letters, digits, `_` and `-` stands in quotation marks.
fn path(text: &str) -> Result<(Vec<String>, &str), FieldError> {
    let ends = |character: char| !(character.is_alphanumeric() || matches!(character, '_' | '-'));
    let (name, mut rest) = word(text, ends)?;
    let mut names = vec![name];
    while let Some(after) = rest.strip_prefix('.') {
        let (name, after) = word(after, ends)?;
        names.push(name);
        rest = after;
    }
    Ok((names, rest))
}

/// A word in quotation marks, in which a backslash takes what follows as it is; or what stands before an end.
fn word(text: &str, ends: impl Fn(char) -> bool) -> Result<(String, &str), FieldError> {
    let first = text.chars().next();
    let Some(quote) = first.filter(|&first| matches!(first, '"' | '\'')) else {
        let end = text.find(ends).unwrap_or(text.len());
        if end == 0 {
            return Err(wrong(FORMS));
        }
        return Ok((text[..end].to_owned(), &text[end..]));
    };
    let mut word = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => word.extend(characters.next().map(|(_, next)| next)),
            character if character == quote => {
                return Ok((word, &text[at + character.len_utf8()..]));
            }
            character => word.push(character),
        }
    }
    Err(wrong("a quotation mark is not closed"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Filter, FieldError> {
        Filter::parse(Some(text), Vec::new())
    }

    #[test]
    fn a_scope_is_read_with_all_of_its_pairs() {
        for (text, pairs) in [
            ("scope.user_id=123", json!({"user_id": "123"})),
            (
                "scope.user_id = \"a b\" AND scope.app_name='x'",
                json!({"user_id": "a b", "app_name": "x"}),
            ),
            (
                r#"scope="{\"user_id\": \"123\"}""#,
                json!({"user_id": "123"}),
            ),
            (
                r#"scope.user_id="x\" or \"1\"=\"1""#,
                json!({"user_id": "x\" or \"1\"=\"1"}),
            ),
            (
                r#"scope."odd key"="a:b/../c" AND scope.user_id="%" AND scope.user_id="%""#,
                json!({"odd key": "a:b/../c", "user_id": "%"}),
            ),
            (
                "scope.user_id=\"🙂 山本ゆき\"",
                json!({"user_id": "🙂 山本ゆき"}),
            ),
        ] {
            let filter = read(text).unwrap();
            assert_eq!(
                serde_json::to_value(filter.scope()).unwrap(),
                pairs,
                "{text}"
            );
        }
        assert!(read("").unwrap().scope().is_none());
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "scope.user_id=1 OR scope.user_id=2",
            "NOT scope.user_id=1",
            "-fact=\"a\"",
            "(fact=\"a\")",
            "scope.user_id=1 AND scope.user_id=2",
            "scope.user_id!=1",
            "scope=\"user\"",
            "scope.user_id=\"1",
            "scope.user_id=",
            "scope.user_id",
            "fact>\"a\"",
            "fact=\"a\" fact=\"b\"",
            "fact=\"a\" ANDfact=\"b\"",
            "create_time>yesterday",
            "metadata.a=\"b\"",
            "topics.managed_memory_topic:\"NOTHING\"",
            "scope.user_id=\"usr_x\"",
            "=1",
            "AND fact=\"a\"",
        ] {
            let refused = read(text).map(|_| ()).unwrap_err();
            assert_eq!(refused.pointer, "/filter", "{text}");
        }
    }

    #[test]
    fn words_are_looked_for_in_whatever_case_and_no_longer_than_a_memory() {
        let filter = read("fact:\"ÅSE in OSLO\"").unwrap();
        assert!(
            matches!(&filter.conditions[..], [Condition::Says(words)] if words == "åse in oslo")
        );
        assert!(!filter.is_open() && read("scope.user_id=1").unwrap().is_open());
        read(&format!("fact:{}", "日".repeat(MAX_CONTENT))).unwrap();
        let refused = read(&format!("fact:{}", "日".repeat(MAX_CONTENT + 1))).unwrap_err();
        assert_eq!(
            (refused.pointer.as_str(), refused.code),
            ("/filter", "too_long")
        );
    }

    #[test]
    fn groups_are_read_in_either_spelling_and_nothing_else_is() {
        let groups = json!([{"filters": [
            {"key": "a", "value": {"string_value": "x"}, "op": "EQUAL", "negate": true},
            {"key": "b", "value": {"doubleValue": 1.0}, "op": "GREATER_THAN"},
            {"key": "c", "value": {"boolValue": true}},
        ]}]);
        let groups: Vec<Group> = serde_json::from_value(groups).unwrap();
        assert_eq!(groups[0].filters[2].op, Operator::Equal);
        for other in [
            json!([{"filters": [{"key": "a", "value": {"string_value": "x"}, "op": "LIKE"}]}]),
            json!([{"filters": [{"key": "a"}]}]),
            json!([{"any": []}]),
        ] {
            assert!(
                serde_json::from_value::<Vec<Group>>(other.clone()).is_err(),
                "{other}"
            );
        }
    }
}
