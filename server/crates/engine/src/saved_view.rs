//! Filters of the queue that a person keeps under a name of their own.

use domain::{
    id::{PersonId, ViewId},
    permission::{Permission, Permit},
};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
};

pub use store::SavedView;

/// The most views of a person.
const MOST: usize = 30;
/// The longest name, in characters.
const NAME: usize = 60;
/// The longest filter, in bytes of its address.
const QUERY: usize = 2000;

impl Engine {
    /// The views of the person.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn saved_views(&self, permit: &Permit) -> Result<Vec<SavedView>> {
        let person = owner(permit)?;
        Ok(self.read(permit).await?.saved_views(person).await?)
    }

    /// Keeps a filter, as the query of its address, under a name.
    ///
    /// # Errors
    /// `name_taken`; `invalid` for a name or filter that is empty or too long, and for one view too many.
    pub async fn save_view(&self, permit: &Permit, name: &str, query: &str) -> Result<SavedView> {
        if query.is_empty() || query.len() > QUERY {
            let some = "filter something first, by less than 2000 characters";
            return Err(EngineError::invalid("/query", "length", some));
        }
        let name = named(name)?;
        again!(self.save_view_once(permit, name, query).await)
    }

    async fn save_view_once(&self, permit: &Permit, name: &str, query: &str) -> Result<SavedView> {
        let stamp = self.stamp(permit);
        let person = owner(permit)?;
        let mut tx = self.write(permit).await?;
        let views = tx.saved_views(person).await?;
        if views.len() >= MOST {
            let most = format!("there is room for {MOST} views; remove one first");
            return Err(EngineError::invalid("/name", "too_many", most));
        }
        if views.iter().any(|view| view.name == name) {
            return Err(EngineError::NameTaken);
        }
        let view = tx.save_view(person, name, query, &stamp).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Gives a view another name.
    ///
    /// # Errors
    /// `name_taken`, `invalid`; [`EngineError::NotFound`].
    pub async fn rename_view(&self, permit: &Permit, id: &ViewId, name: &str) -> Result<SavedView> {
        let name = named(name)?;
        again!(self.rename_view_once(permit, id, name).await)
    }

    async fn rename_view_once(
        &self,
        permit: &Permit,
        id: &ViewId,
        name: &str,
    ) -> Result<SavedView> {
        let person = owner(permit)?;
        let mut tx = self.write(permit).await?;
        let (mut own, others): (Vec<_>, Vec<_>) = tx
            .saved_views(person)
            .await?
            .into_iter()
            .partition(|view| view.id == *id);
        let view = own.pop().ok_or(EngineError::NotFound)?;
        if others.iter().any(|other| other.name == name) {
            return Err(EngineError::NameTaken);
        }
        let view = SavedView {
            name: name.to_owned(),
            ..view
        };
        tx.change_view(person, &view).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Removes a view.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn remove_view(&self, permit: &Permit, id: &ViewId) -> Result<()> {
        again!(self.remove_view_once(permit, id).await)
    }

    async fn remove_view_once(&self, permit: &Permit, id: &ViewId) -> Result<()> {
        let person = owner(permit)?;
        let mut tx = self.write(permit).await?;
        if !tx.remove_view(person, id).await? {
            return Err(EngineError::NotFound);
        }
        Ok(tx.commit().await?)
    }
}

/// Whose views: only a person has some.
fn owner(permit: &Permit) -> Result<&PersonId> {
    need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
    permit.actor().person().ok_or(EngineError::Forbidden)
}

fn named(name: &str) -> Result<&str> {
    let name = name.trim();
    let length = name.chars().count();
    if (1..=NAME).contains(&length) && !name.chars().any(char::is_control) {
        return Ok(name);
    }
    let most = format!("a name has 1 to {NAME} characters");
    Err(EngineError::invalid("/name", "length", most))
}
