//! Every page in every language, drawn from sample data: what a browser and a screen reader need is there, and what the content
//! security policy forbids is not. With `KEEPSAKE_GALLERY=folder` the pages are also written there, to be looked at.

mod samples;

use std::collections::HashSet;

use app::text::Language;
use leptos::prelude::*;

fn html(page: impl FnOnce() -> AnyView) -> String {
    let context = hydration_context::SsrSharedContext::new_islands();
    let owner = Owner::new_root(Some(std::sync::Arc::new(context)));
    owner.with(|| page().to_html())
}

/// All pages of a language, with their names.
fn pages(language: Language) -> Vec<(&'static str, String)> {
    samples::pages(language)
        .into_iter()
        .map(|(name, page)| (name, html(page)))
        .collect()
}

fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let lead = format!(" {name}=\"");
    html.split(&lead)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn every_page_has_one_heading_one_main_and_says_its_language() {
    for language in Language::ALL {
        for (name, html) in pages(language) {
            let at = format!("{name} in {language:?}");
            assert_eq!(html.matches("<h1").count(), 1, "{at}");
            assert_eq!(html.matches("<main").count(), 1, "{at}");
            let tag = format!("<html lang=\"{}\"", language.text().tag);
            assert!(html.contains(&tag), "{at}");
            assert!(html.contains("<title>"), "{at}");
        }
    }
}

#[test]
fn ids_are_unique_and_labels_point_at_something() {
    for (name, html) in pages(Language::English) {
        let ids = attributes(&html, "id");
        let unique: HashSet<_> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{name}: {ids:?}");
        for attribute in ["for", "aria-describedby", "aria-labelledby"] {
            for target in attributes(&html, attribute)
                .iter()
                .flat_map(|ids| ids.split(' '))
            {
                assert!(unique.contains(target), "{name}: {attribute}={target}");
            }
        }
    }
}

#[test]
fn nothing_on_a_page_needs_an_inline_style_or_handler() {
    for (name, html) in pages(Language::English) {
        assert!(attributes(&html, "style").is_empty(), "{name}");
        assert!(!html.contains("<style"), "{name}");
        for handler in [" onclick=", " onsubmit=", " onchange=", "javascript:"] {
            assert!(!html.contains(handler), "{name}: {handler}");
        }
    }
}

// E2
#[test]
fn a_waiting_candidate_can_be_decided_by_plain_forms_with_the_version_that_was_seen() {
    let (_, html) = pages(Language::English)
        .into_iter()
        .find(|(name, _)| *name == "review")
        .unwrap();
    for verb in ["approve", "reject"] {
        assert!(html.contains(&format!("/{verb}\"")), "{verb}");
    }
    assert_eq!(
        attributes(&html, "value")
            .iter()
            .filter(|value| **value == "not_durable")
            .count(),
        1
    );
    assert!(html.contains("name=\"version\""));
    let seen = html.matches("name=\"target_revision\" value=\"3\"").count();
    assert_eq!(
        seen, 2,
        "approve, and edit and approve, name the revision that is shown"
    );
    let keys: HashSet<_> = attributes(&html, "data-key").into_iter().collect();
    for row in app::keys::KEYS {
        let moves = matches!(
            row.action,
            app::keys::Action::Next | app::keys::Action::Previous | app::keys::Action::Open
        );
        assert!(moves || keys.contains(row.key), "no button for {}", row.key);
    }
}

// G7
#[test]
fn who_may_only_read_is_given_no_form_to_decide() {
    let (_, html) = pages(Language::English)
        .into_iter()
        .find(|(name, _)| *name == "candidate-read-only")
        .unwrap();
    for verb in ["approve", "reject", "reopen"] {
        assert!(!html.contains(&format!("/{verb}\"")), "{verb}");
    }
    assert!(html.contains(Language::English.text().candidate.read_only));
}

#[test]
fn what_people_said_is_written_as_text_and_in_its_own_language() {
    let (_, html) = pages(Language::English)
        .into_iter()
        .find(|(name, _)| *name == "review")
        .unwrap();
    assert!(!html.contains("<script>alert"));
    assert!(html.contains("&lt;script&gt;alert"));
    assert!(html.contains("lang=\"ja\""));
}

#[test]
fn the_three_empty_lists_say_three_things() {
    let text = Language::English.text();
    let pages = pages(Language::English);
    let page = |wanted: &str| {
        let found = pages.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, html)| html.as_str()).unwrap()
    };
    assert!(page("review-nothing").contains(text.review.empty));
    assert!(page("review-filtered").contains(&(text.review.hidden)(7)));
    assert!(page("review-no-agent").contains(text.overview.no_agents));
}

#[test]
fn the_pages_can_be_looked_at() {
    let Ok(folder) = std::env::var("KEEPSAKE_GALLERY") else {
        return;
    };
    for language in Language::ALL {
        for (name, html) in pages(language) {
            let file = format!("{folder}/{name}.{}.html", language.word());
            std::fs::write(file, html).unwrap();
        }
    }
}
