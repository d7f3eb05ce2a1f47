//! `/admin`: who can sign in, and what they may do; and how the installation runs.

mod person;
mod running;

pub use person::{RoleRow, Subject, person};
pub use running::{Asks, Kept, Running};

use domain::{Timestamp, id::PersonId, permission::RoleName, text::LANGUAGES};
use leptos::prelude::*;

use crate::{
    components::{
        form::{Control, Field, Typed, check, field},
        tag,
        time::when,
    },
    shell::{Frame, page},
    text::Text,
};

/// A role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// The one agent it is for; `None`: all.
    pub agent: Option<String>,
    /// What it lets a person do.
    pub role: RoleName,
    /// The languages of the content it decides about; empty: all.
    pub languages: Vec<String>,
}

/// Whether a person can sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// They chose no password yet; until when their link holds.
    Invited(Option<Timestamp>),
    /// They can.
    Active,
    /// They were shut out.
    Deactivated,
}

/// A person of the list.
#[derive(Debug, Clone)]
pub struct Row {
    /// Who.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// What they sign in with.
    pub email: String,
    /// What they may do.
    pub roles: Vec<Role>,
    /// Whether they can sign in.
    pub state: State,
    /// When they last did.
    pub signed_in_at: Option<Timestamp>,
    /// Whether a second factor is asked for.
    pub second_factor: bool,
    /// Whether it is the reader.
    pub this: bool,
}

/// A one-time link that was just made: for whom, and the address.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// Their name.
    pub name: String,
    /// The whole address.
    pub address: String,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct People {
    /// Everybody.
    pub rows: Vec<Row>,
    /// The agents that a role can be for.
    pub agents: Vec<String>,
    /// The link of whoever was just invited.
    pub link: Option<NewLink>,
    /// How the installation runs.
    pub running: Running,
    /// What a refused invitation said.
    pub typed: Typed,
}

/// The list of people, and the form that invites one more.
pub fn admin(frame: &Frame, people: &People) -> AnyView {
    let text = frame.text();
    let rows = people.rows.iter().map(|one| row(frame, one)).collect_view();
    let lead = view! { <p class="quiet">{text.people.lead}</p> }.into_any();
    let content = view! {
        <div class="letter">
            {people.link.as_ref().map(|link| new_link(text, link))}
            <div class="scroll" tabindex="0" role="region" aria-label=text.people.title>
                <table>
                    <caption class="visually-hidden">{text.people.title}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{text.people.name}</th>
                            <th scope="col">{text.people.email}</th>
                            <th scope="col">{text.people.roles}</th>
                            <th scope="col">{text.people.last}</th>
                            <th scope="col">{text.people.state}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {invitation(text, people)}
            {running::running(frame, people)}
        </div>
    }
    .into_any();
    page(frame, text.people.title, Some(lead), content)
}

fn row(frame: &Frame, one: &Row) -> AnyView {
    let text = frame.text();
    let roles = one
        .roles
        .iter()
        .map(|role| view! { <li>{in_words(text, role)}</li> })
        .collect_view();
    let last = one
        .signed_in_at
        .map_or_else(|| text.people.never.into_any(), |at| when(frame, at));
    let this = one
        .this
        .then(|| tag::tag(text.people.you, Some("accent"), None));
    view! {
        <tr>
            <th scope="row">
                <a href=format!("/admin/people/{}", one.id)>{one.name.clone()}</a>
                " "
                {this}
            </th>
            <td>{one.email.clone()}</td>
            <td>
                <ul>{roles}</ul>
            </td>
            <td>{last}</td>
            <td>{state(frame, one.state)} " " {second_factor(text, one)}</td>
        </tr>
    }
    .into_any()
}

/// That a second factor is asked for.
fn second_factor(text: &'static Text, one: &Row) -> Option<AnyView> {
    one.second_factor
        .then(|| tag::tag(text.second_factor.has, Some("good"), None))
}

/// Whether a person can sign in, in words.
fn state(frame: &Frame, state: State) -> AnyView {
    let text = frame.text();
    match state {
        State::Active => tag::tag(text.people.active, Some("good"), None),
        State::Deactivated => tag::tag(text.people.deactivated, Some("bad"), None),
        State::Invited(Some(until)) if until > frame.now => {
            let span = crate::components::time::span(text, until - frame.now);
            let line = (text.people.invited)(&(text.time.in_)(&span));
            tag::tag(&line, Some("warn"), None)
        }
        State::Invited(_) => tag::tag(text.people.invited_over, Some("warn"), None),
    }
}

/// A role with its agents and languages, as a line.
pub fn in_words(text: &Text, role: &Role) -> String {
    let mut what = vec![
        role.agent
            .clone()
            .unwrap_or_else(|| text.people.all_agents.to_owned()),
    ];
    what.extend(
        role.languages
            .iter()
            .map(|tag| (text.people.language)(tag).to_owned()),
    );
    (text.people.role_for)((text.people.role_name)(role.role), &what.join(" · "))
}

/// The link, to be copied this once.
fn new_link(text: &'static Text, link: &NewLink) -> AnyView {
    view! {
        <section class="callout" data-tone="good">
            <h2>{text.people.link}</h2>
            <p>{(text.people.link_how)(&link.name)}</p>
            <code class="secret">{link.address.clone()}</code>
        </section>
    }
    .into_any()
}

fn invitation(text: &'static Text, people: &People) -> AnyView {
    let draw = |one: Field<'_>| field(text, "invite", &people.typed, one);
    let name = draw(Field {
        name: "name",
        label: text.people.name,
        hint: None,
        value: "",
        control: Control::Line("text", Some("off"), true),
    });
    let email = draw(Field {
        name: "email",
        label: text.people.email,
        hint: None,
        value: "",
        control: Control::Line("email", Some("off"), true),
    });
    let role = draw(Field {
        name: "role.0",
        label: text.people.role,
        hint: None,
        value: RoleName::Reviewer.as_str(),
        control: Control::Choice(role_choices(text)),
    });
    let agent = draw(Field {
        name: "agent.0",
        label: text.people.agent,
        hint: None,
        value: EVERY,
        control: Control::Choice(agent_choices(text, &people.agents)),
    });
    let on = |tag: &str| people.typed.is_on(&language_field(0, tag), false);
    view! {
        <section>
            <h2>{text.people.invite}</h2>
            <form class="card wide people" method="post" action="/admin/people">
                <p class="hint">{text.people.invite_how}</p>
                <div class="grid">{name} {email} {role} {agent}</div>
                {languages(text, "invite", 0, on)}
                <button class="button primary">{text.people.invite}</button>
            </form>
        </section>
    }
    .into_any()
}

/// What a form sends for every agent.
pub const EVERY: &str = "*";

/// The name of the check box of a language in a row of roles.
pub fn language_field(row: usize, tag: &str) -> String {
    format!("language.{row}.{tag}")
}

fn role_choices(text: &Text) -> Vec<(String, String)> {
    let choice = |role: &RoleName| {
        let label = (text.people.role_for)(
            (text.people.role_name)(*role),
            (text.people.role_does)(*role),
        );
        (role.as_str().to_owned(), label)
    };
    RoleName::ALL.iter().map(choice).collect()
}

fn agent_choices(text: &Text, agents: &[String]) -> Vec<(String, String)> {
    let every = (EVERY.to_owned(), text.people.all_agents.to_owned());
    let named = agents.iter().map(|name| (name.clone(), name.clone()));
    std::iter::once(every).chain(named).collect()
}

fn languages(text: &'static Text, form: &str, row: usize, on: impl Fn(&str) -> bool) -> AnyView {
    let boxes = LANGUAGES.map(|tag| {
        check(
            form,
            language_field(row, tag),
            (text.people.language)(tag),
            on(tag),
        )
    });
    view! {
        <fieldset class="checks">
            <legend>{text.people.languages}</legend>
            {boxes.into_iter().collect_view()}
            <p class="hint">{text.people.languages_how}</p>
        </fieldset>
    }
    .into_any()
}
