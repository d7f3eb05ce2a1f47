//! `/joins`, and the forms that join two ids, decline that and split them (G15).

use app::{
    pages::{
        joins::{Id, Join, Joins, form_name, joins},
        user::{Conflict, Joined},
    },
    shell::Place,
    text::Text,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    response::Response,
};
use domain::{
    agent::AgentName,
    id::{JoinId, UserId},
    join::{JoinState, JoinVerdict},
    permission::{Permission, Permit},
};
use engine::{
    By, ConflictView, EngineError, JoinFilter, JoinView, JoinedId, NewJoin, Page, UserRef,
};
use serde::Deserialize;

use super::{
    by::by,
    form::{id, keep, maybe, typed, typed_of, version},
    look::Look,
    memories::line,
};
use crate::{
    auth::{Reviewer, Signed, need},
    flash::{Flash, Flashes, local},
    page_error::PageError,
    state::AppState,
};

/// Where the page of the list begins.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    after: String,
}

/// What waits, newest first.
pub async fn show(
    signed: Signed<need::ReadUsers>,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Users).await?;
    let page = Page {
        cursor: Some(asked.after).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let filter = JoinFilter {
        waiting: true,
        ..JoinFilter::default()
    };
    let listed = look.engine().joins(&signed.permit, &filter, &page).await?;
    let found = Joins {
        rows: shown(&look, &signed, listed.data),
        next: listed.next,
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || joins(&frame, &found)).await
}

/// The section of a person's page.
pub(super) fn joined(
    look: &Look,
    signed: &Signed<need::ReadUsers>,
    agent: &AgentName,
    joins: Vec<JoinView>,
    conflicts: Vec<ConflictView>,
) -> Joined {
    let decides = signed.ask(Permission::Decide);
    Joined {
        rows: shown(look, signed, joins),
        conflicts: conflicts
            .into_iter()
            .map(|conflict| Conflict {
                told: line(conflict.told),
                silent: line(conflict.silent),
            })
            .collect(),
        may_join: decides.is_ok_and(|permit| permit.scope().contains(agent)),
        typed: typed_of(look.flash.as_ref()),
    }
}

fn shown(look: &Look, signed: &Signed<need::ReadUsers>, joins: Vec<JoinView>) -> Vec<Join> {
    let decides = signed.ask(Permission::Decide).ok();
    joins
        .into_iter()
        .map(|view| join(look.text(), decides.as_ref(), view))
        .collect()
}

fn join(text: &Text, decides: Option<&Permit>, view: JoinView) -> Join {
    let name = |who: &By| {
        by(text, who)
            .or_else(|| who.id.clone())
            .unwrap_or_else(|| text.words.by_system.to_owned())
    };
    let id = |id: JoinedId| Id {
        user: id.user,
        who: id.who,
    };
    Join {
        may_decide: decides.is_some_and(|permit| permit.scope().contains(&view.agent)),
        made: (name(&view.by), view.created_at),
        decided: view.decided_by.as_ref().map(name).zip(view.decided_at),
        id: view.id,
        agent: view.agent.to_string(),
        guest: id(view.guest),
        main: id(view.main),
        state: view.state,
        version: view.version,
        proposed: view.proposed,
        reason: view.reason,
        ended: view.ended,
    }
}

/// The form that joins another id.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Add {
    join_other: String,
    join_as: String,
    join_reason: String,
}

/// Joins another id with somebody's.
pub async fn add(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Add>,
) -> Result<Response, PageError> {
    let user: UserId = id(&text)?;
    let page = format!("/users/{user}#joins");
    let made = async {
        let (other, this) = (UserRef::parse(form.join_other.trim())?, UserRef::Id(user));
        let (guest, main) = match form.join_as.as_str() {
            "main" => (this, other),
            _ => (other, this),
        };
        let new = NewJoin {
            agent: None,
            guest,
            main,
            reason: typed(&form.join_reason),
        };
        app.engine.join_ids(&reviewer.permit, &new).await
    };
    let flash = match made.await {
        Ok(view) => decided_as(&view, &page),
        Err(error) => {
            let values = [
                ("join_other", form.join_other.as_str()),
                ("join_as", &form.join_as),
                ("join_reason", &form.join_reason),
            ];
            keep(not_added(error)?, &values)
        }
    };
    flashes.see_other(&page, flash).await
}

/// A refusal, at the fields of the form.
fn not_added(error: EngineError) -> Result<Flash, PageError> {
    let flash = Flash::new("refused");
    Ok(match &error {
        EngineError::NotFound | EngineError::Erased { .. } => {
            flash.with("fault.join_other", "unknown")
        }
        EngineError::AlreadyJoined | EngineError::JoinChain => {
            flash.with("fault.join_other", error.code())
        }
        EngineError::Invalid(faults) => faults.iter().fold(flash, |flash, fault| {
            let field = match fault.pointer.as_str() {
                "/reason" => "fault.join_reason",
                _ => "fault.join_other",
            };
            flash.with(field, fault.code)
        }),
        _ => return Err(error.into()),
    })
}

/// The forms that decide.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Decision {
    version: String,
    next: String,
    join_why: String,
}

/// Joins what was proposed.
pub async fn approve(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Decision>,
) -> Result<Response, PageError> {
    decide(&reviewer, &flashes, &app, &text, &form, JoinVerdict::Join).await
}

/// Declines what was proposed.
pub async fn decline(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Decision>,
) -> Result<Response, PageError> {
    decide(
        &reviewer,
        &flashes,
        &app,
        &text,
        &form,
        JoinVerdict::Decline,
    )
    .await
}

/// Splits what stands.
pub async fn split(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Decision>,
) -> Result<Response, PageError> {
    decide(&reviewer, &flashes, &app, &text, &form, JoinVerdict::Split).await
}

/// Takes the last decision back.
pub async fn undo(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Decision>,
) -> Result<Response, PageError> {
    decide(&reviewer, &flashes, &app, &text, &form, JoinVerdict::Undo).await
}

async fn decide(
    reviewer: &Reviewer,
    flashes: &Flashes,
    app: &AppState,
    text: &str,
    form: &Decision,
    verdict: JoinVerdict,
) -> Result<Response, PageError> {
    let join: JoinId = id(text)?;
    let next = local(Some(&form.next), "/joins");
    let decided = async {
        let seen = maybe(&form.version, "/version")?.map(version);
        let reason = typed(&form.join_why);
        app.engine
            .decide_join(&reviewer.permit, &join, seen, verdict, reason.as_deref())
            .await
    };
    let flash = match decided.await {
        Ok(view) => decided_as(&view, &next),
        Err(error) => {
            let name = form_name(word(verdict), &join);
            let values = [("join_form", name.as_str()), ("join_why", &form.join_why)];
            keep(not_decided(error)?, &values)
        }
    };
    flashes.see_other(&next, flash).await
}

fn word(verdict: JoinVerdict) -> &'static str {
    match verdict {
        JoinVerdict::Join => "approve",
        JoinVerdict::Decline => "decline",
        JoinVerdict::Split => "split",
        JoinVerdict::Undo => "undo",
    }
}

/// A refusal of what was to be decided.
fn not_decided(error: EngineError) -> Result<Flash, PageError> {
    Ok(match &error {
        EngineError::Stale { .. } | EngineError::MovedOn { .. } => Flash::new("join_moved"),
        EngineError::AlreadyJoined | EngineError::JoinChain => Flash::new(error.code()),
        EngineError::Invalid(_) | EngineError::Secret { .. } => error
            .fields()
            .iter()
            .fold(Flash::new("refused"), |flash, fault| {
                flash.with("fault.join_why", fault.code)
            }),
        _ => return Err(error.into()),
    })
}

/// What was decided, with what an undo needs.
fn decided_as(view: &JoinView, here: &str) -> Flash {
    let code = match view.state {
        JoinState::Proposed => "join_waits",
        JoinState::Joined => "ids_joined",
        JoinState::Split => "ids_split",
        JoinState::Declined => "join_declined",
    };
    Flash::new(code)
        .with("join", view.id.to_string())
        .with("version", view.version.to_string())
        .with("here", here)
}
