//! `/decisions`.

use app::{
    pages::decisions::{Decisions, Filter, Row, decisions},
    shell::Place,
};
use axum::{extract::Query, response::Response};
use domain::{agent::AgentName, candidate::Status, kind::Kind, permission::Permission, time::Span};
use engine::{CandidateView, DecisionFilter, Judge, Page, quality::MOST_DAYS};

use super::{by::by, look::Look};
use crate::{auth::Viewer, page_error::PageError};

/// How far back the list goes where the address does not say.
const DAYS: i64 = 30;

/// What was decided.
pub async fn show(
    viewer: Viewer,
    look: Look,
    Query(filter): Query<Filter>,
) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Quality).await?;
    let page = load(&look, &viewer, filter).await?;
    look.draw(move || decisions(&frame, &page)).await
}

async fn load(look: &Look, viewer: &Viewer, filter: Filter) -> Result<Decisions, PageError> {
    let engine = look.engine();
    let agents = engine.agents(&viewer.ask(Permission::ReadAgents)?).await?;
    // An agent that is gone, or outside, filters nothing, like every value that means nothing.
    let known = agents
        .iter()
        .any(|agent| agent.name.as_str() == filter.agent);
    let filter = Filter {
        agent: if known { filter.agent } else { String::new() },
        span: span(&filter.span),
        ..filter
    };
    let wanted = wanted(look, &filter);
    let page = Page {
        cursor: Some(filter.after.clone()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let list = engine.decisions(&viewer.permit, &wanted, &page).await?;
    Ok(Decisions {
        count: engine.count_decisions(&viewer.permit, &wanted).await?,
        kinds: kinds(&filter),
        agents: agents
            .into_iter()
            .map(|agent| agent.name.to_string())
            .collect(),
        rows: list.data.into_iter().map(|view| row(look, view)).collect(),
        next: list.next,
        filter,
    })
}

/// The span of the address as the select has it.
fn span(asked: &str) -> String {
    match asked.parse::<i64>() {
        _ if asked == "today" => asked.to_owned(),
        Ok(days) if (1..=MOST_DAYS).contains(&days) => days.to_string(),
        _ => DAYS.to_string(),
    }
}

fn wanted(look: &Look, filter: &Filter) -> DecisionFilter {
    let days = filter.span.parse().map(Span::days);
    DecisionFilter {
        agent: AgentName::parse(&filter.agent).ok(),
        kind: Some(filter.kind.clone()).filter(|kind| !kind.is_empty()),
        approved: match filter.verdict.as_str() {
            "approve" => Some(true),
            "reject" => Some(false),
            _ => None,
        },
        judge: if filter.by == "policy" {
            Judge::Policy
        } else {
            Judge::Person
        },
        since: days.map_or_else(|_| look.midnight(), |days| look.now - days),
    }
}

/// The kinds to choose from: those that agents start with, and the one that is chosen.
fn kinds(filter: &Filter) -> Vec<String> {
    let start = Kind::assistant().into_iter().chain(Kind::business());
    let mut kinds: Vec<String> = start.map(|kind| kind.name).collect();
    if !filter.kind.is_empty() && !kinds.contains(&filter.kind) {
        kinds.push(filter.kind.clone());
    }
    kinds
}

fn row(look: &Look, view: CandidateView) -> Row {
    let text = look.text();
    let by = view.decided_by.as_ref();
    Row {
        by: by
            .and_then(|one| self::by(text, one))
            .unwrap_or_else(|| text.words.by_system.to_owned()),
        rejected: view.reason.filter(|_| view.status == Status::Rejected),
        at: view.decided_at.unwrap_or(view.created_at),
        agent: view.agent.to_string(),
        id: view.id,
        content: view.content,
        language: view.language,
        kind: view.kind,
        who: view.who,
    }
}
