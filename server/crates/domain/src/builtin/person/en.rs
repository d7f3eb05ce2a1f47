//! "I prefer X" -> "User prefers X".

use super::{super::words, strip_prefix_ignoring_case, without_openings};

pub(super) fn turn(quote: &str, preference: bool, situation: bool) -> Option<String> {
    let straight = quote.replace(['’', '‘'], "'");
    let mut text = without_openings(&straight, words::en("openings"));
    text = without_endings(text);
    let first = text
        .split([' ', ','])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let group = group_of(text);
    let turned = if let Some(rest) = strip_prefix_ignoring_case(text, "as a ")
        .or_else(|| strip_prefix_ignoring_case(text, "being a "))
    {
        format!("User is a {}", pronouns(rest, true, group))
    } else if let Some(rest) = strip_prefix_ignoring_case(text, "as an ")
        .or_else(|| strip_prefix_ignoring_case(text, "being an "))
    {
        format!("User is an {}", pronouns(rest, true, group))
    } else if let Some(rest) = strip_prefix_ignoring_case(text, "as someone ") {
        format!("User is someone {}", pronouns(rest, true, group))
    } else if let Some(rest) = without_please(text).and_then(|text| order(text, group)) {
        rest
    } else if words::en("bare verbs").contains(&first.as_str())
        || words::en("past openings").contains(&first.as_str())
    {
        pronouns(
            &format!("I {}{}", first, &text[first.len()..]),
            false,
            group,
        )
    } else if words::en("states").contains(&first.as_str()) {
        pronouns(
            &format!("I am {}{}", first, &text[first.len()..]),
            false,
            group,
        )
    } else {
        pronouns(text, false, group)
    };
    if speaks_in_first_person(&turned) {
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
            return Some(format!("User asks not to {}", pronouns(rest, true, group)));
        }
    }
    if let Some(rest) = strip_prefix_ignoring_case(text, "call me ") {
        return Some(format!(
            "User asks to be called {}",
            pronouns(rest, true, group)
        ));
    }
    if let Some(rest) = strip_prefix_ignoring_case(text, "no ") {
        return Some(format!("User wants no {}", pronouns(rest, true, group)));
    }
    // "Always tabs" is no order: what follows must be something that can be done.
    if matches!(first.as_str(), "always" | "never" | "only") {
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
    words::en("orders").contains(&first.as_str()).then(|| {
        format!(
            "User asks to {}{}",
            first,
            pronouns(&text[first.len()..], true, group)
        )
    })
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
}

/// Every first and second person of `text` replaced; verbs agree. `named`: the user was already named before `text`.
fn pronouns(text: &str, named: bool, group: &str) -> String {
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
                if matches!(next.as_deref(), Some("been" | "already")) {
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
            agree = if back.is_empty() && !asked {
                follows
            } else {
                Agree::No
            };
            continue;
        }
        let after_and =
            joined && matches!(out.last().map(String::as_str), Some("and" | "but" | "or"));
        if agree == Agree::Singular {
            let adverb = words::en("adverbs").contains(&lower.as_str())
                || (lower.ends_with("ly")
                    && lower.len() > 5
                    && !words::en("verbs in ly").contains(&lower.as_str()));
            if adverb && back.is_empty() {
                out.push(word.to_owned());
                continue;
            }
            if words::en("modals").contains(&lower.as_str())
                && !matches!(lower.as_str(), "was" | "had" | "did" | "didn't")
            {
                joined = false;
            }
            out.push(format!("{front}{}{back}", singular(core)));
            agree = Agree::No;
            continue;
        }
        if lower == "to" {
            joined = false;
        }
        if after_and && words::en("verbs").contains(&lower.as_str()) {
            out.push(format!("{front}{}{back}", singular(core)));
            continue;
        }
        out.push(word.to_owned());
    }
    // A rest that follows a word keeps the space before it.
    if text.starts_with(' ') {
        format!(" {}", out.join(" "))
    } else {
        out.join(" ")
    }
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
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        turn(text, true, false).unwrap_or_else(|| panic!("{text}"))
    }

    // A13
    #[test]
    fn the_three_reference_sentences() {
        assert_eq!(
            said("I prefer code examples in Python rather than pseudocode"),
            "User prefers code examples in Python rather than pseudocode"
        );
        assert_eq!(
            said("I'm the CTO of StartupCorp and we're building a SaaS platform"),
            "User is the CTO of StartupCorp and User's team is building a SaaS platform"
        );
        assert_eq!(
            said("We launch our product next month, so I need everything ready quickly"),
            "User's team launches their product next month, so User needs everything ready quickly"
        );
    }

    #[test]
    fn verbs_agree_and_nobody_speaks() {
        for (from, to) in [
            (
                "By the way, I'm allergic to peanuts",
                "User is allergic to peanuts",
            ),
            (
                "I live in Oslo and work at Google",
                "User lives in Oslo and works at Google",
            ),
            (
                "I don't like my coffee cold",
                "User doesn't like their coffee cold",
            ),
            (
                "I've worked with Rust for 5 years",
                "User has worked with Rust for 5 years",
            ),
            ("I moved to Lisbon in May", "User moved to Lisbon in May"),
            (
                "I'd rather read than watch",
                "User would rather read than watch",
            ),
            ("I usually study at night", "User usually studies at night"),
            ("I like to hike and swim", "User likes to hike and swim"),
            ("My name is Ana", "User's name is Ana"),
            ("As a student", "User is a student"),
            (
                "Always answer in French",
                "User asks to always answer in French",
            ),
            ("please don't use emojis", "User asks not to use emojis"),
            ("Call me Sam", "User asks to be called Sam"),
            (
                "I want you to be brief",
                "User wants the assistant to be brief",
            ),
            ("We have two kids", "User's family has two kids"),
            (
                "I'm the CFO and we're opening two warehouses",
                "User is the CFO and User's group is opening two warehouses",
            ),
            ("Since I'm vegan", "User is vegan"),
            (
                "I regularly advise builders and I supply them with tools",
                "User regularly advises builders and supplies them with tools",
            ),
            (
                "I'm 52 and I've never learned to drive",
                "User is 52 and has never learned to drive",
            ),
            (
                "Just got laid off, so I'm looking around",
                "User just got laid off, so User is looking around",
            ),
            ("Always tabs", "User's preference: always tabs"),
            ("I know what should I do", "User knows what should User do"),
            (
                "Use short lines when you write to me",
                "User asks to use short lines when the assistant writes to them",
            ),
            ("allergic to nuts", "User is allergic to nuts"),
            ("tabs over spaces", "User's preference: tabs over spaces"),
            (
                "Keep your answers short, please",
                "User asks to keep the assistant's answers short",
            ),
        ] {
            assert_eq!(said(from), to);
        }
    }

    #[test]
    fn what_no_rule_fits_is_left() {
        assert_eq!(turn("The company is called Initech", false, false), None);
        assert_eq!(
            turn("the deadline is Friday", false, true).as_deref(),
            Some("The deadline is Friday")
        );
    }
}
