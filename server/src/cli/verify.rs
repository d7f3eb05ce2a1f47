//! `keepsake verify`: needs no installation, no configuration and no network, only the file.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use domain::{audit::PublicKey, export::ExportSort};
use engine::export::verify::{Report, verify};

pub const EXAMPLE: &str = "Examples:
  keepsake verify export.zip
  keepsake verify export.zip --key pubkey.txt
  keepsake verify export.zip --key 'keepsake-…+…+…'
  keepsake verify export.zip --json

docs/verify.py does the same without Keepsake.";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The zip file of an export.
    bundle: PathBuf,
    /// The public key that it must be signed with, as `keepsake audit key` prints it: a file that holds it, or its own line.
    #[arg(long, value_name = "PUBKEY")]
    key: Option<String>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let key = arguments.key.as_deref().map(read_key).transpose()?;
    let report = verify(&arguments.bundle, key.as_ref())?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        tell(&report);
    }
    Ok(if report.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The key in the first line of a file, or the line itself. What is there as a file is read as one.
pub(super) fn read_key(given: &str) -> Result<PublicKey> {
    if Path::new(given).exists() {
        let text = std::fs::read_to_string(given).with_context(|| format!("read {given}"))?;
        let first = text.lines().next().unwrap_or_default();
        return first
            .parse()
            .with_context(|| format!("{given} holds no public key"));
    }
    given
        .parse()
        .with_context(|| format!("read {given}: no such file, nor the line of a key"))
}

fn tell(report: &Report) {
    if report.sort == Some(ExportSort::Copy) {
        println!(
            "copy          a person's own copy: checked is whether its files are those that SHA256SUMS lists, and nothing else.\n              \
             It carries no audit chain and no signature, so nothing in it can tell who made it, or whether it is whole;\n              \
             an export of the sort audit proves that"
        );
    }
    if let Some(instance) = &report.instance {
        println!("installation  {instance}");
    }
    if let Some(key) = &report.key {
        println!("signed with   {key}");
        if report.key_compared {
            println!("              compared with the key that you gave");
        } else {
            println!(
                "              compare this fingerprint with the one you were given: nothing in a bundle can tell\n              \
                 whether its key is the right one (`keepsake audit key` prints it; --key compares)"
            );
        }
    }
    for (file, lines) in &report.counts {
        println!("{file:<22}{lines:>12} lines");
    }
    for fault in faults(report) {
        println!("{fault}");
    }
    if report.ok {
        println!("nothing is wrong");
    } else {
        println!("{} faults", report.found);
    }
}

/// What is wrong, a line each.
pub(super) fn faults(report: &Report) -> Vec<String> {
    let mut lines: Vec<String> = report
        .faults
        .iter()
        .map(|fault| {
            let file: &str = if fault.file.is_empty() {
                "the bundle"
            } else {
                &fault.file
            };
            let line = fault.line.map(|line| format!(", line {line}"));
            // The word that the JSON has as well.
            let kind = serde_json::to_value(fault.kind).unwrap_or_default();
            format!(
                "{file}{}: {}: {}",
                line.unwrap_or_default(),
                kind.as_str().unwrap_or_default(),
                fault.detail
            )
        })
        .collect();
    let listed = report.faults.len() as u64;
    if report.found > listed {
        lines.push(format!("and {} more", report.found - listed));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of nobody: its bytes are the base point of the curve.
    const KEY: &str = "keepsake-47f6+6811d6b2+AVhmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZm";

    // E4
    #[test]
    fn a_key_is_read_from_a_file_or_from_its_own_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pubkey.txt");
        std::fs::write(&file, format!("{KEY}\nSHA256 …\n")).unwrap();
        let path = file.display().to_string();
        for given in [KEY, &path] {
            assert_eq!(read_key(given).unwrap().to_string(), KEY, "{given}");
        }
        std::fs::write(&file, "").unwrap();
        let empty = format!("{:#}", read_key(&path).unwrap_err());
        assert!(empty.contains("holds no public key"), "{empty}");
        let neither = format!("{:#}", read_key("pubkey.text").unwrap_err());
        assert!(
            neither.contains("no such file, nor the line of a key"),
            "{neither}"
        );
    }
}
