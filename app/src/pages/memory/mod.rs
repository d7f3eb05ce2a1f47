//! `/memories/{id}`: one memory: what it says, why, every revision, where it was told.

mod change;
mod recall;
mod revisions;
mod series;

use domain::{
    Timestamp,
    id::{ConversationId, MemoryId, ServingId, UserId},
    memory::{MemoryStatus, RetiredFor},
};
use leptos::prelude::*;

use self::{
    change::changes,
    revisions::{compare, revisions},
};
pub use self::{
    recall::{How, Made, MadeIn, Reach, ToldSession},
    revisions::Revision,
    series::{Mention, Series, Value},
};
use crate::{
    components::{
        content::{lang, revealed},
        demo::banner,
        form::Typed,
        metadata::Entry,
        tag,
        time::date,
        transcript::{Transcript, quotes, turns},
    },
    shell::{Frame, page},
};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Memory {
    /// Which.
    pub id: MemoryId,
    /// The agent.
    pub agent: String,
    /// The user.
    pub user: UserId,
    /// The user as shown.
    pub who: String,
    /// Its kind.
    pub kind: String,
    /// The kinds it could be given.
    pub kinds: Vec<String>,
    /// Its name within the kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Metadata, field by field.
    pub metadata: Vec<(String, String)>,
    /// The metadata as fields, by the schema of the kind.
    pub metadata_fields: Vec<Entry>,
    /// The metadata that the schema says nothing of, as JSON, to be edited; `None` where the schema allows no more.
    pub metadata_json: Option<String>,
    /// What extracted its newest revision, with the versions of prompt and schema (C8); `None`: a person or an agent, by hand.
    pub made_by: Option<String>,
    /// Whether the date it speaks of has passed (G12).
    pub date_passed: bool,
    /// Its values over time, and how often it was said (B9).
    pub series: Series,
    /// How sure the extractor was.
    pub confidence: f64,
    /// How much it matters.
    pub importance: f64,
    /// Whether it is served.
    pub status: MemoryStatus,
    /// Why not.
    pub reason: Option<RetiredFor>,
    /// The number of its newest revision.
    pub revision: i64,
    /// When the words were said.
    pub said_at: Timestamp,
    /// When agents begin to be told of it, while they are not (the grace of its approval).
    pub told_from: Option<Timestamp>,
    /// When it stops being served.
    pub expires_at: Option<Timestamp>,
    /// The revisions, newest first.
    pub revisions: Vec<Revision>,
    /// The revision that all others are compared with; `None`: each with the one before.
    pub base: Option<i64>,
    /// The conversations around its evidence, where they are still stored.
    pub transcripts: Vec<Transcript>,
    /// The sessions it was told in, newest first.
    pub told: Vec<Told>,
    /// How far it has got: who was told, what was made from it (G4).
    pub reach: Reach,
    /// Whether the reader may change it.
    pub may_decide: bool,
    /// What was typed into the form that was refused.
    pub typed: Typed,
}

/// A session that was told a memory.
#[derive(Debug, Clone)]
pub struct Told {
    /// The answer that told it.
    pub serving: ServingId,
    /// The agent's own id of it, else that of the answer that told it.
    pub session: String,
    /// The conversation, where it was sent to us.
    pub conversation: Option<ConversationId>,
    /// Which revision.
    pub revision: i64,
    /// When.
    pub at: Timestamp,
}

/// The page.
pub fn memory(frame: &Frame, memory: &Memory) -> AnyView {
    let text = frame.text();
    let beside = view! {
        <p class="quiet">
            <a href=format!("/users/{}", memory.user)>{memory.who.clone()}</a>
            " · "
            <a href=format!("/agents/{}", memory.agent)>{memory.agent.clone()}</a>
            " · "
            {tag::tag(&tag::kind_name(text, &memory.kind), None, None)}
            " "
            {(text.memories.revision)(memory.revision)}
        </p>
    }
    .into_any();
    let retired = (memory.status == MemoryStatus::Retired).then(|| {
        let why = memory.reason.map_or("", text.words.retired);
        view! {
            <div class="callout" data-tone="warn">
                <p>{(text.memories.retired_because)(why)}</p>
            </div>
        }
    });
    let passed = memory.date_passed.then(|| {
        view! {
            <div class="callout" data-tone="warn">
                <p>{text.memories.date_passed}</p>
            </div>
        }
    });
    let name = memory.name.as_ref().map(|name| {
        view! {
            <p class="name">
                <span class="quiet">{text.words.name}</span>
                " "
                {name.clone()}
            </p>
        }
    });
    let content = view! {
        <div class="letter">
            {banner(frame, &memory.agent)}
            <p class="statement" lang=lang(&memory.language)>
                {revealed(text, &memory.content)}
            </p>
            {name}
            {retired}
            {passed}
            {facts(frame, memory)}
            {changes(frame, memory)}
            {recall::recall(frame, memory)}
            {series::series(frame, &memory.series)}
            {evidence(frame, memory)}
            <section>
                <h2>{text.memories.revisions}</h2>
                {compare(frame, memory)}
                {revisions(frame, memory)}
            </section>
            {told(frame, memory)}
        </div>
    }
    .into_any();
    page(frame, text.memories.memory, Some(beside), content)
}

fn facts(frame: &Frame, memory: &Memory) -> AnyView {
    let text = frame.text();
    let fact = |label: String, value: AnyView| {
        view! {
            <div>
                <dt>{label}</dt>
                <dd>{value}</dd>
            </div>
        }
        .into_any()
    };
    let expires = memory
        .expires_at
        .map_or_else(|| text.memories.never.into_any(), |at| date(frame, at));
    let made_by = memory
        .made_by
        .clone()
        .unwrap_or_else(|| text.candidate.by_hand.to_owned());
    let mut facts = vec![
        fact(
            text.words.confidence.to_owned(),
            tag::confidence(text, memory.confidence),
        ),
        fact(
            text.words.importance.to_owned(),
            format!("{:.2}", memory.importance).into_any(),
        ),
        fact(text.memories.said.to_owned(), date(frame, memory.said_at)),
        fact(text.memories.expires.to_owned(), expires),
        fact(text.memories.made_by.to_owned(), made_by.into_any()),
    ];
    facts.extend(
        memory
            .told_from
            .map(|at| fact(text.memories.told_from.to_owned(), date(frame, at))),
    );
    facts.extend(
        memory
            .metadata
            .iter()
            .map(|(label, value)| fact(label.clone(), value.clone().into_any())),
    );
    view! { <dl class="facts">{facts}</dl> }.into_any()
}

fn evidence(frame: &Frame, memory: &Memory) -> AnyView {
    let text = frame.text();
    let conversations = memory
        .transcripts
        .iter()
        .map(|transcript| {
            if transcript.turns.is_empty() {
                return quotes(frame, &transcript.quotes);
            }
            view! {
                {turns(frame, &memory.who, &memory.agent, &transcript.turns)}
                <p>
                    <a class="quiet" href=format!("/conversations/{}", transcript.conversation)>
                        {(text.candidate.whole)(
                            (transcript.left_out + transcript.turns.len() as i64).unsigned_abs(),
                        )}
                        " →"
                    </a>
                </p>
            }
            .into_any()
        })
        .collect_view();
    let none = memory
        .transcripts
        .is_empty()
        .then(|| view! { <p class="quiet">{text.memories.words_none}</p> });
    view! {
        <section>
            <h2>{text.memories.words}</h2>
            {conversations}
            {none}
        </section>
    }
    .into_any()
}

fn told(frame: &Frame, memory: &Memory) -> AnyView {
    let text = frame.text();
    let words = &text.preview;
    if memory.told.is_empty() {
        return view! {
            <section id="told">
                <h2>{words.sessions}</h2>
                <p class="quiet">{words.sessions_none}</p>
            </section>
        }
        .into_any();
    }
    let rows = memory
        .told
        .iter()
        .map(|told| {
            let session = match &told.conversation {
                Some(id) => {
                    view! { <a href=format!("/conversations/{id}")>{told.session.clone()}</a> }
                        .into_any()
                }
                None => told.session.clone().into_any(),
            };
            view! {
                <tr>
                    <th scope="row">{session}</th>
                    <td>{(text.memories.revision)(told.revision)}</td>
                    <td>
                        <a href=format!("/servings/{}", told.serving)>{date(frame, told.at)}</a>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section id="told">
            <h2>{words.sessions}</h2>
            <div class="scroll" tabindex="0" role="region" aria-label=words.sessions>
                <table>
                    <caption class="visually-hidden">{words.sessions}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{words.session}</th>
                            <th scope="col">{text.memories.revisions}</th>
                            <th scope="col">{words.when}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}
