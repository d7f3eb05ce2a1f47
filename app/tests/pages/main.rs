//! Every page in every language, drawn from sample data: what a browser and a screen reader need is there, and what the content
//! security policy forbids is not. With `KEEPSAKE_GALLERY=folder` the pages are also written there, to be looked at.

mod samples;

use std::collections::HashSet;

use app::text::Language;
use domain::{export::ExportSort, schedule::ScheduleName};
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
        .chain(samples::people::pages(language))
        .chain(samples::figures::pages(language))
        .chain(samples::bulk::pages(language))
        .chain(samples::agreed::pages(language))
        .chain(samples::audit::pages(language))
        .chain(samples::exports::pages(language))
        .chain(samples::dry_runs::pages(language))
        .chain(samples::erasure::pages(language))
        .chain(samples::imports::pages(language))
        .chain(samples::joins::pages(language))
        .chain(samples::past::pages(language))
        .chain(samples::requests::pages(language))
        .chain(samples::webhooks::pages(language))
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
        2,
        "of the candidate, and of what is picked"
    );
    assert!(html.contains("name=\"version\""));
    let seen = html.matches("name=\"target_revision\" value=\"3\"").count();
    assert_eq!(
        seen, 2,
        "approve, and edit and approve, name the revision that is shown"
    );
    let buttons: HashSet<_> = attributes(&html, "data-action").into_iter().collect();
    for action in app::keys::KEYS.iter().map(|row| row.action) {
        use app::keys::Action as Key;
        let goes_somewhere = match action {
            Key::Next | Key::Previous | Key::Open => html.contains("<li data-id"),
            Key::Select | Key::SelectRange => html.contains("name=\"pick\""),
            Key::Evidence => html.contains("id=\"evidence\""),
            Key::Save => html.contains("aria-keyshortcuts=\"Control+Enter\""),
            Key::Go(goal) => html.contains(&format!("<a href=\"{}\"", goal.path())),
            _ => buttons.contains(action.word()),
        };
        // The other base of a diff is there where the memory has moved.
        assert!(
            goes_somewhere || action == Key::DiffBase,
            "no button for {action:?}"
        );
    }
    assert!(page("candidate-moved").contains("data-action=\"diff-base\""));
}

// WCAG 2.1.4
#[test]
fn a_page_draws_the_keys_of_its_reader_and_hands_them_to_the_island() {
    let html = page("review-own-keys");
    assert!(html.contains("approve y\n") && !html.contains("\nundo "));
    let (_, approve) = html.split_once("data-action=\"approve\"").unwrap();
    let (approve, _) = approve.split_once("</button>").unwrap();
    assert!(approve.contains("aria-keyshortcuts=\"y\"") && approve.contains(">y</kbd>"));
    let off = page("review-no-keys");
    assert!(off.contains("data-keys=\"save Ctrl+Enter\npalette Ctrl+K\n\""));
    assert!(!off.contains("aria-keyshortcuts=\"a\""));
}

#[test]
fn a_key_that_is_taken_is_refused_beside_its_field_with_what_was_typed() {
    let html = page("own-keys-refused");
    let (_, field) = html.split_once("id=\"key-merge\"").unwrap();
    let (field, _) = field.split_once("</div>").unwrap();
    assert!(field.contains("value=\"a\"") && field.contains("aria-invalid=\"true\""));
    assert!(field.contains("This key is taken: approve."));
}

#[test]
fn the_palette_of_every_page_lists_what_can_be_done_the_pages_the_agents_and_the_searches() {
    for name in ["review", "candidate-moved", "audit", "help"] {
        let html = page(name);
        let (_, palette) = html.split_once("id=\"palette-list\"").unwrap();
        let (palette, _) = palette.split_once("</ul>").unwrap();
        for listed in ["approve", "help", "go-users"] {
            let press = format!("data-press=\"{listed}\"");
            assert!(palette.contains(&press), "{name}: {press}");
        }
        for place in app::shell::Place::MENU {
            let href = format!("data-href=\"{}\"", place.path());
            assert!(palette.contains(&href), "{name}: {href}");
        }
        for href in [
            "/review?view=expired",
            "/decisions",
            "/bulks",
            "/joins",
            "/holds",
            "/account",
            "/account/digest",
            "/account/keys",
            "/help",
            "/review?agent=ads-buddy",
            "/review?floor=0.9",
        ] {
            let href = format!("data-href=\"{href}\"");
            assert!(palette.contains(&href), "{name}: {href}");
        }
        for find in ["/users?q=", "/memories?q=", "/review?text="] {
            let find = format!("data-find=\"{find}\"");
            assert!(palette.contains(&find), "{name}: {find}");
        }
        let opens = "href=\"/help\" data-action=\"palette\"";
        assert!(html.contains(opens), "{name}: {opens}");
    }
    for still in ["login", "sheet", "error", "error-down"] {
        let html = page(still);
        assert!(
            !html.contains("id=\"palette\"") && !html.contains("<script"),
            "{still}"
        );
    }
}

#[test]
fn every_section_of_an_agent_is_linked_from_the_top() {
    let html = page("agent");
    let (_, contents) = html.split_once("class=\"contents\"").unwrap();
    let (contents, sections) = contents.split_once("</nav>").unwrap();
    let links = attributes(contents, "href");
    assert_eq!(links.len(), sections.matches("<section").count());
    for link in links {
        let id = format!("<section id=\"{}\"", link.trim_start_matches('#'));
        assert!(sections.contains(&id), "{link}");
    }
}

// C8
#[test]
fn the_page_of_an_agent_shows_what_its_model_is_told_with_the_version() {
    let text = Language::English.text();
    let html = page("agent");
    let (_, section) = html.split_once("<section id=\"prompt\"").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    let version = (text.agents.prompt_version)("2+a1b2c3d4");
    assert!(section.contains(&version) && section.contains("&lt;b&gt;(Facts)"));
    assert!(page("agent-empty").contains(text.agents.prompt_none));
}

// C2, G4
#[test]
fn the_page_of_an_agent_offers_the_hooks_and_leads_to_its_webhooks() {
    for language in Language::ALL {
        let text = language.text();
        let mut pages = pages(language).into_iter();
        let (_, html) = pages.find(|(name, _)| *name == "agent").unwrap();
        let hook = "keepsake hook install --client claude-code --url http://127.0.0.1:3000";
        assert_eq!(html.matches(hook).count(), 1, "beside the call that sends");
        assert!(html.contains(text.first_steps.hooks));
        let (_, section) = html.split_once("<section id=\"webhooks\"").unwrap();
        let (section, _) = section.split_once("</section>").unwrap();
        assert!(section.contains(&(text.agents.webhooks)(2)));
        assert!(section.contains("href=\"/webhooks\""));
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

// F2
#[test]
fn what_a_statement_is_merged_into_is_looked_for_by_a_plain_form_that_comes_back_to_it() {
    let found = page("candidate-merge-found");
    let (before, merge) = found.split_once("class=\"merge\"").unwrap();
    let (merge, _) = merge.split_once("</details>").unwrap();
    let tag = before.rsplit('<').next().unwrap();
    assert!(tag.starts_with("details") && tag.contains(" open"), "{tag}");
    for there in [
        "method=\"get\" action=\"/review\"",
        "name=\"kind\" value=\"fact\"",
        "name=\"c\" value=\"this\"",
        "name=\"merge\" value=\"Oslo\"",
        "<option value=\"mem_",
    ] {
        assert!(merge.contains(there), "{there}: {merge}");
    }
    let none = page("candidate-merge-none");
    let (_, merge) = none.split_once("class=\"merge\"").unwrap();
    let (merge, _) = merge.split_once("</details>").unwrap();
    assert!(merge.contains(Language::English.text().memories.not_found));
    assert!(
        merge.contains("value=\"Lima\"") && !merge.contains("<select"),
        "{merge}"
    );
}

// G7, G10
#[test]
fn what_is_in_another_language_than_the_role_is_handed_over_and_has_no_button_that_cannot_work() {
    for language in Language::ALL {
        let (_, html) = pages(language)
            .into_iter()
            .find(|(name, _)| *name == "candidate-other-language")
            .unwrap();
        for verb in ["approve", "reject", "claim"] {
            assert!(!html.contains(&format!("/{verb}\"")), "{verb}");
            assert!(!html.contains(&format!("data-action=\"{verb}\"")), "{verb}");
        }
        assert!(html.contains("/hand-over\"") && html.contains("data-action=\"skip\""));
        let why = (language.text().flash.code)("language_not_yours").unwrap();
        assert!(html.contains(why), "{why}");
    }
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

// F2, C8
#[test]
fn a_change_of_values_alone_shows_each_of_them_and_says_that_the_words_stay() {
    for language in Language::ALL {
        let words = &language.text().candidate;
        let mut pages = pages(language).into_iter();
        let (_, html) = pages
            .find(|(name, _)| *name == "candidate-migrated")
            .unwrap();
        assert!(html.contains(words.same_words));
        let diffs = html.matches("class=\"diff\"").count();
        assert_eq!(diffs, 1, "no two equal lines");
        let (_, table) = html.split_once("class=\"diff\"").unwrap();
        let (table, _) = table.split_once("</dl>").unwrap();
        assert_eq!(table.matches("<dt").count(), 3);
        assert!(table.contains("<del> USD"), "{table}");
        assert!(table.contains("<ins>検索広告"), "{table}");
        assert_eq!(table.matches('–').count(), 2, "what one side has none of");
        assert!(html.contains(&(words.other_values)(words.stored, words.once_approved)));
    }
    let moved = page("candidate-moved");
    let words = &Language::English.text().candidate;
    let (then, now) = ((words.stored_then)(1), (words.stored_now)(3));
    for (before, after) in [
        (then.as_str(), now.as_str()),
        (then.as_str(), words.once_approved),
        (now.as_str(), words.once_approved),
    ] {
        let heading = (words.other_values)(before, after);
        assert!(moved.contains(&heading), "{heading}");
    }
    assert!(page("sheet").contains("<ins>2026"));
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

// B9
#[test]
fn a_pain_point_is_drawn_as_often_as_it_came_up() {
    for language in Language::ALL {
        let words = &language.text().memories;
        let mut pages = pages(language).into_iter();
        let (_, html) = pages
            .find(|(name, _)| *name == "memory-pain-point")
            .unwrap();
        let (_, section) = html.split_once("id=\"series\"").unwrap();
        let (section, _) = section.split_once("</section>").unwrap();
        let (chart, table) = section.split_once("<table").unwrap();
        assert_eq!(chart.matches("<circle").count(), 4);
        let label = format!("aria-label=\"{}\"", (words.count)(4, 3));
        assert!(chart.contains(&label), "{label}");
        assert!(table.contains(words.series_times));
        assert_eq!(table.matches("href=\"/conversations/conv_").count(), 4);
    }
    let html = page("memory");
    let (_, section) = html.split_once("id=\"series\"").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    assert!(!section.contains("class=\"chart\""), "only a count");
}

// F11
#[test]
fn every_chart_of_quality_says_its_figures_and_has_its_table() {
    let html = page("quality");
    let charts = html.matches("role=\"img\"").count();
    assert_eq!(html.matches("<details class=\"numbers\"").count(), charts);
    assert!(charts >= 5, "{charts}");
    for (_, chart) in html
        .match_indices("role=\"img\"")
        .map(|(at, _)| html.split_at(at))
    {
        let label = chart.split("aria-label=\"").nth(1).unwrap();
        assert!(label.split('"').next().unwrap().contains(": "), "{label}");
    }
    let text = Language::English.text();
    assert!(
        html.contains(text.quality.lead) && html.contains("15 %"),
        "the junk rate with its formula"
    );
    assert!(page("quality-nothing").contains(text.quality.nothing));
}

// F11
#[test]
fn the_floor_of_the_built_in_extractor_is_told_for_each_of_its_languages() {
    for language in Language::ALL {
        let mut pages = pages(language).into_iter();
        let (name, html) = pages.find(|(page, _)| *page == "quality").unwrap();
        let (_, section) = html.split_once("<section id=\"floors\"").unwrap();
        let (section, _) = section.split_once("</section>").unwrap();
        for floor in ["0.58", "0.64", "0.67"] {
            assert!(section.contains(floor), "{name}: {floor}");
        }
        for own in Language::ALL {
            assert!(section.contains(own.text().own_name), "{name}");
        }
    }
}

// F11
#[test]
fn every_figure_of_the_overview_is_a_link() {
    let html = page("overview");
    let figures = html.matches("class=\"figure\"").count();
    let links = html
        .split("<a ")
        .skip(1)
        .filter_map(|rest| rest.split('>').next());
    let links = links.filter(|tag| tag.contains("class=\"figure\"") && tag.contains("href="));
    assert_eq!(links.count(), figures);
    assert!(figures >= 8, "{figures}");
}

#[test]
fn what_reads_no_conversation_is_not_tried_again_by_hand() {
    let html = page("jobs");
    let text = Language::English.text();
    assert!(html.contains((text.jobs.why)("unreachable")));
    assert_eq!(html.matches("action=\"/operations/op_").count(), 1);
    assert_eq!(html.matches("action=\"/jobs/retry\"").count(), 2);
    let goes_on = html.matches("name=\"after\" value=\"0.op_last\"").count();
    assert_eq!(goes_on, 1, "only the reason that was pressed goes on");
    assert!(page("jobs-idle").contains(text.jobs.failed_none));
    for language in Language::ALL {
        let mut pages = pages(language).into_iter();
        let (_, html) = pages.find(|(name, _)| *name == "jobs").unwrap();
        for name in ScheduleName::ALL {
            assert!(html.contains((language.text().jobs.does)(*name)), "{name}");
        }
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

// G9
#[test]
fn who_agreed_first_is_told_to_the_second_with_what_they_would_change() {
    let text = Language::English.text();
    let html = page("candidate-agreed");
    assert!(html.contains("Agreed by Mia Keller 7 min ago. One more is needed."));
    assert!(html.contains("Norway") && html.contains("as in the contract"));
    assert!(html.contains(text.four_eyes.same) && !html.contains(text.four_eyes.withdraw));
    let own = page("candidate-agreed-own");
    assert!(own.contains(text.four_eyes.own) && own.contains(text.four_eyes.withdraw));
    assert!(page("review").contains("agreed by Mia Keller, one more needed"));
    assert!(page("candidate-recalled").contains("Agreed before by Mia Keller."));
}

// G4
#[test]
fn a_recall_names_who_was_told_what_was_made_and_what_that_means() {
    let text = Language::English.text();
    let html = page("memory-recalled");
    assert!(html.contains("told in 2 sessions (12,005 times); 3 things were made from it."));
    assert!(html.contains(&(text.recall.older)(12_000)));
    for there in [text.recall.made_means, text.recall.told_how, "c-18"] {
        assert!(html.contains(there), "{there}");
    }
    // What is served can be recalled in turn; what is not, or waits, cannot.
    assert_eq!(html.matches("#recall\"").count(), 1);
    assert!(!html.contains("/recall\""), "it is recalled already");
    let served = page("memory");
    assert!(served.contains("/recall\"") && served.contains("name=\"reason\""));
}

// G8
#[test]
fn a_digest_says_why_it_failed_and_keeps_what_was_refused() {
    let html = page("digest");
    assert!(html.contains("The last try failed: the answer was 404."));
    assert!(html.contains("action=\"/account/digest/test\""));
    let refused = page("digest-refused");
    assert!(refused.contains("http://10.0.0.1/") && refused.contains("aria-invalid=\"true\""));
    assert!(
        !refused.contains("/account/digest/test"),
        "nothing was saved yet"
    );
    assert!(refused.contains("KEEPSAKE_SMTP_URL"));
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
        assert!(page("setup").1.contains(text.sign_in.setup_lead));
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

// G7
#[test]
fn a_link_is_shown_to_be_copied_and_shutting_out_is_a_second_press() {
    let text = Language::English.text();
    let invited = page("admin-invited");
    assert!(invited.contains("class=\"secret\"") && invited.contains("/join?token="));
    assert!(!page("admin").contains("class=\"secret\""));
    let person = page("person");
    let (before, form) = person.split_once("/deactivate\"").unwrap();
    assert!(before.rfind("<details") > before.rfind("</details>"));
    assert!(form.contains(text.people.deactivate_how));
    let seen = "type=\"hidden\" name=\"version\" value=\"3\"";
    for (page, forms) in [(person, 2), (page("person-deactivated"), 2)] {
        assert_eq!(page.matches(seen).count(), forms, "each says what was seen");
    }
    assert!(page("person-refused").contains((text.flash.code)("last_admin").unwrap()));
}

// G11, A14
#[test]
fn the_installation_is_told_in_cards_that_say_where_each_thing_is_set() {
    for language in Language::ALL {
        let text = language.text();
        let words = &text.running;
        let page = |name: &str| {
            let mut all = pages(language).into_iter();
            let (_, html) = all.find(|(found, _)| *found == name).unwrap();
            html.split_once("<section id=\"running\"")
                .unwrap()
                .1
                .to_owned()
        };
        let html = page("admin");
        for there in [
            words.sessions,
            words.security,
            words.retention,
            words.digests,
            words.providers,
            text.holds.title,
            words.backups,
            words.kept_for_good,
            words.verified_well,
            "10.1.0.0/16, runtime.internal",
            "https://models.example/v1/",
            "0.31",
        ] {
            assert!(html.contains(there), "{there} in {language:?}");
        }
        for set in [
            "KEEPSAKE_RETENTION_CONVERSATIONS",
            "KEEPSAKE_EXTRACTOR_MODEL",
            "KEEPSAKE_SMTP_URL",
            "href=\"/holds\"",
            "href=\"/account/digest\"",
            "href=\"/audit#verification\"",
            "href=\"/agents/support#cost\"",
            "docs/OPERATIONS.md",
        ] {
            assert!(html.contains(set), "{set} in {language:?}");
        }
        let bare = page("admin-bare");
        for there in [
            words.private_none,
            words.verified_never,
            words.mail_off,
            "https://gateway.example/v1/",
            "pg_dump",
        ] {
            assert!(bare.contains(there), "{there} in {language:?}");
        }
        let more = (words.more_agents)(12);
        assert!(bare.contains(&more), "{more} in {language:?}");
    }
}

// G7
#[test]
fn every_sign_in_of_somebody_is_ended_by_a_second_press_and_ones_own_where_it_goes_on() {
    let text = Language::English.text();
    let theirs = page("person");
    let (before, form) = theirs.split_once("/sessions/end\"").unwrap();
    assert!(before.rfind("<details") > before.rfind("</details>"));
    assert!(form.contains(text.people.sessions_end_all_how));
    assert!(theirs.contains(text.people.sessions_theirs));
    let own = page("person-own");
    assert!(!own.contains("/sessions/end\"") && own.contains("href=\"/account#sessions\""));
    assert!(page("person-signed-out").contains(text.people.sessions_none));
    assert!(page("account").contains("action=\"/account/sessions/end-others\""));
}

#[test]
fn a_second_factor_is_scanned_or_typed_and_its_secrets_are_on_no_other_page() {
    let words = &Language::English.text().second_factor;
    let (waits, refused) = (page("second-factor-waits"), page("second-factor-refused"));
    for html in [&waits, &refused] {
        assert!(html.contains("class=\"qr\"") && html.contains("href=\"otpauth://totp/"));
        assert!(html.contains("GEZD GNBV") && html.contains("autocomplete=\"one-time-code\""));
        assert!(html.contains("action=\"/account/second-factor/enable\""));
    }
    let (_, field) = refused.split_once("id=\"second-code\"").unwrap();
    assert!(field.split_once('>').unwrap().0.contains("aria-invalid"));
    assert!(!waits.contains("aria-invalid"));
    let codes = page("second-factor-codes");
    assert_eq!(codes.matches("class=\"codes\"").count(), 1);
    assert!(codes.contains("0bcde-fghj0") && codes.contains("9bcde-fghj9"));
    let on = page("second-factor-on");
    assert!(on.contains("2 codes are left") && !on.contains("class=\"codes\""));
    for html in [&on, &codes, &page("second-factor")] {
        assert!(!html.contains("otpauth:"));
    }
    for form in ["recovery-codes", "disable"] {
        let action = format!("action=\"/account/second-factor/{form}\"");
        assert!(on.contains(&action), "{form}");
    }
    assert!(page("account").contains(words.set_up));
    assert!(page("account-second-factor").contains(words.on_since));
}

#[test]
fn the_code_is_asked_for_with_what_the_sign_in_and_the_form_before_had() {
    let html = page("login-code");
    for (name, value) in [("step", "3f3f"), ("next", "/review"), ("kept", "0f0f")] {
        let hidden = format!("type=\"hidden\" name=\"{name}\" value=\"{value}\"");
        assert!(html.contains(&hidden), "{hidden}");
    }
    assert!(html.contains("action=\"/login/code\"") && !html.contains("<script"));
    assert!(html.contains("href=\"/login?next=%2Freview&amp;kept=0f0f\""));
    let (asked, plain) = (page("confirm-code"), page("confirm"));
    assert!(asked.contains("name=\"confirm_code\"") && asked.contains("name=\"confirm_password\""));
    assert!(!plain.contains("name=\"confirm_code\""));
}

#[test]
fn the_second_factor_of_somebody_else_is_reset_by_a_second_press_and_not_ones_own() {
    let reset = "/second-factor/reset\"";
    let html = page("person");
    let (before, _) = html.split_once(reset).unwrap();
    let (_, press) = before.rsplit_once("<details>").unwrap();
    assert!(press.contains("<summary"), "{press}");
    assert!(html.contains(Language::English.text().second_factor.reset_how));
    for without in ["person-own", "person-refused", "person-deactivated"] {
        assert!(!page(without).contains(reset), "{without}");
    }
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

// F7
#[test]
fn who_has_a_candidate_is_said_in_the_row_and_in_the_pane_with_what_the_reader_can_do() {
    let html = page("review-claimed");
    for there in [
        "Aiko took this over from you, until 18:04",
        "Aiko has this until 18:04",
        "Yours until 18:04",
        "/take-over\"",
        "For Aiko, says Bo",
        "for Aiko",
        "Needs a native speaker",
    ] {
        assert!(html.contains(there), "{there}");
    }
    assert!(!html.contains("id=\"heartbeat\"") && !html.contains("data-claim="));
    let mine = page("review-mine");
    assert!(mine.contains("id=\"heartbeat\"") && mine.contains("/release\""));
    let free = page("review");
    assert!(free.contains("data-claim=\"/candidates/") && free.contains("data-action=\"claim\""));
    assert!(page("review-all-claimed").contains("Others have claimed all of these, until 18:04."));
}

// F7, G10
#[test]
fn the_bar_over_what_is_ticked_hands_over_by_the_form_that_decides() {
    for language in Language::ALL {
        let (_, html) = pages(language)
            .into_iter()
            .find(|(name, _)| *name == "review-many")
            .unwrap();
        let text = language.text();
        let (_, bar) = html.split_once("id=\"bulk-bar\"").unwrap();
        let (bar, _) = bar.split_once("</section>").unwrap();
        assert!(bar.contains("name=\"verdict\" value=\"hand_over\""));
        assert!(bar.contains("<select id=\"bulk-to\" name=\"to\""), "{bar}");
        for there in [text.bulk.hand_over, text.desk.native, "Aiko"] {
            assert!(bar.contains(there), "{there}: {bar}");
        }
    }
}

// F7
#[test]
fn a_row_says_how_old_it_is_and_in_which_language_by_a_small_mark() {
    for (language, age, japanese) in [
        (Language::English, "1 d 4 h ago", "Japanese"),
        (Language::Japanese, "1日4時間前", "日本語"),
        (Language::Chinese, "1天4小时前", "日语"),
    ] {
        let html = html(|| samples::desk(language, 5));
        let rows: Vec<_> = html.split("<li data-id=").skip(1).collect();
        assert_eq!(rows.len(), 5);
        for row in &rows {
            let (row, _) = row.split_once("</li>").unwrap();
            let (_, origin) = row.split_once("class=\"origin\"").unwrap();
            assert!(origin.contains(age), "{origin}");
        }
        let mark = format!("title=\"{japanese}\" class=\"language\"><span aria-hidden=\"true\">ja");
        assert_eq!(html.matches(&mark).count(), 1, "{html}");
    }
}

// F7
#[test]
fn each_filter_is_a_chip_that_takes_it_off_and_a_refused_name_stays_typed() {
    let html = page("review-every-filter");
    let text = Language::English.text();
    let (_, chips) = html.split_once("id=\"chips\"").unwrap();
    let (chips, _) = chips.split_once("<details").unwrap();
    assert_eq!(
        chips.matches(text.desk.take_off).count(),
        24,
        "twelve, said and shown"
    );
    assert!(chips.contains("language=all") && chips.contains("Japanese · Chinese"));
    let (_, views) = html.split_once("id=\"views\"").unwrap();
    assert!(views.contains("<details open") && views.contains("This name is taken."));
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
    assert!(page("review-none-free").contains("7 candidates are claimed by others until 18:04"));
    assert!(page("review-expired").contains(text.desk.none_expired));
    assert!(page("review-no-agent").contains(text.overview.no_agents));
}

// E2
#[test]
fn the_audit_says_what_happened_what_is_wrong_and_what_was_signed() {
    let text = Language::English.text();
    let html = page("audit");
    for there in [
        "Every chain holds.",
        "12,345 events read, compared with 31 checkpoints.",
        "href=\"/candidates/cand_",
        "href=\"/audit?agent=support&amp;type=candidate.approved&amp;after=cursor#events\"",
        "/var/lib/keepsake/checkpoints",
        "action=\"/audit/verify\"",
    ] {
        assert!(html.contains(there), "{there}");
    }
    assert!(!html.contains("class=\"alarm\""));
    let wrong = page("audit-wrong");
    for there in [
        "<b>support, event 7</b> <span>its hash is not",
        "<b>sales</b> <span>nothing is left of a chain that was signed",
        "<b>system, event 31</b> <span>the checkpoint that was signed here is gone",
        "and 977 more",
        "The audit does not hold: the last verification found 997 faults.",
        "href=\"/audit#verification\"",
    ] {
        assert!(wrong.contains(there), "{there}");
    }
    assert!(page("audit-nothing").contains(text.audit.verification_none));
    assert!(page("audit-nothing").contains(text.audit.empty));
    assert!(page("audit-none-fits").contains(text.audit.not_found));
    let desk = page("review-alarm");
    assert!(desk.contains("class=\"alarm\"") && desk.contains("class=\"desk\""));
}

// G4
#[test]
fn a_webhook_is_made_changed_and_removed_by_plain_forms_and_says_what_became_of_it() {
    let text = Language::English.text();
    let list = page("webhooks");
    for &state in domain::webhook::WebhookState::ALL {
        assert!(list.contains((text.webhooks.state)(state)), "{state}");
    }
    for there in [
        "href=\"/webhooks/hook_",
        "action=\"/webhooks\"",
        "name=\"event.memory.recalled\" value=\"true\" checked",
        "<legend>memory.*</legend>",
        "name=\"events.memory\" value=\"true\"",
        "the answer was 500.",
    ] {
        assert!(list.contains(there), "{there}");
    }
    assert!(!list.contains("name=\"events.memory\" value=\"true\" checked"));
    for &event in domain::audit::EventType::ALL {
        let one = format!("name=\"event.{event}\"");
        assert_eq!(list.matches(&one).count(), 1, "{event}");
    }
    let refused = page("webhooks-refused");
    assert!(
        refused.contains("value=\"http://10.0.0.7/hook\"") && refused.contains("class=\"fault\"")
    );
    assert!(refused.contains("name=\"event.memory.updated\" value=\"true\" checked"));
    assert!(!refused.contains("name=\"event.memory.recalled\" value=\"true\" checked"));

    let one = page("webhook");
    for there in [
        "/disable\"",
        "/test\"",
        "/rotate\"",
        "/remove\"",
        "/resend\"",
        "the answer was 500.",
        "there was no answer in time.",
        "The secret before signs too until",
    ] {
        assert!(one.contains(there), "{there}");
    }
    assert!(!one.contains("whsec_") && !one.contains("class=\"alarm\""));
    assert!(page("webhook-secret").contains("whsec_"));
    let failing = page("webhook-failing");
    assert!(failing.contains("2 webhooks were switched off") && failing.contains("/enable\""));
    assert!(failing.contains("The test did not arrive: the answer was 503."));
    let unreadable = page("webhook-unreadable");
    assert!(unreadable.contains("/remove\""), "it can be removed");
    assert!(!unreadable.contains("/rotate\"") && !unreadable.contains("/enable\""));
    assert!(page("webhook-untold").contains(text.webhooks.deliveries_none));
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

// E4
#[test]
fn an_export_is_fetched_stopped_or_removed_and_looks_again_only_where_nothing_typed_is_lost() {
    let page = |name: &str| {
        pages(Language::English)
            .into_iter()
            .find(|(found, _)| *found == name)
            .unwrap()
            .1
    };
    let text = Language::English.text();
    let made = page("exports");
    assert_eq!(
        made.matches("/file\"").count(),
        2,
        "only what is done is fetched"
    );
    assert!(made.contains("action=\"/exports\"") && made.contains((text.exports.error)("storage")));
    let running = page("exports-running");
    assert!(running.contains(text.exports.stop) && running.contains("<progress"));
    assert!(
        !running.contains("action=\"/exports\""),
        "the form is not where the page looks again"
    );
    assert!(samples::exports::running().refreshes());
    let refused = page("exports-refused");
    assert!(refused.contains("value=\"nobody\"") && refused.contains("action=\"/exports\""));
    assert!(page("exports-none").contains(text.exports.none));
}

// E4, G5
#[test]
fn an_export_is_for_an_auditor_or_for_the_person_and_in_a_language() {
    for language in Language::ALL {
        let words = &language.text().exports;
        let page = |name: &str| {
            let mut all = pages(language).into_iter();
            all.find(|(found, _)| *found == name).unwrap().1
        };
        let chosen = |html: &str, value: &str| {
            let value = format!("value=\"{value}\"");
            let options = html
                .split("<option")
                .filter_map(|one| one.split('>').next());
            options
                .filter(|option| option.contains(&value) && option.contains("selected"))
                .count()
        };
        let fresh = page("exports");
        for sort in ExportSort::ALL {
            assert!(fresh.contains((words.sort)(*sort)), "{sort}");
        }
        assert!(fresh.contains("name=\"sort\"") && fresh.contains("name=\"language\""));
        assert!(
            fresh.contains(words.copy),
            "a copy is told from the others in the list"
        );
        let then = (words.then)("\n");
        assert!(then.lines().all(|part| fresh.contains(part)), "{then}");
        assert!(fresh.contains("name=\"as_of\""));
        assert_eq!(
            (chosen(&fresh, "audit"), chosen(&fresh, language.word())),
            (1, 1)
        );
        let refused = page("exports-refused");
        assert_eq!((chosen(&refused, "copy"), chosen(&refused, "zh")), (1, 1));
        assert!(refused.contains((language.text().flash.code)("whole_time").unwrap()));
    }
}

// G6
#[test]
fn an_earlier_instant_is_told_in_both_clocks_with_what_held_and_what_was_told() {
    let text = Language::English.text();
    let html = page("as-of");
    for there in [
        "As of 30 Nov 2026, 10:00, which is 30 Nov 2026, 01:00 UTC",
        "at=2026-11-30T01%3A00%3A00Z",
        "revision 2",
        "agreed before by Aiko",
        "User lives in Bergen",
        "href=\"/servings/srv_",
        "value=\"2026-11-30T10:00\"",
    ] {
        assert!(html.contains(there), "{there}");
    }
    let export = html
        .split("<form")
        .find(|form| form.contains("action=\"/exports\""));
    let export = export.unwrap();
    for there in [
        "method=\"post\"",
        "name=\"user_id\" value=\"usr_",
        "name=\"as_of\" value=\"2026-11-30T01:00:00Z\"",
        text.as_of.export,
    ] {
        assert!(export.contains(there), "{there}");
    }
    let nothing = page("as-of-nothing");
    for none in [
        text.as_of.known_none,
        text.as_of.waiting_none,
        text.as_of.served_none,
    ] {
        assert!(nothing.contains(none), "{none}");
    }
    let refused = page("as-of-refused");
    assert!(refused.contains("2099-01-01T09:00") && refused.contains("aria-invalid=\"true\""));
    assert!(!refused.contains("id=\"known\""));
}

// F8
#[test]
fn the_timeline_says_what_was_told_in_which_revision_and_session() {
    let text = Language::English.text();
    let html = page("user");
    let (_, timeline) = html.split_once("class=\"timeline\"").unwrap();
    for there in [
        "3 memories told in session c-18",
        "User lives in Oslo",
        "revision 2",
        "/servings/srv_",
        "箇条書き",
    ] {
        assert!(timeline.contains(there), "{there}");
    }
    let serving = page("serving");
    assert!(serving.contains(text.served.gone) && serving.contains("2 left out"));
    assert!(serving.contains("href=\"/conversations/conv_"));
}

// G6
#[test]
fn a_sheet_explains_a_decision_whole_without_a_script() {
    let text = Language::English.text();
    let html = page("sheet");
    for there in [
        "openai::gpt-4.1-mini",
        "3.0a1b2c3d",
        "is it not Bergen?",
        "Norway",
        "agreed before by Aiko",
        "<mark>",
        "今はオスロに住んでいます",
        "The memory was told 12 times in all.",
        "The chain was last signed up to event 34,",
        "&lt;b&gt;now&lt;/b&gt;",
    ] {
        assert!(html.contains(there), "{there}");
    }
    for hash in ["21", "27", "9c", "7f", "ab"] {
        assert!(html.contains(&hash.repeat(32)), "{hash}");
    }
    assert!(!html.contains("<script"));
    assert_eq!(
        html.matches("<code>keepsake audit verify</code>").count(),
        1
    );
    let by_hand = page("sheet-by-hand");
    for there in [
        text.sheet.by_hand,
        text.sheet.decided_none,
        text.sheet.memory_none,
        text.sheet.served_none,
        text.candidate.no_evidence,
        text.sheet.signed_none,
    ] {
        assert!(by_hand.contains(there), "{there}");
    }
    for (page, sheets) in [(page("candidate-rejected"), 1), (page("memory"), 1)] {
        assert!(page.matches("/sheet\"").count() >= sheets);
    }
}

// F9
#[test]
fn who_is_kept_by_a_hold_is_given_no_form_to_be_erased_and_whoever_erases_types_the_name() {
    let text = Language::English.text();
    let free = page("user-erasing");
    assert!(free.contains("/erase\"") && free.contains("name=\"version\" value=\"812\""));
    assert!(
        free.contains("name=\"request\" value=\"req_"),
        "for which request"
    );
    assert!(free.contains(&(text.erasure.confirm_how)("ana")) && free.contains("1,310"));
    let list = page("holds");
    assert!(list.contains("action=\"/holds\"") && list.contains("everybody of support"));
    assert!(
        !page("holds-none").contains("action=\"/holds\""),
        "not for who may not"
    );
    let held = page("user-held");
    assert!(
        !held.contains("/erase\"") && held.contains(text.erasure.kept),
        "{held}"
    );
    assert!(held.contains("Case 12-345") && held.contains("/release\""));
    let refused = page("user-erasing-refused");
    assert!(refused.contains("value=\"anna\"") && refused.contains("selected"));
    assert!(!page("user").contains("/erase\""), "not for who may not");
    let gone = page("user-erased");
    assert!(
        gone.contains("/audit?user=usr_") && !gone.contains(">ana<"),
        "{gone}"
    );
    assert!(gone.contains("/requests/req_"));
}

// A14
#[test]
fn of_a_conversation_that_was_removed_the_words_that_something_rests_on_are_shown() {
    for name in ["candidate-words", "memory-words"] {
        let html = page(name);
        assert!(html.contains("We switched Alpha to target CPA"), "{name}");
        assert!(!html.contains(Language::English.text().memories.words_none));
    }
    assert!(page("conversation-removed").contains("Retention removed the words"));
    assert!(page("candidate-removed").contains("Retention removed this candidate on"));
}

// G5
#[test]
fn a_request_is_registered_answered_step_by_step_and_proven() {
    let text = Language::English.text();
    let list = page("requests");
    for there in [
        "action=\"/requests\"",
        "overdue by 2 d",
        text.requests.forgotten,
        "name=\"user_id\"",
    ] {
        assert!(list.contains(there), "{there}");
    }
    let open = page("request");
    for there in [
        "action=\"/requests/req_",
        "?request=req_",
        "#erase\"",
        "/exports?user=ana&amp;sort=copy#ask",
        "User has a sister called Ana Berger",
        text.requests.look_on,
    ] {
        assert!(open.contains(there), "{there}");
    }
    let closed = page("request-closed");
    assert!(closed.contains(text.requests.forgotten_how));
    assert!(!closed.contains("/close\"") && !closed.contains("/look\""));
    let refused = page("request-refused");
    assert!(refused.contains((text.flash.code)("not_erased").unwrap()));
    assert!(refused.contains("all done, I think"));
    let proof = page("request-proof");
    for hash in ["11", "14", "ab"] {
        assert!(proof.contains(&hash.repeat(32)), "{hash}");
    }
    for there in [text.requests.proof_wait, "keepsake/0011/system", "erased "] {
        assert!(proof.contains(there), "{there}");
    }
    assert!(!proof.contains("<script"));
    let overview = page("overview");
    assert!(
        overview.contains("request is overdue") && overview.contains("open requests of people")
    );
}

// G15
#[test]
fn a_person_sees_the_other_ids_what_contradicts_and_forms_for_what_can_be_done() {
    for language in Language::ALL {
        let words = &language.text().joins;
        let page = |name: &str| {
            let mut all = pages(language).into_iter();
            all.find(|(found, _)| *found == name).unwrap().1
        };
        let user = page("user-joins");
        for verb in ["approve", "decline", "split", "undo"] {
            assert!(
                user.contains(&format!("/{verb}\"")),
                "{verb} in {language:?}"
            );
        }
        assert_eq!(
            user.matches("name=\"version\" value=\"2\"").count(),
            5,
            "every form says what it has seen"
        );
        for there in [
            words.conflicts,
            words.why_proposed,
            words.why_joined,
            words.why_ended,
            words.this_id,
        ] {
            assert!(user.contains(there), "{there}");
        }
        assert!(user.contains("User lives in Bergen") && user.contains(">guest-2<"));
        let refused = page("user-joins-refused");
        assert!(refused.contains("value=\"guest-9\"") && refused.contains("aria-invalid=\"true\""));
        let late = page("user-joins-late");
        assert_eq!(
            late.matches("value=\"Her brother uses the same machine\"")
                .count(),
            1,
            "in the form it was typed into, and no other"
        );
        assert!(!late.contains("id=\"kept\""));
        let reader = page("user");
        let (reader, _) = reader.split_once("id=\"palette\"").unwrap();
        assert!(
            reader.contains(words.none) && !reader.contains("/joins\""),
            "no form for who may not"
        );
        let waiting = page("joins");
        assert!(
            waiting.contains("signed in with the same cookie") && !waiting.contains(words.this_id)
        );
        let (_, kept) = waiting.split_once("id=\"kept\"").unwrap();
        assert!(kept.contains("Her brother uses the same machine"));
        assert!(page("joins-none").contains(words.waits_none));
        assert!(page("user-erasing-both").contains(words.erased_with));
        let guest = page("user-erasing-guest");
        assert!(guest.contains(&(words.stays)("ana")), "{guest}");
        assert!(!guest.contains(&format!("<h3>{}", words.erased_with)));
        assert!(page("candidate-elsewhere").contains(words.elsewhere));
        assert!(page("overview").contains(&(words.overview)(2)));
        assert!(page("overview").contains("href=\"/joins\""));
    }
}

// G13
#[test]
fn an_upload_says_what_its_rows_would_become_and_what_to_do_about_the_others() {
    let html = page("import");
    assert!(html.contains("Propose 1,100 rows") && html.contains("/run\""));
    let (_, choice) = html.split_once("name=\"column.3\"").unwrap();
    let (choice, _) = choice.split_once("</select>").unwrap();
    let chosen = choice.split("<option").find(|one| one.contains("selected"));
    assert!(chosen.unwrap().contains("Metadata: topic"));
    assert!(html.contains("Secrets are never stored.") && html.contains("/errors\""));
    assert!(html.contains("lang=\"ja\"") && html.contains("lang=\"zh-Hans\""));
    // Rows are found in the file by its lines, and the date that counts is shown.
    let words = &Language::English.text().imports;
    let (_, preview) = html.split_once("id=\"preview\"").unwrap();
    let (preview, misfits) = preview.split_once("id=\"errors\"").unwrap();
    for there in [
        ">Line<",
        ">2<",
        "When it was said",
        "<time ",
        "Importance: 0.8",
    ] {
        assert!(preview.contains(there), "{there}: {preview}");
    }
    assert!(
        misfits.contains(">6<") && misfits.contains(">13<"),
        "{misfits}"
    );
    assert!(html.contains(words.forget) && html.contains(words.forget_how));
    assert!(!html.contains(words.withdraw_how) && !html.contains("id=\"no-content\""));
    let refused = page("import-mapping-refused");
    assert!(refused.contains("Say which column holds the statement"));
    let headless = page("import-headless");
    assert!(headless.contains("id=\"no-content\"") && headless.contains("ana, User likes tea"));
    assert!(page("import-halted").contains(words.withdraw_how));
    assert!(page("imports-quote").contains("In line 4 a quote is opened"));
    let running = page("import-running");
    assert!(running.contains("140 of 1,240 rows") && running.contains("/stop\""));
    assert!(!running.contains("/run\"") && !running.contains("/withdraw\""));
    assert!(running.contains("href=\"/review?agent=support&amp;flag=imported\""));
    assert!(page("import-halted").contains("was deactivated"));
    let list = page("imports");
    assert!(list.contains("enctype=\"multipart/form-data\"") && list.contains("not UTF-8"));
}

// G14
#[test]
fn a_dry_run_says_what_it_costs_before_it_begins_and_stands_beside_what_came_of_it() {
    let form = page("dry-runs-none");
    assert!(form.contains("What would it cost?") && !form.contains("name=\"confirm\""));
    let asked = page("dry-runs-asked");
    for there in [
        "20 conversations, 31 windows",
        "74,400",
        "6,200",
        "0.03",
        "name=\"confirm\"",
    ] {
        assert!(asked.contains(there), "{there}");
    }
    assert!(
        asked.contains("more than is left of today") && asked.contains("Only how to be helped.")
    );
    let refused = page("dry-runs-refused");
    assert!(
        refused.contains("This agent does not allow it.") && !refused.contains("name=\"confirm\"")
    );
    let done = page("dry-run");
    for there in [
        "in both, of another kind",
        "only today",
        "only new",
        "25 %",
        "13 %",
        "93.2",
        "lang=\"zh-Hans\"",
        "lang=\"ja\"",
    ] {
        assert!(done.contains(there), "{there}");
    }
    assert!(done.contains("This person has opted out.") && !done.contains("/stop\""));
    // What was read is told from what was only tried, and when a conversation was from whose it was.
    assert!(done.contains("17 of 20 conversations read") && done.contains("1 without an answer"));
    let (_, items) = done.split_once("id=\"conversations\"").unwrap();
    let (_, first) = items.split_once("<h3>").unwrap();
    let (first, _) = first.split_once("</h3>").unwrap();
    assert!(
        first.contains(">ana<") && first.contains("<time "),
        "{first}"
    );
    assert!(!done.contains("id=\"all-failed\"") && !done.contains("id=\"words-unread\""));
    let failed = page("dry-run-failed");
    assert!(failed.contains("0 of 20 conversations read") && failed.contains("id=\"all-failed\""));
    assert!(failed.contains("No key of this provider is configured: KEEPSAKE_EXTRACTOR_API_KEY."));
    assert!(!failed.contains("does not take the key"));
    for unread in ["dry-run-unread", "dry-runs-unread"] {
        assert!(
            page(unread).contains("like is compared with like"),
            "{unread}"
        );
    }
    assert!(!asked.contains("id=\"words-unread\""));
    let waits = page("dry-run-waits");
    assert!(waits.contains("budget of the agent is used up") && waits.contains("/stop\""));
}

// G11
#[test]
fn what_is_not_allowed_waits_in_sight() {
    let agent = page("agent");
    assert!(agent.contains("2 conversations wait until its extractor is allowed."));
    assert!(agent.contains("https://models.example/v1/"));
    assert!(page("jobs").contains("For permission"));
    let front = page("overview-not-allowed");
    let well = Language::English.text().overview.extraction_well;
    assert!(front.contains("2 conversations wait until the agent allows its extractor."));
    assert!(!front.contains(well) && front.contains("For permission"));
    let fine = page("overview-demo");
    assert!(fine.contains(well) && !fine.contains("For permission"));
}

// E4, F8
#[test]
fn a_person_has_more_conversations_than_a_page_and_a_way_to_an_export() {
    for language in Language::ALL {
        let (_, html) = pages(language)
            .into_iter()
            .find(|(name, _)| *name == "user")
            .unwrap();
        let (_, section) = html.split_once("<section id=\"conversations\"").unwrap();
        let (section, _) = section.split_once("</section>").unwrap();
        assert!(section.contains("?conversations=0.conv_0#conversations\""));
        assert!(section.contains(language.text().shell.first_page));
        assert!(html.contains("href=\"/exports?user=usr_") && html.contains("#ask\""));
        assert!(html.contains(language.text().users.export_how));
    }
}
