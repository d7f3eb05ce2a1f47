//! `/candidates/{id}`, and the forms that decide about it.

use app::{
    components::{content::excerpt, time::date_time},
    pages::candidate::{Beside, Candidate, Standing, candidate},
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{
    candidate::{Edit, Reason, Status},
    diff::Part,
    id::CandidateId,
    permission::Permission,
};
use engine::{Approval, CandidateDetail, CandidateView, EngineError, Provenance};
use serde::Deserialize;

use super::{
    form::{changed, content, id, keep, refused, typed, typed_of, version},
    look::Look,
    transcript::{told, transcripts},
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
}

/// The candidate alone.
pub async fn show(
    viewer: Viewer,
    look: Look,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Review).await?;
    let here = format!("/candidates/{text}");
    let links = Links {
        next: here.clone(),
        here,
    };
    let found = load(&look, &viewer, &id(&text)?, links).await?;
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
    let kinds = look.engine().kinds(&reads, &detail.candidate.agent).await?;
    let kinds = kinds.into_iter().filter(|kind| kind.enabled);
    let text = look.text();
    // What was typed belongs to the candidate it was typed for.
    let flash = look.flash.as_ref();
    let flash = flash
        .filter(|flash| flash.fields.get("candidate").map(String::as_str) == Some(id.as_str()));
    let (standing, view) = (standing(&detail), detail.candidate);
    Ok(Candidate {
        target: target(&view, detail.base.as_ref().map(|memory| memory.revision)),
        metadata: view
            .metadata
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        metadata_json: metadata_json(&view),
        made_by: view.extractor.as_ref().map(made_by),
        kinds: kinds.map(|kind| kind.name).collect(),
        diff: detail.diff,
        superseded: detail.supersedes.into_iter().map(beside).collect(),
        told: told(&detail.told, |at| date_time(text, look.zone, at)),
        transcripts: transcripts(detail.transcripts),
        may_decide: viewer.may(Permission::Decide),
        typed: typed_of(flash),
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

fn target(view: &CandidateView, revision: Option<i64>) -> Option<(domain::id::MemoryId, i64)> {
    Some((view.target.clone()?, revision?))
}

fn metadata_json(view: &CandidateView) -> String {
    if view.metadata.is_empty() {
        return String::new();
    }
    serde_json::to_string_pretty(&view.metadata).unwrap_or_default()
}

fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => "–".to_owned(),
        other => other.to_string(),
    }
}

/// An extractor in a word: its model, else its name and version.
pub fn made_by(extractor: &Provenance) -> String {
    let prompt = extractor
        .prompt_version
        .as_ref()
        .map(|prompt| format!(" · {prompt}"));
    match &extractor.model {
        Some(model) => format!("{model}{}", prompt.unwrap_or_default()),
        None => format!("{} {}", extractor.name, extractor.version),
    }
}

fn beside(view: CandidateView) -> Beside {
    Beside {
        href: format!("/candidates/{}", view.id),
        content: view.content,
        language: view.language,
        at: view.created_at,
    }
}

fn standing(detail: &CandidateDetail) -> Standing {
    let view = &detail.candidate;
    let at = view.decided_at.unwrap_or(view.expires_at);
    let by = view.decided_by.as_ref();
    let by = by
        .and_then(|by| by.name.clone())
        .unwrap_or_else(|| "Keepsake".to_owned());
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
    version: i64,
    target_revision: Option<i64>,
    next: String,
    here: String,
    edited: String,
    content: String,
    kind: String,
    name: String,
    importance: String,
    metadata: String,
    reason: String,
    note: String,
}

impl Decision {
    /// What the approver changed of the proposal.
    fn edit(&self, proposal: &CandidateView) -> Result<Edit, EngineError> {
        let importance = changed(&self.importance, &format!("{:.2}", proposal.importance));
        let importance = importance
            .map(|text| text.parse().map_err(|_| bad("/importance")))
            .transpose()?;
        let metadata = changed(&self.metadata, &metadata_json(proposal));
        let metadata = metadata
            .map(|text| serde_json::from_str(&text).map_err(|_| bad("/metadata")))
            .transpose()?;
        Ok(Edit {
            content: content(&self.content, &proposal.content)?,
            kind: changed(&self.kind, &proposal.kind),
            name: changed(&self.name, proposal.name.as_deref().unwrap_or_default()),
            importance,
            metadata,
        })
    }

    fn typed(&self) -> [(&'static str, &str); 6] {
        [
            ("content", &self.content),
            ("kind", &self.kind),
            ("name", &self.name),
            ("importance", &self.importance),
            ("metadata", &self.metadata),
            ("note", &self.note),
        ]
    }
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
            edit = form.edit(&app.engine.candidate(&reviewer.permit, &id).await?.candidate)?;
        }
        let note = typed(&form.note);
        let edited = edit.content.clone();
        let approval = Approval {
            edit,
            note,
            seen_target: form.target_revision,
            ..Approval::default()
        };
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
            let flash = done("approved", &view, what, &form).with("edited", flag);
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
    let (seen, note) = (Some(version(form.version)), typed(&form.note));
    match app
        .engine
        .reject(&reviewer.permit, &id, seen, reason, note)
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
            let flash = Flash::new("reopened")
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

/// Back to the candidate with the reason: what was typed where a field was wrong, who decided where somebody was first.
async fn back(
    flashes: &Flashes,
    id: &CandidateId,
    form: &Decision,
    error: EngineError,
) -> Result<Response, PageError> {
    let flash = match &error {
        EngineError::AlreadyDecided {
            verdict, by, at, ..
        } => Flash::new(error.code())
            .with("verdict", *verdict)
            .with("by", by.clone().unwrap_or_default())
            .with("at", domain::time::rfc3339(*at)),
        // What was typed waits over the new state; the reviewer decides what becomes of it.
        EngineError::Stale { .. } if form.edited == "1" => {
            keep(Flash::new(error.code()), &form.typed())
        }
        EngineError::Stale { .. }
        | EngineError::Expired { .. }
        | EngineError::NotPending { .. }
        | EngineError::StillWaiting { .. }
        | EngineError::MovedOn { .. } => Flash::new(error.code()),
        _ => refused(error, &form.typed())?,
    };
    let here = local(Some(&form.here), &format!("/candidates/{id}"));
    flashes
        .see_other(&here, flash.with("candidate", id.as_str()))
        .await
}
