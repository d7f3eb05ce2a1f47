//! The end of `/users/{id}`, for who administers their agent: what a legal hold keeps, and erasing everything (F9).

use app::pages::user::{Erased, Erasing};
use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{
    agent::AgentScope,
    erasure::ErasureReason,
    id::{RequestId, UserId},
    permission::Permission,
};
use engine::{EngineError, Erase, NewHold, UserRef};
use serde::Deserialize;

use crate::{
    auth::{Admin, FreshForm, Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    pages::{
        by::by,
        form::{id, keep, number, refused, typed, typed_of},
        holds::{end_of, hold as shown},
        look::Look,
    },
    state::AppState,
};

/// What would go with somebody, and for which request they are erased; nothing for who may not erase them.
pub(super) async fn erasing(
    look: &Look,
    signed: &Signed<need::ReadUsers>,
    user: &UserRef,
    request: Option<RequestId>,
) -> Result<Option<Erasing>, PageError> {
    let Ok(permit) = signed.ask(Permission::Administer) else {
        return Ok(None);
    };
    let preview = match look.engine().preview_erasure(&permit, user, None).await {
        // They read about more agents than they administer.
        Err(EngineError::NotFound) => return Ok(None),
        preview => preview?,
    };
    let text = look.text();
    Ok(Some(Erasing {
        counts: preview.counts,
        version: preview.version,
        holds: preview
            .holds
            .into_iter()
            .map(|hold| shown(text, hold))
            .collect(),
        with: preview
            .with
            .into_iter()
            .map(|other| (other.id.who, other.counts))
            .collect(),
        stays: preview.stays.map(|main| main.who),
        may_everywhere: *permit.scope() == AgentScope::All,
        request,
        typed: typed_of(look.flash.as_ref()),
    }))
}

/// Somebody who was erased.
pub(super) async fn gone(
    look: &Look,
    signed: &Signed<need::ReadUsers>,
    id: &UserId,
) -> Result<Erased, PageError> {
    let erasure = look.engine().erasure(&signed.permit, id).await?;
    let text = look.text();
    Ok(Erased {
        by: by(text, &erasure.by).unwrap_or_else(|| text.words.by_system.to_owned()),
        id: erasure.user,
        agent: erasure.agent.to_string(),
        known_since: erasure.known_since,
        erased_at: erasure.erased_at,
        reason: erasure.reason,
        counts: erasure.erased,
        request: erasure.request,
        may_requests: signed.may(Permission::Export),
        may_audit: signed.may(Permission::ReadAudit),
    })
}

/// The form that places a hold.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Hold {
    reason: String,
    until: String,
    everywhere: String,
}

/// Places a hold on somebody.
pub async fn hold(
    admin: Admin,
    look: Look,
    flashes: Flashes,
    Path(text): Path<String>,
    Form(form): Form<Hold>,
) -> Result<Response, PageError> {
    let user: UserId = id(&text)?;
    let placed = async {
        let new = NewHold {
            agent: None,
            user: Some(UserRef::Id(user.clone())),
            everywhere: !form.everywhere.is_empty(),
            until: end_of(&look, &form.until)?,
            reason: form.reason.clone(),
        };
        look.engine().place_hold(&admin.permit, &new).await
    };
    let flash = match placed.await {
        Ok(_) => Flash::new("hold_placed"),
        Err(error) => {
            let values = [
                ("reason", form.reason.as_str()),
                ("until", &form.until),
                ("everywhere", &form.everywhere),
            ];
            refused(error, &values)?
        }
    };
    flashes
        .see_other(&format!("/users/{user}#hold"), flash)
        .await
}

/// The form that erases.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ToErase {
    why: String,
    confirm: String,
    version: String,
    request: String,
}

/// Erases somebody.
pub async fn erase(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(form): FreshForm<ToErase>,
) -> Result<Response, PageError> {
    let user: UserId = id(&text)?;
    let request: Option<RequestId> = typed(&form.request).map(|text| id(&text)).transpose()?;
    let erased = async {
        let unknown = |_| EngineError::invalid("/why", "unknown", "one of the reasons");
        let reason: ErasureReason = form.why.parse().map_err(unknown)?;
        let wanted = Erase {
            reason,
            confirm: form.confirm.clone(),
            version: number(&form.version, "/version")?,
            request: request.clone(),
        };
        let whom = UserRef::Id(user.clone());
        app.engine.erase(&admin.permit, &whom, None, &wanted).await
    };
    let page = format!("/users/{user}");
    let values = [("why", form.why.as_str()), ("confirm", &form.confirm)];
    let flash = match erased.await {
        Ok(_) => return flashes.see_other(&page, Flash::new("user_erased")).await,
        Err(EngineError::Stale { .. }) => keep(Flash::new("erasure_changed"), &values),
        Err(EngineError::Held { by, reason, .. }) => {
            let held = Flash::new("held")
                .with("by", by.unwrap_or_default())
                .with("reason", reason);
            keep(held, &values)
        }
        Err(error) => refused(error, &values)?,
    };
    let again = match &request {
        Some(request) => format!("{page}?request={request}#erase"),
        None => format!("{page}#erase"),
    };
    flashes.see_other(&again, flash).await
}
