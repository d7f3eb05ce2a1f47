//! Metadata that does not fit its kind is sent back once (B1); what the owner of an agent adds to the prompt; what made a memory (C8).

use domain::{kind::Kind, time::Span};
use engine::extractor::Window;
use serde_json::{Value, json};

use super::stub::*;

fn decision(metadata: &Value) -> String {
    json!({"candidates": [
        {"kind": "pain_point", "content": "Exports keep failing for the user", "metadata": {"severity": "high"}, "confidence": 0.9, "importance": 0.7,
         "evidence": ["exports keep failing"], "message": "m1"},
        {"kind": "decision", "content": "User moves Alpha to target CPA", "metadata": metadata, "confidence": 0.9, "importance": 0.9,
         "evidence": ["let's move Alpha to target CPA"], "message": "m1"},
    ]})
    .to_string()
}

fn business() -> Window {
    Window {
        kinds: Kind::business(),
        ended: false,
        ..window(&["exports keep failing, so let's move Alpha to target CPA"])
    }
}

// B1
#[tokio::test]
async fn metadata_that_does_not_fit_is_repaired_once() {
    let bad = json!({"action": "move Alpha to target CPA", "reversible": "yes"});
    let good = json!({"action": "move Alpha to target CPA", "rationale": "", "affected_entities": ["Alpha"], "reversible": true});
    let repaired = json!({"candidates": [
        {"kind": "decision", "content": "User moves Alpha to target CPA.", "metadata": good, "confidence": 0.1, "importance": 0.1, "evidence": []},
    ]});
    for wire in BOTH {
        let (got, requests) = read(
            wire,
            vec![
                wire.answer(&decision(&bad), false),
                wire.answer(&repaired.to_string(), false),
            ],
            &business(),
        )
        .await;
        let got = got.unwrap();
        let (pain, moved) = (&got.drafts[0], &got.drafts[1]);
        assert_eq!(Value::Object(moved.metadata.clone()), good);
        assert_eq!(
            (moved.confidence.value(), moved.evidence.len()),
            (0.9, 1),
            "only the metadata is taken over"
        );
        assert_eq!(pain.metadata["severity"], "high");
        assert_eq!((requests.len(), got.tokens_in), (2, Some(200)));
        let second = String::from_utf8(requests[1].body.clone()).unwrap();
        assert!(second.contains("affected_entities") && second.contains("does not fit"));
        assert!(
            !second.contains("Exports keep failing for the user"),
            "what fits is not asked again"
        );
    }
}

// B1
#[tokio::test]
async fn metadata_that_still_does_not_fit_is_left_to_the_gate() {
    let bad = json!({"reversible": "yes"});
    for second in [
        Wire::OpenAi.answer(&decision(&bad), false),
        Wire::OpenAi.answer("I cannot.", false),
        wiremock::ResponseTemplate::new(500),
    ] {
        let (got, requests) = read(
            Wire::OpenAi,
            vec![Wire::OpenAi.answer(&decision(&bad), false), second],
            &business(),
        )
        .await;
        let got = got.unwrap();
        assert_eq!(
            (got.drafts.len(), requests.len()),
            (2, 2),
            "the rest is kept"
        );
        assert_eq!(Value::Object(got.drafts[1].metadata.clone()), bad);
    }
}

// B1
#[tokio::test]
async fn metadata_that_fits_is_not_asked_about() {
    let good =
        json!({"action": "a", "rationale": "b", "affected_entities": [], "reversible": true});
    let (_, requests) = read(
        Wire::OpenAi,
        vec![Wire::OpenAi.answer(&decision(&good), false)],
        &business(),
    )
    .await;
    assert_eq!(requests.len(), 1);
}

// G10, C8
#[tokio::test]
async fn guidance_and_guidelines_are_told_and_the_schemas_in_use_are_named() {
    let mut window = business();
    window.settings.guidance = Some("Budgets matter most here.".into());
    for kind in &mut window.kinds {
        if kind.name == "metric" {
            kind.guideline = Some("Only figures of a whole month.".into());
        }
    }
    let nothing = || vec![Wire::OpenAi.answer("{\"candidates\": []}", false)];
    let (got, requests) = read(Wire::OpenAi, nothing(), &window).await;
    let (system, asked) = Wire::OpenAi.asked(&requests[0]);
    assert!(system.contains("\nBudgets matter most here.\n"));
    let metric = system
        .lines()
        .find(|line| line.starts_with("- \"metric\""))
        .unwrap();
    assert!(
        metric.ends_with("What reviewers want: Only figures of a whole month."),
        "{metric}"
    );
    assert!(!system.contains("# Profiles") && !system.contains("# Summary"));
    assert!(asked.get("profile").is_none() && asked.get("summary_so_far").is_none());

    let version = |got: Result<engine::extractor::Extracted, _>| -> String {
        let got: Result<_, engine::extractor::ExtractError> = got;
        got.unwrap().provenance.schema_version.unwrap()
    };
    let first = version(got);
    assert!(first.starts_with("2.") && first.len() == 10, "{first}");
    let (later, _) = read(
        Wire::OpenAi,
        nothing(),
        &Window {
            now: now() + Span::days(1),
            ..window.clone()
        },
    )
    .await;
    assert_eq!(version(later), first, "the same schemas, the same version");
    window.kinds[0].metadata_schema = Some(json!({"type": "object"}));
    let (changed, _) = read(Wire::OpenAi, nothing(), &window).await;
    assert_ne!(version(changed), first);
}

// C4
#[tokio::test]
async fn a_summary_is_asked_for_and_also_alone() {
    let mut window = window(&["which tea is good?"]);
    window.kinds.extend(Kind::always_there());
    window.summary_so_far = Some("The user asked about coffee.".into());
    let answer = json!({"candidates": [], "summary": {"content": "The user asked about coffee and tea.", "importance": 0.4}}).to_string();
    for (reference, wire) in [(false, Wire::OpenAi), (true, Wire::Anthropic)] {
        window.turns[0].reference = reference;
        let (got, requests) = read(wire, vec![wire.answer(&answer, false)], &window).await;
        let summary = got.unwrap().summary.unwrap();
        assert_eq!(
            (summary.content.as_str(), summary.importance.value()),
            ("The user asked about coffee and tea.", 0.4)
        );
        let (system, asked) = wire.asked(&requests[0]);
        assert_eq!(asked["summary_so_far"], "The user asked about coffee.");
        assert_eq!(asked["messages"][0]["text"], "which tea is good?");
        assert_eq!(system.contains("Only the summary is wanted"), reference);
        assert!(
            system.ends_with("{\"candidates\": [], \"summary\": null}"),
            "{system}"
        );
    }
    window.ended = false;
    let (got, requests) = read(Wire::OpenAi, vec![], &window).await;
    assert!(
        got.unwrap().summary.is_none() && requests.is_empty(),
        "nothing is new, and it goes on"
    );
}
