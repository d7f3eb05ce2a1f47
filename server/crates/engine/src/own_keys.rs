//! The keys of the desk as a person has them: which actions have another key than the shipped one, and whether keys work at all.
//! What a key is, and which are free, the page knows.

use std::collections::BTreeMap;

use domain::id::PersonId;
use serde::{Deserialize, Serialize};

use crate::{
    Engine,
    error::{EngineError, Result},
};

/// The member of a person's settings.
const KEYS: &str = "keys";

/// A person's keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnKeys {
    /// Whether keys without Ctrl work.
    pub on: bool,
    /// The word of an action to its key; empty for none.
    pub changes: BTreeMap<String, String>,
}

impl Default for OwnKeys {
    fn default() -> Self {
        Self {
            on: true,
            changes: BTreeMap::new(),
        }
    }
}

impl Engine {
    /// The keys of a person.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn own_keys(&self, person: &PersonId) -> Result<OwnKeys> {
        let settings = self.read_all().await?.person_settings(person).await?;
        let keys = settings.and_then(|settings| settings.get(KEYS).cloned());
        Ok(keys
            .and_then(|keys| serde_json::from_value(keys).ok())
            .unwrap_or_default())
    }

    /// Keeps them.
    ///
    /// # Errors
    /// `not_found`; the database's.
    pub async fn set_own_keys(&self, person: &PersonId, keys: &OwnKeys) -> Result<()> {
        let mut tx = self.write_all().await?;
        let mut settings = tx
            .person_settings(person)
            .await?
            .ok_or(EngineError::NotFound)?;
        settings[KEYS] = serde_json::to_value(keys).map_err(|_| EngineError::Unavailable)?;
        tx.set_person_settings(person, &settings).await?;
        Ok(tx.commit().await?)
    }
}
