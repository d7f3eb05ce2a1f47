//! People who sign in: the first administrator by a one-time link, others by an invitation of an administrator.

mod administrators;
mod change;
mod link;
mod own;
mod setup;
mod view;

pub(crate) use self::link::new_token;
pub use self::{
    change::PersonPatch,
    link::{Invitation, Invited, JOIN_HOLDS, Joining, LinkToken, RESET_HOLDS},
    own::SessionView,
    setup::LINK_HOLDS,
    view::{PersonState, PersonView, RoleView},
};

use domain::{
    id::PersonId,
    permission::{Actor, Grant, Permission, Permit, RoleName},
};
use secrecy::SecretString;

use crate::{
    Engine, again,
    error::{EngineError, FieldError, Result},
    need, password,
};

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

impl NewPerson {
    /// Checks name, address and password, all at once.
    fn check(&self) -> Result<()> {
        let faults = named(&self.name)
            .into_iter()
            .chain(addressed(&self.email))
            .chain(weak(&self.password, &self.name, &self.email));
        all_well(faults.collect())
    }
}

fn all_well(faults: Vec<FieldError>) -> Result<()> {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(EngineError::Invalid(faults))
    }
}

/// What is wrong with a name.
fn named(name: &str) -> Option<FieldError> {
    let name = name.trim();
    let fits =
        !name.is_empty() && name.chars().count() <= 100 && !name.chars().any(char::is_control);
    (!fits).then(|| FieldError::new("/name", "length", "a name has 1 to 100 characters"))
}

/// What is wrong with an address.
fn addressed(email: &str) -> Option<FieldError> {
    let email = email.trim();
    let halves = email.rsplit_once('@');
    let fits = halves.is_some_and(|(local, host)| !local.is_empty() && !host.is_empty())
        && email.chars().count() <= 254
        && !email.chars().any(|c| c.is_control() || c.is_whitespace());
    (!fits).then(|| {
        FieldError::new(
            "/email",
            "shape",
            "an e-mail address looks like name@example.com",
        )
    })
}

/// What is wrong with a password of somebody with this name and address.
fn weak(password: &SecretString, name: &str, email: &str) -> Option<FieldError> {
    let email = email.trim();
    let local = email.rsplit_once('@').map_or("", |(local, _)| local);
    password::weakness(password, &[email, local, name.trim()])
}

impl Engine {
    /// Makes a person who can sign in at once.
    ///
    /// # Errors
    /// `name_taken` where the address is in use, `invalid`.
    pub async fn create_person(
        &self,
        permit: &Permit,
        new: NewPerson,
        grants: Vec<Grant>,
    ) -> Result<PersonView> {
        need(permit, &[Permission::ManagePeople])?;
        new.check()?;
        let password_hash = self
            .inner
            .passwords
            .hash(new.password.clone(), self.entropy())
            .await?;
        let stored = row(&new.name, &new.email, Some(password_hash), grants);
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

    /// Everybody, in the order they came.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn people(&self, permit: &Permit) -> Result<Vec<PersonView>> {
        need(permit, &[Permission::ManagePeople])?;
        let people = self.read_all().await?.people().await?;
        Ok(people.into_iter().map(PersonView::from).collect())
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
        need(permit, &[Permission::ManagePeople])?;
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
    vec![Grant::everywhere(RoleName::Admin)]
}

fn row(
    name: &str,
    email: &str,
    password_hash: Option<String>,
    grants: Vec<Grant>,
) -> store::NewPerson {
    store::NewPerson {
        email: email.trim().to_owned(),
        name: name.trim().to_owned(),
        password_hash,
        grants,
    }
}
