//! The steps of a request: the copy that was handed out, and its end.

use domain::{
    export::{ExportSort, ExportState},
    id::{ExportId, RequestId},
    permission::{Permission, Permit},
    request::{FoundBy, RequestOutcome},
};
use store::{Closed, Request, Tx};

use super::{
    RequestDetail, asked,
    open::{MOST_NOTE, fits},
};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    export::present,
    need,
};

impl Engine {
    /// Notes which export was handed out.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::RequestClosed`]; `invalid` for an export that is not there, or is no copy;
    /// `export_not_ready`.
    pub async fn note_copy(
        &self,
        permit: &Permit,
        id: &RequestId,
        export: &ExportId,
    ) -> Result<RequestDetail> {
        need(permit, &[Permission::Export])?;
        again!(self.note_copy_once(permit, id, export).await)?;
        self.request(permit, id).await
    }

    async fn note_copy_once(
        &self,
        permit: &Permit,
        id: &RequestId,
        export: &ExportId,
    ) -> Result<()> {
        let mut tx = self.write(permit).await?;
        let request = open(&mut tx, id).await?;
        let made = tx.export(export).await?;
        let made = made
            .ok_or_else(|| EngineError::invalid("/export", "unknown", "there is no such export"))?;
        if made.sort != ExportSort::Copy {
            let detail =
                "an export of the sort copy: an auditor's names reviewers and holds their notes";
            return Err(EngineError::invalid("/export", "not_a_copy", detail));
        }
        // A file that is gone by now was there to be handed out.
        if !matches!(made.state, ExportState::Done | ExportState::Expired) {
            let given_up = made.state == ExportState::Failed;
            return Err(EngineError::ExportNotReady { given_up });
        }
        tx.note_copy(&request, export, &self.stamp(permit)).await?;
        Ok(tx.commit().await?)
    }

    /// Closes a request: how it ended, and what there is to say about that. Who asked is forgotten. `done` is only taken where what was
    /// asked for was done.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::RequestClosed`]; `invalid`: at `/note` without one where one is needed, at `/outcome`
    /// where it is not so.
    pub async fn close_request(
        &self,
        permit: &Permit,
        id: &RequestId,
        outcome: RequestOutcome,
        note: Option<String>,
    ) -> Result<RequestDetail> {
        need(permit, &[Permission::Export])?;
        fits("/note", note.as_deref(), MOST_NOTE)?;
        if outcome.needs_a_note() && note.is_none() {
            return Err(EngineError::invalid("/note", "required", "say why"));
        }
        again!(self.close_once(permit, id, outcome, &note).await)?;
        self.request(permit, id).await
    }

    async fn close_once(
        &self,
        permit: &Permit,
        id: &RequestId,
        outcome: RequestOutcome,
        note: &Option<String>,
    ) -> Result<()> {
        let by = permit.actor().person().ok_or(EngineError::Forbidden)?;
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let request = open(&mut tx, id).await?;
        let (there, erased) = standing(&mut tx, &request).await?;
        let untrue = |code, detail: &str| Err(EngineError::invalid("/outcome", code, detail));
        match outcome {
            RequestOutcome::Done if request.sort.wants_erasure() && there > 0 => {
                return untrue(
                    "not_erased",
                    "somebody who was found by name is still there",
                );
            }
            RequestOutcome::Done if request.sort.wants_copy() && request.copied.is_none() => {
                return untrue("not_copied", "no copy was handed out");
            }
            RequestOutcome::NothingFound if there + erased > 0 => {
                return untrue("was_found", "somebody was found by name");
            }
            _ => {}
        }
        let closed = Closed {
            outcome,
            note: note.clone(),
            by: by.clone(),
            at: stamp.now,
        };
        tx.close_request(&request, &closed, erased, &stamp).await?;
        Ok(tx.commit().await?)
    }
}

/// An open request, which nobody else changes meanwhile.
async fn open(tx: &mut Tx, id: &RequestId) -> Result<Request> {
    let request = tx
        .request_for_update(id)
        .await?
        .ok_or(EngineError::NotFound)?;
    asked(&request)?;
    Ok(request)
}

/// How many of the users that were found by name are still there, and how many are erased.
async fn standing(tx: &mut Tx, request: &Request) -> Result<(i64, i64)> {
    let (mut there, mut erased) = (0, 0);
    for find in tx.finds(&request.id).await? {
        if find.by != FoundBy::Name {
            continue;
        }
        match present(tx.user(&find.user).await)? {
            Some(_) => there += 1,
            None => erased += 1,
        }
    }
    Ok((there, erased))
}
