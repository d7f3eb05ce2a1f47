//! The list: what was decided leaves, what changed is drawn anew, and what came in waits until somebody asks for it, so that nothing
//! moves under a reader's eyes. And what is picked in it.

use std::collections::HashSet;

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, EventInit, HtmlInputElement};

use super::{dom, look, paint, state::Desk};

/// The link to what follows the rows.
pub const MORE: &str = "#list ol ~ a.more";

/// What becomes of rows that came in meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum New {
    /// They wait, and a button tells how many.
    Wait,
    /// They are shown.
    Show,
}

/// Knows the rows that are there, and says how many are picked.
pub fn listen(desk: &Desk) {
    know_all(desk);
    count_picked();
    let picks = desk.clone();
    dom::listen(&desk.root, "change", move |event: Event| {
        if dom::around(&event, "input[name=pick]").is_some() {
            if let Some(row) = dom::around(&event, "#list li") {
                picks.with(|memory| memory.anchor = paint::id_of(&row));
            }
            count_picked();
        }
    });
}

fn rows() -> Vec<Element> {
    dom::all("#list li[data-id]")
}

fn know_all(desk: &Desk) {
    let ids: Vec<String> = rows().iter().filter_map(paint::id_of).collect();
    desk.with(|memory| memory.known.extend(ids));
}

/// Whether two addresses name the same list, whatever is open in it.
pub fn same(one: &str, other: &str) -> bool {
    let list = |address: &str| -> Vec<String> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        // One of them may name the host.
        let path = path.rsplit("//").next().unwrap_or_default();
        let path = path.split_once('/').map_or("", |(_, path)| path);
        let pairs = query.split('&').filter(|pair| {
            !pair.is_empty() && !pair.starts_with("c=") && !pair.starts_with("flash=")
        });
        let all = std::iter::once(path).chain(pairs);
        all.map(str::to_owned).collect()
    };
    list(one) == list(other)
}

/// Puts the list of another page of the same queue into ours.
pub fn merge(desk: &Desk, page: &Document, new: New) {
    if dom::find("#list").is_none() {
        return;
    }
    let theirs = dom::elements(page.query_selector_all("#list li[data-id]"));
    let ours = rows();
    let listed: HashSet<String> = theirs.iter().filter_map(paint::id_of).collect();
    let stays = |row: &Element| paint::id_of(row).is_some_and(|id| listed.contains(&id));
    let arrived = if new == New::Show || !ours.iter().any(stays) {
        show_all(desk, page);
        0
    } else {
        // Behind the last row of a page more may follow: there it says nothing about our rows, nor are its own news.
        let (ours_go_on, theirs_go_on) = (dom::find(MORE).is_some(), page.query_selector(MORE));
        let end = match theirs_go_on {
            Ok(Some(_)) => ours.iter().rposition(stays).map_or(0, |at| at + 1),
            _ => ours.len(),
        };
        for row in ours[..end].iter().filter(|row| !stays(row)) {
            leave(desk, row);
        }
        redraw_around(page);
        take_in(desk, &theirs, ours_go_on)
    };
    tell_arrived(arrived);
    count_picked();
}

/// The whole list as it is now; what is picked stays so.
fn show_all(desk: &Desk, page: &Document) {
    let picked = picked();
    dom::swap_keeping_focus(page, "list");
    for row in rows() {
        if let Some(pick) = pick(&row).filter(|pick| picked.contains(&pick.value())) {
            pick.set_checked(true);
        }
    }
    know_all(desk);
}

/// Draws rows anew and takes in those that are no news: what was in the list before and waits again, and, where our list goes on,
/// what comes up at its end. Answers how many are.
fn take_in(desk: &Desk, theirs: &[Element], ours_go_on: bool) -> usize {
    let mut arrived = 0;
    // From the end, so that whatever follows a row is in its place already.
    let mut follows: Option<Element> = None;
    let mut at_end = ours_go_on;
    for theirs in theirs.iter().rev() {
        let Some(id) = paint::id_of(theirs) else {
            continue;
        };
        if let Some(ours) = paint::row(&id) {
            redraw(&ours, theirs);
            follows = Some(ours);
            at_end = false;
        } else if let Some(before) = gave_way_to(desk, &id) {
            insert(theirs, Some(&before));
        } else if at_end || desk.with(|memory| memory.known.contains(&id)) {
            follows = insert(theirs, follows.as_ref()).or(follows);
            desk.with(|memory| memory.known.insert(id));
        } else {
            arrived += 1;
        }
    }
    arrived
}

/// What followed the row that a decision took out last, where that row comes back. Reopened, it waits anew and so stands at the end of
/// the server's list; but the reader is here.
fn gave_way_to(desk: &Desk, id: &str) -> Option<Element> {
    let left = desk.with(|memory| memory.left.take_if(|left| left.id == id))?;
    Some(left.before).filter(|before| before.is_connected())
}

/// A row leaves; where it was open, what follows it is where the reader stands.
pub fn leave(desk: &Desk, row: &Element) {
    if paint::open_row().is_some_and(|open| open == *row) {
        let place = row
            .next_element_sibling()
            .or_else(|| row.previous_element_sibling());
        desk.with(|memory| memory.place = place);
    }
    if let Some(id) = paint::id_of(row) {
        desk.with(|memory| memory.fetched.remove(&id));
    }
    row.remove();
    count_picked();
}

/// Draws a row anew where it says something else. It stays open, focused and picked; what changed since it was picked is not.
fn redraw(ours: &Element, theirs: &Element) {
    let open = ours.query_selector("a[aria-current]").ok().flatten();
    if let Ok(Some(link)) = theirs.query_selector("a") {
        let _ = match open {
            Some(_) => link.set_attribute("aria-current", "true"),
            None => link.remove_attribute("aria-current"),
        };
    }
    if ours.inner_html() == theirs.inner_html() {
        return;
    }
    let before = pick(ours).map(|pick| (pick.value(), pick.checked()));
    let focused = dom::document().active_element();
    let focused = focused.filter(|focused| ours.contains(Some(focused)));
    ours.set_inner_html(&theirs.inner_html());
    if let (Some((value, checked)), Some(pick)) = (before, pick(ours))
        && pick.value() == value
    {
        pick.set_checked(checked || pick.checked());
    }
    let again = focused.map(|focused| {
        if focused.tag_name() == "INPUT" {
            "input"
        } else {
            "a"
        }
    });
    if let Some(again) = again.and_then(|again| ours.query_selector(again).ok().flatten()) {
        dom::focus_still(&again);
    }
}

/// Draws what stands above and below the rows anew.
fn redraw_around(page: &Document) {
    let (Some(ours), Some(theirs)) = (dom::find("#list"), page.get_element_by_id("list")) else {
        return;
    };
    let around = |list: &Element| dom::all_in(list, ":scope > :not(ol)");
    let says = |parts: &[Element]| -> String { parts.iter().map(Element::outer_html).collect() };
    let (before, after) = (around(&ours), around(&theirs));
    if says(&before) == says(&after) {
        return;
    }
    for part in before {
        part.remove();
    }
    let Ok(Some(rows)) = ours.query_selector("ol") else {
        return;
    };
    for part in after {
        let above = part.next_element_sibling().is_some();
        let at = if above { Some(&rows) } else { None };
        if let Ok(part) = dom::document().import_node_with_deep(&part, true) {
            let _ = ours.insert_before(&part, at.map(AsRef::as_ref));
        }
    }
}

fn insert(theirs: &Element, before: Option<&Element>) -> Option<Element> {
    let list = dom::find("#list ol")?;
    let row = dom::document().import_node_with_deep(theirs, true).ok()?;
    let before = before.map(AsRef::as_ref);
    let row: Element = list.insert_before(&row, before).ok()?.dyn_into().ok()?;
    // Which row is open, this page says itself.
    if let Ok(Some(open)) = row.query_selector("a[aria-current]") {
        let _ = open.remove_attribute("aria-current");
    }
    Some(row)
}

fn tell_arrived(count: usize) {
    let Some(place) = dom::find("#arrived") else {
        return;
    };
    if count == 0 {
        if place.first_element_child().is_some() {
            place.set_inner_html("");
        }
        return;
    }
    if place.first_element_child().is_none()
        && let Some(button) = dom::find("template#arrivals")
    {
        place.set_inner_html(&button.inner_html());
    }
    if let Ok(Some(figure)) = place.query_selector("[data-count]") {
        dom::set_figure(&figure, "data-count", count);
    }
}

/// Shows what came in.
pub fn show_new(desk: &Desk) {
    desk.with(|memory| {
        memory.wants_new = true;
        memory.looked_at = 0.0;
    });
    look::told(desk);
}

/// The row a reader stands at: the open one, else where it was.
pub fn here(desk: &Desk) -> Option<Element> {
    paint::open_row().or_else(|| {
        let place = desk.with(|memory| memory.place.clone());
        place.filter(|place| place.is_connected())
    })
}

/// Its box for picking.
pub fn pick(row: &Element) -> Option<HtmlInputElement> {
    let pick = row.query_selector("input[name=pick]").ok().flatten();
    pick?.dyn_into().ok()
}

/// Picks every row from the one that was picked last to the open one.
pub fn pick_range(desk: &Desk) {
    let Some(open) = paint::open_row() else {
        return;
    };
    let anchor = desk.with(|memory| memory.anchor.clone());
    let rows = rows();
    let at = |wanted: &Element| rows.iter().position(|row| row == wanted);
    let Some(to) = at(&open) else { return };
    let from = anchor
        .and_then(|anchor| at(&paint::row(&anchor)?))
        .unwrap_or(to);
    for pick in rows[from.min(to)..=from.max(to)].iter().filter_map(pick) {
        pick.set_checked(true);
    }
    if let Some(pick) = pick(&open) {
        let bubbles = EventInit::new();
        bubbles.set_bubbles(true);
        if let Ok(changed) = Event::new_with_event_init_dict("change", &bubbles) {
            let _ = pick.dispatch_event(&changed);
        }
    }
}

fn picked() -> Vec<String> {
    let picks = rows();
    let picks = picks.iter().filter_map(pick);
    picks
        .filter(HtmlInputElement::checked)
        .map(|pick| pick.value())
        .collect()
}

/// Says how many are picked, in the list or elsewhere, where the page has a place for it.
fn count_picked() {
    if let Some(figure) = dom::find("[data-picked]") {
        let picked = dom::all("input[name=pick]:is(:checked, [type=hidden])");
        dom::set_figure(&figure, "data-picked", picked.len());
    }
}
