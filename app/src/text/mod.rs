//! What the dashboard says, in three languages. Each language is one constant of [`Text`]: a sentence that is missing in one
//! of them does not compile. What depends on a number or a name is a function. The language of what people said is never
//! changed; only the frame around it speaks the reader's.

mod agent;
mod as_of;
mod audit;
mod bulk;
mod demo;
mod desk;
mod digest;
mod dry_runs;
mod en;
mod erasure;
mod exports;
mod four_eyes;
mod guideline;
mod imports;
mod ja;
mod joins;
mod keys;
mod people;
mod person;
mod quality;
mod recall;
mod requests;
mod running;
mod second_factor;
mod sheet;
mod webhooks;
mod zh;

use domain::{
    audit::EventType,
    candidate::{Action, Cause, Dropped, Flag, Reason},
    conversation::Role,
    key::KeyScope,
    memory::{RetiredFor, RevisionAction},
};

pub use self::{
    agent::{Agents, Budget, Kinds, Policies, Report, Schemas},
    as_of::{AsOf, Served},
    audit::Audit,
    bulk::Bulk,
    demo::{Demo, FirstSteps},
    desk::Desk,
    digest::Digest,
    dry_runs::DryRuns,
    erasure::{Erasure, Holds},
    exports::Exports,
    four_eyes::FourEyes,
    guideline::Guidelines,
    imports::Imports,
    joins::Joins,
    keys::Keys,
    people::People,
    person::{Failures, Preview, Search},
    quality::{Jobs, Quality},
    recall::Recall,
    requests::Requests,
    running::Running,
    second_factor::SecondFactor,
    sheet::Sheet,
    webhooks::Webhooks,
};

/// A language the dashboard speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Japanese.
    Japanese,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::English, Self::Japanese, Self::Chinese];

    /// The word that stands for it in a form and in a cookie.
    pub fn word(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Japanese => "ja",
            Self::Chinese => "zh",
        }
    }

    /// Its texts.
    pub fn text(self) -> &'static Text {
        match self {
            Self::English => &en::TEXT,
            Self::Japanese => &ja::TEXT,
            Self::Chinese => &zh::TEXT,
        }
    }

    /// The language of a word like `ja` or `zh-Hans-CN`; `None` where we do not speak it.
    pub fn of(tag: &str) -> Option<Self> {
        let primary = tag.split('-').next().unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|language| language.word().eq_ignore_ascii_case(primary.trim()))
    }

    /// What the person chose, else the best of `Accept-Language`, else English.
    pub fn choose(chosen: Option<&str>, accept: Option<&str>) -> Self {
        if let Some(language) = chosen.and_then(Self::of) {
            return language;
        }
        let mut best: Option<(f32, Self)> = None;
        for range in accept.unwrap_or_default().split(',') {
            let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
            let weight = weight.trim().strip_prefix("q=").unwrap_or("0");
            let weight: f32 = weight.parse().unwrap_or(0.0);
            if let Some(language) = Self::of(tag)
                && weight > best.map_or(0.0, |(most, _)| most)
            {
                best = Some((weight, language));
            }
        }
        best.map_or(Self::English, |(_, language)| language)
    }
}

/// A number with a comma before each three digits, as all three languages write it.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

type Count = fn(u64) -> String;
type With = fn(&str) -> String;
type Two = fn(&str, &str) -> String;

/// Everything the dashboard says.
#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Text {
    pub tag: &'static str,
    pub own_name: &'static str,
    pub shell: Shell,
    pub time: Time,
    pub words: Words,
    pub sign_in: SignIn,
    pub overview: Overview,
    pub quality: Quality,
    pub jobs: Jobs,
    pub review: Review,
    pub desk: Desk,
    pub candidate: Candidate,
    pub users: Users,
    pub memories: Memories,
    pub conversation: Conversation,
    pub agents: Agents,
    pub policies: Policies,
    pub budget: Budget,
    pub kinds: Kinds,
    pub guidelines: Guidelines,
    pub preview: Preview,
    pub search: Search,
    pub failures: Failures,
    pub demo: Demo,
    pub first_steps: FirstSteps,
    pub schemas: Schemas,
    pub report: Report,
    pub keys: Keys,
    pub people: People,
    pub second_factor: SecondFactor,
    pub running: Running,
    pub four_eyes: FourEyes,
    pub recall: Recall,
    pub digest: Digest,
    pub webhooks: Webhooks,
    pub bulk: Bulk,
    pub audit: Audit,
    pub exports: Exports,
    pub imports: Imports,
    pub dry_runs: DryRuns,
    pub erasure: Erasure,
    pub holds: Holds,
    pub joins: Joins,
    pub as_of: AsOf,
    pub served: Served,
    pub sheet: Sheet,
    pub requests: Requests,
    pub help: Help,
    pub flash: Flash,
    pub error: ErrorPage,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Shell {
    pub skip: &'static str,
    pub main: &'static str,
    pub overview: &'static str,
    pub review: &'static str,
    pub users: &'static str,
    pub memories: &'static str,
    pub agents: &'static str,
    pub language: &'static str,
    pub sign_out: &'static str,
    pub next_page: &'static str,
    pub first_page: &'static str,
    pub yes: &'static str,
    pub no: &'static str,
    pub close: &'static str,
    pub filter: &'static str,
    pub keepsake: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Time {
    /// A span of time, given in seconds, in at most two units.
    pub span: Count,
    pub ago: With,
    pub in_: With,
    pub left: With,
    pub overdue: &'static str,
    pub just_now: &'static str,
    /// chrono's pattern of a date with its time.
    pub date_time: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Words {
    pub action: fn(Action) -> &'static str,
    pub flag: fn(Flag) -> &'static str,
    pub flag_why: fn(Flag) -> &'static str,
    pub reason: fn(Reason) -> &'static str,
    pub reason_why: fn(Reason) -> &'static str,
    pub dropped: fn(Dropped) -> &'static str,
    pub retired: fn(RetiredFor) -> &'static str,
    pub revision: fn(RevisionAction) -> &'static str,
    pub event: fn(EventType) -> &'static str,
    pub role: fn(Role) -> &'static str,
    pub scope: fn(KeyScope) -> &'static str,
    /// A kind of the registry's own sets; another kind keeps its name.
    pub kind: fn(&str) -> Option<&'static str>,
    pub confidence: &'static str,
    pub importance: &'static str,
    pub kind_label: &'static str,
    pub name: &'static str,
    pub content: &'static str,
    pub metadata: &'static str,
    pub tags: &'static str,
    pub agent: &'static str,
    pub user: &'static str,
    pub flags: &'static str,
    pub action_label: &'static str,
    pub status: &'static str,
    pub created: &'static str,
    pub waiting: &'static str,
    pub approved: &'static str,
    pub rejected: &'static str,
    pub expired: &'static str,
    pub retired_label: &'static str,
    pub by_system: &'static str,
    /// A policy and who switched it on.
    pub by_policy: Two,
    /// Why Keepsake proposes something by itself.
    pub cause: fn(Cause) -> &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct SignIn {
    pub title: &'static str,
    pub lead: &'static str,
    pub email: &'static str,
    pub password: &'static str,
    pub submit: &'static str,
    pub wrong: &'static str,
    pub wait: With,
    pub not_possible: &'static str,
    pub setup_title: &'static str,
    pub setup_lead: &'static str,
    pub setup_first: &'static str,
    pub setup_first_how: &'static str,
    pub setup_name: &'static str,
    pub setup_password: &'static str,
    pub setup_submit: &'static str,
    pub setup_gone: &'static str,
    pub setup_gone_how: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Overview {
    pub title: &'static str,
    pub waiting: Count,
    pub expiring: Count,
    pub oldest: &'static str,
    pub decided_today: Count,
    pub memories: Count,
    pub users: Count,
    pub by_kind: &'static str,
    pub by_kind_how: Count,
    pub late: &'static str,
    pub extraction_well: &'static str,
    /// Conversations that wait until their agent allows its extractor.
    pub extraction_waits: Count,
    pub by_agent: &'static str,
    pub learn: &'static str,
    pub serve: &'static str,
    pub on: &'static str,
    pub off: &'static str,
    pub no_agents: &'static str,
    pub no_agents_how: &'static str,
    pub make_agent: &'static str,
    pub start_review: &'static str,
    pub failed: Count,
    pub all_clear: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Review {
    pub title: &'static str,
    pub waiting: Count,
    pub expiring: Count,
    pub oldest: With,
    pub list: &'static str,
    pub any_agent: &'static str,
    pub any_kind: &'static str,
    pub any_action: &'static str,
    pub any_flag: &'static str,
    pub floor: &'static str,
    pub apply: &'static str,
    pub clear: &'static str,
    pub of_user: With,
    pub empty: &'static str,
    pub empty_how: &'static str,
    pub reload: &'static str,
    pub hidden: Count,
    pub hidden_how: &'static str,
    pub show_all: &'static str,
    pub back: &'static str,
    pub keys_bar: &'static str,
    pub all_waiting: &'static str,
    pub soon: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Candidate {
    pub title: &'static str,
    pub statement: &'static str,
    pub stored: &'static str,
    pub proposed: &'static str,
    pub decided_as: &'static str,
    pub update_of: fn(&str, i64) -> String,
    pub superseded: &'static str,
    pub explanation: &'static str,
    pub made_by: &'static str,
    pub by_hand: &'static str,
    pub expires: &'static str,
    pub actions: &'static str,
    pub approve: &'static str,
    pub edit: &'static str,
    pub save: &'static str,
    pub reject: &'static str,
    pub reject_why: &'static str,
    pub reject_note: &'static str,
    pub reopen: &'static str,
    pub reopen_how: &'static str,
    pub next: &'static str,
    pub approved_by: Two,
    pub rejected_by: fn(&str, &str, &str) -> String,
    pub expired_at: With,
    pub open_memory: &'static str,
    pub evidence: &'static str,
    pub no_evidence: &'static str,
    pub conversation_of: With,
    pub whole: Count,
    pub gap: Count,
    pub hidden_character: With,
    pub permalink: &'static str,
    pub told: Count,
    pub read_only: &'static str,
    pub cause: &'static str,
    pub moved: &'static str,
    pub moved_how: &'static str,
    pub target_retired: &'static str,
    pub stored_then: fn(i64) -> String,
    pub stored_now: fn(i64) -> String,
    pub same_words: &'static str,
    /// Of the values beside the statement: what they are called before and after.
    pub other_values: Two,
    pub once_approved: &'static str,
    pub merge: &'static str,
    pub merge_how: &'static str,
    pub merge_choose: &'static str,
    pub merge_search: &'static str,
    pub merge_button: &'static str,
    pub absorbed: &'static str,
    pub typed_kept: &'static str,
    pub typed_kept_how: &'static str,
    pub rests_on: Count,
    pub of_several: fn(usize, usize) -> String,
    pub guideline: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Users {
    pub title: &'static str,
    pub lead: &'static str,
    pub search: &'static str,
    pub empty: &'static str,
    pub empty_how: &'static str,
    pub not_found: &'static str,
    pub memories: &'static str,
    pub waiting: &'static str,
    pub first_seen: &'static str,
    pub last_seen: &'static str,
    pub known: &'static str,
    pub known_none: &'static str,
    pub waits_none: &'static str,
    pub conversations: &'static str,
    pub conversations_none: &'static str,
    pub timeline: &'static str,
    pub messages: Count,
    pub review_these: &'static str,
    pub by: With,
    pub export: &'static str,
    pub export_how: &'static str,
    pub opt_out: &'static str,
    pub opt_out_how: &'static str,
    pub opt_out_sure: &'static str,
    pub opted_out: &'static str,
    pub opt_in: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Memories {
    pub title: &'static str,
    pub lead: &'static str,
    pub search: &'static str,
    pub empty: &'static str,
    pub empty_how: &'static str,
    pub not_found: &'static str,
    pub status_approved: &'static str,
    pub status_retired: &'static str,
    pub memory: &'static str,
    pub revision: fn(i64) -> String,
    pub revisions: &'static str,
    pub said: &'static str,
    pub expires: &'static str,
    /// From when on agents are told, while they are not.
    pub told_from: &'static str,
    pub never: &'static str,
    pub edit: &'static str,
    pub save: &'static str,
    pub retire: &'static str,
    pub retire_sure: &'static str,
    pub restore: &'static str,
    pub restore_this: With,
    pub retired_because: With,
    pub words: &'static str,
    pub words_none: &'static str,
    pub proposed_as: &'static str,
    pub compare: &'static str,
    pub compare_with: &'static str,
    pub unchanged: &'static str,
    pub candidate: &'static str,
    pub series: &'static str,
    pub series_value: &'static str,
    pub series_period: &'static str,
    pub series_said: &'static str,
    pub series_mixed: &'static str,
    pub series_times: &'static str,
    /// From the first value to the last, and how many.
    pub series_line: fn(&str, &str, usize) -> String,
    /// How often it was said, and in how many sessions.
    pub count: fn(u64, u64) -> String,
    pub made_by: &'static str,
    pub expiry: &'static str,
    pub expiry_how: &'static str,
    pub expiry_save: &'static str,
    pub extracted: &'static str,
    pub date_passed: &'static str,
    pub revision_expires: With,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Conversation {
    pub title: &'static str,
    pub with: With,
    pub zone: &'static str,
    pub ended: &'static str,
    pub running: &'static str,
    pub messages: &'static str,
    pub extraction: &'static str,
    pub extraction_none: &'static str,
    pub state: fn(&str) -> &'static str,
    pub extractor: &'static str,
    pub candidates: Count,
    pub sightings: Count,
    pub suppressed: Count,
    pub dropped: &'static str,
    pub raw: &'static str,
    pub retry: &'static str,
    pub retried: &'static str,
    pub attempt: Count,
    pub next_try: With,
    pub failed_with: With,
    pub mark: fn(&str) -> String,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Help {
    pub title: &'static str,
    pub lead: &'static str,
    pub caption: &'static str,
    pub key: &'static str,
    pub does: &'static str,
    pub leave: &'static str,
    pub off: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Flash {
    pub approved: With,
    pub approved_edited: With,
    pub rejected: Two,
    pub reopened: With,
    pub undo: &'static str,
    pub seconds: Count,
    pub conflict_approved: Two,
    pub conflict_rejected: Two,
    pub conflict_expired: &'static str,
    pub conflict_changed: &'static str,
    pub show: &'static str,
    pub saved: &'static str,
    pub retired: &'static str,
    pub restored: &'static str,
    pub agent_made: With,
    pub key_revoked: &'static str,
    pub retrying: &'static str,
    pub policy_on: With,
    pub policy_off: With,
    pub schema_removed: With,
    pub opted_out: &'static str,
    pub opted_in: &'static str,
    pub see_memory: &'static str,
    pub see_waiting: &'static str,
    pub not_decided: &'static str,
    pub refused: &'static str,
    pub offline: &'static str,
    /// What is wrong with a field, by the engine's code of it.
    pub code: fn(&str) -> Option<&'static str>,
    /// The rule of a field, where it says more than the code alone.
    pub rule: fn(&str, &str) -> Option<&'static str>,
    /// How a form calls a field.
    pub field: fn(&str) -> Option<&'static str>,
    pub told_meanwhile: Count,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct ErrorPage {
    pub title: fn(u16) -> &'static str,
    pub detail: fn(u16) -> &'static str,
    pub request: &'static str,
    pub home: &'static str,
}

impl Flash {
    /// What is wrong with what was typed into a field.
    pub fn fault(&self, field: &str, code: &str) -> Option<&'static str> {
        (self.rule)(field, code).or_else(|| (self.code)(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_decides_before_the_browser_and_the_browser_by_its_weights() {
        let choose = |chosen, accept| Language::choose(chosen, Some(accept));
        assert_eq!(choose(Some("ja"), "zh"), Language::Japanese);
        assert_eq!(choose(None, "de, zh-CN;q=0.8, en;q=0.5"), Language::Chinese);
        assert_eq!(
            choose(Some("tlh"), "ja;q=0.1, en;q=0.0"),
            Language::Japanese
        );
        assert_eq!(choose(None, "de"), Language::English);
    }

    #[test]
    fn spans_are_short_and_never_lie_by_more_than_their_smaller_unit() {
        let span = |seconds| (en::TEXT.time.span)(seconds);
        assert_eq!(span(12), "12 s");
        assert_eq!(span(6 * 86_400 + 4 * 3600 + 59), "6 d 4 h");
        assert_eq!(span(3 * 3600), "3 h");
        assert_eq!((ja::TEXT.time.span)(86_400 + 3600), "1日1時間");
        assert_eq!((zh::TEXT.time.span)(3660), "1小时1分钟");
    }
}
