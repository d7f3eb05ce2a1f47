//! Dry runs (G14): what another extractor, or other words for it, would have made of conversations, beside what came of them. Nothing of
//! it is proposed to anybody.

use serde::{Deserialize, Serialize};

use crate::{
    agent::{AgentSettings, Budget},
    candidate::{Action, Evidence, Flag, Proposal, Status, Target},
    conversation::words,
    gate::SUMMARY,
    kind::Kind,
    matcher,
    time::Span,
};

/// The most conversations of one.
pub const MOST_CONVERSATIONS: u32 = 200;

/// How long what came of one is kept.
pub const KEPT_FOR: Span = Span::days(30);

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DryRunState {
    /// Conversations are being read.
    Running,
    /// Each was read, or could not be.
    Done,
    /// It could not go on; a code says why.
    Failed,
    /// A person stopped it.
    Stopped,
}

words!(DryRunState { Running = "running", Done = "done", Failed = "failed", Stopped = "stopped" });

/// What became of one conversation of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialState {
    /// Not read yet, or in part.
    Waits,
    /// Read.
    Done,
    /// No answer could be had.
    Failed,
    /// Not to be read: the person has opted out, or the agent does not learn.
    Skipped,
}

words!(TrialState { Waits = "waits", Done = "done", Failed = "failed", Skipped = "skipped" });

/// What is tried: the extractor, and the words that it would be told instead of those of the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Trial {
    /// As an agent's settings have it; `None`: the installation's.
    pub extractor: Option<String>,
    /// What the extractor is told beside the rules that hold for every agent.
    pub guidance: Option<String>,
    /// Kinds with other words.
    pub kinds: Vec<TriedKind>,
    /// What a million tokens read would cost.
    pub price_in: Option<f64>,
    /// What a million tokens written would cost.
    pub price_out: Option<f64>,
}

/// A kind with other words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TriedKind {
    /// Which.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// What belongs in it and what does not.
    pub guideline: Option<String>,
    /// JSON Schema of its metadata; `None`: an object with anything in it.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata_schema: Option<serde_json::Value>,
    /// Whether extraction proposes it.
    pub enabled: bool,
}

impl TriedKind {
    /// The row of the registry with these words.
    pub fn over(&self, kind: &Kind) -> Kind {
        Kind {
            description: self.description.clone(),
            guideline: self.guideline.clone(),
            metadata_schema: self.metadata_schema.clone(),
            enabled: self.enabled,
            ..kind.clone()
        }
    }
}

impl Trial {
    /// The registry of an agent as it would be.
    pub fn kinds(&self, kinds: Vec<Kind>) -> Vec<Kind> {
        let tried = |kind: Kind| match self.kinds.iter().find(|tried| tried.name == kind.name) {
            Some(tried) => tried.over(&kind),
            None => kind,
        };
        kinds.into_iter().map(tried).collect()
    }

    /// The settings of an agent as they would be.
    pub fn settings(&self, settings: &AgentSettings) -> AgentSettings {
        AgentSettings {
            extractor: self.extractor.clone(),
            guidance: self.guidance.clone(),
            ..settings.clone()
        }
    }

    /// What tokens would cost; `None` without prices.
    pub fn cost(&self, tokens_in: i64, tokens_out: i64) -> Option<f64> {
        let prices = Budget {
            price_in: self.price_in,
            price_out: self.price_out,
            ..Budget::default()
        };
        (self.price_in.is_some() || self.price_out.is_some())
            .then(|| prices.cost(tokens_in, tokens_out))
    }
}

/// A statement that would have gone to the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// What it would do.
    pub action: Action,
    /// The memories it is about, as they were then.
    pub targets: Vec<Target>,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Metadata that fits the kind's schema.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// How sure the extractor is, 0.0 to 1.0.
    pub confidence: f64,
    /// How much it matters, 0.0 to 1.0.
    pub importance: f64,
    /// Its language.
    pub language: String,
    /// Warnings.
    pub flags: Vec<Flag>,
    /// The words that support it.
    pub evidence: Vec<Evidence>,
}

impl From<Proposal> for Found {
    fn from(proposal: Proposal) -> Self {
        Self {
            action: proposal.action,
            targets: proposal.targets,
            kind: proposal.kind,
            name: proposal.name,
            content: proposal.content,
            metadata: proposal.metadata,
            confidence: proposal.confidence,
            importance: proposal.importance,
            language: proposal.language,
            flags: proposal.flags,
            evidence: proposal.evidence,
        }
    }
}

impl From<Found> for Proposal {
    fn from(found: Found) -> Self {
        Self {
            action: found.action,
            targets: found.targets,
            kind: found.kind,
            name: found.name,
            content: found.content,
            metadata: found.metadata,
            tags: Vec::new(),
            confidence: found.confidence,
            importance: found.importance,
            language: found.language,
            flags: found.flags,
            evidence: found.evidence,
            explanation: None,
            cause: None,
        }
    }
}

/// How two results differ in one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Both have it.
    Same,
    /// Both have it, under different kinds.
    OtherKind,
    /// Only what came of the conversation has it.
    OnlyToday,
    /// Only the dry run has it.
    OnlyNew,
}

words!(Difference {
    Same = "same",
    OtherKind = "other_kind",
    OnlyToday = "only_today",
    OnlyNew = "only_new",
});

/// A statement as it is compared.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: &'a str,
    /// Its name.
    pub name: Option<&'a str>,
    /// Its words.
    pub content: &'a str,
    /// What it rests on.
    pub evidence: &'a [Evidence],
}

impl<'a> From<&'a Found> for Said<'a> {
    fn from(found: &'a Found) -> Self {
        Self {
            action: found.action,
            kind: &found.kind,
            name: found.name.as_deref(),
            content: &found.content,
            evidence: &found.evidence,
        }
    }
}

impl<'a> From<&'a Proposal> for Said<'a> {
    fn from(proposal: &'a Proposal) -> Self {
        Self {
            action: proposal.action,
            kind: &proposal.kind,
            name: proposal.name.as_deref(),
            content: &proposal.content,
            evidence: &proposal.evidence,
        }
    }
}

/// A line of two results side by side, by the places in their lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// In what came of the conversation.
    pub today: Option<usize>,
    /// In what came of the dry run.
    pub new: Option<usize>,
    /// How they differ.
    pub difference: Difference,
}

/// From the surest sign that two statements are one to the weakest. Two models seldom choose the same words, so what rests on the same
/// words of the same message is one as well, where its kind says so too.
const SIGNS: [fn(&Said<'_>, &Said<'_>) -> bool; 6] = [
    |a, b| a.kind == b.kind && (matcher::same(a.content, b.content) || sums_up(a, b)),
    |a, b| a.kind == b.kind && !named(a) && matcher::near(a.content, b.content),
    |a, b| a.kind == b.kind && !named(a) && on_the_same_words(a, b),
    |a, b| a.kind != b.kind && matcher::same(a.content, b.content),
    |a, b| a.kind != b.kind && matcher::near(a.content, b.content),
    |a, b| a.kind != b.kind && on_the_same_words(a, b),
];

/// Puts two results of a conversation side by side: in the order of the first, then what only the second has. Each statement stands in
/// one line.
pub fn side_by_side(today: &[Said<'_>], new: &[Said<'_>]) -> Vec<Line> {
    let mut with: Vec<Option<usize>> = vec![None; today.len()];
    let mut taken = vec![false; new.len()];
    for sign in SIGNS {
        for (at, a) in today.iter().enumerate() {
            if with[at].is_some() {
                continue;
            }
            let found = new.iter().enumerate().position(|(place, b)| {
                let ends = (a.action == Action::Retire) == (b.action == Action::Retire);
                let field = !named(a) || a.kind != b.kind || a.name == b.name;
                !taken[place] && ends && field && sign(a, b)
            });
            if let Some(place) = found {
                taken[place] = true;
                with[at] = Some(place);
            }
        }
    }
    let both = with.into_iter().enumerate().map(|(at, place)| Line {
        today: Some(at),
        new: place,
        difference: match place {
            None => Difference::OnlyToday,
            Some(place) if today[at].kind == new[place].kind => Difference::Same,
            Some(_) => Difference::OtherKind,
        },
    });
    let only_new = (0..new.len())
        .filter(|place| !taken[*place])
        .map(|place| Line {
            today: None,
            new: Some(place),
            difference: Difference::OnlyNew,
        });
    both.chain(only_new).collect()
}

/// Whether its name says what it is: a field of a profile, the summary of a conversation.
fn named(a: &Said<'_>) -> bool {
    matcher::by_name(a.kind)
}

/// A conversation has one summary, whatever its words.
fn sums_up(a: &Said<'_>, b: &Said<'_>) -> bool {
    a.kind == SUMMARY && b.kind == SUMMARY
}

/// Whether the words of one are at least half of the words of the other.
fn on_the_same_words(a: &Said<'_>, b: &Said<'_>) -> bool {
    a.evidence.iter().any(|one| {
        b.evidence.iter().any(|other| {
            let shared = one
                .end
                .min(other.end)
                .saturating_sub(one.start.max(other.start));
            let shorter = (one.end - one.start).min(other.end - other.start);
            one.message.is_some()
                && one.message == other.message
                && shared > 0
                && 2 * shared >= shorter
        })
    })
}

/// What people thought of what came of conversations, and what that says of a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Judged {
    /// Approved, or like what was.
    pub approved: u32,
    /// Rejected by a person, or like what was.
    pub rejected: u32,
    /// Nobody has decided on it.
    pub undecided: u32,
}

impl Judged {
    /// Counts one, by what became of what it is, or is like.
    pub fn count(&mut self, status: Option<Status>, by_a_person: bool) {
        match status {
            Some(Status::Approved) => self.approved += 1,
            Some(Status::Rejected) if by_a_person => self.rejected += 1,
            Some(Status::Rejected | Status::Pending) | None => self.undecided += 1,
        }
    }

    /// The share of what was rejected in what was decided; `None` where nothing was.
    pub fn junk(&self) -> Option<f64> {
        let decided = self.approved + self.rejected;
        (decided > 0).then(|| f64::from(self.rejected) / f64::from(decided))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Entropy, Timestamp,
        id::{ConversationId, MessageId},
    };

    struct Filled(u8);
    impl Entropy for Filled {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn found(kind: &str, name: Option<&str>, content: &str, words: (u8, usize, usize)) -> Found {
        Found {
            action: Action::Create,
            targets: Vec::new(),
            kind: kind.to_owned(),
            name: name.map(str::to_owned),
            content: content.to_owned(),
            metadata: serde_json::Map::new(),
            confidence: 0.9,
            importance: 0.5,
            language: "en".to_owned(),
            flags: Vec::new(),
            evidence: vec![Evidence {
                conversation: ConversationId::new(Timestamp::UNIX_EPOCH, &Filled(0)),
                message: Some(MessageId::new(Timestamp::UNIX_EPOCH, &Filled(words.0))),
                start: words.1,
                end: words.2,
                quote: "…".to_owned(),
            }],
        }
    }

    fn compared(today: &[Found], new: &[Found]) -> Vec<(Option<usize>, Option<usize>, Difference)> {
        let (today, new): (Vec<Said<'_>>, Vec<Said<'_>>) = (
            today.iter().map(Said::from).collect(),
            new.iter().map(Said::from).collect(),
        );
        side_by_side(&today, &new)
            .into_iter()
            .map(|line| (line.today, line.new, line.difference))
            .collect()
    }

    // G14
    #[test]
    fn two_results_stand_side_by_side_and_each_statement_in_one_line() {
        let today = [
            found("fact", None, "User lives in Oslo", (1, 0, 14)),
            found("preference", None, "User prefers green tea", (2, 0, 20)),
            found("fact", None, "User works as a nurse", (3, 0, 20)),
            found("context", None, "User plans a trip to Kyoto", (4, 0, 30)),
        ];
        let new = [
            // Other words, another kind, nothing like it, and the same.
            found(
                "preference",
                None,
                "The user would rather have tea that is green",
                (2, 2, 20),
            ),
            found("context", None, "User works as a nurse", (3, 0, 20)),
            found("fact", None, "User has a dog", (5, 0, 10)),
            found("fact", None, "User lives in Oslo.", (9, 0, 14)),
        ];
        assert_eq!(
            compared(&today, &new),
            [
                (Some(0), Some(3), Difference::Same),
                (Some(1), Some(0), Difference::Same),
                (Some(2), Some(1), Difference::OtherKind),
                (Some(3), None, Difference::OnlyToday),
                (None, Some(2), Difference::OnlyNew),
            ]
        );
        assert_eq!(compared(&[], &[]), []);
    }

    // G14
    #[test]
    fn one_statement_is_not_two() {
        let one = [found("fact", None, "User lives in Oslo", (1, 0, 14))];
        let two = [one[0].clone(), one[0].clone()];
        assert_eq!(
            compared(&one, &two),
            [
                (Some(0), Some(0), Difference::Same),
                (None, Some(1), Difference::OnlyNew),
            ]
        );
        let ends = Found {
            action: Action::Retire,
            ..one[0].clone()
        };
        assert_eq!(
            compared(&one, &[ends]),
            [
                (Some(0), None, Difference::OnlyToday),
                (None, Some(0), Difference::OnlyNew),
            ],
            "to retire it is not to say it"
        );
        // A field is the same field with the same value; a summary is the summary.
        let field = |name, content| found("profile_field", Some(name), content, (1, 0, 14));
        let differs = compared(
            &[field("p/city", "Oslo")],
            &[field("p/city", "Kyoto"), field("p/town", "Oslo")],
        );
        assert_eq!(differs.len(), 3, "{differs:?}");
        let sums = |content| found(SUMMARY, None, content, (1, 0, 0));
        assert_eq!(
            compared(&[sums("They spoke of tea")], &[sums("All about green tea")]),
            [(Some(0), Some(0), Difference::Same)]
        );
    }

    // G14
    #[test]
    fn junk_is_a_share_of_what_people_decided() {
        let mut judged = Judged::default();
        assert_eq!(judged.junk(), None);
        for (status, by_a_person) in [
            (Some(Status::Approved), true),
            (Some(Status::Approved), false),
            (Some(Status::Approved), true),
            (Some(Status::Rejected), true),
            (Some(Status::Rejected), false),
            (Some(Status::Pending), false),
            (None, false),
        ] {
            judged.count(status, by_a_person);
        }
        assert_eq!(
            (judged.approved, judged.rejected, judged.undecided),
            (3, 1, 3)
        );
        assert_eq!(judged.junk(), Some(0.25));
    }
}
