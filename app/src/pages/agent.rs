//! `/agents/{name}`: settings, kinds, keys, figures, and the first calls.

use domain::{Timestamp, agent::AgentSettings, id::KeyId, key::KeyScope};
use leptos::prelude::*;

use super::overview::AgentFigures;
use crate::{
    components::{
        bar::address,
        form::{Control, Field, Typed, field, switch},
        tag,
        time::when,
    },
    shell::{Frame, page},
    text::{Text, grouped},
};

/// A row of the kind registry.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// Days an approved memory lives; `None`: for good.
    pub ttl_days: Option<i64>,
    /// Whether it is in every context.
    pub always: bool,
    /// Whether extraction proposes it.
    pub enabled: bool,
}

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

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its figures.
    pub figures: AgentFigures,
    /// Its settings.
    pub settings: AgentSettings,
    /// The version of the settings that is seen.
    pub version: i64,
    /// Its kinds, in the order of a context block.
    pub kinds: Vec<Kind>,
    /// Its keys.
    pub keys: Vec<Key>,
    /// A key that was just made, shown this once.
    pub new_key: Option<String>,
    /// The address agents call, without a slash at the end.
    pub public_url: String,
    /// Whether the reader administers.
    pub may_change: bool,
    /// What was typed into a form that was refused.
    pub typed: Typed,
}

/// The page.
pub fn agent(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let figures = &agent.figures;
    let name = figures.name.as_str();
    let figure = |path: &str, number: i64, label: &'static str| {
        let number = grouped(number.unsigned_abs());
        view! {
            <a href=address(path, [("agent", name)])>
                <b>{number}</b>
                " "
                {label}
            </a>
            " "
        }
        .into_any()
    };
    let beside = view! {
        <p class="inline-figures">
            {figure("/review", figures.pending, text.agents.pending)}
            {figure("/memories", figures.approved, text.agents.approved)}
            {figure("/users", figures.users, text.agents.users)}
        </p>
    }
    .into_any();
    let settings = agent.may_change.then(|| settings(text, agent));
    let keys = agent.may_change.then(|| keys(frame, agent));
    let content = view! {
        <div class="letter">
            {new_key(text, agent)} {keys} {settings} {kinds(text, agent)} {first_steps(text, agent)}
        </div>
    }
    .into_any();
    page(frame, name, Some(beside), content)
}

fn new_key(text: &'static Text, agent: &Agent) -> Option<AnyView> {
    agent.new_key.as_ref().map(|key| {
        view! {
            <section class="callout" data-tone="good">
                <h2>{text.agents.key_new}</h2>
                <p>
                    <code class="secret" tabindex="0">{key.clone()}</code>
                </p>
                <p>{text.agents.key_new_how}</p>
            </section>
        }
        .into_any()
    })
}

fn settings(text: &'static Text, agent: &Agent) -> AnyView {
    let settings = &agent.settings;
    let draw = |one: Field<'_>| field(text, "settings", &agent.typed, one);
    let number = |name, label, hint: Option<&'static str>, value: String, control| {
        draw(Field {
            name,
            label,
            hint,
            value: &value,
            control,
        })
    };
    let most = number(
        "max_memories",
        text.agents.max_memories,
        Some(text.agents.max_memories_how),
        settings.max_memories.to_string(),
        Control::Number(1.0, 10_000.0, 1.0),
    );
    let floor = number(
        "confidence_floor",
        text.agents.floor,
        Some(text.agents.floor_how),
        settings.confidence_floor.to_string(),
        Control::Number(0.0, 1.0, 0.01),
    );
    let candidates = number(
        "max_candidates",
        text.agents.max_candidates,
        None,
        settings.max_candidates.to_string(),
        Control::Number(1.0, 100.0, 1.0),
    );
    let messages = number(
        "trigger_messages",
        text.agents.trigger_messages,
        Some(text.agents.trigger_how),
        settings
            .trigger
            .messages
            .map(|messages| messages.to_string())
            .unwrap_or_default(),
        Control::Number(1.0, 500.0, 1.0),
    );
    let quiet = number(
        "trigger_quiet",
        text.agents.trigger_quiet,
        None,
        settings
            .trigger
            .quiet_seconds
            .map(|seconds| seconds.to_string())
            .unwrap_or_default(),
        Control::Number(1.0, 86_400.0, 1.0),
    );
    let extractor = number(
        "extractor",
        text.agents.extractor,
        Some(text.agents.extractor_how),
        settings.extractor.clone().unwrap_or_default(),
        Control::Line("text", Some("off"), false),
    );
    view! {
        <section>
            <h2>{text.agents.settings}</h2>
            <form class="card grid" method="post" action=format!("/agents/{}/settings", agent.figures.name)>
                <input type="hidden" name="version" value=agent.version />
                {switch("settings", "learn", text.agents.learn, text.agents.learn_how, settings.learn)}
                {switch("settings", "serve", text.agents.serve, text.agents.serve_how, settings.serve)}
                {most} {candidates} {floor} {extractor} {messages} {quiet} <div class="buttons">
                    <button class="button primary">{text.agents.save}</button>
                </div>
            </form>
        </section>
    }
    .into_any()
}

fn kinds(text: &'static Text, agent: &Agent) -> AnyView {
    let rows = agent
        .kinds
        .iter()
        .map(|kind| {
            let lives = kind.ttl_days.map_or_else(
                || text.agents.kind_for_good.to_owned(),
                |days| (text.agents.kind_days)(days.unsigned_abs()),
            );
            let word = |yes: bool| if yes { text.shell.yes } else { text.shell.no };
            view! {
                <tr>
                    <th scope="row">{tag::kind_name(text, &kind.name)}</th>
                    <td lang="en">{kind.description.clone()}</td>
                    <td>{lives}</td>
                    <td>{word(kind.always)}</td>
                    <td>{word(kind.enabled)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section>
            <h2>{text.agents.kinds}</h2>
            <div class="scroll" tabindex="0" role="region" aria-label=text.agents.kinds>
                <table>
                    <caption class="visually-hidden">{text.agents.kinds}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{text.words.kind_label}</th>
                            <th scope="col">{text.agents.kind_holds}</th>
                            <th scope="col">{text.agents.kind_ttl}</th>
                            <th scope="col">{text.agents.kind_always}</th>
                            <th scope="col">{text.agents.kind_used}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn keys(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let rows = agent
        .keys
        .iter()
        .map(|key| key_row(frame, &agent.figures.name, key))
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
        <section>
            <h2>{text.agents.keys}</h2>
            {table}
            <form class="card row" method="post" action=format!("/agents/{}/keys", agent.figures.name)>
                {label}
                <button class="button">{text.agents.key_make}</button>
            </form>
        </section>
    }
    .into_any()
}

fn key_row(frame: &Frame, agent: &str, key: &Key) -> AnyView {
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
            <form method="post" action=format!("/agents/{agent}/keys/{}/revoke", key.id)>
                <button class="button danger">{text.agents.key_revoke}</button>
            </form>
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

fn first_steps(text: &'static Text, agent: &Agent) -> AnyView {
    let (url, said) = (&agent.public_url, text.agents.example_statement);
    let send = format!(
        "curl {url}/api/v1/conversations \\\n  -H \"Authorization: Bearer $KEEPSAKE_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{{\"user_id\": \"ana\", \"end\": true, \"messages\": [{{\"role\": \"user\", \"content\": \"{said}\"}}]}}'"
    );
    let context = format!(
        "curl {url}/api/v1/context \\\n  -H \"Authorization: Bearer $KEEPSAKE_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{{\"user_id\": \"ana\"}}'"
    );
    let review = address("/review", [("agent", agent.figures.name.as_str())]);
    view! {
        <section>
            <h2>{text.agents.first_steps}</h2>
            <p class="quiet">{text.agents.first_steps_how}</p>
            <ol class="steps">
                <li>
                    <h3>{text.agents.step_send}</h3>
                    <pre tabindex="0">{send}</pre>
                </li>
                <li>
                    <h3>
                        <a href=review>{text.agents.step_review}</a>
                    </h3>
                </li>
                <li>
                    <h3>{text.agents.step_context}</h3>
                    <pre tabindex="0">{context}</pre>
                </li>
            </ol>
        </section>
    }
    .into_any()
}
