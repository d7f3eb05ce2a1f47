//! The keys of an agent.

use domain::{Timestamp, id::KeyId, key::KeyScope};
use leptos::prelude::*;

use super::Agent;
use crate::{
    components::{
        form::{Control, Field, Typed, field},
        tag,
        time::when,
    },
    shell::Frame,
};

/// A key.
#[derive(Debug, Clone)]
pub struct Key {
    /// Which.
    pub id: KeyId,
    /// What it is for.
    pub name: Option<String>,
    /// Its first letters.
    pub hint: String,
    /// What it may be used for.
    pub scopes: Vec<KeyScope>,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// Whether it was revoked.
    pub revoked: bool,
}

pub(super) fn keys(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let rows = agent
        .keys
        .iter()
        .map(|key| row(frame, &agent.figures.name, key))
        .collect_view();
    let table = if agent.keys.is_empty() {
        view! { <p class="quiet">{text.agents.keys_none}</p> }.into_any()
    } else {
        view! {
            <div class="scroll" tabindex="0" role="region" aria-label=text.agents.keys>
                <table>
                    <caption class="visually-hidden">{text.agents.keys}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{text.agents.key_hint}</th>
                            <th scope="col">{text.agents.key_label}</th>
                            <th scope="col">{text.agents.key_scopes}</th>
                            <th scope="col">{text.agents.key_used}</th>
                            <th scope="col">{text.agents.key_revoke}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    let label = field(
        text,
        "key",
        &Typed::default(),
        Field {
            name: "name",
            label: text.agents.key_label,
            hint: None,
            value: "",
            control: Control::Line("text", Some("off"), false),
        },
    );
    view! {
        <section id="keys">
            <h2>{text.agents.keys}</h2>
            {table}
            <form class="card row" method="post" action=format!("/agents/{}/keys", agent.figures.name)>
                {label}
                <button class="button">{text.agents.key_make}</button>
            </form>
            <p>
                <a href="/webhooks">{text.webhooks.title}</a>
            </p>
        </section>
    }
    .into_any()
}

fn row(frame: &Frame, agent: &str, key: &Key) -> AnyView {
    let text = frame.text();
    let scopes: Vec<_> = key
        .scopes
        .iter()
        .map(|&scope| (text.words.scope)(scope))
        .collect();
    let used = key
        .last_used_at
        .map_or_else(|| text.agents.key_never.into_any(), |at| when(frame, at));
    let revoke = if key.revoked {
        tag::tag(text.agents.key_revoked, Some("warn"), None)
    } else {
        view! {
            <details name="revoke">
                <summary class="button danger">{text.agents.key_revoke}</summary>
                <form method="post" action=format!("/agents/{agent}/keys/{}/revoke", key.id)>
                    <p>{text.agents.key_revoke_sure}</p>
                    <button class="button danger">{text.agents.key_revoke}</button>
                </form>
            </details>
        }
        .into_any()
    };
    view! {
        <tr>
            <th scope="row">
                <code>{key.hint.clone()}</code>
            </th>
            <td>{key.name.clone()}</td>
            <td>{scopes.join(" · ")}</td>
            <td>{used}</td>
            <td>{revoke}</td>
        </tr>
    }
    .into_any()
}
