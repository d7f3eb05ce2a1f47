//! `/users`.

use app::{
    pages::users::{Row, Users, users},
    shell::Place,
};
use axum::{extract::Query, response::Response};
use domain::{agent::AgentName, permission::Permission, user::Scope};
use engine::{EngineError, List, Page, UserView};
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
    let agents = look
        .engine()
        .agents(&signed.ask(Permission::ReadAgents)?)
        .await?;
    // Where there is one agent, it is the one that is meant.
    let agent = match agents.as_slice() {
        [only] if asked.agent.is_empty() => Some(only.name.clone()),
        _ => AgentName::parse(&asked.agent).ok(),
    };
    let (list, opened) = load(&look, &signed, &asked, agent).await?;
    let page = Users {
        agents: agents
            .into_iter()
            .map(|agent| agent.name.to_string())
            .collect(),
        agent: asked.agent,
        q: asked.q,
        opened,
        rows: list.data.into_iter().map(row).collect(),
        next: list.next,
    };
    look.draw(move || users(&frame, &page)).await
}

async fn load(
    look: &Look,
    signed: &Signed<need::ReadUsers>,
    asked: &Asked,
    agent: Option<AgentName>,
) -> Result<(List<UserView>, Option<u64>), PageError> {
    let page = Page {
        cursor: Some(asked.after.clone()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let wanted = asked.q.trim();
    if let Some(agent) = agent.as_ref().filter(|_| !wanted.is_empty()) {
        let alike = look
            .engine()
            .users_like(&signed.permit, agent, wanted)
            .await;
        let alike = match alike {
            Err(EngineError::NotFound) => return Ok((List::whole(Vec::new()), None)),
            alike => alike?,
        };
        return Ok((List::whole(alike.users), alike.opened.map(u64::from)));
    }
    let scope = match Scope::user_id(wanted) {
        Ok(scope) => Some(scope),
        Err(_) if wanted.is_empty() => None,
        // Text that can be nobody's name finds nobody.
        Err(_) => return Ok((List::whole(Vec::new()), None)),
    };
    let engine = look.engine();
    let users = engine.users(&signed.permit, agent.as_ref(), scope.as_ref(), &page);
    Ok((users.await?, None))
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
        opted_out: user.opted_out,
    }
}
