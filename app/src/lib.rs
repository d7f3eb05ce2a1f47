//! What a person sees: pages, components, texts, and the one island that runs in the browser.
//!
//! A page is a function from a [`shell::Frame`] and plain data to HTML. It knows no rules, reads nothing and decides nothing;
//! the server's handlers fill the data from the engine. Every action is a form, every view an address, so that each page works
//! with scripts off. The island [`islands::palette`] only makes the review desk fast, and every page quick to reach: it presses the
//! page's own buttons and puts the server's own HTML in place.

#[cfg(feature = "ssr")]
pub mod components;
#[cfg(any(feature = "ssr", feature = "hydrate"))]
pub mod islands;
pub mod keys;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod shell;
#[cfg(feature = "ssr")]
pub mod text;
