//! `/login`, `/login/code`, `/setup`, and `/kept`: what was typed when the session was over.

use leptos::prelude::*;

use crate::{
    components::{
        empty::empty,
        form::{Control, Field, Typed, code_field, field, switch},
        notice::notice,
    },
    shell::{Frame, document, page},
};

/// What keeps people from signing in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// There is no administrator yet.
    NotSetUp,
    /// The address is neither https nor loopback.
    Unsafe,
}

/// The form to sign in, with the token of one that was kept; before anybody can, how the setup is finished.
pub fn login(
    frame: &Frame,
    typed: &Typed,
    next: &str,
    obstacle: Option<Obstacle>,
    kept: Option<&str>,
) -> AnyView {
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
    let kept = kept.map(|token| {
        view! { <input type="hidden" name="kept" value=token.to_owned() /> }
    });
    let content = view! {
        <h1>{text.sign_in.title}</h1>
        <p class="lead">{text.sign_in.lead}</p>
        {notice(frame)}
        {refused}
        <form class="card" method="post" action="/login">
            <input type="hidden" name="next" value=next.to_owned() />
            {kept}
            {email}
            {password}
            <button class="button primary">{text.sign_in.submit}</button>
        </form>
    }
    .into_any();
    document(frame, text.sign_in.title, false, content)
}

/// The form for the code of who has given their password: `step` is the token of the sign-in, `again` where it begins anew.
pub fn code(frame: &Frame, step: &str, next: &str, kept: Option<&str>, again: &str) -> AnyView {
    let text = frame.text();
    let words = &text.second_factor;
    let kept = kept.map(|token| {
        view! { <input type="hidden" name="kept" value=token.to_owned() /> }
    });
    let content = view! {
        <h1>{words.ask}</h1>
        <p class="lead">{words.ask_lead}</p>
        {notice(frame)}
        <form class="card" method="post" action="/login/code">
            <input type="hidden" name="step" value=step.to_owned() />
            <input type="hidden" name="next" value=next.to_owned() />
            {kept}
            {code_field(text, "login", "code")}
            <button class="button primary">{text.sign_in.submit}</button>
        </form>
        <p>
            <a href=again.to_owned()>{words.again}</a>
        </p>
        <p class="hint">{words.lost}</p>
    }
    .into_any();
    document(frame, words.ask, false, content)
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
                <p class="lead">{text.sign_in.setup_lead}</p>
                {notice(frame)}
                <form class="card" method="post" action="/setup">
                    <input type="hidden" name="token" value=token.to_owned() />
                    {name}
                    {email}
                    {password}
                    {switch("setup", "demo", text.demo.with_setup, text.demo.with_setup_how, typed.is_on("demo", false))}
                    <button class="button primary">{text.sign_in.setup_submit}</button>
                </form>
            }
            .into_any()
        }
    };
    document(frame, text.sign_in.setup_title, false, content)
}

/// What was typed when the session was over: where it was sent, and its fields. Nothing is sent before the person says so.
pub fn kept(frame: &Frame, waiting: Option<&(String, Vec<(String, String)>)>) -> AnyView {
    let text = frame.text();
    let words = &text.failures;
    let Some((to, fields)) = waiting else {
        let home = Some(("/".to_owned(), text.error.home.to_owned()));
        let content = empty(words.kept_gone, words.kept_gone_how, home);
        return page(frame, words.kept, None, content);
    };
    let hidden = fields
        .iter()
        .map(|(name, value)| {
            view! { <input type="hidden" name=name.clone() value=value.clone() /> }
        })
        .collect_view();
    let typed = fields
        .iter()
        .filter(|(_, value)| is_typed(value))
        .map(|(name, value)| {
            view! {
                <div>
                    <dt>
                        <code>{name.clone()}</code>
                    </dt>
                    <dd class="said">{value.clone()}</dd>
                </div>
            }
        })
        .collect_view();
    let content = view! {
        <div class="letter">
            <p class="lead">{words.kept_lead}</p>
            <dl class="facts">{typed}</dl>
            <form method="post" action=to.clone()>
                {hidden}
                <button class="button primary">{words.kept_send}</button>
            </form>
            <p>
                <a href="/">{text.error.home}</a>
            </p>
        </div>
    }
    .into_any();
    page(frame, words.kept, None, content)
}

/// Whether a value is a person's: no version, no address on this site.
fn is_typed(value: &str) -> bool {
    !value.trim().is_empty() && value.parse::<i64>().is_err() && !value.starts_with('/')
}
