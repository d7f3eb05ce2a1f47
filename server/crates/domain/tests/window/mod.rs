//! A window of a conversation and what an extractor proposes of it.

use domain::{
    Entropy, Timestamp,
    agent::AgentSettings,
    candidate::Action,
    conversation::{Role, Source},
    draft::{Draft, Quote, Score},
    gate::{self, Gated, Turn},
    id::{ConversationId, MessageId},
    kind::Kind,
    time::Span,
};

struct Seven;

impl Entropy for Seven {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

pub fn turn(role: Role, source: Source, content: &str, number: i64) -> Turn {
    let at = Timestamp::UNIX_EPOCH + Span::seconds(number);
    Turn {
        message: MessageId::new(at, &Seven),
        conversation: ConversationId::new(Timestamp::UNIX_EPOCH, &Seven),
        role,
        source,
        at,
        content: content.to_owned(),
    }
}

pub fn user(content: &str) -> Vec<Turn> {
    vec![turn(Role::User, Source::Human, content, 0)]
}

pub fn draft(kind: &str, content: &str, evidence: &str) -> Draft {
    Draft {
        action: Action::Create,
        targets: vec![],
        kind: kind.to_owned(),
        name: None,
        content: content.to_owned(),
        metadata: serde_json::Map::new(),
        confidence: Score::new(0.9),
        importance: Score::new(0.7),
        evidence: vec![Quote {
            text: evidence.to_owned(),
            ..Quote::default()
        }],
        explanation: None,
        tags: vec![],
        third_party: false,
    }
}

pub fn pass(drafts: Vec<Draft>, turns: &[Turn]) -> Gated {
    let kinds = [Kind::assistant(), Kind::business(), Kind::always_there()].concat();
    gate::pass(
        drafts,
        turns,
        &kinds,
        &[],
        &AgentSettings::default(),
        &|_| false,
    )
}
