//! What an extractor reads at once: up to twenty new messages behind up to four for reference (C3), as far as they may be read.

use domain::{
    agent::{Agent, AgentSettings},
    conversation::{Conversation, Message},
    draft::Draft,
    gate::{self, Gated, Turn},
    id::MessageId,
    kind::Kind,
    memory::Memory,
    rank,
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
    /// What is served of the user.
    pub memories: Vec<Memory>,
    /// What was served to them before.
    pub served: ServedLines,
}

/// A window with what the gate needs to judge the drafts from it.
pub struct Reading {
    /// What the extractor gets.
    pub window: Window,
    turns: Vec<Turn>,
    /// For each turn of the window its place in `turns`.
    places: Vec<usize>,
    reference: Vec<MessageId>,
    served: ServedLines,
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
        now: domain::Timestamp,
    ) -> Self {
        let Beside {
            kinds,
            memories,
            served,
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
        let nearest = nearest(&window_turns, &memories);
        let window = Window {
            turns: window_turns,
            kinds: kinds.into_iter().filter(|kind| kind.enabled).collect(),
            nearest,
            time_zone: conversation.time_zone.clone(),
            ended,
            settings: agent.settings.clone(),
            now,
        };
        Self {
            window,
            turns,
            places,
            reference,
            served,
        }
    }

    /// Whether there is anything new to read.
    pub fn is_empty(&self) -> bool {
        self.window.turns.iter().all(|turn| turn.reference)
    }

    /// Sends drafts through the gate. What rests only on the messages for reference was read with the window before.
    pub fn gate(&self, mut drafts: Vec<Draft>, settings: &AgentSettings) -> Gated {
        for quote in drafts.iter_mut().flat_map(|draft| &mut draft.evidence) {
            quote.turn = quote.turn.and_then(|turn| self.places.get(turn).copied());
        }
        let mut gated = gate::pass(drafts, &self.turns, &self.window.kinds, settings, &|line| {
            self.served.holds(line)
        });
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
        gated
    }
}

/// The memories nearest to what is said, then the newest, so that a change is proposed as one.
fn nearest(turns: &[WindowTurn], memories: &[Memory]) -> Vec<Nearest> {
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
            let memory = &memories[at];
            Nearest {
                id: memory.id.clone(),
                kind: memory.kind.clone(),
                name: memory.name.clone(),
                content: memory.content.clone(),
            }
        })
        .collect()
}
