//! Conversations and their messages.

use std::ops::Range;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventType, commitment, hex},
    conversation::{Conversation, Message, NewMessage},
    id::{ConversationId, MessageId, UserId},
    secret,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, at_opt, canonical, parsed, us},
    events::Telling,
    seal::Place,
    statement::{ScopeColumn, sql},
};

#[derive(Serialize, Deserialize)]
pub(crate) struct SealedConversation {
    pub external_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct SealedMessage {
    pub content: String,
    pub external_id: Option<String>,
    /// The salt of the commitment to the post that it came with, as hex.
    pub salt: String,
    /// Where its secrets were found when it came, in code points: the commitment is to the text without them, so that an export can
    /// prove it and does not give them away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Range<usize>>,
}

/// A message on its way in, and where its words hold secrets: that is looked for before a transaction is open, because the longer a
/// message is, the longer it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct SentMessage {
    message: NewMessage,
    /// In code points.
    secrets: Vec<Range<usize>>,
}

impl std::ops::Deref for SentMessage {
    type Target = NewMessage;

    fn deref(&self) -> &NewMessage {
        &self.message
    }
}

impl From<NewMessage> for SentMessage {
    fn from(message: NewMessage) -> Self {
        Self {
            secrets: secret::spans(&message.content),
            message,
        }
    }
}

/// With which request a message came.
pub(crate) struct Came<'a> {
    pub agent: &'a AgentName,
    pub conversation: &'a ConversationId,
    pub user: &'a UserId,
    /// The position of the first message of the request.
    pub post: i64,
    pub at: Timestamp,
    /// Of the commitment to what came with the request, as hex.
    pub salt: &'a str,
    /// Where its words hold secrets, in code points.
    pub secrets: &'a [Range<usize>],
}

#[derive(sqlx::FromRow)]
pub(crate) struct ConversationRow {
    agent: String,
    id: String,
    user_id: String,
    time_zone: Option<String>,
    messages: i64,
    extracted_upto: i64,
    ended_at: Option<i64>,
    created_at: i64,
    sealed: Vec<u8>,
}

#[derive(sqlx::FromRow)]
struct MessageRow {
    position: i64,
    id: String,
    role: String,
    source: String,
    at: i64,
    sealed: Vec<u8>,
}

pub(crate) const CONVERSATIONS: &str = "
    select agent, id, user_id, time_zone, messages, extracted_upto, ended_at, created_at, sealed
    from conversations
    where true";

const MESSAGES: &str = "
    select position, id, role, source, at, sealed
    from messages
    where agent = $1 and conversation_id = $2";

impl Tx {
    /// A conversation within the scope.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn conversation(&mut self, id: &ConversationId) -> Result<Option<Conversation>> {
        let rows: Vec<ConversationRow> = sql(CONVERSATIONS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .all(&mut self.conn)
            .await?;
        Ok(self.conversations_from(rows).await?.pop())
    }

    /// The conversation that an agent calls `external`.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn find_conversation(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        external: &str,
    ) -> Result<Option<Conversation>> {
        self.inside(agent)?;
        let lookup = self
            .user_key(agent, user)
            .await?
            .hash("conversations.external_lookup", &[external]);
        let rows: Vec<ConversationRow> = sql(CONVERSATIONS)
            .clause(" and agent = ?", agent)
            .clause(" and user_id = ?", user)
            .clause(" and external_lookup = ?", lookup)
            .all(&mut self.conn)
            .await?;
        Ok(self.conversations_from(rows).await?.pop())
    }

    /// The conversations of a user, newest first, but for those that retention removed.
    ///
    /// # Errors
    /// [`Error::Cursor`]; [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn conversations_of(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        page: &Page,
    ) -> Result<Listed<Conversation>> {
        self.inside(agent)?;
        let rows: Vec<ConversationRow> = sql(CONVERSATIONS)
            .clause(" and agent = ?", agent)
            .clause(" and user_id = ?", user)
            .push(" and removed_at is null")
            .clause_if(
                " and id < ?",
                page.after(ConversationId::PREFIX)?
                    .map(|after| after.id.as_str()),
            )
            .clause(" order by id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let conversations = self.conversations_from(rows).await?;
        Ok(Listed::cut(conversations, page, |conversation| {
            Cursor::id(conversation.id.as_str())
        }))
    }

    /// Makes a conversation without messages.
    ///
    /// # Errors
    /// [`Error::Exists`] where the agent's own id is taken; [`Error::OutOfScope`]; [`Error::Erased`].
    pub async fn create_conversation(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        external: Option<&str>,
        time_zone: Option<&str>,
        now: Timestamp,
    ) -> Result<Conversation> {
        const SQL: &str = "
            insert into conversations
              (agent, id, user_id, external_lookup, time_zone, messages, extracted_upto, created_at, updated_at, sealed)
            values ($1, $2, $3, $4, $5, 0, 0, $6, $7, $8)";
        self.lock_user(agent, user).await?;
        let id = ConversationId::new(now, self.entropy());
        let key = self.user_key(agent, user).await?;
        let body = SealedConversation {
            external_id: external.map(str::to_owned),
        };
        let sealed = key.seal_json(conversation_place(agent, &id), &body, self.entropy());
        sql(SQL)
            .bind(agent)
            .bind(&id)
            .bind(user)
            .bind(external.map(|external| key.hash("conversations.external_lookup", &[external])))
            .bind(time_zone)
            .bind(now)
            .bind(now)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        Ok(Conversation {
            agent: agent.clone(),
            id,
            user: user.clone(),
            external_id: external.map(str::to_owned),
            time_zone: time_zone.map(str::to_owned),
            messages: 0,
            extracted_upto: 0,
            ended_at: None,
            created_at: now,
        })
    }

    /// Takes messages in at the end of a conversation, and notes its end. Messages behind an end open the conversation again until
    /// it ends anew. The conversation must be read under the user's lock in this transaction. Without messages and without a new end
    /// it does nothing.
    ///
    /// # Errors
    /// [`Error::Stale`] where messages came in between; [`Error::Exists`] where a message id is taken; [`Error::Erased`].
    pub async fn receive(
        &mut self,
        conversation: &Conversation,
        new: &[SentMessage],
        end: bool,
        stamp: &Stamp,
    ) -> Result<(Conversation, Vec<Message>)> {
        const MOVE: &str = "
            update conversations
            set messages = $1, ended_at = $2, updated_at = $3
            where agent = $4 and id = $5 and messages = $6";
        let Conversation {
            agent, id, user, ..
        } = conversation;
        self.lock_user(agent, user).await?;
        let ends = end && (conversation.ended_at.is_none() || !new.is_empty());
        if new.is_empty() && !ends {
            return Ok((conversation.clone(), Vec::new()));
        }
        let first = conversation.messages + 1;
        let salt = self.salt();
        let mut messages = Vec::with_capacity(new.len());
        let mut without_secrets = Vec::with_capacity(new.len());
        for (position, sent) in (first..).zip(new) {
            let message = self
                .insert_message(conversation, position, first, sent, &salt, stamp)
                .await?;
            without_secrets.push(Message {
                content: secret::mask_at(&message.content, &sent.secrets),
                ..message.clone()
            });
            messages.push(message);
        }
        let mut after = conversation.clone();
        after.messages += messages.len() as i64;
        after.ended_at = ends.then_some(stamp.now);
        let touched = sql(MOVE)
            .bind(after.messages)
            .bind(after.ended_at)
            .bind(stamp.now)
            .bind(agent)
            .bind(id)
            .bind(conversation.messages)
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::Stale);
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type: EventType::ConversationReceived,
                user: Some(user),
                subject: id.as_str(),
                data: json!({ "from": first, "messages": messages.len(), "ended": i64::from(ends) }),
                commitment: (!messages.is_empty())
                    .then(|| commitment(&salt, &canonical(&committed(&without_secrets)))),
            },
        );
        Ok((after, messages))
    }

    /// The messages that an agent has sent under these ids before.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn known_messages(
        &mut self,
        conversation: &Conversation,
        external_ids: &[&str],
    ) -> Result<Vec<Message>> {
        if external_ids.is_empty() {
            return Ok(Vec::new());
        }
        let key = self
            .user_key(&conversation.agent, &conversation.user)
            .await?;
        let lookups = external_ids
            .iter()
            .map(|external| key.hash("messages.external_lookup", &[external]));
        let rows: Vec<MessageRow> = sql(MESSAGES)
            .bind(&conversation.agent)
            .bind(&conversation.id)
            .clause_in(" and external_lookup in (", lookups)
            .push(" order by position")
            .all(&mut self.conn)
            .await?;
        self.messages_from(conversation, rows).await
    }

    /// The last `count` messages, oldest first.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn tail(&mut self, conversation: &Conversation, count: i64) -> Result<Vec<Message>> {
        self.messages(
            conversation,
            conversation.messages - count + 1,
            conversation.messages,
        )
        .await
    }

    /// The messages from one position to another, both included.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn messages(
        &mut self,
        conversation: &Conversation,
        from: i64,
        upto: i64,
    ) -> Result<Vec<Message>> {
        let rows: Vec<MessageRow> = sql(MESSAGES)
            .bind(&conversation.agent)
            .bind(&conversation.id)
            .clause(" and position >= ?", from)
            .clause(" and position <= ?", upto)
            .push(" order by position")
            .all(&mut self.conn)
            .await?;
        self.messages_from(conversation, rows).await
    }

    /// One message.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn message(
        &mut self,
        conversation: &Conversation,
        id: &MessageId,
    ) -> Result<Option<Message>> {
        let rows: Vec<MessageRow> = sql(MESSAGES)
            .bind(&conversation.agent)
            .bind(&conversation.id)
            .clause(" and id = ?", id)
            .all(&mut self.conn)
            .await?;
        Ok(self.messages_from(conversation, rows).await?.pop())
    }

    /// When retention took the words out of a conversation; `None`: they are there.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn conversation_removed_at(
        &mut self,
        conversation: &Conversation,
    ) -> Result<Option<Timestamp>> {
        const SQL: &str = "
            select removed_at
            from conversations
            where agent = $1 and id = $2";
        self.inside(&conversation.agent)?;
        let row: Option<(Option<i64>,)> = sql(SQL)
            .bind(&conversation.agent)
            .bind(&conversation.id)
            .optional(&mut self.conn)
            .await?;
        at_opt(row.and_then(|(at,)| at))
    }

    /// Takes everything that was said out of a conversation to which nothing came since `before`; false where something did. What stays
    /// is that there was one, so that what was extracted from it still says where it is from.
    pub(crate) async fn empty_conversation(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        id: &ConversationId,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<bool> {
        const EMPTY: &str = "
            update conversations
            set removed_at = $1, external_lookup = null, time_zone = null, sealed = $2
            where agent = $3 and id = $4 and updated_at < $5 and removed_at is null";
        const MESSAGES: &str = "
            delete from messages
            where agent = $1 and conversation_id = $2";
        self.lock_user(agent, user).await?;
        let body = SealedConversation { external_id: None };
        let sealed = self.user_key(agent, user).await?.seal_json(
            conversation_place(agent, id),
            &body,
            self.entropy(),
        );
        let emptied = sql(EMPTY)
            .bind(now)
            .bind(sealed)
            .bind(agent)
            .bind(id)
            .bind(before)
            .run(&mut self.conn)
            .await?;
        if emptied == 0 {
            return Ok(false);
        }
        sql(MESSAGES)
            .bind(agent)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        Ok(true)
    }

    async fn insert_message(
        &mut self,
        conversation: &Conversation,
        position: i64,
        post: i64,
        sent: &SentMessage,
        salt: &[u8; 32],
        stamp: &Stamp,
    ) -> Result<Message> {
        let new: &NewMessage = sent;
        let message = Message {
            id: MessageId::new(stamp.now, self.entropy()),
            position,
            role: new.role,
            source: new.source,
            at: domain::time::micros(new.at.unwrap_or(stamp.now)),
            external_id: new.external_id.clone(),
            content: new.content.clone(),
        };
        let came = Came {
            agent: &conversation.agent,
            conversation: &conversation.id,
            user: &conversation.user,
            post,
            at: stamp.now,
            salt: &hex(salt),
            secrets: &sent.secrets,
        };
        self.write_message(&message, &came).await?;
        Ok(message)
    }

    /// Writes the row of a message.
    pub(crate) async fn write_message(&mut self, message: &Message, came: &Came<'_>) -> Result<()> {
        const SQL: &str = "
            insert into messages
              (agent, conversation_id, position, id, user_id, external_lookup, role, source, at, received_at, post, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        let key = self.user_key(came.agent, came.user).await?;
        let body = SealedMessage {
            content: message.content.clone(),
            external_id: message.external_id.clone(),
            salt: came.salt.to_owned(),
            secrets: came.secrets.to_vec(),
        };
        let place = message_place(came.agent, &message.id);
        let sealed = key.seal_json(place, &body, self.entropy());
        let lookup = message
            .external_id
            .as_deref()
            .map(|external| key.hash("messages.external_lookup", &[external]));
        sql(SQL)
            .bind(came.agent)
            .bind(came.conversation)
            .bind(message.position)
            .bind(&message.id)
            .bind(came.user)
            .bind(lookup)
            .bind(message.role.as_str())
            .bind(message.source.as_str())
            .bind(message.at)
            .bind(came.at)
            .bind(came.post)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
            .map_err(Error::taken)
    }

    /// Opens the rows of conversations, in their order.
    pub(crate) async fn conversations_from(
        &mut self,
        rows: Vec<ConversationRow>,
    ) -> Result<Vec<Conversation>> {
        self.load_keys_of(
            rows.iter()
                .map(|row| (row.agent.as_str(), row.user_id.as_str())),
        )
        .await?;
        let mut conversations = Vec::with_capacity(rows.len());
        for row in rows {
            let agent: AgentName = parsed(&row.agent)?;
            let id: ConversationId = parsed(&row.id)?;
            let user: UserId = parsed(&row.user_id)?;
            let key = self.user_key(&agent, &user).await?;
            let body: SealedConversation =
                key.open_json(conversation_place(&agent, &id), &row.sealed)?;
            conversations.push(Conversation {
                agent,
                id,
                user,
                external_id: body.external_id,
                time_zone: row.time_zone,
                messages: row.messages,
                extracted_upto: row.extracted_upto,
                ended_at: at_opt(row.ended_at)?,
                created_at: at(row.created_at)?,
            });
        }
        Ok(conversations)
    }

    async fn messages_from(
        &mut self,
        conversation: &Conversation,
        rows: Vec<MessageRow>,
    ) -> Result<Vec<Message>> {
        let key = self
            .user_key(&conversation.agent, &conversation.user)
            .await?;
        rows.into_iter()
            .map(|row| {
                let id: MessageId = parsed(&row.id)?;
                let body: SealedMessage =
                    key.open_json(message_place(&conversation.agent, &id), &row.sealed)?;
                Ok(Message {
                    id,
                    position: row.position,
                    role: parsed(&row.role)?,
                    source: parsed(&row.source)?,
                    at: at(row.at)?,
                    external_id: body.external_id,
                    content: body.content,
                })
            })
            .collect()
    }
}

/// What the event of a post commits to. The messages are without their secrets.
pub(crate) fn committed(messages: &[Message]) -> serde_json::Value {
    let one = |message: &Message| {
        json!({
            "id": message.id,
            "position": message.position,
            "role": message.role,
            "source": message.source,
            "at_us": us(message.at),
            "external_id": message.external_id,
            "content": message.content,
        })
    };
    messages.iter().map(one).collect()
}

pub(crate) fn conversation_place<'a>(agent: &'a AgentName, id: &'a ConversationId) -> Place<'a> {
    Place::new("conversations.sealed", agent.as_str(), id.as_str())
}

pub(crate) fn message_place<'a>(agent: &'a AgentName, id: &'a MessageId) -> Place<'a> {
    Place::new("messages.sealed", agent.as_str(), id.as_str())
}
