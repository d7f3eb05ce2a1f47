//! Users: found by a keyed hash of what their agent calls them.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    id::UserId,
    user::{Scope, User},
};
use serde_json::json;

use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, at_opt, parsed},
    events::Telling,
    seal::Place,
    statement::{ScopeColumn, sql},
};

/// Which users are wanted.
#[derive(Debug, Clone, Default)]
pub struct UserFilter {
    /// Of one agent.
    pub agent: Option<AgentName>,
}

/// A user in a list, with what there is about them.
#[derive(Debug, Clone)]
pub struct UserLine {
    /// Who.
    pub user: User,
    /// Memories that are served.
    pub approved: i64,
    /// Candidates that wait.
    pub waiting: i64,
    /// Conversations.
    pub conversations: i64,
    /// When the last message came.
    pub last_message_at: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
pub(crate) struct UserRow {
    pub agent: String,
    pub id: String,
    pub sealed: Vec<u8>,
    pub created_at: i64,
}

#[derive(sqlx::FromRow)]
struct LineRow {
    #[sqlx(flatten)]
    user: UserRow,
    approved: i64,
    waiting: i64,
    conversations: i64,
    last_message_at: Option<i64>,
}

const USERS: &str = "
    select agent, id, sealed, created_at
    from users
    where true";

// `+ 0` keeps the planner from counting along all that waits in the agent.
const LINES: &str = "
    select u.agent, u.id, u.sealed, u.created_at,
      (select count(*) from memories m
       where m.agent = u.agent and m.user_id = u.id and m.status = 'approved'
         and (m.expires_at is null or m.expires_at > $1)) as approved,
      (select count(*) from candidates c
       where c.agent = u.agent and c.user_id = u.id and c.status = 'pending' and c.expires_at + 0 > $1) as waiting,
      (select count(*) from conversations v
       where v.agent = u.agent and v.user_id = u.id and v.removed_at is null) as conversations,
      (select max(v.updated_at) from conversations v
       where v.agent = u.agent and v.user_id = u.id) as last_message_at
    from users u
    where true";

impl Tx {
    /// Finds the user an agent means, or makes them.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn ensure_user(
        &mut self,
        agent: &AgentName,
        scope: &Scope,
        stamp: &Stamp,
    ) -> Result<User> {
        const SQL: &str = "
            insert into users (agent, id, lookup, sealed, created_at)
            values ($1, $2, $3, $4, $5)
            on conflict (agent, lookup) do nothing";
        if let Some(user) = self.find_user(agent, scope).await? {
            return Ok(user);
        }
        let id = UserId::new(stamp.now, self.entropy());
        let key = self.make_user_key(agent, &id).await?;
        let sealed = key.seal_json(place(agent, &id), scope, self.entropy());
        let made = sql(SQL)
            .bind(agent)
            .bind(&id)
            .bind(self.user_lookup(agent, scope))
            .bind(sealed)
            .bind(stamp.now)
            .run(&mut self.conn)
            .await?;
        if made == 0 {
            // Another request made the same user a moment ago; the key that was made for nothing goes again.
            sql("delete from user_keys where agent = $1 and user_id = $2")
                .bind(agent)
                .bind(&id)
                .run(&mut self.conn)
                .await?;
            return self.find_user(agent, scope).await?.ok_or(Error::Stale);
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type: EventType::UserCreated,
                user: Some(&id),
                subject: id.as_str(),
                data: json!({}),
                commitment: None,
            },
        );
        Ok(User {
            agent: agent.clone(),
            id,
            scope: scope.clone(),
            created_at: stamp.now,
        })
    }

    /// The user an agent means.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn find_user(&mut self, agent: &AgentName, scope: &Scope) -> Result<Option<User>> {
        self.inside(agent)?;
        let lookup = self.user_lookup(agent, scope);
        let row: Option<UserRow> = sql(USERS)
            .clause(" and agent = ?", agent)
            .clause(" and lookup = ?", lookup)
            .optional(&mut self.conn)
            .await?;
        Ok(self.users_of(row.into_iter().collect()).await?.pop())
    }

    /// A user within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn user(&mut self, id: &UserId) -> Result<Option<User>> {
        let row: Option<UserRow> = sql(USERS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .optional(&mut self.conn)
            .await?;
        Ok(self.users_of(row.into_iter().collect()).await?.pop())
    }

    /// Users within the scope, newest first.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn users(
        &mut self,
        filter: &UserFilter,
        page: &Page,
        now: Timestamp,
    ) -> Result<Listed<UserLine>> {
        let rows: Vec<LineRow> = sql(LINES)
            .bind(now)
            .scope_along(ScopeColumn::User, &self.scope().clone())
            .clause_if(" and u.agent = ?", filter.agent.as_ref())
            .clause_if(
                " and u.id < ?",
                page.after(UserId::PREFIX)?.map(|after| after.id.as_str()),
            )
            .clause(" order by u.id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let lines = self.lines_of(rows).await?;
        Ok(Listed::cut(lines, page, |line| {
            Cursor::id(line.user.id.as_str())
        }))
    }

    /// The newest users of an agent, a part at a time, with nothing counted. Names are sealed, so whoever looks for a part of one
    /// opens them all.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn users_before(
        &mut self,
        agent: &AgentName,
        before: Option<&UserId>,
        limit: u32,
    ) -> Result<Vec<User>> {
        self.inside(agent)?;
        let rows: Vec<UserRow> = sql(USERS)
            .clause(" and agent = ?", agent)
            .clause_if(" and id < ?", before.map(UserId::as_str))
            .clause(" order by id desc limit ?", limit)
            .all(&mut self.conn)
            .await?;
        self.users_of(rows).await
    }

    /// One user, as the list has them.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn user_line(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        now: Timestamp,
    ) -> Result<Option<UserLine>> {
        self.inside(agent)?;
        let rows: Vec<LineRow> = sql(LINES)
            .bind(now)
            .clause(" and u.agent = ?", agent)
            .clause(" and u.id = ?", user)
            .all(&mut self.conn)
            .await?;
        Ok(self.lines_of(rows).await?.pop())
    }

    async fn lines_of(&mut self, rows: Vec<LineRow>) -> Result<Vec<UserLine>> {
        let (users, counts): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .map(|row| {
                (
                    row.user,
                    (
                        row.approved,
                        row.waiting,
                        row.conversations,
                        row.last_message_at,
                    ),
                )
            })
            .unzip();
        let users = self.users_of(users).await?;
        users
            .into_iter()
            .zip(counts)
            .map(|(user, (approved, waiting, conversations, last))| {
                Ok(UserLine {
                    user,
                    approved,
                    waiting,
                    conversations,
                    last_message_at: at_opt(last)?,
                })
            })
            .collect()
    }

    /// Opens the rows of users, in their order.
    pub(crate) async fn users_of(&mut self, rows: Vec<UserRow>) -> Result<Vec<User>> {
        self.load_keys_of(rows.iter().map(|row| (row.agent.as_str(), row.id.as_str())))
            .await?;
        let mut users = Vec::with_capacity(rows.len());
        for row in rows {
            let agent: AgentName = parsed(&row.agent)?;
            let id: UserId = parsed(&row.id)?;
            let key = self.user_key(&agent, &id).await?;
            users.push(User {
                scope: key.open_json(place(&agent, &id), &row.sealed)?,
                created_at: at(row.created_at)?,
                agent,
                id,
            });
        }
        Ok(users)
    }

    pub(crate) fn user_lookup(&self, agent: &AgentName, scope: &Scope) -> Vec<u8> {
        self.vault
            .index
            .hash("users.lookup", &[agent.as_str(), &scope.canonical()])
    }
}

/// Where a user's ciphertext belongs.
pub(crate) fn place<'a>(agent: &'a AgentName, id: &'a UserId) -> Place<'a> {
    Place::new("users.sealed", agent.as_str(), id.as_str())
}
