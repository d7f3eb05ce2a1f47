//! Looking again: what came into the queue or left it elsewhere shows in the list and the figures, when the page comes into view
//! and every so often while it is. Nobody is disturbed by it: the candidate in view and the focus stay, and while a form is open,
//! something is typed or sent, nothing happens.

use wasm_bindgen::{JsCast, prelude::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Document, Event, VisibilityState, Window};

use super::{dom, paint, state::Desk};

/// How often a page in view looks again, in milliseconds.
const EVERY: i32 = 15_000;

/// How often it does so with nobody there (half an hour): a screen that was left alone must not keep its session awake.
const UNATTENDED: u32 = 120;

/// Looks again from now on; a page without a list has nothing to look for.
pub fn listen(desk: &Desk) {
    if dom::find("#list").is_none() {
        return;
    }
    for touched in ["keydown", "pointerdown", "wheel"] {
        let desk = desk.clone();
        dom::listen(&dom::document(), touched, move |_: Event| {
            desk.with(|memory| memory.unattended = 0);
        });
    }
    let shown = desk.clone();
    dom::listen(&dom::document(), "visibilitychange", move |_: Event| {
        attended(&shown);
    });
    let focused = desk.clone();
    dom::listen(&dom::window(), "focus", move |event: Event| {
        // That of an element passes here too, on its way down.
        let ours = event
            .target()
            .is_some_and(|target| target.has_type::<Window>());
        if ours {
            attended(&focused);
        }
    });
    let timed = desk.clone();
    let tick = Closure::<dyn FnMut()>::new(move || {
        let attended = timed.with(|memory| {
            memory.unattended += 1;
            memory.unattended <= UNATTENDED
        });
        if attended {
            look(&timed);
        }
    });
    let _ = dom::window().set_interval_with_callback_and_timeout_and_arguments_0(
        tick.as_ref().unchecked_ref(),
        EVERY,
    );
    // The desk lives as long as its page.
    tick.forget();
}

fn attended(desk: &Desk) {
    desk.with(|memory| memory.unattended = 0);
    look(desk);
}

/// Fetches this page once more.
fn look(desk: &Desk) {
    let seen = dom::document().visibility_state() == VisibilityState::Visible;
    let Some(address) = dom::address().filter(|_| seen && idle(desk)) else {
        return;
    };
    let begun = desk.with(|memory| !std::mem::replace(&mut memory.looking, true));
    if !begun {
        return;
    }
    let submitted = desk.with(|memory| memory.submitted);
    let desk = desk.clone();
    spawn_local(async move {
        let page = paint::get(&address).await;
        desk.with(|memory| memory.looking = false);
        // A list from before a decision would bring back what was decided.
        let fresh = desk.with(|memory| memory.submitted == submitted);
        if let Some(page) = page
            && fresh
            && idle(&desk)
        {
            put(&desk, &page);
        }
    });
}

/// Whether nobody is in the middle of something.
fn idle(desk: &Desk) -> bool {
    let busy =
        dom::find("#candidate details[open], dialog[open], :is(input, textarea, select):focus");
    let waits = desk.with(|memory| memory.wanted.is_some() || !memory.pressed.is_empty());
    busy.is_none() && !waits && !desk.sends()
}

fn put(desk: &Desk, page: &Document) {
    // Another page than a desk: signed out, or an error. The next thing that is pressed says so.
    let Some(panes) = paint::panes(page) else {
        return;
    };
    let somewhere = !dom::lost();
    dom::swap_regions(page);
    dom::document().set_title(&page.title());
    match paint::current() {
        Some(id) => paint::mark(paint::row(&id).as_ref()),
        None => paint::show(&panes),
    }
    desk.with(|memory| memory.fetched.retain(|id, _| paint::row(id).is_some()));
    // What had the focus may have left.
    if somewhere {
        paint::keep_focus();
    }
    paint::fetch_ahead(desk);
}
