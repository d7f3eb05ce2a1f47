//! What an export holds (E4): every row of an agent or of one of its users, opened, in one order that never changes, a stretch at a
//! time, so that a million of them need no more memory than a thousand.
//!
//! An agent's rows are read along their primary key. Of one user the ids of their things come first, and the rows of those then: no
//! table is walked for one person. A text comes with the very string that its event commits to, made by the code that wrote the event,
//! and with the salt. Whoever was erased has no key any more and is passed over.

mod candidates;
mod conversations;
mod decisions;
mod events;
mod memories;
mod revisions;
mod servings;
mod users;

use domain::{Timestamp, agent::AgentName, audit::commitment, id::UserId};

pub use self::{
    candidates::ExportedCandidate,
    conversations::ExportedPost,
    decisions::{ExportedDecision, ExportedRemark},
    events::{ChainPart, ExportedEvent},
    revisions::ExportedRevision,
    servings::ExportedServing,
    users::ExportedUser,
};
use crate::{
    Error, Result, Tx,
    statement::{Readable, Statement, sql},
};

/// Rows of one look.
const ROWS: u32 = 500;
/// Things whose rows are read in one look.
const THINGS: usize = 50;
/// Keys of users that are kept unwrapped; then they are forgotten and read anew.
const KEYS: usize = 4096;

/// One agent's part of an export.
#[derive(Debug, Clone)]
pub struct ExportPart {
    /// The agent.
    pub agent: AgentName,
    /// About these of its users; `None`: about everybody.
    pub users: Option<Vec<UserId>>,
    /// What happened not before this.
    pub from: Option<Timestamp>,
    /// What happened before this.
    pub to: Option<Timestamp>,
}

/// A text that an event commits to: what was hashed, and the salt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// 32 bytes as lower-case hex.
    pub salt: String,
    /// Canonical JSON.
    pub committed: String,
}

impl Proof {
    /// The commitment of its event; `None` where the salt is none.
    pub fn commitment(&self) -> Option<domain::audit::Hash> {
        Some(commitment(&self.salt_bytes()?, &self.committed))
    }

    /// The salt as it is hashed; `None` where it is none.
    pub(crate) fn salt_bytes(&self) -> Option<[u8; 32]> {
        let mut salt = [0; 32];
        if self.salt.len() != 64 || !self.salt.is_ascii() {
            return None;
        }
        for (byte, pair) in salt.iter_mut().zip(self.salt.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(salt)
    }
}

/// How far a walk along some rows has come.
#[derive(Debug)]
pub struct Along(Way);

#[derive(Debug)]
enum Way {
    /// Along the primary key: after this thing and number.
    Key(String, i64),
    /// Thing by thing, by their ids: these are left, the next one last.
    Things(Vec<String>),
    /// To the end.
    Ended,
}

/// What a walk is along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Things {
    Users,
    Conversations,
    Candidates,
    Memories,
    Servings,
}

/// What is read next.
enum Next {
    After(String, i64),
    Of(Vec<String>),
}

impl Along {
    fn next(&mut self) -> Option<Next> {
        match &mut self.0 {
            Way::Key(thing, number) => Some(Next::After(thing.clone(), *number)),
            Way::Things(left) if !left.is_empty() => {
                let from = left.len().saturating_sub(THINGS);
                Some(Next::Of(left.split_off(from).into_iter().rev().collect()))
            }
            Way::Things(_) | Way::Ended => None,
        }
    }

    /// Notes the last of `rows` that came; fewer than were asked for are the last there are.
    fn came_to(&mut self, rows: usize, last: Option<(&str, i64)>) {
        if let Way::Key(thing, number) = &mut self.0 {
            match last {
                Some((upto, at)) if rows >= ROWS as usize => {
                    upto.clone_into(thing);
                    *number = at;
                }
                _ => self.0 = Way::Ended,
            }
        }
    }
}

/// The clauses that find the rows of one look, by the columns of the table.
struct Columns {
    /// ` and (candidate_id, version) > (?`, to be followed by the number; ` and id > ?` of rows that have none.
    after: &'static str,
    numbered: bool,
    /// ` and candidate_id in (`
    of: &'static str,
    /// ` order by candidate_id, version`
    order: &'static str,
    /// ` and at >= ?`
    from: &'static str,
    /// ` and at < ?`
    to: &'static str,
}

impl Columns {
    fn look(&self, read: Statement, part: &ExportPart, next: &Next) -> Statement {
        let read = read
            .clause_if(self.from, part.from)
            .clause_if(self.to, part.to);
        match next {
            Next::After(thing, number) => {
                let read = read.clause(self.after, thing.as_str());
                let read = if self.numbered {
                    read.clause(", ?)", *number)
                } else {
                    read
                };
                read.push(self.order).clause(" limit ?", ROWS)
            }
            Next::Of(things) => read
                .clause_in(self.of, things.iter().map(String::as_str))
                .push(self.order),
        }
    }
}

/// A row of a walk.
trait Walked {
    /// The thing and the number that the order goes by; 0 where there is none.
    fn place(&self) -> (&str, i64);

    /// Whom it is about.
    fn owner(&self) -> &str;
}

impl Tx {
    async fn along(&mut self, part: &ExportPart, things: Things) -> Result<Along> {
        self.inside(&part.agent)?;
        let Some(users) = &part.users else {
            return Ok(Along(Way::Key(String::new(), 0)));
        };
        let (ids, of) = match things {
            Things::Users => ("select id from users where agent = $1", " and id in ("),
            Things::Conversations => (
                "select id from conversations where agent = $1",
                " and user_id in (",
            ),
            Things::Candidates => (
                "select id from candidates where agent = $1",
                " and user_id in (",
            ),
            Things::Memories => (
                "select id from memories where agent = $1",
                " and user_id in (",
            ),
            Things::Servings => (
                "select id from servings where agent = $1",
                " and user_id in (",
            ),
        };
        let rows: Vec<(String,)> = sql(ids)
            .bind(&part.agent)
            .clause_in(of, users)
            .all(&mut self.conn)
            .await?;
        let mut ids: Vec<String> = rows.into_iter().map(|(id,)| id).collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Along(Way::Things(ids)))
    }

    /// Begins a walk along the users.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn along_users(&mut self, part: &ExportPart) -> Result<Along> {
        self.along(part, Things::Users).await
    }

    /// Begins a walk along the conversations.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn along_conversations(&mut self, part: &ExportPart) -> Result<Along> {
        self.along(part, Things::Conversations).await
    }

    /// Begins a walk along the candidates, or along what was decided or written about them.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn along_candidates(&mut self, part: &ExportPart) -> Result<Along> {
        self.along(part, Things::Candidates).await
    }

    /// Begins a walk along the revisions of the memories.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn along_memories(&mut self, part: &ExportPart) -> Result<Along> {
        self.along(part, Things::Memories).await
    }

    /// Begins a walk along the servings.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn along_servings(&mut self, part: &ExportPart) -> Result<Along> {
        self.along(part, Things::Servings).await
    }

    /// About how many lines an export of this part has: enough to say how far it is.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn count_export(&mut self, part: &ExportPart) -> Result<i64> {
        const TABLES: [&str; 6] = [
            "select count(*) from events where agent = $1",
            "select count(*) from conversations where agent = $1",
            "select count(*) from candidates where agent = $1",
            "select count(*) from memories where agent = $1",
            "select count(*) from servings where agent = $1",
            // In the table of events each stands once more.
            "select count(*) from events where agent = $1",
        ];
        self.inside(&part.agent)?;
        let mut sum = 0;
        for table in TABLES {
            let mut count = sql(table).bind(&part.agent);
            if let Some(users) = &part.users {
                count = count.clause_in(" and user_id in (", users);
            }
            let (rows,): (i64,) = count.one(&mut self.conn).await?;
            sum += rows;
        }
        Ok(sum)
    }

    /// What a walk reads next, within the scope.
    fn next_of(&self, part: &ExportPart, along: &mut Along) -> Result<Option<Next>> {
        self.inside(&part.agent)?;
        Ok(along.next())
    }

    /// The next rows of a walk, with the keys of whom they are about; `None` at its end.
    async fn next_rows<R: Readable + Walked>(
        &mut self,
        read: Statement,
        columns: &Columns,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<R>>> {
        let Some(next) = self.next_of(part, along)? else {
            return Ok(None);
        };
        let rows: Vec<R> = columns.look(read, part, &next).all(&mut self.conn).await?;
        along.came_to(rows.len(), rows.last().map(Walked::place));
        let agent = part.agent.as_str();
        let owners: Vec<_> = rows.iter().map(|row| (agent, row.owner())).collect();
        self.open_rows_of(&owners).await?;
        Ok(Some(rows))
    }

    /// Loads the keys that rows need. Who has none was erased.
    async fn open_rows_of(&mut self, rows: &[(&str, &str)]) -> Result<()> {
        self.forget_keys_above(KEYS);
        self.load_keys_of(rows.iter().copied()).await
    }
}

/// An error of a row whose user was erased is none: the row is passed over.
fn unless_erased<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(row) => Ok(Some(row)),
        Err(Error::Erased) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_takes_things_in_their_order_and_ends() {
        let ids: Vec<String> = (0..120).map(|number| format!("mem_{number:03}")).collect();
        let mut along = Along(Way::Things(ids.iter().rev().cloned().collect()));
        let mut met = Vec::new();
        while let Some(Next::Of(things)) = along.next() {
            assert!(things.len() <= THINGS);
            met.extend(things);
        }
        assert_eq!(met, ids);

        let mut along = Along(Way::Key(String::new(), 0));
        along.came_to(ROWS as usize, Some(("mem_b", 3)));
        assert!(matches!(along.next(), Some(Next::After(thing, 3)) if thing == "mem_b"));
        along.came_to(7, Some(("mem_c", 1)));
        assert!(along.next().is_none());
    }

    #[test]
    fn a_proof_gives_the_commitment_of_its_event() {
        let proof = Proof {
            salt: "07".repeat(32),
            committed: "{}".to_owned(),
        };
        assert_eq!(proof.commitment(), Some(commitment(&[7; 32], "{}")));
        let short = Proof {
            salt: "07".to_owned(),
            ..proof
        };
        assert_eq!(short.commitment(), None);
    }
}
