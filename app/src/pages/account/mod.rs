//! `/account`: what a person sets for themselves.

mod confirm;
mod digest;
mod join;
mod second_factor;

pub use confirm::{Waiting, confirm};
pub use digest::{Digest, digest};
pub use join::{Joining, join};
pub use second_factor::{SecondFactor, Standing, Waits, second_factor};

pub use crate::components::sessions::Session;

use domain::Timestamp;
use leptos::prelude::*;

use super::admin::{Role, in_words};
use crate::{
    components::{
        form::{Control, Field, Typed, code_field, field},
        sessions::sessions,
        time::date,
    },
    shell::{Frame, page},
    text::{Language, Text},
};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Account {
    /// Their name.
    pub name: String,
    /// What they sign in with.
    pub email: String,
    /// What they may do.
    pub roles: Vec<Role>,
    /// Since when a second factor is asked for.
    pub second_factor_at: Option<Timestamp>,
    /// Whether they decide anywhere, and may be told what waits for them.
    pub may_decide: bool,
    /// Where they are signed in.
    pub sessions: Vec<Session>,
    /// What a refused form said.
    pub typed: Typed,
}

/// The page.
pub fn account(frame: &Frame, account: &Account) -> AnyView {
    let text = frame.text();
    let digest = account
        .may_decide
        .then(|| view! { <a href="/account/digest">{text.digest.title}</a> });
    let lead = view! {
        <p class="inline-figures">
            <span>{text.people.account_lead}</span>
            <a href="/account/keys">{text.keys.change}</a>
            {digest}
        </p>
    }
    .into_any();
    let content = view! {
        <div class="letter">
            {profile(frame, account)} {roles(text, account)} {password(text, account)}
            {second(frame, account.second_factor_at)}
            {signed_in(frame, account)}
        </div>
    }
    .into_any();
    page(frame, text.people.account, Some(lead), content)
}

fn profile(frame: &Frame, account: &Account) -> AnyView {
    let text = frame.text();
    let name = field(
        text,
        "account",
        &account.typed,
        Field {
            name: "name",
            label: text.people.name,
            hint: Some(&account.email),
            value: &account.name,
            control: Control::Line("text", Some("name"), true),
        },
    );
    let choices = Language::ALL.map(|language| {
        (
            language.word().to_owned(),
            language.text().own_name.to_owned(),
        )
    });
    let language = field(
        text,
        "account",
        &account.typed,
        Field {
            name: "language",
            label: text.shell.language,
            hint: Some(text.people.language_how),
            value: frame.language.word(),
            control: Control::Choice(choices.to_vec()),
        },
    );
    view! {
        <form class="card" method="post" action="/account">
            {name} {language} <button class="button primary">{text.people.save}</button>
        </form>
    }
    .into_any()
}

fn roles(text: &'static Text, account: &Account) -> AnyView {
    let roles = account
        .roles
        .iter()
        .map(|role| {
            view! {
                <li>
                    {in_words(text, role)} " "
                    <span class="quiet">{(text.people.role_does)(role.role)}</span>
                </li>
            }
        })
        .collect_view();
    view! {
        <section>
            <h2>{text.people.your_roles}</h2>
            <ul>{roles}</ul>
        </section>
    }
    .into_any()
}

fn password(text: &'static Text, account: &Account) -> AnyView {
    let draw = |name: &'static str, label, hint, complete| {
        let one = Field {
            name,
            label,
            hint,
            value: "",
            control: Control::Line("password", Some(complete), true),
        };
        field(text, "account", &account.typed, one)
    };
    let present = draw(
        "present",
        text.people.present_password,
        None,
        "current-password",
    );
    let wanted = draw(
        "password",
        text.people.new_password,
        Some(text.people.new_password_how),
        "new-password",
    );
    let code = account
        .second_factor_at
        .map(|_| code_field(text, "password", "code"));
    view! {
        <section id="password">
            <h2>{text.people.password}</h2>
            <form class="card" method="post" action="/account/password">
                {present} {code} {wanted} <p class="hint">{text.people.change_password_how}</p>
                <button class="button">{text.people.change_password}</button>
            </form>
        </section>
    }
    .into_any()
}

/// Whether a second factor is asked for, and the way to the page that changes it.
fn second(frame: &Frame, since: Option<Timestamp>) -> AnyView {
    let words = &frame.text().second_factor;
    let (state, way) = match since {
        Some(at) => (
            view! { <span>{words.on_since} " " {date(frame, at)}</span> }.into_any(),
            words.change,
        ),
        None => (words.off.into_any(), words.set_up),
    };
    view! {
        <section id="second-factor">
            <h2>{words.title}</h2>
            <p>{state}</p>
            <p>
                <a href="/account/second-factor">{way}</a>
            </p>
        </section>
    }
    .into_any()
}

fn signed_in(frame: &Frame, account: &Account) -> AnyView {
    let words = &frame.text().people;
    let elsewhere = account.sessions.iter().any(|one| !one.this).then(|| {
        view! {
            <form method="post" action="/account/sessions/end-others">
                <button class="button danger">{words.sessions_end_others}</button>
            </form>
        }
    });
    view! {
        <section id="sessions">
            <h2>{words.sessions}</h2>
            <p class="hint">{words.sessions_how}</p>
            {sessions(frame, words.sessions, &account.sessions, Some("/account/sessions/end"))}
            {elsewhere}
        </section>
    }
    .into_any()
}
