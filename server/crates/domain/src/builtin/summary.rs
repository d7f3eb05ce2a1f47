//! The summary of a session: one to three sentences of the user, word for word (C4). Nothing is rephrased, so nothing is invented.
//!
//! Picked are what the user wanted, what they decided and what they stated, in the order in which it was said. A session of thanks,
//! greetings and short answers has none.

use std::ops::Range;

use super::{
    about,
    judge::{self, Reading},
    language::{self, Language},
    model, sentence,
    signal::{self, Signal, Signals},
    typed,
};
use crate::{conversation::Role, gate, secret};

/// Most sentences of a summary.
const SENTENCES: usize = 3;
/// A sentence under this says nothing of the session.
const LEAST: f64 = 0.4;
/// A message of more sentences is pasted: only its first ones are the user's own talk.
const OWN: usize = 3;
const SHORTEST: usize = 12;
const SHORTEST_JAPANESE: usize = 8;
const SHORTEST_CHINESE: usize = 6;

/// A turn of the session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SummaryTurn<'a> {
    /// Who speaks; only a user's words are picked.
    pub role: Role,
    /// What was said.
    pub text: &'a str,
}

/// What a session was about.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The user's own sentences, in quotation marks.
    pub content: String,
    /// 0.0 to 1.0: decisions weigh more than questions.
    pub importance: f64,
    /// BCP 47 primary tag of the language that most of it is in: `en`, `ja`, `zh`.
    pub language: &'static str,
}

/// A sentence that may be picked.
struct Picked<'a> {
    turn: usize,
    at: usize,
    text: &'a str,
    language: Language,
    weight: f64,
    decided: bool,
}

/// Sums up a session; `None` where it holds nothing to tell. Deterministic.
#[must_use]
pub fn summary(turns: &[SummaryTurn<'_>]) -> Option<Summary> {
    let mut all: Vec<Picked<'_>> = Vec::new();
    for (turn, said) in turns.iter().enumerate() {
        if said.role != Role::User || gate::asked_not_to_remember(said.text) {
            continue;
        }
        all.extend(sentences_of(said.text, turn, all.is_empty()));
    }
    all.sort_by(|left, right| {
        right
            .weight
            .total_cmp(&left.weight)
            .then((left.turn, left.at).cmp(&(right.turn, right.at)))
    });
    let mut picked: Vec<Picked<'_>> = Vec::new();
    for sentence in all {
        let said_already = picked.iter().any(|other| {
            crate::text::normal_form(other.text) == crate::text::normal_form(sentence.text)
        });
        if sentence.weight >= LEAST && picked.len() < SENTENCES && !said_already {
            picked.push(sentence);
        }
    }
    picked.sort_by_key(|sentence| (sentence.turn, sentence.at));
    let language = Language::ALL
        .into_iter()
        .max_by_key(|language| {
            let said = picked
                .iter()
                .filter(|sentence| sentence.language == *language);
            // Of two languages with as much the first of the list.
            (said.count(), std::cmp::Reverse(language.index()))
        })
        .filter(|_| !picked.is_empty())?;
    let most = picked
        .iter()
        .map(|sentence| sentence.weight)
        .fold(0.0, f64::max);
    let decided = picked.iter().any(|sentence| sentence.decided);
    let importance: f64 = 0.45 + 0.2 * most.min(1.0) + if decided { 0.15 } else { 0.0 };
    Some(Summary {
        content: content(&picked, language),
        importance: (importance * 100.0).round() / 100.0,
        language: language.tag(),
    })
}

fn sentences_of(message: &str, turn: usize, first: bool) -> Vec<Picked<'_>> {
    let ranges = sentence::sentences(message);
    let readings = judge::readings(model::embedded(), message, &typed::KINDS);
    let trust = about::trust(message, ranges.len());
    let mut all = Vec::new();
    for (at, range) in ranges.into_iter().take(OWN * 2).enumerate() {
        let text = &message[range.clone()];
        let Some(language) = language::of(text, message) else {
            continue;
        };
        let signals = signal::of(text, language);
        if !says_something(text, language, signals) {
            continue;
        }
        let stated = readings
            .iter()
            .filter(|(_, reading)| within(place(reading), &range))
            .map(|(_, reading)| reading)
            .max_by(|left, right| left.confidence().total_cmp(&right.confidence()));
        let decided = stated.is_some_and(|reading| reading.kind() == "decision");
        let mut weight = stated.map_or(0.0, Reading::confidence) * if decided { 1.1 } else { 0.9 };
        if wants(text, signals) {
            weight = weight.max(if first && at < OWN { 0.85 } else { 0.5 });
        }
        if at >= OWN {
            weight *= 0.6;
        }
        all.push(Picked {
            turn,
            at,
            text,
            language,
            weight: weight * trust.max(0.6),
            decided,
        });
    }
    all
}

fn place(reading: &Reading) -> &Range<usize> {
    match reading {
        Reading::Statement(verdict) => &verdict.range,
        Reading::Entity(entity) => &entity.range,
    }
}

fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Not thanks, not "yes, do it", no code, no secret.
fn says_something(text: &str, language: Language, signals: Signals) -> bool {
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    let least = match language {
        Language::English => SHORTEST,
        Language::Japanese => SHORTEST_JAPANESE,
        Language::Chinese => SHORTEST_CHINESE,
    };
    let small_talk = signals.has(Signal::SmallTalk) && letters < least * 3;
    letters >= least && !small_talk && !secret::holds(text) && !about::is_label_or_code(text)
}

/// A question or a request: what the user came for.
fn wants(text: &str, signals: Signals) -> bool {
    signal::asks(text) || signals.has(Signal::Question) || signals.has(Signal::Request)
}

/// The sentences of an earlier [`Summary::content`], so that a longer session is summed up from them and what came after.
#[must_use]
pub fn picked_before(content: &str) -> Vec<&str> {
    let Some((marks, rest)) = OPENINGS.iter().find_map(|(opening, open, close)| {
        content
            .strip_prefix(opening)
            .map(|rest| ((*open, *close), rest))
    }) else {
        return Vec::new();
    };
    rest.split(marks.1)
        .filter_map(|part| part.trim_start().strip_prefix(marks.0))
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

/// How a summary begins in each language, and its quotation marks.
const OPENINGS: [(&str, char, char); 3] = [
    ("User said: ", '“', '”'),
    ("ユーザーの発言：", '「', '」'),
    ("用户说：", '“', '”'),
];

fn content(picked: &[Picked<'_>], language: Language) -> String {
    let words: Vec<String> = picked
        .iter()
        .map(|sentence| {
            sentence
                .text
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let (opening, open, close) = OPENINGS[language.index()];
    let quoted: Vec<String> = words
        .iter()
        .map(|words| format!("{open}{words}{close}"))
        .collect();
    let between = if language == Language::English {
        " "
    } else {
        ""
    };
    format!("{opening}{}", quoted.join(between))
}
