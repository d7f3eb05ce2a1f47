//! Who is told what happens to an agent, in a line; the webhooks have a page of their own.

use leptos::prelude::*;

use super::Agent;
use crate::text::Text;

pub(super) fn webhooks(text: &'static Text, agent: &Agent) -> AnyView {
    view! {
        <section id="webhooks">
            <h2>{text.webhooks.title}</h2>
            <p>{(text.agents.webhooks)(agent.webhooks)}</p>
            <p>
                <a class="button" href="/webhooks">
                    {text.agents.webhooks_go}
                </a>
            </p>
        </section>
    }
    .into_any()
}
