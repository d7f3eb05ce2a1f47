//! Recalling a memory that should never have been approved: the form, who was told, and what was made from it (G4).

use domain::{
    Timestamp,
    id::{CandidateId, MemoryId},
    memory::MemoryStatus,
};
use leptos::prelude::*;

use super::Memory;
use crate::{
    components::{
        content::{excerpt, lang},
        form::{Control, Field, field},
        tag,
        time::{ago, date},
    },
    shell::Frame,
    text::{Text, grouped},
};

/// How far the memory has got.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// That it was recalled: by whom, when, and why.
    pub recalled: Option<(String, Timestamp, Option<String>)>,
    /// The sessions that were told.
    pub told: Vec<ToldSession>,
    /// How often it was told in all.
    pub times: u64,
    /// What was made from it.
    pub made: Vec<Made>,
}

/// A session that was told.
#[derive(Debug, Clone)]
pub struct ToldSession {
    /// The agent's own id of the conversation.
    pub conversation: Option<String>,
    /// Which revisions.
    pub revisions: Vec<i64>,
    /// How often.
    pub times: u64,
    /// When last.
    pub last_at: Timestamp,
}

/// How something was made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A merge took it in.
    Merge,
    /// A proposal would change it.
    Change,
    /// A pattern cites its words.
    Pattern,
    /// The summary of its conversation.
    Summary,
}

/// Where it stands.
#[derive(Debug, Clone)]
pub enum MadeIn {
    /// In a memory; it can be recalled where it is served.
    Memory {
        /// Which.
        id: MemoryId,
        /// Whether it is approved.
        served: bool,
    },
    /// In a candidate that waits.
    Candidate(CandidateId),
}

/// Something that was made from it.
#[derive(Debug, Clone)]
pub struct Made {
    /// How.
    pub how: How,
    /// Where.
    pub place: MadeIn,
    /// Its statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Its kind.
    pub kind: String,
}

pub(super) fn recall(frame: &Frame, memory: &Memory) -> AnyView {
    let text = frame.text();
    let words = &text.recall;
    let reach = &memory.reach;
    let served = memory.status == MemoryStatus::Approved;
    // Before a recall the page lists every time it was told by itself.
    let known = reach.recalled.is_some();
    let line = (words.reach)(
        reach.told.len() as u64,
        reach.times,
        reach.made.len() as u64,
    );
    let head = match &reach.recalled {
        Some((by, at, reason)) => {
            let line = (words.recalled)(by, &ago(text, frame.now, *at));
            let reason = reason
                .clone()
                .map(|reason| view! { <p class="said">{reason}</p> });
            view! {
                <div class="callout" data-tone="bad">
                    <p>
                        <strong>{line}</strong>
                        ". "
                        {words.undo_how}
                    </p>
                    {reason}
                </div>
            }
            .into_any()
        }
        None => view! { <p class="lead">{words.lead}</p> }.into_any(),
    };
    let open =
        memory.typed.values.contains_key("reason") || memory.typed.faults.contains_key("reason");
    let form = (served && memory.may_decide).then(|| {
        let reason = field(
            text,
            "recall",
            &memory.typed,
            Field {
                name: "reason",
                label: words.reason,
                hint: Some(words.reason_how),
                value: "",
                control: Control::Lines(2),
            },
        );
        view! {
            <details class="reject" open=open>
                <summary class="button danger">{words.button}</summary>
                <form class="grid" method="post" action=format!("/memories/{}/recall", memory.id)>
                    <input type="hidden" name="revision" value=memory.revision />
                    {reason}
                    <div class="buttons">
                        <button class="button danger">{words.button}</button>
                    </div>
                </form>
            </details>
        }
    });
    view! {
        <section id="recall">
            <h2>{words.title}</h2>
            {head}
            <p>{line}</p>
            {form}
            {known.then(|| told(frame, reach))}
            {(known || !reach.made.is_empty()).then(|| made(text, reach, memory.may_decide))}
        </section>
    }
    .into_any()
}

fn told(frame: &Frame, reach: &Reach) -> Option<AnyView> {
    if reach.told.is_empty() {
        return None;
    }
    let words = &frame.text().recall;
    let rows = reach
        .told
        .iter()
        .map(|session| {
            let conversation = match &session.conversation {
                Some(id) => view! { <code>{id.clone()}</code> }.into_any(),
                None => words.conversation_none.into_any(),
            };
            let revisions: Vec<_> = session.revisions.iter().map(i64::to_string).collect();
            view! {
                <tr>
                    <th scope="row">{conversation}</th>
                    <td class="num">{revisions.join(", ")}</td>
                    <td class="num">{grouped(session.times)}</td>
                    <td>{date(frame, session.last_at)}</td>
                </tr>
            }
        })
        .collect_view();
    let listed: u64 = reach.told.iter().map(|session| session.times).sum();
    let older = reach.times.saturating_sub(listed);
    let older = (older > 0).then(|| view! { <p class="quiet">{(words.older)(older)}</p> });
    Some(
        view! {
            <h3>{words.told}</h3>
            <p class="hint">{words.told_how}</p>
            <div class="scroll" tabindex="0" role="region" aria-label=words.told>
                <table>
                    <caption class="visually-hidden">{words.told}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{words.conversation}</th>
                            <th scope="col" class="num">
                                {words.revisions}
                            </th>
                            <th scope="col" class="num">
                                {words.times}
                            </th>
                            <th scope="col">{words.last}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {older}
        }
        .into_any(),
    )
}

fn made(text: &'static Text, reach: &Reach, may_decide: bool) -> AnyView {
    let words = &text.recall;
    let rows = reach
        .made
        .iter()
        .map(|made| one_made(text, made, may_decide))
        .collect_view();
    let list = if reach.made.is_empty() {
        view! { <p class="quiet">{words.made_none}</p> }.into_any()
    } else {
        view! { <ul class="plainlist made">{rows}</ul> }.into_any()
    };
    view! {
        <h3>{words.made}</h3>
        <p class="hint">{words.made_means}</p>
        {list}
    }
    .into_any()
}

fn one_made(text: &'static Text, made: &Made, may_decide: bool) -> AnyView {
    let words = &text.recall;
    let how = match made.how {
        How::Merge => words.by_merge,
        How::Change => words.by_change,
        How::Pattern => words.by_pattern,
        How::Summary => words.by_summary,
    };
    let (href, state, act) = match &made.place {
        MadeIn::Candidate(id) => (format!("/candidates/{id}"), Some(words.waits), None),
        MadeIn::Memory { id, served } => {
            // The reason is asked for on its own page, where its own reach is seen.
            let act = (*served && may_decide).then(|| format!("/memories/{id}#recall"));
            let state = (!served).then_some(words.served_no_more);
            (format!("/memories/{id}"), state, act)
        }
    };
    let act = act.map(|at| {
        view! {
            " "
            <a class="button danger" href=at>
                {words.button}
            </a>
        }
    });
    let state = state.map(|line| view! { <span class="quiet">" " {line}</span> });
    view! {
        <li>
            {tag::tag(how, Some("warn"), None)}
            " "
            {tag::tag(&tag::kind_name(text, &made.kind), None, None)}
            " "
            <a href=href lang=lang(&made.language)>
                {excerpt(&made.content)}
            </a>
            {state}
            {act}
        </li>
    }
    .into_any()
}
