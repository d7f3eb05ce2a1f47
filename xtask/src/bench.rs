//! `cargo xtask bench [-- options of the bench]`: builds release and prints a table of figures. The measurements themselves are
//! `server/examples/bench`, which drives the release binary over HTTP, on SQLite and on a PostgreSQL that writes to disk.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::accept::{brotli, release};
use crate::postgres::Postgres;
use crate::process::call;
use crate::site;
use crate::wasm::Size;

pub fn run(args: &[String]) -> Result<()> {
    site::build(Size::Small)?;
    let binary = release()?;
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
    call(
        Command::new("target/release/examples/bench")
            .env("KEEPSAKE_TEST_POSTGRES", postgres.url())
            .args(args),
    )
}
