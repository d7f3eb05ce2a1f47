//! Legal holds: what must be kept, by whose word, why and until when. Neither an erasure nor retention takes it.

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    candidate::DecidedBy,
    id::{HoldId, UserId},
    permission::{Permission, Permit},
    user::Scope,
};
use serde::Serialize;
use store::{Hold, HoldOn, Tx};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
    page::{By, List, Page},
    queue::page,
    user::{UserRef, find},
    view::Names,
};

/// The longest reason, in characters.
const MOST: usize = 2000;

/// A hold, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct HoldView {
    /// Ours.
    pub id: HoldId,
    /// The agent; `null`: every agent.
    pub agent: Option<AgentName>,
    /// One user of that agent; `null`: everybody of the agent, or whoever has the name.
    pub user: Option<UserId>,
    /// What they are called.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Why.
    pub reason: String,
    /// Who placed it.
    pub by: By,
    /// When it was placed.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it ends by itself; `null`: when it is released.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub until: Option<Timestamp>,
    /// Whether it keeps anything now.
    pub keeps: bool,
    /// When it was released.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub released_at: Option<Timestamp>,
    /// By whom.
    pub released_by: Option<By>,
    /// Whom it is on, as a person reads it.
    #[serde(skip)]
    pub who: Option<String>,
}

/// A hold that is asked for.
#[derive(Debug, Clone)]
pub struct NewHold {
    /// On users of this agent.
    pub agent: Option<AgentName>,
    /// On one person; `None`: on everybody of the agent.
    pub user: Option<UserRef>,
    /// On whoever has that person's name, in every agent.
    pub everywhere: bool,
    /// Until then; `None`: until it is released.
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: String,
}

impl Engine {
    /// The holds that the permit reaches, newest first; those in every agent where it holds for all.
    ///
    /// # Errors
    /// `invalid` for a cursor that is not ours.
    pub async fn holds(&self, permit: &Permit, wanted: &Page) -> Result<List<HoldView>> {
        need(permit, &[Permission::ReadAudit])?;
        let mut tx = self.read(permit).await?;
        let listed = tx.holds(&page(wanted)?).await?;
        let mut names = Names::default();
        Ok(List {
            data: views(&mut tx, &mut names, listed.rows, self.now()).await?,
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// Places a hold.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `invalid` without a reason, with an end that has passed, or on nothing; [`EngineError::Forbidden`] in every
    /// agent without a permit for all, and for who is no person.
    pub async fn place_hold(&self, permit: &Permit, new: &NewHold) -> Result<HoldView> {
        need(permit, &[Permission::Administer])?;
        let reason = new.reason.trim();
        if reason.is_empty() {
            let detail = "say why, and by whose order";
            return Err(EngineError::invalid("/reason", "required", detail));
        }
        if reason.chars().count() > MOST {
            let detail = "at most 2,000 characters";
            return Err(EngineError::invalid("/reason", "too_long", detail));
        }
        if new.until.is_some_and(|until| until <= self.now()) {
            return Err(EngineError::invalid("/until", "past", "later than now"));
        }
        again!(self.place_hold_once(permit, new, reason).await)
    }

    async fn place_hold_once(
        &self,
        permit: &Permit,
        new: &NewHold,
        reason: &str,
    ) -> Result<HoldView> {
        let person = permit.actor().person().ok_or(EngineError::Forbidden)?;
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let on = on(&mut tx, permit, new).await?;
        let until = new.until.map(domain::time::micros);
        let id = tx.place_hold(&on, reason, until, person, &stamp).await?;
        let hold = tx.hold(&id).await?.ok_or(EngineError::NotFound)?;
        let view = one(&mut tx, hold, stamp.now).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Releases a hold. One that was released before stays as it is.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Forbidden`] for who is no person.
    pub async fn release_hold(&self, permit: &Permit, id: &HoldId) -> Result<HoldView> {
        need(permit, &[Permission::Administer])?;
        again!(self.release_hold_once(permit, id).await)
    }

    async fn release_hold_once(&self, permit: &Permit, id: &HoldId) -> Result<HoldView> {
        let person = permit.actor().person().ok_or(EngineError::Forbidden)?;
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let hold = tx.hold(id).await?.ok_or(EngineError::NotFound)?;
        tx.release_hold(&hold, person, &stamp).await?;
        let hold = tx.hold(id).await?.ok_or(EngineError::NotFound)?;
        let view = one(&mut tx, hold, stamp.now).await?;
        tx.commit().await?;
        Ok(view)
    }
}

/// What a new hold is on.
async fn on(tx: &mut Tx, permit: &Permit, new: &NewHold) -> Result<HoldOn> {
    if new.everywhere && *permit.scope() != AgentScope::All {
        return Err(EngineError::Forbidden);
    }
    match (&new.user, new.everywhere) {
        (Some(UserRef::Scope(scope)), true) => Ok(HoldOn::Named(scope.clone())),
        (Some(user), true) => {
            let found = find(tx, permit, user, new.agent.as_ref()).await?;
            Ok(HoldOn::Named(found.scope))
        }
        (Some(user), false) => {
            let found = find(tx, permit, user, new.agent.as_ref()).await?;
            Ok(HoldOn::User(found.agent, found.id))
        }
        (None, true) => {
            let detail = "say who is kept in every agent";
            Err(EngineError::invalid("/user_id", "required", detail))
        }
        (None, false) => {
            let agent = crate::only_agent(permit, new.agent.as_ref())?;
            tx.agent(&agent).await?.ok_or(EngineError::NotFound)?;
            Ok(HoldOn::Agent(agent))
        }
    }
}

async fn one(tx: &mut Tx, hold: Hold, now: Timestamp) -> Result<HoldView> {
    let views = views(tx, &mut Names::default(), vec![hold], now).await?;
    views.into_iter().next().ok_or(EngineError::NotFound)
}

/// Holds outward, in their order.
pub(crate) async fn views(
    tx: &mut Tx,
    names: &mut Names,
    holds: Vec<Hold>,
    now: Timestamp,
) -> Result<Vec<HoldView>> {
    let people = holds.iter().flat_map(|hold| {
        let released = hold.released.as_ref().map(|(_, person)| person.clone());
        [Some(hold.person.clone()), released]
    });
    let people: Vec<_> = people.flatten().collect();
    names.learn_people(tx, people).await?;
    let mut views = Vec::with_capacity(holds.len());
    for hold in holds {
        let keeps = hold.keeps(now);
        let (agent, user, scope) = match hold.on {
            HoldOn::User(agent, user) => {
                let scope = match names.scope(tx, &user).await {
                    // Their name is gone with them.
                    Err(EngineError::NotFound) => None,
                    found => found?,
                };
                (Some(agent), Some(user), scope)
            }
            HoldOn::Agent(agent) => (Some(agent), None, None),
            HoldOn::Named(scope) => (None, None, Some(scope)),
        };
        let (released_at, released_by) = hold.released.unzip();
        let by = |person| names.by(&DecidedBy::Person(person));
        views.push(HoldView {
            by: by(hold.person),
            released_by: released_by.map(by),
            released_at,
            id: hold.id,
            agent,
            user,
            user_id: scope
                .as_ref()
                .and_then(Scope::as_user_id)
                .map(str::to_owned),
            who: scope.as_ref().map(Scope::display),
            scope: scope.filter(|scope| scope.as_user_id().is_none()),
            reason: hold.reason,
            created_at: hold.created_at,
            until: hold.until,
            keeps,
        });
    }
    Ok(views)
}
