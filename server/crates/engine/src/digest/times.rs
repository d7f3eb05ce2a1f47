//! When a digest is due: at an hour, on some days of the week, in the zone of whoever reads it.

use chrono::{Datelike, NaiveDate, TimeZone};
use chrono_tz::Tz;
use domain::{Timestamp, time::Span};

/// The next time after `now` that it is `hour` o'clock on one of `weekdays` (1: Monday, 7: Sunday); `None`: there is no such day.
/// An hour that the clocks skip is the one after it, one that they repeat its first.
pub fn next_after(now: Timestamp, hour: u8, weekdays: &[u8], zone: Tz) -> Option<Timestamp> {
    let today = now.with_timezone(&zone).date_naive();
    today
        .iter_days()
        .take(9)
        .filter(|day| weekdays.contains(&weekday(*day)))
        .filter_map(|day| at(day, hour, zone))
        .find(|time| *time > now)
}

fn weekday(day: NaiveDate) -> u8 {
    u8::try_from(day.weekday().number_from_monday()).unwrap_or(0)
}

fn at(day: NaiveDate, hour: u8, zone: Tz) -> Option<Timestamp> {
    let oclock = day.and_hms_opt(u32::from(hour), 0, 0)?;
    let later = [oclock, oclock + Span::hours(1)];
    let time = later
        .iter()
        .find_map(|time| zone.from_local_datetime(time).earliest())?;
    Some(time.to_utc())
}

/// Whether there are days off between two digests: what expires on them, nobody is told of.
pub fn days_off(now: Timestamp, next: Timestamp, zone: Tz) -> bool {
    let day = |time: Timestamp| time.with_timezone(&zone).date_naive();
    (day(next) - day(now)).num_days() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEEK: [u8; 5] = [1, 2, 3, 4, 5];

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    // G8
    #[test]
    fn the_next_digest_is_at_the_hour_of_the_reader_on_a_day_they_work() {
        let next = |now: &str, zone: Tz| next_after(time(now), 9, &WEEK, zone).unwrap();
        // Tuesday.
        assert_eq!(
            next("2026-12-01T07:59:59Z", Tz::Europe__Oslo),
            time("2026-12-01T08:00:00Z")
        );
        assert_eq!(
            next("2026-12-01T08:00:00Z", Tz::Europe__Oslo),
            time("2026-12-02T08:00:00Z")
        );
        // Friday in Tokyo begins while it is Thursday in Oslo.
        assert_eq!(
            next("2026-12-03T23:00:00Z", Tz::Asia__Tokyo),
            time("2026-12-04T00:00:00Z")
        );
        assert_eq!(
            next("2026-12-04T00:00:00Z", Tz::Asia__Tokyo),
            time("2026-12-07T00:00:00Z"),
            "over the weekend"
        );
        assert_eq!(
            next_after(time("2026-12-04T12:00:00Z"), 9, &[5], Tz::UTC),
            Some(time("2026-12-11T09:00:00Z")),
            "once a week"
        );
        assert_eq!(
            next_after(time("2026-12-04T12:00:00Z"), 9, &[], Tz::UTC),
            None
        );
    }

    // G8
    #[test]
    fn an_hour_that_is_skipped_or_repeated_comes_once() {
        let berlin = Tz::Europe__Berlin;
        let all = [1, 2, 3, 4, 5, 6, 7];
        // 29 March 2026: two o'clock is three o'clock.
        let skipped = next_after(time("2026-03-29T00:00:00Z"), 2, &all, berlin);
        assert_eq!(skipped, Some(time("2026-03-29T01:00:00Z")));
        // 25 October 2026: two o'clock comes twice.
        let first = next_after(time("2026-10-24T22:00:00Z"), 2, &all, berlin).unwrap();
        assert_eq!(first, time("2026-10-25T00:00:00Z"));
        let then = next_after(first, 2, &all, berlin);
        assert_eq!(then, Some(time("2026-10-26T01:00:00Z")));
    }

    // G8
    #[test]
    fn a_weekend_has_days_off_and_a_night_has_none() {
        let friday = time("2026-12-04T08:00:00Z");
        let next = next_after(friday, 9, &WEEK, Tz::Europe__Oslo).unwrap();
        assert!(days_off(friday, next, Tz::Europe__Oslo));
        let monday = time("2026-12-07T08:00:00Z");
        let next = next_after(monday, 9, &WEEK, Tz::Europe__Oslo).unwrap();
        assert!(!days_off(monday, next, Tz::Europe__Oslo));
    }
}
