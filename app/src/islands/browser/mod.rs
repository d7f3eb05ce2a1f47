//! The desk in the browser.
//!
//! In order: a key presses a button of the page ([`press`]); a form that is submitted inside the desk is sent by `fetch`, one
//! after the other ([`send`]); meanwhile the next candidate, fetched before it is needed, is painted ([`paint`]). What is
//! pressed before a candidate is there waits in line and is pressed when it is. The server's answer wins: it brings the list,
//! the message and, where nothing newer was painted, the candidate. Between decisions the queue is looked at again ([`look`]).

mod dom;
mod look;
mod paint;
mod press;
mod send;
mod state;
mod zone;

/// Starts the desk of this page: listeners, the first fetches, and the sign that it is ready.
pub fn start() {
    let Some(desk) = state::Desk::find() else {
        return;
    };
    zone::tell();
    press::listen(&desk);
    send::listen(&desk);
    look::listen(&desk);
    send::settle(&desk);
    let _ = dom::body().set_attribute("data-ready", "");
}
