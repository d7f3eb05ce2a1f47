//! What the made-up people say and what was decided on it, as data.

use domain::candidate::{Action, Reason};
use domain::conversation::Role;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One of the people.
#[derive(Debug, Deserialize)]
pub struct Person {
    /// As the agent calls them.
    pub user_id: String,
    /// What happened around them.
    pub deeds: Vec<Timed>,
}

/// Something that happened a while ago.
#[derive(Debug, Deserialize)]
pub struct Timed {
    /// How long ago, in hours; 0: as the demo is filled.
    pub hours_ago: i64,
    /// What.
    #[serde(flatten)]
    pub deed: Deed,
}

/// Something that happened.
#[derive(Debug, Deserialize)]
#[serde(tag = "does", rename_all = "snake_case")]
pub enum Deed {
    /// Something was proposed by hand, and perhaps decided.
    Propose(Box<Proposes>),
    /// Two memories are proposed to become one.
    Merge(Merges),
    /// The agent asked for a context.
    Serve {
        /// For which conversation.
        conversation: String,
        /// For which task.
        query: Option<String>,
    },
    /// A conversation came in.
    Talk {
        /// The agent's id of it.
        conversation: String,
        /// Where its dates are meant.
        time_zone: String,
        /// The turns.
        messages: Vec<Said>,
    },
}

/// A proposal by hand.
#[derive(Debug, Deserialize)]
pub struct Proposes {
    /// What the memory that comes of it is called by later deeds.
    pub label: Option<String>,
    /// What it would do, where it has a target.
    pub action: Option<Action>,
    /// The label of the memory it is about.
    pub target: Option<String>,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Metadata.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// How sure the proposer is.
    pub confidence: f64,
    /// How much it matters.
    pub importance: f64,
    /// Why it was proposed.
    pub explanation: Option<String>,
    /// What the person said.
    pub said: String,
    /// The part of it that the proposal rests on; `None`: all.
    pub quote: Option<String>,
    /// What was decided; `None`: it waits.
    pub then: Option<Then>,
    /// Why it was rejected.
    pub reason: Option<Reason>,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It was approved.
    Approve,
    /// It was rejected.
    Reject,
}

/// Two memories that are one.
#[derive(Debug, Deserialize)]
pub struct Merges {
    /// The label of the memory that stays.
    pub keeps: String,
    /// The label of the one that is taken in.
    pub absorbs: String,
    /// The kind of both.
    pub kind: String,
    /// The statement of both.
    pub content: String,
    /// Why.
    pub explanation: String,
}

/// A turn.
#[derive(Debug, Deserialize)]
pub struct Said {
    /// Whose.
    pub role: Role,
    /// The words.
    pub content: String,
}

/// The people, in three languages.
pub fn people() -> Vec<Person> {
    const PEOPLE: [&str; 3] = [
        include_str!("../../data/demo/lena.json"),
        include_str!("../../data/demo/haruto.json"),
        include_str!("../../data/demo/xiaoyun.json"),
    ];
    let read = |text| serde_json::from_str(text).expect("a test reads what the demo is made of");
    PEOPLE.into_iter().map(read).collect()
}

/// What the agent wants to know of each of them.
pub fn profile() -> Value {
    serde_json::from_str(include_str!("../../data/demo/profile.json"))
        .expect("a test reads what the demo is made of")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_can_be_read_and_every_label_is_there_before_it_is_used() {
        profile();
        for mut person in people() {
            person.deeds.sort_by_key(|timed| -timed.hours_ago);
            let mut labels = Vec::new();
            for timed in &person.deeds {
                let needed = match &timed.deed {
                    Deed::Propose(proposes) => Vec::from_iter(&proposes.target),
                    Deed::Merge(merges) => vec![&merges.keeps, &merges.absorbs],
                    _ => Vec::new(),
                };
                assert!(
                    needed.iter().all(|label| labels.contains(label)),
                    "{needed:?}"
                );
                if let Deed::Propose(proposes) = &timed.deed {
                    let quote = proposes.quote.as_ref().unwrap_or(&proposes.said);
                    assert!(proposes.said.contains(quote), "{quote}");
                    labels.extend(&proposes.label);
                }
            }
        }
    }
}
