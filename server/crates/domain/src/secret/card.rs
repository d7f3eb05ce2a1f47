//! Payment cards: digits in a card's grouping, a known issuer, and Luhn's check digit.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// Digits alone or in the groups that are printed on cards. Digits separated otherwise are series of numbers, not cards.
static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&super::ascii(
        r"\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}(?:[ -]\d{3})?|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{14,19}",
    ))
    .expect("a valid pattern")
});

pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    SHAPE
        .find_iter(text)
        .filter(|found| super::bounded(text, &found.range()))
        .filter(|found| {
            let digits: Vec<u32> = found
                .as_str()
                .chars()
                .filter_map(|c| c.to_digit(10))
                .collect();
            issued(&digits) && luhn(&digits)
        })
        .map(|found| found.range())
        .collect()
}

/// Whether an issuer gives out numbers that begin so and have this length.
fn issued(digits: &[u32]) -> bool {
    let first = |n: usize| {
        digits
            .iter()
            .take(n)
            .fold(0, |number, digit| number * 10 + digit)
    };
    match digits.len() {
        14 => matches!(first(2), 36 | 38 | 39) || matches!(first(3), 300..=305),
        15 => matches!(first(2), 34 | 37),
        16 => {
            first(1) == 4
                || matches!(first(2), 51..=55 | 62 | 65 | 60)
                || matches!(first(4), 2221..=2720 | 3528..=3589)
                || matches!(first(3), 644..=649)
        }
        17..=19 => matches!(first(2), 62 | 65) || (digits.len() == 19 && first(1) == 4),
        _ => false,
    }
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            if place % 2 == 0 {
                *digit
            } else {
                (digit * 2) / 10 + (digit * 2) % 10
            }
        })
        .sum();
    sum.is_multiple_of(10)
}
