//! `/users`.

use app::{
    pages::users::{Row, Users, users},
    shell::Place,
};
use axum::{extract::Query, response::Response};
use domain::{agent::AgentName, permission::Permission, user::Scope};
use engine::{List, Page, UserView};
use serde::Deserialize;

use super::look::Look;
use crate::{
    auth::{Signed, need},
    page_error::PageError,
};

/// What the address asks for.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    agent: String,
    q: String,
    after: String,
}

/// The people.
pub async fn show(
    signed: Signed<need::ReadUsers>,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Users).await?;
    let list = load(&look, &signed, &asked).await?;
    let agents = look
        .engine()
        .agents(&signed.ask(Permission::ReadAgents)?)
        .await?;
    let page = Users {
        agents: agents
            .into_iter()
            .map(|agent| agent.name.to_string())
            .collect(),
        agent: asked.agent,
        q: asked.q,
        rows: list.data.into_iter().map(row).collect(),
        next: list.next,
    };
    look.draw(move || users(&frame, &page)).await
}

async fn load(
    look: &Look,
    signed: &Signed<need::ReadUsers>,
    asked: &Asked,
) -> Result<List<UserView>, PageError> {
    let agent = AgentName::parse(&asked.agent).ok();
    let page = Page {
        cursor: Some(asked.after.clone()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let wanted = asked.q.trim();
    let scope = match Scope::user_id(wanted) {
        Ok(scope) => Some(scope),
        Err(_) if wanted.is_empty() => None,
        // Text that can be nobody's name finds nobody.
        Err(_) => return Ok(List::whole(Vec::new())),
    };
    Ok(look
        .engine()
        .users(&signed.permit, agent.as_ref(), scope.as_ref(), &page)
        .await?)
}

fn row(user: UserView) -> Row {
    Row {
        id: user.id,
        who: user.who,
        agent: user.agent.to_string(),
        approved: user.approved,
        waiting: user.waiting,
        first_seen: user.created_at,
        last_seen: user.last_seen,
    }
}
