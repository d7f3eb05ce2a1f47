//! Messages of a conversation come in (`POST /conversations`): what is known is left, the rest is stored, and the extraction that
//! will read it is queued, in one transaction. The request never waits for the extraction (A2).

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::{AgentName, AgentSettings, ExtractionTrigger},
    conversation::{Conversation, Message, NewMessage},
    id::{ConversationId, OperationId},
    permission::{Permission, Permit},
    time::Span,
    user::Scope,
};
use serde::Serialize;
use store::{JobState, Operation, SentMessage, Skipped, Stamp, Tx};

use crate::{
    Engine, again,
    error::{EngineError, FieldError, Result},
    need, opt_out,
};

/// A post of messages. Sizes, roles and ids are checked at the border.
#[derive(Debug, Clone)]
pub struct Incoming {
    /// Whom the agent talks to.
    pub scope: Scope,
    /// The agent's own id of the conversation; `None`: a new one.
    pub conversation_id: Option<String>,
    /// The messages, oldest first; empty only with `end` or `flush`.
    pub messages: Vec<NewMessage>,
    /// IANA name of the zone in which relative dates are meant.
    pub time_zone: Option<String>,
    /// Whether the conversation is over.
    pub end: bool,
    /// Whether to extract at once.
    pub flush: bool,
}

/// What was taken.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Accepted {
    /// The conversation; `None` where nothing is stored.
    pub conversation: Option<ConversationId>,
    /// What will read it.
    pub operation: OperationId,
    /// How many messages are new.
    pub accepted: u32,
    /// How many were known.
    pub known: u32,
    /// Why nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<&'static str>,
    /// Fields that were ignored.
    pub warnings: Vec<String>,
}

impl Incoming {
    /// The most messages of one post.
    pub const MOST_MESSAGES: usize = 500;
    /// The most bytes of one message.
    pub const MOST_BYTES: usize = 32 * 1024;

    fn check(&self) -> Result<()> {
        let mut wrong = Vec::new();
        if self.messages.is_empty() && !self.end && !self.flush {
            wrong.push(FieldError::new(
                "/messages",
                "required",
                "messages may be empty only with \"end\" or \"flush\"",
            ));
        }
        if self.messages.len() > Self::MOST_MESSAGES {
            wrong.push(FieldError::new(
                "/messages",
                "too_long",
                "at most 500 messages a call",
            ));
        }
        for (at, message) in self.messages.iter().enumerate() {
            if message.content.len() > Self::MOST_BYTES {
                wrong.push(FieldError::new(
                    format!("/messages/{at}/content"),
                    "too_long",
                    "a message has at most 32 KiB",
                ));
            }
            if message.content.contains('\0') {
                wrong.push(FieldError::new(
                    format!("/messages/{at}/content"),
                    "control",
                    "a message holds no NUL character",
                ));
            }
            if message.external_id.as_ref().is_some_and(|id| !fits_id(id)) {
                wrong.push(FieldError::new(
                    format!("/messages/{at}/id"),
                    "length",
                    ID_RULE,
                ));
            }
        }
        if self.conversation_id.as_ref().is_some_and(|id| !fits_id(id)) {
            wrong.push(FieldError::new("/conversation_id", "length", ID_RULE));
        }
        if self
            .time_zone
            .as_ref()
            .is_some_and(|zone| zone.parse::<chrono_tz::Tz>().is_err())
        {
            wrong.push(FieldError::new(
                "/time_zone",
                "unknown",
                "a time zone is an IANA name like \"Asia/Tokyo\"",
            ));
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(EngineError::Invalid(wrong))
        }
    }
}

const ID_RULE: &str = "an id has 1 to 256 characters, without control characters";

/// Whether an id that somebody else gives out can be kept.
pub(crate) fn fits_id(id: &str) -> bool {
    (1..=256).contains(&id.chars().count()) && !id.chars().any(char::is_control)
}

impl Engine {
    /// Takes messages in.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for sizes and names, [`EngineError::MessageChanged`] where a known message comes with other words.
    pub async fn ingest(
        &self,
        permit: &Permit,
        agent: &AgentName,
        incoming: Incoming,
    ) -> Result<Accepted> {
        need(permit, &[Permission::Ingest])?;
        incoming.check()?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        let sent: Vec<_> = incoming
            .messages
            .iter()
            .cloned()
            .map(SentMessage::from)
            .collect();
        again!(self.ingest_once(&permit, agent, &incoming, &sent).await)
    }

    async fn ingest_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        incoming: &Incoming,
        sent: &[SentMessage],
    ) -> Result<Accepted> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        if let (_, Some(why)) = learns(&mut tx, agent, &incoming.scope).await? {
            return skip(tx, agent, why, &stamp).await;
        }
        let user = tx.ensure_user(agent, &incoming.scope, &stamp).await?;
        // Two posts of the same messages at once: the second looks for what is known only after the first has committed.
        tx.lock_user(agent, &user.id).await?;
        // Who opted out while this waited for the lock has opted out.
        let (settings, skipped) = learns(&mut tx, agent, &incoming.scope).await?;
        if let Some(why) = skipped {
            return skip(tx, agent, why, &stamp).await;
        }
        let external = incoming.conversation_id.as_deref();
        let found = match external {
            Some(external) => tx.find_conversation(agent, &user.id, external).await?,
            None => None,
        };
        let conversation = match found {
            Some(conversation) => conversation,
            None => {
                tx.create_conversation(
                    agent,
                    &user.id,
                    external,
                    incoming.time_zone.as_deref(),
                    stamp.now,
                )
                .await?
            }
        };
        let new = unknown(&mut tx, &conversation, sent).await?;
        let known = sent.len() - new.len();
        let ends = incoming.end && conversation.ended_at.is_none();
        let (conversation, stored) = tx
            .receive(&conversation, &new, incoming.end, &stamp)
            .await?;

        let last = tx.last_operation(&conversation).await?;
        let operation = match last {
            Some(last) if covers(&last, &conversation, incoming, ends) => last,
            last => {
                let due = if incoming.end || incoming.flush {
                    Some(stamp.now)
                } else {
                    due(&settings.trigger, last.as_ref(), &conversation, stamp.now)
                };
                tx.enqueue_extract(&conversation, conversation.messages, due, &stamp)
                    .await?
            }
        };
        tx.commit().await?;
        Ok(Accepted {
            conversation: Some(conversation.id),
            operation: operation.id,
            accepted: u32::try_from(stored.len()).unwrap_or(u32::MAX),
            known: u32::try_from(known).unwrap_or(u32::MAX),
            skipped: None,
            warnings: Vec::new(),
        })
    }
}

/// The settings of the agent, and why nothing is learnt about who is called so.
async fn learns(
    tx: &mut Tx,
    agent: &AgentName,
    scope: &Scope,
) -> Result<(AgentSettings, Option<Skipped>)> {
    let agent = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
    let skipped = if agent.settings.learn {
        opt_out::left_alone(tx, &agent.name, &agent.settings, scope).await?
    } else {
        Some(Skipped::MemoryOff)
    };
    Ok((agent.settings, skipped))
}

/// Takes nothing in, and says why.
async fn skip(mut tx: Tx, agent: &AgentName, why: Skipped, stamp: &Stamp) -> Result<Accepted> {
    let operation = tx.skipped_operation(agent, why, stamp).await?;
    tx.commit().await?;
    Ok(Accepted {
        conversation: None,
        operation: operation.id,
        accepted: 0,
        known: 0,
        skipped: Some(why.as_str()),
        warnings: Vec::new(),
    })
}

/// Whether the last operation already stands for everything, so that this post changes nothing about when it runs. The end of a
/// conversation is news of its own: what was claimed before did not know of it, and a summary waits for it (C4).
fn covers(last: &Operation, conversation: &Conversation, incoming: &Incoming, ends: bool) -> bool {
    let hurry = incoming.end || incoming.flush;
    let waits_unclaimed = last.state == JobState::Queued && last.attempt == 0;
    last.upto >= conversation.messages && !ends && !(hurry && waits_unclaimed)
}

/// When what is new is read, where nobody asks for it now (C2, D10): at once by count, else when the first trigger is due; `None`
/// where none is on.
fn due(
    trigger: &ExtractionTrigger,
    last: Option<&Operation>,
    conversation: &Conversation,
    now: Timestamp,
) -> Option<Timestamp> {
    // What a running job reads already does not count.
    let reading = last.filter(|last| last.state == JobState::Running);
    let read_upto = reading.map_or(conversation.extracted_upto, |last| {
        last.upto.max(conversation.extracted_upto)
    });
    let waiting = conversation.messages - read_upto;
    if trigger
        .messages
        .is_some_and(|messages| waiting >= i64::from(messages))
    {
        return Some(now);
    }
    // The job that nobody has claimed was made when the first message came that was not read yet.
    let first = last
        .filter(|last| last.state == JobState::Queued && last.attempt == 0)
        .map_or(now, |last| last.created_at);
    let after = |from: Timestamp, seconds: Option<u32>| {
        seconds.map(|seconds| from + Span::seconds(i64::from(seconds)))
    };
    let quiet = after(now, trigger.quiet_seconds);
    let interval = after(first, trigger.interval_seconds);
    [quiet, interval]
        .into_iter()
        .flatten()
        .min()
        .map(|due| due.max(now))
}

fn equal(stored: &Message, sent: &NewMessage) -> bool {
    let same_words = stored.role == sent.role && stored.content == sent.content;
    match (&stored.external_id, &sent.external_id) {
        (Some(stored), Some(sent)) => stored == sent && same_words,
        _ => same_words,
    }
}

/// The messages that are not stored yet. A known id is known; without ids the longest stored tail that equals the head of the
/// request is known; and what follows a known message in both is known too.
async fn unknown(
    tx: &mut Tx,
    conversation: &Conversation,
    sent: &[SentMessage],
) -> Result<Vec<SentMessage>> {
    let mut by_id: BTreeMap<String, Message> = BTreeMap::new();
    let ids: Vec<&str> = sent
        .iter()
        .filter_map(|message| message.external_id.as_deref())
        .collect();
    if !ids.is_empty() && conversation.messages > 0 {
        for message in tx.known_messages(conversation, &ids).await? {
            by_id.extend(message.external_id.clone().map(|id| (id, message)));
        }
    }
    let length = i64::try_from(sent.len())
        .unwrap_or(i64::MAX)
        .min(conversation.messages);
    let tail = if length > 0 {
        tx.tail(conversation, length).await?
    } else {
        Vec::new()
    };
    let overlap = (0..=tail.len())
        .rev()
        .find(|&length| {
            tail[tail.len() - length..]
                .iter()
                .zip(sent)
                .all(|(stored, sent)| equal(stored, sent))
        })
        .unwrap_or(0);

    let mut new: Vec<SentMessage> = Vec::new();
    let mut seen: BTreeMap<&str, &NewMessage> = BTreeMap::new();
    // The position of the stored message that the message before was equal to.
    let mut follows: Option<i64> = None;
    for (at, message) in sent.iter().enumerate() {
        if let Some(id) = message.external_id.as_deref() {
            let changed = || EngineError::MessageChanged { id: id.to_owned() };
            if let Some(stored) = by_id.get(id) {
                if !equal(stored, message) {
                    return Err(changed());
                }
                follows = Some(stored.position);
                continue;
            }
            if let Some(twin) = seen.insert(id, message) {
                if twin.role != message.role || twin.content != message.content {
                    return Err(changed());
                }
                continue;
            }
        }
        if at < overlap {
            follows = Some(tail[tail.len() - overlap + at].position);
            continue;
        }
        if let (None, Some(position)) = (&message.external_id, follows)
            && position < conversation.messages
        {
            let next = tx
                .messages(conversation, position + 1, position + 1)
                .await?;
            if next.first().is_some_and(|stored| equal(stored, message)) {
                follows = Some(position + 1);
                continue;
            }
        }
        follows = None;
        new.push(message.clone());
    }
    Ok(new)
}
