//! The users of an export, by their ids.

use domain::user::User;

use super::{Along, Columns, ExportPart, Walked};
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

impl Walked for UserRow {
    fn place(&self) -> (&str, i64) {
        (&self.id, 0)
    }

    fn owner(&self) -> &str {
        &self.id
    }
}

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
        let part = ExportPart {
            from: None,
            ..part.clone()
        };
        let read = sql(USERS).bind(&part.agent);
        let rows = self.next_rows::<UserRow>(read, &COLUMNS, &part, along);
        let Some(mut rows) = rows.await? else {
            return Ok(None);
        };
        rows.retain(|row| self.has_key(&row.id));
        Ok(Some(self.users_of(rows).await?))
    }
}
