//! `GET /candidates`

use axum::{Json, extract::State};
use domain::{
    agent::AgentName,
    candidate::{Action, Flag, Status},
    id::{PersonId, UserId},
    time::Span,
};
use engine::{CandidateFilter, CandidateView, Claims, Handed};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::StoredFlag;
use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
        subject::named,
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
    /// About exactly the user these pairs name, as a JSON object.
    scope: Option<String>,
    /// Of this kind.
    kind: Option<String>,
    /// That would do this.
    action: Option<Action>,
    /// With this flag. `target_moved`, `date_passed` and `opted_out` are worked out on reading, and cannot be asked for.
    #[param(value_type = Option<StoredFlag>)]
    flag: Option<Flag>,
    /// In this language, or in one of several with commas between them.
    language: Option<String>,
    /// At least this sure, 0.0 to 1.0.
    confidence_from: Option<f64>,
    /// That expire within so many hours, at most 65,535.
    #[param(maximum = 65_535)]
    expiring_within_hours: Option<u16>,
    /// That have waited longer than so many hours, at most 65,535.
    #[param(maximum = 65_535)]
    waiting_longer_than_hours: Option<u16>,
    /// With these words. What was decided is not found by its words any more.
    text: Option<String>,
    /// That were handed over: to `me`, to whoever speaks their language (`native`), or to this person, `per_…`.
    handed_to: Option<String>,
    /// That the key's person has claimed (`me`), or that nobody else has (`free`).
    #[param(inline)]
    claim: Option<Claim>,
    /// Whether only those that expired before anybody decided.
    #[serde(default)]
    expired_unseen: bool,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// Who has claimed a candidate.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Claim {
    Me,
    Free,
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
        if self.expired_unseen && self.status.is_some_and(|status| status != Status::Rejected) {
            let detail = "what expired unseen counts as rejected; leave status out";
            return Err(Problem::invalid("/status", "both", detail));
        }
        let languages = self.language.as_deref().unwrap_or_default().split(',');
        let languages = languages.map(str::trim).filter(|tag| !tag.is_empty());
        let hours = |hours: u16| Span::hours(hours.into());
        Ok(CandidateFilter {
            status: self.status,
            agent: self.agent,
            user: self.user,
            scope: named(self.user_id.as_deref(), self.scope.as_deref())?,
            kind: self.kind,
            action: self.action,
            flag: self.flag,
            languages: languages.map(str::to_owned).collect(),
            confidence_from: self.confidence_from,
            expiring_within: self.expiring_within_hours.map(hours),
            waits_longer_than: self.waiting_longer_than_hours.map(hours),
            text: self.text,
            handed: self.handed_to.as_deref().map(handed).transpose()?,
            claims: self.claim.map(|claim| match claim {
                Claim::Me => Claims::Mine,
                Claim::Free => Claims::Free,
            }),
            expired_unseen: self.expired_unseen,
            ..CandidateFilter::default()
        })
    }
}

fn handed(to: &str) -> Result<Handed, Problem> {
    match to {
        "me" => Ok(Handed::ToMe),
        "native" => Ok(Handed::Native),
        person => PersonId::parse(person).map(Handed::To).map_err(|_| {
            let detail = "me, native, or a person, per_…";
            Problem::invalid("/handed_to", "invalid", detail)
        }),
    }
}
