//! `/requests` and `/requests/{id}`: people who ask for what is kept of them, or to be erased (G5), from the form to the proof.

use domain::{
    Timestamp,
    export::ExportSort,
    id::{ExportId, RequestId, UserId},
    request::{FoundBy, RequestOutcome, RequestSort},
};
use leptos::prelude::*;

use super::sheet::{Event, chain, facts, hashed, verify};
use crate::{
    components::{
        bar::address,
        content::{lang, revealed},
        empty::empty,
        form::{Control, Field, Typed, field},
        table::{Caption, Head, Row, number, table},
        time::{ago, attribute, date, date_time, span},
    },
    shell::{Frame, page, still},
    text::Text,
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
    let all = (String::new(), words.all_agents.to_owned());
    let named = requests
        .agents
        .iter()
        .map(|name| (name.clone(), name.clone()));
    let agents = requests.may_all.then_some(all).into_iter().chain(named);
    let agent = draw(Field {
        name: "agent",
        label: text.words.agent,
        hint: None,
        value: "",
        control: Control::Choice(agents.collect()),
    });
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

/// One request with what was found, and its steps.
pub fn request(frame: &Frame, detail: &Detail) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let request = &detail.request;
    let lead = view! {
        <p class="quiet">
            <a href="/requests">{words.title}</a>
            " · "
            <code>{request.id.to_string()}</code>
            " · "
            <a href=format!("/requests/{}/proof", request.id)>{words.proof}</a>
        </p>
    }
    .into_any();
    let steps = (request.closed.is_none()).then(|| {
        view! {
            <section id="copy">
                <h2>{words.copy}</h2>
                {copy(frame, detail)}
            </section>
            <section id="erasure">
                <h2>{words.erasure}</h2>
                {erasure(frame, detail)}
            </section>
            <section id="close">
                <h2>{words.close}</h2>
                {close(text, detail)}
            </section>
        }
    });
    let content = view! {
        <div class="letter">
            {about(frame, request)}
            <section id="find">
                <h2>{words.find}</h2>
                {looked(text, detail)}
                {found(frame, &detail.found)}
                {users(frame, &detail.users)}
            </section>
            {elsewhere(text, detail)}
            {steps}
        </div>
    }
    .into_any();
    page(frame, words.request, Some(lead), content)
}

fn about(frame: &Frame, request: &Request) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let fact = |label: &str, value: String| (label.to_owned(), value.into_any());
    let who = request.who.clone().unwrap_or_else(|| match request.closed {
        Some(_) => words.forgotten_how.to_owned(),
        None => words.forgotten.to_owned(),
    });
    let agent = request
        .agent
        .clone()
        .unwrap_or_else(|| words.all_agents.to_owned());
    let mut all = vec![
        fact(words.who, who),
        fact(words.sort_label, (words.sort)(request.sort).to_owned()),
        fact(text.words.agent, agent),
        (words.received.to_owned(), date(frame, request.received_at)),
        (words.due.to_owned(), date(frame, request.due_at)),
        (words.standing.to_owned(), standing(frame, request)),
    ];
    all.extend(request.words.clone().map(|line| fact(words.words, line)));
    all.extend(request.note.clone().map(|line| fact(words.note, line)));
    let by = (words.by)(&request.by, &ago(text, frame.now, request.created_at));
    let copied = request.copied.as_ref().map(|(export, at)| {
        let line = (words.copied)(export.as_str(), &date_time(text, frame.zone, *at));
        view! { <p>{line}</p> }
    });
    let closed = request.closed.as_ref().map(|closed| {
        let line = (words.closed)(&closed.by, &date_time(text, frame.zone, closed.at));
        let note = closed
            .note
            .clone()
            .map(|note| view! { <p class="said">{note}</p> });
        view! {
            <div class="callout" data-tone="good">
                <p>
                    <strong>{line} ": " {(words.outcomes)(closed.outcome)}</strong>
                </p>
                {note}
            </div>
        }
    });
    view! {
        {facts(all)}
        <p class="quiet">{by}</p>
        {copied}
        {closed}
    }
    .into_any()
}

fn looked(text: &'static Text, detail: &Detail) -> AnyView {
    let words = &text.requests;
    let (names, all) = detail.looked;
    let names = names.unsigned_abs();
    let line = if all {
        (words.looked)(names)
    } else {
        (words.looked_part)(names)
    };
    let button = detail.request.closed.is_none().then(|| {
        let label = if all { words.look_again } else { words.look_on };
        view! {
            <form class="actions" method="post" action=format!("/requests/{}/look", detail.request.id)>
                <button class="button">{label}</button>
            </form>
        }
    });
    view! {
        <p>{line}</p>
        {button}
    }
    .into_any()
}

fn found(frame: &Frame, found: &[InAgent]) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    if found.is_empty() {
        return view! { <p class="quiet">{words.found_none}</p> }.into_any();
    }
    let heads = [
        Head::Words(text.words.agent),
        Head::Figures(words.users),
        Head::Figures(words.erased),
        Head::Figures(words.elsewhere),
    ];
    let rows = found.iter().map(|one| Row {
        of: one.agent.clone().into_any(),
        cells: vec![number(one.users), number(one.erased), number(one.elsewhere)],
    });
    table(words.found, Caption::Shown, &heads, rows.collect())
}

fn users(frame: &Frame, users: &[FoundUser]) -> Option<AnyView> {
    if users.is_empty() {
        return None;
    }
    let text = frame.text();
    let words = &text.requests;
    let heads = [
        Head::Words(text.words.user),
        Head::Words(text.words.agent),
        Head::Words(words.by_what),
        Head::Figures(text.users.memories),
        Head::Figures(text.users.conversations),
        Head::Words(words.standing),
    ];
    let rows = users.iter().map(|one| {
        let of = if one.erased {
            view! { <code>{one.user.to_string()}</code> }.into_any()
        } else {
            view! { <a href=format!("/users/{}", one.user)>{one.who.clone()}</a> }.into_any()
        };
        let standing = match (one.erased, one.erased_at) {
            (true, Some(at)) => {
                let line = (words.erased_at)(&date_time(text, frame.zone, at));
                view! { <time datetime=attribute(at)>{line}</time> }.into_any()
            }
            (true, None) => words.erased.into_any(),
            (false, _) => words.there.into_any(),
        };
        Row {
            of,
            cells: vec![
                one.agent.clone().into_any(),
                (words.found_by)(one.by).into_any(),
                number(one.approved),
                number(one.conversations),
                standing,
            ],
        }
    });
    Some(table(words.users, Caption::Shown, &heads, rows.collect()))
}

fn elsewhere(text: &'static Text, detail: &Detail) -> AnyView {
    let words = &text.requests;
    let rows = detail
        .elsewhere
        .iter()
        .map(|one| {
            let said = match (&one.content, &one.href) {
                (Some(content), Some(href)) => view! {
                    <a href=href.clone() lang=lang(domain::text::language(content))>
                        {revealed(text, content)}
                    </a>
                }
                .into_any(),
                _ => view! { <span class="quiet">{words.gone}</span> }.into_any(),
            };
            view! {
                <li>
                    {said}
                    <span class="tags quiet">{one.agent.clone()}</span>
                </li>
            }
        })
        .collect_view();
    let list = (!detail.elsewhere.is_empty()).then(|| {
        view! {
            <p class="quiet">{words.elsewhere_how}</p>
            <ul class="statements">{rows}</ul>
        }
    });
    view! {
        <section id="elsewhere">
            <h2>{words.elsewhere}</h2>
            {list}
            <p class="hint">{words.not_looked}</p>
        </section>
    }
    .into_any()
}

fn copy(frame: &Frame, detail: &Detail) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let request = &detail.request;
    if !request.sort.wants_copy() {
        return view! { <p class="quiet">{words.copy_none_wanted}</p> }.into_any();
    }
    let user = request.user_id.as_deref().unwrap_or_default();
    let ask = address(
        "/exports",
        [("user", user), ("sort", ExportSort::Copy.as_str())],
    );
    let form = if detail.exports.is_empty() {
        view! { <p class="quiet">{words.copy_none}</p> }.into_any()
    } else {
        let options = detail
            .exports
            .iter()
            .map(|(id, label)| (id.to_string(), label.clone()));
        let which = field(
            text,
            "copy",
            &detail.typed,
            Field {
                name: "export",
                label: words.copy_which,
                hint: None,
                value: "",
                control: Control::Choice(options.collect()),
            },
        );
        view! {
            <form class="card wide" method="post" action=format!("/requests/{}/copy", request.id)>
                {which}
                <button class="button">{words.copy_note}</button>
            </form>
        }
        .into_any()
    };
    view! {
        <p class="quiet">{words.copy_how}</p>
        <p>
            <a class="button" href=format!("{ask}#ask")>
                {words.copy_ask}
            </a>
        </p>
        {form}
    }
    .into_any()
}

fn erasure(frame: &Frame, detail: &Detail) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    if !detail.request.sort.wants_erasure() {
        return view! { <p class="quiet">{words.erasure_none_wanted}</p> }.into_any();
    }
    let there: Vec<&FoundUser> = detail.users.iter().filter(|user| !user.erased).collect();
    let named = there.iter().any(|user| user.by == FoundBy::Name);
    let done = (!named).then(|| view! { <p>{words.erasure_done}</p> });
    let request = &detail.request.id;
    let rows = there
        .iter()
        .map(|user| {
            let to = format!("/users/{}?request={request}#erase", user.user);
            view! {
                <li>
                    {user.who.clone()} " · " {user.agent.clone()} " · "
                    <span class="quiet">{(words.found_by)(user.by)}</span> " "
                    <a class="button danger" href=to>
                        {words.erase}
                    </a>
                </li>
            }
        })
        .collect_view();
    view! {
        <p class="quiet">{words.erasure_how}</p>
        {done}
        <ul class="plainlist">{rows}</ul>
    }
    .into_any()
}

fn close(text: &'static Text, detail: &Detail) -> AnyView {
    let words = &text.requests;
    let outcomes = RequestOutcome::ALL
        .iter()
        .map(|&outcome| (outcome.to_string(), (words.outcomes)(outcome).to_owned()));
    let outcome = field(
        text,
        "close",
        &detail.typed,
        Field {
            name: "outcome",
            label: words.outcome,
            hint: None,
            value: "",
            control: Control::Choice(outcomes.collect()),
        },
    );
    let note = field(
        text,
        "close",
        &detail.typed,
        Field {
            name: "note",
            label: words.closing_note,
            hint: Some(words.closing_note_how),
            value: "",
            control: Control::Lines(3),
        },
    );
    view! {
        <p class="quiet">{words.close_how}</p>
        <form class="card wide" method="post" action=format!("/requests/{}/close", detail.request.id)>
            {outcome}
            {note}
            <button class="button danger">{words.close_button}</button>
        </form>
    }
    .into_any()
}

/// The proof of a request: to be printed, without a script.
pub fn proof(frame: &Frame, proof: &Proof) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let request = &proof.request;
    let lead = view! {
        <p class="quiet">
            <a href=format!("/requests/{}", request.id)>
                <code>{request.id.to_string()}</code>
            </a>
            " · "
            {(text.sheet.drawn)(&date_time(text, frame.zone, frame.now))}
        </p>
        <p class="quiet screen">{words.proof_lead}</p>
    }
    .into_any();
    let sum = proof
        .sum
        .as_ref()
        .map(|sum| facts(vec![(words.sum.to_owned(), hashed(sum))]));
    let content = view! {
        <div class="letter sheet">
            {about(frame, request)}
            {sum}
            <section id="found">
                <h2>{words.found}</h2>
                {found(frame, &proof.found)}
                {users(frame, &proof.users)}
            </section>
            <section id="events">
                <h2>{text.sheet.events}</h2>
                <p class="quiet">{text.sheet.events_how}</p>
                {proven(frame, proof)}
            </section>
            {checkpoint(frame, proof)}
            <section id="verify">
                <h2>{text.sheet.verify}</h2>
                {verify(text, &proof.fingerprint)}
            </section>
        </div>
    }
    .into_any();
    still(frame, words.proof, Some(lead), content)
}

fn proven(frame: &Frame, proof: &Proof) -> AnyView {
    let words = &frame.text().requests;
    let (signed, unsigned): (Vec<_>, Vec<_>) = proof
        .events
        .iter()
        .cloned()
        .partition(|(_, signed)| *signed);
    let events = |some: Vec<(Event, bool)>| {
        let some: Vec<Event> = some.into_iter().map(|(event, _)| event).collect();
        (!some.is_empty()).then(|| chain(frame, &some))
    };
    let waits = (!unsigned.is_empty()).then(|| {
        view! {
            <h3>{words.proof_signed} ": " {words.proof_not_yet}</h3>
            <p class="warning">{words.proof_wait}</p>
        }
    });
    let held = (!signed.is_empty()).then(|| {
        view! { <h3>{words.proof_signed} ": " {words.proof_yes}</h3> }
    });
    view! {
        {held}
        {events(signed)}
        {waits}
        {events(unsigned)}
    }
    .into_any()
}

fn checkpoint(frame: &Frame, proof: &Proof) -> Option<AnyView> {
    let words = &frame.text().requests;
    let (at, note) = proof.checkpoint.as_ref()?;
    let note = match note {
        Some(note) => view! {
            <pre tabindex="0" lang="und">
                {note.clone()}
            </pre>
        }
        .into_any(),
        None => view! { <p class="quiet">{words.checkpoint_limited}</p> }.into_any(),
    };
    Some(
        view! {
            <section id="checkpoint">
                <h2>{words.checkpoint}</h2>
                <p class="quiet">{words.checkpoint_how}</p>
                <p>{date(frame, *at)}</p>
                {note}
                <pre tabindex="0" lang="und">
                    {proof.key.trim_end().to_owned()}
                </pre>
            </section>
        }
        .into_any(),
    )
}
