//! `/candidates/{id}`, and the two panes of it that the review desk shows: the candidate and its evidence.

mod agreed;
mod claim;
mod decide;
mod evidence;
mod handover;
mod merge;
mod proposal;
mod recalled;

use domain::{
    Timestamp,
    candidate::{Action, Cause, Flag, Reason},
    diff::Part,
    id::{CandidateId, MemoryId, UserId},
};
use leptos::prelude::*;

pub use self::{
    agreed::Agreed,
    claim::Claim,
    evidence::evidence,
    handover::{Handover, NATIVE, language},
    merge::MergeSearch,
    proposal::Moved,
    recalled::Recalled,
};
use self::{
    agreed::agreed,
    claim::claim,
    decide::actions,
    handover::handover,
    proposal::{absorbed, cause, guideline, kept, moved},
    recalled::recalled,
};
use crate::{
    components::{
        content::{lang, revealed},
        demo::banner,
        diff::{ValueDiff, diff, statement, values},
        form::Typed,
        keys::{foot, key_help},
        metadata::Entry,
        notice::notice,
        tag,
        time::{ago, date, date_time, left, when},
        transcript::Transcript,
    },
    shell::{Frame, Place, document, page},
    text::Text,
};

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// It waits.
    Waiting,
    /// Nobody decided in time.
    Expired {
        /// When it stopped waiting.
        at: Timestamp,
    },
    /// It was approved.
    Approved {
        /// By whom.
        by: String,
        /// When.
        at: Timestamp,
        /// The memory it made or changed.
        memory: Option<MemoryId>,
        /// What the approver changed of the content: proposal to approved text (F3).
        edit: Vec<Part>,
        /// The approver's note.
        note: Option<String>,
    },
    /// It was rejected.
    Rejected {
        /// By whom.
        by: String,
        /// When.
        at: Timestamp,
        /// Why.
        reason: Reason,
        /// The note.
        note: Option<String>,
    },
}

/// Another candidate or memory beside this one.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// Its address.
    pub href: String,
    /// Its statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// When it was said or proposed.
    pub at: Timestamp,
}

/// A candidate with all that a decision needs.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Which.
    pub id: CandidateId,
    /// The version that is seen.
    pub version: i64,
    /// The agent.
    pub agent: String,
    /// The user.
    pub user: UserId,
    /// The user as shown.
    pub who: String,
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// The kinds an approver can choose.
    pub kinds: Vec<String>,
    /// Its name within the kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Its flags.
    pub flags: Vec<Flag>,
    /// How sure the extractor is.
    pub confidence: f64,
    /// How much it matters.
    pub importance: f64,
    /// Metadata, field by field.
    pub metadata: Vec<(String, String)>,
    /// The metadata as fields, by the schema of the kind.
    pub metadata_fields: Vec<Entry>,
    /// The metadata that the schema says nothing of, as JSON, to be edited; empty where there is none.
    pub metadata_json: String,
    /// The extractor's sentence on why.
    pub explanation: Option<String>,
    /// What extracted it; `None`: proposed by hand.
    pub made_by: Option<String>,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// When it stops waiting.
    pub expires_at: Timestamp,
    /// What became of it.
    pub standing: Standing,
    /// The first of two people who agreed to it (G9).
    pub agreed: Option<Agreed>,
    /// That its memory was recalled since (G4).
    pub recalled: Option<Recalled>,
    /// Why Keepsake itself proposes it.
    pub cause: Option<Cause>,
    /// What belongs in its kind, in the words of the people who review.
    pub guideline: Option<String>,
    /// The stored memory it is about: id and its present revision, to which the diff refers.
    pub target: Option<(MemoryId, i64)>,
    /// What became of that memory since this was proposed.
    pub moved: Option<Moved>,
    /// The memories that a merge would retire, each with its present revision.
    pub absorbed: Vec<(Beside, MemoryId, i64)>,
    /// The memories that could take it in, nearest in text first: each with its present revision and its words.
    pub merge_into: Vec<(MemoryId, i64, String)>,
    /// The search among all of them, where there are more than that.
    pub merge_search: Option<MergeSearch>,
    /// Stored to proposed, by words.
    pub diff: Vec<Part>,
    /// The values beside the statement that approving would change, from what is stored to what would be (F2).
    pub values: Vec<ValueDiff>,
    /// What other ids of the person say of the same thing (G15).
    pub elsewhere: Vec<Beside>,
    /// The candidates it took the place of (A3).
    pub superseded: Vec<Beside>,
    /// The conversations that were told its memory since it was approved.
    pub told: Vec<String>,
    /// The conversations around its evidence.
    pub transcripts: Vec<Transcript>,
    /// Whether the reader may decide.
    pub may_decide: bool,
    /// Whether their role is for content in its language (G7).
    pub speaks: bool,
    /// Where to go after a decision.
    pub next: String,
    /// Where to come back to after an undo or a refusal.
    pub here: String,
    /// What was typed into a form that was refused.
    pub typed: Typed,
    /// From what stands to what was typed, where somebody was first.
    pub typed_against: Vec<Part>,
    /// Who has claimed it.
    pub claim: Option<Claim>,
    /// Whether the reader may take over what others have claimed.
    pub may_take_over: bool,
    /// For whom it waits.
    pub handover: Option<Handover>,
    /// To whom it can be handed over: id and name.
    pub people: Vec<(String, String)>,
}

/// The candidate alone, for links.
pub fn candidate(frame: &Frame, candidate: &Candidate) -> AnyView {
    let text = frame.text();
    let message = notice(frame);
    let (pane, evidence) = (pane(frame, candidate), evidence(frame, candidate));
    let (foot, key_help) = (foot(frame, message), key_help(frame));
    let desk = view! {
        <div id="desk" class="desk">
            <header class="top">
                <h1>{text.candidate.title}</h1>
                <p class="quiet">
                    <a href="/review">{text.shell.review}</a>
                </p>
            </header>
            <div class="panes single" data-open="">
                <section id="candidate" class="candidate" aria-label=text.candidate.title>
                    {pane}
                </section>
                <aside id="evidence" class="evidence" aria-label=text.candidate.evidence>
                    {evidence}
                </aside>
            </div>
            {foot}
            {key_help}
        </div>
    }
    .into_any();
    let mut frame = frame.clone();
    frame.place = Place::Review;
    document(&frame, text.candidate.title, true, desk)
}

/// A candidate that retention removed, and when that was.
pub fn removed(frame: &Frame, at: Timestamp) -> AnyView {
    let text = frame.text();
    let told = (text.erasure.candidate_removed)(&date_time(text, frame.zone, at));
    let content = view! {
        <div class="callout">
            <p>{told}</p>
        </div>
    };
    page(frame, text.candidate.title, None, content.into_any())
}

/// The pane of the candidate.
pub fn pane(frame: &Frame, candidate: &Candidate) -> AnyView {
    let text = frame.text();
    let waiting = candidate.standing == Standing::Waiting;
    let target = candidate.target.as_ref().map(|(memory, revision)| {
        let short = &memory.as_str()[memory.as_str().len() - 6..];
        view! {
            <a class="tag" data-tone="accent" href=format!("/memories/{memory}")>
                {(text.words.action)(candidate.action)}
                " "
                {(text.candidate.update_of)(&format!("…{short}"), *revision)}
            </a>
        }
        .into_any()
    });
    let change = target.or_else(|| tag::change(text, candidate.action));
    let time_left = waiting.then(|| left(frame, candidate.expires_at));
    let name = candidate.name.as_ref().map(|name| {
        view! {
            <p class="name">
                <span class="quiet">{text.words.name}</span>
                " "
                {name.clone()}
            </p>
        }
    });
    let words = &text.candidate;
    let now = candidate.moved.as_ref().zip(candidate.target.as_ref());
    let stored = now.map(|(_, (_, revision))| (words.stored_now)(*revision));
    let stored = stored.as_deref().unwrap_or(words.stored);
    let language = &candidate.language;
    let changes = statement(text, stored, words.proposed, &candidate.diff, language);
    let others = values(
        text,
        stored,
        words.once_approved,
        &candidate.values,
        language,
    );
    view! {
        <div class="head" data-candidate=candidate.id.to_string()>
            <a class="who" href=format!("/users/{}", candidate.user)>
                {candidate.who.clone()}
            </a>
            <a class="quiet" href=format!("/agents/{}", candidate.agent)>
                {candidate.agent.clone()}
            </a>
            {tag::tag(&tag::kind_name(text, &candidate.kind), None, None)}
            {change}
            {tag::flags(text, &candidate.flags)}
            {time_left}
        </div>
        <h2 class="statement" tabindex="-1" lang=lang(&candidate.language)>
            {revealed(text, &candidate.content)}
        </h2>
        {name}
        <div id="claim" data-region>
            {claim(frame, candidate)}
        </div>
        {handover(frame, candidate)}
        {standing(frame, candidate)}
        {agreed(frame, candidate)}
        {recalled(frame, candidate)}
        {kept(text, candidate)}
        {cause(text, candidate)}
        {moved(frame, candidate)}
        {changes}
        {others}
        {absorbed(frame, candidate)}
        {warnings(text, candidate)}
        {beside(frame, text.joins.elsewhere, &candidate.elsewhere)}
        {beside(frame, text.candidate.superseded, &candidate.superseded)}
        {facts(frame, candidate)}
        {banner(frame, &candidate.agent)}
        {guideline(text, candidate)}
        {actions(frame, candidate)}
    }
    .into_any()
}

fn standing(frame: &Frame, candidate: &Candidate) -> Option<AnyView> {
    let text = frame.text();
    let at = |at: Timestamp| ago(text, frame.now, at);
    let (tone, line, note, memory, edit) = match &candidate.standing {
        Standing::Waiting => return None,
        Standing::Expired { at: end } => (
            "plain",
            (text.candidate.expired_at)(&at(*end)),
            None,
            None,
            None,
        ),
        Standing::Approved {
            by,
            at: then,
            memory,
            edit,
            note,
        } => {
            let edit = (!edit.is_empty()).then(|| {
                diff(
                    text,
                    text.candidate.proposed,
                    text.candidate.decided_as,
                    edit,
                    &candidate.language,
                )
            });
            let line = (text.candidate.approved_by)(by, &at(*then));
            ("good", line, note.clone(), memory.clone(), edit)
        }
        Standing::Rejected {
            by,
            at: then,
            reason,
            note,
        } => {
            let reason = (text.words.reason)(*reason);
            let line = (text.candidate.rejected_by)(by, &at(*then), reason);
            ("bad", line, note.clone(), None, None)
        }
    };
    let memory = memory.map(|memory| {
        view! { <a href=format!("/memories/{memory}")>{text.candidate.open_memory}</a> }
    });
    let note = note.map(|note| view! { <p class="said">{note}</p> });
    let told = (!candidate.told.is_empty()).then(|| {
        let lines = candidate
            .told
            .iter()
            .map(|line| view! { <li>{line.clone()}</li> })
            .collect_view();
        view! {
            <p>{(text.candidate.told)(candidate.told.len() as u64)}</p>
            <ul class="plainlist">{lines}</ul>
        }
    });
    Some(
        view! {
            <div class="callout" data-tone=tone>
                <p>
                    <strong>{line}</strong>
                    " "
                    {memory}
                </p>
                {note}
                {told}
            </div>
            {edit}
        }
        .into_any(),
    )
}

/// What each flag means, in words: nobody should have to hover over a tag to know a risk.
fn warnings(text: &'static Text, candidate: &Candidate) -> Option<AnyView> {
    let notes = candidate
        .flags
        .iter()
        .map(|&flag| {
            view! {
                <li data-tone=tag::tone(flag)>
                    <strong>{(text.words.flag)(flag)}</strong>
                    " "
                    {(text.words.flag_why)(flag)}
                </li>
            }
        })
        .collect_view();
    (!candidate.flags.is_empty()).then(|| view! { <ul class="warnings">{notes}</ul> }.into_any())
}

/// Statements beside this one, under a heading.
fn beside(frame: &Frame, title: &'static str, statements: &[Beside]) -> Option<AnyView> {
    let text = frame.text();
    let rows = statements
        .iter()
        .map(|beside| {
            view! {
                <li>
                    <a href=beside.href.clone() lang=lang(&beside.language)>
                        {revealed(text, &beside.content)}
                    </a>
                    " "
                    <span class="quiet">{when(frame, beside.at)}</span>
                </li>
            }
        })
        .collect_view();
    (!statements.is_empty()).then(|| {
        view! {
            <div class="beside">
                <h3>{title}</h3>
                <ul>{rows}</ul>
            </div>
        }
        .into_any()
    })
}

fn facts(frame: &Frame, candidate: &Candidate) -> AnyView {
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
    let made_by = candidate
        .made_by
        .clone()
        .unwrap_or_else(|| text.candidate.by_hand.to_owned());
    let mut facts = vec![
        fact(
            text.words.confidence.to_owned(),
            tag::confidence(text, candidate.confidence),
        ),
        fact(
            text.words.importance.to_owned(),
            format!("{:.2}", candidate.importance).into_any(),
        ),
        fact(
            text.words.created.to_owned(),
            date(frame, candidate.created_at),
        ),
        fact(
            text.candidate.expires.to_owned(),
            date(frame, candidate.expires_at),
        ),
        fact(text.candidate.made_by.to_owned(), made_by.into_any()),
    ];
    facts.extend(
        candidate
            .metadata
            .iter()
            .map(|(label, value)| fact(label.clone(), value.clone().into_any())),
    );
    let explanation = candidate.explanation.as_ref().map(|line| {
        view! {
            <p class="explanation">
                <span class="quiet">{text.candidate.explanation}</span>
                " "
                {line.clone()}
            </p>
        }
    });
    view! {
        {explanation}
        <dl class="facts">{facts}</dl>
        <p class="quiet">
            <a href=format!("/candidates/{}", candidate.id)>{text.candidate.permalink}</a>
            " · "
            <a href=format!("/candidates/{}/sheet", candidate.id)>{text.sheet.link}</a>
        </p>
    }
    .into_any()
}
