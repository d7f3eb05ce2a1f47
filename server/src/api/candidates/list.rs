//! `GET /candidates`

use axum::{Json, extract::State};
use domain::{
    agent::AgentName,
    candidate::{Action, Flag, Status},
    id::UserId,
    time::Span,
};
use engine::{CandidateFilter, CandidateView};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
        subject::{fault, scope},
    },
    auth::{Caller, need::ReadCandidates},
    problem::Problem,
    state::AppState,
};

/// The filters of the queue; all must hold.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CandidateQuery {
    /// `pending` means waiting: not past its time.
    status: Option<Status>,
    /// Of this agent.
    agent: Option<AgentName>,
    /// About this user, as the agent names them.
    user_id: Option<String>,
    /// About this user, `usr_…`.
    user: Option<UserId>,
    /// Of this kind.
    kind: Option<String>,
    /// That would do this.
    action: Option<Action>,
    /// With this flag. `target_moved`, `date_passed` and `opted_out` are worked out on reading, and cannot be asked for.
    flag: Option<Flag>,
    /// In this language.
    language: Option<String>,
    /// At least this sure, 0.0 to 1.0.
    confidence_from: Option<f64>,
    /// That expire within so many hours, at most 65,535.
    #[param(maximum = 65_535)]
    expiring_within_hours: Option<u16>,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// The queue, and what was decided.
#[utoipa::path(
    get, path = "/candidates", tag = "candidates", params(CandidateQuery),
    responses((status = 200, body = Listed<CandidateView>))
)]
pub async fn list_candidates(
    caller: Caller<ReadCandidates>,
    State(app): State<AppState>,
    Query(asked): Query<CandidateQuery>,
) -> Result<Json<Listed<CandidateView>>, Problem> {
    let page = page(asked.cursor.clone(), asked.limit)?;
    let filter = asked.filter()?;
    let list = app
        .engine
        .candidates(&caller.permit, &filter, &page)
        .await?;
    Ok(Json(list.into()))
}

impl CandidateQuery {
    fn filter(self) -> Result<CandidateFilter, Problem> {
        let named = self.user_id.as_deref().map(|id| scope(Some(id), None));
        Ok(CandidateFilter {
            status: self.status,
            agent: self.agent,
            user: self.user,
            scope: named.transpose().map_err(fault)?,
            kind: self.kind,
            action: self.action,
            flag: self.flag,
            languages: self.language.into_iter().collect(),
            confidence_from: self.confidence_from,
            expiring_within: self
                .expiring_within_hours
                .map(|hours| Span::hours(hours.into())),
            ..CandidateFilter::default()
        })
    }
}
