//! Looking again: what came into the queue or left it elsewhere shows in the list and the figures, when the page comes into view,
//! when others did something, and every so often. Nobody is disturbed by it: the candidate in view and the focus stay. While a form is
//! open, something is typed or sent, only news of others bring a look, and the panes are left alone.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Document, Event, Window, js_sys::Date};

use super::{dom, list, list::New, live, paint, send, state::Desk, view};

/// How often a page in view looks again, in milliseconds.
const EVERY: i32 = 15_000;

/// How often it does so with nobody there (half an hour): a screen that was left alone must not keep its session awake.
const UNATTENDED: u32 = 120;

/// How often news are looked at, at most, in milliseconds.
const PACE: f64 = 1_000.0;

/// Looks again from now on; a page without a list has nothing to look for but its claim.
pub fn listen(desk: &Desk) {
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
        timed.with(|memory| memory.unattended += 1);
        if is_attended(&timed) && idle(&timed) {
            look(&timed);
        }
        live::take_turn(&timed);
    });
    dom::every(EVERY, tick);
}

pub fn is_attended(desk: &Desk) -> bool {
    desk.with(|memory| memory.unattended <= UNATTENDED)
}

fn attended(desk: &Desk) {
    desk.with(|memory| memory.unattended = 0);
    if idle(desk) {
        look(desk);
    } else {
        hear_out(desk);
    }
}

/// Others did something: looks as soon as it may.
pub fn told(desk: &Desk) {
    desk.with(|memory| memory.told = true);
    hear_out(desk);
}

/// Looks where others did something since the last look. Many things within a second are one look.
pub fn hear_out(desk: &Desk) {
    let told = desk.with(|memory| memory.told && !memory.looking && memory.wanted.is_none());
    if !told || desk.sends() || !view::visible() || !is_attended(desk) {
        return;
    }
    let waits = desk.with(|memory| PACE - (Date::now() - memory.looked_at));
    if waits > 0.0 {
        let later = desk.clone();
        dom::later(waits as i32, move || hear_out(&later));
        return;
    }
    look(desk);
}

/// Fetches this page once more.
fn look(desk: &Desk) {
    let Some(address) = paint::here().filter(|_| view::visible()) else {
        return;
    };
    if desk.with(|memory| std::mem::replace(&mut memory.looking, true)) {
        return;
    }
    desk.with(|memory| {
        memory.told = false;
        memory.looked_at = Date::now();
    });
    let submitted = desk.with(|memory| memory.submitted);
    let desk = desk.clone();
    spawn_local(async move {
        let page = paint::get(&address).await;
        desk.with(|memory| memory.looking = false);
        // A list from before a decision would bring back what was decided, one of another address what is not asked for.
        let fresh = desk.with(|memory| memory.submitted == submitted && memory.wanted.is_none());
        let fresh = fresh && dom::address().is_some_and(|now| list::same(&now, &address));
        match page {
            Some(page) if fresh => put(&desk, &page),
            Some(_) => desk.with(|memory| memory.told = true),
            None => {}
        }
        hear_out(&desk);
    });
}

/// Whether nobody is in the middle of something.
fn idle(desk: &Desk) -> bool {
    let waits = desk.with(|memory| memory.wanted.is_some() || !memory.pressed.is_empty());
    !busy() && !waits && !desk.sends()
}

fn busy() -> bool {
    dom::open_details().is_some() || types()
}

/// Whether something is typed or chosen.
pub fn types() -> bool {
    let types = "dialog[open], :is(input:not([type=checkbox]), textarea, select):focus";
    dom::find(types).is_some()
}

fn put(desk: &Desk, page: &Document) {
    let Some(panes) = paint::panes(page) else {
        // The sign-in: the session is over. Another page than a desk is an error, which the next thing that is pressed says.
        if send::page_is_of_sign_in(page) {
            over(desk);
        }
        return;
    };
    if desk.with(|memory| std::mem::take(&mut memory.over)) {
        dom::set_flash("");
    }
    let somewhere = !dom::lost();
    dom::swap_regions(page, None);
    let new = if desk.with(|memory| std::mem::take(&mut memory.wants_new)) {
        New::Show
    } else {
        New::Wait
    };
    list::merge(desk, page, new);
    dom::document().set_title(&page.title());
    match paint::current() {
        Some(id) => {
            let row = paint::row(&id);
            paint::mark(row.as_ref());
            // Others decided what is in view: the pane says who and how, unless somebody is at its forms.
            let decided =
                row.is_none() && paint::can_decide(&dom::document()) && !paint::can_decide(page);
            if decided && !busy() && paint::current_of(page) == Some(id) {
                paint::show(desk, &panes);
            }
        }
        None if !busy() => {
            paint::show(desk, &panes);
            paint::mark_current();
        }
        None => {}
    }
    desk.with(|memory| memory.fetched.retain(|id, _| paint::row(id).is_some()));
    // What had the focus may have left.
    if somewhere {
        paint::keep_focus();
    }
    paint::fetch_ahead(desk);
}

/// Says that the session is over. What was typed stays; signed in again in another tab, one goes on here.
pub fn over(desk: &Desk) {
    desk.with(|memory| {
        memory.over = true;
        memory.pressed.clear();
    });
    if let Some(line) = dom::find("template#over") {
        dom::set_flash(&line.inner_html());
    }
}
