//! `/agents`: the agents, and the form that makes one.

use leptos::prelude::*;

use super::overview::{AgentFigures, agents as table};
use crate::{
    components::{
        empty::empty,
        form::{Control, Field, Typed, field},
    },
    shell::{Frame, page},
};

/// The page. `may_make` is whether the reader administers.
pub fn agents(frame: &Frame, agents: &[AgentFigures], may_make: bool, typed: &Typed) -> AnyView {
    let text = frame.text();
    let list = if agents.is_empty() {
        empty(text.agents.empty, text.agents.empty_how, None)
    } else {
        table(text, agents)
    };
    let make = may_make.then(|| {
        let name = field(
            text,
            "agent",
            typed,
            Field {
                name: "name",
                label: text.agents.make_name,
                hint: Some(text.agents.make_name_how),
                value: "",
                control: Control::Line("text", Some("off"), true),
            },
        );
        view! {
            <section>
                <h2>{text.agents.make}</h2>
                <form class="card" method="post" action="/agents">
                    {name}
                    <button class="button primary">{text.agents.make}</button>
                </form>
            </section>
            <section>
                <h2>{text.imports.title}</h2>
                <p class="hint">{text.imports.lead}</p>
                <a class="button" href="/imports">
                    {text.imports.upload}
                </a>
            </section>
            <p>
                <a href="/webhooks">{text.webhooks.title}</a>
            </p>
        }
    });
    let lead = view! { <p class="quiet">{text.agents.lead}</p> }.into_any();
    let content = view! {
        <div class="letter">
            {list}
            {make}
        </div>
    }
    .into_any();
    page(frame, text.agents.title, Some(lead), content)
}
