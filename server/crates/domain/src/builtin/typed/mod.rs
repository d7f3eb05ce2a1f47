//! Typed entities, where it is sure (B1): metrics with value, unit and period, decisions, pain points.
//!
//! The classifier says what a stretch of text is; the rules of each kind must then find what
//! the kind cannot be without: a metric its name and value, a decision what was decided. What they do not find is no entity and is
//! judged like any other sentence.

pub(super) mod amount;
mod decision;
mod metric;
mod pain_point;

use std::ops::Range;

use chrono::NaiveDate;
use serde_json::{Map, Value};

use super::{
    about, feature,
    language::Language,
    model::{self, Model},
    signal::{self, Signal, Signals},
    words,
};
use crate::period;

/// The kinds of this module, in the order of the classifier.
pub(super) const KINDS: [&str; 3] = [
    model::KINDS[model::TYPED],
    model::KINDS[model::TYPED + 1],
    model::KINDS[model::TYPED + 2],
];

/// How sure the built-in extractor may ever be of each.
const CEILING: [f64; 3] = [0.92, 0.95, 0.90];
/// Under this probability it is no entity.
const LIKELY: f64 = 0.3;
/// From this one on, words that no list knows may name a metric.
const SURE: f64 = 0.45;

/// An entity read from a stretch of text.
#[derive(Debug, Clone)]
pub(super) struct Entity {
    pub kind: &'static str,
    pub range: Range<usize>,
    pub name: Option<String>,
    pub metadata: Map<String, Value>,
    pub confidence: f64,
    pub importance: f64,
    pub third_party: bool,
}

impl Entity {
    /// With the period that its words mean on the day `on`; the words themselves stay in the evidence.
    pub(super) fn said_on(mut self, on: NaiveDate) -> Self {
        let meant = self
            .metadata
            .get("period")
            .and_then(Value::as_str)
            .and_then(|said| period::absolute(said, on));
        if let Some(meant) = meant {
            self.metadata.insert("period".to_owned(), meant.into());
        }
        self
    }
}

/// What the rules of a kind found.
struct Parts {
    name: Option<String>,
    metadata: Map<String, Value>,
    importance: f64,
}

/// The entity that `text[range]` is, where one of `kinds` fits.
pub(super) fn read(
    model: &Model,
    text: &str,
    range: Range<usize>,
    language: Language,
    kinds: &[&str],
) -> Option<Entity> {
    if !KINDS.iter().any(|kind| kinds.contains(kind)) {
        return None;
    }
    let clause = &text[range.clone()];
    let signals = signal::of(clause, language);
    if !can_be(clause, language, signals) {
        return None;
    }
    let p = model.probabilities(language, &feature::features(clause, language, signals));
    let (statements, p) = p[..model::NONE].split_at(model::TYPED);
    let best = (0..KINDS.len()).fold(0, |best, kind| if p[kind] > p[best] { kind } else { best });
    let likelier = statements.iter().any(|statement| *statement > p[best]);
    if likelier || p[best] < LIKELY || !kinds.contains(&KINDS[best]) {
        return None;
    }
    let parts = match best {
        0 => metric::parts(clause, language, signals, p[best] >= SURE)?,
        1 => decision::parts(clause, language),
        _ => pain_point::parts(clause, language),
    };
    let mut confidence = CEILING[best] * (1.0 + p[best]) / 2.0;
    for (signal, times) in [
        (Signal::Hedge, 0.92),
        (Signal::Reported, 0.8),
        (Signal::TaskBound, 0.93),
        (Signal::ThirdParty, 0.9),
    ] {
        if signals.has(signal) {
            confidence *= times;
        }
    }
    let emphasis = if signals.has(Signal::Emphasis) {
        0.05
    } else {
        0.0
    };
    Some(Entity {
        kind: KINDS[best],
        range,
        name: parts.name.map(|name| shortened(&name)),
        metadata: parts.metadata,
        confidence,
        importance: ((parts.importance + emphasis).min(1.0) * 100.0).round() / 100.0,
        third_party: signals.has(Signal::ThirdParty),
    })
}

/// A question, a supposition, an order or code is none of the three.
fn can_be(clause: &str, language: Language, signals: Signals) -> bool {
    let has = |signal| signals.has(signal);
    let folded = feature::fold(clause);
    let supposes = ["if ", "suppose ", "imagine ", "もし", "仮に"]
        .iter()
        .any(|opening| folded.starts_with(opening));
    let asks = signal::asks(clause) || language == Language::English && has(Signal::Question);
    let stated = !asks && !supposes && !has(Signal::Hypothetical);
    stated && !about::is_code(clause) && !words::of(language).has("untyped", &folded)
}

/// The longest name that still names: a sentence is none.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 80;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let cut: String = name.chars().take(LONGEST).collect();
    match cut.rsplit_once(' ') {
        Some((whole, _)) if name.contains(' ') => whole.to_owned(),
        _ => cut,
    }
}

/// The campaign that `clause` names.
fn campaign(clause: &str, language: Language) -> Option<String> {
    use std::sync::LazyLock;

    use regex::Regex;

    static NAMED: LazyLock<[Regex; 3]> = LazyLock::new(|| {
        [
            r#"(?:the |our )?["“]?([A-Z][\w-]*(?: [A-Z0-9][\w-]*){0,3})["”]? [Cc]ampaign|[Cc]ampaign ["“]?([A-Z][\w-]*(?: [A-Z0-9][\w-]*){0,2})"#,
            r"「([^」]{1,30})」(?:の)?(?:広告)?キャンペーン|([\p{Katakana}ー\p{Han}A-Za-z0-9]{1,20})キャンペーン",
            r"[“「《]([^”」》]{1,30})[”」》](?:推广|广告)?(?:活动|计划|系列)|([\p{Han}A-Za-z0-9]{2,10}?)(?:推广活动|广告系列|推广计划|营销活动)",
        ]
        .map(|pattern| Regex::new(pattern).expect("a written pattern"))
    });
    let found = NAMED[language as usize].captures(clause)?;
    let name = found.get(1).or_else(|| found.get(2))?.as_str().trim();
    let no_name = [
        "The",
        "Our",
        "This",
        "That",
        "My",
        "A",
        "这个",
        "那个",
        "我们的",
        "この",
        "その",
    ];
    (!no_name.contains(&name) && !name.is_empty()).then(|| name.to_owned())
}

/// The first of `openings` at the start of `text`, taken off; case does not count.
fn without_opening<'a>(text: &'a str, openings: &[&str]) -> &'a str {
    openings
        .iter()
        .find_map(|opening| {
            let head = text.get(..opening.len())?;
            head.eq_ignore_ascii_case(opening)
                .then(|| &text[opening.len()..])
        })
        .unwrap_or(text)
}
