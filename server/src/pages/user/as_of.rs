//! `/users/{id}/as-of`.

use app::{
    components::form::Typed,
    pages::user::{AsOf, Known, Then, Waited, as_of},
    shell::Place,
    text::Text,
};
use axum::{
    extract::{Path, Query},
    response::Response,
};
use domain::{id::UserId, permission::Permission};
use engine::{CandidateThen, EngineError, MemoryThen, Page, UserRef};
use serde::Deserialize;

use crate::{
    auth::{Signed, need},
    page_error::PageError,
    pages::{
        by::by,
        form::{id, instant, typed},
        look::Look,
        serving::told_of,
    },
};

/// What the address asks for.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    at: String,
    after: String,
}

/// What was known and served about a person at an instant.
pub async fn earlier(
    signed: Signed<need::ReadUsers>,
    look: Look,
    Path(text): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Users).await?;
    let user: UserId = id(&text)?;
    let wanted = UserRef::Id(user.clone());
    let of = look
        .engine()
        .user(&signed.permit, &wanted, None)
        .await?
        .user;
    let mut typed = Typed::default();
    let held = then(&look, &signed, &wanted, &asked).await;
    let then = match held {
        Ok(then) => then,
        Err(EngineError::Invalid(faults)) if faults.iter().all(|fault| fault.pointer == "/at") => {
            typed.values.insert("at".to_owned(), asked.at);
            let codes = faults
                .into_iter()
                .map(|fault| ("at".to_owned(), fault.code.to_owned()));
            typed.faults.extend(codes);
            None
        }
        Err(error) => return Err(error.into()),
    };
    let exports = signed.ask(Permission::Export);
    let page = AsOf {
        user,
        who: of.who,
        may_export: exports.is_ok_and(|exports| exports.scope().contains(&of.agent)),
        agent: of.agent.to_string(),
        typed,
        then,
    };
    look.draw(move || as_of(&frame, &page)).await
}

async fn then(
    look: &Look,
    signed: &Signed<need::ReadUsers>,
    user: &UserRef,
    asked: &Asked,
) -> Result<Option<Then>, EngineError> {
    let Some(at) = instant(look, "/at", &asked.at)? else {
        return Ok(None);
    };
    let page = Page {
        cursor: typed(&asked.after),
        ..Page::default()
    };
    let held = look
        .engine()
        .as_of(&signed.permit, user, None, at, &page)
        .await?;
    let text = look.text();
    Ok(Some(Then {
        at: held.at,
        known: held
            .memories
            .into_iter()
            .map(|memory| known(text, memory))
            .collect(),
        waiting: held.waiting.into_iter().map(waited).collect(),
        servings: held.servings.into_iter().map(told_of).collect(),
        next: held.next,
    }))
}

fn known(text: &'static Text, memory: MemoryThen) -> Known {
    Known {
        by: by(text, &memory.approved_by).unwrap_or_else(|| text.words.by_system.to_owned()),
        agreed_by: memory.agreed_by.and_then(|first| by(text, &first)),
        memory: memory.memory,
        revision: memory.revision,
        kind: memory.kind,
        name: memory.name,
        content: memory.content,
        approved_at: memory.approved_at,
        expires_at: memory.expires_at,
    }
}

fn waited(candidate: CandidateThen) -> Waited {
    Waited {
        candidate: candidate.candidate,
        action: candidate.action,
        kind: candidate.kind,
        content: candidate.content,
        language: candidate.language,
        since: candidate.since,
        until: candidate.until,
    }
}
