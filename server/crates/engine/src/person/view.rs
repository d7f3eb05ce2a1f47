//! People, outward.

use domain::{
    Timestamp,
    agent::AgentName,
    id::PersonId,
    permission::{Grant, RoleName},
};
use serde::{Deserialize, Serialize};
use store::Person;

use crate::error::FieldError;

/// What stands for every agent.
const EVERY: &str = "*";

/// Whether a person can sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonState {
    /// They chose no password yet.
    Invited,
    /// They can.
    Active,
    /// They were shut out.
    Deactivated,
}

/// A role, outward.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleView {
    /// The one agent it is for, or `*`: every agent.
    pub agent: String,
    /// What it lets a person do.
    pub role: RoleName,
    /// The languages of the content it decides about: `en`, `ja`, `zh`, `und` (any other); empty: all.
    #[serde(default)]
    pub languages: Vec<String>,
}

impl From<Grant> for RoleView {
    fn from(grant: Grant) -> Self {
        Self {
            agent: grant
                .agent
                .map_or_else(|| EVERY.to_owned(), |agent| agent.to_string()),
            role: grant.role,
            languages: grant.languages,
        }
    }
}

impl RoleView {
    /// The role that is meant; `at` is its place in the list.
    ///
    /// # Errors
    /// Its agent has no name that an agent can have.
    pub fn grant(self, at: usize) -> Result<Grant, FieldError> {
        let agent = if self.agent == EVERY {
            None
        } else {
            let wrong = |error: domain::agent::InvalidAgentName| {
                FieldError::new(format!("/roles/{at}/agent"), "invalid", error.to_string())
            };
            Some(AgentName::parse(&self.agent).map_err(wrong)?)
        };
        Ok(Grant {
            agent,
            role: self.role,
            languages: self.languages,
        })
    }
}

/// A person, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct PersonView {
    /// Ours.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// Their e-mail address.
    pub email: String,
    /// Whether they can sign in.
    pub state: PersonState,
    /// What they may do.
    pub roles: Vec<RoleView>,
    /// Raised with every change of the name, the roles or whether they may come in.
    pub version: i64,
    /// When they were made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When they last signed in.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub signed_in_at: Option<Timestamp>,
    /// When they were shut out.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub deactivated_at: Option<Timestamp>,
    /// Until when their link to choose a password holds, where there is one.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub link_expires_at: Option<Timestamp>,
    /// Since when a second factor is asked for, where they have one.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub second_factor_at: Option<Timestamp>,
    /// The language they chose for the dashboard.
    #[serde(skip)]
    pub language: Option<String>,
}

impl From<Person> for PersonView {
    fn from(person: Person) -> Self {
        let state = match (person.deactivated_at, &person.password_hash) {
            (Some(_), _) => PersonState::Deactivated,
            (None, None) => PersonState::Invited,
            (None, Some(_)) => PersonState::Active,
        };
        Self {
            id: person.id,
            name: person.name,
            email: person.email,
            state,
            roles: person.grants.into_iter().map(RoleView::from).collect(),
            version: person.version,
            created_at: person.created_at,
            signed_in_at: person.signed_in_at,
            deactivated_at: person.deactivated_at,
            link_expires_at: person.link_expires_at,
            second_factor_at: person.second_factor_at,
            language: person.language,
        }
    }
}
