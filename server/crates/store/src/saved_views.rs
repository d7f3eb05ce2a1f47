//! Filters of the queue that a person keeps under a name. Name and filter may hold a user's words, so both are sealed with the key of
//! the installation.

use domain::id::{PersonId, ViewId};
use serde::{Deserialize, Serialize};

use crate::{Error, Result, Stamp, Tx, column::parsed, seal::Place, statement::sql};

/// A filter with its name.
#[derive(Clone, PartialEq, Eq)]
pub struct SavedView {
    /// Ours.
    pub id: ViewId,
    /// As its owner calls it.
    pub name: String,
    /// The query of the queue's address.
    pub query: String,
}

impl std::fmt::Debug for SavedView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedView")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    name: String,
    query: String,
}

impl Tx {
    /// The views of a person, in the order they were saved.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn saved_views(&mut self, person: &PersonId) -> Result<Vec<SavedView>> {
        const SQL: &str = "
            select id, sealed
            from saved_views
            where person_id = $1
            order by id";
        let rows: Vec<(String, Vec<u8>)> = sql(SQL).bind(person).all(&mut self.conn).await?;
        rows.into_iter()
            .map(|(id, sealed)| {
                let id: ViewId = parsed(&id)?;
                let Sealed { name, query } =
                    self.vault.staff.open_json(place(person, &id), &sealed)?;
                Ok(SavedView { id, name, query })
            })
            .collect()
    }

    /// Keeps a view.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn save_view(
        &mut self,
        person: &PersonId,
        name: &str,
        query: &str,
        stamp: &Stamp,
    ) -> Result<SavedView> {
        const SQL: &str = "
            insert into saved_views (id, person_id, created_at, sealed)
            values ($1, $2, $3, $4)";
        let view = SavedView {
            id: ViewId::new(stamp.now, self.entropy()),
            name: name.to_owned(),
            query: query.to_owned(),
        };
        let sealed = self.sealed(person, &view);
        sql(SQL)
            .bind(&view.id)
            .bind(person)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        Ok(view)
    }

    /// Gives a view of a person's another name or filter.
    ///
    /// # Errors
    /// [`Error::Stale`] where it is not there.
    pub async fn change_view(&mut self, person: &PersonId, view: &SavedView) -> Result<()> {
        const SQL: &str = "
            update saved_views
            set sealed = $1
            where person_id = $2 and id = $3";
        let sealed = self.sealed(person, view);
        let touched = sql(SQL)
            .bind(sealed)
            .bind(person)
            .bind(&view.id)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }

    /// Removes a view of a person's; answers whether it was there.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn remove_view(&mut self, person: &PersonId, id: &ViewId) -> Result<bool> {
        const SQL: &str = "
            delete from saved_views
            where person_id = $1 and id = $2";
        let touched = sql(SQL).bind(person).bind(id).run(&mut self.conn).await?;
        Ok(touched == 1)
    }

    fn sealed(&self, person: &PersonId, view: &SavedView) -> Vec<u8> {
        let body = Sealed {
            name: view.name.clone(),
            query: view.query.clone(),
        };
        self.vault
            .staff
            .seal_json(place(person, &view.id), &body, self.entropy())
    }
}

// Where another person's row would not open: the place names the owner too.
fn place<'a>(person: &'a PersonId, id: &'a ViewId) -> Place<'a> {
    Place::new("saved_views.sealed", person.as_str(), id.as_str())
}
