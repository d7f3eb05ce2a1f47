//! The people who sign in: names and addresses are sealed with a key of the installation.

use std::collections::BTreeMap;

use domain::{Timestamp, audit::EventType, id::PersonId, permission::Grant};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, at_opt, parsed},
    seal::Place,
    second_factors::SecondProof,
    staff::roles,
    statement::sql,
};

/// A person on their way in.
pub struct NewPerson {
    /// Where they are reached; unique.
    pub email: String,
    /// As shown beside what they did.
    pub name: String,
    /// Argon2id, in its own text form.
    pub password_hash: Option<String>,
    /// Their roles.
    pub grants: Vec<Grant>,
}

/// A person who signs in to the dashboard.
#[derive(Clone, PartialEq, Eq)]
pub struct Person {
    /// Ours.
    pub id: PersonId,
    /// Where they are reached.
    pub email: String,
    /// As shown beside what they did.
    pub name: String,
    /// Argon2id, in its own text form.
    pub password_hash: Option<String>,
    /// Their roles.
    pub grants: Vec<Grant>,
    /// The language they picked.
    pub language: Option<String>,
    /// Raised with every change of the name, the roles or whether they may come in.
    pub version: i64,
    /// When they last signed in.
    pub signed_in_at: Option<Timestamp>,
    /// Until when their link to choose a password holds.
    pub link_expires_at: Option<Timestamp>,
    /// Since when a second factor is asked for; `None`: the password is enough.
    pub second_factor_at: Option<Timestamp>,
    /// When they were shut out.
    pub deactivated_at: Option<Timestamp>,
    /// When they were made.
    pub created_at: Timestamp,
}

impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Person")
            .field("id", &self.id)
            .field("grants", &self.grants)
            .finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    email: String,
    name: String,
}

#[derive(sqlx::FromRow)]
struct PersonRow {
    id: String,
    password_hash: Option<String>,
    language: Option<String>,
    version: i64,
    signed_in_at: Option<i64>,
    link_expires_at: Option<i64>,
    second_factor_at: Option<i64>,
    deactivated_at: Option<i64>,
    created_at: i64,
    sealed: Vec<u8>,
}

const PEOPLE: &str = "
    select id, password_hash, language, version, signed_in_at, deactivated_at, created_at, sealed,
      (select max(expires_at) from person_links where person_id = people.id) as link_expires_at,
      (select enabled_at from second_factors where person_id = people.id) as second_factor_at
    from people
    where true";

/// Addresses are compared as people mean them.
fn folded(email: &str) -> String {
    email.trim().to_lowercase()
}

impl Tx {
    /// Makes a person.
    ///
    /// # Errors
    /// [`Error::Exists`] where the address is taken.
    pub async fn create_person(&mut self, new: &NewPerson, stamp: &Stamp) -> Result<Person> {
        const SQL: &str = "
            insert into people (id, lookup, password_hash, created_at, sealed)
            values ($1, $2, $3, $4, $5)";
        let id = PersonId::new(stamp.now, self.entropy());
        let email = new.email.trim().to_owned();
        let body = Sealed {
            email: email.clone(),
            name: new.name.clone(),
        };
        let sealed = self
            .vault
            .staff
            .seal_json(place(&id), &body, self.entropy());
        sql(SQL)
            .bind(&id)
            .bind(self.person_lookup(&email))
            .bind(new.password_hash.as_deref())
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        self.put_roles(&id, &new.grants).await?;
        let data = json!({ "roles": roles(&new.grants) });
        self.tell_of_person(EventType::PersonCreated, &id, data, stamp);
        Ok(Person {
            id,
            email,
            name: new.name.clone(),
            password_hash: new.password_hash.clone(),
            grants: new.grants.clone(),
            language: None,
            version: 1,
            signed_in_at: None,
            link_expires_at: None,
            second_factor_at: None,
            deactivated_at: None,
            created_at: stamp.now,
        })
    }

    /// How many people there are.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn people_count(&mut self) -> Result<i64> {
        let (count,): (i64,) = sql("select count(*) from people")
            .one(&mut self.conn)
            .await?;
        Ok(count)
    }

    /// Everybody, in the order they came.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn people(&mut self) -> Result<Vec<Person>> {
        let rows: Vec<PersonRow> = sql(PEOPLE).push(" order by id").all(&mut self.conn).await?;
        self.people_of(rows).await
    }

    /// One person.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn person(&mut self, id: &PersonId) -> Result<Option<Person>> {
        let rows: Vec<PersonRow> = sql(PEOPLE)
            .clause(" and id = ?", id)
            .all(&mut self.conn)
            .await?;
        Ok(self.people_of(rows).await?.pop())
    }

    /// The person with this address.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn person_by_email(&mut self, email: &str) -> Result<Option<Person>> {
        let lookup = self.person_lookup(email);
        let rows: Vec<PersonRow> = sql(PEOPLE)
            .clause(" and lookup = ?", lookup)
            .all(&mut self.conn)
            .await?;
        Ok(self.people_of(rows).await?.pop())
    }

    /// The names of some people.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn person_names(&mut self, ids: &[PersonId]) -> Result<BTreeMap<PersonId, String>> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let rows: Vec<PersonRow> = sql(PEOPLE)
            .clause_in(" and id in (", ids)
            .all(&mut self.conn)
            .await?;
        let people = rows.into_iter().map(|row| {
            let id: PersonId = parsed(&row.id)?;
            let body: Sealed = self.vault.staff.open_json(place(&id), &row.sealed)?;
            Ok((id, body.name))
        });
        people.collect()
    }

    /// Sets another password.
    ///
    /// # Errors
    /// [`Error::Stale`] where there is no such person.
    pub async fn set_password_hash(&mut self, id: &PersonId, hash: &str) -> Result<()> {
        let touched = sql("update people set password_hash = $1 where id = $2")
            .bind(hash)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }

    /// Sets the language of the dashboard; `None`: the browser's.
    ///
    /// # Errors
    /// [`Error::Stale`] where there is no such person.
    pub async fn set_language(&mut self, id: &PersonId, language: Option<&str>) -> Result<()> {
        let touched = sql("update people set language = $1 where id = $2")
            .bind(language)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }

    /// Notes and tells that a person signed in, and with what besides the password where that was asked for.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn signed_in(
        &mut self,
        id: &PersonId,
        second: Option<SecondProof>,
        stamp: &Stamp,
    ) -> Result<()> {
        sql("update people set signed_in_at = $1 where id = $2")
            .bind(stamp.now)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        let data = match second {
            Some(second) => json!({ "second_factor": second.word() }),
            None => json!({}),
        };
        self.tell_of_person(EventType::PersonSignedIn, id, data, stamp);
        Ok(())
    }

    /// Tells that a person signed out.
    ///
    /// # Errors
    /// None yet; the event is written at commit.
    pub async fn signed_out(&mut self, id: &PersonId, stamp: &Stamp) -> Result<()> {
        self.tell_of_person(EventType::PersonSignedOut, id, json!({}), stamp);
        Ok(())
    }

    /// Seals another name of a person; who calls it raises the version and tells of it.
    pub(crate) async fn rename_person(&mut self, person: &Person, name: &str) -> Result<()> {
        let body = Sealed {
            email: person.email.clone(),
            name: name.to_owned(),
        };
        let sealed = self
            .vault
            .staff
            .seal_json(place(&person.id), &body, self.entropy());
        let touched = sql("update people set sealed = $1 where id = $2")
            .bind(sealed)
            .bind(&person.id)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }

    fn person_lookup(&self, email: &str) -> Vec<u8> {
        self.vault.index.hash("people.lookup", &[&folded(email)])
    }

    async fn people_of(&mut self, rows: Vec<PersonRow>) -> Result<Vec<Person>> {
        const ROLES: &str = "
            select person_id, agent, role, languages
            from person_roles
            where true";
        let roles: Vec<(String, String, String, String)> = sql(ROLES)
            .clause_in(
                " and person_id in (",
                rows.iter().map(|row| row.id.as_str()),
            )
            .push(" order by agent, role")
            .all(&mut self.conn)
            .await?;
        let mut grants: BTreeMap<String, Vec<Grant>> = BTreeMap::new();
        for (person, agent, role, languages) in roles {
            let agent = if agent == "*" {
                None
            } else {
                Some(parsed(&agent)?)
            };
            grants.entry(person).or_default().push(Grant {
                agent,
                role: parsed(&role)?,
                languages: languages
                    .split(',')
                    .filter(|tag| !tag.is_empty())
                    .map(str::to_owned)
                    .collect(),
            });
        }
        rows.into_iter()
            .map(|row| {
                let id: PersonId = parsed(&row.id)?;
                let body: Sealed = self.vault.staff.open_json(place(&id), &row.sealed)?;
                Ok(Person {
                    email: body.email,
                    name: body.name,
                    password_hash: row.password_hash,
                    grants: grants.remove(&row.id).unwrap_or_default(),
                    language: row.language,
                    version: row.version,
                    signed_in_at: at_opt(row.signed_in_at)?,
                    link_expires_at: at_opt(row.link_expires_at)?,
                    second_factor_at: at_opt(row.second_factor_at)?,
                    deactivated_at: at_opt(row.deactivated_at)?,
                    created_at: at(row.created_at)?,
                    id,
                })
            })
            .collect()
    }
}

fn place(id: &PersonId) -> Place<'_> {
    Place::new("people.sealed", "", id.as_str())
}
