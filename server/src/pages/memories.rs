//! `/memories`.

use app::{
    pages::memories::{Line, Memories, memories},
    shell::Place,
};
use axum::{extract::Query, response::Response};
use domain::{agent::AgentName, kind::Kind, memory::MemoryStatus, permission::Permission};
use engine::{MemoryFilter, MemoryView, Page};
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
    kind: String,
    status: String,
    q: String,
    after: String,
}

impl Asked {
    fn filter(&self) -> MemoryFilter {
        let search = self.q.trim();
        MemoryFilter {
            retired: self.status == MemoryStatus::Retired.as_str(),
            agent: AgentName::parse(&self.agent).ok(),
            kinds: Some(self.kind.clone())
                .filter(|kind| !kind.is_empty())
                .into_iter()
                .collect(),
            search: (!search.is_empty()).then(|| search.to_owned()),
            ..MemoryFilter::default()
        }
    }
}

/// What is approved.
pub async fn show(
    signed: Signed<need::ReadHistory>,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Memories).await?;
    let page = Page {
        cursor: Some(asked.after.clone()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let list = look
        .engine()
        .memories(&signed.permit, &asked.filter(), &page)
        .await?;
    let agents = look
        .engine()
        .agents(&signed.ask(Permission::ReadAgents)?)
        .await?;
    let kinds = Kind::assistant()
        .into_iter()
        .chain(Kind::business())
        .chain(Kind::always_there());
    let page = Memories {
        agents: agents
            .into_iter()
            .map(|agent| agent.name.to_string())
            .collect(),
        kinds: kinds.map(|kind| kind.name).collect(),
        agent: asked.agent,
        kind: asked.kind,
        status: asked.status,
        q: asked.q,
        rows: list.data.into_iter().map(line).collect(),
        next: list.next,
    };
    look.draw(move || memories(&frame, &page)).await
}

/// A memory in a list.
pub fn line(memory: MemoryView) -> Line {
    Line {
        id: memory.id,
        who: memory.who,
        agent: memory.agent.to_string(),
        kind: memory.kind,
        name: memory.name,
        content: memory.content,
        language: memory.language,
        status: memory.status,
        updated_at: memory.updated_at,
        revision: memory.revision,
    }
}
