//! Ids of one person (G15): a guest id and the signed-in one, joined by a person's decision, split by another.
//!
//! A join moves nothing. Every memory stays with the id under which it was said; only whoever tells something about the person puts
//! both together ([`one_voice`]). So a split gives back exactly what each had, whatever happened in between.

use serde::{Deserialize, Serialize};

use crate::{
    conversation::words,
    id::MemoryId,
    matcher::{self, StoredMemory},
    memory::Memory,
};

/// How a join stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinState {
    /// An agent proposed it; it waits for a person.
    Proposed,
    /// The two are one person.
    Joined,
    /// They were, and are not any more.
    Split,
    /// A person declined what was proposed.
    Declined,
}

words!(JoinState {
    Proposed = "proposed",
    Joined = "joined",
    Split = "split",
    Declined = "declined",
});

/// What a person does with a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinVerdict {
    /// Joins what was proposed.
    Join,
    /// Declines it.
    Decline,
    /// Ends what stands.
    Split,
    /// Takes the last decision back.
    Undo,
}

impl JoinState {
    /// What a decision makes of it; `None`: it does not fit how it stands.
    pub fn after(self, verdict: JoinVerdict) -> Option<Self> {
        match (self, verdict) {
            (Self::Proposed, JoinVerdict::Join) | (Self::Split, JoinVerdict::Undo) => {
                Some(Self::Joined)
            }
            (Self::Proposed, JoinVerdict::Decline) => Some(Self::Declined),
            (Self::Declined, JoinVerdict::Undo) => Some(Self::Proposed),
            (Self::Joined, JoinVerdict::Split | JoinVerdict::Undo) => Some(Self::Split),
            _ => None,
        }
    }
}

/// What is told of a person with several ids.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OneVoice {
    /// What is told, oldest first.
    pub told: Vec<Memory>,
    /// What is not, because an id that comes first says the same or otherwise.
    pub silent: Vec<Silent>,
}

/// A memory that is not told while its id is joined with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Silent {
    /// Which.
    pub memory: Memory,
    /// What is told in its place.
    pub beside: MemoryId,
    /// Whether that says otherwise: a person decides which is right.
    pub contradicts: bool,
}

/// Puts the memories of several ids of one person together, id by id, those of the main id first: whatever came before is told, and
/// what says the same or otherwise is not told beside it (B5).
pub fn one_voice(of_ids: Vec<Vec<Memory>>) -> OneVoice {
    let mut voice = OneVoice::default();
    for memories in of_ids {
        let stored = |memories: &[Memory]| -> Vec<StoredMemory> {
            memories.iter().map(StoredMemory::from).collect()
        };
        let met = matcher::met(&stored(&voice.told), &stored(&memories));
        for (memory, met) in memories.into_iter().zip(met) {
            match met {
                None => voice.told.push(memory),
                Some(met) => voice.silent.push(Silent {
                    memory,
                    beside: met.memory,
                    contradicts: !met.same,
                }),
            }
        }
    }
    voice.told.sort_by(|a, b| a.id.cmp(&b.id));
    voice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Entropy, Timestamp, agent::AgentName, id::UserId, memory::MemoryStatus, profile, time::Span,
    };

    struct Nth(u8);

    impl Entropy for Nth {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn memory(nth: u8, kind: &str, name: Option<&str>, content: &str) -> Memory {
        let at = Timestamp::UNIX_EPOCH + Span::seconds(i64::from(nth));
        Memory {
            agent: AgentName::parse("support").unwrap(),
            id: MemoryId::new(at, &Nth(nth)),
            user: UserId::new(Timestamp::UNIX_EPOCH, &Nth(0)),
            kind: kind.to_owned(),
            name: name.map(str::to_owned),
            content: content.to_owned(),
            metadata: Default::default(),
            tags: Vec::new(),
            confidence: 0.9,
            importance: 0.5,
            language: "en".to_owned(),
            status: MemoryStatus::Approved,
            reason: None,
            revision: 1,
            conversation: None,
            said_at: at,
            expires_at: None,
            created_at: at,
            updated_at: at,
            serve_from: None,
        }
    }

    fn contents(memories: &[Memory]) -> Vec<&str> {
        memories
            .iter()
            .map(|memory| memory.content.as_str())
            .collect()
    }

    // G15
    #[test]
    fn the_main_id_speaks_first_and_nothing_is_told_twice_or_against_it() {
        let main = vec![
            memory(2, "fact", None, "User lives in Oslo"),
            memory(4, "preference", None, "User prefers dark mode"),
            memory(5, profile::KIND, Some("p/stack"), "ADK"),
        ];
        let guest = vec![
            memory(1, "fact", None, "User lives in Bergen"),
            memory(3, "preference", None, "User prefers dark mode."),
            memory(6, profile::KIND, Some("p/stack"), "Rust"),
            memory(7, profile::KIND, Some("p/hobby"), "ADK"),
            memory(8, "fact", None, "User has two children"),
        ];
        let another = vec![memory(9, "fact", None, "User lives in Bergen")];
        let voice = one_voice(vec![main, guest, another]);
        let told = [
            "User lives in Oslo",
            "User prefers dark mode",
            "ADK",
            "ADK",
            "User has two children",
        ];
        assert_eq!(contents(&voice.told), told);
        let silent: Vec<_> = voice
            .silent
            .iter()
            .map(|silent| (silent.memory.content.as_str(), silent.contradicts))
            .collect();
        let left = [
            ("User lives in Bergen", true),
            ("User prefers dark mode.", false),
            ("Rust", true),
            ("User lives in Bergen", true),
        ];
        assert_eq!(silent, left);
        assert_eq!(voice.silent[0].beside, voice.told[0].id);
    }

    // G15
    #[test]
    fn one_id_is_told_as_it_is() {
        let of_one = vec![
            memory(1, "fact", None, "User lives in Oslo"),
            memory(2, "fact", None, "User has two children"),
        ];
        let voice = one_voice(vec![Vec::new(), of_one.clone()]);
        assert_eq!((voice.told, voice.silent), (of_one, Vec::new()));
    }

    // G15
    #[test]
    fn a_decision_fits_how_a_join_stands_and_an_undo_takes_the_last_one_back() {
        use JoinState::{Declined, Joined, Proposed, Split};
        assert_eq!(Proposed.after(JoinVerdict::Join), Some(Joined));
        assert_eq!(Proposed.after(JoinVerdict::Decline), Some(Declined));
        assert_eq!(Declined.after(JoinVerdict::Undo), Some(Proposed));
        assert_eq!(Joined.after(JoinVerdict::Split), Some(Split));
        assert_eq!(Joined.after(JoinVerdict::Undo), Some(Split));
        assert_eq!(Split.after(JoinVerdict::Undo), Some(Joined));
        for (state, verdict) in [
            (Proposed, JoinVerdict::Split),
            (Proposed, JoinVerdict::Undo),
            (Joined, JoinVerdict::Join),
            (Joined, JoinVerdict::Decline),
            (Split, JoinVerdict::Join),
            (Split, JoinVerdict::Split),
            (Declined, JoinVerdict::Join),
        ] {
            assert_eq!(state.after(verdict), None, "{state:?} {verdict:?}");
        }
    }
}
