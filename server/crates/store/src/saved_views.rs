//! Filters of the queue that a person keeps under a name. Name and filter may hold a user's words, so both are sealed with the key of
//! the installation.

use domain::{
    agent::AgentName,
    id::{PersonId, UserId, ViewId},
    user::Scope,
};
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

impl Sealed {
    /// Whether name or filter speak of somebody.
    fn names(&self, user: &UserId, scope: &Scope) -> bool {
        let asked = url::form_urlencoded::parse(self.query.as_bytes());
        let said =
            std::iter::once(self.name.clone()).chain(asked.map(|(_, value)| value.into_owned()));
        speak_of(said, user, scope)
    }

    /// Whether the filter is for one agent, and that is this one.
    fn shows(&self, agent: &AgentName) -> bool {
        url::form_urlencoded::parse(self.query.as_bytes())
            .any(|(name, value)| name == "agent" && value == agent.as_str())
    }
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

    /// Removes the views, of anybody, that name somebody who is erased.
    pub(crate) async fn forget_views(&mut self, user: &UserId, scope: &Scope) -> Result<()> {
        self.remove_views(|view| view.names(user, scope)).await
    }

    /// Removes the views of everybody.
    pub(crate) async fn forget_all_views(&mut self) -> Result<()> {
        sql("delete from saved_views").run(&mut self.conn).await?;
        Ok(())
    }

    /// Removes the views, of anybody, that show an agent which is removed.
    pub(crate) async fn forget_views_of(&mut self, agent: &AgentName) -> Result<()> {
        self.remove_views(|view| view.shows(agent)).await
    }

    async fn remove_views(&mut self, goes: impl Fn(&Sealed) -> bool) -> Result<()> {
        const ALL: &str = "
            select id, person_id, sealed
            from saved_views";
        let rows: Vec<(String, String, Vec<u8>)> = sql(ALL).all(&mut self.conn).await?;
        for (id, person, sealed) in rows {
            let (id, person): (ViewId, PersonId) = (parsed(&id)?, parsed(&person)?);
            let body: Sealed = self.vault.staff.open_json(place(&person, &id), &sealed)?;
            if goes(&body) {
                self.remove_view(&person, &id).await?;
            }
        }
        Ok(())
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

/// Whether texts speak of somebody: by our id, or by a value of what their agent calls them. A short value counts only where it stands
/// alone.
pub(crate) fn speak_of(said: impl Iterator<Item = String>, user: &UserId, scope: &Scope) -> bool {
    let said: Vec<String> = said.map(|said| said.to_lowercase()).collect();
    let values = scope.pairs().values().map(|value| value.to_lowercase());
    values.chain([user.to_string()]).any(|value| {
        said.iter()
            .any(|said| *said == value || (value.len() > 2 && said.contains(&value)))
    })
}

// Where another person's row would not open: the place names the owner too.
fn place<'a>(person: &'a PersonId, id: &'a ViewId) -> Place<'a> {
    Place::new("saved_views.sealed", person.as_str(), id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_that_names_somebody_is_told_from_the_others() {
        let ana = UserId::parse("usr_00000000000000000000000001").unwrap();
        let names = |user_id: &str, name: &str, query: &str| {
            let view = Sealed {
                name: name.to_owned(),
                query: query.to_owned(),
            };
            view.names(&ana, &Scope::user_id(user_id).unwrap())
        };
        assert!(names(
            "ana@example.org",
            "Mine",
            "q=Ana%40example.org&kind=fact"
        ));
        assert!(names("山本", "山本さん", ""));
        assert!(names("山本", "x", "q=%E5%B1%B1%E6%9C%AC"));
        assert!(names("x", "y", "user=usr_00000000000000000000000001"));
        assert!(names("ana li", "y", "q=about+Ana+Li"));
        assert!(!names("a", "Mine and all", "kind=fact&agent=support"));
        assert!(!names("ana@example.org", "Mine", "q=%&kind=%4"));
        let shows = |query: &str| {
            let view = Sealed {
                name: "demo".to_owned(),
                query: query.to_owned(),
            };
            view.shows(&AgentName::parse("demo").unwrap())
        };
        assert!(shows("kind=fact&agent=demo"));
        assert!(!shows("agent=demo-two&q=demo") && !shows(""));
    }
}
