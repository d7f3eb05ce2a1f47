//! Requests of people about what is kept of them (G5).
//!
//! Who asks is sealed under a key of the request's own. It stands in the key store under the name of the system's chain, which no agent
//! has, so that it is left out of backups as the keys of users are. Closing a request destroys it.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::{EventType, SYSTEM_CHAIN},
    id::{ExportId, PersonId, RequestId, UserId},
    request::{FoundBy, RequestOutcome, RequestSort},
    user::Scope,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, at_opt, parsed, parsed_opt, us},
    events::Telling,
    key_store::new_key,
    seal::{Place, SecretKey},
    statement::{ScopeColumn, sql},
};

/// Who asks, and by what they may be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// As the agents name them.
    pub named: Scope,
    /// Words by which others speak of them.
    pub words: Option<String>,
    /// What else was noted when the request came in.
    pub note: Option<String>,
}

/// A request on its way in.
#[derive(Debug, Clone)]
pub struct NewRequest {
    /// Who registers it.
    pub person: PersonId,
    /// Where they are looked for; `None`: in all agents.
    pub agent: Option<AgentName>,
    /// What they ask for.
    pub sort: RequestSort,
    /// Who asks.
    pub asked: Asked,
    /// When the request came in.
    pub received_at: Timestamp,
    /// By when it must be answered.
    pub due_at: Timestamp,
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Ours.
    pub id: RequestId,
    /// Who registered it.
    pub person: PersonId,
    /// Where they are looked for; `None`: in all agents.
    pub agent: Option<AgentName>,
    /// What they ask for.
    pub sort: RequestSort,
    /// Who asks; `None`: it was closed, and nobody can tell any more.
    pub asked: Option<Asked>,
    /// When it came in.
    pub received_at: Timestamp,
    /// By when it must be answered.
    pub due_at: Timestamp,
    /// How far names were looked through.
    pub looked: Looked,
    /// The export that was handed out, and when.
    pub copied: Option<(ExportId, Timestamp)>,
    /// How it ended.
    pub closed: Option<Closed>,
    /// When it was registered.
    pub created_at: Timestamp,
    /// Raised with every step.
    pub version: i64,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// How.
    pub outcome: RequestOutcome,
    /// What was written.
    pub note: Option<String>,
    /// By whom.
    pub by: PersonId,
    /// When.
    pub at: Timestamp,
}

/// How far the names of users were looked through, whose values cannot be asked for without opening them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    /// How many names were opened.
    pub names: i64,
    /// Where it goes on: the agent, and the last user of it that was opened.
    pub next: Option<(AgentName, Option<UserId>)>,
    /// Whether that was all.
    pub all: bool,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// In which agent.
    pub agent: AgentName,
    /// The user; or the memory or the candidate whose words speak of the person.
    pub subject: String,
    /// Whom that is about.
    pub user: UserId,
    /// By what.
    pub by: FoundBy,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    agent: Option<String>,
    person_id: String,
    sort: String,
    received_at: i64,
    due_at: i64,
    looked: i64,
    looked_agent: Option<String>,
    looked_user: Option<String>,
    looked_all: bool,
    export_id: Option<String>,
    copied_at: Option<i64>,
    outcome: Option<String>,
    created_at: i64,
    closed_at: Option<i64>,
    closed_by: Option<String>,
    version: i64,
    sealed: Vec<u8>,
    closing: Option<Vec<u8>>,
}

const REQUESTS: &str = "
    select id, agent, person_id, sort, received_at, due_at, looked, looked_agent, looked_user, looked_all, export_id, copied_at,
      outcome, created_at, closed_at, closed_by, version, sealed, closing
    from requests
    where true";

impl Tx {
    /// Registers a request.
    ///
    /// # Errors
    /// [`Error::OutOfScope`] for an agent outside the scope, or for all where the scope is less; what the database answers.
    pub async fn open_request(&mut self, new: &NewRequest, stamp: &Stamp) -> Result<RequestId> {
        const KEY: &str = "
            insert into user_keys (agent, user_id, wrapped)
            values ($1, $2, $3)";
        const SQL: &str = "
            insert into requests
              (id, agent, person_id, sort, received_at, due_at, looked, looked_all, created_at, version, sealed)
            values ($1, $2, $3, $4, $5, $6, 0, $7, $8, 1, $9)";
        match &new.agent {
            Some(agent) => self.inside(agent)?,
            None if *self.scope() == AgentScope::All => {}
            None => return Err(Error::OutOfScope),
        }
        let id = RequestId::new(stamp.now, self.entropy());
        let (wrapped, key) = new_key(&self.vault.master, key_place(&id), self.entropy());
        sql(KEY)
            .bind(SYSTEM_CHAIN)
            .bind(&id)
            .bind(wrapped)
            .run(&mut self.conn)
            .await?;
        let sealed = key.seal_json(place(&id), &new.asked, self.entropy());
        sql(SQL)
            .bind(&id)
            .bind(new.agent.as_ref().map(AgentName::as_str))
            .bind(&new.person)
            .bind(new.sort.as_str())
            .bind(new.received_at)
            .bind(new.due_at)
            .bind(false)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        let data = json!({
            "sort": new.sort,
            "agent": new.agent,
            "received_us": us(new.received_at),
            "due_us": us(new.due_at),
        });
        self.tell_of_request(EventType::RequestOpened, &id, data, stamp);
        Ok(id)
    }

    /// A request within the scope; one about all agents only where the scope is everything.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn request(&mut self, id: &RequestId) -> Result<Option<Request>> {
        let rows: Vec<Row> = sql(REQUESTS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .all(&mut self.conn)
            .await?;
        Ok(self.requests_of(rows).await?.pop())
    }

    /// A request within the scope, which nobody else changes until this transaction ends.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn request_for_update(&mut self, id: &RequestId) -> Result<Option<Request>> {
        let lock = self.dialect().for_update();
        let rows: Vec<Row> = sql(REQUESTS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .push(lock)
            .all(&mut self.conn)
            .await?;
        Ok(self.requests_of(rows).await?.pop())
    }

    /// The requests within the scope, newest first.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn requests(&mut self, open: bool, page: &Page) -> Result<Listed<Request>> {
        let mut read = sql(REQUESTS);
        if open {
            read = read.push(" and closed_at is null");
        }
        let rows: Vec<Row> = read
            .scope_along(ScopeColumn::Plain, &self.scope().clone())
            .clause_if(
                " and id < ?",
                page.after(RequestId::PREFIX)?
                    .map(|after| after.id.as_str()),
            )
            .clause(" order by id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let requests = self.requests_of(rows).await?;
        Ok(Listed::cut(requests, page, |request| {
            Cursor::id(request.id.as_str())
        }))
    }

    /// How many requests are open, and how many of them are past their deadline.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn requests_standing(&mut self, now: Timestamp) -> Result<(i64, i64)> {
        const SQL: &str = "
            select count(*), count(*) filter (where due_at < $1)
            from requests
            where closed_at is null";
        sql(SQL)
            .bind(now)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .one(&mut self.conn)
            .await
    }

    /// What was found for a request, by agent.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn finds(&mut self, request: &RequestId) -> Result<Vec<Find>> {
        const SQL: &str = "
            select agent, subject, user_id, found_by
            from request_finds
            where request_id = $1
            order by agent, subject";
        let rows: Vec<(String, String, String, String)> =
            sql(SQL).bind(request).all(&mut self.conn).await?;
        rows.into_iter()
            .map(|(agent, subject, user, by)| {
                Ok(Find {
                    agent: parsed(&agent)?,
                    subject,
                    user: parsed(&user)?,
                    by: parsed(&by)?,
                })
            })
            .collect()
    }

    /// Notes what was found, and how far names were looked through.
    ///
    /// # Errors
    /// [`Error::Stale`] where the request has moved on, or is closed; what the database answers.
    pub async fn note_finds(
        &mut self,
        request: &Request,
        finds: &[Find],
        looked: &Looked,
        stamp: &Stamp,
    ) -> Result<()> {
        const FIND: &str = "
            insert into request_finds (request_id, agent, subject, user_id, found_by, at)
            values ($1, $2, $3, $4, $5, $6)
            on conflict do nothing";
        const SQL: &str = "
            update requests
            set looked = $1, looked_agent = $2, looked_user = $3, looked_all = $4, version = version + 1
            where id = $5 and version = $6 and closed_at is null";
        let (agent, user) = match &looked.next {
            Some((agent, user)) => (Some(agent.as_str()), user.as_ref()),
            None => (None, None),
        };
        let touched = sql(SQL)
            .bind(looked.names)
            .bind(agent)
            .bind(user)
            .bind(looked.all)
            .bind(&request.id)
            .bind(request.version)
            .run(&mut self.conn)
            .await?;
        moved(touched)?;
        for find in finds {
            self.inside(&find.agent)?;
            sql(FIND)
                .bind(&request.id)
                .bind(&find.agent)
                .bind(find.subject.as_str())
                .bind(&find.user)
                .bind(find.by.as_str())
                .bind(stamp.now)
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    /// Notes which export was handed out.
    ///
    /// # Errors
    /// [`Error::Stale`] where the request has moved on, or is closed; what the database answers.
    pub async fn note_copy(
        &mut self,
        request: &Request,
        export: &ExportId,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            update requests
            set export_id = $1, copied_at = $2, version = version + 1
            where id = $3 and version = $4 and closed_at is null";
        let touched = sql(SQL)
            .bind(export)
            .bind(stamp.now)
            .bind(&request.id)
            .bind(request.version)
            .run(&mut self.conn)
            .await?;
        moved(touched)
    }

    /// Closes a request, and destroys the key under which it says who asked.
    ///
    /// # Errors
    /// [`Error::Stale`] where the request has moved on, or is closed; what the database answers.
    pub async fn close_request(
        &mut self,
        request: &Request,
        closed: &Closed,
        erased: i64,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            update requests
            set outcome = $1, closed_at = $2, closed_by = $3, closing = $4, sealed = $5, version = version + 1
            where id = $6 and version = $7 and closed_at is null";
        const FORGET: &str = "
            delete from user_keys
            where agent = $1 and user_id = $2";
        let id = &request.id;
        let closing = closed.note.as_ref().map(|note| {
            self.vault
                .staff
                .seal(closing_place(id), note.as_bytes(), self.entropy())
        });
        self.overwrite_what_goes(true).await?;
        let touched = sql(SQL)
            .bind(closed.outcome.as_str())
            .bind(closed.at)
            .bind(&closed.by)
            .bind(closing)
            .bind(Vec::<u8>::new())
            .bind(id)
            .bind(request.version)
            .run(&mut self.conn)
            .await?;
        moved(touched)?;
        sql(FORGET)
            .bind(SYSTEM_CHAIN)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        self.overwrite_what_goes(false).await?;
        let export = request.copied.as_ref().map(|(export, _)| export);
        let data = json!({ "outcome": closed.outcome, "export": export, "erased": erased });
        self.tell_of_request(EventType::RequestClosed, id, data, stamp);
        Ok(())
    }

    fn tell_of_request(&mut self, r#type: EventType, id: &RequestId, data: Value, stamp: &Stamp) {
        let telling = Telling {
            r#type,
            user: None,
            subject: id.as_str(),
            data,
            commitment: None,
        };
        self.tell(None, stamp, telling);
    }

    /// The keys of requests that are open.
    async fn request_keys(&mut self, rows: &[Row]) -> Result<HashMap<RequestId, SecretKey>> {
        const SQL: &str = "
            select user_id, wrapped
            from user_keys
            where agent = $1";
        let open: Vec<&str> = rows
            .iter()
            .filter(|row| row.closed_at.is_none())
            .map(|row| row.id.as_str())
            .collect();
        if open.is_empty() {
            return Ok(HashMap::new());
        }
        let found: Vec<(String, Vec<u8>)> = sql(SQL)
            .bind(SYSTEM_CHAIN)
            .clause_in(" and user_id in (", open)
            .all(&mut self.conn)
            .await?;
        found
            .into_iter()
            .map(|(id, wrapped)| {
                let id: RequestId = parsed(&id)?;
                let key = self.vault.master.unwrap(key_place(&id), &wrapped)?;
                Ok((id, key))
            })
            .collect()
    }

    async fn requests_of(&mut self, rows: Vec<Row>) -> Result<Vec<Request>> {
        let keys = self.request_keys(&rows).await?;
        let mut requests = Vec::with_capacity(rows.len());
        for row in rows {
            let id: RequestId = parsed(&row.id)?;
            let asked = match keys.get(&id) {
                Some(key) => Some(key.open_json(place(&id), &row.sealed)?),
                None => None,
            };
            let closing = match &row.closing {
                Some(sealed) => {
                    let note = self.vault.staff.open(closing_place(&id), sealed)?;
                    let note = String::from_utf8(note.to_vec());
                    Some(note.map_err(|_| Error::Corrupt("note"))?)
                }
                None => None,
            };
            let closed = match (&row.outcome, row.closed_at, &row.closed_by) {
                (Some(outcome), Some(closed_at), Some(by)) => Some(Closed {
                    outcome: parsed(outcome)?,
                    note: closing,
                    by: parsed(by)?,
                    at: at(closed_at)?,
                }),
                _ => None,
            };
            let agent: Option<AgentName> = parsed_opt(row.looked_agent.as_deref())?;
            let user: Option<UserId> = parsed_opt(row.looked_user.as_deref())?;
            let export: Option<ExportId> = parsed_opt(row.export_id.as_deref())?;
            requests.push(Request {
                person: parsed(&row.person_id)?,
                agent: parsed_opt(row.agent.as_deref())?,
                sort: parsed(&row.sort)?,
                asked,
                received_at: at(row.received_at)?,
                due_at: at(row.due_at)?,
                looked: Looked {
                    names: row.looked,
                    next: agent.map(|agent| (agent, user)),
                    all: row.looked_all,
                },
                copied: export.zip(at_opt(row.copied_at)?),
                closed,
                created_at: at(row.created_at)?,
                version: row.version,
                id,
            });
        }
        Ok(requests)
    }
}

fn moved(touched: u64) -> Result<()> {
    if touched == 1 {
        Ok(())
    } else {
        Err(Error::Stale)
    }
}

fn key_place(id: &RequestId) -> Place<'_> {
    Place::new("user_keys.wrapped", SYSTEM_CHAIN, id.as_str())
}

fn place(id: &RequestId) -> Place<'_> {
    Place::new("requests.sealed", "", id.as_str())
}

fn closing_place(id: &RequestId) -> Place<'_> {
    Place::new("requests.closing", "", id.as_str())
}
