//! "What was known and served about X on 3 March at 14:00" (G6): the memories that were approved and unexpired at an instant, each in
//! the revision that stood then, with who approved it; what waited; and what the agent had been told up to then.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::Action,
    id::{CandidateId, ConversationId, MemoryId, UserId},
    permission::{Permission, Permit},
    user::Scope,
};
use serde::Serialize;
use serde_json::{Map, Value};
use store::{Stood, Waited};

use crate::{
    Engine,
    error::{EngineError, Result},
    need,
    page::{By, Page},
    queue::page,
    serving::{self, ServingView},
    user::{UserRef, find},
    view::Names,
};

/// What was known and served about a user at an instant.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct AsOf {
    /// The user, by our id.
    pub user: UserId,
    /// The agent that talks to them.
    pub agent: AgentName,
    /// The agent's own name of them.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The instant.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The memories that were approved and unexpired, oldest first.
    pub memories: Vec<MemoryThen>,
    /// What waited for a decision, oldest first.
    pub waiting: Vec<CandidateThen>,
    /// What the agent had been told up to then, newest first.
    pub servings: Vec<ServingView>,
    /// The `cursor` of the servings before these; null: there are none.
    pub next: Option<String>,
    /// What a person reads as the user's name.
    #[serde(skip)]
    pub who: String,
}

/// A memory as it stood.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct MemoryThen {
    /// Which.
    pub memory: MemoryId,
    /// The revision that stood.
    pub revision: i64,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Its metadata.
    pub metadata: Map<String, Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How much it mattered, 0.0 to 1.0.
    pub importance: f64,
    /// How sure the extractor was, 0.0 to 1.0.
    pub confidence: f64,
    /// Who approved this revision.
    pub approved_by: By,
    /// Who had agreed to it before, where two people were needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed_by: Option<By>,
    /// When it was approved.
    #[schema(value_type = String, format = DateTime)]
    pub approved_at: Timestamp,
    /// The candidate it came from; `null`: it was written by hand.
    pub candidate: Option<CandidateId>,
    /// The conversation it was said in.
    pub conversation: Option<ConversationId>,
    /// When the words were said.
    #[schema(value_type = String, format = DateTime)]
    pub said_at: Timestamp,
    /// Until when it was to be served, as far as that was known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// A candidate as it waited.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct CandidateThen {
    /// Which.
    pub candidate: CandidateId,
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// BCP 47 language of the content.
    pub language: String,
    /// How sure the extractor was, 0.0 to 1.0.
    pub confidence: f64,
    /// Since when it waited: it was proposed or reopened.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// Until when it was to wait, as far as that was known.
    #[schema(value_type = String, format = DateTime)]
    pub until: Timestamp,
}

impl Engine {
    /// What was known and served about a user at an instant; `wanted` is the page of the servings.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Erased`]; `invalid` at `/at` for an instant that is still to come, or for a cursor that is
    /// not ours.
    pub async fn as_of(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
        at: Timestamp,
        wanted: &Page,
    ) -> Result<AsOf> {
        need(permit, &[Permission::ReadUsers])?;
        let at = domain::time::micros(at);
        passed("/at", at, self.now())?;
        // What was served within the last second waits in memory, and is told too.
        self.flush().await?;
        let mut tx = self.read(permit).await?;
        let user = find(&mut tx, permit, user, agent).await?;
        let mut names = Names::default();
        names.met(&user);
        let stood = tx.memories_as_of(&user.agent, &user.id, at).await?;
        let people = stood.iter().flat_map(|stood| {
            let by = stood.revision.by.person();
            [by, stood.agreed_by.as_ref()]
                .into_iter()
                .flatten()
                .cloned()
        });
        names
            .learn_people(&mut tx, people.collect::<Vec<_>>())
            .await?;
        let waited = tx.candidates_as_of(&user.agent, &user.id, at).await?;
        let servings = tx
            .servings_of(&user.agent, &user.id, Some(at), &page(wanted)?)
            .await?;
        Ok(AsOf {
            at,
            memories: stood
                .into_iter()
                .map(|stood| memory(stood, &names))
                .collect(),
            waiting: waited.into_iter().map(candidate).collect(),
            servings: serving::outward(&mut tx, &mut names, servings.rows).await?,
            next: servings.next.map(|cursor| cursor.to_string()),
            who: user.scope.display(),
            user_id: user.scope.as_user_id().map(str::to_owned),
            scope: user.scope.as_user_id().is_none().then_some(user.scope),
            user: user.id,
            agent: user.agent,
        })
    }
}

/// Refuses an instant that is still to come.
pub(crate) fn passed(pointer: &str, at: Timestamp, now: Timestamp) -> Result<()> {
    if at > now {
        let detail = "an instant that has passed";
        return Err(EngineError::invalid(pointer, "future", detail));
    }
    Ok(())
}

fn memory(stood: Stood, names: &Names) -> MemoryThen {
    let Stood {
        revision,
        expires_at,
        agreed_by,
    } = stood;
    MemoryThen {
        approved_by: names.by(&revision.by),
        agreed_by: agreed_by.map(|person| names.person(&person)),
        approved_at: revision.at,
        memory: revision.memory,
        revision: revision.number,
        kind: revision.kind,
        name: revision.name,
        content: revision.content,
        metadata: revision.metadata,
        tags: revision.tags,
        importance: revision.importance,
        confidence: revision.confidence,
        candidate: revision.candidate,
        conversation: revision.conversation,
        said_at: revision.said_at,
        expires_at,
    }
}

fn candidate(waited: Waited) -> CandidateThen {
    let Waited {
        candidate,
        since,
        until,
    } = waited;
    let proposal = candidate.proposal;
    CandidateThen {
        candidate: candidate.id,
        action: proposal.action,
        kind: proposal.kind,
        name: proposal.name,
        content: proposal.content,
        language: proposal.language,
        confidence: proposal.confidence,
        since,
        until,
    }
}
