//! "下个月", "下周五", "12月5日", "三个月后". Traditional 週, 個, 後, 號, 這 read as their simplified forms: see `plain`.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use regex::Captures;

use super::{
    Rule,
    calendar::{self, Unit, When, han_number, han_weekday},
};

const NUMBER: &str = "([0-9]{1,3}|[一二两三四五六七八九十]{1,3})";
const WEEK: &str = "(?:周|个?星期|个?礼拜)";

pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let filled = |pattern: &str| pattern.replace('N', NUMBER).replace('W', WEEK);
    vec![
        // The past and habits: read by no rule below.
        Rule::new(
            &filled(
                "(?:去年|前年|上个?月|每年|每个?月|历年)(?:的)?(?:N月份?底?)?(?:N[日号])?|(?:上|上上|每)W[一二三四五六日天末]?",
            ),
            |_, _| None,
        ),
        Rule::new(&filled("([0-9]{4})年N月N[日号]"), |found, _| {
            calendar::day(
                found[1].parse().ok()?,
                han_number(&found[2])?,
                han_number(&found[3])?,
            )
        }),
        Rule::new(
            &filled("(今年|明年|后年)(?:的)?N月份?(?:N[日号]|(底|末))?"),
            month_of_year,
        ),
        Rule::new(
            &filled("(这个月|本月|下个?月|下下个?月)的?N[日号]"),
            |found, today| {
                let When::Month(year, month) = calendar::months_ahead(today, months(&found[1]))?
                else {
                    return None;
                };
                calendar::day(year, month, han_number(&found[2])?)
            },
        ),
        Rule::new(&filled("N月N号"), |found, today| {
            calendar::coming_day(today, han_number(&found[1])?, han_number(&found[2])?)
        }),
        Rule::new(&filled("N月(?:份)?(?:底|末)"), |found, today| {
            calendar::end_of_coming_month(today, han_number(&found[1])?)
        }),
        Rule::new(
            &filled("N月(?:份|初|中旬|上旬|下旬|之前|前|要|就|开始|上线|结婚|毕业|交)"),
            |found, today| calendar::coming_month(today, han_number(&found[1])?),
        ),
        Rule::new("今天|今晚|今日", |_, today| Some(When::Day(today))),
        Rule::new("明天|明晚|明早", |_, today| {
            calendar::days_ahead(today, 1)
        }),
        Rule::new("大后天", |_, today| calendar::days_ahead(today, 3)),
        Rule::new("后天", |_, today| calendar::days_ahead(today, 2)),
        Rule::new(
            &filled("(这|本|下下|下)W([一二三四五六日天末])?"),
            |found, today| {
                let weeks = match &found[1] {
                    "下下" => 2,
                    "下" => 1,
                    _ => 0,
                };
                match found.get(2) {
                    Some(day) => {
                        calendar::weekday_of_week(today, weeks, han_weekday(day.as_str())?)
                    }
                    None => calendar::week(today, weeks),
                }
            },
        ),
        Rule::new(
            "(?:周|星期|礼拜)([一二三四五六日天末])",
            |found, today| match &found[1] {
                "末" => calendar::week(today, 0),
                day => calendar::weekday_from_today(today, han_weekday(day)?),
            },
        ),
        Rule::new(
            "(这个月|本月|下个?月)(?:底|末)",
            |found, today| calendar::end_of_month(today, months(&found[1])),
        ),
        Rule::new(
            "这个月|本月|下下个?月|下个?月",
            |found, today| calendar::months_ahead(today, months(&found[0])),
        ),
        Rule::new("月底|月末", |_, today| calendar::end_of_month(today, 0)),
        Rule::new("(?:这|本)个?季度", |_, today| {
            calendar::quarter(today, 0)
        }),
        Rule::new("下个?季度", |_, today| calendar::quarter(today, 1)),
        Rule::new("(?:今年)?年(?:底|末)|今年(?:之)?内", |_, today| {
            calendar::day(today.year(), 12, 31)
        }),
        Rule::new("今年", |_, today| calendar::month(today.year(), 12)),
        Rule::new("明年", |_, today| calendar::month(today.year() + 1, 12)),
        Rule::new("后年", |_, today| calendar::month(today.year() + 2, 12)),
        Rule::new("半年(?:后|之后|以后|内)", |_, today| {
            calendar::months_ahead(today, 6)
        }),
        Rule::new(
            &filled("N(天|周|个?星期|个?礼拜|个月|年)(?:后|之后|以后|内|之内|以内)"),
            |found, today| {
                let unit = match &found[2] {
                    "天" => Unit::Day,
                    "个月" => Unit::Month,
                    "年" => Unit::Year,
                    _ => Unit::Week,
                };
                calendar::units_ahead(today, han_number(&found[1])?, unit)
            },
        ),
    ]
});

fn months(said: &str) -> u32 {
    match said {
        "这个月" | "本月" => 0,
        "下个月" | "下月" => 1,
        _ => 2,
    }
}

fn month_of_year(found: &Captures<'_>, today: NaiveDate) -> Option<When> {
    let year = today.year()
        + match &found[1] {
            "今年" => 0,
            "明年" => 1,
            _ => 2,
        };
    let month = han_number(&found[2])?;
    match (found.get(3), found.get(4)) {
        (Some(day), _) => calendar::day(year, month, han_number(day.as_str())?),
        (None, Some(_)) => calendar::last_day(year, month).map(When::Day),
        (None, None) => calendar::month(year, month),
    }
}
