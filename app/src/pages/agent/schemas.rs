//! The profile schemas of an agent (D1).

use domain::Timestamp;
use leptos::prelude::*;

use super::Agent;
use crate::{components::time::when, shell::Frame};

/// A schema in the list.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Its id.
    pub id: String,
    /// The names of its fields.
    pub fields: Vec<String>,
    /// Its version.
    pub version: i64,
    /// Approved values that no longer fit it.
    pub misfits: i64,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

pub(super) fn schemas(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let words = &text.schemas;
    let name = &agent.figures.name;
    let rows = agent
        .schemas
        .iter()
        .map(|schema| {
            let misfits = (schema.misfits > 0).then(|| {
                view! { <p class="fault">{(words.misfits)(schema.misfits.unsigned_abs())}</p> }
            });
            let count = (words.fields_count)(schema.fields.len() as u64);
            view! {
                <li>
                    <a href=format!("/agents/{name}/schemas/{}", schema.id)>{schema.id.clone()}</a>
                    <span class="tags quiet">
                        <span>{count} ": " {schema.fields.join(", ")}</span>
                        <span>{(words.version)(schema.version)}</span>
                        {when(frame, schema.updated_at)}
                    </span>
                    {misfits}
                </li>
            }
        })
        .collect_view();
    let none = agent
        .schemas
        .is_empty()
        .then(|| view! { <p class="quiet">{words.none}</p> });
    let make = agent.may_change.then(|| {
        view! {
            <p>
                <a class="button" href=format!("/agents/{name}/schemas/new")>
                    {words.make}
                </a>
            </p>
        }
    });
    view! {
        <section id="schemas">
            <h2>{words.title}</h2>
            <p class="lead">{words.lead}</p>
            {none}
            <ul class="statements">{rows}</ul>
            {make}
        </section>
    }
    .into_any()
}
