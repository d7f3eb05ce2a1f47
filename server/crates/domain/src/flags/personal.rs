//! Personal identifiers: e-mail, telephone, postal addresses, account and passport numbers, dates of birth.
//!
//! They flag a candidate; ids whose check digit proves them are secrets (see [`crate::secret`]).

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::pattern;

static SHAPES: LazyLock<RegexSet> = LazyLock::new(|| {
    pattern::any(&[
        r"[a-z0-9._%+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}",
        // telephone: international, Japan, China, North America, United Kingdom, or named so
        r"(?:^|[^0-9A-Za-z])\+\d{1,3}[ .-]?(?:\(?\d{1,4}\)?[ .-]?){2,5}\d{2,4}",
        r"(?:^|[^\d-])(?:0\d{1,4}-\d{1,4}-\d{4}|0[5789]0\d{8}|\(0\d{1,4}\)\s?\d{1,4}-\d{4})(?:$|[^\d-])",
        r"(?:^|[^\d])1[3-9]\d{9}(?:$|[^\d])|(?:^|[^\d])1[3-9]\d[ -]\d{4}[ -]\d{4}(?:$|[^\d])",
        r"\(\d{3}\) ?\d{3}-\d{4}|(?:^|[^\d.-])\d{3}[.-]\d{3}[.-]\d{4}(?:$|[^\d.-])|(?:^|[^\d])07\d{3} ?\d{6}(?:$|[^\d])",
        r"(?:\b(?:phone|tel|telephone|mobile|cell|fax)\b|電話|携帯|手机|手機|[电電][话話]|座机).{0,12}?\d[\d ()-]{5,}\d",
        // addresses
        r"\b\d{1,5}[a-z]? (?:[a-z'.]+ ){1,3}(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|square|terrace|crescent)\b|\b(?:p\.?o\.? box) \d+",
        r"\b[a-z'äöüß-]+(?:straße|strasse|weg|platz|gasse) \d{1,4}[a-z]?\b|\b\d{1,4},? (?:rue|avenue|boulevard|place) [a-zéèêàçôîï]",
        r"〒 ?\d{3}-?\d{4}|[都道府県].{1,10}[市区町村郡].{0,20}\d+ ?(?:丁目|番地?|号|-\d)|\d丁目\d|\d{1,4}番地",
        r"(?:[路街道巷弄村]|大道|小区|[区縣县]).{0,12}?\d+ ?(?:号|號|弄|栋|棟|单元|室)",
        // documents and birth
        r"(?:\bpassport\b|パスポート|旅券|护照|護照|\bdriver'?s? licen[cs]e\b|運転免許|驾照|驾驶证).{0,16}?[a-z]{0,3}\d{6,12}",
        r"(?:\bborn (?:on|in)\b|\b(?:date of birth|dob|birthday|birth date)\b|生年月日|誕生日|出生(?:日期|于|於)?|生日).{0,16}?\d",
        r"\b[a-ceghj-pr-tw-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[a-d]\b",
        r"(?:\b(?:account|acct|customer|member|insurance|policy|tax|medicare|nhs) (?:number|no|id)\b|口座番号|会員番号|保険証|账号|帳號|卡号|税号).{0,12}?\d{5,}",
    ])
});

static IBAN: LazyLock<Regex> =
    LazyLock::new(|| pattern::one(r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?\b"));

/// Whether a text holds a personal identifier.
pub(super) fn holds(plain: &str) -> bool {
    SHAPES.is_match(plain) || IBAN.find_iter(plain).any(|found| iban(found.as_str()))
}

/// ISO 13616: the rest of a division by 97 is 1.
fn iban(text: &str) -> bool {
    let letters: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (head, tail) = letters.split_at(4);
    let rest = tail.chars().chain(head.chars()).try_fold(0_u32, |rest, c| {
        let digit = c.to_digit(36)?;
        Some((rest * if digit < 10 { 10 } else { 100 } + digit) % 97)
    });
    letters.len() >= 15 && rest == Some(1)
}
