//! What an agent is told about a user (`POST /context`): the approved, unexpired memories, ranked, within the budget, through the
//! one renderer; and the record of it. Servings are written by a buffer: a crash loses at most its last second, and the answer
//! never waits for the write.

use std::sync::{Mutex, PoisonError};

use domain::{
    Timestamp,
    agent::AgentName,
    id::{MemoryId, ServingId, UserId},
    permission::{Permission, Permit},
    profile,
    render::{self, Cut, CutFor, Item, Layout, Request, Why},
    user::{Scope, User},
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::{Serving, Tx};

use crate::{
    Engine,
    error::{EngineError, Result},
    join::{Told, told, told_fields},
    need, opt_out,
    schema::place_of,
};

/// What an agent asks for.
#[derive(Debug, Clone)]
pub struct ContextRequest {
    /// About whom.
    pub scope: Scope,
    /// The agent's own id of the conversation it is for.
    pub conversation_id: Option<String>,
    /// The task; ranks by relevance where it is given.
    pub query: Option<String>,
    /// Most tokens of the block; 4,000 unless said.
    pub max_tokens: Option<u32>,
    /// The tokens of the model's window; the block never takes more than a tenth (C7).
    pub model_window: Option<u32>,
    /// The form of the block.
    pub layout: Layout,
    /// The etag of the answer the agent has.
    pub if_changed: Option<String>,
}

/// The answer.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum ContextAnswer {
    /// What the agent has is still true.
    Unchanged {
        /// Always true.
        unchanged: bool,
        /// The same etag.
        etag: String,
    },
    /// The block.
    Block(Box<Context>),
}

/// A block for a system prompt, and what it is made of.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Context {
    /// The record of it.
    pub serving: ServingId,
    /// Changes when the block does.
    pub etag: String,
    /// The text; empty where nothing is served.
    pub block: String,
    /// What it costs, about.
    pub tokens: usize,
    /// What is in it.
    pub items: Vec<ContextItem>,
    /// What is not, and why.
    pub cut: Vec<ContextCut>,
    /// In the layout `profile` what the block says, as stored: schema, then field, then value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub profiles: Option<serde_json::Map<String, serde_json::Value>>,
    /// Why nothing is served at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Fields that were ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A memory in a block.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ContextItem {
    /// Which.
    pub memory: MemoryId,
    /// Which revision.
    pub revision: i64,
    /// Its kind.
    pub kind: String,
    /// The statement.
    pub content: String,
    /// Its rank, 0.0 to 1.0.
    pub score: f64,
    /// Why it is in.
    pub why: Why,
    /// When it was said.
    #[schema(value_type = String, format = DateTime)]
    pub said_at: Timestamp,
}

/// A memory left out of a block.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ContextCut {
    /// Which.
    pub memory: MemoryId,
    /// Why.
    pub why: CutFor,
}

/// What a person asks to see.
#[derive(Debug, Clone, Default)]
pub struct PreviewRequest {
    /// The task, as an agent would say it.
    pub query: Option<String>,
    /// Most tokens of the block.
    pub max_tokens: Option<u32>,
    /// The form of the block.
    pub layout: Layout,
}

/// What an agent would be told, for a person.
#[derive(Debug, Clone)]
pub struct ContextPreview {
    /// The text.
    pub block: String,
    /// What it costs, about.
    pub tokens: usize,
    /// What it may cost.
    pub budget: usize,
    /// The memories: those that are told in the order of the block, then those left out, best first.
    pub lines: Vec<PreviewLine>,
    /// Why nothing is told at all.
    pub reason: Option<&'static str>,
}

/// A memory of a preview.
#[derive(Debug, Clone)]
pub struct PreviewLine {
    /// Which.
    pub memory: MemoryId,
    /// In which revision.
    pub revision: i64,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Its rank; `None`: it is left out.
    pub score: Option<f64>,
    /// Whether it is told, and why.
    pub standing: Standing,
}

/// Whether a memory is told, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is in the block.
    Told(Why),
    /// It is not.
    LeftOut(CutFor),
}

/// A block, and what it was chosen from.
struct Assembled {
    user: Option<User>,
    reason: Option<&'static str>,
    items: Vec<Item>,
    block: render::Block,
}

/// Servings that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct ServingBuffer {
    rows: Mutex<Vec<Serving>>,
    /// Held while rows are on their way into the database: who waits for a flush waits for those of another, too.
    writing: tokio::sync::Mutex<()>,
    full: tokio::sync::Notify,
}

impl ServingBuffer {
    /// More than this many unwritten servings means that the database has been away for long; the oldest are given up.
    const MOST: usize = 50_000;

    fn push(&self, serving: Serving, full_at: usize) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push(serving);
        if rows.len() >= full_at {
            self.full.notify_one();
        }
    }

    fn take(&self) -> Vec<Serving> {
        std::mem::take(&mut *self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put_back(&self, mut unwritten: Vec<Serving>) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        unwritten.append(&mut rows);
        let over = unwritten.len().saturating_sub(Self::MOST);
        *rows = unwritten.split_off(over);
        if over > 0 {
            tracing::error!(
                lost = over,
                "servings were given up because the database did not take them"
            );
        }
    }

    /// Waits until a batch is full.
    pub async fn filled(&self) {
        self.full.notified().await;
    }
}

impl Engine {
    /// What to tell an agent about a user.
    ///
    /// # Errors
    /// `invalid` for a budget of nothing.
    pub async fn context(
        &self,
        permit: &Permit,
        agent: &AgentName,
        request: ContextRequest,
    ) -> Result<ContextAnswer> {
        need(permit, &[Permission::ReadContext])?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        let now = self.now();
        let Assembled {
            user,
            reason,
            mut block,
            ..
        } = self.assemble(&permit, agent, &request, now).await?;
        // Not even that there is something.
        block.cut.retain(|cut| cut.why != CutFor::Grace);
        let etag = etag(&block);
        if request.if_changed.as_ref() == Some(&etag) {
            return Ok(ContextAnswer::Unchanged {
                unchanged: true,
                etag,
            });
        }
        let serving = ServingId::new(now, self.entropy());
        if let Some(user) = user {
            let told = Serving {
                id: serving.clone(),
                agent: agent.clone(),
                user: user.id,
                conversation: request.conversation_id,
                tokens: i64::try_from(block.tokens).unwrap_or(i64::MAX),
                items: block
                    .items
                    .iter()
                    .map(|item| (item.memory.clone(), item.revision))
                    .collect(),
                cut: i64::try_from(block.cut.len()).unwrap_or(i64::MAX),
                at: now,
            };
            self.inner
                .servings
                .push(told, self.settings().servings_rows);
        }
        Ok(ContextAnswer::Block(Box::new(Context {
            serving,
            etag,
            block: block.text,
            tokens: block.tokens,
            items: block
                .items
                .into_iter()
                .map(|item| ContextItem {
                    memory: item.memory,
                    revision: item.revision,
                    kind: item.kind,
                    content: item.content,
                    score: item.score,
                    why: item.why,
                    said_at: item.said_at,
                })
                .collect(),
            cut: block
                .cut
                .into_iter()
                .map(|cut| ContextCut {
                    memory: cut.memory,
                    why: cut.why,
                })
                .collect(),
            profiles: block.profiles,
            reason,
            warnings: Vec::new(),
        })))
    }

    /// What an agent would be told about a user right now, and why each memory is in it or out (F12). Nothing is recorded.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `invalid` for a budget of nothing.
    pub async fn context_preview(
        &self,
        permit: &Permit,
        user: &UserId,
        ask: PreviewRequest,
    ) -> Result<ContextPreview> {
        need(permit, &[Permission::ReadUsers])?;
        let found = self.read(permit).await?.user(user).await?;
        let found = found.ok_or(EngineError::NotFound)?;
        let request = ContextRequest {
            scope: found.scope,
            conversation_id: None,
            query: ask.query,
            max_tokens: ask.max_tokens,
            model_window: None,
            layout: ask.layout,
            if_changed: None,
        };
        let now = self.now();
        let assembled = self.assemble(permit, &found.agent, &request, now).await?;
        let budget = asked(&request).budget();
        let Assembled {
            reason,
            items,
            block,
            ..
        } = assembled;
        let line = |memory: &MemoryId, score, standing| {
            let item = items.iter().find(|item| item.memory == *memory)?;
            Some(PreviewLine {
                memory: memory.clone(),
                revision: item.revision,
                kind: item.kind.clone(),
                name: item.name.clone(),
                content: item.content.clone(),
                score,
                standing,
            })
        };
        let told = block.items.iter().filter_map(|item| {
            let standing = Standing::Told(item.why);
            line(&item.memory, Some(item.score), standing)
        });
        let left = block
            .cut
            .iter()
            .filter_map(|cut| line(&cut.memory, None, Standing::LeftOut(cut.why)));
        Ok(ContextPreview {
            lines: told.chain(left).collect(),
            block: block.text,
            tokens: block.tokens,
            budget,
            reason,
        })
    }

    async fn assemble(
        &self,
        permit: &Permit,
        agent: &AgentName,
        request: &ContextRequest,
        now: Timestamp,
    ) -> Result<Assembled> {
        for (pointer, number) in [
            ("/max_tokens", request.max_tokens),
            ("/model_window", request.model_window),
        ] {
            if number == Some(0) {
                return Err(EngineError::invalid(pointer, "range", "a number from 1 on"));
            }
        }
        let mut tx = self.read(permit).await?;
        let settings = tx
            .agent(agent)
            .await?
            .ok_or(EngineError::NotFound)?
            .settings;
        let user = tx.find_user(agent, &request.scope).await?;
        let ids = match &user {
            Some(user) => tx.together(agent, &user.id).await?,
            None => Vec::new(),
        };
        let of_profile = request.layout == Layout::Profile;
        let (reason, told) = if !settings.serve {
            (Some("serving_off"), Told::default())
        } else if tx.opted_out(&request.scope).await?
            || opt_out::any_out(&mut tx, &ids, user.as_ref()).await?
        {
            (Some("opted_out"), Told::default())
        } else if of_profile {
            (None, fields(&mut tx, agent, &ids, now).await?)
        } else {
            (
                None,
                told(&mut tx, agent, &ids, settings.max_memories, now).await?,
            )
        };
        let kinds = tx.kinds(agent).await?;
        drop(tx);
        let Told { memories, mut left } = told;
        // What a layout never shows is neither served nor cut.
        left.retain(|(memory, _)| (memory.kind == profile::KIND) == of_profile);
        let mut items: Vec<Item> = memories.iter().map(Item::from).collect();
        let mut block = render::render(&asked(request), &items, &kinds, now);
        block.cut.extend(left.iter().map(|(memory, why)| Cut {
            memory: memory.id.clone(),
            why: *why,
        }));
        items.extend(left.iter().map(|(memory, _)| Item::from(memory)));
        Ok(Assembled {
            user,
            reason,
            items,
            block,
        })
    }

    /// Writes the servings that wait in memory.
    ///
    /// # Errors
    /// Where the database does not take them; they are kept for the next try.
    pub async fn flush(&self) -> Result<()> {
        let engine = self.clone();
        // A task of its own goes on where the caller is dropped: a request that was cut off takes no rows with it.
        let written = tokio::spawn(async move {
            let _writing = engine.inner.servings.writing.lock().await;
            engine.flush_now().await
        });
        written
            .await
            .map_err(|error| EngineError::Internal(Box::new(error)))?
    }

    async fn flush_now(&self) -> Result<()> {
        let mut rows = self.inner.servings.take();
        while !rows.is_empty() {
            let rest = rows.split_off(rows.len().min(self.settings().servings_rows.max(1)));
            if let Err(error) = self.write_servings(&rows).await {
                rows.extend(rest);
                self.inner.servings.put_back(rows);
                return Err(error);
            }
            rows = rest;
        }
        Ok(())
    }

    async fn write_servings(&self, rows: &[Serving]) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.record_servings(rows, self.now()).await?;
        Ok(tx.commit().await?)
    }

    pub(crate) async fn servings_filled(&self) {
        self.inner.servings.filled().await;
    }
}

/// What is asked of the renderer.
fn asked(request: &ContextRequest) -> Request<'_> {
    let budget =
        |tokens: Option<u32>| tokens.map(|tokens| usize::try_from(tokens).unwrap_or(usize::MAX));
    Request {
        query: request
            .query
            .as_deref()
            .filter(|query| !query.trim().is_empty()),
        layout: request.layout,
        max_tokens: budget(request.max_tokens),
        model_window: budget(request.model_window),
    }
}

/// What the profiles of a user are made of: a field of a schema that was removed waits for a person to retire it (C8).
async fn fields(tx: &mut Tx, agent: &AgentName, ids: &[UserId], now: Timestamp) -> Result<Told> {
    let schemas = tx.profile_schemas(agent).await?;
    let mut fields = told_fields(tx, agent, ids, now).await?;
    fields.memories.retain(|memory| {
        place_of(memory).is_some_and(|(schema, _)| schemas.iter().any(|known| known.id == schema))
    });
    Ok(fields)
}

/// Changes with every revision in the block and with its text.
fn etag(block: &render::Block) -> String {
    let mut hash = Sha256::new();
    for item in &block.items {
        hash.update(item.memory.as_str());
        hash.update(item.revision.to_be_bytes());
    }
    hash.update(&block.text);
    domain::audit::hex(&hash.finalize()[..16])
}
