//! Erasing a person (F9): first shown with the counts of everything that goes, then done in one transaction, unless a legal hold keeps
//! them. The chain goes on to verify; of the person it names our id and no word.

mod list;

pub use list::LIST_OF_ERASURES;

use std::collections::HashSet;

use domain::{
    Timestamp,
    agent::AgentName,
    erasure::{ErasureCounts, ErasureReason},
    id::{RequestId, UserId},
    permission::{Permission, Permit},
    user::{Scope, User},
};
use serde::Serialize;
use store::{Erasing, ExportClaim, Tx};

use crate::{
    Engine, again,
    error::{Current, EngineError, Result},
    hold::{self, HoldView},
    join::{JoinedId, joined},
    need,
    page::By,
    user::{UserRef, find},
    view::Names,
};

/// What would go with somebody.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ErasurePreview {
    /// Whom, by our id.
    pub user: UserId,
    /// The agent that talks to them.
    pub agent: AgentName,
    /// The agent's own name of them.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What has to be given as `confirm`: their name.
    pub confirm: String,
    /// How much would go.
    pub counts: ErasureCounts,
    /// Other ids of theirs that go with them, because they are joined with this one (G15).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<ErasedWith>,
    /// The id that this one is joined with as a guest: it stays, unless it is erased itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stays: Option<JoinedId>,
    /// Of the counts; has to be given with the erasure. Whatever happens about them raises it.
    pub version: i64,
    /// What keeps them.
    pub holds: Vec<HoldView>,
}

/// Another id that goes with somebody.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ErasedWith {
    /// Which.
    #[serde(flatten)]
    pub id: JoinedId,
    /// How much goes with it.
    pub counts: ErasureCounts,
}

/// An erasure that is asked for.
#[derive(Debug, Clone)]
pub struct Erase {
    /// Why.
    pub reason: ErasureReason,
    /// Their name, typed.
    pub confirm: String,
    /// The version of the counts that were seen.
    pub version: i64,
    /// The data subject's request that asks for it.
    pub request: Option<RequestId>,
}

/// Somebody who was erased.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ErasureView {
    /// Our id of them, which the audit still names.
    pub user: UserId,
    /// The agent that talked to them.
    pub agent: AgentName,
    /// When they were first heard of.
    #[schema(value_type = String, format = DateTime)]
    pub known_since: Timestamp,
    /// When they were erased.
    #[schema(value_type = String, format = DateTime)]
    pub erased_at: Timestamp,
    /// By whom.
    pub by: By,
    /// Why.
    pub reason: ErasureReason,
    /// The data subject's request that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// How much went.
    pub erased: ErasureCounts,
    /// Other ids of theirs that went with them, each with an erasure of its own; in the answer to the erasure alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<UserId>,
}

impl Engine {
    /// What would go with somebody.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Erased`].
    pub async fn preview_erasure(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
    ) -> Result<ErasurePreview> {
        need(permit, &[Permission::Administer])?;
        self.flush().await?;
        let mut tx = self.read(permit).await?;
        let user = find(&mut tx, permit, user, agent).await?;
        preview(&mut tx, &user, self.now()).await
    }

    /// Erases somebody: their rows, what was kept for others that may speak of them, files of exports that hold them, their key. Other ids
    /// that are joined with them as guests go too.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Erased`]; `invalid` where the name was not typed or the request is none;
    /// [`EngineError::Held`]; [`EngineError::Stale`] with the counts as they are now, where something happened since they were seen.
    pub async fn erase(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
        wanted: &Erase,
    ) -> Result<ErasureView> {
        need(permit, &[Permission::Administer])?;
        if !ErasureReason::GIVEN.contains(&wanted.reason) {
            let detail = "this reason is Keepsake's own";
            return Err(EngineError::invalid("/reason", "unknown", detail));
        }
        // What was served within the last second waits in memory, and is theirs as well.
        self.flush().await?;
        let (view, exports) = again!(self.erase_once(permit, user, agent, wanted).await)?;
        self.remove_export_files_upto(&exports);
        if let Err(error) = self.list_erasures().await {
            tracing::error!(user = %view.user, %error, "an erasure could not be written outside the database; the next checkpoint tries again");
        }
        match self.db().let_go_of_deleted().await {
            Ok(true) => {}
            Ok(false) => tracing::warn!(
                user = %view.user,
                "the log of changes is being read and keeps what was erased; the next checkpoint tries again"
            ),
            Err(error) => {
                tracing::warn!(user = %view.user, %error, "the log of changes could not be begun anew after an erasure; the next checkpoint tries again");
            }
        }
        Ok(view)
    }

    async fn erase_once(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
        wanted: &Erase,
    ) -> Result<(ErasureView, Vec<ExportClaim>)> {
        let stamp = self.stamp(permit);
        if let Some(request) = &wanted.request
            && self.read(permit).await?.request(request).await?.is_none()
        {
            let detail = "there is no such request";
            return Err(EngineError::invalid("/request", "unknown", detail));
        }
        // Files, forms and answers that hold them are not those of one agent alone.
        let mut tx = self.write_all().await?;
        let found = within(&mut tx, permit, user, agent).await?;
        let mut ids = tx.together(&found.agent, &found.id).await?;
        ids.sort_unstable();
        for id in &ids {
            tx.lock_user(&found.agent, id).await?;
        }
        // Whoever had the lock may have erased them.
        let found = within(&mut tx, permit, &UserRef::Id(found.id), Some(&found.agent)).await?;
        if wanted.confirm.trim() != found.scope.display().trim() {
            let detail = "give the name by which the agent calls them";
            return Err(EngineError::invalid("/confirm", "not_the_name", detail));
        }
        let shown = preview(&mut tx, &found, stamp.now).await?;
        if let Some(hold) = shown.holds.first() {
            return Err(EngineError::Held {
                by: hold.by.name.clone(),
                reason: hold.reason.clone(),
                until: hold.until,
            });
        }
        if wanted.version != shown.version {
            return Err(EngineError::Stale {
                current: Current::Erasure(Box::new(shown)),
            });
        }
        let (mut with, mut exports) = (Vec::new(), Vec::new());
        for other in shown.with {
            let other = tx.user(&other.id.user).await?;
            let other = other.ok_or(EngineError::NotFound)?;
            let why = erasing(&other.scope, wanted);
            let gone = tx.erase_user(&other.agent, &other.id, why, &stamp).await?;
            exports.extend(gone.exports);
            with.push(other.id);
        }
        let why = erasing(&found.scope, wanted);
        let erased = tx.erase_user(&found.agent, &found.id, why, &stamp).await?;
        exports.extend(erased.exports);
        let mut names = Names::default();
        names.learn_people(&mut tx, stamp.person()).await?;
        tx.commit().await?;
        let view = ErasureView {
            user: found.id,
            agent: found.agent,
            known_since: found.created_at,
            erased_at: stamp.now,
            by: names.by(&stamp.decided_by),
            reason: wanted.reason,
            request: wanted.request.clone(),
            erased: erased.counts,
            with,
        };
        Ok((view, exports))
    }

    /// Which of these users were erased: what was about them is not there any more.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn erased_among(&self, permit: &Permit, users: &[UserId]) -> Result<HashSet<UserId>> {
        need(permit, &[Permission::ReadAudit])?;
        Ok(self.read(permit).await?.erased_among(users).await?)
    }

    /// Somebody who was erased.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn erasure(&self, permit: &Permit, user: &UserId) -> Result<ErasureView> {
        need(permit, &[Permission::ReadUsers])?;
        let mut tx = self.read(permit).await?;
        let erasure = tx.erasure(user).await?.ok_or(EngineError::NotFound)?;
        let mut names = Names::default();
        names.learn_people(&mut tx, erasure.person.clone()).await?;
        let by = erasure.person.as_ref().map_or_else(By::system, |person| {
            names.by(&domain::candidate::DecidedBy::Person(person.clone()))
        });
        Ok(ErasureView {
            user: erasure.user,
            agent: erasure.agent,
            known_since: erasure.known_since,
            erased_at: erasure.at,
            by,
            reason: erasure.reason,
            request: erasure.request,
            erased: erasure.counts,
            with: Vec::new(),
        })
    }
}

fn erasing<'a>(scope: &'a Scope, wanted: &'a Erase) -> Erasing<'a> {
    Erasing {
        scope: Some(scope),
        reason: wanted.reason,
        request: wanted.request.as_ref(),
    }
}

/// [`find`], in a transaction that holds for more than the permit.
async fn within(
    tx: &mut Tx,
    permit: &Permit,
    user: &UserRef,
    agent: Option<&AgentName>,
) -> Result<User> {
    let outside = match user {
        // Whether somebody of that id was erased is not told to who may not know of them.
        UserRef::Id(id) => tx
            .erasure(id)
            .await?
            .is_some_and(|erased| !permit.scope().contains(&erased.agent)),
        UserRef::Scope(_) => false,
    };
    if outside {
        return Err(EngineError::NotFound);
    }
    let found = find(tx, permit, user, agent).await?;
    if permit.scope().contains(&found.agent) {
        Ok(found)
    } else {
        Err(EngineError::NotFound)
    }
}

async fn preview(tx: &mut Tx, user: &User, now: Timestamp) -> Result<ErasurePreview> {
    let counts = tx.erasure_counts(user).await?;
    let mut version = tx.erasure_version(&user.agent, &user.id).await?;
    let mut names = Names::default();
    names.met(user);
    let ids = tx.together(&user.agent, &user.id).await?;
    let (mut with, mut stays) = (Vec::new(), None);
    if ids[0] == user.id {
        for id in ids.into_iter().skip(1) {
            let Some(other) = tx.user(&id).await? else {
                continue;
            };
            // Whatever happens about one of them raises the version of all.
            version = version.max(tx.erasure_version(&other.agent, &id).await?);
            with.push(ErasedWith {
                counts: tx.erasure_counts(&other).await?,
                id: joined(tx, &mut names, id).await?,
            });
        }
    } else {
        stays = Some(joined(tx, &mut names, ids[0].clone()).await?);
    }
    let holds = tx.holds_on(user, now).await?;
    Ok(ErasurePreview {
        user: user.id.clone(),
        agent: user.agent.clone(),
        user_id: user.scope.as_user_id().map(str::to_owned),
        confirm: user.scope.display(),
        scope: user
            .scope
            .as_user_id()
            .is_none()
            .then(|| user.scope.clone()),
        counts,
        with,
        stays,
        version,
        holds: hold::views(tx, &mut names, holds, now).await?,
    })
}
