//! The course of one thing (B9): the values of a metric, and how often a pain point came up.

use domain::{
    Timestamp,
    id::{ConversationId, MemoryId},
    memory::{Memory, Revision, RevisionAction},
    permission::{Actor, Permission, Permit},
    series::{self, METRIC, Measured, Mention, PAIN_POINT},
};
use serde::Serialize;
use store::Tx;

use crate::{
    Engine,
    error::{EngineError, Result},
    need, opt_out,
};

/// Memories of a user that are looked at for one course.
pub(crate) const MOST: u32 = 300;

/// How something went over time.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Series {
    /// The values of a metric in the order in which they were said, over all memories of that metric; empty for other kinds.
    pub points: Vec<Point>,
    /// How often it was said: in how many messages. What was written by hand counts once.
    pub count: u32,
    /// In how many conversations.
    pub sessions: u32,
    /// The messages in which a pain point came up, oldest first; empty for other kinds.
    pub mentions: Vec<MentionView>,
}

/// A message in which something came up.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct MentionView {
    /// In which conversation.
    pub conversation: ConversationId,
    /// When it was said.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// A value of a metric.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Point {
    /// The memory that had it.
    pub memory: MemoryId,
    /// In which revision.
    pub revision: i64,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: Option<String>,
    /// The period it is of, as it was said.
    pub period: Option<String>,
    /// When it was said.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

impl Engine {
    /// The course of what a memory is about. An agent's key sees only the values of memories that are served; people see also those
    /// of memories that ran out.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], for an agent's key also where it is retired or past its time.
    pub async fn series(&self, permit: &Permit, id: &MemoryId) -> Result<Series> {
        need(
            permit,
            &[
                Permission::ReadMemories,
                Permission::ReadHistory,
                Permission::Decide,
            ],
        )?;
        let now = self.now();
        let history = !matches!(permit.actor(), Actor::Key { .. });
        let mut tx = self.read(permit).await?;
        let memory = tx
            .memory(id)
            .await?
            .filter(|memory| history || memory.told(now));
        let memory = opt_out::readable(&mut tx, permit, memory.into_iter().collect())
            .await?
            .pop()
            .ok_or(EngineError::NotFound)?;
        let revisions = tx.revisions(id).await?;
        let said = mentions(&mut tx, &memory, &revisions).await?;
        let (count, sessions) = series::counted(&said);
        let came_up = match memory.kind.as_str() {
            PAIN_POINT => series::messages(&said),
            _ => Vec::new(),
        };
        let mentions = came_up.into_iter().map(|mention| MentionView {
            conversation: mention.conversation.clone(),
            at: mention.at,
        });
        let mentions = mentions.collect();
        let mut histories = Vec::new();
        if let Some(measured) = Measured::of(&memory) {
            let all = tx
                .course_of(&memory.agent, &memory.user, &[METRIC], MOST)
                .await?;
            for other in all {
                let same = Measured::of(&other).is_some_and(|other| other.key() == measured.key());
                if same && other.id != memory.id && (history || other.told(now)) {
                    histories.push(tx.revisions(&other.id).await?);
                }
            }
            histories.push(revisions);
        }
        let points = series::points(&histories)
            .into_iter()
            .map(|point| Point {
                memory: point.memory,
                revision: point.revision,
                value: point.value,
                unit: point.unit,
                period: point.period,
                at: point.at,
            })
            .collect();
        Ok(Series {
            points,
            count,
            sessions,
            mentions,
        })
    }
}

/// Every time something was said that became a memory or was seen again, oldest first.
pub(crate) async fn mentions(
    tx: &mut Tx,
    memory: &Memory,
    revisions: &[Revision],
) -> Result<Vec<Mention>> {
    let mut said = Vec::new();
    let mut subjects = vec![memory.id.to_string()];
    for revision in revisions {
        if revision.action == RevisionAction::Retire {
            continue;
        }
        subjects.extend(revision.candidate.as_ref().map(ToString::to_string));
        said.extend(revision.evidence.iter().map(|evidence| Mention {
            conversation: evidence.conversation.clone(),
            message: evidence.message.clone(),
            at: revision.said_at,
            evidence: Some(evidence.clone()),
        }));
    }
    subjects.sort_unstable();
    subjects.dedup();
    for subject in subjects {
        for sighting in tx.sightings_of(&memory.agent, &subject).await? {
            let Some(conversation) = sighting.conversation.filter(|_| !sighting.suppressed) else {
                continue;
            };
            said.push(Mention {
                conversation,
                message: sighting.message,
                at: sighting.at,
                evidence: sighting.evidence.into_iter().next(),
            });
        }
    }
    said.sort_by_key(|mention| mention.at);
    Ok(said)
}
