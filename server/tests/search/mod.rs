//! Words in the bytes of files.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use store::testing::TestDb;

/// The files in which one of the words stands. `grep` reads a cluster in a second; a debug build takes a minute.
pub fn holders(folder: &Path, words: &[&str]) -> Vec<String> {
    let patterns = words.iter().flat_map(|word| ["-e", word]);
    let found = Command::new("grep")
        .env("LC_ALL", "C")
        .args(["-rlaF"])
        .args(patterns)
        .arg(folder)
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&found.stderr).into_owned();
    // Other tests drop their databases meanwhile: a file may be gone between its name and its bytes, but not the folder itself.
    let itself = format!("{}: No such file or directory", folder.display());
    let all_read = complaints
        .lines()
        .all(|line| line.ends_with(": No such file or directory") && !line.ends_with(&itself));
    assert!(
        all_read && matches!(found.status.code(), Some(0..=2)),
        "{} cannot be searched ({}): {complaints}",
        folder.display(),
        found.status
    );
    String::from_utf8_lossy(&found.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Where the database keeps its files: as whoever started PostgreSQL says, else as the server itself does.
pub async fn folder(db: &TestDb) -> PathBuf {
    let asked = db.files().await;
    match std::env::var_os("KEEPSAKE_TEST_POSTGRES_DATA") {
        Some(told) if db.dir.is_none() => told.into(),
        _ => asked,
    }
}
