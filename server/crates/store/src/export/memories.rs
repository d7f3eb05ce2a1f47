//! The memories of an export as they stand, by their ids.

use domain::memory::Memory;

use super::{Along, Columns, ExportPart, Walked};
use crate::{
    Result, Tx,
    memory_rows::{MEMORIES, MemoryRow},
    statement::sql,
};

const COLUMNS: Columns = Columns {
    after: " and m.id > ?",
    numbered: false,
    of: " and m.id in (",
    order: " order by m.id",
    from: " and m.created_at >= ?",
    to: " and m.created_at < ?",
};

impl Walked for MemoryRow {
    fn place(&self) -> (&str, i64) {
        (&self.id, 0)
    }

    fn owner(&self) -> &str {
        &self.user_id
    }
}

impl Tx {
    /// The next memories of a walk, served or not; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_memories(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<Memory>>> {
        let read = sql(MEMORIES).clause(" and m.agent = ?", &part.agent);
        let rows = self.next_rows::<MemoryRow>(read, &COLUMNS, part, along);
        let Some(mut rows) = rows.await? else {
            return Ok(None);
        };
        rows.retain(|row| self.has_key(&row.user_id));
        Ok(Some(self.memories_of_rows(rows).await?))
    }
}
