//! The built-in extractor on the reference cases, and on what must never come out of it.

use chrono::NaiveDate;
use domain::builtin::{self, Found, Language, floor};
use serde_json::Value;

/// A Monday.
fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 30).expect("a day")
}

fn extract(message: &str) -> Vec<Found> {
    builtin::extract(message, &["preference", "fact", "context"], today())
}

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

fn typed(message: &str) -> Vec<Found> {
    let all = [
        "preference",
        "fact",
        "context",
        "metric",
        "decision",
        "pain_point",
        "campaign",
    ];
    builtin::extract(message, &all, today())
}

fn business() -> Vec<domain::kind::Kind> {
    [
        domain::kind::Kind::assistant(),
        domain::kind::Kind::business(),
    ]
    .concat()
}

/// The one entity of `kind` in `message`; its metadata fits the schema of the kind.
fn entity(message: &str, kind: &str) -> Found {
    let found = typed(message);
    let one = found
        .iter()
        .find(|found| found.kind == kind)
        .unwrap_or_else(|| panic!("{message}: {found:#?}"));
    let row = business()
        .into_iter()
        .find(|row| row.name == kind)
        .expect("a kind of the set");
    domain::gate::fits(&row, one.name.as_deref(), &one.content, &one.metadata)
        .unwrap_or_else(|why| panic!("{message}: {why:?} {one:#?}"));
    one.clone()
}

// B1, B2
#[test]
fn a_metric_has_name_value_unit_and_period_in_three_languages() {
    for (said, metric, value, unit, period) in [
        (
            "Our CPA rose to $45.20 last week.",
            "cpa",
            45.2,
            "USD",
            "2026-W48",
        ),
        ("Churn was 3.5% in Q3.", "churn", 3.5, "%", "Q3"),
        (
            "Last month our revenue hit $1.2 million.",
            "revenue",
            1_200_000.0,
            "USD",
            "2026-10",
        ),
        (
            "先月の売上は120万円でした。",
            "売上",
            1_200_000.0,
            "JPY",
            "2026-10",
        ),
        ("うちの解約率は3.5%です。", "解約率", 3.5, "%", ""),
        ("上个月我们的转化率是4.2%。", "转化率", 4.2, "%", "2026-10"),
        (
            "这个月销售额达到了50万元。",
            "销售额",
            500_000.0,
            "CNY",
            "2026-11",
        ),
    ] {
        let found = entity(said, "metric");
        assert_eq!(found.metadata["metric"], metric, "{said}");
        assert_eq!(found.metadata["value"].as_f64(), Some(value), "{said}");
        assert_eq!(found.metadata["unit"], unit, "{said}");
        assert_eq!(
            found.metadata["period"].as_str().unwrap_or_default(),
            period,
            "{said}"
        );
        assert!(found.importance >= 0.7);
    }
    let words = entity("先月の売上は120万円でした。", "metric").content;
    assert!(words.contains("先月"), "the words stay: {words}");
    let campaign = entity("CPA for the Alpha campaign was $38 last month.", "metric");
    assert_eq!(campaign.metadata["campaign"], "Alpha");
    assert_eq!(campaign.name.as_deref(), Some("cpa (Alpha)"));
    let change = entity("Our open rate went from 18% to 24%.", "metric");
    assert_eq!(change.metadata["value"], 24);
}

// B1
#[test]
fn a_decision_about_a_campaign_names_it() {
    let found = entity(
        "Campaign Gamma moved to target CPA last Tuesday.",
        "decision",
    );
    assert_eq!(
        found.metadata["action"],
        "Campaign Gamma moved to target CPA last Tuesday"
    );
    assert_eq!(
        found.metadata["affected_entities"],
        serde_json::json!(["Campaign Gamma"])
    );
}

// B1, B3, F5
#[test]
fn a_decision_says_what_was_decided_and_why() {
    for (said, action, rationale, entities) in [
        (
            "We decided to move to Postgres because Oracle is too expensive.",
            "move to Postgres",
            "Oracle is too expensive",
            vec!["Postgres"],
        ),
        (
            "We agreed to postpone the launch to June.",
            "postpone the launch to June",
            "",
            vec![],
        ),
        (
            "コストが安いので、データベースはPostgreSQLに決めました。",
            "データベースはPostgreSQL",
            "コストが安い",
            vec!["PostgreSQL"],
        ),
        (
            "我们决定迁移到阿里云，因为成本更低。",
            "迁移到阿里云",
            "成本更低",
            vec![],
        ),
    ] {
        let found = entity(said, "decision");
        assert_eq!(found.metadata["action"], action, "{said}");
        assert_eq!(found.metadata["rationale"], rationale, "{said}");
        assert_eq!(found.metadata["reversible"], true, "{said}");
        let named: Vec<&str> = found.metadata["affected_entities"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| !["データベース"].contains(name))
            .collect();
        assert_eq!(named, entities, "{said}");
        assert!(found.importance >= 0.9, "{said}");
    }
}

// B1
#[test]
fn a_pain_point_says_how_bad_and_how_often() {
    for (said, severity, frequency) in [
        (
            "Our CI pipeline keeps breaking every week and nobody can work.",
            "medium",
            Some("every week"),
        ),
        (
            "経費精算システムが毎月止まって困っています。",
            "medium",
            Some("毎月"),
        ),
        ("开票系统每周都崩溃，特别头疼。", "high", Some("每周都")),
    ] {
        let found = entity(said, "pain_point");
        assert_eq!(found.metadata["severity"], severity, "{said}");
        assert_eq!(found.metadata["frequency"].as_str(), frequency, "{said}");
        assert_eq!(found.metadata["resolved"], false, "{said}");
        assert!(found.name.is_some(), "{said}");
    }
}

// B1
#[test]
fn only_kinds_in_use_come_out() {
    for said in [
        "Our CPA rose to $45.20 last week.",
        "We decided to move to Postgres because Oracle is too expensive.",
        "I'm the CTO of StartupCorp.",
        "来月プロダクトをローンチするので、すぐにすべてを準備する必要があります。",
    ] {
        assert!(
            extract(said)
                .iter()
                .all(|found| ["preference", "fact", "context"].contains(&found.kind)),
            "{said}"
        );
        assert!(
            builtin::extract(said, &["pain_point"], today()).is_empty(),
            "{said}"
        );
        assert!(builtin::extract(said, &[], today()).is_empty(), "{said}");
    }
}

#[test]
fn what_only_looks_like_an_entity_is_none() {
    for said in [
        "What is our churn rate?",
        "Can you calculate the CTR for me?",
        "If churn was 5%, how much would we lose?",
        "Should we move to AWS?",
        "Help me decide between the two vendors.",
        "This test keeps failing on line 12, please fix it.",
        "解約率とは何ですか？",
        "どちらにするか決めてください。",
        "转化率怎么提高？",
        "我还没决定要不要换工作。",
    ] {
        assert!(
            typed(said)
                .iter()
                .all(|found| !["metric", "decision", "pain_point"].contains(&found.kind)),
            "{said}: {:#?}",
            typed(said)
        );
    }
}

// G12
#[test]
fn a_situation_keeps_its_date() {
    for (said, date) in [
        (
            "We launch our product next month, so I need everything ready quickly",
            "2026-12",
        ),
        (
            "来月プロダクトをローンチするので、すぐにすべてを準備する必要があります。",
            "2026-12",
        ),
        ("我们下个月上线新产品，所以时间很紧。", "2026-12"),
    ] {
        let found = extract(said);
        assert_eq!(found[0].kind, "context", "{said}");
        assert_eq!(found[0].metadata["date"], date, "{said}");
        let words = said.split(['，', '、', ',']).next().unwrap_or_default();
        assert!(found[0].quote.contains(words), "the words stay");
    }
}

fn profile() -> domain::profile::ProfileSchema {
    domain::profile::ProfileSchema {
        id: "user-profile".to_owned(),
        schema: serde_json::json!({
            "type": "object",
            "properties": {
                "technical_stack": {"type": "string", "description": "The technologies the user works with"},
                "job_status": {"type": "string", "enum": ["student", "employed", "self_employed", "unemployed", "retired"]},
                "level": {"type": ["string", "null"], "enum": ["beginner", "intermediate", "expert", null]},
                "has_pets": {"type": "boolean"},
                "is_vegetarian": {"type": "boolean"},
                "city": {"type": "string"},
                "company": {"type": "string"},
                "name": {"type": "string"},
                "age": {"type": "integer"},
                "preferred_contact": {"type": "string", "enum": ["email", "phone", "chat"]},
                "skills": {"type": "array", "items": {"type": "string"}, "description": "programming skills"}
            }
        }),
        version: 1,
        created_at: domain::Timestamp::UNIX_EPOCH,
        updated_at: domain::Timestamp::UNIX_EPOCH,
    }
}

fn value(message: &str, field: &str) -> Option<Value> {
    builtin::fields(message, &profile())
        .into_iter()
        .find(|found| found.field == field)
        .map(|found| found.value)
}

// D2, D11
#[test]
fn a_statement_inside_a_question_fills_a_field() {
    let first = "Can you help me build an ADK agent that organizes my daily tasks?";
    let second = "Do you have any career recommendations for students that specialize in Python?";
    assert_eq!(value(first, "technical_stack"), Some("ADK".into()));
    assert_eq!(value(first, "job_status"), None);
    assert_eq!(value(second, "technical_stack"), Some("Python".into()));
    assert_eq!(value(second, "job_status"), Some("student".into()));
    for found in builtin::fields(second, &profile()) {
        assert!(second.contains(&found.quote));
        assert!((0.7..=1.0).contains(&found.confidence), "{found:?}");
        assert!(!found.explanation.is_empty());
    }
}

// D2
#[test]
fn fields_are_filled_by_their_labels_in_three_languages() {
    for (said, field, is) in [
        (
            "As a student, which laptop should I buy?",
            "job_status",
            "student",
        ),
        ("I'm a PhD student in Oslo.", "job_status", "student"),
        ("I'm a freelance designer.", "job_status", "self_employed"),
        ("I work at Google.", "job_status", "employed"),
        ("I'm working full time.", "job_status", "employed"),
        ("I am employed.", "job_status", "employed"),
        ("会社で働いています。", "job_status", "employed"),
        ("我是公务员。", "job_status", "employed"),
        ("I got laid off last week.", "job_status", "unemployed"),
        ("学生です。", "job_status", "student"),
        ("大学に通っています。", "job_status", "student"),
        (
            "フリーランスとして働いています。",
            "job_status",
            "self_employed",
        ),
        ("我是学生。", "job_status", "student"),
        ("我已经退休了。", "job_status", "retired"),
        ("I'm new to Rust.", "level", "beginner"),
        ("プログラミングは初心者です。", "level", "beginner"),
        ("作为新手，我该先学什么？", "level", "beginner"),
        ("I live in Oslo with my wife.", "city", "Oslo"),
        ("大阪に住んでいます。", "city", "大阪"),
        ("我住在上海。", "city", "上海"),
        ("I work at Google.", "company", "Google"),
        ("在腾讯工作。", "company", "腾讯"),
        ("My name is Ana.", "name", "Ana"),
        ("我叫李国松，在腾讯工作。", "name", "李国松"),
        (
            "Please contact me by email, I prefer that.",
            "preferred_contact",
            "email",
        ),
        (
            "We use Django and PostgreSQL at work.",
            "technical_stack",
            "Django, PostgreSQL",
        ),
        ("Rustで開発しています。", "technical_stack", "Rust"),
        (
            "我平时用Python和Docker。",
            "technical_stack",
            "Python, Docker",
        ),
    ] {
        assert_eq!(value(said, field), Some(is.into()), "{said}");
    }
    assert_eq!(value("I'm 32 years old.", "age"), Some(32.into()));
    assert_eq!(value("今年で32歳になりました。", "age"), Some(32.into()));
    assert_eq!(value("I'm vegetarian.", "is_vegetarian"), Some(true.into()));
    assert_eq!(
        value("I'm not vegetarian.", "is_vegetarian"),
        Some(false.into())
    );
    assert_eq!(value("猫を飼っています。", "has_pets"), Some(true.into()));
    assert_eq!(
        value("I write Rust and Go every day.", "skills"),
        Some(serde_json::json!(["Rust", "Go"]))
    );
}

// D2
#[test]
fn what_is_said_of_others_asked_or_supposed_fills_nothing() {
    let mut wrong = Vec::new();
    for said in [
        "My son is a student.",
        "I teach students at a college.",
        "I'm not a student.",
        "If I were a student I'd get a discount.",
        "What is Python?",
        "Which is better, Python or Rust?",
        "Write a Python script that sorts a list.",
        "息子は学生です。",
        "学生ではありません。",
        "我儿子是学生。",
        "我不是学生。",
        "Is a student visa expensive?",
        "I am working on a homework assignment.",
        "I'm working through the exercises.",
        "I'm not working on it today.",
        "会社で働いていました。",
        "会社で働いていません。",
        "会社で働きたいです。",
        "学生をしていました。",
        "宿題に取り組んでいます。",
        "我是学生的家长。",
        "我是全职妈妈。",
        "我正在职业培训。",
        "我正在写作业。",
        "Thanks!",
        "",
    ] {
        wrong.extend(
            builtin::fields(said, &profile())
                .into_iter()
                .filter(|found| ["job_status", "technical_stack"].contains(&found.field.as_str()))
                .map(|found| (said, found.value)),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn summed(turns: &[(domain::conversation::Role, &str)]) -> Option<builtin::Summary> {
    let turns: Vec<builtin::SummaryTurn<'_>> = turns
        .iter()
        .map(|(role, text)| builtin::SummaryTurn { role: *role, text })
        .collect();
    builtin::summary(&turns)
}

// C4
#[test]
fn a_session_is_summed_up_in_the_users_own_words() {
    use domain::conversation::Role::{Assistant, User};
    let summary = summed(&[
        (User, "Hi!"),
        (User, "Can you help me plan the product launch in Berlin?"),
        (Assistant, "Sure, when is it?"),
        (
            User,
            "We launch next month and the budget is tight. Thanks!",
        ),
        (Assistant, "I suggest a webinar."),
        (User, "ok"),
        (User, "We decided to run a webinar because it is cheaper."),
    ])
    .expect("a summary");
    assert_eq!(summary.language, "en");
    assert_eq!(
        summary.content,
        "User said: “Can you help me plan the product launch in Berlin?” “We launch next month and the budget is tight” “We decided to run a webinar because it is cheaper”"
    );
    assert!((0.5..=0.9).contains(&summary.importance));
    assert_eq!(
        builtin::picked_before(&summary.content).len(),
        3,
        "a longer session goes on from it"
    );
    let japanese = summed(&[
        (
            User,
            "来月のリリースに向けて、テスト計画を作ってもらえますか？",
        ),
        (User, "データベースはPostgreSQLに決めました。"),
        (User, "ありがとうございます。"),
    ])
    .expect("a summary");
    assert_eq!(japanese.language, "ja");
    assert!(japanese.content.contains("PostgreSQLに決めました"));
    let chinese = summed(&[
        (User, "帮我写一份下个月产品发布的计划"),
        (User, "我们决定先上线小程序，因为成本更低。"),
    ])
    .expect("a summary");
    assert_eq!(chinese.language, "zh");
    assert!(chinese.content.starts_with("用户说：“"));
}

// C4
#[test]
fn a_session_of_nothing_has_no_summary() {
    use domain::conversation::Role::{Assistant, User};
    for turns in [
        vec![],
        vec![(User, "ok"), (Assistant, "Done."), (User, "thanks")],
        vec![(User, "Hi!"), (Assistant, "I decided to move to Postgres.")],
        vec![(User, "ありがとうございます。")],
        vec![(User, "好的，谢谢。")],
        vec![(User, "Don't remember this: we decided to move to Berlin.")],
    ] {
        assert_eq!(summed(&turns), None, "{turns:?}");
    }
}
