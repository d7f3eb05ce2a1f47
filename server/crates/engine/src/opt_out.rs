//! Who is not learnt from: people who opted out, on every agent and beyond their erasure, and ids that several people share (G2).

use std::collections::BTreeMap;

use domain::{
    agent::{AgentName, AgentSettings},
    id::UserId,
    memory::Memory,
    permission::{Actor, Permission, Permit},
    user::{Scope, User},
};
use serde::Serialize;
use store::{Skipped, Tx};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
    user::UserRef,
};

/// Whether somebody is learnt from and served.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct OptOutView {
    /// What agents call them.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Whether they are neither learnt from nor served, on any agent.
    pub opted_out: bool,
    /// Who they are with the agents within reach; empty where no agent has heard of them.
    pub users: Vec<UserId>,
}

impl Engine {
    /// Takes somebody out of learning and serving on every agent, or back in. It holds for the name, whether or not an agent has
    /// heard of it.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an id of ours that is nobody's; [`EngineError::Forbidden`] to take somebody back in without
    /// permission for every agent, because every agent would learn again.
    pub async fn set_opt_out(
        &self,
        permit: &Permit,
        user: &UserRef,
        opted_out: bool,
    ) -> Result<OptOutView> {
        need(permit, &[Permission::Administer])?;
        if !opted_out && *permit.scope() != domain::agent::AgentScope::All {
            return Err(EngineError::Forbidden);
        }
        let scope = match user {
            UserRef::Scope(scope) => scope.clone(),
            UserRef::Id(id) => {
                let user = self.read(permit).await?.user(id).await?;
                user.ok_or(EngineError::NotFound)?.scope
            }
        };
        again!(self.set_opt_out_once(permit, &scope, opted_out).await)
    }

    async fn set_opt_out_once(
        &self,
        permit: &Permit,
        scope: &Scope,
        opted_out: bool,
    ) -> Result<OptOutView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write_all().await?;
        tx.set_opt_out(scope, opted_out, &stamp).await?;
        let known = tx.users_called(scope).await?;
        tx.commit().await?;
        Ok(OptOutView {
            user_id: scope.as_user_id().map(str::to_owned),
            scope: scope.as_user_id().is_none().then(|| scope.clone()),
            opted_out,
            users: known
                .into_iter()
                .filter(|user| permit.scope().contains(&user.agent))
                .map(|user| user.id)
                .collect(),
        })
    }
}

/// Whether somebody opted out, under this id or one that is joined with it (G15).
pub(crate) async fn out(tx: &mut Tx, user: &User) -> Result<bool> {
    if tx.opted_out(&user.scope).await? {
        return Ok(true);
    }
    let ids = tx.together(&user.agent, &user.id).await?;
    any_out(tx, &ids, Some(user)).await
}

/// Whether one of these ids opted out, `but` for who was asked about already.
pub(crate) async fn any_out(tx: &mut Tx, ids: &[UserId], but: Option<&User>) -> Result<bool> {
    for id in ids {
        if but.is_none_or(|but| but.id != *id)
            && let Some(other) = tx.user(id).await?
            && tx.opted_out(&other.scope).await?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Who opted out, asked once a user; where nobody did, once in all.
#[derive(Default)]
pub(crate) struct OptOuts {
    any: Option<bool>,
    known: BTreeMap<UserId, bool>,
}

impl OptOuts {
    /// Whether somebody did, as [`out`] tells.
    pub async fn hold(&mut self, tx: &mut Tx, user: &User) -> Result<bool> {
        if self.any.is_none() {
            self.any = Some(tx.anyone_opted_out().await?);
        }
        if self.any == Some(false) {
            return Ok(false);
        }
        if let Some(known) = self.known.get(&user.id) {
            return Ok(*known);
        }
        let found = out(tx, user).await?;
        self.known.insert(user.id.clone(), found);
        Ok(found)
    }
}

/// Refuses to remember anything more of who opted out.
///
/// # Errors
/// [`EngineError::OptedOut`].
pub(crate) async fn not_out(tx: &mut Tx, user: &UserId) -> Result<()> {
    match tx.user(user).await? {
        Some(user) if out(tx, &user).await? => Err(EngineError::OptedOut),
        _ => Ok(()),
    }
}

/// Why nothing is learnt about who is called so.
pub(crate) async fn left_alone(
    tx: &mut Tx,
    agent: &AgentName,
    settings: &AgentSettings,
    scope: &Scope,
) -> Result<Option<Skipped>> {
    let opted_out = match tx.find_user(agent, scope).await? {
        Some(user) => out(tx, &user).await?,
        None => tx.opted_out(scope).await?,
    };
    if opted_out {
        return Ok(Some(Skipped::OptedOut));
    }
    Ok(settings.shares(scope).then_some(Skipped::SharedId))
}

/// The same for a user, and where the agent does not learn at all: for a job, before each window and again in the transaction in which
/// it keeps something.
pub(crate) async fn kept_out(
    tx: &mut Tx,
    settings: &AgentSettings,
    user: &UserId,
) -> Result<Option<Skipped>> {
    if !settings.learn {
        return Ok(Some(Skipped::MemoryOff));
    }
    match tx.user(user).await? {
        Some(user) => left_alone(tx, &user.agent, settings, &user.scope).await,
        None => Ok(None),
    }
}

/// The memories that an agent may read: not those of who opted out. People read them all.
pub(crate) async fn readable(
    tx: &mut Tx,
    permit: &Permit,
    memories: Vec<Memory>,
) -> Result<Vec<Memory>> {
    if !matches!(permit.actor(), Actor::Key { .. }) {
        return Ok(memories);
    }
    let mut hidden: BTreeMap<UserId, bool> = BTreeMap::new();
    for memory in &memories {
        if !hidden.contains_key(&memory.user) {
            let out = match tx.user(&memory.user).await? {
                Some(user) => out(tx, &user).await?,
                None => true,
            };
            hidden.insert(memory.user.clone(), out);
        }
    }
    let shown = |memory: &Memory| !hidden.get(&memory.user).copied().unwrap_or_default();
    Ok(memories.into_iter().filter(shown).collect())
}
