//! Numbers in one notation: 500,000, ５００，０００, 50万 and 五十万 are one amount, and 500 dollars is $500.

use super::is_cjk;

/// Rewrites every number of a case-folded text: separators of thousands out, 万 億 千 百 and k worked out, no trailing zeros after
/// the point.
pub(super) fn rewrite(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let before = at.checked_sub(1).map(|i| chars[i]);
        if let Some((value, end)) = arabic(&chars, at, before).or_else(|| kanji(&chars, at, before))
        {
            out.push_str(&value);
            at = end;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// An amount as decimal digits: no rounding, so that two notations of one number are one string.
#[derive(Clone, Default)]
struct Decimal {
    whole: u128,
    fraction: String,
}

impl Decimal {
    fn times(mut self, zeros: u32) -> Option<Self> {
        for _ in 0..zeros {
            let next = if self.fraction.is_empty() {
                0
            } else {
                u128::from(self.fraction.remove(0) as u8 - b'0')
            };
            self.whole = self.whole.checked_mul(10)?.checked_add(next)?;
        }
        Some(self)
    }

    fn plus(mut self, other: &Self) -> Option<Self> {
        if !self.fraction.is_empty() && !other.fraction.is_empty() {
            return None;
        }
        self.whole = self.whole.checked_add(other.whole)?;
        self.fraction.push_str(&other.fraction);
        Some(self)
    }

    fn text(&self) -> String {
        let fraction = self.fraction.trim_end_matches('0');
        if fraction.is_empty() {
            self.whole.to_string()
        } else {
            format!("{}.{fraction}", self.whole)
        }
    }
}

/// `1,234.50` at `at`, and where it ends.
fn plain(chars: &[char], at: usize) -> Option<(Decimal, usize)> {
    let digit = |i: usize| chars.get(i).filter(|c| c.is_ascii_digit()).copied();
    let mut digits = String::new();
    let mut end = at;
    while let Some(c) = digit(end) {
        digits.push(c);
        end += 1;
    }
    if digits.is_empty() || digits.len() > 30 || (digits.len() > 1 && digits.starts_with('0')) {
        return None; // A telephone number or a code: its leading zero says something.
    }
    if digits.len() <= 3 {
        let group = |i: usize| {
            chars.get(i) == Some(&',')
                && (1..=3).all(|k| digit(i + k).is_some())
                && digit(i + 4).is_none()
        };
        while group(end) && digits.len() < 30 {
            digits.extend(&chars[end + 1..end + 4]);
            end += 4;
        }
    }
    let mut fraction = String::new();
    if chars.get(end) == Some(&'.') && digit(end + 1).is_some() {
        let mut to = end + 1;
        while let Some(c) = digit(to) {
            fraction.push(c);
            to += 1;
        }
        // 1.2.3 is a version, not an amount.
        if chars.get(to) == Some(&'.') && digit(to + 1).is_some() {
            return None;
        }
        end = to;
    }
    Some((
        Decimal {
            whole: digits.parse().ok()?,
            fraction,
        },
        end,
    ))
}

fn myriad(c: char) -> Option<u32> {
    match c {
        '万' | '萬' => Some(4),
        '億' | '亿' => Some(8),
        '兆' => Some(12),
        _ => None,
    }
}

fn small_unit(c: char) -> Option<u32> {
    match c {
        '十' => Some(1),
        '百' => Some(2),
        '千' => Some(3),
        _ => None,
    }
}

/// A number that begins with a digit: `500,000`, `50万`, `1億2000万`, `5k`, `1.5 million`.
fn arabic(chars: &[char], at: usize, before: Option<char>) -> Option<(String, usize)> {
    if !chars[at].is_ascii_digit() {
        return None;
    }
    if before.is_some_and(|c| c.is_ascii_digit() || c == '.') {
        // The tail of something that was no amount: copied digit by digit.
        return None;
    }
    let attached = before.is_some_and(|c| c.is_alphanumeric() && !is_cjk(c));
    let (first, mut end) = plain(chars, at)?;
    if attached {
        return Some((first.text(), end)); // v2, q3: a name, no amount to be multiplied.
    }
    let mut total = Decimal::default();
    let mut part = first;
    let mut last_unit = u32::MAX;
    loop {
        let skip = usize::from(
            chars.get(end) == Some(&' ')
                && chars.get(end + 1).is_some_and(|&c| myriad(c).is_some()),
        );
        let mut zeros = 0;
        let mut to = end + skip;
        if let Some(unit) = chars
            .get(to)
            .and_then(|&c| small_unit(c))
            .filter(|&unit| unit > 1)
        {
            zeros += unit;
            to += 1;
        }
        if let Some(unit) = chars.get(to).and_then(|&c| myriad(c)) {
            zeros += unit;
            to += 1;
        }
        if zeros == 0 || zeros >= last_unit {
            break;
        }
        total = total.plus(&part.times(zeros)?)?;
        (part, end, last_unit) = (Decimal::default(), to, zeros);
        match plain(chars, end) {
            Some((next, to)) => (part, end) = (next, to),
            None => break,
        }
    }
    let mut value = total.plus(&part)?;
    if last_unit == u32::MAX
        && let Some((zeros, to)) = english_unit(chars, end)
    {
        value = value.times(zeros)?;
        end = to;
    }
    Some((value.text(), end))
}

/// `k`, `thousand`, `million`, `billion` after a number. A lone `m` may be metres, so it is left alone.
fn english_unit(chars: &[char], end: usize) -> Option<(u32, usize)> {
    let spaced = usize::from(chars.get(end) == Some(&' '));
    let from = end + spaced;
    let to = (from..).find(|&i| {
        !chars
            .get(i)
            .is_some_and(|c| c.is_alphanumeric() && !is_cjk(*c))
    })?;
    let word: String = chars[from..to].iter().collect();
    let zeros = match word.as_str() {
        "k" if spaced == 0 => 3,
        "thousand" => 3,
        "mn" | "million" => 6,
        "bn" | "billion" => 9,
        _ => return None,
    };
    Some((zeros, to))
}

/// A number in Chinese characters with at least one unit and two characters: 五十万. 万一, 十分 and 一番 are words.
fn kanji(chars: &[char], at: usize, before: Option<char>) -> Option<(String, usize)> {
    let digit = |c: char| {
        "〇一二三四五六七八九"
            .chars()
            .position(|d| d == c)
            .or((c == '两').then_some(2))
            .map(|d| d as u128)
    };
    let part_of = |c: char| digit(c).is_some() || small_unit(c).is_some() || myriad(c).is_some();
    if !part_of(chars[at])
        || before.is_some_and(|c| part_of(c) || c.is_ascii_digit())
        || myriad(chars[at]).is_some()
    {
        return None;
    }
    let end = (at..).find(|&i| !chars.get(i).is_some_and(|&c| part_of(c)))?;
    let run = &chars[at..end];
    if run.len() < 2
        || !run
            .iter()
            .any(|&c| small_unit(c).is_some() || myriad(c).is_some())
    {
        return None;
    }
    let (mut total, mut section, mut number): (u128, u128, Option<u128>) = (0, 0, None);
    for &c in run {
        if let Some(value) = digit(c) {
            if number.replace(value).is_some() {
                return None; // 二三十: an estimate, not a number.
            }
        } else if let Some(unit) = small_unit(c) {
            section += number.take().unwrap_or(1) * 10_u128.pow(unit);
        } else {
            let unit = myriad(c)?;
            total +=
                (section + number.take().unwrap_or(0)).checked_mul(10_u128.checked_pow(unit)?)?;
            section = 0;
        }
    }
    Some((
        total
            .checked_add(section + number.unwrap_or(0))?
            .to_string(),
        end,
    ))
}

/// Whether a character is a sign of money or of a rate: part of what a number says.
pub(crate) fn is_currency(c: char) -> bool {
    matches!(
        c,
        '$' | '€'
            | '£'
            | '¥'
            | '₩'
            | '₹'
            | '₽'
            | '₿'
            | '¢'
            | '฿'
            | '₫'
            | '₱'
            | '₺'
            | '%'
            | '‰'
    )
}

/// The numbers of a normal form with sign, currency and unit, in order: two statements whose lists differ are never the same.
pub(crate) fn numbers(normal: &str) -> Vec<String> {
    let chars: Vec<char> = normal.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let mut from = at;
        while from > 0 && (is_currency(chars[from - 1]) || chars[from - 1] == '-') {
            from -= 1;
        }
        let mut end = at;
        while chars
            .get(end)
            .is_some_and(|c| c.is_ascii_digit() || *c == '.')
        {
            end += 1;
        }
        let unit_from = end;
        while chars
            .get(end)
            .is_some_and(|c| (c.is_alphabetic() && !is_cjk(*c)) || is_currency(*c))
        {
            end += 1;
        }
        if end == unit_from && chars.get(end).is_some_and(|&c| super::is_han(c)) {
            end += 1;
        }
        found.push(chars[from..end].iter().collect());
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_amount_has_one_notation() {
        for text in [
            "500,000円",
            "50万円",
            "50 万円",
            "五十万円",
            "500000.00円",
            "500k円",
        ] {
            assert_eq!(rewrite(text), "500000円", "{text}");
        }
        assert_eq!(rewrite("1億2000万"), "120000000");
        assert_eq!(rewrite("1.5億"), "150000000");
        assert_eq!(rewrite("5百万"), "5000000");
        assert_eq!(rewrite("三千五百"), "3500");
        assert_eq!(rewrite("1.5 million, 2 thousand"), "1500000, 2000");
        assert_eq!(rewrite("1,234,567.80"), "1234567.8");
    }

    #[test]
    fn what_only_looks_like_an_amount_stays() {
        for text in [
            "万一",
            "十分",
            "一番",
            "千葉",
            "1,2,3",
            "2,024a",
            "090-1234",
            "1.2.3",
            "5m",
            "二三十",
            "10k-run",
            "v1.25",
        ] {
            let kept = match text {
                "10k-run" => "10000-run",
                "2,024a" => "2024a",
                other => other,
            };
            assert_eq!(rewrite(text), kept, "{text}");
        }
        assert_eq!(rewrite(&"9".repeat(80)), "9".repeat(80));
    }

    #[test]
    fn numbers_carry_what_they_count() {
        assert_eq!(numbers("$500 and 5% in 3 月"), ["$500", "5%", "3"]);
        assert_eq!(numbers("予算は500000円"), ["500000円"]);
        assert_eq!(numbers("-5kg"), ["-5kg"]);
    }
}
