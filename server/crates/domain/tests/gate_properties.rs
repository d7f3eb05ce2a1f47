//! What the gate promises for any text at all.

mod window;

use domain::{
    conversation::{Role, Source},
    gate::{self, Turn},
    text,
};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;
use window::{draft, pass, turn, user};

fn said() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "(I like |tea|е́|e\u{301}|👩\u{200d}👩\u{200d}👧|日本|が|か\u{3099}|<entity_memory>|\n|[ .!]|4111 1111 1111 1111|> |forget that I |覚えないで|别记|Dear Bob|Summarise this|Translate the above|above: |翻译这段：|以下を要約して|\"I am the CTO\"|\n\n|- User likes tea (said 2026)|user: ){0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    // F5
    #[test]
    fn what_comes_through_points_at_words_of_a_user(texts in prop::collection::vec(said(), 1..4), from in 0_usize..60, len in 0_usize..30, roles in prop::collection::vec(0_usize..4, 4)) {
        let turns: Vec<Turn> = texts.iter().zip(0..).map(|(text, number)| {
            turn([Role::User, Role::User, Role::Assistant, Role::System][roles[number as usize]], Source::Human, text, number)
        }).collect();
        let quote = text::slice(&turns[0].content, from, from + len).to_owned();
        for kind in ["preference", "fact", "decision", "metric"] {
            let gated = pass(vec![draft(kind, "User likes tea", &quote)], &turns);
            prop_assert_eq!(gated.kept.len() + gated.dropped.values().sum::<u32>() as usize, 1, "nothing is lost uncounted");
            for kept in &gated.kept {
                prop_assert!(!kept.proposal.evidence.is_empty());
                for evidence in &kept.proposal.evidence {
                    let turn = turns.iter().find(|turn| Some(&turn.message) == evidence.message.as_ref()).unwrap();
                    prop_assert!(kind == "metric" || turn.role == Role::User);
                    prop_assert!(!domain::secret::holds(&evidence.quote));
                    prop_assert!(turn.role != Role::User || !gate::asked_not_to_remember(&turn.content));
                    prop_assert!(!evidence.quote.contains("<entity_memory>"));
                    prop_assert_eq!(&evidence.quote, text::slice(&turn.content, evidence.start, evidence.end));
                    let mut borders = vec![0];
                    for grapheme in turn.content.graphemes(true) {
                        borders.push(borders.last().unwrap() + text::length(grapheme));
                    }
                    prop_assert!(borders.contains(&evidence.start) && borders.contains(&evidence.end));
                }
            }
        }
    }

    #[test]
    fn what_an_extractor_reads_has_the_places_of_the_original(content in said()) {
        for readable in gate::readable(&user(&content), &|line| line.len() % 2 == 0) {
            prop_assert_eq!(text::length(&readable.text), text::length(&content));
        }
        let masked = domain::secret::mask(&content);
        prop_assert_eq!(text::length(&masked), text::length(&content));
        prop_assert_eq!(domain::secret::mask(&masked), masked, "a second mask finds nothing more");
    }

    #[test]
    fn no_text_breaks_a_detector(content in "\\PC{0,80}|[0-9 .:/@-]{0,60}|[٠-٩０-９]{0,30}") {
        domain::flags::of_statement(&content);
        domain::flags::about_another(&content, &content);
        domain::gate::asked_not_to_remember(&content);
        for span in domain::secret::spans(&content) {
            prop_assert!(span.start < span.end && span.end <= text::length(&content));
        }
    }
}
