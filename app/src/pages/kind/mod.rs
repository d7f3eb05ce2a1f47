//! `/agents/{name}/kinds/{kind}` and `/agents/{name}/kinds/new`: one kind of memory, as data that an administrator can change.

mod guidelines;

use domain::kind::{EvidenceRule, Kind};
use leptos::prelude::*;

use self::guidelines::guidelines;
pub use self::guidelines::{Guideline, Version};
use super::agent::Proposed;
use crate::{
    components::{
        demo::banner,
        form::{Control, Field, Typed, field, group, switch},
        source::{Fault, faults},
        tag,
    },
    shell::{Frame, page},
    text::Text,
};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Page {
    /// The agent.
    pub agent: String,
    /// The kind; of a new one, what the form begins with.
    pub kind: Kind,
    /// The agent's version, which every change of its kinds raises; `None`: the kind is yet to be made.
    pub version: Option<i64>,
    /// The schema of its metadata as text; empty where there is none.
    pub schema: String,
    /// Approved memories that no longer fit its schema.
    pub misfits: i64,
    /// Whether extraction proposes it.
    pub proposed: Proposed,
    /// What it should and should not hold, a language each; empty while the kind is yet to be made.
    pub guidelines: Vec<Guideline>,
    /// Whether the reader administers.
    pub may_change: bool,
    /// What is wrong with the schema that was typed.
    pub faults: Vec<Fault>,
    /// What was typed into the form that was refused.
    pub typed: Typed,
}

/// The page.
pub fn kind(frame: &Frame, one: &Page) -> AnyView {
    let text = frame.text();
    let words = &text.kinds;
    let title = if one.version.is_none() {
        words.make.to_owned()
    } else {
        tag::kind_name(text, &one.kind.name)
    };
    let lead = one.version.is_none().then_some(words.make_lead);
    let beside = view! {
        <p class="quiet">
            <a href=format!("/agents/{}#kinds", one.agent)>{(words.of_agent)(&one.agent)}</a>
            " "
            {lead}
        </p>
    }
    .into_any();
    let misfits = (one.misfits > 0).then(|| {
        view! {
            <div class="callout" data-tone="warn">
                <p>
                    <strong>{(words.misfits)(one.misfits.unsigned_abs())}</strong>
                    " "
                    {words.misfits_how}
                </p>
            </div>
        }
    });
    let body = if one.may_change {
        form(text, one)
    } else {
        plain(text, one)
    };
    let content = view! {
        <div class="letter">
            {banner(frame, &one.agent)}
            {misfits}
            {faults(text, &one.typed.value("metadata_schema", &one.schema), &one.faults)}
            {body}
            {guidelines(frame, one)}
        </div>
    }
    .into_any();
    page(frame, &title, Some(beside), content)
}

fn shown(number: Option<i64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn form(text: &'static Text, one: &Page) -> AnyView {
    let (words, kind) = (&text.kinds, &one.kind);
    let draw = |name, label, hint: &'static str, value: String, control| {
        let one_field = Field {
            name,
            label,
            hint: Some(hint),
            value: &value,
            control,
        };
        field(text, "kind", &one.typed, one_field)
    };
    let line = |needed| Control::Line("text", Some("off"), needed);
    let name = one.version.is_none().then(|| {
        draw(
            "name",
            words.name,
            words.name_how,
            kind.name.clone(),
            line(true),
        )
    });
    let on = |name, label, hint, on| switch("kind", name, label, hint, on);
    let rules = EvidenceRule::ALL
        .iter()
        .map(|&rule| (rule.to_string(), (words.rule)(rule).to_owned()))
        .collect();
    let about = view! {
        {name}
        {draw("label", words.label, words.label_how, kind.label.clone(), line(true))}
        {draw("description", words.description, words.description_how, kind.description.clone(), Control::Lines(2))}
        {draw("guideline", words.guideline, words.guideline_how, kind.guideline.clone().unwrap_or_default(), Control::Lines(5))}
        {on("enabled", words.enabled, words.enabled_how, one.typed.is_on("enabled", kind.enabled))}
        {on("always", words.always_switch, words.always_how, one.typed.is_on("always", kind.always))}
    }
    .into_any();
    let figures = view! {
        {draw("ttl_days", words.ttl, words.ttl_how, shown(kind.ttl_days), Control::Within(1.0, 36_500.0, 1.0))}
        {draw("position", words.position, words.position_how, kind.position.to_string(), Control::Number(0.0, 1000.0, 1.0))}
        {draw("cap", words.cap, words.cap_how, shown(kind.cap), Control::Within(1.0, 1000.0, 1.0))}
        {draw("evidence", words.evidence, words.evidence_how, kind.evidence.to_string(), Control::Choice(rules))}
        {draw("metadata_schema", words.schema, words.schema_how, one.schema.clone(), Control::Code(12))}
    }
    .into_any();
    let seen = one
        .version
        .map(|version| view! { <input type="hidden" name="version" value=version /> });
    let action = if one.version.is_none() {
        format!("/agents/{}/kinds", one.agent)
    } else {
        format!("/agents/{}/kinds/{}", one.agent, kind.name)
    };
    view! {
        <form class="card wide" method="post" action=action>
            {seen}
            {group(words.holds, None, about)}
            {group(words.group_kept, None, figures)}
            <div class="buttons">
                <button class="button primary">{words.save}</button>
            </div>
        </form>
    }
    .into_any()
}

/// What somebody who may not change it sees.
fn plain(text: &'static Text, one: &Page) -> AnyView {
    let (words, kind) = (&text.kinds, &one.kind);
    let lives = kind.ttl_days.map_or_else(
        || words.for_good.to_owned(),
        |days| (words.days)(days.unsigned_abs()),
    );
    let fact = |label: &'static str, value: String| {
        view! {
            <div>
                <dt>{label}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    let schema =
        (!one.schema.is_empty()).then(|| view! { <pre tabindex="0">{one.schema.clone()}</pre> });
    let guideline = kind
        .guideline
        .clone()
        .map(|line| view! { <p class="said">{line}</p> });
    view! {
        <p lang="en">{kind.description.clone()}</p>
        {guideline}
        <dl class="facts">
            {fact(words.label, kind.label.clone())} {fact(words.lives, lives)}
            {fact(words.evidence, (words.rule)(kind.evidence).to_owned())}
            {fact(words.used, one.proposed.words(text).to_owned())}
        </dl>
        {schema}
    }
    .into_any()
}
