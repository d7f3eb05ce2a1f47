//! How well extraction does and how people decide, in figures (F11). A figure is of what people decided and what still stands: a
//! decision that was taken back, a policy's approval, what expired or was superseded says nothing about what was proposed.

use crate::time::Span;

/// How many bins of confidence: the first holds 0.0 to below 0.1, the last 0.9 to 1.0.
pub const BINS: usize = 10;

/// Who decides in less time than this has hardly read.
pub const QUICK: Span = Span::seconds(2);

/// What people made of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Became a memory or a revision.
    pub approved: i64,
    /// Were rejected.
    pub rejected: i64,
}

impl Tally {
    /// One more group of decisions.
    pub fn add(&mut self, approved: bool, count: i64) {
        if approved {
            self.approved += count;
        } else {
            self.rejected += count;
        }
    }

    /// Both.
    pub fn decided(self) -> i64 {
        self.approved + self.rejected
    }

    /// Approved of decided; `None` where nothing was decided.
    pub fn acceptance(self) -> Option<f64> {
        share(self.approved, self.decided())
    }

    /// Rejected of decided: the junk rate.
    pub fn junk(self) -> Option<f64> {
        share(self.rejected, self.decided())
    }
}

/// A part of a whole, 0.0 to 1.0; `None` of nothing.
pub fn share(part: i64, whole: i64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    let share = || part as f64 / whole as f64;
    (whole > 0).then(share)
}

/// The bin of a confidence, from 0.
pub fn bin(confidence: f64) -> usize {
    // Compared, not multiplied: 0.3 × 10 is a little less than 3.
    (1..BINS)
        .rev()
        .find(|&bin| confidence >= bin as f64 / BINS as f64)
        .unwrap_or(0)
}

/// A percentile of values that were counted, by nearest rank: always one that occurs. `counted` holds each value with how often it
/// occurs, the least first; `None` of nothing.
pub fn percentile(counted: &[(i64, i64)], percent: i64) -> Option<i64> {
    let all: i64 = counted.iter().map(|(_, count)| count).sum();
    let place = ((all * percent + 99) / 100).max(1);
    let mut passed = 0;
    let reached = counted.iter().find(|(_, count)| {
        passed += count;
        passed >= place
    });
    reached.map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    // F11
    #[test]
    fn nothing_has_no_rate_and_one_has_a_whole_one() {
        let mut tally = Tally::default();
        assert_eq!((tally.acceptance(), tally.junk()), (None, None));
        tally.add(true, 1);
        assert_eq!((tally.acceptance(), tally.junk()), (Some(1.0), Some(0.0)));
        tally.add(false, 3);
        assert_eq!((tally.acceptance(), tally.junk()), (Some(0.25), Some(0.75)));
        assert_eq!(tally.decided(), 4);
    }

    // F11
    #[test]
    fn a_percentile_is_a_value_that_occurs() {
        let of = |counted: &[(i64, i64)]| [percentile(counted, 50), percentile(counted, 90)];
        assert_eq!(of(&[]), [None, None]);
        assert_eq!(of(&[(7, 1)]), [Some(7), Some(7)]);
        assert_eq!(of(&[(1, 1), (9, 1)]), [Some(1), Some(9)]);
        assert_eq!(of(&[(1, 1), (5, 1), (9, 1)]), [Some(5), Some(9)]);
        let ten: Vec<_> = (1..=10).map(|value| (value, 1)).collect();
        assert_eq!(of(&ten), [Some(5), Some(9)]);
        assert_eq!(
            of(&[(2, 50), (3, 49), (100, 1)]),
            [Some(2), Some(3)],
            "ties"
        );
    }

    // F11
    #[test]
    fn each_confidence_lies_in_one_bin_and_the_last_holds_all_of_its_end() {
        for tenth in 0..=10_usize {
            assert_eq!(bin(tenth as f64 / 10.0), tenth.min(BINS - 1), "{tenth}");
        }
        assert_eq!([bin(0.29999), bin(0.95), bin(f64::NAN)], [2, 9, 0]);
    }
}
