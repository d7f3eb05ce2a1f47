//! Ids of one person (G15): an agent proposes that a guest id and a signed-in one are the same, a person joins them, and splits what was
//! joined wrongly.
//!
//! A join is one row. No memory, candidate or conversation is moved or changed by it, so a split gives back exactly what each id had, and
//! both are undone by the same step. While it stands, whoever reads about one id asks for the others: what is told (`voice.rs`), what is
//! known when something new is said (`elsewhere.rs`), opt-outs, legal holds, erasure and requests.

mod elsewhere;
mod voice;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Cause, SUPPRESSED_FOR},
    id::{JoinId, PersonId, UserId},
    join::{JoinState, JoinVerdict},
    permission::{Actor, Permission, Permit},
    user::{Scope, User},
};
use serde::Serialize;
use store::{Join, Stamp, Tx};

pub use self::voice::ConflictView;
pub(crate) use self::{
    elsewhere::{Elsewhere, beside, owner},
    voice::{Told, conflicts, meets_elsewhere, told, told_fields},
};
use crate::{
    Engine, again,
    error::{Current, EngineError, Result},
    need,
    page::{By, List, Page},
    queue::page,
    review::Version,
    user::{UserRef, find},
    view::Names,
};

/// The longest reason, in characters.
const MOST: usize = 2000;

/// One of two ids.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct JoinedId {
    /// Ours.
    pub user: UserId,
    /// The agent's own name of it.
    pub user_id: Option<String>,
    /// The pairs that name it, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What a person reads as the name.
    #[serde(skip)]
    pub who: String,
}

/// Two ids that are one person, or were, or may be.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct JoinView {
    /// Ours.
    pub id: JoinId,
    /// The agent that talks to both.
    pub agent: AgentName,
    /// The id they had before they signed in.
    pub guest: JoinedId,
    /// The id they are known by: what it says comes first.
    pub main: JoinedId,
    /// How it stands.
    pub state: JoinState,
    /// Raised with every decision.
    pub version: i64,
    /// Why it was proposed.
    pub proposed: Option<String>,
    /// Why they were joined.
    pub reason: Option<String>,
    /// Why they were split, or why it was declined.
    pub ended: Option<String>,
    /// Who proposed it, or joined them at once.
    pub by: By,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Who decided last.
    pub decided_by: Option<By>,
    /// When.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub decided_at: Option<Timestamp>,
}

/// A join that is proposed or made. Both ids are ones that the agent has talked to.
#[derive(Debug, Clone)]
pub struct NewJoin {
    /// Their agent, where they are named by its own names.
    pub agent: Option<AgentName>,
    /// The id they had before they signed in.
    pub guest: UserRef,
    /// The id they are known by.
    pub main: UserRef,
    /// Why.
    pub reason: Option<String>,
}

/// Which joins.
#[derive(Debug, Clone, Default)]
pub struct JoinFilter {
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// Of one user, whichever of the two they are.
    pub user: Option<UserRef>,
    /// Those alone that wait for a person.
    pub waiting: bool,
}

impl Engine {
    /// Proposes that two ids are one person. What waits already, and what a person declined within 90 days, is answered as it is.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an id that the agent has not talked to; `invalid` for one id twice and for one that is shared;
    /// [`EngineError::AlreadyJoined`]; [`EngineError::JoinChain`].
    pub async fn propose_join(&self, permit: &Permit, new: &NewJoin) -> Result<JoinView> {
        need(permit, &[Permission::Propose])?;
        let reason = written(new.reason.as_deref())?;
        let mut view = again!(self.propose_join_once(permit, new, reason).await)?;
        if matches!(permit.actor(), Actor::Key { .. }) {
            // What people wrote, and who they are, is not an agent's.
            view.reason = None;
            view.ended = None;
            view.decided_by = None;
            if view.by.r#type == "person" {
                view.proposed = None;
                view.by.id = None;
                view.by.name = None;
            }
        }
        Ok(view)
    }

    async fn propose_join_once(
        &self,
        permit: &Permit,
        new: &NewJoin,
        reason: Option<&str>,
    ) -> Result<JoinView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let (guest, main) = pair(&mut tx, permit, new).await?;
        tx.lock_pair(&guest.agent, &guest.id, &main.id).await?;
        let answered = |join: &Join| match join.state {
            JoinState::Proposed => true,
            JoinState::Declined => join
                .decided
                .as_ref()
                .is_some_and(|(at, _)| *at + SUPPRESSED_FOR > stamp.now),
            JoinState::Joined | JoinState::Split => false,
        };
        let join = match last_of(&mut tx, &guest, &main).await?.filter(answered) {
            Some(join) => join,
            None => {
                self.put_join(&mut tx, &guest, &main, JoinState::Proposed, reason, &stamp)
                    .await?
            }
        };
        let view = view(&mut tx, join).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Joins two ids at once, by a person's decision; where the same was proposed, that is what is decided.
    ///
    /// # Errors
    /// As [`Engine::propose_join`]; `invalid` without a reason.
    pub async fn join_ids(&self, permit: &Permit, new: &NewJoin) -> Result<JoinView> {
        need(permit, &[Permission::Decide])?;
        let reason = needed(written(new.reason.as_deref())?)?;
        again!(self.join_ids_once(permit, new, reason).await)
    }

    async fn join_ids_once(
        &self,
        permit: &Permit,
        new: &NewJoin,
        reason: &str,
    ) -> Result<JoinView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let (guest, main) = pair(&mut tx, permit, new).await?;
        tx.lock_pair(&guest.agent, &guest.id, &main.id).await?;
        let waits = |join: &Join| join.state == JoinState::Proposed;
        let join = match last_of(&mut tx, &guest, &main).await?.filter(waits) {
            Some(proposed) => {
                fits(&mut tx, &guest, &main).await?;
                tx.decide_join(&proposed, JoinState::Joined, Some(reason), false, &stamp)
                    .await
                    .map_err(taken)?
            }
            None => {
                self.put_join(
                    &mut tx,
                    &guest,
                    &main,
                    JoinState::Joined,
                    Some(reason),
                    &stamp,
                )
                .await?
            }
        };
        let view = view(&mut tx, join).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Decides about a join: joins or declines what was proposed, splits what stands, or takes the last of these back. A reason is needed
    /// to join and to split.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `invalid` without a reason; [`EngineError::Stale`]; [`EngineError::MovedOn`] where that cannot be done as
    /// the join stands; [`EngineError::AlreadyJoined`]; [`EngineError::JoinChain`].
    pub async fn decide_join(
        &self,
        permit: &Permit,
        id: &JoinId,
        version: Option<Version>,
        verdict: JoinVerdict,
        reason: Option<&str>,
    ) -> Result<JoinView> {
        need(permit, &[Permission::Decide])?;
        let reason = written(reason)?;
        let reason = match verdict {
            JoinVerdict::Join | JoinVerdict::Split => Some(needed(reason)?),
            JoinVerdict::Decline | JoinVerdict::Undo => reason,
        };
        again!(
            self.decide_join_once(permit, id, version, verdict, reason)
                .await
        )
    }

    async fn decide_join_once(
        &self,
        permit: &Permit,
        id: &JoinId,
        version: Option<Version>,
        verdict: JoinVerdict,
        reason: Option<&str>,
    ) -> Result<JoinView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = tx.join_for_update(id).await?.ok_or(EngineError::NotFound)?;
        if !version.unwrap_or(Version::Any).fits(before.version) {
            let current = Current::Join(Box::new(view(&mut tx, before).await?));
            return Err(EngineError::Stale { current });
        }
        let Some(state) = before.state.after(verdict) else {
            let current = Current::Join(Box::new(view(&mut tx, before).await?));
            return Err(EngineError::MovedOn { current });
        };
        if state == JoinState::Joined {
            let guest = tx.user(&before.guest).await?;
            let main = tx.user(&before.main).await?;
            let (guest, main) = guest.zip(main).ok_or(EngineError::NotFound)?;
            fits(&mut tx, &guest, &main).await?;
        }
        let undoes = verdict == JoinVerdict::Undo;
        let join = tx
            .decide_join(&before, state, reason, undoes, &stamp)
            .await
            .map_err(taken)?;
        if state == JoinState::Split {
            let_go(&mut tx, &join, &stamp).await?;
        }
        let view = view(&mut tx, join).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// One join.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn join_view(&self, permit: &Permit, id: &JoinId) -> Result<JoinView> {
        need(permit, &[Permission::ReadUsers])?;
        let mut tx = self.read(permit).await?;
        let join = tx.join(id).await?.ok_or(EngineError::NotFound)?;
        view(&mut tx, join).await
    }

    /// The joins that the permit reaches, newest first; those of one user in one page.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for a user who is not there; `invalid` for a cursor that is not ours.
    pub async fn joins(
        &self,
        permit: &Permit,
        filter: &JoinFilter,
        wanted: &Page,
    ) -> Result<List<JoinView>> {
        need(permit, &[Permission::ReadUsers])?;
        let mut tx = self.read(permit).await?;
        let mut names = Names::default();
        if let Some(user) = &filter.user {
            let user = find(&mut tx, permit, user, filter.agent.as_ref()).await?;
            let mut joins = tx.joins_of(&user.agent, &user.id).await?;
            joins.retain(|join| !filter.waiting || join.state == JoinState::Proposed);
            return Ok(List::whole(views(&mut tx, &mut names, joins).await?));
        }
        let listed = tx
            .joins(filter.agent.as_ref(), filter.waiting, &page(wanted)?)
            .await?;
        Ok(List {
            data: views(&mut tx, &mut names, listed.rows).await?,
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// How many proposals wait for a person.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn joins_waiting(&self, permit: &Permit) -> Result<i64> {
        need(permit, &[Permission::ReadCandidates, Permission::ReadUsers])?;
        Ok(self.read(permit).await?.joins_waiting().await?)
    }

    async fn put_join(
        &self,
        tx: &mut Tx,
        guest: &User,
        main: &User,
        state: JoinState,
        reason: Option<&str>,
        stamp: &Stamp,
    ) -> Result<Join> {
        fits(tx, guest, main).await?;
        let new = store::NewJoin {
            agent: guest.agent.clone(),
            guest: guest.id.clone(),
            main: main.id.clone(),
            state,
            reason: reason.map(str::to_owned),
        };
        tx.create_join(&new, stamp).await.map_err(taken)
    }
}

/// What was written, if anything.
fn written(reason: Option<&str>) -> Result<Option<&str>> {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    if reason.is_some_and(|reason| reason.chars().count() > MOST) {
        let detail = "at most 2,000 characters";
        return Err(EngineError::invalid("/reason", "too_long", detail));
    }
    Ok(reason)
}

fn needed(reason: Option<&str>) -> Result<&str> {
    let detail = "say how you know";
    reason.ok_or_else(|| EngineError::invalid("/reason", "required", detail))
}

/// The two users, of one agent.
async fn pair(tx: &mut Tx, permit: &Permit, new: &NewJoin) -> Result<(User, User)> {
    let named = [&new.guest, &new.main]
        .into_iter()
        .find(|user| matches!(user, UserRef::Id(_)));
    // Whichever is given by our id says of which agent both are.
    let agent = match (&new.agent, named) {
        (None, Some(user)) => Some(find(tx, permit, user, None).await?.agent),
        (agent, _) => agent.clone(),
    };
    let guest = find(tx, permit, &new.guest, agent.as_ref()).await?;
    let main = find(tx, permit, &new.main, Some(&guest.agent)).await?;
    if guest.id == main.id {
        let detail = "these are one id already";
        return Err(EngineError::invalid("/main", "same", detail));
    }
    Ok((guest, main))
}

/// The newest join of these two.
async fn last_of(tx: &mut Tx, guest: &User, main: &User) -> Result<Option<Join>> {
    let joins = tx.joins_of(&guest.agent, &guest.id).await?;
    Ok(joins
        .into_iter()
        .find(|join| join.guest == guest.id && join.main == main.id))
}

/// Whether a guest id may be joined with a main id: each is one person's, and none is at the end of a chain, so that which of several
/// ids comes first is never in doubt.
async fn fits(tx: &mut Tx, guest: &User, main: &User) -> Result<()> {
    let agent = &guest.agent;
    let settings = tx
        .agent(agent)
        .await?
        .ok_or(EngineError::NotFound)?
        .settings;
    for (pointer, user) in [("/guest", guest), ("/main", main)] {
        if settings.shares(&user.scope) {
            let detail = "several people share this id (shared_ids of the agent)";
            return Err(EngineError::invalid(pointer, "shared_id", detail));
        }
    }
    let of_guest = tx.together(agent, &guest.id).await?;
    if of_guest.len() > 1 {
        return Err(if of_guest[0] == main.id {
            EngineError::AlreadyJoined
        } else {
            EngineError::JoinChain
        });
    }
    let of_main = tx.together(agent, &main.id).await?;
    if of_main[0] == main.id {
        Ok(())
    } else {
        Err(EngineError::JoinChain)
    }
}

fn taken(error: store::Error) -> EngineError {
    match error {
        store::Error::Exists => EngineError::AlreadyJoined,
        other => other.into(),
    }
}

/// What waits to be forgotten because it was said under the other id waits no more: they are two people.
async fn let_go(tx: &mut Tx, join: &Join, stamp: &Stamp) -> Result<()> {
    for user in [&join.guest, &join.main] {
        let known = tx.known(&join.agent, user, stamp.now).await?;
        for waiting in &known.waiting {
            if waiting.proposal.cause == Some(Cause::OtherId) {
                tx.supersede(&waiting.id, None, stamp).await?;
            }
        }
    }
    Ok(())
}

async fn view(tx: &mut Tx, join: Join) -> Result<JoinView> {
    let views = views(tx, &mut Names::default(), vec![join]).await?;
    views.into_iter().next().ok_or(EngineError::NotFound)
}

/// Joins outward, in their order.
pub(crate) async fn views(
    tx: &mut Tx,
    names: &mut Names,
    joins: Vec<Join>,
) -> Result<Vec<JoinView>> {
    let people = joins.iter().flat_map(|join| {
        let by = join.by.id.as_deref();
        let by = by.and_then(|id| PersonId::parse(id).ok());
        [by, join.decided.as_ref().map(|(_, person)| person.clone())]
    });
    let people: Vec<_> = people.flatten().collect();
    names.learn_people(tx, people).await?;
    let mut views = Vec::with_capacity(joins.len());
    for join in joins {
        let (decided_at, decided_by) = join.decided.unzip();
        views.push(JoinView {
            guest: joined(tx, names, join.guest).await?,
            main: joined(tx, names, join.main).await?,
            id: join.id,
            agent: join.agent,
            state: join.state,
            version: join.version,
            proposed: join.reasons.proposed,
            reason: join.reasons.joined,
            ended: join.reasons.ended,
            by: names.actor(join.by),
            created_at: join.created_at,
            decided_by: decided_by.map(|person| names.person(&person)),
            decided_at,
        });
    }
    Ok(views)
}

/// An id, by its names.
pub(crate) async fn joined(tx: &mut Tx, names: &mut Names, user: UserId) -> Result<JoinedId> {
    let scope = names.scope(tx, &user).await?;
    let user_id = scope.as_ref().and_then(Scope::as_user_id);
    Ok(JoinedId {
        user_id: user_id.map(str::to_owned),
        who: scope
            .as_ref()
            .map_or_else(|| user.to_string(), Scope::display),
        scope: scope.filter(|scope| scope.as_user_id().is_none()),
        user,
    })
}

/// The other ids of a person, the main id first.
pub(crate) async fn others(tx: &mut Tx, agent: &AgentName, user: &UserId) -> Result<Vec<UserId>> {
    let mut ids = tx.together(agent, user).await?;
    ids.retain(|id| id != user);
    Ok(ids)
}
