//! Signatures of Standard Webhooks: HMAC-SHA-256 over id, time and body, by every secret that counts.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::{Entropy, Timestamp};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use store::WebhookTarget;

/// What every secret begins with.
const PREFIX: &str = "whsec_";

/// A new secret, as its receiver gets it: 32 unpredictable bytes.
pub(super) fn new_secret(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    format!("{PREFIX}{}", STANDARD.encode(bytes))
}

/// The header `webhook-signature`: a signature by the present secret, then by each of those before it that still count, with spaces
/// between them. `sent_at` is in seconds since 1970, as the header beside it has it.
pub(super) fn signatures(
    target: &WebhookTarget,
    id: &str,
    sent_at: i64,
    body: &str,
    now: Timestamp,
) -> String {
    let old = target.old.iter().filter(|old| now < old.until);
    let secrets = std::iter::once(&target.secret).chain(old.map(|old| &old.secret));
    let signed = format!("{id}.{sent_at}.{body}");
    let signatures: Vec<_> = secrets
        .filter_map(|secret| STANDARD.decode(secret.strip_prefix(PREFIX)?).ok())
        .map(|key| {
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("any length will do");
            mac.update(signed.as_bytes());
            format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
        })
        .collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Span;
    use store::OldSecret;

    // G4
    #[test]
    fn an_example_of_the_specification_signs_as_it_says() {
        let target = WebhookTarget {
            url: String::new(),
            secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD".to_owned(),
            old: Vec::new(),
        };
        let now = Timestamp::UNIX_EPOCH;
        let body = r#"{"email":"test@example.com","username":"test_user"}"#;
        let id = "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk";
        assert_eq!(
            signatures(&target, id, 1_649_367_553, body, now),
            "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw="
        );
        let both = WebhookTarget {
            secret: format!("{PREFIX}{}", STANDARD.encode([7; 32])),
            old: vec![OldSecret {
                secret: target.secret.clone(),
                until: now + Span::hours(1),
            }],
            ..target.clone()
        };
        let at = |hours| signatures(&both, id, 1_649_367_553, body, now + Span::hours(hours));
        assert!(at(0).ends_with(" v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw="));
        assert_eq!(at(1).split(' ').count(), 1, "its time is over");
    }
}
