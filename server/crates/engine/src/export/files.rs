//! The folder of the exports' files: `<id>.<epoch>.zip`, and while it is written `….zip.part` and `….zip.body`. Each claim of an export has
//! names of its own, so that nobody overwrites, finishes or takes away what another process writes of the same export. Only the user that
//! Keepsake runs as can read the files, for they hold what the database keeps sealed.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use domain::id::ExportId;
use store::ExportClaim;

/// The name under which a file is saved by whoever fetches it: it says nothing of whom it is about.
pub(super) fn download_name(id: &ExportId) -> String {
    format!("keepsake-{id}.zip")
}

/// The paths of an export while it is written.
pub(super) struct Paths {
    /// The name of the file in the folder.
    pub name: String,
    /// What it will be.
    pub whole: PathBuf,
    /// The zip as far as it is put together.
    pub part: PathBuf,
    /// The files of the zip after the manifest, which counts them and so is written last.
    pub body: PathBuf,
}

impl Paths {
    pub(super) fn of(folder: &Path, claim: &ExportClaim) -> Self {
        let name = format!("{}.{}.zip", claim.export, claim.epoch);
        Self {
            part: folder.join(format!("{name}.part")),
            body: folder.join(format!("{name}.body")),
            whole: folder.join(&name),
            name,
        }
    }
}

/// Makes the folder.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a file anew. One of its name can be there where the database was restored from a backup, and counts its claims anew.
pub(super) fn create(path: &Path) -> io::Result<File> {
    remove_file(path)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes a file, where it is there.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes all that there is of an export. What cannot be removed is told in the log; the next look at the folder tries again.
pub(super) fn remove(folder: &Path, id: &ExportId) {
    remove_upto(folder, id, i64::MAX);
}

/// Removes what claims of an export wrote, up to this one. Told in the log as [`remove`] tells it.
pub(super) fn remove_upto(folder: &Path, id: &ExportId, epoch: i64) {
    let told = |error: io::Error| {
        tracing::error!(export = %id, %error, "a file of an export could not be removed");
    };
    let entries = match entries(folder) {
        Ok(entries) => entries,
        Err(error) => return told(error),
    };
    for entry in entries {
        if entry.id == *id && entry.epoch <= epoch {
            remove_file(&entry.path).unwrap_or_else(told);
        }
    }
}

/// The exports that have any file in the folder.
pub(super) fn present(folder: &Path) -> io::Result<Vec<ExportId>> {
    let mut ids: Vec<ExportId> = entries(folder)?.into_iter().map(|entry| entry.id).collect();
    ids.sort();
    ids.dedup();
    Ok(ids)
}

/// A file in the folder.
struct Entry {
    id: ExportId,
    /// The claim that wrote it; 0: an older Keepsake, which named no claims.
    epoch: i64,
    path: PathBuf,
}

fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let mut entries = Vec::new();
    for file in listed {
        let file = file?;
        let name = file.file_name();
        let mut words = name.to_str().unwrap_or_default().split('.');
        let id = words.next().and_then(|id| ExportId::parse(id).ok());
        entries.extend(id.map(|id| {
            Entry {
                id,
                epoch: words
                    .next()
                    .and_then(|epoch| epoch.parse().ok())
                    .unwrap_or_default(),
                path: file.path(),
            }
        }));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;
    use crate::OsEntropy;

    #[test]
    fn what_a_later_claim_writes_stays() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let id = || ExportId::new(Timestamp::UNIX_EPOCH, &OsEntropy);
        let (export, other) = (id(), id());
        let of = |epoch| {
            let export = export.clone();
            Paths::of(folder, &ExportClaim { export, epoch })
        };
        let theirs = folder.join(format!("{other}.zip.part"));
        let older = folder.join(format!("{export}.zip"));
        for path in [
            &of(1).part,
            &of(1).body,
            &of(2).whole,
            &of(3).part,
            &older,
            &theirs,
        ] {
            create(path).unwrap();
        }
        remove_upto(folder, &export, 2);
        let left = |path: &PathBuf| path.exists();
        assert!(
            ![of(1).part, of(1).body, of(2).whole, older]
                .iter()
                .any(left)
        );
        assert!([of(3).part, theirs].iter().all(left));
        remove(folder, &export);
        assert!(!of(3).part.exists());
        assert_eq!(present(folder).unwrap(), [other]);
        assert_eq!(present(&folder.join("none")).unwrap(), []);
    }
}
