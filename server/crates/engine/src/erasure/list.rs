//! The list of erasures outside the database: `erasures.txt` in the folder of the checkpoints, a line `<time> <mark>` each, the oldest
//! first. A mark is a keyed hash; it names nobody to who lacks the installation's key. A line `of <installation>` says whose list it is.
//!
//! A backup is older than some erasures. Where it is restored, the list is not, so at the start everybody whom it marks is erased again,
//! before anything is served. A line is written after its erasure was committed; what a process could not write before it ended, the next
//! start or checkpoint writes. The first start makes the list, with whose it is and nobody in it.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
};

use chrono::{DateTime, SecondsFormat};
use domain::{Timestamp, agent::AgentName, erasure::ErasureReason, id::UserId};
use store::{Erased, Erasing, ErasureMark, Stamp};

use crate::{
    Engine, again,
    audit::folder::{append_to, blocking, make, read},
    error::Result,
};

/// The file's name.
pub const LIST_OF_ERASURES: &str = "erasures.txt";

impl Engine {
    /// Erases again whom a backup that was restored brought back; answers how many that were. Then writes down what the list lacks, and
    /// makes one where there is none.
    ///
    /// # Errors
    /// The database's; the list cannot be read or written.
    pub async fn apply_erasures(&self) -> Result<usize> {
        let Some(path) = self.list_of_erasures() else {
            return Ok(0);
        };
        let text = blocking(move || read(&path)).await?;
        let listed = marks(&text);
        let unread = text
            .split_inclusive('\n')
            .filter(|line| mark(line).is_none() && owner(line).is_none())
            .count();
        if unread > 0 {
            tracing::warn!(unread, "lines of the list of erasures cannot be read");
        }
        let known = self.read_all().await?.erasure_marks().await?;
        let missing = unknown(listed, &known);
        let mut again = 0;
        if !missing.is_empty() {
            let back = self.read_all().await?.users_marked(&missing).await?;
            for (agent, user) in back {
                if let Some(erased) = again!(self.erase_again(&agent, &user).await)? {
                    tracing::warn!(%agent, %user, "a restored backup held somebody who had been erased; they are erased again");
                    self.remove_export_files_upto(&erased.exports);
                    again += 1;
                }
            }
        }
        if again > 0 && !self.db().let_go_of_deleted().await? {
            tracing::warn!(
                "the log of changes is being read and keeps what was erased; the next checkpoint tries again"
            );
        }
        self.list_erasures().await?;
        // That nobody was erased is something else than a list that was lost: `keepsake restore` tells them apart by whose list it is.
        if let Err(error) = self.begin_list().await {
            tracing::warn!(%error, "the list of erasures could not be begun; the next start tries again");
        }
        Ok(again)
    }

    /// Makes the list, where there is none yet, and says in it whose it is.
    async fn begin_list(&self) -> Result<()> {
        let Some(path) = self.list_of_erasures() else {
            return Ok(());
        };
        let key = self.db().audit_key().await?;
        blocking(move || {
            if owners(&read(&path)?).any(|owner| owner == key.instance()) {
                return Ok(());
            }
            if let Some(folder) = path.parent() {
                make(folder)?;
            }
            append_to(&path, &format!("{OF}{}\n", key.instance()), whole)
        })
        .await
    }

    /// Whether the list can be that of this installation: it says so, or is from before lists said so and somebody is in it. An older one
    /// in which nobody is tells nothing: the first start of any other installation made such a one.
    ///
    /// # Errors
    /// The database's; the list cannot be read.
    pub async fn has_list_of_erasures(&self) -> Result<bool> {
        let Some(path) = self.list_of_erasures() else {
            return Ok(false);
        };
        let text = blocking(move || read(&path)).await?;
        let key = self.db().audit_key().await?;
        Ok(can_be_of(&text, key.instance()))
    }

    async fn erase_again(&self, agent: &AgentName, user: &UserId) -> Result<Option<Erased>> {
        let mut tx = self.write_all().await?;
        let found = match tx.user(user).await {
            // Their key did not come back with them.
            Err(store::Error::Erased) => None,
            found => found?,
        };
        let erasing = Erasing {
            scope: found.as_ref().map(|user| &user.scope),
            reason: ErasureReason::Restored,
            request: None,
        };
        let stamp = Stamp::system(self.now());
        let erased = match tx.erase_user(agent, user, erasing, &stamp).await {
            // Another process that starts at the same moment was first.
            Err(store::Error::Stale) => return Ok(None),
            erased => erased?,
        };
        tx.commit().await?;
        Ok(Some(erased))
    }

    /// Writes down every erasure that the list lacks.
    ///
    /// # Errors
    /// The database's; the folder cannot be written.
    pub(crate) async fn list_erasures(&self) -> Result<()> {
        let Some(path) = self.list_of_erasures() else {
            return Ok(());
        };
        let all = self.read_all().await?.erasure_marks().await?;
        if all.is_empty() {
            return Ok(());
        }
        blocking(move || {
            let listed = marks(&read(&path)?);
            let there: HashSet<(Timestamp, &str)> = listed
                .iter()
                .map(|mark| (mark.at, mark.mark.as_str()))
                .collect();
            let lacking: String = all
                .iter()
                .filter(|mark| !there.contains(&(mark.at, mark.mark.as_str())))
                .map(line)
                .collect();
            if lacking.is_empty() {
                return Ok(());
            }
            if let Some(folder) = path.parent() {
                make(folder)?;
            }
            append_to(&path, &lacking, whole)
        })
        .await
    }

    fn list_of_erasures(&self) -> Option<PathBuf> {
        let folder = self.settings().checkpoints.as_ref()?;
        Some(folder.join(LIST_OF_ERASURES))
    }
}

/// The marks that no erasure in the database answers. One that was made later of the same person does: it erased whoever was there.
fn unknown(listed: Vec<ErasureMark>, known: &[ErasureMark]) -> Vec<ErasureMark> {
    let mut newest: HashMap<&str, Timestamp> = HashMap::new();
    for mark in known {
        let last = newest.entry(mark.mark.as_str()).or_insert(mark.at);
        *last = mark.at.max(*last);
    }
    listed
        .into_iter()
        .filter(|mark| {
            newest
                .get(mark.mark.as_str())
                .is_none_or(|last| *last < mark.at)
        })
        .collect()
}

/// What stands before the name of an installation.
const OF: &str = "of ";

/// Whose a line says that the list is.
fn owner(line: &str) -> Option<&str> {
    line.strip_suffix('\n')?.strip_prefix(OF)
}

fn owners(list: &str) -> impl Iterator<Item = &str> {
    list.split_inclusive('\n').filter_map(owner)
}

fn can_be_of(list: &str, instance: &str) -> bool {
    match owners(list).count() {
        0 => !marks(list).is_empty(),
        _ => owners(list).any(|owner| owner == instance),
    }
}

fn line(mark: &ErasureMark) -> String {
    let at = mark.at.to_rfc3339_opts(SecondsFormat::Micros, true);
    format!("{at} {}\n", mark.mark)
}

/// What a list says; a line that broke off, or is none of ours, is left out.
fn marks(list: &str) -> Vec<ErasureMark> {
    list.split_inclusive('\n').filter_map(mark).collect()
}

fn mark(line: &str) -> Option<ErasureMark> {
    let (at, mark) = line.strip_suffix('\n')?.split_once(' ')?;
    let digits = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let shaped = mark.len() == 64 && mark.bytes().all(digits);
    let at = DateTime::parse_from_rfc3339(at).ok()?.to_utc();
    shaped.then(|| ErasureMark {
        at,
        mark: mark.to_owned(),
    })
}

/// How many bytes of the list are whole lines.
fn whole(list: &[u8]) -> usize {
    let end = list.iter().rposition(|byte| *byte == b'\n');
    end.map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use domain::time::Span;

    use super::*;

    fn made(seconds: i64, letter: &str) -> ErasureMark {
        ErasureMark {
            at: Timestamp::UNIX_EPOCH + Span::seconds(seconds) + Span::microseconds(7),
            mark: letter.repeat(64),
        }
    }

    #[test]
    fn a_line_reads_back_and_what_broke_off_is_left_out() {
        let two = [made(1, "a"), made(2, "b")];
        let text: String = two.iter().map(line).collect();
        assert_eq!(marks(&text), two);
        for left in 1..line(&two[1]).len() {
            let broken = &text[..text.len() - left];
            assert_eq!(marks(broken), two[..1], "{left}");
            assert_eq!(whole(broken.as_bytes()), line(&two[0]).len());
        }
        for odd in ["\n", "x y\n", "1970-01-01T00:00:00Z AA\n", "of ours\n"] {
            assert!(marks(odd).is_empty(), "{odd}");
        }
    }

    #[test]
    fn a_list_says_whose_it_is_and_an_older_one_by_whom_it_names() {
        let one = line(&made(1, "a"));
        let named = format!("of theirs\n{one}of ours\n");
        for list in ["of ours\n", &named, &one] {
            assert!(can_be_of(list, "ours"), "{list}");
        }
        let theirs = format!("of theirs\n{one}");
        for list in ["", "of theirs\n", &theirs, "of ours"] {
            assert!(!can_be_of(list, "ours"), "{list}");
        }
    }

    #[test]
    fn a_later_erasure_of_the_same_person_answers_for_the_earlier_one() {
        let listed = || vec![made(1, "a"), made(5, "b"), made(7, "c")];
        assert_eq!(unknown(listed(), &[]), listed());
        let known = [made(1, "a"), made(2, "a"), made(4, "b"), made(9, "c")];
        assert_eq!(unknown(listed(), &known), [made(5, "b")]);
    }
}
