//! `/conversations/{id}`: the transcript with its marks, and what extraction did with it.

use domain::{
    Timestamp,
    candidate::Dropped,
    id::{CandidateId, ConversationId, OperationId, UserId},
};
use leptos::prelude::*;

use crate::{
    components::{
        content::{lang, revealed},
        demo::banner,
        time::{date, when},
        transcript::{Turn, turns},
    },
    shell::{Frame, page},
    text::{Text, grouped},
};

/// A candidate that came of the conversation.
#[derive(Debug, Clone)]
pub struct Proposed {
    /// Which.
    pub id: CandidateId,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Its status in a word.
    pub status: String,
}

/// One run of the extraction.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Which.
    pub id: OperationId,
    /// `queued`, `running`, `succeeded`, `failed` or `truncated`.
    pub state: String,
    /// How often it was tried.
    pub attempt: i64,
    /// When it is tried next.
    pub next_at: Option<Timestamp>,
    /// Why it failed, as a code.
    pub error: Option<String>,
    /// What extracted it.
    pub extractor: Option<String>,
    /// What came of it.
    pub proposed: Vec<Proposed>,
    /// Statements that were stored or waiting already.
    pub sightings: u32,
    /// Statements kept out because a person rejected them before.
    pub suppressed: u32,
    /// Drafts that were dropped, by reason.
    pub dropped: Vec<(Dropped, u32)>,
    /// The extractor's own answers, where they are kept.
    pub raw: Vec<String>,
    /// Whether it can be tried again.
    pub retriable: bool,
    /// Whether it was tried again.
    pub retried: bool,
    /// When it was asked for.
    pub created_at: Timestamp,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// Which.
    pub id: ConversationId,
    /// The agent.
    pub agent: String,
    /// The user.
    pub user: UserId,
    /// The user as shown.
    pub who: String,
    /// The agent's own id of it.
    pub external_id: Option<String>,
    /// The zone in which its dates are meant.
    pub time_zone: Option<String>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When retention took the words out of it.
    pub removed_at: Option<Timestamp>,
    /// The turns.
    pub turns: Vec<Turn>,
    /// The runs of the extraction, newest first.
    pub operations: Vec<Operation>,
}

/// The page.
pub fn conversation(frame: &Frame, conversation: &Conversation) -> AnyView {
    let text = frame.text();
    let with = (text.conversation.with)(&conversation.who);
    let external = conversation
        .external_id
        .as_ref()
        .map(|id| view! { " · " <code>{id.clone()}</code> });
    let zone = conversation.time_zone.as_ref().map(|zone| {
        view! { " · " {text.conversation.zone} " " {zone.clone()} }
    });
    let ended = match conversation.ended_at {
        Some(at) => view! { {text.conversation.ended} " " {date(frame, at)} }.into_any(),
        None => text.conversation.running.into_any(),
    };
    let beside = view! {
        <p class="quiet">
            <a href=format!("/users/{}", conversation.user)>{with}</a>
            " · "
            <a href=format!("/agents/{}", conversation.agent)>{conversation.agent.clone()}</a>
            {external}
            {zone}
            " · "
            {ended}
        </p>
    }
    .into_any();
    let runs = conversation
        .operations
        .iter()
        .map(|one| operation(frame, &conversation.id, one))
        .collect_view();
    let none = conversation
        .operations
        .is_empty()
        .then(|| view! { <p class="quiet">{text.conversation.extraction_none}</p> });
    let removed = conversation.removed_at.map(|at| {
        let at = crate::components::time::date_time(text, frame.zone, at);
        view! { <p class="quiet">{(text.erasure.conversation_removed)(&at)}</p> }
    });
    let content = view! {
        {banner(frame, &conversation.agent)}
        <div class="split">
            <section>
                <h2>{text.conversation.messages}</h2>
                {removed}
                {turns(frame, &conversation.who, &conversation.agent, &conversation.turns)}
            </section>
            <section>
                <h2>{text.conversation.extraction}</h2>
                <ol class="runs">{runs}</ol>
                {none}
            </section>
        </div>
    }
    .into_any();
    let title = format!(
        "{} {}",
        text.conversation.title,
        crate::components::time::date_time(text, frame.zone, conversation.created_at)
    );
    page(frame, &title, Some(beside), content)
}

fn state_tone(state: &str) -> &'static str {
    match state {
        "succeeded" => "good",
        "failed" => "bad",
        "truncated" => "warn",
        _ => "accent",
    }
}

fn operation(frame: &Frame, conversation: &ConversationId, one: &Operation) -> AnyView {
    let text = frame.text();
    let attempt = (one.attempt > 1)
        .then(|| view! { <span class="quiet">{(text.conversation.attempt)(one.attempt.unsigned_abs())}</span> });
    let next = one.next_at.filter(|at| *at > frame.now).map(|at| {
        let span = crate::components::time::span(text, at - frame.now);
        view! { <span class="quiet">{(text.conversation.next_try)(&(text.time.in_)(&span))}</span> }
    });
    let error = one.error.as_ref().map(|code| {
        view! {
            <p class="callout" data-tone="bad">
                {(text.conversation.failed_with)(code)} " " {(text.failures.extraction)(code)}
            </p>
        }
    });
    let proposed = one
        .proposed
        .iter()
        .map(|candidate| {
            view! {
                <li>
                    <a href=format!("/candidates/{}", candidate.id) lang=lang(&candidate.language)>
                        {revealed(text, &candidate.content)}
                    </a>
                    " "
                    <span class="tag">{candidate.status.clone()}</span>
                </li>
            }
        })
        .collect_view();
    let raw = one
        .raw
        .iter()
        .map(|raw| {
            view! {
                <details>
                    <summary>{text.conversation.raw}</summary>
                    <pre tabindex="0">{raw.clone()}</pre>
                </details>
            }
        })
        .collect_view();
    let retry = one.retriable.then(|| {
        view! {
            <form method="post" action=format!("/operations/{}/retry", one.id)>
                <input type="hidden" name="next" value=format!("/conversations/{conversation}") />
                <button class="button">{text.conversation.retry}</button>
            </form>
        }
    });
    let retried = one
        .retried
        .then(|| view! { <p class="quiet">{text.conversation.retried}</p> });
    view! {
        <li id=one.id.to_string()>
            <p class="head">
                <span class="tag" data-tone=state_tone(&one.state)>
                    {(text.conversation.state)(&one.state)}
                </span>
                " "
                <span class="quiet">{when(frame, one.created_at)}</span>
                " "
                {attempt}
                " "
                {next}
            </p>
            {error}
            <ul class="statements">{proposed}</ul>
            {outcome(text, one)}
            {raw}
            {retry}
            {retried}
        </li>
    }
    .into_any()
}

fn outcome(text: &'static Text, one: &Operation) -> AnyView {
    let mut lines = Vec::new();
    if one.proposed.is_empty() && one.state == "succeeded" {
        lines.push((text.conversation.candidates)(0));
    }
    if one.sightings > 0 {
        lines.push((text.conversation.sightings)(u64::from(one.sightings)));
    }
    if one.suppressed > 0 {
        lines.push((text.conversation.suppressed)(u64::from(one.suppressed)));
    }
    if let Some(extractor) = &one.extractor {
        lines.push(format!("{}: {extractor}", text.conversation.extractor));
    }
    let lines = lines
        .into_iter()
        .map(|line| view! { <li>{line}</li> })
        .collect_view();
    view! {
        {dropped(text, one)}
        <ul class="plainlist quiet">{lines}</ul>
    }
    .into_any()
}

/// What was dropped, how often, and why that is.
fn dropped(text: &'static Text, one: &Operation) -> Option<AnyView> {
    let rows = one
        .dropped
        .iter()
        .map(|(reason, count)| {
            view! {
                <div>
                    <dt>{(text.words.dropped)(*reason)} " · " {grouped(u64::from(*count))}</dt>
                    <dd>{(text.failures.dropped_why)(*reason)}</dd>
                </div>
            }
        })
        .collect_view();
    (!one.dropped.is_empty()).then(|| {
        view! {
            <h3>{text.conversation.dropped}</h3>
            <dl class="facts dropped">{rows}</dl>
        }
        .into_any()
    })
}
