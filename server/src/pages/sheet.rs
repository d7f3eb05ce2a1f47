//! `/candidates/{id}/sheet`.

use app::{
    components::tag,
    pages::sheet::{Came, Decision, Event, Run, Sheet, Signed, Told, sheet},
    shell::Place,
    text::Text,
};
use axum::{extract::Path, response::Response};
use domain::{
    candidate::Edit,
    id::{CandidateId, ConversationId},
    secret,
};
use engine::{CandidateDetail, DecisionView, EventView, MemoryView, Numbered, RevisionView};

use super::{
    by::by, candidate::plain, form::id, look::Look, transcript::transcripts, values::values,
};
use crate::{auth::Viewer, page_error::PageError};

/// One sheet that explains a decision.
pub async fn show(
    viewer: Viewer,
    look: Look,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Review).await?;
    let id: CandidateId = id(&text)?;
    let found = look.engine().sheet(&viewer.permit, &id).await?;
    let page = drawn(look.text(), found);
    look.draw(move || sheet(&frame, &page)).await
}

fn drawn(text: &'static Text, found: engine::Sheet) -> Sheet {
    let CandidateDetail {
        candidate: view,
        diff,
        changes: altered,
        transcripts: around,
        decisions,
        ..
    } = found.detail;
    // Of each conversation the turns in which the words stand; what is around them is on the candidate's page.
    let mut spoken = transcripts(around);
    for transcript in &mut spoken {
        transcript.turns.retain(|turn| !turn.marks.is_empty());
    }
    spoken.retain(|transcript| !transcript.turns.is_empty());
    let is_there = |conversation: &ConversationId| {
        spoken
            .iter()
            .any(|transcript| transcript.conversation == *conversation)
    };
    let quotes = view
        .evidence
        .iter()
        .filter(|piece| !is_there(&piece.conversation))
        .map(|piece| secret::mask(&piece.quote))
        .collect();
    let revisions = found.revisions;
    let run = found.extraction.map(|run| Run {
        id: run.id.to_string(),
        extractor: format!("{} {}", run.provenance.name, run.provenance.version),
        model: run.provenance.model,
        prompt: run.provenance.prompt_version,
        schema: run.provenance.schema_version,
        at: run.at,
    });
    Sheet {
        decisions: decisions
            .into_iter()
            .map(|one| decision(text, &view.content, one))
            .collect(),
        metadata: view
            .metadata
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        memory: found.memory.map(|memory| came(memory, &revisions)),
        served: found.served.into_iter().map(told).collect(),
        times: found.times_told.unsigned_abs(),
        events: found
            .events
            .into_iter()
            .map(|one| event(text, one))
            .collect(),
        signed: found.signed.map(|signed| Signed {
            size: signed.size,
            root: signed.root,
            at: signed.at,
        }),
        fingerprint: found.fingerprint,
        transcripts: spoken,
        quotes,
        run,
        diff,
        values: values(text, &altered),
        id: view.id,
        agent: view.agent.to_string(),
        user: view.user,
        who: view.who,
        action: view.action,
        kind: view.kind,
        name: view.name,
        content: view.content,
        language: view.language,
        confidence: view.confidence,
        importance: view.importance,
        flags: view.flags,
        created_at: view.created_at,
        cause: view.cause,
        explanation: view.explanation,
    }
}

fn decision(text: &'static Text, proposed: &str, one: DecisionView) -> Decision {
    let edit = one.edit.unwrap_or_default();
    let diff = edit
        .content
        .as_ref()
        .map(|content| domain::diff::words(proposed, content))
        .unwrap_or_default();
    Decision {
        verdict: one.decision,
        reason: one.reason,
        by: by(text, &one.by).unwrap_or_else(|| text.words.by_system.to_owned()),
        agreed_by: one.agreed_by.and_then(|first| by(text, &first)),
        at: one.at,
        diff,
        changes: changes(text, edit),
        note: one.note,
    }
}

/// What an approver changed besides the words.
fn changes(text: &'static Text, edit: Edit) -> Vec<(String, String)> {
    let words = &text.words;
    let label = |label: &str, value: String| (label.to_owned(), value);
    let metadata = edit
        .metadata
        .map(|metadata| serde_json::Value::Object(metadata).to_string());
    let all = [
        edit.kind
            .map(|kind| label(words.kind_label, tag::kind_name(text, &kind))),
        edit.name.map(|name| label(words.name, name)),
        edit.importance
            .map(|importance| label(words.importance, format!("{importance:.2}"))),
        metadata.map(|metadata| label(words.metadata, metadata)),
    ];
    all.into_iter().flatten().collect()
}

fn came(memory: MemoryView, revisions: &[RevisionView]) -> Came {
    Came {
        revisions: revisions
            .iter()
            .rev()
            .map(|one| (one.revision, one.action, one.at))
            .collect(),
        id: memory.id,
        status: memory.status,
        content: memory.content,
        language: memory.language,
        revision: memory.revision,
    }
}

fn told((told, event): (engine::Told, Option<Numbered>)) -> Told {
    Told {
        session: told
            .conversation
            .unwrap_or_else(|| told.serving.to_string()),
        revision: told.revision,
        at: told.at,
        event: event.map(|event| (event.seq, event.hash)),
    }
}

/// An event with its hash.
pub fn event(text: &'static Text, one: EventView) -> Event {
    Event {
        by: by(text, &one.actor)
            .or(one.actor.id)
            .unwrap_or_else(|| text.words.by_system.to_owned()),
        seq: one.seq,
        r#type: one.r#type,
        at: one.at,
        hash: one.hash,
    }
}
