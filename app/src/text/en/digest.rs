//! English: the digest.

use super::super::*;

/// The digest.
pub const DIGEST: Digest = Digest {
    title: "Digest",
    lead: "What waits for you, told where you are, at an hour of yours. Nothing is sent when nothing waits.",
    holds: "It holds figures and links only: how many wait in your agents and languages, since when, what expires, what failed. Never words of a memory or anybody’s name.",
    on: "Send me a digest",
    on_how: "Off: nothing is sent; what is set below stays.",
    when: "When",
    hour: "Hour",
    zone: "Time zone",
    days: "Days",
    days_how: "The others are your days off: the last digest before them warns of what would expire meanwhile.",
    weekdays: [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ],
    to: "Where to",
    by: "By",
    by_webhook: "A webhook of a chat program",
    by_mail: |address| format!("E-mail to {address}"),
    mail_off: "This installation sends no e-mail: an administrator sets KEEPSAKE_SMTP_URL and KEEPSAKE_MAIL_FROM.",
    shape: "Chat program",
    url: "Address of the webhook",
    url_how: "Begins with https://. Keep it to yourself: whoever has it can post there.",
    save: "Save",
    test: "Send a test now",
    test_how: "Goes to what was saved last, with today’s figures.",
    state: "Last and next",
    next: "Next",
    sent: "Last sent",
    never: "never",
    failed: |why| format!("The last try failed: {why}"),
    why: |word| {
        match word {
        "not_resolved" => "the name of the address is not known.".to_owned(),
        "private_address" => "the address lies inside a private network, which is not allowed here (KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES).".to_owned(),
        "https" | "shape" => "the address is not one of https.".to_owned(),
        "timeout" => "there was no answer in time.".to_owned(),
        "unreachable" => "nobody answered.".to_owned(),
        "mail_off" => "this installation sends no e-mail.".to_owned(),
        "mail_refused" => "the mail server refused it.".to_owned(),
        "unreadable" => "what was set cannot be read any more. Set it anew.".to_owned(),
        "internal" | "unavailable" => "something went wrong inside Keepsake. Its log says more.".to_owned(),
        other => match other.strip_prefix("answered_") {
            Some(status) => format!("the answer was {status}."),
            None => other.to_owned(),
        },
    }
    },
    again: "It is tried again by itself; a test tells whether it works now.",
    flash_saved: "Saved.",
    flash_sent: "The test was sent.",
};
