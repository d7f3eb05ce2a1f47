//! What the desk remembers between two events.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet, VecDeque},
    rc::Rc,
};

use web_sys::{BroadcastChannel, DocumentFragment, Element, UrlSearchParams};

use super::{dom, view::View};
use crate::keys::{Action, Keys};

/// The two panes of a candidate, as the server drew them.
#[derive(Clone)]
pub struct Panes {
    pub candidate: String,
    pub evidence: String,
}

/// The place of the row that a decision took out of the list last: an undo gives it back.
pub struct Left {
    /// Its candidate.
    pub id: String,
    /// The row that followed it.
    pub before: Element,
}

/// What left the page when a decision was painted before it was answered: to be put back where the server cannot be reached.
pub struct Taken {
    /// The row of the list.
    pub row: Element,
    /// The row that followed it.
    pub before: Option<Element>,
    /// Its panes.
    pub panes: Unsent,
}

/// The panes of a candidate whose decision did not arrive.
pub struct Unsent {
    /// The candidate's pane, with what was typed into its forms.
    pub candidate: DocumentFragment,
    /// The pane of its evidence.
    pub evidence: DocumentFragment,
}

/// A form on its way to the server.
pub struct Post {
    /// Where it goes.
    pub action: String,
    /// Its fields.
    pub fields: UrlSearchParams,
    /// What left the page for it.
    pub taken: Option<Taken>,
    /// Whether its answer leaves the panes alone.
    pub quiet: bool,
}

/// The candidate that the desk waits for.
#[derive(Clone, PartialEq)]
pub enum Wanted {
    /// This one.
    Candidate(String),
    /// Whatever the server's answer to the last form brings.
    Answer,
}

/// The memory.
#[derive(Default)]
pub struct Memory {
    /// Panes fetched before they are needed, by candidate.
    pub fetched: HashMap<String, Panes>,
    /// Panes of candidates whose decision did not arrive, until they are opened again.
    pub unsent: HashMap<String, Unsent>,
    /// Candidates whose panes are being fetched.
    pub fetching: HashSet<String>,
    /// Forms that wait for the one that is being sent.
    pub posts: VecDeque<Post>,
    /// Whether a form is being sent.
    pub sending: bool,
    /// How many forms were submitted so far.
    pub submitted: u32,
    /// Whether the queue is being looked at again.
    pub looking: bool,
    /// How often it was since anybody touched the page.
    pub unattended: u32,
    /// What to paint as soon as it is there.
    pub wanted: Option<Wanted>,
    /// What was pressed meanwhile, in order.
    pub pressed: VecDeque<Action>,
    /// The message of a refusal while later decisions were still on their way.
    pub refusal: Option<String>,
    /// The countdown that runs.
    pub countdown: Option<i32>,
    /// The first of two keys.
    pub begun: Option<String>,
    /// Every candidate whose row was in the list.
    pub known: HashSet<String>,
    /// Where the reader stands while no row is open: the row that followed the one that left, or that was open before.
    pub place: Option<Element>,
    /// Where the row was that left last.
    pub left: Option<Left>,
    /// The candidate that was picked last.
    pub anchor: Option<String>,
    /// Whether others did something since the queue was looked at.
    pub told: bool,
    /// Whether the reader wants to see what came in.
    pub wants_new: bool,
    /// When it was looked at last, in milliseconds.
    pub looked_at: f64,
    /// Whether the session is over.
    pub over: bool,
    /// Candidates that were decided here, of which the stream will tell.
    pub mine: HashSet<String>,
    /// The way to the other desks of this browser.
    pub channel: Option<BroadcastChannel>,
    /// Whether this desk holds the stream or waits to.
    pub waits_for_turn: bool,
    /// How long the candidate is in view.
    pub view: View,
}

/// The desk: its element and its memory. On any other page it is the body, and there is nothing to decide.
#[derive(Clone)]
pub struct Desk {
    pub root: Element,
    /// The keys of the reader.
    pub keys: Rc<Keys>,
    memory: Rc<RefCell<Memory>>,
}

impl Desk {
    /// The desk of this page.
    pub fn find() -> Option<Self> {
        let keys = dom::find("#palette")?.get_attribute("data-keys")?;
        Some(Self {
            root: dom::find("#desk").unwrap_or_else(|| dom::body().into()),
            keys: Rc::new(Keys::read(&keys)),
            memory: Rc::default(),
        })
    }

    /// Whether the page is a desk. Any other has the palette, and the keys that lead elsewhere.
    pub fn is_here(&self) -> bool {
        self.root.id() == "desk"
    }

    /// Looks into the memory or changes it; nothing inside `look` may come back here.
    pub fn with<T>(&self, look: impl FnOnce(&mut Memory) -> T) -> T {
        look(&mut self.memory.borrow_mut())
    }

    /// Whether a decision is on its way.
    pub fn sends(&self) -> bool {
        self.with(|memory| memory.sending || !memory.posts.is_empty())
    }
}
