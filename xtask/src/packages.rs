//! Programs of the operating system that the tests need, installed where they are missing and the machine allows it.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{call, works};

/// Installs Debian packages without a question. On other systems it says what is missing.
///
/// # Errors
/// There is no apt-get, no right to use it, or a package cannot be had.
pub fn install(packages: &[&str]) -> Result<()> {
    if !works(Command::new("apt-get").arg("--version")) {
        bail!(
            "please install what Debian calls {}, and run this again",
            packages.join(" ")
        );
    }
    call(apt().args(["--quiet", "--quiet", "update"]))?;
    call(
        apt()
            .args(["--quiet", "--yes", "--no-install-recommends", "install"])
            .args(packages),
    )
}

fn apt() -> Command {
    let root = works(Command::new("sh").args(["-c", "test $(id -u) = 0"]));
    let mut command = Command::new(if root { "env" } else { "sudo" });
    if !root {
        command.args(["-n", "env"]);
    }
    // Another apt may be busy at the same time; it ends.
    command.args([
        "DEBIAN_FRONTEND=noninteractive",
        "LC_ALL=C",
        "apt-get",
        "-o",
        "DPkg::Lock::Timeout=300",
        "-o",
        "Dpkg::Use-Pty=0",
    ]);
    command.stdin(std::process::Stdio::null());
    command
}
