//! Random work: whatever people, agents and the clock do in any order, no refusal is an error of ours, what is served is what is
//! approved, the chain is true, and another agent sees nothing change.

use domain::{
    agent::{AgentName, AgentSettings},
    candidate::{Edit, Reason, Status},
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{
    Approval, CandidateFilter, CandidateView, EngineError, MemoryFilter, MemoryView, NewMemory,
    Page, Version,
};
use store::testing::TestDb;

use crate::world::{World, system};

/// A small generator (xorshift), so that a failure can be replayed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let at = usize::try_from(self.roll(all.len().max(1) as u64)).unwrap();
        all.get(at)
    }
}

const USERS: [&str; 2] = ["ana", "bo"];
const CITIES: [&str; 5] = ["Oslo", "Bergen", "Kyoto", "Lyon", "Quito"];
/// What has to come up, deeds and refusals.
const WORDS: [&str; 10] = [
    "said",
    "approved",
    "rejected",
    "reopened",
    "edited",
    "retired",
    "restored",
    "ticked",
    "stale",
    "not_pending",
];

impl World {
    async fn everything(
        &self,
        agent: &AgentName,
    ) -> (Vec<CandidateView>, Vec<MemoryView>, Vec<MemoryView>) {
        let page = Page {
            limit: 200,
            ..Page::default()
        };
        let filter = CandidateFilter {
            status: None,
            agent: Some(agent.clone()),
            ..CandidateFilter::default()
        };
        let candidates = self.queue(filter).await;
        let memories = |retired| MemoryFilter {
            retired,
            agent: Some(agent.clone()),
            ..MemoryFilter::default()
        };
        let read = self.mia(Permission::ReadMemories);
        let approved = self
            .engine
            .memories(&read, &memories(false), &page)
            .await
            .unwrap()
            .data;
        let retired = self
            .engine
            .memories(&read, &memories(true), &page)
            .await
            .unwrap()
            .data;
        (candidates, approved, retired)
    }

    async fn something(&self, dice: &mut Dice) -> Result<&'static str, EngineError> {
        let decide = if dice.roll(2) == 0 {
            self.mia(Permission::Decide)
        } else {
            self.aiko(Permission::Decide)
        };
        let (candidates, approved, retired) = self.everything(&self.agent).await;
        let user = *dice.pick(&USERS).unwrap();
        let city = *dice.pick(&CITIES).unwrap();
        let version = |present: i64, dice: &mut Dice| {
            if dice.roll(4) == 0 {
                Version::Is(present + 1)
            } else {
                Version::Is(present)
            }
        };
        match dice.roll(12) {
            0..=2 => {
                let name = (dice.roll(2) == 0).then_some("lives in");
                self.script.says(&serde_json::json!({"candidates": [
                    {"kind": "fact", "name": name, "content": format!("User lives in {city}"), "confidence": 0.9, "importance": 0.6, "evidence": format!("I live in {city}")}]}));
                self.say(user, &[&format!("I live in {city}")]).await;
                self.work().await;
                Ok("said")
            }
            3..=5 => match dice.pick(&candidates) {
                None => Ok("nothing"),
                Some(candidate) => {
                    let mut approval = Approval::default();
                    if dice.roll(3) == 0 {
                        approval.edit = Edit {
                            content: Some(format!("User has moved to {city}")),
                            ..Edit::default()
                        };
                    }
                    if dice.roll(4) == 0 {
                        approval.merge_into = dice.pick(&approved).map(|memory| memory.id.clone());
                    }
                    let version = version(candidate.version, dice);
                    self.engine
                        .approve(&decide, &candidate.id, Some(version), approval)
                        .await
                        .map(|_| "approved")
                }
            },
            6 => match dice.pick(&candidates) {
                None => Ok("nothing"),
                Some(candidate) => {
                    let reason = *dice.pick(Reason::OF_A_PERSON).unwrap();
                    self.engine
                        .reject(&decide, &candidate.id, None, reason, None)
                        .await
                        .map(|_| "rejected")
                }
            },
            7..=8 => match dice.pick(&candidates) {
                None => Ok("nothing"),
                Some(candidate) => self
                    .engine
                    .reopen(&decide, &candidate.id, None, None)
                    .await
                    .map(|_| "reopened"),
            },
            9 => match dice.pick(&approved) {
                None => Ok("nothing"),
                Some(memory) if dice.roll(2) == 0 => self
                    .engine
                    .retire_memory(&decide, &memory.id, Version::Is(memory.revision), None)
                    .await
                    .map(|_| "retired"),
                Some(memory) => {
                    let edit = Edit {
                        content: Some(format!("User rents a flat in {city}")),
                        ..Edit::default()
                    };
                    let version = version(memory.revision, dice);
                    self.engine
                        .edit_memory(&decide, &memory.id, version, edit, None)
                        .await
                        .map(|_| "edited")
                }
            },
            10 => match dice.pick(&retired) {
                None => {
                    let new = NewMemory {
                        scope: Scope::user_id(user).unwrap(),
                        kind: "preference".into(),
                        name: None,
                        content: format!("User prefers trains to {city}"),
                        metadata: Default::default(),
                        tags: vec![],
                        importance: None,
                        note: None,
                    };
                    self.engine
                        .add_memory(&decide, &self.agent, new)
                        .await
                        .map(|_| "added")
                }
                Some(memory) => self
                    .engine
                    .restore_memory(&decide, &memory.id, Version::Any, None, None)
                    .await
                    .map(|_| "restored"),
            },
            _ => {
                self.pass(Span::hours(i64::try_from(dice.roll(60)).unwrap()));
                self.engine.tick().await.map(|()| "ticked")
            }
        }
    }
}

store::both! {
    // A6, A10, F4, F7
    async fn random_work_keeps_every_promise(db: &TestDb) {
        let world = World::new(db).await;
        let other = AgentName::parse("other").unwrap();
        world.engine.create_agent(&system(Permission::Administer), other.clone(), AgentSettings::default()).await.unwrap();
        let apart = NewMemory {
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: Some("lives in".into()),
            content: "User lives in Hanoi".into(),
            metadata: Default::default(),
            tags: vec![],
            importance: None,
            note: None,
        };
        world.engine.add_memory(&world.mia(Permission::Decide), &other, apart).await.unwrap();
        let before = format!("{:?}", world.everything(&other).await);

        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let mut done = std::collections::BTreeMap::new();
        // Identifiers are drawn anew in each run, and with them what the dice pick: it goes on until everything has come up.
        for step in 0..1000 {
            if step >= 160 && WORDS.iter().all(|word| done.contains_key(word)) {
                break;
            }
            let word = match world.something(&mut dice).await {
                Ok(word) => word,
                Err(error) => {
                    assert!(error.status() < 500, "step {step}: {error:?}");
                    error.code()
                }
            };
            *done.entry(word).or_insert(0) += 1;
            let (candidates, approved, _) = world.everything(&world.agent).await;
            let mut served = Vec::new();
            for user in USERS {
                served.extend(world.served(user).await);
            }
            let mut wanted: Vec<_> = approved.iter().map(|memory| memory.content.clone()).collect();
            served.sort();
            wanted.sort();
            assert_eq!(served, wanted, "step {step}: {word}");
            for candidate in &candidates {
                assert_eq!(candidate.status == Status::Rejected, candidate.reason.is_some(), "step {step}: {candidate:?}");
                assert_eq!(candidate.status == Status::Approved, candidate.memory.is_some(), "step {step}: {candidate:?}");
            }
        }
        for word in WORDS {
            assert!(done.contains_key(word), "the work never came to {word}: {done:?}");
        }
        assert_eq!(format!("{:?}", world.everything(&other).await), before, "the other agent saw nothing");
        world.verify().await;
    }
}
