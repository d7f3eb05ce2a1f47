//! Random work: whatever people, agents and the clock do in any order, no refusal is an error of ours, what is served is what is
//! approved, a thing has one value at a time, no version is lost, the chain is true, and another agent sees nothing change.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::{
    agent::{AgentName, AgentScope, AgentSettings},
    candidate::{Action, Edit, Reason, Status},
    id::MemoryId,
    matcher,
    memory::RevisionAction,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{
    Approval, CandidateFilter, CandidateView, EngineError, MemoryFilter, MemoryView, NewMemory,
    Page, ProposeAnswer, Proposed, Version,
};
use serde_json::{Value, json};
use store::{Stamp, testing::TestDb};

use crate::world::{World, start, system};

/// A small generator (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let at = usize::try_from(self.roll(all.len().max(1) as u64)).unwrap();
        all.get(at)
    }

    /// The version that is there, now and then another.
    fn version(&mut self, present: i64) -> Version {
        Version::Is(present + i64::from(self.one_in(4)))
    }
}

const USERS: [&str; 2] = ["ana", "bo"];
const CITIES: [&str; 5] = ["Oslo", "Bergen", "Kyoto", "Lyon", "Quito"];
/// Days that a fact lives here: short, so that memories expire in the middle of the work.
const FACT_DAYS: i64 = 25;
/// What has to come up, deeds and refusals.
const WORDS: [&str; 15] = [
    "said",
    "proposed",
    "approved",
    "merge approved",
    "update approved",
    "retirement approved",
    "rejected",
    "reopened",
    "edited",
    "retired",
    "restored",
    "ticked",
    "expired",
    "stale",
    "not_pending",
];

/// What there is of an agent.
struct Everything {
    candidates: Vec<CandidateView>,
    approved: Vec<MemoryView>,
    retired: Vec<MemoryView>,
}

impl Everything {
    /// One to decide on: mostly one that waits.
    fn candidate(&self, dice: &mut Dice) -> Option<&CandidateView> {
        let waiting: Vec<&CandidateView> = self
            .candidates
            .iter()
            .filter(|candidate| candidate.status == Status::Pending && candidate.reason.is_none())
            .collect();
        match dice.pick(&waiting) {
            Some(one) if !dice.one_in(5) => Some(one),
            _ => dice.pick(&self.candidates),
        }
    }
}

impl World {
    async fn everything(&self, agent: &AgentName) -> Everything {
        let candidates = CandidateFilter {
            status: None,
            agent: Some(agent.clone()),
            ..CandidateFilter::default()
        };
        Everything {
            candidates: self.all_candidates(&candidates).await,
            approved: self.all_memories(agent, false).await,
            retired: self.all_memories(agent, true).await,
        }
    }

    async fn all_candidates(&self, filter: &CandidateFilter) -> Vec<CandidateView> {
        let read = self.mia(Permission::ReadCandidates);
        let mut page = whole();
        let mut all = Vec::new();
        loop {
            let list = self.engine.candidates(&read, filter, &page).await.unwrap();
            all.extend(list.data);
            page.cursor = list.next;
            if page.cursor.is_none() {
                return all;
            }
        }
    }

    async fn all_memories(&self, agent: &AgentName, retired: bool) -> Vec<MemoryView> {
        let filter = MemoryFilter {
            retired,
            agent: Some(agent.clone()),
            ..MemoryFilter::default()
        };
        let read = self.mia(Permission::ReadMemories);
        let mut page = whole();
        let mut all = Vec::new();
        loop {
            let list = self.engine.memories(&read, &filter, &page).await.unwrap();
            all.extend(list.data);
            page.cursor = list.next;
            if page.cursor.is_none() {
                return all;
            }
        }
    }

    /// A conversation out of which the model makes this.
    async fn says(&self, user: &str, words: &str, candidate: Value) {
        self.script.says(&json!({"candidates": [candidate]}));
        self.say(user, &[words]).await;
        self.work().await;
        self.script.forget();
    }

    async fn something(&self, dice: &mut Dice) -> Result<&'static str, EngineError> {
        let there = self.everything(&self.agent).await;
        let user = *dice.pick(&USERS).unwrap();
        let city = *dice.pick(&CITIES).unwrap();
        match dice.roll(17) {
            0..=2 => {
                let (kind, name, content) = match dice.roll(3) {
                    0 => ("fact", Some("lives in"), format!("User lives in {city}")),
                    1 => ("fact", None, format!("User lives in {city}")),
                    _ => (
                        "preference",
                        None,
                        format!("User's favourite city is {city}"),
                    ),
                };
                let words = format!("As for me: {city}");
                let candidate = json!({"kind": kind, "name": name, "content": content, "confidence": 0.9, "importance": 0.6, "evidence": words});
                self.says(user, &words, candidate).await;
                Ok("said")
            }
            3 => self.propose_something(dice, &there, user, city).await,
            4 => {
                let theirs: Vec<&MemoryView> = there
                    .approved
                    .iter()
                    .filter(|memory| memory.user_id.as_deref() == Some(user))
                    .collect();
                let (Some(one), Some(other)) = (dice.pick(&theirs), dice.pick(&theirs)) else {
                    return Ok("nothing");
                };
                let words = format!("{city} is where I live and what I like");
                let candidate = json!({
                    "action": "merge", "targets": [one.id, other.id], "kind": "fact", "content": format!("User lives in and loves {city}"),
                    "confidence": 0.9, "importance": 0.6, "evidence": words});
                self.says(user, &words, candidate).await;
                Ok("said")
            }
            5..=8 => self.approve_something(dice, &there, city).await,
            9 => {
                let Some(candidate) = there.candidate(dice) else {
                    return Ok("nothing");
                };
                let reason = *dice.pick(Reason::OF_A_PERSON).unwrap();
                let decide = self.aiko(Permission::Decide);
                self.engine
                    .reject(&decide, &candidate.id, None, reason, None)
                    .await?;
                Ok("rejected")
            }
            10 => {
                let Some(candidate) = dice.pick(&there.candidates) else {
                    return Ok("nothing");
                };
                let decide = self.mia(Permission::Decide);
                self.engine
                    .reopen(&decide, &candidate.id, None, None)
                    .await?;
                Ok("reopened")
            }
            11..=14 => self.change_something(dice, &there, user, city).await,
            _ => {
                self.pass(Span::hours(i64::try_from(dice.roll(40)).unwrap()));
                self.engine.tick().await?;
                let gone = self.all_memories(&self.agent, true).await;
                Ok(if gone.len() > there.retired.len() {
                    "expired"
                } else {
                    "ticked"
                })
            }
        }
    }

    async fn propose_something(
        &self,
        dice: &mut Dice,
        there: &Everything,
        user: &str,
        city: &str,
    ) -> Result<&'static str, EngineError> {
        let theirs: Vec<&MemoryView> = there
            .approved
            .iter()
            .filter(|memory| memory.user_id.as_deref() == Some(user))
            .collect();
        let target = dice.pick(&theirs).filter(|_| !dice.one_in(3));
        let action = target.map(|_| {
            if dice.one_in(2) {
                Action::Retire
            } else {
                Action::Update
            }
        });
        let proposed = Proposed {
            action,
            target: target.map(|memory| memory.id.clone()),
            scope: Scope::user_id(user).unwrap(),
            kind: target.map_or("fact".into(), |memory| memory.kind.clone()),
            name: None,
            content: Some(format!("User works for the city of {city}")),
            metadata: Default::default(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        };
        let propose = self.key(Permission::Propose);
        let answer = self.engine.propose(&propose, &self.agent, proposed).await?;
        Ok(match answer {
            ProposeAnswer::Proposed { .. } => "proposed",
            _ => "seen again",
        })
    }

    async fn approve_something(
        &self,
        dice: &mut Dice,
        there: &Everything,
        city: &str,
    ) -> Result<&'static str, EngineError> {
        let Some(candidate) = there.candidate(dice) else {
            return Ok("nothing");
        };
        let mut approval = Approval::default();
        if dice.one_in(3) {
            approval.edit = Edit {
                content: Some(format!("User has moved to {city}")),
                ..Edit::default()
            };
        }
        if dice.one_in(4) {
            approval.merge_into = dice.pick(&there.approved).map(|memory| memory.id.clone());
        }
        if dice.one_in(2) {
            // Both were in view: what is stored now, and what was proposed against an earlier one.
            let present = |id: &MemoryId| {
                let found = there.approved.iter().find(|memory| memory.id == *id);
                found.map(|memory| memory.revision)
            };
            approval.seen_target = candidate.target.as_ref().and_then(present);
            approval.seen_absorbed = candidate
                .absorbed
                .iter()
                .filter_map(|id| Some((id.clone(), present(id)?)))
                .collect();
        }
        let into = approval.merge_into.clone();
        let decide = if dice.one_in(2) {
            self.mia(Permission::Decide)
        } else {
            self.aiko(Permission::Decide)
        };
        let version = dice.version(candidate.version);
        let done = self
            .engine
            .approve(&decide, &candidate.id, Some(version), approval)
            .await?;
        let served = self.all_memories(&self.agent, false).await;
        let is_served = |id: &MemoryId| served.iter().any(|memory| memory.id == *id);
        match candidate.action {
            // One memory is left, and all of what it took in is there to read.
            Action::Merge => {
                assert!(is_served(done.memory.as_ref().unwrap()), "{done:?}");
                assert!(!candidate.absorbed.iter().any(is_served), "{done:?}");
                for absorbed in &candidate.absorbed {
                    let revisions = self.revisions_of(absorbed).await;
                    assert_eq!(revisions[0].candidate.as_ref(), Some(&candidate.id));
                }
                Ok("merge approved")
            }
            Action::Update => {
                assert_eq!(done.memory, into.or(candidate.target.clone()));
                assert!(is_served(done.memory.as_ref().unwrap()));
                Ok("update approved")
            }
            Action::Retire => {
                assert!(!is_served(candidate.target.as_ref().unwrap()));
                Ok("retirement approved")
            }
            Action::Create => {
                assert!(is_served(done.memory.as_ref().unwrap()));
                Ok("approved")
            }
        }
    }

    async fn change_something(
        &self,
        dice: &mut Dice,
        there: &Everything,
        user: &str,
        city: &str,
    ) -> Result<&'static str, EngineError> {
        let decide = self.mia(Permission::Decide);
        let of_any = if dice.one_in(2) {
            &there.approved
        } else {
            &there.retired
        };
        let Some(memory) = dice.pick(of_any) else {
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
            self.engine.add_memory(&decide, &self.agent, new).await?;
            return Ok("added");
        };
        let version = dice.version(memory.revision);
        match dice.roll(3) {
            0 => {
                self.engine
                    .retire_memory(&decide, &memory.id, version, None)
                    .await?;
                Ok("retired")
            }
            1 => {
                let edit = Edit {
                    content: Some(format!("User lives in {city}")),
                    ..Edit::default()
                };
                self.engine
                    .edit_memory(&decide, &memory.id, version, edit, None)
                    .await?;
                Ok("edited")
            }
            _ => {
                let revision = i64::try_from(dice.roll(memory.revision.unsigned_abs())).unwrap();
                self.engine
                    .restore_memory(&decide, &memory.id, version, Some(revision + 1), None)
                    .await?;
                Ok("restored")
            }
        }
    }

    async fn revisions_of(&self, id: &MemoryId) -> Vec<engine::RevisionView> {
        self.engine
            .revisions(&self.mia(Permission::ReadMemories), id)
            .await
            .unwrap()
            .data
    }

    /// What holds after every step.
    async fn check(&self, there: &Everything) {
        let now = self.engine.now();
        let mut slots = HashSet::new();
        for memory in &there.approved {
            assert!(memory.expires_at.is_none_or(|end| now < end), "{memory:?}");
            if let Some(slot) = matcher::slot(&memory.kind, memory.name.as_deref(), &memory.content)
            {
                let one = slots.insert((memory.user_id.clone(), slot));
                assert!(one, "a second value beside {memory:?}");
            }
        }
        // Every kind here is in every context: what is served is what is approved, in its newest revision.
        let mut served = BTreeSet::new();
        for user in USERS {
            let context = self.context(user).await;
            assert!(context.cut.is_empty());
            served.extend(
                context
                    .items
                    .into_iter()
                    .map(|item| (item.memory, item.revision, item.content)),
            );
        }
        let approved: BTreeSet<_> = there
            .approved
            .iter()
            .map(|memory| (memory.id.clone(), memory.revision, memory.content.clone()))
            .collect();
        assert_eq!(served, approved);
        for candidate in &there.candidates {
            let is = |status| candidate.status == status;
            assert_eq!(
                is(Status::Rejected),
                candidate.reason.is_some(),
                "{candidate:?}"
            );
            assert_eq!(
                is(Status::Approved),
                candidate.memory.is_some(),
                "{candidate:?}"
            );
        }
    }

    /// No version is lost: of a memory from the first on, each reached with what made it; of a candidate one a decision.
    async fn check_history(&self, there: &Everything) {
        for memory in there.approved.iter().chain(&there.retired) {
            let revisions = self.revisions_of(&memory.id).await;
            let numbers: Vec<i64> = revisions.iter().map(|revision| revision.revision).collect();
            let wanted: Vec<i64> = (1..=memory.revision).rev().collect();
            assert_eq!(numbers, wanted, "{memory:?}");
            let newest = &revisions[0];
            assert_eq!(
                (&newest.content, &newest.kind),
                (&memory.content, &memory.kind)
            );
            let retired = there.retired.iter().any(|gone| gone.id == memory.id);
            let past = memory
                .expires_at
                .is_some_and(|end| end <= self.engine.now());
            assert_eq!(
                newest.action == RevisionAction::Retire,
                retired && !(past && memory.reason.is_none()),
                "{memory:?}"
            );
            for pair in revisions.windows(2) {
                assert_eq!(pair[0].before.as_ref(), Some(&pair[1].content));
                assert!(pair[0].at >= pair[1].at);
            }
            assert_eq!(revisions.last().unwrap().action, RevisionAction::Create);
            for candidate in revisions
                .iter()
                .filter_map(|revision| revision.candidate.as_ref())
            {
                assert!(there.candidates.iter().any(|there| there.id == *candidate));
            }
        }
        for candidate in &there.candidates {
            let detail = self
                .engine
                .candidate(&self.mia(Permission::ReadCandidates), &candidate.id)
                .await
                .unwrap();
            // Past its time it counts as rejected before the clock has written it down.
            let written = i64::try_from(detail.decisions.len()).unwrap();
            assert_eq!(candidate.version, 1 + written, "{candidate:?}");
        }
    }
}

fn whole() -> Page {
    Page {
        limit: 200,
        ..Page::default()
    }
}

store::both! {
    // A3, A6, A10, B4, F2, F3, F4, F7
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
        let seen = |all: &Everything| format!("{:?} {:?} {:?}", all.candidates, all.approved, all.retired);
        let before = seen(&world.everything(&other).await);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mut fact = tx.kinds(&world.agent).await.unwrap().into_iter().find(|kind| kind.name == "fact").unwrap();
        fact.ttl_days = Some(FACT_DAYS);
        tx.put_kind(&world.agent, &fact, &Stamp::system(start())).await.unwrap();
        tx.commit().await.unwrap();

        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let mut done = BTreeMap::new();
        // Identifiers are drawn anew in each run, and with them what the dice pick: it goes on until everything has come up.
        for step in 0..800 {
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
            let there = world.everything(&world.agent).await;
            // The test's own output: shown where a step fails.
            println!("step {step}: {word}, {} candidates, {} approved, {} retired", there.candidates.len(), there.approved.len(), there.retired.len());
            world.check(&there).await;
            if step % 40 == 0 {
                world.check_history(&there).await;
                world.verify().await;
            }
        }
        for word in WORDS {
            assert!(done.contains_key(word), "the work never came to {word}: {done:?}");
        }
        world.check_history(&world.everything(&world.agent).await).await;
        assert_eq!(seen(&world.everything(&other).await), before, "the other agent saw nothing");
        world.verify().await;
    }
}
