//! What a job has to read, and how what it has read went.

use domain::{
    agent::{Agent, AgentSettings},
    conversation::Conversation,
};
use store::{Claimed, ExtractionState, JobState, Skipped, Tx};

use super::window::{Beside, NEW, OVERLAP, Reading};
use crate::{Engine, error::Result, join::told, opt_out};

/// What a job still has to read.
pub(super) struct Plan {
    pub conversation: Conversation,
    pub agent: Agent,
    /// Stretches of positions, both ends included.
    pub windows: Vec<(i64, i64)>,
    /// Whether this is a first reading, which moves `extracted_upto`.
    pub moves: bool,
}

/// Cuts a stretch into windows.
pub(crate) fn windows(from: i64, upto: i64) -> Vec<(i64, i64)> {
    let mut cut = Vec::new();
    let mut start = from;
    while start <= upto {
        let end = (start + NEW - 1).min(upto);
        cut.push((start, end));
        start = end + 1;
    }
    cut
}

/// The settings of an agent as they are now: a job may run for long, and a switch holds from the moment it is pressed (A1).
pub(super) async fn settings_now(tx: &mut Tx, agent: &Agent) -> Result<AgentSettings> {
    let now = tx.agent(&agent.name).await?;
    Ok(now.map_or_else(|| agent.settings.clone(), |now| now.settings))
}

impl Engine {
    /// Puts the present settings into a plan, and tells why nothing is read, where that is so.
    pub(super) async fn kept_out_now(&self, plan: &mut Plan) -> Result<Option<Skipped>> {
        let mut tx = self.read_all().await?;
        plan.agent.settings = settings_now(&mut tx, &plan.agent).await?;
        opt_out::kept_out(&mut tx, &plan.agent.settings, &plan.conversation.user).await
    }

    /// What is to be read: of a first reading what nobody has read, of a retry the windows that ended badly; never what this very job
    /// has already kept.
    pub(super) async fn plan(&self, claimed: &Claimed) -> Result<Option<Plan>> {
        let operation = &claimed.operation;
        let mut tx = self.read_all().await?;
        let Some(id) = &operation.conversation else {
            return Ok(None);
        };
        let Some(conversation) = tx.conversation(id).await? else {
            return Ok(None);
        };
        let Some(agent) = tx.agent(&operation.agent).await? else {
            return Ok(None);
        };
        let windows = match (&operation.retry_of, operation.from) {
            (None, None) => windows(conversation.extracted_upto + 1, operation.upto),
            (origin, from) => {
                let done = tx.extractions_of(&conversation).await?;
                let mut bad: Vec<(i64, i64)> = done
                    .iter()
                    .filter(|extraction| {
                        Some(&extraction.operation) == origin.as_ref()
                            && extraction.state != ExtractionState::Parsed
                    })
                    .flat_map(|extraction| windows(extraction.from, extraction.upto))
                    .collect();
                if bad.is_empty() {
                    bad = windows(from.unwrap_or(1), operation.upto);
                }
                bad.sort_unstable();
                bad.dedup();
                let mine = |window: &(i64, i64)| {
                    done.iter().any(|extraction| {
                        extraction.operation == operation.id && extraction.from == window.0
                    })
                };
                bad.retain(|window| !mine(window));
                bad
            }
        };
        let moves = operation.retry_of.is_none();
        Ok(Some(Plan {
            conversation,
            agent,
            windows,
            moves,
        }))
    }

    /// How the windows went that this job kept before it was interrupted.
    pub(super) async fn worst_so_far(&self, claimed: &Claimed, plan: &Plan) -> Result<Worst> {
        let mut worst = Worst::default();
        // Not the attempts: a claim that was given back does not count as one.
        if claimed.epoch > 1 {
            let done = self
                .read_all()
                .await?
                .extractions_of(&plan.conversation)
                .await?;
            for extraction in done
                .iter()
                .filter(|extraction| extraction.operation == claimed.operation.id)
            {
                worst = worst.with(extraction.state, extraction.error.as_deref());
            }
        }
        Ok(worst)
    }

    /// The messages of a window with what an extractor is told beside them. With `from` behind `upto` there is nothing new: a window
    /// back over what was read, for the summary of a conversation whose end came later.
    pub(super) async fn reading(&self, plan: &Plan, from: i64, upto: i64) -> Result<Reading> {
        let conversation = &plan.conversation;
        let now = self.now();
        let behind = if from > upto { NEW } else { OVERLAP };
        // What this process served a moment ago may still wait to be written, and must not be read as the user's words (F6).
        self.flush().await?;
        let mut tx = self.read_all().await?;
        let messages = tx
            .messages(conversation, (from - behind).max(1), upto)
            .await?;
        let kinds = tx.kinds(&conversation.agent).await?;
        let schemas = tx.profile_schemas(&conversation.agent).await?;
        let so_far = tx.summary_upto(conversation, from - 1).await?;
        let ids = tx.together(&conversation.agent, &conversation.user).await?;
        let told = told(
            &mut tx,
            &conversation.agent,
            &ids,
            plan.agent.settings.max_memories,
            now,
        )
        .await?;
        let served = tx
            .served_lines(&conversation.agent, &conversation.user)
            .await?;
        let ended = conversation.ended_at.is_some() && upto >= conversation.messages;
        let beside = Beside {
            kinds,
            schemas,
            memories: told.memories,
            served,
            summary_so_far: so_far.map(|(_, summary)| summary.content),
        };
        Ok(Reading::new(
            conversation,
            messages,
            from,
            ended,
            &plan.agent,
            beside,
            now,
        ))
    }
}

/// The worst that happened to a window of a job.
#[derive(Debug, Clone, Default)]
pub(super) struct Worst {
    truncated: bool,
    /// The code of the first failure.
    pub error: Option<String>,
}

impl Worst {
    /// With one more window.
    pub fn with(mut self, state: ExtractionState, error: Option<&str>) -> Self {
        self.truncated |= state == ExtractionState::Truncated;
        if state == ExtractionState::Failed && self.error.is_none() {
            self.error = Some(error.unwrap_or("failed").to_owned());
        }
        self
    }

    /// How the job ends.
    pub fn state(&self) -> JobState {
        match self {
            Self { error: Some(_), .. } => JobState::Failed,
            Self {
                truncated: true, ..
            } => JobState::Truncated,
            Self { .. } => JobState::Succeeded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // C3
    #[test]
    fn a_long_conversation_is_cut_into_windows_of_twenty() {
        assert_eq!(windows(1, 45), [(1, 20), (21, 40), (41, 45)]);
        assert_eq!(windows(5, 5), [(5, 5)]);
        assert_eq!(windows(6, 5), []);
    }
}
