//! Dates that people say, in English, Japanese and Chinese, counted from the day they were said (G12): "next month", 「来週の金曜日」,
//! "12月5日".
//!
//! Only what lies ahead or is written with its year: "last week" and "every Friday" give no date, seasons neither (they differ by
//! hemisphere). A week stands for its last day and a year for its last month, because what is asked of a date is whether it has
//! passed.

mod calendar;
mod chinese;
mod english;
mod japanese;

use std::ops::Range;

use chrono::NaiveDate;
use regex::{Captures, Regex};

use calendar::When;

/// A date found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// First code point of the words.
    pub start: usize,
    /// Code point after the words.
    pub end: usize,
    /// `YYYY-MM-DD`, or `YYYY-MM` where only the month is known.
    pub value: String,
}

/// The first date in `text`; `today` is the day on which it was said, where it was said.
#[must_use]
pub fn resolve(text: &str, today: NaiveDate) -> Option<Resolved> {
    all(text, today).into_iter().next()
}

/// The first date in `text` that lies on or after `today`.
#[must_use]
pub fn ahead(text: &str, today: NaiveDate) -> Option<Resolved> {
    all(text, today)
        .into_iter()
        .find(|found| !passed(&found.value, today))
}

/// Whether a date that [`resolve`] gave lies before `today`: a month has passed with its last day. What is no such date has not
/// passed.
#[must_use]
pub fn passed(value: &str, today: NaiveDate) -> bool {
    When::read(value).is_some_and(|when| when.last() < today)
}

/// A way of saying a date.
struct Rule {
    pattern: Regex,
    read: fn(&Captures<'_>, NaiveDate) -> Option<When>,
}

impl Rule {
    fn new(pattern: &str, read: fn(&Captures<'_>, NaiveDate) -> Option<When>) -> Rule {
        Rule {
            pattern: Regex::new(pattern).expect("a written pattern"),
            read,
        }
    }
}

/// All dates of `text` in the order in which they stand; of two that overlap the one that begins first, then the longer one.
fn all(text: &str, today: NaiveDate) -> Vec<Resolved> {
    let plain: String = text.chars().map(plain).collect();
    let mut found: Vec<(Range<usize>, Option<When>)> = Vec::new();
    for rule in english::RULES
        .iter()
        .chain(japanese::RULES.iter())
        .chain(chinese::RULES.iter())
    {
        for captures in rule.pattern.captures_iter(&plain) {
            if let Some(whole) = captures.get(0) {
                found.push((whole.range(), (rule.read)(&captures, today)));
            }
        }
    }
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut upto = 0;
    let mut dates = Vec::new();
    for (range, when) in found {
        if range.start < upto {
            continue;
        }
        upto = range.end;
        // Words that are a date of the past or a habit still keep shorter rules from reading a part of them.
        if let Some(when) = when {
            let start = plain[..range.start].chars().count();
            dates.push(Resolved {
                start,
                end: start + plain[range].chars().count(),
                value: when.to_string(),
            });
        }
    }
    dates
}

/// One character for one: a place in the result is a place in the text.
fn plain(c: char) -> char {
    match c {
        '０'..='９' => char::from(b'0' + (c as u32 - '０' as u32) as u8),
        '’' => '\'',
        '週' => '周',
        '個' => '个',
        '後' => '后',
        '號' => '号',
        '禮' => '礼',
        '兩' => '两',
        '這' => '这',
        c => c.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Monday.
    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 30).expect("a day")
    }

    fn value(text: &str) -> Option<String> {
        resolve(text, today()).map(|found| found.value)
    }

    // G12
    #[test]
    fn relative_dates_are_counted_from_the_day_they_were_said_in_three_languages() {
        for (said, is) in [
            ("We launch next month", "2026-12"),
            ("the demo is tomorrow", "2026-12-01"),
            ("the day after tomorrow we fly", "2026-12-02"),
            ("exams start in two weeks", "2026-12-14"),
            ("I'm moving in 10 days", "2026-12-10"),
            ("we move in three months", "2027-02"),
            ("let's meet on Friday", "2026-12-04"),
            ("it is due by Monday", "2026-12-07"),
            ("we ship next Friday", "2026-12-11"),
            ("next week is full", "2026-12-13"),
            ("by March", "2027-03"),
            ("by the end of March", "2027-03-31"),
            ("on March 3", "2027-03-03"),
            ("on the 3rd of March, 2028", "2028-03-03"),
            ("our deadline is December 5th", "2026-12-05"),
            ("on the 15th", "2026-12-15"),
            ("by March 3", "2027-03-03"),
            ("by the end of the year", "2026-12-31"),
            ("next year", "2027-12"),
            ("next quarter", "2027-03"),
            ("before Christmas", "2026-12-25"),
            ("on 2027-01-15", "2027-01-15"),
            ("来月ローンチします", "2026-12"),
            ("来週の金曜日が締め切りです", "2026-12-11"),
            ("明日プレゼンがあります", "2026-12-01"),
            ("3月末までに終わらせたい", "2027-03-31"),
            ("１２月５日に引っ越します", "2026-12-05"),
            ("二週間後に試験があります", "2026-12-14"),
            ("三か月後に帰国します", "2027-02"),
            ("金曜日までに出します", "2026-12-04"),
            ("来年の4月に入社します", "2027-04"),
            ("年末までに", "2026-12-31"),
            ("再来月", "2027-01"),
            ("今週末に引っ越し", "2026-12-06"),
            ("我们下个月上线", "2026-12"),
            ("下周五交报告", "2026-12-11"),
            ("明天面试", "2026-12-01"),
            ("后天出发", "2026-12-02"),
            ("後天出發", "2026-12-02"),
            ("12月5日发布", "2026-12-05"),
            ("12月5号发布", "2026-12-05"),
            ("三月底之前", "2027-03-31"),
            ("两周后搬家", "2026-12-14"),
            ("三个月后毕业", "2027-02"),
            ("这周五开会", "2026-12-04"),
            ("明年三月结婚", "2027-03"),
            ("年底之前", "2026-12-31"),
            ("下週三", "2026-12-09"),
        ] {
            assert_eq!(value(said).as_deref(), Some(is), "{said}");
        }
    }

    #[test]
    fn the_past_and_habits_give_no_date() {
        for said in [
            "we moved last month",
            "I swim every Friday",
            "on Fridays I cook",
            "I may come",
            "the march was long",
            "since March I have been off work",
            "last Friday was bad",
            "for two weeks",
            "先月引っ越しました",
            "毎週金曜日に走ります",
            "去年の5月に転職しました",
            "3か月勉強しました",
            "上个月搬家了",
            "每周五跑步",
            "去年三月毕业",
            "学了三个月",
            "nothing",
            "",
        ] {
            assert_eq!(value(said), None, "{said}");
        }
    }

    #[test]
    fn the_place_is_in_code_points() {
        let found = resolve("ええと、来週の金曜日です", today()).expect("found");
        assert_eq!((found.start, found.end), (4, 10));
        let found = resolve("👋 see you Tomorrow", today()).expect("found");
        assert_eq!((found.start, found.end), (10, 18));
    }

    #[test]
    fn a_month_has_passed_with_its_last_day() {
        assert!(!passed("2026-11", today()));
        assert!(!passed("2026-11-30", today()));
        assert!(passed("2026-11-29", today()));
        assert!(passed("2026-10", today()));
        assert!(!passed("soon", today()));
        assert!(!passed("2026-13", today()));
    }

    #[test]
    fn of_several_the_first_that_lies_ahead_counts() {
        let found = ahead("the trial of 2020-01-01 ends next month", today()).expect("found");
        assert_eq!(found.value, "2026-12");
        assert_eq!(ahead("on 2020-01-01", today()), None);
    }
}
