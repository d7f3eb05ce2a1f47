//! `cargo xtask clients`: the clients of `clients/`, held against the OpenAPI document, and tested against peers on loopback.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::{call, step};
use crate::python;
use crate::sdk::once;

const PYTHON: &str = "clients/python";
const TYPESCRIPT: &str = "clients/typescript";

/// `cargo xtask clients`
pub fn run(_: &[String]) -> Result<()> {
    test()
}

/// Compares their types with the snapshot of the document, and runs their tests.
///
/// # Errors
/// The types are not those of the document, or a test failed.
pub fn test() -> Result<()> {
    python::ensure()?;
    step("Comparing the clients with the OpenAPI document", || {
        call(Command::new("python3").args(["clients/generate.py", "--check"]))
    })?;
    step("Testing the client in Python", || {
        call(
            Command::new("python3")
                .args(["-B", "-m", "unittest", "discover", "--quiet"])
                .args(["--start-directory", "tests"])
                .env("PYTHONPATH", "src")
                .current_dir(PYTHON),
        )
    })?;
    install()?;
    compile()?;
    step("Testing the client in TypeScript", || {
        call(
            Command::new("node")
                .args(["--test", "dist/tests/calls.test.js"])
                .arg("dist/tests/away.test.js")
                .current_dir(TYPESCRIPT),
        )
    })
}

/// Installs the compiler for TypeScript that the lock file names.
///
/// # Errors
/// It cannot be installed here.
pub fn install() -> Result<()> {
    let folder = Path::new(TYPESCRIPT);
    let stamp = folder.join("node_modules/.keepsake-lock");
    once(&folder.join("package-lock.json"), &stamp, || {
        call(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
                .current_dir(folder),
        )
    })
}

/// Compiles the client in TypeScript.
///
/// # Errors
/// The compiler refuses it.
pub fn compile() -> Result<()> {
    step("Compiling the client in TypeScript", || {
        call(
            Command::new("node")
                .arg("node_modules/typescript/bin/tsc")
                .current_dir(TYPESCRIPT),
        )
    })
}
