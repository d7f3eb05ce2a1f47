//! Every line of `cases/gate.jsonl` as far as the gate alone can show it (the matcher and the engine have theirs), and what must
//! hold for any text.

mod window;

use std::collections::BTreeMap;

use domain::{
    agent::AgentSettings,
    candidate::{Action, Dropped, Flag},
    conversation::{Role, Source},
    draft::{Draft, Quote, Score},
    gate::{self, Turn},
    id::MemoryId,
    kind::Kind,
    text,
};
use serde_json::Value;
use window::{draft, pass, turn, user};

fn only(why: Dropped) -> BTreeMap<Dropped, u32> {
    BTreeMap::from([(why, 1)])
}

/// The cases in which what the gate lets through is what reaches the queue; the others are decided by the matcher behind it.
const DECIDED_BY_THE_MATCHER: [&str; 4] = [
    "same-twice",
    "numbers-differ",
    "rejected-before",
    "same-number-three-notations",
];

// F5, F6, G1, G3, G11
#[test]
fn every_case_holds_at_the_gate() {
    let cases = include_str!("cases/gate.jsonl");
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let turns: Vec<Turn> = case["messages"]
            .as_array()
            .unwrap()
            .iter()
            .zip(0..)
            .map(|(message, number)| {
                let role = message["role"].as_str().unwrap().parse().unwrap();
                let source = message["source"]
                    .as_str()
                    .map_or(Source::Human, |source| source.parse().unwrap());
                turn(role, source, message["content"].as_str().unwrap(), number)
            })
            .collect();
        let answer = domain::answer::parse(
            &serde_json::json!({"candidates": case["model_candidates"]}).to_string(),
            &|_| None,
            &|_| None,
        );
        let kinds = match case["kinds"].as_str() {
            Some("business") => [Kind::assistant(), Kind::business()].concat(),
            _ => Kind::assistant(),
        };
        let mut settings = AgentSettings::default();
        if let Some(most) = case["settings"]["max_candidates"].as_u64() {
            settings.max_candidates = u32::try_from(most).unwrap();
        }
        let gated = gate::pass(answer.drafts, &turns, &kinds, &[], &settings, &|_| false);
        let expect = &case["expect"];
        let proposals: Vec<_> = gated.kept.iter().map(|kept| &kept.proposal).collect();
        let contents: Vec<&str> = proposals
            .iter()
            .map(|proposal| proposal.content.as_str())
            .collect();

        if let Some(dropped) = expect["dropped"].as_object() {
            let counted: BTreeMap<String, u64> = gated
                .dropped
                .iter()
                .map(|(why, n)| (why.to_string(), u64::from(*n)))
                .collect();
            let meant: BTreeMap<String, u64> = dropped
                .iter()
                .map(|(why, n)| (why.clone(), n.as_u64().unwrap()))
                .collect();
            assert_eq!(counted, meant, "{id}");
        }
        if !DECIDED_BY_THE_MATCHER.contains(&id) {
            if let Some(count) = expect["candidates"].as_u64() {
                assert_eq!(proposals.len() as u64, count, "{id}: {:?}", gated.dropped);
            }
            if let Some(meant) = expect["contents"].as_array() {
                assert_eq!(
                    contents,
                    meant
                        .iter()
                        .map(|content| content.as_str().unwrap())
                        .collect::<Vec<_>>(),
                    "{id}"
                );
            }
        }
        for content in expect["contents_include"].as_array().into_iter().flatten() {
            assert!(
                contents.contains(&content.as_str().unwrap()),
                "{id}: {contents:?}"
            );
        }
        for flag in expect["flags"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|flag| *flag != "contradiction")
        {
            assert!(
                proposals[0]
                    .flags
                    .contains(&flag.as_str().unwrap().parse().unwrap()),
                "{id}: {:?}",
                proposals[0].flags
            );
        }
        for every in ["all_flagged", "each_flagged_or_absent"] {
            if let Some(flag) = expect[every].as_str() {
                assert!(
                    proposals
                        .iter()
                        .all(|proposal| proposal.flags.contains(&flag.parse().unwrap())),
                    "{id}"
                );
            }
        }
        if let Some(quote) = expect["evidence_text"].as_str() {
            assert_eq!(proposals[0].evidence[0].quote, quote, "{id}");
        }
        if let Some(count) = expect["evidence_turns"].as_u64() {
            let mut turns: Vec<_> = proposals[0]
                .evidence
                .iter()
                .map(|evidence| &evidence.message)
                .collect();
            turns.dedup();
            assert_eq!(turns.len() as u64, count, "{id}");
        }
        if let Some(secret) = expect["not_in_request_to_model"].as_str() {
            assert!(
                gate::readable(&turns, &|_| false)
                    .iter()
                    .all(|readable| !readable.text.contains(secret)),
                "{id}"
            );
        }
    }
    assert_eq!(cases.lines().count(), 25);
}

#[test]
fn an_extractor_reads_neither_system_text_nor_machines_nor_served_lines_nor_secrets() {
    let turns = [
        turn(Role::System, Source::Human, "You are Jarvis.", 0),
        turn(Role::User, Source::Automation, "[cron] tick", 1),
        turn(
            Role::User,
            Source::Human,
            "<entity_memory>\n- a\n</entity_memory>\nmy card is 4111 1111 1111 1111, ok",
            2,
        ),
        turn(
            Role::Assistant,
            Source::Agent,
            "- User likes tea (said 2026-01-02)\nHello",
            3,
        ),
    ];
    let read = gate::readable(&turns, &|line| line == "User likes tea");
    assert_eq!(
        read.iter()
            .map(|readable| readable.turn)
            .collect::<Vec<_>>(),
        [2, 3]
    );
    assert!(
        read[0].text.trim().starts_with("my card is ███") && read[0].text.ends_with(", ok"),
        "{}",
        read[0].text
    );
    assert_eq!(read[1].text.trim(), "Hello");
    for readable in &read {
        assert_eq!(
            text::length(&readable.text),
            text::length(&turns[readable.turn].content)
        );
    }
}

#[test]
fn words_that_a_model_read_masked_are_known_for_a_secret() {
    let turns = user("My card is 4111 1111 1111 1111 and my desk is by the window");
    let masked = gate::readable(&turns, &|_| false)[0].text.clone();
    let gated = pass(
        vec![draft(
            "fact",
            "User has a card",
            &masked[..masked.find(" and").unwrap()],
        )],
        &turns,
    );
    assert_eq!(gated.dropped, only(Dropped::Secret));
}

// F5, G11
#[test]
fn a_quote_beside_a_masked_stretch_has_its_place_in_the_original() {
    for (said, quote, content) in [
        (
            "My card is 4111 1111 1111 1111, and I drink green tea",
            "I drink green tea",
            "User drinks green tea",
        ),
        (
            // Its が is a letter and a mark of its own, and the digits are wide.
            "カードか\u{3099}４１１１ １１１１ １１１１ １１１１です。緑茶が好きです",
            "緑茶が好きです",
            "ユーザーは緑茶が好き",
        ),
        (
            "我的身份证是11010519491231002X，我喜欢喝绿茶",
            "我喜欢喝绿茶",
            "用户喜欢喝绿茶",
        ),
    ] {
        let turns = user(said);
        let read = gate::readable(&turns, &|_| false).remove(0).text;
        assert!(
            read.contains(domain::secret::MASK) && read.contains(quote),
            "{read}"
        );
        let gated = pass(vec![draft("preference", content, quote)], &turns);
        let evidence = &gated.kept[0].proposal.evidence[0];
        assert_eq!(evidence.quote, quote);
        assert_eq!(text::slice(said, evidence.start, evidence.end), quote);
        // Words that reach over the stretch are found too, and tell that they hold a secret, not that nobody said them.
        let all = pass(vec![draft("preference", content, &read)], &turns);
        assert_eq!(all.dropped, only(Dropped::Secret), "{read}");
    }
}

#[test]
fn a_served_line_is_no_evidence_where_the_caller_knows_it() {
    let turns = user("you told me:\n- User prefers metric units (said 2026-01-02)");
    let gated = gate::pass(
        vec![draft(
            "preference",
            "User prefers metric units",
            "User prefers metric units",
        )],
        &turns,
        &Kind::assistant(),
        &[],
        &AgentSettings::default(),
        &|line| line == "User prefers metric units",
    );
    assert_eq!(gated.dropped, only(Dropped::Served));
}

#[test]
fn words_are_words_and_the_place_an_extractor_knows_wins() {
    assert_eq!(
        pass(
            vec![draft("fact", "User makes art", "art")],
            &user("I start early")
        )
        .dropped,
        only(Dropped::NoEvidence)
    );
    assert_eq!(
        pass(vec![draft("fact", "x", ".")], &user("I start early.")).dropped,
        only(Dropped::NoEvidence)
    );
    let straight = pass(
        vec![draft("fact", "User is a nurse", "I'm a \"nurse\"")],
        &user("Hi, I’m a “nurse”."),
    );
    assert_eq!(straight.kept[0].proposal.evidence[0].quote, "I’m a “nurse”");
    let thai = user("ผมชอบชาเขียวและกาแฟ");
    assert_eq!(
        pass(
            vec![draft("preference", "ผู้ใช้ชอบชาเขียว", "ผมชอบชาเขียว")],
            &thai
        )
        .kept
        .len(),
        1
    );
    let mut second = draft("fact", "User likes tea", "tea");
    second.evidence[0] = Quote {
        text: "tea".into(),
        turn: Some(0),
        start: Some(8),
    };
    let evidence = &pass(vec![second], &user("tea and tea")).kept[0]
        .proposal
        .evidence[0];
    assert_eq!((evidence.start, evidence.end), (8, 11));
    assert_eq!(
        pass(vec![draft("fact", "用户喝茶", "茶")], &user("我喝茶"))
            .kept
            .len(),
        1
    );
}

// F5
#[test]
fn a_decision_needs_an_agreement_that_answers_its_proposal() {
    let metadata = serde_json::json!({"action": "move", "rationale": "waste", "affected_entities": ["Alpha"], "reversible": true});
    let decision = |evidence: &[&str]| Draft {
        metadata: metadata.as_object().unwrap().clone(),
        evidence: evidence
            .iter()
            .map(|text| Quote {
                text: (*text).to_owned(),
                ..Quote::default()
            })
            .collect(),
        ..draft("decision", "Move Alpha to target CPA", "")
    };
    let talk = |answer: &str| {
        [
            turn(Role::Assistant, Source::Human, "Shall I move Alpha?", 0),
            turn(Role::User, Source::Human, answer, 1),
        ]
    };
    let count = |answer: &str, evidence: &[&str]| {
        let gated = pass(vec![decision(evidence)], &talk(answer));
        gated
            .kept
            .first()
            .map_or(0, |kept| kept.proposal.evidence.len())
    };
    assert_eq!(
        count("Yes, do it.", &["Shall I move Alpha?", "Yes, do it."]),
        2
    );
    assert_eq!(
        count(
            "はい、お願いします。",
            &["Shall I move Alpha?", "はい、お願いします。"]
        ),
        2
    );
    assert_eq!(
        count(
            "好的，就这么办。",
            &["Shall I move Alpha?", "好的，就这么办。"]
        ),
        2
    );
    assert_eq!(
        count("Yes, do it.", &["Yes, do it."]),
        0,
        "a bare yes shows nothing"
    );
    assert_eq!(
        count("Yes, do it.", &["Shall I move Alpha?"]),
        0,
        "a proposal is no decision"
    );
    assert_eq!(
        count(
            "No, keep it as it is.",
            &["Shall I move Alpha?", "No, keep it as it is."]
        ),
        1,
        "a refusal agrees to nothing"
    );
    assert_eq!(
        count("We decided to move Alpha.", &["We decided to move Alpha."]),
        1
    );
    let nothing = Draft {
        metadata: serde_json::Map::new(),
        ..decision(&["We decided"])
    };
    assert_eq!(
        pass(vec![nothing], &talk("We decided to move Alpha.")).dropped,
        only(Dropped::BadMetadata)
    );
}

// F5
#[test]
fn a_metric_may_rest_on_a_tool_and_says_so() {
    let talk = [turn(Role::Tool, Source::Automation, "CTR 2.1 % in May", 0)];
    let gated = pass(
        vec![draft("metric", "CTR was 2.1 % in May", "CTR 2.1 % in May")],
        &talk,
    );
    assert_eq!(gated.kept[0].proposal.flags, [Flag::NotSaidByUser]);
    assert_eq!(
        pass(vec![draft("fact", "x", "CTR 2.1 % in May")], &talk).dropped,
        only(Dropped::NoEvidence)
    );
    assert_eq!(
        pass(vec![draft("pattern", "x", "CTR 2.1 % in May")], &talk).dropped,
        only(Dropped::NoEvidence)
    );
}

#[test]
fn limits_of_length_score_and_kind_are_counted() {
    let said = user("I like tea");
    let with = |change: &dyn Fn(&mut Draft)| {
        let mut changed = draft("preference", "User likes tea", "I like tea");
        change(&mut changed);
        pass(vec![changed], &said)
    };
    assert_eq!(
        with(&|d| d.content = "x".repeat(2_001)).dropped,
        only(Dropped::TooLong)
    );
    assert_eq!(
        with(&|d| d.content = String::new()).dropped,
        only(Dropped::BadMetadata)
    );
    assert_eq!(
        with(&|d| d.confidence = Score::new(0.49)).dropped,
        only(Dropped::BelowFloor)
    );
    assert_eq!(
        with(&|d| d.kind = "vibe".into()).dropped,
        only(Dropped::KindNotInUse)
    );
    assert_eq!(
        with(&|d| d.explanation = Some("sk-test-FAKE0123456789abcdefFAKE0123456789abcdef".into()))
            .dropped,
        only(Dropped::Secret)
    );
    let bad = with(&|d| d.confidence = Score::new(f64::NAN));
    assert_eq!(
        (
            bad.kept[0].proposal.confidence.to_bits(),
            bad.kept[0].proposal.flags.as_slice()
        ),
        (0, &[Flag::BadNumber][..])
    );
}

// G1
#[test]
fn a_request_to_forget_is_reported_and_feeds_no_create() {
    let said = user("Please forget that I live in Oslo. Thanks!");
    let gated = pass(
        vec![draft("fact", "User lives in Oslo", "I live in Oslo")],
        &said,
    );
    assert_eq!(gated.dropped, only(Dropped::AskedNotToRemember));
    let asked = &gated.asked_to_forget[0];
    assert_eq!(
        (asked.what.as_str(), asked.evidence.quote.as_str()),
        ("I live in Oslo", "Please forget that I live in Oslo")
    );
}

// G1
#[test]
fn what_else_is_said_beside_a_request_to_forget_is_not_lost() {
    let said = user("I moved: I live in Munich now. Forget that I prefer short answers.");
    let gated = pass(
        vec![
            draft("fact", "User lives in Munich", "I live in Munich now"),
            draft(
                "preference",
                "User prefers short answers",
                "I prefer short answers",
            ),
            draft("fact", "User prefers short answers", "I live in Munich now"),
        ],
        &said,
    );
    let kept: Vec<_> = gated
        .kept
        .iter()
        .map(|kept| kept.proposal.content.as_str())
        .collect();
    assert_eq!(kept, ["User lives in Munich"]);
    assert_eq!(
        gated.dropped,
        [(Dropped::AskedNotToRemember, 2)].into_iter().collect()
    );
    assert_eq!(gated.asked_to_forget[0].what, "I prefer short answers");
}

// G1
#[test]
fn a_retirement_that_rests_on_a_wish_to_forget_says_so() {
    let said = user("I moved to Munich. Please forget that I live in Oslo.");
    let retire = |quote: &str| Draft {
        action: Action::Retire,
        targets: vec![MemoryId::parse("mem_00000000000000000000000000").unwrap()],
        ..draft("fact", "User lives in Oslo", quote)
    };
    let gated = pass(
        vec![
            retire("forget that I live in Oslo"),
            retire("I moved to Munich"),
        ],
        &said,
    );
    let wished: Vec<bool> = gated
        .kept
        .iter()
        .map(|kept| kept.proposal.is_urgent())
        .collect();
    assert_eq!(wished, [true, false]);
}

// G1
#[test]
fn what_is_true_now_stays_where_what_was_is_to_be_forgotten() {
    let said = user("I live in Munich now. Forget that I live in Oslo.");
    let gated = pass(
        vec![
            draft("fact", "User lives in Munich", "I live in Munich now"),
            draft("fact", "User lives in Oslo", "I live in Oslo"),
            draft(
                "fact",
                "User moved from Oslo to Munich",
                "I live in Munich now",
            ),
        ],
        &said,
    );
    let kept: Vec<_> = gated
        .kept
        .iter()
        .map(|kept| kept.proposal.content.as_str())
        .collect();
    assert_eq!(kept, ["User lives in Munich"]);
    assert_eq!(
        gated.dropped,
        [(Dropped::AskedNotToRemember, 2)].into_iter().collect()
    );
    assert_eq!(gated.asked_to_forget[0].what, "I live in Oslo");
}
