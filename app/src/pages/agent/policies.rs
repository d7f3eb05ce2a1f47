//! Policies that approve in a person's place, each with who switched it on (A12).

use domain::{Timestamp, profile};
use leptos::prelude::*;

use super::Agent;
use crate::{
    components::{
        form::{Control, Field, check, field},
        tag,
        time::when,
    },
    shell::Frame,
};

/// A policy that is on.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// The kinds it decides on.
    pub kinds: Vec<String>,
    /// From this confidence on.
    pub min_confidence: f64,
    /// Who switched it on.
    pub by: Option<String>,
    /// When.
    pub at: Timestamp,
}

pub(super) fn policies(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let words = &text.policies;
    let list = if agent.policies.is_empty() {
        view! { <p class="quiet">{words.none}</p> }.into_any()
    } else {
        table(frame, agent)
    };
    let form = agent.may_change.then(|| form(frame, agent));
    view! {
        <section id="policies">
            <h2>{words.title}</h2>
            <p class="lead">{words.lead}</p>
            <p class="hint">{words.never}</p>
            {list}
            {form}
        </section>
    }
    .into_any()
}

fn table(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let words = &text.policies;
    let rows = agent
        .policies
        .iter()
        .map(|policy| {
            let kinds: Vec<String> = policy
                .kinds
                .iter()
                .map(|kind| tag::kind_name(text, kind))
                .collect();
            let off = agent.may_change.then(|| {
                view! {
                    <form method="post" action=format!("/agents/{}/policies/off", agent.figures.name)>
                        <input type="hidden" name="version" value=agent.version />
                        <input type="hidden" name="name" value=policy.name.clone() />
                        <button class="button danger">{words.switch_off}</button>
                    </form>
                }
            });
            view! {
                <tr>
                    <th scope="row">{policy.name.clone()}</th>
                    <td>{kinds.join(" · ")}</td>
                    <td class="num">{format!("{:.2}", policy.min_confidence)}</td>
                    <td>{policy.by.clone()} " " {when(frame, policy.at)}</td>
                    <td>{off}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=words.caption>
            <table>
                <caption class="visually-hidden">{words.caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words.name}</th>
                        <th scope="col">{words.kinds}</th>
                        <th scope="col" class="num">
                            {words.from}
                        </th>
                        <th scope="col">{words.on_by}</th>
                        <th scope="col">{words.switch_off}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn form(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let words = &text.policies;
    let draw = |one: Field<'_>| field(text, "policy", &agent.typed, one);
    let name = draw(Field {
        name: "auto_approve_name",
        label: words.name,
        hint: Some(words.name_how),
        value: "",
        control: Control::Line("text", Some("off"), true),
    });
    let from = draw(Field {
        name: "auto_approve_min_confidence",
        label: words.from,
        hint: None,
        value: "0.95",
        control: Control::Number(0.0, 1.0, 0.01),
    });
    let boxes = agent
        .kinds
        .iter()
        .filter(|kind| kind.enabled || kind.name == profile::KIND)
        .map(|kind| {
            let field = format!("policy_kind.{}", kind.name);
            let on = agent.typed.values.contains_key(&field);
            check("policy", field, &tag::kind_name(text, &kind.name), on)
        })
        .collect_view();
    let fault = agent.typed.faults.get("auto_approve_kinds").map(|code| {
        let line = (text.flash.code)(code).unwrap_or(text.flash.refused);
        view! { <p class="fault">{line}</p> }
    });
    view! {
        <form class="card" method="post" action=format!("/agents/{}/policies", agent.figures.name)>
            <input type="hidden" name="version" value=agent.version />
            <div class="grid">{name} {from}</div>
            <fieldset class="checks">
                <legend>{words.kinds}</legend>
                {boxes}
                {fault}
            </fieldset>
            <button class="button">{words.switch_on}</button>
        </form>
    }
    .into_any()
}
