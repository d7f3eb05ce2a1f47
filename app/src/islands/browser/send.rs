//! Forms: sent by `fetch`, one after the other, in the order they were submitted. The answer is a page; its parts are put in
//! place, and where a decision was refused, the candidate comes back with the reason.

use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Document, Element, FormData, HtmlButtonElement, HtmlElement, HtmlFormElement, RequestInit,
    Response, SubmitEvent, UrlSearchParams,
};

use super::{
    claim, dom, list,
    list::New,
    look, paint, press,
    state::{Desk, Left, Post, Taken, Unsent, Wanted},
    view,
};

/// Listens for forms that are submitted in the desk.
pub fn listen(desk: &Desk) {
    let posts = desk.clone();
    dom::listen(&desk.root, "submit", move |event: SubmitEvent| {
        let form = event.target().and_then(|target| target.dyn_into().ok());
        let Some(form): Option<HtmlFormElement> = form else {
            return;
        };
        if form.method() != "post" {
            return;
        }
        let Some(fields) = fields(&form, event.submitter()) else {
            return;
        };
        event.prevent_default();
        submit(&posts, &form, fields);
    });
}

fn fields(form: &HtmlFormElement, pressed: Option<HtmlElement>) -> Option<UrlSearchParams> {
    let data = FormData::new_with_form(form).ok()?;
    let fields = UrlSearchParams::new_with_str_sequence_sequence(&data).ok()?;
    if let Some(button) = pressed.and_then(|button| button.dyn_into::<HtmlButtonElement>().ok())
        && !button.name().is_empty()
    {
        fields.append(&button.name(), &button.value());
    }
    Some(fields)
}

fn submit(desk: &Desk, form: &HtmlFormElement, fields: UrlSearchParams) {
    let action = form.get_attribute("action").unwrap_or_default();
    if claim::is_of_a_claim(&action) {
        put(desk, action, fields, None, true);
        return;
    }
    let decided = decided(&action);
    if let Some(id) = decided {
        fields.set("took", &view::took(desk).to_string());
        desk.with(|memory| memory.mine.insert(id.to_owned()));
    }
    let row = decided.and_then(paint::row);
    let here = list::here(desk);
    // What is not in the list, because it came back to the end of a longer one, leads to where the reader stands in it.
    if decided.is_some()
        && row.is_none()
        && let Some(here) = here.as_ref().and_then(paint::href)
    {
        fields.set("next", &here);
    }
    let taken = row.and_then(|row| take(desk, &row, &fields));
    if taken.is_none() {
        desk.with(|memory| {
            memory.wanted = Some(Wanted::Answer);
            memory.place = here;
        });
        paint::busy(true);
    }
    put(desk, action, fields, taken, false);
    paint::keep_focus();
}

/// Claims at an address, without a word: the answer changes the regions of the page and nothing else.
pub fn quietly(desk: &Desk, action: String) {
    let Ok(fields) = UrlSearchParams::new() else {
        return;
    };
    fields.set("quiet", "1");
    if let Some(here) = paint::here() {
        fields.set("next", &here);
    }
    put(desk, action, fields, None, true);
}

fn put(desk: &Desk, action: String, fields: UrlSearchParams, taken: Option<Taken>, quiet: bool) {
    desk.with(|memory| {
        memory.submitted += 1;
        memory.posts.push_back(Post {
            action,
            fields,
            taken,
            quiet,
        });
    });
    pump(desk);
}

/// The candidate that a form approves or rejects.
fn decided(action: &str) -> Option<&str> {
    let (id, verb) = action.strip_prefix("/candidates/")?.split_once('/')?;
    matches!(verb, "approve" | "reject").then_some(id)
}

/// Paints a decision before it is answered: the row leaves, the next candidate takes its place. `None` where none is left in
/// the list; then the answer brings what comes next.
fn take(desk: &Desk, row: &Element, fields: &UrlSearchParams) -> Option<Taken> {
    let before = row.next_element_sibling();
    let Some(next) = before.clone().or_else(|| row.previous_element_sibling()) else {
        // Where its form would lead, as it was drawn, may have been decided since.
        if let Some(list) = dom::find("a.back").and_then(|back| back.get_attribute("href")) {
            fields.set("next", &list);
        }
        return None;
    };
    if let Some(href) = paint::href(&next) {
        fields.set("next", &href);
    }
    if let Some(id) = paint::id_of(row) {
        desk.with(|memory| {
            memory.fetched.remove(&id);
            memory.left = before.clone().map(|before| Left { id, before });
        });
    }
    let taken = Taken {
        row: row.clone(),
        before,
        panes: Unsent {
            candidate: empty("candidate")?,
            evidence: empty("evidence")?,
        },
    };
    // Should it come back, another row is the open one.
    paint::mark(None);
    row.remove();
    paint::open(desk, &next);
    Some(taken)
}

/// Takes the content of a pane out of the page, as it is.
fn empty(id: &str) -> Option<web_sys::DocumentFragment> {
    let pane = dom::document().get_element_by_id(id)?;
    let fragment = dom::document().create_document_fragment();
    while let Some(child) = pane.first_child() {
        fragment.append_child(&child).ok()?;
    }
    Some(fragment)
}

fn pump(desk: &Desk) {
    let post = desk.with(|memory| {
        if memory.sending {
            return None;
        }
        let post = memory.posts.pop_front();
        memory.sending = post.is_some();
        post
    });
    let Some(post) = post else { return };
    let desk = desk.clone();
    spawn_local(async move {
        let answer = send(&post).await;
        desk.with(|memory| memory.sending = false);
        match answer {
            Some((page, _)) if page_is_of_sign_in(&page) => {
                put_back(&desk, post);
                look::over(&desk);
            }
            Some((page, _)) if post.quiet => land_quietly(&desk, &post.action, &page),
            Some((page, address)) => land(&desk, &post.action, &page, &address),
            // A claim that could not be kept runs out; nothing was asked for.
            None if post.quiet => {}
            None => {
                put_back(&desk, post);
                if let Some(line) = dom::find("template#offline") {
                    dom::set_flash(&line.inner_html());
                }
            }
        }
        pump(&desk);
        settle(&desk);
        press::drain(&desk);
        look::hear_out(&desk);
    });
}

/// Whether a page is the sign-in: the session is over.
pub fn page_is_of_sign_in(page: &Document) -> bool {
    let form = page.query_selector("form[action=\"/login\"]");
    form.is_ok_and(|form| form.is_some())
}

async fn send(post: &Post) -> Option<(Document, String)> {
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_body(&post.fields);
    let sent = dom::window().fetch_with_str_and_init(&post.action, &init);
    let response: Response = JsFuture::from(sent).await.ok()?.dyn_into().ok()?;
    let html: JsValue = JsFuture::from(response.text().ok()?).await.ok()?;
    Some((dom::parse(&html.as_string()?)?, response.url()))
}

/// Puts the parts of an answer in place.
fn land(desk: &Desk, sent: &str, page: &Document, address: &str) {
    let Some(panes) = paint::panes(page) else {
        // Another page than a desk: signed out, or an error. It is shown as it is.
        let _ = dom::window().location().assign(address);
        return;
    };
    let failed = page
        .get_element_by_id("flash")
        .is_some_and(|flash| flash.has_attribute("data-failed"));
    if failed {
        // What was pressed after it was meant for what was in view then.
        desk.with(|memory| {
            memory.pressed.clear();
            memory.mine.clear();
        });
    }
    let last = desk.with(|memory| memory.posts.is_empty());
    if !last {
        // The list of this answer still holds what later forms decide.
        if failed && let Some(flash) = page.get_element_by_id("flash") {
            desk.with(|memory| memory.refusal = Some(flash.inner_html()));
        }
        return;
    }
    dom::swap_regions(page, Some(sent));
    // An answer that leads to another list than ours brings all of it.
    let new = match dom::address() {
        Some(ours) if list::same(&ours, address) => New::Wait,
        _ => New::Show,
    };
    list::merge(desk, page, new);
    dom::swap(page, "flash");
    if let Some(refusal) = desk.with(|memory| memory.refusal.take()) {
        dom::set_flash(&refusal);
    }
    dom::document().set_title(&page.title());
    let answered = desk.with(|memory| memory.wanted.take_if(|wanted| *wanted == Wanted::Answer));
    let typing = dom::open_details().is_some();
    if answered.is_some() || (failed && !typing) {
        desk.with(|memory| memory.wanted = None);
        let before = paint::current();
        paint::show(desk, &panes);
        paint::mark_current();
        dom::set_address(address);
        if failed {
            paint::focus_refusal();
        } else if paint::current() != before {
            paint::follow();
        }
        return;
    }
    // What was painted meanwhile stays: it is what the person looks at.
    let shown = desk
        .with(|memory| match &memory.wanted {
            Some(Wanted::Candidate(id)) => Some(id.clone()),
            _ => None,
        })
        .or_else(paint::current);
    let row = shown.as_deref().and_then(paint::row);
    paint::mark(row.as_ref());
}

/// After a claim came or went: the panes stay as they are.
fn land_quietly(desk: &Desk, sent: &str, page: &Document) {
    if paint::panes(page).is_none() {
        return;
    }
    dom::swap_regions(page, Some(sent));
    if desk.with(|memory| memory.posts.is_empty()) {
        list::merge(desk, page, New::Wait);
    }
    let says = page.query_selector("#flash > *");
    if says.is_ok_and(|says| says.is_some()) {
        dom::swap(page, "flash");
    }
}

/// The form did not arrive: what left the page for it comes back, with what was typed.
fn put_back(desk: &Desk, post: Post) {
    if post.quiet {
        return;
    }
    desk.with(|memory| {
        memory.pressed.clear();
        memory.mine.clear();
        memory.wanted = None;
    });
    paint::busy(false);
    let Some(taken) = post.taken else { return };
    if let Some(list) = dom::find("#list ol") {
        let before = taken.before.filter(|row| row.is_connected());
        let _ = list.insert_before(&taken.row, before.as_deref());
    }
    if let Some(id) = paint::id_of(&taken.row) {
        desk.with(|memory| memory.unsent.insert(id, taken.panes));
    }
    // Whoever types into another candidate meanwhile is not torn out of it; the row waits for them.
    if dom::open_details().is_none() {
        paint::open(desk, &taken.row);
    }
}

/// After the page has come or changed: the address is true, the focus has a place, what comes next is fetched, and an undo
/// counts down.
pub fn settle(desk: &Desk) {
    if let Some(address) = dom::address() {
        dom::set_address(&address);
    }
    paint::keep_focus();
    paint::fetch_ahead(desk);
    count_down(desk);
}

/// Lets the message with an undo leave after its time. It rests while it is pointed at or holds the focus.
fn count_down(desk: &Desk) {
    if let Some(before) = desk.with(|memory| memory.countdown.take()) {
        dom::window().clear_interval_with_handle(before);
    }
    let Some(figure) = dom::find("#flash [data-seconds]") else {
        return;
    };
    let desk_of_tick = desk.clone();
    let tick = Closure::<dyn FnMut()>::new(move || {
        let held = dom::find("#flash:hover, #flash:focus-within").is_some();
        if !held {
            tick(&desk_of_tick, &figure);
        }
    });
    let handle = dom::window().set_interval_with_callback_and_timeout_and_arguments_0(
        tick.as_ref().unchecked_ref(),
        1000,
    );
    // Freed with the page; one small closure a message.
    tick.forget();
    desk.with(|memory| memory.countdown = handle.ok());
}

fn tick(desk: &Desk, figure: &Element) {
    let seconds: usize = figure
        .get_attribute("data-seconds")
        .and_then(|seconds| seconds.parse().ok())
        .unwrap_or_default();
    if seconds <= 1 {
        if let Some(handle) = desk.with(|memory| memory.countdown.take()) {
            dom::window().clear_interval_with_handle(handle);
        }
        dom::set_flash("");
        return;
    }
    // The server wrote the figure in the reader's language; only the number changes.
    dom::set_figure(figure, "data-seconds", seconds - 1);
}
