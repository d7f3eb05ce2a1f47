//! LibreOffice, in which the tables of exports are opened.

use std::process::Command;

use anyhow::Result;

use crate::packages;
use crate::process::{step, works};

/// Its program.
pub const SOFFICE: &str = "soffice";

/// Installs LibreOffice's spreadsheet where there is none.
///
/// # Errors
/// As [`packages::install`].
pub fn ensure() -> Result<()> {
    if works(Command::new("sh").args(["-c", &format!("command -v {SOFFICE}")])) {
        return Ok(());
    }
    step("Installing libreoffice-calc", || {
        packages::install(&["libreoffice-calc"])
    })
}
