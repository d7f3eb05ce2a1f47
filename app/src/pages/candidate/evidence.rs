//! The pane of the evidence: the conversations that a candidate rests on, one or several.

use leptos::prelude::*;

use super::Candidate;
use crate::{
    components::{
        time::date_time,
        transcript::{Transcript, quotes, turns},
    },
    shell::Frame,
};

/// The pane of the evidence.
pub fn evidence(frame: &Frame, candidate: &Candidate) -> AnyView {
    let text = frame.text();
    let all = candidate.transcripts.len();
    if all == 0 {
        return view! {
            <h2>{text.candidate.evidence}</h2>
            <p class="quiet none">{text.candidate.no_evidence}</p>
        }
        .into_any();
    }
    let several =
        (all > 1).then(|| view! { <p class="several">{(text.candidate.rests_on)(all as u64)}</p> });
    let conversations = candidate
        .transcripts
        .iter()
        .enumerate()
        .map(|(index, transcript)| conversation(frame, candidate, transcript, index + 1))
        .collect_view();
    view! {
        {several}
        {conversations}
    }
    .into_any()
}

/// A conversation, its turns around the marked words, and the way to the whole.
fn conversation(
    frame: &Frame,
    candidate: &Candidate,
    transcript: &Transcript,
    number: usize,
) -> AnyView {
    let text = frame.text();
    let first = transcript.turns.first().map(|turn| turn.at);
    let heading = first.map_or_else(
        || text.conversation.title.to_owned(),
        |at| (text.candidate.conversation_of)(&date_time(text, frame.zone, at)),
    );
    let all = candidate.transcripts.len();
    let number = (all > 1).then(|| {
        view! {
            " "
            <span class="quiet">{(text.candidate.of_several)(number, all)}</span>
        }
    });
    if transcript.turns.is_empty() {
        return view! {
            <h2>{text.conversation.title} {number}</h2>
            {quotes(frame, &transcript.quotes)}
        }
        .into_any();
    }
    let whole = transcript.left_out + transcript.turns.len() as i64;
    view! {
        <h2>{heading} {number}</h2>
        {turns(frame, &candidate.who, &candidate.agent, &transcript.turns)}
        <p>
            <a class="quiet" href=format!("/conversations/{}", transcript.conversation)>
                {(text.candidate.whole)(whole.unsigned_abs())}
                " →"
            </a>
        </p>
    }
    .into_any()
}
