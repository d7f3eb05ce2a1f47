//! The block in a client's instruction file, for clients that no hook can tell anything.
//!
//! It stands between two lines that carry a mark of the user. Only a pair of whole lines with that mark is the block, and only where
//! there is exactly one: lines that somebody quoted are their text, and stay.

use std::{fs, io, ops::Range, path::Path};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::place::{private_folder, remove, replace};

/// Writes `text` into the block of `user_id`, or takes the block out where there is none. What stands outside is not touched; a file
/// that holds nothing else goes, and a new one begins with `preamble`.
///
/// # Errors
/// The file cannot be read or written, or it is not clear where the block is.
pub fn write(path: &Path, preamble: &str, user_id: &str, text: &str) -> Result<()> {
    let there = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        there => Some(there.context("read the instruction file")?),
    };
    let old = there.as_deref().unwrap_or(preamble);
    let new = with(old, user_id, text)?;
    if there.as_deref() == Some(new.as_str()) {
        return Ok(());
    }
    if new == preamble || new.is_empty() {
        return remove(path).context("remove the instruction file");
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        private_folder(folder).context("make the folder of the instruction file")?;
    }
    replace(path, &new).context("write the instruction file")
}

/// The file's text with `block` in the place of the old one, at the end, or nowhere where it is empty.
fn with(file: &str, user_id: &str, block: &str) -> Result<String> {
    let [begin, end] = marks(user_id);
    let old = place(file, &begin, &end)?;
    let (before, after) = match old {
        Some(place) => (&file[..place.start], &file[place.end..]),
        None => (file, ""),
    };
    if block.is_empty() {
        return Ok(format!("{before}{after}"));
    }
    // The block begins on a line of its own: a last line that has no end gets one.
    let gap = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Ok(format!("{before}{gap}{begin}\n{block}\n{end}\n{after}"))
}

fn marks(user_id: &str) -> [String; 2] {
    let digest = Sha256::digest(user_id.as_bytes());
    let mark = domain::audit::hex(&digest[..6]);
    ["begin", "end"].map(|side| format!("<!-- keepsake:{side} {mark} -->"))
}

/// Where the block is, with the end of its last line.
fn place(file: &str, begin: &str, end: &str) -> Result<Option<Range<usize>>> {
    let mut at = 0;
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    for line in file.split_inclusive('\n') {
        let whole = line.trim_end_matches(['\r', '\n']);
        if whole == begin {
            begins.push(at);
        }
        at += line.len();
        if whole == end {
            ends.push(at);
        }
    }
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some(*begin..*end)),
        _ => bail!(
            "the instruction file has marks of Keepsake that are no pair: remove them by hand"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "<entity_memory>\n- User likes tea\n</entity_memory>";

    #[test]
    fn what_stands_outside_stays_byte_for_byte() {
        for file in ["", "# Mine\n", "\r\n# Mine\r\n\r\n", "日本\n\n\n"] {
            let told = with(file, "ana", BLOCK).unwrap();
            assert!(told.starts_with(file) && told.contains(BLOCK));
            assert_eq!(with(&told, "ana", "").unwrap(), file);
            assert_eq!(with(&told, "ana", BLOCK).unwrap(), told, "twice is once");
            let behind = format!("{told}# Below\n");
            let other = with(&behind, "ana", "<entity_memory>\n</entity_memory>").unwrap();
            assert!(!other.contains("tea") && other.ends_with("# Below\n"));
            assert_eq!(with(&other, "ana", "").unwrap(), format!("{file}# Below\n"));
        }
        let open = with("# Mine", "ana", BLOCK).unwrap();
        assert_eq!(with(&open, "ana", "").unwrap(), "# Mine\n");
    }

    #[test]
    fn a_block_that_somebody_quoted_is_their_text() {
        let [begin, end] = marks("ana");
        let quoted = format!("It looks like\n  {begin}\n> {end}\nand `{begin}`.\n");
        let told = with(&quoted, "ana", BLOCK).unwrap();
        assert!(told.starts_with(&quoted));
        assert_eq!(with(&told, "ana", "").unwrap(), quoted);
        let other = with(&quoted, "bo", BLOCK).unwrap();
        assert!(
            with(&other, "ana", BLOCK).unwrap().starts_with(&other),
            "another user's"
        );
        for unclear in [
            format!("{begin}\n"),
            format!("{end}\n{begin}\n"),
            format!("{begin}\na\n{end}\n{begin}\nb\n{end}\n"),
        ] {
            assert!(with(&unclear, "ana", BLOCK).is_err(), "{unclear}");
            assert!(with(&unclear, "ana", "").is_err(), "{unclear}");
        }
    }

    #[test]
    fn a_file_that_holds_nothing_else_comes_and_goes() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("rules/keepsake.mdc");
        write(&file, "---\n---\n", "ana", "").unwrap();
        assert!(!file.exists());
        write(&file, "---\n---\n", "ana", BLOCK).unwrap();
        let told = fs::read_to_string(&file).unwrap();
        assert!(told.starts_with("---\n---\n<!-- keepsake:begin ") && told.contains(BLOCK));
        write(&file, "---\n---\n", "ana", "").unwrap();
        assert!(!file.exists());
    }
}
