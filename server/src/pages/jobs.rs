//! `/jobs`.

use app::{
    pages::jobs::{Figures, Filter, Job, Jobs, jobs},
    shell::Place,
};
use axum::{
    Form,
    extract::{Query, State},
    response::Response,
};
use domain::{agent::AgentName, permission::Permission};
use engine::{JobFigures, OperationView, Page};
use serde::Deserialize;

use super::look::Look;
use crate::{
    auth::{Reviewer, Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

type Reader = Signed<need::ReadAgents>;

/// What works in the background.
pub async fn show(
    reader: Reader,
    look: Look,
    Query(filter): Query<Filter>,
) -> Result<Response, PageError> {
    let frame = look.frame(&reader, Place::Jobs).await?;
    let page = load(&look, &reader, filter).await?;
    look.draw(move || jobs(&frame, &page)).await
}

async fn load(look: &Look, reader: &Reader, filter: Filter) -> Result<Jobs, PageError> {
    let engine = look.engine();
    let agent = AgentName::parse(&filter.agent).ok();
    let found = engine.jobs(&reader.permit, agent.as_ref()).await?;
    let code = Some(filter.reason.as_str()).filter(|code| !code.is_empty());
    let page = Page {
        cursor: Some(filter.after.clone()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let failed = engine
        .given_up(&reader.permit, agent.as_ref(), code, &page)
        .await?;
    let may_retry = reader.may(Permission::Decide);
    let waits = |view: OperationView| {
        let at = view.next_at.unwrap_or(view.created_at);
        job(view, at, false)
    };
    let works = |view: OperationView| {
        let at = view.created_at;
        job(view, at, false)
    };
    let ended = |view: OperationView| {
        let at = view.finished_at.unwrap_or(view.created_at);
        job(view, at, may_retry)
    };
    Ok(Jobs {
        all: figures(found.all),
        agents: found
            .agents
            .into_iter()
            .map(|one| (one.agent.to_string(), figures(one.figures)))
            .collect(),
        reasons: found
            .given_up_for
            .into_iter()
            .map(|reason| (reason.why.code, reason.count))
            .collect(),
        failed: failed.data.into_iter().map(ended).collect(),
        next_failed: failed.next,
        running: found.in_hand.into_iter().map(works).collect(),
        next: found.next.into_iter().map(waits).collect(),
        // A row of a version that is gone has nobody who does it.
        schedules: found
            .schedules
            .into_iter()
            .filter_map(|one| Some((one.name.parse().ok()?, one.ran_at, one.next_at)))
            .collect(),
        may_retry,
        goes_on: goes_on(look.flash.as_ref()),
        filter,
    })
}

/// Where the last press ended: its reason and the place, from which another press goes on.
fn goes_on(flash: Option<&Flash>) -> Option<(String, String)> {
    let flash = flash.filter(|flash| flash.code == "retried")?;
    let field = |name: &str| flash.fields.get(name).cloned();
    field("reason").zip(field("after"))
}

fn figures(found: JobFigures) -> Figures {
    Figures {
        queued: found.queued,
        due: found.due,
        oldest_due: found.oldest_due,
        put_off: found.put_off,
        not_allowed: found.not_allowed,
        running: found.running,
        given_up: found.given_up,
    }
}

fn job(view: OperationView, at: domain::Timestamp, may_retry: bool) -> Job {
    let error = view.error.map(|error| error.code);
    Job {
        // Where nothing else is told, what ended badly was cut off.
        code: error.or_else(|| (view.state == "truncated").then(|| view.state.to_owned())),
        retriable: may_retry && view.can_retry,
        agent: view.agent.to_string(),
        task: view.r#type,
        id: view.id,
        conversation: view.conversation,
        attempt: view.attempt,
        at,
    }
}

/// Which failures are tried again.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Retry {
    agent: String,
    reason: String,
    after: String,
}

/// Tries all again that failed for one reason.
pub async fn retry(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(form): Form<Retry>,
) -> Result<Response, PageError> {
    let agent = AgentName::parse(&form.agent).ok();
    let after = Some(form.after.as_str()).filter(|after| !after.is_empty());
    let done = app
        .engine
        .retry_given_up(&reviewer.permit, agent.as_ref(), &form.reason, after)
        .await?;
    let mut flash = Flash::new("retried")
        .with("queued", done.queued.to_string())
        .with("refused", done.refused.to_string())
        .with("left", done.left.to_string());
    if let Some(next) = done.next {
        flash = flash.with("reason", form.reason).with("after", next);
    }
    let back = Filter {
        agent: form.agent,
        ..Filter::default()
    };
    flashes.see_other(&back.href(), flash).await
}
