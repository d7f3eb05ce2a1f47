//! Fields of profiles and summaries at the gate.

mod window;

use domain::{
    Timestamp,
    agent::AgentSettings,
    answer::{FieldDraft, Summary},
    candidate::{Dropped, Flag},
    conversation::{Role, Source},
    draft::{Quote, Score},
    gate::{self, Gated, SUMMARY, Turn},
    kind::Kind,
    profile::{self, ProfileSchema},
};
use serde_json::{Value, json};
use window::{draft, turn, user};

fn schemas() -> Vec<ProfileSchema> {
    let schema = |id: &str, properties: Value| ProfileSchema {
        id: id.to_owned(),
        schema: json!({"type": "object", "properties": properties}),
        version: 1,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    };
    vec![
        schema(
            "p",
            json!({"stack": {"type": "string"}, "status": {"enum": ["student", "employed"]}}),
        ),
        schema("health", json!({"religion": {"type": "string"}})),
    ]
}

fn field(schema: &str, field: &str, value: Value, evidence: &str) -> FieldDraft {
    FieldDraft {
        schema: schema.to_owned(),
        field: field.to_owned(),
        value,
        confidence: Score::new(0.9),
        importance: Score::new(0.5),
        evidence: vec![Quote {
            text: evidence.to_owned(),
            ..Quote::default()
        }],
        explanation: None,
    }
}

fn registry() -> Vec<Kind> {
    [Kind::assistant(), Kind::always_there()].concat()
}

fn pass(fields: Vec<FieldDraft>, said: &str, settings: &AgentSettings) -> Gated {
    let drafts = gate::field_drafts(fields, &schemas());
    gate::pass(
        drafts,
        &user(said),
        &registry(),
        &schemas(),
        settings,
        &|_| false,
    )
}

// D2, F5
#[test]
fn a_field_rests_on_words_of_the_user_and_fits_its_schema() {
    let said = "As a student I write Python";
    let settings = AgentSettings::default();
    let gated = pass(
        vec![
            field("p", "status", json!("Student"), "As a student"),
            field("", "stack", json!("Python"), "I write Python"),
            field("p", "status", json!("retired"), "As a student"),
            field("p", "stack", json!("Rust"), "I write Rust"),
            field("nobody", "stack", json!("Python"), "I write Python"),
        ],
        said,
        &settings,
    );
    let kept: Vec<_> = gated
        .kept
        .iter()
        .map(|kept| {
            (
                kept.proposal.name.as_deref().unwrap(),
                kept.proposal.content.as_str(),
            )
        })
        .collect();
    assert_eq!(kept, [("p/status", "student"), ("p/stack", "Python")]);
    assert_eq!(gated.dropped[&Dropped::BadMetadata], 2);
    assert_eq!(gated.dropped[&Dropped::NoEvidence], 1);
    assert_eq!(gated.kept[0].proposal.metadata["value"], "student");
}

// G3
#[test]
fn a_field_is_warned_of_like_any_statement() {
    let settings = AgentSettings::default();
    let gated = pass(
        vec![field(
            "health",
            "religion",
            json!("Catholic"),
            "I am a practising Catholic",
        )],
        "I am a practising Catholic",
        &settings,
    );
    assert_eq!(gated.kept[0].proposal.flags, [Flag::SpecialCategory]);
    let asked = pass(
        vec![field("p", "stack", json!("Python"), "I write Python")],
        "Don't remember this: I write Python",
        &settings,
    );
    assert_eq!(asked.dropped[&Dropped::AskedNotToRemember], 1);
}

// D8
#[test]
fn fields_take_no_place_of_the_window_and_stay_where_natural_language_is_off() {
    let settings = AgentSettings {
        max_candidates: 1,
        ..AgentSettings::default()
    };
    let said = user("As a student I write Python and love tea and chess");
    let drafts = || {
        let mut drafts = vec![
            draft("preference", "User loves tea", "love tea"),
            draft("preference", "User loves chess", "chess"),
        ];
        let fields = vec![
            field("p", "status", json!("student"), "As a student"),
            field("p", "stack", json!("Python"), "I write Python"),
        ];
        drafts.extend(gate::field_drafts(fields, &schemas()));
        drafts
    };
    let gate = |settings: &AgentSettings| {
        gate::pass(drafts(), &said, &registry(), &schemas(), settings, &|_| {
            false
        })
    };
    let limited = gate(&settings);
    assert_eq!(
        (limited.kept.len(), limited.dropped[&Dropped::OverLimit]),
        (3, 1)
    );
    let only_profiles = gate(&AgentSettings {
        natural_language: false,
        ..settings
    });
    assert!(
        only_profiles
            .kept
            .iter()
            .all(|kept| kept.proposal.kind == profile::KIND)
    );
    assert_eq!(only_profiles.dropped[&Dropped::KindNotInUse], 2);
}

// D2
#[test]
fn a_candidate_is_no_field_for_having_its_kind() {
    let forged = draft(profile::KIND, "Rust", "I write Rust");
    let gated = window::pass(vec![forged], &user("I write Rust"));
    assert_eq!(gated.dropped[&Dropped::BadMetadata], 1);
}

// C4, G1
#[test]
fn a_summary_rests_on_its_session_and_tells_nothing_that_was_off_the_record() {
    let turns: Vec<Turn> = vec![
        turn(Role::User, Source::Human, "東京への旅行を計画したい", 0),
        turn(Role::Assistant, Source::Human, "いいですね", 1),
        turn(
            Role::User,
            Source::Human,
            "糖尿病のことは覚えないでください",
            2,
        ),
    ];
    let strict = AgentSettings {
        confidence_floor: 0.95,
        ..AgentSettings::default()
    };
    let gate = |content: &str| {
        let summary = Summary {
            content: content.to_owned(),
            importance: Score::new(0.5),
        };
        let drafts = vec![gate::summary_draft(summary, &turns[0].conversation)];
        gate::pass(drafts, &turns, &registry(), &[], &strict, &|_| false)
    };
    let told = gate("ユーザーは東京への旅行を計画した");
    let summary = &told.kept[0].proposal;
    assert_eq!(
        (summary.kind.as_str(), summary.name.clone()),
        (SUMMARY, Some(turns[0].conversation.to_string()))
    );
    assert_eq!(
        (summary.evidence.len(), summary.evidence[0].message.clone()),
        (1, None)
    );
    assert_eq!(
        gate("ユーザーは糖尿病で、東京への旅行を計画した").dropped[&Dropped::AskedNotToRemember],
        1
    );
    assert_eq!(gate(" ").dropped[&Dropped::BadMetadata], 1);
}
