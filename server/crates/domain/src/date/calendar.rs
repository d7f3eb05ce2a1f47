//! Days and months to count with.

use std::fmt;

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

/// A day, or a month of which the day is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Day(NaiveDate),
    Month(i32, u32),
}

impl When {
    /// Its last day.
    pub(super) fn last(self) -> NaiveDate {
        match self {
            When::Day(day) => day,
            When::Month(year, month) => last_day(year, month).unwrap_or(NaiveDate::MAX),
        }
    }

    /// What [`fmt::Display`] wrote.
    pub(super) fn read(value: &str) -> Option<When> {
        if let Ok(day) = NaiveDate::parse_from_str(value, "%Y-%m-%d") {
            return Some(When::Day(day));
        }
        let (year, month) = value.split_once('-')?;
        let (year, month) = (year.parse().ok()?, month.parse().ok()?);
        (1..=12)
            .contains(&month)
            .then_some(When::Month(year, month))
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Day(day) => write!(f, "{}", day.format("%Y-%m-%d")),
            When::Month(year, month) => write!(f, "{year:04}-{month:02}"),
        }
    }
}

pub(super) fn days_ahead(today: NaiveDate, days: u64) -> Option<When> {
    // A number that nobody means as a date would leave the calendar.
    (days <= 3660)
        .then(|| today.checked_add_days(Days::new(days)))
        .flatten()
        .map(When::Day)
}

pub(super) fn months_ahead(today: NaiveDate, months: u32) -> Option<When> {
    if months > 120 {
        return None;
    }
    let day = today.with_day(1)?.checked_add_months(Months::new(months))?;
    Some(When::Month(day.year(), day.month()))
}

/// `count` of a unit ahead.
pub(super) fn units_ahead(today: NaiveDate, count: u32, unit: Unit) -> Option<When> {
    match unit {
        Unit::Day => days_ahead(today, u64::from(count)),
        Unit::Week => days_ahead(today, u64::from(count) * 7),
        Unit::Month => months_ahead(today, count),
        Unit::Year => months_ahead(today, count.checked_mul(12)?),
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// The Sunday of the week that lies so many weeks ahead.
pub(super) fn week(today: NaiveDate, weeks: u64) -> Option<When> {
    weekday_of_week(today, weeks, Weekday::Sun)
}

/// A day of the week that lies so many weeks ahead; weeks begin on Monday.
pub(super) fn weekday_of_week(today: NaiveDate, weeks: u64, day: Weekday) -> Option<When> {
    let monday =
        today.checked_sub_days(Days::new(u64::from(today.weekday().num_days_from_monday())))?;
    let days = weeks * 7 + u64::from(day.num_days_from_monday());
    monday.checked_add_days(Days::new(days)).map(When::Day)
}

/// The next such day after today.
pub(super) fn coming_weekday(today: NaiveDate, day: Weekday) -> Option<When> {
    let ahead =
        (day.num_days_from_monday() + 7 - today.weekday().num_days_from_monday() + 6) % 7 + 1;
    days_ahead(today, u64::from(ahead))
}

/// That day of this week, or of the next one where it lies behind.
pub(super) fn weekday_from_today(today: NaiveDate, day: Weekday) -> Option<When> {
    if day == today.weekday() {
        return Some(When::Day(today));
    }
    coming_weekday(today, day)
}

/// The year in which `month` comes next, this month counted.
fn year_of_coming(today: NaiveDate, month: u32) -> i32 {
    today.year() + i32::from(month < today.month())
}

pub(super) fn coming_month(today: NaiveDate, month: u32) -> Option<When> {
    (1..=12)
        .contains(&month)
        .then(|| When::Month(year_of_coming(today, month), month))
}

pub(super) fn end_of_coming_month(today: NaiveDate, month: u32) -> Option<When> {
    last_day(year_of_coming(today, month), month).map(When::Day)
}

/// The next such day, today counted.
pub(super) fn coming_day(today: NaiveDate, month: u32, day: u32) -> Option<When> {
    let this_year = NaiveDate::from_ymd_opt(today.year(), month, day);
    this_year
        .filter(|date| *date >= today)
        .or_else(|| {
            (1..=4).find_map(|years| NaiveDate::from_ymd_opt(today.year() + years, month, day))
        })
        .map(When::Day)
}

/// The next day of that number, today counted.
pub(super) fn coming_day_of_month(today: NaiveDate, day: u32) -> Option<When> {
    (0..=2)
        .filter_map(|months| {
            let first = today.with_day(1)?.checked_add_months(Months::new(months))?;
            first.with_day(day)
        })
        .find(|date| *date >= today)
        .map(When::Day)
}

pub(super) fn day(year: i32, month: u32, day: u32) -> Option<When> {
    NaiveDate::from_ymd_opt(year, month, day).map(When::Day)
}

pub(super) fn month(year: i32, month: u32) -> Option<When> {
    (1..=12)
        .contains(&month)
        .then_some(When::Month(year, month))
}

/// The last day of the month that lies so many months ahead.
pub(super) fn end_of_month(today: NaiveDate, months: u32) -> Option<When> {
    months_ahead(today, months).map(|when| When::Day(when.last()))
}

/// The last month of the quarter that lies so many quarters ahead.
pub(super) fn quarter(today: NaiveDate, quarters: u32) -> Option<When> {
    let into = (today.month() - 1) % 3;
    months_ahead(today, 2 - into + quarters * 3)
}

pub(super) fn last_day(year: i32, month: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, 1)?
        .checked_add_months(Months::new(1))?
        .pred_opt()
}

/// 三, 十二, 二十, 12.
pub(super) fn han_number(text: &str) -> Option<u32> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let digit = |c: char| -> Option<u32> {
        Some(match c {
            '一' => 1,
            '二' | '两' => 2,
            '三' => 3,
            '四' => 4,
            '五' => 5,
            '六' => 6,
            '七' => 7,
            '八' => 8,
            '九' => 9,
            _ => return None,
        })
    };
    let (mut tens, mut ones) = (0, 0);
    for c in text.chars() {
        if c == '十' {
            tens = if ones == 0 { 10 } else { ones * 10 };
            ones = 0;
        } else {
            ones = digit(c)?;
        }
    }
    (tens + ones > 0).then_some(tens + ones)
}

/// 月曜日, 周一.
pub(super) fn han_weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "月" | "一" => Weekday::Mon,
        "火" | "二" => Weekday::Tue,
        "水" | "三" => Weekday::Wed,
        "木" | "四" => Weekday::Thu,
        "金" | "五" => Weekday::Fri,
        "土" | "六" => Weekday::Sat,
        "日" | "天" | "末" => Weekday::Sun,
        _ => return None,
    })
}
