//! Turns and transcripts of the engine as the pages show them.

use app::components::transcript::{Mark, Transcript, Turn};
use domain::id::CandidateId;

/// Turns, where `other` says in a word what became of a candidate that is not the one in view.
pub fn turns(
    turns: Vec<engine::Turn>,
    other: impl Fn(&CandidateId) -> Option<String>,
) -> Vec<Turn> {
    let mark = |mark: engine::Mark| Mark {
        start: mark.start,
        end: mark.end,
        other: mark.candidate.and_then(|id| {
            let word = other(&id)?;
            Some((id, word))
        }),
    };
    turns
        .into_iter()
        .map(|turn| Turn {
            position: turn.position,
            role: turn.role,
            source: turn.source,
            at: turn.at,
            content: turn.content,
            marks: turn.marks.into_iter().map(mark).collect(),
        })
        .collect()
}

/// The conversations around the evidence of the one thing in view.
pub fn transcripts(all: Vec<engine::Transcript>) -> Vec<Transcript> {
    let one = |transcript: engine::Transcript| {
        let shown = turns(transcript.turns, |_| None);
        let first = shown.first().map_or(0, |turn| turn.position);
        let last = shown.last().map_or(-1, |turn| turn.position);
        let between = last - first + 1 - shown.len() as i64;
        Transcript {
            conversation: transcript.conversation,
            left_out: transcript.before + transcript.after + between,
            turns: shown,
            quotes: transcript.quotes,
        }
    };
    all.into_iter().map(one).collect()
}

/// The sessions that were told something, a line each.
pub fn told(all: &[engine::Told], date_time: impl Fn(domain::Timestamp) -> String) -> Vec<String> {
    all.iter()
        .map(|told| {
            let conversation = told
                .conversation
                .as_deref()
                .unwrap_or(told.serving.as_str());
            format!("{conversation} · {}", date_time(told.at))
        })
        .collect()
}
