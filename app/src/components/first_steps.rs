//! The way from a fresh installation to the first remembered word. Each step ticks itself by what is really there.

use leptos::prelude::*;

use super::{
    bar::address,
    demo,
    snippets::{Call, snippets},
};
use crate::{shell::Frame, text::Text};

/// How far an installation has come, but for its demo.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstSteps {
    /// The first agent.
    pub agent: Option<String>,
    /// Whether it has a key.
    pub key: bool,
    /// Whether a conversation came in.
    pub sent: bool,
    /// Whether somebody decided on a candidate.
    pub decided: bool,
    /// Whether an agent was told something.
    pub told: bool,
    /// The address agents call, without a slash at the end.
    pub url: String,
}

impl FirstSteps {
    /// Whether nothing is left to do.
    pub fn done(&self) -> bool {
        self.agent.is_some() && self.key && self.sent && self.decided && self.told
    }
}

/// The steps; nothing where all are done.
pub fn first_steps(frame: &Frame, steps: &FirstSteps) -> Option<AnyView> {
    let text = frame.text();
    let words = &text.first_steps;
    if steps.done() {
        return None;
    }
    let link = |href: String, label: String| {
        view! {
            <p>
                <a class="button" href=href>
                    {label}
                </a>
            </p>
        }
        .into_any()
    };
    let agent = steps.agent.as_deref();
    let make = agent
        .is_none()
        .then(|| link("/agents".to_owned(), words.agent_go.to_owned()));
    let key = agent
        .filter(|_| !steps.key)
        .map(|agent| link(format!("/agents/{agent}#keys"), (words.key_go)(agent)));
    let send = (steps.key && !steps.sent).then(|| snippets(text, &steps.url, Call::Send));
    let review = (steps.sent && !steps.decided).then(|| {
        let queue = address("/review", [("agent", agent.unwrap_or_default())]);
        link(queue, words.review_go.to_owned())
    });
    let context = (steps.decided && !steps.told).then(|| snippets(text, &steps.url, Call::Context));
    let offer = frame.demo.is_none().then(|| demo::offer(frame));
    Some(
        view! {
            <section id="first-steps">
                <h2>{words.title}</h2>
                <p class="quiet">{words.lead}</p>
                <ol class="steps">
                    {step(text, agent.is_some(), words.agent, words.agent_how, make)}
                    {step(text, steps.key, words.key, words.key_how, key)}
                    {step(text, steps.sent, words.send, words.send_how, send)}
                    {step(text, steps.decided, words.review, words.review_how, review)}
                    {step(text, steps.told, words.context, words.context_how, context)}
                </ol>
            </section>
            {offer}
        }
        .into_any(),
    )
}

fn step(
    text: &'static Text,
    done: bool,
    what: &'static str,
    how: &'static str,
    act: Option<AnyView>,
) -> AnyView {
    let words = &text.first_steps;
    let (word, tone) = if done {
        (words.done, "good")
    } else {
        (words.open, "accent")
    };
    view! {
        <li data-done=done.then_some("")>
            <h3>
                {what} " "
                <span class="tag" data-tone=tone>
                    {done.then_some("✓ ")}
                    {word}
                </span>
            </h3>
            <p class="quiet">{how}</p>
            {act}
        </li>
    }
    .into_any()
}
