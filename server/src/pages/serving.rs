//! `/servings/{id}`.

use app::{
    pages::serving::{Item, Serving, serving},
    shell::Place,
};
use axum::{extract::Path, response::Response};
use domain::id::ServingId;
use engine::{ServedItem, ServingView};

use super::{form::id, look::Look};
use crate::{
    auth::{Signed, need},
    page_error::PageError,
};

/// One answer that an agent got.
pub async fn show(
    signed: Signed<need::ReadUsers>,
    look: Look,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Users).await?;
    let id: ServingId = id(&text)?;
    let told = look.engine().serving(&signed.permit, &id).await?;
    let page = told_of(told);
    look.draw(move || serving(&frame, &page)).await
}

/// An answer as the pages show it.
pub fn told_of(view: ServingView) -> Serving {
    let item = |item: ServedItem| Item {
        memory: item.memory,
        revision: item.revision,
        kind: item.kind,
        name: item.name,
        content: item.content,
    };
    Serving {
        id: view.id,
        user: view.user,
        who: view.who,
        agent: view.agent.to_string(),
        session: view.conversation,
        conversation: view.stored,
        at: view.at,
        tokens: view.tokens.unsigned_abs(),
        cut: view.cut.unsigned_abs(),
        items: view.items.into_iter().map(item).collect(),
    }
}
