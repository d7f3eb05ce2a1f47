//! No secret leaves the house (G11): secrets of every shape in everything that a prompt is made of, and what a provider then received,
//! byte by byte. And what was said beside them is found where it was said.

use domain::{
    Timestamp,
    conversation::Role,
    id::MemoryId,
    kind::Kind,
    permission::Permission,
    profile::ProfileSchema,
    secret::{self, MASK},
    text,
};
use engine::extractor::{
    Extract, Nearest, Session, Sessions, Window, WindowTurn,
    model::{ModelConfig, extractors},
};
use serde_json::{Value, json};
use store::testing::TestDb;
use wiremock::Request;

use super::stub::*;
use crate::world::World;

/// What is said, and what of it must never be received.
const SECRETS: [(&str, &str); 13] = [
    (
        "sk-test-FAKE0123456789abcdefFAKE0123456789abcdef",
        "FAKE0123456789",
    ),
    (
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "abcdefghijklmnopqrstuvwxyz0123456789",
    ),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    ("postgres://ana:s3cretpw@db/app", "s3cretpw"),
    (
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "eyJzdWIiOiIxMjM0NTY3ODkwIn0",
    ),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nq1w2e3r4\n-----END RSA PRIVATE KEY-----",
        "MIIEowIBAAKCAQEA",
    ),
    ("card 4111 1111 1111 1111", "4111 1111"),
    ("カードは４１１１ １１１１ １１１１ １１１１", "４１１１"),
    ("我的身份证是11010519491231002X", "11010519491231002X"),
    ("マイナンバーは123456789018", "123456789018"),
    ("SSN 219-09-9999", "219-09-9999"),
    ("パスワードはhunter2xyzです", "hunter2xyz"),
    ("密码是：abc12345，别忘了", "abc12345"),
];

/// As a number, in a value of a profile.
const CARD: u64 = 5_500_005_555_555_559;

/// All of them, with a word in front that the text can be known by.
fn all(word: &str) -> String {
    SECRETS
        .iter()
        .fold(word.to_owned(), |all, (said, _)| format!("{all}\n\n{said}"))
}

/// Every request came with the masks and the words, and without the secrets.
fn nothing_received(requests: &[Request], words: &[&str]) {
    for (number, request) in requests.iter().enumerate() {
        let received = String::from_utf8(request.body.clone()).unwrap();
        for (_, secret) in SECRETS {
            assert!(!received.contains(secret), "{secret} in request {number}");
        }
        assert!(!received.contains(&CARD.to_string()), "the number");
    }
    let received: String = requests
        .iter()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .collect();
    assert!(received.contains(&MASK.to_string().repeat(16)));
    for word in words {
        assert!(received.contains(word), "{word} did not go out at all");
    }
}

fn kinds() -> Vec<Kind> {
    let loaded = |mut kind: Kind| {
        kind.description = all("wordofdescription");
        kind.guideline = Some(all("wordofguideline"));
        kind.metadata_schema = Some(json!({
            "type": "object",
            "properties": {"severity": {"type": "string", "enum": ["high", all("wordofenum")]}},
            "required": ["severity"],
            "additionalProperties": false,
            "description": all("wordofschema"),
        }));
        kind
    };
    let mut kinds: Vec<Kind> = Kind::assistant().into_iter().take(1).map(loaded).collect();
    kinds.extend(Kind::always_there());
    kinds
}

fn profile() -> ProfileSchema {
    ProfileSchema {
        id: "user-profile".into(),
        schema: json!({
            "type": "object",
            "properties": {"cards": {
                "type": "array",
                "items": {"type": "string", "enum": [all("wordoffield")]},
                "description": all("wordoffielddescription"),
            }},
            "$defs": {"one": {"type": "string", "const": all("wordofdefinition")}},
        }),
        version: 1,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

/// A window whose every part holds every secret, as no gate had read it before.
fn loaded() -> Window {
    let reference = WindowTurn {
        reference: true,
        ..turn(Role::Assistant, &all("wordofreference"))
    };
    let mut window = window(&[&all("wordofturn"), "I love green tea"]);
    window.turns.insert(0, reference);
    window.kinds = kinds();
    window.schemas = vec![profile()];
    window.profile = vec![(
        "user-profile".into(),
        "cards".into(),
        json!([{(all("wordofname")): all("wordofvalue")}, CARD]),
    )];
    window.summary_so_far = Some(all("wordofsummary"));
    window.nearest = vec![Nearest {
        id: MemoryId::new(now(), &COUNTER),
        kind: "fact".into(),
        name: Some(all("wordofmemoryname")),
        content: all("wordofmemory"),
    }];
    window.settings.guidance = Some(all("wordofguidance"));
    window
}

const OF_A_WINDOW: [&str; 14] = [
    "wordofdescription",
    "wordofguideline",
    "wordofenum",
    "wordoffield",
    "wordoffielddescription",
    "wordofdefinition",
    "wordofreference",
    "wordofturn",
    "wordofname",
    "wordofvalue",
    "wordofsummary",
    "wordofmemoryname",
    "wordofmemory",
    "wordofguidance",
];

// G11
#[tokio::test]
async fn no_secret_of_any_shape_is_received_with_a_window() {
    for wire in BOTH {
        let nothing = wire.answer("{\"candidates\": []}", false);
        let (got, requests) = read(wire, vec![nothing.clone()], &loaded()).await;
        got.unwrap();
        assert_eq!(requests.len(), 1);
        nothing_received(&requests, &OF_A_WINDOW);

        // An answer that cannot be read goes back as it came, but for what must not.
        let answers = vec![wire.answer(&all("wordofprose"), false), nothing.clone()];
        let (got, requests) = read(wire, answers, &loaded()).await;
        got.unwrap();
        assert_eq!(requests.len(), 2);
        nothing_received(&requests, &["wordofprose"]);

        // So do candidates whose metadata does not fit.
        let bad = json!({"candidates": [{
            "kind": "preference", "name": all("wordofdraftname"), "content": all("wordofdraft"),
            "metadata": {"severity": all("wordofmetadata")}, "confidence": 0.9, "importance": 0.7,
            "evidence": [all("wordofevidence")], "message": "m2"}]});
        let answers = vec![wire.answer(&bad.to_string(), false), nothing.clone()];
        let (got, requests) = read(wire, answers, &loaded()).await;
        got.unwrap();
        assert_eq!(requests.len(), 2);
        nothing_received(
            &requests,
            &[
                "wordofdraftname",
                "wordofdraft",
                "wordofmetadata",
                "wordofevidence",
                "wordofschema",
            ],
        );

        // Halves of what was cut off, the second with the summary of the first.
        let cut =
            json!({"candidates": [], "summary": {"content": all("wordofhalf"), "importance": 0.5}});
        let answers = vec![
            wire.answer("{\"candidates\": [", true),
            wire.answer(&cut.to_string(), false),
            nothing.clone(),
        ];
        let (got, requests) = read(wire, answers, &loaded()).await;
        got.unwrap();
        assert_eq!(requests.len(), 3);
        nothing_received(&requests, &["wordofhalf"]);

        // A conversation that ended after it was read: only its summary is asked for.
        let mut ended = loaded();
        for turn in &mut ended.turns {
            turn.reference = true;
        }
        let (got, requests) = read(wire, vec![nothing], &ended).await;
        got.unwrap();
        assert_eq!(requests.len(), 1);
        nothing_received(&requests, &["Only the summary is wanted", "wordofturn"]);
    }
}

// G11, C1
#[tokio::test]
async fn no_secret_of_any_shape_is_received_with_sessions() {
    let session = |text: &str| Session {
        ended_at: now(),
        time_zone: None,
        turns: vec![turn(Role::User, text)],
    };
    let mut kind = Kind::always_there()
        .into_iter()
        .find(|kind| kind.name == "pattern")
        .unwrap();
    kind.description = all("wordofdescription");
    kind.guideline = Some(all("wordofguideline"));
    let mut sessions = Sessions {
        sessions: vec![session(&all("wordofturn")), session("a table again")],
        patterns: vec![Nearest {
            id: MemoryId::new(now(), &COUNTER),
            kind: "pattern".into(),
            name: None,
            content: all("wordofpattern"),
        }],
        kind,
        settings: Default::default(),
        now: now(),
    };
    sessions.settings.guidance = Some(all("wordofguidance"));
    for wire in BOTH {
        let server = server(vec![
            wire.answer(&all("wordofprose"), false),
            wire.answer("{\"candidates\": []}", false),
        ])
        .await;
        wire.model(&server, LONG).patterns(&sessions).await.unwrap();
        let requests = server.received_requests().await.unwrap();
        assert_eq!(requests.len(), 2);
        nothing_received(
            &requests,
            &[
                "wordofturn",
                "wordofpattern",
                "wordofdescription",
                "wordofguideline",
                "wordofguidance",
                "wordofprose",
            ],
        );
    }
}

// G11: where there is no secret, nothing is changed.
#[tokio::test]
async fn what_holds_no_secret_goes_out_as_it_is() {
    let mut window = window(&["I love green tea, and my password is important to me"]);
    window.kinds = [Kind::assistant(), Kind::business(), Kind::always_there()].concat();
    let (got, requests) = read(
        Wire::OpenAi,
        vec![Wire::OpenAi.answer("{\"candidates\": []}", false)],
        &window,
    )
    .await;
    got.unwrap();
    let (system, asked) = Wire::OpenAi.asked(&requests[0]);
    assert_eq!(
        system.matches(MASK).count(),
        1,
        "only where the prompt speaks of the mask: {system}"
    );
    assert_eq!(asked["messages"][0]["text"], window.turns[0].text.as_str());
    let body: Value = requests[0].body_json().unwrap();
    assert_eq!(
        secret::mask_json(&body["response_format"]),
        body["response_format"]
    );
}

store::both! {
    // G11, F5: from the post to the candidate, in three languages.
    async fn what_is_said_beside_a_secret_is_remembered_and_the_secret_is_not(db: &TestDb) {
        let provider = spoken().await;
        let house = extractors(&ModelConfig {
            model: "stub-model".into(),
            base_url: Some(format!("{}/v1", provider.server.uri())),
            api_key: Some("the-key".to_owned().into()),
            timeout: LONG,
        });
        let world = World::with_extractors(db, house.unwrap()).await;
        for (user, said, quote, content) in [
            ("ana", "My card is 4111 1111 1111 1111, and I drink green tea", "I drink green tea", "User drinks green tea"),
            ("aoi", "カードは４１１１ １１１１ １１１１ １１１１です。緑茶が好きです", "緑茶が好きです", "ユーザーは緑茶が好き"),
            ("lin", "我的身份证是11010519491231002X，我喜欢喝绿茶", "我喜欢喝绿茶", "用户喜欢喝绿茶"),
        ] {
            let over = secret::mask(said);
            let answer = json!({"candidates": [
                {"kind": "preference", "content": content, "confidence": 0.9, "importance": 0.7, "evidence": [quote], "message": "m1"},
                {"kind": "fact", "content": "User has a number", "confidence": 0.9, "importance": 0.7, "evidence": [over], "message": "m1"},
            ]});
            provider.says(Wire::OpenAi.answer(&answer.to_string(), false));
            let accepted = world.say(user, &[said]).await;
            world.work().await;
            let done = world.operation(&accepted).await;
            assert_eq!(done.candidates.len(), 1, "{done:?}");
            assert_eq!(done.dropped.get("secret"), Some(&1), "{done:?}");
            let candidate = world.candidate(&done.candidates[0]).await;
            let evidence = &candidate.evidence[0];
            assert_eq!(evidence.quote, quote);
            assert_eq!(text::slice(said, evidence.start, evidence.end), quote, "its place is that of the original");
            let kept = world.engine.conversation(&world.mia(Permission::ReadUsers), &accepted.conversation.unwrap()).await.unwrap();
            assert_eq!(kept.turns[0].content, over, "a transcript is masked too");
        }
        let requests = provider.server.received_requests().await.unwrap();
        assert_eq!(requests.len(), 3);
        nothing_received(&requests, &["I drink green tea", "緑茶が好きです", "我喜欢喝绿茶"]);
    }
}
