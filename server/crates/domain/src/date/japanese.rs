//! 「来月」「来週の金曜日」「3月末」「二週間後」. In the text 週 reads 周 and 後 reads 后: see `plain`.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use regex::Captures;

use super::{
    Rule,
    calendar::{self, Unit, When, han_number, han_weekday},
};

const NUMBER: &str = "([0-9]{1,3}|[一二三四五六七八九十]{1,3})";

pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let number = |pattern: &str| pattern.replace('N', NUMBER);
    vec![
        // The past and habits: read by no rule below.
        Rule::new(
            &number(
                "(?:去年|昨年|一昨年|先月|先々月|毎年|前年)の?(?:N月)?(?:N日)?|(?:先周|毎周|先々周)の?[月火水木金土日]?(?:曜日?)?|毎月(?:N日)?",
            ),
            |_, _| None,
        ),
        Rule::new(&number("([0-9]{4})年N月N日"), |found, _| {
            calendar::day(
                found[1].parse().ok()?,
                han_number(&found[2])?,
                han_number(&found[3])?,
            )
        }),
        Rule::new(&number("([0-9]{4})年N月"), |found, _| {
            calendar::month(found[1].parse().ok()?, han_number(&found[2])?)
        }),
        Rule::new(
            &number("(今年|来年|翌年|再来年)の?N月(?:N日|(末))?"),
            month_of_year,
        ),
        Rule::new(
            &number("(今月|来月|再来月)の?N日"),
            |found, today| {
                let When::Month(year, month) = calendar::months_ahead(today, months(&found[1]))?
                else {
                    return None;
                };
                calendar::day(year, month, han_number(&found[2])?)
            },
        ),
        Rule::new(&number("N月の?N日"), |found, today| {
            calendar::coming_day(today, han_number(&found[1])?, han_number(&found[2])?)
        }),
        Rule::new(&number("N月の?(末|終わり)"), |found, today| {
            calendar::end_of_coming_month(today, han_number(&found[1])?)
        }),
        Rule::new(
            &number("N月(?:の?(?:上旬|中旬|下旬|初め|頭|半ば|初旬)|に|まで|から|の|が|は|、)"),
            |found, today| calendar::coming_month(today, han_number(&found[1])?),
        ),
        Rule::new("今日|本日|今夜|今晩", |_, today| {
            Some(When::Day(today))
        }),
        Rule::new("明日|あした|明晩", |_, today| {
            calendar::days_ahead(today, 1)
        }),
        Rule::new("明后日|あさって", |_, today| {
            calendar::days_ahead(today, 2)
        }),
        Rule::new(
            "(今周|来周|再来周)の?(?:(月|火|水|木|金|土|日)曜日?|(末|半ば|中|前半|后半))?",
            |found, today| {
                let weeks = match &found[1] {
                    "今周" => 0,
                    "来周" => 1,
                    _ => 2,
                };
                match found.get(2) {
                    Some(day) => {
                        calendar::weekday_of_week(today, weeks, han_weekday(day.as_str())?)
                    }
                    None => calendar::week(today, weeks),
                }
            },
        ),
        Rule::new("周末", |_, today| calendar::week(today, 0)),
        Rule::new(
            "(?:次の|今度の)?(月|火|水|木|金|土|日)曜日?(?:の|に|まで|が|は|、|中)",
            |found, today| calendar::coming_weekday(today, han_weekday(&found[1])?),
        ),
        Rule::new(
            "(今月|来月|再来月)の?(末|終わり)",
            |found, today| calendar::end_of_month(today, months(&found[1])),
        ),
        Rule::new("今月|来月|再来月", |found, today| {
            calendar::months_ahead(today, months(&found[0]))
        }),
        Rule::new("月末", |_, today| calendar::end_of_month(today, 0)),
        Rule::new("今四半期|今期中", |_, today| {
            calendar::quarter(today, 0)
        }),
        Rule::new("来四半期|次の四半期", |_, today| {
            calendar::quarter(today, 1)
        }),
        Rule::new("年末|年内|今年中|今年いっぱい", |_, today| {
            calendar::day(today.year(), 12, 31)
        }),
        Rule::new("今年", |_, today| calendar::month(today.year(), 12)),
        Rule::new("再来年", |_, today| {
            calendar::month(today.year() + 2, 12)
        }),
        Rule::new("来年", |_, today| calendar::month(today.year() + 1, 12)),
        Rule::new("半年后", |_, today| calendar::months_ahead(today, 6)),
        Rule::new(
            &number("N(日|周間|か月|ヶ月|カ月|ヵ月|ケ月|箇月|年)后"),
            |found, today| {
                let unit = match &found[2] {
                    "日" => Unit::Day,
                    "周間" => Unit::Week,
                    "年" => Unit::Year,
                    _ => Unit::Month,
                };
                calendar::units_ahead(today, han_number(&found[1])?, unit)
            },
        ),
    ]
});

fn months(said: &str) -> u32 {
    match said {
        "今月" => 0,
        "来月" => 1,
        _ => 2,
    }
}

fn month_of_year(found: &Captures<'_>, today: NaiveDate) -> Option<When> {
    let year = today.year()
        + match &found[1] {
            "今年" => 0,
            "再来年" => 2,
            _ => 1,
        };
    let month = han_number(&found[2])?;
    match (found.get(3), found.get(4)) {
        (Some(day), _) => calendar::day(year, month, han_number(day.as_str())?),
        (None, Some(_)) => calendar::last_day(year, month).map(When::Day),
        (None, None) => calendar::month(year, month),
    }
}
