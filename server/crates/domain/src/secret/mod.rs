//! Secrets: keys by their known shapes, card numbers, national ids that carry a check digit.
//!
//! They are masked before a model provider sees them and wherever a transcript is shown; a draft that holds one is dropped, an edit
//! refused. Ordinary numbers are left alone: a number counts as a card or an id only when its check digit and its grouping agree.
//!
//! Places are code points of the original. The search runs over a plain view in which full-width letters are narrow and what does not
//! show is left out, so that neither hides a secret; where there are escapes, as JSON writes them, also over one in which they stand
//! for what they mean, so that the `n` of a line's end is no letter of a key.

mod card;
mod key;
mod national;

use std::{collections::HashSet, ops::Range};

use serde_json::Value;

/// What stands for each character of a secret.
pub const MASK: char = '█';

/// Behind a secret, the characters within which one begins that was none before: only where the one before ends is a border new, and
/// what is read from there on, as a number of several groups is, is longer by no more than this.
const BEHIND: usize = 256;

/// Where secrets are, in code points: sorted, not touching.
///
/// What stands right behind a secret may be bounded only once that one is gone, so each end of one is looked behind, once: in what was
/// masked there is nothing left to find. Never the whole text again, or a chain of keys would take as many looks as it has links.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let mut views = vec![Plain::of(text.chars().enumerate())];
    if text.contains('\\') {
        views.push(Plain::of(unescaped(text)));
    }
    let mut found: Vec<Range<usize>> = views.iter().flat_map(Plain::look).collect();
    let mut looked = HashSet::new();
    let mut next = 0;
    while let Some(end) = found.get(next).map(|span| span.end) {
        if looked.insert(end) {
            found.extend(views.iter().flat_map(|view| view.look_behind(end)));
        }
        next += 1;
    }
    joined(found)
}

/// The characters that JSON's escapes stand for, each at the place where its escape begins.
fn unescaped(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut rest = text.chars().enumerate();
    std::iter::from_fn(move || {
        let (at, c) = rest.next()?;
        let mut ahead = rest.clone();
        let meant = match (c, ahead.next().map(|(_, c)| c)) {
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('r' | 't' | 'b' | 'f')) => Some(' '),
            ('\\', Some(c @ ('"' | '\\' | '/'))) => Some(c),
            ('\\', Some('u')) => {
                let digits: String = ahead.by_ref().take(4).map(|(_, c)| c).collect();
                let code = u32::from_str_radix(&digits, 16).ok();
                code.filter(|_| digits.len() == 4).map(|code| {
                    // Half of a pair is a part of no secret.
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                })
            }
            _ => None,
        };
        let Some(meant) = meant else {
            return Some((at, c));
        };
        rest = ahead;
        Some((at, meant))
    })
}

fn joined(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|span| (span.start, span.end));
    found
        .into_iter()
        .fold(Vec::new(), |mut joined: Vec<Range<usize>>, span| {
            match joined.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => joined.push(span),
            }
            joined
        })
}

/// The text with each character of each secret replaced one for one, so that offsets stay.
pub fn mask(text: &str) -> String {
    mask_at(text, &spans(text))
}

/// The same with what [`spans`] found before.
pub fn mask_at(text: &str, spans: &[Range<usize>]) -> String {
    if spans.is_empty() {
        return text.to_owned();
    }
    let mut next = spans.iter().peekable();
    text.chars()
        .enumerate()
        .map(|(at, c)| {
            while next.peek().is_some_and(|span| span.end <= at) {
                next.next();
            }
            if next.peek().is_some_and(|span| span.contains(&at)) {
                MASK
            } else {
                c
            }
        })
        .collect()
}

/// JSON with every text in it masked, names of members included. A number that is a secret becomes text.
pub fn mask_json(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::Number(number) => {
            let text = number.to_string();
            if holds(&text) {
                Value::String(mask(&text))
            } else {
                value.clone()
            }
        }
        Value::String(text) => Value::String(mask(text)),
        Value::Array(items) => items.iter().map(mask_json).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (mask(name), mask_json(value)))
            .collect(),
    }
}

/// Whether there is a secret in it.
pub fn holds(text: &str) -> bool {
    !spans(text).is_empty()
}

struct Plain {
    text: String,
    /// For each character of `text`: its first byte there, and its index in the original.
    places: Vec<(usize, usize)>,
}

impl Plain {
    fn of(original: impl Iterator<Item = (usize, char)>) -> Self {
        let mut text = String::new();
        let mut places = Vec::new();
        for (index, c) in original {
            let c = match c {
                '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
                '\u{3000}' | '\u{a0}' => ' ',
                '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
                c if crate::text::is_hidden(c) => continue,
                c => c,
            };
            places.push((text.len(), index));
            text.push(c);
        }
        Self { text, places }
    }

    fn look(&self) -> Vec<Range<usize>> {
        self.look_in(0..self.text.len())
    }

    /// What begins in the few characters behind the end of a secret, a place in the original.
    fn look_behind(&self, end: usize) -> Vec<Range<usize>> {
        let byte = |at: usize| {
            self.places
                .get(at)
                .map_or(self.text.len(), |(byte, _)| *byte)
        };
        let place = |at: usize| self.places.get(at).map(|(_, original)| *original);
        let first = self.places.partition_point(|(_, original)| *original < end);
        let near = place(first + BEHIND);
        let mut length = 2 * BEHIND;
        loop {
            let mut found = self.look_in(byte(first)..byte(first + length));
            // What begins further away has its border without this one.
            found.retain(|span| near.is_none_or(|near| span.start < near));
            // One that reaches the end of what is looked at may be longer.
            let safe = place(first + length).and_then(|_| place(first + length - BEHIND / 2));
            if safe.is_none_or(|safe| found.iter().all(|span| span.end <= safe)) {
                return found;
            }
            length *= 2;
        }
    }

    /// What is found in these bytes alone, as if nothing stood around them.
    fn look_in(&self, bytes: Range<usize>) -> Vec<Range<usize>> {
        #[cfg(test)]
        tests::LOOKED_AT.with(|looked_at| looked_at.set(looked_at.get() + bytes.len()));
        let text = &self.text[bytes.clone()];
        key::find(text)
            .into_iter()
            .chain(card::find(text))
            .chain(national::find(text))
            .map(|found| self.original(bytes.start + found.start..bytes.start + found.end))
            .collect()
    }

    /// Never empty: every shape that is looked for has characters.
    fn original(&self, bytes: Range<usize>) -> Range<usize> {
        let index = |byte: usize| self.places.partition_point(|(at, _)| *at < byte);
        let (first, last) = (index(bytes.start), index(bytes.end));
        let place = |at: usize| self.places.get(at).map_or(0, |(_, original)| *original);
        place(first)..place(last.saturating_sub(1)) + 1
    }
}

/// A pattern in which digits and word borders are those of ASCII: between `は` and `sk-` there is one, and a digit of another script
/// is none of a check sum.
fn ascii(shape: &str) -> String {
    shape.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]")
}

/// Whether the characters on both sides of a range of bytes are none of a longer word or number.
fn bounded(text: &str, bytes: &Range<usize>) -> bool {
    let before = text[..bytes.start].chars().next_back();
    let after = text[bytes.end..].chars().next();
    let inner = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    !inner(before) && !inner(after)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// Bytes that were searched in this thread.
        pub(super) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    // G11
    #[test]
    fn known_shapes_are_found_and_masked_in_place() {
        for (text, masked) in [
            (
                "my key is sk-test-FAKE0123456789abcdefFAKE0123456789abcdef, remember it",
                "my key is ████████████████████████████████████████████████, remember it",
            ),
            (
                "token ghp_abcdefghijklmnopqrstuvwxyz0123456789 ok",
                "token ████████████████████████████████████████ ok",
            ),
            ("AKIAIOSFODNN7EXAMPLE", "████████████████████"),
            ("パスワードはhunter2xyzです", "パスワードは██████████です"),
            ("密码是：abc12345，别忘了", "密码是：████████，别忘了"),
            (
                "カードは４１１１ １１１１ １１１１ １１１１です",
                "カードは███████████████████です",
            ),
            (
                "my card is 4111-1111-1111-1111.",
                "my card is ███████████████████.",
            ),
            (
                "postgres://ana:s3cretpw@db/app",
                "postgres://ana:████████@db/app",
            ),
            (
                "我的身份证是11010519491231002X。",
                "我的身份证是██████████████████。",
            ),
            (
                "マイナンバーは123456789018です",
                "マイナンバーは████████████です",
            ),
            ("SSN 219-09-9999", "SSN ███████████"),
        ] {
            assert_eq!(mask(text), masked, "{text}");
            assert!(holds(text));
        }
    }

    // G11
    #[test]
    fn what_is_glued_to_a_secret_goes_with_it() {
        let text = "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY4111111111111111";
        let masked = format!("aws_secret_access_key={}", "█".repeat(56));
        assert_eq!(mask(text), masked);
        assert_eq!(mask(&masked), masked);
    }

    // G11
    #[test]
    fn a_chain_of_keys_goes_whole_and_each_link_costs_a_look_at_a_few_characters() {
        let key = "npm_abcdefghijklmnopqrstuvwxyz0123456789";
        for links in [1, 10, 800] {
            let chain = key.repeat(links);
            let before = LOOKED_AT.get();
            assert_eq!(mask(&chain), "█".repeat(chain.len()), "{links}");
            let looked_at = LOOKED_AT.get() - before;
            assert!(looked_at <= chain.len() + links * 2 * BEHIND, "{looked_at}");
        }
        // A link that is longer than what is looked at first.
        let long = format!("{key}glpat-{}{key}", "a1".repeat(3 * BEHIND));
        assert_eq!(mask(&long), "█".repeat(long.len()));
        let parted = format!("{key} or {key}");
        assert_eq!(mask(&parted), format!("{0} or {0}", "█".repeat(key.len())));
    }

    // G11
    #[test]
    fn a_number_that_is_in_groups_goes_where_the_first_group_was_of_a_key() {
        let masked = mask("npm_abcdefghijklmnopqrstuvwxyz0123451234 4111 1111 1111 1111");
        assert_eq!(masked, format!("{} {}", "█".repeat(40), "█".repeat(19)));
        assert_eq!(mask(&masked), masked);
    }

    // G11
    #[test]
    fn an_escape_hides_no_secret() {
        for (text, masked) in [
            (
                r#"{"a": "x\nAKIAIOSFODNN7EXAMPLE\ny"}"#,
                r#"{"a": "x\n████████████████████\ny"}"#,
            ),
            (r"no\u3000219-09-9999\u3002", r"no\u3000███████████\u3002"),
            (r"C:\new\table", r"C:\new\table"),
        ] {
            assert_eq!(mask(text), masked);
        }
    }

    // G11
    #[test]
    fn json_is_masked_in_every_text_in_it() {
        let json = serde_json::json!({
            "at": "2026-11-30T17:31:35Z",
            "n": 7,
            "card": 4_111_111_111_111_111_u64,
            "of": [{"ghp_abcdefghijklmnopqrstuvwxyz0123456789": null}, true, "SSN 219-09-9999"],
        });
        let masked = serde_json::json!({
            "at": "2026-11-30T17:31:35Z",
            "n": 7,
            "card": "████████████████",
            "of": [{"████████████████████████████████████████": null}, true, "SSN ███████████"],
        });
        assert_eq!(mask_json(&json), masked);
    }

    #[test]
    fn what_does_not_show_hides_no_secret() {
        let hidden = "sk-test-FAKE0123\u{200b}456789abcdefFAKE0123456789abcdef";
        assert_eq!(mask(hidden), "█".repeat(hidden.chars().count()));
    }

    #[test]
    fn whole_blocks_and_tokens_go() {
        let pem =
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----\nb";
        let masked = mask(pem);
        assert!(
            masked.starts_with("a\n█") && masked.ends_with("█\nb") && !masked.contains("MIIE"),
            "{masked}"
        );
        assert!(holds(
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
        ));
    }

    #[test]
    fn ordinary_numbers_and_words_are_no_secrets() {
        for text in [
            "The order 4111111111111112 is late",
            "call me at +49 151 1234 5678 or 090-1234-5678",
            "電話は03-1234-5678です",
            "我的手机号是13812345678",
            "the budget is 500,000 and 2026-11-30T17:31:35Z",
            "timestamp 1732987654321",
            "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
            "my password is important to me",
            "I forgot my password, where do I reset it?",
            "sk-learn-pipelines are fine",
            "scikit-learn 1.5 and task-management-software-for-teams",
            "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
            "uuid 550e8400-e29b-41d4-a716-446655440000",
            "ISBN 978-3-16-148410-0",
            "the max token is 4096tokens",
            "tracking number 123456789012",
            "パスワードは定期的に変更しています",
            "密码是我每个月都换的",
            "https://example.com/a:b@c",
        ] {
            assert_eq!(spans(text), Vec::<Range<usize>>::new(), "{text}");
        }
    }
}
