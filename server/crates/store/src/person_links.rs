//! One-time links with which a person chooses a password: only the hash of the token is kept, and of each person one link holds.

use std::str::FromStr;

use domain::{Timestamp, audit::EventType, id::PersonId};
use serde_json::json;

use crate::{
    Result, Stamp, Tx,
    column::{at, parsed},
    events::Telling,
    statement::sql,
};

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// The first password of somebody invited.
    Invite,
    /// Another password.
    Reset,
}

impl LinkPurpose {
    fn word(self) -> &'static str {
        match self {
            Self::Invite => "invite",
            Self::Reset => "reset",
        }
    }
}

impl FromStr for LinkPurpose {
    type Err = ();

    fn from_str(word: &str) -> std::result::Result<Self, ()> {
        [Self::Invite, Self::Reset]
            .into_iter()
            .find(|purpose| purpose.word() == word)
            .ok_or(())
    }
}

/// A link that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonLink {
    /// Whose.
    pub person: PersonId,
    /// For what.
    pub purpose: LinkPurpose,
    /// Until when.
    pub expires_at: Timestamp,
}

impl Tx {
    /// Makes this the one link of a person that holds, and tells of it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn put_person_link(
        &mut self,
        hash: &[u8; 32],
        link: &PersonLink,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into person_links (hash, person_id, purpose, expires_at, created_at)
            values ($1, $2, $3, $4, $5)";
        self.delete_links_of(&link.person).await?;
        sql(SQL)
            .bind(hash.as_slice())
            .bind(&link.person)
            .bind(link.purpose.word())
            .bind(link.expires_at)
            .bind(stamp.now)
            .run(&mut self.conn)
            .await?;
        let r#type = match link.purpose {
            LinkPurpose::Invite => EventType::PersonInvited,
            LinkPurpose::Reset => EventType::PersonPasswordReset,
        };
        let telling = Telling {
            r#type,
            user: None,
            subject: link.person.as_str(),
            data: json!({}),
            commitment: None,
        };
        self.tell(None, stamp, telling);
        Ok(())
    }

    /// The link of a token, while it holds.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn person_link(
        &mut self,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<PersonLink>> {
        const SQL: &str = "
            select person_id, purpose, expires_at
            from person_links
            where hash = $1 and expires_at > $2";
        let row: Option<(String, String, i64)> = sql(SQL)
            .bind(hash.as_slice())
            .bind(now)
            .optional(&mut self.conn)
            .await?;
        row.map(|(person, purpose, until)| {
            Ok(PersonLink {
                person: parsed(&person)?,
                purpose: parsed(&purpose)?,
                expires_at: at(until)?,
            })
        })
        .transpose()
    }

    /// Uses a link up; answers whether it held.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn take_person_link(&mut self, hash: &[u8; 32], now: Timestamp) -> Result<bool> {
        let touched = sql("delete from person_links where hash = $1 and expires_at > $2")
            .bind(hash.as_slice())
            .bind(now)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// Makes the links of a person worthless.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn delete_links_of(&mut self, person: &PersonId) -> Result<()> {
        sql("delete from person_links where person_id = $1")
            .bind(person)
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}
