//! From sentences and probabilities to what is proposed.

use std::{collections::HashSet, ops::Range};

use chrono::NaiveDate;
use serde_json::Map;

use crate::date;

use super::{
    Found, about, feature,
    language::{self, Language},
    model::{self, Model},
    person, sentence,
    signal::{self, Signal, Signals},
    slot,
    typed::{self, Entity},
    words,
};

/// How sure the built-in extractor may ever be of a kind: an explicit fact outlasts a situation.
const CEILING: [f64; 3] = [0.94, 0.98, 0.89];
/// Under this probability there is nothing to remember, whatever the floor.
const LIKELY: f64 = 0.4;
/// Under this one not even a clause of it counts.
const UNLIKELY: f64 = 0.1;
/// Two clauses become two candidates only when both are this sure.
const SURE: f64 = 0.7;

const PREFERENCE: usize = 0;
const FACT: usize = 1;
const CONTEXT: usize = 2;

/// What the classifier and the signals say of one stretch of text.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    pub range: Range<usize>,
    pub kind: usize,
    pub slot: Option<String>,
    pub signals: Signals,
    /// Probability that there is something to remember.
    pub remember: f64,
    pub confidence: f64,
}

/// What was found in one stretch of text.
#[derive(Debug, Clone)]
pub(super) enum Reading {
    Statement(Verdict),
    Entity(Entity),
}

impl Reading {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Reading::Statement(verdict) => model::KINDS[verdict.kind],
            Reading::Entity(entity) => entity.kind,
        }
    }

    pub(super) fn confidence(&self) -> f64 {
        match self {
            Reading::Statement(verdict) => verdict.confidence,
            Reading::Entity(entity) => entity.confidence,
        }
    }

    fn range_mut(&mut self) -> &mut Range<usize> {
        match self {
            Reading::Statement(verdict) => &mut verdict.range,
            Reading::Entity(entity) => &mut entity.range,
        }
    }

    fn trust(&mut self, trust: f64) {
        match self {
            Reading::Statement(verdict) => verdict.confidence *= trust,
            Reading::Entity(entity) => entity.confidence *= trust,
        }
    }
}

/// [`super::extract`] with the weights of `model`.
pub(super) fn extract(
    model: &Model,
    message: &str,
    kinds: &[&str],
    today: NaiveDate,
) -> Vec<Found> {
    let mut seen = HashSet::new();
    readings(model, message, kinds)
        .into_iter()
        .filter(|(language, reading)| {
            reading.confidence() >= model.floor(*language) && kinds.contains(&reading.kind())
        })
        .map(|(language, reading)| match reading {
            Reading::Statement(verdict) => found(message, language, &verdict, today),
            Reading::Entity(entity) => found_entity(message, language, entity, today),
        })
        .filter(|found| seen.insert((found.kind, found.content.clone())))
        .collect()
}

/// Everything that may be remembered, whatever its confidence; entities only of `kinds`. Ranges are bytes of `message`.
pub(super) fn readings(model: &Model, message: &str, kinds: &[&str]) -> Vec<(Language, Reading)> {
    let mut all = Vec::new();
    let mut before = "";
    let sentences = sentence::sentences(message);
    let trust = about::trust(message, sentences.len());
    for range in sentences {
        let text = &message[range.clone()];
        let about_another = names_another(before, text);
        before = text;
        let Some(language) = language::of(text, message) else {
            continue;
        };
        if about_another {
            continue;
        }
        let here = entities(model, text, language, kinds).unwrap_or_else(|| {
            let statements = of_sentence(model, text, language);
            statements.into_iter().map(Reading::Statement).collect()
        });
        for mut reading in here {
            if trust < 1.0 && !speaks_of_the_user(text, language, &reading) {
                continue;
            }
            let place = reading.range_mut();
            *place = range.start + place.start..range.start + place.end;
            reading.trust(trust);
            all.push((language, reading));
        }
    }
    all
}

/// In what may be pasted, the words themselves must say that they are about the user; what somebody types is taken as theirs.
fn speaks_of_the_user(text: &str, language: Language, reading: &Reading) -> bool {
    match reading {
        Reading::Statement(verdict) => about::the_user(
            &text[verdict.range.clone()],
            language,
            reading.kind(),
            verdict.signals,
        ),
        Reading::Entity(_) => true,
    }
}

/// The typed entities of a sentence, with the statements that stand beside them; `None` where there is no entity.
fn entities(model: &Model, text: &str, language: Language, kinds: &[&str]) -> Option<Vec<Reading>> {
    let read = |range: Range<usize>| typed::read(model, text, range, language, kinds);
    let clauses = sentence::clauses(text, language);
    if clauses.len() > 1 {
        if verdict(model, text, 0..text.len(), language).remember < UNLIKELY {
            return None;
        }
        let parts: Vec<Reading> = clauses
            .iter()
            .filter_map(|range| {
                if let Some(entity) = read(range.clone()) {
                    return Some(Reading::Entity(entity));
                }
                let verdict = verdict(model, text, range.clone(), language);
                let apart = verdict.remember >= SURE
                    && verdict.kind != CONTEXT
                    && !verdict.signals.has(Signal::Question)
                    && (verdict.slot.is_some() || verdict.signals.has(Signal::Standing));
                apart.then_some(Reading::Statement(verdict))
            })
            .collect();
        let found: HashSet<&str> = parts.iter().map(Reading::kind).collect();
        let an_entity = parts.iter().any(|part| matches!(part, Reading::Entity(_)));
        if an_entity && (found.len() > 1 || signal::asks(text)) {
            return Some(parts);
        }
    }
    read(0..text.len()).map(|entity| vec![Reading::Entity(entity)])
}

/// 「犬を飼っています。名前はハナです。」: a name without an owner is that of whom the sentence before told.
fn names_another(before: &str, text: &str) -> bool {
    ["名前は", "名字叫", "名字是"]
        .iter()
        .any(|opening| text.starts_with(opening))
        && words::ja("named by others")
            .iter()
            .any(|word| before.contains(word))
}

fn of_sentence(model: &Model, text: &str, language: Language) -> Vec<Verdict> {
    let whole = verdict(model, text, 0..text.len(), language);
    let clauses: Vec<Verdict> = sentence::clauses(text, language)
        .into_iter()
        .map(|range| verdict(model, text, range, language))
        .collect();
    // A clause may state what the sentence only quotes, supposes or plays.
    if whole.remember < UNLIKELY {
        return Vec::new();
    }
    let asks = signal::asks(text);
    // "Could you never open with that?" asks, and is a way of working all the same.
    if asks && clauses.len() == 1 && whole.remember >= SURE {
        return vec![whole];
    }
    let last = clauses.len() - 1;
    // In Japanese only the end of a sentence asks; 「…して、」 goes on.
    let wants = |(at, clause): (usize, &Verdict)| {
        (language != Language::Japanese || at == last)
            && (clause.signals.has(Signal::Question) || is_task(clause))
    };
    if asks || (clauses.len() > 1 && clauses.iter().enumerate().any(wants)) {
        if !asks && whole.remember >= SURE {
            return vec![whole];
        }
        // A statement beside a question counts for facts and situations; a taste only where it is said to last, since
        // "I like X better, can we …?" speaks of the task.
        return clauses
            .into_iter()
            .filter(|clause| {
                !clause.signals.has(Signal::Question) && !is_task(clause) && clause.remember >= 0.5
            })
            .filter(|clause| {
                clause.kind != PREFERENCE
                    || clause.signals.has(Signal::Standing)
                    || (!asks && clause.remember >= SURE && !clause.signals.has(Signal::TaskBound))
            })
            .collect();
    }
    if clauses.len() > 1 {
        let groups = grouped(text, &clauses, language);
        if groups.len() > 1 {
            return groups
                .into_iter()
                .map(|range| verdict(model, text, range, language))
                .collect();
        }
    }
    if whole.remember >= LIKELY {
        vec![whole]
    } else {
        Vec::new()
    }
}

/// Asks for something to be done now, with no word that makes it a rule.
fn is_task(clause: &Verdict) -> bool {
    clause.signals.has(Signal::Request)
        && !clause.signals.has(Signal::Standing)
        && clause.remember < 0.5
}

/// Ranges of clauses that say different things: another kind, another slot, another person. Clauses that say nothing of
/// their own, or lean on the one before, go with it.
fn grouped(text: &str, clauses: &[Verdict], language: Language) -> Vec<Range<usize>> {
    let mut groups: Vec<(Range<usize>, usize, Option<&str>, bool)> = Vec::new();
    for clause in clauses {
        let third = clause.signals.has(Signal::ThirdParty);
        let slot = clause.slot.as_deref();
        let Some((range, kind, known, other)) = groups.last_mut() else {
            groups.push((clause.range.clone(), clause.kind, slot, third));
            continue;
        };
        let other_slot = known.is_some() && slot.is_some() && *known != slot;
        let other_thing = !same_kind(*kind, clause) || *other != third;
        let leans = leans(&text[range.clone()], &text[clause.range.clone()], language);
        if clause.remember >= SURE && (other_slot || (other_thing && !leans)) {
            groups.push((clause.range.clone(), clause.kind, slot, third));
        } else {
            range.end = clause.range.end;
            *known = known.or(slot);
        }
    }
    groups.into_iter().map(|group| group.0).collect()
}

/// `clause` needs what stands before it to be understood: "and I report to her", 「…していて、」, a Chinese clause without a
/// subject.
fn leans(before: &str, clause: &str, language: Language) -> bool {
    match language {
        Language::English => clause
            .split(|c: char| !(c.is_alphanumeric() || c == '\''))
            .any(|word| {
                [
                    "it", "her", "him", "them", "that", "this", "there", "he", "she", "they",
                    "both", "so",
                ]
                .contains(&word.to_ascii_lowercase().as_str())
            }),
        Language::Japanese => {
            let own_subject = ["私", "僕", "俺"]
                .iter()
                .any(|word| clause.starts_with(word));
            before.ends_with(['て', 'で']) && !own_subject
                || ["それ", "その", "これ", "彼"]
                    .iter()
                    .any(|word| clause.contains(word))
        }
        Language::Chinese => !clause.contains(['我', '咱', '请', '請']),
    }
}

/// What somebody is working on, told beside what they are and with no date or plan of its own, belongs to it.
fn same_kind(kind: usize, clause: &Verdict) -> bool {
    kind == clause.kind
        || (kind == FACT
            && clause.kind == CONTEXT
            && clause.slot.is_none()
            && !clause.signals.has(Signal::Situation))
}

pub(super) fn verdict(
    model: &Model,
    text: &str,
    range: Range<usize>,
    language: Language,
) -> Verdict {
    let clause = &text[range.clone()];
    let signals = signal::of(clause, language);
    let p = if says_too_little(clause, language) || about::is_code(clause) {
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    } else {
        model.probabilities(language, &feature::features(clause, language, signals))
    };
    let kind = [PREFERENCE, FACT, CONTEXT]
        .into_iter()
        .fold(
            PREFERENCE,
            |best, kind| if p[kind] > p[best] { kind } else { best },
        );
    let mut remember = 1.0 - p[model::NONE];
    if signals.has(Signal::Hypothetical) {
        remember *= 0.3;
    }
    let mut confidence = CEILING[kind] * (remember + p[kind].min(remember)) / 2.0;
    if signals.has(Signal::Hypothetical) {
        confidence *= 0.3;
    }
    if signals.has(Signal::Hedge) {
        confidence *= 0.9;
    }
    if signals.has(Signal::ThirdParty) {
        confidence *= 0.9;
    }
    Verdict {
        slot: slot::name(
            clause,
            language,
            model::KINDS[kind],
            signals.has(Signal::ThirdParty),
        ),
        range,
        kind,
        signals,
        remember,
        confidence,
    }
}

/// One word is an answer or a command, not a statement.
fn says_too_little(clause: &str, language: Language) -> bool {
    let letters = clause.chars().filter(|c| c.is_alphabetic()).count();
    match language {
        Language::English => letters < 6 || clause.split_whitespace().count() < 2,
        Language::Japanese | Language::Chinese => letters < 3,
    }
}

fn found(message: &str, language: Language, verdict: &Verdict, today: NaiveDate) -> Found {
    let range = sentence::whole_graphemes(message, verdict.range.clone());
    let quote = &message[range.clone()];
    let start = message[..range.start].chars().count();
    let third_party = verdict.signals.has(Signal::ThirdParty);
    let mut metadata = Map::new();
    if verdict.kind == CONTEXT
        && let Some(date) = date::ahead(quote, today)
    {
        metadata.insert("date".to_owned(), date.value.into());
    }
    Found {
        kind: model::KINDS[verdict.kind],
        name: verdict.slot.clone(),
        content: person::third_person(
            quote,
            language,
            verdict.kind == PREFERENCE,
            verdict.kind == CONTEXT,
        ),
        start,
        end: start + quote.chars().count(),
        quote: quote.to_owned(),
        confidence: verdict.confidence,
        importance: importance(verdict),
        third_party,
        metadata,
    }
}

fn found_entity(message: &str, language: Language, entity: Entity, today: NaiveDate) -> Found {
    let entity = entity.said_on(today);
    let range = sentence::whole_graphemes(message, entity.range);
    let quote = &message[range.clone()];
    let start = message[..range.start].chars().count();
    Found {
        kind: entity.kind,
        name: entity.name,
        content: person::third_person(quote, language, false, true),
        start,
        end: start + quote.chars().count(),
        quote: quote.to_owned(),
        confidence: entity.confidence,
        importance: entity.importance,
        third_party: entity.third_party,
        metadata: entity.metadata,
    }
}

/// The bands of B3: stated preferences at 0.9 and up, implied ones and situations between 0.5 and 0.8, what somebody else
/// is or likes below.
fn importance(verdict: &Verdict) -> f64 {
    let has = |signal| verdict.signals.has(signal);
    let base: f64 = match verdict.kind {
        PREFERENCE if has(Signal::Taste) || has(Signal::Standing) || has(Signal::Answering) => 0.9,
        PREFERENCE => 0.7,
        FACT if verdict.slot.is_some() => 0.85,
        FACT => 0.75,
        _ if has(Signal::Situation) => 0.7,
        _ => 0.55,
    };
    let emphasis: f64 = if has(Signal::Emphasis) { 0.05 } else { 0.0 };
    let others: f64 = if has(Signal::ThirdParty) { -0.3 } else { 0.0 };
    let doubt: f64 = if has(Signal::Hedge) { -0.1 } else { 0.0 };
    // Hundredths: a figure people read.
    ((base + emphasis + others + doubt).clamp(0.0, 1.0) * 100.0).round() / 100.0
}
