//! Users: the people agents talk to, what is stored of them, and the timeline of what happened (F8).

use domain::{
    Timestamp,
    agent::AgentName,
    id::UserId,
    permission::{Permission, Permit},
    user::{Scope, User},
};
use serde::Serialize;
use store::{QueueFilter, Sort, Tx, UserLine, View};

use crate::{
    Engine,
    audit::EventView,
    candidate::CandidateView,
    conversation::ConversationRow,
    error::{EngineError, Result},
    join::{self, ConflictView, JoinView, conflicts},
    memory::MemoryView,
    need,
    opt_out::{self, OptOuts},
    page::{List, Page},
    queue::page,
    view::Names,
};

/// A user, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct UserView {
    /// Ours.
    pub id: UserId,
    /// The agent that talks to them.
    pub agent: AgentName,
    /// The agent's own name of them.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// When first heard of.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Memories that are served.
    pub approved: i64,
    /// Candidates that wait.
    pub waiting: i64,
    /// Conversations stored.
    pub conversations: i64,
    /// When something was last said.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_seen: Option<Timestamp>,
    /// Whether they are neither learnt from nor served, on any agent (G2), under this id or one that is joined with it.
    pub opted_out: bool,
    /// What a person reads as their name.
    #[serde(skip)]
    pub who: String,
}

/// A user with what is stored of them.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct UserDetail {
    /// Themselves.
    #[serde(flatten)]
    pub user: UserView,
    /// What is served, but for profiles.
    pub memories: Vec<MemoryView>,
    /// What waits. `waiting` is the number of them.
    #[serde(rename = "candidates")]
    pub waiting: Vec<CandidateView>,
    /// Their newest conversations.
    #[serde(rename = "recent_conversations")]
    pub conversations_list: Vec<ConversationRow>,
    /// Other ids that are this person, or were, or may be (G15); newest first.
    pub joins: Vec<JoinView>,
    /// What is not told because another id of theirs says otherwise.
    pub conflicts: Vec<ConflictView>,
}

/// How a user is addressed: by our id, or by the agent's own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserRef {
    /// `usr_…`.
    Id(UserId),
    /// What the agent calls them.
    Scope(Scope),
}

impl UserRef {
    /// Reads either form.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for text that names nobody.
    pub fn parse(text: &str) -> Result<Self> {
        match UserId::parse(text) {
            Ok(id) => Ok(Self::Id(id)),
            Err(_) => Scope::user_id(text)
                .map(Self::Scope)
                .map_err(|_| EngineError::NotFound),
        }
    }
}

pub(crate) async fn find(
    tx: &mut Tx,
    permit: &Permit,
    user: &UserRef,
    agent: Option<&AgentName>,
) -> Result<User> {
    let found = match user {
        UserRef::Id(id) => tx.user(id).await?,
        UserRef::Scope(scope) => {
            let agent = crate::only_agent(permit, agent)?;
            tx.find_user(&agent, scope).await?
        }
    };
    let meant = |of: &AgentName| agent.is_none_or(|agent| of == agent);
    if let Some(found) = found.filter(|user| meant(&user.agent)) {
        return Ok(found);
    }
    // A name that nobody has any more is one that nobody ever had; our own id of somebody stays in the chain.
    let erased = match user {
        UserRef::Id(id) => tx.erasure(id).await?,
        UserRef::Scope(_) => None,
    };
    match erased.filter(|erased| meant(&erased.agent)) {
        Some(erased) => Err(EngineError::Erased { at: erased.at }),
        None => Err(EngineError::NotFound),
    }
}

/// Users whose name holds a part.
#[derive(Debug, Clone)]
pub struct Alike {
    /// They themselves.
    pub users: Vec<UserView>,
    /// How many were looked at, where there are more.
    pub opened: Option<u32>,
}

/// The most users whose names are opened to look for a part of one.
const MOST_OPENED: u32 = 10_000;
/// So many of them at once.
const OPENED_AT_ONCE: u32 = 500;
/// The most users that a part of a name finds.
const MOST_ALIKE: usize = 50;

const READS: &[Permission] = &[Permission::ReadUsers];

impl Engine {
    /// A page of users, newest first; with a scope the one it names.
    ///
    /// # Errors
    /// As [`Engine::candidates`].
    pub async fn users(
        &self,
        permit: &Permit,
        agent: Option<&AgentName>,
        scope: Option<&Scope>,
        wanted: &Page,
    ) -> Result<List<UserView>> {
        need(permit, READS)?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        if let Some(scope) = scope {
            let agents = match agent {
                Some(agent) => vec![agent.clone()],
                None => tx
                    .agents()
                    .await?
                    .into_iter()
                    .map(|agent| agent.name)
                    .collect(),
            };
            let mut data = Vec::new();
            for agent in agents {
                if let Some(user) = tx.find_user(&agent, scope).await? {
                    data.push(figures(&mut tx, &user, now).await?);
                }
            }
            return Ok(List::whole(data));
        }
        let rows = tx
            .users(
                &store::UserFilter {
                    agent: agent.cloned(),
                },
                &page(wanted)?,
                now,
            )
            .await?;
        let mut opt_outs = OptOuts::default();
        let mut data = Vec::with_capacity(rows.rows.len());
        for line in rows.rows {
            let out = opt_outs.hold(&mut tx, &line.user).await?;
            data.push(outward(line, out));
        }
        Ok(List {
            data,
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }

    /// Users of one agent whose name holds a part, newest first, whatever its letter case. Names are sealed and SQL compares hashes
    /// of whole ones, so the names are opened here one by one, at most those of the newest `MOST_OPENED` users.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent outside the permit.
    pub async fn users_like(
        &self,
        permit: &Permit,
        agent: &AgentName,
        part: &str,
    ) -> Result<Alike> {
        need(permit, READS)?;
        let now = self.now();
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        let mut tx = self.read(&permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let part = part.to_lowercase();
        let (mut found, mut opened, mut before) = (Vec::new(), 0, None);
        while opened < MOST_OPENED && found.len() < MOST_ALIKE {
            let some = tx
                .users_before(agent, before.as_ref(), OPENED_AT_ONCE)
                .await?;
            let Some(last) = some.last() else { break };
            before = Some(last.id.clone());
            opened += u32::try_from(some.len()).unwrap_or(OPENED_AT_ONCE);
            for user in some {
                let alike = user.scope.display().to_lowercase().contains(&part);
                if alike && found.len() < MOST_ALIKE {
                    found.push(figures(&mut tx, &user, now).await?);
                }
            }
        }
        Ok(Alike {
            users: found,
            opened: (opened >= MOST_OPENED).then_some(opened),
        })
    }

    /// One user with what is stored of them.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn user(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
    ) -> Result<UserDetail> {
        need(permit, READS)?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let user = find(&mut tx, permit, user, agent).await?;
        let mut names = Names::at(self.now());
        names.met(&user);
        let mut memories = tx.approved(&user.agent, &user.id, now).await?;
        // D6: profiles have a call of their own.
        memories.retain(|memory| memory.kind != domain::profile::KIND);
        let memories = names.memories(&mut tx, memories).await?;
        let filter = QueueFilter {
            agent: Some(user.agent.clone()),
            user: Some(user.id.clone()),
            view: View::Waiting,
            sort: Sort::ExpiresFirst,
            ..QueueFilter::default()
        };
        let waiting = tx.queue(&filter, &store::Page::first(200), now).await?.rows;
        let waiting = names.candidates(&mut tx, waiting).await?;
        let conversations = tx
            .conversations_of(&user.agent, &user.id, &store::Page::first(50))
            .await?
            .rows;
        let ids = tx.together(&user.agent, &user.id).await?;
        let conflicts = conflicts(&mut tx, &mut names, &user.agent, &ids, now).await?;
        let joins = tx.joins_of(&user.agent, &user.id).await?;
        let joins = join::views(&mut tx, &mut names, joins).await?;
        Ok(UserDetail {
            joins,
            conflicts,
            user: figures(&mut tx, &user, now).await?,
            memories,
            waiting,
            conversations_list: conversations
                .into_iter()
                .map(ConversationRow::from)
                .collect(),
        })
    }

    /// A page of a user's conversations, newest first, but for those that retention removed.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Invalid`] for a cursor that is not ours.
    pub async fn conversations_of(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
        wanted: &Page,
    ) -> Result<List<ConversationRow>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let user = find(&mut tx, permit, user, agent).await?;
        let rows = tx
            .conversations_of(&user.agent, &user.id, &page(wanted)?)
            .await?;
        Ok(List {
            data: rows.rows.into_iter().map(ConversationRow::from).collect(),
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }

    /// What happened about a user, newest first.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn timeline(
        &self,
        permit: &Permit,
        user: &UserRef,
        agent: Option<&AgentName>,
        wanted: &Page,
    ) -> Result<List<EventView>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let user = find(&mut tx, permit, user, agent).await?;
        let rows = tx.timeline(&user.agent, &user.id, &page(wanted)?).await?;
        let data = Names::default().events(&mut tx, rows.rows).await?;
        Ok(List {
            data,
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }
}

async fn figures(tx: &mut Tx, user: &User, now: Timestamp) -> Result<UserView> {
    let line = tx.user_line(&user.agent, &user.id, now).await?;
    let line = line.ok_or(EngineError::NotFound)?;
    let out = opt_out::out(tx, user).await?;
    Ok(outward(line, out))
}

fn outward(line: UserLine, opted_out: bool) -> UserView {
    let UserLine {
        user,
        approved,
        waiting,
        conversations,
        last_message_at: last_seen,
    } = line;
    let User {
        agent,
        id,
        scope,
        created_at,
    } = user;
    UserView {
        id,
        agent,
        user_id: scope.as_user_id().map(str::to_owned),
        who: scope.display(),
        scope: scope.as_user_id().is_none().then_some(scope),
        created_at,
        approved,
        waiting,
        conversations,
        last_seen,
        opted_out,
    }
}
