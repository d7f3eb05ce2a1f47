//! Requests of people about what is kept of them (G5): registered with a deadline, looked for over all agents, answered with a copy, with
//! erasure or with a refusal, and proven by what stands in the chain.
//!
//! A request names somebody, so it must not outlive what they asked for: who asked is sealed under a key of its own, and closing the
//! request destroys that key. What stays is what was asked for, the ids of what was found, and how it ended.

mod close;
mod find;
mod open;
mod proof;

pub use self::{
    open::NewRequest,
    proof::{ProofEvent, RequestProof},
};

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    id::{CandidateId, ExportId, MemoryId, RequestId, UserId},
    permission::{Permission, Permit},
    request::{FoundBy, RequestOutcome, RequestSort, is_overdue},
    user::Scope,
};
use serde::Serialize;
use store::{Find, Request, Tx};

use crate::{
    Engine,
    error::{EngineError, Result},
    export::{ExportView, present},
    need,
    page::{By, List, Page},
    queue::page,
    view::Names,
};

/// A request of a person.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct RequestView {
    /// Ours.
    pub id: RequestId,
    /// What is asked for.
    pub sort: RequestSort,
    /// Whether it waits for an answer.
    pub open: bool,
    /// Where the person is looked for; `null`: in all agents.
    pub agent: Option<AgentName>,
    /// Who asks, by the agents' own name; `null` once it is closed.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Words by which others speak of them; `null` once it is closed.
    pub words: Option<String>,
    /// What else was noted; `null` once it is closed.
    pub note: Option<String>,
    /// When it came in.
    #[schema(value_type = String, format = DateTime)]
    pub received_at: Timestamp,
    /// By when it must be answered.
    #[schema(value_type = String, format = DateTime)]
    pub due_at: Timestamp,
    /// Whether it is open and past that.
    pub overdue: bool,
    /// Names of users that were looked through for the same values.
    pub names_opened: i64,
    /// Whether those were all.
    pub all_names_opened: bool,
    /// The export that was handed out.
    pub export: Option<ExportId>,
    /// When that was noted.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub copied_at: Option<Timestamp>,
    /// How it ended.
    pub outcome: Option<RequestOutcome>,
    /// What was written when it was closed.
    pub closing_note: Option<String>,
    /// Who closed it.
    pub closed_by: Option<By>,
    /// When.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub closed_at: Option<Timestamp>,
    /// Who registered it.
    pub by: By,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// What a person reads as the name.
    #[serde(skip)]
    pub who: Option<String>,
}

/// A request with what was found.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct RequestDetail {
    /// Itself.
    #[serde(flatten)]
    pub request: RequestView,
    /// How much was found, by agent.
    pub found: Vec<FoundInAgent>,
    /// The users that were found.
    pub users: Vec<FoundUser>,
    /// What is kept of others and speaks of the person.
    pub third_party: Vec<FoundElsewhere>,
}

impl RequestDetail {
    /// Whether an export is of who asks, so that it can be noted as handed out.
    pub fn is_theirs(&self, export: &ExportView) -> bool {
        if let Some(user) = &export.user {
            return self.users.iter().any(|found| found.user == *user);
        }
        let asked = (&self.request.user_id, &self.request.scope);
        asked != (&None, &None) && asked == (&export.user_id, &export.scope)
    }
}

/// How much was found in an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FoundInAgent {
    /// The agent.
    pub agent: AgentName,
    /// Users.
    pub users: u64,
    /// Of them, those who are erased by now.
    pub erased: u64,
    /// Memories and proposals about others that speak of the person.
    pub third_party: u64,
}

/// A user that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FoundUser {
    /// In which agent.
    pub agent: AgentName,
    /// Which.
    pub user: UserId,
    /// By what.
    pub found_by: FoundBy,
    /// Memories that are served.
    pub approved: i64,
    /// Candidates that wait.
    pub waiting: i64,
    /// Conversations stored.
    pub conversations: i64,
    /// Whether they are erased.
    pub erased: bool,
    /// When that was.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub erased_at: Option<Timestamp>,
    /// What a person reads as their name; empty once they are erased.
    #[serde(skip)]
    pub who: String,
}

/// Something that is kept of somebody else and speaks of the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FoundElsewhere {
    /// In which agent.
    pub agent: AgentName,
    /// The memory or the candidate.
    pub subject: String,
    /// Whom it is about.
    pub user: UserId,
    /// What it says; `null`: it is gone.
    pub content: Option<String>,
}

/// How many requests wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestsStanding {
    /// Open ones.
    pub open: i64,
    /// Of them, those past their deadline.
    pub overdue: i64,
}

impl Engine {
    /// The requests, newest first; with `open` those that wait alone.
    ///
    /// # Errors
    /// `invalid` for a cursor that is not ours.
    pub async fn requests(
        &self,
        permit: &Permit,
        open: bool,
        wanted: &Page,
    ) -> Result<List<RequestView>> {
        need(permit, &[Permission::Export])?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let listed = tx.requests(open, &page(wanted)?).await?;
        let names = names_of(&mut tx, &listed.rows).await?;
        let data = listed.rows.into_iter();
        Ok(List {
            data: data.map(|row| outward(row, &names, now)).collect(),
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// A request with what was found for it, as that stands now.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn request(&self, permit: &Permit, id: &RequestId) -> Result<RequestDetail> {
        need(permit, &[Permission::Export])?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let request = tx.request(id).await?.ok_or(EngineError::NotFound)?;
        let names = names_of(&mut tx, std::slice::from_ref(&request)).await?;
        let (mut users, mut third_party) = (Vec::new(), Vec::new());
        for find in tx.finds(id).await? {
            match find.by {
                FoundBy::Name | FoundBy::Value => {
                    users.push(found_user(&mut tx, find, now).await?);
                }
                FoundBy::Words => third_party.push(found_elsewhere(&mut tx, find).await?),
            }
        }
        Ok(RequestDetail {
            request: outward(request, &names, now),
            found: counted(&users, &third_party),
            users,
            third_party,
        })
    }

    /// How many requests wait, and how many of them for too long.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn requests_standing(&self, permit: &Permit) -> Result<RequestsStanding> {
        need(permit, &[Permission::Export])?;
        let mut tx = self.read(permit).await?;
        let (open, overdue) = tx.requests_standing(self.now()).await?;
        Ok(RequestsStanding { open, overdue })
    }
}

/// Who asked for an open request.
///
/// # Errors
/// [`EngineError::RequestClosed`].
fn asked(request: &Request) -> Result<store::Asked> {
    let asked = request.asked.clone();
    asked
        .filter(|_| request.closed.is_none())
        .ok_or(EngineError::RequestClosed)
}

async fn names_of(tx: &mut Tx, requests: &[Request]) -> Result<Names> {
    let mut names = Names::default();
    let people = requests.iter().flat_map(|request| {
        let closed_by = request.closed.as_ref().map(|closed| closed.by.clone());
        std::iter::once(request.person.clone()).chain(closed_by)
    });
    names.learn_people(tx, people.collect::<Vec<_>>()).await?;
    Ok(names)
}

fn outward(request: Request, names: &Names, now: Timestamp) -> RequestView {
    let by = names.person(&request.person);
    let (named, words, note) = match request.asked {
        Some(asked) => (Some(asked.named), asked.words, asked.note),
        None => (None, None, None),
    };
    let user_id = named
        .as_ref()
        .and_then(|named| named.as_user_id().map(str::to_owned));
    let open = request.closed.is_none();
    let (outcome, closing_note, closed_by, closed_at) = match request.closed {
        Some(closed) => (
            Some(closed.outcome),
            closed.note,
            Some(names.person(&closed.by)),
            Some(closed.at),
        ),
        None => (None, None, None, None),
    };
    let (export, copied_at) = request.copied.unzip();
    RequestView {
        id: request.id,
        sort: request.sort,
        open,
        agent: request.agent,
        who: named.as_ref().map(Scope::display),
        scope: named.filter(|_| user_id.is_none()),
        user_id,
        words,
        note,
        received_at: request.received_at,
        due_at: request.due_at,
        overdue: open && is_overdue(request.due_at, now),
        names_opened: request.looked.names,
        all_names_opened: request.looked.all,
        export,
        copied_at,
        outcome,
        closing_note,
        closed_by,
        closed_at,
        by,
        created_at: request.created_at,
    }
}

async fn found_user(tx: &mut Tx, find: Find, now: Timestamp) -> Result<FoundUser> {
    let mut found = FoundUser {
        agent: find.agent,
        user: find.user,
        found_by: find.by,
        approved: 0,
        waiting: 0,
        conversations: 0,
        erased: true,
        erased_at: None,
        who: String::new(),
    };
    if present(tx.user(&found.user).await)?.is_some()
        && let Some(line) = tx.user_line(&found.agent, &found.user, now).await?
    {
        found.erased = false;
        found.approved = line.approved;
        found.waiting = line.waiting;
        found.conversations = line.conversations;
        found.who = line.user.scope.display();
        return Ok(found);
    }
    found.erased_at = erasure(tx, &found.agent, &found.user)
        .await?
        .map(|event| event.at);
    Ok(found)
}

/// The event that tells that a user was erased.
async fn erasure(
    tx: &mut Tx,
    agent: &AgentName,
    user: &UserId,
) -> Result<Option<domain::audit::StoredEvent>> {
    let filter = store::EventFilter {
        chain: Some(agent.as_str().to_owned()),
        subject: Some(user.to_string()),
        types: vec![EventType::UserErased],
        ..store::EventFilter::default()
    };
    let found = tx.events(&filter, &store::Page::first(1)).await?;
    Ok(found.rows.into_iter().next())
}

async fn found_elsewhere(tx: &mut Tx, find: Find) -> Result<FoundElsewhere> {
    let content = if let Ok(memory) = MemoryId::parse(&find.subject) {
        tx.memory(&memory).await?.map(|memory| memory.content)
    } else if let Ok(candidate) = CandidateId::parse(&find.subject) {
        let found = tx.candidate(&candidate).await?;
        found.map(|row| row.candidate.proposal.content)
    } else {
        None
    };
    Ok(FoundElsewhere {
        agent: find.agent,
        subject: find.subject,
        user: find.user,
        content,
    })
}

fn counted(users: &[FoundUser], third_party: &[FoundElsewhere]) -> Vec<FoundInAgent> {
    let mut agents: BTreeMap<AgentName, FoundInAgent> = BTreeMap::new();
    let mut of = |agent: &AgentName, users: u64, erased: bool, third_party: u64| {
        let counts = agents.entry(agent.clone()).or_insert_with(|| FoundInAgent {
            agent: agent.clone(),
            users: 0,
            erased: 0,
            third_party: 0,
        });
        counts.users += users;
        counts.erased += u64::from(erased);
        counts.third_party += third_party;
    };
    for user in users {
        of(&user.agent, 1, user.erased, 0);
    }
    for elsewhere in third_party {
        of(&elsewhere.agent, 0, false, 1);
    }
    agents.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // G5
    #[test]
    fn what_was_found_is_counted_by_agent() {
        let agent = |name: &str| AgentName::parse(name).unwrap();
        let id = || UserId::parse(&format!("usr_{}", "0".repeat(26))).unwrap();
        let user = |name: &str, erased| FoundUser {
            agent: agent(name),
            user: id(),
            found_by: FoundBy::Name,
            approved: 1,
            waiting: 0,
            conversations: 1,
            erased,
            erased_at: None,
            who: String::new(),
        };
        let elsewhere = FoundElsewhere {
            agent: agent("sales"),
            subject: String::new(),
            user: id(),
            content: None,
        };
        let counts = counted(
            &[
                user("support", false),
                user("support", true),
                user("sales", false),
            ],
            &[elsewhere],
        );
        let told: Vec<_> = counts
            .iter()
            .map(|one| (one.agent.as_str(), one.users, one.erased, one.third_party))
            .collect();
        assert_eq!(told, [("sales", 1, 0, 1), ("support", 2, 1, 0)]);
    }
}
