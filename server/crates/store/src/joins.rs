//! Ids of one person (G15): what an agent proposed, what a person joined and split. A row of `joins` is all there is of a join; every
//! other row stays that of the id it was written for, and whoever reads about one id asks [`Tx::together`] for the others.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventActor, EventType},
    id::{JoinId, PersonId, UserId},
    join::JoinState,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, at_opt, parsed, parsed_opt},
    events::Telling,
    seal::Place,
    statement::{ScopeColumn, Statement, sql},
};

/// Two ids that are one person, or were, or may be.
#[derive(Clone, PartialEq, Eq)]
pub struct Join {
    /// The agent that talks to both.
    pub agent: AgentName,
    /// Ours.
    pub id: JoinId,
    /// The id they had before they signed in.
    pub guest: UserId,
    /// The id they are known by.
    pub main: UserId,
    /// How it stands.
    pub state: JoinState,
    /// Raised with every decision.
    pub version: i64,
    /// Who proposed it, or made it at once.
    pub by: EventActor,
    /// When.
    pub created_at: Timestamp,
    /// When and by whom it was decided last.
    pub decided: Option<(Timestamp, PersonId)>,
    /// Why.
    pub reasons: JoinReasons,
}

// The reasons are text.
impl std::fmt::Debug for Join {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Join")
            .field("id", &self.id)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// Why a join was proposed, made and ended.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JoinReasons {
    /// By who proposed it.
    pub proposed: Option<String>,
    /// By who joined them.
    pub joined: Option<String>,
    /// By who split them, or declined.
    pub ended: Option<String>,
}

impl JoinReasons {
    fn with(mut self, state: JoinState, reason: Option<&str>) -> Self {
        let place = match state {
            JoinState::Proposed => &mut self.proposed,
            JoinState::Joined => &mut self.joined,
            JoinState::Split | JoinState::Declined => &mut self.ended,
        };
        if let Some(reason) = reason {
            *place = Some(reason.to_owned());
        }
        if matches!(state, JoinState::Proposed | JoinState::Joined) {
            self.ended = None;
        }
        self
    }
}

/// A join on its way in: proposed, or made at once.
#[derive(Debug, Clone)]
pub struct NewJoin {
    /// The agent that talks to both.
    pub agent: AgentName,
    /// The id they had before they signed in.
    pub guest: UserId,
    /// The id they are known by.
    pub main: UserId,
    /// `Proposed` or `Joined`.
    pub state: JoinState,
    /// Why.
    pub reason: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    agent: String,
    id: String,
    guest_id: String,
    main_id: String,
    state: String,
    version: i64,
    actor: String,
    actor_id: Option<String>,
    created_at: i64,
    decided_by: Option<String>,
    decided_at: Option<i64>,
    sealed: Vec<u8>,
}

const JOINS: &str = "
    select agent, id, guest_id, main_id, state, version, actor, actor_id, created_at, decided_by, decided_at, sealed
    from joins
    where true";

impl Tx {
    /// The ids that are one person with this one by a join that stands, the main id first; alone where there is none.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn together(&mut self, agent: &AgentName, user: &UserId) -> Result<Vec<UserId>> {
        const SQL: &str = "
            select j.main_id, j.guest_id
            from joins j
            where j.agent = $1 and j.state = 'joined'
              and j.main_id = coalesce(
                (select g.main_id from joins g where g.agent = $1 and g.guest_id = $2 and g.state = 'joined'), $2)
            order by j.id";
        self.inside(agent)?;
        let rows: Vec<(String, String)> =
            sql(SQL).bind(agent).bind(user).all(&mut self.conn).await?;
        let Some((main, _)) = rows.first() else {
            return Ok(vec![user.clone()]);
        };
        let mut ids = vec![parsed(main)?];
        for (_, guest) in &rows {
            ids.push(parsed(guest)?);
        }
        Ok(ids)
    }

    /// The same with the ids of joins that stand no more: what was told then was told of all of them.
    pub(crate) async fn ever_together(
        &mut self,
        agent: &AgentName,
        user: &UserId,
    ) -> Result<Vec<UserId>> {
        const SQL: &str = "
            select j.main_id, j.guest_id
            from joins j
            where j.agent = $1 and j.state in ('joined', 'split')
              and j.main_id in (select $2 union all select g.main_id from joins g where g.agent = $1 and g.guest_id = $2)";
        self.inside(agent)?;
        let rows: Vec<(String, String)> =
            sql(SQL).bind(agent).bind(user).all(&mut self.conn).await?;
        let mut ids = vec![user.clone()];
        for (main, guest) in rows {
            ids.push(parsed(&main)?);
            ids.push(parsed(&guest)?);
        }
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    /// Locks two users, in one order whoever asks.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn lock_pair(
        &mut self,
        agent: &AgentName,
        one: &UserId,
        other: &UserId,
    ) -> Result<()> {
        self.lock_user(agent, one.min(other)).await?;
        self.lock_user(agent, one.max(other)).await
    }

    /// Keeps a join. Whether the two may be joined has been asked before, in this transaction.
    ///
    /// # Errors
    /// [`Error::Exists`] where the same stands or waits; [`Error::OutOfScope`]; [`Error::Erased`].
    pub async fn create_join(&mut self, new: &NewJoin, stamp: &Stamp) -> Result<Join> {
        const SQL: &str = "
            insert into joins
              (agent, id, guest_id, main_id, state, version, actor, actor_id, created_at, decided_by, decided_at, sealed)
            values ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, $10, $11)";
        self.lock_pair(&new.agent, &new.guest, &new.main).await?;
        let person = stamp.person().filter(|_| new.state == JoinState::Joined);
        let join = Join {
            agent: new.agent.clone(),
            id: JoinId::new(stamp.now, self.entropy()),
            guest: new.guest.clone(),
            main: new.main.clone(),
            state: new.state,
            version: 1,
            by: stamp.actor.clone(),
            created_at: stamp.now,
            decided: person.map(|person| (stamp.now, person)),
            reasons: JoinReasons::default().with(new.state, new.reason.as_deref()),
        };
        let sealed = self.seal_reasons(&join).await?;
        let (decided_at, decided_by) = join.decided.clone().unzip();
        sql(SQL)
            .bind(&join.agent)
            .bind(&join.id)
            .bind(&join.guest)
            .bind(&join.main)
            .bind(join.state.as_str())
            .bind(join.by.r#type.as_str())
            .bind(join.by.id.clone())
            .bind(join.created_at)
            .bind(decided_by.as_ref())
            .bind(decided_at)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        self.tell_of_join(&join, false, stamp);
        Ok(join)
    }

    /// Writes what a person made of a join; `undoes` says that it takes the decision before back.
    ///
    /// # Errors
    /// [`Error::Stale`] where it has another version by now; [`Error::Exists`]; [`Error::OutOfScope`]; [`Error::Erased`].
    pub async fn decide_join(
        &mut self,
        before: &Join,
        state: JoinState,
        reason: Option<&str>,
        undoes: bool,
        stamp: &Stamp,
    ) -> Result<Join> {
        const SQL: &str = "
            update joins
            set state = $1, version = $2, decided_by = $3, decided_at = $4, sealed = $5
            where agent = $6 and id = $7 and version = $8";
        self.lock_pair(&before.agent, &before.guest, &before.main)
            .await?;
        let join = Join {
            state,
            version: before.version + 1,
            decided: stamp.person().map(|person| (stamp.now, person)),
            reasons: before.reasons.clone().with(state, reason),
            ..before.clone()
        };
        let sealed = self.seal_reasons(&join).await?;
        let (decided_at, decided_by) = join.decided.clone().unzip();
        let touched = sql(SQL)
            .bind(state.as_str())
            .bind(join.version)
            .bind(decided_by.as_ref())
            .bind(decided_at)
            .bind(sealed)
            .bind(&join.agent)
            .bind(&join.id)
            .bind(before.version)
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        if touched != 1 {
            return Err(Error::Stale);
        }
        self.tell_of_join(&join, undoes, stamp);
        Ok(join)
    }

    /// A join within the scope.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn join(&mut self, id: &JoinId) -> Result<Option<Join>> {
        let read = sql(JOINS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone());
        Ok(self.joins_from(read).await?.pop())
    }

    /// The same, read under the lock of both users: what is decided after this, nobody else decides meanwhile.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn join_for_update(&mut self, id: &JoinId) -> Result<Option<Join>> {
        let Some(join) = self.join(id).await? else {
            return Ok(None);
        };
        self.lock_pair(&join.agent, &join.guest, &join.main).await?;
        self.join(id).await
    }

    /// The joins of a user, whichever of the two they are; newest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn joins_of(&mut self, agent: &AgentName, user: &UserId) -> Result<Vec<Join>> {
        const SQL: &str = "
            select agent, id, guest_id, main_id, state, version, actor, actor_id, created_at, decided_by, decided_at, sealed
            from joins
            where agent = $1 and guest_id = $2
            union all
            select agent, id, guest_id, main_id, state, version, actor, actor_id, created_at, decided_by, decided_at, sealed
            from joins
            where agent = $1 and main_id = $2
            order by id desc";
        self.inside(agent)?;
        self.joins_from(sql(SQL).bind(agent).bind(user)).await
    }

    /// The joins within the scope, newest first; with `waiting` those alone that wait for a person.
    ///
    /// # Errors
    /// [`Error::Cursor`]; [`Error::Erased`]; what the database answers.
    pub async fn joins(
        &mut self,
        agent: Option<&AgentName>,
        waiting: bool,
        page: &Page,
    ) -> Result<Listed<Join>> {
        let all = sql(JOINS).scope_along(ScopeColumn::Plain, &self.scope().clone());
        let read = if waiting {
            all.push(" and state = 'proposed'")
        } else {
            all
        }
        .clause_if(" and agent = ?", agent)
        .clause_if(
            " and id < ?",
            page.after(JoinId::PREFIX)?.map(|after| after.id.as_str()),
        )
        .clause(" order by id desc limit ?", page.probe());
        let joins = self.joins_from(read).await?;
        Ok(Listed::cut(joins, page, |join| {
            Cursor::id(join.id.as_str())
        }))
    }

    /// How many joins wait for a person within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn joins_waiting(&mut self) -> Result<i64> {
        let (count,): (i64,) = sql("select count(*) from joins where state = 'proposed'")
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .one(&mut self.conn)
            .await?;
        Ok(count)
    }

    async fn joins_from(&mut self, read: Statement) -> Result<Vec<Join>> {
        let rows: Vec<Row> = read.all(&mut self.conn).await?;
        self.load_keys_of(rows.iter().flat_map(|row| {
            let agent = row.agent.as_str();
            [
                (agent, row.guest_id.as_str()),
                (agent, row.main_id.as_str()),
            ]
        }))
        .await?;
        let mut joins = Vec::with_capacity(rows.len());
        for row in rows {
            let agent: AgentName = parsed(&row.agent)?;
            let id: JoinId = parsed(&row.id)?;
            let (guest, main): (UserId, UserId) = (parsed(&row.guest_id)?, parsed(&row.main_id)?);
            let inner = self
                .user_key(&agent, &main)
                .await?
                .open(place(&agent, &id), &row.sealed)?;
            let reasons = self
                .user_key(&agent, &guest)
                .await?
                .open_json(place(&agent, &id), &inner)?;
            let decided_by: Option<PersonId> = parsed_opt(row.decided_by.as_deref())?;
            joins.push(Join {
                state: parsed(&row.state)?,
                version: row.version,
                by: EventActor {
                    r#type: row.actor,
                    id: row.actor_id,
                },
                created_at: at(row.created_at)?,
                decided: at_opt(row.decided_at)?.zip(decided_by),
                reasons,
                agent,
                id,
                guest,
                main,
            });
        }
        Ok(joins)
    }

    /// Under the keys of both: whichever is destroyed first takes the reasons along.
    pub(crate) async fn seal_reasons(&mut self, join: &Join) -> Result<Vec<u8>> {
        let place = place(&join.agent, &join.id);
        let guest = self.user_key(&join.agent, &join.guest).await?;
        let main = self.user_key(&join.agent, &join.main).await?;
        let inner = guest.seal_json(place, &join.reasons, self.entropy());
        Ok(main.seal(place, &inner, self.entropy()))
    }

    /// Once of each of the two, so that the history of either says it.
    fn tell_of_join(&mut self, join: &Join, undoes: bool, stamp: &Stamp) {
        let r#type = match join.state {
            JoinState::Proposed => EventType::UserJoinProposed,
            JoinState::Joined => EventType::UserJoined,
            JoinState::Split => EventType::UserSplit,
            JoinState::Declined => EventType::UserJoinDeclined,
        };
        for user in [&join.guest, &join.main] {
            let telling = Telling {
                r#type,
                user: Some(user),
                subject: join.id.as_str(),
                data: json!({
                    "guest": join.guest,
                    "main": join.main,
                    "version": join.version,
                    "undoes": i64::from(undoes),
                }),
                commitment: None,
            };
            self.tell(Some(&join.agent), stamp, telling);
        }
    }
}

fn place<'a>(agent: &'a AgentName, id: &'a JoinId) -> Place<'a> {
    Place::new("joins.sealed", agent.as_str(), id.as_str())
}
