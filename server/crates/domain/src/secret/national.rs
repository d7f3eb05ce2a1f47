//! National ids whose own check digit tells them from other numbers.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

struct Id {
    shape: Regex,
    holds: fn(&str) -> bool,
    /// Where the shape alone is too common: words that must stand within 40 characters before it.
    named: Option<Regex>,
}

static IDS: LazyLock<Vec<Id>> = LazyLock::new(|| {
    let id = |shape: &str, holds: fn(&str) -> bool, named: Option<&str>| Id {
        shape: Regex::new(&super::ascii(shape)).expect("a valid pattern"),
        holds,
        named: named.map(|words| Regex::new(words).expect("a valid pattern")),
    };
    vec![
        id(
            r"[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[0-9Xx]",
            china,
            None,
        ),
        id(
            r"\d{4}([ -])\d{4}[ -]\d{4}",
            |id| japan(id) || (india(id) && !id.contains('-')),
            None,
        ),
        id(
            r"\d{12}",
            |id| japan(id) || india(id),
            Some(r"(?i)マイナンバー|個人番号|my ?number|aadhaar|आधार"),
        ),
        id(r"\d{6}-[1-8]\d{6}", korea, None),
        id(r"[A-Z][1289]\d{8}", taiwan, None),
        id(r"\d{3}-\d{2}-\d{4}", united_states, None),
        id(r"(?i)\d{8}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]", spain, None),
        id(r"\d{3}\.\d{3}\.\d{3}-\d{2}", brazil, None),
        id(
            r"[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d{2} ?\d{3} ?\d{3} ?\d{2}",
            france,
            None,
        ),
    ]
});

pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    IDS.iter()
        .flat_map(|id| {
            id.shape
                .find_iter(text)
                .filter(|found| super::bounded(text, &found.range()))
                .filter(|found| (id.holds)(found.as_str()))
                .filter(|found| {
                    id.named.as_ref().is_none_or(|words| {
                        let before: String = text[..found.start()].chars().rev().take(40).collect();
                        words.is_match(&before.chars().rev().collect::<String>())
                    })
                })
                .map(|found| found.range())
        })
        .collect()
}

fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

fn weighed(digits: &[u32], weights: &[u32]) -> u32 {
    digits
        .iter()
        .zip(weights)
        .map(|(digit, weight)| digit * weight)
        .sum()
}

/// GB 11643-1999: ISO 7064 MOD 11-2.
fn china(id: &str) -> bool {
    let sum = weighed(
        &digits(&id[..17]),
        &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2],
    );
    "10X98765432".chars().nth((sum % 11) as usize)
        == id.chars().last().map(|c| c.to_ascii_uppercase())
}

/// The individual number of twelve digits (総務省令第八十五号, article 5).
fn japan(id: &str) -> bool {
    let digits = digits(id);
    let sum = weighed(&digits[..11], &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
    let check = if sum % 11 <= 1 { 0 } else { 11 - sum % 11 };
    digits[11] == check && digits.iter().any(|digit| *digit != digits[0])
}

/// Aadhaar: Verhoeff's check digit; never begins with 0 or 1.
fn india(id: &str) -> bool {
    const TIMES: [[usize; 10]; 10] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
        [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
        [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
        [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
        [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
        [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
        [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
        [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    ];
    const MOVED: [[usize; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let digits = digits(id);
    let check = digits
        .iter()
        .rev()
        .enumerate()
        .fold(0, |check, (place, digit)| {
            TIMES[check][MOVED[place % 8][*digit as usize]]
        });
    digits[0] >= 2 && check == 0
}

fn korea(id: &str) -> bool {
    let digits = digits(id);
    let born = (1..=12).contains(&(digits[2] * 10 + digits[3]))
        && (1..=31).contains(&(digits[4] * 10 + digits[5]));
    let sum = weighed(&digits, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    born && (11 - sum % 11) % 10 == digits[12]
}

fn taiwan(id: &str) -> bool {
    // The letters stand for 10 to 35 in this order.
    let Some(letter) = id
        .chars()
        .next()
        .and_then(|c| "ABCDEFGHJKLMNPQRSTUVXYWZIO".find(c))
    else {
        return false;
    };
    let number = u32::try_from(letter).unwrap_or(0) + 10;
    let sum = number / 10 + (number % 10) * 9 + weighed(&digits(id), &[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    sum.is_multiple_of(10)
}

/// No check digit; the grouping and the ranges that were never given out tell it.
fn united_states(id: &str) -> bool {
    let (area, group, serial) = (&id[..3], &id[4..6], &id[7..]);
    area != "000" && area != "666" && area < "900" && group != "00" && serial != "0000"
}

fn spain(id: &str) -> bool {
    let id = id.to_ascii_uppercase().replace('-', "");
    let (body, letter) = id.split_at(id.len() - 1);
    let body = body.replace('X', "0").replace('Y', "1").replace('Z', "2");
    body.parse::<usize>().is_ok_and(|number| {
        "TRWAGMYFPDXBNJZSQVHLCKE".get(number % 23..=number % 23) == Some(letter)
    })
}

fn brazil(id: &str) -> bool {
    let digits = digits(id);
    let check = |upto: usize| {
        let sum: u32 = digits[..upto]
            .iter()
            .enumerate()
            .map(|(place, digit)| digit * u32::try_from(upto + 1 - place).unwrap_or(0))
            .sum();
        sum * 10 % 11 % 10
    };
    digits.iter().any(|digit| *digit != digits[0])
        && check(9) == digits[9]
        && check(10) == digits[10]
}

fn france(id: &str) -> bool {
    let digits: String = id.chars().filter(char::is_ascii_digit).collect();
    let (body, key) = digits.split_at(13);
    matches!((body.parse::<u64>(), key.parse::<u64>()), (Ok(body), Ok(key)) if 97 - body % 97 == key)
}

#[cfg(test)]
mod tests {
    use super::find;

    // G11
    #[test]
    fn a_wrong_check_digit_is_an_ordinary_number() {
        for (right, wrong) in [
            ("11010519491231002X", "110105194912310021"),
            ("1234 5678 9018", "1234 5678 9017"),
            ("2341 2341 2346", "2341 2341 2348"),
            ("A123456789", "A123456788"),
            ("12345678Z", "12345678A"),
            ("529.982.247-25", "529.982.247-24"),
            ("255081416802538", "255081416802539"),
            ("219-09-9999", "900-09-9999"),
            ("900101-1234568", "900101-1234567"),
        ] {
            assert_eq!(find(right).len(), 1, "{right}");
            assert_eq!(find(wrong).len(), 0, "{wrong}");
        }
    }
}
