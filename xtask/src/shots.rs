//! `cargo xtask shots`: the screenshots of `docs/screenshots`, from a server that was filled over its own API.

use std::process::Command;

use anyhow::Result;

use crate::process::{call, step};
use crate::wasm::Size;
use crate::{browser, journeys, site};

pub fn run(args: &[String]) -> Result<()> {
    browser::ensure()?;
    site::build(Size::Quick)?;
    let keepsake = std::path::absolute(journeys::build()?)?;
    step("Taking the screenshots", || {
        call(
            Command::new("node")
                .arg("end2end/shots.mjs")
                .args(args)
                .env("KEEPSAKE_BIN", keepsake),
        )
    })
}
