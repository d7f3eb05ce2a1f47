//! "I prefer X" -> "User prefers X".

mod adverb;

use super::{super::words, strip_prefix_ignoring_case, without_openings};
use adverb::{is_broken, is_subject, with_adverb_inside};

pub(super) fn turn(quote: &str, preference: bool, situation: bool) -> Option<String> {
    let straight = quote.replace(['’', '‘'], "'");
    let text = without_endings(without_openings(&straight, words::en("openings")));
    let moved = with_adverb_inside(text);
    let text = moved.as_deref().unwrap_or(text);
    let first = text
        .split([' ', ','])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    // "Recently I moved": the subject is there.
    let elided = !text.split_whitespace().nth(1).is_some_and(is_subject);
    let group = group_of(text);
    let turned = if let Some(rest) = strip_prefix_ignoring_case(text, "as a ")
        .or_else(|| strip_prefix_ignoring_case(text, "being a "))
    {
        format!("User is a {}", pronouns(rest, true, group)?)
    } else if let Some(rest) = strip_prefix_ignoring_case(text, "as an ")
        .or_else(|| strip_prefix_ignoring_case(text, "being an "))
    {
        format!("User is an {}", pronouns(rest, true, group)?)
    } else if let Some(rest) = strip_prefix_ignoring_case(text, "as someone ") {
        format!("User is someone {}", pronouns(rest, true, group)?)
    } else if let Some(rest) = without_please(text).and_then(|text| order(text, group)) {
        rest
    } else if elided
        && (words::en("bare verbs").contains(&first.as_str())
            || words::en("past openings").contains(&first.as_str()))
    {
        pronouns(
            &format!("I {}{}", first, &text[first.len()..]),
            false,
            group,
        )?
    } else if elided && words::en("states").contains(&first.as_str()) {
        pronouns(
            &format!("I am {}{}", first, &text[first.len()..]),
            false,
            group,
        )?
    } else {
        pronouns(text, false, group)?
    };
    if speaks_in_first_person(&turned) || is_broken(&turned) {
        return None;
    }
    if turned.contains("User") || turned.starts_with("The ") && situation {
        return Some(capitalised(&turned));
    }
    if preference {
        let mut chars = turned.chars();
        let lowered: String = match (chars.next(), chars.next()) {
            // A name or an abbreviation keeps its capital.
            (Some(first), Some(second))
                if first.is_uppercase()
                    && second.is_lowercase()
                    && first.is_ascii()
                    && [
                        "Always", "Never", "Only", "Tabs", "Short", "Dark", "Light", "Plain", "No",
                    ]
                    .contains(&turned.split(' ').next().unwrap_or_default()) =>
            {
                first.to_lowercase().chain(turned.chars().skip(1)).collect()
            }
            _ => turned,
        };
        return Some(format!("User's preference: {lowered}"));
    }
    situation.then(|| capitalised(&turned))
}

fn without_endings(mut text: &str) -> &str {
    while let Some(rest) = words::en("endings").iter().find_map(|ending| {
        let at = text.len().checked_sub(ending.len())?;
        text.get(at..)
            .filter(|tail| tail.eq_ignore_ascii_case(ending))
            .map(|_| &text[..at])
    }) {
        text = rest.trim_end_matches(['.', ',', '!', ' ']);
    }
    text.trim_end_matches(['.', '!', ',', ' '])
}

fn without_please(text: &str) -> Option<&str> {
    let rest = strip_prefix_ignoring_case(text, "please ").unwrap_or(text);
    Some(strip_prefix_ignoring_case(rest, "just ").unwrap_or(rest))
}

/// "Always answer in French" -> "User asks to always answer in French".
fn order(text: &str, group: &str) -> Option<String> {
    let first = text.split([' ', ',']).next()?.to_ascii_lowercase();
    for negation in ["don't ", "do not ", "dont "] {
        if let Some(rest) = strip_prefix_ignoring_case(text, negation) {
            let rest = strip_prefix_ignoring_case(rest, "ever ").unwrap_or(rest);
            return Some(format!("User asks not to {}", pronouns(rest, true, group)?));
        }
    }
    if let Some(rest) = strip_prefix_ignoring_case(text, "call me ") {
        return Some(format!(
            "User asks to be called {}",
            pronouns(rest, true, group)?
        ));
    }
    if let Some(rest) = strip_prefix_ignoring_case(text, "no ") {
        return Some(format!("User wants no {}", pronouns(rest, true, group)?));
    }
    // "Always tabs" is no order: what follows must be something that can be done.
    if matches!(first.as_str(), "always" | "never" | "only") {
        // "Never have I …" tells.
        if text.split_whitespace().nth(2).is_some_and(is_subject) {
            return None;
        }
        let second = text
            .split([' ', ','])
            .nth(1)
            .unwrap_or_default()
            .to_ascii_lowercase();
        if !words::en("orders").contains(&second.as_str())
            && !words::en("bare verbs").contains(&second.as_str())
        {
            return None;
        }
    }
    if !words::en("orders").contains(&first.as_str()) {
        return None;
    }
    let rest = pronouns(&text[first.len()..], true, group)?;
    Some(format!("User asks to {first}{rest}"))
}

fn group_of(text: &str) -> &'static str {
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // "house" is not in "warehouse", "cat" not in "catalogue".
    let told = |list: &str| {
        words::en(list).iter().any(|sign| {
            let sign = sign.trim();
            sign.contains(' ') && lower.contains(sign)
                || words.iter().any(|word| {
                    *word == sign
                        || word.strip_suffix('s') == Some(sign)
                        || sign.len() >= 6 && word.starts_with(sign)
                })
        })
    };
    if told("household") && !told("working") {
        "User's family"
    } else if told("working") {
        "User's team"
    } else {
        "User's group"
    }
}

/// What the next verb must agree with.
#[derive(Clone, Copy, PartialEq)]
enum Agree {
    No,
    Singular,
    /// "My wife and I": the verb stays as it is, "am" apart.
    Plural,
}

/// Every first and second person of `text` replaced; verbs agree. `named`: the user was already named before `text`. `None` where
/// no verb follows the subject at once, "I, like most people, …", "I for one …": what would agree is not known.
fn pronouns(text: &str, named: bool, group: &str) -> Option<String> {
    let mut out: Vec<String> = Vec::new();
    let mut named = named;
    let mut agree = Agree::No;
    // Set while the subject is "User" and its verbs stand in the present, so that "and work" becomes "and works".
    let mut joined = false;
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let core = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '\''));
        let at = word.find(core).unwrap_or(0);
        let (front, back) = (&word[..at], &word[at + core.len()..]);
        let lower = core.to_ascii_lowercase();
        let next = words.peek().map(|next| {
            next.trim_matches(|c: char| !(c.is_alphanumeric() || c == '\''))
                .to_ascii_lowercase()
        });
        let parted = matches!(lower.as_str(), "i" | "we") && back.starts_with([',', '-', '—', '–']);
        if parted && next.is_some() {
            return None;
        }
        // "Prefers", "am" after "my wife and I" belong to two.
        let two = matches!(lower.as_str(), "i")
            && !joined
            && out.len() == 3
            && out[0] == "User's"
            && out[2] == "and";
        let mut subject = |who: &str, verb: &str| {
            named = true;
            (
                format!("{who}{}{verb}", if verb.is_empty() { "" } else { " " }),
                if verb.is_empty() {
                    Agree::Singular
                } else {
                    Agree::No
                },
            )
        };
        let replaced = match lower.as_str() {
            "i" => Some(subject("User", "")),
            "i'm" | "im" => Some(subject("User", "is")),
            "i've" | "ive" => Some(subject("User", "has")),
            "i'd" => Some(subject(
                "User",
                if next.as_deref().is_some_and(had) {
                    "had"
                } else {
                    "would"
                },
            )),
            "i'll" => Some(subject("User", "will")),
            "we" => Some(subject(group, "")),
            "we're" => Some(subject(group, "is")),
            "we've" => Some(subject(group, "has")),
            "we'd" => Some(subject(group, "would")),
            "we'll" => Some(subject(group, "will")),
            "my" | "our" => {
                let owner = if named { "their" } else { "User's" };
                named = true;
                Some((owner.to_owned(), Agree::No))
            }
            "me" | "us" => Some((if named { "them" } else { "User" }.to_owned(), Agree::No)),
            "mine" | "ours" => Some((
                if named { "theirs" } else { "User's" }.to_owned(),
                Agree::No,
            )),
            "myself" | "ourselves" => Some(("themselves".to_owned(), Agree::No)),
            "you" => {
                let acts = next
                    .as_deref()
                    .is_some_and(|next| words::en("answering verbs").contains(&next))
                    && back.is_empty();
                Some((
                    "the assistant".to_owned(),
                    if acts { Agree::Singular } else { Agree::No },
                ))
            }
            "your" => Some(("the assistant's".to_owned(), Agree::No)),
            "you're" => Some(("the assistant is".to_owned(), Agree::No)),
            _ => None,
        };
        if let Some((text, follows)) = replaced {
            let again = joined
                && text.starts_with("User")
                && matches!(out.last().map(String::as_str), Some("and" | "but"))
                && !text.starts_with("User's");
            if matches!(
                lower.as_str(),
                "i" | "i'm" | "im" | "i've" | "ive" | "i'd" | "i'll"
            ) {
                joined = true;
            } else if lower.starts_with("we") {
                joined = false;
            }
            // "User is 52 and has never driven": the subject is still the same.
            let text = if again {
                text.trim_start_matches("User").trim_start().to_owned()
            } else {
                text
            };
            if !(text.is_empty() && back.is_empty()) {
                out.push(format!("{front}{text}{back}"));
            }
            // "what should I do": the verb belongs to what stands before the subject.
            let asked = out.iter().rev().nth(1).is_some_and(|before| {
                [
                    "should", "can", "could", "do", "did", "will", "would", "does", "must",
                ]
                .contains(&before.to_ascii_lowercase().as_str())
            });
            // "I myself prefer": the subject goes on.
            if matches!(lower.as_str(), "myself" | "ourselves") && agree == Agree::Singular {
                continue;
            }
            agree = match follows {
                _ if !back.is_empty() || asked => Agree::No,
                Agree::Singular if two => Agree::Plural,
                follows => follows,
            };
            continue;
        }
        let after_and =
            joined && matches!(out.last().map(String::as_str), Some("and" | "but" | "or"));
        if agree == Agree::Plural {
            agree = Agree::No;
            out.push(if lower == "am" { "are" } else { word }.to_owned());
            continue;
        }
        if agree == Agree::Singular {
            let adverb = lower == "no" && next.as_deref() == Some("longer")
                || lower == "longer" && out.last().is_some_and(|before| before == "no")
                || words::en("adverbs").contains(&lower.as_str())
                || (lower.ends_with("ly")
                    && lower.len() > 5
                    && !words::en("verbs in ly").contains(&lower.as_str()));
            if adverb && back.is_empty() {
                out.push(word.to_owned());
                continue;
            }
            // "I kind of like".
            if matches!(lower.as_str(), "kind" | "sort") && next.as_deref() == Some("of") {
                out.push(word.to_owned());
                out.extend(words.next().map(str::to_owned));
                continue;
            }
            if core.is_empty() || words::en("no verbs").contains(&lower.as_str()) {
                return None;
            }
            let helps = words::en("modals").contains(&lower.as_str())
                || matches!(lower.as_str(), "don't" | "dont")
                || lower == "do" && next.as_deref() == Some("not");
            if helps && !matches!(lower.as_str(), "was" | "had") {
                joined = false;
            }
            out.push(format!("{front}{}{back}", singular(core)));
            agree = Agree::No;
            continue;
        }
        if lower == "to" {
            joined = false;
        }
        // "Food and drink", "help and support": at the end a noun.
        let noun = (!back.is_empty() || next.is_none())
            && words::en("verbs that name").contains(&lower.as_str());
        if after_and && !noun && words::en("verbs").contains(&lower.as_str()) {
            out.push(format!("{front}{}{back}", singular(core)));
            continue;
        }
        out.push(word.to_owned());
    }
    // A rest that follows a word keeps the space before it.
    Some(if text.starts_with(' ') {
        format!(" {}", out.join(" "))
    } else {
        out.join(" ")
    })
}

/// What follows "I'd" where that is "I had".
fn had(next: &str) -> bool {
    matches!(next, "been" | "already")
        || next.ends_with("ed") && !words::en("not past").contains(&next)
}

/// The third person singular of a verb as it stands after "I" or "we"; a past stays.
fn singular(verb: &str) -> String {
    let lower = verb.to_ascii_lowercase();
    let fixed = match lower.as_str() {
        "am" | "are" => Some("is"),
        "were" => Some("was"),
        "aren't" => Some("isn't"),
        "weren't" => Some("wasn't"),
        "have" => Some("has"),
        "haven't" => Some("hasn't"),
        "do" => Some("does"),
        "don't" | "dont" => Some("doesn't"),
        "go" => Some("goes"),
        "wanna" => Some("wants to"),
        "gotta" => Some("has to"),
        "gonna" => Some("is going to"),
        "dunno" => Some("doesn't know"),
        _ => None,
    };
    if let Some(fixed) = fixed {
        return fixed.to_owned();
    }
    let past = (lower.ends_with("ed") && !words::en("not past").contains(&lower.as_str()))
        || words::en("past").contains(&lower.as_str());
    if past
        || words::en("modals").contains(&lower.as_str())
        || !lower.chars().all(|c| c.is_ascii_alphabetic())
    {
        return verb.to_owned();
    }
    let vowel_before_y = lower.len() > 1
        && matches!(
            lower.as_bytes()[lower.len() - 2],
            b'a' | b'e' | b'i' | b'o' | b'u'
        );
    if lower.ends_with('y') && !vowel_before_y {
        return format!("{}ies", &verb[..verb.len() - 1]);
    }
    if ["s", "x", "z", "ch", "sh", "o"]
        .iter()
        .any(|end| lower.ends_with(end))
    {
        return format!("{verb}es");
    }
    format!("{verb}s")
}

fn speaks_in_first_person(text: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .any(|word| {
            matches!(word, "I" | "I'm" | "I've" | "I'd" | "I'll")
                || matches!(
                    word.to_ascii_lowercase().as_str(),
                    "i" | "my"
                        | "me"
                        | "mine"
                        | "myself"
                        | "we"
                        | "our"
                        | "ours"
                        | "us"
                        | "we're"
                        | "we've"
                )
        })
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

#[cfg(test)]
mod tests;
