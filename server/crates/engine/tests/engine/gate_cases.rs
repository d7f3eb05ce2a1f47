//! `cases/gate.jsonl` through the whole pipeline: messages in, what a scripted model proposed, what reaches the queue.

use domain::{
    agent::{AgentName, AgentSettings},
    candidate::{Reason, Status},
    conversation::NewMessage,
    id::{CandidateId, MemoryId},
    matcher,
    permission::{Actor, Permission, Permit},
    time::Span,
    user::Scope,
};
use engine::{
    AgentPatch, CandidateFilter, Incoming, KindsPatch, NewMemory, Page, ProposeAnswer, Proposed,
};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::world::{World, cases, system};

const USER: &str = "ana";

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value[key].as_str()
}

struct Case<'a> {
    world: &'a World,
    agent: AgentName,
    case: &'a Value,
}

impl Case<'_> {
    fn id(&self) -> &str {
        text(self.case, "id").unwrap()
    }

    fn entries(&self, key: &str) -> Vec<Value> {
        self.case[key].as_array().cloned().unwrap_or_default()
    }

    async fn set_up(&self) {
        let admin = system(Permission::Administer);
        self.world
            .engine
            .create_agent(&admin, self.agent.clone(), AgentSettings::default())
            .await
            .unwrap();
        let mut patch: AgentPatch = serde_json::from_value(
            self.case
                .get("settings")
                .cloned()
                .unwrap_or_else(|| json!({})),
        )
        .unwrap();
        if text(self.case, "kinds") == Some("business") {
            patch.kinds = Some(KindsPatch {
                sets: Some(vec!["assistant".into(), "business".into()]),
                enabled: None,
            });
        }
        self.world
            .engine
            .change_agent(&admin, &self.agent, None, patch)
            .await
            .unwrap();
        if self.case["expect"].get("auto_approve").is_some() {
            // As ready to approve as a policy can be, and switched on by a person.
            let policy = json!({"auto_approve": [{"name": "all", "kinds": ["preference", "fact", "context"], "min_confidence": 0.0}]});
            let patch: AgentPatch = serde_json::from_value(policy).unwrap();
            let mia = self.world.mia(Permission::Administer);
            self.world
                .engine
                .change_agent(&mia, &self.agent, None, patch)
                .await
                .unwrap();
        }
    }

    async fn propose(&self, entry: &Value) -> CandidateId {
        let proposed = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id(USER).unwrap(),
            kind: text(entry, "kind").unwrap().to_owned(),
            name: text(entry, "name").map(str::to_owned),
            content: text(entry, "content").map(str::to_owned),
            metadata: Default::default(),
            tags: vec![],
            confidence: Some(0.9),
            importance: Some(0.7),
            explanation: None,
        };
        match self
            .world
            .engine
            .propose(&system(Permission::Propose), &self.agent, proposed)
            .await
            .unwrap()
        {
            ProposeAnswer::Proposed { candidate } => candidate.id,
            other => panic!("{}: {other:?}", self.id()),
        }
    }

    async fn store_before(&self) -> Vec<(String, MemoryId)> {
        let mut refs = Vec::new();
        for entry in self.entries("memories") {
            let new = NewMemory {
                scope: Scope::user_id(USER).unwrap(),
                kind: text(&entry, "kind").unwrap().to_owned(),
                name: text(&entry, "name").map(str::to_owned),
                content: text(&entry, "content").unwrap().to_owned(),
                metadata: Default::default(),
                tags: vec![],
                importance: None,
                note: None,
            };
            let permit = Permit::ask(self.world.mia.clone(), Permission::Decide).unwrap();
            let memory = self
                .world
                .engine
                .add_memory(&permit, &self.agent, new)
                .await
                .unwrap();
            refs.push((
                text(&entry, "ref").unwrap_or_default().to_owned(),
                memory.id,
            ));
        }
        for entry in self.entries("rejected") {
            let id = self.propose(&entry).await;
            self.world
                .engine
                .reject(
                    &self.world.mia(Permission::Decide),
                    &id,
                    None,
                    Reason::Wrong,
                    None,
                )
                .await
                .unwrap();
        }
        let expired = self.entries("expired");
        for entry in &expired {
            self.propose(entry).await;
        }
        if !expired.is_empty() {
            self.world.pass(Span::days(7));
            self.world.engine.tick().await.unwrap();
        }
        for entry in self.entries("waiting") {
            self.propose(&entry).await;
        }
        refs
    }

    async fn pending(&self) -> Vec<engine::CandidateView> {
        let filter = CandidateFilter {
            agent: Some(self.agent.clone()),
            ..CandidateFilter::default()
        };
        self.world.queue(filter).await
    }

    async fn run(&self) {
        let id = self.id();
        self.set_up().await;
        let refs = self.store_before().await;
        let before = self.pending().await;
        let messages: Vec<NewMessage> = self
            .entries("messages")
            .iter()
            .map(|message| NewMessage {
                external_id: None,
                role: text(message, "role").unwrap().parse().unwrap(),
                source: text(message, "source")
                    .map_or(Default::default(), |source| source.parse().unwrap()),
                at: None,
                content: text(message, "content").unwrap().to_owned(),
            })
            .collect();
        let proposed = self.entries("model_candidates");
        self.world.script.says(&json!({"candidates": proposed}));
        let incoming = Incoming {
            scope: Scope::user_id(USER).unwrap(),
            conversation_id: None,
            messages,
            time_zone: None,
            end: true,
            flush: false,
        };
        let permit = Permit::ask(Actor::System, Permission::Ingest).unwrap();
        let accepted = self
            .world
            .engine
            .ingest(&permit, &self.agent, incoming)
            .await
            .unwrap();
        self.world.work().await;
        self.world.script.forget();
        let operation = self
            .world
            .engine
            .operation(&permit, &accepted.operation)
            .await
            .unwrap();
        assert_eq!(operation.state, "succeeded", "{id}");
        let pending = self.pending().await;
        let contents: Vec<&str> = pending
            .iter()
            .map(|candidate| candidate.content.as_str())
            .collect();
        let expect = &self.case["expect"];

        for (key, wanted) in expect.as_object().unwrap() {
            let fits = match key.as_str() {
                "candidates" => pending.len() as u64 == wanted.as_u64().unwrap(),
                "candidates_at_most" => pending.len() as u64 <= wanted.as_u64().unwrap(),
                "contents" => json!(contents) == *wanted,
                "contents_include" => wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|content| contents.contains(&content.as_str().unwrap())),
                "flags" => wanted.as_array().unwrap().iter().all(|flag| {
                    pending
                        .iter()
                        .any(|candidate| candidate.flags.iter().any(|has| json!(has) == *flag))
                }),
                "all_flagged" | "each_flagged_or_absent" => pending
                    .iter()
                    .all(|candidate| candidate.flags.iter().any(|has| json!(has) == *wanted)),
                "dropped" => json!(operation.dropped) == *wanted,
                "suppressed" => u64::from(operation.suppressed) == wanted.as_u64().unwrap(),
                "action" => json!(pending[0].action) == *wanted,
                "kind" => json!(pending[0].kind) == *wanted,
                "target" => {
                    let target = refs
                        .iter()
                        .find(|(name, _)| Some(name.as_str()) == wanted.as_str())
                        .unwrap();
                    pending[0].target.as_ref() == Some(&target.1)
                }
                "evidence_text" => pending[0]
                    .evidence
                    .iter()
                    .any(|piece| Some(piece.quote.as_str()) == wanted.as_str()),
                "evidence_turns" => pending[0].evidence.len() as u64 == wanted.as_u64().unwrap(),
                "waiting_before" => self.superseded(&before).await,
                "expires_in_days" => {
                    pending[0].expires_at - pending[0].created_at
                        == Span::days(wanted.as_i64().unwrap())
                }
                "equal" => pairs(wanted)
                    .all(|(a, b)| matcher::same(&content(&proposed, a), &content(&proposed, b))),
                "differ" => pairs(wanted)
                    .all(|(a, b)| !matcher::same(&content(&proposed, a), &content(&proposed, b))),
                "not_in_request_to_model" => {
                    let window = self.world.script.windows().pop().unwrap();
                    let holds = window
                        .turns
                        .iter()
                        .any(|turn| turn.text.contains(wanted.as_str().unwrap()));
                    !holds
                }
                // The operation is what a job shows of itself; the bytes of the database are searched by the server's journey.
                "secret_in_no_log_export_or_job" => {
                    let job = serde_json::to_string(&operation).unwrap();
                    !job.contains("4111") && !job.contains("FAKE")
                }
                // All of them wait, although there is a policy for their kinds.
                "auto_approve" => {
                    let waits = |candidate: &engine::CandidateView| {
                        candidate.status == Status::Pending && candidate.confidence >= 0.9
                    };
                    let stored = self
                        .world
                        .engine
                        .count_memories(&system(Permission::ReadMemories), &self.memories())
                        .await
                        .unwrap();
                    *wanted == json!(false) && pending.iter().all(waits) && stored == 0
                }
                other => panic!("{id}: the test does not know what {other} means"),
            };
            assert!(
                fits,
                "{id}: {key} should be {wanted}\npending: {pending:#?}\noperation: {operation:#?}"
            );
        }
    }

    fn memories(&self) -> engine::MemoryFilter {
        engine::MemoryFilter {
            agent: Some(self.agent.clone()),
            ..Default::default()
        }
    }

    async fn superseded(&self, before: &[engine::CandidateView]) -> bool {
        let mut all = !before.is_empty();
        for candidate in before {
            all &= self.world.candidate(&candidate.id).await.reason == Some(Reason::Superseded);
        }
        all
    }
}

fn pairs(wanted: &Value) -> impl Iterator<Item = (usize, usize)> + '_ {
    let pairs = wanted.as_array().unwrap();
    let pairs: Vec<&Value> = if pairs.iter().all(Value::is_number) {
        vec![wanted]
    } else {
        pairs.iter().collect()
    };
    pairs.into_iter().map(|pair| {
        (
            pair[0].as_u64().unwrap() as usize,
            pair[1].as_u64().unwrap() as usize,
        )
    })
}

fn content(proposed: &[Value], at: usize) -> String {
    proposed[at]["content"].as_str().unwrap().to_owned()
}

store::both! {
    // A3, A6, B5, F4, F5, F6, G1, G3, G11
    async fn every_gate_case_holds_through_the_pipeline(db: &TestDb) {
        let world = World::new(db).await;
        for (number, case) in cases("gate.jsonl").iter().enumerate() {
            let agent = AgentName::parse(&format!("case-{number}")).unwrap();
            Case { world: &world, agent, case }.run().await;
        }
        let everything = Page { limit: 200, ..Page::default() };
        let list = world.engine.candidates(&system(Permission::ReadCandidates), &CandidateFilter::default(), &everything).await.unwrap();
        assert!(list.next.is_none() && !list.data.is_empty());
        world.verify().await;
    }
}
