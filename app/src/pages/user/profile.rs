//! The profiles of a person: every field of every schema, each behind its own memory (D4).

use domain::{Timestamp, id::MemoryId};
use leptos::prelude::*;

use super::User;
use crate::{
    components::{
        content::{lang, revealed},
        time::{date, when},
    },
    shell::Frame,
};

/// A field.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub field: String,
    /// What it holds.
    pub description: Option<String>,
    /// The value in words; empty where nothing is known.
    pub value: String,
    /// The memory that holds it, with its revision.
    pub memory: Option<(MemoryId, i64)>,
    /// When it was last changed.
    pub updated_at: Option<Timestamp>,
    /// When it stops being given out.
    pub expires_at: Option<Timestamp>,
    /// Whether the value fits the schema as it is now.
    pub fits: bool,
}

/// The profile of one schema.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The id of the schema.
    pub schema: String,
    /// Whether the schema is still there.
    pub present: bool,
    /// Its fields.
    pub rows: Vec<Row>,
}

pub(super) fn profiles(frame: &Frame, user: &User) -> Option<AnyView> {
    let text = frame.text();
    let all = user
        .profiles
        .iter()
        .map(|profile| one(frame, user, profile))
        .collect_view();
    (!user.profiles.is_empty()).then(|| {
        view! {
            <section id="profile">
                <h2>{text.schemas.profile}</h2>
                {all}
            </section>
        }
        .into_any()
    })
}

fn one(frame: &Frame, user: &User, profile: &Profile) -> AnyView {
    let text = frame.text();
    let words = &text.schemas;
    let rows = profile
        .rows
        .iter()
        .map(|field| row(frame, field))
        .collect_view();
    let id = profile.schema.clone();
    let heading = if profile.present {
        let href = format!("/agents/{}/schemas/{id}", user.agent);
        view! { <a href=href>{id.clone()}</a> }.into_any()
    } else {
        id.clone().into_any()
    };
    view! {
        <h3>{heading}</h3>
        <div class="scroll" tabindex="0" role="region" aria-label=id.clone()>
            <table>
                <caption class="visually-hidden">{words.profile} " " {id.clone()}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words.field}</th>
                        <th scope="col">{words.profile_value}</th>
                        <th scope="col">{text.memories.revisions}</th>
                        <th scope="col">{text.memories.expires}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(frame: &Frame, row: &Row) -> AnyView {
    let text = frame.text();
    let value = match &row.memory {
        None => view! { <span class="quiet">{text.schemas.profile_unset}</span> }.into_any(),
        Some((memory, _)) => view! {
            <a href=format!("/memories/{memory}") lang=lang(domain::text::language(&row.value))>
                {revealed(text, &row.value)}
            </a>
        }
        .into_any(),
    };
    let misfit = (row.memory.is_some() && !row.fits)
        .then(|| view! { <p class="fault">{(text.schemas.misfits)(1)}</p> });
    let revision = row
        .memory
        .as_ref()
        .map(|(_, number)| (text.memories.revision)(*number));
    let between = row.updated_at.map(|_| " · ");
    let expires = match (&row.memory, row.expires_at) {
        (None, _) => ().into_any(),
        (Some(_), None) => text.memories.never.into_any(),
        (Some(_), Some(at)) => date(frame, at),
    };
    view! {
        <tr>
            <th scope="row">
                <code title=row.description.clone()>{row.field.clone()}</code>
            </th>
            <td>{value} {misfit}</td>
            <td>{revision} {between} {row.updated_at.map(|at| when(frame, at))}</td>
            <td>{expires}</td>
        </tr>
    }
    .into_any()
}
