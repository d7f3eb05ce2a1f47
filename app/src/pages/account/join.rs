//! `/join`: choosing a password by a one-time link.

use leptos::prelude::*;

use crate::{
    components::{
        empty::empty,
        form::{Control, Field, Typed, field},
        notice::notice,
    },
    shell::{Frame, document},
};

/// Whom the link lets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joining {
    /// The token of the link.
    pub token: String,
    /// What they sign in with.
    pub email: String,
    /// Whether it is their first password.
    pub first: bool,
}

/// The form; without a link that holds, what to do instead.
pub fn join(frame: &Frame, typed: &Typed, joining: Option<&Joining>) -> AnyView {
    let text = frame.text();
    let content = match joining {
        None => empty(
            text.people.join_gone,
            text.people.join_gone_how,
            Some(("/login".to_owned(), text.sign_in.title.to_owned())),
        ),
        Some(joining) => {
            let lead = if joining.first {
                text.people.join_lead
            } else {
                text.people.reset_lead
            };
            let password = field(
                text,
                "join",
                typed,
                Field {
                    name: "password",
                    label: text.people.new_password,
                    hint: Some(text.people.new_password_how),
                    value: "",
                    control: Control::Line("password", Some("new-password"), true),
                },
            );
            view! {
                <p class="lead">{lead(&joining.email)}</p>
                <form class="card" method="post" action="/join">
                    <input type="hidden" name="token" value=joining.token.clone() />
                    // A password manager keeps the password for this name.
                    <input type="text" name="email" value=joining.email.clone() autocomplete="username" readonly hidden />
                    {password}
                    <button class="button primary">{text.people.join_submit}</button>
                </form>
            }
            .into_any()
        }
    };
    let content = view! {
        <h1>{text.people.join}</h1>
        {notice(frame)}
        {content}
    }
    .into_any();
    document(frame, text.people.join, false, content)
}
