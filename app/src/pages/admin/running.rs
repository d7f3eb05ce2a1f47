//! What `/admin` says of the installation beside its people: a card for each thing that is set elsewhere, with where that is.

use domain::{Timestamp, time::Span};
use leptos::prelude::*;

use super::People;
use crate::{
    components::time::{span, when},
    shell::Frame,
    text::{Text, grouped},
};

/// How the installation runs.
#[derive(Debug, Clone)]
pub struct Running {
    /// Sign-ins that are not over, and the people whose they are.
    pub sessions: (i64, i64),
    /// The address that people see.
    pub address: String,
    /// Requests a second for each key, and how many at once.
    pub limits: (u32, u32),
    /// Private networks and hosts that webhooks and digests may reach, as they were set; empty: none.
    pub private: String,
    /// When the last walk over the audit chains ended, and how many faults it found.
    pub verified: Option<(Timestamp, u64)>,
    /// How long things are kept.
    pub kept: Kept,
    /// Whom e-mail comes from; `None`: none is sent.
    pub mail_from: Option<String>,
    /// The extractor of every agent that sets no other.
    pub extractor: String,
    /// Another address of its provider; empty: its own.
    pub extractor_address: String,
    /// The agents, with what each asks and may ask.
    pub agents: Vec<Asks>,
    /// How many more agents there are than are shown.
    pub more_agents: u64,
    /// Legal holds in force.
    pub holds: i64,
    /// Whether the database is PostgreSQL, which is backed up by its own means.
    pub postgres: bool,
}

/// How long things are kept; `None`: until somebody erases them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Conversations.
    pub conversations: Option<Span>,
    /// Rejected candidates.
    pub rejected: Option<Span>,
    /// Records of what agents were told.
    pub servings: Option<Span>,
    /// Records of exports.
    pub export_records: Option<Span>,
    /// Files of exports.
    pub export_files: Span,
}

/// What an agent asks for its extraction, and what that has cost today.
#[derive(Debug, Clone, PartialEq)]
pub struct Asks {
    /// The agent.
    pub agent: String,
    /// Its own extractor.
    pub extractor: Option<String>,
    /// The only ones that it may ask; empty: any.
    pub allowed: Vec<String>,
    /// Tokens of today, which is a day of UTC.
    pub tokens: i64,
    /// What they cost; `None` without prices.
    pub cost: Option<f64>,
}

/// The cards.
pub(super) fn running(frame: &Frame, people: &People) -> AnyView {
    let (text, running) = (frame.text(), &people.running);
    let words = &text.running;
    let cards = [
        sessions(text, running),
        security(frame, people),
        retention(text, running),
        digests(text, running),
        providers(text, running),
        holds(text, running),
        backups(text, running),
    ];
    view! {
        <section id="running">
            <h2>{words.title}</h2>
            <p class="quiet">{words.lead}</p>
            <div class="cards">{cards.into_iter().collect_view()}</div>
        </section>
    }
    .into_any()
}

/// A card: what it is about, what it says, and where that is set.
fn card(title: &'static str, facts: Vec<AnyView>, set: AnyView) -> AnyView {
    view! {
        <section class="card">
            <h3>{title}</h3>
            <dl class="facts">{facts}</dl>
            {set}
        </section>
    }
    .into_any()
}

fn fact(label: &'static str, value: AnyView) -> AnyView {
    view! {
        <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
        </div>
    }
    .into_any()
}

/// To the page where it is set.
fn link(href: &'static str, label: &'static str) -> AnyView {
    view! { <a href=href>{label}</a> }.into_any()
}

/// By which settings.
fn set_by(text: &'static Text, names: &[&'static str]) -> AnyView {
    let names = names
        .iter()
        .map(|&name| {
            view! {
                " "
                <code>{name}</code>
            }
        })
        .collect_view();
    view! {
        <p class="hint">
            {text.running.set_by}
            {names}
        </p>
    }
    .into_any()
}

fn sessions(text: &'static Text, running: &Running) -> AnyView {
    let words = &text.running;
    let (sessions, people) = running.sessions;
    let open = (words.open)(sessions.unsigned_abs(), people.unsigned_abs());
    let set = view! {
        <p class="hint">{words.ends}</p>
        {link("/account#sessions", text.people.sessions)}
    };
    let facts = vec![fact(words.open_label, open.into_any())];
    card(words.sessions, facts, set.into_any())
}

fn security(frame: &Frame, people: &People) -> AnyView {
    let (text, running) = (frame.text(), &people.running);
    let words = &text.running;
    let with = people.rows.iter().filter(|row| row.second_factor).count();
    let second = (words.of_people)(with as u64, people.rows.len() as u64);
    let (a_second, at_once) = running.limits;
    let limits = (words.a_second)(a_second.into(), at_once.into());
    let private = match running.private.as_str() {
        "" => words.private_none.into_any(),
        set => view! { <code>{set.to_owned()}</code> }.into_any(),
    };
    let verified = match running.verified {
        None => words.verified_never.into_any(),
        Some((at, found)) => {
            let found = match found {
                0 => words.verified_well.to_owned(),
                found => (text.audit.flash_found)(found),
            };
            view! {
                {when(frame, at)}
                ": "
                {found}
            }
            .into_any()
        }
    };
    let facts = vec![
        fact(words.address, running.address.clone().into_any()),
        fact(text.second_factor.title, second.into_any()),
        fact(words.limits, limits.into_any()),
        fact(words.private, private),
        fact(words.verified, verified),
    ];
    let names = [
        "KEEPSAKE_PUBLIC_URL",
        "KEEPSAKE_LIMITS_REQUESTS_PER_SECOND",
        "KEEPSAKE_LIMITS_BURST",
        "KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES",
        "KEEPSAKE_JOBS_VERIFICATION_TICK",
    ];
    let set = view! {
        {set_by(text, &names)}
        {link("/audit#verification", text.audit.title)}
    };
    card(words.security, facts, set.into_any())
}

fn retention(text: &'static Text, running: &Running) -> AnyView {
    let words = &text.running;
    let kept = running.kept;
    let for_so_long = |label: &'static str, kept: Option<Span>| {
        let line = kept.map_or_else(|| words.kept_for_good.to_owned(), |kept| span(text, kept));
        fact(label, line.into_any())
    };
    let facts = vec![
        for_so_long(words.conversations, kept.conversations),
        for_so_long(words.rejected, kept.rejected),
        for_so_long(words.servings, kept.servings),
        for_so_long(words.export_records, kept.export_records),
        for_so_long(words.export_files, Some(kept.export_files)),
    ];
    let names = [
        "KEEPSAKE_RETENTION_CONVERSATIONS",
        "KEEPSAKE_RETENTION_REJECTED",
        "KEEPSAKE_RETENTION_SERVINGS",
        "KEEPSAKE_RETENTION_EXPORTS",
        "KEEPSAKE_EXPORTS_KEEP",
    ];
    card(words.retention, facts, set_by(text, &names))
}

fn digests(text: &'static Text, running: &Running) -> AnyView {
    let words = &text.running;
    let mail = running.mail_from.clone();
    let mail = mail.unwrap_or_else(|| words.mail_off.to_owned());
    let set = view! {
        {set_by(text, &["KEEPSAKE_SMTP_URL", "KEEPSAKE_MAIL_FROM"])}
        {link("/account/digest", text.digest.title)}
    };
    card(
        words.digests,
        vec![fact(words.mail, mail.into_any())],
        set.into_any(),
    )
}

fn providers(text: &'static Text, running: &Running) -> AnyView {
    let words = &text.running;
    let address = match running.extractor_address.as_str() {
        "" => words.own_address.into_any(),
        set => view! { <code>{set.to_owned()}</code> }.into_any(),
    };
    let facts = vec![
        fact(text.agents.extractor, running.extractor.clone().into_any()),
        fact(words.address, address),
    ];
    let agents = running
        .agents
        .iter()
        .map(|one| agent(text, running, one))
        .collect_view();
    let more = (running.more_agents > 0)
        .then(|| view! { <p class="quiet">{(words.more_agents)(running.more_agents)}</p> });
    let names = [
        "KEEPSAKE_EXTRACTOR_MODEL",
        "KEEPSAKE_EXTRACTOR_BASE_URL",
        "KEEPSAKE_EXTRACTOR_API_KEY",
    ];
    let set = view! {
        <ul class="plainlist">{agents}</ul>
        {more}
        {set_by(text, &names)}
        {link("/agents", text.agents.title)}
    };
    card(words.providers, facts, set.into_any())
}

/// What an agent asks, may ask, and has used today.
fn agent(text: &'static Text, running: &Running, one: &Asks) -> AnyView {
    let words = &text.running;
    let extractor = one
        .extractor
        .clone()
        .unwrap_or_else(|| (words.by_default)(&running.extractor));
    let allowed = if one.allowed.is_empty() {
        words.allowed_any.to_owned()
    } else {
        one.allowed.join(", ")
    };
    let tokens = grouped(one.tokens.unsigned_abs());
    let cost = one.cost.map(|cost| format!(" · {cost:.2}"));
    view! {
        <li>
            <a href=format!("/agents/{}#cost", one.agent)>{one.agent.clone()}</a>
            ": "
            {extractor}
            <br />
            <span class="quiet">
                {text.agents.allowed_extractors} ": " {allowed} " · " {text.budget.today} ": " {tokens} " " {text.budget.tokens}
                {cost}
            </span>
        </li>
    }
    .into_any()
}

fn holds(text: &'static Text, running: &Running) -> AnyView {
    let words = &text.running;
    let standing = (words.holds)(running.holds.unsigned_abs());
    card(
        text.holds.title,
        vec![fact(words.holds_label, standing.into_any())],
        link("/holds", text.holds.title),
    )
}

fn backups(text: &'static Text, running: &Running) -> AnyView {
    let words = &text.running;
    let how = if running.postgres {
        "pg_dump"
    } else {
        "keepsake backup"
    };
    let facts = vec![
        fact(words.backup_how, view! { <code>{how}</code> }.into_any()),
        fact(words.backup_last, words.backup_unknown.into_any()),
    ];
    let set = view! {
        <p class="hint">
            {words.docs}
            " "
            <code>"docs/OPERATIONS.md"</code>
        </p>
    };
    card(words.backups, facts, set.into_any())
}
