//! A measured value: name, value, unit, period, campaign.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;
use serde_json::{Map, Value, json};

use super::{
    Parts,
    amount::{self, Amount},
};
use crate::builtin::{
    language::Language,
    signal::{Signal, Signals},
    words,
};

/// A figure that decides about the business: its importance is that of a decision (B3).
const IMPORTANT: f64 = 0.9;
const USUAL: f64 = 0.75;

static PERIOD: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)\b(?:(?:in |for |during )?q[1-4](?: 20\d\d)?|(?:in |for )?h[12](?: 20\d\d)?|(?:this|last|previous|past|current) (?:day|week|weekend|month|quarter|year|sprint|season)|yesterday|today|last night|year to date|ytd|(?:in the |over the )?(?:last|past|trailing) (?:\d+|two|three|six|twelve) (?:days|weeks|months)|(?:in |for |since )(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: 20\d\d)?|in 20\d\d|(?:a|per|each|every) (?:day|week|month|quarter|year)|daily|weekly|monthly|quarterly|annually|year over year|month over month|week over week|on black friday)\b",
        r"(?:Q[1-4]|第[1-4一二三四１-４]四半期|(?:20\d\d年)?\d{1,2}月(?:度|期|分)?|20\d\d年度?|先月|今月|先週|今週|昨日|本日|今日|昨年|去年|今年|今期|前期|昨年度|今年度|上半期|下半期|直近\d+(?:日間?|週間|か月|ヶ月)|過去\d+(?:日間?|週間|か月|ヶ月)|月間|年間|週間|毎月|毎週|1日あたり|月あたり)",
        r"(?:Q[1-4]|第[1-4一二三四]季度|(?:20\d\d年)?\d{1,2}月份?|20\d\d年|上个?月|这个月|本月|上个?周|上周|这周|本周|昨天|今天|去年|今年|上个?季度|这个季度|本季度|上半年|下半年|(?:最近|过去|近)\d+(?:天|周|个月)|双十一(?:期间)?|每天|每周|每月|每个月|每年|月均|日均)",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

/// Nobody named it: the subject of the sentence does.
static SUBJECT: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)(?:^|\b(?:our|my|the team's|the)\s+)([a-z][\w%/-]*(?:\s+[\w%/&-]+){0,4}?)\s+(?:now |currently |already |just |has |have |is now |was only )?(?:is|was|are|were|hit|reached|rose|fell|dropped|grew|climbed|jumped|went|stands|sits|averages|averaged|came|increased|decreased|improved|shrank|slipped|declined|doubled|ended|closed|hovers)\b",
        r"([\p{Han}\p{Katakana}ーA-Za-z0-9・/]{2,20}?)(?:は|が|も)",
        r"(?:我们的?|公司的?|团队的?|店里的?|平台的?)?([\p{Han}A-Za-z/]{2,12}?)(?:现在|目前|已经|大概|平均|一直|也)?(?:是|为|达到|涨到|升到|降到|跌到|提高到|提升到|下降到|从|只有|有|稳定在|维持在|突破|增长|减少|回落|上升|下降|比|不到|刚过|接近|超过|\d|百分)",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

/// `sure`: the classifier is, so that words which no list knows may name it.
pub(super) fn parts(
    clause: &str,
    language: Language,
    signals: Signals,
    sure: bool,
) -> Option<Parts> {
    let amounts = amount::amounts(clause, language == Language::Chinese);
    let (name, at) = name(clause, language)
        .or_else(|| by_its_verb(clause, language, &amounts))
        .or_else(|| {
            sure.then(|| by_the_rest(clause, language, &amounts))
                .flatten()
        })?;
    let period = period(clause, language, &at);
    let amount = measured(clause, &amounts, &at, period.as_ref(), language)?;
    let known = sure
        || at.is_empty()
        || words::of(language).has("metric", &clause[at.clone()].to_lowercase());
    // Something with a number is no metric yet: a known name, or a unit that measures.
    if !known && amount.unit.is_none() {
        return None;
    }
    let campaign = super::campaign(clause, language);
    let mut metadata = Map::new();
    metadata.insert("metric".to_owned(), json!(name));
    metadata.insert("value".to_owned(), number(amount.value));
    metadata.insert("unit".to_owned(), json!(amount.unit));
    metadata.insert(
        "period".to_owned(),
        json!(period.map(|range| said_period(&clause[range]))),
    );
    metadata.insert("campaign".to_owned(), json!(campaign));
    let important =
        signals.has(Signal::Emphasis) || words::of(language).has("critical metric", &name);
    Some(Parts {
        name: Some(match &campaign {
            Some(campaign) => format!("{name} ({campaign})"),
            None => name,
        }),
        metadata,
        importance: if important { IMPORTANT } else { USUAL },
    })
}

/// Whole numbers without a point: 45, not 45.0.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

fn said_period(words: &str) -> String {
    let lower = words.trim().to_lowercase();
    let bare = ["in the ", "over the ", "in ", "for ", "during ", "since "]
        .iter()
        .find_map(|opening| lower.strip_prefix(opening))
        .unwrap_or(&lower)
        .to_owned();
    // Quarters and months keep their capitals: Q3, March.
    let start = words.trim().len() - bare.len();
    words.trim()[start..].to_owned()
}

/// The metric's name and where it stands: one of the list, the longest; else the subject.
fn name(clause: &str, language: Language) -> Option<(String, Range<usize>)> {
    let lower = clause.to_lowercase();
    if lower.len() == clause.len()
        && let Some((at, word)) = words::of(language)
            .items("metric")
            .filter_map(|word| place(&lower, word, language).map(|at| (at, word)))
            .max_by_key(|(at, word)| (word.len(), std::cmp::Reverse(*at)))
    {
        let mut range = at..at + word.len();
        widen(&lower, &mut range, language);
        return Some((lower[range.clone()].trim().to_owned(), range));
    }
    let subject = SUBJECT[language as usize].captures(clause)?.get(1)?;
    let name = subject.as_str().trim().to_lowercase();
    let no_metric = words::of(language).items("no metric").any(|word| {
        name == word || language == Language::English && name.ends_with(&format!(" {word}"))
    });
    (!no_metric && !name.is_empty()).then(|| (name, subject.range()))
}

/// "Converts at 2.8 %" is a conversion rate, 卖了 a sales figure; else what is counted is the metric: "1,240 members".
fn by_its_verb(
    clause: &str,
    language: Language,
    amounts: &[Amount],
) -> Option<(String, Range<usize>)> {
    let lower = clause.to_lowercase();
    let verb = words::of(language)
        .items("metric verb")
        .filter_map(|item| item.split_once('='))
        .find_map(|(verb, name)| Some((name.to_owned(), place(&lower, verb, language)?)));
    if let Some((name, at)) = verb {
        return Some((name, at..at));
    }
    amounts.iter().find_map(|amount| {
        let counted = match amount.unit.as_deref() {
            Some(unit) => words::of(language)
                .items("counted")
                .find(|word| *word == unit)?
                .to_owned(),
            None if language == Language::English => plural(&lower[amount.range.end..])?,
            None => return None,
        };
        Some((counted, amount.range.start..amount.range.start))
    })
}

/// What is left of the clause without its figures and its period: "we answered 91% of calls in August" is about "answered of calls".
fn by_the_rest(
    clause: &str,
    language: Language,
    amounts: &[Amount],
) -> Option<(String, Range<usize>)> {
    const LONGEST: usize = 60;
    let first = amounts.first()?;
    let mut rest = String::new();
    let mut end = 0;
    let periods = PERIOD[language as usize]
        .find_iter(clause)
        .map(|found| found.range());
    let mut left_out: Vec<Range<usize>> = amounts
        .iter()
        .map(|amount| amount.range.clone())
        .chain(periods)
        .collect();
    left_out.sort_by_key(|range| range.start);
    for range in left_out {
        if range.start >= end {
            rest.push_str(&clause[end..range.start]);
            rest.push(' ');
        }
        end = end.max(range.end);
    }
    rest.push_str(&clause[end..]);
    let rest = rest.to_lowercase();
    let words: Vec<&str> = rest
        .split(|c: char| c.is_whitespace() || ",.;:!?，。、；：！？()（）".contains(c))
        .filter(|word| !matches!(*word, "" | "we" | "i" | "our" | "my" | "the" | "a" | "an"))
        .collect();
    let name: String = words.join(" ").chars().take(LONGEST).collect();
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= 2).then(|| {
        (
            name.trim_end().to_owned(),
            first.range.start..first.range.start,
        )
    })
}

/// The word after a number, where it looks like one for several things: "3,200 parcels".
fn plural(rest: &str) -> Option<String> {
    let word: String = rest
        .strip_prefix(' ')?
        .chars()
        .take_while(|c| c.is_ascii_alphabetic() || *c == '-')
        .collect();
    (word.len() > 3 && word.ends_with('s') && !word.ends_with("ss")).then_some(word)
}

/// "Email open rate": the words before a name of the list that make it another metric.
fn widen(lower: &str, range: &mut Range<usize>, language: Language) {
    if language != Language::English {
        return;
    }
    for qualifier in words::en("metric qualifier") {
        if let Some(before) = lower[..range.start].strip_suffix(&format!("{qualifier} "))
            && (before.is_empty() || before.ends_with(' '))
        {
            range.start = before.len();
            return;
        }
    }
}

fn place(lower: &str, word: &str, language: Language) -> Option<usize> {
    lower.match_indices(word).map(|(at, _)| at).find(|at| {
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
        let whole = edge(lower[..*at].chars().next_back())
            && edge(lower[*at + word.len()..].chars().next());
        whole || (language != Language::English && !word.is_ascii())
    })
}

fn period(clause: &str, language: Language, name: &Range<usize>) -> Option<Range<usize>> {
    PERIOD[language as usize]
        .find_iter(clause)
        .map(|found| found.range())
        .find(|range| !(range.start < name.end && name.start < range.end))
}

/// The value that the metric has now: behind "to", "at", まで, 到; else the first one after the name, else the first.
fn measured<'a>(
    clause: &str,
    amounts: &'a [Amount],
    name: &Range<usize>,
    period: Option<&Range<usize>>,
    language: Language,
) -> Option<&'a Amount> {
    let usable: Vec<&Amount> = amounts
        .iter()
        .filter(|amount| {
            period.is_none_or(|period| {
                amount.range.end <= period.start || period.end <= amount.range.start
            })
        })
        .collect();
    let arrives = |amount: &&&Amount| {
        let before = clause[..amount.range.start].trim_end().to_lowercase();
        let after = clause[amount.range.end..].trim_start();
        match language {
            Language::English => [" to", " at", " hit", " reached", " is", " was", " now"]
                .iter()
                .any(|word| before.ends_with(word)),
            Language::Japanese => [
                "まで",
                "に上",
                "に下",
                "に増",
                "に減",
                "に改善",
                "になり",
                "になっ",
                "に達",
                "に落",
                "に伸",
                "に悪化",
                "に低下",
                "に上昇",
                "に回復",
            ]
            .iter()
            .any(|word| after.starts_with(word)),
            Language::Chinese => ["到", "至", "为", "是", "在", "达", "到了", "只有", "突破"]
                .iter()
                .any(|word| before.ends_with(word)),
        }
    };
    usable
        .iter()
        .rev()
        .find(arrives)
        .or_else(|| usable.iter().find(|amount| amount.range.start >= name.end))
        .or_else(|| usable.first())
        .copied()
}
