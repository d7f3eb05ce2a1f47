//! What is asked a second time: answers that cannot be read, that were cut off, and requests that a provider refuses.

use engine::extractor::{Extract, ExtractedState, Retry, Window};
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use super::stub::*;

#[tokio::test]
async fn prose_is_sent_back_once_and_then_shown() {
    let window = window(&["I love green tea"]);
    let good = candidates(&[("User loves green tea", "I love green tea", "m1")]);
    for wire in BOTH {
        let (got, requests) = read(
            wire,
            vec![
                wire.answer("You seem to love tea.", false),
                wire.answer(&good, false),
            ],
            &window,
        )
        .await;
        let got = got.unwrap();
        assert_eq!(
            (got.state.clone(), contents(&got)),
            (ExtractedState::Parsed, vec!["User loves green tea"])
        );
        assert_eq!((got.tokens_in, requests.len()), (Some(200), 2));
        let second = String::from_utf8(requests[1].body.clone()).unwrap();
        assert!(second.contains("You seem to love tea.") && second.contains("could not be read"));

        let (got, requests) = read(
            wire,
            vec![wire.answer("I'm sorry, I can't.", false)],
            &window,
        )
        .await;
        let got = got.unwrap();
        assert!(
            matches!(got.state, ExtractedState::Failed(_)),
            "{:?}",
            got.state
        );
        assert!(got.drafts.is_empty() && requests.len() == 2);
        assert_eq!(
            got.raw.as_deref(),
            Some("I'm sorry, I can't.\n\nI'm sorry, I can't.")
        );

        let (got, _) = read(
            wire,
            vec![wire.answer("", false), ResponseTemplate::new(500)],
            &window,
        )
        .await;
        let failed = got.unwrap_err();
        assert_eq!(
            (failed.code, failed.tokens_in),
            ("provider_error", 100),
            "what the first answer cost is told"
        );
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_asked_for_in_halves() {
    let window = window(&[
        "I love green tea",
        "I love long walks",
        "I love chess",
        "I love maps",
    ]);
    let cut = "{\"candidates\":[{\"kind\":\"preference\",\"content\":\"User loves green tea\",\"confidence\":0.9,\"importance\":0.7,\"evidence\":[\"I love green tea\"],\"message\":\"m1\"},{\"kind\":\"pref";
    let first = candidates(&[
        ("User loves green tea", "I love green tea", "m1"),
        ("User loves long walks", "I love long walks", "m2"),
    ]);
    let second = candidates(&[("User loves chess", "I love chess", "m3")]);
    for wire in BOTH {
        let (got, requests) = read(
            wire,
            vec![
                wire.answer(cut, true),
                wire.answer(&first, false),
                wire.answer(&second, false),
            ],
            &window,
        )
        .await;
        let got = got.unwrap();
        assert_eq!(got.state, ExtractedState::Parsed);
        assert_eq!(
            contents(&got),
            [
                "User loves green tea",
                "User loves long walks",
                "User loves chess"
            ]
        );
        assert_eq!(
            got.drafts[2].evidence[0].turn,
            Some(2),
            "a half keeps the window's numbers"
        );
        let read_in = |at: usize| -> Vec<String> {
            let (_, asked) = wire.asked(&requests[at]);
            asked["messages"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|turn| turn["reference"] != true)
                .map(|turn| turn["id"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(
            (read_in(1), read_in(2)),
            (
                vec!["m1".to_owned(), "m2".into()],
                vec!["m3".to_owned(), "m4".into()]
            )
        );

        // Cut off again, and the second half fails: what was whole stays.
        let (got, _) = read(
            wire,
            vec![
                wire.answer(cut, false),
                wire.answer(cut, true),
                ResponseTemplate::new(500),
            ],
            &window,
        )
        .await;
        let got = got.unwrap();
        assert_eq!(
            (got.state.clone(), contents(&got)),
            (ExtractedState::Truncated, vec!["User loves green tea"])
        );

        // The limit was reached although the brackets close; a single turn is asked for once more as it is.
        let one = Window {
            turns: window.turns[..1].to_vec(),
            ..window.clone()
        };
        let (got, requests) = read(wire, vec![wire.answer(&first, true)], &one).await;
        assert_eq!(
            (got.unwrap().state, requests.len()),
            (ExtractedState::Truncated, 2)
        );
        let (got, _) = read(
            wire,
            vec![
                wire.answer("{\"candidates\": [", true),
                wire.answer(&second, false),
            ],
            &one,
        )
        .await;
        assert_eq!(got.unwrap().state, ExtractedState::Parsed);
    }
}

#[tokio::test]
async fn what_is_too_long_for_the_model_is_read_in_halves() {
    let window = window(&["I love green tea", "I love chess"]);
    let answers = vec![
        ResponseTemplate::new(400)
            .set_body_json(json!({"error": {"message": "maximum context length is 10 tokens"}})),
        Wire::OpenAi.answer(
            &candidates(&[("User loves green tea", "I love green tea", "m1")]),
            false,
        ),
        Wire::OpenAi.answer(
            &candidates(&[("User loves chess", "I love chess", "m2")]),
            false,
        ),
    ];
    let (got, _) = read(Wire::OpenAi, answers, &window).await;
    let got = got.unwrap();
    assert_eq!(
        (got.state.clone(), contents(&got)),
        (
            ExtractedState::Parsed,
            vec!["User loves green tea", "User loves chess"]
        )
    );
}

#[tokio::test]
async fn options_that_a_provider_refuses_are_left_out_from_then_on() {
    let refuse = |message: &str| {
        ResponseTemplate::new(400).set_body_json(json!({"error": {"message": message}}))
    };
    let good = Wire::OpenAi.answer("{\"candidates\": []}", false);
    let server = server(vec![
        refuse("Unsupported value: 'temperature'"),
        refuse("Invalid schema for response_format"),
        refuse("max_tokens too large"),
        refuse("json_object is not supported"),
        good,
    ])
    .await;
    let model = Wire::OpenAi.model(&server, LONG);
    for _ in 0..2 {
        assert_eq!(
            model
                .extract(&window(&["I love green tea"]))
                .await
                .unwrap()
                .state,
            ExtractedState::Parsed
        );
    }
    let sent: Vec<(bool, bool, String)> = server
        .received_requests()
        .await
        .unwrap()
        .iter()
        .map(|request| {
            let body: Value = request.body_json().unwrap();
            (
                body.get("temperature").is_some(),
                body.get("max_tokens").is_some(),
                body["response_format"]["type"]
                    .as_str()
                    .unwrap_or("none")
                    .to_owned(),
            )
        })
        .collect();
    let row = |temperature, max_tokens, format: &str| (temperature, max_tokens, format.to_owned());
    assert_eq!(
        sent,
        [
            row(true, true, "json_schema"),
            row(false, true, "json_schema"),
            row(false, true, "json_object"),
            row(false, false, "json_object"),
            row(false, false, "none"),
            row(false, false, "none"),
        ]
    );

    let (got, requests) = read(
        Wire::OpenAi,
        vec![refuse("no")],
        &window(&["I love green tea"]),
    )
    .await;
    let error = got.unwrap_err();
    assert_eq!(
        (error.code, error.retry, requests.len()),
        ("refused", Retry::Never, 3)
    );
}
