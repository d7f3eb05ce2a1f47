//! English.

mod agent;
mod as_of;
mod audit;
mod bulk;
mod demo;
mod desk;
mod digest;
mod dry_runs;
mod erasure;
mod exports;
mod four_eyes;
mod guideline;
mod imports;
mod joins;
mod keys;
mod kind;
mod people;
mod person;
mod quality;
mod recall;
mod requests;
mod running;
mod second_factor;
mod sheet;
mod webhooks;

use domain::{
    audit::EventType as E,
    candidate::{Action, Cause, Dropped, Flag, Reason},
    conversation::Role,
    key::KeyScope,
    memory::{RetiredFor, RevisionAction},
};

use super::*;

fn many(number: u64, one: &str, more: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { more }
    )
}

fn span(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, 0) => format!("{hours} h"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, 0, _) => format!("{days} d"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// The English texts.
pub static TEXT: Text = Text {
    tag: "en",
    own_name: "English",
    shell: Shell {
        skip: "Skip to the content",
        main: "Main",
        overview: "Overview",
        review: "Review",
        users: "Users",
        memories: "Memories",
        agents: "Agents",
        language: "Language",
        sign_out: "Sign out",
        next_page: "Next page",
        first_page: "First page",
        yes: "yes",
        no: "no",
        close: "Close",
        filter: "Filter",
        keepsake: "Keepsake",
    },
    time: Time {
        span,
        ago: |span| format!("{span} ago"),
        in_: |span| format!("in {span}"),
        left: |span| format!("{span} left"),
        overdue: "expired",
        just_now: "just now",
        date_time: "%-d %b %Y, %H:%M",
    },
    words: Words {
        action: |action| match action {
            Action::Create => "new",
            Action::Update => "update",
            Action::Merge => "merge",
            Action::Retire => "retire",
        },
        flag: |flag| match flag {
            Flag::Contradiction => "contradiction",
            Flag::PossibleDuplicate => "possible duplicate",
            Flag::ThirdParty => "third party",
            Flag::PersonalData => "personal data",
            Flag::SpecialCategory => "special category",
            Flag::Instruction => "instruction",
            Flag::HiddenCharacters => "hidden characters",
            Flag::BadNumber => "bad number",
            Flag::NoEvidence => "no evidence",
            Flag::NotSaidByUser => "not said by user",
            Flag::Imported => "imported",
            Flag::AskedToForget => "asked to forget",
            Flag::TargetMoved => "target moved",
            Flag::DatePassed => "date passed",
            Flag::OptedOut => "opted out",
        },
        flag_why: |flag| match flag {
            Flag::Contradiction => "Says otherwise than what is stored.",
            Flag::PossibleDuplicate => "Close to something that is stored or waits.",
            Flag::ThirdParty => "About somebody else, or in somebody else’s words.",
            Flag::PersonalData => "Holds a personal identifier.",
            Flag::SpecialCategory => "Health, religion, politics and the like: think twice.",
            Flag::Instruction => "Reads like an instruction to the agent, not like a memory.",
            Flag::HiddenCharacters => "Holds characters that do not show.",
            Flag::BadNumber => "The extractor’s score was no number from 0 to 1.",
            Flag::NoEvidence => "Proposed by hand; no words support it.",
            Flag::NotSaidByUser => "Rests on words of the agent or a tool.",
            Flag::Imported => "It comes out of a file, so nobody’s words support it here.",
            Flag::AskedToForget => {
                "The user asked that this be forgotten, so it stands before everything else."
            }
            Flag::TargetMoved => "The memory changed since this was proposed.",
            Flag::DatePassed => "The date it speaks of has passed.",
            Flag::OptedOut => "The person has opted out: it can be rejected, not approved.",
        },
        reason: |reason| match reason {
            Reason::NotDurable => "Not durable",
            Reason::Wrong => "Wrong",
            Reason::ThirdParty => "About someone else",
            Reason::Sensitive => "Sensitive",
            Reason::Duplicate => "Duplicate",
            Reason::Instruction => "Instruction",
            Reason::Other => "Other",
            Reason::Expired => "Expired",
            Reason::Superseded => "Superseded",
        },
        reason_why: |reason| match reason {
            Reason::NotDurable => "true now, not worth keeping",
            Reason::Wrong => "not true, or not what was said",
            Reason::ThirdParty => "not about this user",
            Reason::Sensitive => "should not be stored",
            Reason::Duplicate => "already stored",
            Reason::Instruction => "tells the agent what to do",
            Reason::Other => "see the note",
            Reason::Expired => "nobody decided in time",
            Reason::Superseded => "a newer statement took its place",
        },
        dropped: |dropped| match dropped {
            Dropped::NoEvidence => "no words support it",
            Dropped::Served => "was served by Keepsake itself",
            Dropped::MachineMade => "written by a machine",
            Dropped::Secret => "holds a secret",
            Dropped::KindNotInUse => "kind not in use",
            Dropped::BadMetadata => "metadata does not fit",
            Dropped::TooLong => "too long",
            Dropped::BelowFloor => "not sure enough",
            Dropped::OverLimit => "over the limit of a window",
            Dropped::AskedNotToRemember => "asked not to remember",
        },
        retired: |reason| match reason {
            RetiredFor::Deleted => "deleted",
            RetiredFor::Expired => "its time ended",
            RetiredFor::Merged => "merged into another",
            RetiredFor::Undone => "approval undone",
            RetiredFor::Recalled => "recalled",
        },
        revision: |action| match action {
            RevisionAction::Create => "created",
            RevisionAction::Update => "updated",
            RevisionAction::Merge => "merged",
            RevisionAction::Restore => "restored",
            RevisionAction::Retire => "retired",
        },
        event: |event| match event {
            E::AgentCreated => "Agent made",
            E::AgentChanged => "Settings changed",
            E::KeyCreated => "Key made",
            E::KeyRevoked => "Key revoked",
            E::PersonCreated => "Person added",
            E::PersonInvited => "Person invited",
            E::PersonChanged => "Person changed",
            E::PersonDeactivated => "Person deactivated",
            E::PersonReactivated => "Person let in again",
            E::PersonPasswordReset => "Password link made",
            E::PersonPasswordChanged => "Password chosen",
            E::PersonSecondFactorEnabled => "Second factor set up",
            E::PersonSecondFactorDisabled => "Second factor switched off",
            E::PersonSecondFactorReset => "Second factor reset",
            E::PersonRecoveryCodesRenewed => "Recovery codes made anew",
            E::PersonSignedIn => "Signed in",
            E::PersonSignedOut => "Signed out",
            E::PersonDigestChanged => "Digest changed",
            E::UserCreated => "First heard of",
            E::ConversationReceived => "Messages received",
            E::ExtractionSucceeded => "Extraction done",
            E::ExtractionTruncated => "Extraction cut off, whole part kept",
            E::ExtractionFailed => "Extraction failed",
            E::CandidateProposed => "Proposed",
            E::CandidateSeenAgain => "Said again",
            E::CandidateSuppressed => "Kept out, rejected before",
            E::CandidateApproved => "Approved",
            E::CandidateRejected => "Rejected",
            E::CandidateExpired => "Expired undecided",
            E::CandidateSuperseded => "Superseded by a newer statement",
            E::CandidateReopened => "Reopened",
            E::CandidateExtended => "Time given back",
            E::CandidateClaimed => "Claimed",
            E::CandidateReleased => "Claim released",
            E::CandidateTakenOver => "Taken over",
            E::CandidateHandedOver => "Handed over",
            E::CandidateTakenBack => "Hand-over taken back",
            E::CandidateAgreed => "First of two agreed",
            E::CandidateAgreementWithdrawn => "Agreement taken back",
            E::MemoryCreated => "Memory made",
            E::MemoryUpdated => "Memory updated",
            E::MemoryMerged => "Memories merged",
            E::MemoryRestored => "Memory restored",
            E::MemoryRetired => "Memory retired",
            E::MemoryRecalled => "Recalled",
            E::ContextServed => "Told to the agent",
            E::ContextFeedback => "Feedback on what was served",
            E::BulkStarted => "Many decisions begun",
            E::BulkEnded => "Many decisions ended",
            E::BulkStopped => "Many decisions stopped",
            E::UserOptedOut => "Opted out",
            E::UserOptedIn => "Opted in again",
            E::UserJoinProposed => "Join proposed",
            E::UserJoinDeclined => "Join declined",
            E::UserJoined => "Ids joined",
            E::UserSplit => "Ids split",
            E::KindGuidelineChanged => "Guideline changed",
            E::AgentRemoved => "Agent removed",
            E::AuditCheckpointed => "Checkpoint signed",
            E::AuditVerified => "Audit verified",
            E::ExportRequested => "Export asked for",
            E::ExportFinished => "Export ended",
            E::ExportDownloaded => "Export fetched",
            E::ExportExpired => "Export removed",
            E::BundleImported => "Export of another installation taken in",
            E::ImportUploaded => "Import uploaded",
            E::ImportStarted => "Import begun",
            E::ImportEnded => "Import ended",
            E::ImportStopped => "Import stopped",
            E::ImportWithdrawn => "Import withdrawn",
            E::ImportExpired => "Import forgotten",
            E::DryRunStarted => "Dry run begun",
            E::DryRunEnded => "Dry run ended",
            E::RequestOpened => "Request of a person came in",
            E::RequestClosed => "Request of a person answered",
            E::UserErased => "Erased",
            E::HoldPlaced => "Legal hold placed",
            E::HoldReleased => "Legal hold released",
            E::ConversationRemoved => "Conversation removed by retention",
            E::CandidateRemoved => "Rejected candidate removed by retention",
            E::RetentionApplied => "Retention applied",
            E::WebhookCreated => "Webhook made",
            E::WebhookChanged => "Webhook changed",
            E::WebhookRotated => "Webhook’s secret made anew",
            E::WebhookDisabled => "Webhook switched off",
            E::WebhookRemoved => "Webhook removed",
        },
        role: |role| match role {
            Role::User => "user",
            Role::Assistant => "agent",
            Role::System => "system",
            Role::Tool => "tool",
        },
        scope: |scope| match scope {
            KeyScope::ConversationsWrite => "send conversations",
            KeyScope::ContextRead => "ask for a context",
            KeyScope::CandidatesWrite => "propose",
            KeyScope::CandidatesRead => "read the queue",
            KeyScope::ReviewWrite => "decide",
            KeyScope::MemoriesRead => "read memories",
            KeyScope::AuditRead => "read the audit",
            KeyScope::ExportsRead => "read exports",
            KeyScope::Admin => "administer",
        },
        kind: |kind| match kind {
            "preference" => Some("preference"),
            "fact" => Some("fact"),
            "context" => Some("context"),
            "campaign" => Some("campaign"),
            "metric" => Some("metric"),
            "decision" => Some("decision"),
            "pain_point" => Some("pain point"),
            "profile_field" => Some("profile field"),
            "session_summary" => Some("session summary"),
            "pattern" => Some("pattern"),
            _ => None,
        },
        confidence: "Confidence",
        importance: "Importance",
        kind_label: "Kind",
        name: "Topic",
        content: "Content",
        metadata: "Metadata",
        tags: "Tags",
        agent: "Agent",
        user: "User",
        flags: "Flags",
        action_label: "Change",
        status: "Status",
        created: "Proposed",
        waiting: "waiting",
        approved: "approved",
        rejected: "rejected",
        expired: "expired",
        retired_label: "retired",
        by_system: "Keepsake",
        by_policy: |policy, person| format!("the policy “{policy}”, switched on by {person}"),
        cause: |cause| match cause {
            Cause::Limit => {
                "This user has as many memories as the agent allows, and this one is worth least."
            }
            Cause::NeverHelpful => {
                "It was served often, and the agent never reported that it helped."
            }
            Cause::DatePassed => "The date it speaks of has passed.",
            Cause::SchemaChanged => "It no longer fits the schema, which has changed.",
            Cause::Trend => "Its figures went one way over several sessions.",
            Cause::Returning => "It came back in several sessions.",
            Cause::OtherId => {
                "Under another id of this person it was said that this should be forgotten."
            }
        },
    },
    sign_in: SignIn {
        title: "Sign in",
        lead: "Decide what agents may remember.",
        email: "E-mail",
        password: "Password",
        submit: "Sign in",
        wrong: "E-mail and password do not fit. After several tries you have to wait.",
        wait: |span| format!("Too many tries. Try again in {span}."),
        not_possible: "Signing in needs https, or http on this machine only. The administrator sets KEEPSAKE_PUBLIC_URL.",
        setup_title: "Set up Keepsake",
        setup_lead: "Make the first administrator. They invite everybody else under “People”.",
        setup_first: "Nobody can sign in yet",
        setup_first_how: "Finish the setup with the one-time link that `keepsake serve` printed when it started; in a container, look in its log. It works for one hour, and every start prints a new one.",
        setup_name: "Your name",
        setup_password: "12 to 128 characters. A few words in a row are good; common passwords are refused.",
        setup_submit: "Make the administrator",
        setup_gone: "This link is no longer valid",
        setup_gone_how: "It works once and for one hour. While there is no administrator, every start of `keepsake serve` prints a new one.",
    },
    overview: Overview {
        title: "Overview",
        waiting: |n| {
            if n == 1 {
                "candidate waits".into()
            } else {
                "candidates wait".into()
            }
        },
        expiring: |n| {
            if n == 1 {
                "expires within a day".into()
            } else {
                "expire within a day".into()
            }
        },
        oldest: "the oldest has waited",
        decided_today: |_| "decided today".into(),
        memories: |n| {
            if n == 1 {
                "approved memory".into()
            } else {
                "approved memories".into()
            }
        },
        users: |n| {
            if n == 1 {
                "user".into()
            } else {
                "users".into()
            }
        },
        by_kind: "By kind",
        by_kind_how: |days| {
            format!(
                "What waits now, and what people decided in the last {} days.",
                grouped(days)
            )
        },
        late: "the oldest extraction is late by",
        extraction_well: "Extraction is well: nothing failed, nothing is late.",
        extraction_waits: |n| {
            format!(
                "{} until the agent allows its extractor.",
                many(n, "conversation waits", "conversations wait")
            )
        },
        by_agent: "By agent",
        learn: "Learns",
        serve: "Serves",
        on: "on",
        off: "off",
        no_agents: "No agent yet",
        no_agents_how: "An agent sends its conversations with a key, and asks for what was approved. Make the first one; its page shows the first calls.",
        make_agent: "Make an agent",
        start_review: "Start reviewing",
        failed: |n| {
            if n == 1 {
                "extraction failed or cut off".into()
            } else {
                "extractions failed or cut off".into()
            }
        },
        all_clear: "Nothing waits. New candidates appear here as agents send conversations.",
    },
    quality: quality::QUALITY,
    jobs: quality::JOBS,
    review: Review {
        title: "Review",
        waiting: |n| format!("{} waiting", grouped(n)),
        expiring: |n| {
            format!(
                "{} {} within a day",
                grouped(n),
                if n == 1 { "expires" } else { "expire" }
            )
        },
        oldest: |span| format!("oldest {span}"),
        list: "Waiting candidates",
        any_agent: "Any agent",
        any_kind: "Any kind",
        any_action: "Any change",
        any_flag: "Any flag",
        floor: "Confidence from",
        apply: "Apply",
        clear: "Clear filters",
        of_user: |user| format!("User: {user}"),
        empty: "Nothing waits",
        empty_how: "When an agent sends a conversation, what is worth remembering appears here within a minute or so.",
        reload: "Reload the page to see what has come.",
        hidden: |n| format!("Your filter hides {}", many(n, "candidate", "candidates")),
        hidden_how: "Nothing that waits fits it.",
        show_all: "Show all that wait",
        back: "Back to the list",
        keys_bar: "Keyboard shortcuts",
        all_waiting: "All that wait",
        soon: "Expiring soon",
    },
    desk: desk::DESK,
    candidate: Candidate {
        title: "Candidate",
        statement: "Proposed statement",
        stored: "stored",
        proposed: "proposed",
        decided_as: "approved as",
        update_of: |memory, revision| format!("of {memory}, revision {revision}"),
        superseded: "Took the place of",
        explanation: "Why",
        made_by: "Made by",
        by_hand: "by hand",
        expires: "Expires",
        actions: "Decide",
        approve: "Approve",
        edit: "Edit",
        save: "Save and approve",
        reject: "Reject",
        reject_why: "Reject, because it is …",
        reject_note: "Note (optional)",
        reopen: "Reopen",
        reopen_how: "It waits again, until the time it had or, where that is over, with seven new days. What the approval made is taken back.",
        next: "Next",
        approved_by: |who, ago| format!("Approved by {who} {ago}"),
        rejected_by: |who, ago, reason| format!("Rejected by {who} {ago}: {reason}"),
        expired_at: |ago| format!("Expired {ago}; nobody decided in time"),
        open_memory: "Open the memory",
        evidence: "Evidence",
        no_evidence: "No words of a conversation support it.",
        conversation_of: |at| format!("Conversation of {at}"),
        whole: |n| format!("Whole conversation, {}", many(n, "message", "messages")),
        gap: |n| format!("{} left out", many(n, "message", "messages")),
        hidden_character: |code| format!("hidden character {code}"),
        permalink: "Link to this candidate",
        told: |n| {
            format!(
                "It was told to the agent in {} meanwhile:",
                many(n, "conversation", "conversations")
            )
        },
        read_only: "You may read this, but not decide.",
        cause: "Keepsake proposes this by itself",
        moved: "The memory changed since this was proposed",
        moved_how: "You decide on what is stored now: approving puts the proposal in its place.",
        target_retired: "The memory it is about is retired. Approving serves it again, with the proposed value.",
        stored_then: |revision| format!("then, rev. {revision}"),
        stored_now: |revision| format!("now, rev. {revision}"),
        same_words: "The words stay as they are.",
        other_values: |before, after| format!("Other values: {before} → {after}"),
        once_approved: "once approved",
        merge: "Merge",
        merge_how: "The statement becomes a new revision of the memory you choose; no second one is made.",
        merge_choose: "Merge into",
        merge_search: "Look for another memory of this person",
        merge_button: "Merge and approve",
        absorbed: "Retired in its favour when you approve",
        typed_kept: "What you had typed",
        typed_kept_how: "Somebody decided first, so it was not saved. Copy what you still need.",
        rests_on: |n| format!("Rests on {}", many(n, "conversation", "conversations")),
        of_several: |one, all| format!("{one} of {all}"),
        guideline: "Guideline",
    },
    users: Users {
        title: "Users",
        lead: "The people that agents talk to.",
        search: "User id, exactly as the agent sends it",
        empty: "No user yet",
        empty_how: "A user appears with the first conversation that names one.",
        not_found: "No user of this name",
        memories: "Memories",
        waiting: "Waiting",
        first_seen: "First heard of",
        last_seen: "Last heard of",
        known: "What is known",
        known_none: "Nothing is approved yet.",
        waits_none: "Nothing waits.",
        conversations: "Conversations",
        conversations_none: "No conversation is stored.",
        timeline: "What happened",
        messages: |n| many(n, "message", "messages"),
        review_these: "Review these",
        by: |who| format!("by {who}"),
        export: "Export",
        export_how: "All that is stored about this person, as a file that can be checked without Keepsake.",
        opt_out: "Opt-out",
        opt_out_how: "One switch stops learning and serving for this person, on every agent. It outlives erasure.",
        opt_out_sure: "Opt this person out",
        opted_out: "This person has opted out: nothing is learned, and nothing is served, on any agent.",
        opt_in: "Opt in again",
    },
    memories: Memories {
        title: "Memories",
        lead: "What is approved, and may be told to agents.",
        search: "Words in the memory",
        empty: "No memory yet",
        empty_how: "A candidate that is approved becomes a memory.",
        not_found: "No memory fits",
        status_approved: "approved",
        status_retired: "retired",
        memory: "Memory",
        revision: |n| format!("revision {n}"),
        revisions: "Revisions",
        said: "Said",
        expires: "Expires",
        told_from: "Told to agents from",
        never: "never, unless deleted",
        edit: "Edit",
        save: "Save as a new revision",
        retire: "Retire",
        retire_sure: "It is no longer told to agents. Its history stays, and it can be restored.",
        restore: "Restore",
        restore_this: |revision| format!("Restore revision {revision}"),
        retired_because: |why| format!("Retired: {why}. It is not told to agents."),
        words: "Words that support it",
        words_none: "No words of a conversation support it.",
        proposed_as: "proposed as",
        compare: "Compare",
        compare_with: "Compare with revision",
        unchanged: "the same words",
        candidate: "Candidate",
        series: "Over time",
        series_value: "Value",
        series_period: "Period",
        series_said: "Said",
        series_mixed: "The units differ, so the values are not drawn on one scale.",
        series_times: "Times so far",
        series_line: |first, last, n| format!("{n} values, from {first} to {last}"),
        count: |n, sessions| {
            format!(
                "said {} in {}",
                many(n, "time", "times"),
                many(sessions, "session", "sessions")
            )
        },
        made_by: "Made by",
        expiry: "Expires on",
        expiry_how: "The end of this day, in UTC. Empty: never.",
        expiry_save: "Set the date",
        extracted: "said this time",
        date_passed: "The date it speaks of has passed.",
        revision_expires: |at| format!("expires {at}"),
    },
    conversation: Conversation {
        title: "Conversation",
        with: |user| format!("with {user}"),
        zone: "Time zone",
        ended: "Ended",
        running: "still open",
        messages: "Transcript",
        extraction: "What extraction did",
        extraction_none: "Nothing yet: it runs at the end, after some new messages or some quiet, as the agent is set.",
        state: |state| match state {
            "queued" => "queued",
            "running" => "running",
            "succeeded" => "done",
            "failed" => "failed",
            "truncated" => "cut off, whole part kept",
            _ => "unknown",
        },
        extractor: "Extractor",
        candidates: |n| many(n, "candidate", "candidates"),
        sightings: |n| format!("{} said again", grouped(n)),
        suppressed: |n| format!("{} kept out, rejected before", grouped(n)),
        dropped: "Dropped",
        raw: "The extractor’s own answer",
        retry: "Try again",
        retried: "tried again",
        attempt: |n| format!("attempt {n}"),
        next_try: |when| format!("next try {when}"),
        failed_with: |code| format!("failed: {code}"),
        mark: |status| format!("supports a candidate, {status}"),
    },
    agents: agent::AGENTS,
    policies: agent::POLICIES,
    budget: agent::BUDGET,
    kinds: kind::KINDS,
    guidelines: guideline::GUIDELINES,
    preview: person::PREVIEW,
    search: person::SEARCH,
    failures: person::FAILURES,
    demo: demo::DEMO,
    first_steps: demo::FIRST_STEPS,
    schemas: kind::SCHEMAS,
    report: kind::REPORT,
    keys: keys::KEYS,
    people: people::PEOPLE,
    second_factor: second_factor::SECOND_FACTOR,
    running: running::RUNNING,
    four_eyes: four_eyes::FOUR_EYES,
    recall: recall::RECALL,
    digest: digest::DIGEST,
    webhooks: webhooks::WEBHOOKS,
    bulk: bulk::BULK,
    audit: audit::AUDIT,
    exports: exports::EXPORTS,
    imports: imports::IMPORTS,
    dry_runs: dry_runs::DRY_RUNS,
    erasure: erasure::ERASURE,
    holds: erasure::HOLDS,
    joins: joins::JOINS,
    as_of: as_of::AS_OF,
    served: as_of::SERVED,
    sheet: sheet::SHEET,
    requests: requests::REQUESTS,
    help: Help {
        title: "Keyboard shortcuts",
        lead: "The keys of the review desk. Each presses a button or link of the page.",
        caption: "Keys and what they do",
        key: "Key",
        does: "Does",
        leave: "leave a form or this help",
        off: "Keys rest while you type, and while an input method composes.",
    },
    flash: Flash {
        approved: |what| format!("Approved “{what}”"),
        approved_edited: |what| format!("Edited and approved “{what}”"),
        rejected: |what, reason| format!("Rejected “{what}”: {reason}"),
        reopened: |what| format!("“{what}” waits again"),
        undo: "Undo",
        seconds: |n| format!("{n} s"),
        conflict_approved: |who, ago| {
            format!("Approved by {who} {ago}. Your decision was not taken.")
        },
        conflict_rejected: |who, ago| {
            format!("Rejected by {who} {ago}. Your decision was not taken.")
        },
        conflict_expired: "It expired before you decided. It can be reopened.",
        conflict_changed: "It changed since you opened it. Look again, then decide.",
        show: "Show it",
        saved: "Saved",
        retired: "Retired. It is no longer told to agents.",
        restored: "Restored as a new revision",
        agent_made: |name| format!("Agent {name} is there. Make a key next."),
        key_revoked: "The key no longer works",
        retrying: "Extraction is queued again",
        policy_on: |name| format!("The policy “{name}” is on"),
        policy_off: |name| format!("The policy “{name}” is off"),
        schema_removed: |id| format!("The schema {id} is removed"),
        opted_out: "Opted out. Nothing is learned or served any more.",
        opted_in: "Opted in again",
        see_memory: "The stored memory",
        see_waiting: "What is proposed for retirement",
        not_decided: "Not approved",
        refused: "Not saved",
        offline: "The server does not answer. Nothing was decided; try again.",
        code: |code| {
            Some(match code {
                "secret" => {
                    "This text holds what looks like a password, key or card number. Take it out."
                }
                "required" => "This is needed.",
                "too_long" => "This is too long.",
                "length" => "This is empty, or too long.",
                "agent_name" => {
                    "1 to 64 of a–z, 0–9, “-” and “_”, a letter or digit first, and not “system”."
                }
                "too_many" => "There is no room for another one. Remove one first.",
                "too_short" => "This is too short.",
                "common" => "This password is too common.",
                "invalid" | "shape" | "control" => "This is not valid.",
                "range" | "number" => "This number is out of range.",
                "too_early" => "This is not after the beginning.",
                "exists" => "This name is taken.",
                "unknown" => "This is not known here.",
                "schema" => "The metadata does not fit the kind.",
                "no_extractor" => "No such extractor is set up.",
                "moved_on" => {
                    "The same statement waits or is stored by now; it cannot be reopened beside it."
                }
                "memory_retired" => {
                    "This memory is retired, so it is told to nobody. Restore it first to change or recall it."
                }
                "slot_taken" => "A memory of this kind and name is stored already.",
                "memory_limit" => {
                    "This user has as many memories as the agent allows. Retire one first."
                }
                "language_not_yours" => {
                    "Your role is for content in other languages. Hand it to somebody who reads this one."
                }
                "last_admin" => {
                    "Somebody must stay who can administer everything. Make another administrator first."
                }
                "deactivated" => "This person was deactivated. Reactivate them first.",
                "address_taken" => "Somebody with this address is there already.",
                "wrong_password" => "This is not your present password.",
                "wrong_code" => "This code is not right. Take the one that the app shows now.",
                "no_second_factor" => "There is no second factor by now.",
                "yourself" => "You have it already: choose somebody else.",
                "twice" => "This role is in the list already; name all its languages once.",
                "stale" => "It changed since you opened it. Look again, then save.",
                "opted_out" => {
                    "This person has opted out: nothing about them is approved. Reject it, or leave it to expire."
                }
                "second_person_needed" => "Two different people must agree; you did already.",
                "https" => "This address must begin with https://.",
                "private_address" => {
                    "This address lies inside a private network, which is not allowed here (KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES)."
                }
                "user_info" => "Take out the user and the password before the host.",
                "fragment" => "Take out the part from # on; it is never sent.",
                "mail_off" => "This installation sends no e-mail.",
                "unreadable" => "This cannot be read any more. Remove it and make a new one.",
                "json" => "This is no JSON.",
                "invalid_schema" => "This is no valid JSON Schema.",
                "faults" => "The schema has faults; each is shown beside its line.",
                "confirm" => "Type the number, so that nobody approves many by accident.",
                "empty" => "Nothing matches by now.",
                "already_undone" => "It was taken back already.",
                "not_undoable" => "There is nothing to take back, or not yet.",
                "bulk_over" => "It has ended already.",
                "past" => "This lies in the past.",
                "not_the_name" => "This is not the name by which the agent calls them.",
                "future" => "This lies in the future.",
                "not_erased" => {
                    "Somebody who was found by name is still there. Erase them first, or choose “done in part”."
                }
                "not_copied" => "No copy was handed out yet.",
                "not_a_copy" => {
                    "This is an auditor’s export. Hand out a copy: it holds nothing of others."
                }
                "of_another" => "This is not a copy of who asks.",
                "whole_time" => {
                    "A copy is of the whole time, and so is what stood at an instant. Leave this empty."
                }
                "not_of_a_copy" => "A copy says what is kept now. Choose the auditor’s export.",
                "was_found" => "Somebody of this name was found.",
                "already_joined" => "These two ids are joined already.",
                "join_chain" => "One of these ids is joined with another. Split that join first.",
                "shared_id" => "Several people share this id, so it is nobody’s.",
                "same" => "This is the id of this page.",
                _ => return None,
            })
        },
        rule: |field, code| {
            Some(match (field, code) {
                ("extractor", "not_allowed") => {
                    "This agent does not allow it. Choose one of those that it allows, or allow this one first."
                }
                ("extractor", "no_key") => {
                    "No key of this provider is configured. Set KEEPSAKE_EXTRACTOR_API_KEY, or the provider’s own variable, and restart; or choose another extractor."
                }
                ("conversations", "empty") => {
                    "No conversation of this agent was read yet, so there is nothing to compare with."
                }
                ("email", "shape") => "An e-mail address looks like name@example.com.",
                ("id", "shape") => "1 to 64 letters, digits, “_”, “-” or “.”.",
                ("url", "shape") => {
                    "This is no address. One looks like https://runtime.example/keepsake."
                }
                ("name", "shape") => "1 to 64 of a–z, 0–9 and “_”, a letter first.",
                _ => return None,
            })
        },
        field: |field| {
            Some(match field {
                "name" => "Name",
                "email" => "E-mail",
                "password" => "Password",
                "content" => "Content",
                "kind" => "Kind",
                "metadata" => "Metadata",
                "importance" => "Importance",
                "note" => "Note",
                "reason" => "Reason",
                "label" => "Label",
                "description" => "Description",
                "guideline" => "Guideline",
                "schema" => "Schema",
                "id" => "Id",
                "extractor" => "Extractor",
                "allowed_extractors" => "Allowed extractors",
                "shared_ids" => "Shared ids",
                "to" => "To",
                "until" => "Until",
                "user_id" => "User",
                "url" => "Address",
                "events" => "Events",
                "roles" => "Roles",
                _ => return None,
            })
        },
        told_meanwhile: |n| {
            format!(
                "It had been told to the agent in {}.",
                many(n, "conversation", "conversations")
            )
        },
    },
    error: ErrorPage {
        title: |status| match status {
            403 => "Not yours to do",
            404 => "Nothing here",
            409 | 412 => "It has moved on",
            410 => "It is gone",
            413 => "Too much at once",
            422 | 400 => "Not understood",
            429 => "Too fast",
            _ => "Something broke",
        },
        detail: |status| match status {
            403 => "Your roles do not reach this. An administrator can change that.",
            404 => "It does not exist, or lies outside what you may see.",
            409 | 412 => "Somebody or something changed it meanwhile. Open it again.",
            410 => "It was here once, and was removed.",
            413 => "What was sent is larger than Keepsake takes.",
            422 | 400 => "What was sent does not have the form that Keepsake expects.",
            429 => "Wait a moment, then try again.",
            _ => "It was logged under the number below. Nothing was half done.",
        },
        request: "Request",
        home: "To the overview",
    },
};
