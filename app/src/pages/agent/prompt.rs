//! What an agent's extractor is told before what was said, with the version that every memory made under it records (C8).

use leptos::prelude::*;

use super::Agent;
use crate::text::Text;

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its version.
    pub version: Option<String>,
    /// Its text, as it is sent.
    pub system: String,
}

pub(super) fn prompt(text: &'static Text, agent: &Agent) -> AnyView {
    let words = &text.agents;
    let told = match &agent.prompt {
        None => view! { <p class="quiet">{words.prompt_none}</p> }.into_any(),
        Some(prompt) => {
            let version = prompt.version.clone().unwrap_or_default();
            view! {
                <details>
                    <summary class="button">{(words.prompt_version)(&version)}</summary>
                    <pre tabindex="0" lang="en">{prompt.system.clone()}</pre>
                </details>
            }
            .into_any()
        }
    };
    view! {
        <section id="prompt">
            <h2>{words.prompt}</h2>
            <p class="lead">{words.prompt_how}</p>
            {told}
        </section>
    }
    .into_any()
}
