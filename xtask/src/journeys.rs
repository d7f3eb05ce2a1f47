//! The journeys in Chromium, against a `keepsake` that was built before.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::postgres::Postgres;
use crate::process::{call, cargo, step};
use crate::wasm::Size;
use crate::{browser, site};

/// `cargo xtask journeys [names]`
pub fn run(args: &[String]) -> Result<()> {
    browser::ensure()?;
    let postgres = step("Starting PostgreSQL", Postgres::start)?;
    site::build(Size::Quick)?;
    play(&build()?, &postgres, args, Looks::Few)
}

/// Builds the binary with the features that `cargo test` unifies, so that nothing is compiled twice.
pub fn build() -> Result<std::path::PathBuf> {
    step("Building the server", || {
        call(cargo().args(["build", "--tests", "--bins"]))
    })?;
    Ok("target/debug/keepsake".into())
}

/// In how many languages, themes and widths the pages are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// Each language once, each theme and width in English.
    Few,
    /// Every language in every theme and width.
    All,
}

/// Plays the journeys whose names are given, or all.
///
/// # Errors
/// One of them failed.
pub fn play(keepsake: &Path, postgres: &Postgres, names: &[String], looks: Looks) -> Result<()> {
    step("Journeys in Chromium", || {
        call(
            Command::new("node")
                .arg("end2end/run.mjs")
                .args(names)
                .envs((looks == Looks::All).then_some(("KEEPSAKE_FULL", "1")))
                .env("KEEPSAKE_BIN", std::path::absolute(keepsake)?)
                .env("KEEPSAKE_TEST_POSTGRES", postgres.url())
                .env("KEEPSAKE_TEST_POSTGRES_DATA", postgres.data())
                .env("KEEPSAKE_TEST_POSTGRES_PROGRAMS", postgres.programs()),
        )
    })
}
