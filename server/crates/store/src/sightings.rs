//! Sightings: what waits, is stored, or was rejected by a person, and was said again.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    candidate::Evidence,
    id::{CandidateId, ConversationId, ExtractionId, MemoryId, MessageId, UserId},
};
use serde_json::json;

use crate::{
    Result, Stamp, Tx,
    column::{at, parsed, parsed_opt, span_us, us},
    events::Telling,
    seal::Place,
    statement::sql,
};

/// What was said again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// An approved memory.
    Memory(MemoryId),
    /// A candidate that waits.
    Waiting(CandidateId),
}

/// A time at which something was said again.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    /// In which conversation.
    pub conversation: Option<ConversationId>,
    /// In which message.
    pub message: Option<MessageId>,
    /// Whether a person's rejection kept it out (F4).
    pub suppressed: bool,
    /// The words.
    pub evidence: Vec<Evidence>,
    /// When.
    pub at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Row {
    number: i64,
    user_id: String,
    conversation_id: Option<String>,
    message_id: Option<String>,
    suppressed: bool,
    at: i64,
    sealed: Vec<u8>,
}

impl Tx {
    /// Notes that something waiting or stored was said again: no new row in the queue, its own seven days go on (A6); a memory's
    /// time to live begins anew (B6) where `memory_expires_at` says so, except where a person gave it an end by hand (D4).
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is another column of the row"
    )]
    pub async fn see_again(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        seen: Seen,
        evidence: &[Evidence],
        extraction: Option<&ExtractionId>,
        memory_expires_at: Option<Timestamp>,
        stamp: &Stamp,
    ) -> Result<()> {
        const RENEW: &str = "
            update memories
            set expires_at = $1
            where agent = $2 and id = $3 and status = 'approved' and expires_at < $1
              and not exists (
                select 1 from revisions r
                where r.agent = $2 and r.memory_id = $3 and r.action = 'update' and r.actor = 'person' and r.candidate_id is null
                  and r.expires_at = memories.expires_at and r.expires_at - r.at <> $4)";
        let subject = match &seen {
            Seen::Memory(id) => id.as_str(),
            Seen::Waiting(id) => id.as_str(),
        };
        self.insert_sighting(agent, user, subject, evidence, extraction, false, stamp)
            .await?;
        let mut renewed = None;
        if let (Seen::Memory(id), Some(expires_at)) = (&seen, memory_expires_at) {
            // An end that is not as far from its revision as the kind's time to live is one that was set by hand.
            let touched = sql(RENEW)
                .bind(expires_at)
                .bind(agent)
                .bind(id)
                .bind(span_us(expires_at - stamp.now))
                .run(&mut self.conn)
                .await?;
            renewed = (touched > 0).then_some(expires_at);
        }
        self.sighting_event(
            EventType::CandidateSeenAgain,
            agent,
            user,
            subject,
            evidence,
            extraction,
            renewed,
            stamp,
        );
        Ok(())
    }

    /// Notes that a person's rejection kept a statement out (F4).
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn suppress(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        rejected: &CandidateId,
        evidence: &[Evidence],
        extraction: Option<&ExtractionId>,
        stamp: &Stamp,
    ) -> Result<()> {
        let subject = rejected.as_str();
        self.insert_sighting(agent, user, subject, evidence, extraction, true, stamp)
            .await?;
        self.sighting_event(
            EventType::CandidateSuppressed,
            agent,
            user,
            subject,
            evidence,
            extraction,
            None,
            stamp,
        );
        Ok(())
    }

    /// When a candidate or a memory of a user was said again, newest first.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn sightings_of(
        &mut self,
        agent: &AgentName,
        subject: &str,
    ) -> Result<Vec<Sighting>> {
        const SQL: &str = "
            select number, user_id, conversation_id, message_id, suppressed, at, sealed
            from sightings
            where agent = $1 and subject = $2
            order by number desc
            limit 200";
        self.inside(agent)?;
        let rows: Vec<Row> = sql(SQL)
            .bind(agent)
            .bind(subject)
            .all(&mut self.conn)
            .await?;
        let mut sightings = Vec::with_capacity(rows.len());
        for row in rows {
            let key = self.user_key(agent, &parsed(&row.user_id)?).await?;
            let place = format!("{subject}/{}", row.number);
            sightings.push(Sighting {
                conversation: parsed_opt(row.conversation_id.as_deref())?,
                message: parsed_opt(row.message_id.as_deref())?,
                suppressed: row.suppressed,
                evidence: key.open_json(
                    Place::new("sightings.sealed", agent.as_str(), &place),
                    &row.sealed,
                )?,
                at: at(row.at)?,
            });
        }
        Ok(sightings)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is another column of the row"
    )]
    async fn insert_sighting(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        subject: &str,
        evidence: &[Evidence],
        extraction: Option<&ExtractionId>,
        suppressed: bool,
        stamp: &Stamp,
    ) -> Result<()> {
        const NEXT: &str = "
            select coalesce(max(number), 0) + 1
            from sightings
            where agent = $1 and subject = $2";
        const SQL: &str = "
            insert into sightings
              (agent, subject, number, user_id, extraction_id, conversation_id, message_id, suppressed, at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        self.lock_user(agent, user).await?;
        let (number,): (i64,) = sql(NEXT)
            .bind(agent)
            .bind(subject)
            .one(&mut self.conn)
            .await?;
        let key = self.user_key(agent, user).await?;
        let row = format!("{subject}/{number}");
        let sealed = key.seal_json(
            Place::new("sightings.sealed", agent.as_str(), &row),
            &evidence,
            self.entropy(),
        );
        let first = evidence.first();
        sql(SQL)
            .bind(agent)
            .bind(subject)
            .bind(number)
            .bind(user)
            .bind(extraction)
            .bind(first.map(|evidence| &evidence.conversation))
            .bind(first.and_then(|evidence| evidence.message.as_ref()))
            .bind(suppressed)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is another part of the event"
    )]
    fn sighting_event(
        &mut self,
        r#type: EventType,
        agent: &AgentName,
        user: &UserId,
        subject: &str,
        evidence: &[Evidence],
        extraction: Option<&ExtractionId>,
        renewed: Option<Timestamp>,
        stamp: &Stamp,
    ) {
        let first = evidence.first();
        let mut data = json!({
            "extraction": extraction,
            "conversation": first.map(|evidence| &evidence.conversation),
            "message": first.and_then(|evidence| evidence.message.as_ref()),
        });
        if let Some(end) = renewed {
            data["expires_at"] = us(end).into();
        }
        let telling = Telling {
            r#type,
            user: Some(user),
            subject,
            data,
            commitment: None,
        };
        self.tell(Some(agent), stamp, telling);
    }
}
