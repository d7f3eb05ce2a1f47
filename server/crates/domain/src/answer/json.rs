//! A reader of JSON as models write it.
//!
//! Whatever is valid JSON reads as it is. Beyond that it takes trailing commas, comments, bare and single-quoted keys, typographic
//! quotes as delimiters, raw line breaks and unescaped quotes in strings, `NaN`, `None`, `True`; and it tells an end in the middle
//! of a value ([`Stop::Cut`], with the whole parts before it) from text that is something else ([`Stop::Broken`]).

use serde_json::{Map, Number, Value};

/// Deeper nesting is refused: the reader calls itself for each level.
const DEEPEST: usize = 64;

/// Keys of the answer's own format: where one was read, what broke later was meant as an answer.
const KNOWN_KEYS: [&str; 6] = [
    "candidates",
    "fields",
    "summary",
    "kind",
    "content",
    "evidence",
];

/// Why a value did not end.
#[derive(Debug, PartialEq)]
pub(super) enum Stop {
    /// The text ended first; what was whole of it.
    Cut(Option<Value>),
    /// It is no JSON.
    Broken,
    /// Reading it again and again from other places has taken too long.
    Tangled,
}

/// Reads values out of a text, from any place in it.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Characters that may still be looked at: a hostile answer could make every bracket a start of a long string.
    steps: usize,
    /// Whether a key of the answer's format was read since the start of the value.
    pub(super) saw_known_key: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            steps: text.len().saturating_mul(32).saturating_add(10_000),
            saw_known_key: false,
        }
    }

    /// Reads the value that begins at the byte `from`; gives it with the byte after it.
    pub(super) fn read(&mut self, from: usize) -> Result<(Value, usize), Stop> {
        self.at = from;
        self.saw_known_key = false;
        self.value(0).map(|value| (value, self.at))
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self) -> Result<Option<char>, Stop> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop::Tangled)?;
        let next = self.peek();
        self.at += next.map_or(0, char::len_utf8);
        Ok(next)
    }

    fn space(&mut self) -> Result<(), Stop> {
        loop {
            let rest = &self.text[self.at..];
            match self.peek() {
                Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                    self.take()?;
                }
                Some('/') if rest.starts_with("//") => {
                    while !matches!(self.take()?, None | Some('\n')) {}
                }
                Some('/') if rest.starts_with("/*") => {
                    while self.at < self.text.len() && !self.text[self.at..].starts_with("*/") {
                        self.take()?;
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Stop> {
        self.space()?;
        match self.peek() {
            None => Err(Stop::Cut(None)),
            Some('{' | '[') if depth >= DEEPEST => Err(Stop::Broken),
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some(c) if delimits(c) => self.string().map(Value::String),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.word(),
            Some(_) => Err(Stop::Broken),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Stop> {
        self.take()?;
        let mut items = Vec::new();
        loop {
            self.space()?;
            match self.peek() {
                None => return Err(Stop::Cut(Some(Value::Array(items)))),
                Some(']') => {
                    self.take()?;
                    return Ok(Value::Array(items));
                }
                Some(',') => {
                    self.take()?;
                }
                Some(_) => match self.value(depth + 1) {
                    Ok(item) => items.push(item),
                    Err(Stop::Cut(part)) => {
                        items.extend(part.filter(holds_items));
                        return Err(Stop::Cut(Some(Value::Array(items))));
                    }
                    Err(stop) => return Err(stop),
                },
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Stop> {
        self.take()?;
        let mut members = Map::new();
        loop {
            self.space()?;
            let key = match self.peek() {
                None => return Err(Stop::Cut(Some(Value::Object(members)))),
                Some('}') => {
                    self.take()?;
                    return Ok(Value::Object(members));
                }
                Some(',') => {
                    self.take()?;
                    continue;
                }
                Some(c) if delimits(c) => self.string(),
                Some(c) if c.is_ascii_alphabetic() || c == '_' => self.bare_key(),
                Some(_) => return Err(Stop::Broken),
            };
            let member = key.and_then(|key| {
                self.colon()?;
                self.saw_known_key |= KNOWN_KEYS.contains(&key.as_str());
                match self.value(depth + 1) {
                    // A list that was cut still has its whole items; any other member that was cut is not whole.
                    Err(Stop::Cut(Some(part))) if part.is_array() || holds_items(&part) => {
                        members.insert(key, part);
                        Err(Stop::Cut(None))
                    }
                    Ok(value) => {
                        members.insert(key, value);
                        Ok(())
                    }
                    Err(stop) => Err(stop),
                }
            });
            match member {
                Ok(()) => {}
                Err(Stop::Cut(_)) => return Err(Stop::Cut(Some(Value::Object(members)))),
                Err(stop) => return Err(stop),
            }
        }
    }

    fn colon(&mut self) -> Result<(), Stop> {
        self.space()?;
        match self.take()? {
            Some(':' | '：') => Ok(()),
            None => Err(Stop::Cut(None)),
            Some(_) => Err(Stop::Broken),
        }
    }

    fn bare_key(&mut self) -> Result<String, Stop> {
        let from = self.at;
        while self
            .peek()
            .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            self.take()?;
        }
        Ok(self.text[from..self.at].to_owned())
    }

    fn string(&mut self) -> Result<String, Stop> {
        let opened = self.take()?.unwrap_or('"');
        let mut text = String::new();
        loop {
            match self.take()? {
                None => return Err(Stop::Cut(None)),
                Some('\\') => self.escape(&mut text)?,
                Some(c) if closes(opened, c) => {
                    if self.value_can_end()? {
                        return Ok(text);
                    }
                    text.push(c);
                }
                Some(c) => text.push(c),
            }
        }
    }

    /// Whether what follows may follow a string. Elsewhere the quote was a forgotten escape inside the text.
    fn value_can_end(&mut self) -> Result<bool, Stop> {
        let closed = self.at;
        self.space()?;
        let fits = matches!(self.peek(), None | Some(',' | ':' | '：' | '}' | ']'));
        self.at = closed;
        Ok(fits)
    }

    fn escape(&mut self, text: &mut String) -> Result<(), Stop> {
        match self.take()? {
            None => return Err(Stop::Cut(None)),
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('\n') => {}
            Some('u') => {
                let unit = self.hex_unit()?;
                let paired =
                    (0xd800..0xdc00).contains(&unit) && self.text[self.at..].starts_with("\\u");
                let mut units = vec![unit];
                if paired {
                    let before = self.at;
                    self.at += 2;
                    let low = self.hex_unit()?;
                    if (0xdc00..0xe000).contains(&low) {
                        units.push(low);
                    } else {
                        self.at = before;
                    }
                }
                text.push_str(&String::from_utf16_lossy(&units));
            }
            Some(c) => text.push(c),
        }
        Ok(())
    }

    fn hex_unit(&mut self) -> Result<u16, Stop> {
        let mut unit: u16 = 0;
        for _ in 0..4 {
            let digit = match self.take()? {
                None => return Err(Stop::Cut(None)),
                Some(c) => c.to_digit(16).ok_or(Stop::Broken)?,
            };
            unit = (unit << 4) | u16::try_from(digit).unwrap_or(0);
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Value, Stop> {
        let from = self.at;
        while self
            .peek()
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        {
            self.take()?;
        }
        let token = &self.text[from..self.at];
        if self.at == self.text.len() {
            // `0.` may have been meant as `0.95`.
            return Err(Stop::Cut(None));
        }
        if let Ok(whole) = token.parse::<i64>() {
            return Ok(Value::from(whole));
        }
        // `-Infinity` parses as a number here and has no place in JSON: it becomes null, like NaN.
        token
            .parse::<f64>()
            .map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number))
            .map_err(|_| Stop::Broken)
    }

    fn word(&mut self) -> Result<Value, Stop> {
        let word = self.bare_key()?;
        match word.as_str() {
            "true" | "True" => Ok(Value::Bool(true)),
            "false" | "False" => Ok(Value::Bool(false)),
            "null" | "None" | "NaN" | "nan" | "Infinity" | "undefined" => Ok(Value::Null),
            _ if self.at == self.text.len() => Err(Stop::Cut(None)),
            _ => Err(Stop::Broken),
        }
    }
}

fn delimits(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '”' | '„')
}

fn closes(opened: char, c: char) -> bool {
    match opened {
        '"' | '\'' => c == opened,
        _ => matches!(c, '“' | '”' | '"'),
    }
}

/// Whether a part of a value that was cut holds a list of whole items.
fn holds_items(part: &Value) -> bool {
    ["candidates", "fields"]
        .iter()
        .any(|key| part.get(key).is_some_and(Value::is_array))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Result<Value, Stop> {
        Reader::new(text).read(0).map(|(value, _)| value)
    }

    #[test]
    fn what_models_write_reads_as_it_was_meant() {
        for (text, meant) in [
            ("{“kind”:\"fact\"}", json!({"kind": "fact"})),
            (
                "{'kind': 'it's so', a_b: None,}",
                json!({"kind": "it's so", "a_b": null}),
            ),
            (
                "[1, 2.5, -3, NaN, True, ] ",
                json!([1, 2.5, -3, null, true]),
            ),
            (
                "{\"a\": \"said \"hi\" twice\" /* so */, // or\n\"b\": 1 }",
                json!({"a": "said \"hi\" twice", "b": 1}),
            ),
            (
                "{\"a\": \"line\nbreak \\u00e9 \\ud83d\\ude00 \\ud83d\"}",
                json!({"a": "line\nbreak é 😀 \u{fffd}"}),
            ),
        ] {
            assert_eq!(read(text), Ok(meant), "{text}");
        }
    }

    #[test]
    fn an_end_in_the_middle_keeps_whole_items_only() {
        let cut = read("{\"candidates\":[{\"a\":1},{\"b\":[1,2");
        assert_eq!(cut, Err(Stop::Cut(Some(json!({"candidates": [{"a": 1}]})))));
        assert_eq!(read("{\"a\": 0."), Err(Stop::Cut(Some(json!({})))));
        assert_eq!(read("{about drinks}"), Err(Stop::Broken));
    }

    #[test]
    fn a_tangle_and_a_deep_nest_end() {
        assert_eq!(read(&"[".repeat(100_000)), Err(Stop::Broken));
        let mut reader = Reader::new("[“");
        reader.steps = 1;
        assert_eq!(reader.read(0), Err(Stop::Tangled));
    }
}
