//! Opening a candidate: from what was fetched before, else from the server; and fetching ahead.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, Element, Response};

use super::{
    dom, look, press,
    state::{Desk, Panes, Unsent, Wanted},
    view,
};

/// How many candidates are fetched before they are needed.
const AHEAD: usize = 3;

/// The candidate in view.
pub fn current() -> Option<String> {
    current_of(&dom::document())
}

/// The candidate in view on a page.
pub fn current_of(page: &Document) -> Option<String> {
    let head = page.query_selector("#candidate [data-candidate]");
    head.ok().flatten()?.get_attribute("data-candidate")
}

/// Whether a page offers to decide on it.
pub fn can_decide(page: &Document) -> bool {
    let approve = page.query_selector("#candidate [data-action=approve]");
    approve.is_ok_and(|approve| approve.is_some())
}

/// The row of a candidate.
pub fn row(id: &str) -> Option<Element> {
    dom::find(&format!("#list li[data-id=\"{id}\"]"))
}

/// The row that is marked as open.
pub fn open_row() -> Option<Element> {
    dom::find("#list a[aria-current]")?.parent_element()
}

/// The candidate of a row.
pub fn id_of(row: &Element) -> Option<String> {
    row.get_attribute("data-id")
}

fn link(row: &Element) -> Option<Element> {
    row.query_selector("a").ok().flatten()
}

/// The address of a row.
pub fn href(row: &Element) -> Option<String> {
    link(row)?.get_attribute("href")
}

/// The address of this page with the candidate in view, which the address of a queue that was just opened does not name.
pub fn here() -> Option<String> {
    let address = dom::address()?;
    if dom::find("#list").is_none() {
        return Some(address);
    }
    let Some(id) = current() else {
        return Some(address);
    };
    let (path, query) = address.split_once('?').unwrap_or((&address, ""));
    let named = format!("c={id}");
    let pairs = query.split('&').filter(|pair| !pair.starts_with("c="));
    let pairs: Vec<&str> = pairs
        .filter(|pair| !pair.is_empty())
        .chain([named.as_str()])
        .collect();
    Some(format!("{path}?{}", pairs.join("&")))
}

/// Opens the candidate of `row`: marks the row, makes the address true, and paints its panes as soon as they are there.
pub fn open(desk: &Desk, row: &Element) {
    let (Some(id), Some(href)) = (id_of(row), href(row)) else {
        return;
    };
    mark(Some(row));
    dom::set_address(&href);
    let (unsent, fetched) = desk.with(|memory| {
        let unsent = memory.unsent.remove(&id);
        (unsent, memory.fetched.get(&id).cloned())
    });
    match (unsent, fetched) {
        (Some(unsent), _) => {
            desk.with(|memory| memory.wanted = None);
            show_again(desk, &unsent);
        }
        (None, Some(panes)) => {
            desk.with(|memory| memory.wanted = None);
            show(desk, &panes);
        }
        (None, None) => {
            desk.with(|memory| memory.wanted = Some(Wanted::Candidate(id)));
            busy(true);
            fetch(desk, row);
        }
    }
    fetch_ahead(desk);
}

/// Marks one row as open, or none.
pub fn mark(row: Option<&Element>) {
    let link = row.and_then(link);
    for before in dom::all("#list a[aria-current]") {
        if link.as_ref() != Some(&before) {
            let _ = before.remove_attribute("aria-current");
        }
    }
    if let Some(link) = link {
        let _ = link.set_attribute("aria-current", "true");
    }
}

/// Marks the row of the candidate in view.
pub fn mark_current() {
    let row = current().as_deref().and_then(row);
    mark(row.as_ref());
}

/// While another candidate than the marked one is in view, its buttons must not be pressed; the focus leaves it first.
pub fn busy(busy: bool) {
    let Some(pane) = dom::find("#candidate") else {
        return;
    };
    let focused = dom::document().active_element();
    let _ = pane.toggle_attribute_with_force("inert", busy);
    let _ = pane.set_attribute("aria-busy", if busy { "true" } else { "false" });
    if busy
        && focused.is_some_and(|focused| pane.contains(Some(&focused)))
        && let Some(place) = place()
    {
        dom::focus(&place);
    }
}

/// Puts panes in place.
pub fn show(desk: &Desk, panes: &Panes) {
    put(desk, &panes.candidate, &panes.evidence, |pane, html| {
        pane.set_inner_html(html);
    });
}

/// Puts panes back in place that had left for a decision which did not arrive, with what was typed.
fn show_again(desk: &Desk, unsent: &Unsent) {
    put(
        desk,
        &unsent.candidate,
        &unsent.evidence,
        |pane, content| {
            pane.replace_children_with_node_1(content);
        },
    );
}

fn put<T>(desk: &Desk, candidate: T, evidence: T, fill: fn(&Element, T)) {
    for (id, content) in [("candidate", candidate), ("evidence", evidence)] {
        if let Some(pane) = dom::document().get_element_by_id(id) {
            fill(&pane, content);
            pane.set_scroll_top(0);
        }
    }
    // On a narrow screen the window scrolls, not the pane.
    let alone = dom::find("#list").is_some_and(|list| !dom::shows(&list));
    if alone && let Some(pane) = dom::find("#candidate") {
        pane.scroll_into_view_with_bool(true);
    }
    busy(false);
    view::begin(desk);
}

/// The panes of a page that came by `fetch`.
pub fn panes(page: &Document) -> Option<Panes> {
    Some(Panes {
        candidate: page.get_element_by_id("candidate")?.inner_html(),
        evidence: page.get_element_by_id("evidence")?.inner_html(),
    })
}

/// Fetches the candidates that come next, and the one before.
pub fn fetch_ahead(desk: &Desk) {
    let Some(row) = open_row() else { return };
    let mut near = Vec::new();
    let mut at = row.clone();
    while near.len() < AHEAD
        && let Some(next) = at.next_element_sibling()
    {
        near.push(next.clone());
        at = next;
    }
    near.extend(row.previous_element_sibling());
    for row in near {
        fetch(desk, &row);
    }
}

fn fetch(desk: &Desk, row: &Element) {
    let (Some(id), Some(href)) = (id_of(row), href(row)) else {
        return;
    };
    let begun =
        desk.with(|memory| !memory.fetched.contains_key(&id) && memory.fetching.insert(id.clone()));
    if !begun {
        return;
    }
    let desk = desk.clone();
    spawn_local(async move {
        let panes = get(&href).await.and_then(|page| panes(&page));
        arrived(&desk, &id, panes, &href);
    });
}

/// The page of an address.
pub async fn get(href: &str) -> Option<Document> {
    let response = JsFuture::from(dom::window().fetch_with_str(href))
        .await
        .ok()?;
    let response: Response = response.dyn_into().ok()?;
    let html: JsValue = JsFuture::from(response.text().ok()?).await.ok()?;
    dom::parse(&html.as_string()?)
}

fn arrived(desk: &Desk, id: &str, panes: Option<Panes>, href: &str) {
    let wanted = desk.with(|memory| {
        memory.fetching.remove(id);
        // What was decided meanwhile has left the list; its panes are of no use.
        if let Some(panes) = &panes
            && row(id).is_some()
        {
            memory.fetched.insert(id.to_owned(), panes.clone());
        }
        let wanted = memory.wanted == Some(Wanted::Candidate(id.to_owned()));
        if wanted {
            memory.wanted = None;
        }
        wanted
    });
    match panes {
        Some(panes) if wanted => {
            show(desk, &panes);
            keep_focus();
            press::drain(desk);
            look::hear_out(desk);
        }
        // Whatever keeps the panes from coming, the browser shows it better than an empty desk.
        None if wanted => {
            let _ = dom::window().location().assign(href);
        }
        _ => {}
    }
}

/// Where the focus belongs when what had it has left: the open row, else the statement, else the empty list's heading.
pub fn place() -> Option<Element> {
    [
        "#list a[aria-current]",
        "#candidate .statement",
        "#list h2",
        "#content",
    ]
    .into_iter()
    .filter_map(dom::find)
    .find(dom::shows)
}

/// The focus goes along to the candidate that came into view, unless something is being typed.
pub fn follow() {
    if !look::types()
        && let Some(place) = place()
    {
        dom::focus(&place);
    }
}

/// The focus goes to what was refused: the field that it is about, else the message. Nobody is torn out of what they type elsewhere.
pub fn focus_refusal() {
    if look::types() {
        return;
    }
    let field = dom::find("#candidate [aria-invalid]").filter(dom::shows);
    let place = field.or_else(|| {
        let message = dom::find("#flash .notice")?;
        let _ = message.set_attribute("tabindex", "-1");
        Some(message)
    });
    if let Some(place) = place {
        dom::focus(&place);
    }
}

/// Gives the focus a place when it has none.
pub fn keep_focus() {
    if dom::lost()
        && let Some(place) = place()
    {
        dom::focus(&place);
    }
}
