//! API keys: only their hashes are kept.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    id::{KeyId, PersonId},
    key::KeyScope,
    time::Span,
};
use serde_json::json;

use crate::{
    Result, Stamp, Tx,
    column::{at, at_opt, parsed, parsed_opt},
    events::Telling,
    statement::sql,
};

/// A key on its way in.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// SHA-256 of the key.
    pub hash: [u8; 32],
    /// What a list shows of it.
    pub hint: String,
    /// The one agent it names; `None`: all, which only a person's key may.
    pub agent: Option<AgentName>,
    /// What it may be used for.
    pub scopes: Vec<KeyScope>,
    /// Whose it is.
    pub person: Option<PersonId>,
    /// What its maker calls it.
    pub label: String,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
}

/// A key that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Ours.
    pub id: KeyId,
    /// What a list shows of it.
    pub hint: String,
    /// The one agent it names; `None`: all.
    pub agent: Option<AgentName>,
    /// What it may be used for.
    pub scopes: Vec<KeyScope>,
    /// Whose it is.
    pub person: Option<PersonId>,
    /// What its maker calls it.
    pub label: String,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Key {
    /// Whether it opens anything at `now`.
    pub fn usable(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// What stands in the column `agent` of a key for all agents.
const ALL: &str = "*";

#[derive(sqlx::FromRow)]
struct KeyRow {
    id: String,
    hint: String,
    agent: String,
    scopes: String,
    person_id: Option<String>,
    label: String,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    last_used_at: Option<i64>,
    created_at: i64,
}

impl KeyRow {
    fn key(self) -> Result<Key> {
        Ok(Key {
            id: parsed(&self.id)?,
            hint: self.hint,
            agent: if self.agent == ALL {
                None
            } else {
                Some(parsed(&self.agent)?)
            },
            scopes: self
                .scopes
                .split_whitespace()
                .map(parsed)
                .collect::<Result<_>>()?,
            person: parsed_opt(self.person_id.as_deref())?,
            label: self.label,
            expires_at: at_opt(self.expires_at)?,
            revoked_at: at_opt(self.revoked_at)?,
            last_used_at: at_opt(self.last_used_at)?,
            created_at: at(self.created_at)?,
        })
    }
}

const KEYS: &str = "
    select id, hint, agent, scopes, person_id, label, expires_at, revoked_at, last_used_at, created_at
    from keys
    where true";

impl Tx {
    /// Makes a key.
    ///
    /// # Errors
    /// [`crate::Error::Exists`] where the hash is there already; [`crate::Error::OutOfScope`].
    pub async fn create_key(&mut self, new: &NewKey, stamp: &Stamp) -> Result<Key> {
        const SQL: &str = "
            insert into keys (id, hash, hint, agent, scopes, person_id, label, expires_at, created_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        if let Some(agent) = &new.agent {
            self.inside(agent)?;
        }
        let id = KeyId::new(stamp.now, self.entropy());
        let scopes: Vec<&str> = new.scopes.iter().map(|scope| scope.as_str()).collect();
        sql(SQL)
            .bind(&id)
            .bind(new.hash.as_slice())
            .bind(new.hint.as_str())
            .bind(new.agent.as_ref().map_or(ALL, AgentName::as_str))
            .bind(scopes.join(" "))
            .bind(new.person.as_ref())
            .bind(new.label.as_str())
            .bind(new.expires_at)
            .bind(stamp.now)
            .run(&mut self.conn)
            .await
            .map_err(crate::Error::taken)?;
        self.tell(
            new.agent.as_ref(),
            stamp,
            Telling {
                r#type: EventType::KeyCreated,
                user: None,
                subject: id.as_str(),
                data: json!({ "scopes": scopes, "person": new.person }),
                commitment: None,
            },
        );
        Ok(Key {
            id,
            hint: new.hint.clone(),
            agent: new.agent.clone(),
            scopes: new.scopes.clone(),
            person: new.person.clone(),
            label: new.label.clone(),
            expires_at: new.expires_at,
            revoked_at: None,
            last_used_at: None,
            created_at: stamp.now,
        })
    }

    /// The key with this hash, usable or not; the scope is not looked at, because it is what the key will tell.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn key_by_hash(&mut self, hash: &[u8; 32]) -> Result<Option<Key>> {
        let row: Option<KeyRow> = sql(KEYS)
            .clause(" and hash = ?", hash.as_slice())
            .optional(&mut self.conn)
            .await?;
        row.map(KeyRow::key).transpose()
    }

    /// A key by its own id, usable or not; the scope is not looked at, as in [`Tx::key_by_hash`].
    ///
    /// # Errors
    /// What the database answers.
    pub async fn key(&mut self, id: &KeyId) -> Result<Option<Key>> {
        let row: Option<KeyRow> = sql(KEYS)
            .clause(" and id = ?", id)
            .optional(&mut self.conn)
            .await?;
        row.map(KeyRow::key).transpose()
    }

    /// What their makers call some keys, usable or not; one without a name is left out. The scope is not looked at: a name is told
    /// beside what a key did.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn key_labels(&mut self, ids: &[KeyId]) -> Result<BTreeMap<KeyId, String>> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let rows: Vec<KeyRow> = sql(KEYS)
            .clause_in(" and id in (", ids)
            .push(" and label <> ''")
            .all(&mut self.conn)
            .await?;
        let labels = rows
            .into_iter()
            .map(|row| Ok((parsed(&row.id)?, row.label)));
        labels.collect()
    }

    /// The keys of an agent, or with `None` all of them, newest first.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn keys(&mut self, agent: Option<&AgentName>) -> Result<Vec<Key>> {
        let rows: Vec<KeyRow> = sql(KEYS)
            .clause_if(" and agent = ?", agent)
            .push(" order by id desc")
            .all(&mut self.conn)
            .await?;
        let keys = rows
            .into_iter()
            .map(KeyRow::key)
            .collect::<Result<Vec<_>>>()?;
        let everything = *self.scope() == domain::agent::AgentScope::All;
        Ok(keys
            .into_iter()
            .filter(|key| {
                key.agent
                    .as_ref()
                    .map_or(everything, |agent| self.scope().contains(agent))
            })
            .collect())
    }

    /// Revokes a key; answers whether there was one to revoke.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn revoke_key(&mut self, id: &KeyId, stamp: &Stamp) -> Result<bool> {
        const SQL: &str = "
            update keys
            set revoked_at = $1
            where id = $2 and revoked_at is null
            returning agent";
        let row: Option<(String,)> = sql(SQL)
            .bind(stamp.now)
            .bind(id)
            .optional(&mut self.conn)
            .await?;
        let Some((agent,)) = row else {
            return Ok(false);
        };
        let agent: Option<AgentName> = if agent == ALL {
            None
        } else {
            Some(parsed(&agent)?)
        };
        match &agent {
            Some(agent) => self.inside(agent)?,
            None if *self.scope() == domain::agent::AgentScope::All => {}
            None => return Err(crate::Error::OutOfScope),
        }
        let telling = Telling {
            r#type: EventType::KeyRevoked,
            user: None,
            subject: id.as_str(),
            data: json!({}),
            commitment: None,
        };
        self.tell(agent.as_ref(), stamp, telling);
        Ok(true)
    }

    /// Notes that a key was used; written at most once a minute.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn touch_key(&mut self, id: &KeyId, now: Timestamp) -> Result<()> {
        const SQL: &str = "
            update keys
            set last_used_at = $1
            where id = $2 and (last_used_at is null or last_used_at < $3)";
        sql(SQL)
            .bind(now)
            .bind(id)
            .bind(now - Span::minutes(1))
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}
