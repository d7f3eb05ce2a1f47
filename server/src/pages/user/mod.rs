//! `/users/{id}`.

mod as_of;
mod context;
mod erase;

pub use self::{
    as_of::earlier,
    context::preview,
    erase::{erase, hold},
};

use app::{
    pages::user::{Conversation, Entry, Event, Profile, Row, User, Waiting, erased, user},
    shell::Place,
    text::Text,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    response::Response,
};
use domain::{
    agent::AgentScope,
    candidate::Reason,
    id::{CandidateId, ConversationId, MemoryId, UserId},
    permission::Permission,
};
use engine::{
    EngineError, EventView, MemoryView, Page, ProfileRow, ProfileTable, Said, TimelineEntry,
    UserRef,
};
use serde::Deserialize;

use super::{by::by, form::id, joins::joined, look::Look, memories::line, serving::told_of};
use crate::{
    auth::{Admin, Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// Where the pages of the timeline and of the conversations begin, and for which request of theirs they are to be erased.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    after: String,
    conversations: String,
    request: String,
}

/// Lines of the timeline, and conversations, of a page.
const LISTED: u32 = 50;

fn beginning(cursor: String) -> Page {
    Page {
        cursor: Some(cursor).filter(|cursor| !cursor.is_empty()),
        limit: LISTED,
    }
}

/// One person.
pub async fn show(
    signed: Signed<need::ReadUsers>,
    look: Look,
    Path(text): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Users).await?;
    let id = id(&text)?;
    match load(&look, &signed, &id, asked).await {
        Err(PageError::Engine(EngineError::Erased { .. })) => {
            let gone = erase::gone(&look, &signed, &id).await?;
            look.draw(move || erased(&frame, &gone)).await
        }
        found => {
            let found = found?;
            look.draw(move || user(&frame, &found)).await
        }
    }
}

async fn load(
    look: &Look,
    signed: &Signed<need::ReadUsers>,
    id: &UserId,
    asked: Asked,
) -> Result<User, PageError> {
    let wanted = UserRef::Id(id.clone());
    let further_conversations = !asked.conversations.is_empty();
    let detail = look.engine().user(&signed.permit, &wanted, None).await?;
    let events = look
        .engine()
        .timeline_with_servings(&signed.permit, &wanted, None, &beginning(asked.after))
        .await?;
    let listed = look
        .engine()
        .conversations_of(
            &signed.permit,
            &wanted,
            None,
            &beginning(asked.conversations),
        )
        .await?;
    // It counts for every agent, so only who administers all of them takes it back.
    let may_opt_out = signed
        .ask(Permission::Administer)
        .is_ok_and(|permit| !detail.user.opted_out || *permit.scope() == AgentScope::All);
    let profiles = look
        .engine()
        .profile_fields(&signed.permit, &wanted, None)
        .await?;
    let reads = signed.ask(Permission::ReadAgents)?;
    let order = look
        .engine()
        .kinds_in_use(&reads, &detail.user.agent)
        .await?;
    let waiting = detail.waiting.into_iter().map(|view| Waiting {
        href: format!("/candidates/{}", view.id),
        kind: view.kind,
        content: view.content,
        language: view.language,
        expires_at: view.expires_at,
    });
    let conversations = listed.data.into_iter().map(|row| Conversation {
        id: row.id,
        messages: row.messages,
        at: row.created_at,
    });
    let may_export = signed
        .ask(Permission::Export)
        .is_ok_and(|permit| permit.scope().contains(&detail.user.agent));
    let request = asked.request.parse().ok();
    let text = look.text();
    Ok(User {
        joined: joined(
            look,
            signed,
            &detail.user.agent,
            detail.joins,
            detail.conflicts,
        ),
        known: by_kind(&order, detail.memories),
        profiles: profiles.into_iter().map(profile).collect(),
        opted_out: detail.user.opted_out,
        may_opt_out,
        waiting: waiting.collect(),
        conversations: conversations.collect(),
        next_conversations: listed.next,
        further_conversations,
        may_export,
        events: events
            .data
            .into_iter()
            .map(|one| entry(text, one))
            .collect(),
        next: events.next,
        id: detail.user.id,
        who: detail.user.who,
        agent: detail.user.agent.to_string(),
        first_seen: detail.user.created_at,
        last_seen: detail.user.last_seen,
        erasing: erase::erasing(look, signed, &wanted, request).await?,
    })
}

fn profile(table: ProfileTable) -> Profile {
    Profile {
        schema: table.schema,
        present: table.version.is_some(),
        rows: table.fields.into_iter().map(row).collect(),
    }
}

fn row(row: ProfileRow) -> Row {
    Row {
        field: row.field,
        description: row.description,
        value: row.words,
        memory: row.memory.zip(row.revision),
        updated_at: row.updated_at,
        expires_at: row.expires_at,
        fits: row.fits,
    }
}

/// The form of the switch.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct OptOut {
    opted_out: bool,
}

/// Stops learning and serving for a person, or takes that back (G2).
pub async fn opt_out(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<OptOut>,
) -> Result<Response, PageError> {
    let user: UserId = id(&text)?;
    let wanted = UserRef::Id(user.clone());
    app.engine
        .set_opt_out(&admin.permit, &wanted, form.opted_out)
        .await?;
    let code = if form.opted_out {
        "opted_out"
    } else {
        "opted_in"
    };
    flashes
        .see_other(&format!("/users/{user}"), Flash::new(code))
        .await
}

/// Memories by kind, in the order of the registry; kinds that left it come last.
fn by_kind(
    order: &[String],
    memories: Vec<MemoryView>,
) -> Vec<(String, Vec<app::pages::memories::Line>)> {
    let mut groups: Vec<(String, Vec<_>)> = Vec::new();
    for memory in memories {
        let kind = memory.kind.clone();
        match groups.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, lines)) => lines.push(line(memory)),
            None => groups.push((kind, vec![line(memory)])),
        }
    }
    let place = |kind: &String| {
        order
            .iter()
            .position(|known| known == kind)
            .unwrap_or(usize::MAX)
    };
    groups.sort_by_key(|(kind, _)| place(kind));
    groups
}

fn entry(text: &'static Text, entry: TimelineEntry) -> Entry {
    match entry {
        TimelineEntry::Event { event: one, said } => Entry::Event(event(text, *one, said)),
        TimelineEntry::Served(serving) => Entry::Served(told_of(*serving)),
    }
}

fn event(text: &'static Text, event: EventView, said: Option<Said>) -> Event {
    let reason = event.data.get("reason").and_then(|reason| reason.as_str());
    let reason: Option<Reason> = reason.and_then(|reason| reason.parse().ok());
    let by = match event.actor.r#type.as_str() {
        "system" => None,
        _ => by(text, &event.actor).or(event.actor.id.clone()),
    };
    Event {
        at: event.at,
        r#type: event.r#type,
        href: href(&event.subject),
        said: said.map(|said| (said.content, said.language)),
        detail: reason.map(|reason| (text.words.reason)(reason).to_owned()),
        seq: event.seq,
        by,
    }
}

/// The page of what an event is about.
pub fn href(subject: &str) -> Option<String> {
    let folder = if CandidateId::parse(subject).is_ok() {
        "candidates"
    } else if MemoryId::parse(subject).is_ok() {
        "memories"
    } else if ConversationId::parse(subject).is_ok() {
        "conversations"
    } else {
        return None;
    };
    Some(format!("/{folder}/{subject}"))
}
