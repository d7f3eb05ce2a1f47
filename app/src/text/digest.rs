//! What the page of one's digest says (G8).

use super::With;

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Digest {
    pub title: &'static str,
    pub lead: &'static str,
    pub holds: &'static str,
    pub on: &'static str,
    pub on_how: &'static str,
    pub when: &'static str,
    pub hour: &'static str,
    pub zone: &'static str,
    pub days: &'static str,
    pub days_how: &'static str,
    /// Monday to Sunday.
    pub weekdays: [&'static str; 7],
    pub to: &'static str,
    pub by: &'static str,
    pub by_webhook: &'static str,
    /// The address that mail goes to.
    pub by_mail: With,
    pub mail_off: &'static str,
    pub shape: &'static str,
    pub url: &'static str,
    pub url_how: &'static str,
    pub save: &'static str,
    pub test: &'static str,
    pub test_how: &'static str,
    pub state: &'static str,
    pub next: &'static str,
    pub sent: &'static str,
    pub never: &'static str,
    /// Why the last try failed.
    pub failed: With,
    /// Why it failed, by the word of it.
    pub why: fn(&str) -> String,
    pub again: &'static str,
    pub flash_saved: &'static str,
    pub flash_sent: &'static str,
}
