//! Times: as ages and as time left, with the instant in UTC at hand.

use chrono_tz::Tz;
use domain::{Timestamp, time::Span};
use leptos::prelude::*;

use crate::{shell::Frame, text::Text};

/// An instant for `datetime`.
pub fn attribute(at: Timestamp) -> String {
    domain::time::rfc3339(at)
}

/// A date with its time in a zone; UTC is named, because it is nobody's wall clock.
pub fn date_time(text: &Text, zone: Tz, at: Timestamp) -> String {
    let line = at.with_timezone(&zone).format(text.time.date_time);
    if zone == Tz::UTC {
        format!("{line} UTC")
    } else {
        line.to_string()
    }
}

/// The same to the second.
fn date_second(text: &Text, zone: Tz, at: Timestamp) -> String {
    let format = text.time.date_time.replace("%M", "%M:%S");
    let line = at.with_timezone(&zone).format(&format);
    if zone == Tz::UTC {
        format!("{line} UTC")
    } else {
        line.to_string()
    }
}

/// The time of day in a zone; UTC is named.
pub fn clock(zone: Tz, at: Timestamp) -> String {
    let line = at.with_timezone(&zone).format("%H:%M");
    if zone == Tz::UTC {
        format!("{line} UTC")
    } else {
        line.to_string()
    }
}

/// How long a span is, in words; negative spans count as nothing.
pub fn span(text: &Text, span: Span) -> String {
    (text.time.span)(u64::try_from(span.num_seconds()).unwrap_or(0))
}

/// How long ago `at` was.
pub fn ago(text: &Text, now: Timestamp, at: Timestamp) -> String {
    let age = now - at;
    if age < Span::seconds(5) {
        text.time.just_now.to_owned()
    } else {
        (text.time.ago)(&span(text, age))
    }
}

/// An age that names its instant.
pub fn when(frame: &Frame, at: Timestamp) -> AnyView {
    let text = frame.text();
    let line = if at > frame.now {
        (text.time.in_)(&span(text, at - frame.now))
    } else {
        ago(text, frame.now, at)
    };
    timed(text, at, line)
}

/// A date with its time.
pub fn date(frame: &Frame, at: Timestamp) -> AnyView {
    let text = frame.text();
    timed(text, at, date_time(text, frame.zone, at))
}

/// A date with its time to the second: for a log.
pub fn second(frame: &Frame, at: Timestamp) -> AnyView {
    let text = frame.text();
    timed(text, at, date_second(text, frame.zone, at))
}

fn timed(text: &Text, at: Timestamp, line: String) -> AnyView {
    let title = date_time(text, Tz::UTC, at);
    view! {
        <time datetime=attribute(at) title=title>
            {line}
        </time>
    }
    .into_any()
}

/// How near the end of waiting is: over 72 h nothing, under 72 h amber, under 24 h red.
fn soon(left: Span) -> Option<&'static str> {
    match left.num_hours() {
        ..24 => Some("red"),
        24..72 => Some("amber"),
        _ => None,
    }
}

/// The time that a candidate has left.
pub fn left(frame: &Frame, expires_at: Timestamp) -> AnyView {
    let text = frame.text();
    let left = expires_at - frame.now;
    let line = if left <= Span::zero() {
        text.time.overdue.to_owned()
    } else {
        (text.time.left)(&span(text, left))
    };
    view! {
        <span class="left" data-soon=soon(left)>
            {timed(text, expires_at, line)}
        </span>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Language;

    #[test]
    fn the_end_of_waiting_is_marked_a_day_and_three_days_before() {
        let soon = |hours| soon(Span::hours(hours));
        assert_eq!(
            [soon(-1), soon(23), soon(24), soon(71), soon(72)],
            [Some("red"), Some("red"), Some("amber"), Some("amber"), None]
        );
    }

    #[test]
    fn a_date_stands_in_the_readers_zone_and_utc_says_so() {
        let text = Language::English.text();
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(date_time(text, Tz::Asia__Tokyo, at), "1 Jan 1970, 09:00");
        assert_eq!(date_time(text, Tz::UTC, at), "1 Jan 1970, 00:00 UTC");
        let at = at + Span::seconds(7);
        assert_eq!(date_second(text, Tz::UTC, at), "1 Jan 1970, 00:00:07 UTC");
        for language in Language::ALL {
            let line = date_second(language.text(), Tz::Asia__Tokyo, at);
            assert!(line.ends_with("09:00:07"), "{line}");
        }
    }

    #[test]
    fn a_clock_that_runs_ahead_reads_as_just_now() {
        let text = Language::English.text();
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(ago(text, at, at + Span::seconds(3)), "just now");
        assert_eq!(ago(text, at + Span::seconds(12), at), "12 s ago");
    }
}
