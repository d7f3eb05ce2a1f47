//! A transaction: the agents its caller may see, the keys it has unwrapped, and the events it will write.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use domain::{
    Entropy,
    agent::{AgentName, AgentScope},
    id::UserId,
};
use sqlx::{Postgres, Sqlite, Transaction};

use crate::{
    Db, Error, Result,
    db::Vault,
    dialect::Dialect,
    events::Pending,
    key_store::{self, KeyStore, TableKeys},
    seal::SecretKey,
    statement::sql,
};

/// The connection of a transaction.
pub(crate) enum Conn {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Conn {
    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    pub(crate) async fn commit(self) -> Result<()> {
        match self {
            Self::Sqlite(tx) => tx.commit().await?,
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }
}

/// A transaction. Dropped without [`Tx::commit`] it changes nothing.
pub struct Tx {
    pub(crate) conn: Conn,
    pub(crate) vault: Arc<Vault>,
    pub(crate) events: Vec<Pending>,
    db: Db,
    scope: AgentScope,
    writes: bool,
    keys: HashMap<UserId, Arc<SecretKey>>,
    locked: HashSet<UserId>,
    wakes: bool,
}

impl Tx {
    pub(crate) fn new(
        db: Db,
        conn: Conn,
        scope: AgentScope,
        vault: Arc<Vault>,
        writes: bool,
    ) -> Self {
        Self {
            conn,
            vault,
            events: Vec::new(),
            db,
            scope,
            writes,
            keys: HashMap::new(),
            locked: HashSet::new(),
            wakes: false,
        }
    }

    /// Writes the events and makes everything lasting; then wakes workers where a job was enqueued, and tells desks what concerns them.
    ///
    /// # Errors
    /// What the database answers; then nothing was changed.
    pub async fn commit(mut self) -> Result<()> {
        let concerns_desks = self.events.iter().any(Pending::concerns_desks);
        self.write_events().await?;
        self.conn.commit().await?;
        if concerns_desks {
            self.db.tell_desks();
        }
        if self.wakes {
            self.db.wake().await;
        }
        Ok(())
    }

    /// The agents this transaction may touch.
    pub fn scope(&self) -> &AgentScope {
        &self.scope
    }

    /// Goes on under another scope; answers the one before. Only for what concerns agents beyond the caller's own, as an opt-out does.
    pub(crate) fn under(&mut self, scope: AgentScope) -> AgentScope {
        std::mem::replace(&mut self.scope, scope)
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.conn.dialect()
    }

    pub(crate) fn entropy(&self) -> &dyn Entropy {
        self.db.entropy()
    }

    pub(crate) fn wake_at_commit(&mut self) {
        self.wakes = true;
    }

    /// Refuses an agent outside the scope.
    pub(crate) fn inside(&self, agent: &AgentName) -> Result<()> {
        if self.scope.contains(agent) {
            Ok(())
        } else {
            Err(Error::OutOfScope)
        }
    }

    /// Makes every other writer about this user wait until the end of this transaction. Done by each method that writes about a
    /// user; call it first where something is read and then decided. In a transaction that reads it does nothing.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn lock_user(&mut self, agent: &AgentName, user: &UserId) -> Result<()> {
        const SQL: &str = "
            select id
            from users
            where agent = $1 and id = $2";
        self.inside(agent)?;
        if !self.writes || !self.locked.insert(user.clone()) || self.dialect() == Dialect::Sqlite {
            return Ok(());
        }
        let lock = self.dialect().for_update();
        let _row: Option<(String,)> = sql(SQL)
            .bind(agent)
            .bind(user)
            .push(lock)
            .optional(&mut self.conn)
            .await?;
        Ok(())
    }

    /// The key of a user.
    pub(crate) async fn user_key(
        &mut self,
        agent: &AgentName,
        user: &UserId,
    ) -> Result<Arc<SecretKey>> {
        if !self.keys.contains_key(user) {
            self.load_keys(agent, std::slice::from_ref(user)).await?;
        }
        self.keys.get(user).cloned().ok_or(Error::Erased)
    }

    /// Loads the keys of several users of an agent in one query.
    pub(crate) async fn load_keys(&mut self, agent: &AgentName, users: &[UserId]) -> Result<()> {
        let missing: Vec<UserId> = users
            .iter()
            .filter(|user| !self.keys.contains_key(*user))
            .cloned()
            .collect::<HashSet<_>>()
            .into_iter()
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        for (user, wrapped) in TableKeys.get(&mut self.conn, agent, &missing).await? {
            let key = self
                .vault
                .master
                .unwrap(key_store::place(agent, &user), &wrapped)?;
            self.keys.insert(user, Arc::new(key));
        }
        Ok(())
    }

    /// Whether the key of a user was loaded; after it was looked for, one without a key was erased.
    pub(crate) fn has_key(&self, user: &str) -> bool {
        UserId::parse(user).is_ok_and(|user| self.keys.contains_key(&user))
    }

    /// Forgets the unwrapped keys where they are many, so that reading everybody's rows takes no more memory than reading some.
    pub(crate) fn forget_keys_above(&mut self, most: usize) {
        if self.keys.len() > most {
            self.keys.clear();
        }
    }

    /// The same for rows of several agents.
    pub(crate) async fn load_keys_of<'a>(
        &mut self,
        users: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<()> {
        let mut by_agent: HashMap<&str, Vec<UserId>> = HashMap::new();
        for (agent, user) in users {
            by_agent
                .entry(agent)
                .or_default()
                .push(crate::column::parsed(user)?);
        }
        for (agent, users) in by_agent {
            self.load_keys(&crate::column::parsed(agent)?, &users)
                .await?;
        }
        Ok(())
    }

    /// Makes and keeps the key of a new user.
    pub(crate) async fn make_user_key(
        &mut self,
        agent: &AgentName,
        user: &UserId,
    ) -> Result<Arc<SecretKey>> {
        let (wrapped, key) = key_store::new_key(
            &self.vault.master,
            key_store::place(agent, user),
            self.db.entropy(),
        );
        TableKeys.put(&mut self.conn, agent, user, wrapped).await?;
        let key = Arc::new(key);
        self.keys.insert(user.clone(), key.clone());
        Ok(key)
    }

    /// Destroys the key of a user.
    pub(crate) async fn destroy_user_key(
        &mut self,
        agent: &AgentName,
        user: &UserId,
    ) -> Result<()> {
        self.keys.remove(user);
        TableKeys.destroy(&mut self.conn, agent, user).await
    }

    /// 32 unpredictable bytes, as the salt of a commitment.
    pub(crate) fn salt(&self) -> [u8; 32] {
        let mut salt = [0; 32];
        self.entropy().fill(&mut salt);
        salt
    }
}
