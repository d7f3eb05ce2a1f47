//! `/users/{id}/context`.

use app::{
    pages::user::{Ask, Because, ContextPreview, Told, context},
    shell::Place,
};
use axum::{
    extract::{Path, Query},
    response::Response,
};
use domain::id::UserId;
use engine::{PreviewLine, PreviewRequest, Standing, UserRef};
use serde::Deserialize;

use crate::{
    auth::{Signed, need},
    page_error::PageError,
    pages::{
        form::{id, typed},
        look::Look,
    },
};

/// What the address asks for.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    query: String,
    tokens: String,
    layout: String,
}

/// What an agent would be told about a person.
pub async fn preview(
    signed: Signed<need::ReadUsers>,
    look: Look,
    Path(text): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Users).await?;
    let user: UserId = id(&text)?;
    let layout = asked.layout.parse().unwrap_or_default();
    let request = PreviewRequest {
        query: typed(&asked.query),
        // What is no number of tokens asks for none in particular.
        max_tokens: asked.tokens.parse().ok().filter(|tokens| *tokens > 0),
        layout,
    };
    let engine = look.engine();
    let seen = engine
        .context_preview(&signed.permit, &user, request)
        .await?;
    let of = engine
        .user(&signed.permit, &UserRef::Id(user.clone()), None)
        .await?
        .user;
    let page = ContextPreview {
        user,
        who: of.who,
        agent: of.agent.to_string(),
        ask: Ask {
            query: asked.query,
            tokens: asked.tokens,
            layout,
        },
        block: seen.block,
        tokens: seen.tokens,
        budget: seen.budget,
        reason: seen.reason,
        lines: seen.lines.into_iter().map(line).collect(),
    };
    look.draw(move || context(&frame, &page)).await
}

fn line(line: PreviewLine) -> Told {
    Told {
        because: match line.standing {
            Standing::Told(why) => Because::In(why),
            Standing::LeftOut(cut) => Because::Out(cut),
        },
        memory: line.memory,
        revision: line.revision,
        kind: line.kind,
        name: line.name,
        content: line.content,
        score: line.score,
    }
}
