//! What an agent's extractor is told, to be read by the people who set it (C8).

use domain::{
    agent::AgentName,
    permission::{Permission, Permit},
};

use crate::{
    Engine,
    error::{EngineError, Result},
    need,
    worker::without_turns,
};

/// What a model is told before what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its version, as every memory that is made under it records it.
    pub version: Option<String>,
    /// The text, as it would be sent now for new messages.
    pub system: String,
}

impl Engine {
    /// What the extractor of an agent is told; `None` where it is told nothing, as the built-in one, or where its name means none.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn prompt(&self, permit: &Permit, name: &AgentName) -> Result<Option<Prompt>> {
        need(permit, &[Permission::ReadAgents, Permission::Administer])?;
        let mut tx = self.read(permit).await?;
        let agent = tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        let kinds = tx.kinds(name).await?;
        let schemas = tx.profile_schemas(name).await?;
        drop(tx);
        let Some(extractor) = self.extractors().of(agent.settings.extractor.as_deref()) else {
            return Ok(None);
        };
        let window = without_turns(&agent, kinds, schemas, self.now());
        Ok(extractor.prompt(&window).map(|system| Prompt {
            version: extractor.provenance_over(&window).prompt_version,
            system,
        }))
    }
}
