//! `/conversations/{id}`, and the retry of an extraction.

use std::collections::HashMap;

use app::{
    pages::conversation::{Conversation, Operation, Proposed, conversation},
    shell::Place,
    text::Text,
};
use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{
    candidate::{Reason, Status},
    id::{CandidateId, OperationId},
    permission::Permission,
};
use engine::{CandidateView, ConversationDetail, OperationView};
use serde::Deserialize;

use super::{candidate::made_by, form::id, look::Look, transcript::turns};
use crate::{
    auth::{Reviewer, Signed, need},
    flash::{Flash, Flashes, local},
    page_error::PageError,
    state::AppState,
};

/// The transcript, and what came of it.
pub async fn show(
    signed: Signed<need::ReadUsers>,
    look: Look,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Users).await?;
    let detail = look
        .engine()
        .conversation(&signed.permit, &id(&text)?)
        .await?;
    let mut raw = HashMap::new();
    for operation in &detail.operations {
        let answers = look
            .engine()
            .raw_answers(&signed.permit, &operation.id)
            .await?;
        raw.insert(operation.id.clone(), answers);
    }
    let page = page(look.text(), detail, raw, signed.may(Permission::Decide));
    look.draw(move || conversation(&frame, &page)).await
}

fn page(
    text: &'static Text,
    detail: ConversationDetail,
    mut raw: HashMap<OperationId, Vec<String>>,
    may_retry: bool,
) -> Conversation {
    let candidates: HashMap<CandidateId, CandidateView> = detail
        .candidates
        .into_iter()
        .map(|view| (view.id.clone(), view))
        .collect();
    let status = |id: &CandidateId| candidates.get(id).map(|view| status(text, view).to_owned());
    let operations = detail.operations.into_iter().map(|one| {
        let raw = raw.remove(&one.id).unwrap_or_default();
        operation(text, one, &candidates, raw, may_retry)
    });
    Conversation {
        operations: operations.collect(),
        turns: turns(detail.turns, status),
        id: detail.id,
        agent: detail.agent.to_string(),
        user: detail.user,
        who: detail.who,
        external_id: detail.external_id,
        time_zone: detail.time_zone,
        created_at: detail.created_at,
        ended_at: detail.ended_at,
        removed_at: detail.removed_at,
    }
}

fn status(text: &'static Text, view: &CandidateView) -> &'static str {
    match (view.status, view.reason) {
        (_, Some(Reason::Expired)) => text.words.expired,
        (Status::Pending, _) => text.words.waiting,
        (Status::Approved, _) => text.words.approved,
        (Status::Rejected, _) => text.words.rejected,
    }
}

fn operation(
    text: &'static Text,
    one: OperationView,
    candidates: &HashMap<CandidateId, CandidateView>,
    raw: Vec<String>,
    may_retry: bool,
) -> Operation {
    let proposed = one.candidates.iter().filter_map(|id| {
        let view = candidates.get(id)?;
        Some(Proposed {
            id: id.clone(),
            content: view.content.clone(),
            language: view.language.clone(),
            status: status(text, view).to_owned(),
        })
    });
    let dropped = one.dropped.iter();
    Operation {
        proposed: proposed.collect(),
        dropped: dropped
            .filter_map(|(reason, count)| Some((reason.parse().ok()?, *count)))
            .collect(),
        retriable: may_retry && one.can_retry,
        retried: one.retried_by.is_some(),
        error: one.error.map(|error| error.code),
        extractor: one.extractor.as_ref().map(made_by),
        state: one.state.to_owned(),
        id: one.id,
        attempt: one.attempt,
        next_at: one.next_at,
        sightings: one.sightings,
        suppressed: one.suppressed,
        created_at: one.created_at,
        raw,
    }
}

/// Where to go after a retry.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Retry {
    next: String,
}

/// Queues the same stretch again.
pub async fn retry(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Retry>,
) -> Result<Response, PageError> {
    app.engine.retry(&reviewer.permit, &id(&text)?).await?;
    let next = local(Some(&form.next), "/");
    flashes.see_other(&next, Flash::new("retrying")).await
}
