//! `cargo xtask test`: what CI runs. Words after it are handed to `cargo test`, and then the journeys are left out.

use anyhow::Result;

use crate::postgres::Postgres;
use crate::process::{call, cargo, step};
use crate::wasm::Size;
use crate::{browser, clients, journeys, python, site};

/// Runs every test. Stops at the first part that fails.
pub fn run(args: &[String]) -> Result<()> {
    python::ensure()?;
    let postgres = step("Starting PostgreSQL", Postgres::start)?;
    step("cargo test, on SQLite and PostgreSQL", || {
        call(
            cargo()
                .arg("test")
                .args(args)
                .env("LC_ALL", "C.UTF-8")
                .env("KEEPSAKE_TEST_POSTGRES", postgres.url())
                .env("KEEPSAKE_TEST_POSTGRES_DATA", postgres.data()),
        )
    })?;
    if !args.is_empty() {
        return Ok(());
    }
    clients::test()?;
    browser::ensure()?;
    site::build(Size::Quick)?;
    journeys::play(&journeys::build()?, &postgres, &[], journeys::Looks::Few)
}
