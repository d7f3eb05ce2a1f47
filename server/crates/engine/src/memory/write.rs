//! Memories by a person's own hand: added, edited, retired and restored, straight to approved and never without an event.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::Edit,
    id::MemoryId,
    memory::{Memory, MemoryStatus, RetiredFor, RevisionAction},
    permission::{Permission, Permit},
    user::Scope,
};
use serde_json::{Map, Value};
use store::{Tx, Write};

use super::MemoryView;
use crate::{
    Engine, again,
    error::{Current, EngineError, Result},
    need, opt_out,
    profile::{settled, time_to_live},
    review::{
        Version,
        carry_out::{Statement, has_place, nobody_says},
        limit::has_room,
        reopen::as_it_was,
        statement,
    },
    speaks,
    view::Names,
    worker::languages_of,
    writes,
};

/// A memory that a person writes down.
#[derive(Debug, Clone)]
pub struct NewMemory {
    /// Whom it is about.
    pub scope: Scope,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Metadata that fits the kind's schema.
    pub metadata: Map<String, Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How much it matters; 0.8 unless said.
    pub importance: Option<f64>,
    /// Why it was added.
    pub note: Option<String>,
}

/// What a person changes of a memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryEdit {
    /// Its values.
    pub edit: Edit,
    /// When it stops being served, `Some(None)` never; `None`: as its kind says, counted from now (B6, D4).
    pub expires_at: Option<Option<Timestamp>>,
}

impl From<Edit> for MemoryEdit {
    fn from(edit: Edit) -> Self {
        Self {
            edit,
            expires_at: None,
        }
    }
}

async fn outward(tx: &mut Tx, memory: Memory) -> Result<MemoryView> {
    Names::default()
        .memory(tx, memory)
        .await?
        .ok_or(EngineError::NotFound)
}

/// The memory, locked; refused where another revision than the one that was seen is the newest.
async fn seen(tx: &mut Tx, id: &MemoryId, version: Version) -> Result<Memory> {
    let memory = tx
        .memory_for_update(id)
        .await?
        .ok_or(EngineError::NotFound)?;
    if version.fits(memory.revision) {
        return Ok(memory);
    }
    let current = outward(tx, memory).await?;
    Err(EngineError::Stale {
        current: Current::Memory(Box::new(current)),
    })
}

async fn approved(tx: &mut Tx, id: &MemoryId, version: Version) -> Result<Memory> {
    let memory = seen(tx, id, version).await?;
    if memory.status == MemoryStatus::Approved {
        return Ok(memory);
    }
    let current = outward(tx, memory).await?;
    Err(EngineError::MovedOn {
        current: Current::Memory(Box::new(current)),
    })
}

impl Engine {
    /// Adds a memory.
    ///
    /// # Errors
    /// `invalid`, `secret`, `slot_taken`, `memory_limit`, `opted_out`.
    pub async fn add_memory(
        &self,
        permit: &Permit,
        agent: &AgentName,
        new: NewMemory,
    ) -> Result<MemoryView> {
        need(permit, &[Permission::Decide])?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        match again!(self.add_memory_once(&permit, agent, &new).await) {
            Err(EngineError::Full { limit, .. }) => {
                let about = self
                    .read(&permit)
                    .await?
                    .find_user(agent, &new.scope)
                    .await?;
                let about = about.ok_or(EngineError::NotFound)?;
                Err(self.full(limit, agent, &about.id).await)
            }
            done => done,
        }
    }

    async fn add_memory_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        new: &NewMemory,
    ) -> Result<MemoryView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let kind = statement::kind(&mut tx, agent, &new.kind).await?;
        let name = new.name.as_deref();
        statement::check(&kind, name, &new.content, &new.metadata, new.importance)?;
        let written = (new.content.clone(), new.metadata.clone());
        let (content, metadata) = settled(&mut tx, agent, &kind.name, name, written, None).await?;
        statement::check(&kind, name, &content, &metadata, new.importance)?;
        let user = tx.ensure_user(agent, &new.scope, &stamp).await?;
        tx.lock_user(agent, &user.id).await?;
        opt_out::not_out(&mut tx, &user.id).await?;
        let statement = Statement {
            kind: &kind.name,
            name,
            content: &content,
        };
        nobody_says(&mut tx, agent, &user.id, &statement, &[], stamp.now).await?;
        has_room(&mut tx, agent, &user.id, stamp.now).await?;
        let life = time_to_live(&mut tx, agent, &kind, name).await?;
        let others = tx.approved(agent, &user.id, stamp.now).await?;
        let of_a_field = kind.name == domain::profile::KIND;
        let others = languages_of(&others);
        let language = domain::text::language_with(&content, of_a_field, others).to_owned();
        let write = Write {
            expires_at: life.map(|life| stamp.now + life),
            serve_from: None,
            kind: kind.name,
            name: new.name.clone(),
            language,
            content,
            metadata,
            tags: new.tags.clone(),
            confidence: 1.0,
            importance: new.importance.unwrap_or(0.8),
            conversation: None,
            said_at: stamp.now,
            candidate: None,
            decision: None,
            note: new.note.clone(),
        };
        writes(permit, agent, &write.language)?;
        let id = MemoryId::new(stamp.now, self.entropy());
        let memory = tx
            .create_memory(id, agent, &user.id, &write, &stamp)
            .await?;
        let view = outward(&mut tx, memory).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Gives a memory another value, or another end: a new revision.
    ///
    /// # Errors
    /// `stale`, `moved_on` (it is retired), `invalid`, `secret`, `slot_taken`; `memory_limit` where its end had passed.
    pub async fn edit_memory(
        &self,
        permit: &Permit,
        id: &MemoryId,
        version: Version,
        change: impl Into<MemoryEdit>,
        note: Option<String>,
    ) -> Result<MemoryView> {
        need(permit, &[Permission::Decide])?;
        let change = change.into();
        if change.edit.is_empty() && change.expires_at.is_none() {
            return Err(EngineError::invalid("", "required", "nothing to change"));
        }
        let done = again!(
            self.edit_memory_once(permit, id, version, &change, note.as_deref())
                .await
        );
        self.or_room(permit, id, done).await
    }

    async fn edit_memory_once(
        &self,
        permit: &Permit,
        id: &MemoryId,
        version: Version,
        change: &MemoryEdit,
        note: Option<&str>,
    ) -> Result<MemoryView> {
        let edit = &change.edit;
        let stamp = self.stamp(permit);
        if let Some(Some(end)) = change.expires_at
            && end <= stamp.now
        {
            let detail = "a time to come; to end it now, retire it";
            return Err(EngineError::invalid("/expires_at", "past", detail));
        }
        let mut tx = self.write(permit).await?;
        let memory = approved(&mut tx, id, version).await?;
        speaks(permit, &memory.agent, &memory.language)?;
        // A memory of a kind that is off may be edited; none is moved there.
        let kinds = tx.kinds(&memory.agent).await?;
        let kind = match kinds.into_iter().find(|kind| kind.name == memory.kind) {
            Some(kind) if edit.kind.is_none() => kind,
            _ => {
                let wanted = edit.kind.as_deref().unwrap_or(&memory.kind);
                statement::kind(&mut tx, &memory.agent, wanted).await?
            }
        };
        let name = edit.name.clone().or_else(|| memory.name.clone());
        let content = edit
            .content
            .clone()
            .unwrap_or_else(|| memory.content.clone());
        let metadata = edit
            .metadata
            .clone()
            .unwrap_or_else(|| memory.metadata.clone());
        statement::check(&kind, name.as_deref(), &content, &metadata, edit.importance)?;
        let (content, metadata) = if edit.is_empty() {
            (content, metadata)
        } else {
            let before = (memory.content.as_str(), &memory.metadata);
            let written = (content, metadata);
            settled(
                &mut tx,
                &memory.agent,
                &kind.name,
                name.as_deref(),
                written,
                Some(before),
            )
            .await?
        };
        let expires_at = match change.expires_at {
            Some(end) => end,
            None => time_to_live(&mut tx, &memory.agent, &kind, name.as_deref())
                .await?
                .map(|life| stamp.now + life),
        };
        let of_a_field = kind.name == domain::profile::KIND;
        let hint = memory.language.as_str();
        let language = domain::text::language_with(&content, of_a_field, [hint]).to_owned();
        let write = Write {
            expires_at,
            serve_from: None,
            kind: kind.name,
            name,
            language,
            content,
            metadata,
            tags: memory.tags.clone(),
            confidence: memory.confidence,
            importance: edit.importance.unwrap_or(memory.importance),
            conversation: memory.conversation.clone(),
            said_at: memory.said_at,
            candidate: None,
            decision: None,
            note: note.map(str::to_owned),
        };
        writes(permit, &memory.agent, &write.language)?;
        has_place(&mut tx, &memory, &write, &[], stamp.now).await?;
        let memory = tx
            .revise_memory(&memory, RevisionAction::Update, &write, &stamp)
            .await?;
        let view = outward(&mut tx, memory).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Retires a memory: kept, no longer served.
    ///
    /// # Errors
    /// `stale`, `moved_on` (it is retired already).
    pub async fn retire_memory(
        &self,
        permit: &Permit,
        id: &MemoryId,
        version: Version,
        note: Option<String>,
    ) -> Result<MemoryView> {
        need(permit, &[Permission::Decide])?;
        again!(
            self.retire_memory_once(permit, id, version, note.as_deref())
                .await
        )
    }

    async fn retire_memory_once(
        &self,
        permit: &Permit,
        id: &MemoryId,
        version: Version,
        note: Option<&str>,
    ) -> Result<MemoryView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let memory = approved(&mut tx, id, version).await?;
        speaks(permit, &memory.agent, &memory.language)?;
        let memory = tx
            .retire_memory(&memory, RetiredFor::Deleted, None, None, note, &stamp)
            .await?;
        let view = outward(&mut tx, memory).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Gives a memory the value of an earlier revision, as a new one; `None` is the newest value before the present one. Its time to
    /// live starts anew.
    ///
    /// # Errors
    /// `stale`, `slot_taken`; `language_not_yours` of what is there or comes back; `memory_limit` where it comes back; `invalid` for a
    /// revision that does not exist or is the present value.
    pub async fn restore_memory(
        &self,
        permit: &Permit,
        id: &MemoryId,
        version: Version,
        revision: Option<i64>,
        note: Option<String>,
    ) -> Result<MemoryView> {
        need(permit, &[Permission::Decide])?;
        let done = again!(
            self.restore_memory_once(permit, id, version, revision, note.as_deref())
                .await
        );
        self.or_room(permit, id, done).await
    }

    /// Where there is no room for a memory that comes back: the refusal with the proposal that would make some.
    async fn or_room(
        &self,
        permit: &Permit,
        id: &MemoryId,
        done: Result<MemoryView>,
    ) -> Result<MemoryView> {
        let Err(EngineError::Full { limit, .. }) = done else {
            return done;
        };
        let memory = self.read(permit).await?.memory(id).await?;
        let memory = memory.ok_or(EngineError::NotFound)?;
        Err(self.full(limit, &memory.agent, &memory.user).await)
    }

    async fn restore_memory_once(
        &self,
        permit: &Permit,
        id: &MemoryId,
        version: Version,
        revision: Option<i64>,
        note: Option<&str>,
    ) -> Result<MemoryView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let memory = seen(&mut tx, id, version).await?;
        speaks(permit, &memory.agent, &memory.language)?;
        let revisions = tx.revisions(id).await?;
        let unknown =
            || EngineError::invalid("/revision", "unknown", "there is no such earlier revision");
        let wanted = match revision {
            Some(number) => revisions.iter().find(|revision| {
                revision.number == number && revision.action != RevisionAction::Retire
            }),
            // A retired memory still shows its last value; that is the one that comes back.
            None => revisions
                .iter()
                .rev()
                .skip(1)
                .find(|revision| revision.action != RevisionAction::Retire),
        };
        let wanted = wanted.ok_or_else(unknown)?;
        if wanted.number == memory.revision && memory.status == MemoryStatus::Approved {
            return Err(unknown());
        }
        let kinds = tx.kinds(&memory.agent).await?;
        let life = match kinds.iter().find(|kind| kind.name == wanted.kind) {
            Some(kind) => {
                time_to_live(&mut tx, &memory.agent, kind, wanted.name.as_deref()).await?
            }
            None => None,
        };
        // A profile field comes back as its schema has it now, or not at all.
        let (content, metadata) = settled(
            &mut tx,
            &memory.agent,
            &wanted.kind,
            wanted.name.as_deref(),
            (wanted.content.clone(), wanted.metadata.clone()),
            Some((&wanted.content, &wanted.metadata)),
        )
        .await?;
        let write = Write {
            content,
            metadata,
            expires_at: life.map(|life| stamp.now + life),
            note: note.map(str::to_owned),
            ..as_it_was(wanted, &memory.language)
        };
        writes(permit, &memory.agent, &write.language)?;
        has_place(&mut tx, &memory, &write, &[], stamp.now).await?;
        let memory = tx
            .revise_memory(&memory, RevisionAction::Restore, &write, &stamp)
            .await?;
        let view = outward(&mut tx, memory).await?;
        tx.commit().await?;
        Ok(view)
    }
}
