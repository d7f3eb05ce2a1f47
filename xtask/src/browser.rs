//! The browser of the journeys, its fonts, and the Node packages that drive it.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::packages;
use crate::process::{call, step, works};

const CJK: &str = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc";

/// Installs Chromium, a font with Japanese and Chinese letters, and end2end's packages, as far as they are missing.
///
/// # Errors
/// Something is missing and cannot be installed; the error says what.
pub fn ensure() -> Result<()> {
    let mut missing = Vec::new();
    if !works(Command::new("sh").args(["-c", "command -v chromium"])) {
        missing.push("chromium");
    }
    // Without it every Japanese screenshot is boxes, and what is boxes cannot be looked at.
    if !Path::new(CJK).exists()
        && !works(Command::new("sh").args(["-c", "fc-list :lang=ja | grep -q ."]))
    {
        missing.push("fonts-noto-cjk");
    }
    if !missing.is_empty() {
        step(&format!("Installing {}", missing.join(", ")), || {
            packages::install(&missing)
        })?;
    }
    let wanted = std::fs::read("end2end/package-lock.json")?;
    let stamp = Path::new("end2end/node_modules/.keepsake-lock");
    if std::fs::read(stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    step("Installing the packages of the journeys", || {
        call(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
                .current_dir("end2end"),
        )?;
        Ok(std::fs::write(stamp, &wanted)?)
    })
}
