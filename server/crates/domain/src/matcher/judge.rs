//! The decision itself.

use crate::{
    candidate::{Action, Flag, Proposal, Target},
    id::{CandidateId, ConversationId, MemoryId},
    memory::Memory,
    series,
    text::{is_function_word, tokens},
};

use super::{
    decision::{self, Decision},
    likeness::{Statement, same},
    measured, named,
    slot::{by_name, slot_and_value},
};

/// An approved memory of the user.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// Which.
    pub id: MemoryId,
    /// Its newest revision.
    pub revision: i64,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// The period that a value is of, where it is one and says so.
    pub period: Option<String>,
    /// The conversation it was said in; `None` where it was written by hand.
    pub conversation: Option<ConversationId>,
}

/// A candidate of the user that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// Which.
    pub id: CandidateId,
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// The memories it is about.
    pub targets: Vec<MemoryId>,
    /// Whether it is the user's own wish that something is forgotten.
    pub urgent: bool,
}

/// What a person rejected within the last 90 days for a reason that suppresses (F4).
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// Which.
    pub id: CandidateId,
    /// What it would have done.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
}

/// Everything of one user of one agent that a proposal is compared with. A proposal that was just made belongs into `waiting` before
/// the next one of the same window is judged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stored {
    /// Approved and unexpired.
    pub memories: Vec<StoredMemory>,
    /// Pending and not past their time.
    pub waiting: Vec<Waiting>,
    /// Only a person's suppressing rejections of the last 90 days.
    pub rejected: Vec<Rejected>,
}

/// What was said again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// A memory.
    Memory(MemoryId),
    /// A candidate that waits.
    Waiting(CandidateId),
}

/// What a proposal is to what there is.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    /// The same was there: a sighting, no new row.
    SeenAgain(Seen),
    /// A person's rejection keeps it out (F4).
    Suppressed(CandidateId),
    /// It goes to the queue.
    Propose {
        /// What it would do.
        action: Action,
        /// The memories it is about, with the revisions they have now.
        targets: Vec<Target>,
        /// Flags to add, sorted.
        flags: Vec<Flag>,
        /// Waiting candidates that it overtakes (A3).
        supersedes: Vec<CandidateId>,
    },
    /// A retirement of something that is not stored: there is nothing to do.
    NoTarget,
}

/// Judges a proposal. `wanted` are the memories the extractor named for an update, a merge or a retirement; what is not among the
/// stored ones is ignored, and what then has no target is a create.
pub fn judge(proposal: &Proposal, wanted: &[MemoryId], stored: &Stored) -> Judgement {
    let mut named: Vec<&StoredMemory> = Vec::new();
    for id in wanted {
        if let Some(memory) = stored.memories.iter().find(|memory| memory.id == *id)
            && !named.iter().any(|known| known.id == memory.id)
        {
            named.push(memory);
        }
    }
    match proposal.action {
        Action::Retire => retire(proposal, &named, stored),
        Action::Create | Action::Update if by_name(&proposal.kind) => {
            named::judge(proposal, named.first().copied(), stored)
        }
        Action::Merge if named.len() > 1 => merge(proposal, &named, stored),
        Action::Update | Action::Merge if !named.is_empty() => {
            state(proposal, Some(named[0]), stored)
        }
        _ => state(proposal, None, stored),
    }
}

/// A statement: a create, or an update of `named` or of what fills its slot.
fn state(proposal: &Proposal, named: Option<&StoredMemory>, stored: &Stored) -> Judgement {
    let kind = &proposal.kind;
    let own = Subject::new(kind, proposal.name.as_deref(), &proposal.content);
    let memories: Vec<(&StoredMemory, Subject)> = stored
        .memories
        .iter()
        .filter(|memory| !by_name(&memory.kind))
        .map(|memory| (memory, memory.subject()))
        .collect();
    if let Some((memory, _)) = memories
        .iter()
        .find(|(memory, subject)| memory.kind == *kind && own.says(subject))
    {
        return Judgement::SeenAgain(Seen::Memory(memory.id.clone()));
    }
    let statements: Vec<(&Waiting, Subject)> = stored
        .waiting
        .iter()
        .filter(|waiting| waiting.action != Action::Retire && !by_name(&waiting.kind))
        .map(|waiting| (waiting, waiting.subject()))
        .collect();
    if let Some((waiting, _)) = statements
        .iter()
        .find(|(waiting, subject)| waiting.kind == *kind && own.says(subject))
    {
        return Judgement::SeenAgain(Seen::Waiting(waiting.id.clone()));
    }
    // A kind is the extractor's opinion; what was rejected is the statement.
    if let Some(rejected) = stored.rejected.iter().find(|rejected| {
        rejected.action != Action::Retire
            && !by_name(&rejected.kind)
            && same(&rejected.content, &proposal.content)
    }) {
        return Judgement::Suppressed(rejected.id.clone());
    }

    // What is told apart by its name is no statement, and takes none.
    let named = named.filter(|memory| !by_name(&memory.kind));
    let of_kind = || {
        memories
            .iter()
            .filter(|(memory, _)| memory.kind == *kind)
            .map(|(memory, subject)| (*memory, &subject.statement))
    };
    let target = named
        .or_else(|| {
            memories
                .iter()
                .find(|(_, subject)| own.fills(subject))
                .map(|(memory, _)| *memory)
        })
        .or_else(|| {
            of_kind()
                .find(|(_, statement)| own.statement.denies(statement))
                .map(|(memory, _)| memory)
        })
        // A kind is the extractor's opinion; what is denied under another one would be served beside its denial.
        .or_else(|| {
            let states = |memory: &StoredMemory| memory.kind != "pattern" && kind != "pattern";
            memories
                .iter()
                .find(|(memory, subject)| {
                    states(memory) && own.statement.denies(&subject.statement)
                })
                .map(|(memory, _)| *memory)
        });
    let is_target = |memory: &StoredMemory| target.is_some_and(|target| target.id == memory.id);
    let mut flags = Vec::new();
    let contradicts = match memories.iter().find(|(memory, _)| is_target(memory)) {
        Some((memory, subject)) if own.fills(subject) => {
            !own.agrees(subject) && !measured::at_another_time(proposal, memory)
        }
        Some((_, subject)) => {
            own.statement.figures_differ(&subject.statement)
                || own.statement.denies(&subject.statement)
                // Nothing but the extractor's word says that this is about the target, and what it said would be gone.
                || !(own.statement.near(&subject.statement)
                    || own.statement.same(&subject.statement)
                    || own.statement.holds(&subject.statement))
        }
        // Values of one metric at different times are a series.
        None => {
            kind != series::METRIC
                && of_kind().any(|(_, other)| own.statement.figures_differ(other))
        }
    };
    if contradicts {
        flags.push(Flag::Contradiction);
    }

    let overtakes = |waiting: &Waiting, subject: &Subject| {
        let about_target = target.is_some_and(|target| {
            waiting.action == Action::Update && waiting.targets.contains(&target.id)
        });
        about_target
            || own.fills(subject)
            || (waiting.kind == *kind && own.statement.denies(&subject.statement))
    };
    let supersedes: Vec<CandidateId> = statements
        .iter()
        .filter(|(waiting, subject)| waiting.action != Action::Merge && overtakes(waiting, subject))
        .map(|(waiting, _)| waiting.id.clone())
        .collect();

    let alike = |other: &Subject| {
        own.statement.near(&other.statement) || own.statement.same(&other.statement)
    };
    let twin = memories
        .iter()
        .any(|(memory, subject)| !is_target(memory) && alike(subject))
        || statements
            .iter()
            .any(|(waiting, subject)| !supersedes.contains(&waiting.id) && alike(subject));
    if twin {
        flags.push(Flag::PossibleDuplicate);
    }
    Judgement::Propose {
        action: target.map_or(Action::Create, |_| Action::Update),
        targets: target
            .map(|target| target.target(false))
            .into_iter()
            .collect(),
        flags,
        supersedes,
    }
}

/// The waiting candidates that are overtaken when `memory` is said again (A3): whoever goes back to the approved value has changed
/// their mind about the change that waits.
pub fn overtaken(memory: &MemoryId, stored: &Stored) -> Vec<CandidateId> {
    let Some(memory) = stored.memories.iter().find(|known| known.id == *memory) else {
        return Vec::new();
    };
    if by_name(&memory.kind) {
        return named::overtaken(memory, stored);
    }
    let own = memory.subject();
    stored
        .waiting
        .iter()
        .filter(|waiting| {
            let statement = matches!(waiting.action, Action::Create | Action::Update);
            let subject = waiting.subject();
            let says_otherwise = own.fills(&subject) || own.statement.denies(&subject.statement);
            statement && waiting.kind == memory.kind && says_otherwise && !own.says(&subject)
        })
        .map(|waiting| waiting.id.clone())
        .collect()
}

/// What a statement meets among others that it would be told beside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    /// Which of them.
    pub memory: MemoryId,
    /// Whether that says the same; else it gives another value to the same thing, or denies it.
    pub same: bool,
}

/// What each of `others` meets among `known`: what says the same, else what cannot be told beside it (B5). `None`: both can be told.
pub fn met(known: &[StoredMemory], others: &[StoredMemory]) -> Vec<Option<Met>> {
    let subjects: Vec<Subject> = known.iter().map(StoredMemory::subject).collect();
    let first =
        |other: &StoredMemory, same: bool, fits: &dyn Fn(&StoredMemory, &Subject) -> bool| {
            known
                .iter()
                .zip(&subjects)
                .find(|(memory, subject)| {
                    let alike = by_name(&memory.kind) == by_name(&other.kind);
                    alike && fits(memory, subject)
                })
                .map(|(memory, _)| Met {
                    memory: memory.id.clone(),
                    same,
                })
        };
    others
        .iter()
        .map(|other| {
            let own = other.subject();
            let named = by_name(&other.kind);
            let says = |memory: &StoredMemory, subject: &Subject| {
                if named {
                    own.fills(subject) && named::same(&memory.content, &other.content)
                } else {
                    memory.kind == other.kind && own.says(subject)
                }
            };
            let patterns = |memory: &StoredMemory| {
                memory.kind != other.kind && (memory.kind == "pattern" || other.kind == "pattern")
            };
            let otherwise = |memory: &StoredMemory, subject: &Subject| {
                let denies =
                    !named && !patterns(memory) && own.statement.denies(&subject.statement);
                own.fills(subject) || denies
            };
            first(other, true, &says).or_else(|| first(other, false, &otherwise))
        })
        .collect()
}

fn merge(proposal: &Proposal, named: &[&StoredMemory], stored: &Stored) -> Judgement {
    let ids = |targets: &[MemoryId]| {
        named.len() == targets.len() && named.iter().all(|memory| targets.contains(&memory.id))
    };
    if let Some(waiting) = stored.waiting.iter().find(|waiting| {
        waiting.action == Action::Merge
            && ids(&waiting.targets)
            && same(&waiting.content, &proposal.content)
    }) {
        return Judgement::SeenAgain(Seen::Waiting(waiting.id.clone()));
    }
    if let Some(rejected) = stored.rejected.iter().find(|rejected| {
        rejected.action == Action::Merge && same(&rejected.content, &proposal.content)
    }) {
        return Judgement::Suppressed(rejected.id.clone());
    }
    let supersedes = stored
        .waiting
        .iter()
        .filter(|waiting| waiting.action == Action::Merge && ids(&waiting.targets))
        .map(|waiting| waiting.id.clone())
        .collect();
    let targets = named
        .iter()
        .enumerate()
        .map(|(at, memory)| memory.target(at > 0))
        .collect();
    Judgement::Propose {
        action: Action::Merge,
        targets,
        flags: Vec::new(),
        supersedes,
    }
}

/// A retirement is the user's own wish, so an earlier rejection of one does not keep it out.
fn retire(proposal: &Proposal, named: &[&StoredMemory], stored: &Stored) -> Judgement {
    let found = named.first().copied().or_else(|| {
        let best = meant(&proposal.content, stored).into_iter().next()?;
        stored.memories.iter().find(|memory| memory.id == best)
    });
    let Some(memory) = found else {
        return Judgement::NoTarget;
    };
    let there: Vec<&Waiting> = stored
        .waiting
        .iter()
        .filter(|waiting| waiting.action == Action::Retire && waiting.targets.contains(&memory.id))
        .collect();
    // Of two that would do the same the wish stays: it stands before everything else and has the words.
    let stands = there
        .iter()
        .find(|waiting| waiting.urgent || !proposal.is_urgent());
    if let Some(waiting) = stands {
        return Judgement::SeenAgain(Seen::Waiting(waiting.id.clone()));
    }
    Judgement::Propose {
        action: Action::Retire,
        targets: vec![memory.target(false)],
        flags: Vec::new(),
        supersedes: there.iter().map(|waiting| waiting.id.clone()).collect(),
    }
}

/// The memories that "forget that I …" means, best first: those that share most of what the words are about (G1).
pub fn meant(said: &str, stored: &Stored) -> Vec<MemoryId> {
    let wanted = about(said);
    let mut found: Vec<(f64, &StoredMemory)> = stored
        .memories
        .iter()
        .filter_map(|memory| {
            let share = shared(&wanted, &memory.content);
            let fills = Subject::new(&memory.kind, None, said).fills(&memory.subject());
            (share >= MOST_OF_IT || fills || same(said, &memory.content))
                .then_some((share + f64::from(u8::from(fills)), memory))
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.id.cmp(&a.1.id)));
    found
        .into_iter()
        .map(|(_, memory)| memory.id.clone())
        .collect()
}

/// The waiting candidates that say what "forget that I …" means (G1). They are taken out without being looked at, so what gives another
/// value to the same thing, or denies it, is not meant; nor is what would take something away.
pub fn meant_waiting(said: &str, stored: &Stored) -> Vec<CandidateId> {
    let wanted = about(said);
    stored
        .waiting
        .iter()
        .filter(|waiting| {
            let own = Subject::new(&waiting.kind, None, said);
            let subject = waiting.subject();
            let says_otherwise =
                own.gives_another_value(&subject) || own.statement.is_opposed(&subject.statement);
            waiting.action != Action::Retire
                && (own.says(&subject) || (!says_otherwise && is_most(&wanted, &waiting.content)))
        })
        .map(|waiting| waiting.id.clone())
        .collect()
}

/// How much of what the words are about a statement has to share to be meant.
const MOST_OF_IT: f64 = 0.6;

/// What a text is about: its words, each once, sorted.
fn about(text: &str) -> Vec<String> {
    let mut words: Vec<String> = tokens(text)
        .into_iter()
        .filter(|token| !is_function_word(token) && !FORGETTING.contains(&token.as_str()))
        .map(|token| stem(&token).to_owned())
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// How much of what the shorter one is about a statement and `wanted` share, 0.0 to 1.0.
fn shared(wanted: &[String], statement: &str) -> f64 {
    let words = about(statement);
    let common = words
        .iter()
        .filter(|word| wanted.binary_search(word).is_ok())
        .count() as f64;
    common / words.len().min(wanted.len()).max(1) as f64
}

/// Whether a statement and `wanted` are about the same for the most part, both of them: a word or two of a longer one are not.
fn is_most(wanted: &[String], statement: &str) -> bool {
    let words = about(statement);
    let common = words
        .iter()
        .filter(|word| wanted.binary_search(word).is_ok())
        .count();
    common >= 2 && common as f64 / words.len().max(wanted.len()) as f64 >= MOST_OF_IT
}

/// "I work" is what "User works" says.
fn stem(token: &str) -> &str {
    ["ing", "ed", "es", "s", "e"]
        .iter()
        .filter_map(|ending| token.strip_suffix(ending))
        .find(|stem| stem.len() >= 3 && stem.is_ascii())
        .unwrap_or(token)
}

/// Words of the request, not of what it is about.
const FORGETTING: &[&str] = &[
    "forget", "remember", "delete", "remove", "忘れ", "れて", "覚え", "忘记", "忘掉", "记住",
    "删除", "別", "别",
];

/// A statement with the slot it fills.
struct Subject {
    statement: Statement,
    slot: Option<String>,
    value: Option<String>,
    /// Whether it is a decision with its reason.
    reasoned: bool,
}

impl Subject {
    fn new(kind: &str, name: Option<&str>, content: &str) -> Self {
        let statement = Statement::new(content);
        let (slot, value) = slot_and_value(kind, name, &statement.normal);
        Self {
            reasoned: kind == decision::KIND && Decision::new(&statement.normal).reasoned,
            statement,
            slot,
            value,
        }
    }

    fn fills(&self, other: &Self) -> bool {
        self.slot.is_some() && self.slot == other.slot
    }

    /// Gives the same value to the same slot.
    fn agrees(&self, other: &Self) -> bool {
        self.fills(other) && self.value.is_some() && self.value == other.value
    }

    /// Gives another value to the same slot, where both are known; one that only says more is no other.
    fn gives_another_value(&self, other: &Self) -> bool {
        self.fills(other)
            && self
                .value
                .as_ref()
                .zip(other.value.as_ref())
                .is_some_and(|(own, others)| {
                    !own.contains(others.as_str()) && !others.contains(own.as_str())
                })
    }

    /// Says the same: in the same words, or by giving the same value to the same slot. A reason that was not given before is news.
    fn says(&self, other: &Self) -> bool {
        self.statement.same(&other.statement)
            || (self.agrees(other) && (other.reasoned || !self.reasoned))
    }
}

impl From<&Memory> for StoredMemory {
    fn from(memory: &Memory) -> Self {
        let period = memory.metadata.get("period");
        Self {
            id: memory.id.clone(),
            revision: memory.revision,
            kind: memory.kind.clone(),
            name: memory.name.clone(),
            content: memory.content.clone(),
            period: period
                .and_then(serde_json::Value::as_str)
                .map(str::to_owned),
            conversation: memory.conversation.clone(),
        }
    }
}

impl StoredMemory {
    fn subject(&self) -> Subject {
        Subject::new(&self.kind, self.name.as_deref(), &self.content)
    }

    fn target(&self, absorbed: bool) -> Target {
        Target {
            memory: self.id.clone(),
            revision: self.revision,
            absorbed,
        }
    }
}

impl Waiting {
    fn subject(&self) -> Subject {
        Subject::new(&self.kind, self.name.as_deref(), &self.content)
    }
}
