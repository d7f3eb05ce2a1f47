//! Python, with which the second verifier of exports (`docs/verify.py`) runs beside the one in Rust.

use std::process::Command;

use anyhow::Result;

use crate::packages;
use crate::process::{step, works};

/// Installs Python where it is missing; its standard library is enough.
///
/// # Errors
/// As [`packages::install`].
pub fn ensure() -> Result<()> {
    if works(Command::new("python3").arg("--version")) {
        return Ok(());
    }
    step("Installing python3", || packages::install(&["python3"]))
}
