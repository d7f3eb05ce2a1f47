//! What an agent is told about a user: the one place where memories become text for a prompt (A8, B8, C7, C10).
//!
//! A memory is somebody's words and goes into somebody else's prompt. So everything is encoded here and nowhere else: hidden
//! characters out, `& < >` as entities, one line a memory. For any text at all a block has one opening and one closing fence, and a
//! preface that says that it is data.

mod choose;
mod layout;
mod profiles;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Timestamp, conversation::words, id::MemoryId, kind::Kind, memory::Memory, profile, text,
};

/// What a block may take unless the caller says otherwise (B8).
pub const DEFAULT_TOKENS: usize = 4000;

/// How a block is laid out (C10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// `<entity_memory>` with a heading a kind.
    #[default]
    ByKind,
    /// `<prior_knowledge>` with `[KIND] content`, and `<recent_sessions>`.
    PriorKnowledge,
    /// `<user_profile>` with the profiles as JSON, and nothing else. The other layouts never hold a field of a profile (D6).
    Profile,
}

words!(Layout { ByKind = "by_kind", PriorKnowledge = "prior_knowledge", Profile = "profile" });

impl Layout {
    /// Whether memories of a kind come into question.
    fn shows(self, kind: &str) -> bool {
        (self == Self::Profile) == (kind == profile::KIND)
    }
}

/// Why an item is in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Its kind is in every context.
    Always,
    /// It has to do with the query.
    Relevant,
    /// There was no query, and it ranks high.
    Ranked,
}

words!(Why { Always = "always", Relevant = "relevant", Ranked = "ranked" });

/// Why an item is not in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutFor {
    /// There was no room.
    Budget,
    /// Better ones filled what its kind, or all kinds together, may have.
    Cap,
    /// It has nothing to do with the query.
    Irrelevant,
    /// Another id of the person says the same, or otherwise, and comes first (G15).
    OtherId,
    /// Its approval still has its grace. Only people are told so.
    Grace,
}

words!(CutFor {
    Budget = "budget",
    Cap = "cap",
    Irrelevant = "irrelevant",
    OtherId = "other_id",
    Grace = "grace",
});

/// What is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The task at hand, in any words.
    pub query: Option<&'a str>,
    /// The layout.
    pub layout: Layout,
    /// Most tokens of the block; `None`: [`DEFAULT_TOKENS`].
    pub max_tokens: Option<usize>,
    /// The size of the model's window in tokens, of which a block takes at most a tenth (C7).
    pub model_window: Option<usize>,
}

impl Request<'_> {
    /// The tokens the block may take.
    pub fn budget(&self) -> usize {
        let asked = self.max_tokens.unwrap_or(DEFAULT_TOKENS);
        self.model_window
            .map_or(asked, |window| asked.min(window / 10))
    }
}

/// An approved memory that may be served.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Which.
    pub memory: MemoryId,
    /// Its newest revision.
    pub revision: i64,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement, as stored.
    pub content: String,
    /// What belongs to it: of a field of a profile its `value`.
    pub metadata: Map<String, Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How much it matters, 0.0 to 1.0.
    pub importance: f64,
    /// When the words were said (G12).
    pub said_at: Timestamp,
    /// When its newest revision was made.
    pub updated_at: Timestamp,
}

impl From<&Memory> for Item {
    fn from(memory: &Memory) -> Self {
        Self {
            memory: memory.id.clone(),
            revision: memory.revision,
            kind: memory.kind.clone(),
            name: memory.name.clone(),
            content: memory.content.clone(),
            metadata: memory.metadata.clone(),
            tags: memory.tags.clone(),
            importance: memory.importance,
            said_at: memory.said_at,
            updated_at: memory.updated_at,
        }
    }
}

/// An item of the block.
#[derive(Debug, Clone, PartialEq)]
pub struct Served {
    /// Which memory.
    pub memory: MemoryId,
    /// In which revision.
    pub revision: i64,
    /// Its kind.
    pub kind: String,
    /// The statement, as stored.
    pub content: String,
    /// Its rank, from 0 to 1.
    pub score: f64,
    /// Why it is here.
    pub why: Why,
    /// When the words were said.
    pub said_at: Timestamp,
    /// Its line in the block.
    pub line: String,
}

/// An item that is not in the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Which memory.
    pub memory: MemoryId,
    /// Why not.
    pub why: CutFor,
}

/// What an agent is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The text for the prompt; empty where nothing is served.
    pub text: String,
    /// An estimate of its tokens.
    pub tokens: usize,
    /// What is in it, in its order.
    pub items: Vec<Served>,
    /// What is not, best first.
    pub cut: Vec<Cut>,
    /// In the layout `profile` what the text says, schema by schema and field by field, as stored.
    pub profiles: Option<Map<String, Value>>,
}

/// Chooses among the user's approved, unexpired memories and renders them. Kinds marked `always` come first whatever the query, the
/// others by rank (A8); what does not fit the budget is cut and told. What the layout never shows is neither served nor cut.
pub fn render(request: &Request<'_>, items: &[Item], kinds: &[Kind], now: Timestamp) -> Block {
    let choice = choose::choose(request, items, kinds, now);
    let mut chosen = choice.chosen;
    let mut cut: Vec<Cut> = choice
        .cut
        .into_iter()
        .map(|(index, why)| Cut {
            memory: items[index].memory.clone(),
            why,
        })
        .collect();
    let budget = request.budget();
    let mut kept = layout::fill(request.layout, &mut chosen, items, kinds, budget);
    // An estimate of the whole may exceed the sum of the lines by a rounding.
    let (text, lines) = loop {
        let (text, lines) = layout::write(request.layout, &kept, items, kinds);
        if text::estimate_tokens(&text) <= budget || kept.is_empty() {
            break (text, lines);
        }
        chosen.extend(kept.pop());
    };
    let no_room = chosen.iter().map(|left| Cut {
        memory: items[left.index].memory.clone(),
        why: CutFor::Budget,
    });
    cut.splice(0..0, no_room);
    let profiles = (request.layout == Layout::Profile)
        .then(|| profiles::values(lines.iter().map(|(chosen, _)| &items[chosen.index])));
    let served = lines.into_iter().map(|(chosen, line)| {
        let item = &items[chosen.index];
        Served {
            memory: item.memory.clone(),
            revision: item.revision,
            kind: item.kind.clone(),
            content: item.content.clone(),
            score: chosen.score,
            why: chosen.why,
            said_at: item.said_at,
            line,
        }
    });
    let items = served.collect();
    Block {
        tokens: text::estimate_tokens(&text),
        text,
        items,
        cut,
        profiles,
    }
}

#[cfg(test)]
mod tests;
