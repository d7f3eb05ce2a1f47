//! API keys: made, shown once, revoked; and who a request with one comes from.

use domain::{
    Timestamp,
    agent::AgentName,
    id::{KeyId, PersonId},
    key::{ApiKey, KeyScope},
    permission::{Actor, Permission, Permit},
    time::Span,
};
use serde::Serialize;
use store::{Key, Tx};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
    page::By,
    view::Names,
};

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// The one agent it names; `None`: all, only for a person's key.
    pub agent: Option<AgentName>,
    /// What it may be used for.
    pub scopes: Vec<KeyScope>,
    /// The person it is bound to; `None`: an agent's key.
    pub person: Option<PersonId>,
    /// What a list calls it.
    pub name: Option<String>,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
}

/// A key, outward; never the key itself.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct KeyView {
    /// Ours.
    pub id: KeyId,
    /// The one agent it names; `None`: all.
    pub agent: Option<AgentName>,
    /// What a list calls it.
    pub name: Option<String>,
    /// Its first letters.
    pub hint: String,
    /// What it may be used for.
    pub scopes: Vec<KeyScope>,
    /// The person it is bound to.
    pub person: Option<By>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it stops working.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub revoked_at: Option<Timestamp>,
}

/// Who acts through a key that is usable; `None` where its person is gone or was shut out.
async fn actor_of(tx: &mut Tx, key: Key) -> Result<Option<Actor>> {
    let Some(person) = key.person else {
        return Ok(key.agent.map(|agent| Actor::Key {
            id: key.id,
            agent,
            scopes: key.scopes,
        }));
    };
    let person = tx
        .person(&person)
        .await?
        .filter(|person| person.deactivated_at.is_none());
    Ok(person.map(|person| Actor::PersonKey {
        key: key.id,
        person: person.id,
        name: person.name,
        grants: person.grants,
        agent: key.agent,
        scopes: key.scopes,
    }))
}

fn outward(key: Key, names: &Names) -> KeyView {
    KeyView {
        id: key.id,
        agent: key.agent,
        name: (!key.label.is_empty()).then_some(key.label),
        hint: key.hint,
        scopes: key.scopes,
        person: key
            .person
            .map(|id| names.by(&domain::candidate::DecidedBy::Person(id))),
        created_at: key.created_at,
        expires_at: key.expires_at,
        last_used_at: key.last_used_at,
        revoked_at: key.revoked_at,
    }
}

impl Engine {
    /// Makes a key. It is shown this once; only its hash is stored.
    ///
    /// # Errors
    /// `invalid` where an agent's key asks for what only a person may have, or for no or every agent.
    pub async fn create_key(&self, permit: &Permit, new: NewKey) -> Result<(ApiKey, KeyView)> {
        need(permit, &[Permission::Administer])?;
        again!(self.create_key_once(permit, &new).await)
    }

    async fn create_key_once(&self, permit: &Permit, new: &NewKey) -> Result<(ApiKey, KeyView)> {
        let stamp = self.stamp(permit);
        if new.scopes.is_empty() {
            return Err(EngineError::invalid(
                "/scopes",
                "required",
                "a key may be used for something",
            ));
        }
        if new.person.is_none() {
            if let Some(scope) = new.scopes.iter().find(|scope| scope.needs_a_person()) {
                let detail = format!(
                    "{scope} only goes to a key bound to a person: an agent neither approves nor reads what was not approved"
                );
                return Err(EngineError::invalid("/scopes", "needs_person", detail));
            }
            if new.agent.is_none() {
                return Err(EngineError::invalid(
                    "/agent",
                    "needs_person",
                    "an agent's key names exactly one agent",
                ));
            }
        }
        if new.expires_at.is_some_and(|end| end <= stamp.now) {
            return Err(EngineError::invalid(
                "/expires_at",
                "range",
                "a time to come",
            ));
        }
        if new
            .name
            .as_ref()
            .is_some_and(|name| name.chars().count() > 100)
        {
            return Err(EngineError::invalid(
                "/name",
                "too_long",
                "at most 100 characters",
            ));
        }
        let mut tx = self.write(permit).await?;
        match &new.agent {
            Some(agent) => {
                tx.agent(agent).await?.ok_or_else(|| {
                    EngineError::invalid("/agent", "unknown", "there is no such agent")
                })?;
            }
            None if *permit.scope() == domain::agent::AgentScope::All => {}
            None => return Err(EngineError::Forbidden),
        }
        let mut names = Names::default();
        if let Some(person) = &new.person {
            tx.person(person).await?.ok_or_else(|| {
                EngineError::invalid("/person", "unknown", "there is no such person")
            })?;
            names.learn_people(&mut tx, [person.clone()]).await?;
        }
        let mut scopes = new.scopes.clone();
        scopes.sort();
        scopes.dedup();
        let key = ApiKey::new(self.entropy());
        let stored = store::NewKey {
            hash: key.hash(),
            hint: key.hint(),
            agent: new.agent.clone(),
            scopes,
            person: new.person.clone(),
            label: new.name.clone().unwrap_or_default(),
            expires_at: new.expires_at,
        };
        let row = tx.create_key(&stored, &stamp).await?;
        tx.commit().await?;
        Ok((key, outward(row, &names)))
    }

    /// The keys of an agent, or all the permit holds for.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn keys(&self, permit: &Permit, agent: Option<&AgentName>) -> Result<Vec<KeyView>> {
        need(permit, &[Permission::Administer])?;
        let mut tx = self.read(permit).await?;
        let rows = tx.keys(agent).await?;
        let mut names = Names::default();
        names
            .learn_people(
                &mut tx,
                rows.iter()
                    .filter_map(|key| key.person.clone())
                    .collect::<Vec<_>>(),
            )
            .await?;
        Ok(rows.into_iter().map(|key| outward(key, &names)).collect())
    }

    /// Revokes a key at once.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn revoke_key(&self, permit: &Permit, id: &KeyId) -> Result<()> {
        need(permit, &[Permission::Administer])?;
        again!(self.revoke_key_once(permit, id).await)
    }

    async fn revoke_key_once(&self, permit: &Permit, id: &KeyId) -> Result<()> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        if !tx.revoke_key(id, &stamp).await? {
            return Err(EngineError::NotFound);
        }
        Ok(tx.commit().await?)
    }

    /// Who a request with this key comes from; `None` where it is unknown, revoked or past its time, or its person is gone. That it was
    /// used is written down where that can be.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn caller(&self, key: &ApiKey) -> Result<Option<Actor>> {
        let now = self.now();
        let mut tx = self.read_all().await?;
        let Some(row) = tx
            .key_by_hash(&key.hash())
            .await?
            .filter(|row| row.usable(now))
        else {
            return Ok(None);
        };
        let (id, last_used_at) = (row.id.clone(), row.last_used_at);
        let actor = actor_of(&mut tx, row).await?;
        drop(tx);
        let is_due = last_used_at.is_none_or(|last| now - last >= Span::minutes(1));
        if actor.is_some()
            && is_due
            && let Err(error) = self.touch_key(&id, now).await
        {
            // A full or read-only disk stops what writes, not what only reads.
            let cause = std::error::Error::source(&error).map(tracing::field::display);
            tracing::warn!(key = %id, %error, cause, "when a key was used could not be written; the call goes on");
        }
        Ok(actor)
    }

    async fn touch_key(&self, id: &KeyId, now: Timestamp) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.touch_key(id, now).await?;
        Ok(tx.commit().await?)
    }

    /// Who acts now through a key that began something earlier; `None` as of [`Engine::caller`]. It is no use of the key.
    ///
    /// # Errors
    /// Only the database's.
    pub(crate) async fn actor_of_key(&self, id: &KeyId) -> Result<Option<Actor>> {
        let mut tx = self.read_all().await?;
        match tx.key(id).await?.filter(|key| key.usable(self.now())) {
            Some(key) => actor_of(&mut tx, key).await,
            None => Ok(None),
        }
    }
}
