//! The log of a client's hooks, in their folder: what was done and what failed, never anybody's words or a key.

use std::{fs, io::Write, path::Path};

use domain::Timestamp;

use super::place::private_file;

/// Past this many bytes the log begins anew; the one before stays beside it.
const MOST_BYTES: u64 = 256 * 1024;

/// Writes one line. A log that cannot be written keeps no session from going on.
pub fn note(folder: &Path, now: Timestamp, line: &str) {
    let path = folder.join("log");
    if fs::metadata(&path).is_ok_and(|about| about.len() > MOST_BYTES) {
        let _ = fs::rename(&path, folder.join("log.old"));
    }
    if let Ok(mut file) = private_file(&path, true) {
        let now = now.format("%Y-%m-%dT%H:%M:%SZ");
        let _ = file.write_all(format!("{now} {line}\n").as_bytes());
    }
}
