//! The servings of an export, each in its place in the batch that one event tells of.

use domain::audit::EventType;

use super::KEYS;
use crate::{Error, ExportedServing, Result, Tx, column::at, statement::sql};

impl Tx {
    /// Takes a serving in, with its place among those of its batch that are there, from 0. The revisions that it tells of are in.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where no event tells of its batch; [`Error::Erased`] where nobody of that id was taken in;
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn import_serving(&mut self, one: &ExportedServing, place: usize) -> Result<()> {
        const TOLD: &str = "
            select at
            from events
            where agent = $1 and subject = $2 and type = $3
            order by seq
            limit 1";
        let ExportedServing { serving, batch } = one;
        self.inside(&serving.agent)?;
        self.forget_keys_above(KEYS);
        let recorded_at = match batch {
            // Before batches were kept it was not known when their event was written, at most a second later.
            None => serving.at,
            Some(batch) => {
                let told: Option<(i64,)> = sql(TOLD)
                    .bind(&serving.agent)
                    .bind(batch)
                    .bind(EventType::ContextServed.as_str())
                    .optional(&mut self.conn)
                    .await?;
                let (told,) = told.ok_or(Error::Corrupt("batch of a serving"))?;
                at(told)?
            }
        };
        self.insert_serving(serving, batch.as_ref(), place, recorded_at)
            .await?;
        for (memory, revision) in &serving.items {
            self.mark_served(&serving.agent, memory, *revision, recorded_at)
                .await?;
        }
        Ok(())
    }
}
