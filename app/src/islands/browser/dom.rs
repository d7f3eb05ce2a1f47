//! Short ways to the page.

use wasm_bindgen::{JsCast, prelude::*};
use web_sys::{
    Document, DomParser, Element, Event, EventTarget, FocusOptions, HtmlDetailsElement,
    HtmlElement, SupportedType, Window,
};

/// The window.
pub fn window() -> Window {
    web_sys::window().expect("the desk runs in a page")
}

/// The document.
pub fn document() -> Document {
    window().document().expect("a page has a document")
}

/// The body.
pub fn body() -> HtmlElement {
    document().body().expect("a page has a body")
}

/// The first element that fits.
pub fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

/// Calls `heard` for every event of this name that reaches `target`, on its way down.
pub fn listen<E: JsCast + 'static>(
    target: &EventTarget,
    name: &str,
    mut heard: impl FnMut(E) + 'static,
) {
    let closure = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
        if let Ok(event) = event.dyn_into::<E>() {
            heard(event);
        }
    });
    let _ = target.add_event_listener_with_callback_and_bool(
        name,
        closure.as_ref().unchecked_ref(),
        true,
    );
    // The desk lives as long as its page.
    closure.forget();
}

/// The element that an event is about, or the nearest around it that fits.
pub fn around(event: &Event, selector: &str) -> Option<Element> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest(selector).ok().flatten()
}

/// Whether the element takes up room: what is hidden on a narrow screen is no place for the focus.
pub fn shows(element: &Element) -> bool {
    element
        .dyn_ref::<HtmlElement>()
        .is_some_and(|element| element.offset_height() > 0)
}

/// Moves the focus.
pub fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    }
}

/// Whether the focus is nowhere.
pub fn lost() -> bool {
    document()
        .active_element()
        .is_none_or(|active| active.tag_name() == "BODY")
}

/// The `details` that is open in the candidate's pane.
pub fn open_details() -> Option<HtmlDetailsElement> {
    find("#candidate details[open]")?.dyn_into().ok()
}

/// Reads a page that came by `fetch`.
pub fn parse(html: &str) -> Option<Document> {
    DomParser::new()
        .ok()?
        .parse_from_string(html, SupportedType::TextHtml)
        .ok()
}

/// Puts the content of `#id` of another page into ours, keeping our element, its listeners and its scroll position.
pub fn swap(from: &Document, id: &str) {
    let (Some(theirs), Some(ours)) = (from.get_element_by_id(id), document().get_element_by_id(id))
    else {
        return;
    };
    ours.set_inner_html(&theirs.inner_html());
}

/// Puts every region of another page into ours. The server marks them (`data-region`): they hold what may change while the page is
/// open, whoever changed it. What is the same stays as it is, and a link that had the focus has it again.
pub fn swap_regions(from: &Document) {
    let Ok(regions) = document().query_selector_all("[data-region]") else {
        return;
    };
    for at in 0..regions.length() {
        let ours: Option<Element> = regions.item(at).and_then(|node| node.dyn_into().ok());
        let Some(ours) = ours else { continue };
        let theirs = from.get_element_by_id(&ours.id());
        if theirs.is_none_or(|theirs| theirs.inner_html() == ours.inner_html()) {
            continue;
        }
        let focused = document()
            .active_element()
            .filter(|focused| ours.contains(Some(focused)))
            .and_then(|focused| focused.get_attribute("href"));
        swap(from, &ours.id());
        // Addresses of this site are percent-encoded: nothing in one ends the selector.
        let again = focused.and_then(|href| {
            let link = ours.query_selector(&format!("a[href=\"{href}\"]"));
            link.ok().flatten()?.dyn_into::<HtmlElement>().ok()
        });
        if let Some(link) = again {
            let still = FocusOptions::new();
            still.set_prevent_scroll(true);
            let _ = link.focus_with_options(&still);
        }
    }
}

/// Path and query of this page.
pub fn address() -> Option<String> {
    let location = window().location();
    let (path, query) = (location.pathname().ok()?, location.search().ok()?);
    Some(format!("{path}{query}"))
}

/// The address without the message that it names: it must not come back by a reload or a bookmark.
pub fn address_without_flash(address: &str) -> String {
    let Some((path, query)) = address.split_once('?') else {
        return address.to_owned();
    };
    let kept: Vec<_> = query
        .split('&')
        .filter(|pair| !pair.starts_with("flash="))
        .collect();
    if kept.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", kept.join("&"))
    }
}

/// Makes the address true without an entry in the history.
pub fn set_address(address: &str) {
    if let Ok(history) = window().history() {
        let address = address_without_flash(address);
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}
