//! The island around the panes of the queue. It holds no text and no data of its own: it listens, presses the page's own
//! buttons, sends their forms, and puts the server's HTML in place.

use leptos::prelude::*;

/// The desk. Its children are the page; nothing in them is an island.
#[island]
pub fn Desk(children: Children) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(|_| super::browser::start());
    view! {
        <div id="desk" class="desk">
            {children()}
        </div>
    }
}
