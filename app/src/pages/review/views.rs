//! Saved views: the present filter is kept under a name; each can be renamed and removed.

use leptos::prelude::*;

use super::Review;
use crate::{
    components::form::{Control, Field, Typed, field},
    shell::Frame,
};

/// A filter under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Ours.
    pub id: String,
    /// As its owner calls it.
    pub name: String,
    /// The query of the address.
    pub query: String,
}

impl View {
    /// Where it leads.
    pub fn href(&self) -> String {
        format!("/review?{}", self.query)
    }
}

/// The forms; open where one was refused.
pub(super) fn views(frame: &Frame, page: &Review) -> AnyView {
    let words = &frame.text().desk;
    let here = page.filter.href(None);
    let rows = page
        .views
        .iter()
        .map(|view| row(frame, page, view, &here))
        .collect_view();
    let (query, refused) = (
        page.filter.query(),
        page.refused_view.as_deref() == Some(""),
    );
    let save = (!query.is_empty()).then(|| {
        let name = name_field(frame, page, "view-new", refused, "");
        view! {
            <form method="post" action="/review/views" class="inline">
                <input type="hidden" name="next" value=here.clone() />
                <input type="hidden" name="query" value=query />
                {name}
                <button class="button">{words.view_save}</button>
            </form>
        }
    });
    let how = page
        .views
        .is_empty()
        .then(|| view! { <p class="hint">{words.views_how}</p> });
    view! {
        <details open=page.refused_view.is_some()>
            <summary class="chip">{words.views}</summary>
            <div class="views">{how} {save} {rows}</div>
        </details>
    }
    .into_any()
}

fn row(frame: &Frame, page: &Review, saved: &View, here: &str) -> AnyView {
    let words = &frame.text().desk;
    let refused = page.refused_view.as_deref() == Some(saved.id.as_str());
    let name = name_field(frame, page, &saved.id, refused, &saved.name);
    let address = |verb: &str| format!("/review/views/{}/{verb}", saved.id);
    view! {
        <div class="view">
            <form method="post" action=address("rename") class="inline">
                <input type="hidden" name="next" value=here.to_owned() />
                {name}
                <button class="button">{words.view_rename}</button>
            </form>
            <form method="post" action=address("remove")>
                <input type="hidden" name="next" value=here.to_owned() />
                <button class="button danger">{(words.view_remove)(&saved.name)}</button>
            </form>
        </div>
    }
    .into_any()
}

/// What was typed is drawn where it was refused.
fn name_field(frame: &Frame, page: &Review, form: &str, refused: bool, value: &str) -> AnyView {
    let nothing = Typed::default();
    let text = frame.text();
    field(
        text,
        form,
        if refused { &page.typed } else { &nothing },
        Field {
            name: "name",
            label: text.desk.view_name,
            hint: None,
            value,
            control: Control::Line("text", Some("off"), true),
        },
    )
}
