//! The first administrator, by a one-time link that the server prints.

use domain::time::Span;
use store::Stamp;

use super::{
    LinkToken, NewPerson, PersonView, administrator,
    link::{hash, new_token},
    row,
};
use crate::{
    Engine,
    error::{EngineError, Result},
};

/// How long the setup link holds.
pub const LINK_HOLDS: Span = Span::hours(1);

impl Engine {
    /// Whether nobody can sign in yet.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn setup_open(&self) -> Result<bool> {
        Ok(self.read_all().await?.people_count().await? == 0)
    }

    /// A new token for the setup link, which makes the ones before worthless; `None` where Keepsake is set up.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn setup_link(&self) -> Result<Option<LinkToken>> {
        let token = new_token(self.entropy());
        let mut tx = self.write_all().await?;
        if tx.people_count().await? > 0 {
            return Ok(None);
        }
        tx.put_setup_token(&hash(token.reveal()), self.now() + LINK_HOLDS)
            .await?;
        tx.commit().await?;
        Ok(Some(token))
    }

    /// Whether a setup link would still be taken.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn setup_link_valid(&self, token: &str) -> Result<bool> {
        let mut tx = self.read_all().await?;
        Ok(tx.people_count().await? == 0 && tx.setup_token_valid(&hash(token), self.now()).await?)
    }

    /// Makes the first administrator; the link is used up.
    ///
    /// # Errors
    /// `link_invalid`, `setup_over`, `invalid`.
    pub async fn set_up(&self, token: &str, new: NewPerson) -> Result<PersonView> {
        if !self.setup_open().await? {
            return Err(EngineError::SetupOver);
        }
        if !self.setup_link_valid(token).await? {
            return Err(EngineError::LinkInvalid);
        }
        new.check()?;
        let password_hash = self
            .inner
            .passwords
            .hash(new.password.clone(), self.entropy())
            .await?;
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        if tx.people_count().await? > 0 {
            return Err(EngineError::SetupOver);
        }
        if !tx.take_setup_token(&hash(token), stamp.now).await? {
            return Err(EngineError::LinkInvalid);
        }
        let stored = row(&new.name, &new.email, Some(password_hash), administrator());
        let person = tx.create_person(&stored, &stamp).await?;
        // Whoever opened the link is let in with it.
        tx.signed_in(&person.id, None, &stamp).await?;
        tx.commit().await?;
        Ok(person.into())
    }
}
