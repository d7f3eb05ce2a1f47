//! `cargo xtask train [--check]`: runs the package `train` (`xtask/train`), which reads the templates, calls the trainer
//! of `domain::builtin` and writes the weights. A package of its own so that the other commands do not build `domain`.

use anyhow::Result;

use crate::process::{call, cargo};

pub fn run(args: &[String]) -> Result<()> {
    call(
        cargo()
            .args(["run", "--quiet", "--package", "train", "--"])
            .args(args),
    )
}
