//! `/audit`: everything that happened, whether it still is as it was written, and what was signed of it.

use domain::{
    Timestamp,
    audit::{EventType, FaultKind, SYSTEM_CHAIN},
    id::UserId,
};
use leptos::prelude::*;
use serde::Deserialize;

use crate::{
    components::{
        bar::{address, choices, select},
        content::with_code,
        empty::empty,
        table::{Caption, Head, Row as Line, number, table},
        time::{date, second, when},
    },
    shell::{Frame, page},
    text::Text,
};

/// The filters, as they stand in the address. A value that means nothing filters nothing.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// A chain: an agent's name, or `system`.
    pub agent: String,
    /// A user, by our id or by the agent's.
    pub user: String,
    /// What happened.
    pub r#type: String,
    /// A sort of actor.
    pub actor: String,
    /// The first day.
    pub from: String,
    /// The last day.
    pub until: String,
    /// Where the page of the list begins.
    pub after: String,
}

impl Filter {
    /// The address of this page, at its events.
    pub fn href(&self) -> String {
        let pairs = [
            ("agent", self.agent.as_str()),
            ("user", &self.user),
            ("type", &self.r#type),
            ("actor", &self.actor),
            ("from", &self.from),
            ("until", &self.until),
            ("after", &self.after),
        ];
        format!("{}#events", address("/audit", pairs))
    }
}

/// An event.
#[derive(Debug, Clone)]
pub struct Row {
    /// When.
    pub at: Timestamp,
    /// Its chain.
    pub chain: String,
    /// Its number in it.
    pub seq: i64,
    /// What happened.
    pub r#type: EventType,
    /// Who did it.
    pub by: String,
    /// The id of what it is about.
    pub subject: String,
    /// The page of that, where there is one.
    pub href: Option<String>,
    /// The user it is about.
    pub user: Option<UserId>,
}

/// Something that is wrong.
#[derive(Debug, Clone)]
pub struct Fault {
    /// In which chain.
    pub chain: String,
    /// At which event; 0: the chain as a whole.
    pub seq: i64,
    /// What.
    pub kind: FaultKind,
}

/// What the last walk over the chains found.
#[derive(Debug, Clone)]
pub struct Verification {
    /// When it ended.
    pub at: Timestamp,
    /// How many events and checkpoints were read, for who may read all.
    pub read: Option<(i64, i64)>,
    /// How many faults were found.
    pub found: i64,
    /// The first of them.
    pub faults: Vec<Fault>,
}

/// What was signed.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// When.
    pub at: Timestamp,
    /// How many events the chain of the system had.
    pub size: i64,
    /// How many chains of agents.
    pub agents: usize,
    /// The root of the chain of the system, as hex.
    pub root: String,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Audit {
    /// The filters.
    pub filter: Filter,
    /// The chains to choose from.
    pub chains: Vec<String>,
    /// A page of the events, newest first.
    pub rows: Vec<Row>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// The last verification.
    pub verification: Option<Verification>,
    /// The last checkpoints.
    pub checkpoints: Vec<Checkpoint>,
    /// The folder outside the database, for who may know it.
    pub folder: Option<String>,
    /// Of the public key.
    pub fingerprint: String,
}

/// Faults that are shown; the rest are counted.
const FAULTS: usize = 20;

/// The page.
pub fn audit(frame: &Frame, audit: &Audit) -> AnyView {
    let words = &frame.text().audit;
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let content = view! {
        {verification(frame, audit)}
        {events(frame, audit)}
        {checkpoints(frame, audit)}
        {key(frame, audit)}
        <p>
            <a class="quiet" href="/holds">
                {frame.text().holds.all}
            </a>
        </p>
    }
    .into_any();
    page(frame, words.title, Some(lead), content)
}

fn verification(frame: &Frame, audit: &Audit) -> AnyView {
    let words = &frame.text().audit;
    let outcome = match &audit.verification {
        None => view! { <p class="quiet">{words.verification_none}</p> }.into_any(),
        Some(last) => outcome(frame, last),
    };
    view! {
        <section id="verification">
            <h2>{words.verification}</h2>
            {outcome}
            <form method="post" action="/audit/verify">
                <button class="button">{words.verify}</button>
            </form>
            <p class="hint">{words.verification_how}</p>
        </section>
    }
    .into_any()
}

fn outcome(frame: &Frame, last: &Verification) -> AnyView {
    let words = &frame.text().audit;
    let found = last.found.unsigned_abs();
    let (tone, line) = match found {
        0 => ("good", words.well.to_owned()),
        found => ("bad", (words.found)(found)),
    };
    let read = last.read.map(|(events, checkpoints)| {
        let line = (words.read)(events.unsigned_abs(), checkpoints.unsigned_abs());
        view! { <span class="quiet">{line}</span> }
    });
    view! {
        <div class="callout" data-tone=tone>
            <p>
                <strong>{line}</strong>
                " "
                {when(frame, last.at)}
                " "
                {read}
            </p>
            {faults(frame.text(), last)}
        </div>
    }
    .into_any()
}

fn faults(text: &'static Text, last: &Verification) -> Option<AnyView> {
    let words = &text.audit;
    if last.faults.is_empty() {
        return None;
    }
    let shown = last.faults.iter().take(FAULTS);
    let lines = shown.map(|fault| {
        let of_a_checkpoint = fault.kind == FaultKind::Missing && fault.seq > 0;
        let what = if of_a_checkpoint {
            words.fault_checkpoint
        } else {
            (words.fault)(fault.kind)
        };
        view! {
            <li>
                <b>{(words.place)(&fault.chain, fault.seq)}</b>
                " "
                <span>{what}</span>
            </li>
        }
    });
    let lines = lines.collect_view();
    let more = last.found.unsigned_abs().saturating_sub(FAULTS as u64);
    let more = (more > 0).then(|| view! { <li>{(words.more_faults)(more)}</li> });
    Some(view! { <ul class="faults">{lines} {more}</ul> }.into_any())
}

fn events(frame: &Frame, audit: &Audit) -> AnyView {
    let text = frame.text();
    let words = &text.audit;
    let narrowed = audit.filter != Filter::default();
    let list = match (audit.rows.is_empty(), narrowed) {
        (true, true) => empty(words.not_found, words.not_found_how, None),
        (true, false) => empty(words.empty, words.empty_how, None),
        (false, _) => listed(frame, audit),
    };
    let more = audit.next.as_ref().map(|cursor| {
        let next = Filter {
            after: cursor.clone(),
            ..audit.filter.clone()
        };
        view! {
            <a class="more" href=next.href()>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        <section id="events">
            <h2>{words.events}</h2>
            {bar(text, audit)}
            {list}
            {more}
        </section>
    }
    .into_any()
}

fn listed(frame: &Frame, audit: &Audit) -> AnyView {
    let text = frame.text();
    let words = &text.audit;
    let heads = [
        Head::Words(words.at),
        Head::Words(words.number),
        Head::Words(words.what),
        Head::Words(words.who),
        Head::Words(words.about),
        Head::Words(text.words.user),
    ];
    let rows = audit.rows.iter().map(|row| {
        let about = match &row.href {
            Some(href) => view! {
                <a href=href.clone()>
                    <code>{row.subject.clone()}</code>
                </a>
            }
            .into_any(),
            None => view! { <code>{row.subject.clone()}</code> }.into_any(),
        };
        let user = row.user.as_ref().map(|user| {
            view! {
                <a href=format!("/users/{user}")>
                    <code>{user.to_string()}</code>
                </a>
            }
        });
        Line {
            of: second(frame, row.at),
            cells: vec![
                view! { <span class="short">{row.chain.clone()} " " <code>{format!("#{}", row.seq)}</code></span> }
                .into_any(),
                view! { <span class="short">{(text.words.event)(row.r#type)}</span> }.into_any(),
                row.by.clone().into_any(),
                about,
                user.into_any(),
            ],
        }
    });
    table(words.events, Caption::Heard, &heads, rows.collect())
}

fn bar(text: &'static Text, audit: &Audit) -> AnyView {
    let (words, filter) = (&text.audit, &audit.filter);
    let chains = audit.chains.iter().map(|chain| {
        let label = if chain == SYSTEM_CHAIN {
            words.system
        } else {
            chain.as_str()
        };
        (chain.clone(), label.to_owned())
    });
    let types = EventType::ALL
        .iter()
        .map(|&event| (event.to_string(), (text.words.event)(event).to_owned()));
    let actors = ["person", "key", "policy", "system"]
        .map(|word| (word.to_owned(), (words.actors)(word).to_owned()));
    let day = |name: &'static str, label: &'static str, value: &str| {
        view! {
            <label>
                <span>{label}</span>
                <input type="date" name=name value=value.to_owned() />
            </label>
        }
    };
    view! {
        <form class="bar" method="get" action="/audit">
            {select("agent", words.chain, &filter.agent, choices(words.any_chain, chains))}
            {select("type", words.what, &filter.r#type, choices(words.any_event, types))}
            {select("actor", words.actor, &filter.actor, choices(words.any_actor, actors.into_iter()))}
            <label>
                <span>{words.user}</span>
                <input type="search" name="user" value=filter.user.clone() autocomplete="off" />
            </label>
            {day("from", words.from, &filter.from)}
            {day("until", words.until, &filter.until)}
            <button class="button">{words.show}</button>
        </form>
    }
    .into_any()
}

fn checkpoints(frame: &Frame, audit: &Audit) -> AnyView {
    let words = &frame.text().audit;
    let heads = [
        Head::Words(words.signed),
        Head::Figures(words.size),
        Head::Figures(words.agents),
        Head::Words(words.root),
    ];
    let rows = audit.checkpoints.iter().map(|checkpoint| Line {
        of: date(frame, checkpoint.at),
        cells: vec![
            number(checkpoint.size),
            number(checkpoint.agents.try_into().unwrap_or(i64::MAX)),
            view! { <code title=checkpoint.root.clone()>{short(&checkpoint.root)}</code> }
                .into_any(),
        ],
    });
    let rows: Vec<Line> = rows.collect();
    let list = if rows.is_empty() {
        view! { <p class="quiet">{with_code(words.checkpoints_none)}</p> }.into_any()
    } else {
        table(words.checkpoints, Caption::Heard, &heads, rows)
    };
    let folder = audit
        .folder
        .as_deref()
        .map(|folder| view! { <p class="hint">{(words.folder)(folder)}</p> });
    view! {
        <section id="checkpoints">
            <h2>{words.checkpoints}</h2>
            <p class="hint">{words.checkpoints_how}</p>
            {list}
            {folder}
        </section>
    }
    .into_any()
}

fn key(frame: &Frame, audit: &Audit) -> AnyView {
    let words = &frame.text().audit;
    let steps = words
        .check_steps
        .into_iter()
        .map(|step| view! { <li>{with_code(step)}</li> })
        .collect_view();
    view! {
        <section id="signing-key">
            <h2>{words.key}</h2>
            <p class="label">{words.fingerprint}</p>
            <p>
                <code class="fingerprint">{audit.fingerprint.clone()}</code>
            </p>
            <p class="hint">{words.key_how}</p>
            <h3>{words.check}</h3>
            <ol class="howto">{steps}</ol>
        </section>
    }
    .into_any()
}

/// As much of a root as tells two apart at a glance.
fn short(root: &str) -> String {
    root.chars().take(12).collect()
}
