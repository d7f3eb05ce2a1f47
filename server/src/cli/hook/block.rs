//! The block in a client's instruction file, for clients that no hook can tell anything.
//!
//! It stands between two lines that carry a mark of the user. Only a pair of whole lines with that mark is the block, and only where
//! there is exactly one: lines that somebody quoted are their text, and stay.

use std::{fs, io, ops::Range, path::Path};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::{
    client::Instructions,
    place::{private_folder, remove, replace, replace_here},
};

/// Writes `text` into the block of `user_id`, or takes the block out where there is none. What stands outside is not touched; a file
/// that holds nothing else goes, and a new one begins with `preamble`.
///
/// # Errors
/// The file cannot be read or written, or it is not clear where the block is; in a folder that is worked in, there is a link on the way
/// to it.
pub fn write(file: &Instructions, preamble: &str, user_id: &str, text: &str) -> Result<()> {
    let Instructions { path, workspace } = file;
    if let Some(workspace) = workspace {
        no_links(workspace, path)?;
    }
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
    let written = match workspace {
        Some(_) => replace_here(path, &new),
        None => replace(path, &new),
    };
    written.context("write the instruction file")
}

/// Refuses a way that leads out of the folder: a repository can hold links, and what is known about somebody is not written where one
/// points to.
fn no_links(workspace: &Path, path: &Path) -> Result<()> {
    let below = path.ancestors().take_while(|part| *part != workspace);
    for part in below {
        if fs::symlink_metadata(part).is_ok_and(|about| about.is_symlink()) {
            bail!("{} is a link: the block is not written", part.display());
        }
    }
    Ok(())
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
    use std::path::PathBuf;

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
        let file = of_the_person(dir.path().join("rules/keepsake.mdc"));
        write(&file, "---\n---\n", "ana", "").unwrap();
        assert!(!file.path.exists());
        write(&file, "---\n---\n", "ana", BLOCK).unwrap();
        let told = fs::read_to_string(&file.path).unwrap();
        assert!(told.starts_with("---\n---\n<!-- keepsake:begin ") && told.contains(BLOCK));
        write(&file, "---\n---\n", "ana", "").unwrap();
        assert!(!file.path.exists());
    }

    fn of_the_person(path: PathBuf) -> Instructions {
        Instructions {
            path,
            workspace: None,
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_link_of_a_repository_leads_the_block_out_of_it() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        let mine = outside.join("keepsake.mdc");
        fs::write(&mine, "mine").unwrap();
        let in_workspace = |name: &str| {
            let workspace = dir.path().join(name);
            fs::create_dir_all(workspace.join(".cursor")).unwrap();
            let path = workspace.join(".cursor/rules/keepsake.mdc");
            Instructions {
                path,
                workspace: Some(workspace),
            }
        };
        let of_file = in_workspace("of-file");
        fs::create_dir(of_file.path.parent().unwrap()).unwrap();
        symlink(&mine, &of_file.path).unwrap();
        let of_folder = in_workspace("of-folder");
        symlink(&outside, of_folder.path.parent().unwrap()).unwrap();
        for file in [&of_file, &of_folder] {
            for text in [BLOCK, ""] {
                let refused = write(file, "", "ana", text).unwrap_err().to_string();
                assert!(refused.contains("is a link"), "{refused}");
            }
        }
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);

        // A folder may itself lie behind a link, and a file of the person's own, too.
        let real = in_workspace("real");
        symlink(dir.path().join("real"), dir.path().join("link")).unwrap();
        let linked = Instructions {
            path: dir.path().join("link/.cursor/rules/keepsake.mdc"),
            workspace: Some(dir.path().join("link")),
        };
        write(&linked, "", "ana", BLOCK).unwrap();
        assert!(fs::read_to_string(&real.path).unwrap().contains(BLOCK));
        let own = dir.path().join("CLAUDE.md");
        symlink(&mine, &own).unwrap();
        write(&of_the_person(own), "", "ana", BLOCK).unwrap();
        assert!(fs::read_to_string(&mine).unwrap().contains(BLOCK));
    }
}
