//! `/requests` and `/requests/{id}`: people who ask for what is kept of them, or to be erased (G5), from the form to the proof.

mod one;
mod proof;

use domain::{
    Timestamp,
    id::{ExportId, RequestId, UserId},
    request::{FoundBy, RequestOutcome, RequestSort},
};
use leptos::prelude::*;

pub use self::{one::request, proof::proof};
use super::sheet::Event;
use crate::{
    components::{
        bar::address,
        empty::empty,
        form::{Control, Field, Typed, agent_choice, field},
        table::{Caption, Head, Row, table},
        time::{date, span},
    },
    shell::{Frame, page},
};

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Which.
    pub id: RequestId,
    /// What is asked for.
    pub sort: RequestSort,
    /// Where the person is looked for; `None`: in all agents.
    pub agent: Option<String>,
    /// Who asks; `None`: that is forgotten.
    pub who: Option<String>,
    /// The agents' own name of them, to ask for an export by.
    pub user_id: Option<String>,
    /// Words by which others speak of them.
    pub words: Option<String>,
    /// What was noted.
    pub note: Option<String>,
    /// When it came in.
    pub received_at: Timestamp,
    /// By when it must be answered.
    pub due_at: Timestamp,
    /// Whether it is open and past that.
    pub overdue: bool,
    /// Who registered it.
    pub by: String,
    /// When.
    pub created_at: Timestamp,
    /// The export that was handed out, and when that was noted.
    pub copied: Option<(ExportId, Timestamp)>,
    /// How it ended.
    pub closed: Option<Closed>,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// How.
    pub outcome: RequestOutcome,
    /// What was written.
    pub note: Option<String>,
    /// By whom.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// What the list shows.
#[derive(Debug, Clone)]
pub struct Requests {
    /// A page of it, newest first.
    pub rows: Vec<Request>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// Whether the person may be looked for in all of them.
    pub may_all: bool,
    /// What was typed.
    pub typed: Typed,
}

/// What was found of somebody in an agent.
#[derive(Debug, Clone)]
pub struct InAgent {
    /// The agent.
    pub agent: String,
    /// Users.
    pub users: i64,
    /// Of them, those who are erased.
    pub erased: i64,
    /// Memories and proposals of others.
    pub elsewhere: i64,
}

/// A user that was found.
#[derive(Debug, Clone)]
pub struct FoundUser {
    /// In which agent.
    pub agent: String,
    /// Which.
    pub user: UserId,
    /// As the agent names them; empty: they are erased.
    pub who: String,
    /// By what.
    pub by: FoundBy,
    /// Memories that are served.
    pub approved: i64,
    /// Conversations stored.
    pub conversations: i64,
    /// Whether they are erased.
    pub erased: bool,
    /// When that was.
    pub erased_at: Option<Timestamp>,
}

/// Something that is kept of somebody else.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    /// In which agent.
    pub agent: String,
    /// Its page.
    pub href: Option<String>,
    /// What it says; `None`: it is gone.
    pub content: Option<String>,
}

/// What the page of a request shows.
#[derive(Debug, Clone)]
pub struct Detail {
    /// The request.
    pub request: Request,
    /// How much was found.
    pub found: Vec<InAgent>,
    /// Users.
    pub users: Vec<FoundUser>,
    /// What is kept of others.
    pub elsewhere: Vec<Elsewhere>,
    /// Names that were looked through, and whether those were all.
    pub looked: (i64, bool),
    /// The exports that could have been handed out: id and label.
    pub exports: Vec<(ExportId, String)>,
    /// What was typed.
    pub typed: Typed,
}

/// What the proof of a request shows.
#[derive(Debug, Clone)]
pub struct Proof {
    /// The request.
    pub request: Request,
    /// How much was found.
    pub found: Vec<InAgent>,
    /// Users.
    pub users: Vec<FoundUser>,
    /// What happened, and whether each is signed.
    pub events: Vec<(Event, bool)>,
    /// The sum of the file that was handed out.
    pub sum: Option<String>,
    /// When the newest checkpoint was signed, and its note.
    pub checkpoint: Option<(Timestamp, Option<String>)>,
    /// The public key.
    pub key: String,
    /// Its fingerprint.
    pub fingerprint: String,
}

/// The list, with the form that registers one.
pub fn requests(frame: &Frame, requests: &Requests) -> AnyView {
    let words = &frame.text().requests;
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let list = if requests.rows.is_empty() {
        empty(words.none, words.none_how, None)
    } else {
        listed(frame, requests)
    };
    let content = view! {
        {open(frame, requests)}
        <section id="list">
            <h2>{words.list}</h2>
            {list}
        </section>
    }
    .into_any();
    page(frame, words.title, Some(lead), content)
}

fn open(frame: &Frame, requests: &Requests) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let draw = |one: Field<'_>| field(text, "request", &requests.typed, one);
    let line = |name: &'static str, label: &'static str, hint: &'static str, needed: bool| {
        draw(Field {
            name,
            label,
            hint: Some(hint),
            value: "",
            control: Control::Line("text", Some("off"), needed),
        })
    };
    let day = |name: &'static str, label: &'static str, hint: &'static str| {
        draw(Field {
            name,
            label,
            hint: Some(hint),
            value: "",
            control: Control::Day,
        })
    };
    let sorts = RequestSort::ALL
        .iter()
        .map(|&sort| (sort.to_string(), (words.sort)(sort).to_owned()));
    let sort = draw(Field {
        name: "sort",
        label: words.sort_label,
        hint: None,
        value: "",
        control: Control::Choice(sorts.collect()),
    });
    let all = requests.may_all.then_some(words.all_agents);
    let agent = agent_choice(text, "request", &requests.typed, &requests.agents, all);
    let note = draw(Field {
        name: "note",
        label: words.note,
        hint: Some(words.note_how),
        value: "",
        control: Control::Lines(2),
    });
    view! {
        <section id="open">
            <h2>{words.open}</h2>
            <form class="card wide" method="post" action="/requests">
                <p class="hint">{words.open_how}</p>
                <div class="grid">
                    {line("user_id", words.who, words.who_how, true)} {sort} {agent}
                    {line("words", words.words, words.words_how, false)}
                    {day("received_at", words.received, words.received_how)}
                    {day("due_at", words.due, words.due_how)}
                </div>
                {note}
                <button class="button primary">{words.submit}</button>
            </form>
        </section>
    }
    .into_any()
}

fn listed(frame: &Frame, requests: &Requests) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let heads = [
        Head::Words(words.who),
        Head::Words(words.sort_label),
        Head::Words(text.words.agent),
        Head::Words(words.received),
        Head::Words(words.due),
        Head::Words(words.standing),
    ];
    let rows = requests.rows.iter().map(|one| {
        let who = one
            .who
            .clone()
            .unwrap_or_else(|| words.forgotten.to_owned());
        let agent = one
            .agent
            .clone()
            .unwrap_or_else(|| words.all_agents.to_owned());
        Row {
            of: view! { <a href=format!("/requests/{}", one.id)>{who}</a> }.into_any(),
            cells: vec![
                (words.sort)(one.sort).into_any(),
                agent.into_any(),
                date(frame, one.received_at),
                date(frame, one.due_at),
                standing(frame, one),
            ],
        }
    });
    let more = requests.next.as_ref().map(|cursor| {
        view! {
            <a class="more" href=address("/requests", [("after", cursor.as_str())])>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        {table(words.list, Caption::Heard, &heads, rows.collect())}
        {more}
    }
    .into_any()
}

/// How a request stands, in a word; what is overdue says by how much.
fn standing(frame: &Frame, request: &Request) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    match &request.closed {
        Some(closed) => (words.outcomes)(closed.outcome).into_any(),
        None if request.overdue => {
            let line = (words.overdue)(&span(text, frame.now - request.due_at));
            view! { <strong class="fault">{line}</strong> }.into_any()
        }
        None => words.waits.into_any(),
    }
}
