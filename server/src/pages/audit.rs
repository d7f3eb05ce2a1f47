//! `/audit`.

use std::collections::HashSet;

use app::{
    pages::audit::{Audit, Checkpoint, Fault, Filter, Row, Verification, audit},
    shell::Place,
};
use axum::{
    extract::{Query, State},
    response::Response,
};
use chrono::{Days, NaiveDate};
use domain::{
    agent::{AgentName, AgentScope},
    audit::{EventType, SYSTEM_CHAIN},
    id::{BulkId, HoldId, PersonId, RequestId, UserId},
    permission::Permission,
    user::Scope,
};
use engine::{CheckpointView, EventFilter, EventView, Page, VerificationView};

use super::{by::by, look::Look, user};
use crate::{
    auth::{Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

type Auditor = Signed<need::ReadAudit>;

/// Checkpoints that the page shows.
const CHECKPOINTS: u32 = 10;

/// What happened, whether it holds, and what is signed of it.
pub async fn show(
    auditor: Auditor,
    look: Look,
    Query(filter): Query<Filter>,
) -> Result<Response, PageError> {
    let frame = look.frame(&auditor, Place::Audit).await?;
    let page = load(&look, &auditor, filter).await?;
    look.draw(move || audit(&frame, &page)).await
}

/// Walks every chain at once.
pub async fn verify(
    auditor: Auditor,
    flashes: Flashes,
    State(app): State<AppState>,
) -> Result<Response, PageError> {
    let verified = app.engine.verify_now(&auditor.permit).await?;
    let flash = Flash::new("verified")
        .with("events", verified.events.to_string())
        .with("found", verified.faults.len().to_string());
    flashes.see_other("/audit#verification", flash).await
}

async fn load(look: &Look, auditor: &Auditor, filter: Filter) -> Result<Audit, PageError> {
    let engine = look.engine();
    let permit = &auditor.permit;
    let all = *permit.scope() == AgentScope::All;
    let checkpoints = Page {
        limit: CHECKPOINTS,
        ..Page::default()
    };
    let checkpoints = engine.checkpoints(permit, &checkpoints).await?;
    let verification = engine.last_verification(permit).await?;
    let page = Page {
        cursor: Some(filter.after.clone()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let (rows, next) = match wanted(look, auditor, &filter).await? {
        None => (Vec::new(), None),
        Some(wanted) => {
            let found = engine.events(permit, &wanted, &page).await?;
            (found.data, found.next)
        }
    };
    let about: Vec<UserId> = rows.iter().filter_map(|event| event.user.clone()).collect();
    let erased = engine.erased_among(permit, &about).await?;
    let rows = rows
        .into_iter()
        .map(|event| row(look, auditor, &erased, event));
    let rows = in_the_order_that_is_seen(rows.collect());
    Ok(Audit {
        chains: chains(look, auditor, &filter).await?,
        rows,
        next,
        verification: verification.map(outcome),
        checkpoints: checkpoints.data.into_iter().map(checkpoint).collect(),
        // Where files of the server lie is nothing for who is limited to some agents.
        folder: engine
            .settings()
            .checkpoints
            .as_ref()
            .filter(|_| all)
            .map(|folder| folder.display().to_string()),
        fingerprint: engine.audit_key(permit).await?.fingerprint,
        filter,
    })
}

/// The chains to choose from: those of the agents, that of the system for who may read it, and the one that is chosen.
async fn chains(look: &Look, auditor: &Auditor, filter: &Filter) -> Result<Vec<String>, PageError> {
    let reads = auditor.ask(Permission::ReadAgents)?;
    let agents = look.engine().agents(&reads).await?.into_iter();
    let mut chains: Vec<String> = agents.map(|agent| agent.name.to_string()).collect();
    if *auditor.permit.scope() == AgentScope::All {
        chains.insert(0, SYSTEM_CHAIN.to_owned());
    }
    // The chain of an agent that was removed stays.
    if !filter.agent.is_empty() && !chains.contains(&filter.agent) {
        chains.push(filter.agent.clone());
    }
    Ok(chains)
}

/// The filter of the address; `None` where it names a user whom nobody knows. A value that means nothing filters nothing.
async fn wanted(
    look: &Look,
    auditor: &Auditor,
    filter: &Filter,
) -> Result<Option<EventFilter>, PageError> {
    let user = match filter.user.trim() {
        "" => None,
        named => match user_of(look, auditor, named, &filter.agent).await? {
            None => return Ok(None),
            found => found,
        },
    };
    let given = |value: &str| Some(value.to_owned()).filter(|value| !value.is_empty());
    let day = |value: &str| value.parse::<NaiveDate>().ok();
    let until = day(&filter.until).and_then(|day| day.checked_add_days(Days::new(1)));
    Ok(Some(EventFilter {
        agent: given(&filter.agent),
        user,
        subject: None,
        types: filter.r#type.parse::<EventType>().into_iter().collect(),
        actor: given(&filter.actor),
        since: day(&filter.from).and_then(|day| look.day_begins(day)),
        until: until.and_then(|day| look.day_begins(day)),
    }))
}

/// A user by our id, or by the one that an agent sends.
async fn user_of(
    look: &Look,
    auditor: &Auditor,
    named: &str,
    agent: &str,
) -> Result<Option<UserId>, PageError> {
    if let Ok(id) = UserId::parse(named) {
        return Ok(Some(id));
    }
    let Ok(scope) = Scope::user_id(named) else {
        return Ok(None);
    };
    let reads = auditor.ask(Permission::ReadUsers)?;
    let agent = AgentName::parse(agent).ok();
    let users = look
        .engine()
        .users(&reads, agent.as_ref(), Some(&scope), &Page::default())
        .await?;
    Ok(users.data.into_iter().next().map(|user| user.id))
}

fn row(look: &Look, auditor: &Auditor, erased: &HashSet<UserId>, event: EventView) -> Row {
    let text = look.text();
    let who = match event.actor.r#type.as_str() {
        "system" => None,
        "key" => match (by(text, &event.actor), event.actor.id.clone()) {
            (Some(name), Some(id)) => Some(format!("{name} ({id})")),
            (name, id) => name.or(id),
        },
        _ => by(text, &event.actor).or(event.actor.id.clone()),
    };
    Row {
        href: href(auditor, erased, &event),
        at: event.at,
        chain: event.agent,
        seq: event.seq,
        r#type: event.r#type,
        by: who.unwrap_or_else(|| text.words.by_system.to_owned()),
        subject: event.subject,
        user: event.user,
    }
}

/// Events of several chains come by their microsecond, in which a chain's numbers need not follow each other: who began first may end
/// last. A reader sees seconds, and within one the numbers of a chain go down.
fn in_the_order_that_is_seen(mut rows: Vec<Row>) -> Vec<Row> {
    let several = rows.windows(2).any(|two| two[0].chain != two[1].chain);
    if several {
        rows.sort_by(|a, b| {
            let key = |row: &Row| (row.at.timestamp(), row.chain.clone(), row.seq);
            key(b).cmp(&key(a))
        });
    }
    rows
}

/// The page of what an event is about, where there is one and the reader may open it. What was about somebody who was erased is gone
/// with them; their own page says so.
fn href(auditor: &Auditor, erased: &HashSet<UserId>, event: &EventView) -> Option<String> {
    let subject = event.subject.as_str();
    if let Some(href) = user::href(subject) {
        let gone = event
            .user
            .as_ref()
            .is_some_and(|user| erased.contains(user));
        return (!gone).then_some(href);
    }
    if UserId::parse(subject).is_ok() {
        return Some(format!("/users/{subject}"));
    }
    if PersonId::parse(subject).is_ok() {
        let manages = auditor.may(Permission::ManagePeople);
        return manages.then(|| format!("/admin/people/{subject}"));
    }
    if BulkId::parse(subject).is_ok() {
        let decides = auditor.may(Permission::Decide);
        return decides.then(|| format!("/bulks/{subject}"));
    }
    if RequestId::parse(subject).is_ok() {
        let exports = auditor.may(Permission::Export);
        return exports.then(|| format!("/requests/{subject}"));
    }
    if HoldId::parse(subject).is_ok() {
        return Some("/holds".to_owned());
    }
    let on_the_page_of_an_agent = matches!(
        event.r#type,
        EventType::AgentCreated
            | EventType::AgentChanged
            | EventType::KindGuidelineChanged
            | EventType::KeyCreated
            | EventType::KeyRevoked
    ) && event.agent != SYSTEM_CHAIN;
    on_the_page_of_an_agent.then(|| format!("/agents/{}", event.agent))
}

fn outcome(view: VerificationView) -> Verification {
    Verification {
        at: view.finished_at,
        read: view.events.map(|events| (events, view.checkpoints)),
        found: view.found,
        faults: view
            .faults
            .into_iter()
            .map(|fault| Fault {
                chain: fault.agent,
                seq: fault.seq,
                kind: fault.kind,
            })
            .collect(),
    }
}

fn checkpoint(view: CheckpointView) -> Checkpoint {
    Checkpoint {
        at: view.at,
        size: view.size,
        agents: view.agents.len(),
        root: view.root,
    }
}

#[cfg(test)]
mod tests {
    use domain::{Timestamp, time::Span};

    use super::*;

    #[test]
    fn within_a_second_the_numbers_of_a_chain_go_down() {
        let event = |chain: &str, seq, millis| Row {
            at: Timestamp::UNIX_EPOCH + Span::milliseconds(millis),
            chain: chain.to_owned(),
            seq,
            r#type: EventType::ContextServed,
            by: String::new(),
            subject: String::new(),
            href: None,
            user: None,
        };
        let found = vec![
            event("support", 81, 2_100),
            event("support", 80, 1_900),
            event("sales", 7, 1_850),
            event("support", 78, 1_800),
            event("support", 77, 1_700),
            event("support", 79, 1_600),
        ];
        let seen: Vec<_> = in_the_order_that_is_seen(found)
            .into_iter()
            .map(|row| (row.chain, row.seq))
            .collect();
        let expected = [
            ("support", 81),
            ("support", 80),
            ("support", 79),
            ("support", 78),
            ("support", 77),
            ("sales", 7),
        ];
        assert_eq!(seen, expected.map(|(chain, seq)| (chain.to_owned(), seq)));
    }
}
