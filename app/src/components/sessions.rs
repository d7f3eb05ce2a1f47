//! Where somebody is signed in.

use domain::Timestamp;
use leptos::prelude::*;

use super::{
    table::{Caption, Head, Row, table},
    tag,
    time::{date, when},
};
use crate::shell::Frame;

/// A sign-in. Neither the device nor its address is stored.
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

/// The sign-ins, under a caption that says whose; `ends` is where a form that ends one of them goes.
pub fn sessions(
    frame: &Frame,
    caption: &'static str,
    sessions: &[Session],
    ends: Option<&'static str>,
) -> AnyView {
    let words = &frame.text().people;
    let heads = [
        Head::Words(words.session_began),
        Head::Words(words.session_seen),
        Head::Words(words.session_ends),
        Head::Buttons(words.session_end),
    ];
    let heads = if ends.is_some() {
        &heads[..]
    } else {
        &heads[..3]
    };
    let rows = sessions.iter().map(|one| {
        let end = ends.map(|action| end(frame, one, action));
        let times = [when(frame, one.last_seen_at), date(frame, one.expires_at)];
        Row {
            of: date(frame, one.created_at),
            cells: times.into_iter().chain(end).collect(),
        }
    });
    table(caption, Caption::Heard, heads, rows.collect())
}

fn end(frame: &Frame, one: &Session, action: &'static str) -> AnyView {
    let words = &frame.text().people;
    if one.this {
        return tag::tag(words.session_this, Some("accent"), None);
    }
    view! {
        <form method="post" action=action>
            <input type="hidden" name="session" value=one.name.clone() />
            <button class="button danger">{words.session_end}</button>
        </form>
    }
    .into_any()
}
