//! The filters of the queue: they live in the address, so that a list can be linked to and comes back after a decision.

use domain::{
    candidate::{Action, Flag},
    text::LANGUAGES,
    time::Span,
};
use leptos::prelude::*;
use serde::Deserialize;

use super::{
    Review, bulk,
    chips::{chips, language_names},
    views::views,
};
use crate::{
    components::{
        bar::{address, choices, select},
        tag,
        time::span,
    },
    keys::Action as Key,
    shell::Frame,
};

/// In the place of languages: all of them, for a reader whose queue begins with some.
pub const EVERY: &str = "all";

/// The filters, as they stand in the address. A value that means nothing matches nothing.
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
    /// Languages with commas between them, or [`EVERY`].
    pub language: String,
    /// The least confidence, 0 to 1.
    pub floor: String,
    /// How many hours it has waited at least.
    pub age: String,
    /// Within how many days it expires.
    pub soon: String,
    /// Words.
    pub text: String,
    /// To whom it was handed over: `me`, `native` or a person, `per_…`.
    #[serde(rename = "for")]
    pub handed: String,
    /// `me`: claimed by the reader; `free`: not claimed by others.
    pub claim: String,
    /// `expired`: what nobody decided in time.
    pub view: String,
    /// Where the page of the list begins.
    pub after: String,
    /// The candidate that is open.
    pub c: String,
}

impl Filter {
    /// What narrows the list, each with its name in the address.
    pub(super) fn narrowing(&self) -> [(&'static str, &str); 13] {
        [
            ("agent", &self.agent),
            ("user", &self.user),
            ("kind", &self.kind),
            ("action", &self.action),
            ("flag", &self.flag),
            ("language", &self.language),
            ("floor", &self.floor),
            ("age", &self.age),
            ("soon", &self.soon),
            ("text", &self.text),
            ("for", &self.handed),
            ("claim", &self.claim),
            ("view", &self.view),
        ]
    }

    /// What is on, each with its name in the address.
    pub(super) fn active(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let on = |&(name, value): &(&str, &str)| {
            !value.is_empty() && (name, value) != ("language", EVERY)
        };
        self.narrowing().into_iter().filter(on)
    }

    /// Whether anything is filtered.
    pub fn narrows(&self) -> bool {
        self.active().next().is_some()
    }

    /// The same list from its beginning, with nothing open and one condition changed.
    pub(super) fn with(&self, name: &str, value: &str) -> Self {
        let mut changed = Self {
            after: String::new(),
            c: String::new(),
            ..self.clone()
        };
        let field = match name {
            "agent" => &mut changed.agent,
            "user" => &mut changed.user,
            "kind" => &mut changed.kind,
            "action" => &mut changed.action,
            "flag" => &mut changed.flag,
            "language" => &mut changed.language,
            "floor" => &mut changed.floor,
            "age" => &mut changed.age,
            "soon" => &mut changed.soon,
            "text" => &mut changed.text,
            "for" => &mut changed.handed,
            "claim" => &mut changed.claim,
            _ => &mut changed.view,
        };
        value.clone_into(field);
        changed
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

    /// What of the address a saved view keeps: the conditions alone.
    pub fn query(&self) -> String {
        let whole = address("/review", self.active());
        whole
            .split_once('?')
            .map(|(_, query)| query.to_owned())
            .unwrap_or_default()
    }
}

/// The chips, the saved views and the bar of filters.
pub fn filters(frame: &Frame, page: &Review) -> AnyView {
    let text = frame.text();
    let key = Key::Filter;
    view! {
        <div class="filters">
            <div id="chips" data-region>
                {chips(frame, page)}
            </div>
            <details>
                <summary class="chip" data-action=key.word() aria-keyshortcuts=frame.keys.aria(key)>
                    {text.shell.filter}
                </summary>
                {bar(frame, page)}
            </details>
            <div id="views" data-region>
                {views(frame, page)}
            </div>
            <div id="all" data-region>
                {bulk::all(frame, page)}
            </div>
        </div>
    }
    .into_any()
}

fn bar(frame: &Frame, page: &Review) -> AnyView {
    let text = frame.text();
    let (filter, words) = (&page.filter, &text.desk);
    let same = |name: &String| (name.clone(), name.clone());
    let pair = |value: &str, label: String| (value.to_owned(), label);
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
            .filter(|flag| flag.is_stored())
            .map(|&flag| (flag.to_string(), (text.words.flag)(flag).to_owned())),
    );
    // Several of the reader's own languages stay one choice.
    let several = filter
        .language
        .contains(',')
        .then_some(filter.language.as_str());
    let languages = LANGUAGES
        .into_iter()
        .chain(several)
        .map(|tags| pair(tags, language_names(text, tags)));
    let every = if page.limited { EVERY } else { "" };
    let mut languages = choices(words.any_language, languages);
    every.clone_into(&mut languages[0].0);
    let hours = |hours: i64| span(text, Span::hours(hours));
    let ages = [24, 48, 72, 120].map(|age| pair(&age.to_string(), (words.older_than)(&hours(age))));
    let soon =
        [1, 3].map(|days| pair(&days.to_string(), (words.expires_within)(&hours(days * 24))));
    let handed = [
        pair("me", words.for_you.to_owned()),
        pair("native", words.native.to_owned()),
    ];
    let people = page.people.iter().cloned();
    let claims = [
        pair("free", words.claim_free.to_owned()),
        pair("me", words.claim_mine.to_owned()),
    ];
    let views = [pair("expired", words.view_expired.to_owned())];
    let clear = filter.narrows().then(|| {
        view! {
            <a class="button plain" href=page.whole()>
                {text.review.clear}
            </a>
        }
    });
    let key = Key::Search;
    view! {
        <form class="bar" method="get" action="/review">
            <label class="wide">
                <span>{words.text_label}</span>
                <input
                    type="search"
                    name="text"
                    value=filter.text.clone()
                    autocomplete="off"
                    data-action=key.word()
                    aria-keyshortcuts=frame.keys.aria(key)
                />
            </label>
            {select("agent", text.words.agent, &filter.agent, agents)}
            {select("kind", text.words.kind_label, &filter.kind, kinds)}
            {select("action", text.words.action_label, &filter.action, actions)}
            {select("flag", text.words.flags, &filter.flag, flags)}
            {select("language", words.language_label, &filter.language, languages)}
            <label>
                <span>{text.review.floor}</span>
                <input type="number" name="floor" min="0" max="1" step="0.05" inputmode="decimal" value=filter.floor.clone() />
            </label>
            {select("age", words.age_label, &filter.age, choices(words.any_age, ages.into_iter()))}
            {select("soon", words.soon_label, &filter.soon, choices(words.any_soon, soon.into_iter()))}
            {select("for", words.for_label, &filter.handed, choices(words.anybody, handed.into_iter().chain(people)))}
            {select("claim", words.claim_label, &filter.claim, choices(words.any_claim, claims.into_iter()))}
            {select("view", words.view_label, &filter.view, choices(words.view_waiting, views.into_iter()))}
            <input type="hidden" name="user" value=filter.user.clone() />
            <button class="button">{text.review.apply}</button> {clear}
        </form>
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

    // F7
    #[test]
    fn one_condition_is_taken_off_and_the_others_stay() {
        let filter = Filter {
            kind: "fact".into(),
            language: "ja,zh".into(),
            handed: "me".into(),
            after: "1.cand_0".into(),
            c: "cand_1".into(),
            ..Filter::default()
        };
        let names: Vec<_> = filter.active().map(|(name, _)| name).collect();
        assert_eq!(names, ["kind", "language", "for"]);
        for name in names {
            let without = filter.with(name, "");
            assert_eq!(without.active().count(), 2, "{name}");
            assert!(without.active().all(|(other, _)| other != name), "{name}");
            assert_eq!((without.after, without.c), (String::new(), String::new()));
        }
        assert_eq!(filter.query(), "kind=fact&language=ja%2Czh&for=me");
        let every = filter.with("language", EVERY);
        assert_eq!(every.active().count(), 2, "every language is no condition");
        assert!(
            every.href(None).contains("language=all"),
            "but it is said, for whose queue begins with some"
        );
    }
}
