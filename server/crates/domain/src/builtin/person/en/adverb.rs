//! Where adverbs stand, and what tells that a sentence came out broken.

use crate::builtin::words;

/// "Sometimes I prefer tea" -> "I sometimes prefer tea"; "Actually I live in Oslo" -> "I live in Oslo".
pub(super) fn with_adverb_inside(text: &str) -> Option<String> {
    let (first, rest) = text.split_once(' ')?;
    let adverb = first.trim_end_matches(',').to_ascii_lowercase();
    let (subject, verb) = rest.split_once(' ')?;
    if !is_subject(subject) || subject.ends_with(',') {
        return None;
    }
    if words::en("opening remarks").contains(&adverb.as_str()) {
        return Some(rest.to_owned());
    }
    if !words::en("opening adverbs").contains(&adverb.as_str()) {
        return None;
    }
    let mut words = verb.split(' ');
    let helper = words.next().unwrap_or_default();
    let after = words.next().unwrap_or_default();
    let helps = match helper.to_ascii_lowercase().as_str() {
        "am" | "are" | "was" | "were" | "can" | "could" | "should" | "would" | "must" | "might"
        | "may" | "will" => true,
        "have" | "had" => after == "been" || after.ends_with("ed"),
        _ => false,
    };
    // "I'm", "we've" hold the helping verb already.
    if helps {
        let rest = verb[helper.len()..].trim_start();
        return Some(format!("{subject} {helper} {adverb} {rest}"));
    }
    Some(format!("{subject} {adverb} {verb}"))
}

pub(super) fn is_subject(word: &str) -> bool {
    matches!(
        word.trim_end_matches(',').to_ascii_lowercase().as_str(),
        "i" | "i'm"
            | "im"
            | "i've"
            | "ive"
            | "i'd"
            | "i'll"
            | "we"
            | "we're"
            | "we've"
            | "we'd"
            | "we'll"
    )
}

/// What no person would write: an adverb left before the user, or the user named again where one naming is enough.
pub(super) fn is_broken(turned: &str) -> bool {
    let words: Vec<&str> = turned.split_whitespace().collect();
    let Some(first) = words.first() else {
        return true;
    };
    let opening = first.trim_end_matches(',').to_ascii_lowercase();
    let adverb = words::en("opening adverbs").contains(&opening.as_str())
        || words::en("opening remarks").contains(&opening.as_str())
        || opening.len() > 5
            && opening.ends_with("ly")
            && !words::en("no adverbs").contains(&opening.as_str());
    let users: Vec<usize> = (0..words.len())
        .filter(|at| words[*at].trim_matches(|c: char| !c.is_alphanumeric()) == "User")
        .collect();
    if adverb && words.iter().any(|word| word.starts_with("User")) {
        return true;
    }
    // "User is currently User is": nothing between the two begins another clause.
    users.windows(2).any(|pair| {
        let between = &words[pair[0] + 1..pair[1]];
        between.len() <= 2
            && !between.iter().any(|word| {
                word.ends_with(',')
                    || words::en("clause openings").contains(&word.to_ascii_lowercase().as_str())
            })
    })
}
