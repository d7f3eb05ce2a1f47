//! A text of JSON with its faults beside the lines they are in.

use std::collections::{BTreeMap, BTreeSet};

use leptos::prelude::*;

use crate::text::Text;

/// Lines shown before and after one with a fault.
const AROUND: usize = 2;

/// A fault of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where: a JSON Pointer into the value; empty for the whole.
    pub pointer: String,
    /// The line, from 1, where it is known without the pointer: of text that is no JSON.
    pub line: Option<usize>,
    /// What sort of fault it is.
    pub code: String,
    /// What is wrong, in English.
    pub detail: String,
}

/// The line, from 1, at which each place of the text begins, by its JSON Pointer. Where the text stops being JSON, the rest is not
/// there.
fn lines_of(source: &str) -> BTreeMap<String, usize> {
    let mut reader = Reader {
        letters: source.chars().peekable(),
        line: 1,
        lines: BTreeMap::from([(String::new(), 1)]),
    };
    let _ = reader.value("");
    reader.lines
}

struct Reader<'a> {
    letters: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    lines: BTreeMap<String, usize>,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.letters.next()?;
        if letter == '\n' {
            self.line += 1;
        }
        Some(letter)
    }

    fn peek(&mut self) -> Option<char> {
        while self
            .letters
            .peek()
            .is_some_and(|letter| letter.is_whitespace())
        {
            self.next();
        }
        self.letters.peek().copied()
    }

    fn value(&mut self, at: &str) -> Option<()> {
        let first = self.peek()?;
        self.lines.entry(at.to_owned()).or_insert(self.line);
        match first {
            '{' => self.object(at),
            '[' => self.array(at),
            '"' => self.string().map(drop),
            _ => {
                let word = |letter: &char| letter.is_alphanumeric() || "-+.".contains(*letter);
                self.letters.next_if(word)?;
                while self.letters.next_if(word).is_some() {}
                Some(())
            }
        }
    }

    fn object(&mut self, at: &str) -> Option<()> {
        self.next();
        loop {
            match self.peek()? {
                '}' => return self.next().map(drop),
                ',' => {
                    self.next();
                }
                '"' => {
                    let line = self.line;
                    let key = self.string()?.replace('~', "~0").replace('/', "~1");
                    let place = format!("{at}/{key}");
                    self.lines.insert(place.clone(), line);
                    if self.peek()? != ':' {
                        return None;
                    }
                    self.next();
                    self.value(&place)?;
                }
                _ => return None,
            }
        }
    }

    fn array(&mut self, at: &str) -> Option<()> {
        self.next();
        let mut index = 0;
        loop {
            match self.peek()? {
                ']' => return self.next().map(drop),
                ',' => {
                    self.next();
                }
                '}' | ':' => return None,
                _ => {
                    self.value(&format!("{at}/{index}"))?;
                    index += 1;
                }
            }
        }
    }

    /// A string as far as a key of a schema needs it: an escape stands for the letter after it.
    fn string(&mut self) -> Option<String> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.next()?),
                letter => text.push(letter),
            }
        }
    }
}

/// The faults by line; a place that is not in the text counts for the nearest around it.
fn by_line<'a>(source: &str, faults: &'a [Fault]) -> BTreeMap<usize, Vec<&'a Fault>> {
    let lines = lines_of(source);
    let mut found: BTreeMap<usize, Vec<&Fault>> = BTreeMap::new();
    for fault in faults {
        let mut place = fault.pointer.as_str();
        let line = fault.line.unwrap_or_else(|| {
            loop {
                if let Some(line) = lines.get(place) {
                    return *line;
                }
                place = place.rsplit_once('/').map_or("", |(around, _)| around);
            }
        });
        found.entry(line).or_default().push(fault);
    }
    found
}

/// The faults, each with its line and the lines around it.
pub fn faults(text: &'static Text, source: &str, faults: &[Fault]) -> Option<AnyView> {
    if faults.is_empty() {
        return None;
    }
    let found = by_line(source, faults);
    let lines: Vec<&str> = source.lines().collect();
    let shown: BTreeSet<usize> = found
        .keys()
        .flat_map(|line| line.saturating_sub(AROUND)..=line + AROUND)
        .filter(|line| (1..=lines.len()).contains(line))
        .collect();
    let rows = shown
        .iter()
        .map(|&line| {
            let here = found.get(&line);
            let notes = here
                .into_iter()
                .flatten()
                .map(|fault| note(text, fault))
                .collect_view();
            let label = here.map(|_| (text.schemas.line)(line as u64));
            view! {
                <li value=line.to_string() data-fault=here.map(|_| "") aria-label=label>
                    <code>{lines[line - 1].to_owned()}</code>
                    {notes}
                </li>
            }
        })
        .collect_view();
    let whole = found
        .iter()
        .filter(|(line, _)| !shown.contains(*line))
        .flat_map(|(_, faults)| faults)
        .map(|fault| note(text, fault))
        .collect_view();
    Some(
        view! {
            <div class="callout" data-tone="bad" id="faults" tabindex="-1">
                <p>
                    <strong>{(text.schemas.faults)(faults.len() as u64)}</strong>
                </p>
                {whole}
                <ol class="source" lang="en">
                    {rows}
                </ol>
            </div>
        }
        .into_any(),
    )
}

fn note(text: &'static Text, fault: &Fault) -> AnyView {
    let place = if fault.pointer.is_empty() {
        None
    } else {
        Some(fault.pointer.clone())
    };
    view! {
        <p class="fault">
            <span lang=text.tag>{(text.schemas.fault)(&fault.code)}</span>
            " "
            <span lang="en">{fault.detail.clone()}</span>
            " "
            {place.map(|place| view! { <code>{place}</code> })}
        </p>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "{\n  \"type\": \"object\",\n  \"properties\": {\n    \"a/b\": {\n      \"enum\": [\n        1,\n        \"two\\\"\"\n      ]\n    }\n  }\n}\n";

    fn fault(pointer: &str, line: Option<usize>) -> Fault {
        Fault {
            pointer: pointer.to_owned(),
            line,
            code: "invalid_schema".to_owned(),
            detail: String::new(),
        }
    }

    // D1
    #[test]
    fn a_place_has_the_line_it_is_written_in() {
        let lines = lines_of(SCHEMA);
        for (place, line) in [
            ("", 1),
            ("/type", 2),
            ("/properties", 3),
            ("/properties/a~1b", 4),
            ("/properties/a~1b/enum/1", 7),
        ] {
            assert_eq!(lines.get(place), Some(&line), "{place}");
        }
    }

    #[test]
    fn a_fault_of_what_is_not_there_stands_at_what_is_around_it() {
        let faults = [
            fault("/properties/a~1b/type", None),
            fault("/required", None),
            fault("", Some(9)),
        ];
        let lines: Vec<usize> = by_line(SCHEMA, &faults).into_keys().collect();
        assert_eq!(lines, [1, 4, 9]);
    }

    #[test]
    fn what_is_no_json_is_read_as_far_as_it_goes() {
        for broken in [
            "",
            "{",
            "{\"a\"",
            "{\"a\": [1, }",
            "[",
            "[@",
            "\"\\",
            "{\"a\" 1}",
            "]",
        ] {
            assert_eq!(lines_of(broken)[""], 1, "{broken}");
        }
    }
}
