//! Secrets: keys by their known shapes, card numbers, national ids that carry a check digit.
//!
//! They are masked before a model provider sees them and wherever a transcript is shown; a draft that holds one is dropped, an edit
//! refused. Ordinary numbers are left alone: a number counts as a card or an id only when its check digit and its grouping agree.
//!
//! Places are code points of the original. The search runs over a plain view in which full-width letters are narrow and what does not
//! show is left out, so that neither hides a secret.

mod card;
mod key;
mod national;

use std::ops::Range;

/// What stands for each character of a secret.
pub const MASK: char = '█';

/// Where secrets are, in code points: sorted, not touching.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let plain = Plain::of(text);
    let mut found: Vec<Range<usize>> = key::find(&plain.text)
        .into_iter()
        .chain(card::find(&plain.text))
        .chain(national::find(&plain.text))
        .map(|bytes| plain.original(bytes))
        .collect();
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
    let spans = spans(text);
    if spans.is_empty() {
        return text.to_owned();
    }
    let mut next = spans.into_iter().peekable();
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
    fn of(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut places = Vec::with_capacity(original.len());
        for (index, c) in original.chars().enumerate() {
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
    use super::*;

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
