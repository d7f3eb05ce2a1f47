//! One-time links to choose a password: for somebody invited, and for somebody who lost theirs (G7).

use std::sync::Arc;

use domain::{
    Entropy, Timestamp,
    id::PersonId,
    permission::{Grant, Permission, Permit},
    time::Span,
};
use secrecy::SecretString;
use sha2::{Digest, Sha256};
use store::{LinkPurpose, Person, PersonLink, Stamp, Tx};

use super::{PersonView, addressed, all_well, change::known_roles, named, row, weak};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
    sign_in::{Entry, account},
};

/// How long an invitation holds.
pub const JOIN_HOLDS: Span = Span::hours(72);

/// How long a link for another password holds.
pub const RESET_HOLDS: Span = Span::hours(24);

/// The token of a one-time link; only its hash is stored.
#[derive(Clone)]
pub struct LinkToken(Arc<str>);

impl LinkToken {
    /// The token, to show it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LinkToken(…)")
    }
}

pub(crate) fn new_token(entropy: &dyn Entropy) -> LinkToken {
    let mut bytes = [0_u8; 32];
    entropy.fill(&mut bytes);
    LinkToken(domain::audit::hex(&bytes).into())
}

pub(super) fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Whom to invite.
#[derive(Debug, Clone)]
pub struct Invitation {
    /// What others see beside what they do.
    pub name: String,
    /// What they will sign in with.
    pub email: String,
    /// What they may do.
    pub grants: Vec<Grant>,
}

/// A person with the link that lets them choose a password.
#[derive(Debug, Clone)]
pub struct Invited {
    /// Who.
    pub person: PersonView,
    /// The token of the link, shown this once.
    pub link: LinkToken,
    /// Until when it holds.
    pub expires_at: Timestamp,
}

/// Whom a link lets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joining {
    /// Their name.
    pub name: String,
    /// What they sign in with.
    pub email: String,
    /// Whether it is their first password.
    pub first: bool,
}

impl Engine {
    /// Makes a person without a password, and the link with which they choose one.
    ///
    /// # Errors
    /// `name_taken` where the address is in use, `invalid`.
    pub async fn invite(&self, permit: &Permit, new: Invitation) -> Result<Invited> {
        need(permit, &[Permission::ManagePeople])?;
        let faults = named(&new.name).into_iter().chain(addressed(&new.email));
        all_well(faults.collect())?;
        again!(self.invite_once(permit, &new).await)
    }

    async fn invite_once(&self, permit: &Permit, new: &Invitation) -> Result<Invited> {
        let stamp = self.stamp(permit);
        let mut tx = self.write_all().await?;
        known_roles(&mut tx, &new.grants).await?;
        let stored = row(&new.name, &new.email, None, new.grants.clone());
        let person = tx.create_person(&stored, &stamp).await?;
        let invited = self.link_for(&mut tx, person, &stamp).await?;
        tx.commit().await?;
        Ok(invited)
    }

    /// A new link for a person, which makes the one before worthless: for their first password where they have none, else for
    /// another. The password they have holds until they use it.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `deactivated`.
    pub async fn password_link(&self, permit: &Permit, id: &PersonId) -> Result<Invited> {
        need(permit, &[Permission::ManagePeople])?;
        again!(self.password_link_once(permit, id).await)
    }

    async fn password_link_once(&self, permit: &Permit, id: &PersonId) -> Result<Invited> {
        let stamp = self.stamp(permit);
        let mut tx = self.write_all().await?;
        // Two at once would leave two links that hold.
        tx.lock_people().await?;
        let person = tx.person(id).await?.ok_or(EngineError::NotFound)?;
        if person.deactivated_at.is_some() {
            return Err(EngineError::Deactivated);
        }
        let invited = self.link_for(&mut tx, person, &stamp).await?;
        tx.commit().await?;
        Ok(invited)
    }

    async fn link_for(&self, tx: &mut Tx, mut person: Person, stamp: &Stamp) -> Result<Invited> {
        let (purpose, holds) = match person.password_hash {
            None => (LinkPurpose::Invite, JOIN_HOLDS),
            Some(_) => (LinkPurpose::Reset, RESET_HOLDS),
        };
        let token = new_token(self.entropy());
        let link = PersonLink {
            person: person.id.clone(),
            purpose,
            expires_at: stamp.now + holds,
        };
        tx.put_person_link(&hash(token.reveal()), &link, stamp)
            .await?;
        person.link_expires_at = Some(link.expires_at);
        Ok(Invited {
            person: person.into(),
            link: token,
            expires_at: link.expires_at,
        })
    }

    /// Whom a link lets in; `None` where it does not hold.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn joining(&self, token: &str) -> Result<Option<Joining>> {
        let mut tx = self.read_all().await?;
        let person = linked(&mut tx, token, self.now()).await?;
        Ok(person.map(|person| Joining {
            name: person.name,
            email: person.email,
            first: person.password_hash.is_none(),
        }))
    }

    /// Chooses a password by a link, which is used up: every session from before ends. Who has no second factor is signed in by it; the
    /// link of somebody else's mail is no way around one.
    ///
    /// # Errors
    /// `link_invalid`, `invalid`.
    pub async fn join(&self, token: &str, password: SecretString) -> Result<Entry> {
        let person = linked(&mut self.read_all().await?, token, self.now()).await?;
        let person = person.ok_or(EngineError::LinkInvalid)?;
        let fault = weak(&password, &person.name, &person.email);
        all_well(fault.into_iter().collect())?;
        let password_hash = self.inner.passwords.hash(password, self.entropy()).await?;
        again!(self.join_once(token, &person, &password_hash).await)
    }

    async fn join_once(&self, token: &str, person: &Person, password_hash: &str) -> Result<Entry> {
        let mut tx = self.write_all().await?;
        tx.lock_person(&person.id).await?;
        let stamp = Stamp::person_alone(&person.id, self.now());
        if !tx.take_person_link(&hash(token), stamp.now).await? {
            return Err(EngineError::LinkInvalid);
        }
        tx.delete_links_of(&person.id).await?;
        tx.delete_sessions_of(&person.id, None).await?;
        tx.clear_failures(&account(&person.email)).await?;
        tx.choose_password(&person.id, password_hash, &stamp)
            .await?;
        let joined = tx.person(&person.id).await?.ok_or(EngineError::NotFound)?;
        let entry = self.entry(&mut tx, &joined, &stamp).await?;
        tx.commit().await?;
        Ok(entry)
    }
}

/// The person of a link that holds.
async fn linked(tx: &mut Tx, token: &str, now: Timestamp) -> Result<Option<Person>> {
    let Some(link) = tx.person_link(&hash(token), now).await? else {
        return Ok(None);
    };
    let person = tx.person(&link.person).await?;
    Ok(person.filter(|person| person.deactivated_at.is_none()))
}
