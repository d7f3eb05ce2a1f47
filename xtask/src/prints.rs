//! `cargo xtask prints`: what people print (the sheet of a decision, the report of an export) as A4 pages in three languages, into
//! `target/prints`, to be looked at.

use std::process::Command;

use anyhow::Result;

use crate::process::{call, step};
use crate::wasm::Size;
use crate::{browser, journeys, python, site};

pub fn run(_: &[String]) -> Result<()> {
    browser::ensure()?;
    python::ensure()?;
    site::build(Size::Quick)?;
    let keepsake = std::path::absolute(journeys::build()?)?;
    step("Printing into target/prints", || {
        call(
            Command::new("node")
                .arg("end2end/prints.mjs")
                .env("KEEPSAKE_BIN", keepsake),
        )
    })
}
