//! The kind registry of an agent as a table, and the sets in use.

use domain::{agent::AgentSettings, profile};
use leptos::prelude::*;

use super::Agent;
use crate::{
    components::{form::check, tag},
    text::Text,
};

/// A row of the registry.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// The set that brought it.
    pub set: String,
    /// What it holds.
    pub description: String,
    /// Days an approved memory lives; `None`: for good.
    pub ttl_days: Option<i64>,
    /// Whether it is in every context.
    pub always: bool,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Approved memories that no longer fit its schema.
    pub misfits: i64,
}

/// Whether extraction proposes a kind, and why not. More than the kind's own switch decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposed {
    /// It does.
    Yes,
    /// The kind is switched off.
    Off,
    /// The agent does not learn.
    NotLearning,
    /// The agent makes profiles only (D8).
    ProfilesOnly,
    /// There is no profile whose field it could be.
    NeedsSchema,
}

impl Proposed {
    /// What is true of a kind under these settings.
    pub fn of(kind: &str, enabled: bool, settings: &AgentSettings, has_schemas: bool) -> Self {
        let is_field = kind == profile::KIND;
        if !settings.learn {
            Self::NotLearning
        } else if !enabled {
            Self::Off
        } else if is_field && !has_schemas {
            Self::NeedsSchema
        } else if !is_field && !settings.natural_language {
            Self::ProfilesOnly
        } else {
            Self::Yes
        }
    }

    pub(crate) fn words(self, text: &'static Text) -> &'static str {
        match self {
            Self::Yes => text.shell.yes,
            Self::Off => text.kinds.used_off,
            Self::NotLearning => text.kinds.used_not_learning,
            Self::ProfilesOnly => text.kinds.used_profiles_only,
            Self::NeedsSchema => text.kinds.used_needs_schema,
        }
    }
}

pub(super) fn kinds(text: &'static Text, agent: &Agent) -> AnyView {
    let words = &text.kinds;
    let rows = agent
        .kinds
        .iter()
        .map(|kind| row(text, agent, kind))
        .collect_view();
    let change = agent.may_change.then(|| sets(text, agent));
    view! {
        <section id="kinds">
            <h2>{words.title}</h2>
            <div class="scroll" tabindex="0" role="region" aria-label=words.title>
                <table>
                    <caption class="visually-hidden">{words.title}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{text.words.kind_label}</th>
                            <th scope="col">{words.holds}</th>
                            <th scope="col">{words.lives}</th>
                            <th scope="col">{words.always}</th>
                            <th scope="col">{words.used}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {change}
        </section>
    }
    .into_any()
}

fn row(text: &'static Text, agent: &Agent, kind: &Kind) -> AnyView {
    let words = &text.kinds;
    let lives = kind.ttl_days.map_or_else(
        || words.for_good.to_owned(),
        |days| (words.days)(days.unsigned_abs()),
    );
    let always = if kind.always {
        text.shell.yes
    } else {
        text.shell.no
    };
    let used = Proposed::of(
        &kind.name,
        kind.enabled,
        &agent.settings,
        !agent.schemas.is_empty(),
    );
    let misfits = (kind.misfits > 0)
        .then(|| view! { <p class="fault">{(words.misfits)(kind.misfits.unsigned_abs())}</p> });
    view! {
        <tr>
            <th scope="row" class="short">
                <a href=format!("/agents/{}/kinds/{}", agent.figures.name, kind.name)>
                    {tag::kind_name(text, &kind.name)}
                </a>
            </th>
            <td>
                <span lang="en">{kind.description.clone()}</span>
                {misfits}
            </td>
            <td class="short">{lives}</td>
            <td class="short">{always}</td>
            <td class="short">{used.words(text)}</td>
        </tr>
    }
    .into_any()
}

/// The sets as check boxes, and the way to a kind of one's own.
fn sets(text: &'static Text, agent: &Agent) -> AnyView {
    let words = &text.kinds;
    let name = &agent.figures.name;
    let on = |set: &str| {
        agent
            .kinds
            .iter()
            .any(|kind| kind.set == set && kind.enabled)
    };
    view! {
        <form class="card" method="post" action=format!("/agents/{name}/sets")>
            <input type="hidden" name="version" value=agent.version />
            <fieldset class="checks">
                <legend>{words.sets}</legend>
                {check("sets", "assistant".to_owned(), words.set_assistant, on("assistant"))}
                {check("sets", "business".to_owned(), words.set_business, on("business"))}
            </fieldset>
            <p class="hint">{words.sets_how}</p>
            <div class="buttons">
                <button class="button">{words.sets_save}</button>
                <a class="button" href=format!("/agents/{name}/kinds/new")>
                    {words.make}
                </a>
            </div>
        </form>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    // A1, D8
    #[test]
    fn what_is_proposed_is_told_as_it_is() {
        let settings = AgentSettings::default();
        let of = |kind, enabled, settings: &AgentSettings, schemas| {
            Proposed::of(kind, enabled, settings, schemas)
        };
        assert_eq!(of("fact", true, &settings, false), Proposed::Yes);
        assert_eq!(of("fact", false, &settings, false), Proposed::Off);
        assert_eq!(
            of("profile_field", true, &settings, false),
            Proposed::NeedsSchema
        );
        assert_eq!(of("profile_field", false, &settings, true), Proposed::Off);
        let profiles = AgentSettings {
            natural_language: false,
            ..settings.clone()
        };
        assert_eq!(of("fact", true, &profiles, true), Proposed::ProfilesOnly);
        assert_eq!(of("profile_field", true, &profiles, true), Proposed::Yes);
        let deaf = AgentSettings {
            learn: false,
            ..settings
        };
        assert_eq!(of("fact", true, &deaf, true), Proposed::NotLearning);
    }
}
