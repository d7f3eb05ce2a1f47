//! `cargo xtask accept`: what is too heavy for CI. At present: the release build, the size of what the browser loads,
//! 10,000 decisions in one press, the table of an export in LibreOffice, the walks of `end2end/sdk`, the OpenAPI document under
//! Schemathesis, and the journeys against the release binary.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::postgres::Postgres;
use crate::process::{call, cargo, output, step};
use crate::wasm::Size;
use crate::{browser, journeys, left_out, office, python, site};

/// The most a browser may have to download before the desk answers keys, compressed as the server compresses it.
const WASM_LIMIT: u64 = 200 * 1024;

/// Runs all of it; stops at the first that fails. Where something could not be installed the rest runs, and then it fails.
pub fn run(_: &[String]) -> Result<()> {
    browser::ensure()?;
    office::ensure()?;
    python::ensure()?;
    site::build(Size::Small)?;
    let size = brotli(Path::new("target/site/pkg/keepsake_bg.wasm"))?;
    println!(
        "  wasm, brotli: {:.1} KB of at most {} KB",
        size as f64 / 1024.0,
        WASM_LIMIT / 1024
    );
    if size > WASM_LIMIT {
        bail!("the wasm is too large");
    }
    let binary = release()?;
    println!(
        "  binary: {:.1} MB",
        std::fs::metadata(binary)?.len() as f64 / 1e6
    );
    let postgres = step("Starting PostgreSQL", Postgres::start)?;
    step("Deciding on 10,000 in one press", || {
        call(
            cargo()
                .args(["test", "--package", "engine", "--test", "engine"])
                .arg("all_that_match_are_decided")
                .env("KEEPSAKE_BULK_ROWS", "10000")
                .env("KEEPSAKE_TEST_POSTGRES", postgres.url()),
        )
    })?;
    step("Opening the table of an export in LibreOffice", || {
        call(
            cargo()
                .args(["test", "--package", "engine", "--test", "engine"])
                .arg("a_spreadsheet_runs_no_cell_of_the_table")
                .env("KEEPSAKE_SOFFICE", office::SOFFICE)
                .env("KEEPSAKE_TEST_POSTGRES", postgres.url()),
        )
    })?;
    let mut left_out = crate::sdk::walk(binary)?;
    left_out.extend(crate::schemathesis::hold(binary)?);
    journeys::play(binary, &postgres, &[], journeys::Looks::All)?;
    left_out::tell(&left_out)
}

/// Builds everything that runs in release at once and answers the binary: another choice of packages joins other features of
/// the dependencies, and would build most of them a second time.
pub fn release() -> Result<&'static Path> {
    step("Building the release binary", || {
        call(cargo().args([
            "build",
            "--release",
            "--package",
            "server",
            "--package",
            "store",
            "--bins",
            "--examples",
        ]))
    })?;
    Ok(Path::new("target/release/keepsake"))
}

/// Bytes after brotli at its best quality, by Node, which is here anyway.
pub fn brotli(file: &Path) -> Result<u64> {
    let script = "process.stdout.write(String(require('zlib').brotliCompressSync(require('fs').readFileSync(process.argv[1])).length))";
    output(Command::new("node").args(["-e", script]).arg(file))?
        .trim()
        .parse()
        .context("read the size")
}
