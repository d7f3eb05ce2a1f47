//! The people who sign in: names and addresses are sealed with a key of the installation.

use std::collections::BTreeMap;

use domain::{Timestamp, audit::EventType, id::PersonId, permission::Grant};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, at_opt, parsed},
    events::Telling,
    seal::Place,
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
    deactivated_at: Option<i64>,
    created_at: i64,
    sealed: Vec<u8>,
}

const PEOPLE: &str = "
    select id, password_hash, language, deactivated_at, created_at, sealed
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
        const ROLE: &str = "
            insert into person_roles (person_id, agent, role)
            values ($1, $2, $3)";
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
        for grant in &new.grants {
            sql(ROLE)
                .bind(&id)
                .bind(grant.agent.as_ref().map_or("*", |agent| agent.as_str()))
                .bind(grant.role.as_str())
                .run(&mut self.conn)
                .await?;
        }
        let roles: Vec<_> = new
            .grants
            .iter()
            .map(|grant| json!({ "agent": grant.agent, "role": grant.role }))
            .collect();
        self.tell(
            None,
            stamp,
            Telling {
                r#type: EventType::PersonCreated,
                user: None,
                subject: id.as_str(),
                data: json!({ "roles": roles }),
                commitment: None,
            },
        );
        Ok(Person {
            id,
            email,
            name: new.name.clone(),
            password_hash: new.password_hash.clone(),
            grants: new.grants.clone(),
            language: None,
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

    /// Tells that a person signed in.
    ///
    /// # Errors
    /// None yet; the event is written at commit.
    pub async fn signed_in(&mut self, id: &PersonId, stamp: &Stamp) -> Result<()> {
        self.sign_in_event(EventType::PersonSignedIn, id, stamp);
        Ok(())
    }

    /// Tells that a person signed out.
    ///
    /// # Errors
    /// None yet; the event is written at commit.
    pub async fn signed_out(&mut self, id: &PersonId, stamp: &Stamp) -> Result<()> {
        self.sign_in_event(EventType::PersonSignedOut, id, stamp);
        Ok(())
    }

    fn sign_in_event(&mut self, r#type: EventType, id: &PersonId, stamp: &Stamp) {
        let telling = Telling {
            r#type,
            user: None,
            subject: id.as_str(),
            data: json!({}),
            commitment: None,
        };
        self.tell(None, stamp, telling);
    }

    fn person_lookup(&self, email: &str) -> Vec<u8> {
        self.vault.index.hash("people.lookup", &[&folded(email)])
    }

    async fn people_of(&mut self, rows: Vec<PersonRow>) -> Result<Vec<Person>> {
        const ROLES: &str = "
            select person_id, agent, role
            from person_roles
            where true";
        let roles: Vec<(String, String, String)> = sql(ROLES)
            .clause_in(
                " and person_id in (",
                rows.iter().map(|row| row.id.as_str()),
            )
            .push(" order by agent, role")
            .all(&mut self.conn)
            .await?;
        let mut grants: BTreeMap<String, Vec<Grant>> = BTreeMap::new();
        for (person, agent, role) in roles {
            let agent = if agent == "*" {
                None
            } else {
                Some(parsed(&agent)?)
            };
            grants.entry(person).or_default().push(Grant {
                agent,
                role: parsed(&role)?,
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
