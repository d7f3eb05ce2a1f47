//! Demo data: an agent of its own with three made-up people, to look around with. Everything in it came the way it always comes:
//! proposals, decisions, served contexts and conversations go through the use cases, and the built-in extractor reads the conversations
//! whatever model the installation has.
//!
//! What is said to have happened before today is done by an engine beside this one whose clock stands there, so that some of what waits
//! is about to expire. The times in the chain of this one agent are those that the demo tells.
//!
//! Filling takes seconds and many transactions, so it is held by whoever does it, and what died in the middle is told anew from the
//! beginning: later deeds speak of memories that only the filling that made them knows by name.

mod script;

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Timestamp,
    agent::{AgentName, AgentSettings},
    candidate::{Action, Evidence, Proposal, Reason, Target},
    conversation::{NewMessage, Role, Source},
    id::MemoryId,
    kind::Kind,
    permission::{Actor, Permission, Permit},
    render::Layout,
    text,
    time::Span,
    user::Scope,
};
use tokio::task::JoinError;

use self::script::{Deed, Merges, Person, Proposes, Said, Then, people, profile};
use crate::{
    ContextRequest, Engine, Extractors, Incoming, ManualClock, ProposeAnswer, Proposed, again,
    error::{EngineError, Result},
    need,
    review::Approval,
};

/// The schema of the profiles.
const SCHEMA: &str = "user-profile";

/// The user and the conversation that are told last: where that is there, all of the demo is.
const LAST: (&str, &str) = ("demo-xiaoyun", "xiaoyun-zao");

/// How long filling is held at a time. It is held anew before each deed, so that what died is soon free.
const HOLD: Span = Span::seconds(30);

/// Who fills.
type Token = [u8; 32];

/// What came of filling the demo in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filled {
    /// All of it is there.
    Whole,
    /// Somebody else is filling it in.
    Underway,
}

fn name() -> AgentName {
    AgentName::parse("demo").expect("a name of an agent")
}

/// What Keepsake itself may do to the demo's agent.
fn ours(permission: Permission) -> Permit {
    let system = Permit::ask(Actor::System, permission).expect("the system may do everything");
    system.within(&name()).expect("every agent is in its reach")
}

impl Engine {
    /// Whether the agent with made-up people is there.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn has_demo(&self, permit: &Permit) -> Result<bool> {
        Ok(self.read(permit).await?.is_demo(&name()).await? == Some(true))
    }

    /// Whether all that the demo tells is there.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn demo_is_whole(&self, permit: &Permit) -> Result<bool> {
        let (demo, (user, conversation)) = (name(), LAST);
        let mut tx = self.read(permit).await?;
        if tx.is_demo(&demo).await? != Some(true) {
            return Ok(false);
        }
        let Some(user) = tx.find_user(&demo, &scope(user)?).await? else {
            return Ok(false);
        };
        let last = tx.find_conversation(&demo, &user.id, conversation).await?;
        Ok(last.is_some())
    }

    /// Fills the agent with made-up people. Where all of it is there already, nothing is done; what is half there is completed.
    ///
    /// # Errors
    /// [`EngineError::NameTaken`] where an agent of that name is the installation's own.
    pub async fn fill_demo(&self, permit: &Permit) -> Result<Filled> {
        need(permit, &[Permission::Administer])?;
        let permit = permit.within(&name()).ok_or(EngineError::NotFound)?;
        if self.demo_is_whole(&permit).await? {
            return Ok(Filled::Whole);
        }
        let mut token: Token = [0; 32];
        self.entropy().fill(&mut token);
        if !again!(self.take_filling(&token).await)? {
            return Ok(Filled::Underway);
        }
        let engine = self.clone();
        // The browser of who presses twice gives its first request up; what that began goes on.
        let work = tokio::spawn(async move {
            let filled = engine.fill(&permit, &token).await;
            if let Err(error) = again!(engine.end_filling(&token).await) {
                tracing::warn!(%error, "the hold on the demo could not be given back; it runs out by itself");
            }
            filled
        });
        let stopped = |error: JoinError| EngineError::Internal(Box::new(error));
        match work.await.map_err(stopped)? {
            Ok(()) => Ok(Filled::Whole),
            Err(error) if error.is_lost_claim() => Ok(Filled::Underway),
            Err(error) => Err(error),
        }
    }

    async fn fill(&self, permit: &Permit, token: &Token) -> Result<()> {
        if self.has_demo(permit).await? {
            // Somebody else may have come to its end a moment ago.
            if self.demo_is_whole(permit).await? {
                return Ok(());
            }
            again!(self.remove_demo_once(permit).await)?;
        }
        let now = self.now();
        let mut people = people();
        let earliest = people.iter().flat_map(|person| &person.deeds);
        let earliest = earliest.map(|timed| timed.hours_ago).max().unwrap_or(0);
        let clock = Arc::new(ManualClock::new(now - Span::hours(earliest)));
        let beside = self.beside(clock.clone());
        again!(beside.create_demo(permit).await)?;
        let told = told(&mut people);
        let mut known: Vec<Labels> = people.iter().map(|_| Labels::new()).collect();
        for (hours_ago, at, deed) in told {
            again!(self.keep_filling(token).await)?;
            clock.set(now - Span::hours(hours_ago));
            let (person, labels) = (&people[at], &mut known[at]);
            // A conversation is read by a worker, whose clock is everybody's.
            let engine = if hours_ago == 0 { self } else { &beside };
            engine.does(person, deed, labels).await?;
        }
        beside.flush().await
    }

    async fn take_filling(&self, token: &Token) -> Result<bool> {
        let now = self.now();
        let mut tx = self.write_all().await?;
        let ours = tx.take_filling(&name(), token, now + HOLD, now).await?;
        tx.commit().await?;
        Ok(ours)
    }

    async fn keep_filling(&self, token: &Token) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.keep_filling(&name(), token, self.now() + HOLD).await?;
        Ok(tx.commit().await?)
    }

    async fn end_filling(&self, token: &Token) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.end_filling(&name(), token).await?;
        Ok(tx.commit().await?)
    }

    /// Removes the agent with made-up people whole.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] where there is none.
    pub async fn remove_demo(&self, permit: &Permit) -> Result<()> {
        need(permit, &[Permission::Administer])?;
        let permit = permit.within(&name()).ok_or(EngineError::NotFound)?;
        again!(self.remove_demo_once(&permit).await)
    }

    async fn remove_demo_once(&self, permit: &Permit) -> Result<()> {
        let mut tx = self.write(permit).await?;
        match tx.remove_demo(&name(), &self.stamp(permit)).await {
            Err(store::Error::Stale) => return Err(EngineError::NotFound),
            removed => removed?,
        }
        Ok(tx.commit().await?)
    }

    /// The same database seen at another time.
    fn beside(&self, clock: Arc<ManualClock>) -> Self {
        Self::new(
            self.db().clone(),
            clock,
            self.inner.entropy.clone(),
            Extractors::builtin(),
            self.settings().clone(),
        )
    }

    async fn create_demo(&self, permit: &Permit) -> Result<()> {
        let (stamp, name) = (self.stamp(permit), name());
        let settings = AgentSettings {
            extractor: Some("builtin".to_owned()),
            ..AgentSettings::default()
        };
        let kinds = [Kind::assistant(), Kind::always_there()].concat();
        let mut tx = self.write(permit).await?;
        tx.create_demo(&name, &settings, &kinds, &stamp)
            .await
            .map_err(|error| match error {
                store::Error::Exists => EngineError::NameTaken,
                other => other.into(),
            })?;
        tx.create_profile_schema(&name, SCHEMA, &profile(), &stamp)
            .await?;
        Ok(tx.commit().await?)
    }

    async fn does(&self, person: &Person, deed: Deed, labels: &mut Labels) -> Result<()> {
        let scope = scope(&person.user_id)?;
        match deed {
            Deed::Propose(proposes) => self.proposes(scope, *proposes, labels).await,
            Deed::Merge(merges) => again!(self.merges(&scope, &merges, labels).await),
            Deed::Serve {
                conversation,
                query,
            } => self.serves(scope, conversation, query).await,
            Deed::Talk {
                conversation,
                time_zone,
                messages,
            } => {
                let incoming = talk(scope, conversation, time_zone, messages);
                let permit = ours(Permission::Ingest);
                self.ingest(&permit, &name(), incoming).await.map(drop)
            }
        }
    }

    async fn proposes(&self, scope: Scope, does: Proposes, labels: &mut Labels) -> Result<()> {
        let quote = does.quote.as_deref().unwrap_or(&does.said);
        let words = again!(self.says(&scope, &does.said, quote).await)?;
        let proposed = Proposed {
            action: does.action,
            target: does.target.and_then(|label| labels.get(&label).cloned()),
            scope,
            kind: does.kind,
            name: does.name,
            content: Some(does.content),
            metadata: does.metadata,
            tags: Vec::new(),
            confidence: Some(does.confidence),
            importance: Some(does.importance),
            explanation: does.explanation,
        };
        let permit = ours(Permission::Propose);
        let ProposeAnswer::Proposed { candidate } = self
            .propose_upon(&permit, &name(), proposed, &[words])
            .await?
        else {
            // Said again: there is nothing to decide.
            return Ok(());
        };
        let decides = ours(Permission::Decide);
        match does.then {
            None => {}
            Some(Then::Reject) => {
                let reason = does.reason.unwrap_or(Reason::Other);
                self.reject(&decides, &candidate.id, None, reason, None::<String>)
                    .await?;
            }
            Some(Then::Approve) => {
                let approval = Approval::default();
                let approved = self
                    .approve(&decides, &candidate.id, None, approval)
                    .await?;
                labels.extend(does.label.zip(approved.memory));
            }
        }
        Ok(())
    }

    /// What a proposal rests on: words in a conversation that ended with them. Nobody reads it, because what comes of it is told.
    async fn says(&self, scope: &Scope, said: &str, quote: &str) -> Result<Evidence> {
        let permit = ours(Permission::Ingest);
        let stamp = self.stamp(&permit);
        let mut tx = self.write(&permit).await?;
        let user = tx.ensure_user(&name(), scope, &stamp).await?;
        let talk = tx
            .create_conversation(&name(), &user.id, None, None, stamp.now)
            .await?;
        let message = NewMessage {
            external_id: None,
            role: Role::User,
            source: Source::Human,
            at: None,
            content: said.to_owned(),
        };
        let (talk, messages) = tx.receive(&talk, &[message.into()], true, &stamp).await?;
        tx.commit().await?;
        let before = said.find(quote).map_or("", |at| &said[..at]);
        let start = text::length(before);
        Ok(Evidence {
            conversation: talk.id,
            message: messages.into_iter().next().map(|message| message.id),
            start,
            end: start + text::length(quote),
            quote: quote.to_owned(),
        })
    }

    /// Proposes that two memories become one. A model would: nobody can by hand.
    async fn merges(&self, scope: &Scope, merges: &Merges, labels: &Labels) -> Result<()> {
        let permit = ours(Permission::Propose);
        let stamp = self.stamp(&permit);
        let mut tx = self.write(&permit).await?;
        let user = tx.ensure_user(&name(), scope, &stamp).await?;
        let target = |label: &str, absorbed| {
            let memory = labels.get(label)?.clone();
            Some(Target {
                memory,
                revision: 1,
                absorbed,
            })
        };
        let targets = [target(&merges.keeps, false), target(&merges.absorbs, true)];
        let proposal = Proposal {
            action: Action::Merge,
            targets: targets.into_iter().flatten().collect(),
            kind: merges.kind.clone(),
            name: None,
            content: merges.content.clone(),
            metadata: serde_json::Map::new(),
            tags: Vec::new(),
            confidence: 0.8,
            importance: 0.6,
            language: domain::text::language(&merges.content).to_owned(),
            flags: vec![domain::candidate::Flag::NoEvidence],
            evidence: Vec::new(),
            explanation: Some(merges.explanation.clone()),
            cause: None,
        };
        self.suggest(&mut tx, &name(), &user.id, proposal, &stamp)
            .await?;
        Ok(tx.commit().await?)
    }

    async fn serves(
        &self,
        scope: Scope,
        conversation: String,
        query: Option<String>,
    ) -> Result<()> {
        let request = ContextRequest {
            scope,
            conversation_id: Some(conversation),
            query,
            max_tokens: None,
            model_window: None,
            layout: Layout::ByKind,
            if_changed: None,
        };
        let permit = ours(Permission::ReadContext);
        self.context(&permit, &name(), request).await?;
        // Written under the time at which it happened.
        self.flush().await
    }
}

/// The memories of a person that later deeds speak of.
type Labels = BTreeMap<String, MemoryId>;

fn scope(user_id: &str) -> Result<Scope> {
    Scope::user_id(user_id).map_err(|_| EngineError::invalid("/user_id", "shape", "a user id"))
}

/// All that happened, in its order: how many hours ago, around which of the people, what.
fn told(people: &mut [Person]) -> Vec<(i64, usize, Deed)> {
    let mut told = Vec::new();
    for (at, person) in people.iter_mut().enumerate() {
        for timed in std::mem::take(&mut person.deeds) {
            told.push((timed.hours_ago, at, timed.deed));
        }
    }
    told.sort_by_key(|(hours_ago, ..)| -hours_ago);
    told
}

fn talk(scope: Scope, conversation: String, time_zone: String, messages: Vec<Said>) -> Incoming {
    let message = |(number, said): (usize, Said)| NewMessage {
        external_id: Some(format!("{conversation}-{number}")),
        role: said.role,
        source: Source::Human,
        at: None::<Timestamp>,
        content: said.content,
    };
    Incoming {
        scope,
        messages: messages.into_iter().enumerate().map(message).collect(),
        conversation_id: Some(conversation),
        time_zone: Some(time_zone),
        end: true,
        flush: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_that_all_of_the_demo_is_there_is_told_last() {
        let mut people = people();
        let told = told(&mut people);
        let Some((0, at, Deed::Talk { conversation, .. })) = told.last() else {
            panic!("only a conversation can be found again");
        };
        let last = (people[*at].user_id.as_str(), conversation.as_str());
        assert_eq!(last, LAST);
    }
}
