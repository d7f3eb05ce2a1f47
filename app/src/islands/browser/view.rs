//! How long a candidate was in view before it was decided: a page that lay behind another was not looked at.

use web_sys::{Event, VisibilityState, js_sys::Date};

use super::{dom, state::Desk};

/// The time in view so far.
#[derive(Default)]
pub struct View {
    /// Since when the candidate is in view, in milliseconds; `None` while the page is not.
    since: Option<f64>,
    /// What was before that.
    before: f64,
}

/// Counts from now on, and rests while the page is hidden.
pub fn listen(desk: &Desk) {
    begin(desk);
    let desk = desk.clone();
    dom::listen(&dom::document(), "visibilitychange", move |_: Event| {
        let now = Date::now();
        let visible = visible();
        desk.with(|memory| {
            let view = &mut memory.view;
            if visible {
                view.since.get_or_insert(now);
            } else if let Some(since) = view.since.take() {
                view.before += now - since;
            }
        });
    });
}

/// Another candidate has come into view.
pub fn begin(desk: &Desk) {
    let since = visible().then(Date::now);
    desk.with(|memory| memory.view = View { since, before: 0.0 });
}

/// For how many milliseconds the candidate has been in view.
pub fn took(desk: &Desk) -> u64 {
    let now = Date::now();
    let took = desk.with(|memory| {
        let view = &memory.view;
        view.before + view.since.map_or(0.0, |since| now - since)
    });
    // A clock that was set back in between says nothing.
    took.max(0.0) as u64
}

/// Whether the page is in view.
pub fn visible() -> bool {
    dom::document().visibility_state() == VisibilityState::Visible
}
