//! Whether what was served helped (C9): an agent reports it, memory by memory.

use domain::{
    agent::AgentName,
    id::{MemoryId, ServingId},
    permission::{Permission, Permit},
};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
};

/// A report of an agent.
#[derive(Debug, Clone)]
pub struct Feedback {
    /// The answer that held the memory.
    pub serving: ServingId,
    /// The memory.
    pub memory: MemoryId,
    /// Whether it helped.
    pub helped: bool,
}

impl Engine {
    /// Takes a report. A later one about the same memory of the same serving takes the place of an earlier one.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] where the agent had no such serving, or the memory was not in it.
    pub async fn feedback(
        &self,
        permit: &Permit,
        agent: &AgentName,
        feedback: &Feedback,
    ) -> Result<()> {
        need(permit, &[Permission::ReadContext])?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        // What was served a moment ago may still wait to be written.
        self.flush().await?;
        again!(self.feedback_once(&permit, agent, feedback).await)
    }

    async fn feedback_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        feedback: &Feedback,
    ) -> Result<()> {
        let mut tx = self.write(permit).await?;
        let serving = tx
            .serving(&feedback.serving)
            .await?
            .filter(|serving| {
                serving.agent == *agent
                    && serving
                        .items
                        .iter()
                        .any(|(memory, _)| *memory == feedback.memory)
            })
            .ok_or(EngineError::NotFound)?;
        tx.report_helped(
            &serving,
            &feedback.memory,
            feedback.helped,
            &self.stamp(permit),
        )
        .await?;
        Ok(tx.commit().await?)
    }
}
