//! `/memories/{id}`, and the forms that change it.

use std::collections::BTreeMap;

use app::{
    components::metadata::PREFIX,
    pages::memory::{Memory, Mention, Reach, Revision, Series, Told, Value, memory},
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    response::Response,
};
use domain::{
    Timestamp,
    candidate::{Edit, Flag},
    id::MemoryId,
    permission::Permission,
    time::Span,
};
use engine::{EngineError, MemoryDetail, MemoryEdit, MemoryView, RevisionView};
use serde::Deserialize;

use super::{
    by::by,
    candidate::{made_by, plain},
    form::{changed, content, figure, figure_given, id, keep, refused, typed, typed_of, version},
    look::Look,
    metadata, recall,
    transcript::transcripts,
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
    let id: MemoryId = id(&text)?;
    let detail = look.engine().memory_detail(&signed.permit, &id).await?;
    let series = look.engine().series(&signed.permit, &id).await?;
    let reach = look.engine().recall_of(&signed.permit, &id).await?;
    let reads = signed.ask(Permission::ReadAgents)?;
    let memory_of = &detail.memory;
    let mut kinds = look.engine().kinds_in_use(&reads, &memory_of.agent).await?;
    if !kinds.contains(&memory_of.kind) {
        kinds.push(memory_of.kind.clone());
    }
    let set = look
        .engine()
        .kind_as_set(&reads, &memory_of.agent, &memory_of.kind)
        .await?;
    let schema = set.and_then(|set| set.metadata_schema);
    let page = page(
        &look,
        detail,
        self::series(series),
        Kinds { kinds, schema },
        asked.base.parse().ok(),
        recall::reach(&look, reach),
        signed.may(Permission::Decide),
    );
    look.draw(move || memory(&frame, &page)).await
}

/// The kinds a memory could be given, and the schema of the one it has.
struct Kinds {
    kinds: Vec<String>,
    schema: Option<serde_json::Value>,
}

fn page(
    look: &Look,
    detail: MemoryDetail,
    series: Series,
    Kinds { kinds, schema }: Kinds,
    base: Option<i64>,
    reach: Reach,
    may_decide: bool,
) -> Memory {
    let against = detail
        .revisions
        .iter()
        .find(|one| Some(one.revision) == base)
        .map(|one| (one.revision, one.content.clone()));
    let view = detail.memory;
    let metadata = view
        .metadata
        .iter()
        .map(|(name, value)| (name.clone(), plain(value)));
    Memory {
        metadata_fields: metadata::fields(schema.as_ref(), &view.metadata),
        metadata_json: rest(schema.as_ref(), &view),
        made_by: view.made_by.as_ref().map(made_by),
        date_passed: view.flags.contains(&Flag::DatePassed),
        series,
        metadata: metadata.collect(),
        revisions: detail
            .revisions
            .into_iter()
            .map(|one| revision(look, one, against.as_ref()))
            .collect(),
        base: against.as_ref().map(|(number, _)| *number),
        transcripts: transcripts(detail.transcripts),
        told: detail.told.into_iter().map(told).collect(),
        reach,
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
        told_from: view.serve_from.filter(|from| look.engine().now() < *from),
        expires_at: view.expires_at,
    }
}

fn told(told: engine::Told) -> Told {
    Told {
        session: told
            .conversation
            .unwrap_or_else(|| told.serving.to_string()),
        conversation: told.stored,
        serving: told.serving,
        revision: told.revision,
        at: told.at,
    }
}

fn series(series: engine::Series) -> Series {
    let value = |point: engine::Point| Value {
        memory: point.memory,
        revision: point.revision,
        value: point.value,
        unit: point.unit,
        period: point.period,
        at: point.at,
    };
    Series {
        values: series.points.into_iter().map(value).collect(),
        mentions: series
            .mentions
            .into_iter()
            .map(|mention| Mention {
                conversation: mention.conversation,
                at: mention.at,
            })
            .collect(),
        count: u64::from(series.count),
        sessions: u64::from(series.sessions),
    }
}

/// What no field holds; a kind without a schema takes anything.
fn rest(schema: Option<&serde_json::Value>, view: &MemoryView) -> Option<String> {
    let rest = metadata::rest(schema, &view.metadata);
    (schema.is_none() || !rest.is_empty()).then_some(rest)
}

fn revision(look: &Look, one: RevisionView, against: Option<&(i64, String)>) -> Revision {
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
        by: one.by.and_then(|one| by(look.text(), &one)),
        extracted: one.extracted.as_ref().map(domain::profile::words),
        made_by: one.made_by.as_ref().map(made_by),
        explanation: one.explanation,
        expires_at: one.expires_at,
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
    #[serde(deserialize_with = "figure")]
    revision: i64,
    #[serde(deserialize_with = "figure_given")]
    number: Option<i64>,
    content: String,
    kind: String,
    name: String,
    importance: String,
    metadata: Option<String>,
    expires_at: String,
    note: String,
    /// The fields of the metadata, whose names the kind's schema says.
    #[serde(flatten)]
    fields: BTreeMap<String, String>,
}

impl Change {
    fn edit(
        &self,
        present: &MemoryView,
        schema: Option<&serde_json::Value>,
    ) -> Result<Edit, EngineError> {
        let importance = changed(&self.importance, &format!("{:.2}", present.importance));
        let bad = |_| EngineError::invalid("/importance", "invalid", "not a number");
        let rest = self.metadata.as_deref();
        let metadata = metadata::changed(schema, &present.metadata, &self.fields, rest)?;
        Ok(Edit {
            content: content(&self.content, &present.content)?,
            kind: changed(&self.kind, &present.kind),
            name: changed(&self.name, present.name.as_deref().unwrap_or_default()),
            importance: importance
                .map(|text| text.parse().map_err(bad))
                .transpose()?,
            metadata,
        })
    }

    fn typed(&self) -> Vec<(&str, &str)> {
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
        let present = app.engine.memory(&reviewer.permit, &id).await?;
        let kind = app
            .engine
            .kind_as_set(&reviewer.permit, &present.agent, &present.kind)
            .await?;
        let schema = kind.and_then(|kind| kind.metadata_schema);
        let edit = form.edit(&present, schema.as_ref())?;
        let (seen, note) = (version(form.revision), typed(&form.note));
        app.engine
            .edit_memory(&reviewer.permit, &id, seen, edit, note)
            .await
    };
    let flash = outcome("saved", saved.await.map(drop), &form.typed())?;
    flashes.see_other(&format!("/memories/{id}"), flash).await
}

/// The end of a day, of UTC: the first instant of the next.
fn end_of_day(typed: &str) -> Result<Option<Timestamp>, EngineError> {
    if typed.trim().is_empty() {
        return Ok(None);
    }
    let day: Result<chrono::NaiveDate, _> = typed.trim().parse();
    let wrong = || EngineError::invalid("/expires_at", "invalid", "a day");
    let midnight = day.ok().and_then(|day| day.and_hms_opt(0, 0, 0));
    let midnight = midnight.ok_or_else(wrong)?.and_utc();
    midnight
        .checked_add_signed(Span::days(1))
        .map(Some)
        .ok_or_else(wrong)
}

/// Sets another end (D4).
pub async fn expiry(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Change>,
) -> Result<Response, PageError> {
    let id: MemoryId = id(&text)?;
    let saved = async {
        let edit = MemoryEdit {
            expires_at: Some(end_of_day(&form.expires_at)?),
            ..MemoryEdit::default()
        };
        let (seen, note) = (version(form.revision), typed(&form.note));
        app.engine
            .edit_memory(&reviewer.permit, &id, seen, edit, note)
            .await
    };
    let typed = [("expires_at", form.expires_at.as_str())];
    let flash = outcome("saved", saved.await.map(drop), &typed)?;
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
    let flash = outcome("retired", retired.map(drop), &[])?;
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
    let flash = outcome("restored", restored.map(drop), &[])?;
    flashes.see_other(&format!("/memories/{id}"), flash).await
}

fn outcome(
    code: &str,
    done: Result<(), EngineError>,
    typed: &[(&str, &str)],
) -> Result<Flash, PageError> {
    match done {
        Ok(()) => Ok(Flash::new(code)),
        // What was typed waits over the new state.
        Err(error @ (EngineError::Stale { .. } | EngineError::LanguageNotYours { .. })) => {
            Ok(keep(Flash::new(error.code()), typed))
        }
        Err(EngineError::MovedOn { .. }) => Ok(keep(Flash::new("memory_retired"), typed)),
        Err(EngineError::SlotTaken { memory }) if typed.is_empty() => {
            Ok(Flash::new("slot_taken").with("memory", memory.as_str()))
        }
        Err(error @ EngineError::Full { .. }) if typed.is_empty() => Ok(Flash::new(error.code())),
        Err(error) => refused(error, typed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // D4
    #[test]
    fn a_day_is_over_at_the_first_instant_of_the_next() {
        let end = end_of_day("2026-12-31").unwrap().unwrap();
        assert_eq!(domain::time::rfc3339(end), "2027-01-01T00:00:00Z");
        assert_eq!(end_of_day(" ").unwrap(), None);
        assert!(end_of_day("tomorrow").is_err());
    }
}
