//! Which items come into question for a block, and in which order they take its room.

use std::collections::{HashMap, HashSet};

use super::{CutFor, Item, Layout, Request, Why};
use crate::{
    Timestamp,
    kind::Kind,
    rank::{FLOOR, Rankable, Ranked, rank},
};

/// Most items besides those of kinds marked `always` (B7).
const BEST: usize = 20;
/// Most entities of the layout `prior_knowledge` (C10).
const ENTITIES: usize = 15;
/// Most summaries of the layout `prior_knowledge` (C10).
const SUMMARIES: usize = 5;

/// The kind of what sums up a session.
pub(super) const SUMMARY: &str = "session_summary";

/// An item that comes into question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen {
    pub(super) index: usize,
    pub(super) score: f64,
    pub(super) why: Why,
}

/// What comes into question, in the order in which it takes room, and what does not, best first.
pub(super) struct Choice {
    pub(super) chosen: Vec<Chosen>,
    pub(super) cut: Vec<(usize, CutFor)>,
}

pub(super) fn choose(
    request: &Request<'_>,
    items: &[Item],
    kinds: &[Kind],
    now: Timestamp,
) -> Choice {
    let shown: Vec<usize> = (0..items.len())
        .filter(|&index| request.layout.shows(&items[index].kind))
        .collect();
    let texts: Vec<String> = shown
        .iter()
        .map(|&index| &items[index])
        .map(|item| {
            [
                item.name.as_deref().unwrap_or_default(),
                &item.content,
                &item.tags.join(" "),
            ]
            .join(" ")
        })
        .collect();
    let rankable: Vec<Rankable<'_>> = shown
        .iter()
        .map(|&index| &items[index])
        .zip(&texts)
        .map(|(item, text)| Rankable {
            text,
            importance: item.importance,
            at: item.updated_at,
            summary: item.kind == SUMMARY,
        })
        .collect();
    let kind_of = |index: usize| kinds.iter().find(|kind| kind.name == items[index].kind);
    let ranked = rank(request.query, &rankable, now)
        .into_iter()
        .map(|ranked| Ranked {
            index: shown[ranked.index],
            ..ranked
        });

    let mut choice = Choice {
        chosen: Vec::new(),
        cut: Vec::new(),
    };
    if request.layout == Layout::Profile {
        // A profile is read whole (D5): the rank only says what goes first where there is no room. Where two stand for one field,
        // the better one is its value.
        let mut fields = HashSet::new();
        for ranked in ranked {
            if fields.insert(super::profiles::place(&items[ranked.index])) {
                choice.chosen.push(Chosen {
                    index: ranked.index,
                    score: ranked.score,
                    why: Why::Always,
                });
            } else {
                choice.cut.push((ranked.index, CutFor::Cap));
            }
        }
        return choice;
    }
    let mut others = Vec::new();
    let mut of_kind: HashMap<&str, i64> = HashMap::new();
    let (mut entities, mut summaries, mut best) = (0, 0, 0);
    for ranked in ranked {
        let kind = kind_of(ranked.index);
        let always = kind.is_some_and(|kind| kind.always);
        if !always && ranked.relevance.is_some_and(|relevance| relevance < FLOOR) {
            choice.cut.push((ranked.index, CutFor::Irrelevant));
            continue;
        }
        let name = items[ranked.index].kind.as_str();
        let count = of_kind.entry(name).or_insert(0);
        let kind_full = kind
            .and_then(|kind| kind.cap)
            .is_some_and(|cap| *count >= cap);
        let full = match request.layout {
            Layout::ByKind => !always && best >= BEST,
            Layout::PriorKnowledge if name == SUMMARY => summaries >= SUMMARIES,
            // Counted at the end, because what is always in comes before what ranks better.
            Layout::PriorKnowledge | Layout::Profile => false,
        };
        if kind_full || full {
            choice.cut.push((ranked.index, CutFor::Cap));
            continue;
        }
        *count += 1;
        let chosen = |why| Chosen {
            index: ranked.index,
            score: ranked.score,
            why,
        };
        if always {
            choice.chosen.push(chosen(Why::Always));
            continue;
        }
        if name == SUMMARY {
            summaries += 1;
        }
        best += 1;
        others.push(chosen(if ranked.relevance.is_some() {
            Why::Relevant
        } else {
            Why::Ranked
        }));
    }
    choice.chosen.append(&mut others);
    if request.layout == Layout::PriorKnowledge {
        choice.chosen.retain(|chosen| {
            if items[chosen.index].kind == SUMMARY {
                return true;
            }
            entities += 1;
            if entities > ENTITIES {
                choice.cut.push((chosen.index, CutFor::Cap));
            }
            entities <= ENTITIES
        });
    }
    choice
}
