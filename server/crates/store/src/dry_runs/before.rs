//! What a dry run is compared with: the conversations that were read, what came of them then, and what that cost.

use std::collections::HashMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::Candidate,
    id::{ConversationId, ExtractionId, UserId},
};

use super::ROWS;
use crate::{
    Result, Tx,
    candidate_rows::CANDIDATES,
    column::{at, parsed},
    statement::sql,
};

/// A conversation that can be tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triable {
    /// Which.
    pub conversation: ConversationId,
    /// With whom.
    pub user: UserId,
    /// Messages that were read.
    pub upto: i64,
}

/// What answers about conversations have cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswersCost {
    /// How many answers there were that cost tokens.
    pub answers: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
}

/// What came of a conversation when it was read.
#[derive(Debug, Clone, Default)]
pub struct CameOf {
    /// The candidates, oldest first.
    pub candidates: Vec<Candidate>,
    /// What that cost.
    pub cost: AnswersCost,
}

impl Tx {
    /// The last conversations of an agent that were read, newest first.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn last_read(&mut self, agent: &AgentName, limit: u32) -> Result<Vec<Triable>> {
        const SQL: &str = "
            select id, user_id, extracted_upto
            from conversations
            where agent = $1 and extracted_upto > 0 and removed_at is null
            order by id desc
            limit $2";
        self.inside(agent)?;
        let rows: Vec<(String, String, i64)> =
            sql(SQL).bind(agent).bind(limit).all(&mut self.conn).await?;
        rows.into_iter()
            .map(|(id, user, upto)| {
                Ok(Triable {
                    conversation: parsed(&id)?,
                    user: parsed(&user)?,
                    upto,
                })
            })
            .collect()
    }

    /// What answers about these conversations cost, as far as they cost tokens.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn answers_cost(
        &mut self,
        agent: &AgentName,
        over: &[Triable],
    ) -> Result<AnswersCost> {
        const SQL: &str = "
            select count(*), cast(coalesce(sum(tokens_in), 0) as bigint), cast(coalesce(sum(tokens_out), 0) as bigint)
            from extractions
            where agent = $1 and tokens_in > 0";
        self.inside(agent)?;
        let (answers, tokens_in, tokens_out): (i64, i64, i64) = sql(SQL)
            .bind(agent)
            .clause_in(
                " and conversation_id in (",
                over.iter().map(|one| &one.conversation),
            )
            .one(&mut self.conn)
            .await?;
        Ok(AnswersCost {
            answers,
            tokens_in,
            tokens_out,
        })
    }

    /// What came of conversations when they were read: the candidates that their extractions made, and what those cost.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn came_of(
        &mut self,
        agent: &AgentName,
        over: &[Triable],
    ) -> Result<HashMap<ConversationId, CameOf>> {
        const SQL: &str = "
            select id, conversation_id, starts, tokens_in, tokens_out
            from extractions
            where agent = $1";
        self.inside(agent)?;
        let mut came: HashMap<ConversationId, CameOf> = HashMap::new();
        for some in over.chunks(ROWS) {
            let upto: HashMap<&str, i64> = some
                .iter()
                .map(|one| (one.conversation.as_str(), one.upto))
                .collect();
            let rows: Vec<(String, String, i64, i64, i64)> = sql(SQL)
                .bind(agent)
                .clause_in(" and conversation_id in (", upto.keys().copied())
                .push(" order by id")
                .all(&mut self.conn)
                .await?;
            let mut made_in: HashMap<ExtractionId, ConversationId> = HashMap::new();
            for (id, conversation, starts, tokens_in, tokens_out) in rows {
                // What was said later is not read again.
                if upto
                    .get(conversation.as_str())
                    .is_none_or(|upto| starts > *upto + 1)
                {
                    continue;
                }
                let conversation: ConversationId = parsed(&conversation)?;
                let cost = &mut came.entry(conversation.clone()).or_default().cost;
                cost.answers += 1;
                cost.tokens_in += tokens_in;
                cost.tokens_out += tokens_out;
                made_in.insert(parsed(&id)?, conversation);
            }
            let users = some.iter().map(|one| &one.user);
            let read = sql(CANDIDATES)
                .clause(" and c.agent = ?", agent)
                .clause_in(" and c.user_id in (", users)
                .clause_in(" and c.extraction_id in (", made_in.keys())
                .push(" order by c.id");
            for candidate in self.plain_candidates(read).await? {
                let made_in = candidate
                    .extraction
                    .as_ref()
                    .and_then(|extraction| made_in.get(extraction));
                if let Some(conversation) = made_in {
                    let of = came.entry(conversation.clone()).or_default();
                    of.candidates.push(candidate);
                }
            }
        }
        for of in came.values_mut() {
            // Those of one window are a microsecond apart, and their ids are not.
            of.candidates
                .sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        }
        Ok(came)
    }

    /// When the last message of each of these conversations was said; one whose messages are gone is left out.
    ///
    /// # Errors
    /// [`Error::OutOfScope`](crate::Error::OutOfScope); what the database answers.
    pub async fn last_said(
        &mut self,
        agent: &AgentName,
        over: &[Triable],
    ) -> Result<HashMap<ConversationId, Timestamp>> {
        const SQL: &str = "
            select conversation_id, max(at)
            from messages
            where agent = $1";
        self.inside(agent)?;
        let mut said = HashMap::new();
        for some in over.chunks(ROWS) {
            let conversations = some.iter().map(|one| &one.conversation);
            let rows: Vec<(String, i64)> = sql(SQL)
                .bind(agent)
                .clause_in(" and conversation_id in (", conversations)
                .push(" group by conversation_id")
                .all(&mut self.conn)
                .await?;
            for (conversation, last) in rows {
                said.insert(parsed(&conversation)?, at(last)?);
            }
        }
        Ok(said)
    }
}
