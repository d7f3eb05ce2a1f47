//! How far an installation has come from its setup to the first memory that was told. The demo counts for nothing.

use domain::permission::{Permission, Permit};
pub use store::FirstSteps;

use crate::{Engine, error::Result, need};

impl Engine {
    /// What there is of each thing that one does first.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn first_steps(&self, permit: &Permit) -> Result<FirstSteps> {
        need(permit, &[Permission::Administer])?;
        Ok(self.read(permit).await?.first_steps().await?)
    }
}
