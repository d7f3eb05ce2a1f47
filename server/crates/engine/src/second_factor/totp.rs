//! Codes of an app (TOTP, RFC 6238) as every app makes them: HMAC-SHA-1 over steps of thirty seconds, six digits, and one step early or
//! late for clocks that differ.

use domain::{Entropy, Timestamp};
use totp_rs::{Builder, Totp};

use crate::error::{EngineError, Result};

/// What an app shows beside the code.
const ISSUER: &str = "Keepsake";

/// A new secret, of the 160 bits that RFC 4226 recommends.
pub(super) fn new_secret(entropy: &dyn Entropy) -> [u8; 20] {
    let mut secret = [0; 20];
    entropy.fill(&mut secret);
    secret
}

/// Which thirty seconds since 1970 a code is of; `None` where it is none of this secret's at this time.
pub(super) fn step(secret: &[u8], code: &str, now: Timestamp) -> Result<Option<i64>> {
    let seconds = u64::try_from(now.timestamp()).unwrap_or_default();
    let step = totp(secret, ISSUER)?.check(code, seconds);
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

/// The secret as people type it into an app.
pub(super) fn grouped(secret: &[u8]) -> Result<String> {
    let letters = totp(secret, ISSUER)?.secret().to_base32();
    let groups: Vec<&str> = letters
        .as_bytes()
        .chunks(4)
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    Ok(groups.join(" "))
}

/// The address that an app opens.
pub(super) fn address(secret: &[u8], email: &str) -> Result<String> {
    totp(secret, email)?.to_url().map_err(internal)
}

fn totp(secret: &[u8], account: &str) -> Result<Totp> {
    Builder::new()
        .with_secret(secret)
        // In such an address a colon parts the account from who asks for the code.
        .with_account_name(account.replace(':', "_"))
        .with_issuer(Some(ISSUER))
        .build()
        .map_err(internal)
}

fn internal(error: totp_rs::TotpError) -> EngineError {
    EngineError::Internal(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of the vectors of RFC 6238, appendix B, for SHA-1.
    const SECRET: &[u8] = b"12345678901234567890";

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn the_vectors_of_rfc_6238_are_taken_by_their_last_six_digits() {
        for (seconds, code) in [
            (59, "94287082"),
            (1_111_111_109, "07081804"),
            (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"),
            (20_000_000_000, "65353130"),
        ] {
            let found = step(SECRET, &code[2..], at(seconds)).unwrap();
            assert_eq!(found, Some(seconds / 30), "{code}");
        }
    }

    #[test]
    fn a_clock_may_be_one_step_early_or_late_and_no_more() {
        let now = 1_234_567_890;
        let of = |seconds| step(SECRET, "005924", at(seconds)).unwrap();
        for near in [now - 30, now, now + 29, now + 30] {
            assert_eq!(of(near), Some(now / 30), "{near}");
        }
        for far in [now - 31, now + 60] {
            assert_eq!(of(far), None, "{far}");
        }
        for odd in ["", "5924", "0059240", "+05924", "００５９２４"] {
            assert_eq!(step(SECRET, odd, at(now)).unwrap(), None, "{odd}");
        }
    }

    #[test]
    fn an_app_is_given_the_secret_the_account_and_who_asks() {
        let given = address(SECRET, "mia:k@example.com").unwrap();
        assert_eq!(
            given,
            "otpauth://totp/Keepsake:mia_k%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Keepsake"
        );
        assert_eq!(
            grouped(SECRET).unwrap(),
            "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"
        );
    }
}
