//! The folder of the checkpoints outside the database: a file a month, to which signed notes are appended. It is for its owner alone. The
//! list of erasures lies beside them and is written in the same way.
//!
//! A note is written here after it was committed there. So a process that ends in between leaves one out, which the next checkpoint
//! makes up for; and whoever reads the files before the database knows of no checkpoint that the database cannot know.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use domain::{Timestamp, audit::Notes};
use store::private;

use crate::error::{EngineError, Result};

/// The folder cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub(crate) struct FolderError {
    path: PathBuf,
    source: io::Error,
}

impl FolderError {
    pub(crate) fn of(path: &Path, source: io::Error) -> Self {
        Self {
            path: path.to_owned(),
            source,
        }
    }
}

/// A note with the time at which it was signed.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) at: Timestamp,
    pub(super) text: String,
}

/// The folder; it may not be there yet.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// What its files hold, in the order of their names.
    pub(super) fn files(&self) -> Result<Vec<String>, FolderError> {
        let failed = |source| FolderError {
            path: self.0.clone(),
            source,
        };
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            if is_ours(&path) {
                paths.push(path);
            }
        }
        paths.sort();
        paths.iter().map(|path| read(path)).collect()
    }

    /// How many of these notes, the newest first, are not in the folder: those before the first that is.
    pub(super) fn lacks(&self, notes: &[Note]) -> Result<usize, FolderError> {
        let mut opened: Option<(PathBuf, String)> = None;
        for (number, note) in notes.iter().enumerate() {
            let path = self.file_of(note.at);
            let file = match opened.take() {
                Some((of, file)) if of == path => file,
                _ => read(&path)?,
            };
            if file.contains(&note.text) {
                return Ok(number);
            }
            opened = Some((path, file));
        }
        Ok(notes.len())
    }

    /// Appends notes, the oldest first; when it returns they are on the disk.
    pub(super) fn append(&self, notes: &[Note]) -> Result<(), FolderError> {
        make(&self.0)?;
        for month in notes.chunk_by(|one, next| self.file_of(one.at) == self.file_of(next.at)) {
            let path = self.file_of(month[0].at);
            let text: String = month.iter().map(|note| note.text.as_str()).collect();
            append_to(&path, &text, whole)?;
        }
        Ok(())
    }

    fn file_of(&self, at: Timestamp) -> PathBuf {
        self.0
            .join(format!("checkpoints-{}.txt", at.format("%Y-%m")))
    }
}

fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("checkpoints") && name.ends_with(".txt"))
}

/// Makes a folder for its owner alone.
pub(crate) fn make(folder: &Path) -> Result<(), FolderError> {
    private::make_folder(folder).map_err(|source| FolderError::of(folder, source))
}

/// What a file holds; nothing where it is not there. What is no text reads as something that nobody signed.
pub(crate) fn read(path: &Path) -> Result<String, FolderError> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(FolderError::of(path, source)),
    }
}

/// Appends to a file of the folder; when it returns that is on the disk. `whole` says how many bytes of a file are whole: what is behind
/// them broke off while it was written.
pub(crate) fn append_to(
    path: &Path,
    text: &str,
    whole: fn(&[u8]) -> usize,
) -> Result<(), FolderError> {
    append(path, text, whole).map_err(|source| FolderError::of(path, source))
}

fn append(path: &Path, text: &str, whole: fn(&[u8]) -> usize) -> io::Result<()> {
    let mut file = private::options().create(true).append(true).open(path)?;
    // Two processes may write at once. Where the file system knows no locks, a note may be in the file twice, which harms nobody.
    match file.lock() {
        Err(error) if error.kind() != io::ErrorKind::Unsupported => return Err(error),
        _ => {}
    }
    let there = fs::read(path)?;
    // A note whose writing broke off would take the next one in. It is whole in the database, and comes again.
    let whole = whole(&there);
    if whole < there.len() {
        file.set_len(whole as u64)?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    // The name of a new file is on the disk only with its folder.
    if there.is_empty()
        && let Some(folder) = path.parent()
    {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// How many bytes of a file are whole notes. One that is no text is left as it is.
fn whole(file: &[u8]) -> usize {
    let text = match str::from_utf8(file) {
        Ok(text) => text,
        // It broke off inside a letter.
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(&file[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return file.len(),
    };
    text.len() - Notes::split(text).cut.map_or(0, str::len)
}

/// Does what waits for the disk on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FolderError> + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| EngineError::Internal(Box::new(error))),
        Err(stopped) => Err(EngineError::Internal(Box::new(stopped))),
    }
}

#[cfg(test)]
mod tests {
    use domain::time::Span;

    use super::*;

    fn note(month: i64, text: &str) -> Note {
        Note {
            at: Timestamp::UNIX_EPOCH + Span::days(31 * month),
            text: format!("{text}\n\n— keepsake-test AAAAAAAA\n"),
        }
    }

    #[test]
    fn notes_lie_in_a_file_a_month_that_only_its_owner_can_read() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path().join("one/two"));
        assert_eq!(folder.files().unwrap(), [""; 0]);
        let (one, two, three) = (note(0, "one"), note(0, "two"), note(1, "three"));
        assert_eq!(folder.lacks(&[two.clone(), one.clone()]).unwrap(), 2);
        folder.append(std::slice::from_ref(&one)).unwrap();
        assert_eq!(folder.lacks(&[two.clone(), one.clone()]).unwrap(), 1);
        folder.append(&[two.clone(), three.clone()]).unwrap();
        let january = [one.text.as_str(), &two.text].concat();
        assert_eq!(folder.files().unwrap(), [january, three.text.clone()]);
        assert_eq!(folder.lacks(&[three.clone(), two]).unwrap(), 0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&folder.0), 0o700);
            assert_eq!(mode(&folder.file_of(three.at)), 0o600);
        }
    }

    #[test]
    fn a_note_whose_writing_broke_off_makes_room_for_itself() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path().to_owned());
        let (one, two) = (note(0, "one"), note(0, "two"));
        folder.append(&[one.clone(), two.clone()]).unwrap();
        let path = folder.file_of(one.at);
        let whole = folder.files().unwrap();
        for left in 1..two.text.len() {
            let bytes = whole[0].as_bytes();
            fs::write(&path, &bytes[..bytes.len() - left]).unwrap();
            assert_eq!(folder.lacks(&[two.clone(), one.clone()]).unwrap(), 1);
            folder.append(std::slice::from_ref(&two)).unwrap();
            assert_eq!(folder.files().unwrap(), whole, "{left}");
        }
    }

    #[test]
    fn other_files_beside_them_are_nobodys_notes() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path().to_owned());
        fs::write(dir.path().join("README"), "hello").unwrap();
        fs::write(dir.path().join("checkpoints-2026-01.txt.bak"), "hello").unwrap();
        fs::write(dir.path().join("checkpoints.txt"), [0xff, b'\n']).unwrap();
        assert_eq!(folder.files().unwrap(), ["\u{fffd}\n"]);
    }
}
