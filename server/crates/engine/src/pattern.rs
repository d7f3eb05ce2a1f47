//! Trends over sessions, whatever the extractor (B9): a metric that goes one way and a pain point that comes back, found by the rules
//! of `domain::trend` in what is approved, and proposed as patterns.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Cause, Flag, Proposal},
    flags, gate,
    id::UserId,
    kind::Kind,
    memory::{Memory, MemoryStatus},
    series::{self, METRIC, Measured, PAIN_POINT},
    text,
    trend::{self, Direction, Finding},
};
use serde_json::Value;
use store::Tx;

use crate::{
    Engine,
    error::Result,
    series::{MOST, mentions},
};

/// The kind that they are proposed as.
pub(crate) const PATTERN: &str = "pattern";

impl Engine {
    /// What can be found of a user by rules.
    pub(crate) async fn findings(
        &self,
        tx: &mut Tx,
        agent: &AgentName,
        user: &UserId,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<Vec<Proposal>> {
        let all = tx
            .course_of(agent, user, &[METRIC, PAIN_POINT], MOST)
            .await?;
        let mut metrics: BTreeMap<String, (Measured, Vec<Memory>)> = BTreeMap::new();
        let mut found = Vec::new();
        for memory in all {
            if let Some(measured) = Measured::of(&memory) {
                let (_, memories) = metrics
                    .entry(measured.key())
                    .or_insert_with(|| (measured, Vec::new()));
                memories.push(memory);
            } else if memory.kind == PAIN_POINT && memory.served(now) {
                let finding = returning(tx, &memory).await?;
                found.extend(finding.map(|finding| (finding, memory.language)));
            }
        }
        for (measured, memories) in metrics.into_values() {
            // The newest comes first; what nobody has approved any more is history, but no reason to speak up.
            let Some(newest) = memories
                .iter()
                .find(|memory| memory.status == MemoryStatus::Approved && memory.served(now))
            else {
                continue;
            };
            let language = newest.language.clone();
            let mut histories = Vec::with_capacity(memories.len());
            for memory in &memories {
                histories.push(tx.revisions(&memory.id).await?);
            }
            let points = series::points(&histories);
            let finding = trend::of_metric(&measured, &points, &language);
            found.extend(finding.map(|finding| (finding, language)));
        }
        let proposals = found
            .into_iter()
            .map(|(finding, language)| proposal(finding, &language));
        Ok(proposals.filter(|proposal| fits(kind, proposal)).collect())
    }
}

async fn returning(tx: &mut Tx, memory: &Memory) -> Result<Option<Finding>> {
    let revisions = tx.revisions(&memory.id).await?;
    let said = mentions(tx, memory, &revisions).await?;
    let resolved = |metadata: &serde_json::Map<String, Value>| {
        metadata.get("resolved").and_then(Value::as_bool) == Some(true)
    };
    let resolved_at = revisions
        .iter()
        .rfind(|revision| resolved(&revision.metadata))
        .map(|revision| revision.said_at);
    Ok(trend::of_pain_point(
        memory.name.as_deref(),
        &memory.content,
        &said,
        resolved_at,
        &memory.language,
    ))
}

fn proposal(finding: Finding, language: &str) -> Proposal {
    let (cause, importance) = match finding.direction {
        Direction::Returning => (Cause::Returning, 0.8),
        Direction::Worsening => (Cause::Trend, 0.8),
        Direction::Improving | Direction::Rising | Direction::Falling => (Cause::Trend, 0.7),
    };
    let mut warnings = flags::of_statement(&finding.content);
    if finding.evidence.len() < 2 {
        warnings.push(Flag::NoEvidence);
    }
    Proposal {
        action: Action::Create,
        targets: Vec::new(),
        kind: PATTERN.to_owned(),
        name: Some(text::slice(&finding.name, 0, gate::MAX_NAME).to_owned()),
        content: finding.content,
        metadata: finding.metadata,
        tags: Vec::new(),
        confidence: 0.9,
        importance,
        language: language.to_owned(),
        flags: warnings,
        evidence: finding.evidence,
        explanation: None,
        cause: Some(cause),
    }
}

/// A registry may ask for other metadata of its patterns; what does not fit could not be approved.
fn fits(kind: &Kind, proposal: &Proposal) -> bool {
    gate::fits(
        kind,
        proposal.name.as_deref(),
        &proposal.content,
        &proposal.metadata,
    )
    .is_ok()
}
