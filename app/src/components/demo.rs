//! The mark of made-up people, and the button that removes them.

use leptos::prelude::*;

use crate::shell::Frame;

/// The name of the agent with made-up people.
pub const AGENT: &str = "demo";

/// Says on a page about `agent` that its people are made up; nothing on the pages of others.
pub fn banner(frame: &Frame, agent: &str) -> Option<AnyView> {
    let words = &frame.text().demo;
    let demo = frame.demo.filter(|_| agent == AGENT)?;
    let complete = (demo.may_remove && !demo.whole).then(|| {
        view! {
            <p>{words.half}</p>
            {fill(words.fill)}
        }
    });
    let remove = demo.may_remove.then(|| {
        view! {
            <form method="post" action="/demo/remove">
                <button class="button">{words.remove}</button>
            </form>
        }
    });
    Some(
        view! {
            <div class="callout demo" data-tone="accent" id="demo">
                <p>{words.banner}</p>
                {complete}
                {remove}
            </div>
        }
        .into_any(),
    )
}

/// Offers to fill the demo in; the form that does it.
pub fn offer(frame: &Frame) -> AnyView {
    let words = &frame.text().demo;
    view! {
        <section id="demo-offer">
            <h2>{words.offer}</h2>
            <p class="quiet">{words.offer_how}</p>
            {fill(words.fill)}
        </section>
    }
    .into_any()
}

fn fill(label: &'static str) -> AnyView {
    view! {
        <form method="post" action="/demo">
            <button class="button">{label}</button>
        </form>
    }
    .into_any()
}
