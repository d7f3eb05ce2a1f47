//! All tooling of the project, as `cargo xtask COMMAND`. Each command is a file; what several need is a file named after it.

mod accept;
mod bench;
mod browser;
mod clients;
mod journeys;
mod left_out;
mod office;
mod packages;
mod postgres;
mod prints;
mod process;
mod python;
mod run;
mod schemathesis;
mod sdk;
mod shots;
mod site;
mod styles;
mod test;
mod train;
mod wasm;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

/// One thing `cargo xtask` can do: the word, what it does, and the function that is given the words after it.
type Task = (&'static str, &'static str, fn(&[String]) -> Result<()>);

const TASKS: &[Task] = &[
    (
        "run",
        "build what is needed and start Keepsake with its data in ./data",
        run::run,
    ),
    (
        "test",
        "everything CI runs: cargo test on both databases, then the journeys in Chromium",
        test::run,
    ),
    (
        "site",
        "build the wasm and the stylesheet into target/site (--release: small)",
        site::run,
    ),
    (
        "accept",
        "what is too heavy for CI, against the release binary",
        accept::run,
    ),
    (
        "bench",
        "the figures of docs/DECISIONS.md, from a release build",
        bench::run,
    ),
    (
        "train",
        "retrain the built-in extractor (--check: compare with the committed weights and their report)",
        train::run,
    ),
    (
        "journeys",
        "only the journeys in Chromium; words after it pick some by name",
        journeys::run,
    ),
    (
        "sdk",
        "walk through the binary with the SDKs of others",
        sdk::run,
    ),
    (
        "clients",
        "test the clients in Python and TypeScript, and hold them against the OpenAPI document",
        clients::run,
    ),
    (
        "schemathesis",
        "hold the binary against its OpenAPI document, with requests nobody thought of",
        schemathesis::run,
    ),
    (
        "shots",
        "take the screenshots of docs/screenshots",
        shots::run,
    ),
    (
        "prints",
        "print the sheet of a decision and the report of an export into target/prints",
        prints::run,
    ),
    (
        "lint-wasm",
        "clippy for what runs in the browser",
        wasm::lint,
    ),
];

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.filter(|arg| arg != "--").collect();
    match dispatch(&command, &rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo xtask {command}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: &str, args: &[String]) -> Result<()> {
    std::env::set_current_dir(root()).context("enter the project's folder")?;
    match TASKS.iter().find(|(word, ..)| *word == command) {
        Some((.., work)) => work(args),
        None => {
            println!("cargo xtask COMMAND\n");
            for (word, does, _) in TASKS {
                println!("  {word:<12} {does}");
            }
            match command {
                "" | "help" | "--help" | "-h" => Ok(()),
                unknown => bail!("there is no command {unknown:?}"),
            }
        }
    }
}

/// The project's folder: the parent of this package's.
fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or(package.clone(), PathBuf::from)
}
