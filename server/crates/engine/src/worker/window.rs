//! What an extractor reads at once: up to twenty new messages behind up to four for reference (C3), as far as they may be read.

use domain::{
    Timestamp,
    agent::{Agent, AgentSettings},
    answer::{FieldDraft, Summary},
    candidate::{Dropped, Proposal},
    conversation::{Conversation, Message, Role, Source},
    draft::Draft,
    gate::{self, Gated, Kept, SUMMARY, Turn},
    id::{ConversationId, MessageId},
    kind::Kind,
    matcher,
    memory::Memory,
    profile::{self, ProfileSchema},
    rank, text,
};
use store::ServedLines;

use crate::extractor::{Nearest, Window, WindowTurn};

/// New messages of a window.
pub const NEW: i64 = 20;
/// Messages before them, for reference.
pub const OVERLAP: i64 = 4;
/// Memories told to the extractor.
const NEAREST: usize = 10;

/// What is known beside the messages.
pub struct Beside {
    /// The agent's registry.
    pub kinds: Vec<Kind>,
    /// The agent's profile schemas.
    pub schemas: Vec<ProfileSchema>,
    /// What is served of the user.
    pub memories: Vec<Memory>,
    /// What was served to them before.
    pub served: ServedLines,
    /// What the conversation was about before.
    pub summary_so_far: Option<String>,
}

/// A window with what the gate needs to judge what an extractor makes of it.
pub struct Reading {
    /// What the extractor gets.
    pub window: Window,
    conversation: ConversationId,
    turns: Vec<Turn>,
    /// For each turn of the window its place in `turns`.
    places: Vec<usize>,
    reference: Vec<MessageId>,
    served: ServedLines,
    /// The languages of what is known of the user, the newest first, where their words tell them.
    languages: Vec<&'static str>,
}

/// What came through the gate.
#[derive(Default)]
pub struct Passed {
    /// Statements and fields, what was dropped, what is to be forgotten.
    pub gated: Gated,
    /// The summary of the conversation up to here.
    pub summary: Option<Kept>,
}

impl Reading {
    /// Puts a window together out of `messages`, of which those before `first_new` are for reference.
    pub fn new(
        conversation: &Conversation,
        messages: Vec<Message>,
        first_new: i64,
        ended: bool,
        agent: &Agent,
        beside: Beside,
        now: Timestamp,
    ) -> Self {
        let Beside {
            kinds,
            schemas,
            memories,
            served,
            summary_so_far,
        } = beside;
        let reference: Vec<MessageId> = messages
            .iter()
            .filter(|message| message.position < first_new)
            .map(|message| message.id.clone())
            .collect();
        let turns: Vec<Turn> = messages
            .into_iter()
            .map(|message| Turn {
                message: message.id,
                conversation: conversation.id.clone(),
                role: message.role,
                source: message.source,
                at: message.at,
                content: message.content,
            })
            .collect();
        let readable = gate::readable(&turns, &|line| served.holds(line));
        let places: Vec<usize> = readable.iter().map(|readable| readable.turn).collect();
        let window_turns: Vec<WindowTurn> = readable
            .into_iter()
            .map(|readable| {
                let turn = &turns[readable.turn];
                WindowTurn {
                    reference: reference.contains(&turn.message),
                    message: turn.message.clone(),
                    role: turn.role,
                    source: turn.source,
                    at: turn.at,
                    text: readable.text,
                }
            })
            .collect();
        let languages = languages_of(&memories).collect();
        let asked = without_turns(agent, kinds, schemas, now);
        let window = Window {
            nearest: nearest(&window_turns, &memories),
            turns: window_turns,
            profile: filled(&asked.schemas, &memories),
            summary_so_far: summary_so_far.filter(|_| asked.wants_summary()),
            time_zone: conversation.time_zone.clone(),
            ended,
            ..asked
        };
        Self {
            window,
            conversation: conversation.id.clone(),
            turns,
            places,
            reference,
            served,
            languages,
        }
    }

    /// Whether there is anything new to read.
    pub fn is_empty(&self) -> bool {
        self.window.turns.iter().all(|turn| turn.reference)
    }

    /// The language of a proposal: where its own words do not tell it, that of the messages that it rests on, then of what else the user
    /// says here, then of what is known of them.
    fn language_of(&self, proposal: &Proposal) -> String {
        let rests_on = |turn: &&Turn| {
            let mut evidence = proposal.evidence.iter();
            evidence.any(|piece| piece.message.as_ref() == Some(&turn.message))
        };
        let users = |turn: &&Turn| turn.role == Role::User && turn.source == Source::Human;
        let said = self
            .turns
            .iter()
            .filter(rests_on)
            .chain(self.turns.iter().filter(users))
            .filter_map(|turn| text::told_language(&turn.content));
        let others = said.chain(self.languages.iter().copied());
        let of_a_field = proposal.kind == profile::KIND;
        text::language_with(&proposal.content, of_a_field, others).to_owned()
    }

    /// Whether a message was sent after a turn of the gate's: by their places where both are here, else by their ids, which stand in the
    /// order of time.
    pub fn is_after(&self, message: &MessageId, turn: usize) -> bool {
        match self.turns.iter().position(|one| one.message == *message) {
            Some(place) => place > turn,
            None => self
                .turns
                .get(turn)
                .is_some_and(|one| *message > one.message),
        }
    }

    /// Whether a turn was said before a moment.
    pub fn is_before(&self, moment: Timestamp, turn: usize) -> bool {
        self.turns.get(turn).is_some_and(|one| one.at < moment)
    }

    /// Sends what an extractor made through the gate. What rests only on the messages for reference was read with the window before.
    pub fn gate(
        &self,
        drafts: Vec<Draft>,
        fields: Vec<FieldDraft>,
        summary: Option<Summary>,
    ) -> Passed {
        // A summary and a pattern have places of their own in an answer; among the candidates they name no session.
        let (astray, mut drafts): (Vec<Draft>, Vec<Draft>) = drafts
            .into_iter()
            .partition(|draft| matches!(draft.kind.as_str(), SUMMARY | "pattern"));
        drafts.extend(gate::field_drafts(fields, &self.window.schemas));
        drafts.extend(
            summary
                .filter(|_| self.window.wants_summary())
                .map(|summary| gate::summary_draft(summary, &self.conversation)),
        );
        for quote in drafts.iter_mut().flat_map(|draft| &mut draft.evidence) {
            quote.turn = quote.turn.and_then(|turn| self.places.get(turn).copied());
        }
        let mut gated = gate::pass(
            drafts,
            &self.turns,
            &self.window.kinds,
            &self.window.schemas,
            &self.window.settings,
            &|line| self.served.holds(line),
        );
        if !astray.is_empty() {
            *gated.dropped.entry(Dropped::KindNotInUse).or_default() +=
                u32::try_from(astray.len()).unwrap_or(u32::MAX);
        }
        let old = |message: &Option<MessageId>| {
            message
                .as_ref()
                .is_some_and(|message| self.reference.contains(message))
        };
        gated.kept.retain(|kept| {
            let evidence = &kept.proposal.evidence;
            evidence.is_empty() || !evidence.iter().all(|piece| old(&piece.message))
        });
        gated
            .asked_to_forget
            .retain(|forget| !old(&forget.evidence.message));
        for kept in &mut gated.kept {
            kept.proposal.language = self.language_of(&kept.proposal);
        }
        let (mut summaries, kept) = std::mem::take(&mut gated.kept)
            .into_iter()
            .partition::<Vec<Kept>, _>(|kept| kept.proposal.kind == SUMMARY);
        gated.kept = kept;
        Passed {
            gated,
            summary: summaries.pop(),
        }
    }
}

/// What an agent's extractor is asked about, whatever is said.
pub(crate) fn without_turns(
    agent: &Agent,
    kinds: Vec<Kind>,
    schemas: Vec<ProfileSchema>,
    now: domain::Timestamp,
) -> Window {
    let kinds = in_use(kinds, &agent.settings);
    let fields = kinds.iter().any(|kind| kind.name == profile::KIND);
    Window {
        turns: Vec::new(),
        schemas: if fields { schemas } else { Vec::new() },
        kinds,
        profile: Vec::new(),
        summary_so_far: None,
        nearest: Vec::new(),
        time_zone: None,
        ended: false,
        settings: agent.settings.clone(),
        now,
    }
}

/// The languages in which memories are written, the newest first, where their words tell them.
pub fn languages_of(memories: &[Memory]) -> impl Iterator<Item = &'static str> {
    let told = |memory: &Memory| text::told_language(&memory.content);
    memories.iter().rev().filter_map(told)
}

/// The kinds that extraction proposes; only fields of profiles where natural language is off (D8).
fn in_use(kinds: Vec<Kind>, settings: &AgentSettings) -> Vec<Kind> {
    kinds
        .into_iter()
        .filter(|kind| kind.enabled && (settings.natural_language || kind.name == profile::KIND))
        .collect()
}

/// What the fields of the schemas hold.
fn filled(
    schemas: &[ProfileSchema],
    memories: &[Memory],
) -> Vec<(String, String, serde_json::Value)> {
    memories
        .iter()
        .filter(|memory| memory.kind == profile::KIND)
        .filter_map(|memory| {
            let (schema, field) = profile::parse_name(memory.name.as_deref()?)?;
            schemas
                .iter()
                .find(|one| one.id == schema)?
                .field(field)
                .map(|_| ())?;
            let value = memory.metadata.get("value")?.clone();
            Some((schema.to_owned(), field.to_owned(), value))
        })
        .collect()
}

/// The memories nearest to what is said, then the newest, so that a change is proposed as one. Fields, summaries and patterns are told
/// apart from these.
fn nearest(turns: &[WindowTurn], memories: &[Memory]) -> Vec<Nearest> {
    let memories: Vec<&Memory> = memories
        .iter()
        .filter(|memory| !matcher::by_name(&memory.kind) && memory.kind != "pattern")
        .collect();
    let said: Vec<&str> = turns
        .iter()
        .filter(|turn| !turn.reference)
        .map(|turn| turn.text.as_str())
        .collect();
    let texts: Vec<&str> = memories
        .iter()
        .map(|memory| memory.content.as_str())
        .collect();
    let mut order: Vec<usize> = rank::search(&said.join("\n"), &texts)
        .into_iter()
        .map(|(at, _)| at)
        .collect();
    let mut rest: Vec<usize> = (0..memories.len())
        .filter(|at| !order.contains(at))
        .collect();
    rest.sort_by_key(|at| std::cmp::Reverse(memories[*at].updated_at));
    order.extend(rest);
    order
        .into_iter()
        .take(NEAREST)
        .map(|at| {
            let memory = memories[at];
            Nearest {
                id: memory.id.clone(),
                kind: memory.kind.clone(),
                name: memory.name.clone(),
                content: memory.content.clone(),
            }
        })
        .collect()
}
