//! People who sign in: the first administrator by a one-time link, others by an administrator.

use std::sync::Arc;

use domain::{
    Timestamp,
    id::PersonId,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
};
use secrecy::SecretString;
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::{Person, Stamp};

use crate::{
    Engine, again,
    error::{EngineError, FieldError, Result},
    need, password,
};

/// How long the setup link holds.
pub const LINK_HOLDS: Span = Span::hours(1);

/// A one-time token that makes the first administrator; only its hash is stored.
#[derive(Clone)]
pub struct SetupToken(Arc<str>);

impl SetupToken {
    /// The token, to print it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SetupToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SetupToken(…)")
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// A person to be made.
#[derive(Debug, Clone)]
pub struct NewPerson {
    /// What others see beside what they do.
    pub name: String,
    /// What they sign in with.
    pub email: String,
    /// Their password.
    pub password: SecretString,
}

/// A person, outward.
#[derive(Debug, Clone, Serialize)]
pub struct PersonView {
    /// Ours.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// Their e-mail address.
    pub email: String,
    /// When they were made.
    pub created_at: Timestamp,
    /// What they may do.
    #[serde(skip)]
    pub grants: Vec<Grant>,
    /// The language they chose.
    #[serde(skip)]
    pub language: Option<String>,
}

impl From<Person> for PersonView {
    fn from(person: Person) -> Self {
        let Person {
            id,
            name,
            email,
            created_at,
            grants,
            language,
            ..
        } = person;
        Self {
            id,
            name,
            email,
            created_at,
            grants,
            language,
        }
    }
}

impl NewPerson {
    /// Checks name, address and password, all at once.
    fn check(&self) -> Result<()> {
        let mut wrong = Vec::new();
        let name = self.name.trim();
        if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            wrong.push(FieldError::new(
                "/name",
                "length",
                "a name has 1 to 100 characters",
            ));
        }
        let email = self.email.trim();
        let halves = email.rsplit_once('@');
        let fits = halves.is_some_and(|(local, host)| !local.is_empty() && !host.is_empty())
            && email.chars().count() <= 254
            && !email.chars().any(|c| c.is_control() || c.is_whitespace());
        if !fits {
            wrong.push(FieldError::new(
                "/email",
                "shape",
                "an e-mail address looks like name@example.com",
            ));
        }
        let local = halves.map_or("", |(local, _)| local);
        wrong.extend(password::weakness(&self.password, &[email, local, name]));
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(EngineError::Invalid(wrong))
        }
    }
}

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
    pub async fn setup_link(&self) -> Result<Option<SetupToken>> {
        let mut bytes = [0_u8; 32];
        self.entropy().fill(&mut bytes);
        let token = domain::audit::hex(&bytes);
        let mut tx = self.write_all().await?;
        if tx.people_count().await? > 0 {
            return Ok(None);
        }
        tx.put_setup_token(&hash(&token), self.now() + LINK_HOLDS)
            .await?;
        tx.commit().await?;
        Ok(Some(SetupToken(token.into())))
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
        let person = tx
            .create_person(&row(&new, password_hash, administrator()), &stamp)
            .await?;
        tx.commit().await?;
        Ok(person.into())
    }

    /// Makes a person.
    ///
    /// # Errors
    /// `name_taken` where the address is in use, `invalid`.
    pub async fn create_person(
        &self,
        permit: &Permit,
        new: NewPerson,
        grants: Vec<Grant>,
    ) -> Result<PersonView> {
        need(permit, &[Permission::Administer])?;
        // Who is limited to agents cannot hand out more than that.
        if *permit.scope() != domain::agent::AgentScope::All {
            return Err(EngineError::Forbidden);
        }
        new.check()?;
        let password_hash = self
            .inner
            .passwords
            .hash(new.password.clone(), self.entropy())
            .await?;
        let stored = row(&new, password_hash, grants);
        again!(self.create_person_once(permit, &stored).await)
    }

    async fn create_person_once(
        &self,
        permit: &Permit,
        new: &store::NewPerson,
    ) -> Result<PersonView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write_all().await?;
        let person = tx.create_person(new, &stamp).await?;
        tx.commit().await?;
        Ok(person.into())
    }

    /// The person with an e-mail address.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn person_by_email(
        &self,
        permit: &Permit,
        email: &str,
    ) -> Result<Option<PersonView>> {
        need(permit, &[Permission::Administer])?;
        Ok(self
            .read_all()
            .await?
            .person_by_email(email)
            .await?
            .map(PersonView::from))
    }

    /// Who a signed-in session stands for; `None` where the person is gone or deactivated.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn actor(&self, id: &PersonId) -> Result<Option<Actor>> {
        let person = self
            .read_all()
            .await?
            .person(id)
            .await?
            .filter(|person| person.deactivated_at.is_none());
        Ok(person.map(|person| Actor::Person {
            id: person.id,
            name: person.name,
            grants: person.grants,
        }))
    }

    /// The person of a session.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn person(&self, id: &PersonId) -> Result<Option<PersonView>> {
        Ok(self
            .read_all()
            .await?
            .person(id)
            .await?
            .map(PersonView::from))
    }

    /// Keeps the language a person chose.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn set_language(&self, id: &PersonId, language: Option<&str>) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.set_language(id, language).await?;
        Ok(tx.commit().await?)
    }
}

/// What the first administrator, and one made by the command line, may do.
pub fn administrator() -> Vec<Grant> {
    vec![Grant {
        agent: None,
        role: RoleName::Admin,
    }]
}

fn row(new: &NewPerson, password_hash: String, grants: Vec<Grant>) -> store::NewPerson {
    store::NewPerson {
        email: new.email.trim().to_owned(),
        name: new.name.trim().to_owned(),
        password_hash: Some(password_hash),
        grants,
    }
}
