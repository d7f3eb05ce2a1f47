//! Decisions by the hundred: the bar of the queue, the page that asks before all that match is decided, and `/bulks`.

mod asked;
mod flash;
mod shown;

pub use self::{
    asked::{all, ask, picked, stop, undo_all},
    flash::{line, link, more, standing, undo},
    shown::{list, show},
};
