//! Webhooks: where each leads, what it is told of, whose turn it is to send. Address and secrets are sealed with the key of the staff: an
//! address may be a key to somebody's channel by itself, and no event names it.

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
    id::{PersonId, WebhookId},
    webhook::{OVERLAP, WebhookState},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Db, Error, Result, Stamp, Tx,
    column::{at, at_opt, parsed, parsed_opt},
    events::Telling,
    seal::Place,
    statement::{ScopeColumn, Statement, sql},
};

/// Where a webhook leads, and what it signs with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookTarget {
    /// The address.
    pub url: String,
    /// The secret that signs, as its receiver has it.
    pub secret: String,
    /// Those before it, which sign too until their time is over.
    pub old: Vec<OldSecret>,
}

/// A secret that another one has replaced.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldSecret {
    /// The secret.
    pub secret: String,
    /// It signs until then.
    pub until: Timestamp,
}

// Whoever has a secret can speak in our name, and an address may be a key too.
impl std::fmt::Debug for WebhookTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WebhookTarget(…)")
    }
}

/// A webhook on its way in.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// The one agent it is told of; `None`: all, and the installation.
    pub agent: Option<AgentName>,
    /// The types of the events that are sent.
    pub events: Vec<EventType>,
    /// Where to.
    pub target: WebhookTarget,
    /// Whether it is told anything from now on.
    pub enabled: bool,
}

/// What is changed about a webhook; `None`: it stays.
#[derive(Debug, Clone, Default)]
pub struct WebhookChange {
    /// Another address.
    pub url: Option<String>,
    /// Other events, from those on that were not looked at yet.
    pub events: Option<Vec<EventType>>,
    /// On or off.
    pub enabled: Option<bool>,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Ours.
    pub id: WebhookId,
    /// The one agent it is told of; `None`: all, and the installation.
    pub agent: Option<AgentName>,
    /// Whether it is told anything.
    pub state: WebhookState,
    /// The types of the events that are sent.
    pub events: Vec<EventType>,
    /// Who made it.
    pub person: Option<PersonId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its secret was last made anew.
    pub rotated_at: Option<Timestamp>,
    /// When something last arrived.
    pub delivered_at: Option<Timestamp>,
    /// Where it leads; `None`: that cannot be read.
    pub target: Option<WebhookTarget>,
}

/// A webhook in the hands of whoever sends. One with an older claim can change nothing any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookClaim {
    /// Which.
    pub webhook: WebhookId,
    /// Which claim of it this is.
    pub epoch: i64,
}

/// What stands in the column `agent` of a webhook for all agents.
const ALL: &str = "*";

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    agent: String,
    state: String,
    events: String,
    person_id: Option<String>,
    created_at: i64,
    rotated_at: Option<i64>,
    delivered_at: Option<i64>,
    sealed: Vec<u8>,
}

const WEBHOOKS: &str = "
    select id, agent, state, events, person_id, created_at, rotated_at, delivered_at, sealed
    from webhooks
    where true";

/// Those that have something to send or to look at, and are in nobody's hands. The head of a chain is moved by the transaction that wrote
/// its events, so what lies up to it is committed and without gaps.
const DUE: &str = "
    select j.id
    from webhooks j
    where j.state = 'enabled' and j.lease_until <= $1
      and (exists (
          select 1 from webhook_deliveries d
          where d.webhook_id = j.id and d.next_at is not null and d.next_at <= $1)
        or exists (
          select 1 from heads
          left join webhook_cursors c on c.webhook_id = j.id and c.chain = heads.agent
          where (j.agent = '*' or j.agent = heads.agent) and heads.seq > coalesce(c.seq, 0)))
    order by j.lease_until, j.id
    limit 1";

impl Db {
    /// Claims the webhook that has waited longest of those that have something to send or to look at, in a short transaction of its own.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn claim_webhook(
        &self,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<WebhookClaim>> {
        const CLAIM: &str = ")
            update webhooks
            set epoch = epoch + 1, lease_until = $2
            where id in (select id from due)
            returning id, epoch";
        // Mostly there is nothing to do, and SQLite has one writer.
        let mut tx = self.read(AgentScope::All).await?;
        let due: Option<(String,)> = sql(DUE).bind(now).optional(&mut tx.conn).await?;
        drop(tx);
        if due.is_none() {
            return Ok(None);
        }
        let mut tx = self.write(AgentScope::All).await?;
        let lock = tx.dialect().skip_locked();
        let row: Option<(String, i64)> = sql("with due as (")
            .bind(now)
            .bind(until)
            .push(DUE)
            .push(lock)
            .push(CLAIM)
            .optional(&mut tx.conn)
            .await?;
        tx.commit().await?;
        row.map(|(id, epoch)| {
            Ok(WebhookClaim {
                webhook: parsed(&id)?,
                epoch,
            })
        })
        .transpose()
    }
}

impl Tx {
    /// Makes a webhook. It is told of what is committed from now on.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn create_webhook(&mut self, new: &NewWebhook, stamp: &Stamp) -> Result<WebhookId> {
        const SQL: &str = "
            insert into webhooks (id, agent, state, events, person_id, created_at, lease_until, epoch, sealed)
            values ($1, $2, $3, $4, $5, $6, $6, 0, $7)";
        const BEGIN: &str = "
            insert into webhook_cursors (webhook_id, chain, seq)
            select $1, agent, seq
            from heads
            where true";
        self.reaches(new.agent.as_ref())?;
        let id = WebhookId::new(stamp.now, self.entropy());
        let sealed = self
            .vault
            .staff
            .seal_json(place(&id), &new.target, self.entropy());
        let state = state_of(new.enabled);
        sql(SQL)
            .bind(&id)
            .bind(new.agent.as_ref().map_or(ALL, AgentName::as_str))
            .bind(state.as_str())
            .bind(written(&new.events))
            .bind(stamp.person().as_ref())
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        sql(BEGIN)
            .bind(&id)
            .clause_if(" and agent = ?", new.agent.as_ref())
            .run(&mut self.conn)
            .await?;
        let data = json!({ "events": words(&new.events), "enabled": new.enabled });
        self.tell_of_webhook(
            EventType::WebhookCreated,
            new.agent.as_ref(),
            &id,
            data,
            stamp,
        );
        Ok(id)
    }

    /// Counts what stands in a chain as looked at by the webhooks of all agents: what another installation has lived through is told
    /// to nobody here.
    pub(crate) async fn pass_over_history(&mut self, chain: &AgentName) -> Result<()> {
        const SQL: &str = "
            insert into webhook_cursors (webhook_id, chain, seq)
            select w.id, heads.agent, heads.seq
            from webhooks w
            join heads on heads.agent = $1
            where w.agent = '*'
            on conflict (webhook_id, chain) do update
            set seq = excluded.seq";
        sql(SQL).bind(chain).run(&mut self.conn).await.map(drop)
    }

    /// A webhook within the scope; one of all agents only where the scope is everything.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn webhook(&mut self, id: &WebhookId) -> Result<Option<Webhook>> {
        let read = sql(WEBHOOKS).clause(" and id = ?", id);
        Ok(self.webhooks_from(read).await?.pop())
    }

    /// The same, and makes every other writer wait until the end of this transaction.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn webhook_for_update(&mut self, id: &WebhookId) -> Result<Option<Webhook>> {
        const LOCK: &str = "
            select id
            from webhooks
            where id = $1";
        let lock = self.dialect().for_update();
        let _row: Option<(String,)> = sql(LOCK)
            .bind(id)
            .push(lock)
            .optional(&mut self.conn)
            .await?;
        self.webhook(id).await
    }

    /// The webhooks of an agent, or with `None` all within the scope, newest first.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn webhooks(&mut self, agent: Option<&AgentName>) -> Result<Vec<Webhook>> {
        let read = sql(WEBHOOKS).clause_if(" and agent = ?", agent);
        let mut webhooks = self.webhooks_from(read).await?;
        webhooks.sort_by(|a, b| b.id.cmp(&a.id));
        Ok(webhooks)
    }

    /// How many webhooks there are, in all. In a transaction that writes, whoever else makes one waits until its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn webhooks_in_all(&mut self) -> Result<i64> {
        const FIRST: &str = "
            select id
            from webhooks
            order by id
            limit 1";
        let lock = self.dialect().for_update();
        let _row: Option<(String,)> = sql(FIRST).push(lock).optional(&mut self.conn).await?;
        let (all,): (i64,) = sql("select count(*) from webhooks")
            .one(&mut self.conn)
            .await?;
        Ok(all)
    }

    /// How many webhooks within the scope were switched off by Keepsake.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn webhooks_off(&mut self) -> Result<i64> {
        const SQL: &str = "
            select count(*)
            from webhooks
            where state in ('failing', 'gone', 'unreadable')";
        let scope = self.scope().clone();
        let (off,): (i64,) = sql(SQL)
            .scope(ScopeColumn::Plain, &scope)
            .one(&mut self.conn)
            .await?;
        Ok(off)
    }

    /// Changes a webhook that was read in this transaction.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for another address where the secret cannot be read; what the database answers.
    pub async fn change_webhook(
        &mut self,
        before: &Webhook,
        change: &WebhookChange,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            update webhooks
            set state = $1, events = $2
            where id = $3";
        let state = change.enabled.map_or(before.state, state_of);
        let events = change.events.as_ref().unwrap_or(&before.events);
        let touched = sql(SQL)
            .bind(state.as_str())
            .bind(written(events))
            .bind(&before.id)
            .run(&mut self.conn)
            .await?;
        one(touched)?;
        if let Some(url) = &change.url {
            let target = before.target.clone();
            let mut target = target.ok_or(Error::Corrupt("webhook"))?;
            target.url.clone_from(url);
            self.put_target(&before.id, &target).await?;
        }
        let data = json!({
            "address": change.url.is_some(),
            "events": change.events.as_deref().map(words),
            "enabled": change.enabled,
        });
        self.take_back_webhook(&before.id, stamp.now).await?;
        self.tell_of_webhook(
            EventType::WebhookChanged,
            before.agent.as_ref(),
            &before.id,
            data,
            stamp,
        );
        Ok(())
    }

    /// Gives a webhook that was read in this transaction another secret. The one before signs too for [`OVERLAP`].
    ///
    /// # Errors
    /// [`Error::Corrupt`] where the address cannot be read; what the database answers.
    pub async fn rotate_webhook(
        &mut self,
        before: &Webhook,
        secret: String,
        stamp: &Stamp,
    ) -> Result<()> {
        let target = before.target.clone();
        let mut target = target.ok_or(Error::Corrupt("webhook"))?;
        target.old.retain(|old| stamp.now < old.until);
        let until = stamp.now + OVERLAP;
        let secret = std::mem::replace(&mut target.secret, secret);
        target.old.push(OldSecret { secret, until });
        self.put_target(&before.id, &target).await?;
        let touched = sql("update webhooks set rotated_at = $1 where id = $2")
            .bind(stamp.now)
            .bind(&before.id)
            .run(&mut self.conn)
            .await?;
        one(touched)?;
        self.take_back_webhook(&before.id, stamp.now).await?;
        let data = json!({});
        self.tell_of_webhook(
            EventType::WebhookRotated,
            before.agent.as_ref(),
            &before.id,
            data,
            stamp,
        );
        Ok(())
    }

    /// Removes a webhook that was locked in this transaction, with what was written down for it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn remove_webhook(&mut self, before: &Webhook, stamp: &Stamp) -> Result<()> {
        for text in [
            "delete from webhook_deliveries where webhook_id = $1",
            "delete from webhook_cursors where webhook_id = $1",
        ] {
            sql(text).bind(&before.id).run(&mut self.conn).await?;
        }
        let touched = sql("delete from webhooks where id = $1")
            .bind(&before.id)
            .run(&mut self.conn)
            .await?;
        one(touched)?;
        let data = json!({});
        self.tell_of_webhook(
            EventType::WebhookRemoved,
            before.agent.as_ref(),
            &before.id,
            data,
            stamp,
        );
        Ok(())
    }

    /// Switches a webhook off that is in our hands; `why` is one of the states that need a look. What waits stays. One that a person
    /// switched off meanwhile is left as it is.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn disable_webhook(
        &mut self,
        claim: &WebhookClaim,
        agent: Option<&AgentName>,
        why: WebhookState,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            update webhooks
            set state = $1
            where state = 'enabled' and id = $2 and epoch = $3";
        let touched = sql(SQL)
            .bind(why.as_str())
            .bind(&claim.webhook)
            .bind(claim.epoch)
            .run(&mut self.conn)
            .await?;
        if touched == 0 {
            return Ok(());
        }
        let data = json!({ "why": why });
        self.tell_of_webhook(
            EventType::WebhookDisabled,
            agent,
            &claim.webhook,
            data,
            stamp,
        );
        Ok(())
    }

    /// Keeps a claim until `until`, the first line of each transaction that works on a webhook; with `arrived` it notes that something
    /// arrived then.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where somebody else has it by now, or it was removed.
    pub async fn hold_webhook(
        &mut self,
        claim: &WebhookClaim,
        until: Timestamp,
        arrived: Option<Timestamp>,
    ) -> Result<()> {
        const SQL: &str = "
            update webhooks
            set lease_until = $1, delivered_at = coalesce($2, delivered_at)
            where id = $3 and epoch = $4";
        let held = sql(SQL)
            .bind(until)
            .bind(arrived)
            .bind(&claim.webhook)
            .bind(claim.epoch);
        self.still_ours(held).await
    }

    /// Takes a webhook out of the hands of whoever tells it: what the peer of before still answers counts no more, and it is told at once.
    pub(crate) async fn take_back_webhook(&mut self, id: &WebhookId, now: Timestamp) -> Result<()> {
        let touched = sql("update webhooks set epoch = epoch + 1, lease_until = $1 where id = $2")
            .bind(now)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        one(touched)
    }

    async fn put_target(&mut self, id: &WebhookId, target: &WebhookTarget) -> Result<()> {
        let sealed = self
            .vault
            .staff
            .seal_json(place(id), target, self.entropy());
        let touched = sql("update webhooks set sealed = $1 where id = $2")
            .bind(sealed)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        one(touched)
    }

    /// Refuses an agent outside the scope, and all agents where that is not everything.
    fn reaches(&self, agent: Option<&AgentName>) -> Result<()> {
        match agent {
            Some(agent) => self.inside(agent),
            None if *self.scope() == AgentScope::All => Ok(()),
            None => Err(Error::OutOfScope),
        }
    }

    fn tell_of_webhook(
        &mut self,
        r#type: EventType,
        agent: Option<&AgentName>,
        id: &WebhookId,
        data: Value,
        stamp: &Stamp,
    ) {
        let telling = Telling {
            r#type,
            user: None,
            subject: id.as_str(),
            data,
            commitment: None,
        };
        self.tell(agent, stamp, telling);
    }

    async fn webhooks_from(&mut self, read: Statement) -> Result<Vec<Webhook>> {
        let scope = self.scope().clone();
        let rows: Vec<Row> = read
            .scope(ScopeColumn::Plain, &scope)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(|row| self.webhook_of(row)).collect()
    }

    fn webhook_of(&self, row: Row) -> Result<Webhook> {
        let id: WebhookId = parsed(&row.id)?;
        let target = match self.vault.staff.open_json(place(&id), &row.sealed) {
            Ok(target) => Some(target),
            Err(error) if error.is_of_one_row() => None,
            Err(error) => return Err(error),
        };
        Ok(Webhook {
            agent: (row.agent != ALL).then(|| parsed(&row.agent)).transpose()?,
            state: parsed(&row.state)?,
            events: row
                .events
                .split_whitespace()
                .map(parsed)
                .collect::<Result<_>>()?,
            person: parsed_opt(row.person_id.as_deref())?,
            created_at: at(row.created_at)?,
            rotated_at: at_opt(row.rotated_at)?,
            delivered_at: at_opt(row.delivered_at)?,
            target,
            id,
        })
    }
}

fn state_of(enabled: bool) -> WebhookState {
    if enabled {
        WebhookState::Enabled
    } else {
        WebhookState::Disabled
    }
}

fn words(events: &[EventType]) -> Vec<&'static str> {
    events.iter().map(|event| event.as_str()).collect()
}

fn written(events: &[EventType]) -> String {
    words(events).join(" ")
}

fn one(touched: u64) -> Result<()> {
    if touched == 1 {
        Ok(())
    } else {
        Err(Error::Stale)
    }
}

fn place(id: &WebhookId) -> Place<'_> {
    Place::new("webhooks.sealed", "", id.as_str())
}
