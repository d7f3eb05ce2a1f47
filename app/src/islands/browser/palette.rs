//! The palette: a combobox over a list that the server drew. Typing leaves what fits, the arrows choose, Enter presses. The dialog
//! gives the focus back where it was.

use wasm_bindgen::JsCast;
use web_sys::{
    Element, HtmlDialogElement, HtmlInputElement, InputEvent, KeyboardEvent, MouseEvent,
    js_sys::encode_uri_component,
};

use super::{dom, paint, press, state::Desk};
use crate::keys::Action;

/// Listens in the dialog.
pub fn listen(desk: &Desk) {
    let Some(dialog) = dialog() else { return };
    dom::listen(&dialog, "input", move |_: InputEvent| filter());
    let keys = desk.clone();
    dom::listen(&dialog, "keydown", move |event: KeyboardEvent| {
        key(&keys, &event);
    });
    let clicks = desk.clone();
    dom::listen(&dialog, "click", move |event: MouseEvent| {
        if let Some(option) = dom::around(&event, "[role=option]") {
            choose(&clicks, &option);
        }
    });
}

fn dialog() -> Option<HtmlDialogElement> {
    dom::find("#palette")?.dyn_into().ok()
}

fn input() -> Option<HtmlInputElement> {
    dom::find("#palette input")?.dyn_into().ok()
}

fn options() -> Vec<Element> {
    dom::all("#palette [role=option]")
}

/// The page's own buttons that no key presses.
fn own() -> Vec<Element> {
    let mut own = dom::all(
        "#desk :is(#candidate, #bulk-bar) :is(button, summary, a.button):not([data-action])",
    );
    own.retain(|button| {
        // What is far-reaching, or one of many, is pressed where it stands.
        dom::shows(button)
            && button
                .closest(".reasons, #demo")
                .is_ok_and(|it| it.is_none())
    });
    own
}

fn label(button: &Element) -> String {
    let label = button.text_content().unwrap_or_default();
    label.trim().to_owned()
}

/// What a button is: what it says, where it leads or what it sends, and of which candidate. The page may change while the palette is open:
/// what stands in a button's place then is another one, and what was drawn anew is the same.
fn identity(button: &Element) -> String {
    let form = match button.closest("form") {
        Ok(Some(form)) => Some(form),
        // What unfolds a form.
        _ => button
            .parent_element()
            .and_then(|around| around.query_selector("form").ok().flatten()),
    };
    let of_candidate = button.closest("#candidate").is_ok_and(|it| it.is_some());
    let own = ["href", "formaction", "name", "value"].map(|name| button.get_attribute(name));
    let sends = form.and_then(|form| form.get_attribute("action"));
    let candidate = of_candidate.then(paint::current).flatten();
    let parts = own.into_iter().chain([sends, candidate]);
    let parts = parts.map(Option::unwrap_or_default);
    std::iter::once(label(button))
        .chain(parts)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Lists them before everything else.
fn list_own() {
    for before in dom::all("#palette [data-own]") {
        before.remove();
    }
    let (Some(list), Some(template)) = (dom::find("#palette-list"), dom::find("#palette-own"))
    else {
        return;
    };
    let first = list.first_element_child();
    for (at, button) in own().iter().enumerate() {
        let Some(option) = dom::from_template(&template) else {
            continue;
        };
        option.set_id(&format!("palette-own-{at}"));
        let _ = option.set_attribute("data-own", &identity(button));
        if let Ok(Some(says)) = option.query_selector("span") {
            says.set_text_content(Some(&label(button)));
        }
        let _ = list.insert_before(&option, first.as_ref().map(AsRef::as_ref));
    }
}

/// Opens it, without what the page has no button for.
pub fn open() {
    let (Some(dialog), Some(input)) = (dialog(), input()) else {
        return;
    };
    list_own();
    for option in options() {
        let action = action(&option);
        let can = action.is_none_or(press::can);
        let _ = option.toggle_attribute_with_force("data-absent", !can);
    }
    input.set_value("");
    filter();
    let _ = dialog.show_modal();
    let _ = input.focus();
}

fn action(option: &Element) -> Option<Action> {
    Action::of(&option.get_attribute("data-press")?)
}

fn typed() -> String {
    let typed = input().map(|input| input.value()).unwrap_or_default();
    typed.trim().to_owned()
}

/// Leaves what holds every word that was typed, with the searches for it, and chooses the first.
fn filter() {
    let typed = typed();
    let lower = typed.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    for option in options() {
        let fits = if let Some(says) = option.get_attribute("data-says") {
            if let Ok(Some(label)) = option.query_selector("span") {
                label.set_text_content(Some(&says.replacen('…', &typed, 1)));
            }
            !typed.is_empty()
        } else {
            let says = option.text_content().unwrap_or_default().to_lowercase();
            words.iter().all(|word| says.contains(word))
        };
        let hidden = !fits || option.has_attribute("data-absent");
        let _ = option.toggle_attribute_with_force("hidden", hidden);
    }
    let shown = shown();
    if let Some(none) = dom::find("#palette .none span") {
        let named = shown
            .iter()
            .any(|option| !option.has_attribute("data-find"));
        let _ = none.toggle_attribute_with_force("hidden", named);
    }
    mark(shown.first());
}

fn shown() -> Vec<Element> {
    dom::all("#palette [role=option]:not([hidden])")
}

fn chosen() -> Option<Element> {
    dom::find("#palette [aria-selected=true]:not([hidden])")
}

fn mark(option: Option<&Element>) {
    for before in options() {
        let _ = before.set_attribute("aria-selected", "false");
    }
    let Some(input) = input() else { return };
    let Some(option) = option else {
        let _ = input.remove_attribute("aria-activedescendant");
        return;
    };
    let _ = option.set_attribute("aria-selected", "true");
    let _ = input.set_attribute("aria-activedescendant", &option.id());
    dom::scroll_near(option);
}

fn key(desk: &Desk, event: &KeyboardEvent) {
    if press::composes(event) {
        return;
    }
    let shown = shown();
    let at = chosen().and_then(|chosen| shown.iter().position(|option| *option == chosen));
    let last = shown.len().saturating_sub(1);
    let to = match (event.key().as_str(), at) {
        ("ArrowDown", Some(at)) => {
            if at == last {
                0
            } else {
                at + 1
            }
        }
        ("ArrowUp", Some(at)) => at.checked_sub(1).unwrap_or(last),
        ("PageUp", Some(_)) => 0,
        ("PageDown", Some(_)) => last,
        ("Enter", Some(at)) => {
            event.prevent_default();
            choose(desk, &shown[at]);
            return;
        }
        _ => return,
    };
    event.prevent_default();
    mark(shown.get(to));
}

fn choose(desk: &Desk, option: &Element) {
    if let Some(dialog) = dialog() {
        dialog.close();
    }
    let of_page = option.get_attribute("data-own");
    if let Some(action) = action(option) {
        press::put_in_line(desk, action);
    } else if let Some(href) = option.get_attribute("data-href") {
        let _ = dom::window().location().assign(&href);
    } else if let Some(find) = option.get_attribute("data-find") {
        let typed = String::from(encode_uri_component(&typed()));
        let _ = dom::window().location().assign(&format!("{find}{typed}"));
    } else if let Some(button) =
        of_page.and_then(|wanted| own().into_iter().find(|one| identity(one) == wanted))
    {
        press::click_on(&button);
    }
}
