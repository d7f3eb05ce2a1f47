//! What webhooks are told: one row for each event that a webhook asked for, written down out of the committed chains, so that none is
//! lost and none is sent before it happened. It holds a reference to the event and how sending went.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    audit::{EventBody, EventType},
    id::{DeliveryId, WebhookId},
    time::Span,
    webhook::DeliveryState,
};

use crate::{
    Cursor, Listed, Page, Result, Tx, Webhook, WebhookClaim,
    column::{at, at_opt, json, parsed},
    statement::sql,
};

/// When a webhook is told of an event: at once, but for what agents are not told of yet.
fn told_from(body: &EventBody) -> Result<Timestamp> {
    let from = body.data.get("serve_from");
    at(from.and_then(serde_json::Value::as_i64).unwrap_or(0))
}

/// Whether it takes back what agents may have been told: nothing puts it off.
fn takes_back(r#type: EventType) -> bool {
    matches!(r#type, EventType::MemoryRetired | EventType::MemoryRecalled)
}

/// How long a delivery stays after it arrived or was given up.
const KEPT: Span = Span::days(30);

/// Telling a webhook of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Ours; the same for each try.
    pub id: DeliveryId,
    /// The chain of the event.
    pub chain: String,
    /// Its number there.
    pub seq: i64,
    /// What happened.
    pub r#type: EventType,
    /// What became of it.
    pub state: DeliveryState,
    /// How often it was tried since it was last asked for.
    pub attempt: i64,
    /// When it is tried next.
    pub next_at: Option<Timestamp>,
    /// What the peer answered last.
    pub status: Option<i64>,
    /// Why it did not, in a word.
    pub error: Option<String>,
    /// How long that took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// When it was last tried.
    pub attempted_at: Option<Timestamp>,
    /// When it was written down.
    pub created_at: Timestamp,
}

/// A delivery whose time has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// Ours.
    pub id: DeliveryId,
    /// How often it was tried.
    pub attempt: i64,
    /// When it was written down.
    pub created_at: Timestamp,
    /// The body of the event, as it was hashed.
    pub event: String,
}

/// How a try went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    /// What the peer answered.
    pub status: Option<i64>,
    /// Why it did not, in a word.
    pub error: Option<String>,
    /// How long that took, in milliseconds.
    pub duration_ms: i64,
    /// What becomes of the delivery.
    pub state: DeliveryState,
    /// When it is tried next, while it waits.
    pub next_at: Option<Timestamp>,
}

/// A try that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// When.
    pub at: Timestamp,
    /// What the peer answered.
    pub status: Option<i64>,
    /// Why it did not, in a word.
    pub error: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    chain: String,
    seq: i64,
    r#type: String,
    state: String,
    attempt: i64,
    next_at: Option<i64>,
    status: Option<i64>,
    error: Option<String>,
    duration_ms: Option<i64>,
    attempted_at: Option<i64>,
    created_at: i64,
}

const DELIVERIES: &str = "
    select d.id, d.chain, d.seq, e.type, d.state, d.attempt, d.next_at, d.status, d.error, d.duration_ms, d.attempted_at, d.created_at
    from webhook_deliveries d
    join events e on e.agent = d.chain and e.seq = d.seq
    where d.webhook_id = $1";

impl Tx {
    /// Whether something happened that a webhook has not looked at.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn is_behind(&mut self, webhook: &Webhook) -> Result<bool> {
        Ok(!self.chains_ahead(webhook, 1).await?.is_empty())
    }

    /// Writes down what a webhook is to be told of what happened since it was last looked, at most `limit` events of as many chains; the
    /// rest comes with the next look. The webhook is in our hands.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn write_deliveries(
        &mut self,
        webhook: &Webhook,
        limit: u32,
        now: Timestamp,
    ) -> Result<()> {
        const EVENTS: &str = "
            select seq, body
            from events
            where agent = $1 and seq > $2 and seq <= $3";
        const INSERT: &str = "
            insert into webhook_deliveries (id, webhook_id, chain, seq, state, attempt, next_at, created_at)
            values ";
        const MOVE: &str = "
            insert into webhook_cursors (webhook_id, chain, seq)
            values ";
        const OVER: &str = "
            on conflict (webhook_id, chain) do update
            set seq = excluded.seq";
        let mut left = limit;
        let mut told: Vec<(String, i64, Timestamp)> = Vec::new();
        let mut moved: Vec<(String, i64)> = Vec::new();
        let mut put_off = self.subjects_put_off(&webhook.id, now).await?;
        for (chain, head, seen) in self.chains_ahead(webhook, limit).await? {
            if left == 0 {
                break;
            }
            let wanted: Vec<(i64, String)> = sql(EVENTS)
                .bind(chain.as_str())
                .bind(seen)
                .bind(head)
                .clause_in(
                    " and type in (",
                    webhook.events.iter().map(|event| event.as_str()),
                )
                .clause(" order by seq limit ?", left)
                .all(&mut self.conn)
                .await?;
            // Where the list is full, there may be more after its last one.
            let full = wanted.len() >= left as usize;
            let reached = wanted.last().filter(|_| full).map_or(head, |(seq, _)| *seq);
            left -= u32::try_from(wanted.len()).unwrap_or(left).min(left);
            for (seq, body) in wanted {
                let body: EventBody = json(&body)?;
                let mut from = now;
                if !takes_back(body.r#type) {
                    let about = (chain.clone(), body.subject.clone());
                    let before = put_off.get(&about).copied().unwrap_or(now);
                    from = told_from(&body)?.max(before).max(now);
                    if from > now {
                        put_off.insert(about, from);
                    }
                }
                told.push((chain.clone(), seq, from));
            }
            moved.push((chain, reached));
        }
        if !told.is_empty() {
            // Ids of one moment stand in no order of their own, and the list of deliveries goes by them.
            let new = told.iter().map(|_| DeliveryId::new(now, self.entropy()));
            let mut ids: Vec<DeliveryId> = new.collect();
            ids.sort();
            let told: Vec<_> = told.into_iter().zip(ids).collect();
            sql(INSERT)
                .rows(&told, |row, ((chain, seq, from), id)| {
                    row.clause("(?", id)
                        .clause(", ?", &webhook.id)
                        .clause(", ?", chain.as_str())
                        .clause(", ?", *seq)
                        .clause(", 'waiting', 0, ?", *from)
                        .clause(", ?)", now)
                })
                .run(&mut self.conn)
                .await?;
        }
        if !moved.is_empty() {
            sql(MOVE)
                .rows(&moved, |row, (chain, reached)| {
                    row.clause("(?", &webhook.id)
                        .clause(", ?", chain.as_str())
                        .clause(", ?)", *reached)
                })
                .push(OVER)
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    /// Until when first tries are put off, by their chain and what they are about: what happens to the same thing later is told later.
    async fn subjects_put_off(
        &mut self,
        webhook: &WebhookId,
        now: Timestamp,
    ) -> Result<BTreeMap<(String, String), Timestamp>> {
        const SQL: &str = "
            select d.chain, e.subject, d.next_at
            from webhook_deliveries d
            join events e on e.agent = d.chain and e.seq = d.seq
            where d.webhook_id = $1 and d.next_at is not null and d.next_at > $2 and d.attempt = 0
            order by d.next_at";
        let rows: Vec<(String, String, i64)> =
            sql(SQL).bind(webhook).bind(now).all(&mut self.conn).await?;
        let mut put_off = BTreeMap::new();
        for (chain, subject, next_at) in rows {
            put_off.insert((chain, subject), at(next_at)?);
        }
        Ok(put_off)
    }

    /// Whether what a delivery tells was taken back before agents were told of it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn is_taken_back(&mut self, delivery: &DueDelivery) -> Result<bool> {
        const SQL: &str = "
            select type
            from events
            where agent = $1 and subject = $2 and seq > $3 and at < $4
            order by seq";
        let body: EventBody = json(&delivery.event)?;
        if !body.data.contains_key("serve_from") || takes_back(body.r#type) {
            return Ok(false);
        }
        let later: Vec<(String,)> = sql(SQL)
            .bind(body.agent.as_str())
            .bind(body.subject.as_str())
            .bind(body.seq)
            .bind(told_from(&body)?)
            .all(&mut self.conn)
            .await?;
        for (r#type,) in later {
            if takes_back(parsed(&r#type)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Deletes a delivery that is not sent at all.
    ///
    /// # Errors
    /// [`crate::Error::LostClaim`] where the webhook is in other hands by now, or was removed.
    pub async fn drop_delivery(
        &mut self,
        claim: &WebhookClaim,
        delivery: &DueDelivery,
        until: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            delete from webhook_deliveries
            where id = $1";
        self.hold_webhook(claim, until, None).await?;
        sql(SQL)
            .bind(&delivery.id)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The chains in which something happened that a webhook has not looked at: name, head, and how far it has looked. Those with the
    /// least first, so that one in which much happens holds no other back.
    async fn chains_ahead(
        &mut self,
        webhook: &Webhook,
        limit: u32,
    ) -> Result<Vec<(String, i64, i64)>> {
        const SQL: &str = "
            select heads.agent, heads.seq, coalesce(c.seq, 0)
            from heads
            left join webhook_cursors c on c.webhook_id = $1 and c.chain = heads.agent
            where heads.seq > coalesce(c.seq, 0)";
        sql(SQL)
            .bind(&webhook.id)
            .clause_if(" and heads.agent = ?", webhook.agent.as_ref())
            .clause(
                " order by heads.seq - coalesce(c.seq, 0), heads.agent limit ?",
                limit,
            )
            .all(&mut self.conn)
            .await
    }

    /// How many deliveries of a webhook wait, for their first or another try.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn deliveries_waiting(&mut self, webhook: &WebhookId) -> Result<i64> {
        const SQL: &str = "
            select count(*)
            from webhook_deliveries
            where webhook_id = $1 and next_at is not null";
        let (waiting,): (i64,) = sql(SQL).bind(webhook).one(&mut self.conn).await?;
        Ok(waiting)
    }

    /// The last try of a webhook that did not arrive, of what has not arrived since.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn last_failure(&mut self, webhook: &WebhookId) -> Result<Option<Failure>> {
        const SQL: &str = "
            select attempted_at, status, error
            from webhook_deliveries
            where webhook_id = $1 and state <> 'delivered' and attempted_at is not null
            order by attempted_at desc
            limit 1";
        let row: Option<(i64, Option<i64>, Option<String>)> =
            sql(SQL).bind(webhook).optional(&mut self.conn).await?;
        row.map(|(tried, status, error)| {
            Ok(Failure {
                at: at(tried)?,
                status,
                error,
            })
        })
        .transpose()
    }

    /// The delivery of a webhook that is tried next, where its time has come: the longest overdue, within a chain by number.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn due_delivery(
        &mut self,
        webhook: &WebhookId,
        now: Timestamp,
    ) -> Result<Option<DueDelivery>> {
        const SQL: &str = "
            select d.id, d.attempt, d.created_at, e.body
            from webhook_deliveries d
            join events e on e.agent = d.chain and e.seq = d.seq
            where d.webhook_id = $1 and d.next_at is not null and d.next_at <= $2
            order by d.next_at, d.chain, d.seq
            limit 1";
        let row: Option<(String, i64, i64, String)> = sql(SQL)
            .bind(webhook)
            .bind(now)
            .optional(&mut self.conn)
            .await?;
        row.map(|(id, attempt, created_at, event)| {
            Ok(DueDelivery {
                id: parsed(&id)?,
                attempt,
                created_at: at(created_at)?,
                event,
            })
        })
        .transpose()
    }

    /// Notes how a try went. A delivery that a person asked for anew meanwhile stays as they left it.
    ///
    /// # Errors
    /// [`crate::Error::LostClaim`] where the webhook is in other hands by now, or was removed.
    pub async fn note_attempt(
        &mut self,
        claim: &WebhookClaim,
        delivery: &DueDelivery,
        attempted: &Attempted,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update webhook_deliveries
            set state = $1, next_at = $2, status = $3, error = $4, duration_ms = $5, attempted_at = $6, attempt = attempt + 1
            where id = $7 and attempt = $8 and next_at is not null";
        let arrived = (attempted.state == DeliveryState::Delivered).then_some(now);
        self.hold_webhook(claim, until, arrived).await?;
        sql(SQL)
            .bind(attempted.state.as_str())
            .bind(attempted.next_at)
            .bind(attempted.status)
            .bind(attempted.error.as_deref())
            .bind(attempted.duration_ms)
            .bind(now)
            .bind(&delivery.id)
            .bind(delivery.attempt)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The deliveries of a webhook that is within the scope, newest first.
    ///
    /// # Errors
    /// [`crate::Error::Cursor`]; what the database answers.
    pub async fn deliveries(
        &mut self,
        webhook: &WebhookId,
        page: &Page,
    ) -> Result<Listed<Delivery>> {
        let after = page.after(DeliveryId::PREFIX)?;
        let rows: Vec<Row> = sql(DELIVERIES)
            .bind(webhook)
            .clause_if(" and d.id < ?", after.map(|after| after.id.as_str()))
            .clause(" order by d.id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let deliveries = rows.into_iter().map(Row::delivery);
        let deliveries = deliveries.collect::<Result<Vec<_>>>()?;
        Ok(Listed::cut(deliveries, page, |delivery| {
            Cursor::id(delivery.id.as_str())
        }))
    }

    /// One of them.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn delivery(
        &mut self,
        webhook: &WebhookId,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>> {
        let row: Option<Row> = sql(DELIVERIES)
            .bind(webhook)
            .clause(" and d.id = ?", id)
            .optional(&mut self.conn)
            .await?;
        row.map(Row::delivery).transpose()
    }

    /// Has a delivery sent again from now on, with all the tries of a new one; false where there is none. A try that is under way counts
    /// no more. The webhook is locked in this transaction.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn resend_delivery(
        &mut self,
        webhook: &WebhookId,
        id: &DeliveryId,
        now: Timestamp,
    ) -> Result<bool> {
        const SQL: &str = "
            update webhook_deliveries
            set state = 'waiting', next_at = $1, attempt = 0
            where webhook_id = $2 and id = $3";
        let touched = sql(SQL)
            .bind(now)
            .bind(webhook)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            self.take_back_webhook(webhook, now).await?;
        }
        Ok(touched == 1)
    }

    /// Deletes deliveries that arrived or were given up long ago. Answers how many.
    pub(crate) async fn sweep_deliveries(&mut self, now: Timestamp) -> Result<u64> {
        const SQL: &str = "
            delete from webhook_deliveries
            where next_at is null and attempted_at <= $1";
        sql(SQL).bind(now - KEPT).run(&mut self.conn).await
    }
}

impl Row {
    fn delivery(self) -> Result<Delivery> {
        Ok(Delivery {
            id: parsed(&self.id)?,
            chain: self.chain,
            seq: self.seq,
            r#type: parsed(&self.r#type)?,
            state: parsed(&self.state)?,
            attempt: self.attempt,
            next_at: at_opt(self.next_at)?,
            status: self.status,
            error: self.error,
            duration_ms: self.duration_ms,
            attempted_at: at_opt(self.attempted_at)?,
            created_at: at(self.created_at)?,
        })
    }
}
