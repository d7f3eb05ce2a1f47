//! "next month", "in two weeks", "by the end of March", "on the 15th".

use std::sync::LazyLock;

use chrono::{Datelike, Weekday};
use regex::Captures;

use super::{
    Rule,
    calendar::{self, Unit, When},
};

const MONTHS: &str = "(?P<month>january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)";
const DAYS: &str = "(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues|tue|wed|thurs|thu|fri|sat|sun)";
const COUNT: &str = "(?P<count>a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple of|a few|\\d{1,3})";
const UNIT: &str = "(?P<unit>day|week|fortnight|month|year)s?(?:'s?)?";

pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    vec![
        // The past and habits: read by no rule below.
        Rule::new(
            &format!(
                r"\b(?:last|past|previous|every|each|since|back in)\s+(?:the\s+)?(?:(?:early|late|mid|end of)[ -])?(?:week|month|year|quarter|{}|{})\b(?:\s+\d{{1,4}})?",
                bare(DAYS),
                bare(MONTHS)
            ),
            |_, _| None,
        ),
        Rule::new(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b", |found, _| {
            calendar::day(
                found[1].parse().ok()?,
                found[2].parse().ok()?,
                found[3].parse().ok()?,
            )
        }),
        Rule::new(
            r"\b(?:today|tonight|this (?:morning|afternoon|evening)|later today)\b",
            |_, today| Some(When::Day(today)),
        ),
        Rule::new(r"\b(?:the )?day after tomorrow\b", |_, today| {
            calendar::days_ahead(today, 2)
        }),
        Rule::new(r"\btomorrow\b", |_, today| calendar::days_ahead(today, 1)),
        Rule::new(
            &format!(
                r"\b(?:in|within|in under|in about|in just|in the next|over the next|for the next|in less than) {COUNT} {UNIT}\b"
            ),
            ahead,
        ),
        Rule::new(
            &format!(r"\b{COUNT} {UNIT} (?:from (?:now|today)|away|out)\b"),
            ahead,
        ),
        Rule::new(r"\b(?:this|the coming) week\b", |_, today| {
            calendar::week(today, 0)
        }),
        Rule::new(r"\b(?:the )?week after next\b", |_, today| {
            calendar::week(today, 2)
        }),
        Rule::new(r"\bnext week(?:end)?\b", |_, today| {
            calendar::week(today, 1)
        }),
        Rule::new(r"\b(?:this|the|on the|at the) weekend\b", |_, today| {
            calendar::week(today, 0)
        }),
        Rule::new(r"\bthis month\b", |_, today| {
            calendar::months_ahead(today, 0)
        }),
        Rule::new(r"\b(?:the )?month after next\b", |_, today| {
            calendar::months_ahead(today, 2)
        }),
        Rule::new(r"\bnext month\b", |_, today| {
            calendar::months_ahead(today, 1)
        }),
        Rule::new(r"\bthis quarter\b", |_, today| calendar::quarter(today, 0)),
        Rule::new(r"\bnext quarter\b", |_, today| calendar::quarter(today, 1)),
        Rule::new(r"\bthis year\b", |_, today| {
            calendar::month(today.year(), 12)
        }),
        Rule::new(r"\bnext year\b", |_, today| {
            calendar::month(today.year() + 1, 12)
        }),
        Rule::new(r"\b(?:the )?end of (?:the|this) week\b", |_, today| {
            calendar::week(today, 0)
        }),
        Rule::new(r"\b(?:the )?end of next week\b", |_, today| {
            calendar::week(today, 1)
        }),
        Rule::new(
            r"\b(?:the )?end of (?:the|this) month\b|\bmonth[ -]end\b",
            |_, today| calendar::end_of_month(today, 0),
        ),
        Rule::new(r"\b(?:the )?end of next month\b", |_, today| {
            calendar::end_of_month(today, 1)
        }),
        Rule::new(r"\b(?:the )?end of (?:the|this) quarter\b", |_, today| {
            calendar::quarter(today, 0)
        }),
        Rule::new(
            r"\b(?:the )?end of (?:the|this) year\b|\byear[ -]end\b|\bthe year ends\b",
            |_, today| calendar::day(today.year(), 12, 31),
        ),
        Rule::new(
            r"\b(?:by|before|at|until|for|around) christmas\b",
            |_, today| calendar::coming_day(today, 12, 25),
        ),
        Rule::new(
            r"\b(?:by|before|until|after|on) new year(?:'s)?(?: day)?\b",
            |_, today| calendar::coming_day(today, 1, 1),
        ),
        Rule::new(
            &format!(
                r"\b(?:(?P<next>next|this|coming|on|by|until|till|before|from|for|due|starting)\s+)?(?:the\s+)?{DAYS}\b"
            ),
            weekday,
        ),
        Rule::new(
            &format!(
                r"\b(?:(?:by|until|till|before|for|on|through|around|from|to|starting|of) )?{MONTHS}\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>\d{{4}})\b)?"
            ),
            day_of_month,
        ),
        Rule::new(
            &format!(
                r"\b(?:(?:by|until|till|before|for|on|from|to|is|starting) )?(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {MONTHS}\b(?:,? (?P<year>\d{{4}})\b)?"
            ),
            day_of_month,
        ),
        Rule::new(
            &format!(r"\b(?:the )?(?:end|last day) of {MONTHS}\b(?: (?P<year>\d{{4}})\b)?"),
            end_of_named_month,
        ),
        Rule::new(
            &format!(
                r"\b(?:in|by|until|till|before|for|next|this|through|during|around|from|to|early|late|mid|starting|of)(?: in)?[ -](?:early |late |mid-?)?{MONTHS}\b(?:,? (?P<year>\d{{4}})\b)?"
            ),
            named_month,
        ),
        Rule::new(
            r"\b(?:on|by|until|till|before|from|for|is|starting) the (\d{1,2})(?:st|nd|rd|th)\b",
            |found, today| calendar::coming_day_of_month(today, found[1].parse().ok()?),
        ),
    ]
});

/// A part of a pattern without the name of its group, which may stand in a pattern once only.
fn bare(part: &str) -> String {
    let end = part.find('>').map_or(0, |at| at + 1);
    format!("(?:{}", &part[end..])
}

fn ahead(found: &Captures<'_>, today: chrono::NaiveDate) -> Option<When> {
    let count = match &found["count"] {
        "a" | "an" | "one" => 1,
        "two" | "a couple of" => 2,
        "three" | "a few" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        digits => digits.parse().ok()?,
    };
    let (unit, count) = match &found["unit"] {
        "day" => (Unit::Day, count),
        "week" => (Unit::Week, count),
        "fortnight" => (Unit::Week, count * 2),
        "month" => (Unit::Month, count),
        _ => (Unit::Year, count),
    };
    calendar::units_ahead(today, count, unit)
}

fn weekday(found: &Captures<'_>, today: chrono::NaiveDate) -> Option<When> {
    let said = &found["weekday"];
    let day = match &said[..3] {
        "mon" => Weekday::Mon,
        "tue" => Weekday::Tue,
        "wed" => Weekday::Wed,
        "thu" => Weekday::Thu,
        "fri" => Weekday::Fri,
        "sat" => Weekday::Sat,
        _ => Weekday::Sun,
    };
    let opening = found.name("next").map(|word| word.as_str());
    // "sat" and "sun" alone are other words.
    if opening.is_none() && said.len() <= 5 {
        return None;
    }
    match opening {
        Some("next") => calendar::weekday_of_week(today, 1, day),
        _ => calendar::coming_weekday(today, day),
    }
}

fn month_number(name: &str) -> Option<u32> {
    let names = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    names
        .iter()
        .position(|start| name.starts_with(start))
        .map(|at| at as u32 + 1)
}

fn year(found: &Captures<'_>) -> Option<i32> {
    found.name("year")?.as_str().parse().ok()
}

fn day_of_month(found: &Captures<'_>, today: chrono::NaiveDate) -> Option<When> {
    let month = month_number(&found["month"])?;
    let day = found["day"].parse().ok()?;
    match year(found) {
        Some(year) => calendar::day(year, month, day),
        None => calendar::coming_day(today, month, day),
    }
}

fn named_month(found: &Captures<'_>, today: chrono::NaiveDate) -> Option<When> {
    let month = month_number(&found["month"])?;
    match year(found) {
        Some(year) => calendar::month(year, month),
        None => calendar::coming_month(today, month),
    }
}

fn end_of_named_month(found: &Captures<'_>, today: chrono::NaiveDate) -> Option<When> {
    let month = month_number(&found["month"])?;
    match year(found) {
        Some(year) => calendar::last_day(year, month).map(When::Day),
        None => calendar::end_of_coming_month(today, month),
    }
}
