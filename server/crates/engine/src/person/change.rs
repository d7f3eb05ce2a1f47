//! What an administrator changes about a person: name, roles, whether they may come in (G7).

use domain::{
    id::PersonId,
    permission::{Grant, Permission, Permit},
    text::LANGUAGES,
};
use store::Tx;

use super::{PersonView, all_well, named};
use crate::{
    Engine, again,
    error::{Current, EngineError, FieldError, Result},
    need,
    review::Version,
};

/// The most roles of a person.
const MOST_ROLES: usize = 50;

/// What is changed; what is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonPatch {
    /// Their name.
    pub name: Option<String>,
    /// All their roles.
    pub grants: Option<Vec<Grant>>,
    /// Whether they may come in. Shutting somebody out ends their sessions, keys and claims.
    pub active: Option<bool>,
}

impl Engine {
    /// Changes a person.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `stale`; `last_admin` where nobody would be left who can administer everything; `invalid`.
    pub async fn change_person(
        &self,
        permit: &Permit,
        id: &PersonId,
        version: Option<Version>,
        patch: PersonPatch,
    ) -> Result<PersonView> {
        need(permit, &[Permission::ManagePeople])?;
        let fault = patch.name.as_deref().and_then(named);
        all_well(fault.into_iter().collect())?;
        again!(self.change_person_once(permit, id, version, &patch).await)
    }

    async fn change_person_once(
        &self,
        permit: &Permit,
        id: &PersonId,
        version: Option<Version>,
        patch: &PersonPatch,
    ) -> Result<PersonView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write_all().await?;
        tx.lock_people().await?;
        let before = tx.person(id).await?.ok_or(EngineError::NotFound)?;
        if !version.unwrap_or(Version::Any).fits(before.version) {
            return Err(EngineError::Stale {
                current: Current::Person(Box::new(before.into())),
            });
        }
        let administered = tx.administrators().await? > 0;
        let name = patch.name.as_deref().map(str::trim);
        let name = name.filter(|name| *name != before.name);
        let grants = patch.grants.as_deref();
        let grants = grants.filter(|grants| *grants != before.grants.as_slice());
        if let Some(grants) = grants {
            known_roles(&mut tx, grants).await?;
        }
        let mut seen = before.version;
        if name.is_some() || grants.is_some() {
            let changed = tx.change_person(&before, name, grants, &stamp).await;
            seen = changed.map_err(meanwhile)?;
        }
        let access = match (patch.active, before.deactivated_at) {
            (Some(false), None) => tx.deactivate_person(id, seen, &stamp).await.map(drop),
            (Some(true), Some(_)) => tx.reactivate_person(id, seen, &stamp).await,
            _ => Ok(()),
        };
        access.map_err(meanwhile)?;
        if administered && tx.administrators().await? == 0 {
            return Err(EngineError::LastAdmin);
        }
        let after = tx.person(id).await?.ok_or(EngineError::NotFound)?;
        tx.commit().await?;
        Ok(after.into())
    }
}

/// Somebody else changed the person between the reading and the writing: look again.
pub(super) fn meanwhile(error: store::Error) -> EngineError {
    match error {
        store::Error::Stale => EngineError::Busy,
        error => error.into(),
    }
}

/// Refuses roles that nobody can have.
pub(super) async fn known_roles(tx: &mut Tx, grants: &[Grant]) -> Result<()> {
    let mut faults = Vec::new();
    if grants.is_empty() || grants.len() > MOST_ROLES {
        faults.push(FieldError::new(
            "/roles",
            "required",
            "a person has 1 to 50 roles; to take them all away, deactivate the person",
        ));
    }
    for (at, grant) in grants.iter().enumerate() {
        let place = |field: &str| format!("/roles/{at}{field}");
        let again = grants[..at]
            .iter()
            .any(|other| (&other.agent, other.role) == (&grant.agent, grant.role));
        if again {
            let detail = "this role is in the list already; name all its languages once";
            faults.push(FieldError::new(place(""), "twice", detail));
        }
        if let Some(agent) = &grant.agent
            && tx.agent(agent).await?.is_none()
        {
            faults.push(FieldError::new(
                place("/agent"),
                "unknown",
                "there is no such agent",
            ));
        }
        if !grant
            .languages
            .iter()
            .all(|tag| LANGUAGES.contains(&tag.as_str()))
        {
            let detail = format!("languages are of {}", LANGUAGES.join(", "));
            faults.push(FieldError::new(place("/languages"), "unknown", detail));
        }
    }
    all_well(faults)
}
