//! What an agent was told, and when: each answer to `POST /context` with the statements in the revision in which they were told (F8).

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    id::{ConversationId, MemoryId, ServingId, UserId},
    permission::{Permission, Permit},
};
use serde::Serialize;
use store::{Serving, Tx};

use crate::{
    Engine,
    error::{EngineError, Result},
    need,
    view::Names,
};

/// One answer to `POST /context`.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ServingView {
    /// Ours.
    pub id: ServingId,
    /// Which agent was told.
    pub agent: AgentName,
    /// About whom.
    pub user: UserId,
    /// The agent's own id of the conversation it asked for.
    pub conversation: Option<String>,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Tokens of the text, as estimated.
    pub tokens: i64,
    /// How many memories were left out.
    pub cut: i64,
    /// What it was told, in the order of the text.
    pub items: Vec<ServedItem>,
    /// The same conversation here, where it was sent to us.
    #[serde(skip)]
    pub stored: Option<ConversationId>,
    /// What a person reads as the user's name.
    #[serde(skip)]
    pub who: String,
}

/// A memory that an agent was told.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ServedItem {
    /// Which.
    pub memory: MemoryId,
    /// In which revision.
    pub revision: i64,
    /// Its kind then; `null`: the revision is gone.
    pub kind: Option<String>,
    /// Its name then.
    pub name: Option<String>,
    /// The statement as it was told.
    pub content: Option<String>,
}

/// Servings outward, in their order.
pub(crate) async fn outward(
    tx: &mut Tx,
    names: &mut Names,
    servings: Vec<Serving>,
) -> Result<Vec<ServingView>> {
    let mut told: BTreeMap<AgentName, Vec<(MemoryId, i64)>> = BTreeMap::new();
    for serving in &servings {
        let items = told.entry(serving.agent.clone()).or_default();
        items.extend(serving.items.iter().cloned());
    }
    let mut revisions = BTreeMap::new();
    for (agent, mut items) in told {
        items.sort_unstable();
        items.dedup();
        revisions.extend(tx.revisions_at(&agent, &items).await?);
    }
    let mut views = Vec::with_capacity(servings.len());
    for serving in servings {
        let stored = match serving.conversation.as_deref() {
            Some(external) => {
                tx.find_conversation(&serving.agent, &serving.user, external)
                    .await?
            }
            None => None,
        };
        let scope = names.scope(tx, &serving.user).await?;
        let items = serving.items.into_iter().map(|(memory, revision)| {
            let told = revisions.get(&(memory.clone(), revision));
            ServedItem {
                kind: told.map(|told| told.kind.clone()),
                name: told.and_then(|told| told.name.clone()),
                content: told.map(|told| told.content.clone()),
                memory,
                revision,
            }
        });
        views.push(ServingView {
            items: items.collect(),
            stored: stored.map(|conversation| conversation.id),
            who: scope.map(|scope| scope.display()).unwrap_or_default(),
            id: serving.id,
            agent: serving.agent,
            user: serving.user,
            conversation: serving.conversation,
            at: serving.at,
            tokens: serving.tokens,
            cut: serving.cut,
        });
    }
    Ok(views)
}

impl Engine {
    /// One answer to `POST /context`, with what was told.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn serving(&self, permit: &Permit, id: &ServingId) -> Result<ServingView> {
        need(permit, &[Permission::ReadUsers])?;
        self.flush().await?;
        let mut tx = self.read(permit).await?;
        let serving = tx.serving(id).await?.ok_or(EngineError::NotFound)?;
        let views = outward(&mut tx, &mut Names::default(), vec![serving]).await?;
        views.into_iter().next().ok_or(EngineError::NotFound)
    }
}
