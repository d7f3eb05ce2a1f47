//! Keys and clicks. A key presses the page's own button or link.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, HtmlElement, KeyboardEvent, MouseEvent};

use super::{
    dom, paint,
    state::{Desk, Wanted},
};
use crate::keys::{Action, action_of, key_of};

/// While an input method composes, the key is its own; browsers that do not say so give this code.
const COMPOSING: u32 = 229;

/// Listens for keys in the page and for clicks in the desk.
pub fn listen(desk: &Desk) {
    let keys = desk.clone();
    dom::listen(&dom::document(), "keydown", move |event: KeyboardEvent| {
        key(&keys, &event);
    });
    let clicks = desk.clone();
    dom::listen(&desk.root, "click", move |event: MouseEvent| {
        click(&clicks, &event);
    });
}

fn key(desk: &Desk, event: &KeyboardEvent) {
    let composing = event.is_composing() || event.key_code() == COMPOSING;
    if composing || event.default_prevented() || dom::find("dialog[open]").is_some() {
        return;
    }
    let key = event.key();
    if key == "Escape" && leave_form() {
        event.prevent_default();
        return;
    }
    if key == "Enter" && (event.ctrl_key() || event.meta_key()) {
        if let Some(save) = dom::find("#candidate details:is(.edit, .merge)[open] button.primary") {
            event.prevent_default();
            click_on(&save);
        }
        return;
    }
    let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    let typing = dom::around(event, "input, textarea, select, [contenteditable]").is_some();
    if modified || typing {
        return;
    }
    let Some(action) = action_of(&key, rejecting(desk)) else {
        return;
    };
    // What can be pressed by Enter is pressed by the browser.
    if action == Action::Open && dom::around(event, "a, button, summary").is_some() {
        return;
    }
    event.prevent_default();
    // A key that is held down moves, but decides only once.
    if event.repeat() && !matches!(action, Action::Next | Action::Previous) {
        return;
    }
    desk.with(|memory| memory.pressed.push_back(action));
    drain(desk);
}

/// Whether the reasons are open, or will be when what waits in line has been pressed.
fn rejecting(desk: &Desk) -> bool {
    let last = desk.with(|memory| memory.pressed.back().copied());
    match last {
        Some(last) => last == Action::Reject,
        None => dom::find("#candidate details.reject[open]").is_some(),
    }
}

/// Presses what waits in line, as far as the page is ready for it.
pub fn drain(desk: &Desk) {
    loop {
        let Some(next) = desk.with(|memory| memory.pressed.front().copied()) else {
            return;
        };
        let ready = match desk.with(|memory| memory.wanted.clone()) {
            // Moving needs the list alone.
            Some(Wanted::Candidate(_)) => matches!(next, Action::Next | Action::Previous),
            Some(Wanted::Answer) => false,
            // The button of an undo comes with the answer to what it undoes.
            None => next != Action::Undo || !desk.sends(),
        };
        if !ready {
            return;
        }
        desk.with(|memory| memory.pressed.pop_front());
        press(desk, next);
    }
}

fn press(desk: &Desk, action: Action) {
    match action {
        Action::Next => step(desk, Element::next_element_sibling),
        Action::Previous => step(desk, Element::previous_element_sibling),
        Action::Open => enter(),
        Action::Help | Action::Undo | Action::Approve | Action::Reason(_) => {
            if let Some(button) = button(action) {
                click_on(&button);
            }
        }
        Action::Edit | Action::Merge | Action::Reject => {
            if let Some(summary) = button(action) {
                click_on(&summary);
                let first = "#candidate details[open] :is(textarea[name=content], select[name=merge_into], .reasons button)";
                if let Some(first) = dom::find(first) {
                    dom::focus(&first);
                }
            }
        }
    }
}

fn button(action: Action) -> Option<Element> {
    let key = key_of(action);
    dom::find(&format!("#desk [data-key=\"{key}\"]"))
}

fn click_on(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        element.click();
    }
}

fn step(desk: &Desk, to: fn(&Element) -> Option<Element>) {
    let row = match paint::open_row() {
        Some(row) => to(&row),
        None => dom::find("#list li"),
    };
    if let Some(row) = row {
        paint::open(desk, &row);
        if let Some(place) = paint::place() {
            dom::focus(&place);
        }
    }
}

/// Goes from the list into the candidate; on a narrow screen it takes the list's place.
fn enter() {
    if let Some(panes) = dom::find(".panes") {
        let _ = panes.set_attribute("data-open", "");
    }
    if let Some(statement) = dom::find("#candidate .statement") {
        dom::focus(&statement);
    }
}

/// Closes the form that is open; the focus goes to what opened it.
fn leave_form() -> bool {
    let Some(details) = dom::open_details() else {
        return false;
    };
    details.set_open(false);
    if let Ok(Some(summary)) = details.query_selector("summary") {
        dom::focus(&summary);
    }
    true
}

fn click(desk: &Desk, event: &MouseEvent) {
    let modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if modified || event.button() != 0 {
        return;
    }
    if let Some(row) = dom::around(event, "#list li[data-id]") {
        event.prevent_default();
        paint::open(desk, &row);
        enter();
    } else if dom::around(event, "a.back").is_some() {
        event.prevent_default();
        if let Some(panes) = dom::find(".panes") {
            let _ = panes.remove_attribute("data-open");
        }
        if let Some(place) = paint::place() {
            dom::focus(&place);
        }
    } else if dom::around(event, &format!("[data-key=\"{}\"]", key_of(Action::Help))).is_some()
        && let Some(help) = dom::find("#help")
        && let Ok(help) = help.dyn_into::<HtmlDialogElement>()
    {
        event.prevent_default();
        let _ = help.show_modal();
    }
}
