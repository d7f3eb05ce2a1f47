//! The conversations of an export: what came with one request stands together, as its event commits to it.

use domain::{
    Timestamp,
    agent::AgentName,
    conversation::Message,
    id::{ConversationId, MessageId, UserId},
    secret,
};

use super::{Along, Columns, ExportPart, Proof, Walked, Way};
use crate::{
    Result, Tx,
    column::{at, canonical, parsed},
    conversations::{SealedMessage, committed, message_place},
    statement::sql,
};

/// What came with one request.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedPost {
    /// The agent.
    pub agent: AgentName,
    /// To which conversation.
    pub conversation: ConversationId,
    /// With whom.
    pub user: UserId,
    /// When it came.
    pub at: Timestamp,
    /// The messages, without the secrets that were found when they came.
    pub messages: Vec<Message>,
    /// Of these.
    pub proof: Proof,
}

#[derive(sqlx::FromRow)]
struct Row {
    conversation_id: String,
    position: i64,
    id: String,
    user_id: String,
    role: String,
    source: String,
    at: i64,
    received_at: i64,
    post: i64,
    sealed: Vec<u8>,
}

const MESSAGES: &str = "
    select conversation_id, position, id, user_id, role, source, at, received_at, post, sealed
    from messages
    where agent = $1";

const COLUMNS: Columns = Columns {
    after: " and (conversation_id, position) > (?",
    numbered: true,
    of: " and conversation_id in (",
    order: " order by conversation_id, position",
    from: " and received_at >= ?",
    to: " and received_at < ?",
};

impl Walked for Row {
    fn place(&self) -> (&str, i64) {
        (&self.conversation_id, self.position)
    }

    fn owner(&self) -> &str {
        &self.user_id
    }
}

impl Tx {
    /// The next posts of a walk along conversations; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_posts(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedPost>>> {
        let read = sql(MESSAGES).bind(&part.agent);
        let rows = self.next_rows::<Row>(read, &COLUMNS, part, along);
        let Some(mut rows) = rows.await? else {
            return Ok(None);
        };
        if let (Way::Key(thing, number), Some(last)) = (&mut along.0, rows.last()) {
            // The look may have ended within a post, which has one commitment.
            let rest = self.rest_of_post(part, last).await?;
            if let Some(end) = rest.last() {
                end.conversation_id.clone_into(thing);
                *number = end.position;
            }
            rows.extend(rest);
        }
        let mut posts = Vec::new();
        let mut rows = rows.into_iter().peekable();
        while let Some(first) = rows.next() {
            let mut post = vec![first];
            while let Some(row) = rows.next_if(|row| {
                row.post == post[0].post && row.conversation_id == post[0].conversation_id
            }) {
                post.push(row);
            }
            posts.extend(self.post_of(part, post).await?);
        }
        Ok(Some(posts))
    }

    async fn rest_of_post(&mut self, part: &ExportPart, last: &Row) -> Result<Vec<Row>> {
        sql(MESSAGES)
            .bind(&part.agent)
            .clause(" and conversation_id = ?", last.conversation_id.as_str())
            .clause(" and position > ?", last.position)
            .clause(" and post = ? order by position", last.post)
            .all(&mut self.conn)
            .await
    }

    async fn post_of(&mut self, part: &ExportPart, rows: Vec<Row>) -> Result<Option<ExportedPost>> {
        let agent = &part.agent;
        let user: UserId = parsed(&rows[0].user_id)?;
        let Some(key) = super::unless_erased(self.user_key(agent, &user).await)? else {
            return Ok(None);
        };
        let (conversation, received) =
            (parsed(&rows[0].conversation_id)?, at(rows[0].received_at)?);
        let mut salt = String::new();
        let mut messages = Vec::with_capacity(rows.len());
        for row in rows {
            let id: MessageId = parsed(&row.id)?;
            let body: SealedMessage = key.open_json(message_place(agent, &id), &row.sealed)?;
            salt = body.salt;
            messages.push(Message {
                id,
                position: row.position,
                role: parsed(&row.role)?,
                source: parsed(&row.source)?,
                at: at(row.at)?,
                external_id: body.external_id,
                content: secret::mask_at(&body.content, &body.secrets),
            });
        }
        Ok(Some(ExportedPost {
            agent: agent.clone(),
            conversation,
            user,
            at: received,
            proof: Proof {
                salt,
                committed: canonical(&committed(&messages)),
            },
            messages,
        }))
    }
}
