//! Asking for many decisions, taking them back, stopping them.

use std::collections::HashSet;

use domain::{
    bulk::{BulkVerdict, CONFIRMED_ABOVE, MOST_PICKED, is_risky},
    candidate::Reason,
    id::{BulkId, CandidateId, KeyId, PersonId},
    permission::{Actor, Permission, Permit},
};
use store::{BulkClaim, BulkOf, QueueFilter, Tx, View};

use super::{BulkPreview, BulkView, Gathering, NewBulk};
use crate::{
    CandidateFilter, Engine, again,
    error::{EngineError, Result},
    need,
    worker::span,
};

impl Engine {
    /// What a bulk over this filter would be about, as of now.
    ///
    /// # Errors
    /// `invalid` for a filter over what cannot be decided so.
    pub async fn preview_bulk(
        &self,
        permit: &Permit,
        verdict: BulkVerdict,
        filter: &CandidateFilter,
    ) -> Result<BulkPreview> {
        need(permit, &[Permission::Decide])?;
        let frozen_at = domain::time::micros(self.now());
        let mut tx = self.read(permit).await?;
        let mut preview = BulkPreview {
            count: 0,
            kinds: Vec::new(),
            flags: Vec::new(),
            risky: 0,
            frozen_at,
        };
        let Some(filter) = frozen(&mut tx, permit, verdict, filter, frozen_at).await? else {
            return Ok(preview);
        };
        for (kind, flags, count) in tx.queue_makeup(&filter, frozen_at).await? {
            preview.count += count;
            preview.risky += if is_risky(&flags) { count } else { 0 };
            add(&mut preview.kinds, kind, count);
            for flag in flags {
                add(&mut preview.flags, flag, count);
            }
        }
        preview.kinds.sort_by_key(|(_, count)| -count);
        preview.flags.sort_by_key(|(_, count)| -count);
        Ok(preview)
    }

    /// Begins many decisions. What was picked is decided before this answers; all that match is decided in the background.
    ///
    /// # Errors
    /// `invalid` where something is missing or not confirmed; `not_found` where a picked candidate is not there; `forbidden` for who is no
    /// person, or insists without being an administrator.
    pub async fn start_bulk(&self, permit: &Permit, new: NewBulk) -> Result<BulkView> {
        need(permit, &[Permission::Decide])?;
        let person = person(permit)?;
        check(permit, &new)?;
        let frozen_at = domain::time::micros(self.now());
        let asked = store::NewBulk {
            person,
            key: key(permit),
            verdict: new.verdict,
            reason: new.reason,
            note: new.note.clone(),
            insist: new.insist,
            scope: permit.scope().clone(),
            of: BulkOf::Picked(Vec::new()),
            frozen_at,
        };
        match &new.of {
            Gathering::Picked(picks) => {
                let of = BulkOf::Picked(once_each(picks)?);
                confirmed(&new, picks.len().try_into().unwrap_or(i64::MAX))?;
                self.begin_bulk(permit, store::NewBulk { of, ..asked }, true)
                    .await
            }
            Gathering::Matching(filter, until) => {
                let frozen_at = until.map_or(frozen_at, |until| until.min(frozen_at));
                let mut tx = self.read(permit).await?;
                let filter = frozen(&mut tx, permit, new.verdict, filter, frozen_at).await?;
                let count = match &filter {
                    Some(filter) => tx.queue_count(filter, self.now()).await?,
                    None => 0,
                };
                drop(tx);
                let filter = filter.filter(|_| count > 0).ok_or_else(|| {
                    EngineError::invalid("/filter", "empty", "nothing matches this filter")
                })?;
                confirmed(&new, count)?;
                let of = BulkOf::Matching(Box::new(filter), count);
                let asked = store::NewBulk {
                    of,
                    frozen_at,
                    ..asked
                };
                self.begin_bulk(permit, asked, false).await
            }
        }
    }

    /// Takes back all that a bulk decided. Up to 200 at once, more in the background.
    ///
    /// # Errors
    /// `not_found`; `already_undone`; `not_undoable` where it has not ended, or took back itself.
    pub async fn undo_bulk(&self, permit: &Permit, id: &BulkId) -> Result<BulkView> {
        need(permit, &[Permission::Decide])?;
        let person = person(permit)?;
        let bulk = self.whole_bulk(permit, id).await?;
        if bulk.undone_by.is_some() {
            return Err(EngineError::AlreadyUndone);
        }
        if !bulk.can_be_undone() {
            return Err(EngineError::NotUndoable);
        }
        let new = store::NewBulk {
            person,
            key: key(permit),
            verdict: BulkVerdict::Reopen,
            reason: None,
            note: None,
            insist: false,
            scope: permit.scope().clone(),
            of: BulkOf::Undone(id.clone()),
            frozen_at: bulk.frozen_at,
        };
        let at_once = usize::try_from(bulk.done).is_ok_and(|done| done <= MOST_PICKED);
        match self.begin_bulk(permit, new, at_once).await {
            Err(EngineError::NameTaken) => Err(EngineError::AlreadyUndone),
            begun => begun,
        }
    }

    /// Stops a bulk: what was decided stays so, the rest is left as it is.
    ///
    /// # Errors
    /// `not_found`; `bulk_over` where it has ended.
    pub async fn stop_bulk(&self, permit: &Permit, id: &BulkId) -> Result<BulkView> {
        need(permit, &[Permission::Decide])?;
        self.whole_bulk(permit, id).await?;
        again!(self.stop_bulk_once(permit, id).await)?;
        self.bulk(permit, id).await
    }

    async fn stop_bulk_once(&self, permit: &Permit, id: &BulkId) -> Result<()> {
        let mut tx = self.write(permit).await?;
        if !tx.stop_bulk(id, &self.stamp(permit)).await? {
            return Err(EngineError::BulkOver);
        }
        Ok(tx.commit().await?)
    }

    async fn begin_bulk(
        &self,
        permit: &Permit,
        new: store::NewBulk,
        at_once: bool,
    ) -> Result<BulkView> {
        let claim = again!(self.begin_bulk_once(permit, &new, at_once).await)?;
        if at_once {
            // It goes on in the background where this does not get to its end.
            if let Err(error) = self.run_bulk(&claim).await {
                tracing::warn!(bulk = %claim.id, %error, "a bulk was interrupted; it goes on in the background");
            }
        }
        self.bulk(permit, &claim.id).await
    }

    async fn begin_bulk_once(
        &self,
        permit: &Permit,
        new: &store::NewBulk,
        at_once: bool,
    ) -> Result<BulkClaim> {
        let stamp = self.stamp(permit);
        let until = if at_once {
            stamp.now + span(self.settings().lease)
        } else {
            stamp.now
        };
        let mut tx = self.write(permit).await?;
        let claim = tx.create_bulk(new, until, &stamp).await?;
        tx.commit().await?;
        Ok(claim)
    }
}

fn person(permit: &Permit) -> Result<PersonId> {
    let person = permit.actor().person();
    person.cloned().ok_or(EngineError::Forbidden)
}

/// The key through which they ask: it bounds what the bulk may do, and the bulk does not outlive it.
fn key(permit: &Permit) -> Option<KeyId> {
    match permit.actor() {
        Actor::PersonKey { key, .. } => Some(key.clone()),
        Actor::Person { .. } | Actor::Key { .. } | Actor::System => None,
    }
}

fn check(permit: &Permit, new: &NewBulk) -> Result<()> {
    let invalid =
        |pointer: &str, code, detail: &str| Err(EngineError::invalid(pointer, code, detail));
    match (new.verdict, new.reason) {
        (BulkVerdict::Reject, None) => {
            return invalid("/reason", "required", "a rejection has a reason");
        }
        (BulkVerdict::Reject, Some(reason)) if !Reason::OF_A_PERSON.contains(&reason) => {
            return invalid("/reason", "unknown", "a reason of a person's");
        }
        (BulkVerdict::Approve | BulkVerdict::Reopen, Some(_)) => {
            return invalid("/reason", "not_allowed", "only a rejection has a reason");
        }
        _ => {}
    }
    if !new.insist {
        return Ok(());
    }
    if new.verdict != BulkVerdict::Approve {
        return invalid("/insist", "not_allowed", "only an approval is insisted on");
    }
    Permit::ask(permit.actor().clone(), Permission::Administer)
        .map_err(|_| EngineError::Forbidden)?;
    match &new.note {
        Some(note) if !note.trim().is_empty() => Ok(()),
        _ => invalid("/note", "required", "who insists says why"),
    }
}

/// Approving many asks for their number: not more than the person says there are.
fn confirmed(new: &NewBulk, count: i64) -> Result<()> {
    let asks = new.verdict == BulkVerdict::Approve && count > CONFIRMED_ABOVE;
    if !asks || new.confirmed.is_some_and(|confirmed| count <= confirmed) {
        return Ok(());
    }
    Err(EngineError::invalid(
        "/confirm",
        "confirm",
        format!("this would approve {count} at once; confirm it with that number"),
    ))
}

fn once_each(picks: &[(CandidateId, i64)]) -> Result<Vec<(CandidateId, i64)>> {
    let mut met = HashSet::new();
    let picks: Vec<_> = picks
        .iter()
        .filter(|(id, _)| met.insert(id))
        .cloned()
        .collect();
    if picks.is_empty() || picks.len() > MOST_PICKED {
        return Err(EngineError::invalid(
            "/candidates",
            "length",
            format!("1 to {MOST_PICKED} candidates are picked"),
        ));
    }
    Ok(picks)
}

/// The filter as of `frozen_at`: what is proposed or brought back later does not match. `None` where it names a user nobody knows, or
/// matches nothing.
async fn frozen(
    tx: &mut Tx,
    permit: &Permit,
    verdict: BulkVerdict,
    filter: &CandidateFilter,
    frozen_at: domain::Timestamp,
) -> Result<Option<QueueFilter>> {
    let resolved = filter.resolve(tx, permit, frozen_at).await;
    let Some(mut filter) = resolved.map_err(|error| error.within("/filter"))? else {
        return Ok(None);
    };
    let fits = match verdict {
        BulkVerdict::Approve | BulkVerdict::Reject => filter.view == View::Waiting,
        BulkVerdict::Reopen => filter.view == View::ExpiredUnseen,
    };
    if !fits {
        return Err(EngineError::invalid(
            "/filter",
            "not_allowed",
            "all that wait are approved or rejected, all that expired unseen are reopened",
        ));
    }
    let end = frozen_at + domain::time::Span::microseconds(1);
    filter.created_before = Some(filter.created_before.map_or(end, |before| before.min(end)));
    filter.reopened_before = Some(end);
    Ok(Some(filter))
}

fn add<T: PartialEq>(counts: &mut Vec<(T, i64)>, of: T, count: i64) {
    match counts.iter_mut().find(|(there, _)| *there == of) {
        Some((_, sum)) => *sum += count,
        None => counts.push((of, count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(verdict: BulkVerdict, confirmed: Option<i64>) -> NewBulk {
        NewBulk {
            verdict,
            reason: None,
            note: None,
            insist: false,
            confirmed,
            of: Gathering::Picked(Vec::new()),
        }
    }

    // F7
    #[test]
    fn more_than_twenty_are_approved_only_with_their_number() {
        let approve =
            |number, count| confirmed(&asked(BulkVerdict::Approve, number), count).is_ok();
        assert!(approve(None, 20) && !approve(None, 21));
        assert!(approve(Some(21), 21) && !approve(Some(20), 21));
        assert!(
            approve(Some(30), 28),
            "fewer than were meant, because others decided meanwhile"
        );
        assert!(confirmed(&asked(BulkVerdict::Reject, None), 10_000).is_ok());
    }
}
