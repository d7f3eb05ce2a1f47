//! Claims: whoever opens the form to edit claims the candidate at the address that the form names (`data-claim`), and while a claim
//! of theirs is in view it is kept at that of `#heartbeat`.

use wasm_bindgen::{JsCast, prelude::Closure};
use web_sys::{Event, HtmlDetailsElement};

use super::{dom, look, send, state::Desk, view};

/// How often a claim is kept, in milliseconds.
const EVERY: i32 = 60_000;

/// Claims and keeps claims from now on.
pub fn listen(desk: &Desk) {
    let opened = desk.clone();
    dom::listen(&desk.root, "toggle", move |event: Event| {
        let edit = dom::around(&event, "details[data-claim]");
        let edit = edit.and_then(|edit| edit.dyn_into::<HtmlDetailsElement>().ok());
        let at = edit
            .filter(|edit| edit.open())
            .and_then(|edit| edit.get_attribute("data-claim"));
        if let Some(at) = at {
            send::quietly(&opened, at);
        }
    });
    let kept = desk.clone();
    let tick = Closure::<dyn FnMut()>::new(move || {
        let form =
            dom::find("form#heartbeat").filter(|_| view::visible() && look::is_attended(&kept));
        if let Some(at) = form.and_then(|form| form.get_attribute("action")) {
            send::quietly(&kept, at);
        }
    });
    dom::every(EVERY, tick);
}

/// Whether a form only claims or releases, so that its answer leaves the panes with what was typed alone.
pub fn is_of_a_claim(action: &str) -> bool {
    let verb = action.rsplit('/').next();
    action.starts_with("/candidates/") && matches!(verb, Some("claim" | "release"))
}
