//! Users: the people agents talk to.

mod as_of;
mod change;
mod erase;
mod erasure;
mod events;
mod list;
mod profile;
mod show;

use std::{convert::Infallible, str::FromStr};

use domain::user::Scope;
use engine::UserRef;
use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_users))
        .routes(guarded!(show::get_user))
        .routes(guarded!(change::change_user))
        .routes(guarded!(erasure::get_erasure))
        .routes(guarded!(erase::erase_user))
        .routes(guarded!(profile::get_profile))
        .routes(guarded!(events::list_user_events))
        .routes(guarded!(as_of::get_user_as_of))
}

/// A user as a path names one: `usr_…`, the agent's own `user_id`, or the pairs of a scope as a JSON object (D9).
struct Person(Option<UserRef>);

impl FromStr for Person {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let scope = text
            .starts_with('{')
            .then(|| serde_json::from_str::<Scope>(text).ok())
            .flatten();
        Ok(Self(match scope {
            Some(scope) => Some(UserRef::Scope(scope)),
            None => UserRef::parse(text).ok(),
        }))
    }
}

/// The same of a body or a query; `None`: it names nobody.
pub fn person(text: &str) -> Option<UserRef> {
    let Ok(Person(user)) = text.parse();
    user
}
