//! `cargo xtask run [-- args of keepsake serve]`

use anyhow::Result;

use crate::process::{call, cargo, step};
use crate::site;
use crate::wasm::Size;

/// Builds the site and the server, then becomes the server until it ends.
pub fn run(args: &[String]) -> Result<()> {
    site::build(Size::Quick)?;
    step("Building the server", || {
        call(cargo().args(["build", "--package", "server"]))
    })?;
    println!("· Starting; Ctrl-C stops it");
    call(
        cargo()
            .args(["run", "--quiet", "--package", "server", "--", "serve"])
            .args(args),
    )
}
