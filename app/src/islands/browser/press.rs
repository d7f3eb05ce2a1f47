//! Keys and clicks. A key presses the page's own button or link.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlElement, KeyboardEvent, MouseEvent};

use super::{
    back, dom, list, paint, palette,
    state::{Desk, Wanted},
};
use crate::keys::{Action, Found, chord::stroke};

/// While an input method composes, the key is its own; browsers that do not say so give this code.
const COMPOSING: u32 = 229;

/// Where something is typed, or chosen by typing.
const FIELDS: &str =
    "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

/// Listens for keys and clicks in the page.
pub fn listen(desk: &Desk) {
    let keys = desk.clone();
    dom::listen(&dom::document(), "keydown", move |event: KeyboardEvent| {
        key(&keys, &event);
    });
    let clicks = desk.clone();
    dom::listen(&dom::document(), "click", move |event: MouseEvent| {
        click(&clicks, &event);
    });
    // Who points somewhere else has given up the second key.
    let pointed = desk.clone();
    dom::listen(&dom::document(), "pointerdown", move |_: Event| {
        pointed.with(|memory| memory.begun = None);
    });
}

/// Whether an input method has the key.
pub fn composes(event: &KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == COMPOSING
}

fn key(desk: &Desk, event: &KeyboardEvent) {
    if composes(event) || event.default_prevented() || dom::find("dialog[open]").is_some() {
        return;
    }
    let key = event.key();
    // Shift alone is on its way to another key.
    if matches!(key.as_str(), "Shift" | "Control" | "Alt" | "Meta") {
        return;
    }
    let begun = desk.with(|memory| memory.begun.take());
    if key == "Escape" {
        if begun.is_some() || leave_bar(event) || leave_form() {
            event.prevent_default();
        }
        return;
    }
    if event.alt_key() {
        return;
    }
    let ctrl = event.ctrl_key() || event.meta_key();
    let stroke = stroke(&key, ctrl, event.shift_key());
    let found = desk.keys.find(begun.as_deref(), &stroke, rejecting(desk));
    let typing = dom::around(event, FIELDS).is_some();
    let action = match found {
        Found::Action(action) => action,
        Found::Begun if !typing => {
            event.prevent_default();
            desk.with(|memory| memory.begun = Some(stroke));
            return;
        }
        Found::Begun | Found::Nothing => return,
    };
    if !desk.is_here() && !action.works_everywhere() {
        return;
    }
    if typing && !action.works_while_typing() {
        return;
    }
    // It saves the form that is typed into, not another one that is open.
    if typing
        && action == Action::Save
        && dom::around(event, "#candidate details[name=verdict][open]").is_none()
    {
        return;
    }
    // What can be pressed by Enter is pressed by the browser.
    if stroke == "Enter" && dom::around(event, "a, button, summary").is_some() {
        return;
    }
    event.prevent_default();
    // A key that is held down moves, but decides only once.
    if event.repeat() && !action.repeats() {
        return;
    }
    put_in_line(desk, action);
}

/// Presses something, after what waits to be pressed.
pub fn put_in_line(desk: &Desk, action: Action) {
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
            Some(Wanted::Candidate(_)) => {
                matches!(next, Action::Next | Action::Previous | Action::Skip)
            }
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
        // Behind the last row the list may go on.
        Action::Skip if at_last_row() => {
            if let Some(more) = dom::find(list::MORE) {
                click_on(&more);
            }
        }
        Action::Skip => step(desk, Element::next_element_sibling),
        Action::Previous => step(desk, Element::previous_element_sibling),
        Action::Open => {
            back::open();
            into_candidate();
        }
        Action::ShowNew => list::show_new(desk),
        Action::Palette => palette::open(),
        Action::SelectRange => list::pick_range(desk),
        Action::Evidence => {
            if let Some(evidence) = target(action) {
                let _ = evidence.set_attribute("tabindex", "-1");
                dom::focus(&evidence);
            }
        }
        Action::Search => {
            if let Some(field) = target(action) {
                if let Ok(Some(folded)) = field.closest("details:not([open])") {
                    let _ = folded.set_attribute("open", "");
                }
                dom::focus(&field);
            }
        }
        Action::Filter => {
            if let Some(summary) = target(action) {
                click_on(&summary);
                if let Some(first) = dom::find(".filters details[open] :is(select, input)") {
                    dom::focus(&first);
                }
            }
        }
        Action::Edit | Action::Merge | Action::Reject => {
            if let Some(summary) = target(action) {
                click_on(&summary);
                let first = "#candidate details[open] :is(textarea[name=content], select[name=merge_into], .reasons button)";
                if let Some(first) = dom::find(first) {
                    dom::focus(&first);
                }
            }
        }
        _ => {
            if let Some(button) = target(action) {
                click_on(&button);
            }
        }
    }
}

/// Whether the page has what an action needs.
pub fn can(action: Action) -> bool {
    match action {
        Action::Next | Action::Previous | Action::Open => true,
        _ => target(action).is_some(),
    }
}

/// What a key presses, or goes to.
fn target(action: Action) -> Option<Element> {
    match action {
        Action::Select | Action::SelectRange => Some(list::pick(&paint::open_row()?)?.into()),
        Action::Save => dom::find("#candidate details[name=verdict][open] button.primary"),
        Action::Evidence => dom::find("#evidence"),
        Action::Go(goal) => dom::find(&format!("nav a[href=\"{}\"]", goal.path())),
        _ => dom::find(&format!("#desk [data-action=\"{}\"]", action.word())),
    }
}

/// Presses a button of the page.
pub fn click_on(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        element.click();
    }
}

fn step(desk: &Desk, to: fn(&Element) -> Option<Element>) {
    let row = match (paint::open_row(), list::here(desk)) {
        (Some(open), _) => to(&open),
        // The open row has left: where it was, the next one stands.
        (None, Some(here)) => Some(here),
        (None, None) => dom::find("#list li"),
    };
    if let Some(row) = row {
        paint::open(desk, &row);
        if let Some(place) = paint::place() {
            dom::focus(&place);
        }
    }
}

fn at_last_row() -> bool {
    paint::open_row().is_some_and(|row| row.next_element_sibling().is_none())
}

/// Goes from the list into the candidate.
fn into_candidate() {
    if let Some(statement) = dom::find("#candidate .statement") {
        dom::focus(&statement);
    }
}

/// Leaves the search, a filter or a field of the bar for many; the keys are those of the list again.
fn leave_bar(event: &KeyboardEvent) -> bool {
    let left = dom::around(event, FIELDS)
        .and_then(|field| field.closest(".filters, .bulk").ok().flatten())
        .and_then(|_| paint::place());
    if let Some(place) = &left {
        dom::focus(place);
    }
    left.is_some()
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
    if let Some(button) = dom::around(event, "[data-action]") {
        let action = button.get_attribute("data-action");
        match action.as_deref().and_then(Action::of) {
            Some(Action::Help) => {
                if let Some(Ok(help)) =
                    dom::find("#help").map(JsCast::dyn_into::<HtmlDialogElement>)
                {
                    event.prevent_default();
                    let _ = help.show_modal();
                    // The browser goes to the first link, which is at the end.
                    if let Ok(Some(title)) = help.query_selector("h2") {
                        dom::focus(&title);
                        help.set_scroll_top(0);
                    }
                }
            }
            Some(action @ (Action::Palette | Action::ShowNew)) => {
                event.prevent_default();
                press(desk, action);
            }
            Some(Action::Skip) if paint::open_row().is_some() && !at_last_row() => {
                event.prevent_default();
                press(desk, Action::Skip);
            }
            _ => {}
        }
        return;
    }
    // What lies in a row beside its link is pressed for its own sake.
    if dom::around(event, "#list li :is(input, label, button, form)").is_some() {
        return;
    }
    if let Some(row) = dom::around(event, "#list li[data-id]") {
        event.prevent_default();
        back::open();
        paint::open(desk, &row);
        into_candidate();
    } else if dom::around(event, "a.back").is_some() {
        event.prevent_default();
        back::close();
    }
}
