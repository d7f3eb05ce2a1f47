//! Which part of the queue is wanted, and the conditions that say so in SQL.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Flag, Status},
    id::{ConversationId, PersonId, UserId},
};
use serde::{Deserialize, Serialize};

use crate::{Tx, index::search_words, statement::Statement};

/// Which part of the candidates is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum View {
    /// What waits: pending, and not past its time.
    #[default]
    Waiting,
    /// What was approved or rejected.
    Decided,
    /// What nobody decided in time.
    ExpiredUnseen,
    /// One status; `pending` means what waits.
    Status(Status),
    /// Everything.
    All,
}

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sort {
    /// What a user wished to have forgotten, then what expires first.
    #[default]
    ExpiresFirst,
    /// What was proposed last.
    Newest,
}

/// For whom a candidate was handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HandedFor {
    /// A person; also what needs somebody who speaks one of these languages.
    Person(PersonId, Vec<String>),
    /// Whoever speaks its language.
    Native,
}

/// By whom a candidate is claimed at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClaimedBy {
    /// This person.
    Person(PersonId),
    /// Nobody else than this person.
    NobodyBut(PersonId),
}

/// Which candidates are wanted. Every condition narrows the scope of the transaction, none widens it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct QueueFilter {
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// About one user.
    pub user: Option<UserId>,
    /// Which part.
    pub view: View,
    /// Of one kind.
    pub kind: Option<String>,
    /// With one action.
    pub action: Option<Action>,
    /// With this flag, of those that are stored.
    pub flag: Option<Flag>,
    /// In one of these languages; none: in any.
    pub languages: Vec<String>,
    /// At least this sure.
    pub min_confidence: Option<f64>,
    /// That were proposed before this.
    pub created_before: Option<Timestamp>,
    /// That were not brought back at this instant or later: whoever takes a decision back does not ask for another one.
    pub reopened_before: Option<Timestamp>,
    /// That stop waiting before this.
    pub expires_before: Option<Timestamp>,
    /// That rest on one conversation.
    pub conversation: Option<ConversationId>,
    /// With these words. What a person decided is not found by its words any more.
    pub search: Option<String>,
    /// That were handed over.
    pub handed_for: Option<HandedFor>,
    /// That are claimed, or free.
    pub claimed_by: Option<ClaimedBy>,
    /// In which order.
    pub sort: Sort,
}

impl Tx {
    /// Adds the conditions of a filter; `waits` is the one for what waits.
    pub(crate) fn filtered(
        &self,
        statement: Statement,
        filter: &QueueFilter,
        waits: &'static str,
        now: Timestamp,
    ) -> Statement {
        // The words of the status are part of the text, so that the partial indexes can be used.
        let statement = match filter.view {
            View::Waiting | View::Status(Status::Pending) => statement.clause(waits, now),
            View::Decided => statement.push(" and c.status in ('approved', 'rejected')"),
            View::ExpiredUnseen => {
                statement.push(" and c.status = 'rejected' and c.reason = 'expired'")
            }
            View::Status(Status::Approved) => statement.push(" and c.status = 'approved'"),
            View::Status(Status::Rejected) => statement.push(" and c.status = 'rejected'"),
            View::All => statement,
        };
        self.narrowed(statement, filter, now)
    }

    /// The same without the part that is wanted.
    pub(crate) fn narrowed(
        &self,
        statement: Statement,
        filter: &QueueFilter,
        now: Timestamp,
    ) -> Statement {
        let flag = filter.flag.map(|flag| format!("% {} %", flag.as_str()));
        let statement = statement
            .clause_if(" and c.agent = ?", filter.agent.as_ref())
            .clause_if(" and c.user_id = ?", filter.user.as_ref())
            .clause_if(" and c.kind = ?", filter.kind.as_deref())
            .clause_if(" and c.action = ?", filter.action.map(Action::as_str))
            .clause_if(" and c.flags like ?", flag)
            .clause_if(" and c.confidence >= ?", filter.min_confidence)
            // `+ 0` keeps the planner on the index of the list's order.
            .clause_if(" and c.created_at + 0 < ?", filter.created_before)
            .clause_if(
                " and not exists (select 1 from decisions r
                    where r.agent = c.agent and r.candidate_id = c.id and r.verdict = 'reopen' and r.at >= ?)",
                filter.reopened_before,
            )
            .clause_if(" and c.expires_at < ?", filter.expires_before)
            .clause_if(
                " and c.id in (select e.candidate_id from evidence e where e.conversation_id = ?)",
                filter.conversation.as_ref(),
            );
        let statement = in_languages(statement, &filter.languages);
        let statement = match &filter.handed_for {
            None => statement,
            Some(handed_for) => handed_over(statement, handed_for),
        };
        let statement = match &filter.claimed_by {
            None => statement,
            Some(claimed_by) => claimed(statement, claimed_by, now),
        };
        match &filter.search {
            None => statement,
            Some(search) => self.with_words(statement, search),
        }
    }

    fn with_words(&self, statement: Statement, search: &str) -> Statement {
        let words = search_words(search);
        if words.is_empty() {
            return statement.push(" and false");
        }
        words.into_iter().fold(statement, |statement, word| {
            statement.clause(
                " and c.id in (select t.subject from search_tokens t where t.token = ?)",
                self.candidate_token(&word),
            )
        })
    }
}

/// One language has an index in the order of the list; several would make the planner read all of theirs and sort them, from which a
/// value instead of a column keeps it.
fn in_languages(statement: Statement, languages: &[String]) -> Statement {
    match languages {
        [] => statement,
        [one] => statement.clause(" and c.language = ?", one.as_str()),
        several => statement.clause_in(
            " and (c.language || '') in (",
            several.iter().map(String::as_str),
        ),
    }
}

fn handed_over(statement: Statement, handed_for: &HandedFor) -> Statement {
    match handed_for {
        HandedFor::Native => {
            statement.push(" and c.id in (select h.candidate_id from handovers h where h.native)")
        }
        HandedFor::Person(person, languages) => {
            let statement = statement.clause(
                " and c.id in (select h.candidate_id from handovers h where h.person_id = ?",
                person,
            );
            let statement = if languages.is_empty() {
                statement
            } else {
                statement.clause_in(
                    " union select h.candidate_id from handovers h
                        join candidates n on n.agent = h.agent and n.id = h.candidate_id
                        where h.native and n.language in (",
                    languages.iter().map(String::as_str),
                )
            };
            statement.push(")")
        }
    }
}

fn claimed(statement: Statement, claimed_by: &ClaimedBy, now: Timestamp) -> Statement {
    match claimed_by {
        ClaimedBy::Person(person) => statement
            .clause(
                " and c.id in (select k.candidate_id from claims k where k.person_id = ?",
                person,
            )
            .clause(" and k.until > ?)", now),
        ClaimedBy::NobodyBut(person) => statement
            .clause(
                " and not exists (select 1 from claims k
                    where k.agent = c.agent and k.candidate_id = c.id and k.person_id <> ?",
                person,
            )
            .clause(" and k.until > ?)", now),
    }
}
