//! Sign-ins kept in the database, and what a page has to say after a redirect. The store keeps only hashes of the tokens and seals
//! what a flash holds with a key made from its token.

use domain::{Timestamp, id::PersonId, time::Span};
use store::SessionRow;

use crate::{Engine, again, error::Result};

/// A sign-in that nobody used for so long is over.
pub const IDLE: Span = Span::minutes(30);
/// How long a page's message after a redirect is kept.
pub const FLASH_LIVES: Span = Span::minutes(10);

impl Engine {
    /// Keeps a session's data, and who signed in with it, and when. That was with the password alone where their second factor is newer:
    /// such a session is not kept, so that one which was under way when the factor was switched on opens nothing.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn save_session(
        &self,
        token: &str,
        signed_in: Option<(&PersonId, Timestamp)>,
        data: &[u8],
        expires_at: Timestamp,
    ) -> Result<()> {
        again!(
            self.save_session_once(token, signed_in, data, expires_at)
                .await
        )
    }

    async fn save_session_once(
        &self,
        token: &str,
        signed_in: Option<(&PersonId, Timestamp)>,
        data: &[u8],
        expires_at: Timestamp,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        if let Some((id, at)) = signed_in {
            tx.lock_person(id).await?;
            let person = tx.person(id).await?;
            let since = person.and_then(|person| person.second_factor_at);
            if since.is_some_and(|since| at < since) {
                return Ok(());
            }
        }
        let person = signed_in.map(|(id, _)| id);
        tx.save_session(token, person, data, expires_at, self.now())
            .await?;
        Ok(tx.commit().await?)
    }

    /// A session that is neither past its time nor idle for too long; using it keeps it awake, where that can be written down.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn session(&self, token: &str) -> Result<Option<SessionRow>> {
        let now = self.now();
        let found = self.read_all().await?.load_session(token, now).await?;
        let Some(session) = found.filter(|session| now - session.last_seen_at < IDLE) else {
            return Ok(None);
        };
        if now - session.last_seen_at >= Span::minutes(1)
            && let Err(error) = self.touch_session(token, now).await
        {
            // A full or read-only disk stops what writes, not what only reads.
            let cause = std::error::Error::source(&error).map(tracing::field::display);
            tracing::warn!(%error, cause, "that a sign-in was used could not be written; the call goes on");
        }
        Ok(Some(session))
    }

    async fn touch_session(&self, token: &str, now: Timestamp) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.touch_session(token, now).await?;
        Ok(tx.commit().await?)
    }

    /// Ends a session.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn delete_session(&self, token: &str) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.delete_session(token).await?;
        Ok(tx.commit().await?)
    }

    /// What a browser keeps of who signed in with it last. It opens nothing.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn mark(&self, person: &PersonId) -> Result<String> {
        let proof = self.read_all().await?.browser_mark(person);
        Ok(format!("{person}.{}", domain::audit::hex(&proof)))
    }

    /// Whom the mark of a browser names; `None` where it is none of ours, or the person is gone or shut out.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn marked(&self, mark: &str) -> Result<Option<PersonId>> {
        let named = mark
            .split_once('.')
            .map(|(person, _)| PersonId::parse(person));
        let Some(Ok(person)) = named else {
            return Ok(None);
        };
        let known = self.mark(&person).await? == mark && self.actor(&person).await?.is_some();
        Ok(known.then_some(person))
    }

    /// Keeps a page's message for ten minutes; the answer is the token that reads it.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn put_flash(&self, data: &[u8]) -> Result<String> {
        let mut bytes = [0_u8; 16];
        self.entropy().fill(&mut bytes);
        let token = domain::audit::hex(&bytes);
        let mut tx = self.write_all().await?;
        tx.put_flash(&token, data, self.now() + FLASH_LIVES).await?;
        tx.commit().await?;
        Ok(token)
    }

    /// Reads a page's message and removes it.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn take_flash(&self, token: &str) -> Result<Option<Vec<u8>>> {
        let mut tx = self.write_all().await?;
        let data = tx.take_flash(token, self.now()).await?;
        tx.commit().await?;
        Ok(data)
    }
}
