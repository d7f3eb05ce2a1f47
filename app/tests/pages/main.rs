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

fn page(wanted: &str) -> String {
    let mut pages = pages(Language::English).into_iter();
    pages.find(|(name, _)| *name == wanted).unwrap().1
}

// D1
#[test]
fn a_fault_of_a_schema_stands_beside_its_line_and_what_was_typed_is_still_there() {
    let html = page("schema-refused");
    let (_, listed) = html.split_once("class=\"source\"").unwrap();
    let (listed, form) = listed.split_once("</ol>").unwrap();
    let (_, line) = listed.split_once("value=\"4\"").unwrap();
    let (line, _) = line.split_once("</li>").unwrap();
    assert!(
        line.contains("strin") && line.contains("class=\"fault\""),
        "{line}"
    );
    assert!(form.contains("strin") && form.contains("aria-invalid=\"true\""));
    assert!(page("schema").contains("ADK"), "the fields are listed");
}

// F2
#[test]
fn what_moved_is_shown_as_it_was_and_as_it_is_and_the_decision_names_the_present() {
    let html = page("candidate-moved");
    let text = Language::English.text();
    for label in [
        (text.candidate.stored_then)(1),
        (text.candidate.stored_now)(3),
    ] {
        assert!(html.contains(&label), "{label}");
    }
    assert!(html.contains("name=\"target_revision\" value=\"3\""));
    let absorbed = format!("name=\"absorbed\" value=\"{}:2\"", samples::memory_id());
    assert!(html.contains(&absorbed));
}

// B9
#[test]
fn a_chart_never_stands_without_its_table() {
    let html = page("memory-metric");
    let (_, section) = html.split_once("id=\"series\"").unwrap();
    assert!(section.contains("class=\"chart\""));
    for value in ["2.1 %", "2.6 %"] {
        let table = section.split_once("<table").unwrap().1;
        assert!(table.contains(value), "{value}");
    }
}

// C1
#[test]
fn a_pattern_shows_every_conversation_it_rests_on_and_why_it_is_proposed() {
    let html = page("candidate-pattern");
    let text = Language::English.text();
    assert!(html.contains(&(text.candidate.rests_on)(2)));
    assert_eq!(html.matches("<ol class=\"turns\"").count(), 2);
    assert!(html.contains((text.words.cause)(domain::candidate::Cause::Returning)));
}

// F7
#[test]
fn what_was_typed_for_a_candidate_that_somebody_decided_first_is_still_there() {
    assert!(page("candidate-kept").contains("my password is hunter2"));
}

// C2, G14
#[test]
fn every_start_of_an_extraction_says_what_it_costs_and_a_near_limit_is_told() {
    let html = page("agent");
    let text = Language::English.text();
    for cost in [
        text.agents.trigger_messages_cost,
        text.agents.trigger_quiet_cost,
        text.agents.trigger_interval_cost,
    ] {
        assert!(html.contains(cost), "{cost}");
    }
    assert!(
        html.contains(&(text.budget.warning)(83).replace('\'', "&#39;")) || html.contains("83 %")
    );
    assert!(html.contains("Mia Keller"), "who switched a policy on");
    assert!(page("agent-empty").contains(text.schemas.none));
}

/// The body without its regions.
fn outside_of_regions(html: &str) -> String {
    let mut rest = html.split_once("<body").unwrap().1.to_owned();
    while let Some(at) = rest.find(" data-region") {
        let start = rest[..at].rfind('<').unwrap();
        let tag: String = rest[start + 1..]
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
        let mut end = start + open.len();
        let mut depth = 1;
        while depth > 0 {
            let next = end + rest[end..].find(&close).unwrap() + close.len();
            depth += rest[end..next].matches(&open).count();
            depth -= 1;
            end = next;
        }
        rest.replace_range(start..end, "");
    }
    rest
}

// E2
#[test]
fn every_figure_of_the_queue_stands_in_a_region_that_the_desk_replaces() {
    for language in Language::ALL {
        let [one, other] = [31, 58].map(|waiting| html(|| samples::desk(language, waiting)));
        assert_ne!(one, other);
        assert_eq!(outside_of_regions(&one), outside_of_regions(&other));
    }
}

#[test]
fn the_heading_counts_what_the_filter_lets_through_and_the_chip_the_whole() {
    let html = page("review-of-user");
    let within = |id: &str| {
        let (_, rest) = html.split_once(&format!("id=\"{id}\"")).unwrap();
        rest.split_once("</").unwrap().0.to_owned()
    };
    let counts = within("counts");
    assert!(counts.ends_with(">1 waiting"), "{counts}");
    assert!(within("chips").ends_with("<b>7"), "{}", within("chips"));
    assert!(html.contains("<title>Review (1)"));
}

#[test]
fn before_the_first_administrator_the_way_in_is_told_instead_of_a_form() {
    for language in Language::ALL {
        let pages = pages(language);
        let page = |wanted: &str| pages.iter().find(|(name, _)| *name == wanted).unwrap();
        let (_, html) = page("login-first");
        let text = language.text();
        assert!(html.contains(text.sign_in.setup_first));
        assert!(html.contains("<code>keepsake serve</code>"));
        assert!(!html.contains("action=\"/login\""));
        assert!(!page("login").1.contains(text.sign_in.setup_first));
        assert!(
            page("setup")
                .1
                .contains("<code>keepsake admin create</code>")
        );
    }
}

#[test]
fn a_key_is_revoked_by_a_second_press_with_what_it_does_beside_it() {
    let html = page("agent");
    let (before, form) = html.split_once("/revoke\"").unwrap();
    let (form, _) = form.split_once("</form>").unwrap();
    assert!(before.rfind("<details name=\"revoke\"") > before.rfind("</details>"));
    assert!(form.contains(Language::English.text().agents.key_revoke_sure));
}

#[test]
fn only_the_value_of_a_field_needs_what_it_is_about_before_it() {
    let html = page("memories");
    assert!(!html.contains("place"));
    assert!(html.contains("user-profile/job_status"));
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
    let (_, unscripted) = page("review-nothing").split_once("<noscript>").unwrap();
    assert!(unscripted.contains(text.review.reload));
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
