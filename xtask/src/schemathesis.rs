//! `cargo xtask schemathesis`: the running binary held against its own OpenAPI document by Schemathesis, once with the key of an
//! administrator and once with that of an agent, whose refusals must be described too.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{call, step};
use crate::sdk::{FOLDER, Installation, venv};
use crate::{journeys, left_out};

const VENV: &str = "target/sdk/schemathesis";

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance,negative_data_rejection,unsupported_method,ignored_auth";

const EVERYTHING: &str = "conversations:write,context:read,candidates:write,candidates:read,review:write,memories:read,\
    audit:read,exports:read,admin";

/// `cargo xtask schemathesis`
pub fn run(_: &[String]) -> Result<()> {
    left_out::tell(&hold(&journeys::build()?)?)
}

/// Sends a binary whatever its document allows and forbids, and answers what was left out: all of it where Schemathesis cannot be
/// installed here.
///
/// # Errors
/// An answer was not as described, or a server error.
pub fn hold(keepsake: &Path) -> Result<Vec<String>> {
    let keepsake = std::path::absolute(keepsake)?;
    let wanted = Path::new(FOLDER).join("schemathesis.txt");
    let program = match venv(VENV, &wanted) {
        Ok(python) => python.with_file_name("st"),
        Err(why) => return Ok(vec![format!("Schemathesis: {why:#}")]),
    };
    step("Schemathesis with an administrator's key", || {
        let here = Installation::start(&keepsake)?;
        let person = ["--agent", "*", "--person", "mia@example.com", "--scopes"];
        let key = here.key(&[&person[..], &[EVERYTHING]].concat())?;
        tried(&program, &here, &key)
    })?;
    // Another installation: an administrator's key may have locked everybody else out of the first.
    step("Schemathesis with an agent's key", || {
        let here = Installation::start(&keepsake)?;
        let key = here.told("KEEPSAKE_SUPPORT_KEY").to_owned();
        tried(&program, &here, &key)
    })?;
    Ok(Vec::new())
}

fn tried(program: &Path, here: &Installation, key: &str) -> Result<()> {
    // Away from the project: it reads a configuration from where it is started, and leaves files there.
    let folder = Path::new("target/sdk/schemathesis-run");
    fs::create_dir_all(folder).context("make a folder for Schemathesis")?;
    call(
        Command::new(program)
            .arg("run")
            .arg(format!("{}/api/openapi.json", here.told("KEEPSAKE_URL")))
            .args(["--header", &format!("Authorization: Bearer {key}")])
            .args(["--checks", CHECKS])
            .args(["--phases", "examples,coverage,fuzzing,stateful"])
            .args(["--max-examples", "50", "--continue-on-failure"])
            .args(["--workers", "2", "--generation-database", "none"])
            // What it finds once it finds again.
            .args(["--seed", "1"])
            .arg("--no-color")
            .current_dir(folder),
    )
    .with_context(|| format!("the log of Keepsake ends with:\n{}", here.log()))
}
