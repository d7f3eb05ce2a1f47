//! English: kinds, profile schemas, the report.

use domain::kind::EvidenceRule;

use super::super::*;
use super::many;

/// The kind registry.
pub const KINDS: Kinds = Kinds {
    title: "Kinds",
    sets: "Sets in use",
    sets_how: "A set that is switched off keeps its kinds and memories; nothing new of them is proposed.",
    set_assistant: "Assistant: preference, fact, context",
    set_business: "Business: campaign, metric, decision, pain point",
    sets_save: "Save sets",
    lives: "Lives",
    always: "In every context",
    days: |n| many(n, "day", "days"),
    for_good: "for good",
    used: "Proposed",
    used_off: "no, switched off",
    used_not_learning: "no, the agent does not learn",
    used_profiles_only: "no, only profiles are made",
    used_needs_schema: "no, there is no profile schema",
    holds: "What it holds",
    make: "Add a kind",
    make_lead: "A kind of your own: what it holds, how long it lives, and what its metadata looks like.",
    group_kept: "How it is kept",
    name: "Name",
    name_how: "1 to 64 of a–z, 0–9 and _, beginning with a letter. It stays as it is.",
    label: "Heading in a context",
    label_how: "The agent reads its memories under this heading.",
    description: "What it holds",
    description_how: "Told to the extractor.",
    guideline: "What the extractor is told",
    guideline_how: "What belongs in it and what does not, for the machine. People read the guideline below; they see this text only where there is none.",
    ttl: "Days it lives",
    ttl_how: "Counted from the last approved revision or repetition. Empty: for good.",
    position: "Place in a context",
    position_how: "Smaller comes first.",
    cap: "Most in a context",
    cap_how: "Empty: no limit.",
    always_switch: "In every context",
    always_how: "Whatever the agent asks for; only the size of the context cuts it.",
    enabled: "Propose",
    enabled_how: "Off: nothing new of it is proposed; its memories stay.",
    evidence: "What supports it",
    evidence_how: "A draft without this is dropped.",
    rule: |rule| match rule {
        EvidenceRule::UserQuote => "words of the user",
        EvidenceRule::Agreement => "the user’s words, or agreement to the agent’s",
        EvidenceRule::AnyTurn => "words of any turn",
        EvidenceRule::Conversation => "the conversation it sums up",
        EvidenceRule::Conversations => "words of two conversations or more",
    },
    schema: "Schema of its metadata",
    schema_how: r#"JSON Schema. Empty: anything. For example: {"type": "object", "properties": {"severity": {"type": "string", "enum": ["low", "high"]}}, "required": ["severity"]}"#,
    save: "Save the kind",
    of_agent: |agent| format!("a kind of {agent}"),
    misfits: |n| {
        format!(
            "{} no longer {} the schema.",
            many(n, "memory", "memories"),
            if n == 1 { "fits" } else { "fit" }
        )
    },
    misfits_how: "Keepsake proposes how to change each, or to retire it.",
};

/// Profile schemas and profiles.
pub const SCHEMAS: Schemas = Schemas {
    title: "Profile schemas",
    lead: "What the agent wants to know of every user, field by field. Extraction fills only these fields, and a person approves each value.",
    none: "None yet: no profile is made.",
    make: "Add a schema",
    make_lead: "A JSON Schema whose properties are the fields.",
    id: "Id",
    id_how: "1 to 64 letters, digits, _, - or dots. It stays as it is.",
    schema: "Schema",
    schema_how: "A field’s description steers extraction; an enum lists all its values. \"x-ttl-days\" says how long a value lives, \"x-consolidate\" whether a new value joins the old one (\"join\") or takes its place (\"replace\").",
    save: "Save the schema",
    faults: |n| format!("{} in the schema", many(n, "fault", "faults")),
    line: |n| format!("Line {n}"),
    whole: "The whole schema",
    fault: |code| match code {
        "json" => "This is no JSON.",
        "invalid_schema" => "This is no valid JSON Schema.",
        "too_large" => "The schema is too large.",
        "not_an_object" => "A profile is an object.",
        "fields" => "A schema has 1 to 100 fields, under “properties”.",
        "field_name" => "A field’s name has 1 to 64 letters, digits, _, - or dots.",
        "annotation" => "The annotation has no such value.",
        "reference" => "A schema refers to nothing outside itself.",
        _ => "This is not valid.",
    },
    fields: "Fields",
    fields_count: |n| many(n, "field", "fields"),
    field: "Field",
    holds: "What it holds",
    values: "Values",
    new_value: "A new value",
    joins: "joins the old one",
    replaces: "takes its place",
    lives: "Lives",
    lives_as_kind: "as its kind says",
    version: |n| format!("version {n}"),
    changed: |when| format!("changed {when}"),
    misfits: |n| {
        format!(
            "{} no longer {} the schema; Keepsake proposes how to change each, or to retire it.",
            many(n, "approved value", "approved values"),
            if n == 1 { "fits" } else { "fit" }
        )
    },
    fits: "Every approved value fits it.",
    remove: "Remove the schema",
    remove_sure: "Its fields are no longer filled or given out. The memories behind them stay, and Keepsake proposes to retire them.",
    profile: "Profile",
    profile_value: "Value",
    profile_unset: "not known",
    profile_none: "No profile schema: the agent keeps no profiles.",
};

/// What is served and never helps.
pub const REPORT: Report = Report {
    title: "Often served, never helpful",
    lead: "Memories that were served 20 times or more, of which the agent said three times or more that they did not help, and never that they did. Keepsake proposes to retire them.",
    none: "None. Agents report what helped with POST /context/feedback.",
    memory: "Memory",
    served: "Served",
    last_served: "Last served",
    not_helped: "Did not help",
    proposal: "Proposal",
    proposal_see: "retire",
};
