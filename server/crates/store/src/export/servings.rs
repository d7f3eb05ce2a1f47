//! The servings of an export: batch by batch as their events tell of them, or one by one where they are few or no batch is known.

use domain::id::ServingId;

use super::{Along, Columns, ExportPart, Walked, Way};
use crate::{
    Result, Serving, Tx,
    column::parsed_opt,
    servings::{SERVINGS, ServingRow},
    statement::sql,
};

/// A serving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedServing {
    /// What was told.
    pub serving: Serving,
    /// The first serving that the same event tells of; `None`: it was written before this was kept.
    pub batch: Option<ServingId>,
}

/// By their ids: of what was written before batches were kept, and of one user.
const ONE_BY_ONE: Columns = Columns {
    after: " and s.batch = '' and s.id > ?",
    numbered: false,
    of: " and s.id in (",
    order: " order by s.id",
    // What an event tells of is here where the event is.
    from: " and s.recorded_at >= ?",
    to: " and s.recorded_at < ?",
};

const BATCHES: Columns = Columns {
    after: " and (s.batch, s.place) > (?",
    numbered: true,
    order: " order by s.batch, s.place",
    ..ONE_BY_ONE
};

impl Walked for ServingRow {
    fn place(&self) -> (&str, i64) {
        match self.batch.as_str() {
            "" => (self.id.as_str(), 0),
            batch => (batch, self.place),
        }
    }

    fn owner(&self) -> &str {
        &self.user_id
    }
}

impl Tx {
    /// Begins a walk along the batches of everybody's servings; of users it ends at once.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`].
    pub fn along_batches(&self, part: &ExportPart) -> Result<Along> {
        self.inside(&part.agent)?;
        Ok(Along(match part.users {
            // After all that has no batch.
            None => Way::Key(String::new(), i64::MAX),
            Some(_) => Way::Ended,
        }))
    }

    /// The next servings of a walk along servings; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_servings(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedServing>>> {
        self.servings_by(&ONE_BY_ONE, part, along).await
    }

    /// The next servings of a walk along batches; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_batches(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedServing>>> {
        self.servings_by(&BATCHES, part, along).await
    }

    async fn servings_by(
        &mut self,
        columns: &Columns,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedServing>>> {
        let read = sql(SERVINGS).clause(" and s.agent = ?", &part.agent);
        let rows = self.next_rows::<ServingRow>(read, columns, part, along);
        let Some(mut rows) = rows.await? else {
            return Ok(None);
        };
        rows.retain(|row| self.has_key(&row.user_id));
        let batches: Vec<Option<ServingId>> = rows
            .iter()
            .map(|row| parsed_opt(Some(row.batch.as_str()).filter(|batch| !batch.is_empty())))
            .collect::<Result<_>>()?;
        let servings = self.servings_of_rows(rows).await?;
        Ok(Some(
            servings
                .into_iter()
                .zip(batches)
                .map(|(serving, batch)| ExportedServing { serving, batch })
                .collect(),
        ))
    }
}
