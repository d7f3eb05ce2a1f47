//! An engine with one agent, two reviewers and a scripted extractor.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::{
    Timestamp,
    agent::{AgentName, AgentSettings},
    answer,
    candidate::Status,
    conversation::{NewMessage, Role, Source},
    id::{CandidateId, KeyId, MemoryId, PersonId},
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
    user::Scope,
};
use engine::{
    Accepted, CandidateFilter, CandidateView, Context, ContextAnswer, ContextRequest, Engine,
    Extractor, Extractors, Incoming, ManualClock, OperationView, OsEntropy, Page, Provenance,
    Settings,
    extractor::{Extract, ExtractError, Extracted, ExtractedState, Sessions, Window},
};
use futures::future::BoxFuture;
use store::{Stamp, testing::TestDb};

/// An extractor that answers what it was told to, in order; then it finds nothing.
#[derive(Default)]
pub struct Script {
    answers: Mutex<VecDeque<Result<String, ExtractError>>>,
    windows: Mutex<Vec<Window>>,
    patterns: Mutex<VecDeque<Result<String, ExtractError>>>,
    sessions: Mutex<Vec<Sessions>>,
}

impl Script {
    pub fn says(&self, answer: &serde_json::Value) {
        self.answers
            .lock()
            .unwrap()
            .push_back(Ok(answer.to_string()));
    }

    pub fn says_text(&self, answer: &str) {
        self.answers
            .lock()
            .unwrap()
            .push_back(Ok(answer.to_owned()));
    }

    /// Forgets what was not asked for: a window in which nothing may be read is not sent at all.
    pub fn forget(&self) {
        self.answers.lock().unwrap().clear();
    }

    pub fn fails(&self, error: ExtractError) {
        self.answers.lock().unwrap().push_back(Err(error));
    }

    /// What it finds over sessions, when it is asked next.
    pub fn sees(&self, answer: &serde_json::Value) {
        self.patterns
            .lock()
            .unwrap()
            .push_back(Ok(answer.to_string()));
    }

    pub fn sees_nothing_for_now(&self, error: ExtractError) {
        self.patterns.lock().unwrap().push_back(Err(error));
    }

    /// The sessions it was asked about.
    pub fn sessions(&self) -> Vec<Sessions> {
        self.sessions.lock().unwrap().clone()
    }

    pub fn windows(&self) -> Vec<Window> {
        self.windows.lock().unwrap().clone()
    }
}

impl Extract for Script {
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        self.windows.lock().unwrap().push(window.clone());
        let next = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            let raw = match next {
                None => r#"{"candidates": []}"#.to_owned(),
                Some(answer) => answer?,
            };
            // A target is written down by its own id.
            let parsed = answer::parse(&raw, &|id| MemoryId::parse(id).ok(), &|_| None);
            Ok(Extracted {
                drafts: parsed.drafts,
                fields: parsed.fields,
                summary: parsed.summary,
                state: match parsed.state {
                    answer::AnswerState::Parsed => ExtractedState::Parsed,
                    answer::AnswerState::Truncated => ExtractedState::Truncated,
                    answer::AnswerState::Failed { why } => ExtractedState::Failed(why),
                },
                provenance: self.provenance(),
                raw: Some(raw),
                tokens_in: Some(10),
                tokens_out: Some(5),
            })
        })
    }

    fn patterns<'a>(
        &'a self,
        sessions: &'a Sessions,
    ) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        self.sessions.lock().unwrap().push(sessions.clone());
        let next = self.patterns.lock().unwrap().pop_front();
        Box::pin(async move {
            let raw = match next {
                None => r#"{"candidates": []}"#.to_owned(),
                Some(answer) => answer?,
            };
            let turn = |id: &str| id.strip_prefix('m')?.parse::<usize>().ok()?.checked_sub(1);
            let parsed = answer::parse(&raw, &|id| MemoryId::parse(id).ok(), &turn);
            Ok(Extracted {
                drafts: parsed.drafts,
                raw: Some(raw),
                tokens_in: Some(100),
                tokens_out: Some(20),
                ..Extracted::nothing(self.provenance())
            })
        })
    }

    fn finds_patterns(&self) -> bool {
        true
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            name: "script".into(),
            version: "1".into(),
            model: Some("written-down".into()),
            prompt_version: Some("1".into()),
            schema_version: Some("1".into()),
        }
    }
}

pub struct World {
    pub engine: Engine,
    pub clock: Arc<ManualClock>,
    pub script: Arc<Script>,
    pub agent: AgentName,
    pub mia: Actor,
    pub aiko: Actor,
}

pub fn start() -> Timestamp {
    Timestamp::from_timestamp(1_796_000_000, 0).unwrap()
}

pub fn settings() -> Settings {
    Settings {
        lease: Duration::from_secs(30),
        heartbeat: Duration::from_millis(20),
        backoff: Duration::from_secs(5),
        poll: Duration::from_millis(10),
        ..Settings::default()
    }
}

impl World {
    pub async fn new(db: &TestDb) -> Self {
        Self::with(db, true).await
    }

    /// With the built-in extractor.
    pub async fn builtin(db: &TestDb) -> Self {
        Self::with(db, false).await
    }

    async fn with(db: &TestDb, scripted: bool) -> Self {
        let script = Arc::new(Script::default());
        let extractors = if scripted {
            Extractors::new(Extractor::Custom(script.clone()))
        } else {
            Extractors::builtin()
        };
        Self::extracting(db, extractors, script).await
    }

    /// With the extractors of an installation.
    pub async fn with_extractors(db: &TestDb, extractors: Extractors) -> Self {
        Self::extracting(db, extractors, Arc::default()).await
    }

    async fn extracting(db: &TestDb, extractors: Extractors, script: Arc<Script>) -> Self {
        let clock = Arc::new(ManualClock::new(start()));
        let engine = Engine::new(
            db.db.clone(),
            clock.clone(),
            Arc::new(OsEntropy),
            extractors,
            settings(),
        );
        let agent = AgentName::parse("support").unwrap();
        engine
            .create_agent(
                &system(Permission::Administer),
                agent.clone(),
                AgentSettings::default(),
            )
            .await
            .unwrap();
        let mia = person(db, "Mia").await;
        let aiko = person(db, "Aiko").await;
        Self {
            engine,
            clock,
            script,
            agent,
            mia,
            aiko,
        }
    }

    pub fn key(&self, permission: Permission) -> Permit {
        let actor = Actor::Key {
            id: KeyId::new(start(), &OsEntropy),
            agent: self.agent.clone(),
            scopes: domain::key::KeyScope::OF_AN_AGENT.to_vec(),
        };
        Permit::ask(actor, permission).unwrap()
    }

    pub fn mia(&self, permission: Permission) -> Permit {
        Permit::ask(self.mia.clone(), permission).unwrap()
    }

    pub fn aiko(&self, permission: Permission) -> Permit {
        Permit::ask(self.aiko.clone(), permission).unwrap()
    }

    /// Posts a conversation that ends.
    pub async fn say(&self, user: &str, words: &[&str]) -> Accepted {
        let messages = words
            .iter()
            .map(|words| message(Role::User, words))
            .collect();
        self.post(user, messages, true).await
    }

    pub async fn post(&self, user: &str, messages: Vec<NewMessage>, end: bool) -> Accepted {
        let incoming = Incoming {
            scope: Scope::user_id(user).unwrap(),
            conversation_id: None,
            messages,
            time_zone: None,
            end,
            flush: false,
        };
        self.engine
            .ingest(&self.key(Permission::Ingest), &self.agent, incoming)
            .await
            .unwrap()
    }

    /// Does every job that is due.
    pub async fn work(&self) {
        while self.engine.work_once().await.unwrap() {}
    }

    pub async fn operation(&self, accepted: &Accepted) -> OperationView {
        self.engine
            .operation(&self.key(Permission::Ingest), &accepted.operation)
            .await
            .unwrap()
    }

    pub async fn queue(&self, filter: CandidateFilter) -> Vec<CandidateView> {
        let page = Page {
            limit: 200,
            ..Page::default()
        };
        self.engine
            .candidates(&self.mia(Permission::ReadCandidates), &filter, &page)
            .await
            .unwrap()
            .data
    }

    pub async fn waiting(&self) -> Vec<CandidateView> {
        self.queue(CandidateFilter {
            agent: Some(self.agent.clone()),
            ..CandidateFilter::default()
        })
        .await
    }

    pub async fn candidate(&self, id: &CandidateId) -> CandidateView {
        self.engine
            .candidate(&self.mia(Permission::ReadCandidates), id)
            .await
            .unwrap()
            .candidate
    }

    /// Says something that becomes exactly one candidate, and returns it.
    pub async fn proposed(
        &self,
        user: &str,
        kind: &str,
        name: Option<&str>,
        content: &str,
    ) -> CandidateView {
        self.script.says(&serde_json::json!({"candidates": [
            {"kind": kind, "name": name, "content": content, "confidence": 0.9, "importance": 0.7, "evidence": content}
        ]}));
        let accepted = self.say(user, &[content]).await;
        self.work().await;
        let done = self.operation(&accepted).await;
        assert_eq!(done.candidates.len(), 1, "{done:?}");
        self.candidate(&done.candidates[0]).await
    }

    pub async fn context(&self, user: &str) -> Context {
        match self
            .engine
            .context(&self.key(Permission::ReadContext), &self.agent, ask(user))
            .await
            .unwrap()
        {
            ContextAnswer::Block(context) => *context,
            ContextAnswer::Unchanged { .. } => panic!("nothing was compared"),
        }
    }

    pub async fn served(&self, user: &str) -> Vec<String> {
        let mut contents: Vec<String> = self
            .context(user)
            .await
            .items
            .into_iter()
            .map(|item| item.content)
            .collect();
        contents.sort();
        contents
    }

    /// The chain must be true after whatever a test did.
    pub async fn verify(&self) {
        let verified = self
            .engine
            .verify(&system(Permission::ReadAudit))
            .await
            .unwrap();
        assert!(verified.ok, "{:?}", verified.faults);
        assert!(verified.events > 0);
    }

    pub fn pass(&self, time: Span) {
        self.clock.advance(time);
    }
}

pub fn ask(user: &str) -> ContextRequest {
    ContextRequest {
        scope: Scope::user_id(user).unwrap(),
        conversation_id: Some("c-next".into()),
        query: None,
        max_tokens: None,
        model_window: None,
        layout: domain::render::Layout::ByKind,
        if_changed: None,
    }
}

pub fn message(role: Role, content: &str) -> NewMessage {
    NewMessage {
        external_id: None,
        role,
        source: Source::Human,
        at: None,
        content: content.to_owned(),
    }
}

pub fn system(permission: Permission) -> Permit {
    Permit::ask(Actor::System, permission).unwrap()
}

pub fn all() -> CandidateFilter {
    CandidateFilter {
        status: None,
        ..CandidateFilter::default()
    }
}

pub fn rejected() -> CandidateFilter {
    CandidateFilter {
        status: Some(Status::Rejected),
        ..CandidateFilter::default()
    }
}

pub async fn person(db: &TestDb, name: &str) -> Actor {
    let grants = vec![Grant::everywhere(RoleName::Admin)];
    let new = store::NewPerson {
        email: format!("{name}@example.com"),
        name: name.to_owned(),
        password_hash: None,
        grants: grants.clone(),
    };
    let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
    let person = tx
        .create_person(&new, &Stamp::system(start()))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    Actor::Person {
        id: person.id,
        name: person.name,
        grants,
    }
}

pub fn id_of(actor: &Actor) -> PersonId {
    actor.person().cloned().unwrap()
}

/// The path of a file of cases.
pub fn cases(file: &str) -> Vec<serde_json::Value> {
    let path = format!(
        "{}/../domain/tests/cases/{file}",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Who is in with the password alone.
#[track_caller]
pub fn whole(entry: engine::Entry) -> engine::PersonView {
    match entry {
        engine::Entry::Whole(person) => *person,
        engine::Entry::Half(_) => panic!("a code is asked for"),
    }
}
