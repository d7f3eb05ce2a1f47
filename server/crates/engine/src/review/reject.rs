//! Rejecting: kept, never served; for most reasons it also keeps the same statement out for 90 days (F4).

use domain::{
    candidate::{Reason, Verdict},
    id::{CandidateId, DecisionId},
    permission::{Permission, Permit},
};

use super::{Version, lost, refused, seen, view};
use crate::{Engine, again, candidate::CandidateView, error::Result, need};

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
        note: Option<String>,
    ) -> Result<CandidateView> {
        need(permit, &[Permission::Decide])?;
        again!(
            self.reject_once(permit, id, version, reason, note.as_deref())
                .await
        )
    }

    async fn reject_once(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        reason: Reason,
        note: Option<&str>,
    ) -> Result<CandidateView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = seen(&mut tx, id, version, stamp.now).await?;
        let after = match before.clone().reject(
            DecisionId::new(stamp.now, self.entropy()),
            reason,
            stamp.now,
        ) {
            Ok(after) => after,
            Err(why) => return Err(refused(&mut tx, id, why).await),
        };
        if let Err(error) = tx
            .decide(&before, &after, &Verdict::Reject(reason), note, &stamp)
            .await
        {
            return Err(lost(&mut tx, id, error).await);
        }
        let view = view(&mut tx, id).await?;
        tx.commit().await?;
        Ok(view)
    }
}
