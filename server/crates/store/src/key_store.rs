//! Where the keys of people are kept: apart from what they seal, so that destroying a key erases its person.

use domain::{Entropy, agent::AgentName, id::UserId};

use crate::{
    Result,
    seal::{MasterKey, Place, SecretKey},
    statement::sql,
    tx::Conn,
};

/// Keeps wrapped keys. The table is one; a key management service would be another.
pub(crate) trait KeyStore: Send + Sync {
    /// Keeps the wrapped key of a new user.
    fn put(
        &self,
        conn: &mut Conn,
        agent: &AgentName,
        user: &UserId,
        wrapped: Vec<u8>,
    ) -> impl Future<Output = Result<()>> + Send;

    /// The wrapped keys of some users of an agent; an erased one is missing.
    fn get(
        &self,
        conn: &mut Conn,
        agent: &AgentName,
        users: &[UserId],
    ) -> impl Future<Output = Result<Vec<(UserId, Vec<u8>)>>> + Send;

    /// Destroys the wrapped key of a user, and with it everything that was sealed under it.
    fn destroy(
        &self,
        conn: &mut Conn,
        agent: &AgentName,
        user: &UserId,
    ) -> impl Future<Output = Result<()>> + Send;
}

/// Keys in the table `user_keys`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableKeys;

impl KeyStore for TableKeys {
    async fn put(
        &self,
        conn: &mut Conn,
        agent: &AgentName,
        user: &UserId,
        wrapped: Vec<u8>,
    ) -> Result<()> {
        const SQL: &str = "
            insert into user_keys (agent, user_id, wrapped)
            values ($1, $2, $3)";
        sql(SQL)
            .bind(agent)
            .bind(user)
            .bind(wrapped)
            .run(conn)
            .await
            .map(drop)
    }

    async fn get(
        &self,
        conn: &mut Conn,
        agent: &AgentName,
        users: &[UserId],
    ) -> Result<Vec<(UserId, Vec<u8>)>> {
        const SQL: &str = "
            select user_id, wrapped
            from user_keys
            where agent = $1";
        let rows: Vec<(String, Vec<u8>)> = sql(SQL)
            .bind(agent)
            .clause_in(" and user_id in (", users)
            .all(conn)
            .await?;
        rows.into_iter()
            .map(|(user, wrapped)| Ok((crate::column::parsed(&user)?, wrapped)))
            .collect()
    }

    async fn destroy(&self, conn: &mut Conn, agent: &AgentName, user: &UserId) -> Result<()> {
        const SQL: &str = "
            delete from user_keys
            where agent = $1 and user_id = $2";
        sql(SQL).bind(agent).bind(user).run(conn).await.map(drop)
    }
}

/// The place of a user's wrapped key.
pub(crate) fn place<'a>(agent: &'a AgentName, user: &'a UserId) -> Place<'a> {
    Place::new("user_keys.wrapped", agent.as_str(), user.as_str())
}

/// A new secret, wrapped for `place`, with the key made of it.
pub(crate) fn new_key(
    master: &MasterKey,
    place: Place<'_>,
    entropy: &dyn Entropy,
) -> (Vec<u8>, SecretKey) {
    let mut secret = zeroize::Zeroizing::new([0; 32]);
    entropy.fill(&mut *secret);
    (
        master.wrap(place, &secret, entropy),
        SecretKey::derive(&secret),
    )
}
