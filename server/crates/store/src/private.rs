//! Files and folders for their owner alone: what lies in them is the database, or was in it.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// Makes a folder, with those above it that are missing. One that is there keeps the rights it has.
///
/// # Errors
/// It cannot be made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a file, to be read and written.
///
/// # Errors
/// It cannot be made; [`io::ErrorKind::AlreadyExists`] where something is there.
pub fn make_file(path: &Path) -> io::Result<File> {
    options().read(true).write(true).create_new(true).open(path)
}

/// How a file is opened, so that one which is made by it is its owner's alone.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_its_owners_alone_and_what_is_there_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("one").join("two");
        make_folder(&folder).unwrap();
        make_folder(&folder).unwrap();
        let file = folder.join("file");
        make_file(&file).unwrap();
        fs::write(&file, "kept").unwrap();
        let again = make_file(&file).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
        let other = folder.join("other");
        options().create(true).append(true).open(&other).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let above = dir.path().join("one");
            for (path, mode) in [
                (&above, 0o700),
                (&folder, 0o700),
                (&file, 0o600),
                (&other, 0o600),
            ] {
                let found = fs::metadata(path).unwrap().permissions().mode() & 0o777;
                assert_eq!(found, mode, "{}", path.display());
            }
        }
    }
}
