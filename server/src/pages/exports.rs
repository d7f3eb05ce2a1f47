//! `/exports`.

use app::{
    pages::exports::{Asked, Export, Exports, exports},
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    http::{HeaderMap, Method},
    response::Response,
};
use chrono::{DateTime, Days};
use domain::{
    agent::{AgentName, AgentScope},
    export::{ExportSort, ReportLanguage},
    id::{ExportId, UserId},
    permission::Permission,
    user::Scope,
};
use engine::{EngineError, ExportView, NewExport, Page};
use serde::Deserialize;

use super::{
    by::by,
    form::{begins, day, id, instant, refused, typed, typed_of},
    look::Look,
};
use crate::{
    auth::{Signed, need},
    flash::{Flash, Flashes},
    http::download::fetch,
    page_error::PageError,
    state::AppState,
};

type Auditor = Signed<need::Export>;

/// The exports, and the form that asks for one.
pub async fn show(
    auditor: Auditor,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&auditor, Place::Exports).await?;
    let page = load(&look, &auditor, asked).await?;
    let refreshes = page.refreshes();
    look.draw_while(refreshes, move || exports(&frame, &page))
        .await
}

async fn load(look: &Look, auditor: &Auditor, asked: Asked) -> Result<Exports, PageError> {
    let engine = look.engine();
    let permit = &auditor.permit;
    let page = Page {
        cursor: Some(asked.after).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let listed = engine.exports(permit, &page).await?;
    let reads = auditor.ask(Permission::ReadAgents)?;
    let agents = engine.agents(&reads).await?.into_iter();
    let mut typed = typed_of(look.flash.as_ref());
    let filled_in = [("user_id", asked.user), ("sort", asked.sort)];
    let mut form = !asked.form.is_empty();
    for (field, value) in filled_in {
        if !value.is_empty() {
            form = true;
            typed.values.entry(field.to_owned()).or_insert(value);
        }
    }
    // A browser's field takes it as the reader's clock shows it.
    if let Some(at) = typed.values.get_mut("as_of")
        && let Ok(instant) = DateTime::parse_from_rfc3339(at)
    {
        let local = instant.with_timezone(&look.zone);
        *at = local.format("%Y-%m-%dT%H:%M:%S").to_string();
    }
    let key = engine.export_key(permit).await?;
    Ok(Exports {
        rows: listed
            .data
            .into_iter()
            .map(|export| row(look, export))
            .collect(),
        next: listed.next,
        agents: agents
            .map(|agent| agent.name)
            .filter(|agent| permit.scope().contains(agent))
            .map(|agent| agent.to_string())
            .collect(),
        may_all: *permit.scope() == AgentScope::All,
        form,
        typed,
        key: key.key,
        fingerprint: key.fingerprint,
    })
}

fn row(look: &Look, export: ExportView) -> Export {
    let text = look.text();
    Export {
        by: by(text, &export.by).unwrap_or_default(),
        id: export.id,
        sort: export.sort,
        state: export.state,
        agent: export.agent.map(|agent| agent.to_string()),
        who: export
            .who
            .or_else(|| export.user.map(|user| user.to_string())),
        from: export.from,
        to: export.to,
        as_of: export.as_of,
        created_at: export.created_at,
        done: export.done,
        total: export.total,
        error: export.error,
        bytes: export.bytes,
        sha256: export.sha256,
        downloads: export.downloads,
        expires_at: export.expires_at,
    }
}

/// The form.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Ask {
    sort: String,
    language: String,
    agent: String,
    user_id: String,
    from: String,
    to: String,
    as_of: String,
    bom: String,
}

/// Asks for an export.
pub async fn ask(
    auditor: Auditor,
    look: Look,
    flashes: Flashes,
    Form(form): Form<Ask>,
) -> Result<Response, PageError> {
    let asked = match wanted(&look, &form) {
        Ok(new) => look.engine().request_export(&auditor.permit, new).await,
        Err(error) => Err(error),
    };
    match asked {
        Ok(_) => {
            flashes
                .see_other("/exports", Flash::new("export_asked"))
                .await
        }
        Err(error) => {
            let values = [
                ("sort", form.sort.as_str()),
                ("language", &form.language),
                ("agent", &form.agent),
                ("user_id", &form.user_id),
                ("from", &form.from),
                ("to", &form.to),
                ("as_of", &form.as_of),
                ("bom", &form.bom),
            ];
            // What a form calls a user may be our id or the agent's name.
            let error = match error {
                EngineError::Invalid(mut fields) => {
                    for field in &mut fields {
                        if field.pointer == "/user" {
                            "/user_id".clone_into(&mut field.pointer);
                        }
                    }
                    EngineError::Invalid(fields)
                }
                error => error,
            };
            flashes
                .see_other("/exports#ask", refused(error, &values)?)
                .await
        }
    }
}

fn wanted(look: &Look, form: &Ask) -> Result<NewExport, EngineError> {
    let sort = typed(&form.sort).map_or(Ok(ExportSort::Audit), |sort| {
        let wrong = |_| EngineError::invalid("/sort", "invalid", "one of the list");
        sort.parse().map_err(wrong)
    })?;
    let language = typed(&form.language).unwrap_or_else(|| look.language.word().to_owned());
    let unknown =
        |pointer: &str| EngineError::invalid(pointer, "unknown", "there is nobody of that name");
    let agent = match typed(&form.agent) {
        None => None,
        Some(name) => Some(AgentName::parse(&name).map_err(|_| unknown("/agent"))?),
    };
    let (mut user, mut named) = (None, None);
    if let Some(text) = typed(&form.user_id) {
        match UserId::parse(&text) {
            Ok(id) => user = Some(id),
            Err(_) => named = Some(Scope::user_id(&text).map_err(|_| unknown("/user_id"))?),
        }
    }
    let last = day("/to", &form.to)?;
    Ok(NewExport {
        sort,
        agent,
        user,
        named,
        from: begins(look, "/from", day("/from", &form.from)?)?,
        // The day that was chosen is the last one.
        to: begins(
            look,
            "/to",
            last.and_then(|day| day.checked_add_days(Days::new(1))),
        )?,
        as_of: instant(look, "/as_of", &form.as_of)?,
        bom: !form.bom.is_empty(),
        language: language.parse::<ReportLanguage>().unwrap_or_default(),
    })
}

/// The file of an export.
pub async fn file(
    auditor: Auditor,
    State(app): State<AppState>,
    Path(export): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let id: ExportId = id(&export)?;
    Ok(fetch(&app.engine, &auditor.permit, &id, &method, &headers).await?)
}

/// Stops an export, or removes its file.
pub async fn remove(
    auditor: Auditor,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(export): Path<String>,
) -> Result<Response, PageError> {
    let id: ExportId = id(&export)?;
    app.engine.remove_export(&auditor.permit, &id).await?;
    flashes
        .see_other("/exports", Flash::new("export_removed"))
        .await
}
