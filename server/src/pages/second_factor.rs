//! `/account/second-factor`: what a person is asked for at the sign-in besides the password.

use std::collections::BTreeMap;

use app::{
    pages::account::{self, SecondFactor, Standing, Waits},
    shell::Place,
};
use axum::{extract::State, response::Response};
use engine::{EngineError, RecoveryCodes};
use serde::Deserialize;

use super::{
    form::{refused, typed_of},
    look::Look,
};
use crate::{
    auth::{FreshForm, Person, SignIn},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

const PAGE: &str = "/account/second-factor";
/// The word of a flash that shows recovery codes, and its field.
const CODES: &str = "recovery_codes";

/// The page. The secret is on it until the first code has come, and only for a sign-in that is fresh.
pub async fn show(person: Person, sign_in: SignIn, look: Look) -> Result<Response, PageError> {
    let frame = look.frame_of(&person.actor, Place::Elsewhere).await?;
    let found = look.engine().person(&person.id).await?;
    let found = found.ok_or(EngineError::NotFound)?;
    let standing = match found.second_factor_at {
        Some(since) => Standing::On {
            since,
            codes_left: look
                .engine()
                .recovery_codes_left(&person.id)
                .await?
                .unsigned_abs(),
        },
        None if sign_in.is_fresh().await? => {
            let waits = look.engine().second_factor_setup(&person.id).await?;
            waits.map_or(Standing::Off, |setup| {
                Standing::Waits(Waits {
                    secret: setup.secret,
                    address: setup.address,
                })
            })
        }
        None => Standing::Off,
    };
    let codes = look
        .flash
        .as_ref()
        .and_then(|flash| flash.fields.get(CODES));
    let second = SecondFactor {
        standing,
        codes: codes.map_or_else(Vec::new, |codes| {
            codes.split_whitespace().map(str::to_owned).collect()
        }),
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || account::second_factor(&frame, &second))
        .await
}

/// Makes a secret; the page that follows shows it.
pub async fn begin(
    person: Person,
    flashes: Flashes,
    State(app): State<AppState>,
    FreshForm(_): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    app.engine.begin_second_factor(&person.id).await?;
    let flash = Flash::new("second_factor_begun");
    flashes.see_other(PAGE, flash).await
}

/// The first code.
#[derive(Deserialize)]
pub struct First {
    code: String,
}

/// Switches it on; the page that follows shows the recovery codes this once.
pub async fn enable(
    person: Person,
    sign_in: SignIn,
    flashes: Flashes,
    State(app): State<AppState>,
    FreshForm(first): FreshForm<First>,
) -> Result<Response, PageError> {
    let enabled = app
        .engine
        .enable_second_factor(&person.id, &first.code, &sign_in.token())
        .await;
    let flash = match enabled {
        Ok(codes) => {
            sign_in.gave_code().await?;
            shown("second_factor_on", &codes)
        }
        Err(error) => not_there(error)?,
    };
    flashes.see_other(PAGE, flash).await
}

/// Makes recovery codes anew; the page that follows shows them this once.
pub async fn renew(
    person: Person,
    flashes: Flashes,
    State(app): State<AppState>,
    FreshForm(_): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let flash = match app.engine.renew_recovery_codes(&person.id).await {
        Ok(codes) => shown(CODES, &codes),
        Err(error) => not_there(error)?,
    };
    flashes.see_other(PAGE, flash).await
}

/// Switches it off.
pub async fn disable(
    person: Person,
    flashes: Flashes,
    State(app): State<AppState>,
    FreshForm(_): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let flash = match app.engine.disable_second_factor(&person.id).await {
        Ok(()) => Flash::new("second_factor_off"),
        Err(error) => not_there(error)?,
    };
    flashes.see_other(PAGE, flash).await
}

fn shown(word: &str, codes: &RecoveryCodes) -> Flash {
    Flash::new(word).with(CODES, codes.reveal().join(" "))
}

/// A code that was wrong, or a second factor that is not there by now, as a flash.
fn not_there(error: EngineError) -> Result<Flash, PageError> {
    match error {
        EngineError::NoSecondFactor => Ok(Flash::new(error.code())),
        error => refused(error, &[]),
    }
}
