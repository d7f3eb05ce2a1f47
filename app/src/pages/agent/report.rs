//! What is served often and never helps (C9).

use domain::{
    Timestamp,
    id::{CandidateId, MemoryId},
};
use leptos::prelude::*;

use super::Agent;
use crate::{
    components::{
        content::{lang, revealed},
        time::when,
    },
    shell::Frame,
    text::grouped,
};

/// A row of the report.
#[derive(Debug, Clone)]
pub struct Unhelpful {
    /// Which memory.
    pub memory: MemoryId,
    /// Its statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// The user as shown.
    pub who: String,
    /// How often its present revision was served.
    pub servings: i64,
    /// How often it was reported not to have helped.
    pub not_helped: i64,
    /// When it was last served.
    pub last_served_at: Timestamp,
    /// The waiting proposal to retire it.
    pub proposal: Option<CandidateId>,
}

pub(super) fn report(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let words = &text.report;
    let content = if agent.unhelpful.is_empty() {
        view! { <p class="quiet">{words.none}</p> }.into_any()
    } else {
        table(frame, &agent.unhelpful)
    };
    view! {
        <section id="report">
            <h2>{words.title}</h2>
            <p class="lead">{words.lead}</p>
            {content}
        </section>
    }
    .into_any()
}

fn table(frame: &Frame, report: &[Unhelpful]) -> AnyView {
    let text = frame.text();
    let words = &text.report;
    let rows = report
        .iter()
        .map(|row| {
            let proposal = row.proposal.as_ref().map(|candidate| {
                view! { <a href=format!("/candidates/{candidate}")>{words.proposal_see}</a> }
            });
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/memories/{}", row.memory) lang=lang(&row.language)>
                            {revealed(text, &row.content)}
                        </a>
                    </th>
                    <td>{row.who.clone()}</td>
                    <td class="num">{grouped(row.servings.unsigned_abs())}</td>
                    <td class="num">{grouped(row.not_helped.unsigned_abs())}</td>
                    <td>{when(frame, row.last_served_at)}</td>
                    <td>{proposal}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=words.title>
            <table>
                <caption class="visually-hidden">{words.title}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words.memory}</th>
                        <th scope="col">{text.words.user}</th>
                        <th scope="col" class="num">
                            {words.served}
                        </th>
                        <th scope="col" class="num">
                            {words.not_helped}
                        </th>
                        <th scope="col">{words.last_served}</th>
                        <th scope="col">{words.proposal}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
