//! Extractions: which extractor read which stretch, what it answered, what came of it.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    candidate::Dropped,
    conversation::Conversation,
    id::{ConversationId, ExtractionId, OperationId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Provenance, Result, Stamp, Tx,
    column::{at, json as from_json, parsed, to_json},
    events::Telling,
    jobs::words,
    seal::Place,
    statement::{ScopeColumn, sql},
};

/// How an extraction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractionState {
    /// The answer was read whole.
    Parsed,
    /// The answer was cut off; what was whole of it was kept.
    Truncated,
    /// There was no usable answer.
    Failed,
}

words!(ExtractionState { Parsed = "parsed", Truncated = "truncated", Failed = "failed" });

/// An extraction on its way in.
#[derive(Debug, Clone)]
pub struct NewExtraction<'a> {
    /// Over which conversation.
    pub conversation: &'a Conversation,
    /// In which job.
    pub operation: &'a OperationId,
    /// The position of the first message that was read for the first time.
    pub from: i64,
    /// The position of the last.
    pub upto: i64,
    /// How it ended.
    pub state: ExtractionState,
    /// By which extractor.
    pub provenance: Provenance,
    /// The code of what went wrong.
    pub error: Option<String>,
    /// What the model answered, word for word.
    pub raw: Option<String>,
    /// Tokens that went in.
    pub tokens_in: i64,
    /// Tokens that came out.
    pub tokens_out: i64,
    /// How many candidates it made.
    pub candidates: u32,
    /// What became no candidate, by reason.
    pub dropped: BTreeMap<Dropped, u32>,
    /// What the conversation was about so far, as far as it may be kept; no candidate before the end (C4).
    pub summary: Option<KeptSummary>,
    /// Whether the conversation's `extracted_upto` comes to `upto`; not in a retry, which looks back.
    pub moves: bool,
}

/// An extraction.
#[derive(Debug, Clone)]
pub struct Extraction {
    /// Ours.
    pub id: ExtractionId,
    /// In which job.
    pub operation: OperationId,
    /// The position of the first message that was read for the first time.
    pub from: i64,
    /// The position of the last.
    pub upto: i64,
    /// How it ended.
    pub state: ExtractionState,
    /// By which extractor.
    pub provenance: Provenance,
    /// The code of what went wrong.
    pub error: Option<String>,
    /// What the model answered, word for word.
    pub raw: Option<String>,
    /// What the conversation was about so far.
    pub summary: Option<KeptSummary>,
    /// Tokens that went in.
    pub tokens_in: i64,
    /// Tokens that came out.
    pub tokens_out: i64,
    /// How many candidates it made.
    pub candidates: i64,
    /// What became no candidate, by reason.
    pub dropped: BTreeMap<Dropped, u32>,
    /// When.
    pub at: Timestamp,
}

/// What a conversation was about up to the end of an extraction; a candidate only once it has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptSummary {
    /// The text.
    pub content: String,
    /// How much it matters.
    pub importance: f64,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    raw: Option<String>,
    #[serde(default)]
    summary: Option<KeptSummary>,
}

#[derive(sqlx::FromRow)]
struct Row {
    agent: String,
    id: String,
    user_id: String,
    job_id: String,
    starts: i64,
    upto: i64,
    state: String,
    provenance: String,
    error: Option<String>,
    tokens_in: i64,
    tokens_out: i64,
    candidates: i64,
    dropped: String,
    at: i64,
    sealed: Vec<u8>,
}

const EXTRACTIONS: &str = "
    select agent, id, user_id, job_id, starts, upto, state, provenance, error, tokens_in, tokens_out, candidates, dropped, at,
      sealed
    from extractions
    where true";

impl Tx {
    /// An id for an extraction, which its candidates name before it is recorded in the same transaction.
    pub fn begin_extraction_id(&self, now: Timestamp) -> ExtractionId {
        ExtractionId::new(now, self.entropy())
    }

    /// Records an extraction, and how far the conversation was read.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn record_extraction(
        &mut self,
        id: &ExtractionId,
        new: &NewExtraction<'_>,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into extractions
              (agent, id, user_id, conversation_id, job_id, starts, upto, state, provenance, error, tokens_in, tokens_out,
               candidates, dropped, at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
        const MOVE: &str = "
            update conversations
            set extracted_upto = $1
            where agent = $2 and id = $3 and extracted_upto < $1";
        let Conversation { agent, user, .. } = new.conversation;
        self.lock_user(agent, user).await?;
        let key = self.user_key(agent, user).await?;
        let body = Sealed {
            raw: new.raw.clone(),
            summary: new.summary.clone(),
        };
        let sealed = key.seal_json(place(agent, id), &body, self.entropy());
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(user)
            .bind(&new.conversation.id)
            .bind(new.operation)
            .bind(new.from)
            .bind(new.upto)
            .bind(new.state.as_str())
            .bind(to_json(&new.provenance))
            .bind(new.error.as_deref())
            .bind(new.tokens_in)
            .bind(new.tokens_out)
            .bind(new.candidates)
            .bind(to_json(&new.dropped))
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        if new.moves {
            sql(MOVE)
                .bind(new.upto)
                .bind(agent)
                .bind(&new.conversation.id)
                .run(&mut self.conn)
                .await?;
        }
        self.spend(agent, new.tokens_in, new.tokens_out, stamp.now)
            .await?;
        let r#type = match new.state {
            ExtractionState::Parsed => EventType::ExtractionSucceeded,
            ExtractionState::Truncated => EventType::ExtractionTruncated,
            ExtractionState::Failed => EventType::ExtractionFailed,
        };
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type,
                user: Some(user),
                subject: id.as_str(),
                data: json!({
                    "operation": new.operation,
                    "conversation": new.conversation.id,
                    "from": new.from,
                    "upto": new.upto,
                    "candidates": new.candidates,
                    "dropped": new.dropped,
                    "tokens_in": new.tokens_in,
                    "tokens_out": new.tokens_out,
                }),
                commitment: None,
            },
        );
        Ok(())
    }

    /// An extraction within the scope.
    ///
    /// # Errors
    /// [`crate::Error::Erased`]; what the database answers.
    pub async fn extraction(&mut self, id: &ExtractionId) -> Result<Option<Extraction>> {
        let rows: Vec<Row> = sql(EXTRACTIONS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .all(&mut self.conn)
            .await?;
        Ok(self.extractions_from(rows).await?.pop())
    }

    /// The extractions of a conversation, newest first.
    ///
    /// # Errors
    /// [`crate::Error::Erased`]; what the database answers.
    pub async fn extractions_of(&mut self, conversation: &Conversation) -> Result<Vec<Extraction>> {
        let rows: Vec<Row> = sql(EXTRACTIONS)
            .clause(" and agent = ?", &conversation.agent)
            .clause(" and conversation_id = ?", &conversation.id)
            .push(" order by id desc limit 200")
            .all(&mut self.conn)
            .await?;
        self.extractions_from(rows).await
    }

    /// The newest summary of a conversation that was made of nothing behind `upto`, with the extraction that made it.
    ///
    /// # Errors
    /// [`crate::Error::Erased`]; what the database answers.
    pub async fn summary_upto(
        &mut self,
        conversation: &Conversation,
        upto: i64,
    ) -> Result<Option<(ExtractionId, KeptSummary)>> {
        let rows: Vec<Row> = sql(EXTRACTIONS)
            .clause(" and agent = ?", &conversation.agent)
            .clause(" and conversation_id = ?", &conversation.id)
            .clause(" and upto <= ?", upto)
            // A few without one may lie before it: an answer that failed, a stretch in which nothing could be read.
            .push(" order by upto desc, id desc limit 20")
            .all(&mut self.conn)
            .await?;
        let found = self.extractions_from(rows).await?.into_iter();
        Ok(found
            .filter_map(|extraction| Some((extraction.id, extraction.summary?)))
            .next())
    }

    /// Takes the words out of the extractions of a conversation: the answers as they came, and the summaries. What made something, and
    /// what came of it, stays.
    pub(crate) async fn empty_extractions(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        conversation: &ConversationId,
    ) -> Result<()> {
        const OF_ONE: &str = "
            select id
            from extractions
            where agent = $1 and conversation_id = $2";
        const EMPTY: &str = "
            update extractions
            set sealed = $1
            where agent = $2 and id = $3";
        let rows: Vec<(String,)> = sql(OF_ONE)
            .bind(agent)
            .bind(conversation)
            .all(&mut self.conn)
            .await?;
        let key = self.user_key(agent, user).await?;
        let body = Sealed {
            raw: None,
            summary: None,
        };
        for (id,) in rows {
            let id: ExtractionId = parsed(&id)?;
            let sealed = key.seal_json(place(agent, &id), &body, self.entropy());
            sql(EMPTY)
                .bind(sealed)
                .bind(agent)
                .bind(&id)
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    async fn extractions_from(&mut self, rows: Vec<Row>) -> Result<Vec<Extraction>> {
        self.load_keys_of(
            rows.iter()
                .map(|row| (row.agent.as_str(), row.user_id.as_str())),
        )
        .await?;
        let mut extractions = Vec::with_capacity(rows.len());
        for row in rows {
            let agent: AgentName = parsed(&row.agent)?;
            let id: ExtractionId = parsed(&row.id)?;
            let user: UserId = parsed(&row.user_id)?;
            let body: Sealed = self
                .user_key(&agent, &user)
                .await?
                .open_json(place(&agent, &id), &row.sealed)?;
            extractions.push(Extraction {
                operation: parsed(&row.job_id)?,
                from: row.starts,
                upto: row.upto,
                state: parsed(&row.state)?,
                provenance: from_json(&row.provenance)?,
                error: row.error,
                raw: body.raw,
                summary: body.summary,
                tokens_in: row.tokens_in,
                tokens_out: row.tokens_out,
                candidates: row.candidates,
                dropped: from_json(&row.dropped)?,
                at: at(row.at)?,
                id,
            });
        }
        Ok(extractions)
    }
}

fn place<'a>(agent: &'a AgentName, id: &'a ExtractionId) -> Place<'a> {
    Place::new("extractions.sealed", agent.as_str(), id.as_str())
}
