//! Kind, change, flags and confidence of a candidate or memory.

use domain::candidate::{Action, Flag};
use leptos::prelude::*;

use crate::text::Text;

/// A kind's name in the reader's language; a kind of the agent's own keeps its name.
pub fn kind_name(text: &Text, kind: &str) -> String {
    (text.words.kind)(kind).map_or_else(|| kind.to_owned(), str::to_owned)
}

/// A tag; `tone` is `accent`, `warn`, `bad` or `good`.
pub fn tag(line: &str, tone: Option<&'static str>, title: Option<&'static str>) -> AnyView {
    view! {
        <span class="tag" data-tone=tone title=title>
            {line.to_owned()}
        </span>
    }
    .into_any()
}

/// What the candidate would do, unless it is simply new.
pub fn change(text: &Text, action: Action) -> Option<AnyView> {
    let tone = match action {
        Action::Create => return None,
        Action::Update | Action::Merge => "accent",
        Action::Retire => "warn",
    };
    Some(tag((text.words.action)(action), Some(tone), None))
}

/// How grave a flag is.
pub fn tone(flag: Flag) -> &'static str {
    match flag {
        Flag::Instruction | Flag::SpecialCategory | Flag::PersonalData | Flag::HiddenCharacters => {
            "bad"
        }
        Flag::Contradiction
        | Flag::ThirdParty
        | Flag::NotSaidByUser
        | Flag::NoEvidence
        | Flag::AskedToForget
        | Flag::TargetMoved
        | Flag::DatePassed
        | Flag::OptedOut => "warn",
        Flag::PossibleDuplicate | Flag::BadNumber | Flag::Imported => "plain",
    }
}

/// The flags, each with its reason at hand.
pub fn flags(text: &'static Text, flags: &[Flag]) -> Vec<AnyView> {
    flags
        .iter()
        .map(|&flag| {
            tag(
                (text.words.flag)(flag),
                Some(tone(flag)),
                Some((text.words.flag_why)(flag)),
            )
        })
        .collect()
}

/// A confidence from 0 to 1 as bar and figure (A4).
pub fn confidence(text: &'static Text, confidence: f64) -> AnyView {
    let figure = format!("{confidence:.2}");
    view! {
        <span class="confidence">
            <meter min="0" max="1" value=figure.clone() aria-label=text.words.confidence></meter>
            {figure}
        </span>
    }
    .into_any()
}
