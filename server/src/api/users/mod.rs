//! Users: the people agents talk to.

mod events;
mod list;
mod show;

use std::{convert::Infallible, str::FromStr};

use engine::UserRef;
use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_users))
        .routes(guarded!(show::get_user))
        .routes(guarded!(events::list_user_events))
}

/// A user as a path names one: `usr_…`, or the agent's own `user_id`.
struct Person(Option<UserRef>);

impl FromStr for Person {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(UserRef::parse(text).ok()))
    }
}
