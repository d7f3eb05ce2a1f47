//! Asking for an export, stopping one, letting its file go.

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    export::{ExportSort, ReportLanguage},
    id::{ExportId, KeyId, UserId},
    permission::{Actor, Permission, Permit},
    user::{Scope, User},
};
use store::Tx;

use super::ExportView;
use crate::{
    Engine, again,
    as_of::passed,
    error::{EngineError, Result},
    need,
};

/// An export that is asked for. All conditions must hold; without any it holds everything. A copy is of one person.
#[derive(Debug, Clone)]
pub struct NewExport {
    /// For whom it is made.
    pub sort: ExportSort,
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// About one user, by our id.
    pub user: Option<UserId>,
    /// About one user, as the agents name them: of the agent, or of all.
    pub named: Option<Scope>,
    /// What happened from then on.
    pub from: Option<Timestamp>,
    /// What happened before then.
    pub to: Option<Timestamp>,
    /// What stood then: of one person, for an auditor, out of the whole time.
    pub as_of: Option<Timestamp>,
    /// Whether the table begins with a byte order mark.
    pub bom: bool,
    /// The language of the report.
    pub language: ReportLanguage,
}

impl Engine {
    /// Asks for an export; it is written in the background.
    ///
    /// # Errors
    /// `not_found` for an agent outside the permit; `invalid` where nobody has that name, the times are the wrong way round, all
    /// agents are meant and the permit holds for less, a copy or what stood at an instant is to be of everybody or of a span, or the
    /// instant is still to come; `forbidden` for who is no person.
    pub async fn request_export(&self, permit: &Permit, new: NewExport) -> Result<ExportView> {
        need(permit, &[Permission::Export])?;
        let id = again!(self.request_export_once(permit, &new).await)?;
        self.export(permit, &id).await
    }

    async fn request_export_once(&self, permit: &Permit, new: &NewExport) -> Result<ExportId> {
        let person = permit.actor().person().ok_or(EngineError::Forbidden)?;
        if let (Some(from), Some(to)) = (new.from, new.to)
            && from >= to
        {
            return Err(EngineError::invalid("/to", "too_early", "after `from`"));
        }
        if new.sort == ExportSort::Copy {
            of_one_person(new, "a copy")?;
        }
        if let Some(at) = new.as_of {
            if new.sort == ExportSort::Copy {
                let detail = "a copy says what is kept now: ask for the sort audit";
                return Err(EngineError::invalid("/as_of", "not_of_a_copy", detail));
            }
            of_one_person(new, "what stood at an instant")?;
            passed("/as_of", at, self.now())?;
        }
        let mut tx = self.write(permit).await?;
        let whom = whom(&mut tx, permit, new).await?;
        let asked = store::NewExport {
            person: person.clone(),
            key: key(permit),
            sort: new.sort,
            agent: whom.agent,
            user: whom.user,
            named: whom.named,
            from: new.from.map(domain::time::micros),
            to: new.to.map(domain::time::micros),
            as_of: new.as_of.map(domain::time::micros),
            bom: new.bom,
            language: new.language,
        };
        let id = tx.create_export(&asked, &self.stamp(permit)).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Stops an export that is not written yet, or lets the file of one go. What has ended already stays as it is.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn remove_export(&self, permit: &Permit, id: &ExportId) -> Result<()> {
        need(permit, &[Permission::Export])?;
        let export = self.read(permit).await?.export(id).await?;
        export.ok_or(EngineError::NotFound)?;
        again!(self.remove_export_once(permit, id).await)?;
        self.remove_export_files(std::slice::from_ref(id));
        Ok(())
    }

    async fn remove_export_once(&self, permit: &Permit, id: &ExportId) -> Result<()> {
        let mut tx = self.write(permit).await?;
        tx.remove_export(id, &self.stamp(permit)).await?;
        Ok(tx.commit().await?)
    }
}

/// A copy, and an export about an instant, are of one person and of the whole time.
fn of_one_person(new: &NewExport, what: &str) -> Result<()> {
    if new.user.is_none() && new.named.is_none() {
        let detail = format!("{what} is of one person: give user, user_id or scope");
        return Err(EngineError::invalid("/user_id", "required", detail));
    }
    for (pointer, end) in [("/from", new.from), ("/to", new.to)] {
        if end.is_some() {
            let detail = format!("{what} is of the whole time: leave it out");
            return Err(EngineError::invalid(pointer, "whole_time", detail));
        }
    }
    Ok(())
}

/// Whom an export is about.
struct Whom {
    agent: Option<AgentName>,
    user: Option<UserId>,
    named: Option<Scope>,
}

async fn whom(tx: &mut Tx, permit: &Permit, new: &NewExport) -> Result<Whom> {
    let unknown = |pointer: &str| {
        EngineError::invalid(
            pointer,
            "unknown",
            "there is nobody of that name, or they were erased",
        )
    };
    if let Some(id) = &new.user {
        if new.named.is_some() {
            let detail = "give user, user_id or scope, not several";
            return Err(EngineError::invalid("/user", "both", detail));
        }
        let user = present(tx.user(id).await)?;
        let user = user
            .filter(|user| new.agent.as_ref().is_none_or(|agent| user.agent == *agent))
            .ok_or_else(|| unknown("/user"))?;
        return Ok(one(user));
    }
    let agent = agent(tx, permit, new.agent.as_ref()).await?;
    let Some(named) = &new.named else {
        return Ok(Whom {
            agent,
            user: None,
            named: None,
        });
    };
    let pointer = if named.as_user_id().is_some() {
        "/user_id"
    } else {
        "/scope"
    };
    match agent {
        Some(agent) => {
            let user = present(tx.find_user(&agent, named).await)?;
            Ok(one(user.ok_or_else(|| unknown(pointer))?))
        }
        None => {
            if called(tx, named).await?.is_empty() {
                return Err(unknown(pointer));
            }
            Ok(Whom {
                agent: None,
                user: None,
                named: Some(named.clone()),
            })
        }
    }
}

fn one(user: User) -> Whom {
    Whom {
        agent: Some(user.agent),
        user: Some(user.id),
        named: None,
    }
}

/// Whom the agents call so, one an agent.
pub(super) async fn called(tx: &mut Tx, named: &Scope) -> Result<Vec<User>> {
    let mut users = Vec::new();
    for agent in tx.agents().await? {
        users.extend(present(tx.find_user(&agent.name, named).await)?);
    }
    Ok(users)
}

/// Whoever was erased is as unknown as who never was.
pub(crate) fn present(found: store::Result<Option<User>>) -> Result<Option<User>> {
    match found {
        Err(store::Error::Erased) => Ok(None),
        found => Ok(found?),
    }
}

/// The agent that is meant; `None`: all, which needs a permit for all.
pub(crate) async fn agent(
    tx: &mut Tx,
    permit: &Permit,
    asked: Option<&AgentName>,
) -> Result<Option<AgentName>> {
    let agent = match (permit.scope(), asked) {
        (AgentScope::All, None) => return Ok(None),
        (scope, Some(agent)) if scope.contains(agent) => agent.clone(),
        (_, Some(_)) => return Err(EngineError::NotFound),
        (AgentScope::One(agent), None) => agent.clone(),
        (AgentScope::Some(agents), None) if agents.len() == 1 => agents[0].clone(),
        (AgentScope::Some(_), None) => {
            let detail = "you may export some agents only; say which one";
            return Err(EngineError::invalid("/agent", "required", detail));
        }
    };
    tx.agent(&agent).await?.ok_or(EngineError::NotFound)?;
    Ok(Some(agent))
}

/// The key through which they ask: an export does not outlive it while it is being written.
fn key(permit: &Permit) -> Option<KeyId> {
    match permit.actor() {
        Actor::PersonKey { key, .. } => Some(key.clone()),
        Actor::Person { .. } | Actor::Key { .. } | Actor::System => None,
    }
}
