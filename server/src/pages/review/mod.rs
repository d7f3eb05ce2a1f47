//! `/review`, and the forms of the desk that come before a decision.

pub mod claim;
mod filter;
pub mod handover;
pub mod views;

use app::{
    pages::{
        candidate::Candidate,
        review::{Filter, For, Holder, Review, Row, View, bulk::Bulk, review},
    },
    shell::Place,
};
use axum::{extract::Query, response::Response};
use domain::{
    agent::AgentName,
    id::{CandidateId, PersonId, UserId},
    kind::Kind,
    permission::Permission,
};
use engine::{
    CandidateView, ClaimView, Colleague, EngineError, HandoverView, Page, UserRef,
    overview::own_languages,
};

pub use self::filter::wanted;
use super::{
    bulk,
    candidate::{self, Looked},
    form::typed_of,
    look::Look,
};
use crate::{auth::Viewer, page_error::PageError};

/// The queue.
pub async fn show(
    viewer: Viewer,
    look: Look,
    Query(filter): Query<Filter>,
    Query(looked): Query<Looked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Review).await?;
    let page = load(&look, &viewer, filter, looked).await?;
    look.draw(move || review(&frame, page.clone())).await
}

async fn load(
    look: &Look,
    viewer: &Viewer,
    filter: Filter,
    looked: Looked,
) -> Result<Review, PageError> {
    let engine = look.engine();
    let own = own_languages(viewer.permit.actor());
    let filter = begun(filter, &own);
    let page = Page {
        cursor: Some(filter.after.clone()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let desk = engine.desk(&viewer.permit, &wanted(&filter), &page).await?;
    let reads = viewer.ask(Permission::ReadAgents)?;
    let agents = engine.agents(&reads).await?;
    let people = engine.colleagues(&viewer.permit, None).await?;
    let (open, named) = open(look, viewer, &filter, looked, &desk.rows.data).await?;
    let flash = look.flash.as_ref();
    let refused_view = flash.and_then(|flash| flash.fields.get("view")).cloned();
    let others = people.iter().filter(|person| person.id != viewer.person);
    let bulk = Bulk {
        colleagues: others.map(choice).collect(),
        ..bulk::standing(look, viewer).await?
    };
    let row = |view: CandidateView| {
        let picked = bulk.holds(view.id.as_str());
        row(view, &viewer.person, picked)
    };
    Ok(Review {
        filtered_user: filtered_user(look, viewer, &filter).await?,
        agents: agents
            .into_iter()
            .map(|agent| agent.name.to_string())
            .collect(),
        kinds: kinds(look, viewer, &filter).await?,
        rows: desk.rows.data.into_iter().map(row).collect(),
        next: desk.rows.next,
        fitting: desk.fitting,
        waiting: desk.waiting,
        expiring: desk.expiring_soon,
        oldest: desk.oldest,
        claimed: desk.claimed,
        open,
        named,
        may_decide: viewer.may(Permission::Decide),
        limited: !own.is_empty(),
        people: people.iter().map(choice).collect(),
        views: saved(look, viewer).await?,
        typed: typed_of(flash.filter(|_| refused_view.is_some())),
        refused_view,
        filter,
        bulk,
    })
}

/// A person as a select has them.
fn choice(person: &Colleague) -> (String, String) {
    (person.id.to_string(), person.name.clone())
}

/// Who decides in some languages begins with those; they can be taken off like any other condition.
fn begun(filter: Filter, own: &[String]) -> Filter {
    if !filter.language.is_empty() || own.is_empty() {
        return filter;
    }
    Filter {
        language: own.join(","),
        ..filter
    }
}

async fn saved(look: &Look, viewer: &Viewer) -> Result<Vec<View>, PageError> {
    let saved = look.engine().saved_views(&viewer.permit).await?;
    let view = |saved: engine::SavedView| View {
        id: saved.id.to_string(),
        name: saved.name,
        query: saved.query,
    };
    Ok(saved.into_iter().map(view).collect())
}

/// The candidate of the address, else the first of the list; and whether the address named it. One that the reader may not see, or
/// that is gone, is as if it had not been named: the list goes on.
async fn open(
    look: &Look,
    viewer: &Viewer,
    filter: &Filter,
    looked: Looked,
    rows: &[CandidateView],
) -> Result<(Option<Candidate>, bool), PageError> {
    let named = CandidateId::parse(&filter.c).ok();
    if let Some(id) = &named {
        let links = candidate::Links {
            merge: looked.merge,
            ..queue_links(filter, rows, id)
        };
        match candidate::load(look, viewer, id, links).await {
            Ok(found) => return Ok((Some(found), true)),
            Err(PageError::Engine(
                EngineError::NotFound | EngineError::CandidateRemoved { .. },
            )) => {}
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
        merge: String::new(),
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

fn row(view: CandidateView, reader: &PersonId, picked: bool) -> Row {
    Row {
        claim: view.claim.map(|claim| holder(claim, reader)),
        handed: view.handover.map(waits_for),
        agreed: view.agreed_by.and_then(|first| first.by.name),
        picked,
        id: view.id,
        who: view.who,
        agent: view.agent.to_string(),
        content: view.content,
        language: view.language,
        kind: view.kind,
        action: view.action,
        flags: view.flags,
        confidence: view.confidence,
        created_at: view.created_at,
        expires_at: view.expires_at,
        version: view.version,
    }
}

fn holder(claim: ClaimView, reader: &PersonId) -> Holder {
    Holder {
        mine: claim.is_of(reader),
        by: claim.by.name.unwrap_or_default(),
        until: claim.until,
    }
}

fn waits_for(handover: HandoverView) -> For {
    match handover.to {
        Some(person) => For::Person(person.name.unwrap_or_default()),
        None => For::Native,
    }
}

#[cfg(test)]
mod tests {
    use app::pages::review::EVERY;

    use super::*;

    // G7
    #[test]
    fn who_decides_in_some_languages_begins_with_those_until_they_are_taken_off() {
        let own = ["ja".to_owned(), "zh".to_owned()];
        let begins = |language: &str| {
            let filter = Filter {
                language: language.to_owned(),
                ..Filter::default()
            };
            begun(filter, &own).language
        };
        assert_eq!(
            [begins(""), begins("en"), begins(EVERY)],
            ["ja,zh", "en", EVERY]
        );
        assert_eq!(begun(Filter::default(), &[]).language, "");
    }
}
