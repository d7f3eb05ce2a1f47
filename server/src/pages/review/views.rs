//! Saving a filter under a name, renaming it, removing it.

use app::pages::review::Filter;
use axum::{
    Form,
    extract::{Path, Query, State},
    response::Response,
};
use domain::id::ViewId;
use serde::Deserialize;

use crate::{
    auth::Viewer,
    flash::{Flash, Flashes, local},
    page_error::PageError,
    pages::form::{id, refused},
    state::AppState,
};

/// What the forms send.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Saving {
    name: String,
    query: String,
    next: String,
}

/// Saves the filter of the page.
pub async fn save(
    viewer: Viewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(form): Form<Saving>,
) -> Result<Response, PageError> {
    let saved = app
        .engine
        .save_view(&viewer.permit, &form.name, &conditions(&form.query))
        .await;
    let flash = match saved {
        Ok(view) => Flash::new("view_saved").with("name", view.name),
        Err(error) => refused(error, &[("name", &form.name)])?.with("view", ""),
    };
    back(&flashes, &form, flash).await
}

/// Gives a view another name.
pub async fn rename(
    viewer: Viewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Saving>,
) -> Result<Response, PageError> {
    let id: ViewId = id(&text)?;
    let renamed = app
        .engine
        .rename_view(&viewer.permit, &id, &form.name)
        .await;
    let flash = match renamed {
        Ok(_) => Flash::new("view_renamed"),
        Err(error) => refused(error, &[("name", &form.name)])?.with("view", id.as_str()),
    };
    back(&flashes, &form, flash).await
}

/// Removes a view.
pub async fn remove(
    viewer: Viewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Saving>,
) -> Result<Response, PageError> {
    let id: ViewId = id(&text)?;
    app.engine.remove_view(&viewer.permit, &id).await?;
    back(&flashes, &form, Flash::new("view_removed")).await
}

/// What of a query is a condition of the queue: nothing else is kept.
pub(crate) fn conditions(query: &str) -> String {
    let address = format!("/review?{query}").parse();
    let filter = address
        .ok()
        .and_then(|address| Query::<Filter>::try_from_uri(&address).ok());
    filter
        .map(|Query(filter)| filter.query())
        .unwrap_or_default()
}

async fn back(flashes: &Flashes, form: &Saving, flash: Flash) -> Result<Response, PageError> {
    flashes
        .see_other(&local(Some(&form.next), "/review"), flash)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conditions_of_the_queue_are_saved() {
        let query = "kind=fact&flash=x&c=cand_1&after=1.c&text=green+tea&evil=//x";
        assert_eq!(conditions(query), "kind=fact&text=green%20tea");
        assert_eq!(conditions("\n"), "");
    }
}
