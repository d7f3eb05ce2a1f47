//! The folder of the exports' files: `<id>.zip`, and while it is written `<id>.zip.part` and `<id>.zip.body`. Only the user that Keepsake
//! runs as can read them, for they hold what the database keeps sealed.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use domain::id::ExportId;

/// The name of a file in the folder.
pub(super) fn name(id: &ExportId) -> String {
    format!("{id}.zip")
}

/// The name under which a file is saved by whoever fetches it: it says nothing of whom it is about.
pub(super) fn download_name(id: &ExportId) -> String {
    format!("keepsake-{id}.zip")
}

/// The paths of an export while it is written.
pub(super) struct Paths {
    /// What it will be.
    pub whole: PathBuf,
    /// The zip as far as it is put together.
    pub part: PathBuf,
    /// The files of the zip after the manifest, which counts them and so is written last.
    pub body: PathBuf,
}

impl Paths {
    pub(super) fn of(folder: &Path, id: &ExportId) -> Self {
        let name = name(id);
        Self {
            part: folder.join(format!("{name}.part")),
            body: folder.join(format!("{name}.body")),
            whole: folder.join(name),
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

/// Makes a file anew. What another process may still be writing under that name is no longer reached by it.
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
    let Paths { whole, part, body } = Paths::of(folder, id);
    for path in [whole, part, body] {
        if let Err(error) = remove_file(&path) {
            tracing::error!(export = %id, %error, "a file of an export could not be removed");
        }
    }
}

/// The exports that have any file in the folder.
pub(super) fn present(folder: &Path) -> io::Result<Vec<ExportId>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut ids = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let id = name.to_str().and_then(|name| name.split('.').next());
        ids.extend(id.and_then(|id| ExportId::parse(id).ok()));
    }
    ids.sort();
    ids.dedup();
    Ok(ids)
}
