//! The chains of an export, event by event as they were hashed, and the rows that are there because of an event alone.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventBody, EventType, GENESIS, hex, leaf_hash},
    erasure::{ErasureCounts, ErasureReason},
    id::{JoinId, PersonId, RequestId, UserId},
    join::JoinState,
};
use serde_json::Value;

use crate::{
    Error, Hold, HoldOn, Join, JoinReasons, Result, Tx,
    column::{at, at_opt, parsed, parsed_opt, to_json},
    statement::sql,
};

/// An event of an export.
#[derive(Debug, Clone)]
pub struct ImportedEvent {
    /// What it says.
    pub body: EventBody,
    /// The same as it was hashed: canonical JSON.
    pub text: String,
}

impl ImportedEvent {
    fn at(&self) -> Result<Timestamp> {
        at(self.body.at_us)
    }

    fn word(&self, name: &str) -> Option<&str> {
        self.body.data.get(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Result<i64> {
        let number = self.body.data.get(name).and_then(Value::as_i64);
        number.ok_or(Error::Corrupt("data of an event"))
    }

    fn user(&self) -> Result<UserId> {
        let user = self.body.user.as_deref();
        parsed(user.ok_or(Error::Corrupt("user of an event"))?)
    }

    fn person(&self) -> Result<Option<PersonId>> {
        let actor = &self.body.actor;
        parsed_opt(actor.id.as_deref().filter(|_| actor.r#type == "person"))
    }
}

impl Tx {
    /// Appends events to the chain of an agent, and makes the rows that are there because of them.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where they do not go on where the chain ends, or say what no event says; [`Error::OutOfScope`]; what the
    /// database answers.
    pub async fn import_events(
        &mut self,
        agent: &AgentName,
        events: &[ImportedEvent],
    ) -> Result<()> {
        const HEAD: &str = "
            select seq, hash
            from heads
            where agent = $1";
        const MOVE: &str = "
            insert into heads (agent, seq, hash)
            values ($1, $2, $3)
            on conflict (agent) do update
            set seq = excluded.seq, hash = excluded.hash";
        const INSERT: &str = "
            insert into events (agent, seq, prev_hash, hash, type, user_id, subject, at, body)
            values ";
        self.inside(agent)?;
        if events.is_empty() {
            return Ok(());
        }
        let head: Option<(i64, Vec<u8>)> = sql(HEAD).bind(agent).optional(&mut self.conn).await?;
        let (mut seq, mut prev) = head.unwrap_or_else(|| (0, GENESIS.to_vec()));
        let mut insert = sql(INSERT);
        for (number, event) in events.iter().enumerate() {
            let body = &event.body;
            let follows =
                body.agent == agent.as_str() && body.seq == seq + 1 && body.prev_hash == hex(&prev);
            if !follows {
                return Err(Error::Corrupt("link of an event"));
            }
            let hash = leaf_hash(&event.text).to_vec();
            insert = insert
                .clause(if number == 0 { "(?" } else { ", (?" }, agent)
                .clause(", ?", body.seq)
                .clause(", ?", prev)
                .clause(", ?", hash.as_slice())
                .clause(", ?", body.r#type.as_str())
                .clause(", ?", body.user.as_deref())
                .clause(", ?", body.subject.as_str())
                .clause(", ?", body.at_us)
                .clause(", ?)", event.text.as_str());
            (seq, prev) = (body.seq, hash);
        }
        insert.run(&mut self.conn).await?;
        sql(MOVE)
            .bind(agent)
            .bind(seq)
            .bind(prev)
            .run(&mut self.conn)
            .await?;
        for event in events {
            self.follow(agent, event).await?;
        }
        Ok(())
    }

    async fn follow(&mut self, agent: &AgentName, event: &ImportedEvent) -> Result<()> {
        match event.body.r#type {
            EventType::AgentCreated => self.date_agent(agent, event.at()?).await,
            EventType::AgentChanged => match event.body.data.get("version").and_then(Value::as_i64)
            {
                Some(version) => self.count_versions(agent, version).await,
                None => Ok(()),
            },
            EventType::AgentRemoved => self.forget_agent(agent).await,
            EventType::ConversationReceived => {
                let (from, messages) = (event.number("from")?, event.number("messages")?);
                let ended = event.number("ended").is_ok_and(|ended| ended == 1);
                let ended_at = ended.then(|| event.at()).transpose()?;
                let conversation = parsed(&event.body.subject)?;
                let user = event.user()?;
                self.import_conversation(
                    (agent, &user, &conversation),
                    from + messages - 1,
                    ended_at,
                    event.at()?,
                )
                .await
            }
            EventType::ConversationRemoved => {
                let conversation = parsed(&event.body.subject)?;
                self.import_removal(agent, &conversation, event.at()?).await
            }
            EventType::HoldPlaced => self.import_hold(agent, event).await,
            EventType::HoldReleased => self.import_release(agent, event).await,
            EventType::UserErased => self.import_erasure(agent, event).await,
            EventType::UserJoinProposed => {
                self.import_join(agent, JoinState::Proposed, event).await
            }
            EventType::UserJoinDeclined => {
                self.import_join(agent, JoinState::Declined, event).await
            }
            EventType::UserJoined => self.import_join(agent, JoinState::Joined, event).await,
            EventType::UserSplit => self.import_join(agent, JoinState::Split, event).await,
            _ => Ok(()),
        }
    }

    /// Whoever was erased stays so: what is left of them is what their event says.
    async fn import_erasure(&mut self, agent: &AgentName, event: &ImportedEvent) -> Result<()> {
        const KNOWN: &str = "
            select at
            from events
            where agent = $1 and subject = $2 and type = 'user.created'
            order by seq desc
            limit 1";
        const SQL: &str = "
            insert into erasures (agent, user_id, mark, known_since, at, person_id, reason, request_id, counts)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let user: UserId = parsed(&event.body.subject)?;
        if self.was_imported(agent, &user).await? {
            return Err(Error::Corrupt("user who was erased"));
        }
        let known: Option<(i64,)> = sql(KNOWN)
            .bind(agent)
            .bind(&user)
            .optional(&mut self.conn)
            .await?;
        let known_since = known.map_or(event.body.at_us, |(known,)| known);
        let counts: ErasureCounts = serde_json::from_value(Value::Object(event.body.data.clone()))
            .map_err(|_| Error::Corrupt("data of an event"))?;
        let reason = event.word("reason").unwrap_or("other");
        let reason: ErasureReason = parsed(reason)?;
        let request: Option<RequestId> = parsed_opt(event.word("request"))?;
        // Their name is known to nobody any more, so this marks nobody who may come back.
        let mark = self
            .vault
            .index
            .hash("erasures.imported", &[agent.as_str(), user.as_str()]);
        sql(SQL)
            .bind(agent)
            .bind(&user)
            .bind(mark)
            .bind(known_since)
            .bind(event.at()?)
            .bind(event.person()?.as_ref())
            .bind(reason.as_str())
            .bind(request.as_ref())
            .bind(to_json(&counts))
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// A legal hold on an agent or on somebody whom it talks to (F9), without its reason, which is in no export. Whoever was erased is
    /// kept by none.
    async fn import_hold(&mut self, agent: &AgentName, event: &ImportedEvent) -> Result<()> {
        let on = match &event.body.user {
            None => HoldOn::Agent(agent.clone()),
            Some(user) => HoldOn::User(agent.clone(), parsed(user)?),
        };
        if let HoldOn::User(_, user) = &on
            && !self.was_imported(agent, user).await?
        {
            return Ok(());
        }
        let until = event.body.data.get("until_us").and_then(Value::as_i64);
        let hold = Hold {
            id: parsed(&event.body.subject)?,
            on,
            reason: String::new(),
            person: event
                .person()?
                .ok_or(Error::Corrupt("person of an event"))?,
            until: at_opt(until)?,
            created_at: event.at()?,
            released: None,
        };
        self.write_hold(&hold).await
    }

    async fn import_release(&mut self, agent: &AgentName, event: &ImportedEvent) -> Result<()> {
        const SQL: &str = "
            update holds
            set released_at = $1, released_by = $2
            where agent = $3 and id = $4";
        let person = event
            .person()?
            .ok_or(Error::Corrupt("person of an event"))?;
        sql(SQL)
            .bind(event.at()?)
            .bind(&person)
            .bind(agent)
            .bind(event.body.subject.as_str())
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Of an agent that was removed nothing is left but its chain, which goes on where one of its name is made anew.
    async fn forget_agent(&mut self, agent: &AgentName) -> Result<()> {
        for forget in [
            "delete from erasures where agent = $1",
            "delete from holds where agent = $1",
        ] {
            sql(forget).bind(agent).run(&mut self.conn).await?;
        }
        Ok(())
    }

    /// What became of a join (G15). It is told once of each of the two: the second time changes nothing. The reasons are in no export.
    async fn import_join(
        &mut self,
        agent: &AgentName,
        state: JoinState,
        event: &ImportedEvent,
    ) -> Result<()> {
        const NEW: &str = "
            insert into joins
              (agent, id, guest_id, main_id, state, version, actor, actor_id, created_at, decided_by, decided_at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            on conflict (agent, id) do nothing";
        const MOVE: &str = "
            update joins
            set state = $1, version = $2, decided_by = $3, decided_at = $4
            where agent = $5 and id = $6 and version < $2";
        let id: JoinId = parsed(&event.body.subject)?;
        let named = |name: &str| -> Result<UserId> {
            parsed(event.word(name).ok_or(Error::Corrupt("data of an event"))?)
        };
        let (guest, main) = (named("guest")?, named("main")?);
        if !self.was_imported(agent, &guest).await? || !self.was_imported(agent, &main).await? {
            // It went with whoever was erased.
            return Ok(());
        }
        let version = event.number("version")?;
        let at = event.at()?;
        // Who proposes has decided nothing.
        let decided = version > 1 || state == JoinState::Joined;
        let by = event.person()?.filter(|_| decided);
        let decided_at = by.as_ref().map(|_| at);
        let join = Join {
            agent: agent.clone(),
            id,
            guest,
            main,
            state,
            version,
            by: event.body.actor.clone(),
            created_at: at,
            decided: None,
            reasons: JoinReasons::default(),
        };
        let sealed = self.seal_reasons(&join).await?;
        sql(NEW)
            .bind(agent)
            .bind(&join.id)
            .bind(&join.guest)
            .bind(&join.main)
            .bind(state.as_str())
            .bind(version)
            .bind(join.by.r#type.as_str())
            .bind(join.by.id.clone())
            .bind(at)
            .bind(by.as_ref())
            .bind(decided_at)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        sql(MOVE)
            .bind(state.as_str())
            .bind(version)
            .bind(by.as_ref())
            .bind(decided_at)
            .bind(agent)
            .bind(&join.id)
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}
