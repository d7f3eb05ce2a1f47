//! The island around the palette, which every page has. It holds no text and no data of its own: it listens, presses the page's own
//! buttons, sends the forms of a desk, and puts the server's HTML in place.

use leptos::prelude::*;

/// The palette. Its child is the dialog; nothing in it is an island.
#[island]
pub fn Palette(children: Children) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(|_| super::browser::start());
    view! { <div>{children()}</div> }
}
