//! The agent with made-up people: its mark, who fills it, and its removal whole. Of everything else nothing is ever removed row by row.

use domain::{
    Timestamp,
    agent::{Agent, AgentName, AgentSettings},
    audit::EventType,
    kind::Kind,
};
use serde_json::json;

use crate::{Error, Result, Stamp, Tx, events::Telling, statement::sql};

/// Everything an agent holds, what refers to something before what it refers to. Its events and the head of its chain stay: they hold
/// no text, and a chain is never cut.
const REMOVALS: &[&str] = &[
    // First, so that a worker in the middle of one can write nothing more.
    "delete from jobs where agent = $1",
    "delete from feedback where agent = $1",
    "delete from serving_items where agent = $1",
    "delete from servings where agent = $1",
    "delete from search_tokens where agent = $1",
    "delete from revisions where agent = $1",
    "delete from memories where agent = $1",
    "delete from claims where agent = $1",
    "delete from handovers where agent = $1",
    "delete from agreements where agent = $1",
    "delete from remarks where agent = $1",
    "delete from bulk_items where agent = $1",
    "delete from sightings where agent = $1",
    "delete from judgements where agent = $1",
    "delete from decisions where agent = $1",
    "delete from evidence where agent = $1",
    "delete from candidate_targets where agent = $1",
    "delete from candidates where agent = $1",
    "delete from extractions where agent = $1",
    "delete from messages where agent = $1",
    "delete from conversations where agent = $1",
    "delete from joins where agent = $1",
    "delete from dry_run_items where agent = $1",
    "delete from dry_runs where agent = $1",
    "delete from import_rows where agent = $1",
    "delete from imports where agent = $1",
    "delete from user_keys where agent = $1",
    "delete from users where agent = $1",
    "delete from usage where agent = $1",
    "delete from holds where agent = $1",
    "delete from erasures where agent = $1",
    "delete from request_finds where agent = $1",
    "delete from request_finds where request_id in (select id from requests where agent = $1)",
    "delete from user_keys where user_id in (select id from requests where agent = $1)",
    "delete from requests where agent = $1",
    // Their files go with the next look at the folder.
    "delete from exports where agent = $1",
    "delete from webhook_deliveries where webhook_id in (select id from webhooks where agent = $1)",
    "delete from webhook_cursors where webhook_id in (select id from webhooks where agent = $1)",
    "delete from webhooks where agent = $1",
    "delete from guidelines where agent = $1",
    "delete from profile_schemas where agent = $1",
    "delete from kinds where agent = $1",
    // Answers that were kept for who asks again hold text.
    "delete from idempotency where owner in (select id from keys where agent = $1)",
    "delete from keys where agent = $1",
    "delete from person_roles where agent = $1",
    "delete from agents where agent = $1",
];

/// What stands in the column `key_hash` of a filling, which no key of a request has: those are hashes of 32 bytes.
pub(crate) const FILLING: &[u8] = b"filling";

impl Tx {
    /// Takes the filling of an agent with made-up people until `until`; false where somebody else has it. It is kept among the requests
    /// that may be sent twice, with the agent as who sent it, and goes with them when its time has run out.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn take_filling(
        &mut self,
        agent: &AgentName,
        token: &[u8; 32],
        until: Timestamp,
        now: Timestamp,
    ) -> Result<bool> {
        const SQL: &str = "
            insert into idempotency (owner, key_hash, request, expires_at)
            values ($1, $2, $3, $4)
            on conflict (owner, key_hash) do update
            set request = excluded.request, expires_at = excluded.expires_at
            where idempotency.expires_at <= $5";
        let touched = sql(SQL)
            .bind(agent)
            .bind(FILLING)
            .bind(token.as_slice())
            .bind(until)
            .bind(now)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// Keeps a filling until `until`.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where its time ran out, and somebody else may have it by now.
    pub async fn keep_filling(
        &mut self,
        agent: &AgentName,
        token: &[u8; 32],
        until: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update idempotency
            set expires_at = $1
            where owner = $2 and key_hash = $3 and request = $4";
        let kept = sql(SQL)
            .bind(until)
            .bind(agent)
            .bind(FILLING)
            .bind(token.as_slice());
        self.still_ours(kept).await
    }

    /// Gives a filling back; one that somebody else has by now is left to them.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn end_filling(&mut self, agent: &AgentName, token: &[u8; 32]) -> Result<()> {
        const SQL: &str = "
            delete from idempotency
            where owner = $1 and key_hash = $2 and request = $3";
        sql(SQL)
            .bind(agent)
            .bind(FILLING)
            .bind(token.as_slice())
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Makes an agent with made-up people.
    ///
    /// # Errors
    /// As [`Tx::create_agent`].
    pub async fn create_demo(
        &mut self,
        name: &AgentName,
        settings: &AgentSettings,
        kinds: &[Kind],
        stamp: &Stamp,
    ) -> Result<Agent> {
        self.make_agent(name, settings, kinds, true, stamp).await
    }

    /// Whether an agent is one with made-up people; `None`: there is no such agent within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn is_demo(&mut self, agent: &AgentName) -> Result<Option<bool>> {
        if self.inside(agent).is_err() {
            return Ok(None);
        }
        let row: Option<(bool,)> = sql("select demo from agents where agent = $1")
            .bind(agent)
            .optional(&mut self.conn)
            .await?;
        Ok(row.map(|(demo,)| demo))
    }

    /// Removes an agent with made-up people: every row that it has, the keys of its users, and the saved views that show it.
    ///
    /// # Errors
    /// [`Error::Stale`] where it is none; [`Error::OutOfScope`]; what the database answers.
    pub async fn remove_demo(&mut self, agent: &AgentName, stamp: &Stamp) -> Result<()> {
        if self.is_demo(agent).await? != Some(true) {
            return Err(Error::Stale);
        }
        let figures = self.figures(agent, stamp.now).await?;
        for removal in REMOVALS {
            sql(removal).bind(agent).run(&mut self.conn).await?;
        }
        self.forget_views_of(agent).await?;
        let telling = Telling {
            r#type: EventType::AgentRemoved,
            user: None,
            subject: agent.as_str(),
            data: json!({ "users": figures.users, "candidates": figures.total }),
            commitment: None,
        };
        self.tell(Some(agent), stamp, telling);
        Ok(())
    }
}
