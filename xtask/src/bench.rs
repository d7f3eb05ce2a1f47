//! `cargo xtask bench [-- options of the bench]`: builds release and prints a table of figures. The measurements themselves are
//! `server/examples/bench`, which drives the release binary over HTTP, on SQLite and on a PostgreSQL that writes to disk, beside
//! `mem0ai`. Where that cannot be installed it is not measured, and said last of all.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::accept::{brotli, release};
use crate::postgres::Postgres;
use crate::process::call;
use crate::wasm::Size;
use crate::{sdk, site};

pub fn run(args: &[String]) -> Result<()> {
    site::build(Size::Small)?;
    let binary = release()?;
    let python = sdk::interpreter();
    println!("| figure | value |\n|---|---|");
    println!(
        "| wasm, brotli | {:.1} KB |",
        brotli(Path::new("target/site/pkg/keepsake_bg.wasm"))? as f64 / 1024.0
    );
    println!(
        "| binary | {:.1} MB |",
        std::fs::metadata(binary)?.len() as f64 / 1e6
    );
    let postgres = Postgres::start_durable()?;
    let mut bench = Command::new("target/release/examples/bench");
    bench
        .env("KEEPSAKE_TEST_POSTGRES", postgres.url())
        .args(args);
    if let Ok(python) = &python {
        bench.env("KEEPSAKE_TEST_PYTHON", python);
    }
    call(&mut bench)?;
    if let Err(why) = python {
        println!("!! NOT MEASURED, because it cannot be installed here: mem0ai: {why:#}");
    }
    Ok(())
}
