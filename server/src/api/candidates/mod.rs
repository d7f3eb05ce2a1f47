//! The queue, and decisions.

mod approve;
mod claim;
mod decide;
mod flag;
mod handover;
mod list;
mod propose;
mod reject;
mod reopen;
mod show;

pub use flag::StoredFlag;
pub use propose::CandidatePost;
use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_candidates))
        .routes(guarded!(propose::propose_candidate))
        .routes(guarded!(decide::decide_candidates))
        .routes(guarded!(show::get_candidate))
        .routes(guarded!(approve::approve_candidate))
        .routes(guarded!(reject::reject_candidate))
        .routes(guarded!(reopen::reopen_candidate))
        .routes(guarded!(claim::claim_candidate))
        .routes(guarded!(claim::release_candidate))
        .routes(guarded!(claim::take_over_candidate))
        .routes(guarded!(handover::hand_over_candidate))
        .routes(guarded!(handover::take_back_candidate))
}
