//! Proposing the rows of imports, a part at a time, and taking them back: claimed like a job, so that one process of many does it, and
//! another goes on where one died. Each part is done with the rights that the person has then, and the key through which they asked.

use domain::{
    id::{CandidateId, ImportId},
    import::{ImportState, RowState},
    kind::Kind,
    permission::{Permission, Permit},
    time::Span,
};
use store::{Import, ImportClaim, ImportRow, Origin, RowEnd, Stamp};

use super::{
    check::{fault, keepable, left_alone, source},
    draft::{Draft, draft},
};
use crate::{
    Engine, ProposeAnswer, Proposed, again,
    error::{EngineError, Result},
    propose::Beside,
    worker::{Progress, span},
};

/// Rows of one claim, so that imports take turns.
const PROPOSED: u32 = 50;

impl Engine {
    /// Claims an import and does a part of it; `false` where none waits.
    ///
    /// # Errors
    /// Only the database's; the import is then tried again when its claim has run out.
    pub async fn work_import_once(&self) -> Result<bool> {
        let (now, until) = (self.now(), self.lease_until());
        let Some(claim) = self.db().claim_work::<ImportId>(now, until).await? else {
            return Ok(false);
        };
        let done = match self.part(&claim).await {
            Err(error) if error.is_lost_claim() => {
                tracing::debug!(import = %claim.id, "an import was stopped, or somebody else works on it");
                Progress::Ended
            }
            done => done?,
        };
        if done == Progress::More {
            self.pass_on(&claim).await?;
        }
        Ok(true)
    }

    /// Forgets uploads that nobody ran for a week.
    pub(crate) async fn expire_imports(&self) -> Result<u32> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        let before = stamp.now - domain::import::UPLOAD_WAITS_FOR;
        let expired = tx.expire_imports(before, &stamp).await?;
        tx.commit().await?;
        Ok(expired)
    }

    async fn part(&self, claim: &ImportClaim) -> Result<Progress> {
        let (mut import, mut waiting, kinds) = self.rows_to_propose(claim).await?;
        if waiting.iter().any(|row| row.record.is_none()) {
            // An erasure may have sealed what is left of the upload anew between the two looks of the first try.
            (import, waiting, _) = self.rows_to_propose(claim).await?;
        }
        if import.state == ImportState::Withdrawing {
            // Whoever asked for that was allowed to; what has become of whoever uploaded it does not matter.
            return self.withdraw_some(claim, &import).await;
        }
        let permit = match self.asker(&import).await? {
            Ok(permit) => permit,
            Err(code) => {
                again!(self.halt_import(claim, &import, code).await)?;
                return Ok(Progress::Ended);
            }
        };
        if waiting.is_empty() {
            let stamp = self.stamp(&permit);
            return self.end_import(claim, &import, &stamp).await;
        }
        for row in waiting {
            self.propose_row(claim, &import, &kinds, &row, &permit)
                .await?;
        }
        Ok(Progress::More)
    }

    async fn rows_to_propose(
        &self,
        claim: &ImportClaim,
    ) -> Result<(Import, Vec<ImportRow>, Vec<Kind>)> {
        let mut tx = self.read_all().await?;
        let import = tx.import(&claim.id).await?;
        let import = import.ok_or(EngineError::NotFound)?;
        let page = store::Page::first(PROPOSED);
        let waits = Some(RowState::Waits);
        let waiting = tx.import_rows(&import, waits, &page).await?.rows;
        let kinds = tx.kinds(&import.agent).await?;
        Ok((import, waiting, kinds))
    }

    /// What whoever uploaded it may do now; else the code of why nothing.
    async fn asker(&self, import: &Import) -> Result<Result<Permit, &'static str>> {
        let (person, key) = (import.person.as_ref(), import.head.key.as_ref());
        let actor = match self.still_administers(&import.agent, person, key).await? {
            Ok(actor) => actor,
            Err(code) => return Ok(Err(code)),
        };
        let permit = Permit::ask(actor, Permission::Propose).ok();
        let permit = permit.and_then(|permit| permit.within(&import.agent));
        Ok(permit.ok_or("forbidden"))
    }

    /// Proposes one row, and writes what came of it.
    async fn propose_row(
        &self,
        claim: &ImportClaim,
        import: &Import,
        kinds: &[Kind],
        row: &ImportRow,
        permit: &Permit,
    ) -> Result<()> {
        let drafted = match &row.record {
            Some(record) => draft(record, &import.head.mapping, kinds, self.now()),
            None => Err(("row", "gone")),
        };
        let kept = drafted.and_then(|draft| keepable(&draft, kinds).map(|()| draft));
        let end = match kept {
            Err((field, code)) => RowEnd::Failed(field, code),
            Ok(draft) => {
                let proposed = again!(
                    self.propose_draft(claim, import, row.number, &draft, permit)
                        .await
                );
                match proposed {
                    Ok(None) => return Ok(()),
                    Ok(Some(end)) => end,
                    Err(error @ (EngineError::Unavailable | EngineError::Busy)) => {
                        return Err(error);
                    }
                    Err(error) if error.is_lost_claim() => return Err(error),
                    Err(EngineError::Internal(error)) => {
                        tracing::error!(import = %claim.id, row = row.number, %error, "a row of an import failed inside Keepsake");
                        RowEnd::Failed("row", "internal")
                    }
                    Err(error) => {
                        let (field, code) = fault(&error);
                        RowEnd::Failed(field, code)
                    }
                }
            }
        };
        again!(
            self.settle_import_row(claim, import, row.number, &end)
                .await
        )
    }

    /// Proposes a row and settles it, in one transaction; where nothing was proposed, answers how the row is to be settled.
    async fn propose_draft(
        &self,
        claim: &ImportClaim,
        import: &Import,
        number: i64,
        draft: &Draft,
        permit: &Permit,
    ) -> Result<Option<RowEnd>> {
        let agent = &import.agent;
        let mut tx = self.write(permit).await?;
        let there = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        if let Some(why) = left_alone(&mut tx, agent, &there.settings, &draft.scope).await? {
            return Ok(Some(RowEnd::Failed("user_id", why)));
        }
        // An erasure may have taken out what named all rows, and then this one would be about another user than before.
        if !tx.row_is_about(import, number, &draft.scope).await? {
            return Ok(Some(RowEnd::Failed("user_id", "mapping_changed")));
        }
        let source = source(&tx, agent, draft);
        if tx.import_known(agent, &source).await? {
            return Ok(Some(RowEnd::Known));
        }
        let proposed = Proposed {
            action: None,
            target: None,
            scope: draft.scope.clone(),
            kind: draft.kind.clone(),
            name: draft.name.clone(),
            content: Some(draft.content.clone()),
            metadata: draft.metadata.clone(),
            tags: draft.tags.clone(),
            confidence: None,
            importance: draft.importance,
            explanation: None,
        };
        let beside = Beside {
            imported: Some(self.imports_wait()),
            ..Beside::default()
        };
        let answer = self
            .propose_in(&mut tx, permit, agent, &proposed, beside)
            .await?;
        let candidate = match answer {
            ProposeAnswer::Proposed { candidate } => candidate,
            ProposeAnswer::SeenAgain { .. } => return Ok(Some(RowEnd::Duplicate)),
            ProposeAnswer::Suppressed { .. } => {
                return Ok(Some(RowEnd::Failed("content", "rejected_before")));
            }
            ProposeAnswer::Skipped { .. } => {
                return Ok(Some(RowEnd::Failed("user_id", "opted_out")));
            }
        };
        let end = RowEnd::Proposed {
            candidate: candidate.id,
            user: candidate.user,
            said_at: draft.said_at,
            origin: Origin {
                id: draft.source_id.clone(),
            },
        };
        tx.settle_row(claim, agent, number, &end, self.lease_until())
            .await?;
        tx.commit().await?;
        Ok(None)
    }

    async fn settle_import_row(
        &self,
        claim: &ImportClaim,
        import: &Import,
        number: i64,
        end: &RowEnd,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.settle_row(claim, &import.agent, number, end, self.lease_until())
            .await?;
        Ok(tx.commit().await?)
    }

    /// Takes a part of what waits out of the queue.
    async fn withdraw_some(&self, claim: &ImportClaim, import: &Import) -> Result<Progress> {
        let stamp = Stamp::system(self.now());
        let waiting = {
            let mut tx = self.read_all().await?;
            tx.import_waiting(import, PROPOSED, stamp.now).await?
        };
        if waiting.is_empty() {
            return self.end_import(claim, import, &stamp).await;
        }
        for candidate in waiting {
            again!(self.withdraw_one(claim, &candidate).await)?;
        }
        Ok(Progress::More)
    }

    async fn withdraw_one(&self, claim: &ImportClaim, candidate: &CandidateId) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        // What was decided meanwhile stays so. No person rejected it, so the same may be proposed again.
        tx.supersede(candidate, None, &stamp).await?;
        tx.hold_work(claim, self.lease_until()).await?;
        Ok(tx.commit().await?)
    }

    async fn end_import(
        &self,
        claim: &ImportClaim,
        import: &Import,
        stamp: &Stamp,
    ) -> Result<Progress> {
        again!(self.end_import_once(claim, import, stamp).await)?;
        Ok(Progress::Ended)
    }

    async fn end_import_once(
        &self,
        claim: &ImportClaim,
        import: &Import,
        stamp: &Stamp,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.finish_import(claim, import, stamp).await?;
        Ok(tx.commit().await?)
    }

    async fn halt_import(&self, claim: &ImportClaim, import: &Import, why: &str) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        tx.halt_import(claim, import, why, &stamp).await?;
        Ok(tx.commit().await?)
    }

    /// How long what is imported waits for a decision: longer than what is said, so that it is no flood that runs out within a week.
    fn imports_wait(&self) -> Span {
        span(self.settings().imports_wait)
    }
}
