//! `cargo xtask site`: what the browser loads, into `target/site`: `assets/keepsake.css`, `pkg/keepsake.js`, `pkg/keepsake_bg.wasm`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::process::{call, cargo, step};
use crate::styles;
use crate::wasm::{self, Size};

const SITE: &str = "target/site";
/// What the last bindgen step was made from; kept beside the folder so that it is not served.
const STAMP: &str = "target/site.stamp";

/// `cargo xtask site [--release]`
pub fn run(args: &[String]) -> Result<()> {
    build(if args.iter().any(|arg| arg == "--release") {
        Size::Small
    } else {
        Size::Quick
    })
}

/// Builds what has changed since the last time.
///
/// # Errors
/// A step failed; the error names it.
pub fn build(size: Size) -> Result<()> {
    let pkg = Path::new(SITE).join("pkg");
    fs::create_dir_all(&pkg).context("make target/site")?;
    fs::create_dir_all(Path::new(SITE).join("assets")).context("make target/site")?;
    styles::bundle(
        Path::new("style"),
        &Path::new(SITE).join("assets/keepsake.css"),
    )?;
    same_bindgen(&fs::read_to_string("Cargo.lock").context("read Cargo.lock")?)?;
    let toolchain = wasm::toolchain()?;
    let built = step("Building the browser's part", || {
        wasm::compile(toolchain, size)
    })?;
    let stamp = stamp(&built)?;
    let there = ["keepsake.js", "keepsake_bg.wasm"]
        .iter()
        .all(|name| pkg.join(name).exists());
    if there && fs::read_to_string(STAMP).is_ok_and(|old| old == stamp) {
        return Ok(());
    }
    step("Binding it to JavaScript", || {
        call(
            cargo()
                .args(["run", "--quiet", "--package", "bindgen", "--"])
                .arg(&built)
                .arg(&pkg),
        )
    })?;
    fs::write(STAMP, stamp).context("write the stamp of the site")
}

/// cargo writes the file only when something changed, so path, time and length say whether it is the one bound last.
fn stamp(wasm: &Path) -> Result<String> {
    let meta = fs::metadata(wasm).with_context(|| format!("find {}", wasm.display()))?;
    Ok(format!(
        "{} {:?} {}\n",
        wasm.display(),
        meta.modified()?,
        meta.len()
    ))
}

/// The binding step only understands wasm made by its own version.
fn same_bindgen(lock: &str) -> Result<()> {
    let version = |name: &str| -> Result<String> {
        let entry = format!("name = \"{name}\"\nversion = \"");
        let (_, rest) = lock
            .split_once(&entry)
            .with_context(|| format!("Cargo.lock does not name {name}"))?;
        Ok(rest.split('"').next().unwrap_or_default().to_owned())
    };
    let (wasm, cli) = (
        version("wasm-bindgen")?,
        version("wasm-bindgen-cli-support")?,
    );
    if wasm != cli {
        bail!(
            "wasm-bindgen is {wasm}, wasm-bindgen-cli-support {cli}: `cargo update wasm-bindgen-cli-support --precise {wasm}`"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bindgens_are_of_one_version() {
        same_bindgen(include_str!("../../Cargo.lock")).unwrap();
    }

    #[test]
    fn two_versions_are_refused_with_the_way_out() {
        let lock = "name = \"wasm-bindgen\"\nversion = \"0.2.2\"\n\nname = \"wasm-bindgen-cli-support\"\nversion = \"0.2.1\"\n";
        let error = same_bindgen(lock).unwrap_err().to_string();
        assert!(error.contains("--precise 0.2.2"), "{error}");
    }
}
