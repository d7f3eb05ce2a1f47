//! The filters of the queue: they live in the address, so that a list can be linked to and comes back after a decision.

use domain::candidate::{Action, Flag};
use leptos::prelude::*;
use serde::Deserialize;

use super::Review;
use crate::{
    components::{
        bar::{address, choices, select},
        tag,
    },
    text::{Text, grouped},
};

/// The filters, as they stand in the address. A value that means nothing filters nothing.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// An agent's name.
    pub agent: String,
    /// A user, `usr_…`.
    pub user: String,
    /// A kind.
    pub kind: String,
    /// What the candidate would do.
    pub action: String,
    /// A flag.
    pub flag: String,
    /// The least confidence, 0 to 1.
    pub floor: String,
    /// `1`: what expires within a day.
    pub soon: String,
    /// Where the page of the list begins.
    pub after: String,
    /// The candidate that is open.
    pub c: String,
}

impl Filter {
    fn narrowing(&self) -> [(&'static str, &str); 7] {
        [
            ("agent", &self.agent),
            ("user", &self.user),
            ("kind", &self.kind),
            ("action", &self.action),
            ("flag", &self.flag),
            ("floor", &self.floor),
            ("soon", &self.soon),
        ]
    }

    /// Whether anything is filtered.
    pub fn narrows(&self) -> bool {
        self.narrowing().iter().any(|(_, value)| !value.is_empty())
    }

    /// The address of this list with `candidate` open.
    pub fn href(&self, candidate: Option<&str>) -> String {
        let pairs = self
            .narrowing()
            .into_iter()
            .chain([("after", self.after.as_str())])
            .chain(candidate.map(|id| ("c", id)));
        address("/review", pairs)
    }
}

/// The chips and the bar of filters.
pub fn filters(text: &'static Text, page: &Review) -> AnyView {
    let filter = &page.filter;
    let chip = |label: String, count: Option<i64>, href: String, on: bool| {
        view! {
            <a class="chip" href=href aria-current=on.then_some("true")>
                {label}
                {count.map(|count| view! { <b>{grouped(count.unsigned_abs())}</b> })}
            </a>
        }
        .into_any()
    };
    let soon = Filter {
        soon: "1".to_owned(),
        ..Filter::default()
    };
    let all = chip(
        text.review.all_waiting.to_owned(),
        Some(page.waiting),
        Filter::default().href(None),
        !filter.narrows(),
    );
    let soon = chip(
        text.review.soon.to_owned(),
        Some(page.expiring),
        soon.href(None),
        filter.soon == "1",
    );
    let user = page.filtered_user.as_ref().map(|who| {
        let without = Filter {
            user: String::new(),
            c: String::new(),
            ..filter.clone()
        };
        view! {
            <a class="chip" href=without.href(None) aria-current="true" title=text.review.clear>
                {(text.review.of_user)(who)}
                <span aria-hidden="true">"×"</span>
            </a>
        }
    });
    let same = |name: &String| (name.clone(), name.clone());
    let agents = choices(text.review.any_agent, page.agents.iter().map(same));
    let kinds = choices(
        text.review.any_kind,
        page.kinds
            .iter()
            .map(|kind| (kind.clone(), tag::kind_name(text, kind))),
    );
    let actions = choices(
        text.review.any_action,
        Action::ALL
            .iter()
            .map(|&action| (action.to_string(), (text.words.action)(action).to_owned())),
    );
    let flags = choices(
        text.review.any_flag,
        Flag::ALL
            .iter()
            .map(|&flag| (flag.to_string(), (text.words.flag)(flag).to_owned())),
    );
    let chosen = [
        &filter.agent,
        &filter.kind,
        &filter.action,
        &filter.flag,
        &filter.floor,
    ]
    .iter()
    .any(|value| !value.is_empty());
    let clear = filter.narrows().then(|| {
        view! {
            <a class="button plain" href="/review">
                {text.review.clear}
            </a>
        }
    });
    view! {
        <div class="filters">
            <div id="chips" data-region>
                {all}
                {soon}
                {user}
            </div>
            <details open=chosen>
                <summary class="chip">{text.shell.filter}</summary>
                <form class="bar" method="get" action="/review">
                    {select("agent", text.words.agent, &filter.agent, agents)}
                    {select("kind", text.words.kind_label, &filter.kind, kinds)}
                    {select("action", text.words.action_label, &filter.action, actions)}
                    {select("flag", text.words.flags, &filter.flag, flags)} <label>
                        <span>{text.review.floor}</span>
                        <input type="number" name="floor" min="0" max="1" step="0.05" inputmode="decimal" value=filter.floor.clone() />
                    </label> <input type="hidden" name="user" value=filter.user.clone() />
                    <button class="button">{text.review.apply}</button> {clear}
                </form>
            </details>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_stands_in_the_address_and_text_cannot_break_out_of_it() {
        let filter = Filter {
            agent: "a&c=x".into(),
            floor: "0.5".into(),
            ..Filter::default()
        };
        assert_eq!(
            filter.href(Some("cand_1")),
            "/review?agent=a%26c%3Dx&floor=0.5&c=cand_1"
        );
        assert_eq!(Filter::default().href(None), "/review");
        assert!(filter.narrows() && !Filter::default().narrows());
    }
}
