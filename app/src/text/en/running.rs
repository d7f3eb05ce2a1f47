//! English: the installation as it runs.

use super::{super::*, many};

/// The installation as it runs.
pub const RUNNING: Running = Running {
    title: "This installation",
    lead: "As it runs now. What a setting says holds from the next start.",
    set_by: "Set by",
    docs: "Told in",
    sessions: "Sign-ins",
    open: |sessions, people| {
        format!(
            "{} of {}",
            grouped(sessions),
            many(people, "person", "people")
        )
    },
    open_label: "Open now",
    ends: "A sign-in ends after 30 minutes without use, after 12 hours, or on the page of its person.",
    security: "Security",
    address: "Address",
    of_people: |with, all| format!("{} of {}", grouped(with), many(all, "person", "people")),
    limits: "Requests of a key",
    a_second: |second, burst| format!("{} a second, {} at once", grouped(second), grouped(burst)),
    private: "Private addresses in reach",
    private_none: "none",
    verified: "Audit last verified",
    verified_never: "not yet",
    verified_well: "every chain holds",
    retention: "Retention",
    conversations: "Conversations",
    rejected: "Rejected candidates",
    servings: "What agents were told",
    export_records: "Records of exports",
    export_files: "Files of exports",
    kept_for_good: "until erased",
    digests: "Digests",
    mail: "E-mail comes from",
    mail_off: "no e-mail is sent",
    providers: "Providers and cost",
    own_address: "the provider’s own",
    by_default: |name| format!("{name}, the default"),
    allowed_any: "any",
    more_agents: |n| format!("And {}", many(n, "more agent", "more agents")),
    holds: |n| many(n, "hold", "holds"),
    holds_label: "In force",
    backups: "Backups",
    backup_how: "Made by",
    backup_last: "Last one",
    backup_unknown: "Keepsake keeps no record of it",
};
