//! Legal holds: what may be neither erased nor removed by retention until the hold is released or its time has run out.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    id::{HoldId, PersonId, UserId},
    user::{Scope, User},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, at_opt, parsed, parsed_opt, us},
    events::Telling,
    exports::Whom,
    seal::Place,
    statement::{ScopeColumn, Statement, sql},
};

/// What a hold is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldOn {
    /// One user of an agent.
    User(AgentName, UserId),
    /// Everybody whom an agent talks to.
    Agent(AgentName),
    /// Whoever has this name, in every agent, also in those that have not heard of them yet.
    Named(Scope),
}

/// A hold.
#[derive(Clone, PartialEq, Eq)]
pub struct Hold {
    /// Ours.
    pub id: HoldId,
    /// What it is on.
    pub on: HoldOn,
    /// Why, in words.
    pub reason: String,
    /// Who placed it.
    pub person: PersonId,
    /// When it ends by itself; `None`: it is released by somebody.
    pub until: Option<Timestamp>,
    /// When it was placed.
    pub created_at: Timestamp,
    /// When and by whom it was released.
    pub released: Option<(Timestamp, PersonId)>,
}

impl Hold {
    /// Whether it keeps anything at `now`.
    pub fn keeps(&self, now: Timestamp) -> bool {
        self.released.is_none() && self.until.is_none_or(|until| now < until)
    }
}

// The reason and the name are text.
impl std::fmt::Debug for Hold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hold")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Whom holds keep of an agent's users.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// All of them.
    pub everybody: bool,
    /// These.
    pub users: Vec<UserId>,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    reason: String,
    named: Option<Scope>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    agent: Option<String>,
    user_id: Option<String>,
    person_id: String,
    until: Option<i64>,
    created_at: i64,
    released_at: Option<i64>,
    released_by: Option<String>,
    sealed: Vec<u8>,
}

const HOLDS: &str = "
    select id, agent, user_id, person_id, until, created_at, released_at, released_by, sealed
    from holds
    where true";

impl Tx {
    /// Places a hold.
    ///
    /// # Errors
    /// [`Error::OutOfScope`] for an agent outside the scope; what the database answers.
    pub async fn place_hold(
        &mut self,
        on: &HoldOn,
        reason: &str,
        until: Option<Timestamp>,
        person: &PersonId,
        stamp: &Stamp,
    ) -> Result<HoldId> {
        let hold = Hold {
            id: HoldId::new(stamp.now, self.entropy()),
            on: on.clone(),
            reason: reason.to_owned(),
            person: person.clone(),
            until,
            created_at: stamp.now,
            released: None,
        };
        self.write_hold(&hold).await?;
        let data = json!({ "until_us": until.map(us) });
        self.tell_of_hold(EventType::HoldPlaced, &hold.id, on, data, stamp);
        Ok(hold.id)
    }

    /// Writes a hold that stands.
    pub(crate) async fn write_hold(&mut self, hold: &Hold) -> Result<()> {
        const SQL: &str = "
            insert into holds (id, agent, user_id, lookup, person_id, until, created_at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8)";
        let (agent, user, named) = match &hold.on {
            HoldOn::User(agent, user) => (Some(agent), Some(user), None),
            HoldOn::Agent(agent) => (Some(agent), None, None),
            HoldOn::Named(scope) => (None, None, Some(scope)),
        };
        if let Some(agent) = agent {
            self.inside(agent)?;
        }
        if let (Some(agent), Some(user)) = (agent, user) {
            // Whoever erases them at this moment ends before, or sees the hold.
            self.lock_user(agent, user).await?;
        }
        let body = Sealed {
            reason: hold.reason.clone(),
            named: named.cloned(),
        };
        let sealed = self
            .vault
            .staff
            .seal_json(place(&hold.id), &body, self.entropy());
        sql(SQL)
            .bind(&hold.id)
            .bind(agent.map(AgentName::as_str))
            .bind(user)
            .bind(named.map(|scope| self.hold_lookup(scope)))
            .bind(&hold.person)
            .bind(hold.until)
            .bind(hold.created_at)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
            .map_err(Error::taken)
    }

    /// Releases a hold; false where it was released before.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn release_hold(
        &mut self,
        hold: &Hold,
        person: &PersonId,
        stamp: &Stamp,
    ) -> Result<bool> {
        const SQL: &str = "
            update holds
            set released_at = $1, released_by = $2
            where id = $3 and released_at is null";
        let released = sql(SQL)
            .bind(stamp.now)
            .bind(person)
            .bind(&hold.id)
            .run(&mut self.conn)
            .await?;
        if released == 0 {
            return Ok(false);
        }
        self.tell_of_hold(
            EventType::HoldReleased,
            &hold.id,
            &hold.on,
            json!({}),
            stamp,
        );
        Ok(true)
    }

    /// A hold within the scope; one on a name only where the scope is everything.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn hold(&mut self, id: &HoldId) -> Result<Option<Hold>> {
        let read = sql(HOLDS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone());
        Ok(self.holds_from(read).await?.pop())
    }

    /// The holds within the scope, newest first.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn holds(&mut self, page: &Page) -> Result<Listed<Hold>> {
        let read = sql(HOLDS)
            .scope_along(ScopeColumn::Plain, &self.scope().clone())
            .clause_if(
                " and id < ?",
                page.after(HoldId::PREFIX)?.map(|after| after.id.as_str()),
            )
            .clause(" order by id desc limit ?", page.probe());
        let holds = self.holds_from(read).await?;
        Ok(Listed::cut(holds, page, |hold| {
            Cursor::id(hold.id.as_str())
        }))
    }

    /// How many holds within the scope keep something at `now`.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn holds_standing(&mut self, now: Timestamp) -> Result<i64> {
        const SQL: &str = "
            select count(*)
            from holds
            where released_at is null and (until is null or until > $1)";
        let (count,): (i64,) = sql(SQL)
            .bind(now)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .one(&mut self.conn)
            .await?;
        Ok(count)
    }

    /// The holds that keep a user at `now`, whatever they are on; the oldest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn holds_on(&mut self, user: &User, now: Timestamp) -> Result<Vec<Hold>> {
        self.inside(&user.agent)?;
        let mut holds = self.holds_on_one(user, now).await?;
        // A hold on one id of a person holds them all (G15).
        for id in self.together(&user.agent, &user.id).await? {
            if id != user.id
                && let Some(other) = self.user(&id).await?
            {
                holds.extend(self.holds_on_one(&other, now).await?);
            }
        }
        holds.sort_by(|a, b| a.id.cmp(&b.id));
        holds.dedup_by(|a, b| a.id == b.id);
        Ok(holds)
    }

    async fn holds_on_one(&mut self, user: &User, now: Timestamp) -> Result<Vec<Hold>> {
        let lookup = self.hold_lookup(&user.scope);
        let read = sql(HOLDS)
            .push(" and released_at is null")
            .clause(" and (until is null or until > ?)", now)
            .clause(" and (lookup = ?", lookup)
            .clause(" or agent = ?", &user.agent)
            .clause(
                " and (user_id is null or user_id = ?)) order by id",
                &user.id,
            );
        self.holds_from(read).await
    }

    /// Whom holds keep at `now` of the users of an agent.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn held(&mut self, agent: &AgentName, now: Timestamp) -> Result<Held> {
        const CALLED: &str = "
            select id
            from users
            where agent = $1 and lookup = $2";
        self.inside(agent)?;
        let read = sql(HOLDS)
            .push(" and released_at is null")
            .clause(" and (until is null or until > ?)", now)
            .clause(" and (agent is null or agent = ?)", agent);
        let mut held = Held::default();
        for hold in self.holds_from(read).await? {
            match hold.on {
                HoldOn::User(_, user) => held.users.push(user),
                HoldOn::Agent(_) => held.everybody = true,
                HoldOn::Named(scope) => {
                    let row: Option<(String,)> = sql(CALLED)
                        .bind(agent)
                        .bind(self.user_lookup(agent, &scope))
                        .optional(&mut self.conn)
                        .await?;
                    if let Some((user,)) = row {
                        held.users.push(parsed(&user)?);
                    }
                }
            }
        }
        for user in held.users.clone() {
            held.users.extend(self.together(agent, &user).await?);
        }
        held.users.sort();
        held.users.dedup();
        Ok(held)
    }

    /// Removes the holds that were on somebody who is erased, all of which are over: they name them and say why.
    pub(crate) async fn forget_holds(&mut self, whom: &Whom<'_>) -> Result<()> {
        sql("delete from holds where user_id = $1")
            .bind(whom.user)
            .run(&mut self.conn)
            .await?;
        let named = sql(HOLDS).push(" and lookup is not null");
        for hold in self.holds_from(named).await? {
            if let HoldOn::Named(scope) = &hold.on
                && self.user_lookup(whom.agent, scope) == whom.lookup
            {
                sql("delete from holds where id = $1")
                    .bind(&hold.id)
                    .run(&mut self.conn)
                    .await?;
            }
        }
        Ok(())
    }

    async fn holds_from(&mut self, read: Statement) -> Result<Vec<Hold>> {
        let rows: Vec<Row> = read.all(&mut self.conn).await?;
        rows.into_iter().map(|row| self.hold_of(row)).collect()
    }

    fn hold_of(&self, row: Row) -> Result<Hold> {
        let id: HoldId = parsed(&row.id)?;
        let body: Sealed = self.vault.staff.open_json(place(&id), &row.sealed)?;
        let agent: Option<AgentName> = parsed_opt(row.agent.as_deref())?;
        let user: Option<UserId> = parsed_opt(row.user_id.as_deref())?;
        let on = match (agent, user, body.named) {
            (Some(agent), Some(user), _) => HoldOn::User(agent, user),
            (Some(agent), None, _) => HoldOn::Agent(agent),
            (None, _, Some(scope)) => HoldOn::Named(scope),
            (None, _, None) => return Err(Error::Corrupt("hold")),
        };
        let released_by: Option<PersonId> = parsed_opt(row.released_by.as_deref())?;
        Ok(Hold {
            on,
            reason: body.reason,
            person: parsed(&row.person_id)?,
            until: at_opt(row.until)?,
            created_at: at(row.created_at)?,
            released: at_opt(row.released_at)?.zip(released_by),
            id,
        })
    }

    fn tell_of_hold(
        &mut self,
        r#type: EventType,
        id: &HoldId,
        on: &HoldOn,
        data: Value,
        stamp: &Stamp,
    ) {
        let (agent, user) = match on {
            HoldOn::User(agent, user) => (Some(agent), Some(user)),
            HoldOn::Agent(agent) => (Some(agent), None),
            HoldOn::Named(_) => (None, None),
        };
        let telling = Telling {
            r#type,
            user,
            subject: id.as_str(),
            data,
            commitment: None,
        };
        self.tell(agent, stamp, telling);
    }

    fn hold_lookup(&self, scope: &Scope) -> Vec<u8> {
        self.vault.index.hash("holds.lookup", &[&scope.canonical()])
    }
}

fn place(id: &HoldId) -> Place<'_> {
    Place::new("holds.sealed", "", id.as_str())
}
