//! What the address of the queue asks for.

use app::pages::review::{EVERY, Filter};
use domain::{
    agent::AgentName,
    candidate::Flag,
    id::{PersonId, UserId},
    time::Span,
};
use engine::{CandidateFilter, Claims, Handed};

/// The filter of an address; what it says in words that mean nothing is left out.
pub fn wanted(filter: &Filter) -> CandidateFilter {
    let some = |value: &str| Some(value.trim().to_owned()).filter(|value| !value.is_empty());
    let floor: Option<f64> = filter.floor.parse().ok();
    let within = |value: &str, most: i64| {
        let number: Option<i64> = value.parse().ok();
        number.filter(|number| (1..=most).contains(number))
    };
    CandidateFilter {
        agent: AgentName::parse(&filter.agent).ok(),
        user: UserId::parse(&filter.user).ok(),
        kind: some(&filter.kind),
        action: filter.action.parse().ok(),
        flag: filter
            .flag
            .parse()
            .ok()
            .filter(|flag: &Flag| flag.is_stored()),
        languages: languages(&filter.language),
        confidence_from: floor.filter(|floor| (0.0..=1.0).contains(floor)),
        waits_longer_than: within(&filter.age, 10_000).map(Span::hours),
        expiring_within: within(&filter.soon, 400).map(Span::days),
        text: some(&filter.text),
        handed: handed(&filter.handed),
        claims: match filter.claim.as_str() {
            "me" => Some(Claims::Mine),
            "free" => Some(Claims::Free),
            _ => None,
        },
        expired_unseen: filter.view == "expired",
        ..CandidateFilter::default()
    }
}

fn languages(tags: &str) -> Vec<String> {
    if tags == EVERY {
        return Vec::new();
    }
    let tags = tags.split(',').map(str::trim);
    tags.filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect()
}

fn handed(to: &str) -> Option<Handed> {
    match to {
        "me" => Some(Handed::ToMe),
        "native" => Some(Handed::Native),
        person => PersonId::parse(person).ok().map(Handed::To),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // F7
    #[test]
    fn an_address_says_what_is_wanted_and_nonsense_says_nothing() {
        let filter = Filter {
            language: "ja, zh".into(),
            age: "48".into(),
            soon: "3".into(),
            text: " tea ".into(),
            handed: "me".into(),
            claim: "free".into(),
            view: "expired".into(),
            ..Filter::default()
        };
        let asked = wanted(&filter);
        assert_eq!(asked.languages, ["ja", "zh"]);
        assert_eq!(asked.waits_longer_than, Some(Span::hours(48)));
        assert_eq!(asked.expiring_within, Some(Span::days(3)));
        assert_eq!(asked.text.as_deref(), Some("tea"));
        assert_eq!(
            (asked.handed, asked.claims),
            (Some(Handed::ToMe), Some(Claims::Free))
        );
        assert!(asked.expired_unseen);
        let nonsense = Filter {
            agent: "No Agent".into(),
            user: "usr_1".into(),
            action: "x".into(),
            flag: "x".into(),
            language: EVERY.into(),
            floor: "2".into(),
            age: "-1".into(),
            soon: "x".into(),
            handed: "somebody".into(),
            claim: "x".into(),
            view: "x".into(),
            ..Filter::default()
        };
        assert_eq!(wanted(&nonsense), CandidateFilter::default());
    }
}
