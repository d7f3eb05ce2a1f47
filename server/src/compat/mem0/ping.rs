//! `GET /v1/ping/`: the client's constructor asks whether its key is good, and for the names of an organisation and a project.

use axum::Json;
use serde_json::{Value, json};

use crate::auth::{Caller, need::ReadMemories};

/// The project is the agent. No e-mail address is told: the client would send it to its maker's telemetry.
pub async fn show(caller: Caller<ReadMemories>) -> Json<Value> {
    let agent = caller.agent(None).ok().map(|agent| agent.to_string());
    Json(json!({
        "status": "ok",
        "org_id": "keepsake",
        "project_id": agent.as_deref().unwrap_or("*"),
        "user_email": null,
    }))
}
