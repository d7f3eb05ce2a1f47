//! The guidelines of a kind, a language each: what stands there, the form that writes it anew, and every version with who and when.

use domain::{Timestamp, diff::Part, guideline::GuidelineLanguage};
use leptos::prelude::*;

use super::Page;
use crate::{
    components::{
        content::lang,
        diff::diff,
        form::{Control, Field, field},
        time::date_time,
    },
    shell::Frame,
    text::Language,
};

/// A version of a guideline.
#[derive(Debug, Clone)]
pub struct Version {
    /// Its number; 0: what the kind began with.
    pub number: i64,
    /// The words.
    pub content: String,
    /// Against the version before; empty for the first.
    pub diff: Vec<Part>,
    /// Who wrote it.
    pub by: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
}

/// The guideline of a kind in one language.
#[derive(Debug, Clone)]
pub struct Guideline {
    /// The language.
    pub language: GuidelineLanguage,
    /// All versions, newest first; never empty.
    pub versions: Vec<Version>,
}

pub(super) fn guidelines(frame: &Frame, page: &Page) -> Option<AnyView> {
    let words = &frame.text().guidelines;
    let each = page
        .guidelines
        .iter()
        .map(|one| guideline(frame, page, one))
        .collect_view();
    (!page.guidelines.is_empty()).then(|| {
        view! {
            <section id="guidelines">
                <h2>{words.title}</h2>
                <p class="quiet">{words.lead}</p>
                {each}
            </section>
        }
        .into_any()
    })
}

fn guideline(frame: &Frame, page: &Page, one: &Guideline) -> AnyView {
    let text = frame.text();
    let words = &text.guidelines;
    let language = one.language.as_str();
    let own_name = Language::of(language).map_or(language, |language| language.text().own_name);
    let newest = one.versions.first();
    let (number, content) = newest.map_or((0, ""), |one| (one.number, one.content.as_str()));
    let label = (words.in_language)(own_name);
    let body = if page.may_change {
        let name = format!("guideline_{language}");
        let control = field(
            text,
            "guideline",
            &page.typed,
            Field {
                name: &name,
                label: &label,
                hint: Some(words.how),
                value: content,
                control: Control::Lines(5),
            },
        );
        let action = format!(
            "/agents/{}/kinds/{}/guidelines/{language}",
            page.agent, page.kind.name
        );
        view! {
            <form class="card wide" method="post" action=action>
                <input type="hidden" name="version" value=number />
                {control}
                <div class="buttons">
                    <button class="button">{words.save}</button>
                </div>
            </form>
        }
        .into_any()
    } else if content.is_empty() {
        view! {
            <h3>{label}</h3>
            <p class="quiet">{words.none}</p>
        }
        .into_any()
    } else {
        view! {
            <h3>{label}</h3>
            <p class="said" lang=lang(language)>
                {content.to_owned()}
            </p>
        }
        .into_any()
    };
    view! {
        {body}
        {history(frame, one, own_name)}
    }
    .into_any()
}

fn history(frame: &Frame, one: &Guideline, own_name: &'static str) -> Option<AnyView> {
    let words = &frame.text().guidelines;
    let rows = one
        .versions
        .iter()
        .map(|version| row(frame, one.language.as_str(), version))
        .collect_view();
    (one.versions.len() > 1).then(|| {
        view! {
            <details class="history">
                <summary>{words.history} " · " {own_name}</summary>
                <ol class="revisions">{rows}</ol>
            </details>
        }
        .into_any()
    })
}

fn row(frame: &Frame, language: &str, version: &Version) -> AnyView {
    let text = frame.text();
    let words = &text.guidelines;
    let label = (words.version)(version.number);
    let by = match (&version.by, version.at) {
        (by, Some(at)) => {
            let by = by.as_deref().unwrap_or(text.words.by_system);
            (words.by)(by, &date_time(text, frame.zone, at))
        }
        (_, None) => words.beginning.to_owned(),
    };
    let body = if version.content.is_empty() {
        view! { <p class="quiet">{words.emptied}</p> }.into_any()
    } else if version.diff.is_empty() {
        view! {
            <p class="said" lang=lang(language)>
                {version.content.clone()}
            </p>
        }
        .into_any()
    } else {
        let before = (words.version)(version.number - 1);
        diff(text, &before, &label, &version.diff, language)
    };
    view! {
        <li>
            <p class="head">
                <strong>{label.clone()}</strong>
                " "
                <span class="quiet">{by}</span>
            </p>
            {body}
        </li>
    }
    .into_any()
}
