//! The layout `profile`, and the room of every layout.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::profile;

// C7
#[test]
fn no_layout_takes_more_than_a_tenth_of_the_window() {
    let mut items: Vec<Item> = (1..=60)
        .map(|n| {
            let kind = ["preference", "context", "session_summary"][n as usize % 3];
            item(n, kind, &format!("ユーザーは第{n}会議室を予約している"))
        })
        .collect();
    items.extend((61..=90).map(|n| field(n, "work", &format!("field_{n}"), json!("東京、大阪"))));
    for layout in [Layout::ByKind, Layout::PriorKnowledge, Layout::Profile] {
        let mut last = 0;
        for window in [1, 100, 1_000, 2_500, 4_000, 8_000] {
            let request = Request {
                layout,
                max_tokens: Some(100_000),
                model_window: Some(window),
                ..Default::default()
            };
            let block = render(&request, &items, &kinds(), now());
            assert!(
                block.tokens <= window / 10,
                "{layout:?}: {} of {window}",
                block.tokens
            );
            assert_eq!(text::estimate_tokens(&block.text), block.tokens);
            assert!(block.tokens >= last, "more room, more words");
            last = block.tokens;
        }
        assert!(last > 100, "{layout:?}");
    }
}

fn field(n: u8, schema: &str, field: &str, value: Value) -> Item {
    Item {
        name: Some(profile::name(schema, field)),
        metadata: profile::metadata(schema, field, &value, &value),
        ..item(n, profile::KIND, &profile::words(&value))
    }
}

// C10, D6
#[test]
fn a_profile_is_json_and_never_stands_beside_the_rest() {
    let items = [
        field(3, "user-profile", "technical_stack", json!("ADK, Python")),
        field(2, "user-profile", "job_status", json!("student")),
        field(1, "likes", "cities", json!(["東京", "<b>Oslo</b>"])),
        item(4, "preference", "User prefers metric units"),
        item(5, "session_summary", "User planned a trip"),
    ];
    let block = blocks(Layout::Profile, &items);
    let lines: Vec<&str> = block.text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("<user_profile>", "{"));
    assert!(lines[1].contains("not instructions"));
    assert_eq!(
        &lines[3..],
        [
            r#"  "likes": {"#,
            r#"    "cities": ["東京","\u003cb\u003eOslo\u003c/b\u003e"]"#,
            "  },",
            r#"  "user-profile": {"#,
            r#"    "job_status": "student","#,
            r#"    "technical_stack": "ADK, Python""#,
            "  }",
            "}",
            "</user_profile>"
        ]
    );
    let profiles = json!({
        "likes": {"cities": ["東京", "<b>Oslo</b>"]},
        "user-profile": {"job_status": "student", "technical_stack": "ADK, Python"},
    });
    let written: Value = serde_json::from_str(&lines[2..lines.len() - 1].join("\n")).unwrap();
    assert_eq!(written, profiles);
    assert_eq!(block.profiles.clone().map(Value::Object), Some(profiles));
    assert!(block.items.iter().all(|item| item.kind == profile::KIND));
    assert_eq!((block.items.len(), block.cut.len()), (3, 0));

    for layout in [Layout::ByKind, Layout::PriorKnowledge] {
        let block = blocks(layout, &items);
        assert_eq!((block.items.len(), block.cut.len()), (2, 0), "{layout:?}");
        assert!(!block.text.contains("student") && block.profiles.is_none());
    }
}

// D5
#[test]
fn a_profile_is_whole_whatever_the_query_and_the_better_of_two_stands_for_a_field() {
    let mut items: Vec<Item> = (1..=40)
        .map(|n| {
            field(
                n,
                "work",
                &format!("tool_{n:02}"),
                json!(format!("tool {n}")),
            )
        })
        .collect();
    items.push(field(50, "work", "tool_01", json!("an older tool")));
    let request = Request {
        layout: Layout::Profile,
        query: Some("weather in Lagos"),
        ..Default::default()
    };
    let block = render(&request, &items, &kinds(), now());
    assert_eq!(block.items.len(), 40);
    assert!(block.items.iter().all(|item| item.why == Why::Always));
    assert_eq!(block.profiles.unwrap()["work"]["tool_01"], "tool 1");
    assert_eq!(block.cut[0].why, CutFor::Cap);
    assert_eq!(block.cut[0].memory, items[40].memory);
}

proptest! {
    // C10: whatever a field holds or is called, its profile is JSON inside one fence.
    #[test]
    fn no_value_leaves_its_profile(fields in prop::collection::vec((nasty(), nasty()), 1..6), lists in any::<bool>()) {
        let items: Vec<Item> = fields
            .iter()
            .zip(1..)
            .map(|((name, value), n)| field(n, "s", name, if lists { json!([value, {name: value}]) } else { json!(value) }))
            .collect();
        let request = Request { layout: Layout::Profile, max_tokens: Some(100_000), ..Default::default() };
        let block = render(&request, &items, &kinds(), now());
        prop_assert_eq!(block.items.len() + block.cut.len(), items.len());
        let inside = block.text.strip_prefix("<user_profile>\n").and_then(|rest| rest.strip_suffix("\n</user_profile>")).unwrap();
        prop_assert!(!inside.contains(['<', '>', '&']) && !inside.chars().any(text::is_hidden));
        let json = inside.split_once('\n').unwrap().1;
        prop_assert!(serde_json::from_str::<Value>(json).unwrap()["s"].is_object());
        for served in &block.items {
            prop_assert!(json.lines().any(|line| line.trim_end_matches(',') == served.line));
        }
    }
}
