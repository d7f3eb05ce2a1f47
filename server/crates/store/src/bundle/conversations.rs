//! The conversations of an export. That there is one, how long it is and whether it ended, events tell; a post brings the messages. What
//! the agent called a conversation, and its time zone, are in no export.

use domain::{
    Timestamp,
    agent::AgentName,
    conversation::{Message, Role, Source},
    id::{ConversationId, MessageId, UserId},
};
use serde::Deserialize;

use super::{same, text};
use crate::{
    Error, Proof, Result, Tx,
    column::at,
    conversations::{Came, SealedConversation, committed, conversation_place},
    statement::sql,
};

/// What came with one request, as an export has it.
#[derive(Debug, Clone)]
pub struct ImportedPost {
    /// The agent.
    pub agent: AgentName,
    /// To which conversation.
    pub conversation: ConversationId,
    /// With whom.
    pub user: UserId,
    /// When it came.
    pub at: Timestamp,
    /// The messages.
    pub proof: Proof,
}

/// A message as it is committed to.
#[derive(Deserialize)]
struct Said {
    id: MessageId,
    position: i64,
    role: Role,
    source: Source,
    at_us: i64,
    external_id: Option<String>,
    content: String,
}

impl Tx {
    /// Takes the messages of a post in. All that was said counts as read: what was to be proposed of it is in the export.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; [`Error::Erased`] where nobody of that id was taken in; [`Error::OutOfScope`]; what the database answers.
    pub async fn import_post(&mut self, post: &ImportedPost) -> Result<()> {
        self.inside(&post.agent)?;
        let said: Vec<Said> = text(&post.proof)?;
        let messages = said
            .into_iter()
            .map(|said| {
                Ok(Message {
                    id: said.id,
                    position: said.position,
                    role: said.role,
                    source: said.source,
                    at: at(said.at_us)?,
                    external_id: said.external_id,
                    content: said.content,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        same(&post.proof, &committed(&messages))?;
        let first = messages
            .first()
            .ok_or(Error::Corrupt("messages of a post"))?;
        let came = Came {
            agent: &post.agent,
            conversation: &post.conversation,
            user: &post.user,
            post: first.position,
            at: post.at,
            salt: &post.proof.salt,
            // Where an export left secrets out, the text holds none any more; one of before that holds them, and what it committed to
            // does too, so an export that is made here must not leave them out either.
            secrets: &[],
        };
        for message in &messages {
            self.write_message(message, &came).await?;
        }
        Ok(())
    }

    /// Makes a conversation, or lets it grow to so many messages. One with somebody who is gone is gone.
    pub(super) async fn import_conversation(
        &mut self,
        (agent, user, id): (&AgentName, &UserId, &ConversationId),
        messages: i64,
        ended_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into conversations
              (agent, id, user_id, messages, extracted_upto, ended_at, created_at, updated_at, sealed)
            values ($1, $2, $3, $4, $4, $5, $6, $6, $7)
            on conflict (agent, id) do update
            set messages = excluded.messages, extracted_upto = excluded.extracted_upto, ended_at = excluded.ended_at,
                updated_at = excluded.updated_at";
        if !self.was_imported(agent, user).await? {
            return Ok(());
        }
        let body = SealedConversation { external_id: None };
        let key = self.user_key(agent, user).await?;
        let sealed = key.seal_json(conversation_place(agent, id), &body, self.entropy());
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(user)
            .bind(messages)
            .bind(ended_at)
            .bind(now)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Notes that retention took the words out of a conversation.
    pub(super) async fn import_removal(
        &mut self,
        agent: &AgentName,
        id: &ConversationId,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update conversations
            set removed_at = $1
            where agent = $2 and id = $3";
        sql(SQL)
            .bind(now)
            .bind(agent)
            .bind(id)
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}
