//! Random work: whatever people, agents and the clock do in any order, no refusal is an error of ours, what is served is what is
//! approved, a thing has one value at a time, no version is lost, the chain is true, and another agent sees nothing change.

mod deeds;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::{
    agent::{AgentName, AgentScope, AgentSettings},
    candidate::Status,
    id::MemoryId,
    matcher,
    memory::RevisionAction,
    permission::Permission,
    user::Scope,
};
use engine::{CandidateFilter, CandidateView, MemoryFilter, MemoryView, NewMemory, Page, Version};
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
        Version::Is(present + i64::from(self.one_in(8)))
    }
}

const USERS: [&str; 2] = ["ana", "bo"];
const CITIES: [&str; 5] = ["Oslo", "Bergen", "Kyoto", "Lyon", "Quito"];
/// Days that a fact lives here: short, so that memories expire in the middle of the work.
const FACT_DAYS: i64 = 8;
/// What has to come up, deeds and refusals.
const WORDS: [&str; 18] = [
    "said",
    "proposed",
    "approved",
    "merge approved",
    "update approved",
    "retirement approved",
    "rejected",
    "reopened",
    "undone",
    "edited",
    "retired",
    "restored",
    "passed",
    "ticked",
    "expired",
    "stale",
    "not_pending",
    "slot_taken",
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
            // Served because somebody approved it, or wrote it: never on the strength of a proposal that waits or was rejected.
            let by_proposal = newest.action != RevisionAction::Restore && !retired;
            if let Some(made_by) = newest.candidate.as_ref().filter(|_| by_proposal) {
                let approved = |candidate: &&CandidateView| candidate.status == Status::Approved;
                let of = there.candidates.iter().filter(approved);
                assert!(
                    of.into_iter().any(|candidate| candidate.id == *made_by),
                    "{memory:?}"
                );
            }
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
        let mut there = world.everything(&world.agent).await;
        // Identifiers are drawn anew in each run, and with them what the dice pick: it goes on until everything has come up.
        for step in 0..800 {
            if step >= 160 && WORDS.iter().all(|word| done.contains_key(word)) {
                break;
            }
            let word = match world.something(&mut dice, &there).await {
                Ok(word) => word,
                Err(error) => {
                    assert!(error.status() < 500, "step {step}: {error:?}");
                    error.code()
                }
            };
            *done.entry(word).or_insert(0) += 1;
            there = world.everything(&world.agent).await;
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
        world.check_history(&there).await;
        assert_eq!(seen(&world.everything(&other).await), before, "the other agent saw nothing");
        world.verify().await;
    }
}
