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
  keepsake verify export.zip --json

docs/verify.py does the same without Keepsake.";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The zip file of an export.
    bundle: PathBuf,
    /// A file with the public key that it must be signed with, as `keepsake audit key` prints it.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
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

fn read_key(path: &Path) -> Result<PublicKey> {
    let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    let first = text.lines().next().unwrap_or_default();
    first
        .parse()
        .with_context(|| format!("{} holds no public key", path.display()))
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
    for fault in &report.faults {
        let file: &str = if fault.file.is_empty() {
            "the bundle"
        } else {
            &fault.file
        };
        let line = fault.line.map(|line| format!(", line {line}"));
        // The word that the JSON has as well.
        let kind = serde_json::to_value(fault.kind).unwrap_or_default();
        println!(
            "{file}{}: {}: {}",
            line.unwrap_or_default(),
            kind.as_str().unwrap_or_default(),
            fault.detail
        );
    }
    let listed = report.faults.len() as u64;
    if report.found > listed {
        println!("and {} more", report.found - listed);
    }
    if report.ok {
        println!("nothing is wrong");
    } else {
        println!("{} faults", report.found);
    }
}
