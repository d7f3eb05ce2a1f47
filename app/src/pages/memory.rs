//! `/memories/{id}`: one memory: what it says, why, every revision, where it was told.

use domain::{
    Timestamp,
    diff::Part,
    id::{CandidateId, MemoryId, UserId},
    memory::{MemoryStatus, RetiredFor, RevisionAction},
};
use leptos::prelude::*;

use crate::{
    components::{
        bar::select,
        content::{lang, revealed},
        diff::diff,
        form::{Control, Field, Typed, field},
        tag,
        time::{date, when},
        transcript::{Transcript, turns},
    },
    shell::{Frame, page},
};

/// A revision.
#[derive(Debug, Clone)]
pub struct Revision {
    /// Its number.
    pub number: i64,
    /// What made it.
    pub action: RevisionAction,
    /// The statement it had.
    pub content: String,
    /// Against the revision before, or the one that is compared with; empty for the first.
    pub diff: Vec<Part>,
    /// The candidate it came from.
    pub candidate: Option<CandidateId>,
    /// What was proposed, where the approver changed it (F3): proposal to approved text.
    pub edited: Vec<Part>,
    /// Who made it.
    pub by: Option<String>,
    /// The note.
    pub note: Option<String>,
    /// The words that support it.
    pub quotes: Vec<String>,
    /// When.
    pub at: Timestamp,
}

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
    /// When it stops being served.
    pub expires_at: Option<Timestamp>,
    /// The revisions, newest first.
    pub revisions: Vec<Revision>,
    /// The revision that all others are compared with; `None`: each with the one before.
    pub base: Option<i64>,
    /// The conversations around its evidence, where they are still stored.
    pub transcripts: Vec<Transcript>,
    /// The conversations it was told in.
    pub told: Vec<String>,
    /// Whether the reader may change it.
    pub may_decide: bool,
    /// What was typed into the form that was refused.
    pub typed: Typed,
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
            <p class="statement" lang=lang(&memory.language)>
                {revealed(text, &memory.content)}
            </p>
            {name}
            {retired}
            {facts(frame, memory)}
            {changes(frame, memory)}
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
    ];
    facts.extend(
        memory
            .metadata
            .iter()
            .map(|(label, value)| fact(label.clone(), value.clone().into_any())),
    );
    view! { <dl class="facts">{facts}</dl> }.into_any()
}

fn changes(frame: &Frame, memory: &Memory) -> Option<AnyView> {
    if !memory.may_decide {
        return None;
    }
    let text = frame.text();
    let address = |verb: &str| format!("/memories/{}/{verb}", memory.id);
    let revision = || view! { <input type="hidden" name="revision" value=memory.revision /> };
    if memory.status == MemoryStatus::Retired {
        return Some(
            view! {
                <form class="actions" method="post" action=address("restore")>
                    {revision()}
                    <button class="button">{text.memories.restore}</button>
                </form>
            }
            .into_any(),
        );
    }
    let draw = |one: Field<'_>| field(text, "memory", &memory.typed, one);
    let kinds = memory
        .kinds
        .iter()
        .map(|kind| (kind.clone(), tag::kind_name(text, kind)))
        .collect();
    let content = draw(Field {
        name: "content",
        label: text.words.content,
        hint: None,
        value: &memory.content,
        control: Control::Lines(3),
    });
    let kind = draw(Field {
        name: "kind",
        label: text.words.kind_label,
        hint: None,
        value: &memory.kind,
        control: Control::Choice(kinds),
    });
    let name = draw(Field {
        name: "name",
        label: text.words.name,
        hint: None,
        value: memory.name.as_deref().unwrap_or_default(),
        control: Control::Line("text", Some("off"), false),
    });
    let importance = draw(Field {
        name: "importance",
        label: text.words.importance,
        hint: None,
        value: &format!("{:.2}", memory.importance),
        control: Control::Number(0.0, 1.0, 0.01),
    });
    let note = draw(Field {
        name: "note",
        label: text.candidate.reject_note,
        hint: None,
        value: "",
        control: Control::Lines(1),
    });
    Some(
        view! {
            <div class="actions">
                <details class="edit" name="verdict" open=memory.typed.is_refused()>
                    <summary class="button">{text.memories.edit}</summary>
                    <form class="grid" method="post" action=address("edit")>
                        {revision()} {content} {kind} {name} {importance} {note}
                        <div class="buttons">
                            <button class="button primary">{text.memories.save}</button>
                        </div>
                    </form>
                </details>
                <details class="reject" name="verdict">
                    <summary class="button danger">{text.memories.retire}</summary>
                    <form method="post" action=address("retire")>
                        {revision()}
                        <p>{text.memories.retire_sure}</p>
                        <button class="button danger">{text.memories.retire}</button>
                    </form>
                </details>
            </div>
        }
        .into_any(),
    )
}

fn evidence(frame: &Frame, memory: &Memory) -> AnyView {
    let text = frame.text();
    let conversations = memory
        .transcripts
        .iter()
        .map(|transcript| {
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

fn compare(frame: &Frame, memory: &Memory) -> Option<AnyView> {
    let text = frame.text();
    let options = std::iter::once((String::new(), "–".to_owned()))
        .chain(
            memory
                .revisions
                .iter()
                .map(|one| (one.number.to_string(), (text.memories.revision)(one.number))),
        )
        .collect();
    let base = memory.base.map(|base| base.to_string()).unwrap_or_default();
    (memory.revisions.len() > 2).then(|| {
        view! {
            <form class="bar" method="get" action=format!("/memories/{}", memory.id)>
                {select("base", text.memories.compare_with, &base, options)}
                <button class="button">{text.memories.compare}</button>
            </form>
        }
        .into_any()
    })
}

fn revisions(frame: &Frame, memory: &Memory) -> AnyView {
    let rows = memory
        .revisions
        .iter()
        .map(|one| revision(frame, memory, one))
        .collect_view();
    view! { <ol class="revisions">{rows}</ol> }.into_any()
}

fn revision(frame: &Frame, memory: &Memory, one: &Revision) -> AnyView {
    let text = frame.text();
    let label = (text.memories.revision)(one.number);
    let before = memory.base.unwrap_or(one.number - 1);
    let body = if one.diff.is_empty() {
        view! { <p lang=lang(&memory.language)>{revealed(text, &one.content)}</p> }.into_any()
    } else if one
        .diff
        .iter()
        .all(|part| part.change == domain::diff::Change::Same)
    {
        view! { <p class="quiet">{text.memories.unchanged}</p> }.into_any()
    } else {
        let before = (text.memories.revision)(before);
        diff(text, &before, &label, &one.diff, &memory.language)
    };
    let edited = (!one.edited.is_empty()).then(|| {
        diff(
            text,
            text.memories.proposed_as,
            text.candidate.decided_as,
            &one.edited,
            &memory.language,
        )
    });
    let by = one.by.as_ref().map(|by| (text.users.by)(by));
    let note = one
        .note
        .clone()
        .map(|note| view! { <p class="said">{note}</p> });
    let quotes = one
        .quotes
        .iter()
        .map(|quote| {
            view! {
                <blockquote lang=lang(domain::text::language(quote))>{revealed(text, quote)}</blockquote>
            }
        })
        .collect_view();
    let candidate = one.candidate.as_ref().map(|candidate| {
        view! { <a href=format!("/candidates/{candidate}")>{text.memories.candidate}</a> }
    });
    let restorable =
        memory.may_decide && one.number < memory.revision && one.action != RevisionAction::Retire;
    let restore = restorable.then(|| {
        view! {
            <form method="post" action=format!("/memories/{}/restore", memory.id)>
                <input type="hidden" name="revision" value=memory.revision />
                <input type="hidden" name="number" value=one.number />
                <button class="button">
                    {(text.memories.restore_this)(&one.number.to_string())}
                </button>
            </form>
        }
    });
    view! {
        <li>
            <p class="head">
                <strong>{label.clone()}</strong>
                " "
                <span>{(text.words.revision)(one.action)}</span>
                " "
                <span class="quiet">{when(frame, one.at)} " " {by}</span>
                " "
                {candidate}
            </p>
            {body}
            {edited}
            {note}
            {quotes}
            {restore}
        </li>
    }
    .into_any()
}

fn told(frame: &Frame, memory: &Memory) -> Option<AnyView> {
    let text = frame.text();
    let rows = memory
        .told
        .iter()
        .map(|line| view! { <li>{line.clone()}</li> })
        .collect_view();
    (!memory.told.is_empty()).then(|| {
        view! {
            <section>
                <h2>{(text.words.event)(domain::audit::EventType::ContextServed)}</h2>
                <ul class="plainlist">{rows}</ul>
            </section>
        }
        .into_any()
    })
}
