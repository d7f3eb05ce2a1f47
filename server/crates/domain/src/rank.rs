//! Which memories matter for a task, and how much (A8, B7, C5).
//!
//! Relevance is BM25 over the user's **own** memories, computed here, so both databases answer alike to the last digit. It is absolute:
//! what has nothing to do with the query is told apart from what has little, and is not served to fill a quota.

use std::collections::HashMap;

use crate::{
    Timestamp,
    text::{is_function_word, tokens},
};

/// Below this relevance an item has nothing to do with the query.
pub const FLOOR: f64 = 0.15;

/// After this many days nothing is recent any more (B7).
const RECENT_DAYS: f64 = 180.0;

/// BM25's saturation of repeated words.
const K1: f64 = 1.2;
/// BM25's share of the length.
const B: f64 = 0.75;
/// The score at which relevance is one half.
const HALF: f64 = 2.0;
/// Texts that are imagined beside the user's own, none of which holds a word of the query. Without them a word would count for
/// nothing where the only memory there is holds it, and relevance would not be absolute.
const BACKGROUND: f64 = 20.0;

/// Something to be ranked.
#[derive(Debug, Clone, Copy)]
pub struct Rankable<'a> {
    /// What the query is compared with: name, statement, tags.
    pub text: &'a str,
    /// How much it matters, 0.0 to 1.0.
    pub importance: f64,
    /// When it was last approved or said.
    pub at: Timestamp,
    /// Whether it sums up a session, which ages faster (C5).
    pub summary: bool,
}

/// The rank of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Its place in the list that was given.
    pub index: usize,
    /// From 0 to 1; more is better.
    pub score: f64,
    /// From 0 to 1; `None` without a query.
    pub relevance: Option<f64>,
}

/// Ranks items, best first; equal ones newest first, then in the order given. With a query by
/// 0.6 relevance + 0.3 importance + 0.1 recency (B7); without one entities by 0.6 importance + 0.4 recency, summaries the other way
/// round (C5). A query that is about nothing ("what do you know of me?") counts as none.
pub fn rank(query: Option<&str>, items: &[Rankable<'_>], now: Timestamp) -> Vec<Ranked> {
    let texts: Vec<&str> = items.iter().map(|item| item.text).collect();
    let relevances = query.and_then(|query| relevances(subject(query), &texts));
    let mut ranked: Vec<Ranked> = items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let recency = recency(item.at, now);
            let importance = item.importance.clamp(0.0, 1.0);
            let relevance = relevances.as_ref().map(|all| all[index]);
            let score = match relevance {
                Some(relevance) => 0.6 * relevance + 0.3 * importance + 0.1 * recency,
                None if item.summary => 0.4 * importance + 0.6 * recency,
                None => 0.6 * importance + 0.4 * recency,
            };
            Ranked {
                index,
                score,
                relevance,
            }
        })
        .collect();
    ranked.sort_by(|a, b| {
        let newest = || items[b.index].at.cmp(&items[a.index].at);
        b.score
            .total_cmp(&a.score)
            .then_with(newest)
            .then(a.index.cmp(&b.index))
    });
    ranked
}

/// Finds a query in a user's own texts: their places and relevances from 0 to 1, best first, without those below [`FLOOR`].
pub fn search(query: &str, texts: &[&str]) -> Vec<(usize, f64)> {
    // Somebody who types すし means it, although two Hiragana are nearly always grammar.
    let words = Some(subject(query))
        .filter(|words| !words.is_empty())
        .unwrap_or_else(|| tokens(query));
    let all = relevances(words, texts).unwrap_or_default();
    let mut found: Vec<(usize, f64)> = all
        .into_iter()
        .enumerate()
        .filter(|(_, relevance)| *relevance >= FLOOR)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

/// 1 for now, 0 from 180 days on (B7).
fn recency(at: Timestamp, now: Timestamp) -> f64 {
    let days = (now - at).as_seconds_f64().max(0.0) / 86_400.0;
    (1.0 - days / RECENT_DAYS).max(0.0)
}

/// The words of a query that say what it is about.
fn subject(query: &str) -> Vec<String> {
    tokens(query)
        .into_iter()
        .filter(|token| !is_function_word(token))
        .collect()
}

/// The relevance of each text to these words; `None` where there are none.
fn relevances(words: Vec<String>, texts: &[&str]) -> Option<Vec<f64>> {
    let mut wanted: Vec<String> = Vec::new();
    for token in words {
        if !wanted.contains(&token) {
            wanted.push(token);
        }
    }
    if wanted.is_empty() {
        return None;
    }
    let documents: Vec<Vec<String>> = texts.iter().map(|text| tokens(text)).collect();
    let total: usize = documents.iter().map(Vec::len).sum();
    let average = (total as f64 / documents.len().max(1) as f64).max(1.0);
    let counts: Vec<HashMap<&str, f64>> = documents
        .iter()
        .map(|document| {
            let mut counts = HashMap::new();
            for token in document {
                *counts.entry(token.as_str()).or_insert(0.0) += 1.0;
            }
            counts
        })
        .collect();
    let weights: Vec<f64> = wanted
        .iter()
        .map(|token| {
            let holding = counts
                .iter()
                .filter(|counts| counts.contains_key(token.as_str()))
                .count() as f64;
            let of = documents.len() as f64 + BACKGROUND;
            // A single character of Japanese or Chinese is the end of some word, nothing more.
            let part = if token.chars().count() == 1 && !token.is_ascii() {
                0.25
            } else {
                1.0
            };
            part * (1.0 + (of - holding + 0.5) / (holding + 0.5)).ln()
        })
        .collect();
    let relevance = |document: usize| {
        let length = documents[document].len() as f64;
        let score: f64 = wanted
            .iter()
            .zip(&weights)
            .map(|(token, weight)| {
                let count = counts[document].get(token.as_str()).copied().unwrap_or(0.0);
                weight * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / average))
            })
            .sum();
        score / (score + HALF)
    };
    Some((0..documents.len()).map(relevance).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::time::Span;

    fn day(n: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + Span::days(n)
    }

    fn item(text: &str, importance: f64, days_ago: i64) -> Rankable<'_> {
        Rankable {
            text,
            importance,
            at: day(1000 - days_ago),
            summary: false,
        }
    }

    // F10
    #[test]
    fn a_search_finds_two_characters_of_japanese_and_chinese() {
        let texts = [
            "ユーザーは東京に住んでいる",
            "用户一家都吃素食",
            "User prefers code examples in Python",
            "ユーザーは京都が好き",
        ];
        let found = |query| -> Vec<usize> {
            search(query, &texts)
                .into_iter()
                .map(|(at, _)| at)
                .collect()
        };
        assert_eq!(found("東京"), [0]);
        assert_eq!(found("素食"), [1]);
        assert_eq!(found("show me an example"), [2]);
        assert_eq!(found("京都のおすすめは？"), [3]);
        assert!(found("weather in Lagos").is_empty());
        assert!(found("").is_empty());
        assert_eq!(search("すし", &["すしが好き", "寿司"]).len(), 1);
    }

    #[test]
    fn relevance_is_absolute() {
        let alone = search("marathon plan", &["User is training for a marathon"]);
        assert!(alone[0].1 > 0.4, "{alone:?}");
        let better = search(
            "marathon plan",
            &[
                "User is training for a marathon",
                "User has a marathon plan",
                "User likes tea",
            ],
        );
        assert_eq!(better[0].0, 1);
        assert_eq!(better.len(), 2);
    }

    // B7
    #[test]
    fn a_task_ranks_by_relevance_importance_and_recency() {
        let items = [
            item("User prefers metric units", 1.0, 0),
            item("User writes Python daily", 0.2, 90),
            item("User owns a boat", 0.5, 400),
        ];
        let ranked = rank(Some("python"), &items, day(1000));
        assert_eq!(ranked[0].index, 1);
        let relevance = ranked[0].relevance.unwrap();
        assert!((ranked[0].score - (0.6 * relevance + 0.3 * 0.2 + 0.1 * 0.5)).abs() < 1e-12);
        assert_eq!(ranked[2].relevance, Some(0.0));
        assert!((ranked[2].score - 0.15).abs() < 1e-12);
    }

    // C5
    #[test]
    fn without_a_task_entities_weigh_importance_and_summaries_time() {
        let old_but_important = item("a", 1.0, 180);
        let new_but_small = item("b", 0.2, 0);
        let order = |items: &[Rankable<'_>]| {
            rank(None, items, day(1000))
                .iter()
                .map(|r| r.index)
                .collect::<Vec<_>>()
        };
        assert_eq!(order(&[old_but_important, new_but_small]), [0, 1]);
        let summary = |item: Rankable<'static>| Rankable {
            summary: true,
            ..item
        };
        assert_eq!(
            order(&[summary(old_but_important), summary(new_but_small)]),
            [1, 0]
        );
        for about_nothing in [" ?! ", "what do I have?"] {
            assert_eq!(
                rank(Some(about_nothing), &[new_but_small], day(1000))[0].relevance,
                None
            );
        }
    }

    proptest! {
        #[test]
        fn scores_stay_from_0_to_1_and_every_item_has_one(query in "\\PC{0,20}", texts in prop::collection::vec("\\PC{0,20}", 0..6), importance in -1.0_f64..2.0) {
            let items: Vec<_> = texts.iter().map(|text| item(text, importance, 3)).collect();
            let ranked = rank(Some(&query), &items, day(1000));
            prop_assert_eq!(ranked.len(), items.len());
            prop_assert!(ranked.iter().all(|r| (0.0..=1.0).contains(&r.score)));
            prop_assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }
}
