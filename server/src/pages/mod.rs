//! The dashboard: one file a page. A handler names its permission in its signature, calls the engine, and draws a page of `app`
//! or answers 303 to the next one; what it has to say there travels as a flash.

mod account;
mod admin;
mod agent;
mod agents;
mod audit;
mod bulk;
mod by;
mod candidate;
mod confirm;
mod conversation;
mod decisions;
mod demo;
mod digest;
mod dry_runs;
mod error;
mod exports;
mod form;
mod help;
mod holds;
mod imports;
mod jobs;
mod join;
mod joins;
mod kept;
mod keys;
mod kind;
mod language;
mod live;
mod look;
mod memories;
mod memory;
mod metadata;
mod notice;
mod overview;
mod quality;
mod recall;
mod requests;
mod review;
mod schema;
mod second_factor;
mod serving;
mod setup;
mod sheet;
mod sign_in;
mod source;
mod table;
mod transcript;
mod user;
mod users;
mod values;
mod webhooks;

use axum::Router;

use crate::state::AppState;
use table::Table;

pub use error::dress;
pub use kept::{MOST as MOST_KEPT, keep};
pub(crate) use review::views::conditions;
pub use table::{Access, Route};

/// Every page and form, a line each; who may open it is read from the handler's first argument.
fn table() -> Table {
    Table::default()
        .get("/", overview::show)
        .get("/setup", setup::show)
        .post("/setup", setup::submit)
        .get("/join", join::show)
        .post("/join", join::submit)
        .get("/login", sign_in::show)
        .post("/login", sign_in::submit)
        .get("/login/code", sign_in::show_code)
        .post("/login/code", sign_in::submit_code)
        .post("/logout", sign_in::leave)
        .post("/language", language::choose)
        .get("/help", help::show)
        .get("/confirm", confirm::show)
        .get("/kept", kept::show)
        .get("/account", account::show)
        .post("/account", account::change)
        .post("/account/password", account::password)
        .get("/account/second-factor", second_factor::show)
        .post("/account/second-factor/begin", second_factor::begin)
        .post("/account/second-factor/enable", second_factor::enable)
        .post(
            "/account/second-factor/recovery-codes",
            second_factor::renew,
        )
        .post("/account/second-factor/disable", second_factor::disable)
        .post("/account/sessions/end", account::end_session)
        .post("/account/sessions/end-others", account::end_other_sessions)
        .get("/admin", admin::show)
        .post("/admin/people", admin::invite)
        .get("/admin/people/{id}", admin::person)
        .post("/admin/people/{id}/change", admin::change)
        .post("/admin/people/{id}/link", admin::link)
        .post(
            "/admin/people/{id}/second-factor/reset",
            admin::reset_second_factor,
        )
        .post("/admin/people/{id}/sessions/end", admin::end_sessions)
        .post("/admin/people/{id}/deactivate", admin::deactivate)
        .post("/admin/people/{id}/reactivate", admin::reactivate)
        .get("/account/digest", digest::show)
        .post("/account/digest", digest::change)
        .post("/account/digest/test", digest::test)
        .get("/account/keys", keys::show)
        .post("/account/keys", keys::change)
        .post("/account/keys/reset", keys::reset)
        .get("/live", live::show)
        .get("/review", review::show)
        .get("/review/bulk", bulk::ask)
        .post("/review/bulk", bulk::picked)
        .get("/bulks", bulk::list)
        .post("/bulks", bulk::all)
        .get("/bulks/{id}", bulk::show)
        .post("/bulks/{id}/undo", bulk::undo_all)
        .post("/bulks/{id}/stop", bulk::stop)
        .get("/candidates/{id}", candidate::show)
        .get("/candidates/{id}/sheet", sheet::show)
        .post("/candidates/{id}/approve", candidate::approve)
        .post("/candidates/{id}/reject", candidate::reject)
        .post("/candidates/{id}/reopen", candidate::reopen)
        .post("/candidates/{id}/claim", review::claim::claim)
        .post("/candidates/{id}/release", review::claim::release)
        .post("/candidates/{id}/take-over", review::claim::take_over)
        .post("/candidates/{id}/hand-over", review::handover::hand_over)
        .post("/candidates/{id}/take-back", review::handover::take_back)
        .post("/review/views", review::views::save)
        .post("/review/views/{id}/rename", review::views::rename)
        .post("/review/views/{id}/remove", review::views::remove)
        .get("/users", users::show)
        .get("/users/{id}", user::show)
        .get("/users/{id}/context", user::preview)
        .get("/users/{id}/as-of", user::earlier)
        .get("/servings/{id}", serving::show)
        .post("/users/{id}/opt-out", user::opt_out)
        .get("/joins", joins::show)
        .post("/joins/{id}/approve", joins::approve)
        .post("/joins/{id}/decline", joins::decline)
        .post("/joins/{id}/split", joins::split)
        .post("/joins/{id}/undo", joins::undo)
        .post("/users/{id}/joins", joins::add)
        .post("/users/{id}/hold", user::hold)
        .post("/users/{id}/erase", user::erase)
        .get("/holds", holds::show)
        .post("/holds", holds::place)
        .post("/holds/{id}/release", holds::release)
        .get("/memories", memories::show)
        .get("/memories/{id}", memory::show)
        .post("/memories/{id}/edit", memory::edit)
        .post("/memories/{id}/expiry", memory::expiry)
        .post("/memories/{id}/retire", memory::retire)
        .post("/memories/{id}/restore", memory::restore)
        .post("/memories/{id}/recall", recall::recall)
        .get("/quality", quality::show)
        .get("/decisions", decisions::show)
        .get("/jobs", jobs::show)
        .post("/jobs/retry", jobs::retry)
        .get("/audit", audit::show)
        .post("/audit/verify", audit::verify)
        .get("/exports", exports::show)
        .post("/exports", exports::ask)
        .get("/exports/{id}/file", exports::file)
        .post("/exports/{id}/remove", exports::remove)
        .get("/imports", imports::list)
        .upload("/imports", imports::upload)
        .get("/imports/{id}", imports::show)
        .post("/imports/{id}/map", imports::map)
        .post("/imports/{id}/run", imports::run)
        .post("/imports/{id}/stop", imports::stop)
        .post("/imports/{id}/withdraw", imports::withdraw)
        .get("/imports/{id}/errors", imports::faults)
        .get("/requests", requests::list)
        .post("/requests", requests::open)
        .get("/requests/{id}", requests::show)
        .get("/requests/{id}/proof", requests::proof)
        .post("/requests/{id}/look", requests::look_again)
        .post("/requests/{id}/copy", requests::copy)
        .post("/requests/{id}/close", requests::close)
        .get("/conversations/{id}", conversation::show)
        .post("/operations/{id}/retry", conversation::retry)
        .post("/demo", demo::fill)
        .post("/demo/remove", demo::remove)
        .get("/agents", agents::show)
        .post("/agents", agents::create)
        .get("/agents/{name}", agent::show)
        .post("/agents/{name}/settings", agent::change)
        .post("/agents/{name}/sets", agent::sets)
        .post("/agents/{name}/policies", agent::switch_on)
        .post("/agents/{name}/policies/off", agent::switch_off)
        .post("/agents/{name}/four-eyes", agent::four_eyes)
        .get("/agents/{name}/dry-runs", dry_runs::list)
        .post("/agents/{name}/dry-runs", dry_runs::start)
        .get("/agents/{name}/dry-runs/{id}", dry_runs::show)
        .post("/agents/{name}/dry-runs/{id}/stop", dry_runs::stop)
        .post("/agents/{name}/kinds", kind::create)
        .get("/agents/{name}/kinds/new", kind::new)
        .get("/agents/{name}/kinds/{kind}", kind::show)
        .post("/agents/{name}/kinds/{kind}", kind::change)
        .post(
            "/agents/{name}/kinds/{kind}/guidelines/{language}",
            kind::guideline,
        )
        .post("/agents/{name}/schemas", schema::create)
        .get("/agents/{name}/schemas/new", schema::new)
        .get("/agents/{name}/schemas/{id}", schema::show)
        .post("/agents/{name}/schemas/{id}", schema::change)
        .post("/agents/{name}/schemas/{id}/remove", schema::remove)
        .post("/agents/{name}/keys", agent::create_key)
        .post("/agents/{name}/keys/{id}/revoke", agent::revoke_key)
        .get("/webhooks", webhooks::list)
        .post("/webhooks", webhooks::create)
        .get("/webhooks/{id}", webhooks::show)
        .post("/webhooks/{id}", webhooks::change)
        .post("/webhooks/{id}/enable", webhooks::enable)
        .post("/webhooks/{id}/disable", webhooks::disable)
        .post("/webhooks/{id}/rotate", webhooks::rotate)
        .post("/webhooks/{id}/test", webhooks::test)
        .post("/webhooks/{id}/remove", webhooks::remove)
        .post(
            "/webhooks/{id}/deliveries/{delivery}/resend",
            webhooks::resend,
        )
}

/// What answers.
pub fn router() -> Router<AppState> {
    table().router()
}

/// Every page and form with who may open it.
pub fn routes() -> Vec<Route> {
    table().routes()
}
