//! The memories of an export as they stand, by their ids.

use domain::memory::Memory;

use super::{Along, Columns, ExportPart};
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
        let Some(next) = self.next_of(part, along)? else {
            return Ok(None);
        };
        let read = sql(MEMORIES).clause(" and m.agent = ?", &part.agent);
        let mut rows: Vec<MemoryRow> = COLUMNS.look(read, part, &next).all(&mut self.conn).await?;
        along.came_to(rows.len(), rows.last().map(|row| (row.id.as_str(), 0)));
        let owners: Vec<_> = rows
            .iter()
            .map(|row| (row.agent.as_str(), row.user_id.as_str()))
            .collect();
        self.open_rows_of(&owners).await?;
        rows.retain(|row| self.has_key(&row.user_id));
        Ok(Some(self.memories_of_rows(rows).await?))
    }
}
