//! Sentences of a message and clauses of a sentence, as byte ranges.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::{language::Language, words};

/// Longer than this (code points) is pasted text, not something that somebody says about themselves.
const LONGEST: usize = 400;

/// The sentences of `message` that a person may have said: no code, logs, quoted lines, headings or tables.
pub(super) fn sentences(message: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fenced = false;
    let mut offset = 0;
    for line in message.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced || trimmed.starts_with('>') || is_code(trimmed) {
            continue;
        }
        let skipped = bullet(line);
        let mut open: Option<Range<usize>> = None;
        for (at, part) in line[skipped..].split_sentence_bound_indices() {
            let begin = open
                .take()
                .map_or(start + skipped + at, |range| range.start);
            let range = begin..start + skipped + at + part.len();
            if ends_in_abbreviation(&message[range.clone()]) {
                open = Some(range);
            } else {
                found.push(range);
            }
        }
        found.extend(open);
    }
    found
        .into_iter()
        .map(|range| trim(message, range))
        .filter(|range| !range.is_empty() && message[range.clone()].chars().count() <= LONGEST)
        .collect()
}

/// The clauses of one sentence, at least one. They are cut only where a second statement can begin: a reason
/// ("…, so I need") belongs to what it explains.
pub(super) fn clauses(sentence: &str, language: Language) -> Vec<Range<usize>> {
    let cuts = match language {
        Language::English => english_cuts(sentence),
        Language::Japanese => comma_cuts(
            sentence,
            &['、', '，'],
            words::ja("clause bound after"),
            &[],
        ),
        Language::Chinese => comma_cuts(
            sentence,
            &['，', ',', '；'],
            &[],
            words::zh("clause bound before"),
        ),
    };
    let mut clauses = Vec::new();
    let mut start = 0;
    for cut in cuts {
        if cut.start < start {
            continue;
        }
        clauses.push(start..cut.start);
        start = cut.end;
    }
    clauses.push(start..sentence.len());
    clauses
        .into_iter()
        .map(|range| trim(sentence, range))
        .filter(|range| !range.is_empty())
        .collect()
}

/// `range` of `text`, widened so that no grapheme is cut.
pub(super) fn whole_graphemes(text: &str, range: Range<usize>) -> Range<usize> {
    let border = |at: usize| {
        let mut cursor = GraphemeCursor::new(at, text.len(), true);
        cursor.is_boundary(text, 0).unwrap_or(true)
    };
    let mut start = range.start;
    while !text.is_char_boundary(start) || !border(start) {
        start -= 1;
    }
    let mut end = range.end;
    while !text.is_char_boundary(end) || !border(end) {
        end += 1;
    }
    start..end
}

/// Without the spaces around it and the marks that end it; a question mark stays, it says what the sentence is.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let front = part.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '“' | '「' | '*' | '_' | ',' | '、' | '，')
    });
    let back = front.trim_end_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '.' | '。'
                    | '!'
                    | '！'
                    | ','
                    | '、'
                    | '，'
                    | ';'
                    | '；'
                    | ':'
                    | '"'
                    | '”'
                    | '」'
                    | '*'
                    | '_'
                    | '…'
                    | '~'
                    | '〜'
                    | '～'
                    | '．'
            )
    });
    let start = range.start + (part.len() - front.len());
    start..start + back.len()
}

fn bullet(line: &str) -> usize {
    let rest = line.trim_start();
    let indent = line.len() - rest.len();
    for mark in ["- ", "* ", "• ", "・", "+ "] {
        if rest.starts_with(mark) {
            return indent + mark.len();
        }
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0
        && digits < 3
        && (rest[digits..].starts_with(". ") || rest[digits..].starts_with(") "))
    {
        return indent + digits + 2;
    }
    indent
}

fn ends_in_abbreviation(text: &str) -> bool {
    let lower = text.trim_end().to_ascii_lowercase();
    let last = lower
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    words::en("abbreviations").contains(&last) && text.chars().count() < LONGEST
}

/// Lines that a machine wrote or reads.
fn is_code(line: &str) -> bool {
    if line.is_empty() {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    // "Select …" and "Update …" also begin ordinary requests, which are no memories either.
    if line.starts_with('|')
        || words::en("code openings")
            .iter()
            .any(|opening| lower.starts_with(opening))
    {
        return true;
    }
    if line.ends_with('{')
        || line.ends_with('}')
        || line.ends_with("};")
        || line.contains("=>")
        || line.contains("();")
    {
        return true;
    }
    let bytes = line.as_bytes();
    if bytes.len() > 16
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[7] == b'-'
    {
        return true;
    }
    let symbols = line
        .chars()
        .filter(|c| {
            matches!(
                c,
                '{' | '}'
                    | '<'
                    | '>'
                    | '='
                    | ';'
                    | '|'
                    | '\\'
                    | '['
                    | ']'
                    | '('
                    | ')'
                    | '/'
                    | '_'
                    | '$'
                    | '`'
            )
        })
        .count();
    symbols * 5 > line.chars().count()
}

fn english_cuts(sentence: &str) -> Vec<Range<usize>> {
    let lower = sentence.to_ascii_lowercase();
    let mut cuts = Vec::new();
    let mut dependent = words::en("dependent openings")
        .iter()
        .any(|opening| lower.starts_with(opening));
    for (at, _) in lower.char_indices() {
        let rest = &lower[at..];
        for mark in [
            ", and ", ", but ", " and ", " but ", "; ", " — ", " – ", " - ", ", ", ": ",
        ] {
            if !rest.starts_with(mark) {
                continue;
            }
            let word: String = rest[mark.len()..]
                .chars()
                .take_while(|c| c.is_alphabetic())
                .collect();
            let subject = words::en("clause subjects").contains(&word.as_str());
            let cut = match mark {
                "; " | " — " | " – " | " - " => true,
                ", " => {
                    subject || words::en("clause questions").contains(&word.as_str()) || dependent
                }
                ": " => subject,
                _ => subject,
            };
            if cut {
                cuts.push(at..at + mark.len());
                dependent = false;
            }
            break;
        }
    }
    cuts
}

fn comma_cuts(
    sentence: &str,
    commas: &[char],
    not_after: &[&str],
    not_before: &[&str],
) -> Vec<Range<usize>> {
    sentence
        .char_indices()
        .filter(|(_, c)| commas.contains(c))
        .filter(|(at, c)| {
            let (before, after) = (&sentence[..*at], sentence[at + c.len_utf8()..].trim_start());
            !not_after.iter().any(|end| before.ends_with(end))
                && !not_before.iter().any(|begin| after.starts_with(begin))
        })
        .map(|(at, c)| at..at + c.len_utf8())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(message: &str) -> Vec<&str> {
        sentences(message)
            .into_iter()
            .map(|range| &message[range])
            .collect()
    }

    fn parts(sentence: &str, language: Language) -> Vec<&str> {
        clauses(sentence, language)
            .into_iter()
            .map(|range| &sentence[range])
            .collect()
    }

    #[test]
    fn cuts_sentences_and_leaves_code_and_quotes() {
        assert_eq!(
            texts("I'm Dr. Smith. I use Python 3.12!"),
            ["I'm Dr. Smith", "I use Python 3.12"]
        );
        assert_eq!(
            texts("了解です。東京に住んでいます。"),
            ["了解です", "東京に住んでいます"]
        );
        assert_eq!(
            texts("- I like tea\n> I hate tea\n```\nI am code\n```\nlet x = 1;\nDone"),
            ["I like tea", "Done"]
        );
        assert_eq!(
            texts("2024-01-02T10:00:00 INFO started"),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn cuts_clauses_only_where_a_second_statement_begins() {
        assert_eq!(
            parts(
                "As a student, which laptop should I buy?",
                Language::English
            ),
            ["As a student", "which laptop should I buy?"]
        );
        assert_eq!(
            parts(
                "We launch our product next month, so I need everything ready quickly",
                Language::English
            )
            .len(),
            1
        );
        assert_eq!(
            parts("I'm Ana and I live in Oslo", Language::English),
            ["I'm Ana", "I live in Oslo"]
        );
        assert_eq!(parts("I like salt and pepper", Language::English).len(), 1);
        assert_eq!(
            parts("我叫李国松，在腾讯工作", Language::Chinese),
            ["我叫李国松", "在腾讯工作"]
        );
        assert_eq!(
            parts("来月ローンチするので、すぐに準備します", Language::Japanese).len(),
            1
        );
    }

    #[test]
    fn a_range_is_widened_to_whole_graphemes() {
        let text = "👩‍👩‍👧‍👦 e\u{301}te";
        let inside = "👩\u{200d}".len();
        assert_eq!(whole_graphemes(text, inside..text.len()).start, 0);
        let accent = text.find('\u{301}').expect("there");
        assert_eq!(
            whole_graphemes(text, 0..accent).end,
            accent + '\u{301}'.len_utf8()
        );
    }
}
