//! Turns of a conversation, with the words that support a candidate marked by their stored offsets.

use domain::{
    Timestamp,
    conversation::{Role, Source},
    id::{CandidateId, ConversationId},
};
use leptos::prelude::*;

use super::{
    content::{lang, revealed},
    time,
};
use crate::{shell::Frame, text::Text};

/// A mark in a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// First code point.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The candidate that the words support, where it is another than the one in view, and what became of it, in a word.
    pub other: Option<(CandidateId, String)>,
}

/// A turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Its place in the conversation, from 1.
    pub position: i64,
    /// Who speaks.
    pub role: Role,
    /// Who made the words.
    pub source: Source,
    /// When.
    pub at: Timestamp,
    /// The words; secrets are masked.
    pub content: String,
    /// What is marked, in any order, overlapping or not.
    pub marks: Vec<Mark>,
}

/// The part of a conversation around some evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    /// Of which conversation.
    pub conversation: ConversationId,
    /// The turns shown, in order.
    pub turns: Vec<Turn>,
    /// Turns before and after that are not shown.
    pub left_out: i64,
    /// The words alone, where the conversation was removed.
    pub quotes: Vec<String>,
}

/// A stretch of a turn, with the mark that covers it.
fn segments(content: &str, marks: &[Mark]) -> Vec<(String, Option<Mark>)> {
    let letters: Vec<char> = content.chars().collect();
    let mut borders: Vec<usize> = marks
        .iter()
        .flat_map(|mark| [mark.start.min(letters.len()), mark.end.min(letters.len())])
        .chain([0, letters.len()])
        .collect();
    borders.sort_unstable();
    borders.dedup();
    borders
        .windows(2)
        .map(|pair| {
            let covering = marks
                .iter()
                .find(|mark| mark.start <= pair[0] && pair[1] <= mark.end)
                .cloned();
            (letters[pair[0]..pair[1]].iter().collect(), covering)
        })
        .collect()
}

fn words(text: &'static Text, turn: &Turn) -> AnyView {
    segments(&turn.content, &turn.marks)
        .into_iter()
        .map(|(stretch, mark)| {
            let stretch = revealed(text, &stretch);
            match mark.map(|mark| mark.other) {
                None => stretch,
                Some(None) => view! { <mark>{stretch}</mark> }.into_any(),
                Some(Some((candidate, status))) => {
                    let title = (text.conversation.mark)(&status);
                    view! {
                        <a class="marked" href=format!("/candidates/{candidate}") title=title>
                            <mark>{stretch}</mark>
                        </a>
                    }
                    .into_any()
                }
            }
        })
        .collect_view()
        .into_any()
}

/// The turns as a list; `who` names the user.
pub fn turns(frame: &Frame, who: &str, agent: &str, turns: &[Turn]) -> AnyView {
    let text = frame.text();
    let mut last = 0;
    let rows = turns
        .iter()
        .map(|turn| {
            let skipped = turn.position - last - 1;
            let gap = (last > 0 && skipped > 0).then(|| {
                let line = (text.candidate.gap)(skipped.unsigned_abs());
                view! { <li class="gap">{line}</li> }
            });
            last = turn.position;
            let by = match turn.role {
                Role::User => who.to_owned(),
                Role::Assistant => agent.to_owned(),
                role => (text.words.role)(role).to_owned(),
            };
            let role = (text.words.role)(turn.role);
            let machine = (turn.source != Source::Human && turn.role == Role::User)
                .then(|| view! { <span class="tag">{turn.source.as_str()}</span> });
            view! {
                {gap}
                <li class="turn" data-role=turn.role.as_str()>
                    <p class="by">
                        <b title=role>{by}</b>
                        {machine}
                        {time::date(frame, turn.at)}
                    </p>
                    <p class="words" lang=lang(domain::text::language(&turn.content))>
                        {words(text, turn)}
                    </p>
                </li>
            }
        })
        .collect_view();
    view! { <ol class="turns">{rows}</ol> }.into_any()
}

/// The words that are left of a conversation that was removed.
pub fn quotes(frame: &Frame, quotes: &[String]) -> AnyView {
    let text = frame.text();
    let rows = quotes
        .iter()
        .map(|quote| {
            view! {
                <li lang=lang(domain::text::language(quote))>
                    <q>{revealed(text, quote)}</q>
                </li>
            }
        })
        .collect_view();
    view! {
        <p class="quiet">{text.erasure.words_only}</p>
        <ul class="plainlist">{rows}</ul>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(start: usize, end: usize) -> Mark {
        Mark {
            start,
            end,
            other: None,
        }
    }

    // A14, F10
    #[test]
    fn marks_count_code_points_and_may_overlap() {
        let cut = |content: &str, marks: &[Mark]| -> Vec<(String, bool)> {
            segments(content, marks)
                .into_iter()
                .map(|(stretch, mark)| (stretch, mark.is_some()))
                .collect()
        };
        assert_eq!(
            cut("私は猫が好き🐈です", &[mark(2, 7)]),
            [
                ("私は".to_owned(), false),
                ("猫が好き🐈".to_owned(), true),
                ("です".to_owned(), false)
            ]
        );
        let overlapping = cut("abcdef", &[mark(1, 4), mark(3, 5)]);
        let marked: String = overlapping
            .iter()
            .filter_map(|(stretch, marked)| marked.then_some(stretch.as_str()))
            .collect();
        assert_eq!(marked, "bcde");
        assert_eq!(cut("ab", &[mark(0, 99)]), [("ab".to_owned(), true)]);
    }
}
