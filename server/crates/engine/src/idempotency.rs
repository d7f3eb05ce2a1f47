//! `Idempotency-Key`: a call that is sent again within 24 h gets the first answer.

use domain::permission::{Actor, Permit};
use sha2::{Digest, Sha256};
use store::Idempotent;

use crate::{Engine, again, error::Result};

/// What to do with a call that carries a key.
#[derive(Debug, Clone)]
pub enum Begun {
    /// Do it, and end the ticket.
    New(Ticket),
    /// Answer as the first time.
    Replay {
        /// The status.
        status: u16,
        /// The headers that were kept.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// The first call is not answered yet.
    InFlight,
    /// The key was used for another request.
    OtherBody,
    /// It was answered; the answer went when somebody was erased.
    Gone,
}

/// A call under way.
#[derive(Debug, Clone)]
pub struct Ticket {
    owner: String,
    key: String,
}

fn owner(permit: &Permit) -> String {
    match permit.actor() {
        Actor::Key { id, .. } => id.to_string(),
        Actor::PersonKey { key, .. } => key.to_string(),
        Actor::Person { id, .. } => id.to_string(),
        Actor::System => "system".to_owned(),
    }
}

impl Engine {
    /// Looks whether a call was made before. `route` is the method and the path with its query.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn begin_idempotent(
        &self,
        permit: &Permit,
        route: &str,
        key: &str,
        body: &[u8],
    ) -> Result<Begun> {
        let request: [u8; 32] = Sha256::new()
            .chain_update(route)
            .chain_update([0])
            .chain_update(body)
            .finalize()
            .into();
        let ticket = Ticket {
            owner: owner(permit),
            key: key.to_owned(),
        };
        again!(self.begin_once(&ticket, &request).await)
    }

    async fn begin_once(&self, ticket: &Ticket, request: &[u8; 32]) -> Result<Begun> {
        let mut tx = self.write_all().await?;
        let found = tx
            .begin_idempotent(&ticket.owner, &ticket.key, request, self.now())
            .await?;
        tx.commit().await?;
        Ok(match found {
            Idempotent::New => Begun::New(ticket.clone()),
            Idempotent::InFlight => Begun::InFlight,
            Idempotent::Mismatch => Begun::OtherBody,
            Idempotent::Gone => Begun::Gone,
            Idempotent::Done {
                status,
                headers,
                body,
            } => Begun::Replay {
                status,
                headers,
                body,
            },
        })
    }

    /// Keeps the answer.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn end_idempotent(
        &self,
        ticket: &Ticket,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<()> {
        again!(
            self.end_idempotent_once(ticket, status, headers, body)
                .await
        )
    }

    async fn end_idempotent_once(
        &self,
        ticket: &Ticket,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<()> {
        let Ticket { owner, key } = ticket;
        let mut tx = self.write_all().await?;
        tx.finish_idempotent(owner, key, status, headers, body, self.now())
            .await?;
        Ok(tx.commit().await?)
    }

    /// Lets the call be made again: it ended with an error of ours.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn release_idempotent(&self, ticket: &Ticket) -> Result<()> {
        again!(self.give_back(ticket).await)
    }

    async fn give_back(&self, ticket: &Ticket) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.release_idempotent(&ticket.owner, &ticket.key).await?;
        Ok(tx.commit().await?)
    }
}
