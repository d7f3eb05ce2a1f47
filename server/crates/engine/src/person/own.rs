//! What people change about themselves: name, language, password, where they are signed in.

use std::net::IpAddr;

use domain::{
    Timestamp,
    id::PersonId,
    permission::{Permission, Permit},
};
use secrecy::SecretString;
use store::Stamp;

use super::{all_well, change::meanwhile, named, weak};
use crate::{
    Engine, again,
    error::{EngineError, FieldError, Result},
    need,
    session::IDLE,
};

/// A sign-in, as its person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionView {
    /// What names it in a form; it opens nothing.
    pub name: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_seen_at: Timestamp,
    /// When it ends at the latest.
    pub expires_at: Timestamp,
    /// Whether it is the one that asks.
    pub this: bool,
}

impl Engine {
    /// Gives a person the name they want and keeps the language they chose, both or neither; without a language it stays as it is.
    ///
    /// # Errors
    /// `invalid`.
    pub async fn change_self(
        &self,
        id: &PersonId,
        name: &str,
        language: Option<&str>,
    ) -> Result<()> {
        all_well(named(name).into_iter().collect())?;
        again!(self.change_self_once(id, name.trim(), language).await)
    }

    async fn change_self_once(
        &self,
        id: &PersonId,
        name: &str,
        language: Option<&str>,
    ) -> Result<()> {
        let stamp = Stamp::person_alone(id, self.now());
        let mut tx = self.write_all().await?;
        let person = tx.person(id).await?.ok_or(EngineError::NotFound)?;
        if person.name != name {
            // Whatever version this page was drawn with: what an administrator changed since stays beside the new name.
            let renamed = tx.change_person(&person, Some(name), None, &stamp).await;
            renamed.map_err(meanwhile)?;
        }
        if language.is_some() {
            tx.set_language(id, language).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Changes a person's password, who names the present one, and gives a code where they have a second factor; every session but the
    /// one with this token ends.
    ///
    /// # Errors
    /// `invalid` at `/present` for a wrong one, at `/password` for one that is not taken; `throttled`. With a second factor
    /// `wrong_credentials`, which does not say whether the password or the code was wrong.
    pub async fn change_password(
        &self,
        id: &PersonId,
        (present, wanted): (SecretString, SecretString),
        code: &str,
        token: &str,
        address: IpAddr,
    ) -> Result<()> {
        let person = self.person(id).await?.ok_or(EngineError::NotFound)?;
        let fault = weak(&wanted, &person.name, &person.email);
        all_well(fault.into_iter().collect())?;
        match self.confirm(id, present, code, address).await {
            Ok(_) => {}
            Err(EngineError::WrongCredentials) if person.second_factor_at.is_none() => {
                let detail = "this is not the present password";
                let fault = FieldError::new("/present", "wrong_password", detail);
                return Err(EngineError::Invalid(vec![fault]));
            }
            Err(error) => return Err(error),
        }
        let hash = self.inner.passwords.hash(wanted, self.entropy()).await?;
        again!(self.change_password_once(id, &hash, token).await)
    }

    async fn change_password_once(&self, id: &PersonId, hash: &str, token: &str) -> Result<()> {
        let stamp = Stamp::person_alone(id, self.now());
        let mut tx = self.write_all().await?;
        // In the order of every other transaction that ends somebody's sessions.
        tx.lock_person(id).await?;
        tx.delete_links_of(id).await?;
        tx.delete_sessions_of(id, Some(token)).await?;
        tx.choose_password(id, hash, &stamp).await?;
        Ok(tx.commit().await?)
    }

    /// Where a person is signed in, newest first. `token` is that of the session that asks.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn sessions(&self, id: &PersonId, token: &str) -> Result<Vec<SessionView>> {
        self.awake(id, &store::session_name(token)).await
    }

    /// Where somebody is signed in, newest first, for who manages people.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`].
    pub async fn sessions_of(&self, permit: &Permit, id: &PersonId) -> Result<Vec<SessionView>> {
        need(permit, &[Permission::ManagePeople])?;
        self.awake(id, "").await
    }

    async fn awake(&self, id: &PersonId, this: &str) -> Result<Vec<SessionView>> {
        let now = self.now();
        let rows = self.read_all().await?.sessions_of(id, now).await?;
        let awake = rows
            .into_iter()
            .filter(|row| now - row.last_seen_at < IDLE)
            .map(|row| SessionView {
                this: row.name == this,
                name: row.name,
                created_at: row.created_at,
                last_seen_at: row.last_seen_at,
                expires_at: row.expires_at,
            });
        Ok(awake.collect())
    }

    /// Ends one of a person's sessions.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] where they have none of this name.
    pub async fn end_session(&self, id: &PersonId, name: &str) -> Result<()> {
        again!(self.end_session_once(id, name).await)
    }

    async fn end_session_once(&self, id: &PersonId, name: &str) -> Result<()> {
        let stamp = Stamp::person_alone(id, self.now());
        let mut tx = self.write_all().await?;
        if !tx.delete_session_of(id, name).await? {
            return Err(EngineError::NotFound);
        }
        tx.signed_out(id, &stamp).await?;
        Ok(tx.commit().await?)
    }

    /// Ends every session of a person but the one with this token; answers whether there was another.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn end_other_sessions(&self, id: &PersonId, token: &str) -> Result<bool> {
        let stamp = Stamp::person_alone(id, self.now());
        again!(self.end_sessions_once(id, Some(token), &stamp).await)
    }

    /// Ends every session of somebody, for who manages people; answers whether there was one.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`]; [`EngineError::NotFound`].
    pub async fn end_sessions_of(&self, permit: &Permit, id: &PersonId) -> Result<bool> {
        need(permit, &[Permission::ManagePeople])?;
        self.person(id).await?.ok_or(EngineError::NotFound)?;
        again!(self.end_sessions_once(id, None, &self.stamp(permit)).await)
    }

    async fn end_sessions_once(
        &self,
        id: &PersonId,
        except: Option<&str>,
        stamp: &Stamp,
    ) -> Result<bool> {
        let mut tx = self.write_all().await?;
        let ended = tx.delete_sessions_of(id, except).await? > 0;
        if ended {
            tx.signed_out(id, stamp).await?;
        }
        tx.commit().await?;
        Ok(ended)
    }
}
