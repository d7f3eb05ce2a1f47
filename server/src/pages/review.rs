//! `/review`.

use app::{
    pages::{
        candidate::Candidate,
        review::{Filter, Review, Row, review},
    },
    shell::Place,
};
use axum::{extract::Query, response::Response};
use domain::{
    agent::AgentName,
    id::{CandidateId, UserId},
    kind::Kind,
    permission::Permission,
    time::Span,
};
use engine::{CandidateFilter, CandidateView, Page, UserRef};

use super::{candidate, look::Look};
use crate::{auth::Viewer, page_error::PageError};

/// The queue.
pub async fn show(
    viewer: Viewer,
    look: Look,
    Query(filter): Query<Filter>,
) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Review).await?;
    let page = load(&look, &viewer, filter).await?;
    look.draw(move || review(&frame, page.clone())).await
}

async fn load(look: &Look, viewer: &Viewer, filter: Filter) -> Result<Review, PageError> {
    let engine = look.engine();
    let all = engine.overview(&viewer.permit).await?;
    let fits = narrowed(&filter);
    let fitting = if filter.narrows() {
        engine.count_candidates(&viewer.permit, &fits).await?
    } else {
        all.waiting
    };
    let page = Page {
        cursor: Some(filter.after.clone()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let list = engine.candidates(&viewer.permit, &fits, &page).await?;
    let reads = viewer.ask(Permission::ReadAgents)?;
    let agents = engine.agents(&reads).await?;
    let (open, named) = open(look, viewer, &filter, &list.data).await?;
    Ok(Review {
        filtered_user: filtered_user(look, viewer, &filter).await?,
        agents: agents
            .into_iter()
            .map(|agent| agent.name.to_string())
            .collect(),
        kinds: kinds(look, viewer, &filter).await?,
        rows: list.data.into_iter().map(row).collect(),
        next: list.next,
        fitting,
        waiting: all.waiting,
        expiring: all.expiring_soon,
        oldest: all.oldest,
        open,
        named,
        filter,
    })
}

/// What the address asks for; what it says in words that mean nothing is left out.
fn narrowed(filter: &Filter) -> CandidateFilter {
    let floor: Option<f64> = filter.floor.parse().ok();
    CandidateFilter {
        agent: AgentName::parse(&filter.agent).ok(),
        user: UserId::parse(&filter.user).ok(),
        kind: Some(filter.kind.clone()).filter(|kind| !kind.is_empty()),
        action: filter.action.parse().ok(),
        flag: filter.flag.parse().ok(),
        confidence_from: floor.filter(|floor| (0.0..=1.0).contains(floor)),
        expiring_within: (filter.soon == "1").then(|| Span::hours(24)),
        ..CandidateFilter::default()
    }
}

/// The candidate of the address, else the first of the list; and whether the address named it. One that the reader may not see, or
/// that is gone, is as if it had not been named: the list goes on.
async fn open(
    look: &Look,
    viewer: &Viewer,
    filter: &Filter,
    rows: &[CandidateView],
) -> Result<(Option<Candidate>, bool), PageError> {
    let named = CandidateId::parse(&filter.c).ok();
    if let Some(id) = &named {
        match candidate::load(look, viewer, id, queue_links(filter, rows, id)).await {
            Ok(found) => return Ok((Some(found), true)),
            Err(PageError::Engine(engine::EngineError::NotFound)) => {}
            Err(error) => return Err(error),
        }
    }
    match rows.first() {
        None => Ok((None, false)),
        Some(first) => {
            let links = queue_links(filter, rows, &first.id);
            let found = candidate::load(look, viewer, &first.id, links).await?;
            Ok((Some(found), false))
        }
    }
}

/// Where a decision leads (the row that follows, else the one before), and where its undo or refusal leads back to.
fn queue_links(filter: &Filter, rows: &[CandidateView], id: &CandidateId) -> candidate::Links {
    let at = rows.iter().position(|row| row.id == *id);
    let next = match at {
        Some(at) => rows
            .get(at + 1)
            .or_else(|| at.checked_sub(1).and_then(|before| rows.get(before))),
        None => rows.first(),
    };
    candidate::Links {
        next: filter.href(next.map(|row| row.id.as_str())),
        here: filter.href(Some(id.as_str())),
    }
}

/// The kinds to choose from: of the chosen agent, else those that agents start with.
async fn kinds(look: &Look, viewer: &Viewer, filter: &Filter) -> Result<Vec<String>, PageError> {
    let reads = viewer.ask(Permission::ReadAgents)?;
    if let Ok(agent) = AgentName::parse(&filter.agent)
        && reads.scope().contains(&agent)
        && let Ok(kinds) = look.engine().kinds_in_use(&reads, &agent).await
    {
        return Ok(kinds);
    }
    let start = Kind::assistant().into_iter().chain(Kind::business());
    Ok(start.map(|kind| kind.name).collect())
}

async fn filtered_user(
    look: &Look,
    viewer: &Viewer,
    filter: &Filter,
) -> Result<Option<String>, PageError> {
    let Ok(id) = UserId::parse(&filter.user) else {
        return Ok(None);
    };
    let reads = viewer.ask(Permission::ReadUsers)?;
    let user = look.engine().user(&reads, &UserRef::Id(id), None).await;
    Ok(user.ok().map(|user| user.user.who))
}

fn row(view: CandidateView) -> Row {
    Row {
        id: view.id,
        who: view.who,
        agent: view.agent.to_string(),
        content: view.content,
        language: view.language,
        kind: view.kind,
        action: view.action,
        flags: view.flags,
        confidence: view.confidence,
        expires_at: view.expires_at,
    }
}
