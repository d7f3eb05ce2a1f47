//! The view of a message in which quotes are looked for: an extractor that gives a quote in another Unicode form, or with other
//! line breaks, still finds its words, and the answer points at the original.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// A folded view of a text, with the way back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// NFC, with each run of white space as one space.
    pub text: String,
    /// For each code point of `text`: the graphemes of the original it came from, in code points.
    map: Vec<Range<usize>>,
}

/// Makes the folded view of a text.
///
/// Composition never reaches over a grapheme border, so folding grapheme by grapheme gives the NFC of the whole and a map whose
/// every entry begins and ends on such a border.
pub fn fold(text: &str) -> Folded {
    let mut folded = Folded {
        text: String::with_capacity(text.len()),
        map: Vec::with_capacity(text.len()),
    };
    let mut position = 0;
    for grapheme in text.graphemes(true) {
        let here = position..position + grapheme.chars().count();
        position = here.end;
        for c in grapheme.nfc() {
            let space = c.is_whitespace();
            match folded.map.last_mut() {
                Some(run) if space && folded.text.ends_with(' ') => run.end = here.end,
                _ => {
                    folded.text.push(if space { ' ' } else { c });
                    folded.map.push(here.clone());
                }
            }
        }
    }
    folded
}

impl Folded {
    /// The stretch of the original behind a stretch of the view, both in code points; widened to grapheme borders.
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        let end = range.end.min(self.map.len());
        if range.start >= end {
            let at = match self.map.get(range.start) {
                Some(here) => here.start,
                None => self.map.last().map_or(0, |last| last.end),
            };
            return at..at;
        }
        self.map[range.start].start..self.map[end - 1].end
    }

    /// Where `needle` stands, as stretches of the original in code points; none where `needle` is blank.
    pub fn find(&self, needle: &str) -> Vec<Range<usize>> {
        let needle = fold(needle);
        let needle = needle.text.trim();
        if needle.is_empty() {
            return Vec::new();
        }
        let length = needle.chars().count();
        let mut found = Vec::new();
        let (mut byte, mut position) = (0, 0);
        while let Some(offset) = self.text[byte..].find(needle) {
            position += self.text[byte..byte + offset].chars().count();
            byte += offset + needle.len();
            found.push(self.original(position..position + length));
            position += length;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::slice;

    fn found(text: &str, needle: &str) -> Vec<String> {
        let ranges = fold(text).find(needle);
        ranges
            .into_iter()
            .map(|range| slice(text, range.start, range.end).to_owned())
            .collect()
    }

    // F5, F10
    #[test]
    fn a_quote_is_found_in_any_unicode_form_and_given_back_as_it_was_written() {
        let said = "👩‍👩‍👧‍👦 我们一家都吃素，e\u{301}te\u{301}  \r\n aussi.";
        assert_eq!(found(said, "我们一家都吃素"), ["我们一家都吃素"]);
        assert_eq!(
            found(said, "\u{e9}t\u{e9} aussi"),
            ["e\u{301}te\u{301}  \r\n aussi"]
        );
        assert_eq!(found("ﾊﾟ か\u{3099}", "が"), ["か\u{3099}"]);
        assert_eq!(found("aXa a", "a"), ["a", "a", "a"]);
        assert!(found(said, "  ").is_empty());
        assert!(found("", "a").is_empty());
    }

    #[test]
    fn a_quote_inside_a_grapheme_is_widened_to_the_whole() {
        assert_eq!(found("so 👩‍👩‍👧 then", "👧"), ["👩‍👩‍👧"]);
    }

    proptest! {
        #[test]
        fn the_view_is_nfc_and_its_map_covers_the_original(text in "(\\PC|[ \\n\\r\u{3000}\u{301}\u{308}\u{3099}가ᄀ\u{1161}\u{11a8}👩\u{200d}]){0,40}") {
            let folded = fold(&text);
            prop_assert_eq!(folded.text.chars().count(), folded.map.len());
            let mut whole = String::new();
            for c in text.nfc() {
                if !c.is_whitespace() {
                    whole.push(c);
                } else if !whole.ends_with(' ') {
                    whole.push(' ');
                }
            }
            prop_assert_eq!(&folded.text, &whole);
            let all = folded.original(0..folded.map.len());
            prop_assert_eq!(slice(&text, all.start, all.end), text.as_str());
        }

        #[test]
        fn every_stretch_goes_back_to_whole_graphemes(text in "\\PC{0,30}", from in 0_usize..30, len in 0_usize..30) {
            let range = fold(&text).original(from..from + len);
            let mut borders: Vec<usize> = vec![0];
            for grapheme in text.graphemes(true) {
                borders.push(borders.last().unwrap() + grapheme.chars().count());
            }
            prop_assert!(borders.contains(&range.start) && borders.contains(&range.end), "{:?}", range);
        }
    }
}
