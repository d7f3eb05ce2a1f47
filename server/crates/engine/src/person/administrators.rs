//! Who can give a role to somebody who lacks it.

use domain::permission::RoleName;

use crate::{Engine, error::Result};

impl Engine {
    /// The names of the people who administer everything, for whoever is signed in and was refused: colleagues may know whom to ask.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn administrators(&self) -> Result<Vec<String>> {
        let people = self.read_all().await?.people().await?.into_iter();
        let administers = people.filter(|person| {
            let everywhere = |grant: &domain::permission::Grant| {
                grant.role == RoleName::Admin && grant.agent.is_none()
            };
            person.deactivated_at.is_none() && person.grants.iter().any(everywhere)
        });
        Ok(administers.map(|person| person.name).collect())
    }
}
