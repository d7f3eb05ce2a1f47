//! The users of an export, by their ids.

use domain::user::User;

use super::{Along, Columns, ExportPart};
use crate::{Result, Tx, statement::sql, users::UserRow};

/// A user.
pub type ExportedUser = User;

const USERS: &str = "
    select agent, id, sealed, created_at
    from users
    where agent = $1";

/// Whoever is about what happened in a span may have been there before it, so only its end counts.
const COLUMNS: Columns = Columns {
    after: " and id > ?",
    numbered: false,
    of: " and id in (",
    order: " order by id",
    from: "",
    to: " and created_at < ?",
};

impl Tx {
    /// The next users of a walk; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_users(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedUser>>> {
        let Some(next) = self.next_of(part, along)? else {
            return Ok(None);
        };
        let part = ExportPart {
            from: None,
            ..part.clone()
        };
        let read = COLUMNS.look(sql(USERS).bind(&part.agent), &part, &next);
        let mut rows: Vec<UserRow> = read.all(&mut self.conn).await?;
        along.came_to(rows.len(), rows.last().map(|row| (row.id.as_str(), 0)));
        let owners: Vec<_> = rows
            .iter()
            .map(|row| (row.agent.as_str(), row.id.as_str()))
            .collect();
        self.open_rows_of(&owners).await?;
        rows.retain(|row| self.has_key(&row.id));
        Ok(Some(self.users_of(rows).await?))
    }
}
