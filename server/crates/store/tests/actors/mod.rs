//! Who and what the stories are about.
#![expect(dead_code, reason = "each story needs some of it")]

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope, AgentSettings},
    audit::Verifier,
    candidate::{Action, Candidate, Evidence, Proposal},
    conversation::{Conversation, NewMessage, Role, Source},
    id::{MemoryId, PersonId},
    key::KeyScope,
    kind::Kind,
    memory::Memory,
    permission::Actor,
    time::Span,
    user::{Scope, User},
};
use store::{
    Db, NewCandidate, SentMessage, Stamp, Write,
    testing::{Seeded, TestDb},
};

/// A moment of the story: `hours` after it begins.
pub fn hour(hours: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + Span::days(20_000) + Span::hours(hours)
}

pub fn by_system(at: Timestamp) -> Stamp {
    Stamp::system(at)
}

/// A reviewer, told apart by a number.
pub fn reviewer(number: i64) -> Actor {
    let entropy = Seeded::default();
    let mut id = PersonId::new(hour(0), &entropy);
    for _ in 0..number {
        id = PersonId::new(hour(0), &entropy);
    }
    Actor::Person {
        id,
        name: format!("Reviewer {number}"),
        grants: vec![],
    }
}

pub fn named(name: &str) -> AgentName {
    AgentName::parse(name).unwrap()
}

pub async fn agent(db: &Db, name: &str) -> AgentName {
    let name = named(name);
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let kinds = [Kind::assistant(), Kind::always_there()].concat();
    tx.create_agent(
        &name,
        &AgentSettings::default(),
        &kinds,
        &by_system(hour(0)),
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    name
}

pub async fn user(db: &Db, agent: &AgentName, name: &str) -> User {
    let mut tx = db.write(AgentScope::One(agent.clone())).await.unwrap();
    let user = tx
        .ensure_user(agent, &Scope::user_id(name).unwrap(), &by_system(hour(0)))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    user
}

pub fn says(content: &str) -> NewMessage {
    NewMessage {
        external_id: None,
        role: Role::User,
        source: Source::Human,
        at: None,
        content: content.to_owned(),
    }
}

pub async fn conversation(
    db: &Db,
    user: &User,
    external: &str,
    messages: &[NewMessage],
    at: Timestamp,
) -> Conversation {
    let mut tx = db.write(AgentScope::One(user.agent.clone())).await.unwrap();
    tx.lock_user(&user.agent, &user.id).await.unwrap();
    let made = match tx
        .find_conversation(&user.agent, &user.id, external)
        .await
        .unwrap()
    {
        Some(known) => known,
        None => tx
            .create_conversation(&user.agent, &user.id, Some(external), None, at)
            .await
            .unwrap(),
    };
    let sent: Vec<_> = messages.iter().cloned().map(SentMessage::from).collect();
    let (after, _) = tx
        .receive(&made, &sent, false, &by_system(at))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    after
}

pub fn proposal(content: &str) -> Proposal {
    Proposal {
        action: Action::Create,
        targets: vec![],
        kind: "fact".into(),
        name: None,
        content: content.into(),
        metadata: Default::default(),
        tags: vec!["tagged".into()],
        confidence: 0.9,
        importance: 0.7,
        language: "en".into(),
        flags: vec![],
        evidence: vec![],
        explanation: Some("said so".into()),
        cause: None,
    }
}

pub fn resting_on(mut proposal: Proposal, conversation: &Conversation, quote: &str) -> Proposal {
    proposal.evidence = vec![Evidence {
        conversation: conversation.id.clone(),
        message: None,
        start: 0,
        end: quote.chars().count(),
        quote: quote.to_owned(),
    }];
    proposal
}

pub async fn proposed(db: &Db, user: &User, proposal: Proposal, at: Timestamp) -> Candidate {
    let mut tx = db.write(AgentScope::One(user.agent.clone())).await.unwrap();
    let new = NewCandidate {
        agent: user.agent.clone(),
        user: user.id.clone(),
        proposal,
        extraction: None,
        supersedes: vec![],
    };
    let candidate = tx.propose(&new, &by_system(at)).await.unwrap();
    tx.commit().await.unwrap();
    candidate
}

pub fn statement(content: &str, at: Timestamp) -> Write {
    Write {
        kind: "fact".into(),
        name: None,
        content: content.into(),
        metadata: Default::default(),
        tags: vec![],
        confidence: 0.9,
        importance: 0.7,
        language: "en".into(),
        expires_at: None,
        serve_from: None,
        conversation: None,
        said_at: at,
        candidate: None,
        decision: None,
        note: None,
    }
}

pub async fn memory(db: &Db, user: &User, write: &Write, at: Timestamp) -> Memory {
    let mut tx = db.write(AgentScope::One(user.agent.clone())).await.unwrap();
    let id = fresh_memory();
    let made = tx
        .create_memory(id, &user.agent, &user.id, write, &by_system(at))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    made
}

/// An id that no other call gave.
pub fn fresh_memory() -> MemoryId {
    static MADE: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);
    let made = MADE.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    MemoryId::new(hour(0) + Span::milliseconds(made), &Seeded::default())
}

pub fn key_scopes() -> Vec<KeyScope> {
    KeyScope::OF_AN_AGENT.to_vec()
}

/// Walks every chain; answers how many events there are.
pub async fn every_chain_verifies(db: &Db) -> i64 {
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let mut events = 0;
    for head in tx.heads().await.unwrap() {
        let mut verifier = Verifier::new(&head.chain);
        let mut after = 0;
        loop {
            let stretch = tx.chain(&head.chain, after, 100).await.unwrap();
            let Some(last) = stretch.last() else { break };
            after = last.seq;
            stretch.iter().for_each(|event| verifier.next(event));
        }
        let (seq, _, faults) = verifier.finish(Some((head.seq, &head.hash)));
        assert_eq!(faults, [], "{}", head.chain);
        events += seq;
    }
    events
}

/// Runs SQL past the store, as somebody with access to the database would.
pub async fn behind_the_back(db: &TestDb, sql: &'static str) -> Result<u64, sqlx::Error> {
    db.behind_the_back(sql).await
}
