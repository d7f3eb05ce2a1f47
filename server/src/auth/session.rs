//! Sessions of signed-in people: tower-sessions over our own store. The store keeps SHA-256 of the id and seals the content with a key
//! made from it, so whoever reads the table can sign in as nobody.

use std::fmt;

use async_trait::async_trait;
use domain::{Timestamp, id::PersonId, time::Span};
use engine::Engine;
use time::OffsetDateTime;
use tower_sessions::{
    Expiry, SessionManagerLayer, SessionStore,
    cookie::SameSite,
    session::{Id, Record},
    session_store::{Error, Result},
};

use crate::state::AppState;

/// How long a session lives from the sign-in, whatever is done in it.
const LIVES_HOURS: i64 = 12;

/// The key under which a session holds its person.
pub(super) const PERSON: &str = "person";

/// The key under which a session holds when its person last gave a password, in microseconds.
pub(super) const SIGNED_IN_AT: &str = "signed_in_at";

/// The layer that gives a handler its session.
pub fn sessions(app: &AppState) -> SessionManagerLayer<Sessions> {
    SessionManagerLayer::new(Sessions {
        engine: app.engine.clone(),
    })
    .with_name(app.public_url().cookie())
    .with_secure(app.public_url().is_https())
    .with_http_only(true)
    .with_same_site(SameSite::Lax)
    .with_path("/")
    // A session is written only when its content changes, so this counts from the sign-in; the idle time is the store's own.
    .with_expiry(Expiry::OnInactivity(time::Duration::hours(LIVES_HOURS)))
}

/// Keeps sessions through the engine.
#[derive(Clone)]
pub struct Sessions {
    engine: Engine,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sessions")
    }
}

fn backend(error: impl fmt::Display) -> Error {
    Error::Backend(error.to_string())
}

#[async_trait]
impl SessionStore for Sessions {
    // An id has 128 random bits, so a new one meets an old one never.
    async fn create(&self, record: &mut Record) -> Result<()> {
        self.save(record).await
    }

    async fn save(&self, record: &Record) -> Result<()> {
        let person = record
            .data
            .get(PERSON)
            .and_then(|id| id.as_str())
            .and_then(|id| PersonId::parse(id).ok());
        let at = record
            .data
            .get(SIGNED_IN_AT)
            .and_then(serde_json::Value::as_i64)
            .and_then(Timestamp::from_timestamp_micros);
        let data = serde_json::to_vec(&record.data).map_err(|e| Error::Encode(e.to_string()))?;
        // The clock of the engine, which is what the store compares with.
        let expires = self.engine.now() + Span::hours(LIVES_HOURS);
        self.engine
            .save_session(
                &record.id.to_string(),
                person.as_ref().zip(at),
                &data,
                expires,
            )
            .await
            .map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let found = self
            .engine
            .session(&id.to_string())
            .await
            .map_err(backend)?;
        let Some(session) = found else {
            return Ok(None);
        };
        Ok(Some(Record {
            id: *id,
            data: serde_json::from_slice(&session.data)
                .map_err(|e| Error::Decode(e.to_string()))?,
            expiry_date: instant(session.expires_at),
        }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        self.engine
            .delete_session(&id.to_string())
            .await
            .map_err(backend)
    }
}

fn instant(at: Timestamp) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(at.timestamp()).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}
