//! What held at an earlier instant (G6), worked out of what was written down. Two ends moved without a row of their own: that of a
//! candidate when Keepsake had been down (A6), that of a memory when it was said again (B6). Their events tell by how much.

use crate::{Timestamp, time::Span};

/// A time in which Keepsake was down, and which what waited got back (A6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenBack {
    /// When it began.
    pub from: Timestamp,
    /// How long it lasted.
    pub span: Span,
}

/// Until when something waits that has waited since `since`, at first until `end`, seen from `then`; `given_back` in the order in which it
/// happened. A downtime counts from its first moment on: nothing runs out because nobody was there to give the time back yet.
pub fn waits_until(
    since: Timestamp,
    end: Timestamp,
    given_back: &[GivenBack],
    then: Timestamp,
) -> Timestamp {
    let known = given_back.iter().filter(|gap| gap.from <= then);
    known.fold(end, |end, gap| {
        let waited = since <= gap.from + gap.span && gap.from < end;
        if waited { end + gap.span } else { end }
    })
}

/// Until when a revision is served: its own end, or a later one that it was given each time it was said again.
pub fn served_until(
    end: Option<Timestamp>,
    renewed: impl IntoIterator<Item = Timestamp>,
) -> Option<Timestamp> {
    let end = end?;
    Some(renewed.into_iter().fold(end, Timestamp::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + Span::days(n)
    }

    // G6, A6
    #[test]
    fn a_downtime_moves_the_end_of_what_waited_when_it_began() {
        let down = |from, days| GivenBack {
            from: day(from),
            span: Span::days(days),
        };
        let waits_until = |since: Timestamp, gaps: &[GivenBack], then| {
            waits_until(since, since + Span::days(7), gaps, then)
        };
        assert_eq!(waits_until(day(0), &[], day(3)), day(7));
        let gap = [down(5, 4)];
        assert_eq!(waits_until(day(0), &gap, day(4)), day(7), "not known yet");
        assert_eq!(waits_until(day(0), &gap, day(8)), day(11), "within it");
        assert_eq!(waits_until(day(10), &gap, day(12)), day(17), "came after");
        let late = [down(8, 4)];
        assert_eq!(
            waits_until(day(0), &late, day(20)),
            day(7),
            "it had run out"
        );
        let twice = [down(5, 4), down(10, 2)];
        assert_eq!(waits_until(day(0), &twice, day(20)), day(13));
    }

    // G6, B6
    #[test]
    fn what_is_said_again_is_served_longer_and_never_shorter() {
        assert_eq!(served_until(None, [day(9)]), None);
        assert_eq!(served_until(Some(day(5)), []), Some(day(5)));
        assert_eq!(served_until(Some(day(5)), [day(9), day(7)]), Some(day(9)));
    }
}
