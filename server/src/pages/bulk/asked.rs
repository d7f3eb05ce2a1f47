//! The forms that decide on many, take it back and stop it.

use app::{
    pages::{
        bulk::{Matching, matching},
        review::{Filter, bulk::HAND_OVER},
    },
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    http::Uri,
    response::Response,
};
use domain::{
    Timestamp,
    bulk::BulkVerdict,
    candidate::Reason,
    id::{BulkId, CandidateId},
    permission::Permission,
};
use engine::{EngineError, Gathering, NewBulk};
use serde::Deserialize;

use super::flash::{Fields, done, handed_over};
use crate::{
    auth::Reviewer,
    flash::{Flash, Flashes, local},
    page_error::PageError,
    pages::{
        form::{id, keep, refused, typed, typed_of},
        look::Look,
        review::{handover::recipient, wanted},
    },
    state::AppState,
};

/// Decides on what is ticked.
pub async fn picked(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Result<Response, PageError> {
    let fields = Fields::new(pairs);
    let next = local(Some(fields.one("next")), "/review");
    let picks: Vec<(CandidateId, i64)> = fields
        .all("pick")
        .iter()
        .filter_map(|pick| seen(pick))
        .collect();
    if picks.is_empty() {
        return flashes.see_other(&next, Flash::new("bulk_none")).await;
    }
    if fields.one("verdict") == HAND_OVER {
        let flash = hand_over(&reviewer, &app, &fields, &picks).await?;
        return flashes.see_other(&next, flash).await;
    }
    let new = NewBulk {
        confirmed: fields.one("confirm").trim().parse().ok(),
        of: Gathering::Picked(picks.clone()),
        ..asked(&fields)?
    };
    let flash = match app.engine.start_bulk(&reviewer.permit, new).await {
        Ok(bulk) => done(&bulk, &next),
        Err(error) => {
            let asks = error.fields().iter().any(|fault| fault.code == "confirm");
            let flash = refused(error, &typed_fields(&fields))?.with("picked", selected(&picks));
            if asks {
                flash.with("asks", picks.len().to_string())
            } else {
                flash
            }
        }
    };
    flashes.see_other(&next, flash).await
}

/// Hands what is ticked over. That is no decision: it is neither undone with others nor a job.
async fn hand_over(
    reviewer: &Reviewer,
    app: &AppState,
    fields: &Fields,
    picks: &[(CandidateId, i64)],
) -> Result<Flash, PageError> {
    let (to, note) = (fields.one("to"), typed(fields.one("note")));
    let ids: Vec<CandidateId> = picks.iter().map(|(id, _)| id.clone()).collect();
    let handed = async {
        let to = recipient(to)?;
        let engine = &app.engine;
        engine
            .hand_over_many(&reviewer.permit, &ids, to.as_ref(), note.as_deref())
            .await
    };
    match handed.await {
        Ok(handed) => Ok(handed_over(&handed)),
        Err(error) => {
            let values = [("to", to), ("note", fields.one("note"))];
            Ok(refused(error, &values)?.with("picked", selected(picks)))
        }
    }
}

/// What stays ticked, as the check boxes have it.
fn selected(picks: &[(CandidateId, i64)]) -> String {
    let pick = |(id, version): &(CandidateId, i64)| format!("{id}:{version}");
    picks.iter().map(pick).collect::<Vec<_>>().join(" ")
}

/// A candidate and the version of it that was shown, as the check boxes have it.
fn seen(pick: &str) -> Option<(CandidateId, i64)> {
    let (id, version) = pick.split_once(':')?;
    Some((id.parse().ok()?, version.parse().ok()?))
}

fn asked(fields: &Fields) -> Result<NewBulk, PageError> {
    let reason: Option<Reason> = fields.one("reason").parse().ok();
    // The reason's button rejects.
    let verdict = match (fields.one("verdict").parse(), reason) {
        (Ok(verdict), _) => verdict,
        (Err(_), Some(_)) => BulkVerdict::Reject,
        (Err(_), None) => {
            return Err(
                EngineError::invalid("/verdict", "unknown", "what is to be decided").into(),
            );
        }
    };
    let approves = verdict == BulkVerdict::Approve;
    Ok(NewBulk {
        verdict,
        reason: reason.filter(|_| verdict == BulkVerdict::Reject),
        note: typed(fields.one("note")),
        insist: approves && !fields.one("insist").is_empty(),
        confirmed: None,
        of: Gathering::Picked(Vec::new()),
    })
}

fn typed_fields(fields: &Fields) -> Vec<(&'static str, &str)> {
    ["note", "insist", "reason"]
        .into_iter()
        .map(|name| (name, fields.one(name)))
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

/// What the address of the page asks for, besides the filter.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    verdict: String,
}

/// Asks before all that match is decided: what it is made of, and the number.
pub async fn ask(
    reviewer: Reviewer,
    look: Look,
    Query(filter): Query<Filter>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&reviewer, Place::Review).await?;
    let verdict = asked.verdict.parse().map_err(|_| EngineError::NotFound)?;
    let wanted = wanted(&filter);
    let preview = look
        .engine()
        .preview_bulk(&reviewer.permit, verdict, &wanted)
        .await?;
    let page = Matching {
        verdict,
        list: filter.href(None),
        count: preview.count,
        kinds: preview.kinds,
        flags: preview.flags,
        risky: preview.risky,
        frozen_at: preview.frozen_at,
        may_insist: reviewer.may(Permission::Administer),
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || matching(&frame, &page)).await
}

/// Decides on all that match, in the background.
pub async fn all(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Result<Response, PageError> {
    let fields = Fields::new(pairs);
    let list = local(Some(fields.one("list")), "/review");
    let filter = filter_of(&list)?;
    let frozen_at: Option<Timestamp> = fields.one("frozen_at").parse().ok();
    let confirm = fields.one("confirm").trim();
    let new = NewBulk {
        // The number that was shown, and no other.
        confirmed: confirm
            .parse()
            .ok()
            .filter(|_| confirm == fields.one("shown")),
        of: Gathering::Matching(Box::new(wanted(&filter)), frozen_at),
        ..asked(&fields)?
    };
    let verdict = new.verdict;
    match app.engine.start_bulk(&reviewer.permit, new).await {
        Ok(bulk) => {
            let there = format!("/bulks/{}", bulk.id);
            flashes.see_other(&there, done(&bulk, &there)).await
        }
        Err(error) => {
            let query = list.split_once('?').map_or("", |(_, query)| query);
            let back = format!("/review/bulk?verdict={verdict}&{query}");
            let flash = refused(error, &typed_fields(&fields))?;
            let flash = keep(flash, &[("confirm", confirm)]);
            flashes.see_other(back.trim_end_matches('&'), flash).await
        }
    }
}

/// The filter of a list's address.
fn filter_of(list: &str) -> Result<Filter, PageError> {
    let uri: Option<Uri> = list.parse().ok();
    let read = uri.and_then(|uri| Query::try_from_uri(&uri).ok());
    let Query(filter) = read.ok_or_else(|| {
        EngineError::invalid("/list", "unknown", "the list that is to be decided")
    })?;
    Ok(filter)
}

/// Where a form leads.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Next {
    next: String,
}

/// Takes all of a bulk back.
pub async fn undo_all(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Next>,
) -> Result<Response, PageError> {
    let bulk: BulkId = id(&text)?;
    let here = format!("/bulks/{bulk}");
    match app.engine.undo_bulk(&reviewer.permit, &bulk).await {
        Ok(undo) => {
            let there = format!("/bulks/{}", undo.id);
            let next = if undo.state.is_open() {
                there.clone()
            } else {
                local(Some(&form.next), &there)
            };
            flashes.see_other(&next, done(&undo, &next)).await
        }
        Err(error @ (EngineError::AlreadyUndone | EngineError::NotUndoable)) => {
            flashes.see_other(&here, Flash::new(error.code())).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Stops a bulk.
pub async fn stop(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let bulk: BulkId = id(&text)?;
    let flash = match app.engine.stop_bulk(&reviewer.permit, &bulk).await {
        Ok(_) => Flash::new("bulk_stopped"),
        Err(error @ EngineError::BulkOver) => Flash::new(error.code()),
        Err(error) => return Err(error.into()),
    };
    flashes.see_other(&format!("/bulks/{bulk}"), flash).await
}
