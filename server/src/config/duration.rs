//! Durations as people write them.

use std::time::Duration;

use serde::Deserialize;

/// A span of time, written `250ms`, `30s`, `10m`, `12h` or `7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period(pub Duration);

impl std::str::FromStr for Period {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is no duration; write 250ms, 30s, 10m, 12h or 7d");
        let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let millis = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        let millis = number.checked_mul(millis).filter(|&all| all > 0);
        Ok(Self(Duration::from_millis(millis.ok_or_else(wrong)?)))
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// For how long something is kept: a [`Period`], or nothing where it is kept for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept(pub Option<Duration>);

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() {
            return Ok(Self(None));
        }
        let period: Period = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Self(Some(period.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_read_and_nonsense_is_refused() {
        assert_eq!("250ms".parse(), Ok(Period(Duration::from_millis(250))));
        assert_eq!("10m".parse(), Ok(Period(Duration::from_secs(600))));
        for wrong in [
            "",
            "s",
            "30",
            "0s",
            "-1s",
            "1 s",
            "1y",
            "99999999999999999999s",
        ] {
            assert!(wrong.parse::<Period>().is_err(), "{wrong}");
        }
    }
}
