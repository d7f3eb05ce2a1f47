//! `/candidates/{id}`, and the forms that decide about it.

use std::collections::BTreeMap;

use app::{
    components::{content::excerpt, metadata::PREFIX, tag, time::date_time},
    pages::candidate::{
        Agreed, Beside, Candidate, Claim, Handover, MergeSearch, Moved, Recalled, Standing,
        candidate, removed,
    },
    shell::Place,
    text::Text,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use domain::{
    candidate::{Action, Edit, Reason, Status},
    diff::Part,
    guideline::GuidelineLanguage,
    id::{CandidateId, MemoryId},
    memory::MemoryStatus,
    permission::Permission,
    values::Values,
};
use engine::{
    Approval, CandidateDetail, CandidateView, ClaimView, Colleague, EngineError, HandoverView,
    MemoryFilter, MemoryView, Page, Provenance, Remark, claim::may_take_over, decides_on,
};
use serde::Deserialize;
use url::form_urlencoded;

use super::{
    by::by,
    form::{changed, content, figure, figure_given, id, keep, refused, typed, typed_of, version},
    look::Look,
    metadata,
    transcript::{told, transcripts},
    values::values,
};
use crate::{
    auth::{Reviewer, Viewer},
    flash::{Flash, Flashes, local},
    page_error::PageError,
    state::AppState,
};

/// Where a decision leads, and where its undo or refusal leads back to.
pub struct Links {
    /// After the decision.
    pub next: String,
    /// Back to this candidate.
    pub here: String,
    /// The words of a memory that it could be merged into; empty: none is looked for.
    pub merge: String,
}

/// What the address of a candidate asks for, besides what is open.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Looked {
    /// The words of a memory that it could be merged into.
    pub merge: String,
}

/// The candidate alone.
pub async fn show(
    viewer: Viewer,
    look: Look,
    Path(text): Path<String>,
    Query(looked): Query<Looked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Review).await?;
    let here = format!("/candidates/{text}");
    let links = Links {
        next: here.clone(),
        here,
        merge: looked.merge,
    };
    let which: CandidateId = id(&text)?;
    let found = match load(&look, &viewer, &which, links).await {
        Err(PageError::Engine(EngineError::CandidateRemoved { at })) => {
            let page = look.draw_with(StatusCode::GONE, move || removed(&frame, at));
            return Ok(page.await);
        }
        found => found?,
    };
    look.draw(move || candidate(&frame, &found)).await
}

/// A candidate with all that its panes show.
pub async fn load(
    look: &Look,
    viewer: &Viewer,
    id: &CandidateId,
    links: Links,
) -> Result<Candidate, PageError> {
    let detail = look.engine().candidate(&viewer.permit, id).await?;
    let reads = viewer.ask(Permission::ReadAgents)?;
    let (agent, kind) = (&detail.candidate.agent, &detail.candidate.kind);
    let set = look.engine().kind_as_set(&reads, agent, kind).await?;
    let mut kinds = look.engine().kinds_in_use(&reads, agent).await?;
    if !kinds.contains(kind) {
        kinds.push(kind.clone());
    }
    let schema = set.and_then(|set| set.metadata_schema);
    let reader = look
        .language
        .word()
        .parse()
        .unwrap_or(GuidelineLanguage::En);
    let guideline = look
        .engine()
        .guideline_beside(&reads, agent, kind, reader)
        .await?;
    let (merge_into, more) = merge_into(look, viewer, &detail.candidate, &links.merge).await?;
    let text = look.text();
    // What was typed belongs to the candidate it was typed for.
    let flash = look.flash.as_ref();
    let flash = flash
        .filter(|flash| flash.fields.get("candidate").map(String::as_str) == Some(id.as_str()));
    let typed = typed_of(flash);
    let typed_against = against(&detail, typed.values.get("content"));
    let decides = viewer
        .ask(Permission::Decide)
        .ok()
        .filter(|permit| permit.scope().contains(agent));
    let may_decide = decides.is_some();
    let language = &detail.candidate.language;
    let speaks = decides.is_some_and(|permit| decides_on(&permit, agent, language));
    let waits = detail.candidate.status == Status::Pending;
    let people = match may_decide && waits {
        true => colleagues(look, viewer, &detail.candidate).await?,
        false => Vec::new(),
    };
    let (standing, moved) = (standing(text, &detail), moved(text, &detail));
    let view = detail.candidate;
    Ok(Candidate {
        target: target(&view, detail.base.as_ref().map(|memory| memory.revision)),
        metadata: view
            .metadata
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        metadata_fields: metadata::fields(schema.as_ref(), &view.metadata),
        metadata_json: metadata::rest(schema.as_ref(), &view.metadata),
        made_by: match &view.imported {
            Some(from) => Some((text.imports.from_file)(from.row.unsigned_abs())),
            None => view.extractor.as_ref().map(made_by),
        },
        kinds,
        cause: view.cause,
        guideline,
        moved,
        merge_into,
        merge_search: more.then(|| merge_search(&links)),
        absorbed: detail.absorbed_memories.into_iter().map(absorbed).collect(),
        diff: detail.diff,
        values: values(text, &detail.changes),
        elsewhere: detail
            .elsewhere
            .into_iter()
            .map(|memory| absorbed(memory).0)
            .collect(),
        superseded: detail.supersedes.into_iter().map(beside).collect(),
        told: told(&detail.told, |at| date_time(text, look.zone, at)),
        transcripts: transcripts(detail.transcripts),
        may_take_over: speaks && may_take_over(&viewer.permit, &view.agent),
        may_decide,
        speaks,
        typed,
        typed_against,
        agreed: agreed(text, &view, viewer),
        recalled: recalled(text, detail.recalled),
        claim: view.claim.map(|claim| held(claim, viewer)),
        handover: view.handover.map(handed),
        people,
        next: links.next,
        here: links.here,
        standing,
        id: view.id,
        version: view.version,
        agent: view.agent.to_string(),
        user: view.user,
        who: view.who,
        action: view.action,
        kind: view.kind,
        name: view.name,
        content: view.content,
        language: view.language,
        flags: view.flags,
        confidence: view.confidence,
        importance: view.importance,
        explanation: view.explanation,
        created_at: view.created_at,
        expires_at: view.expires_at,
    })
}

/// The first of two people, and what they would make of the proposal.
fn agreed(text: &'static Text, view: &CandidateView, viewer: &Viewer) -> Option<Agreed> {
    let first = view.agreed_by.as_ref()?;
    let edit = first.edit.clone().unwrap_or_default();
    let label = |label: &str, value: String| (label.to_owned(), value);
    let words = &text.words;
    let changes = [
        edit.kind
            .map(|kind| label(words.kind_label, tag::kind_name(text, &kind))),
        edit.name.map(|name| label(words.name, name)),
        edit.importance
            .map(|importance| label(words.importance, format!("{importance:.2}"))),
        edit.metadata.map(|metadata| {
            label(
                words.metadata,
                serde_json::Value::Object(metadata).to_string(),
            )
        }),
    ];
    Some(Agreed {
        by: self::by(text, &first.by).unwrap_or_default(),
        own: first.by.id.as_deref() == Some(viewer.person.as_str()),
        at: first.at,
        diff: edit
            .content
            .map(|content| domain::diff::words(&view.content, &content))
            .unwrap_or_default(),
        changes: changes.into_iter().flatten().collect(),
        merges: first.merge_into.is_some(),
        note: first.note.clone(),
    })
}

fn recalled(text: &'static Text, recalled: Option<engine::Recalled>) -> Option<Recalled> {
    let engine::Recalled { by, reason, at } = recalled?;
    Some(Recalled {
        by: self::by(text, &by).unwrap_or_else(|| text.words.by_system.to_owned()),
        at,
        reason,
    })
}

fn held(claim: ClaimView, viewer: &Viewer) -> Claim {
    Claim {
        mine: claim.is_of(&viewer.person),
        lost: claim.taken_from.as_ref() == Some(&viewer.person),
        by: claim.by.name.unwrap_or_default(),
        until: claim.until,
    }
}

fn handed(handover: HandoverView) -> Handover {
    Handover {
        to: handover.to.map(|to| to.name.unwrap_or_default()),
        by: handover.by.name.unwrap_or_default(),
        at: handover.at,
        note: handover.note,
    }
}

/// To whom it can be handed over.
async fn colleagues(
    look: &Look,
    viewer: &Viewer,
    view: &CandidateView,
) -> Result<Vec<(String, String)>, PageError> {
    let about = (&view.agent, view.language.as_str());
    let people = look
        .engine()
        .colleagues(&viewer.permit, Some(about))
        .await?;
    let pair = |person: Colleague| (person.id.to_string(), person.name);
    Ok(people.into_iter().map(pair).collect())
}

/// From what was approved to what the reader had typed, where somebody was first.
fn against(detail: &CandidateDetail, typed: Option<&String>) -> Vec<Part> {
    let Some(typed) = typed.filter(|_| detail.candidate.status == Status::Approved) else {
        return Vec::new();
    };
    let edit = detail.decisions.last().and_then(|last| last.edit.as_ref());
    let stands = edit
        .and_then(|edit| edit.content.as_ref())
        .unwrap_or(&detail.candidate.content);
    domain::diff::words(stands, typed)
}

fn target(view: &CandidateView, revision: Option<i64>) -> Option<(domain::id::MemoryId, i64)> {
    Some((view.target.clone()?, revision?))
}

/// A value of metadata as a reader takes it.
pub fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => "–".to_owned(),
        other => other.to_string(),
    }
}

/// An extractor in a word: its model, else its name and version; then the versions of prompt and schema (C8).
pub fn made_by(extractor: &Provenance) -> String {
    let prompt = extractor
        .prompt_version
        .as_ref()
        .map(|prompt| format!(" · {prompt}"));
    let schema = extractor
        .schema_version
        .as_ref()
        .map(|schema| format!(" · {schema}"));
    let made = match &extractor.model {
        Some(model) => format!("{model}{}", prompt.unwrap_or_default()),
        None => format!("{} {}", extractor.name, extractor.version),
    };
    format!("{made}{}", schema.unwrap_or_default())
}

fn beside(view: CandidateView) -> Beside {
    Beside {
        href: format!("/candidates/{}", view.id),
        content: view.content,
        language: view.language,
        at: view.created_at,
    }
}

fn absorbed(memory: MemoryView) -> (Beside, MemoryId, i64) {
    let beside = Beside {
        href: format!("/memories/{}", memory.id),
        content: memory.content,
        language: memory.language,
        at: memory.updated_at,
    };
    (beside, memory.id, memory.revision)
}

/// What became of the memory since: from what it said then to what it says now.
fn moved(text: &'static Text, detail: &CandidateDetail) -> Option<Moved> {
    let base = detail.base.as_ref()?;
    let retired = base.status == MemoryStatus::Retired;
    let Some(was) = &detail.was else {
        return retired.then(|| Moved {
            revision: base.revision,
            diff: Vec::new(),
            values: Vec::new(),
            proposed: Vec::new(),
            proposed_values: Vec::new(),
            retired,
        });
    };
    let candidate = &detail.candidate;
    let stored = Values::from(was);
    let approved = stored.revised(Values::from(candidate), candidate.cause);
    let changed = |after: &Values| values(text, &stored.changes(after));
    Some(Moved {
        revision: was.revision,
        diff: domain::diff::words(&was.content, &base.content),
        values: changed(&Values::from(base)),
        proposed: domain::diff::words(&was.content, &candidate.content),
        proposed_values: match candidate.action {
            Action::Retire => Vec::new(),
            _ => changed(&approved),
        },
        retired,
    })
}

/// Memories that a statement can be merged into, as many as are offered at once.
const OFFERED: u32 = 50;

/// The memories of the same user that could take the statement in, those nearest to it in text first, or those that hold what is looked
/// for; and whether there are others to look for.
async fn merge_into(
    look: &Look,
    viewer: &Viewer,
    view: &CandidateView,
    looked: &str,
) -> Result<(Vec<(MemoryId, i64, String)>, bool), PageError> {
    let takes = matches!(view.action, Action::Create | Action::Update);
    if !takes || view.status != Status::Pending || !viewer.may(Permission::Decide) {
        return Ok((Vec::new(), false));
    }
    let filter = MemoryFilter {
        agent: Some(view.agent.clone()),
        user: Some(view.user.clone()),
        ..MemoryFilter::default()
    };
    let reads = viewer.ask(Permission::ReadHistory)?;
    let (engine, looked) = (look.engine(), typed(looked));
    let words = looked.as_deref().unwrap_or(&view.content);
    let near = engine
        .search(&reads, filter.clone(), words, OFFERED)
        .await?
        .data;
    let mut others: Vec<MemoryView> = near.into_iter().map(|found| found.memory).collect();
    let mut more = looked.is_some();
    if looked.is_none() {
        let newest = Page {
            limit: OFFERED,
            ..Page::default()
        };
        let newest = engine.memories(&reads, &filter, &newest).await?;
        more = newest.next.is_some();
        for memory in newest.data {
            if others.iter().all(|near| near.id != memory.id) {
                others.push(memory);
            }
        }
    }
    // What another id of theirs says is told beside it; it takes nothing in.
    let takes_it_in =
        |memory: &MemoryView| memory.user == view.user && Some(&memory.id) != view.target.as_ref();
    let words = |memory: MemoryView| (memory.id, memory.revision, excerpt(&memory.content));
    let others = others.into_iter().filter(takes_it_in);
    let offered = others.take(OFFERED as usize).map(words).collect();
    Ok((offered, more))
}

/// The form that looks for others: it leads back to where the candidate is open now.
fn merge_search(links: &Links) -> MergeSearch {
    let (path, query) = links.here.split_once('?').unwrap_or((&links.here, ""));
    MergeSearch {
        path: path.to_owned(),
        keeps: form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect(),
        words: links.merge.clone(),
    }
}

fn standing(text: &'static Text, detail: &CandidateDetail) -> Standing {
    let view = &detail.candidate;
    let at = view.decided_at.unwrap_or(view.expires_at);
    let by = view.decided_by.as_ref();
    let by = by
        .and_then(|one| self::by(text, one))
        .unwrap_or_else(|| text.words.by_system.to_owned());
    let last = detail.decisions.last();
    let note = last.and_then(|decision| decision.note.clone());
    match (view.status, view.reason) {
        (_, Some(Reason::Expired)) => Standing::Expired { at },
        (Status::Pending, _) => Standing::Waiting,
        (Status::Approved, _) => Standing::Approved {
            by,
            at,
            note,
            memory: view.memory.clone(),
            edit: edited(
                &view.content,
                last.and_then(|decision| decision.edit.as_ref()),
            ),
        },
        (Status::Rejected, reason) => Standing::Rejected {
            by,
            at,
            note,
            reason: reason.unwrap_or(Reason::Other),
        },
    }
}

fn edited(proposed: &str, edit: Option<&Edit>) -> Vec<Part> {
    let content = edit.and_then(|edit| edit.content.as_deref());
    content
        .map(|content| domain::diff::words(proposed, content))
        .unwrap_or_default()
}

/// What the forms send.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Decision {
    #[serde(deserialize_with = "figure")]
    version: i64,
    #[serde(deserialize_with = "figure_given")]
    target_revision: Option<i64>,
    absorbed: String,
    merge_into: String,
    next: String,
    here: String,
    edited: String,
    content: String,
    kind: String,
    name: String,
    importance: String,
    metadata: Option<String>,
    reason: String,
    note: String,
    /// How long the candidate was in view, in milliseconds; empty with scripts off.
    took: String,
    /// The fields of the metadata, whose names the kind's schema says.
    #[serde(flatten)]
    fields: BTreeMap<String, String>,
}

impl Decision {
    /// What the approver changed of the proposal.
    fn edit(
        &self,
        proposal: &CandidateView,
        schema: Option<&serde_json::Value>,
    ) -> Result<Edit, EngineError> {
        let importance = changed(&self.importance, &format!("{:.2}", proposal.importance));
        let importance = importance
            .map(|text| text.parse().map_err(|_| bad("/importance")))
            .transpose()?;
        let rest = self.metadata.as_deref();
        let metadata = metadata::changed(schema, &proposal.metadata, &self.fields, rest)?;
        Ok(Edit {
            content: content(&self.content, &proposal.content)?,
            kind: changed(&self.kind, &proposal.kind),
            name: changed(&self.name, proposal.name.as_deref().unwrap_or_default()),
            importance,
            metadata,
        })
    }

    fn approval(&self, edit: Edit) -> Approval {
        let seen = self.absorbed.split(' ').filter_map(memory_seen);
        let into = memory_seen(&self.merge_into);
        Approval {
            edit,
            note: typed(&self.note),
            seen_target: into
                .as_ref()
                .map(|(_, revision)| *revision)
                .or(self.target_revision),
            merge_into: into.map(|(memory, _)| memory),
            seen_absorbed: seen.collect(),
            took_ms: took(&self.took),
        }
    }

    /// What was typed, where the form had fields to type into.
    fn typed(&self) -> Vec<(&str, &str)> {
        if !self.merge_into.is_empty() {
            return vec![("merge_into", &self.merge_into)];
        }
        if self.edited != "1" {
            let note = typed(&self.note).map(|_| ("note", self.note.as_str()));
            // Only the form that rejects sends a reason; by it the note comes back to that form.
            let reason = note
                .and(typed(&self.reason))
                .map(|_| ("reason", self.reason.as_str()));
            return note.into_iter().chain(reason).collect();
        }
        let rest = self.metadata.iter().map(|json| ("metadata", json.as_str()));
        let fields = self
            .fields
            .iter()
            .filter(|(name, _)| name.starts_with(PREFIX))
            .map(|(name, value)| (name.as_str(), value.as_str()));
        [
            ("content", self.content.as_str()),
            ("kind", &self.kind),
            ("name", &self.name),
            ("importance", &self.importance),
            ("note", &self.note),
        ]
        .into_iter()
        .chain(rest)
        .chain(fields)
        .collect()
    }
}

/// A memory and the revision of it that was shown, as the forms write them.
fn memory_seen(text: &str) -> Option<(MemoryId, i64)> {
    let (memory, revision) = text.split_once(':')?;
    Some((memory.parse().ok()?, revision.parse().ok()?))
}

/// A time in view that can be one: who comes back after a day has not looked for a day.
fn took(milliseconds: &str) -> Option<i64> {
    let took: i64 = milliseconds.parse().ok()?;
    (0..=86_400_000).contains(&took).then_some(took)
}

fn bad(pointer: &'static str) -> EngineError {
    EngineError::invalid(pointer, "invalid", "not readable")
}

/// Approves, with what was changed.
pub async fn approve(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Decision>,
) -> Result<Response, PageError> {
    let id: CandidateId = id(&text)?;
    let approved = async {
        let mut edit = Edit::default();
        if form.edited == "1" {
            let proposal = app.engine.candidate(&reviewer.permit, &id).await?.candidate;
            let kind = app
                .engine
                .kind_as_set(&reviewer.permit, &proposal.agent, &proposal.kind)
                .await?;
            let schema = kind.and_then(|kind| kind.metadata_schema);
            edit = form.edit(&proposal, schema.as_ref())?;
        }
        let edited = edit.content.clone();
        let approval = form.approval(edit);
        let seen = Some(version(form.version));
        let view = app
            .engine
            .approve(&reviewer.permit, &id, seen, approval)
            .await?;
        Ok((view, edited))
    };
    match approved.await {
        Ok((view, edited)) => {
            let flag = if edited.is_some() { "1" } else { "" };
            let what = edited.as_deref().unwrap_or(&view.content);
            let code = match view.status {
                // The first of two people who must agree (G9).
                Status::Pending => "agreed",
                _ => "approved",
            };
            let flash = done(code, &view, what, &form).with("edited", flag);
            flashes
                .see_other(&local(Some(&form.next), "/review"), flash)
                .await
        }
        Err(error) => back(&flashes, &id, &form, error).await,
    }
}

/// Rejects for a reason.
pub async fn reject(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Decision>,
) -> Result<Response, PageError> {
    let id: CandidateId = id(&text)?;
    let reason: Reason = form.reason.parse().map_err(|_| bad("/reason"))?;
    let seen = Some(version(form.version));
    let remark = Remark {
        note: typed(&form.note),
        took_ms: took(&form.took),
    };
    match app
        .engine
        .reject(&reviewer.permit, &id, seen, reason, remark)
        .await
    {
        Ok(view) => {
            let flash =
                done("rejected", &view, &view.content, &form).with("reason", reason.as_str());
            flashes
                .see_other(&local(Some(&form.next), "/review"), flash)
                .await
        }
        Err(error) => back(&flashes, &id, &form, error).await,
    }
}

/// Takes a decision back.
pub async fn reopen(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Decision>,
) -> Result<Response, PageError> {
    let id: CandidateId = id(&text)?;
    let seen = Some(version(form.version));
    match app
        .engine
        .reopen(&reviewer.permit, &id, seen, typed(&form.note))
        .await
    {
        Ok(reopened) => {
            let code = match reopened.withdrawn {
                true => "agreement_withdrawn",
                false => "reopened",
            };
            let flash = Flash::new(code)
                .with("what", excerpt(&reopened.candidate.content))
                .with("told", reopened.told.len().to_string());
            flashes
                .see_other(&local(Some(&form.next), "/review"), flash)
                .await
        }
        Err(error) => back(&flashes, &id, &form, error).await,
    }
}

fn done(code: &str, view: &CandidateView, what: &str, form: &Decision) -> Flash {
    Flash::new(code)
        .with("candidate", view.id.as_str())
        .with("version", view.version.to_string())
        .with("what", excerpt(what))
        .with(
            "here",
            local(Some(&form.here), &format!("/candidates/{}", view.id)),
        )
}

/// Back to the candidate with the reason: what was typed over the new state, who decided where somebody was first, what stands in
/// the way where something does.
async fn back(
    flashes: &Flashes,
    id: &CandidateId,
    form: &Decision,
    error: EngineError,
) -> Result<Response, PageError> {
    let here = local(Some(&form.here), &format!("/candidates/{id}"));
    let flash = match conflict(&error) {
        Some(flash) => keep(flash, &form.typed()),
        None => in_the_way(form, error)?,
    };
    flashes
        .see_other(&here, flash.with("candidate", id.as_str()))
        .await
}

/// That somebody was first, or is at it; `None` for any other refusal.
pub fn conflict(error: &EngineError) -> Option<Flash> {
    let flash = Flash::new(error.code());
    Some(match error {
        EngineError::AlreadyDecided {
            verdict, by, at, ..
        } => flash
            .with("verdict", *verdict)
            .with("by", by.clone().unwrap_or_default())
            .with("at", domain::time::rfc3339(*at)),
        EngineError::Claimed { by, until, .. } => flash
            .with("by", by.clone().unwrap_or_default())
            .with("until", domain::time::rfc3339(*until)),
        EngineError::Stale { .. }
        | EngineError::Expired { .. }
        | EngineError::NotPending { .. }
        | EngineError::StillWaiting { .. }
        | EngineError::SecondPersonNeeded { .. }
        | EngineError::MovedOn { .. } => flash,
        _ => return None,
    })
}

/// What stands in the way of an approval.
fn in_the_way(form: &Decision, error: EngineError) -> Result<Flash, PageError> {
    let kept = |flash| keep(flash, &form.typed());
    let not_decided = || Flash::new("not_decided").with("why", error.code());
    let plain = form.edited != "1";
    Ok(match &error {
        // Nothing was typed, so no form is opened: the message says what stands in the way, and leads there.
        EngineError::LanguageNotYours { .. } | EngineError::OptedOut => kept(not_decided()),
        EngineError::SlotTaken { memory } if plain => not_decided().with("memory", memory.as_str()),
        EngineError::Full { retire, .. } => {
            let retire = retire.as_ref().map(|retire| retire.as_str());
            kept(not_decided()).with("retire", retire.unwrap_or_default())
        }
        _ => refused(error, &form.typed())?,
    })
}
