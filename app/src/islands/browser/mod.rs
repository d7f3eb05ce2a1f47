//! The desk in the browser; and of every other page the palette, with the keys that lead elsewhere.
//!
//! In order: a key presses a button of the page ([`press`], or one that is chosen in the [`palette`]); a form that is submitted inside
//! the desk is sent by `fetch`, one after the other ([`send`]); meanwhile the next candidate, fetched before it is needed, is painted
//! ([`paint`]). What is pressed before a candidate is there waits in line and is pressed when it is. The server's answer wins: it
//! brings the list ([`list`]), the message and, where nothing newer was painted, the candidate.
//!
//! One desk of the browser hears from the server what others do and tells the rest ([`live`]); then, and every so often, the queue is
//! looked at again ([`look`]). How long a candidate was in view goes with its decision ([`view`]); what is claimed stays claimed while
//! its desk is in view ([`claim`]). On a narrow screen the browser's own way back leads from a candidate to the list ([`back`]).

mod back;
mod claim;
mod dom;
mod list;
mod live;
mod look;
mod paint;
mod palette;
mod press;
mod send;
mod state;
mod view;
mod zone;

/// Starts this page: listeners, at a desk the first fetches, and the sign that it is ready.
pub fn start() {
    let Some(desk) = state::Desk::find() else {
        return;
    };
    zone::tell();
    press::listen(&desk);
    palette::listen(&desk);
    if desk.is_here() {
        send::listen(&desk);
        list::listen(&desk);
        view::listen(&desk);
        claim::listen(&desk);
        look::listen(&desk);
        live::listen(&desk);
        back::listen(&desk);
        send::settle(&desk);
    }
    let _ = dom::body().set_attribute("data-ready", "");
}
