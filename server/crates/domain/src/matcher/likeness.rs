//! How alike two statements are.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use super::denial::{Affirmed, denials};
use crate::text::{is_cjk, is_han, is_katakana, normal_form, numbers};

/// From this likeness on two statements are shown as possible duplicates.
const NEAR: f64 = 0.8;

/// Whether two statements say the same: equal normal forms. Two that say nothing are not the same.
pub fn same(a: &str, b: &str) -> bool {
    let form = normal_form(a);
    !form.is_empty() && form == normal_form(b)
}

/// Whether two statements are close enough to be shown as possible duplicates. Never where numbers, dates, currency, negation or
/// names differ, however alike the letters are.
pub fn near(a: &str, b: &str) -> bool {
    Statement::new(a).near(&Statement::new(b))
}

/// A statement as it is compared: read once, compared with many.
pub(super) struct Statement {
    pub(super) normal: String,
    shingles: Shingles,
    numbers: Vec<String>,
    dates: BTreeSet<&'static str>,
    names: BTreeSet<String>,
    denials: usize,
}

impl Statement {
    pub(super) fn new(text: &str) -> Self {
        let normal = normal_form(text);
        Self {
            shingles: Shingles::new(&normal),
            numbers: numbers(&normal),
            dates: dates(&normal),
            names: names(text),
            denials: denials(&normal),
            normal,
        }
    }

    /// As [`same`].
    pub(super) fn same(&self, other: &Self) -> bool {
        !self.normal.is_empty() && self.normal == other.normal
    }

    /// As [`near`].
    pub(super) fn near(&self, other: &Self) -> bool {
        self.facts_equal(other)
            && self.denials == other.denials
            && self.shingles.likeness(&other.shingles) >= NEAR
    }

    /// Whether a statement says all that the other one says, and maybe more.
    pub(super) fn holds(&self, other: &Self) -> bool {
        !other.shingles.0.is_empty()
            && self.denials == other.denials
            && other
                .numbers
                .iter()
                .all(|number| self.numbers.contains(number))
            && other
                .shingles
                .0
                .iter()
                .all(|shingle| self.shingles.0.binary_search(shingle).is_ok())
    }

    /// Whether two statements are the same but for a negation.
    pub(super) fn denies(&self, other: &Self) -> bool {
        if !self.is_opposed(other) || !self.facts_equal(other) {
            return false;
        }
        let (own, others) = Affirmed::new(&self.normal).beside(&Affirmed::new(&other.normal));
        Shingles::new(&own).likeness(&Shingles::new(&others)) >= NEAR
    }

    /// Whether one of two statements denies something and the other does not.
    pub(super) fn is_opposed(&self, other: &Self) -> bool {
        (self.denials > 0) != (other.denials > 0)
    }

    /// Whether two statements differ in their numbers and hardly in anything else.
    pub(super) fn figures_differ(&self, other: &Self) -> bool {
        let without = |s: &Self| -> Shingles {
            let letters: String = s.normal.chars().filter(|c| !c.is_ascii_digit()).collect();
            Shingles::new(&letters)
        };
        self.numbers != other.numbers
            && !self.numbers.is_empty()
            && !other.numbers.is_empty()
            && self.names == other.names
            && self.denials == other.denials
            && without(self).likeness(&without(other)) >= NEAR
    }

    fn facts_equal(&self, other: &Self) -> bool {
        self.numbers == other.numbers && self.dates == other.dates && self.names == other.names
    }
}

/// The character trigrams of a text; bigrams where it is mainly Japanese or Chinese, whose words are shorter. Sorted, each once, three
/// characters packed into a number.
struct Shingles(Vec<u64>);

impl Shingles {
    fn new(normal: &str) -> Self {
        let chars: Vec<char> = normal.chars().collect();
        let spaceless = chars.iter().filter(|&&c| is_cjk(c)).count() * 3 >= chars.len();
        let size = if spaceless { 2 } else { 3 };
        let pack = |window: &[char]| {
            window
                .iter()
                .fold(0, |packed, &c| (packed << 21) | u64::from(u32::from(c)))
        };
        let mut packed: Vec<u64> = chars.windows(size).map(pack).collect();
        packed.sort_unstable();
        packed.dedup();
        Self(packed)
    }

    /// The share in common (Jaccard); 0 where a side has none.
    fn likeness(&self, other: &Self) -> f64 {
        if self.0.is_empty() || other.0.is_empty() {
            return 0.0;
        }
        let common = self
            .0
            .iter()
            .filter(|shingle| other.0.binary_search(shingle).is_ok())
            .count();
        common as f64 / (self.0.len() + other.0.len() - common) as f64
    }
}

const DATES: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "today",
    "tomorrow",
    "yesterday",
    "next",
    "last",
    "morning",
    "afternoon",
    "evening",
    "night",
    "daily",
    "weekly",
    "monthly",
    "yearly",
    "spring",
    "summer",
    "autumn",
    "winter",
    "月曜",
    "火曜",
    "水曜",
    "木曜",
    "金曜",
    "土曜",
    "日曜",
    "周一",
    "周二",
    "周三",
    "周四",
    "周五",
    "周六",
    "周日",
    "星期一",
    "星期二",
    "星期三",
    "星期四",
    "星期五",
    "星期六",
    "星期日",
    "星期天",
    "今日",
    "今天",
    "明日",
    "明天",
    "昨日",
    "昨天",
    "来月",
    "下个月",
    "先月",
    "上个月",
    "来週",
    "下周",
    "先週",
    "上周",
    "来年",
    "明年",
    "去年",
    "毎日",
    "毎週",
    "毎月",
    "每天",
    "每周",
    "每月",
    "朝",
    "昼",
    "夜",
    "早上",
    "下午",
    "晚上",
    "春",
    "夏",
    "秋",
    "冬",
];

fn dates(normal: &str) -> BTreeSet<&'static str> {
    let words: BTreeSet<&str> = normal.split(' ').collect();
    DATES
        .iter()
        .copied()
        .filter(|date| {
            if date.is_ascii() {
                words.contains(date)
            } else {
                normal.contains(date)
            }
        })
        .collect()
}

/// What is written like a name: Latin words with a capital that do not begin the statement, Latin words and Katakana in Japanese
/// and Chinese, and what stands before さん, 様 and the like.
fn names(text: &str) -> BTreeSet<String> {
    let text: String = text
        .nfkc()
        .filter(|c| !crate::text::is_hidden(*c))
        .collect();
    let asian = text.chars().any(is_cjk);
    let mut found = BTreeSet::new();
    let mut first = true;
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        let latin = c.is_alphanumeric() && !is_cjk(c);
        if latin || matches!(c, '\'' | '\u{2019}') {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            let whole = std::mem::take(&mut word);
            let name = whole
                .trim_end_matches("'s")
                .trim_end_matches("\u{2019}s")
                .trim_matches('\'')
                .to_lowercase();
            let capital = whole.chars().any(char::is_uppercase) && !first;
            let lettered = whole.chars().any(char::is_alphabetic);
            if lettered && (asian || capital) && name != "i" && name != "user" {
                found.insert(name);
            }
            first = false;
        }
        // A sentence begins anew: its first capital says nothing.
        first |= matches!(c, '.' | '!' | '?' | '\n');
    }
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let end = (at..)
            .find(|&i| !chars.get(i).is_some_and(|&c| is_katakana(c)))
            .unwrap_or(at);
        let run: String = chars[at..end].iter().collect();
        if end - at >= 2 && run != "ユーザー" && run != "ユーザ" {
            found.insert(run);
        }
        at = end.max(at + 1);
    }
    for title in [
        "さん",
        "様",
        "氏",
        "くん",
        "君",
        "ちゃん",
        "先生",
        "女士",
        "老师",
        "经理",
        "社長",
        "部長",
    ] {
        for (byte, _) in text.match_indices(title) {
            let name: Vec<char> = text[..byte]
                .chars()
                .rev()
                .take_while(|&c| is_han(c))
                .take(4)
                .collect();
            if !name.is_empty() {
                found.insert(name.into_iter().rev().collect());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    // F10: cases same-twice, same-number-three-notations, cjk-not-similar, cjk-unrelated
    #[test]
    fn equal_forms_are_the_same_and_nothing_else_is() {
        assert!(same("User prefers dark mode", "User prefers dark mode."));
        assert!(same("予算は５０万円", "予算は500,000円"));
        for (a, b) in [
            ("予算は５０万円", "予算は500万円"),
            ("予算は５０万円", "预算是50万元"),
            ("予算は500万円", "预算是50万元"),
            ("The budget is $500", "The budget is $5,000"),
            ("Plan は毎週月曜に更新される", "Plan の予算は 50 万円"),
            ("用户想周游世界", "用户喜欢在周末吃夜宵"),
            ("", ""),
            ("!", "?"),
        ] {
            assert!(!same(a, b) && !near(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn near_looks_past_small_words_only() {
        assert!(near(
            "User prefers short answers with code examples",
            "User prefers short answers with a code example"
        ));
        assert!(near(
            "ユーザーは毎朝コーヒーを二杯飲んでいる",
            "ユーザーは毎朝にコーヒーを二杯飲んでいる"
        ));
        for (a, b) in [
            (
                "User's manager is Anna Smith since spring",
                "User's manager is Anna Smyth since spring",
            ),
            (
                "User has a standing meeting with the team on Monday",
                "User has a standing meeting with the team on Sunday",
            ),
            (
                "User wants to be called before every single deployment",
                "User doesn't want to be called before every single deployment",
            ),
            (
                "The yearly budget of the team is $500",
                "The yearly budget of the team is €500",
            ),
            (
                "ユーザーの上司は営業部の田中さんである",
                "ユーザーの上司は営業部の田村さんである",
            ),
            (
                "ユーザーは肉を食べる習慣がある",
                "ユーザーは肉を食べる習慣がない",
            ),
            ("用户每天早上喝咖啡", "用户每天晚上喝咖啡"),
            (
                "ユーザーはオスロの郊外に長年住んでいる",
                "ユーザーはベルゲンの郊外に長年住んでいる",
            ),
        ] {
            assert!(!near(a, b), "{a} / {b}");
        }
    }

    // B5
    #[test]
    fn a_denial_is_recognised_in_three_languages() {
        for (a, b) in [
            ("User eats meat", "User does not eat meat"),
            ("ユーザーは肉を食べる", "ユーザーは肉を食べない"),
            ("用户吃肉", "用户不吃肉"),
            ("User likes long meetings", "User dislikes long meetings"),
            ("User watches TV", "User does not watch TV any more"),
            ("The team uses Vim", "The team does not use Vim"),
            ("User is vegetarian", "User is no longer vegetarian"),
            ("User has a car", "User does not have a car"),
            ("User smokes", "User has quit smoking"),
            ("User is using Vim", "User gave up using Vim"),
            ("User studies Chinese", "User stopped studying Chinese"),
            (
                "ユーザーはワインを飲んでいる",
                "ユーザーはもうワインは飲みません",
            ),
            ("ユーザーはVimを使っている", "ユーザーはVimを使うのをやめた"),
            ("ユーザーは寿司が好き", "ユーザーは寿司が好きではなくなった"),
            ("ユーザーには子供がいる", "ユーザーには子供がいない"),
            ("用户在谷歌工作", "用户已经不在谷歌工作了"),
            ("用户使用Vim", "用户停止使用Vim"),
        ] {
            let (one, other) = (Statement::new(a), Statement::new(b));
            assert!(one.denies(&other) && other.denies(&one), "{a} / {b}");
        }
        for (a, b) in [
            ("User works at Acme", "User no longer works late"),
            ("User works at home", "User no longer works late"),
            ("User likes coffee", "User no longer likes coffee with milk"),
            ("User likes coffee", "User no longer likes tea"),
            ("User uses Vim", "User stopped using Emacs"),
            ("User likes trains", "User stopped training"),
            (
                "User no longer likes coffee",
                "User does not like coffee anymore",
            ),
            ("ユーザーは肉を食べたい", "ユーザーは魚を食べない"),
            (
                "ユーザーはAcmeで働いている",
                "ユーザーはもう夜に働いていない",
            ),
            ("ユーザーはコーヒーが好き", "ユーザーは紅茶は好きではない"),
            ("用户喜欢咖啡", "用户不再喜欢喝茶"),
            (
                "用户喜欢在周末的下午和孩子去河边的公园里散步",
                "用户非常喜欢在周末的下午和孩子去河边的公园里散步",
            ),
            (
                "ユーザーは毎日この薬を飲む",
                "ユーザーは毎日この薬を飲まなければならない",
            ),
            (
                "User likes the coffee from the old shop at the corner",
                "User likes not only the coffee from the old shop at the corner",
            ),
        ] {
            let (one, other) = (Statement::new(a), Statement::new(b));
            assert!(!one.denies(&other) && !other.denies(&one), "{a} / {b}");
        }
        assert!(
            !Statement::new("User eats meat").denies(&Statement::new("User does not drink wine"))
        );
        assert!(
            Statement::new("The team of the user has 5 people")
                .figures_differ(&Statement::new("The team of the user has 7 people"))
        );
        assert!(
            !Statement::new("User is 40").figures_differ(&Statement::new("The flat has 3 rooms"))
        );
    }
}
