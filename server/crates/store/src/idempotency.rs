//! Requests that may be sent twice. The Idempotency-Key is kept only as a keyed hash, and the answer sealed with a key made from it:
//! only who sends the same key again can read it.

use domain::{Timestamp, agent::AgentName, time::Span};
use serde::{Deserialize, Serialize};

use crate::{Error, Result, Tx, seal::Place, statement::sql};

/// How long an answer is kept.
const KEPT_FOR: Span = Span::hours(24);
/// How long a request may take. Where its process died nobody answers it any more, and who sends it again takes it over.
const TAKEN_FOR: Span = Span::minutes(2);

/// What is known of a request with this key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idempotent {
    /// Nothing: do the work, then tell how it ended.
    New,
    /// It is being worked on.
    InFlight,
    /// The key was used for another request.
    Mismatch,
    /// It was answered, and the answer is gone: it may have been about somebody who was erased since.
    Gone,
    /// It was answered so.
    Done {
        /// The status code.
        status: u16,
        /// Names and values of the headers that belong to the answer.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
}

#[derive(Serialize, Deserialize)]
struct Answer {
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Tx {
    /// Takes the key, or tells what it was used for. Commit before the work, so that a second request sees it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn begin_idempotent(
        &mut self,
        owner: &str,
        key: &str,
        request: &[u8; 32],
        now: Timestamp,
    ) -> Result<Idempotent> {
        const TAKE: &str = "
            insert into idempotency (owner, key_hash, request, expires_at)
            values ($1, $2, $3, $4)
            on conflict (owner, key_hash) do nothing";
        const SQL: &str = "
            select request, status, sealed
            from idempotency
            where owner = $1 and key_hash = $2";
        let hash = self.idempotency_hash(owner, key);
        sql("delete from idempotency where owner = $1 and key_hash = $2 and expires_at <= $3")
            .bind(owner)
            .bind(hash.as_slice())
            .bind(now)
            .run(&mut self.conn)
            .await?;
        let taken = sql(TAKE)
            .bind(owner)
            .bind(hash.as_slice())
            .bind(request.as_slice())
            .bind(now + TAKEN_FOR)
            .run(&mut self.conn)
            .await?;
        if taken == 1 {
            return Ok(Idempotent::New);
        }
        let (known, status, sealed): (Vec<u8>, Option<i64>, Option<Vec<u8>>) = sql(SQL)
            .bind(owner)
            .bind(hash.as_slice())
            .one(&mut self.conn)
            .await?;
        if status.is_some() && sealed.is_none() {
            return Ok(Idempotent::Gone);
        }
        if !known.is_empty() && known != request {
            return Ok(Idempotent::Mismatch);
        }
        let Some((status, sealed)) = status.zip(sealed) else {
            return Ok(Idempotent::InFlight);
        };
        let row = domain::audit::hex(&hash);
        let answer: Answer = self
            .vault
            .index
            .of_token("idempotency", key)
            .open_json(Place::new("idempotency.sealed", owner, &row), &sealed)?;
        Ok(Idempotent::Done {
            status: u16::try_from(status).map_err(|_| Error::Corrupt("status"))?,
            headers: answer.headers,
            body: answer.body,
        })
    }

    /// Keeps the answer for whoever asks again within a day. One that came while somebody was erased is not kept.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn finish_idempotent(
        &mut self,
        owner: &str,
        key: &str,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update idempotency
            set status = $1, sealed = case when length(request) = 0 then null else $2 end, expires_at = $3
            where owner = $4 and key_hash = $5 and status is null";
        let hash = self.idempotency_hash(owner, key);
        let answer = Answer {
            headers: headers.to_vec(),
            body: body.to_vec(),
        };
        let sealed = self.vault.index.of_token("idempotency", key).seal_json(
            Place::new("idempotency.sealed", owner, &domain::audit::hex(&hash)),
            &answer,
            self.entropy(),
        );
        sql(SQL)
            .bind(i64::from(status))
            .bind(sealed)
            .bind(now + KEPT_FOR)
            .bind(owner)
            .bind(hash)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Gives the key back: the work failed in a way that may be tried again.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn release_idempotent(&mut self, owner: &str, key: &str) -> Result<()> {
        let hash = self.idempotency_hash(owner, key);
        sql("delete from idempotency where owner = $1 and key_hash = $2 and status is null")
            .bind(owner)
            .bind(hash)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Forgets what was answered to whoever may call about an agent, and what they had sent. The keys stay taken, so that nothing is
    /// done twice. An answer does not say whom it is about, so all of them go: none is older than a day.
    pub(crate) async fn forget_answers(&mut self, agent: &AgentName) -> Result<()> {
        // Without what was sent: the answer to a call that is still running is not kept when it comes.
        const SQL: &str = "
            update idempotency
            set sealed = null, request = $1
            where owner = 'system'
              or owner in (select id from people)
              or owner in (select id from keys where agent = $2 or agent = '*')";
        sql(SQL)
            .bind(Vec::<u8>::new())
            .bind(agent)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    fn idempotency_hash(&self, owner: &str, key: &str) -> Vec<u8> {
        self.vault.index.hash("idempotency.key_hash", &[owner, key])
    }
}
