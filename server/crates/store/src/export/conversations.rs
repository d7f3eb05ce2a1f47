//! The conversations of an export: what came with one request stands together, as its event commits to it.

use domain::{
    Timestamp,
    agent::AgentName,
    conversation::Message,
    id::{ConversationId, MessageId, UserId},
};

use super::{Along, Columns, ExportPart, Next, Proof};
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
    /// The messages.
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
        let Some(next) = self.next_of(part, along)? else {
            return Ok(None);
        };
        let read = COLUMNS.look(sql(MESSAGES).bind(&part.agent), part, &next);
        let mut rows: Vec<Row> = read.all(&mut self.conn).await?;
        let came = rows.len();
        if matches!(next, Next::After(..)) {
            // The look may have ended within a post, which has one commitment.
            let rest = self.rest_of_post(part, rows.last()).await?;
            rows.extend(rest);
        }
        along.came_to(
            came,
            rows.last()
                .map(|row| (row.conversation_id.as_str(), row.position)),
        );
        let agent = part.agent.as_str();
        let owners: Vec<_> = rows
            .iter()
            .map(|row| (agent, row.user_id.as_str()))
            .collect();
        self.open_rows_of(&owners).await?;
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

    async fn rest_of_post(&mut self, part: &ExportPart, last: Option<&Row>) -> Result<Vec<Row>> {
        let Some(last) = last else {
            return Ok(Vec::new());
        };
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
                content: body.content,
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
