//! What belongs in a kind and what does not, for the people who decide (G10). The kinds that Keepsake brings begin with these words, in
//! the languages of the dashboard; an administrator writes others over them.

mod en;
mod ja;
mod zh;

use serde::{Deserialize, Serialize};

use crate::conversation::words;

/// A language that guidelines are written in: those of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuidelineLanguage {
    /// English.
    En,
    /// Japanese.
    Ja,
    /// Simplified Chinese.
    Zh,
}

words!(GuidelineLanguage {
    En = "en",
    Ja = "ja",
    Zh = "zh",
});

/// The longest guideline, in characters.
pub const MOST_CHARACTERS: usize = 4000;

/// The words that a kind begins with; `None` for a kind of an agent's own.
pub fn beginning(kind: &str, language: GuidelineLanguage) -> Option<&'static str> {
    match language {
        GuidelineLanguage::En => en::beginning(kind),
        GuidelineLanguage::Ja => ja::beginning(kind),
        GuidelineLanguage::Zh => zh::beginning(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;

    // G10
    #[test]
    fn every_kind_that_keepsake_brings_begins_with_a_guideline_in_each_language() {
        for kind in [Kind::assistant(), Kind::business(), Kind::always_there()].concat() {
            for &language in GuidelineLanguage::ALL {
                let text = beginning(&kind.name, language);
                let text = text.unwrap_or_else(|| panic!("{} has none in {language}", kind.name));
                assert!(text.chars().count() <= MOST_CHARACTERS);
                assert_eq!(
                    text.lines().count(),
                    2,
                    "what belongs, and what does not: {text}"
                );
            }
        }
        assert_eq!(beginning("deal", GuidelineLanguage::En), None);
    }
}
