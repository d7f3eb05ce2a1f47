//! `/account`: what a person sets for themselves.

mod confirm;
mod digest;
mod join;

pub use confirm::{Waiting, confirm};
pub use digest::{Digest, digest};
pub use join::{Joining, join};

use domain::Timestamp;
use leptos::prelude::*;

use super::admin::{Role, in_words};
use crate::{
    components::{
        form::{Control, Field, Typed, field},
        tag,
        time::{date, when},
    },
    shell::{Frame, page},
    text::{Language, Text},
};

/// A sign-in.
#[derive(Debug, Clone)]
pub struct Session {
    /// What names it in a form.
    pub name: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_seen_at: Timestamp,
    /// When it ends at the latest.
    pub expires_at: Timestamp,
    /// Whether it is the one that looks at this page.
    pub this: bool,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Account {
    /// Their name.
    pub name: String,
    /// What they sign in with.
    pub email: String,
    /// What they may do.
    pub roles: Vec<Role>,
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
            {sessions(frame, &account.sessions)}
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
    view! {
        <section id="password">
            <h2>{text.people.password}</h2>
            <form class="card" method="post" action="/account/password">
                {present} {wanted} <p class="hint">{text.people.change_password_how}</p>
                <button class="button">{text.people.change_password}</button>
            </form>
        </section>
    }
    .into_any()
}

fn sessions(frame: &Frame, sessions: &[Session]) -> AnyView {
    let text = frame.text();
    let rows = sessions
        .iter()
        .map(|one| session(frame, one))
        .collect_view();
    view! {
        <section id="sessions">
            <h2>{text.people.sessions}</h2>
            <p class="hint">{text.people.sessions_how}</p>
            <div class="scroll" tabindex="0" role="region" aria-label=text.people.sessions>
                <table>
                    <caption class="visually-hidden">{text.people.sessions}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{text.people.session_began}</th>
                            <th scope="col">{text.people.session_seen}</th>
                            <th scope="col">{text.people.session_ends}</th>
                            <th scope="col">{text.people.session_end}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn session(frame: &Frame, one: &Session) -> AnyView {
    let text = frame.text();
    let end = if one.this {
        tag::tag(text.people.session_this, Some("accent"), None)
    } else {
        view! {
            <form method="post" action="/account/sessions/end">
                <input type="hidden" name="session" value=one.name.clone() />
                <button class="button danger">{text.people.session_end}</button>
            </form>
        }
        .into_any()
    };
    view! {
        <tr>
            <th scope="row">{date(frame, one.created_at)}</th>
            <td>{when(frame, one.last_seen_at)}</td>
            <td>{date(frame, one.expires_at)}</td>
            <td>{end}</td>
        </tr>
    }
    .into_any()
}
