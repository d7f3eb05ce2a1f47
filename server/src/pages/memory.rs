//! `/memories/{id}`, and the forms that change it.

use app::{
    components::time::date_time,
    pages::memory::{Memory, Revision, memory},
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    response::Response,
};
use domain::{candidate::Edit, id::MemoryId, permission::Permission};
use engine::{EngineError, MemoryDetail, MemoryView, RevisionView};
use serde::Deserialize;

use super::{
    form::{changed, content, id, refused, typed, typed_of, version},
    look::Look,
    transcript::{told, transcripts},
};
use crate::{
    auth::{Reviewer, Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// Which revision the others are compared with.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    base: String,
}

/// One memory.
pub async fn show(
    signed: Signed<need::ReadHistory>,
    look: Look,
    Path(text): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Memories).await?;
    let detail = look
        .engine()
        .memory_detail(&signed.permit, &id(&text)?)
        .await?;
    let reads = signed.ask(Permission::ReadAgents)?;
    let kinds = look.engine().kinds(&reads, &detail.memory.agent).await?;
    let kinds = kinds
        .into_iter()
        .filter(|kind| kind.enabled)
        .map(|kind| kind.name);
    let page = page(
        &look,
        detail,
        kinds.collect(),
        asked.base.parse().ok(),
        signed.may(Permission::Decide),
    );
    look.draw(move || memory(&frame, &page)).await
}

fn page(
    look: &Look,
    detail: MemoryDetail,
    kinds: Vec<String>,
    base: Option<i64>,
    may_decide: bool,
) -> Memory {
    let text = look.text();
    let against = detail
        .revisions
        .iter()
        .find(|one| Some(one.revision) == base)
        .map(|one| (one.revision, one.content.clone()));
    let view = detail.memory;
    let metadata = view
        .metadata
        .iter()
        .map(|(name, value)| (name.clone(), value.to_string()));
    Memory {
        metadata: metadata.collect(),
        revisions: detail
            .revisions
            .into_iter()
            .map(|one| revision(one, against.as_ref()))
            .collect(),
        base: against.as_ref().map(|(number, _)| *number),
        transcripts: transcripts(detail.transcripts),
        told: told(&detail.told, |at| date_time(text, look.zone, at)),
        typed: typed_of(look.flash.as_ref()),
        kinds,
        may_decide,
        id: view.id,
        agent: view.agent.to_string(),
        user: view.user,
        who: view.who,
        kind: view.kind,
        name: view.name,
        content: view.content,
        language: view.language,
        confidence: view.confidence,
        importance: view.importance,
        status: view.status,
        reason: view.reason,
        revision: view.revision,
        said_at: view.said_at,
        expires_at: view.expires_at,
    }
}

fn revision(one: RevisionView, against: Option<&(i64, String)>) -> Revision {
    let diff = match against {
        Some((number, _)) if *number == one.revision => Vec::new(),
        Some((_, content)) => domain::diff::words(content, &one.content),
        None => one.diff,
    };
    let edited = one.proposed.filter(|proposed| *proposed != one.content);
    Revision {
        edited: edited
            .map(|proposed| domain::diff::words(&proposed, &one.content))
            .unwrap_or_default(),
        by: one.by.and_then(|by| by.name),
        quotes: one
            .evidence
            .into_iter()
            .map(|evidence| evidence.quote)
            .collect(),
        number: one.revision,
        action: one.action,
        content: one.content,
        candidate: one.candidate,
        note: one.note,
        at: one.at,
        diff,
    }
}

/// What the forms send.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Change {
    revision: i64,
    number: Option<i64>,
    content: String,
    kind: String,
    name: String,
    importance: String,
    note: String,
}

impl Change {
    fn edit(&self, present: &MemoryView) -> Result<Edit, EngineError> {
        let importance = changed(&self.importance, &format!("{:.2}", present.importance));
        let bad = |_| EngineError::invalid("/importance", "invalid", "not a number");
        Ok(Edit {
            content: content(&self.content, &present.content)?,
            kind: changed(&self.kind, &present.kind),
            name: changed(&self.name, present.name.as_deref().unwrap_or_default()),
            importance: importance
                .map(|text| text.parse().map_err(bad))
                .transpose()?,
            metadata: None,
        })
    }
}

/// Makes a revision with what was changed.
pub async fn edit(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Change>,
) -> Result<Response, PageError> {
    let id: MemoryId = id(&text)?;
    let saved = async {
        let edit = form.edit(&app.engine.memory(&reviewer.permit, &id).await?)?;
        let (seen, note) = (version(form.revision), typed(&form.note));
        app.engine
            .edit_memory(&reviewer.permit, &id, seen, edit, note)
            .await
    };
    let flash = outcome("saved", saved.await.map(drop), &form)?;
    flashes.see_other(&format!("/memories/{id}"), flash).await
}

/// Takes it out of what is served.
pub async fn retire(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Change>,
) -> Result<Response, PageError> {
    let id: MemoryId = id(&text)?;
    let (seen, note) = (version(form.revision), typed(&form.note));
    let retired = app
        .engine
        .retire_memory(&reviewer.permit, &id, seen, note)
        .await;
    let flash = outcome("retired", retired.map(drop), &form)?;
    flashes.see_other(&format!("/memories/{id}"), flash).await
}

/// Brings an earlier revision back as a new one.
pub async fn restore(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Change>,
) -> Result<Response, PageError> {
    let id: MemoryId = id(&text)?;
    let (seen, note) = (version(form.revision), typed(&form.note));
    let restored = app
        .engine
        .restore_memory(&reviewer.permit, &id, seen, form.number, note)
        .await;
    let flash = outcome("restored", restored.map(drop), &form)?;
    flashes.see_other(&format!("/memories/{id}"), flash).await
}

fn outcome(code: &str, done: Result<(), EngineError>, form: &Change) -> Result<Flash, PageError> {
    let typed = [
        ("content", form.content.as_str()),
        ("kind", &form.kind),
        ("name", &form.name),
        ("importance", &form.importance),
        ("note", &form.note),
    ];
    match done {
        Ok(()) => Ok(Flash::new(code)),
        Err(error @ (EngineError::Stale { .. } | EngineError::MovedOn { .. })) => {
            Ok(Flash::new(error.code()))
        }
        Err(error) => refused(error, &typed),
    }
}
