//! The browser's own way back. On a narrow screen an opened candidate takes the place of the list, so it has an entry in the history,
//! and the way back leads to the list as it was filtered. Elsewhere opening a candidate only makes the address true.

use wasm_bindgen::JsValue;
use web_sys::Event;

use super::{dom, paint, state::Desk};

/// What the entry of an opened candidate says.
const OPENED: &str = "opened";

/// Follows the browser back and forth.
pub fn listen(desk: &Desk) {
    let desk = desk.clone();
    dom::listen(&dom::window(), "popstate", move |_: Event| {
        // A link within the page passes here too, and a candidate alone has no list to go back to.
        let hash = dom::window().location().hash();
        if hash.is_ok_and(|hash| !hash.is_empty()) || dom::find("#list").is_none() {
            return;
        }
        if is_opened() {
            reopen(&desk);
        } else {
            show_list();
        }
    });
}

fn is_opened() -> bool {
    let state = dom::window().history().and_then(|history| history.state());
    state.is_ok_and(|state| state.as_string().as_deref() == Some(OPENED))
}

/// Shows the candidate in the place of the list, where there is no room for both.
pub fn open() {
    let narrow = dom::find("#candidate").is_some_and(|pane| !dom::shows(&pane));
    show_candidate();
    if narrow && let (Some(here), Ok(history)) = (paint::here(), dom::window().history()) {
        let _ = history.push_state_with_url(&JsValue::from_str(OPENED), "", Some(&here));
    }
}

/// Back to the list, by the page's own link.
pub fn close() {
    show_list();
    if is_opened()
        && let Ok(history) = dom::window().history()
    {
        let _ = history.back();
    }
}

fn show_candidate() {
    if let Some(panes) = dom::find(".panes") {
        let _ = panes.set_attribute("data-open", "");
    }
}

fn show_list() {
    if let Some(panes) = dom::find(".panes") {
        let _ = panes.remove_attribute("data-open");
    }
    if let Some(place) = paint::place() {
        dom::focus(&place);
    }
}

/// The candidate of the address again; one whose row has left, as the server has it now.
fn reopen(desk: &Desk) {
    let address = dom::address().unwrap_or_default();
    let mut pairs = address.split(['?', '&']);
    let row = pairs
        .find_map(|pair| pair.strip_prefix("c="))
        .and_then(paint::row);
    match row {
        Some(row) => {
            show_candidate();
            paint::open(desk, &row);
        }
        None => {
            let _ = dom::window().location().reload();
        }
    }
}
