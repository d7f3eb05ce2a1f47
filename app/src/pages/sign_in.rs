//! `/login` and `/setup`.

use leptos::prelude::*;

use crate::{
    components::{
        content::with_code,
        empty::empty,
        form::{Control, Field, Typed, field},
        notice::notice,
    },
    shell::{Frame, document},
};

/// What keeps people from signing in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// There is no administrator yet.
    NotSetUp,
    /// The address is neither https nor loopback.
    Unsafe,
}

/// The form to sign in; before anybody can, how the setup is finished.
pub fn login(frame: &Frame, typed: &Typed, next: &str, obstacle: Option<Obstacle>) -> AnyView {
    let text = frame.text();
    if obstacle == Some(Obstacle::NotSetUp) {
        let content = view! {
            <h1>{text.sign_in.setup_title}</h1>
            {empty(text.sign_in.setup_first, text.sign_in.setup_first_how, None)}
        }
        .into_any();
        return document(frame, text.sign_in.setup_title, false, content);
    }
    let refused = (obstacle == Some(Obstacle::Unsafe)).then(|| {
        view! { <p class="callout" data-tone="bad" role="alert">{text.sign_in.not_possible}</p> }
    });
    let email = field(
        text,
        "login",
        typed,
        Field {
            name: "email",
            label: text.sign_in.email,
            hint: None,
            value: "",
            control: Control::Line("email", Some("username"), true),
        },
    );
    let password = field(
        text,
        "login",
        &Typed::default(),
        Field {
            name: "password",
            label: text.sign_in.password,
            hint: None,
            value: "",
            control: Control::Line("password", Some("current-password"), true),
        },
    );
    let content = view! {
        <h1>{text.sign_in.title}</h1>
        <p class="lead">{text.sign_in.lead}</p>
        {notice(frame)}
        {refused}
        <form class="card" method="post" action="/login">
            <input type="hidden" name="next" value=next.to_owned() />
            {email}
            {password}
            <button class="button primary">{text.sign_in.submit}</button>
        </form>
    }
    .into_any();
    document(frame, text.sign_in.title, false, content)
}

/// The form that makes the first administrator; without a token that holds, what to do instead.
pub fn setup(frame: &Frame, typed: &Typed, token: Option<&str>) -> AnyView {
    let text = frame.text();
    let draw = |one: Field<'_>| field(text, "setup", typed, one);
    let content = match token {
        None => view! {
            <h1>{text.sign_in.setup_title}</h1>
            {notice(frame)}
            {empty(
                text.sign_in.setup_gone,
                text.sign_in.setup_gone_how,
                Some(("/login".to_owned(), text.sign_in.title.to_owned())),
            )}
        }
        .into_any(),
        Some(token) => {
            let name = draw(Field {
                name: "name",
                label: text.sign_in.setup_name,
                hint: None,
                value: "",
                control: Control::Line("text", Some("name"), true),
            });
            let email = draw(Field {
                name: "email",
                label: text.sign_in.email,
                hint: None,
                value: "",
                control: Control::Line("email", Some("username"), true),
            });
            let password = draw(Field {
                name: "password",
                label: text.sign_in.password,
                hint: Some(text.sign_in.setup_password),
                value: "",
                control: Control::Line("password", Some("new-password"), true),
            });
            view! {
                <h1>{text.sign_in.setup_title}</h1>
                <p class="lead">{with_code(text.sign_in.setup_lead)}</p>
                {notice(frame)}
                <form class="card" method="post" action="/setup">
                    <input type="hidden" name="token" value=token.to_owned() />
                    {name}
                    {email}
                    {password}
                    <button class="button primary">{text.sign_in.setup_submit}</button>
                </form>
            }
            .into_any()
        }
    };
    document(frame, text.sign_in.setup_title, false, content)
}
