//! `POST /bulks`

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    agent::AgentName,
    bulk::BulkVerdict,
    candidate::{Action, Flag, Reason, Status},
    id::{CandidateId, UserId},
    time::Span,
};
use engine::{BulkView, CandidateFilter, Gathering, NewBulk};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        candidates::StoredFlag,
        subject::{fault, scope},
    },
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Many decisions: on `candidates`, or on all that match `filter`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkPost {
    /// What is to become of each.
    verdict: BulkVerdict,
    /// With `reject`: why.
    reason: Option<Reason>,
    /// For the history of each decision.
    note: Option<String>,
    /// With `approve`: risky ones too. Only an administrator may, and says why in `note`.
    #[serde(default)]
    insist: bool,
    /// How many there are. Approving more than 20 needs it, and is refused where there are more than that.
    confirm: Option<i64>,
    /// At most 200; decided before the call answers.
    candidates: Option<Vec<PickPost>>,
    /// All that match it now; decided in the background.
    filter: Option<FilterPost>,
}

/// A candidate as it was seen.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PickPost {
    id: CandidateId,
    /// The version that was seen; a decision on another is refused.
    version: i64,
}

/// Which candidates; all conditions must hold. With `approve` and `reject` those that wait, with `reopen` those that expired unseen.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FilterPost {
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
    #[schema(value_type = Option<StoredFlag>)]
    flag: Option<Flag>,
    /// In one of these languages; left out: in any.
    #[serde(default)]
    languages: Vec<String>,
    /// At least this sure, 0.0 to 1.0.
    confidence_from: Option<f64>,
    /// That expire within so many hours, at most 65,535.
    #[schema(maximum = 65_535)]
    expiring_within_hours: Option<u16>,
    /// With these words.
    text: Option<String>,
}

/// Decides on many candidates.
#[utoipa::path(
    post, path = "/bulks", tag = "bulks", params(OnceHeader), request_body = BulkPost,
    responses(
        (status = 201, body = BulkView, description = "The picked candidates were decided", headers(("Location"))),
        (status = 202, body = BulkView, description = "They are decided in the background", headers(("Location")))
    )
)]
pub async fn start_bulk(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    body: Body<BulkPost>,
) -> Result<Response, Problem> {
    let new = body.value.parse()?;
    let permit = &caller.permit;
    let work = async {
        let bulk = app.engine.start_bulk(permit, new).await?;
        Ok(begun(&bulk))
    };
    once.run(permit, &body.raw, work).await
}

/// The answer to what began a bulk.
pub fn begun(bulk: &BulkView) -> Response {
    let status = if bulk.state.is_open() {
        StatusCode::ACCEPTED
    } else {
        StatusCode::CREATED
    };
    let location = format!("/api/v1/bulks/{}", bulk.id);
    (status, [(header::LOCATION, location)], Json(bulk)).into_response()
}

impl BulkPost {
    fn parse(self) -> Result<NewBulk, Problem> {
        let of = match (self.candidates, self.filter) {
            (Some(picks), None) => Gathering::Picked(
                picks
                    .into_iter()
                    .map(|pick| (pick.id, pick.version))
                    .collect(),
            ),
            (None, Some(filter)) => {
                let filter = filter.parse(self.verdict)?;
                Gathering::Matching(Box::new(filter), None)
            }
            (Some(_), Some(_)) => {
                let detail = "give candidates or filter, not both";
                return Err(Problem::invalid("/filter", "both", detail));
            }
            (None, None) => {
                let detail = "give candidates or filter";
                return Err(Problem::invalid("/candidates", "required", detail));
            }
        };
        Ok(NewBulk {
            verdict: self.verdict,
            reason: self.reason,
            note: self.note,
            insist: self.insist,
            confirmed: self.confirm,
            of,
        })
    }
}

impl FilterPost {
    fn parse(self, verdict: BulkVerdict) -> Result<CandidateFilter, Problem> {
        let named = self.user_id.as_deref().map(|id| scope(Some(id), None));
        let reopens = verdict == BulkVerdict::Reopen;
        Ok(CandidateFilter {
            status: (!reopens).then_some(Status::Pending),
            expired_unseen: reopens,
            agent: self.agent,
            user: self.user,
            scope: named.transpose().map_err(fault)?,
            kind: self.kind,
            action: self.action,
            flag: self.flag,
            languages: self.languages,
            confidence_from: self.confidence_from,
            expiring_within: self
                .expiring_within_hours
                .map(|hours| Span::hours(hours.into())),
            text: self.text,
            ..CandidateFilter::default()
        })
    }
}
