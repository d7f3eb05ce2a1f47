//! The folder of the exports' files: `<id>.<epoch>.zip`, and while it is written `….zip.part` and `….zip.body`. Each claim of an export has
//! names of its own, so that nobody overwrites, finishes or takes away what another process writes of the same export. Only the user that
//! Keepsake runs as can read the files, for they hold what the database keeps sealed.

use std::{
    collections::HashMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use domain::id::ExportId;
use store::{ExportClaim, private};

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
        let name = format!("{}.{}.zip", claim.id, claim.epoch);
        Self {
            part: folder.join(format!("{name}.part")),
            body: folder.join(format!("{name}.body")),
            whole: folder.join(&name),
            name,
        }
    }
}

/// Makes a file anew. One of its name can be there where the database was restored from a backup, and counts its claims anew.
pub(super) fn create(path: &Path) -> io::Result<File> {
    remove_file(path)?;
    private::make_file(path)
}

/// Removes a file, where it is there.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What lies in the folder, by the export it is of: looked at once, for as many exports as there are.
#[derive(Default)]
pub(super) struct Present(HashMap<ExportId, Vec<Written>>);

/// A file in the folder.
struct Written {
    /// The claim that wrote it; 0: an older Keepsake, which named no claims.
    epoch: i64,
    path: PathBuf,
}

impl Present {
    /// What lies there now; nothing where there is no folder.
    pub(super) fn look(folder: &Path) -> io::Result<Self> {
        let listed = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            listed => listed?,
        };
        let mut present = Self::default();
        for file in listed {
            let file = file?;
            let name = file.file_name();
            let mut words = name.to_str().unwrap_or_default().split('.');
            let Some(id) = words.next().and_then(|id| ExportId::parse(id).ok()) else {
                continue;
            };
            let epoch = words.next().and_then(|epoch| epoch.parse().ok());
            present.0.entry(id).or_default().push(Written {
                epoch: epoch.unwrap_or_default(),
                path: file.path(),
            });
        }
        Ok(present)
    }

    /// The exports that have any file, in the order of their ids.
    pub(super) fn exports(&self) -> Vec<ExportId> {
        let mut ids: Vec<ExportId> = self.0.keys().cloned().collect();
        ids.sort();
        ids
    }

    /// Removes all that there is of an export. What cannot be removed is told in the log; the next look at the folder tries again.
    pub(super) fn remove(&self, id: &ExportId) {
        self.remove_upto(id, i64::MAX);
    }

    /// Removes what claims of an export wrote, up to this one. Told in the log as [`Self::remove`] tells it.
    pub(super) fn remove_upto(&self, id: &ExportId, epoch: i64) {
        let written = self.0.get(id).into_iter().flatten();
        for file in written.filter(|file| file.epoch <= epoch) {
            if let Err(error) = remove_file(&file.path) {
                tracing::error!(export = %id, %error, "a file of an export could not be removed");
            }
        }
    }
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
            Paths::of(folder, &ExportClaim { id: export, epoch })
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
        let present = Present::look(folder).unwrap();
        create(&of(2).part).unwrap();
        present.remove_upto(&export, 2);
        assert!(
            of(2).part.exists(),
            "looked at once; the next look finds it"
        );
        let left = |path: &PathBuf| path.exists();
        assert!(
            ![of(1).part, of(1).body, of(2).whole, older]
                .iter()
                .any(left)
        );
        assert!([of(3).part, theirs].iter().all(left));
        Present::look(folder).unwrap().remove(&export);
        assert!(![of(2).part, of(3).part].iter().any(left));
        assert_eq!(Present::look(folder).unwrap().exports(), [other]);
        let nowhere = Present::look(&folder.join("none")).unwrap();
        assert_eq!(nowhere.exports(), []);
    }
}
