//! Webhooks: what a runtime is told, when, in which order and how often; to a real peer over HTTP, which checks the signatures with the
//! library of the specification.

use std::{sync::Arc, time::Duration};

use domain::{
    agent::{AgentName, AgentSettings},
    audit::EventType,
    id::{DeliveryId, WebhookId},
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
    webhook::{DeliveryState, WebhookState},
};
use engine::{
    Approval, CandidateView, ContextRequest, DeliveryView, Engine, EventFilter, Extractors,
    NewWebhook, OsEntropy, Outgoing, Page, Settings, SystemClock, Version, WebhookPatch,
    outside::Allowed,
};
use serde_json::{Value, json};
use standardwebhooks::Webhook as Receiver;
use store::{Attempted, Stamp, testing::TestDb};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers};

use crate::world::{World, ask, id_of, settings, system};

/// The same database and clock, with a way out to this machine and all the patience that a busy one needs.
fn reaching(db: &TestDb, world: &World, allowed: &str) -> Engine {
    waiting_for(db, world, allowed, Duration::from_secs(60))
}

fn waiting_for(db: &TestDb, world: &World, allowed: &str, webhook_timeout: Duration) -> Engine {
    let settings = Settings {
        outgoing: Outgoing {
            allowed_private: Allowed::parse(allowed).unwrap(),
            ..Outgoing::default()
        },
        webhook_timeout,
        ..settings()
    };
    Engine::new(
        db.db.clone(),
        world.clock.clone(),
        Arc::new(OsEntropy),
        Extractors::builtin(),
        settings,
    )
}

/// A peer that answers so until it is told otherwise.
async fn peer(status: u16) -> MockServer {
    let server = MockServer::start().await;
    answers(&server, status).await;
    server
}

/// From now on it answers so; what it got is forgotten.
async fn answers(server: &MockServer, status: u16) {
    server.reset().await;
    let answer = ResponseTemplate::new(status).insert_header("location", "http://127.0.0.1:1/");
    Mock::given(matchers::method("POST"))
        .respond_with(answer)
        .mount(server)
        .await;
}

async fn got(server: &MockServer) -> Vec<Request> {
    server.received_requests().await.unwrap()
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

fn header<'a>(request: &'a Request, name: &str) -> &'a str {
    request.headers.get(name).unwrap().to_str().unwrap()
}

/// Whether one of the signatures is that of this secret.
fn is_signed(request: &Request, secret: &str) -> bool {
    let (id, at) = (
        header(request, "webhook-id"),
        header(request, "webhook-timestamp"),
    );
    let receiver = Receiver::new(secret).unwrap();
    let signature = receiver.sign(id, at.parse().unwrap(), &request.body);
    let signature = signature.unwrap();
    header(request, "webhook-signature")
        .split(' ')
        .any(|one| one == signature)
}

/// Tells everybody everything that is due.
async fn tell(engine: &Engine) {
    while engine.work_webhook_once().await.unwrap() {}
}

impl World {
    fn administers(&self) -> Permit {
        self.mia(Permission::Administer)
    }

    /// Has an agent's runtime told of some events.
    async fn hears(
        &self,
        engine: &Engine,
        server: &MockServer,
        events: &[EventType],
    ) -> (String, WebhookId) {
        let new = NewWebhook {
            agent: Some(self.agent.clone()),
            url: format!("{}/hook?token=T0K3N", server.uri()),
            events: events.to_vec(),
            enabled: true,
        };
        let (secret, view) = engine
            .create_webhook(&self.administers(), new)
            .await
            .unwrap();
        (secret, view.id)
    }

    async fn remembers(&self, user: &str, content: &str) -> domain::id::MemoryId {
        let candidate: CandidateView = self.proposed(user, "fact", None, content).await;
        let approved = self
            .engine
            .approve(
                &self.mia(Permission::Decide),
                &candidate.id,
                None,
                Approval::default(),
            )
            .await;
        approved.unwrap().memory.unwrap()
    }

    async fn deliveries(&self, engine: &Engine, id: &WebhookId) -> Vec<DeliveryView> {
        let page = Page {
            limit: 200,
            ..Page::default()
        };
        let list = engine.deliveries(&self.administers(), id, &page).await;
        list.unwrap().data
    }

    async fn audited(&self, types: &[EventType]) -> Vec<engine::EventView> {
        let filter = EventFilter {
            types: types.to_vec(),
            ..EventFilter::default()
        };
        let reads = self.mia(Permission::ReadAudit);
        let list = self.engine.events(&reads, &filter, &Page::default()).await;
        list.unwrap().data
    }
}

/// How long a peer is left alone after a try that failed.
const PAUSE: Span = Span::seconds(2);

const CHANGES: [EventType; 5] = [
    EventType::WebhookCreated,
    EventType::WebhookChanged,
    EventType::WebhookRotated,
    EventType::WebhookDisabled,
    EventType::WebhookRemoved,
];

store::both! {
    // G4
    async fn a_recall_reaches_the_runtime_with_ids_and_not_a_word_of_anybody(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(204).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let memory = world.remembers("ana-7", "User lives in Oslo").await;
        for conversation in ["ana-7-c-1", "ana-7-c-2", "ana-7-c-1"] {
            let request = ContextRequest { conversation_id: Some(conversation.into()), ..ask("ana-7") };
            world.engine.context(&world.key(Permission::ReadContext), &world.agent, request).await.unwrap();
            world.pass(Span::minutes(1));
        }
        // One of the two conversations was sent in, too.
        let said = engine::Incoming {
            scope: domain::user::Scope::user_id("ana-7").unwrap(),
            conversation_id: Some("ana-7-c-2".into()),
            messages: vec![crate::world::message(domain::conversation::Role::User, "Good morning")],
            time_zone: None,
            end: false,
            flush: false,
        };
        let accepted = world.engine.ingest(&world.key(Permission::Ingest), &world.agent, said).await.unwrap();
        let (secret, id) = world.hears(&engine, &peer, &[EventType::MemoryRecalled]).await;
        world.engine.recall(&world.mia(Permission::Decide), &memory, Version::Any, "It is her sister, Oslo").await.unwrap();
        tell(&engine).await;

        let requests = got(&peer).await;
        assert_eq!(requests.len(), 1);
        let request = &requests[0];
        assert!(is_signed(request, &secret));
        assert!(!is_signed(request, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"));
        assert_eq!(header(request, "content-type"), "application/json");
        assert_eq!(header(request, "webhook-timestamp"), world.engine.now().timestamp().to_string());
        let told = body(request);
        let event = world.audited(&[EventType::MemoryRecalled]).await.remove(0);
        let user = event.user.as_ref().unwrap();
        assert_eq!(told["type"], "memory.recalled");
        assert_eq!(told["timestamp"], domain::time::rfc3339(event.at));
        let data = &told["data"];
        assert_eq!((&data["agent"], &data["seq"]), (&json!("support"), &json!(event.seq)));
        assert_eq!((&data["subject"], &data["user"]), (&json!(memory), &json!(user)));
        assert_eq!((&data["told"], data["servings"].as_array().unwrap().len()), (&json!(3), 3));
        assert_eq!(data["conversations"], json!([accepted.conversation]));
        let delivery = &world.deliveries(&engine, &id).await[0];
        assert_eq!(header(request, "webhook-id"), delivery.id.as_str());
        assert_eq!((delivery.state, delivery.attempt, delivery.status), (DeliveryState::Delivered, 1, Some(204)));
        assert_eq!((delivery.r#type, delivery.seq), (EventType::MemoryRecalled, event.seq));
        let text = String::from_utf8_lossy(&request.body).into_owned() + &format!("{:?}", request.headers);
        for private in ["Oslo", "ana-7", "sister", "Mia", "c-1", "Good morning"] {
            assert!(!text.contains(private), "{private}: {text}");
        }
        world.verify().await;
    }

    // F7
    async fn what_has_a_grace_is_told_to_the_runtime_when_that_is_over(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(204).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let grace = engine::AgentPatch { grace_seconds: Some(60), ..engine::AgentPatch::default() };
        world.engine.change_agent(&world.administers(), &world.agent, None, grace).await.unwrap();
        world.hears(&engine, &peer, &[EventType::MemoryCreated, EventType::CandidateProposed]).await;
        world.remembers("ana", "User lives in Oslo").await;
        tell(&engine).await;
        let told = |requests: Vec<Request>| -> Vec<Value> {
            requests.iter().map(|request| body(request)["type"].clone()).collect()
        };
        assert_eq!(told(got(&peer).await), ["candidate.proposed"], "what waits for its time holds nothing back");
        world.pass(Span::seconds(60));
        tell(&engine).await;
        assert_eq!(told(got(&peer).await), ["candidate.proposed", "memory.created"]);
        world.verify().await;
    }

    // F7
    async fn what_is_undone_in_its_grace_is_never_told_and_what_follows_it_waits(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(204).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let grace = engine::AgentPatch { grace_seconds: Some(60), ..engine::AgentPatch::default() };
        world.engine.change_agent(&world.administers(), &world.agent, None, grace).await.unwrap();
        let events = [EventType::MemoryCreated, EventType::CandidateSeenAgain, EventType::MemoryRetired];
        let (_, id) = world.hears(&engine, &peer, &events).await;
        let told = async || -> Vec<String> {
            got(&peer).await.iter().map(|request| body(request)["type"].as_str().unwrap().to_owned()).collect()
        };
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let decide = world.mia(Permission::Decide);
        world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap();
        tell(&engine).await;
        world.pass(Span::seconds(30));
        world.engine.reopen(&decide, &candidate.id, None, None).await.unwrap();
        tell(&engine).await;
        assert_eq!(told().await, ["memory.retired"], "nothing puts it off");
        world.pass(Span::minutes(1));
        tell(&engine).await;
        assert_eq!(told().await, ["memory.retired"]);
        assert_eq!(engine.webhook(&world.administers(), &id).await.unwrap().waiting, 0);
        assert_eq!(world.deliveries(&engine, &id).await.len(), 1);

        answers(&peer, 204).await;
        world.remembers("bo", "User has a dog").await;
        tell(&engine).await;
        world.pass(Span::seconds(30));
        world.script.says(&json!({"candidates": [
            {"kind": "fact", "content": "User has a dog", "confidence": 0.9, "importance": 0.7, "evidence": "I have a dog"},
        ]}));
        world.say("bo", &["I have a dog"]).await;
        world.work().await;
        tell(&engine).await;
        assert!(told().await.is_empty());
        world.pass(Span::seconds(30));
        tell(&engine).await;
        assert_eq!(told().await, ["memory.created", "candidate.seen_again"], "in the order of the chain");
        world.verify().await;
    }

    // G4
    async fn every_event_of_an_agent_carries_ids_and_no_text(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let new = NewWebhook { agent: None, url: peer.uri(), events: EventType::ALL.to_vec(), enabled: true };
        engine.create_webhook(&world.administers(), new).await.unwrap();
        let memory = world.remembers("canary-user-41", "User keeps a canary called Zebulon").await;
        world.served("canary-user-41").await;
        world.engine.flush().await.unwrap();
        world.engine.recall(&world.mia(Permission::Decide), &memory, Version::Any, "Zebulon is a parrot").await.unwrap();
        tell(&engine).await;
        let requests = got(&peer).await;
        let types: Vec<String> = requests.iter().map(|one| body(one)["type"].as_str().unwrap().to_owned()).collect();
        for wanted in ["webhook.created", "user.created", "conversation.received", "candidate.proposed", "candidate.approved", "memory.created", "context.served", "memory.recalled"] {
            assert!(types.iter().any(|told| told == wanted), "{wanted} in {types:?}");
        }
        for request in &requests {
            let text = String::from_utf8_lossy(&request.body);
            for private in ["Zebulon", "canary", "parrot", "Mia", "T0K3N"] {
                assert!(!text.contains(private), "{private}: {text}");
            }
        }
    }

    // G4
    async fn only_what_was_asked_for_is_sent_in_the_order_of_the_chain_and_nothing_of_before(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let other = AgentName::parse("sales").unwrap();
        world.engine.create_agent(&system(Permission::Administer), other.clone(), AgentSettings::default()).await.unwrap();
        world.remembers("ana", "User lives in Oslo").await;
        let (_, id) = world.hears(&engine, &peer, &[EventType::CandidateProposed, EventType::MemoryCreated]).await;
        tell(&engine).await;
        assert!(got(&peer).await.is_empty(), "what happened before is not sent");

        // The other agent has a candidate of its own.
        let key = Actor::Key {
            id: domain::id::KeyId::new(world.engine.now(), &OsEntropy),
            agent: other.clone(),
            scopes: domain::key::KeyScope::OF_AN_AGENT.to_vec(),
        };
        world.script.says(&json!({"candidates": [{"kind": "fact", "content": "User sells", "confidence": 0.9, "importance": 0.7, "evidence": "I sell"}]}));
        let incoming = engine::Incoming {
            scope: domain::user::Scope::user_id("bo").unwrap(),
            conversation_id: None,
            messages: vec![crate::world::message(domain::conversation::Role::User, "I sell")],
            time_zone: None,
            end: true,
            flush: false,
        };
        world.engine.ingest(&Permit::ask(key, Permission::Ingest).unwrap(), &other, incoming).await.unwrap();
        world.work().await;
        for content in ["User likes tea", "User has two cats", "User speaks Norwegian"] {
            world.remembers("ana", content).await;
        }
        tell(&engine).await;
        let told: Vec<Value> = got(&peer).await.iter().map(body).collect();
        let types: Vec<_> = told.iter().map(|one| one["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["candidate.proposed", "memory.created"].repeat(3));
        let seqs: Vec<i64> = told.iter().map(|one| one["data"]["seq"].as_i64().unwrap()).collect();
        assert!(seqs.is_sorted(), "{seqs:?}");
        assert!(told.iter().all(|one| one["data"]["agent"] == "support"), "{told:?}");

        // Other events count from now on.
        let patch = WebhookPatch { events: Some(vec![EventType::MemoryRetired]), ..WebhookPatch::default() };
        engine.change_webhook(&world.administers(), &id, &patch).await.unwrap();
        world.remembers("ana", "User plays chess").await;
        tell(&engine).await;
        assert_eq!(got(&peer).await.len(), 6);
    }

    // G4
    async fn what_happened_in_one_moment_stands_newest_first_and_a_failure_until_something_arrives(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(500).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (_, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        for thing in ["a boat", "a kite", "a harp", "a drum", "a flute", "a tent"] {
            world.remembers("ana", &format!("User has {thing}")).await;
        }
        tell(&engine).await;
        let seqs: Vec<i64> = world.deliveries(&engine, &id).await.iter().map(|one| one.seq).collect();
        assert!(seqs.len() == 6 && seqs.is_sorted_by(|later, earlier| later > earlier), "{seqs:?}");
        let mut paged = Vec::new();
        let mut page = Page { limit: 2, ..Page::default() };
        loop {
            let list = engine.deliveries(&world.administers(), &id, &page).await.unwrap();
            paged.extend(list.data.iter().map(|one| one.seq));
            if list.next.is_none() {
                break;
            }
            page.cursor = list.next;
        }
        assert_eq!(paged, seqs);

        let failure = engine.webhooks(&world.administers(), None).await.unwrap().remove(0).last_failure.unwrap();
        assert_eq!((failure.at, failure.status), (engine.now(), Some(500)));
        answers(&peer, 200).await;
        world.pass(Span::minutes(10));
        tell(&engine).await;
        assert_eq!(engine.webhook(&world.administers(), &id).await.unwrap().last_failure, None);
    }

    // G4
    async fn what_fails_is_tried_by_the_clock_and_holds_nothing_back_until_the_webhook_is_switched_off(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(500).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (_, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        world.remembers("ana", "User lives in Oslo").await;
        tell(&engine).await;
        let first = world.deliveries(&engine, &id).await.remove(0);
        assert_eq!((first.state, first.attempt, first.status), (DeliveryState::Waiting, 1, Some(500)));
        let waits = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
        for (tries, wait) in (1..).zip(waits) {
            let delivery = world.deliveries(&engine, &id).await.remove(0);
            let next = delivery.next_at.unwrap() - world.engine.now();
            let (least, most) = (Span::seconds(wait), Span::milliseconds(wait * 1100));
            assert!(least <= next && next <= most, "after {tries}: {next}");
            world.pass(next - Span::milliseconds(1));
            tell(&engine).await;
            assert_eq!(got(&peer).await.len(), tries, "not before its time");
            world.pass(Span::milliseconds(1));
            tell(&engine).await;
            assert_eq!(got(&peer).await.len(), tries + 1);
        }
        let given_up = world.deliveries(&engine, &id).await.remove(0);
        assert_eq!((given_up.state, given_up.attempt, given_up.next_at), (DeliveryState::Failed, 10, None));
        let ids: std::collections::BTreeSet<_> = got(&peer).await.iter().map(|one| header(one, "webhook-id").to_owned()).collect();
        assert_eq!(ids.len(), 1, "the id stays over all tries");
        let view = engine.webhook(&world.administers(), &id).await.unwrap();
        assert_eq!(view.state, WebhookState::Failing);
        assert_eq!(engine.webhooks_off(&world.administers()).await.unwrap(), 1);
        let events = world.audited(&[EventType::WebhookDisabled]).await;
        assert_eq!((events[0].actor.r#type.as_str(), &events[0].data["why"]), ("system", &json!("failing")));

        // What happens meanwhile is sent once it is on again.
        answers(&peer, 200).await;
        world.remembers("ana", "User likes tea").await;
        tell(&engine).await;
        assert!(got(&peer).await.is_empty());
        let on = WebhookPatch { enabled: Some(true), ..WebhookPatch::default() };
        engine.change_webhook(&world.administers(), &id, &on).await.unwrap();
        tell(&engine).await;
        assert_eq!(got(&peer).await.len(), 1);
        let view = engine.webhook(&world.administers(), &id).await.unwrap();
        assert_eq!((view.state, view.delivered_at, view.waiting), (WebhookState::Enabled, Some(world.engine.now()), 0));

        // What was given up is sent again when a person wants it, under the same id.
        engine.resend_delivery(&world.administers(), &id, &given_up.id).await.unwrap();
        tell(&engine).await;
        let requests = got(&peer).await;
        assert_eq!((requests.len(), header(&requests[1], "webhook-id")), (2, given_up.id.as_str()));
        let again = world.deliveries(&engine, &id).await.pop().unwrap();
        assert_eq!((again.id, again.state, again.attempt), (given_up.id, DeliveryState::Delivered, 1));
        world.verify().await;
    }

    // G4
    async fn one_event_that_a_peer_never_takes_holds_back_no_other_and_switches_nothing_off(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(500).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (_, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        world.remembers("ana", "User lives in Oslo").await;
        tell(&engine).await;
        let bad = world.deliveries(&engine, &id).await.remove(0);
        peer.reset().await;
        // It takes everything but that one.
        Mock::given(matchers::header("webhook-id", bad.id.as_str())).respond_with(ResponseTemplate::new(422)).with_priority(1).mount(&peer).await;
        Mock::given(matchers::method("POST")).respond_with(ResponseTemplate::new(200)).with_priority(2).mount(&peer).await;
        world.remembers("ana", "User likes tea").await;
        world.pass(PAUSE);
        tell(&engine).await;
        assert_eq!(got(&peer).await.len(), 1, "it waits for its own time, and the next one goes out");
        for _ in 0..9 {
            let next = world.deliveries(&engine, &id).await.into_iter().find(|one| one.id == bad.id).unwrap().next_at;
            let Some(next) = next else { break };
            world.pass(next - world.engine.now());
            tell(&engine).await;
        }
        let bad = world.deliveries(&engine, &id).await.into_iter().find(|one| one.id == bad.id).unwrap();
        assert_eq!((bad.state, bad.status), (DeliveryState::Failed, Some(422)));
        assert_eq!(engine.webhook(&world.administers(), &id).await.unwrap().state, WebhookState::Enabled);
    }

    // G4
    async fn a_peer_that_is_down_is_asked_once_in_a_while_however_much_waits(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(500).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (_, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        for content in ["User lives in Oslo", "User likes tea", "User plays chess"] {
            world.remembers("ana", content).await;
        }
        for tries in 1..=2 {
            tell(&engine).await;
            tell(&engine).await;
            assert_eq!(got(&peer).await.len(), tries);
            world.pass(PAUSE);
        }
        answers(&peer, 200).await;
        world.pass(Span::seconds(6));
        tell(&engine).await;
        assert_eq!(got(&peer).await.len(), 3);
        assert_eq!(engine.webhook(&world.administers(), &id).await.unwrap().waiting, 0);
    }

    // G4
    async fn what_is_written_down_at_once_is_little_over_all_chains_and_each_event_comes_once(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let new = NewWebhook { agent: None, url: peer.uri(), events: vec![EventType::AgentCreated, EventType::MemoryCreated], enabled: true };
        let (_, view) = engine.create_webhook(&world.administers(), new).await.unwrap();
        for content in ["User lives in Oslo", "User likes tea", "User plays chess"] {
            world.remembers("ana", content).await;
        }
        for name in ["sales", "later"] {
            let name = AgentName::parse(name).unwrap();
            world.engine.create_agent(&system(Permission::Administer), name, AgentSettings::default()).await.unwrap();
        }
        let mut written = Vec::new();
        for _ in 0..10 {
            let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
            let webhook = tx.webhook(&view.id).await.unwrap().unwrap();
            tx.write_deliveries(&webhook, 2, world.engine.now()).await.unwrap();
            tx.commit().await.unwrap();
            let now = world.deliveries(&engine, &view.id).await;
            assert!(now.len() <= written.len() + 2, "{} after {}", now.len(), written.len());
            written = now;
        }
        let told: std::collections::BTreeSet<_> = written.iter().map(|one| (one.agent.clone(), one.seq)).collect();
        let of_support = written.iter().filter(|one| one.agent == "support").count();
        assert_eq!((written.len(), told.len(), of_support), (told.len(), written.len(), 3));
        assert!(written.len() >= 5, "{written:?}");
    }

    // G4
    async fn who_is_idle_holds_nobody_up(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        tell(&engine).await;
        // SQLite has one writer.
        let writes = db.db.write(domain::agent::AgentScope::All).await.unwrap();
        let now = world.engine.now();
        assert_eq!(db.db.claim_webhook(now, now + Span::minutes(1)).await.unwrap(), None);
        drop(writes);
    }

    // G4
    async fn what_an_old_address_still_answers_switches_off_no_new_one(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (_, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        world.remembers("ana", "User lives in Oslo").await;
        let now = world.engine.now();
        let answer = Attempted { status: Some(410), error: None, duration_ms: 1, state: DeliveryState::Failed, next_at: None };
        let until = now + Span::minutes(1);
        for change in 0..3 {
            // Somebody sends, and the peer has not answered yet.
            let claim = db.db.claim_webhook(now, until).await.unwrap().unwrap();
            let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
            let webhook = tx.webhook(&id).await.unwrap().unwrap();
            tx.write_deliveries(&webhook, 10, now).await.unwrap();
            let due = tx.due_delivery(&id, now).await.unwrap().unwrap();
            tx.commit().await.unwrap();
            match change {
                0 => {
                    let patch = WebhookPatch { url: Some(format!("{}/new", peer.uri())), ..WebhookPatch::default() };
                    engine.change_webhook(&world.administers(), &id, &patch).await.unwrap();
                }
                1 => drop(engine.rotate_webhook(&world.administers(), &id).await.unwrap()),
                _ => drop(engine.resend_delivery(&world.administers(), &id, &due.id).await.unwrap()),
            }
            let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
            tx.disable_webhook(&claim, Some(&world.agent), WebhookState::Gone, &Stamp::system(now)).await.unwrap();
            let noted = tx.note_attempt(&claim, &due, &answer, until, now).await;
            assert!(matches!(noted, Err(store::Error::LostClaim)), "{change}: {noted:?}");
            drop(tx);
        }
        tell(&engine).await;
        assert_eq!(got(&peer).await[0].url.path(), "/new", "it is told at once");
        assert_eq!(engine.webhook(&world.administers(), &id).await.unwrap().state, WebhookState::Enabled);
    }

    // G4
    async fn a_recall_reaches_the_runtime_though_a_serving_cannot_be_read(db: &TestDb) {
        // It gets the seal of another thing, which opens for that one alone.
        const SEALS: &str = "update servings set sealed = (select w.sealed from webhooks w limit 1)";
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let memory = world.remembers("ana", "User lives in Oslo").await;
        world.context("ana").await;
        world.engine.flush().await.unwrap();
        world.hears(&engine, &peer, &[EventType::MemoryRecalled]).await;
        world.engine.recall(&world.mia(Permission::Decide), &memory, Version::Any, "wrong").await.unwrap();
        assert_eq!(db.behind_the_back(SEALS).await.unwrap(), 1);
        tell(&engine).await;
        let told = body(&got(&peer).await[0]);
        assert_eq!((&told["type"], told["data"]["servings"].as_array().unwrap().len()), (&json!("memory.recalled"), 1));
        assert_eq!(told["data"]["conversations"], json!([]));
    }

    // G4
    async fn there_are_a_hundred_webhooks_in_all_whoever_counts_them(db: &TestDb) {
        let world = World::new(db).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let sales = AgentName::parse("sales").unwrap();
        world.engine.create_agent(&system(Permission::Administer), sales.clone(), AgentSettings::default()).await.unwrap();
        let new = |agent: &AgentName| NewWebhook {
            agent: Some(agent.clone()),
            url: "https://runtime.example/x".to_owned(),
            events: vec![EventType::MemoryCreated],
            enabled: false,
        };
        for _ in 0..100 {
            engine.create_webhook(&world.administers(), new(&world.agent)).await.unwrap();
        }
        let elsewhere = Actor::Person {
            id: id_of(&world.aiko),
            name: "Aiko".into(),
            grants: vec![Grant { agent: Some(sales.clone()), ..Grant::everywhere(RoleName::Admin) }],
        };
        let elsewhere = Permit::ask(elsewhere, Permission::Administer).unwrap();
        assert!(engine.webhooks(&elsewhere, None).await.unwrap().is_empty());
        let refused = engine.create_webhook(&elsewhere, new(&sales)).await.unwrap_err();
        assert_eq!(refused.fields()[0].code, "too_many");
    }

    // G4
    async fn a_peer_that_is_gone_is_told_nothing_more(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(410).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (_, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        world.remembers("ana", "User lives in Oslo").await;
        world.remembers("ana", "User likes tea").await;
        tell(&engine).await;
        assert_eq!(got(&peer).await.len(), 1);
        let view = engine.webhook(&world.administers(), &id).await.unwrap();
        assert_eq!((view.state, view.waiting), (WebhookState::Gone, 1));
        world.pass(Span::days(9));
        tell(&engine).await;
        assert_eq!(got(&peer).await.len(), 1);
        let events = world.audited(&CHANGES).await;
        let told: Vec<_> = events.iter().rev().map(|event| (event.agent.as_str(), event.r#type)).collect();
        assert_eq!(told, [("support", EventType::WebhookCreated), ("support", EventType::WebhookDisabled)]);
        assert_eq!(events[0].data["why"], "gone");
    }

    // G4
    async fn both_secrets_sign_for_a_day_and_then_the_new_one_alone(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (old, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        let (new, view) = engine.rotate_webhook(&world.administers(), &id).await.unwrap();
        assert!(new.starts_with("whsec_") && new != old);
        assert_eq!(view.overlaps_until, Some(world.engine.now() + Span::hours(24)));
        world.remembers("ana", "User lives in Oslo").await;
        tell(&engine).await;
        world.pass(Span::hours(24));
        world.remembers("ana", "User likes tea").await;
        tell(&engine).await;
        let requests = got(&peer).await;
        let signed: Vec<_> = requests.iter().map(|one| (is_signed(one, &old), is_signed(one, &new))).collect();
        assert_eq!(signed, [(true, true), (false, true)]);
        assert_eq!(header(&requests[0], "webhook-signature").split(' ').count(), 2);
        assert_eq!(engine.webhook(&world.administers(), &id).await.unwrap().overlaps_until, None);
    }

    // G4
    async fn the_library_of_the_specification_takes_what_is_sent_now(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let reaches = reaching(db, &world, "127.0.0.0/8");
        // By the clock of this machine, as the library compares the time with that.
        let engine = Engine::new(db.db.clone(), Arc::new(SystemClock), Arc::new(OsEntropy), Extractors::builtin(), reaches.settings().clone());
        let (secret, id) = world.hears(&engine, &peer, &[EventType::WebhookRotated]).await;
        assert!(engine.test_webhook(&world.administers(), &id).await.unwrap().arrived);
        let requests = got(&peer).await;
        let receiver = Receiver::new(&secret).unwrap();
        receiver.verify(&requests[0].body, &requests[0].headers).unwrap();
        let told = body(&requests[0]);
        assert_eq!((&told["type"], &told["data"]["subject"]), (&json!("webhook.test"), &json!(id)));
        let mut changed = requests[0].body.clone();
        changed.push(b' ');
        assert!(receiver.verify(&changed, &requests[0].headers).is_err());
    }

    // G4
    async fn what_only_the_installation_can_reach_is_refused_unless_it_is_allowed(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let closed = reaching(db, &world, "");
        let new = |url: &str| NewWebhook {
            agent: Some(world.agent.clone()),
            url: url.to_owned(),
            events: vec![EventType::MemoryCreated],
            enabled: true,
        };
        for (url, code) in [
            (peer.uri(), "private_address"),
            ("https://169.254.169.254/latest".to_owned(), "private_address"),
            ("https://localhost/x".to_owned(), "private_address"),
            ("http://runtime.example/x".to_owned(), "https"),
            ("ftp://runtime.example/x".to_owned(), "https"),
            ("https://mia:T0K3N@runtime.example/x".to_owned(), "user_info"),
            ("https://runtime.example/x#part".to_owned(), "fragment"),
            ("runtime".to_owned(), "shape"),
            (String::new(), "required"),
        ] {
            let refused = closed.create_webhook(&world.administers(), new(&url)).await.unwrap_err();
            let field = refused.fields().remove(0);
            assert_eq!((field.pointer.as_str(), field.code), ("/url", code), "{url}");
            let named = field.detail.contains("KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES");
            assert_eq!(named, matches!(code, "private_address" | "https"), "{}", field.detail);
            assert!(!field.detail.contains("T0K3N"), "{}", field.detail);
        }
        let none = NewWebhook { events: Vec::new(), ..new("https://runtime.example/x") };
        assert_eq!(closed.create_webhook(&world.administers(), none).await.unwrap_err().fields()[0].pointer, "/events");

        // It was allowed, and is so no more; a name that leads inside is told when it is looked up.
        let open = reaching(db, &world, "127.0.0.0/8");
        let (_, id) = world.hears(&open, &peer, &[EventType::MemoryCreated]).await;
        let named = reaching(db, &world, "localhost");
        let (_, by_name) = named.create_webhook(&world.administers(), new("https://localhost/x")).await.unwrap();
        world.remembers("ana", "User lives in Oslo").await;
        tell(&closed).await;
        for id in [&id, &by_name.id] {
            let delivery = world.deliveries(&closed, id).await.remove(0);
            assert_eq!((delivery.state, delivery.error.as_deref(), delivery.status), (DeliveryState::Waiting, Some("private_address"), None));
        }
        assert!(got(&peer).await.is_empty());

        // By name, over http, because an administrator said so.
        let url = format!("http://localhost:{}/x", peer.address().port());
        let (_, view) = named.create_webhook(&world.administers(), new(&url)).await.unwrap();
        assert!(named.test_webhook(&world.administers(), &view.id).await.unwrap().arrived);
    }

    // G4
    async fn a_peer_that_hangs_or_never_ends_its_answer_is_not_waited_for(db: &TestDb) {
        let world = World::new(db).await;
        let patient = reaching(db, &world, "127.0.0.0/8");
        let hurried = waiting_for(db, &world, "127.0.0.0/8", Duration::from_millis(200));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let hangs = format!("http://{}/", listener.local_addr().unwrap());
        let endless = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let talks = format!("http://{}/", endless.local_addr().unwrap());
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                held.push(stream);
            }
        });
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = endless.accept().await {
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
                // Until the other side has enough of it.
                while stream.write_all(b"400\r\n").await.is_ok() && stream.write_all(&[b'x'; 1024]).await.is_ok() && stream.write_all(b"\r\n").await.is_ok() {}
            }
        });
        for (engine, url, arrived, error) in [(hurried, hangs, false, Some("timeout")), (patient, talks, true, None)] {
            let new = NewWebhook { agent: None, url, events: vec![EventType::MemoryCreated], enabled: true };
            let (_, view) = engine.create_webhook(&world.administers(), new).await.unwrap();
            let tested = engine.test_webhook(&world.administers(), &view.id).await.unwrap();
            assert_eq!((tested.arrived, tested.error.as_deref()), (arrived, error));
        }
    }

    // G4
    async fn a_peer_that_asks_for_time_is_given_it(db: &TestDb) {
        let world = World::new(db).await;
        let peer = MockServer::start().await;
        let busy = ResponseTemplate::new(503).insert_header("retry-after", "3600");
        Mock::given(matchers::method("POST")).respond_with(busy).mount(&peer).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (_, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        world.remembers("ana", "User lives in Oslo").await;
        tell(&engine).await;
        let delivery = world.deliveries(&engine, &id).await.remove(0);
        assert_eq!(delivery.next_at, Some(world.engine.now() + Span::hours(1)));
    }

    // G4
    async fn of_two_processes_one_sends_and_one_that_died_leaves_it_to_the_other(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let (one, other) = (reaching(db, &world, "127.0.0.0/8"), reaching(db, &world, "127.0.0.0/8"));
        let (_, id) = world.hears(&one, &peer, &[EventType::MemoryCreated]).await;
        for content in ["User lives in Oslo", "User likes tea", "User plays chess"] {
            world.remembers("ana", content).await;
        }
        tokio::join!(tell(&one), tell(&other));
        assert_eq!(got(&peer).await.len(), 3);

        world.remembers("ana", "User has two cats").await;
        let now = world.engine.now();
        let dead = db.db.claim_webhook(now, now + Span::minutes(1)).await.unwrap().unwrap();
        assert_eq!(dead.webhook, id);
        tell(&other).await;
        assert_eq!(got(&peer).await.len(), 3, "it is in other hands");
        world.pass(Span::minutes(1));
        tell(&other).await;
        assert_eq!(got(&peer).await.len(), 4);
        // Whoever comes back changes nothing any more.
        let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
        assert!(matches!(tx.hold_webhook(&dead, now, None).await, Err(store::Error::LostClaim)));
    }

    // G4, G7
    async fn a_webhook_is_its_administrators_alone_and_every_change_of_it_is_audited_without_its_address(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (secret, id) = world.hears(&engine, &peer, &[EventType::MemoryCreated, EventType::MemoryRecalled]).await;
        let sales = AgentName::parse("sales").unwrap();
        world.engine.create_agent(&system(Permission::Administer), sales.clone(), AgentSettings::default()).await.unwrap();
        let elsewhere = Actor::Person {
            id: id_of(&world.aiko),
            name: "Aiko".into(),
            grants: vec![Grant { agent: Some(sales.clone()), ..Grant::everywhere(RoleName::Admin) }],
        };
        let elsewhere = Permit::ask(elsewhere, Permission::Administer).unwrap();
        let nobody = DeliveryId::new(world.engine.now(), &OsEntropy);
        assert!(engine.webhooks(&elsewhere, None).await.unwrap().is_empty());
        let refused = [
            engine.webhook(&elsewhere, &id).await.map(drop).unwrap_err(),
            engine.change_webhook(&elsewhere, &id, &WebhookPatch::default()).await.map(drop).unwrap_err(),
            engine.rotate_webhook(&elsewhere, &id).await.map(drop).unwrap_err(),
            engine.remove_webhook(&elsewhere, &id).await.unwrap_err(),
            engine.test_webhook(&elsewhere, &id).await.map(drop).unwrap_err(),
            engine.deliveries(&elsewhere, &id, &Page::default()).await.map(drop).unwrap_err(),
            engine.resend_delivery(&elsewhere, &id, &nobody).await.map(drop).unwrap_err(),
        ];
        assert!(refused.iter().all(|error| error.code() == "not_found"), "{refused:?}");
        let all = NewWebhook { agent: None, url: peer.uri(), events: vec![EventType::MemoryCreated], enabled: true };
        assert_eq!(engine.create_webhook(&elsewhere, all.clone()).await.unwrap_err().code(), "forbidden");
        let reads = world.mia(Permission::ReadAudit);
        assert_eq!(engine.webhooks(&reads, None).await.unwrap_err().code(), "forbidden");

        let patch = WebhookPatch { url: Some(format!("{}/other", peer.uri())), enabled: Some(false), ..WebhookPatch::default() };
        engine.change_webhook(&world.administers(), &id, &patch).await.unwrap();
        engine.change_webhook(&world.administers(), &id, &patch).await.unwrap();
        engine.rotate_webhook(&world.administers(), &id).await.unwrap();
        engine.remove_webhook(&world.administers(), &id).await.unwrap();
        assert_eq!(engine.webhook(&world.administers(), &id).await.unwrap_err().code(), "not_found");
        let mut events = world.audited(&CHANGES).await;
        events.reverse();
        let told: Vec<_> = events.iter().map(|event| (event.agent.as_str(), event.r#type, json!(event.data))).collect();
        assert_eq!(told, [
            ("support", EventType::WebhookCreated, json!({"events": ["memory.created", "memory.recalled"], "enabled": true})),
            ("support", EventType::WebhookChanged, json!({"address": true, "events": null, "enabled": false})),
            ("support", EventType::WebhookRotated, json!({})),
            ("support", EventType::WebhookRemoved, json!({})),
        ], "what changes nothing is no change");
        assert!(events.iter().all(|event| event.actor.name.as_deref() == Some("Mia")));

        // One of all agents is told of the installation too, and its chain is the system's.
        let (_, view) = engine.create_webhook(&world.administers(), NewWebhook { events: vec![EventType::AgentCreated], ..all }).await.unwrap();
        world.engine.create_agent(&system(Permission::Administer), AgentName::parse("later").unwrap(), AgentSettings::default()).await.unwrap();
        tell(&engine).await;
        let told = body(&got(&peer).await[0]);
        assert_eq!((&told["type"], &told["data"]["subject"]), (&json!("agent.created"), &json!("later")));
        assert_eq!(world.audited(&[EventType::WebhookCreated]).await[0].agent, "system");
        assert_eq!(engine.webhooks(&world.administers(), None).await.unwrap()[0].id, view.id);

        let stored = format!("{:?}", db.db.read(domain::agent::AgentScope::All).await.unwrap().webhooks(None).await.unwrap());
        assert!(!stored.contains(&secret) && !stored.contains("127.0.0.1"), "{stored}");
    }

    // G4
    async fn one_whose_address_cannot_be_read_is_switched_off_and_can_only_be_removed(db: &TestDb) {
        // It gets the seal of another, which opens for that one alone.
        const SEALS: &str = "update webhooks set sealed = (select w.sealed from webhooks w order by w.id limit 1)";
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        let (_, well) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        world.pass(Span::seconds(1));
        let (_, broken) = world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        db.behind_the_back(SEALS).await.unwrap();
        world.remembers("ana", "User lives in Oslo").await;
        tell(&engine).await;
        assert_eq!(got(&peer).await.len(), 1, "the other one is told");
        assert_eq!(engine.webhook(&world.administers(), &well).await.unwrap().state, WebhookState::Enabled);
        let view = engine.webhook(&world.administers(), &broken).await.unwrap();
        assert_eq!((view.state, view.url), (WebhookState::Unreadable, None));
        let on = WebhookPatch { enabled: Some(true), ..WebhookPatch::default() };
        let refused = engine.change_webhook(&world.administers(), &broken, &on).await.unwrap_err();
        assert_eq!(refused.fields()[0].code, "unreadable");
        engine.remove_webhook(&world.administers(), &broken).await.unwrap();
    }

    // G4
    async fn a_process_that_works_tells_by_itself(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, "127.0.0.0/8");
        world.hears(&engine, &peer, &[EventType::MemoryCreated]).await;
        world.remembers("ana", "User lives in Oslo").await;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let runs = engine.clone();
        let running = tokio::spawn(async move { runs.run(async { let _ = stopped.await; }).await });
        let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
        while got(&peer).await.is_empty() {
            assert!(tokio::time::Instant::now() < deadline, "nothing was sent");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        stop.send(()).unwrap();
        running.await.unwrap();
        assert_eq!(got(&peer).await.len(), 1);
    }
}
