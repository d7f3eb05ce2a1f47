//! How the installation stands, for who administers all of it: what is counted beside its configuration.

use domain::permission::{Permission, Permit};

use crate::{Engine, error::Result, need, session::IDLE};

/// What is counted of the installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstallationStanding {
    /// Sign-ins that are not over.
    pub sessions: i64,
    /// The people whose they are.
    pub signed_in: i64,
    /// Legal holds that keep something.
    pub holds: i64,
}

impl Engine {
    /// How the installation stands.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`](crate::EngineError::Forbidden).
    pub async fn installation_standing(&self, permit: &Permit) -> Result<InstallationStanding> {
        need(permit, &[Permission::ManagePeople])?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let (sessions, signed_in) = tx.open_sessions(now - IDLE, now).await?;
        Ok(InstallationStanding {
            sessions,
            signed_in,
            holds: tx.holds_standing(now).await?,
        })
    }
}
