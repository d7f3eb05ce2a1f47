//! Fields of profiles, where the words make them sure (D2): a value of an enum by its label (in three languages for the labels that
//! profiles have everywhere: student, employed, beginner, …), yes or no, technologies, and the few texts of which the slot is known
//! (name, city, employer, role, age).
//!
//! A statement inside a question counts: "any recommendations for students that specialize in Python?" is asked by one (D11).

mod choice;
mod slot_value;
mod technology;

use std::ops::Range;

use serde_json::Value;

use super::{
    feature::fold,
    language::{self, Language},
    sentence,
    signal::{self, Signal, Signals},
};
use crate::profile::{Field, ProfileSchema};

/// A value for a field of a profile schema.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundField {
    /// The name of the field.
    pub field: String,
    /// A value that fits the field.
    pub value: Value,
    /// 0.0 to 1.0.
    pub confidence: f64,
    /// 0.0 to 1.0.
    pub importance: f64,
    /// First code point of the evidence in the message; on a grapheme border.
    pub start: usize,
    /// Code point after the evidence; on a grapheme border.
    pub end: usize,
    /// The evidence: code points `start..end` of the message.
    pub quote: String,
    /// Why, in one sentence of the evidence's language.
    pub explanation: String,
}

/// The values that one user message gives the fields of `schema`: at most one a field, in the order of the schema.
#[must_use]
pub fn fields(message: &str, schema: &ProfileSchema) -> Vec<FoundField> {
    let sayings = sayings(message);
    schema
        .fields()
        .filter_map(|field| {
            let target = Target::of(schema, field);
            let best = sayings
                .iter()
                .filter_map(|saying| Some((saying, target.read(saying)?)))
                .filter(|(_, read)| schema.fits(field.name, &read.value))
                // Of two equally sure the later one: people correct themselves.
                .fold(None, |best: Option<(&Saying<'_>, Read)>, next| match best {
                    Some(best) if best.1.confidence > next.1.confidence => Some(best),
                    _ => Some(next),
                });
            best.map(|(saying, read)| found(message, field.name, saying, read))
        })
        .collect()
}

fn found(message: &str, field: &str, saying: &Saying<'_>, read: Read) -> FoundField {
    let range = sentence::whole_graphemes(message, saying.range.clone());
    let quote = &message[range.clone()];
    let start = message[..range.start].chars().count();
    FoundField {
        field: field.to_owned(),
        explanation: match saying.language {
            Language::English => format!("“{}” says it of the user.", read.phrase),
            Language::Japanese => format!("「{}」とユーザーが述べている。", read.phrase),
            Language::Chinese => format!("用户说的“{}”表明了这一点。", read.phrase),
        },
        value: read.value,
        confidence: (read.confidence * 1000.0).round() / 1000.0,
        importance: read.importance,
        start,
        end: start + quote.chars().count(),
        quote: quote.to_owned(),
    }
}

/// A clause that may say something of the user.
struct Saying<'a> {
    range: Range<usize>,
    text: &'a str,
    /// In English words joined and framed by single spaces.
    folded: String,
    language: Language,
    signals: Signals,
    /// It, or the sentence that it stands in, asks.
    asks: bool,
}

impl Saying<'_> {
    fn has(&self, signal: Signal) -> bool {
        self.signals.has(signal)
    }
}

fn sayings(message: &str) -> Vec<Saying<'_>> {
    let mut all = Vec::new();
    for sentence in sentence::sentences(message) {
        let text = &message[sentence.clone()];
        let Some(language) = language::of(text, message) else {
            continue;
        };
        for clause in sentence::clauses(text, language) {
            let range = sentence.start + clause.start..sentence.start + clause.end;
            let text_here = &message[range.clone()];
            let signals = signal::of(text_here, language);
            let another = signals.has(Signal::ThirdParty)
                || signals.has(Signal::Stranger) && !signals.has(Signal::FirstPerson);
            if another || signals.has(Signal::Hypothetical) || signals.has(Signal::Reported) {
                continue;
            }
            all.push(Saying {
                folded: match language {
                    Language::English => framed(text_here),
                    _ => fold(text_here),
                },
                asks: signal::asks(text) || signals.has(Signal::Question),
                range,
                text: text_here,
                language,
                signals,
            });
        }
    }
    all
}

/// Words in lower case, joined and framed by single spaces; digits stay.
fn framed(text: &str) -> String {
    let mut words = String::from(" ");
    for word in text
        .to_lowercase()
        .replace(['’', '‘'], "'")
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '+' | '#')))
        .filter(|word| !word.is_empty())
    {
        words.push_str(word);
        words.push(' ');
    }
    words
}

/// What a saying gives a field.
struct Read {
    value: Value,
    confidence: f64,
    importance: f64,
    /// The words that decided.
    phrase: String,
}

/// What a field asks for.
struct Target<'a> {
    /// Words of its name, in lower case.
    name: Vec<String>,
    /// Name and description, in lower case.
    about: String,
    form: Form<'a>,
}

enum Form<'a> {
    /// One of these values, or some of them.
    Choice {
        values: &'a [Value],
        many: bool,
    },
    Boolean,
    Number,
    Text {
        many: bool,
    },
    /// Objects and what cannot be told.
    Other,
}

impl<'a> Target<'a> {
    fn of(schema: &'a ProfileSchema, field: Field<'a>) -> Target<'a> {
        let about = format!(
            "{} {}",
            field.name.to_lowercase(),
            field.description().unwrap_or_default().to_lowercase()
        );
        Target {
            name: words_of(field.name),
            about,
            form: form(schema, field.schema),
        }
    }

    fn read(&self, saying: &Saying<'_>) -> Option<Read> {
        match &self.form {
            Form::Choice { values, many } => choice::read(self, saying, values, *many),
            Form::Boolean => choice::yes_or_no(self, saying),
            Form::Number => slot_value::number(self, saying),
            Form::Text { many } if technology::asked_for(self) => technology::read(saying, *many),
            Form::Text { many: false } => slot_value::text(self, saying),
            Form::Text { many: true } | Form::Other => None,
        }
    }

    /// A word of its name is one of `words`.
    fn is_named(&self, words: &[&str]) -> bool {
        self.name.iter().any(|word| words.contains(&word.as_str()))
    }
}

/// `technicalStack`, `technical_stack` -> technical, stack.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn form<'a>(schema: &'a ProfileSchema, field: &'a Value) -> Form<'a> {
    let field = resolved(schema, field);
    if let Some(values) = field.get("enum").and_then(Value::as_array) {
        return Form::Choice {
            values,
            many: false,
        };
    }
    for alternatives in ["anyOf", "oneOf"] {
        if let Some(several) = field.get(alternatives).and_then(Value::as_array) {
            let one = several
                .iter()
                .find(|one| one.get("type") != Some(&Value::from("null")));
            return one.map_or(Form::Other, |one| {
                form_of_type(schema, resolved(schema, one))
            });
        }
    }
    form_of_type(schema, field)
}

fn form_of_type<'a>(schema: &'a ProfileSchema, field: &'a Value) -> Form<'a> {
    if let Some(values) = field.get("enum").and_then(Value::as_array) {
        return Form::Choice {
            values,
            many: false,
        };
    }
    let is = |kind: &str| match field.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    };
    if is("boolean") {
        Form::Boolean
    } else if is("integer") || is("number") {
        Form::Number
    } else if is("array") {
        let items = field.get("items").map(|items| resolved(schema, items));
        match items
            .and_then(|items| items.get("enum"))
            .and_then(Value::as_array)
        {
            Some(values) => Form::Choice { values, many: true },
            None => Form::Text { many: true },
        }
    } else if is("string") || field.get("type").is_none() && field.get("properties").is_none() {
        Form::Text { many: false }
    } else {
        Form::Other
    }
}

/// The schema behind a `#/…` reference, one step.
fn resolved<'a>(schema: &'a ProfileSchema, part: &'a Value) -> &'a Value {
    part.get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'))
        .and_then(|pointer| schema.schema.pointer(pointer))
        .unwrap_or(part)
}
