//! What the address of the queue asks for.

use app::pages::review::{EVERY, Filter};
use domain::{
    agent::AgentName,
    candidate::Flag,
    id::{PersonId, UserId},
    time::Span,
};
use engine::{CandidateFilter, Claims, Handed};

/// The filter of an address. What it says in words that mean nothing matches nothing: whoever decides on all that match would decide on
/// more than the address says.
pub fn wanted(filter: &Filter) -> CandidateFilter {
    let mut nothing = false;
    let odd = &mut nothing;
    let within = |value: &str, most: i64| {
        let number: Option<i64> = value.parse().ok();
        number.filter(|number| (1..=most).contains(number))
    };
    let asked = CandidateFilter {
        agent: said(&filter.agent, odd, |name| AgentName::parse(name).ok()),
        user: said(&filter.user, odd, |id| UserId::parse(id).ok()),
        kind: said(&filter.kind, odd, |kind| Some(kind.to_owned())),
        action: said(&filter.action, odd, |word| word.parse().ok()),
        flag: said(&filter.flag, odd, |word| {
            word.parse().ok().filter(|flag: &Flag| flag.is_stored())
        }),
        languages: languages(&filter.language),
        confidence_from: said(&filter.floor, odd, |floor| {
            let floor: Option<f64> = floor.parse().ok();
            floor.filter(|floor| (0.0..=1.0).contains(floor))
        }),
        waits_longer_than: said(&filter.age, odd, |age| within(age, 10_000)).map(Span::hours),
        expiring_within: said(&filter.soon, odd, |soon| within(soon, 400)).map(Span::days),
        text: said(&filter.text, odd, |text| Some(text.to_owned())),
        handed: said(&filter.handed, odd, handed),
        claims: said(&filter.claim, odd, |claim| match claim {
            "me" => Some(Claims::Mine),
            "free" => Some(Claims::Free),
            _ => None,
        }),
        expired_unseen: said(&filter.view, odd, |view| (view == "expired").then_some(())).is_some(),
        ..CandidateFilter::default()
    };
    CandidateFilter { nothing, ..asked }
}

/// What a condition says, where there is one; `odd` where it means nothing.
fn said<T>(value: &str, odd: &mut bool, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let value = value.trim();
    if value.is_empty() {
        return None;
    }
    let said = read(value);
    *odd |= said.is_none();
    said
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
    fn an_address_says_what_is_wanted_and_nonsense_matches_nothing() {
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
        assert!(asked.expired_unseen && !asked.nothing);
        let everything = Filter {
            language: EVERY.into(),
            ..Filter::default()
        };
        assert_eq!(wanted(&everything), CandidateFilter::default());
        let nothing = CandidateFilter {
            nothing: true,
            ..CandidateFilter::default()
        };
        let nonsense: [fn(&mut Filter); 14] = [
            |filter| filter.agent = "No Agent".into(),
            |filter| filter.user = "usr_1".into(),
            |filter| filter.action = "x".into(),
            |filter| filter.flag = "x".into(),
            |filter| filter.flag = "target_moved".into(),
            |filter| filter.flag = "date_passed".into(),
            |filter| filter.flag = "opted_out".into(),
            |filter| filter.floor = "2".into(),
            |filter| filter.age = "-1".into(),
            |filter| filter.age = "10001".into(),
            |filter| filter.soon = "x".into(),
            |filter| filter.handed = "somebody".into(),
            |filter| filter.claim = "x".into(),
            |filter| filter.view = "x".into(),
        ];
        for says in nonsense {
            let mut filter = Filter::default();
            says(&mut filter);
            assert_eq!(wanted(&filter), nothing, "{filter:?}");
        }
    }
}
