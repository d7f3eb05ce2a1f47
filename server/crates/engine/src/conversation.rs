//! A conversation as a person reads it: the transcript with the words that became candidates, and what extraction did.

use domain::{
    Timestamp,
    agent::AgentName,
    conversation::Conversation,
    id::{ConversationId, UserId},
    permission::{Permission, Permit},
    user::Scope,
};
use serde::Serialize;
use store::{QueueFilter, Sort, View};

use crate::{
    Engine,
    candidate::{CandidateView, Turn},
    error::{EngineError, Result},
    need,
    operation::OperationView,
    queue::turns,
    view::Names,
};

/// A conversation in a list.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ConversationRow {
    /// Ours.
    pub id: ConversationId,
    /// The agent's own id of it.
    pub external_id: Option<String>,
    /// How many messages.
    pub messages: i64,
    /// When the first message came.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When the agent said that it is over.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
}

impl From<Conversation> for ConversationRow {
    fn from(conversation: Conversation) -> Self {
        let Conversation {
            id,
            external_id,
            messages,
            created_at,
            ended_at,
            ..
        } = conversation;
        Self {
            id,
            external_id,
            messages,
            created_at,
            ended_at,
        }
    }
}

/// A whole conversation.
#[derive(Debug, Clone, Serialize)]
pub struct ConversationDetail {
    /// Ours.
    pub id: ConversationId,
    /// The agent that had it.
    pub agent: AgentName,
    /// With whom.
    pub user: UserId,
    /// What a person reads as the user's name.
    #[serde(skip)]
    pub who: String,
    /// The agent's own id of it.
    pub external_id: Option<String>,
    /// The zone in which relative dates are meant.
    pub time_zone: Option<String>,
    /// When the first message came.
    pub created_at: Timestamp,
    /// When the agent said that it is over.
    pub ended_at: Option<Timestamp>,
    /// When retention took the words out of it.
    pub removed_at: Option<Timestamp>,
    /// The turns, oldest first.
    pub turns: Vec<Turn>,
    /// What extraction did, newest first.
    pub operations: Vec<OperationView>,
    /// The candidates that came of it.
    pub candidates: Vec<CandidateView>,
}

impl Engine {
    /// The conversation that an agent calls `external`; `None` where it had none of that name with this user.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent outside the permit.
    pub async fn conversation_called(
        &self,
        permit: &Permit,
        agent: &AgentName,
        scope: &Scope,
        external: &str,
    ) -> Result<Option<ConversationId>> {
        need(permit, &[Permission::ReadMemories])?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        let mut tx = self.read(&permit).await?;
        let Some(user) = tx.find_user(agent, scope).await? else {
            return Ok(None);
        };
        let found = tx.find_conversation(agent, &user.id, external).await?;
        Ok(found.map(|conversation| conversation.id))
    }

    /// A whole conversation, at most its newest 1,000 turns.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn conversation(
        &self,
        permit: &Permit,
        id: &ConversationId,
    ) -> Result<ConversationDetail> {
        need(
            permit,
            &[
                Permission::ReadUsers,
                Permission::ReadCandidates,
                Permission::Decide,
            ],
        )?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let conversation = tx.conversation(id).await?.ok_or(EngineError::NotFound)?;
        let mut names = Names::default();
        let scope = names
            .scope(&mut tx, &conversation.user)
            .await?
            .ok_or(EngineError::NotFound)?;
        let filter = QueueFilter {
            agent: Some(conversation.agent.clone()),
            conversation: Some(id.clone()),
            view: View::All,
            sort: Sort::Newest,
            ..QueueFilter::default()
        };
        let rows = tx.queue(&filter, &store::Page::first(200), now).await?.rows;
        let marks: Vec<_> = rows
            .iter()
            .flat_map(|row| {
                row.candidate
                    .proposal
                    .evidence
                    .iter()
                    .map(|piece| (piece.clone(), Some(row.candidate.id.clone())))
            })
            .collect();
        let candidates = names.candidates(&mut tx, rows).await?;
        let from = (conversation.messages - 999).max(1);
        let turns = turns(&mut tx, &conversation, from, conversation.messages, &marks).await?;
        let mut operations: Vec<_> = tx
            .operations_of(&conversation)
            .await?
            .into_iter()
            .map(OperationView::from)
            .collect();
        operations.sort_by(|a, b| b.id.cmp(&a.id));
        Ok(ConversationDetail {
            removed_at: tx.conversation_removed_at(&conversation).await?,
            id: conversation.id,
            agent: conversation.agent,
            user: conversation.user,
            who: scope.display(),
            external_id: conversation.external_id,
            time_zone: conversation.time_zone,
            created_at: conversation.created_at,
            ended_at: conversation.ended_at,
            turns,
            operations,
            candidates,
        })
    }
}
