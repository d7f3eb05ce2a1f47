//! The period that a value is of. "Last month" is another month whenever it is said, so it is written down as the month it meant:
//! `2026-08`. Days are `YYYY-MM-DD`, weeks `YYYY-Www` (ISO 8601), months `YYYY-MM`, quarters `YYYY-Qn`, halves `YYYY-Hn`, years
//! `YYYY`; from one day to another is `YYYY-MM-DD/YYYY-MM-DD`.

use std::sync::LazyLock;

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use regex::{Captures, Regex};
use unicode_normalization::UnicodeNormalization;

use crate::text::normal_form;

#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Day,
    Week,
    Weekend,
    Month,
    Quarter,
    Year,
}

/// Words for one period, seen from the day on which they are said.
const RELATIVE: &[(&str, Unit, i32)] = &[
    ("today", Unit::Day, 0),
    ("yesterday", Unit::Day, -1),
    ("last night", Unit::Day, -1),
    ("本日", Unit::Day, 0),
    ("今日", Unit::Day, 0),
    ("今天", Unit::Day, 0),
    ("昨日", Unit::Day, -1),
    ("昨天", Unit::Day, -1),
    ("今週", Unit::Week, 0),
    ("先週", Unit::Week, -1),
    ("这周", Unit::Week, 0),
    ("這週", Unit::Week, 0),
    ("本周", Unit::Week, 0),
    ("本週", Unit::Week, 0),
    ("这个周", Unit::Week, 0),
    ("上周", Unit::Week, -1),
    ("上週", Unit::Week, -1),
    ("上个周", Unit::Week, -1),
    ("上星期", Unit::Week, -1),
    ("上个星期", Unit::Week, -1),
    ("今月", Unit::Month, 0),
    ("当月", Unit::Month, 0),
    ("先月", Unit::Month, -1),
    ("前月", Unit::Month, -1),
    ("先々月", Unit::Month, -2),
    ("本月", Unit::Month, 0),
    ("这个月", Unit::Month, 0),
    ("這個月", Unit::Month, 0),
    ("上月", Unit::Month, -1),
    ("上个月", Unit::Month, -1),
    ("上個月", Unit::Month, -1),
    ("上上个月", Unit::Month, -2),
    ("今四半期", Unit::Quarter, 0),
    ("前四半期", Unit::Quarter, -1),
    ("本季度", Unit::Quarter, 0),
    ("这季度", Unit::Quarter, 0),
    ("这个季度", Unit::Quarter, 0),
    ("上季度", Unit::Quarter, -1),
    ("上个季度", Unit::Quarter, -1),
    ("今年", Unit::Year, 0),
    ("本年", Unit::Year, 0),
    ("昨年", Unit::Year, -1),
    ("去年", Unit::Year, -1),
];

/// Relative, and yet no date follows from it: nobody said when a sprint or a business year begins. A rate ("per month") is of no
/// period at all.
const UNDATED: &[&str] = &[
    "今期",
    "前期",
    "昨年度",
    "今年度",
    "月間",
    "年間",
    "週間",
    "毎月",
    "毎週",
    "毎日",
    "1日あたり",
    "月あたり",
    "每天",
    "每周",
    "每月",
    "每个月",
    "每年",
    "月均",
    "日均",
    "daily",
    "weekly",
    "monthly",
    "quarterly",
    "annually",
    "yearly",
    "year over year",
    "month over month",
    "week over week",
];

static NEAR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(this|current|last|previous) (day|week|weekend|month|quarter|year)$")
});
static TRAILING: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        pattern(
            r"^(?:last|past|trailing) (?:(\d{1,3}|two|three|six|twelve) )?(day|week|month|year)s?$",
        ),
        pattern(
            r"^(?:直近|過去|最近|过去|近)(\d{1,3})(日間?|天|週間|周|週|か月間?|ヶ月間?|个月|個月|年間?)$",
        ),
    ]
});
static TO_DATE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:ytd|year to date|年初来|年初至今|今年以来)$"));
static UNDATED_NEAR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:(?:this|current|last|previous|past|next) \S+|(?:a|per|each|every) \S+)$")
});
static MONTH: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        pattern(
            r"^(january|february|march|april|may|june|july|august|september|october|november|december)(?:,? (20\d\d))?$",
        ),
        pattern(r"^(?:(20\d\d)年)?(\d{1,2})月(?:度|期|分|份)?$"),
    ]
});
static QUARTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:(20\d\d)(?:年|-| )?)?(?:q|第)([1-4一二三四])(?:四半期|季度)?(?: (20\d\d))?$")
});
static HALF: LazyLock<Regex> = LazyLock::new(|| pattern(r"^h([12])(?: (20\d\d))?$"));
static YEAR: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(20\d\d)年?$"));

/// As this module writes them, in lower case.
static WRITTEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^20\d\d-(?:w?\d\d|[hq][1-4]|\d\d-\d\d(?:/20\d\d-\d\d-\d\d)?)$"));

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a written pattern")
}

/// The period that words said on the day `on` mean, where they mean another one on another day: "last month", 先週, 上个月. `None`
/// where they name it outright ("August"), and where no date follows from them ("last sprint").
#[must_use]
pub fn absolute(said: &str, on: NaiveDate) -> Option<String> {
    let said = bare(said);
    if let Some((_, unit, away)) = RELATIVE.iter().find(|(words, ..)| *words == said) {
        return near(*unit, *away, on);
    }
    if let Some(found) = NEAR.captures(&said) {
        let unit = match &found[2] {
            "day" => Unit::Day,
            "week" => Unit::Week,
            "weekend" => Unit::Weekend,
            "month" => Unit::Month,
            "quarter" => Unit::Quarter,
            _ => Unit::Year,
        };
        let away = -i32::from(matches!(&found[1], "last" | "previous"));
        return near(unit, away, on);
    }
    if TO_DATE.is_match(&said) {
        return Some(format!("{}-01-01/{on}", on.year()));
    }
    TRAILING
        .iter()
        .find_map(|trailing| trailing.captures(&said))
        .and_then(|found| since(&found, on))
}

/// What makes two periods the same: the words of one said at `on` as a period with its year. `None` where they are of no period
/// that could come up again.
pub(crate) fn key(said: &str, on: NaiveDate) -> Option<String> {
    if let Some(period) = absolute(said, on) {
        return Some(period);
    }
    let said = bare(said);
    if UNDATED.contains(&said.as_str()) || UNDATED_NEAR.is_match(&said) {
        return None;
    }
    if WRITTEN.is_match(&said) {
        return Some(said.to_uppercase());
    }
    Some(named(&said, on).unwrap_or_else(|| normal_form(&said)))
}

/// "August", 8月, Q3 with their year: without one, the last that had begun by `on`.
fn named(said: &str, on: NaiveDate) -> Option<String> {
    let number = |found: &Captures<'_>, at: usize| found.get(at)?.as_str().parse::<i32>().ok();
    let year = |named: Option<i32>, begun: bool| {
        named.unwrap_or(if begun { on.year() } else { on.year() - 1 })
    };
    let here = i32::try_from(on.month()).ok()?;
    if let Some(found) = MONTH[0].captures(said) {
        let month =
            i32::try_from(found[1].parse::<chrono::Month>().ok()?.number_from_month()).ok()?;
        return Some(format!(
            "{}-{month:02}",
            year(number(&found, 2), month <= here)
        ));
    }
    if let Some(found) = MONTH[1].captures(said) {
        let month = number(&found, 2)?;
        return Some(format!(
            "{}-{month:02}",
            year(number(&found, 1), month <= here)
        ));
    }
    if let Some(found) = QUARTER.captures(said) {
        let quarter = match &found[2] {
            "一" => 1,
            "二" => 2,
            "三" => 3,
            "四" => 4,
            digit => digit.parse().ok()?,
        };
        let named = number(&found, 1).or_else(|| number(&found, 3));
        let begun = quarter <= (here + 2) / 3;
        return Some(format!("{}-Q{quarter}", year(named, begun)));
    }
    if let Some(found) = HALF.captures(said) {
        let half = number(&found, 1)?;
        let begun = half == 1 || here > 6;
        return Some(format!("{}-H{half}", year(number(&found, 2), begun)));
    }
    if let Some(found) = YEAR.captures(said) {
        return Some(found[1].to_owned());
    }
    match said {
        "上半期" | "上半年" => Some(format!("{}-H1", on.year())),
        "下半期" | "下半年" => Some(format!("{}-H2", year(None, here > 6))),
        _ => None,
    }
}

fn bare(said: &str) -> String {
    let folded: String = said.nfkc().flat_map(char::to_lowercase).collect();
    let mut said = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    for opening in ["in ", "for ", "during ", "over ", "since ", "the "] {
        if let Some(rest) = said.strip_prefix(opening) {
            said = rest.to_owned();
        }
    }
    said
}

fn near(unit: Unit, away: i32, on: NaiveDate) -> Option<String> {
    let back = away.unsigned_abs();
    match unit {
        Unit::Day => Some(days_before(on, back)?.to_string()),
        Unit::Week => {
            let week = days_before(on, 7 * back)?.iso_week();
            Some(format!("{}-W{:02}", week.year(), week.week()))
        }
        Unit::Weekend => {
            let week = days_before(on, 7 * back)?.iso_week();
            let saturday = NaiveDate::from_isoywd_opt(week.year(), week.week(), Weekday::Sat)?;
            Some(format!("{saturday}/{}", saturday.succ_opt()?))
        }
        Unit::Month => {
            let month = on.checked_sub_months(Months::new(back))?;
            Some(month.format("%Y-%m").to_string())
        }
        Unit::Quarter => {
            let month = on.checked_sub_months(Months::new(3 * back))?;
            Some(format!("{}-Q{}", month.year(), month.month0() / 3 + 1))
        }
        Unit::Year => Some((on.year() + away).to_string()),
    }
}

/// "The last 30 days": those that end with `on`.
fn since(found: &Captures<'_>, on: NaiveDate) -> Option<String> {
    let count = match found.get(1).map(|count| count.as_str()) {
        None => 1,
        Some("two") => 2,
        Some("three") => 3,
        Some("six") => 6,
        Some("twelve") => 12,
        Some(digits) => digits.parse().ok()?,
    };
    let first = match &found[2] {
        unit if unit.starts_with("day") || unit.starts_with(['日', '天']) => {
            days_before(on, count)?
        }
        unit if unit.starts_with("week") || unit.starts_with(['週', '周']) => {
            days_before(on, 7 * count)?
        }
        unit if unit.starts_with("year") || unit.starts_with('年') => {
            on.checked_sub_months(Months::new(12 * count))?
        }
        _ => on.checked_sub_months(Months::new(count))?,
    };
    Some(format!("{first}/{on}"))
}

fn days_before(on: NaiveDate, days: u32) -> Option<NaiveDate> {
    on.checked_sub_days(Days::new(u64::from(days)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a day")
    }

    // B9
    #[test]
    fn words_that_move_with_the_day_become_the_period_they_meant() {
        for (said, on, period) in [
            ("last month", "2026-09-05", "2026-08"),
            ("Last month", "2026-01-31", "2025-12"),
            ("this week", "2026-09-05", "2026-W36"),
            ("last week", "2026-01-02", "2025-W52"),
            ("last weekend", "2026-09-08", "2026-09-05/2026-09-06"),
            ("this quarter", "2026-09-05", "2026-Q3"),
            ("last quarter", "2026-02-05", "2025-Q4"),
            ("this year", "2026-09-05", "2026"),
            ("previous year", "2026-09-05", "2025"),
            ("yesterday", "2026-03-01", "2026-02-28"),
            ("YTD", "2026-09-05", "2026-01-01/2026-09-05"),
            ("the last 30 days", "2026-09-05", "2026-08-06/2026-09-05"),
            ("past three months", "2026-09-05", "2026-06-05/2026-09-05"),
            ("先月", "2026-09-05", "2026-08"),
            ("今月", "2026-09-05", "2026-09"),
            ("先週", "2026-09-05", "2026-W35"),
            ("去年", "2026-09-05", "2025"),
            ("直近30日間", "2026-09-05", "2026-08-06/2026-09-05"),
            ("上个月", "2026-09-05", "2026-08"),
            ("本月", "2026-09-05", "2026-09"),
            ("上周", "2026-09-05", "2026-W35"),
            ("上个季度", "2026-09-05", "2026-Q2"),
            ("最近3个月", "2026-09-05", "2026-06-05/2026-09-05"),
        ] {
            assert_eq!(absolute(said, day(on)).as_deref(), Some(period), "{said}");
        }
        for said in [
            "August",
            "Q3",
            "8月",
            "last sprint",
            "monthly",
            "今期",
            "2026-08",
            "",
        ] {
            assert_eq!(absolute(said, day("2026-09-05")), None, "{said}");
        }
    }

    #[test]
    fn a_named_period_is_that_of_its_year_and_a_rate_is_none() {
        let key = |said: &str| key(said, day("2026-09-05"));
        for (said, is) in [
            ("August", "2026-08"),
            ("in November", "2025-11"),
            ("march 2024", "2024-03"),
            ("8月", "2026-08"),
            ("2024年12月", "2024-12"),
            ("Q3", "2026-Q3"),
            ("Q4", "2025-Q4"),
            ("Q3 2026", "2026-Q3"),
            ("第三季度", "2026-Q3"),
            ("last month", "2026-08"),
            ("H2", "2026-H2"),
            ("2026-08", "2026-08"),
            ("2026-W36", "2026-W36"),
            ("2026-08-06/2026-09-05", "2026-08-06/2026-09-05"),
            ("Black Friday", "black friday"),
        ] {
            assert_eq!(key(said).as_deref(), Some(is), "{said}");
        }
        for said in [
            "per month",
            "monthly",
            "last sprint",
            "毎月",
            "每个月",
            "今期",
        ] {
            assert_eq!(key(said), None, "{said}");
        }
    }
}
