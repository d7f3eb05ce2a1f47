//! Webhooks: who is told what happened.

mod change;
mod create;
mod deliveries;
mod list;
mod remove;
mod resend;
mod rotate;
mod show;
mod test;

use engine::WebhookView;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_webhooks))
        .routes(guarded!(create::create_webhook))
        .routes(guarded!(show::get_webhook))
        .routes(guarded!(change::change_webhook))
        .routes(guarded!(remove::remove_webhook))
        .routes(guarded!(rotate::rotate_webhook))
        .routes(guarded!(test::test_webhook))
        .routes(guarded!(deliveries::list_deliveries))
        .routes(guarded!(resend::resend_delivery))
}

/// A webhook with its secret, shown this once.
#[derive(Serialize, ToSchema)]
pub struct WebhookShown {
    /// What signs, `whsec_…`: who receives checks the signatures with it.
    secret: String,
    /// Its description.
    webhook: WebhookView,
}
