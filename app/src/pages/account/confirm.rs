//! `/confirm`: the password once more, and a code of who has a second factor, before something grave that was sent goes on.

use leptos::prelude::*;

use crate::{
    components::{
        empty::empty,
        form::{Control, Field, Typed, code_field, field},
    },
    shell::{Frame, page},
};

/// A form that waits to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Where it was sent.
    pub to: String,
    /// What it said: names and values, in their order.
    pub fields: Vec<(String, String)>,
    /// The field in which the password comes with it.
    pub confirms: &'static str,
    /// The field in which a code does, where one is asked for.
    pub confirms_code: Option<&'static str>,
}

/// The page; without a form that waits, what to do.
pub fn confirm(frame: &Frame, waiting: Option<&Waiting>) -> AnyView {
    let text = frame.text();
    let content = match waiting {
        None => empty(
            text.people.confirm_gone,
            text.people.confirm_gone_how,
            Some(("/".to_owned(), text.error.home.to_owned())),
        ),
        Some(waiting) => {
            let kept = waiting
                .fields
                .iter()
                .map(|(name, value)| {
                    view! { <input type="hidden" name=name.clone() value=value.clone() /> }
                })
                .collect_view();
            let password = field(
                text,
                "confirm",
                &Typed::default(),
                Field {
                    name: waiting.confirms,
                    label: text.people.password,
                    hint: None,
                    value: "",
                    control: Control::Line("password", Some("current-password"), true),
                },
            );
            let code = waiting
                .confirms_code
                .map(|name| code_field(text, "confirm", name));
            view! {
                <form class="card" method="post" action=waiting.to.clone()>
                    <p>{text.people.confirm_lead}</p>
                    {kept}
                    {password}
                    {code}
                    <button class="button primary">{text.people.confirm_submit}</button>
                </form>
            }
            .into_any()
        }
    };
    page(frame, text.people.confirm, None, content)
}
