//! The built-in extractor on the reference cases, and on what must never come out of it.

use domain::builtin::{Found, Language, extract, floor};
use serde_json::Value;

fn cases() -> Vec<Value> {
    include_str!("cases/builtin.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a case is JSON"))
        .collect()
}

/// What the whole conversation gives. Off-the-record messages never reach the extractor: the gate keeps them back.
fn found_in(case: &Value) -> Vec<Found> {
    case["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|message| message["content"].as_str())
        .filter(|text| !domain::gate::asked_not_to_remember(text))
        .flat_map(extract)
        .collect()
}

fn meets(found: &Found, expected: &Value) -> bool {
    let kind = expected["kind"]
        .as_str()
        .is_none_or(|kind| kind == found.kind);
    let mentions = expected["mentions"].as_array().is_none_or(|words| {
        words
            .iter()
            .filter_map(Value::as_str)
            .all(|word| found.content.contains(word))
    });
    let confidence = expected["confidence"].as_array().is_none_or(|range| {
        let bound = |at: usize| range[at].as_f64().expect("a number");
        (bound(0)..=bound(1)).contains(&found.confidence)
    });
    let opens = found.content.starts_with("User")
        || found.content.starts_with("ユーザー")
        || found.kind == "context" && !first_person(&found.content);
    let third_person = expected["third_person"].as_bool() != Some(true) || opens;
    kind && mentions && confidence && third_person
}

fn first_person(content: &str) -> bool {
    content
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .any(|word| matches!(word, "I" | "I'm" | "We" | "we" | "my" | "our"))
        || ["私", "僕", "俺"].iter().any(|word| content.contains(word))
}

// A9, A13, C3
#[test]
fn every_reference_case_holds() {
    let mut broken = Vec::new();
    for case in cases() {
        let found = found_in(&case);
        let holds = match &case["expect"] {
            Value::Array(expected) if expected.is_empty() => found.is_empty(),
            Value::Array(expected) => expected
                .iter()
                .all(|expected| found.iter().any(|found| meets(found, expected))),
            _ => found.iter().all(|found| {
                case["messages"][0]["content"]
                    .as_str()
                    .expect("text")
                    .contains(&found.quote)
                    && found.content.contains(&found.quote)
            }),
        };
        if !holds {
            broken.push(format!("{}: {found:#?}", case["id"]));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

// A13
#[test]
fn the_six_reference_sentences_read_as_a_person_would_write_them() {
    for (said, kind, confidence, content) in [
        (
            "I prefer code examples in Python rather than pseudocode",
            "preference",
            0.90,
            "User prefers code examples in Python rather than pseudocode",
        ),
        (
            "I'm the CTO of StartupCorp and we're building a SaaS platform",
            "fact",
            0.95,
            "User is the CTO of StartupCorp and User's team is building a SaaS platform",
        ),
        (
            "We launch our product next month, so I need everything ready quickly",
            "context",
            0.85,
            "User's team launches their product next month, so User needs everything ready quickly",
        ),
        (
            "コード例は擬似コードではなくPythonで受け取る方が好きです。",
            "preference",
            0.90,
            "ユーザーは、コード例は擬似コードではなくPythonで受け取る方が好き",
        ),
        (
            "私はStartupCorpのCTOで、SaaSプラットフォームを構築しています。",
            "fact",
            0.95,
            "ユーザーはStartupCorpのCTOで、SaaSプラットフォームを構築している",
        ),
        (
            "来月プロダクトをローンチするので、すぐにすべてを準備する必要があります。",
            "context",
            0.85,
            "ユーザーは来月プロダクトをローンチするので、すぐにすべてを準備する必要がある",
        ),
    ] {
        let found = extract(said);
        assert_eq!(found.len(), 1, "{said}: {found:?}");
        assert_eq!((found[0].kind, found[0].content.as_str()), (kind, content));
        assert!(
            (found[0].confidence - confidence).abs() <= 0.10,
            "{said}: {}",
            found[0].confidence
        );
        assert!(!found[0].third_party);
    }
}

// F5
#[test]
fn evidence_is_a_slice_of_the_message_in_code_points() {
    let message = "👩‍👩‍👧‍👦 Hello!\nMy name is Ana and I live in Oslo. 私は看護師です。Thanks!";
    let points: Vec<char> = message.chars().collect();
    let found = extract(message);
    assert!(found.len() >= 2, "{found:?}");
    for found in &found {
        assert_eq!(
            points[found.start..found.end].iter().collect::<String>(),
            found.quote
        );
    }
    assert!(
        found
            .iter()
            .any(|found| found.name.as_deref() == Some("name"))
    );
    assert!(
        found
            .iter()
            .any(|found| found.name.as_deref() == Some("lives in"))
    );
}

#[test]
fn two_statements_about_different_things_are_two_candidates() {
    let found = extract("我叫李国松，在腾讯工作。");
    let slots: Vec<_> = found
        .iter()
        .filter_map(|found| found.name.as_deref())
        .collect();
    assert_eq!(slots, ["name", "employer"]);
    assert_eq!(found[1].content, "用户在腾讯工作");
}

#[test]
fn what_somebody_else_is_or_likes_is_marked() {
    let found = extract("My wife is vegetarian.");
    assert!(found.iter().all(|found| found.third_party), "{found:?}");
    assert!(
        extract("My friend Jack said he doesn't like football.")
            .iter()
            .all(|found| found.third_party)
    );
    assert!(
        extract("I'm vegetarian.")
            .iter()
            .all(|found| !found.third_party)
    );
}

#[test]
fn questions_requests_thanks_hypotheses_and_code_give_nothing() {
    for said in [
        "",
        "   ",
        "\n\n",
        "ok",
        "Is it raining?",
        "Write a function that sorts a list.",
        "Thanks a lot!",
        "If I were a nurse I would quit.",
        "Can you fix this?",
        "```\nI prefer tabs\n```",
        "> I prefer tabs",
        "HEARTBEAT_OK",
        "このコードを直してください。",
        "ありがとうございます！",
        "もし私が医者だったら困る。",
        "帮我写一个脚本。",
        "好的，谢谢。",
        "如果我是老板就好了。",
        "Ma chienne s'appelle Unna et je préfère être tutoyée.",
        "Ich wohne in Wien und bin Lehrer.",
        "2024-01-02T10:00:00 INFO I prefer tabs",
        "🎉🎉🎉",
    ] {
        assert_eq!(extract(said), Vec::new(), "{said}");
    }
}

#[test]
fn nothing_comes_out_under_the_floor_and_the_same_text_gives_the_same_answer() {
    for case in cases() {
        let found = found_in(&case);
        assert_eq!(found, found_in(&case));
        let lowest = Language::ALL.into_iter().map(floor).fold(1.0, f64::min);
        assert!(found.iter().all(|found| found.confidence >= lowest
            && found.confidence <= 1.0
            && (0.0..=1.0).contains(&found.importance)));
    }
}

// B3
#[test]
fn a_stated_preference_weighs_more_than_a_situation() {
    let importance = |said: &str| extract(said).first().map(|found| found.importance);
    assert!(importance("I prefer short answers.") >= Some(0.9));
    let situation = importance("I'm preparing for my driving test next month.").expect("found");
    assert!((0.5..0.9).contains(&situation), "{situation}");
}
