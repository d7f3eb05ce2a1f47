//! What changed between two statements, for a reader: by word, and by character where a script has no words apart (F2, F10).

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

use crate::text::is_cjk;

/// What happened to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// In both.
    Same,
    /// Only before.
    Removed,
    /// Only after.
    Added,
}

/// A stretch of text and what happened to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Part {
    /// What happened.
    pub change: Change,
    /// The text; never empty.
    pub text: String,
}

/// The parts in reading order. Same and removed ones together are `before`, same and added ones `after`, to the letter; what was
/// removed stands before what took its place.
pub fn words(before: &str, after: &str) -> Vec<Part> {
    let (old, new) = (pieces(before), pieces(after));
    let mut parts: Vec<Part> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                push_same(&mut parts, old[old_index..old_index + len].concat())
            }
            DiffOp::Delete {
                old_index, old_len, ..
            } => push_change(
                &mut parts,
                &old[old_index..old_index + old_len].concat(),
                "",
            ),
            DiffOp::Insert {
                new_index, new_len, ..
            } => push_change(
                &mut parts,
                "",
                &new[new_index..new_index + new_len].concat(),
            ),
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => push_change(
                &mut parts,
                &old[old_index..old_index + old_len].concat(),
                &new[new_index..new_index + new_len].concat(),
            ),
        }
    }
    // A space that stayed between two changed words is no landmark for the eye: the change reads better in one piece.
    let mut at = 1;
    while at + 1 < parts.len() {
        let blank = parts[at].change == Change::Same && parts[at].text.trim().is_empty();
        if blank {
            let tail = parts.split_off(at + 1);
            if let Some(space) = parts.pop() {
                push_change(&mut parts, &space.text, &space.text);
            }
            for part in tail {
                match part.change {
                    Change::Same => push_same(&mut parts, part.text),
                    Change::Removed => push_change(&mut parts, &part.text, ""),
                    Change::Added => push_change(&mut parts, "", &part.text),
                }
            }
        } else {
            at += 1;
        }
    }
    parts
}

fn pieces(text: &str) -> Vec<&str> {
    text.split_word_bounds()
        .flat_map(|word| {
            let spaceless = word.chars().any(is_cjk);
            let graphemes: Vec<&str> = if spaceless {
                word.graphemes(true).collect()
            } else {
                vec![word]
            };
            graphemes
        })
        .collect()
}

fn push_same(parts: &mut Vec<Part>, text: String) {
    match parts.last_mut() {
        Some(last) if last.change == Change::Same => last.text.push_str(&text),
        _ if text.is_empty() => {}
        _ => parts.push(Part {
            change: Change::Same,
            text,
        }),
    }
}

/// Adds to the change at the end, which is at most one removed part followed by one added.
fn push_change(parts: &mut Vec<Part>, removed: &str, added: &str) {
    let from = parts
        .iter()
        .rposition(|part| part.change == Change::Same)
        .map_or(0, |same| same + 1);
    let tail = parts.split_off(from);
    let text_of = |change| -> String {
        tail.iter()
            .filter(|part| part.change == change)
            .map(|part| part.text.as_str())
            .collect()
    };
    for (change, more) in [(Change::Removed, removed), (Change::Added, added)] {
        let text = text_of(change) + more;
        if !text.is_empty() {
            parts.push(Part { change, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(before: &str, after: &str) -> String {
        words(before, after)
            .iter()
            .map(|part| match part.change {
                Change::Same => part.text.clone(),
                Change::Removed => format!("[-{}-]", part.text),
                Change::Added => format!("[+{}+]", part.text),
            })
            .collect()
    }

    // F2, F10
    #[test]
    fn words_in_english_characters_in_japanese_and_chinese() {
        assert_eq!(
            shown(
                "User's favourite player is Ronaldo",
                "User's favourite player is Messi"
            ),
            "User's favourite player is [-Ronaldo-][+Messi+]"
        );
        assert_eq!(
            shown("予算は50万円です", "予算は500万円です"),
            "予算は[-50-][+500+]万円です"
        );
        assert_eq!(shown("東京に住む", "京都に住む"), "[-東-]京[+都+]に住む");
        assert_eq!(shown("住在上海", "住在北京"), "住在[-上海-][+北京+]");
        assert_eq!(
            shown("ベルゲンに住む", "ベルリンに住む"),
            "ベル[-ゲ-][+リ+]ンに住む"
        );
        assert_eq!(
            shown("likes red wine", "likes white beer"),
            "likes [-red wine-][+white beer+]"
        );
        assert_eq!(shown("", "a"), "[+a+]");
        assert!(words("", "").is_empty());
    }

    proptest! {
        #[test]
        fn both_texts_come_back_to_the_letter(a in "([a-c ]|\\PC|[東京都]){0,20}", b in "([a-c ]|\\PC|[東京都]){0,20}") {
            let side = |leave_out| -> String {
                words(&a, &b).iter().filter(|part| part.change != leave_out).map(|part| part.text.as_str()).collect()
            };
            prop_assert_eq!(side(Change::Added), a.clone());
            prop_assert_eq!(side(Change::Removed), b.clone());
        }
    }
}
