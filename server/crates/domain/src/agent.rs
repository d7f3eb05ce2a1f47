//! Agents: the boundary of isolation, and their settings.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    candidate::{Action, Flag, Proposal},
    id::PersonId,
    time::Span,
    user::Scope,
};

/// Why a name is no agent's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "an agent's name has 1 to 64 letters a-z, digits, '-' or '_', begins with a letter or digit, and is not \"system\""
)]
pub struct InvalidAgentName;

/// The name an agent is addressed by, unique in an installation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct AgentName(String);

impl AgentName {
    /// Checks the shape. `system` names the audit chain of the installation and `*` means every agent, so neither can be a name.
    pub fn parse(text: &str) -> Result<Self, InvalidAgentName> {
        let shaped = (1..=64).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_');
        (shaped && text != "system")
            .then(|| Self(text.to_owned()))
            .ok_or(InvalidAgentName)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for AgentName {
    type Err = InvalidAgentName;

    fn from_str(text: &str) -> Result<Self, InvalidAgentName> {
        Self::parse(text)
    }
}

impl TryFrom<String> for AgentName {
    type Error = InvalidAgentName;

    fn try_from(text: String) -> Result<Self, InvalidAgentName> {
        Self::parse(&text)
    }
}

#[cfg(feature = "openapi")]
crate::openapi::text!(AgentName, "^[a-z0-9][a-z0-9_-]{0,63}$");

impl<'de> Deserialize<'de> for AgentName {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Which agents a caller may see. Every statement of the store is bound to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentScope {
    /// One agent, as an agent's key has it.
    One(AgentName),
    /// Several, as a person limited to agents has them. Never empty.
    Some(Vec<AgentName>),
    /// All of them.
    All,
}

impl AgentScope {
    /// Whether `agent` is inside.
    pub fn contains(&self, agent: &AgentName) -> bool {
        match self {
            Self::One(one) => one == agent,
            Self::Some(some) => some.contains(agent),
            Self::All => true,
        }
    }
}

/// When the extraction of a conversation starts, besides its end and a flush (C2, D10). What is `None` starts nothing: with all three
/// off a conversation is read at its end or when it is flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionTrigger {
    /// As soon as this many messages are new; 1: with every post.
    pub messages: Option<u32>,
    /// When nothing new came for this many seconds.
    pub quiet_seconds: Option<u32>,
    /// This many seconds after the first message that was not read yet, also while new ones come.
    pub interval_seconds: Option<u32>,
}

impl Default for ExtractionTrigger {
    fn default() -> Self {
        Self {
            messages: Some(20),
            quiet_seconds: Some(60),
            interval_seconds: None,
        }
    }
}

/// A policy that decides in a person's place: what it fits and no flag warns of is approved as it is proposed (A12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AutoApprove {
    /// What it is called; every decision of it names it.
    pub name: String,
    /// The kinds it decides on; never empty.
    pub kinds: Vec<String>,
    /// From this confidence on (0.0 to 1.0).
    pub min_confidence: f64,
    /// Who switched it on.
    pub by: PersonId,
    /// When.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: Timestamp,
}

/// What a second, different person must agree to before it is approved (G9).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FourEyes {
    /// Everything.
    pub all: bool,
    /// What is of one of these kinds, or would become so, or changes a memory of one; sorted.
    pub kinds: Vec<String>,
    /// What has one of these flags; sorted.
    pub flags: Vec<Flag>,
}

impl FourEyes {
    /// Whether a proposal that has to do with memories of these kinds, and has these flags, needs a second person.
    pub fn asks<'a>(&self, kinds: impl IntoIterator<Item = &'a str>, flags: &[Flag]) -> bool {
        self.all
            || flags.iter().any(|flag| self.flags.contains(flag))
            || kinds
                .into_iter()
                .any(|kind| self.kinds.iter().any(|asks| asks == kind))
    }
}

/// What extraction may cost an agent (G14). A day is one of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Tokens a day, read and written together; then conversations wait for the next day.
    pub tokens_per_day: Option<i64>,
    /// Money a day, by the prices below; then conversations wait for the next day.
    pub money_per_day: Option<f64>,
    /// What a million tokens read cost.
    pub price_in: Option<f64>,
    /// What a million tokens written cost.
    pub price_out: Option<f64>,
}

impl Budget {
    /// What tokens cost, by the prices; 0.0 without prices.
    pub fn cost(&self, tokens_in: i64, tokens_out: i64) -> f64 {
        let part = |tokens: i64, price: Option<f64>| tokens as f64 / 1e6 * price.unwrap_or(0.0);
        part(tokens_in, self.price_in) + part(tokens_out, self.price_out)
    }

    /// How much of the day's budget this is: 1.0 and more is all of it; `None` where there is no limit.
    pub fn used(&self, tokens_in: i64, tokens_out: i64) -> Option<f64> {
        let of = |spent: f64, limit: f64| if limit > 0.0 { spent / limit } else { 1.0 };
        let tokens = self
            .tokens_per_day
            .map(|limit| of((tokens_in + tokens_out) as f64, limit as f64));
        let money = self
            .money_per_day
            .map(|limit| of(self.cost(tokens_in, tokens_out), limit));
        tokens.into_iter().chain(money).reduce(f64::max)
    }
}

/// Where an extractor takes what it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Destination<'a> {
    /// `builtin`, or the provider.
    pub provider: &'a str,
    /// The model.
    pub model: Option<&'a str>,
    /// The base URL, where it is not the provider's own.
    pub address: Option<&'a str>,
}

impl Destination<'_> {
    /// The name that means this extractor alone: `builtin`, or `provider::model`.
    pub fn name(&self) -> String {
        match self.model {
            Some(model) => format!("{}::{model}", self.provider),
            None => self.provider.to_owned(),
        }
    }

    /// Whether an entry of a list of allowed extractors means it. A provider is meant where it answers itself: what speaks its language
    /// at another address is somebody else.
    fn is(&self, entry: &str) -> bool {
        entry == self.name()
            || match self.address {
                Some(address) => entry == address,
                None => entry == self.provider,
            }
    }
}

/// What an administrator sets for an agent (A1, A12). Kept as JSON; a field that is missing there has its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct AgentSettings {
    /// Whether conversations become candidates.
    pub learn: bool,
    /// Whether approved memories are given out.
    pub serve: bool,
    /// Whether extraction proposes memories in natural language; off, only profiles are made (D8).
    pub natural_language: bool,
    /// Most approved memories a user may have.
    pub max_memories: u32,
    /// Drafts under this confidence are dropped (0.0 to 1.0).
    pub confidence_floor: f64,
    /// Most candidates of one window.
    pub max_candidates: u32,
    /// When extraction starts.
    pub trigger: ExtractionTrigger,
    /// The extractor of this agent, as `KEEPSAKE_EXTRACTOR_MODEL` has it; `None`: the installation's.
    pub extractor: Option<String>,
    /// The only extractors that may read what this agent's users say (G11); empty: all that the installation has. Each is `builtin`, a
    /// provider (`openai`, where it always answers), a model (`openai::gpt-4.1-mini`) or a base URL.
    pub allowed_extractors: Vec<String>,
    /// What the extractor is told beside the rules that hold for every agent.
    pub guidance: Option<String>,
    /// Policies that approve in a person's place; none unless a person switched one on.
    pub auto_approve: Vec<AutoApprove>,
    /// What needs a second person; a policy never decides on it.
    pub four_eyes: FourEyes,
    /// How many seconds after its approval a memory is not told to agents yet, at most 3,600; 0: it is told at once.
    pub grace_seconds: u32,
    /// Patterns of user ids that are shared or anonymous and never learn (G2); `*` stands for any characters: `guest-*`.
    pub shared_ids: Vec<String>,
    /// What extraction may cost.
    pub budget: Budget,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            learn: true,
            serve: true,
            natural_language: true,
            max_memories: 50,
            confidence_floor: 0.5,
            max_candidates: 10,
            trigger: ExtractionTrigger::default(),
            extractor: None,
            allowed_extractors: Vec::new(),
            guidance: None,
            auto_approve: Vec::new(),
            four_eyes: FourEyes::default(),
            grace_seconds: 0,
            shared_ids: Vec::new(),
            budget: Budget::default(),
        }
    }
}

/// The longest grace of an approval, in seconds.
pub const MOST_GRACE: u32 = 3600;

impl AgentSettings {
    /// From when on agents are told of what was approved at an instant; `None`: at once.
    pub fn serve_from(&self, approved_at: Timestamp) -> Option<Timestamp> {
        let grace = Span::seconds(i64::from(self.grace_seconds));
        (self.grace_seconds > 0).then(|| approved_at + grace)
    }

    /// Whether an extractor may be asked (G11).
    pub fn allows(&self, extractor: Destination<'_>) -> bool {
        let allowed = &self.allowed_extractors;
        allowed.is_empty() || allowed.iter().any(|entry| extractor.is(entry))
    }

    /// Whether an id is one that several people share, or none in particular (G2): nothing is learnt about it.
    pub fn shares(&self, scope: &Scope) -> bool {
        self.shared_ids.iter().any(|pattern| scope.fits(pattern))
    }
}

impl AutoApprove {
    /// Whether the policy may decide on a proposal that nobody has to look at: of its kinds, sure enough, resting on words that were
    /// said, and without any warning. What retires or merges, and what Keepsake proposes by itself, is always for a person.
    pub fn fits(&self, proposal: &Proposal) -> bool {
        matches!(proposal.action, Action::Create | Action::Update)
            && proposal.flags.is_empty()
            && proposal.cause.is_none()
            && !proposal.evidence.is_empty()
            && proposal.confidence >= self.min_confidence
            && self.kinds.contains(&proposal.kind)
    }
}

/// An assistant whose memory is governed.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Its name.
    pub name: AgentName,
    /// Its settings.
    pub settings: AgentSettings,
    /// Raised by one with every change of the settings.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Entropy,
        candidate::{Cause, Evidence, Flag},
        id::{ConversationId, MemoryId},
    };

    struct Zero;
    impl Entropy for Zero {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn proposal() -> Proposal {
        Proposal {
            action: Action::Create,
            targets: vec![],
            kind: "preference".into(),
            name: None,
            content: "User prefers Python".into(),
            metadata: Default::default(),
            tags: vec![],
            confidence: 0.9,
            importance: 0.5,
            language: "en".into(),
            flags: vec![],
            evidence: vec![Evidence {
                conversation: ConversationId::new(Timestamp::UNIX_EPOCH, &Zero),
                message: None,
                start: 0,
                end: 0,
                quote: "I prefer Python".into(),
            }],
            explanation: None,
            cause: None,
        }
    }

    // A12
    #[test]
    fn a_policy_decides_only_what_nobody_has_to_look_at() {
        let policy = AutoApprove {
            name: "tastes".into(),
            kinds: vec!["preference".into()],
            min_confidence: 0.9,
            by: PersonId::new(Timestamp::UNIX_EPOCH, &Zero),
            at: Timestamp::UNIX_EPOCH,
        };
        assert!(policy.fits(&proposal()));
        let update = Proposal {
            action: Action::Update,
            ..proposal()
        };
        assert!(policy.fits(&update));
        for flag in Flag::ALL {
            let flagged = Proposal {
                flags: vec![*flag],
                ..proposal()
            };
            assert!(!policy.fits(&flagged), "{flag:?}");
        }
        let target = crate::candidate::Target {
            memory: MemoryId::new(Timestamp::UNIX_EPOCH, &Zero),
            revision: 1,
            absorbed: false,
        };
        for not_its_own in [
            Proposal {
                action: Action::Retire,
                targets: vec![target.clone()],
                ..proposal()
            },
            Proposal {
                action: Action::Merge,
                targets: vec![target],
                ..proposal()
            },
            Proposal {
                confidence: 0.899,
                ..proposal()
            },
            Proposal {
                confidence: f64::NAN,
                ..proposal()
            },
            Proposal {
                kind: "fact".into(),
                ..proposal()
            },
            Proposal {
                evidence: vec![],
                ..proposal()
            },
            Proposal {
                cause: Some(Cause::Trend),
                ..proposal()
            },
        ] {
            assert!(!policy.fits(&not_its_own), "{not_its_own:?}");
        }
    }

    // G9
    #[test]
    fn a_second_person_is_asked_for_by_kind_by_flag_or_for_everything() {
        let none = FourEyes::default();
        assert!(!none.asks(["fact"], Flag::ALL));
        let some = FourEyes {
            all: false,
            kinds: vec!["context".into()],
            flags: vec![Flag::SpecialCategory],
        };
        assert!(some.asks(["fact", "context"], &[]), "also what it becomes");
        assert!(some.asks(["fact"], &[Flag::Contradiction, Flag::SpecialCategory]));
        assert!(!some.asks(["fact"], &[Flag::Contradiction]));
        let all = FourEyes { all: true, ..none };
        assert!(all.asks([], &[]));
    }

    // G11
    #[test]
    fn an_extractor_is_allowed_by_name_by_provider_or_by_where_it_is() {
        let builtin = Destination {
            provider: "builtin",
            model: None,
            address: None,
        };
        let openai = Destination {
            provider: "openai",
            model: Some("gpt-4.1-mini"),
            address: None,
        };
        let proxy = Destination {
            address: Some("https://proxy.example/v1/"),
            ..openai
        };
        let ollama = Destination {
            provider: "ollama",
            model: Some("qwen3:8b"),
            address: None,
        };
        let all = [builtin, openai, proxy, ollama];
        for (allowed, fit) in [
            (&[][..], [true; 4]),
            (&["builtin"][..], [true, false, false, false]),
            (&["openai"][..], [false, true, false, false]),
            (&["openai::gpt-4.1-mini"][..], [false, true, true, false]),
            (
                &["https://proxy.example/v1/"][..],
                [false, false, true, false],
            ),
            (&["builtin", "ollama"][..], [true, false, false, true]),
            (&["ollama::qwen3"][..], [false; 4]),
        ] {
            let settings = AgentSettings {
                allowed_extractors: allowed.iter().map(|&entry| entry.to_owned()).collect(),
                ..AgentSettings::default()
            };
            assert_eq!(all.map(|one| settings.allows(one)), fit, "{allowed:?}");
        }
    }

    // G14
    #[test]
    fn the_budget_is_used_by_whichever_limit_is_nearer() {
        let budget = Budget {
            tokens_per_day: Some(1_000_000),
            money_per_day: Some(4.0),
            price_in: Some(2.0),
            price_out: Some(8.0),
        };
        assert_eq!(budget.cost(500_000, 250_000), 3.0);
        assert_eq!(budget.used(500_000, 250_000), Some(0.75));
        assert_eq!(budget.used(0, 500_000), Some(1.0));
        assert_eq!(Budget::default().used(1_000_000_000, 0), None);
    }

    #[test]
    fn names_of_chains_and_odd_shapes_are_refused() {
        for name in ["system", "*", "", "-a", "A", "a b", "ä", &"a".repeat(65)] {
            assert_eq!(AgentName::parse(name), Err(InvalidAgentName), "{name}");
        }
        assert!(AgentName::parse("ads-buddy_2").is_ok());
    }
}
