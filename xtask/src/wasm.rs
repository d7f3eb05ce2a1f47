//! The wasm toolchain and the compile step. Two ways lead to it: rustup's target where its server answers, otherwise
//! Debian's `rustc-web` with the standard library built from source.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::packages;
use crate::process::{call, call_within, cargo, output, step, works};

const TARGET: &str = "wasm32-unknown-unknown";
const DEBIAN: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "lld-19"];

/// How small the wasm is made, against how long that takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The dev profile with `opt-level = "s"`: shares the proc macros with the server's build.
    Quick,
    /// The profile `wasm-release`.
    Small,
}

/// What compiles for wasm on this machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Toolchain {
    Rustup,
    Debian,
}

/// Finds the wasm toolchain, or installs it.
///
/// # Errors
/// Neither rustup nor Debian's packages could give one; says what was tried.
pub fn toolchain() -> Result<Toolchain> {
    if has_rustup_target()? {
        return Ok(Toolchain::Rustup);
    }
    let added = step("Adding the wasm target by rustup", || {
        call_within(
            Command::new("rustup").args(["target", "add", TARGET]),
            Duration::from_secs(180),
        )
    });
    let Err(why) = added else {
        return Ok(Toolchain::Rustup);
    };
    println!("  {why:#}; trying Debian's packages");
    if !works(Command::new("wasm-ld-19").arg("--version"))
        || !Path::new("/usr/share/doc/rust-web-src").exists()
    {
        packages::install(DEBIAN)
            .context("no wasm target from rustup, nor from Debian's packages")?;
    }
    Ok(Toolchain::Debian)
}

/// rustc answers with a folder for every target it knows; the target is installed when the core library lies there.
fn has_rustup_target() -> Result<bool> {
    let folder =
        output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]))?;
    let Ok(files) = std::fs::read_dir(folder.trim()) else {
        return Ok(false);
    };
    Ok(files
        .flatten()
        .any(|file| file.file_name().to_string_lossy().starts_with("libcore-")))
}

/// Compiles `app-wasm` and gives the path of the .wasm file.
///
/// # Errors
/// It does not compile.
pub fn compile(toolchain: Toolchain, size: Size) -> Result<PathBuf> {
    let (mut command, target) = match toolchain {
        Toolchain::Rustup => (cargo(), PathBuf::from("target")),
        Toolchain::Debian => debian(),
    };
    command.args(["build", "--package", "app-wasm", "--target", TARGET]);
    let folder = match size {
        Size::Quick => {
            command.args([
                "--config",
                "profile.dev.opt-level=\"s\"",
                "--config",
                "profile.dev.debug=false",
            ]);
            "debug"
        }
        Size::Small => {
            command.args(["--profile", "wasm-release"]);
            "wasm-release"
        }
    };
    call(&mut command)?;
    Ok(target.join(TARGET).join(folder).join("app_wasm.wasm"))
}

/// Debian's compiler is another version than the machine's, so it gets a folder of its own inside `target`.
fn debian() -> (Command, PathBuf) {
    let target = PathBuf::from("target/debian");
    let mut command = Command::new("/usr/bin/cargo");
    command
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19")
        .env_remove("RUSTUP_TOOLCHAIN")
        .args(["-Z", "build-std=std,panic_abort"]);
    (command, target)
}

/// `cargo xtask lint-wasm`
pub fn lint(_: &[String]) -> Result<()> {
    match toolchain()? {
        Toolchain::Rustup => call(cargo().args([
            "clippy",
            "--package",
            "app-wasm",
            "--package",
            "app",
            "--features",
            "app/hydrate",
            "--target",
            TARGET,
            "--",
            "-D",
            "warnings",
        ])),
        Toolchain::Debian => {
            println!("  Debian's wasm compiler comes without clippy: compiling only");
            compile(Toolchain::Debian, Size::Quick).map(drop)
        }
    }
}
