//! Rejecting: kept, never served; for most reasons it also keeps the same statement out for 90 days (F4).

use domain::{
    candidate::{Reason, Verdict},
    id::{CandidateId, DecisionId},
    permission::{Permission, Permit},
};

use store::Stamp;

use super::{Version, lost, refused, seen, view};
use crate::{
    Engine, again, candidate::CandidateView, claim::unclaimed, error::Result, need, speaks,
};

/// What a person leaves with a rejection beside its reason.
#[derive(Debug, Clone, Default)]
pub struct Remark {
    /// A note.
    pub note: Option<String>,
    /// How long they had the candidate in view, in milliseconds, where that is known (F11).
    pub took_ms: Option<i64>,
}

impl From<Option<String>> for Remark {
    fn from(note: Option<String>) -> Self {
        Self {
            note,
            took_ms: None,
        }
    }
}

impl Engine {
    /// Rejects a candidate for a reason of a person's.
    ///
    /// # Errors
    /// `already_decided`, `stale`, `expired`, `not_pending`, `invalid`.
    pub async fn reject(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        reason: Reason,
        remark: impl Into<Remark>,
    ) -> Result<CandidateView> {
        need(permit, &[Permission::Decide])?;
        let remark = remark.into();
        again!(self.reject_once(permit, id, version, reason, &remark).await)
    }

    async fn reject_once(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        reason: Reason,
        remark: &Remark,
    ) -> Result<CandidateView> {
        let stamp = Stamp {
            took_ms: remark.took_ms,
            ..self.stamp(permit)
        };
        let mut tx = self.write(permit).await?;
        let before = seen(&mut tx, id, version, stamp.now).await?;
        speaks(permit, &before.agent, &before.proposal.language)?;
        let after = match before.clone().reject(
            DecisionId::new(stamp.now, self.entropy()),
            reason,
            stamp.now,
        ) {
            Ok(after) => after,
            Err(why) => return Err(refused(&mut tx, id, why).await),
        };
        unclaimed(&mut tx, &before, &stamp).await?;
        if let Err(error) = tx
            .decide(
                &before,
                &after,
                &Verdict::Reject(reason),
                remark.note.as_deref(),
                &stamp,
            )
            .await
        {
            return Err(lost(&mut tx, id, error).await);
        }
        let view = view(&mut tx, id).await?;
        tx.commit().await?;
        Ok(view)
    }
}
