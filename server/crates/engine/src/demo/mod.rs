//! Demo data: an agent of its own with three made-up people, to look around with. Everything in it came the way it always comes:
//! proposals, decisions, served contexts and conversations go through the use cases, and the built-in extractor reads the conversations
//! whatever model the installation has.
//!
//! What is said to have happened before today is done by an engine beside this one whose clock stands there, so that some of what waits
//! is about to expire. The times in the chain of this one agent are those that the demo tells.

mod script;

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Timestamp,
    agent::{AgentName, AgentSettings},
    candidate::{Action, Proposal, Reason, Target},
    conversation::{NewMessage, Source},
    id::MemoryId,
    kind::Kind,
    permission::{Actor, Permission, Permit},
    render::Layout,
    time::Span,
    user::Scope,
};

use self::script::{Deed, Merges, Person, Proposes, Said, Then, people, profile};
use crate::{
    ContextRequest, Engine, Extractors, Incoming, ManualClock, ProposeAnswer, Proposed, again,
    error::{EngineError, Result},
    need,
    review::Approval,
};

/// The schema of the profiles.
const SCHEMA: &str = "user-profile";

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

    /// Fills the agent with made-up people; where it is there already, nothing is done.
    ///
    /// # Errors
    /// [`EngineError::NameTaken`] where an agent of that name is the installation's own.
    pub async fn fill_demo(&self, permit: &Permit) -> Result<()> {
        need(permit, &[Permission::Administer])?;
        let permit = permit.within(&name()).ok_or(EngineError::NotFound)?;
        if self.has_demo(&permit).await? {
            return Ok(());
        }
        let now = self.now();
        let mut people = people();
        let earliest = people.iter().flat_map(|person| &person.deeds);
        let earliest = earliest.map(|timed| timed.hours_ago).max().unwrap_or(0);
        let clock = Arc::new(ManualClock::new(now - Span::hours(earliest)));
        let beside = self.beside(clock.clone());
        again!(beside.create_demo(&permit).await)?;
        let mut told = Vec::new();
        for (at, person) in people.iter_mut().enumerate() {
            for timed in std::mem::take(&mut person.deeds) {
                told.push((timed.hours_ago, at, timed.deed));
            }
        }
        told.sort_by_key(|(hours_ago, ..)| -hours_ago);
        let mut known: Vec<Labels> = people.iter().map(|_| Labels::new()).collect();
        for (hours_ago, at, deed) in told {
            clock.set(now - Span::hours(hours_ago));
            let (person, labels) = (&people[at], &mut known[at]);
            // A conversation is read by a worker, whose clock is everybody's.
            let engine = if hours_ago == 0 { self } else { &beside };
            engine.does(person, deed, labels).await?;
        }
        beside.flush().await
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
        tx.create_agent(&name, &settings, &kinds, &stamp)
            .await
            .map_err(|error| match error {
                store::Error::Exists => EngineError::NameTaken,
                other => other.into(),
            })?;
        tx.mark_demo(&name).await?;
        tx.create_profile_schema(&name, SCHEMA, &profile(), &stamp)
            .await?;
        Ok(tx.commit().await?)
    }

    async fn does(&self, person: &Person, deed: Deed, labels: &mut Labels) -> Result<()> {
        let scope = Scope::user_id(&person.user_id)
            .map_err(|_| EngineError::invalid("/user_id", "shape", "a user id"))?;
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
        let ProposeAnswer::Proposed { candidate } =
            self.propose(&permit, &name(), proposed).await?
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
