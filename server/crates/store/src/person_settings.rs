//! What people set for themselves, as JSON. It holds no text of anybody.

use domain::id::PersonId;

use crate::{Error, Result, Tx, statement::sql};

impl Tx {
    /// What a person set for themselves; `None` where there is no such person.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; what the database answers.
    pub async fn person_settings(&mut self, id: &PersonId) -> Result<Option<serde_json::Value>> {
        const SQL: &str = "select settings from people where id = $1";
        let row: Option<(String,)> = sql(SQL).bind(id).optional(&mut self.conn).await?;
        row.map(|(json,)| {
            serde_json::from_str(&json).map_err(|_| Error::Corrupt("person settings"))
        })
        .transpose()
    }

    /// Sets it.
    ///
    /// # Errors
    /// [`Error::Stale`] where there is no such person; what the database answers.
    pub async fn set_person_settings(
        &mut self,
        id: &PersonId,
        settings: &serde_json::Value,
    ) -> Result<()> {
        let touched = sql("update people set settings = $1 where id = $2")
            .bind(settings.to_string())
            .bind(id)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }
}
