//! `/requests`, `/requests/{id}` and its proof, and the forms of its steps.

use std::collections::BTreeMap;

use app::{
    components::time::date_time,
    pages::requests::{
        self, Closed, Detail, Elsewhere, FoundUser, InAgent, Proof, Request, Requests,
    },
    shell::Place,
    text::Text,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    response::Response,
};
use chrono::Days;
use domain::{
    agent::{AgentName, AgentScope},
    export::{ExportSort, ExportState},
    id::{CandidateId, ExportId, MemoryId, RequestId},
    permission::Permission,
    request::{RequestOutcome, RequestSort},
    user::Scope,
};
use engine::{
    EngineError, FoundElsewhere, FoundInAgent, NewRequest, Page, RequestDetail, RequestView,
};
use serde::Deserialize;

use super::{
    by::by,
    form::{begins, day, id, refused, typed, typed_of},
    look::Look,
    sheet::event,
};
use crate::{
    auth::{Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

type Auditor = Signed<need::Export>;

/// Exports that can be named as the one that was handed out.
const EXPORTS: u32 = 50;

/// Where the page of the list begins.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    after: String,
}

/// The requests, and the form that registers one.
pub async fn list(
    auditor: Auditor,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&auditor, Place::Requests).await?;
    let engine = look.engine();
    let permit = &auditor.permit;
    let page = Page {
        cursor: typed(&asked.after),
        ..Page::default()
    };
    let listed = engine.requests(permit, false, &page).await?;
    let reads = auditor.ask(Permission::ReadAgents)?;
    let agents = engine.agents(&reads).await?.into_iter();
    let text = look.text();
    let page = Requests {
        rows: listed
            .data
            .into_iter()
            .map(|view| one(text, view))
            .collect(),
        next: listed.next,
        agents: agents
            .map(|agent| agent.name)
            .filter(|agent| permit.scope().contains(agent))
            .map(|agent| agent.to_string())
            .collect(),
        may_all: *permit.scope() == AgentScope::All,
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || requests::requests(&frame, &page)).await
}

/// One request.
pub async fn show(
    auditor: Auditor,
    look: Look,
    Path(request): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&auditor, Place::Requests).await?;
    let id: RequestId = id(&request)?;
    let found = look.engine().request(&auditor.permit, &id).await?;
    let exports = exports(&look, &auditor, &found).await?;
    let text = look.text();
    let page = Detail {
        found: found.found.iter().map(in_agent).collect(),
        users: found.users.into_iter().map(user).collect(),
        elsewhere: found.third_party.into_iter().map(elsewhere).collect(),
        looked: (found.request.names_opened, found.request.all_names_opened),
        request: one(text, found.request),
        exports,
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || requests::request(&frame, &page)).await
}

/// The copies of who asks that are finished, with a label each.
async fn exports(
    look: &Look,
    auditor: &Auditor,
    request: &RequestDetail,
) -> Result<Vec<(ExportId, String)>, PageError> {
    let newest = Page {
        limit: EXPORTS,
        ..Page::default()
    };
    let listed = look.engine().exports(&auditor.permit, &newest).await?;
    let done = listed
        .data
        .into_iter()
        .filter(|export| export.sort == ExportSort::Copy && request.is_theirs(export))
        .filter(|export| matches!(export.state, ExportState::Done | ExportState::Expired));
    let text = look.text();
    let label = |export: engine::ExportView| {
        let of = export
            .who
            .or(export.agent.map(|agent| agent.to_string()))
            .unwrap_or_else(|| text.exports.everything.to_owned());
        let at = date_time(text, look.zone, export.created_at);
        (export.id, format!("{of} · {at}"))
    };
    Ok(done.map(label).collect())
}

/// The proof of a request.
pub async fn proof(
    auditor: Auditor,
    look: Look,
    Path(request): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&auditor, Place::Requests).await?;
    let id: RequestId = id(&request)?;
    let proven = look.engine().request_proof(&auditor.permit, &id).await?;
    let text = look.text();
    let RequestDetail {
        request,
        found,
        users,
        ..
    } = proven.detail;
    let events = proven.events.into_iter();
    let page = Proof {
        request: one(text, request),
        found: found.iter().map(in_agent).collect(),
        users: users.into_iter().map(user).collect(),
        events: events
            .map(|one| (event(text, one.event), one.signed))
            .collect(),
        sum: proven.export_sum,
        checkpoint: proven
            .checkpoint
            .map(|checkpoint| (checkpoint.at, checkpoint.note)),
        key: proven.key,
        fingerprint: proven.fingerprint,
    };
    look.draw(move || requests::proof(&frame, &page)).await
}

fn one(text: &'static Text, view: RequestView) -> Request {
    let name = |who: &engine::By| by(text, who).unwrap_or_default();
    let closed = match (view.outcome, view.closed_at) {
        (Some(outcome), Some(at)) => Some(Closed {
            outcome,
            note: view.closing_note,
            by: view.closed_by.as_ref().map(name).unwrap_or_default(),
            at,
        }),
        _ => None,
    };
    Request {
        by: name(&view.by),
        copied: view.export.zip(view.copied_at),
        closed,
        id: view.id,
        sort: view.sort,
        agent: view.agent.map(|agent| agent.to_string()),
        who: view.who,
        user_id: view.user_id,
        words: view.words,
        note: view.note,
        received_at: view.received_at,
        due_at: view.due_at,
        overdue: view.overdue,
        created_at: view.created_at,
    }
}

fn in_agent(found: &FoundInAgent) -> InAgent {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    InAgent {
        agent: found.agent.to_string(),
        users: number(found.users),
        erased: number(found.erased),
        elsewhere: number(found.third_party),
    }
}

fn user(found: engine::FoundUser) -> FoundUser {
    FoundUser {
        agent: found.agent.to_string(),
        user: found.user,
        who: found.who,
        by: found.found_by,
        approved: found.approved,
        conversations: found.conversations,
        erased: found.erased,
        erased_at: found.erased_at,
    }
}

fn elsewhere(found: FoundElsewhere) -> Elsewhere {
    let folder = if MemoryId::parse(&found.subject).is_ok() {
        Some("memories")
    } else if CandidateId::parse(&found.subject).is_ok() {
        Some("candidates")
    } else {
        None
    };
    Elsewhere {
        agent: found.agent.to_string(),
        href: folder.map(|folder| format!("/{folder}/{}", found.subject)),
        content: found.content,
    }
}

/// The form that registers a request.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Open {
    user_id: String,
    sort: String,
    agent: String,
    words: String,
    received_at: String,
    due_at: String,
    note: String,
}

/// Registers a request.
pub async fn open(
    auditor: Auditor,
    look: Look,
    flashes: Flashes,
    Form(form): Form<Open>,
) -> Result<Response, PageError> {
    let opened = match wanted(&look, &form) {
        Ok(new) => look.engine().open_request(&auditor.permit, new).await,
        Err(error) => Err(error),
    };
    match opened {
        Ok(opened) => {
            let to = format!("/requests/{}", opened.request.id);
            flashes.see_other(&to, Flash::new("request_opened")).await
        }
        Err(error) => {
            let values = [
                ("user_id", form.user_id.as_str()),
                ("sort", &form.sort),
                ("agent", &form.agent),
                ("words", &form.words),
                ("received_at", &form.received_at),
                ("due_at", &form.due_at),
                ("note", &form.note),
            ];
            flashes
                .see_other("/requests#open", refused(error, &values)?)
                .await
        }
    }
}

fn wanted(look: &Look, form: &Open) -> Result<NewRequest, EngineError> {
    let agent = match typed(&form.agent) {
        None => None,
        Some(name) => Some(
            AgentName::parse(&name)
                .map_err(|_| EngineError::invalid("/agent", "unknown", "there is no such agent"))?,
        ),
    };
    let sort: RequestSort = form
        .sort
        .parse()
        .map_err(|_| EngineError::invalid("/sort", "invalid", "one of the list"))?;
    let received = day("/received_at", &form.received_at)?;
    // The day that was chosen is the last one.
    let due = day("/due_at", &form.due_at)?;
    let due = due.and_then(|day| day.checked_add_days(Days::new(1)));
    Ok(NewRequest {
        sort,
        agent,
        named: named(&form.user_id)?,
        words: typed(&form.words),
        note: typed(&form.note),
        received_at: begins(look, "/received_at", received)?,
        due_at: begins(look, "/due_at", due)?,
    })
}

/// A name as it was typed: a plain one, or pairs with commas between them.
fn named(text: &str) -> Result<Scope, EngineError> {
    let wrong = |_| EngineError::invalid("/user_id", "invalid", "a name, or key=value pairs");
    let Some(text) = typed(text) else {
        return Err(EngineError::invalid("/user_id", "required", "who asks"));
    };
    let pairs: Option<BTreeMap<String, String>> = text
        .split(',')
        .map(|pair| {
            let (key, value) = pair.split_once('=')?;
            // A name may hold the sign itself, as base64 does at its end.
            let value = typed(value).filter(|value| !value.starts_with('='))?;
            Some((typed(key)?, value))
        })
        .collect();
    match pairs {
        Some(pairs) => Scope::parse(pairs).map_err(wrong),
        None => Scope::user_id(&text).map_err(wrong),
    }
}

/// Looks for the person again, and goes on with names.
pub async fn look_again(
    auditor: Auditor,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(request): Path<String>,
) -> Result<Response, PageError> {
    let id: RequestId = id(&request)?;
    let looked = app.engine.look_for_person(&auditor.permit, &id).await;
    step(&flashes, &id, "find", looked, "request_looked", &[]).await
}

/// The form that notes a copy.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct HandedOut {
    export: String,
}

/// Notes which export was handed out.
pub async fn copy(
    auditor: Auditor,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(request): Path<String>,
    Form(form): Form<HandedOut>,
) -> Result<Response, PageError> {
    let id: RequestId = id(&request)?;
    let noted = match form.export.parse::<ExportId>() {
        Ok(export) => app.engine.note_copy(&auditor.permit, &id, &export).await,
        Err(_) => {
            let detail = "an export of the list";
            Err(EngineError::invalid("/export", "unknown", detail))
        }
    };
    let values = [("export", form.export.as_str())];
    step(&flashes, &id, "copy", noted, "request_copied", &values).await
}

/// The form that closes a request.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Close {
    outcome: String,
    note: String,
}

/// Closes a request.
pub async fn close(
    auditor: Auditor,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(request): Path<String>,
    Form(form): Form<Close>,
) -> Result<Response, PageError> {
    let id: RequestId = id(&request)?;
    let closed = match form.outcome.parse::<RequestOutcome>() {
        Ok(outcome) => {
            let note = typed(&form.note);
            app.engine
                .close_request(&auditor.permit, &id, outcome, note)
                .await
        }
        Err(_) => {
            let detail = "one of the list";
            Err(EngineError::invalid("/outcome", "invalid", detail))
        }
    };
    let values = [
        ("outcome", form.outcome.as_str()),
        ("note", form.note.as_str()),
    ];
    step(&flashes, &id, "close", closed, "request_closed", &values).await
}

/// Back to the request, with what was done or what stands in the way.
async fn step(
    flashes: &Flashes,
    id: &RequestId,
    place: &str,
    taken: Result<RequestDetail, EngineError>,
    code: &str,
    values: &[(&str, &str)],
) -> Result<Response, PageError> {
    let here = format!("/requests/{id}");
    let (to, flash) = match taken {
        Ok(_) => (here, Flash::new(code)),
        Err(error) => (format!("{here}#{place}"), refused(error, values)?),
    };
    flashes.see_other(&to, flash).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_holds_the_sign_of_pairs_is_a_name() {
        for name in ["abc==", "abc=", "=abc", "ana"] {
            assert_eq!(named(name).unwrap(), Scope::user_id(name).unwrap());
        }
        let pairs = [("login", "ana"), ("shop", "oslo")];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let pairs = Scope::parse(BTreeMap::from(pairs)).unwrap();
        assert_eq!(named("login=ana, shop=oslo").unwrap(), pairs);
    }
}
