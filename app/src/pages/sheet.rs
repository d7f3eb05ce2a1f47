//! `/candidates/{id}/sheet`: one sheet that explains a decision, to be printed or kept (G6).

use domain::{
    Timestamp,
    audit::EventType,
    candidate::{Action, Cause, Flag, Reason},
    diff::Part,
    id::{CandidateId, MemoryId, UserId},
    memory::{MemoryStatus, RevisionAction},
};
use leptos::prelude::*;

use crate::{
    components::{
        content::{lang, revealed, with_code},
        demo::banner,
        diff::{ValueDiff, diff, statement, values},
        table::{Caption, Head, Row, table},
        tag,
        time::{date, date_time},
        transcript::{Transcript, turns},
    },
    shell::{Frame, still},
    text::{Text, grouped},
};

/// What the sheet shows.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// The candidate.
    pub id: CandidateId,
    /// The agent.
    pub agent: String,
    /// Whom it is about.
    pub user: UserId,
    /// As the agent names them.
    pub who: String,
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement as it was proposed.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Metadata, field by field.
    pub metadata: Vec<(String, String)>,
    /// How sure the extractor was.
    pub confidence: f64,
    /// How much it matters.
    pub importance: f64,
    /// Its flags.
    pub flags: Vec<Flag>,
    /// From what was stored to what was proposed.
    pub diff: Vec<Part>,
    /// The values beside the statement that an approval as it stood would change.
    pub values: Vec<ValueDiff>,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// Why Keepsake proposed it by itself.
    pub cause: Option<Cause>,
    /// The extractor's sentence on why.
    pub explanation: Option<String>,
    /// What extracted it.
    pub run: Option<Run>,
    /// The turns in which the words were said.
    pub transcripts: Vec<Transcript>,
    /// Words whose conversation is not stored any more.
    pub quotes: Vec<String>,
    /// What was decided, oldest first.
    pub decisions: Vec<Decision>,
    /// The memory that came of it.
    pub memory: Option<Came>,
    /// Where it was told, newest first.
    pub served: Vec<Told>,
    /// How often the memory was told in all.
    pub times: u64,
    /// Its events, oldest first.
    pub events: Vec<Event>,
    /// How far the chain was last signed.
    pub signed: Option<Signed>,
    /// The fingerprint of the signing key.
    pub fingerprint: String,
}

/// A run of an extractor.
#[derive(Debug, Clone)]
pub struct Run {
    /// Which.
    pub id: String,
    /// The extractor with its version.
    pub extractor: String,
    /// The model.
    pub model: Option<String>,
    /// The version of the prompt.
    pub prompt: Option<String>,
    /// The version of the answer's schema.
    pub schema: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// A decision.
#[derive(Debug, Clone)]
pub struct Decision {
    /// `approve`, `reject` or `reopen`.
    pub verdict: &'static str,
    /// Why, of a rejection.
    pub reason: Option<Reason>,
    /// By whom.
    pub by: String,
    /// Who had agreed before.
    pub agreed_by: Option<String>,
    /// When.
    pub at: Timestamp,
    /// From the proposed words to those of the approver.
    pub diff: Vec<Part>,
    /// What else the approver changed: label and value.
    pub changes: Vec<(String, String)>,
    /// The note.
    pub note: Option<String>,
}

/// A memory that came of it.
#[derive(Debug, Clone)]
pub struct Came {
    /// Which.
    pub id: MemoryId,
    /// Whether it is served.
    pub status: MemoryStatus,
    /// The statement as it stands now.
    pub content: String,
    /// Its language.
    pub language: String,
    /// The number of its newest revision.
    pub revision: i64,
    /// The revisions that came of it: number, what made it, when.
    pub revisions: Vec<(i64, RevisionAction, Timestamp)>,
}

/// A session that was told.
#[derive(Debug, Clone)]
pub struct Told {
    /// The agent's own id of it, else that of the answer.
    pub session: String,
    /// Which revision.
    pub revision: i64,
    /// When.
    pub at: Timestamp,
    /// The event that says so: number and hash.
    pub event: Option<(i64, String)>,
}

/// An event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its number in the chain.
    pub seq: i64,
    /// What happened.
    pub r#type: EventType,
    /// Who did it.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Its hash, as hex.
    pub hash: String,
}

/// How far a chain was signed.
#[derive(Debug, Clone)]
pub struct Signed {
    /// How many of its events.
    pub size: u64,
    /// The root over them, as hex.
    pub root: String,
    /// When.
    pub at: Timestamp,
}

/// The sheet.
pub fn sheet(frame: &Frame, sheet: &Sheet) -> AnyView {
    let text = frame.text();
    let words = &text.sheet;
    let beside = view! {
        <p class="quiet">
            <a href=format!("/candidates/{}", sheet.id)>
                <code>{sheet.id.to_string()}</code>
            </a>
            " · "
            <a href=format!("/users/{}", sheet.user)>{sheet.who.clone()}</a>
            " · "
            <a href=format!("/agents/{}", sheet.agent)>{sheet.agent.clone()}</a>
            " · "
            {(words.drawn)(&date_time(text, frame.zone, frame.now))}
        </p>
        <p class="quiet screen">{words.lead}</p>
    }
    .into_any();
    let content = view! {
        <div class="letter sheet">
            {banner(frame, &sheet.agent)}
            {section("proposal", words.proposal, proposal(frame, sheet))}
            {section("words", words.words, rests_on(frame, sheet))}
            {section("proposer", words.proposer, proposer(frame, sheet))}
            {section("decisions", words.decisions, decisions(frame, sheet))}
            {section("came", words.memory, came(frame, sheet))}
            {section("served", words.served, served(frame, sheet))}
            {section("events", words.events, events(frame, sheet))}
            {section("verify", words.verify, verify(text, &sheet.fingerprint))}
        </div>
    }
    .into_any();
    still(frame, words.title, Some(beside), content)
}

fn section(id: &'static str, heading: &'static str, content: AnyView) -> AnyView {
    view! {
        <section id=id>
            <h2>{heading}</h2>
            {content}
        </section>
    }
    .into_any()
}

/// Labels with their values.
pub(crate) fn facts(facts: Vec<(String, AnyView)>) -> AnyView {
    let rows = facts
        .into_iter()
        .map(|(label, value)| {
            view! {
                <div>
                    <dt>{label}</dt>
                    <dd>{value}</dd>
                </div>
            }
        })
        .collect_view();
    view! { <dl class="facts">{rows}</dl> }.into_any()
}

fn proposal(frame: &Frame, sheet: &Sheet) -> AnyView {
    let text = frame.text();
    let words = &text.candidate;
    let (stored, language) = (words.stored, &sheet.language);
    let changes = statement(text, stored, words.proposed, &sheet.diff, language);
    let others = values(text, stored, words.once_approved, &sheet.values, language);
    let flags = sheet
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
    let flags = (!sheet.flags.is_empty()).then(|| view! { <ul class="warnings">{flags}</ul> });
    let fact = |label: &str, value: String| (label.to_owned(), value.into_any());
    let mut all = vec![
        fact(
            text.words.action_label,
            (text.words.action)(sheet.action).to_owned(),
        ),
        fact(text.words.kind_label, tag::kind_name(text, &sheet.kind)),
        fact(text.words.confidence, format!("{:.2}", sheet.confidence)),
        fact(text.words.importance, format!("{:.2}", sheet.importance)),
        (text.words.created.to_owned(), date(frame, sheet.created_at)),
    ];
    all.extend(sheet.name.clone().map(|name| fact(text.words.name, name)));
    all.extend(
        sheet
            .metadata
            .iter()
            .map(|(label, value)| fact(label, value.clone())),
    );
    view! {
        <p class="statement" lang=lang(&sheet.language)>
            {revealed(text, &sheet.content)}
        </p>
        {changes}
        {others}
        {flags}
        {facts(all)}
    }
    .into_any()
}

fn rests_on(frame: &Frame, sheet: &Sheet) -> AnyView {
    let text = frame.text();
    if sheet.transcripts.is_empty() && sheet.quotes.is_empty() {
        return view! { <p class="quiet">{text.candidate.no_evidence}</p> }.into_any();
    }
    let conversations = sheet
        .transcripts
        .iter()
        .map(|transcript| {
            view! {
                {turns(frame, &sheet.who, &sheet.agent, &transcript.turns)}
                <p class="quiet">
                    <a href=format!("/conversations/{}", transcript.conversation)>
                        <code>{transcript.conversation.to_string()}</code>
                    </a>
                </p>
            }
        })
        .collect_view();
    let quotes = sheet
        .quotes
        .iter()
        .map(|quote| {
            view! {
                <blockquote lang=lang(domain::text::language(quote))>{revealed(text, quote)}</blockquote>
            }
        })
        .collect_view();
    let kept = (!sheet.quotes.is_empty()).then(|| {
        view! {
            <p>{text.sheet.words_kept}</p>
            {quotes}
        }
    });
    view! {
        {conversations}
        {kept}
    }
    .into_any()
}

fn proposer(frame: &Frame, sheet: &Sheet) -> AnyView {
    let text = frame.text();
    let words = &text.sheet;
    let explanation = sheet.explanation.clone().map(|line| {
        view! {
            <p class="explanation">
                <span class="quiet">{text.candidate.explanation}</span>
                " "
                {line}
            </p>
        }
    });
    let who = match (&sheet.run, sheet.cause) {
        (Some(run), _) => {
            let fact = |label: &str, value: &String| (label.to_owned(), value.clone().into_any());
            let mut all = vec![fact(words.extractor, &run.extractor)];
            all.extend(run.model.as_ref().map(|model| fact(words.model, model)));
            all.extend(run.prompt.as_ref().map(|it| fact(words.prompt, it)));
            all.extend(run.schema.as_ref().map(|it| fact(words.schema, it)));
            let ran = view! {
                <code>{run.id.clone()}</code>
                " "
                {date(frame, run.at)}
            };
            all.push((words.run.to_owned(), ran.into_any()));
            facts(all)
        }
        (None, Some(cause)) => {
            view! { <p>{words.by_keepsake} " " {(text.words.cause)(cause)}</p> }.into_any()
        }
        (None, None) => view! { <p>{words.by_hand}</p> }.into_any(),
    };
    view! {
        {who}
        {explanation}
    }
    .into_any()
}

fn decisions(frame: &Frame, sheet: &Sheet) -> AnyView {
    let text = frame.text();
    if sheet.decisions.is_empty() {
        return view! { <p class="quiet">{text.sheet.decided_none}</p> }.into_any();
    }
    let rows = sheet
        .decisions
        .iter()
        .map(|one| decision(frame, sheet, one))
        .collect_view();
    view! { <ol class="revisions">{rows}</ol> }.into_any()
}

fn decision(frame: &Frame, sheet: &Sheet, one: &Decision) -> AnyView {
    let text = frame.text();
    let words = &text.sheet;
    let reason = one.reason.map(|reason| {
        view! { ": " {(text.words.reason)(reason)} }
    });
    let at = date_time(text, frame.zone, one.at);
    let agreed = one
        .agreed_by
        .as_ref()
        .map(|who| view! { " · " {(words.agreed)(who)} });
    let edit = (!one.diff.is_empty()).then(|| {
        diff(
            text,
            text.candidate.proposed,
            text.candidate.decided_as,
            &one.diff,
            &sheet.language,
        )
    });
    let changes = (!one.changes.is_empty()).then(|| {
        let all = one.changes.iter();
        facts(
            all.map(|(label, value)| (label.clone(), value.clone().into_any()))
                .collect(),
        )
    });
    let untouched = one.verdict == "approve" && one.diff.is_empty() && one.changes.is_empty();
    let untouched = untouched.then(|| view! { <p class="quiet">{words.as_proposed}</p> });
    let note = one.note.clone().map(|note| {
        view! {
            <p class="said">
                <span class="quiet">{words.note} ": "</span>
                {note}
            </p>
        }
    });
    view! {
        <li>
            <p class="head">
                <strong>{(words.verdict)(one.verdict)} {reason}</strong>
                " "
                <span class="quiet">{(words.by)(&one.by, &at)} {agreed}</span>
            </p>
            {edit}
            {changes}
            {untouched}
            {note}
        </li>
    }
    .into_any()
}

fn came(frame: &Frame, sheet: &Sheet) -> AnyView {
    let text = frame.text();
    let words = &text.sheet;
    let Some(memory) = &sheet.memory else {
        return view! { <p class="quiet">{words.memory_none}</p> }.into_any();
    };
    let status = match memory.status {
        MemoryStatus::Approved => text.memories.status_approved,
        MemoryStatus::Retired => text.memories.status_retired,
    };
    let made = memory.revisions.iter().map(|(number, action, at)| {
        view! {
            <li>
                {(text.memories.revision)(*number)} " · " {(text.words.revision)(*action)} " · "
                {date(frame, *at)}
            </li>
        }
    });
    let made = view! { <ul class="plainlist">{made.collect_view()}</ul> };
    let stands = view! {
        <span lang=lang(&memory.language)>{revealed(text, &memory.content)}</span>
        " ("
        {(text.memories.revision)(memory.revision)}
        ", "
        {status}
        ")"
    };
    let id = view! {
        <a href=format!("/memories/{}", memory.id)>
            <code>{memory.id.to_string()}</code>
        </a>
    };
    facts(vec![
        (text.memories.memory.to_owned(), id.into_any()),
        (words.came_of_it.to_owned(), made.into_any()),
        (words.stands.to_owned(), stands.into_any()),
    ])
}

fn served(frame: &Frame, sheet: &Sheet) -> AnyView {
    let text = frame.text();
    let words = &text.sheet;
    if sheet.served.is_empty() {
        return view! { <p class="quiet">{words.served_none}</p> }.into_any();
    }
    let heads = [
        Head::Words(text.served.session),
        Head::Words(text.memories.revisions),
        Head::Words(text.preview.when),
        Head::Figures(words.number),
        Head::Words(words.hash),
    ];
    let rows = sheet.served.iter().map(|told| {
        let (number, sum) = match &told.event {
            Some((seq, hash)) => (grouped(seq.unsigned_abs()), hashed(hash)),
            None => ("–".to_owned(), "–".into_any()),
        };
        Row {
            of: told.session.clone().into_any(),
            cells: vec![
                (text.memories.revision)(told.revision).into_any(),
                date(frame, told.at),
                number.into_any(),
                sum,
            ],
        }
    });
    view! {
        <p>{(words.served_times)(sheet.times)}</p>
        {table(words.served, Caption::Heard, &heads, rows.collect())}
    }
    .into_any()
}

/// A hash, which may be broken anywhere.
pub(crate) fn hashed(hash: &str) -> AnyView {
    view! { <code class="hash">{hash.to_owned()}</code> }.into_any()
}

fn events(frame: &Frame, sheet: &Sheet) -> AnyView {
    let text = frame.text();
    let words = &text.sheet;
    let table = chain(frame, &sheet.events);
    let signed = match &sheet.signed {
        Some(signed) => view! {
            <p>{(words.signed)(signed.size, &date_time(text, frame.zone, signed.at))}</p>
            {facts(vec![(words.root.to_owned(), hashed(&signed.root))])}
        }
        .into_any(),
        None => view! { <p>{words.signed_none}</p> }.into_any(),
    };
    view! {
        <p class="quiet">{words.events_how}</p>
        {table}
        {signed}
    }
    .into_any()
}

/// Events with their hashes.
pub(crate) fn chain(frame: &Frame, events: &[Event]) -> AnyView {
    let text = frame.text();
    let words = &text.sheet;
    let heads = [
        Head::Words(words.event),
        Head::Words(text.audit.who),
        Head::Words(text.preview.when),
        Head::Figures(words.number),
        Head::Words(words.hash),
    ];
    let rows = events.iter().map(|event| Row {
        of: (text.words.event)(event.r#type).into_any(),
        cells: vec![
            event.by.clone().into_any(),
            date(frame, event.at),
            grouped(event.seq.unsigned_abs()).into_any(),
            hashed(&event.hash),
        ],
    });
    table(words.events, Caption::Heard, &heads, rows.collect())
}

/// How whoever holds the sheet finds out whether it is true.
pub(crate) fn verify(text: &'static Text, fingerprint: &str) -> AnyView {
    let steps = text
        .sheet
        .verify_steps
        .iter()
        .map(|step| view! { <li>{with_code(step)}</li> })
        .collect_view();
    let key = hashed(fingerprint);
    view! {
        <ol class="howto">{steps}</ol>
        {facts(vec![(text.audit.fingerprint.to_owned(), key)])}
    }
    .into_any()
}
