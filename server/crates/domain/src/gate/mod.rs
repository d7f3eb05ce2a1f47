//! The gate between an extractor and the queue, the same for every extractor.
//!
//! In order: words of machines, served blocks and what a user asked not to remember support nothing; evidence by kind, found in the
//! turns and kept as the original slice; secrets drop, warnings flag; kind, metadata, lengths and scores; the window's limit keeps
//! the best. Every drop is counted by its reason.

mod agreement;
mod evidence;
mod field;
mod fit;
mod forget;
mod off_record;
mod served;
mod silence;
mod summary;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Timestamp,
    agent::AgentSettings,
    candidate::{Action, Dropped, Evidence, Flag, Proposal},
    conversation::{Role, Source},
    draft::{Draft, Score},
    flags,
    id::{ConversationId, MemoryId, MessageId},
    kind::{EvidenceRule, Kind},
    matcher,
    profile::{self, ProfileSchema},
    secret, text,
};

use evidence::{Said, Support};
pub use field::field_drafts;
pub use fit::{MAX_METADATA, MAX_NAME, MetadataFault, faults, fits};
pub use off_record::asked_not_to_remember;
pub use summary::{SUMMARY, summary_draft};

/// A message of a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Which message.
    pub message: MessageId,
    /// Of which conversation.
    pub conversation: ConversationId,
    /// Who speaks.
    pub role: Role,
    /// Who made the words.
    pub source: Source,
    /// When it was said.
    pub at: Timestamp,
    /// What was said, as received.
    pub content: String,
}

/// What an extractor may read of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// The index among the turns.
    pub turn: usize,
    /// The content with served text blanked and secrets masked, character for character, so that offsets are those of the content.
    pub text: String,
}

/// A draft that may go to the matcher.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// What it proposes. Its targets are empty: the matcher sets them with their revisions.
    pub proposal: Proposal,
    /// The memories that the extractor named.
    pub wanted: Vec<MemoryId>,
}

/// A request to forget something that may be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Forget {
    /// The index among the turns.
    pub turn: usize,
    /// The words for what is to be forgotten; [`crate::matcher::meant`] finds the memories.
    pub what: String,
    /// The words of the request.
    pub evidence: Evidence,
}

/// What came through.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gated {
    /// What goes on, in the order of the drafts.
    pub kept: Vec<Kept>,
    /// How many did not, by reason.
    pub dropped: BTreeMap<Dropped, u32>,
    /// What users asked to forget.
    pub asked_to_forget: Vec<Forget>,
}

/// The longest explanation that is kept, in characters.
const MAX_EXPLANATION: usize = 500;
/// The most tags that are kept, and the longest, in characters.
const MAX_TAGS: usize = 20;
const MAX_TAG: usize = 64;

/// What an extractor may read: no system text, nothing that a machine wrote in the user's place, no text that Keepsake itself had
/// served, secrets masked. `served` is asked for single lines, without the mark of a list, the kind and the date that a block puts
/// around a statement, and answers whether this user's agent was served that statement.
pub fn readable(turns: &[Turn], served: &dyn Fn(&str) -> bool) -> Vec<Readable> {
    turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| {
            turn.role != Role::System && !(turn.role == Role::User && turn.source != Source::Human)
        })
        .map(|(index, turn)| {
            let spans = served::spans(&turn.content, turn.role, served);
            Readable {
                turn: index,
                text: secret::mask(&served::blank(&turn.content, &spans)),
            }
        })
        .filter(|readable| !readable.text.trim().is_empty())
        .collect()
}

/// Judges the drafts of one window. `kinds` is the agent's registry, `schemas` are its profile schemas, `served` is as in [`readable`].
pub fn pass(
    drafts: Vec<Draft>,
    turns: &[Turn],
    kinds: &[Kind],
    schemas: &[ProfileSchema],
    settings: &AgentSettings,
    served: &dyn Fn(&str) -> bool,
) -> Gated {
    let said: Vec<Said<'_>> = turns.iter().map(|turn| Said::new(turn, served)).collect();
    let gate = Gate {
        said: &said,
        kinds,
        schemas,
        validators: fit::Validators::new(kinds),
        settings,
    };
    let mut gated = Gated {
        asked_to_forget: gate.asked_to_forget(),
        ..Gated::default()
    };
    for draft in drafts {
        match gate.judge(draft) {
            Ok(kept) => gated.kept.push(kept),
            Err(why) => *gated.dropped.entry(why).or_default() += 1,
        }
    }
    gated.kept = field::joined(gated.kept, schemas);
    gated.limit(settings.max_candidates);
    gated
}

struct Gate<'a> {
    said: &'a [Said<'a>],
    kinds: &'a [Kind],
    schemas: &'a [ProfileSchema],
    validators: fit::Validators<'a>,
    settings: &'a AgentSettings,
}

impl Gate<'_> {
    fn judge(&self, draft: Draft) -> Result<Kept, Dropped> {
        let kind = self.kinds.iter().find(|kind| kind.name == draft.kind);
        let retires = draft.action == Action::Retire;
        let rule = kind.map_or(EvidenceRule::UserQuote, |kind| kind.evidence);
        let support = evidence::support(&draft.evidence, rule, retires, self.said)?;
        let forgotten = |place: &evidence::Place| self.said[place.turn].names(&draft.content);
        if !retires && support.places.iter().any(forgotten) {
            return Err(Dropped::AskedNotToRemember);
        }
        if retires && draft.targets.is_empty() {
            // Its target was made up, so nothing supports that there is something to retire.
            return Err(Dropped::NoEvidence);
        }
        let secret = fit::holds_secret(draft.name.as_deref(), &draft.content, &draft.metadata)
            || draft
                .tags
                .iter()
                .chain(&draft.explanation)
                .any(|text| secret::holds(text))
            || support
                .places
                .iter()
                .any(|place| self.said[place.turn].holds_secret(&place.range));
        if secret {
            return Err(Dropped::Secret);
        }
        let is_field = draft.kind == profile::KIND;
        if !(kind.is_some_and(|kind| kind.enabled) && (self.settings.natural_language || is_field))
        {
            return Err(Dropped::KindNotInUse);
        }
        fit::lengths(draft.name.as_deref(), &draft.content, &draft.metadata)?;
        let empty = draft.content.trim().is_empty() && !retires;
        if empty || !(retires || self.validators.fit(&draft.kind, &draft.metadata)) {
            return Err(Dropped::BadMetadata);
        }
        let Draft {
            name,
            content,
            metadata,
            ..
        } = &draft;
        if is_field && !retires && !field::fits(name.as_deref(), content, metadata, self.schemas) {
            return Err(Dropped::BadMetadata);
        }
        if draft.kind == SUMMARY {
            if summary::tells(&draft.content, self.said) {
                return Err(Dropped::AskedNotToRemember);
            }
        } else if draft.confidence != Score::Bad
            && draft.confidence.value() < self.settings.confidence_floor
        {
            return Err(Dropped::BelowFloor);
        }
        let flags = self.flags(&draft, &support);
        Ok(self.kept(draft, rule, &support, flags))
    }

    fn flags(&self, draft: &Draft, support: &Support) -> BTreeSet<Flag> {
        let quotes: Vec<_> = support
            .places
            .iter()
            .map(|place| self.said[place.turn].slice(&place.range))
            .collect();
        let sentences: Vec<_> = support
            .places
            .iter()
            .map(|place| self.said[place.turn].sentence_upto(&place.range))
            .collect();
        let statement = std::iter::once(draft.content.clone())
            .chain(draft.name.clone())
            // The metadata of a field repeats its name and its words.
            .chain(
                (draft.kind != profile::KIND)
                    .then(|| fit::strings(&draft.metadata))
                    .into_iter()
                    .flatten(),
            )
            .chain(draft.tags.iter().cloned())
            .collect::<Vec<_>>()
            .join("\n");
        let mut found: BTreeSet<Flag> = flags::of_statement(&statement).into_iter().collect();
        found.extend(quotes.iter().flat_map(|quote| flags::of_statement(quote)));
        // "Remember: always do so" turns what follows it into an order.
        found.extend(
            sentences
                .iter()
                .flat_map(|sentence| flags::of_statement(sentence))
                .filter(|flag| *flag == Flag::Instruction),
        );
        let another = draft.third_party
            || quotes
                .iter()
                .chain(&sentences)
                .any(|words| flags::about_another(&draft.content, words))
            || support
                .places
                .iter()
                .any(|place| self.said[place.turn].handed_over(&place.range));
        let wished = draft.action == Action::Retire
            && support
                .places
                .iter()
                .any(|place| self.said[place.turn].wishes_forgotten(&place.range));
        let bad_number = draft.confidence == Score::Bad || draft.importance == Score::Bad;
        found.extend(another.then_some(Flag::ThirdParty));
        found.extend(bad_number.then_some(Flag::BadNumber));
        found.extend(wished.then_some(Flag::AskedToForget));
        found.extend(support.not_said.then_some(Flag::NotSaidByUser));
        found
    }

    fn kept(
        &self,
        draft: Draft,
        rule: EvidenceRule,
        support: &Support,
        flags: BTreeSet<Flag>,
    ) -> Kept {
        let mut evidence: Vec<Evidence> = support
            .places
            .iter()
            .map(|place| self.said[place.turn].evidence(&place.range))
            .collect();
        if let (EvidenceRule::Conversation, Some(first)) = (rule, self.said.first()) {
            let conversation = first.turn.conversation.clone();
            evidence.insert(
                0,
                Evidence {
                    conversation,
                    message: None,
                    start: 0,
                    end: 0,
                    quote: String::new(),
                },
            );
        }
        let content = draft.content.trim().to_owned();
        Kept {
            proposal: Proposal {
                action: draft.action,
                targets: Vec::new(),
                language: text::language(&content).to_owned(),
                kind: draft.kind,
                name: draft
                    .name
                    .map(|name| name.trim().to_owned())
                    .filter(|name| !name.is_empty()),
                content,
                metadata: draft.metadata,
                tags: draft
                    .tags
                    .into_iter()
                    .filter(|tag| text::length(tag) <= MAX_TAG)
                    .take(MAX_TAGS)
                    .collect(),
                confidence: draft.confidence.value(),
                importance: draft.importance.value(),
                flags: flags.into_iter().collect(),
                evidence,
                explanation: draft
                    .explanation
                    .map(|why| text::slice(&why, 0, MAX_EXPLANATION).to_owned()),
                cause: None,
            },
            wanted: draft.targets,
        }
    }

    fn asked_to_forget(&self) -> Vec<Forget> {
        let human = |said: &&Said<'_>| said.turn.role == Role::User && !said.machine_made();
        self.said
            .iter()
            .enumerate()
            .filter(|(_, said)| human(said))
            .flat_map(|(turn, said)| {
                said.requests()
                    .map(move |forget::Request { place, what, .. }| Forget {
                        turn,
                        what,
                        evidence: said.evidence(&place),
                    })
            })
            .collect()
    }
}

impl Gated {
    /// Keeps the best by confidence, then importance. Fields and a summary do not count: their schema and their conversation limit
    /// them.
    fn limit(&mut self, most: u32) {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let counts = |index: &usize| !matcher::by_name(&self.kept[*index].proposal.kind);
        let mut order: Vec<usize> = (0..self.kept.len()).filter(counts).collect();
        let over = order.len().saturating_sub(most);
        if over == 0 {
            return;
        }
        let score = |index: &usize| {
            (
                self.kept[*index].proposal.confidence,
                self.kept[*index].proposal.importance,
            )
        };
        order.sort_by(|a, b| {
            let ((a1, a2), (b1, b2)) = (score(a), score(b));
            b1.total_cmp(&a1).then(b2.total_cmp(&a2))
        });
        let worst: BTreeSet<usize> = order.into_iter().skip(most).collect();
        let mut index = 0;
        self.kept.retain(|_| {
            index += 1;
            !worst.contains(&(index - 1))
        });
        *self.dropped.entry(Dropped::OverLimit).or_default() +=
            u32::try_from(over).unwrap_or(u32::MAX);
    }
}
