//! Does a clause speak of the user at all? A classifier that was trained on a few thousand sentences is sure of itself on text
//! that is like none of them: headings, code, stories, pasted mails. What follows is what every memory must have.

use super::{
    feature::fold,
    language::Language,
    signal::{Signal, Signals},
    words,
};

/// Up to here a message is what somebody says; beyond, more and more of it is pasted.
const SPOKEN: usize = 4;
const PASTED: usize = 14;

/// How far a message of so many sentences is the user's own talk, 0.4 to 1.0.
pub(super) fn trust(message: &str, sentences: usize) -> f64 {
    let handed_over = words::en("handed over")
        .iter()
        .any(|word| message.to_ascii_lowercase().contains(word));
    let many: f64 = if sentences <= SPOKEN {
        1.0
    } else {
        1.0 - 0.06 * (sentences.min(PASTED) - SPOKEN) as f64
    };
    // Fiction is told in the first person too.
    let played = Language::ALL
        .into_iter()
        .any(|language| words::of(language).has("played", &message.to_lowercase()));
    if played {
        return many * 0.6;
    }
    // "Summarise this for me:" and what stands under it is somebody else's.
    if handed_over && (message.trim().contains('\n') || sentences > 3) {
        many * 0.6
    } else {
        many
    }
}

/// True where `clause` can be a memory of this `kind` at all.
pub(super) fn the_user(clause: &str, language: Language, kind: &str, signals: Signals) -> bool {
    if is_label_or_code(clause) {
        return false;
    }
    let has = |signal| signals.has(signal);
    if has(Signal::Stranger) && !has(Signal::FirstPerson) {
        return false;
    }
    let folded = fold(clause);
    match language {
        Language::English => english(&folded, kind, signals),
        // The subject is left out in both; what is said politely and of nobody else is said of the speaker.
        Language::Japanese => {
            let polite = [
                "です",
                "ます",
                "ません",
                "でした",
                "ました",
                "ください",
                "ほしい",
            ]
            .iter()
            .any(|end| {
                folded
                    .trim_end_matches(['。', '！', '!', 'ね', 'よ'])
                    .ends_with(end)
            });
            polite && !has(Signal::Technical) || of_kind(kind, signals)
        }
        Language::Chinese => of_kind(kind, signals),
    }
}

fn of_kind(kind: &str, signals: Signals) -> bool {
    let has = |signal| signals.has(signal);
    match kind {
        "preference" => {
            has(Signal::Taste)
                || has(Signal::Standing)
                || has(Signal::Answering) && !has(Signal::TaskBound)
                || has(Signal::FirstPerson)
        }
        "fact" => has(Signal::Identity) || has(Signal::FirstPerson) || has(Signal::ThirdParty),
        _ => has(Signal::Situation) || has(Signal::FirstPerson) || has(Signal::ThirdParty),
    }
}

fn english(folded: &str, kind: &str, signals: Signals) -> bool {
    let has = |signal| signals.has(signal);
    let words = folded.split_whitespace().count();
    let opens = words::en("speaker openings")
        .iter()
        .any(|opening| folded.starts_with(opening));
    if kind == "preference" && is_order(folded) {
        // "Include emojis" is a task; "always include emojis" and "don't use emojis with me" are ways of working.
        let of_the_user = folded.contains("don't") && has(Signal::FirstPerson);
        return has(Signal::Standing)
            || lasting_style(folded)
            || of_the_user && !has(Signal::TaskBound) && !has(Signal::Technical);
    }
    let says = |list| words::en(list).iter().any(|phrase| folded.contains(phrase));
    if says("story roles") || says("task tastes") && !has(Signal::Standing) {
        return false;
    }
    if kind == "preference" && says("wishes") && !folded.contains("to avoid") {
        // "I want it in blue" is the task; "I want sources with every answer" is a way of working.
        return has(Signal::Standing) || has(Signal::Answering) && !has(Signal::TaskBound);
    }
    if words::en("aims").iter().any(|aim| folded.contains(aim)) && !has(Signal::Situation) {
        // "I want to simplify the extension" is the task; "I want to learn Spanish this year" is a goal.
        return has(Signal::Standing);
    }
    if speaks(folded) {
        return !words::en("no person")
            .iter()
            .any(|opening| folded.starts_with(opening));
    }
    if opens
        && words::en("no person")
            .iter()
            .any(|opening| folded.starts_with(opening))
    {
        return false;
    }
    match kind {
        "preference" => {
            opens && words <= 12
                || words <= 8
                    && !has(Signal::TaskBound)
                    && !has(Signal::Technical)
                    && (has(Signal::Answering) || folded.contains(" over "))
                    && (has(Signal::Taste) || has(Signal::Standing) || folded.contains("please"))
                || words <= 14 && has(Signal::Standing) && has(Signal::Answering)
        }
        "fact" => opens && words <= 14 || folded.ends_with(" here") && words <= 10,
        _ => {
            words <= 16
                && words::en("occasions")
                    .iter()
                    .any(|word| folded.contains(word))
                || opens && words <= 12 && folded.starts_with("just ")
        }
    }
}

/// The speaker is the subject, early in the clause, or the one for whom something holds.
fn speaks(folded: &str) -> bool {
    let words: Vec<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let subject = |word: &&str| {
        matches!(
            *word,
            "i" | "i'm"
                | "im"
                | "i've"
                | "ive"
                | "i'd"
                | "i'll"
                | "we"
                | "we're"
                | "we've"
                | "we'll"
                | "we'd"
        )
    };
    let owner = words
        .iter()
        .take(4)
        .position(|word| matches!(*word, "my" | "our"))
        .is_some_and(|at| at < 3 && words.len() > at + 3);
    let fillers = words.iter().take(9).any(subject)
        || words.windows(2).any(|pair| {
            matches!(
                pair[0],
                "so" | "because" | "and" | "but" | "since" | "that's" | "what" | "how"
            ) && subject(&pair[1])
        });
    let holds = [
        "for me",
        "with me",
        "to me",
        "of us",
        "bore me",
        "bores me",
        "no from me",
        "me to sleep",
        "helps me",
        "relaxes me",
        "scares me",
        "tires me",
        "put me",
        "suits me",
        "bothers me",
        "annoys me",
        "drives me",
        "my thing",
        "is my ",
        "are my ",
        "my kind of",
        "my favourite",
        "my favorite",
        "is mine",
        "my eyes",
    ]
    .iter()
    .any(|word| folded.contains(word));
    fillers || owner || holds
}

fn is_order(folded: &str) -> bool {
    let first = folded
        .split([' ', ','])
        .find(|word| {
            !matches!(
                *word,
                "please" | "and" | "but" | "just" | "so" | "also" | "ok" | "then" | "now" | ""
            )
        })
        .unwrap_or_default();
    words::en("task orders").contains(&first)
}

/// Ways of answering that nobody asks for once: the length and manner of "your answers", no emojis, units.
fn lasting_style(folded: &str) -> bool {
    [
        "your answers",
        "your replies",
        "your responses",
        "your explanations",
        "all answers",
        "the answers",
        "with me",
        "call me",
        "when you",
        "talk to me like",
        "talk to me as",
        "no emoji",
        "use emoji",
        "metric units",
        "small talk",
        "jargon",
    ]
    .iter()
    .any(|word| folded.contains(word))
        && !folded.starts_with("include")
        && !folded.starts_with("add ")
}

/// "Occupation: lawyer", `x = 3`, `[1] Smith et al.`, JONATHAN: (sighs).
pub(super) fn is_label_or_code(clause: &str) -> bool {
    is_code(clause) || is_label(clause)
}

pub(super) fn is_code(clause: &str) -> bool {
    let code = [
        "==", "->", "\\_", "();", "://", " = ", "&&", "||", "();", "@", "#{", "${", "</", "/>",
        "::", "\\", "***", "|",
    ];
    code.iter().any(|mark| clause.contains(mark))
        || clause.starts_with(['[', '(', '{', '<', '/', '#', '@', '$', '=', '%'])
}

fn is_label(clause: &str) -> bool {
    let label = clause.split([':', '：']).next().unwrap_or_default();
    if label.len() < clause.len() {
        let lower = label.to_lowercase();
        let introduces = [
            "note",
            "remember",
            "fyi",
            "ps",
            "p.s.",
            "context",
            "background",
            "btw",
            "for the record",
            "about me",
            "reminder",
            "メモ",
            "备注",
            "补充",
        ]
        .iter()
        .any(|word| lower.trim() == *word || lower.starts_with("i ") || lower.starts_with("my "));
        return !introduces
            && label.split_whitespace().count() <= 4
            && label.chars().count() <= 30
            && !label.chars().any(|c| c.is_ascii_digit());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::signal;
    use super::*;

    fn about(clause: &str, kind: &str) -> bool {
        the_user(
            clause,
            Language::English,
            kind,
            signal::of(clause, Language::English),
        )
    }

    #[test]
    fn headings_code_labels_and_orders_are_not_about_the_user() {
        assert!(!about("Health and Wellness", "fact"));
        assert!(!about("Occupation: Entrepreneur", "fact"));
        assert!(!about("alpha = 0.1", "context"));
        assert!(!about("Include emojis where applicable", "preference"));
        assert!(!about(
            "The native monkeys were taken by surprise",
            "context"
        ));
        assert!(!about(
            "Summary of the key takeaways from the book",
            "preference"
        ));
        assert!(!about("I want to simplify the extension", "context"));
        assert!(!about("If I am a consultant", "fact"));
        assert!(!about("as a joke", "fact"));
        assert!(!about("I want it in blue", "preference"));
        assert!(!about("I like these very much", "preference"));
        assert!(about("I want sources with every answer", "preference"));
        assert!(!about("Give me a more detailed answer", "preference"));
        assert!(!about("Stab the bear in the eye with my dagger", "context"));
        assert!(about("I prefer short answers", "preference"));
        assert!(about("Always answer in French", "preference"));
        assert!(about("Keep your answers short", "preference"));
        assert!(about("allergic to nuts", "fact"));
        assert!(about("The deadline is Friday", "context"));
    }

    #[test]
    fn pasted_text_is_trusted_less() {
        assert_eq!(trust("I'm a nurse. I live in Oslo.", 2), 1.0);
        assert!(trust("Let's role-play. I am the queen of the north.", 2) < 0.7);
        assert!(trust("one. two", 40) < 0.5);
        assert!(trust("Summarise this mail for me\n\nHi, I'm Bob", 2) < 0.7);
    }
}
