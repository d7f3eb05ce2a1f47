//! `/admin/people/{id}`: one person's name, roles and access.

use leptos::prelude::*;

use super::{
    EVERY, NewLink, Row, State, agent_choices, languages, new_link, role_choices, second_factor,
    state,
};
use crate::{
    components::{
        form::{Control, Field, Typed, field},
        sessions::{Session, sessions},
        time::date,
    },
    shell::{Frame, page},
    text::Text,
};

/// A row of the roles' form: what it holds now, or what was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleRow {
    /// A role's word; empty: none.
    pub role: String,
    /// An agent's name, or `*`.
    pub agent: String,
    /// Tags of languages.
    pub languages: Vec<String>,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Who.
    pub person: Row,
    /// The version of them that is seen.
    pub version: i64,
    /// Their roles, and an empty row for one more.
    pub rows: Vec<RoleRow>,
    /// The agents that a role can be for.
    pub agents: Vec<String>,
    /// A link that was just made for them.
    pub link: Option<NewLink>,
    /// Where they are signed in.
    pub sessions: Vec<Session>,
    /// What a refused form said.
    pub typed: Typed,
}

/// One person.
pub fn person(frame: &Frame, subject: &Subject) -> AnyView {
    let text = frame.text();
    let one = &subject.person;
    let beside = view! {
        <p class="inline-figures">
            <a href="/admin">{text.people.back}</a>
            <span>{one.email.clone()}</span>
            {state(frame, one.state)}
            {second_factor(text, one)}
            {one.signed_in_at.map(|at| view! { <span>{text.people.last} " " {date(frame, at)}</span> })}
        </p>
    }
    .into_any();
    let content = view! {
        <div class="letter">
            {subject.link.as_ref().map(|link| new_link(text, link))}
            {profile(text, subject)}
            {access(text, subject)}
            {signed_in(frame, subject)}
        </div>
    }
    .into_any();
    page(frame, &one.name, Some(beside), content)
}

fn profile(text: &'static Text, subject: &Subject) -> AnyView {
    let name = field(
        text,
        "person",
        &subject.typed,
        Field {
            name: "name",
            label: text.people.name,
            hint: None,
            value: &subject.person.name,
            control: Control::Line("text", Some("off"), true),
        },
    );
    let faults = subject
        .typed
        .faults
        .iter()
        .filter(|(field, _)| field.starts_with("roles"))
        .map(|(_, code)| {
            let line = (text.flash.code)(code).unwrap_or(text.flash.refused);
            view! { <p class="fault">{line}</p> }
        })
        .collect_view();
    let rows = subject
        .rows
        .iter()
        .enumerate()
        .map(|(at, one)| role(text, &subject.agents, at, one))
        .collect_view();
    view! {
        <section>
            <h2>{text.people.profile}</h2>
            <form
                class="card wide people"
                method="post"
                action=format!("/admin/people/{}/change", subject.person.id)
            >
                <input type="hidden" name="version" value=subject.version />
                {name}
                <p class="hint">{text.people.roles_how}</p>
                {faults}
                {rows}
                <button class="button primary">{text.people.save}</button>
            </form>
        </section>
    }
    .into_any()
}

fn role(text: &'static Text, agents: &[String], at: usize, one: &RoleRow) -> AnyView {
    let (role_name, agent_name) = (format!("role.{at}"), format!("agent.{at}"));
    let mut roles = role_choices(text);
    roles.insert(0, (String::new(), text.people.role_none.to_owned()));
    let untouched = Typed::default();
    let draw = |one: Field<'_>| field(text, "person", &untouched, one);
    let role = draw(Field {
        name: &role_name,
        label: text.people.role,
        hint: None,
        value: &one.role,
        control: Control::Choice(roles),
    });
    let agent = draw(Field {
        name: &agent_name,
        label: text.people.agent,
        hint: None,
        value: if one.agent.is_empty() {
            EVERY
        } else {
            &one.agent
        },
        control: Control::Choice(agent_choices(text, agents)),
    });
    let on = |tag: &str| one.languages.iter().any(|chosen| chosen == tag);
    let legend = if one.role.is_empty() {
        text.people.role_more.to_owned()
    } else {
        (text.people.role_at)(at as u64 + 1)
    };
    view! {
        <fieldset class="role">
            <legend>{legend}</legend>
            <div class="grid">{role} {agent}</div>
            {languages(text, "person", at, on)}
        </fieldset>
    }
    .into_any()
}

fn access(text: &'static Text, subject: &Subject) -> AnyView {
    let (one, version) = (&subject.person, subject.version);
    let act = |verb: &str| format!("/admin/people/{}/{verb}", one.id);
    let forms = match one.state {
        State::Deactivated => view! {
            <form method="post" action=act("reactivate")>
                <input type="hidden" name="version" value=version />
                <button class="button">{text.people.reactivate}</button>
                <p class="hint">{text.people.reactivate_how}</p>
            </form>
        }
        .into_any(),
        State::Active | State::Invited(_) => {
            let (label, how) = match one.state {
                State::Active => (text.people.reset, text.people.reset_how),
                _ => (text.people.link_again, text.people.link_again_how),
            };
            // One's own is switched off at `/account`.
            let reset = (one.second_factor && !one.this).then(|| {
                view! {
                    <details>
                        <summary class="button danger">{text.second_factor.reset}</summary>
                        <form method="post" action=act("second-factor/reset")>
                            <p>{text.second_factor.reset_how}</p>
                            <button class="button danger">{text.second_factor.reset}</button>
                        </form>
                    </details>
                }
            });
            view! {
                <form method="post" action=act("link")>
                    <button class="button">{label}</button>
                    <p class="hint">{how}</p>
                </form>
                {reset}
                <details>
                    <summary class="button danger">{text.people.deactivate}</summary>
                    <form method="post" action=act("deactivate")>
                        <input type="hidden" name="version" value=version />
                        <p>{text.people.deactivate_how}</p>
                        <button class="button danger">{text.people.deactivate}</button>
                    </form>
                </details>
            }
            .into_any()
        }
    };
    view! {
        <section>
            <h2>{text.people.access}</h2>
            <div class="card access">{forms}</div>
        </section>
    }
    .into_any()
}

/// Where they are signed in, and the end of all of it. One's own are ended at `/account`, where the one that asks goes on.
fn signed_in(frame: &Frame, subject: &Subject) -> AnyView {
    let words = &frame.text().people;
    let one = &subject.person;
    let content = if subject.sessions.is_empty() {
        view! { <p class="quiet">{words.sessions_none}</p> }.into_any()
    } else {
        let end = if one.this {
            view! { <a href="/account#sessions">{words.sessions_own}</a> }.into_any()
        } else {
            view! {
                <div class="card access">
                    <details>
                        <summary class="button danger">{words.sessions_end_all}</summary>
                        <form method="post" action=format!("/admin/people/{}/sessions/end", one.id)>
                            <p>{words.sessions_end_all_how}</p>
                            <button class="button danger">{words.sessions_end_all}</button>
                        </form>
                    </details>
                </div>
            }
            .into_any()
        };
        view! {
            {sessions(frame, words.sessions_theirs, &subject.sessions, None)}
            {end}
        }
        .into_any()
    };
    view! {
        <section id="sessions">
            <h2>{words.sessions_theirs}</h2>
            {content}
        </section>
    }
    .into_any()
}
