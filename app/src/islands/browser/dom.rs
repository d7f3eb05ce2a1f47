//! Short ways to the page.

use wasm_bindgen::{JsCast, prelude::*};
use web_sys::{
    Document, DomParser, Element, Event, EventTarget, FocusOptions, HtmlDetailsElement,
    HtmlElement, HtmlTemplateElement, NodeList, ScrollIntoViewOptions, ScrollLogicalPosition,
    SupportedType, Window, js_sys::Reflect,
};

use super::paint;

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

/// Calls `tick` every so many milliseconds, as long as the page lives.
pub fn every(milliseconds: i32, tick: Closure<dyn FnMut()>) {
    let _ = window().set_interval_with_callback_and_timeout_and_arguments_0(
        tick.as_ref().unchecked_ref(),
        milliseconds,
    );
    tick.forget();
}

/// Calls `then` once, in so many milliseconds.
pub fn later(milliseconds: i32, then: impl FnOnce() + 'static) {
    let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(
        Closure::once_into_js(then).unchecked_ref(),
        milliseconds,
    );
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

/// Moves the focus, and nothing else.
pub fn focus_still(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let still = FocusOptions::new();
        still.set_prevent_scroll(true);
        let _ = element.focus_with_options(&still);
    }
}

/// Scrolls no further than an element needs to be seen.
pub fn scroll_near(element: &Element) {
    let near = ScrollIntoViewOptions::new();
    near.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&near);
}

/// Whether the focus is nowhere.
pub fn lost() -> bool {
    document()
        .active_element()
        .is_none_or(|active| active.tag_name() == "BODY")
}

/// The form that is open in the candidate's pane.
pub fn open_details() -> Option<HtmlDetailsElement> {
    find("#candidate details[name=verdict][open]")?
        .dyn_into()
        .ok()
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

/// [`swap`], where something changed; a link that had the focus has it again.
pub fn swap_keeping_focus(from: &Document, id: &str) {
    let (Some(theirs), Some(ours)) = (from.get_element_by_id(id), document().get_element_by_id(id))
    else {
        return;
    };
    if theirs.inner_html() == ours.inner_html() {
        return;
    }
    let focused = document()
        .active_element()
        .filter(|focused| ours.contains(Some(focused)))
        .and_then(|focused| focused.get_attribute("href"));
    swap(from, id);
    // Addresses of this site are percent-encoded: nothing in one ends the selector.
    let again = focused.and_then(|href| {
        let link = ours.query_selector(&format!("a[href=\"{href}\"]"));
        link.ok().flatten()
    });
    if let Some(link) = again {
        focus_still(&link);
    }
}

/// Puts every region of another page into ours. The server marks them (`data-region`): they hold what may change while the page is
/// open, whoever changed it. What is the same stays as it is, and so does what somebody works in, unless it is its own form that was
/// `sent`. The list has rules of its own ([`super::list`]). A region of a pane is of the same candidate only.
pub fn swap_regions(from: &Document, sent: Option<&str>) {
    let same = paint::current() == paint::current_of(from);
    for region in all("[data-region]:not(#list)") {
        let of_pane = region.closest("#candidate, #evidence").ok().flatten();
        let theirs = from.get_element_by_id(&region.id());
        let Some(theirs) = theirs.filter(|_| same || of_pane.is_none()) else {
            continue;
        };
        let sent =
            sent.is_some_and(|action| within(&region, &format!("form[action=\"{action}\"]")));
        if sent || !is_worked_in(&region, &theirs) {
            swap_keeping_focus(from, &region.id());
        }
    }
}

/// Whether somebody types or chooses in a region, or has unfolded something that the server draws folded.
fn is_worked_in(ours: &Element, theirs: &Element) -> bool {
    let open = |region: &Element| all_in(region, "details[open]").len();
    let typed = |field: Element| {
        let value = |name: &str| Reflect::get(&field, &name.into()).ok();
        value("value") != value("defaultValue")
    };
    within(
        ours,
        ":is(input:not([type=checkbox]), textarea, select):focus",
    ) || open(ours) > open(theirs)
        || all_in(ours, "textarea, input:not([type=checkbox])")
            .into_iter()
            .any(typed)
}

/// Every element that fits.
pub fn all(selector: &str) -> Vec<Element> {
    elements(document().query_selector_all(selector))
}

/// Every element inside another that fits.
pub fn all_in(element: &Element, selector: &str) -> Vec<Element> {
    elements(element.query_selector_all(selector))
}

/// The elements of a list that a selector found.
pub fn elements(found: Result<NodeList, JsValue>) -> Vec<Element> {
    let Ok(found) = found else {
        return Vec::new();
    };
    (0..found.length())
        .filter_map(|at| found.item(at)?.dyn_into().ok())
        .collect()
}

/// Whether something inside an element fits.
pub fn within(element: &Element, selector: &str) -> bool {
    let found = element.query_selector(selector);
    found.is_ok_and(|found| found.is_some())
}

/// A copy of the one element that a template holds.
pub fn from_template(template: &Element) -> Option<Element> {
    let template: &HtmlTemplateElement = template.dyn_ref()?;
    let element = template.content().first_element_child()?;
    document()
        .import_node_with_deep(&element, true)
        .ok()?
        .dyn_into()
        .ok()
}

/// Puts a message in its place.
pub fn set_flash(html: &str) {
    if let Some(flash) = find("#flash") {
        flash.set_inner_html(html);
    }
}

/// Writes a number where the server wrote another, in the reader's language; the attribute holds it too.
pub fn set_figure(figure: &Element, attribute: &str, number: usize) {
    let (before, number) = (figure.get_attribute(attribute), number.to_string());
    let before = before.unwrap_or_default();
    if before == number {
        return;
    }
    // An attribute without a value stands at a bare number.
    let line = if before.is_empty() {
        number.clone()
    } else {
        let line = figure.text_content().unwrap_or_default();
        line.replacen(&before, &number, 1)
    };
    figure.set_text_content(Some(&line));
    let _ = figure.set_attribute(attribute, &number);
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

/// Makes the address true without an entry in the history; what the present entry says of itself stays.
pub fn set_address(address: &str) {
    if let Ok(history) = window().history() {
        let address = address_without_flash(address);
        let state = history.state().unwrap_or(JsValue::NULL);
        let _ = history.replace_state_with_url(&state, "", Some(&address));
    }
}
