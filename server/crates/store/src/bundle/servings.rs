//! The servings of an export, each in its place in the batch that one event tells of.

use domain::{
    agent::AgentName,
    audit::{EventBody, EventType},
};
use serde_json::Value;

use super::KEYS;
use crate::{
    Error, ExportedServing, Result, Tx,
    column::{at, json},
    statement::sql,
};

impl Tx {
    /// Takes a serving in, with its place among those of its batch that are there, from 0. The revisions that it tells of are in.
    ///
    /// # Errors
    /// [`Error::Untold`] where no event tells of its batch; [`Error::Erased`] where nobody of that id was taken in;
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn import_serving(&mut self, one: &ExportedServing, place: usize) -> Result<()> {
        const TOLD: &str = "
            select at
            from events
            where agent = $1 and type = $2";
        let ExportedServing { serving, batch } = one;
        self.inside(&serving.agent)?;
        self.forget_keys_above(KEYS);
        let told = sql(TOLD)
            .bind(&serving.agent)
            .bind(EventType::ContextServed.as_str());
        let told = match batch {
            Some(batch) => told.clause(" and subject = ?", batch),
            // Before batches were kept nothing said which event told of a serving; none was written before it.
            None => told.clause(" and at >= ?", serving.at),
        };
        let told: Option<(i64,)> = told
            .push(" order by at, seq limit 1")
            .optional(&mut self.conn)
            .await?;
        let (recorded_at,) = told.ok_or(Error::Untold)?;
        let recorded_at = at(recorded_at)?;
        self.insert_serving(serving, batch.as_ref(), place, recorded_at)
            .await?;
        for (memory, revision) in &serving.items {
            self.mark_served(&serving.agent, memory, *revision, recorded_at)
                .await?;
        }
        Ok(())
    }

    /// Marks what an agent may have been told in answers that retention removed since (F6): which revisions these held nobody knows any
    /// more, and what comes back in a conversation must not pass for news.
    pub(super) async fn mark_forgotten_servings(&mut self, agent: &AgentName) -> Result<()> {
        const APPLIED: &str = "
            select body
            from events
            where agent = $1 and subject = $1 and type = $2
            order by seq";
        const MARK: &str = "
            update revisions
            set first_served_at = at
            where agent = $1 and at < $2 and first_served_at is null";
        let applied: Vec<(String,)> = sql(APPLIED)
            .bind(agent)
            .bind(EventType::RetentionApplied.as_str())
            .all(&mut self.conn)
            .await?;
        let mut upto: Option<i64> = None;
        for (body,) in applied {
            let event: EventBody = json(&body)?;
            let before = event.data.get("servings_before_us").and_then(Value::as_i64);
            // What comes later cannot have been removed by then.
            upto = upto.max(before.map(|before| before.min(event.at_us)));
        }
        if let Some(upto) = upto {
            sql(MARK).bind(agent).bind(upto).run(&mut self.conn).await?;
        }
        Ok(())
    }
}
