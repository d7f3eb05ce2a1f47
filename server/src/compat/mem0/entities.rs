//! `GET /v1/entities/`: the client's `users()`.

use axum::{Json, extract::State};
use domain::{Timestamp, agent::AgentName};
use engine::{Page, UserView};
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use crate::{
    api::query::Query,
    auth::{Caller, need::ReadUsers},
    problem::Problem,
    state::AppState,
};

/// Which part of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntitiesQuery {
    cursor: Option<String>,
    agent_id: Option<AgentName>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    org_id: Option<String>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    project_id: Option<String>,
}

/// A part of the list.
#[derive(Debug, Serialize)]
pub struct Entities {
    results: Vec<Entity>,
    /// Where the next 200 are; null at the end.
    next: Option<String>,
}

/// A user.
#[derive(Debug, Serialize)]
struct Entity {
    id: String,
    name: String,
    r#type: &'static str,
    agent_id: AgentName,
    /// Approved ones.
    total_memories: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The people agents talk to, newest first. As in the REST API that is for a person's key.
pub async fn list(
    caller: Caller<ReadUsers>,
    State(app): State<AppState>,
    Query(asked): Query<EntitiesQuery>,
) -> Result<Json<Entities>, Problem> {
    let page = Page {
        cursor: asked.cursor,
        limit: Page::MOST,
    };
    let agent = asked.agent_id.as_ref();
    let users = app.engine.users(&caller.permit, agent, None, &page).await?;
    let next = |cursor: String| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("cursor", &cursor);
        query.extend_pairs(agent.map(|agent| ("agent_id", agent.as_str())));
        format!("{}/v1/entities/?{}", super::PREFIX, query.finish())
    };
    Ok(Json(Entities {
        results: users.data.into_iter().map(Entity::from).collect(),
        next: users.next.map(next),
    }))
}

impl From<UserView> for Entity {
    fn from(user: UserView) -> Self {
        Self {
            id: user.id.to_string(),
            name: user.user_id.unwrap_or(user.who),
            r#type: "user",
            agent_id: user.agent,
            total_memories: user.approved,
            created_at: user.created_at,
            updated_at: user.last_seen.unwrap_or(user.created_at),
        }
    }
}
