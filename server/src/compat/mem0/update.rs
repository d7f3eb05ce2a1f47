//! `PUT /v1/memories/{id}/`, `PUT /memories/{id}`

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use chrono::NaiveDate;
use domain::{Timestamp, candidate::Edit, id::MemoryId};
use engine::MemoryEdit;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{outcome::Told, view::Memory};
use crate::{
    api::{body::Body, path::Named},
    auth::{Caller, need::Propose},
    compat::{
        change::{self, Changed},
        place::placed,
    },
    problem::Problem,
    state::AppState,
};

/// Our names of what a client gives.
const NAMES: &[(&str, &str)] = &[("/content", "/text"), ("/expires_at", "/expiration_date")];

/// What changes; what is left out stays. Other fields are not looked at.
#[derive(Debug, Deserialize)]
pub struct UpdatePost {
    /// The self-hosted server's clients have had several words for it.
    #[serde(alias = "data", alias = "memory")]
    text: Option<String>,
    metadata: Option<Map<String, Value>>,
    /// The day from which it is served no more, `YYYY-MM-DD` in UTC; `null`: never.
    #[serde(default, deserialize_with = "engine::patch::given")]
    expiration_date: Option<Option<String>>,
}

/// Edits a memory, where the key is that of a person who decides; else proposes it.
pub async fn update(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
    body: Body<UpdatePost>,
) -> Result<Response, Problem> {
    let edit = body.value.parse()?;
    let changed = change::update(&app, &caller, &id, edit).await;
    Ok(match changed.map_err(|error| placed(error, NAMES))? {
        Changed::Done(memory) => Json(Memory::from(*memory)).into_response(),
        Changed::Proposed(outcome) => {
            let waits = "The change waits for a person; until then the memory stays as it is.";
            Json(Told::new(id, &outcome, waits)).into_response()
        }
    })
}

impl UpdatePost {
    fn parse(self) -> Result<MemoryEdit, Problem> {
        let expires_at = match self.expiration_date {
            None => None,
            Some(None) => Some(None),
            Some(Some(day)) => {
                let end = beginning_of(&day).ok_or_else(|| {
                    let detail = "a day such as 2026-12-01 is needed";
                    Problem::invalid("/expiration_date", "invalid", detail)
                })?;
                Some(Some(end))
            }
        };
        Ok(MemoryEdit {
            edit: Edit {
                content: self.text,
                metadata: self.metadata,
                ..Edit::default()
            },
            expires_at,
        })
    }
}

fn beginning_of(day: &str) -> Option<Timestamp> {
    let day = NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()?;
    Some(day.and_hms_opt(0, 0, 0)?.and_utc())
}
