//! What is to be sent, as files: a delivery is written down before anything is sent, and removed when Keepsake has it. So a process
//! that is killed, a server that is away and a session that ends lose nothing, and there is one way for all of it.
//!
//! A delivery is `<number>-<seconds>-<writer>.json`, the body of one `POST /conversations`, in the folder of the Keepsake and the key that
//! it is for: another hook may have others, and what was said is told to nobody else. Numbers rise, so their order is the order of what was
//! said. Beside them each session has a file with the id of the last message that was written down.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use domain::{Timestamp, conversation::Role, time::Span};
use engine::Incoming;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    place::{HALF_WRITTEN, private_folder, remove, replace},
    transcript::Said,
};

/// The most that waits, in bytes.
pub const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// The longest that something waits, in days. A session that was silent for as long is forgotten, too.
pub const MOST_DAYS: i64 = 30;
/// After how many minutes nobody writes on what is half written: a hook lives for seconds.
const ABANDONED: i64 = 60;
/// The most of one delivery: well within what `POST /conversations` takes.
const MESSAGES: usize = 200;
const BYTES: usize = 256 * 1024;

/// The folder of a client's deliveries and sessions.
pub struct Spool {
    /// With a folder for each destination.
    all: PathBuf,
    deliveries: PathBuf,
    sessions: PathBuf,
}

/// One delivery that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its file.
    pub path: PathBuf,
    number: u64,
    seconds: i64,
    bytes: u64,
}

/// A session, in the words of the API.
pub struct Session<'a> {
    /// The `user_id`.
    pub user_id: &'a str,
    /// The `conversation_id`.
    pub conversation: &'a str,
}

impl Spool {
    /// In the folder of a client, which it makes; of what is for one destination.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn open(folder: &Path, destination: &str) -> io::Result<Self> {
        let all = folder.join("spool");
        let spool = Self {
            deliveries: all.join(destination),
            sessions: folder.join("sessions"),
            all,
        };
        private_folder(&spool.deliveries)?;
        private_folder(&spool.sessions)?;
        Ok(spool)
    }

    /// Writes down what `said` has that was not written down before, and the end where the session `ends`. Says how many messages that
    /// were. Two that do so at once take none of each other's deliveries.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn collect(
        &self,
        session: &Session<'_>,
        said: &[Said],
        ends: bool,
        now: Timestamp,
    ) -> io::Result<usize> {
        let file = self.session(session);
        let last = fs::read_to_string(&file).unwrap_or_default();
        // Where the last one is gone from the record everything counts as new: Keepsake knows by the ids what it has.
        let from = said.iter().position(|one| one.id == last.trim());
        let new = &said[from.map_or(0, |at| at + 1)..];
        let messages: Vec<Value> = new.iter().flat_map(messages).collect();
        let heard_of = !last.is_empty() || !said.is_empty();
        let mut posts = posts(messages);
        if ends && heard_of && posts.is_empty() {
            posts.push(Vec::new());
        }
        let writer = format!("{}{}", self.name(session), std::process::id());
        let mut number = self.waiting()?.last().map_or(0, |last| last.number);
        let count = posts.len();
        for (at, messages) in posts.into_iter().enumerate() {
            number += 1;
            let body = json!({
                "user_id": session.user_id,
                "conversation_id": session.conversation,
                "messages": messages,
                "end": ends && at + 1 == count,
            });
            let name = format!("{number:012}-{}-{writer}.json", now.timestamp());
            replace(&self.deliveries.join(name), &body.to_string())?;
        }
        if let Some(last) = new.last() {
            replace(&file, &last.id)?;
        }
        Ok(new.len())
    }

    /// What waits for this destination, oldest first.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn waiting(&self) -> io::Result<Vec<Waiting>> {
        let mut found = waiting_in(&self.deliveries)?;
        found.sort_by(|one, other| (one.number, &one.path).cmp(&(other.number, &other.path)));
        Ok(found)
    }

    /// What waits for any destination, oldest first.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn waiting_anywhere(&self) -> io::Result<Vec<Waiting>> {
        let mut found = Vec::new();
        for folder in self.destinations()? {
            found.extend(waiting_in(&folder)?);
        }
        found.sort_by_key(|one| (one.seconds, one.number));
        Ok(found)
    }

    fn destinations(&self) -> io::Result<Vec<PathBuf>> {
        let mut folders = Vec::new();
        for entry in fs::read_dir(&self.all)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
        Ok(folders)
    }

    /// Drops what is too old, then the oldest until the rest fits, whomever it is for; and what was left half written. Says how many
    /// deliveries were dropped.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn bound(&self, now: Timestamp) -> io::Result<usize> {
        let oldest = (now - Span::days(MOST_DAYS)).timestamp();
        let waiting = self.waiting_anywhere()?;
        let mut bytes: u64 = waiting.iter().map(|one| one.bytes).sum();
        let mut dropped = 0;
        for one in waiting {
            if one.seconds >= oldest && bytes <= MOST_BYTES {
                continue;
            }
            bytes -= one.bytes;
            remove(&one.path)?;
            dropped += 1;
        }
        let abandoned = (now - Span::minutes(ABANDONED)).timestamp();
        for folder in self.destinations()? {
            remove_silent(&folder, abandoned, |name| name.contains(HALF_WRITTEN))?;
        }
        remove_silent(&self.sessions, oldest, |_| true)?;
        Ok(dropped)
    }

    fn session(&self, session: &Session<'_>) -> PathBuf {
        self.sessions.join(self.name(session))
    }

    fn name(&self, session: &Session<'_>) -> String {
        let name = format!("{}\n{}", session.user_id, session.conversation);
        domain::audit::hex(&Sha256::digest(name.as_bytes())[..16])
    }
}

/// The deliveries in a folder.
fn waiting_in(folder: &Path) -> io::Result<Vec<Waiting>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let parts: Option<(u64, i64)> = name.to_str().and_then(|name| {
            let mut parts = name.strip_suffix(".json")?.split('-');
            Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
        });
        if let (Some((number, seconds)), Ok(about)) = (parts, entry.metadata()) {
            found.push(Waiting {
                path: entry.path(),
                number,
                seconds,
                bytes: about.len(),
            });
        }
    }
    Ok(found)
}

/// Removes files that were not written to since `oldest`, in seconds from 1970.
fn remove_silent(folder: &Path, oldest: i64, which: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let written = entry.metadata().and_then(|about| about.modified());
        let silent = written.is_ok_and(|at| Timestamp::from(at).timestamp() < oldest);
        if silent && which(&entry.file_name().to_string_lossy()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// The messages of the API that stand for one thing that was said: one, or as many as its length needs.
fn messages(said: &Said) -> Vec<Value> {
    let mut rest = said.content.as_str();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let end = rest.floor_char_boundary(Incoming::MOST_BYTES.min(rest.len()));
        let (part, after) = rest.split_at(end);
        let id = match parts.len() {
            0 => said.id.clone(),
            before => format!("{}.{}", said.id, before + 1),
        };
        let role = match said.role {
            Role::User => "user",
            _ => "assistant",
        };
        let mut message = BTreeMap::from([("id", id.as_str()), ("role", role), ("content", part)]);
        message.extend(said.at.as_deref().map(|at| ("at", at)));
        parts.push(json!(message));
        rest = after;
    }
    parts
}

/// Messages in as many posts as they need.
fn posts(messages: Vec<Value>) -> Vec<Vec<Value>> {
    let mut posts: Vec<Vec<Value>> = Vec::new();
    let mut bytes = 0;
    for message in messages {
        let size = message["content"].as_str().map_or(0, str::len);
        match posts.last_mut() {
            Some(post) if post.len() < MESSAGES && bytes + size <= BYTES => {
                bytes += size;
                post.push(message);
            }
            _ => {
                bytes = size;
                posts.push(vec![message]);
            }
        }
    }
    posts
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: Session<'_> = Session {
        user_id: "ana",
        conversation: "codex/1",
    };

    fn said(content: &str) -> Said {
        Said {
            id: format!("id of {}", content.len()),
            role: Role::User,
            content: content.to_owned(),
            at: None,
        }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn bodies(spool: &Spool) -> Vec<Value> {
        let waiting = spool.waiting().unwrap();
        let texts = waiting
            .iter()
            .map(|one| fs::read_to_string(&one.path).unwrap());
        texts
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect()
    }

    // A2
    #[test]
    fn only_what_is_new_is_written_down_and_the_end_once_more() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(dir.path(), "here").unwrap();
        let now = at("2026-11-30T09:00:00Z");
        assert_eq!(spool.collect(&ANA, &[], true, now).unwrap(), 0);
        assert!(
            bodies(&spool).is_empty(),
            "of a session in which nothing was said nothing is told"
        );
        let talk = ["a", "bb", "ccc"].map(said);
        assert_eq!(spool.collect(&ANA, &talk[..1], false, now).unwrap(), 1);
        assert_eq!(spool.collect(&ANA, &talk[..1], false, now).unwrap(), 0);
        assert_eq!(spool.collect(&ANA, &talk, false, now).unwrap(), 2);
        assert_eq!(spool.collect(&ANA, &talk, true, now).unwrap(), 0);
        let bodies = bodies(&spool);
        let contents = bodies.iter().map(|body| {
            let messages = body["messages"].as_array().unwrap();
            let contents = messages.iter().map(|one| one["content"].as_str().unwrap());
            (contents.collect::<Vec<_>>(), body["end"] == true)
        });
        assert_eq!(
            contents.collect::<Vec<_>>(),
            [
                (vec!["a"], false),
                (vec!["bb", "ccc"], false),
                (vec![], true)
            ]
        );
        #[cfg(unix)]
        for one in spool.waiting().unwrap() {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(one.path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn what_is_too_long_for_one_message_or_one_post_is_split() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(dir.path(), "here").unwrap();
        let long = "日".repeat(Incoming::MOST_BYTES / 3 + 10);
        let talk: Vec<Said> = std::iter::once(said(&long))
            .chain((1..=MESSAGES).map(|length| said(&"x".repeat(length))))
            .collect();
        spool
            .collect(&ANA, &talk, true, at("2026-11-30T09:00:00Z"))
            .unwrap();
        let bodies = bodies(&spool);
        assert_eq!(bodies.len(), 2);
        assert_eq!(
            (&bodies[0]["end"], &bodies[1]["end"]),
            (&json!(false), &json!(true))
        );
        let first = &bodies[0]["messages"];
        let joined = [0, 1]
            .map(|at| first[at]["content"].as_str().unwrap())
            .concat();
        assert_eq!(joined, long);
        assert_ne!(first[0]["id"], first[1]["id"]);
    }

    #[test]
    fn the_oldest_go_first_and_what_is_too_old() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(dir.path(), "here").unwrap();
        let (then, now) = (at("2026-10-01T09:00:00Z"), at("2026-11-30T09:00:00Z"));
        spool.collect(&ANA, &[said("old")], false, then).unwrap();
        let most = usize::try_from(MOST_BYTES).unwrap() / BYTES;
        // Each fills a delivery, one more than all may.
        let talk: Vec<Said> = (0..=most)
            .flat_map(|at| {
                (0..BYTES / Incoming::MOST_BYTES).map(move |part| {
                    let mut one = said(&"x".repeat(Incoming::MOST_BYTES));
                    one.id = format!("{at}.{part}");
                    one
                })
            })
            .collect();
        spool.collect(&ANA, &talk, false, now).unwrap();
        let before = spool.waiting().unwrap();
        let dropped = spool.bound(now).unwrap();
        assert!(dropped >= 2, "the old one and the first of the new ones");
        let after = spool.waiting().unwrap();
        assert_eq!(after, before[dropped..]);
        assert!(after.iter().map(|one| one.bytes).sum::<u64>() <= MOST_BYTES);
        assert_eq!(spool.bound(now).unwrap(), 0);
    }

    // C2
    #[test]
    fn what_is_for_one_keepsake_waits_for_it_and_no_other_one() {
        let dir = tempfile::tempdir().unwrap();
        let now = at("2026-11-30T09:00:00Z");
        let [here, there] = ["here", "there"].map(|to| Spool::open(dir.path(), to).unwrap());
        here.collect(&ANA, &[said("a")], false, now).unwrap();
        assert_eq!((bodies(&here).len(), bodies(&there).len()), (1, 0));
        let talk = ["a", "bb"].map(said);
        assert_eq!(there.collect(&ANA, &talk, false, now).unwrap(), 1);
        assert_eq!(bodies(&there)[0]["messages"][0]["content"], "bb");
        assert_eq!(there.waiting_anywhere().unwrap().len(), 2);
        // Too old is too old, whomever it was for.
        let later = now + Span::days(MOST_DAYS + 1);
        assert_eq!(there.bound(later).unwrap(), 2);
        assert!(bodies(&here).is_empty());
    }

    #[test]
    fn two_hooks_without_a_lock_lose_nothing_of_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(dir.path(), "here").unwrap();
        let now = at("2026-11-30T09:00:00Z");
        let bo = Session {
            user_id: "bo",
            conversation: "codex/2",
        };
        spool.collect(&ANA, &[said("a")], false, now).unwrap();
        let first = spool.waiting().unwrap().remove(0).path;
        // The other one looked at the folder before that was there, and so takes the same number.
        let hidden = dir.path().join("hidden");
        fs::rename(&first, &hidden).unwrap();
        spool.collect(&bo, &[said("b")], false, now).unwrap();
        assert!(!first.exists(), "it would be gone");
        fs::rename(&hidden, &first).unwrap();
        assert_eq!(spool.waiting().unwrap().len(), 2);
    }

    #[test]
    fn what_a_killed_hook_left_half_written_goes() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(dir.path(), "here").unwrap();
        let now = at("2026-11-30T09:00:00Z");
        let left = |name: &str, minutes: i64| {
            let path = spool.deliveries.join(format!("{name}{HALF_WRITTEN}7"));
            let file = fs::File::create(&path).unwrap();
            file.set_modified((now - Span::minutes(minutes)).into())
                .unwrap();
            path
        };
        let (old, new) = (left("1-1-x.json", ABANDONED + 1), left("2-1-x.json", 1));
        assert_eq!(spool.bound(now).unwrap(), 0);
        assert!(!old.exists() && new.exists());
    }
}
