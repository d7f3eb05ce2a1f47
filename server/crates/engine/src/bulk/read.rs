//! Reading bulks: one's own, or for an administrator of all agents everybody's.

use domain::{
    agent::AgentScope,
    candidate::DecidedBy,
    id::BulkId,
    permission::{Permission, Permit},
};
use store::{Bulk, Items, Tx};

use super::{BulkItemView, BulkView, Listing};
use crate::{
    Engine,
    error::{EngineError, Result},
    need,
    page::{List, Page},
    queue::page,
    view::Names,
};

impl Engine {
    /// The bulks of the person, or of everybody, newest first.
    ///
    /// # Errors
    /// `invalid` for a cursor that is not ours.
    pub async fn bulks(&self, permit: &Permit, wanted: &Page) -> Result<List<BulkView>> {
        need(permit, &[Permission::Decide])?;
        let person = permit.actor().person().ok_or(EngineError::Forbidden)?;
        let of = (!sees_all(permit)).then_some(person);
        let mut tx = self.read(permit).await?;
        let listed = tx.bulks(of, &page(wanted)?).await?;
        let mut names = Names::default();
        names
            .learn_people(&mut tx, listed.rows.iter().map(|bulk| bulk.person.clone()))
            .await?;
        let mut data = Vec::with_capacity(listed.rows.len());
        for bulk in listed.rows {
            if concerns(&mut tx, permit, &bulk).await? {
                data.push(view(&mut tx, &names, bulk).await?);
            }
        }
        Ok(List {
            data,
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// One bulk.
    ///
    /// # Errors
    /// `not_found`, also for another person's.
    pub async fn bulk(&self, permit: &Permit, id: &BulkId) -> Result<BulkView> {
        need(permit, &[Permission::Decide])?;
        let mut tx = self.read(permit).await?;
        let bulk = theirs(&mut tx, permit, id).await?;
        let mut names = Names::default();
        names.learn_people(&mut tx, [bulk.person.clone()]).await?;
        view(&mut tx, &names, bulk).await
    }

    /// What was refused, or what sessions had been told of, in the order of the bulk.
    ///
    /// # Errors
    /// `not_found`; `invalid` for a cursor that is not ours.
    pub async fn bulk_items(
        &self,
        permit: &Permit,
        id: &BulkId,
        listing: Listing,
        wanted: &Page,
    ) -> Result<List<BulkItemView>> {
        need(permit, &[Permission::Decide])?;
        let mut tx = self.read(permit).await?;
        theirs(&mut tx, permit, id).await?;
        let which = match listing {
            Listing::Failed => Items::Failed,
            Listing::Told => Items::Told,
        };
        let listed = tx.bulk_items(id, which, &page(wanted)?).await?;
        let mut data = Vec::with_capacity(listed.rows.len());
        for item in listed.rows {
            let Some(row) = tx.candidate(&item.candidate).await? else {
                continue;
            };
            data.push(BulkItemView {
                id: item.candidate,
                agent: item.agent,
                code: item.code,
                told: item.told,
                version: row.candidate.version,
                status: row.candidate.status(),
                content: row.candidate.proposal.content,
                language: row.candidate.proposal.language,
                who: row.user.scope.display(),
            });
        }
        Ok(List {
            data,
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }
}

impl Engine {
    /// A bulk of which nothing lies outside the permit: only such a one is stopped or undone.
    pub(super) async fn whole_bulk(&self, permit: &Permit, id: &BulkId) -> Result<BulkView> {
        let bulk = theirs(&mut self.read(permit).await?, permit, id).await?;
        if whole(permit, &bulk) {
            self.bulk(permit, id).await
        } else {
            Err(EngineError::NotFound)
        }
    }
}

fn whole(permit: &Permit, bulk: &Bulk) -> bool {
    match &bulk.scope {
        AgentScope::All => *permit.scope() == AgentScope::All,
        AgentScope::One(agent) => permit.scope().contains(agent),
        AgentScope::Some(agents) => agents.iter().all(|agent| permit.scope().contains(agent)),
    }
}

/// Whoever administers everything sees everybody's bulks.
fn sees_all(permit: &Permit) -> bool {
    let administers = Permit::ask(permit.actor().clone(), Permission::Administer);
    administers.is_ok_and(|permit| *permit.scope() == AgentScope::All)
}

async fn theirs(tx: &mut Tx, permit: &Permit, id: &BulkId) -> Result<Bulk> {
    let bulk = tx.bulk(id).await?.ok_or(EngineError::NotFound)?;
    let theirs = sees_all(permit) || permit.actor().person() == Some(&bulk.person);
    if theirs && concerns(tx, permit, &bulk).await? {
        Ok(bulk)
    } else {
        Err(EngineError::NotFound)
    }
}

/// Whether a bulk is about anything that the permit holds for: to a key of one agent, what concerns others does not exist.
async fn concerns(tx: &mut Tx, permit: &Permit, bulk: &Bulk) -> Result<bool> {
    Ok(whole(permit, bulk) || tx.bulk_is_about_scope(&bulk.id).await?)
}

async fn view(tx: &mut Tx, names: &Names, bulk: Bulk) -> Result<BulkView> {
    let reasons = if bulk.failed > 0 {
        tx.bulk_failures(&bulk.id).await?
    } else {
        Vec::new()
    };
    let (told, told_sessions) = if bulk.undo_of.is_some() {
        tx.bulk_told(&bulk.id).await?
    } else {
        (0, 0)
    };
    Ok(BulkView {
        by: names.by(&DecidedBy::Person(bulk.person)),
        id: bulk.id,
        verdict: bulk.verdict,
        reason: bulk.reason,
        note: bulk.note,
        insist: bulk.insist,
        state: bulk.state,
        error: bulk.error,
        undo_of: bulk.undo_of,
        undone_by: bulk.undone_by,
        frozen_at: bulk.frozen_at,
        total: bulk.total,
        done: bulk.done,
        failed: bulk.failed,
        reasons: reasons.into_iter().collect(),
        told,
        told_sessions,
        created_at: bulk.created_at,
        finished_at: bulk.finished_at,
    })
}
