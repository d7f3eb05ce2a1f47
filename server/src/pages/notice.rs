//! What a flash says, in the reader's language.

use app::{
    components::time::{ago, span},
    shell::{Notice, Tone, Undo},
    text::Text,
};
use domain::{
    Timestamp,
    candidate::Reason,
    id::{CandidateId, JoinId, MemoryId},
    time::Span,
};

use super::{bulk, keys};
use crate::flash::{Flash, local};

/// The message of a flash; one that only carries what was typed, or a key to show, has none.
pub fn notice(text: &'static Text, now: Timestamp, flash: &Flash) -> Option<Notice> {
    let field = |name: &str| flash.fields.get(name).map_or("", String::as_str);
    let words = &text.flash;
    let (tone, line) = match flash.code.as_str() {
        "approved" if field("edited") == "1" => {
            (Tone::Good, (words.approved_edited)(field("what")))
        }
        "approved" => (Tone::Good, (words.approved)(field("what"))),
        "rejected" => {
            let reason: Option<Reason> = field("reason").parse().ok();
            let reason = reason.map_or("", text.words.reason);
            (Tone::Good, (words.rejected)(field("what"), reason))
        }
        "reopened" => (Tone::Good, (words.reopened)(field("what"))),
        "agreed" => (Tone::Good, (text.four_eyes.flash)(field("what"))),
        "agreement_withdrawn" => (Tone::Good, (text.four_eyes.flash_withdrawn)(field("what"))),
        "recalled" => (Tone::Good, text.recall.flash.to_owned()),
        "digest_saved" => (Tone::Good, text.digest.flash_saved.to_owned()),
        "digest_sent" => (Tone::Good, text.digest.flash_sent.to_owned()),
        "webhook_enabled" => (Tone::Good, text.webhooks.flash_enabled.to_owned()),
        "webhook_disabled" => (Tone::Good, text.webhooks.flash_disabled.to_owned()),
        "webhook_removed" => (Tone::Good, text.webhooks.flash_removed.to_owned()),
        "webhook_resent" => (Tone::Good, text.webhooks.flash_resent.to_owned()),
        "webhook_arrived" => (Tone::Good, text.webhooks.flash_arrived.to_owned()),
        "export_asked" => (Tone::Good, text.exports.flash_asked.to_owned()),
        "export_removed" => (Tone::Good, text.exports.flash_removed.to_owned()),
        "import_uploaded" => (Tone::Good, text.imports.flash_uploaded.to_owned()),
        "import_mapped" => (Tone::Good, text.imports.flash_mapped.to_owned()),
        "import_running" => (Tone::Good, text.imports.flash_running.to_owned()),
        "import_stopped" => (Tone::Good, text.imports.flash_stopped.to_owned()),
        "import_withdrawn" => (Tone::Good, text.imports.flash_withdrawn.to_owned()),
        "import_forgotten" => (Tone::Good, text.imports.flash_forgotten.to_owned()),
        "import_not_now" => (Tone::Bad, text.imports.flash_not_now.to_owned()),
        "dry_run_started" => (Tone::Good, text.dry_runs.flash_started.to_owned()),
        "dry_run_stopped" => (Tone::Good, text.dry_runs.flash_stopped.to_owned()),
        "dry_run_over" => (Tone::Bad, text.dry_runs.flash_over.to_owned()),
        "hold_placed" => (Tone::Good, text.holds.flash_placed.to_owned()),
        "hold_released" => (Tone::Good, text.holds.flash_released.to_owned()),
        "user_erased" => (Tone::Good, text.erasure.flash_done.to_owned()),
        "erasure_changed" => (Tone::Bad, text.erasure.flash_changed.to_owned()),
        "held" => {
            let by = match field("by") {
                "" => text.words.by_system,
                name => name,
            };
            (Tone::Bad, (text.erasure.flash_held)(by, field("reason")))
        }
        "request_opened" => (Tone::Good, text.requests.flash_opened.to_owned()),
        "request_looked" => (Tone::Good, text.requests.flash_looked.to_owned()),
        "request_copied" => (Tone::Good, text.requests.flash_copied.to_owned()),
        "request_closed" => (Tone::Good, text.requests.flash_closed.to_owned()),
        "ids_joined" => (Tone::Good, text.joins.flash_joined.to_owned()),
        "ids_split" => (Tone::Good, text.joins.flash_split.to_owned()),
        "join_declined" => (Tone::Good, text.joins.flash_declined.to_owned()),
        "join_waits" => (Tone::Good, text.joins.flash_waits.to_owned()),
        "join_moved" => (Tone::Bad, text.joins.flash_moved.to_owned()),
        "keys_reset" => (Tone::Good, text.keys.reset_done.to_owned()),
        "keys_refused" => (Tone::Bad, keys::refused(text, flash)),
        "saved" => (Tone::Good, words.saved.to_owned()),
        "retired" => (Tone::Good, words.retired.to_owned()),
        "restored" => (Tone::Good, words.restored.to_owned()),
        "person_deactivated" => (Tone::Good, (text.people.was_deactivated)(field("name"))),
        "person_reactivated" => (Tone::Good, (text.people.was_reactivated)(field("name"))),
        "second_factor_on" => (Tone::Good, text.second_factor.flash_on.to_owned()),
        "second_factor_off" => (Tone::Good, text.second_factor.flash_off.to_owned()),
        "second_factor_reset" => (Tone::Good, (text.second_factor.was_reset)(field("name"))),
        "password_changed" => (Tone::Good, text.people.password_changed.to_owned()),
        "session_ended" => (Tone::Good, text.people.session_ended.to_owned()),
        "others_ended" => (Tone::Good, text.people.others_ended.to_owned()),
        "all_ended" => (Tone::Good, (text.people.all_ended)(field("name"))),
        "agent_made" => (Tone::Good, (words.agent_made)(field("name"))),
        "key_revoked" => (Tone::Good, words.key_revoked.to_owned()),
        "policy_on" => (Tone::Good, (words.policy_on)(field("what"))),
        "policy_off" => (Tone::Good, (words.policy_off)(field("what"))),
        "schema_removed" => (Tone::Good, (words.schema_removed)(field("what"))),
        "opted_out" => (Tone::Good, words.opted_out.to_owned()),
        "opted_in" => (Tone::Good, words.opted_in.to_owned()),
        "demo_filled" => (Tone::Good, text.demo.filled.to_owned()),
        "demo_filling" => (Tone::Good, text.demo.filling.to_owned()),
        "demo_removed" => (Tone::Good, text.demo.removed.to_owned()),
        "demo_name_taken" => (Tone::Bad, text.demo.name_taken.to_owned()),
        "session_over" => (Tone::Bad, text.failures.session_over.to_owned()),
        "retrying" => (Tone::Good, words.retrying.to_owned()),
        "retried" => {
            let number = |name: &str| field(name).parse().unwrap_or_default();
            let (queued, refused) = (number("queued"), number("refused"));
            let tone = if queued > 0 { Tone::Good } else { Tone::Bad };
            (tone, (text.jobs.retried)(queued, refused))
        }
        "verified" => {
            let number = |name: &str| field(name).parse().unwrap_or_default();
            match number("found") {
                0 => (Tone::Good, (text.audit.flash_well)(number("events"))),
                found => (Tone::Bad, (text.audit.flash_found)(found)),
            }
        }
        "wrong_credentials" => (Tone::Bad, text.sign_in.wrong.to_owned()),
        "wrong_code" => (Tone::Bad, text.second_factor.wrong.to_owned()),
        "wrong_password_or_code" => (Tone::Bad, text.second_factor.wrong_either.to_owned()),
        "sign_in_over" => (Tone::Bad, text.second_factor.over.to_owned()),
        "throttled" => {
            let seconds = field("seconds").parse().unwrap_or(1);
            (
                Tone::Bad,
                (text.sign_in.wait)(&span(text, Span::seconds(seconds))),
            )
        }
        "claimed_by_you" => (Tone::Good, text.desk.claimed_by_you.to_owned()),
        "released" => (Tone::Good, text.desk.released.to_owned()),
        "taken_over" => (Tone::Good, text.desk.taken_over.to_owned()),
        "handed_over" => (Tone::Good, text.desk.handed_over.to_owned()),
        "taken_back" => (Tone::Good, text.desk.taken_back.to_owned()),
        "view_saved" => (Tone::Good, (text.desk.view_saved)(field("name"))),
        "view_renamed" => (Tone::Good, text.desk.view_renamed.to_owned()),
        "view_removed" => (Tone::Good, text.desk.view_removed.to_owned()),
        "claimed" => {
            let until = field("until").parse().unwrap_or(now);
            let left = span(text, until - now);
            (Tone::Bad, (text.desk.claimed_refused)(field("by"), &left))
        }
        "already_decided" => (Tone::Bad, decided(text, now, field)),
        "expired" => (Tone::Bad, words.conflict_expired.to_owned()),
        "stale" | "not_pending" | "still_waiting" => (Tone::Bad, words.conflict_changed.to_owned()),
        "refused" => (Tone::Bad, refused(text, flash)),
        "not_decided" => {
            let why = (words.code)(field("why")).unwrap_or_default();
            (Tone::Bad, format!("{}: {why}", words.not_decided))
        }
        code if code.starts_with("bulk_") => bulk::line(text, flash)?,
        other => (Tone::Bad, (words.code)(other)?.to_owned()),
    };
    let told: u64 = field("told").parse().unwrap_or_default();
    let left: u64 = field("left").parse().unwrap_or_default();
    let candidate = CandidateId::parse(field("candidate")).ok();
    Some(Notice {
        tone,
        line,
        more: (told > 0)
            .then(|| (words.told_meanwhile)(told))
            .into_iter()
            .chain(bulk::more(text, flash))
            .chain((left > 0).then(|| (text.jobs.more)(left)))
            .collect(),
        undo: undo(flash, candidate.as_ref()),
        failed: candidate.clone().filter(|_| tone == Tone::Bad),
        link: link(text, flash)
            .or_else(|| bulk::link(text, flash))
            .or_else(|| {
                let shown = candidate.filter(|_| tone == Tone::Bad)?;
                Some((format!("/candidates/{shown}"), words.show.to_owned()))
            }),
    })
}

/// What stood in the way: the memory that is there, or what is proposed for retirement to make room.
fn link(text: &'static Text, flash: &Flash) -> Option<(String, String)> {
    let id = |field: &str| flash.fields.get(field).map(String::as_str);
    let memory = id("memory").and_then(|id| MemoryId::parse(id).ok());
    let retire = id("retire").and_then(|id| CandidateId::parse(id).ok());
    match (memory, retire) {
        (Some(memory), _) => Some((
            format!("/memories/{memory}"),
            text.flash.see_memory.to_owned(),
        )),
        (None, Some(candidate)) => Some((
            format!("/candidates/{candidate}"),
            text.flash.see_waiting.to_owned(),
        )),
        (None, None) => None,
    }
}

fn undo(flash: &Flash, candidate: Option<&CandidateId>) -> Option<Undo> {
    let decided = matches!(flash.code.as_str(), "approved" | "rejected" | "agreed");
    let next = local(flash.fields.get("here").map(String::as_str), "/review");
    if let Some(action) = bulk::undo(flash) {
        return Some(Undo {
            action,
            version: None,
            next,
        });
    }
    let version = || -> Option<i64> { flash.fields.get("version")?.parse().ok() };
    let joined = matches!(
        flash.code.as_str(),
        "ids_joined" | "ids_split" | "join_declined"
    );
    if joined && let Some(join) = flash.fields.get("join") {
        let join: JoinId = join.parse().ok()?;
        return Some(Undo {
            action: format!("/joins/{join}/undo"),
            version: Some(version()?),
            next,
        });
    }
    let candidate = candidate.filter(|_| decided)?;
    Some(Undo {
        action: format!("/candidates/{candidate}/reopen"),
        version: Some(version()?),
        next,
    })
}

fn decided<'a>(text: &'static Text, now: Timestamp, field: impl Fn(&str) -> &'a str) -> String {
    let by = match field("by") {
        "" => text.words.by_system,
        name => name,
    };
    let at = field("at").parse().unwrap_or(now);
    let ago = ago(text, now, at);
    if field("verdict") == "approve" {
        (text.flash.conflict_approved)(by, &ago)
    } else {
        (text.flash.conflict_rejected)(by, &ago)
    }
}

/// What was refused: the field, and the fault in words. The form that shows it may be closed on this page.
fn refused(text: &'static Text, flash: &Flash) -> String {
    let words = &text.flash;
    let fault = flash.fields.iter().find_map(|(name, code)| {
        let field = name.strip_prefix("fault.")?;
        Some((field, words.fault(field, code)?))
    });
    match fault {
        None => words.refused.to_owned(),
        Some((field, fault)) => match (words.field)(field) {
            Some(label) => format!("{} – {label}: {fault}", words.refused),
            None => format!("{}: {fault}", words.refused),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::text::Language;

    // F7
    #[test]
    fn a_lost_race_says_who_won_and_when() {
        let text = Language::English.text();
        let now = Timestamp::UNIX_EPOCH + Span::seconds(12);
        let flash = Flash::new("already_decided")
            .with("verdict", "approve")
            .with("by", "Aiko")
            .with("at", domain::time::rfc3339(Timestamp::UNIX_EPOCH));
        let notice = notice(text, now, &flash).unwrap();
        assert!(notice.line.starts_with("Approved by Aiko 12 s ago"));
        assert_eq!(notice.tone, Tone::Bad);
    }

    #[test]
    fn what_was_refused_is_told_by_field_and_rule_in_three_languages() {
        for (language, name, email) in [
            (
                Language::English,
                "Not saved – Name: 1 to 64",
                "name@example.com",
            ),
            (Language::Japanese, "名前: ", "name@example.com"),
            (Language::Chinese, "名称: ", "name@example.com"),
        ] {
            let line = |field: &str, code: &str| {
                let flash = Flash::new("refused").with(&format!("fault.{field}"), code);
                let text = language.text();
                notice(text, Timestamp::UNIX_EPOCH, &flash).unwrap().line
            };
            let told = line("name", "agent_name");
            assert!(told.contains(name), "{told}");
            let told = line("email", "shape");
            assert!(told.contains(email), "{told}");
            let keys = Flash::new("keys_refused").with("approve", "nonsense");
            let told = notice(language.text(), Timestamp::UNIX_EPOCH, &keys).unwrap();
            assert!(
                told.line.len() > language.text().flash.refused.len(),
                "{}",
                told.line
            );
        }
    }

    // A12
    #[test]
    fn a_refused_approval_leads_to_what_stands_in_its_way() {
        let text = Language::English.text();
        let id = format!("mem_{}", "0".repeat(26));
        let flash = Flash::new("not_decided")
            .with("why", "slot_taken")
            .with("candidate", format!("cand_{}", "0".repeat(26)))
            .with("memory", id.clone());
        let notice = notice(text, Timestamp::UNIX_EPOCH, &flash).unwrap();
        assert_eq!(notice.link.unwrap().0, format!("/memories/{id}"));
        assert!(notice.failed.is_some());
    }

    #[test]
    fn an_undo_never_leads_off_this_site() {
        let id = format!("cand_{}", "0".repeat(26));
        let flash = Flash::new("approved")
            .with("candidate", id)
            .with("version", "2")
            .with("here", "//evil.example");
        let text = Language::Japanese.text();
        let undo = notice(text, Timestamp::UNIX_EPOCH, &flash)
            .unwrap()
            .undo
            .unwrap();
        assert_eq!((undo.version, undo.next.as_str()), (Some(2), "/review"));
    }
}
