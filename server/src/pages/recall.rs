//! `/memories/{id}/recall`, and how far a memory has got (G4).

use app::pages::memory::{How, Made, MadeIn, Reach, ToldSession};
use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{id::MemoryId, memory::MemoryStatus};
use engine::{EngineError, MadeBy, RecallView};
use serde::Deserialize;

use super::{
    by::by,
    form::{id, keep, refused, version},
    look::Look,
};
use crate::{
    auth::Reviewer,
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// How far it has got, for its page.
pub fn reach(look: &Look, view: RecallView) -> Reach {
    let text = look.text();
    let recalled = view.recalled.map(|one| {
        let who = by(text, &one.by).unwrap_or_else(|| text.words.by_system.to_owned());
        (who, one.at, one.reason)
    });
    let told = view.told.into_iter().map(|session| ToldSession {
        conversation: session.conversation,
        revisions: session.revisions,
        times: session.times,
        last_at: session.last_at,
    });
    Reach {
        recalled,
        told: told.collect(),
        times: view.times_told.unsigned_abs(),
        made: view.made.into_iter().filter_map(made).collect(),
    }
}

fn made(made: engine::Made) -> Option<Made> {
    let how = match made.how {
        MadeBy::Merge => How::Merge,
        MadeBy::Change => How::Change,
        MadeBy::Pattern => How::Pattern,
        MadeBy::Summary => How::Summary,
    };
    if let Some(memory) = made.memory {
        let place = MadeIn::Memory {
            served: memory.status == MemoryStatus::Approved,
            id: memory.id,
        };
        return Some(Made {
            how,
            place,
            content: memory.content,
            language: memory.language,
            kind: memory.kind,
        });
    }
    let candidate = made.candidate?;
    Some(Made {
        how,
        place: MadeIn::Candidate(candidate.id),
        content: candidate.content,
        language: candidate.language,
        kind: candidate.kind,
    })
}

/// What the form sends.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Recall {
    revision: i64,
    reason: String,
}

/// Recalls it.
pub async fn recall(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Recall>,
) -> Result<Response, PageError> {
    let id: MemoryId = id(&text)?;
    let seen = version(form.revision);
    let recalled = app
        .engine
        .recall(&reviewer.permit, &id, seen, &form.reason)
        .await;
    let typed = [("reason", form.reason.as_str())];
    let flash = match recalled {
        Ok(_) => Flash::new("recalled"),
        Err(error @ EngineError::Stale { .. }) => keep(Flash::new(error.code()), &typed),
        Err(EngineError::MovedOn { .. }) => keep(Flash::new("memory_retired"), &typed),
        Err(error) => refused(error, &typed)?,
    };
    flashes
        .see_other(&format!("/memories/{id}#recall"), flash)
        .await
}
