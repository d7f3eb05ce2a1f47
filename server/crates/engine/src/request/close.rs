//! The steps of a request: the copy that was handed out, and its end.

use std::collections::BTreeSet;

use domain::{
    export::{ExportSort, ExportState},
    id::{ExportId, RequestId, UserId},
    permission::{Permission, Permit},
    request::{FoundBy, RequestOutcome},
};
use store::{Closed, Export, Find, Request, Tx};

use super::{
    RequestDetail,
    find::{agents, by_name, other_ids},
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
    /// [`EngineError::NotFound`]; [`EngineError::RequestClosed`]; `invalid` for an export that is not there, is no copy, or is of somebody
    /// else; `export_not_ready`.
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
        let finds = tx.finds(id).await?;
        if !is_theirs(&request, &finds, &made) {
            let detail =
                "a copy of who asks, by the name of the request or of a user who was found for it";
            return Err(EngineError::invalid("/export", "of_another", detail));
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
    /// asked for was done. One of which a backup brought back all but the key, since it was closed afterwards, is closed with a note.
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
        if let Err(error) = self.db().let_go_of_deleted().await {
            tracing::warn!(request = %id, %error, "the log of changes could not be begun anew after a request was closed");
        }
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
        let forgotten = request.asked.is_none();
        if forgotten && note.is_none() {
            let detail = "who asked is forgotten already; say how it ended";
            return Err(EngineError::invalid("/note", "required", detail));
        }
        let (there, erased) = standing(&mut tx, &request).await?;
        let untrue = |code, detail: &str| Err(EngineError::invalid("/outcome", code, detail));
        match outcome {
            RequestOutcome::Done if request.sort.wants_erasure() && there > 0 => {
                return untrue(
                    "not_erased",
                    "somebody of that name is still there; look again",
                );
            }
            // Where a backup brought it back, a copy may have been handed out after that.
            RequestOutcome::Done
                if request.sort.wants_copy() && request.copied.is_none() && !forgotten =>
            {
                return untrue("not_copied", "no copy was handed out");
            }
            RequestOutcome::NothingFound if there + erased > 0 => {
                return untrue("was_found", "somebody of that name was found; look again");
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
    // Not whether it tells who asked: the key may be gone before it is closed.
    match request.closed {
        Some(_) => Err(EngineError::RequestClosed),
        None => Ok(request),
    }
}

/// Whether an export is of who asks.
fn is_theirs(request: &Request, finds: &[Find], export: &Export) -> bool {
    match (&export.user, &export.named) {
        (Some(user), _) => finds
            .iter()
            .any(|find| find.by != FoundBy::Words && find.user == *user),
        (None, Some(named)) => request
            .asked
            .as_ref()
            .is_some_and(|asked| asked.named == *named),
        (None, None) => false,
    }
}

/// How many of the users of that name are still there, and how many of those who were found are erased. They are looked for again: who
/// came since the last time was not found then.
async fn standing(tx: &mut Tx, request: &Request) -> Result<(i64, i64)> {
    let mut named: BTreeSet<UserId> = tx
        .finds(&request.id)
        .await?
        .into_iter()
        .filter(|find| find.by == FoundBy::Name)
        .map(|find| find.user)
        .collect();
    if let Some(person) = &request.asked {
        let agents = agents(tx, request).await?;
        let mut finds = by_name(tx, &agents, person).await?;
        other_ids(tx, &mut finds).await?;
        named.extend(finds.into_iter().map(|find| find.user));
    }
    let (mut there, mut erased) = (0, 0);
    for user in named {
        match present(tx.user(&user).await)? {
            Some(_) => there += 1,
            None => erased += 1,
        }
    }
    Ok((there, erased))
}
