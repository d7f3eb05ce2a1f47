//! The user's own words in the third person, in the language they were said in.

mod en;
mod ja;
mod zh;

use super::language::Language;

/// `quote` in the third person; where no rule can do that truly, the quote as said, marked as such.
pub(super) fn third_person(
    quote: &str,
    language: Language,
    preference: bool,
    situation: bool,
) -> String {
    let quote = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    // Smileys before the first word say nothing of the user.
    let said = quote.trim_start_matches(|c: char| {
        !(c.is_alphanumeric() || matches!(c, '"' | '“' | '「' | '$' | '#'))
    });
    let turned = match language {
        Language::English => en::turn(said, preference, situation),
        Language::Japanese => ja::turn(said, preference, situation),
        Language::Chinese => zh::turn(said, preference, situation),
    };
    turned.unwrap_or_else(|| match language {
        Language::English => format!("User said: “{quote}”"),
        Language::Japanese => format!("ユーザーの発言：「{quote}」"),
        Language::Chinese => format!("用户说：“{quote}”"),
    })
}

/// `text` without the first of `openings` that it begins with, again and again.
fn without_openings<'a>(mut text: &'a str, openings: &[&str]) -> &'a str {
    while let Some(rest) = openings.iter().find_map(|opening| {
        let rest = strip_prefix_ignoring_case(text, opening)?;
        // "Well, …" but not "Wellness".
        let cuts_a_word = opening.ends_with(|c: char| c.is_ascii_alphanumeric())
            && rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        (!cuts_a_word).then_some(rest)
    }) {
        let rest = rest.trim_start_matches([' ', ',', '、', '，', ':', '：', '—']);
        if rest.is_empty() {
            break;
        }
        text = rest;
    }
    text
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
}
