//! What extraction costs an agent, and how much of its budget is used (G14).

use leptos::prelude::*;

use super::Agent;
use crate::text::{Text, grouped};

/// The use of a day, which is one of UTC.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Today {
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// What they cost; `None` without prices.
    pub cost: Option<f64>,
    /// How much of the budget is used, 1.0 for all; `None` without a limit.
    pub used: Option<f64>,
    /// Whether the limit is near.
    pub warns: bool,
    /// Conversations that wait for the next day.
    pub waiting: i64,
}

fn percent(used: f64) -> u64 {
    (used * 100.0).clamp(0.0, 100_000.0).floor() as u64
}

/// The warning on top of the page, from the share of the budget on at which the engine warns.
pub(super) fn warning(text: &'static Text, agent: &Agent) -> Option<AnyView> {
    let used = agent.today.used.filter(|_| agent.today.warns)?;
    let (tone, line) = if used >= 1.0 {
        ("bad", text.budget.exhausted.to_owned())
    } else {
        ("warn", (text.budget.warning)(percent(used)))
    };
    let waiting = (agent.today.waiting > 0)
        .then(|| view! { <p>{(text.budget.waiting)(agent.today.waiting.unsigned_abs())}</p> });
    Some(
        view! {
            <div class="callout" data-tone=tone>
                <p>
                    <strong>{line}</strong>
                </p>
                {waiting}
            </div>
        }
        .into_any(),
    )
}

/// Today's figures.
pub(super) fn cost(text: &'static Text, agent: &Agent) -> AnyView {
    let (words, today) = (&text.budget, &agent.today);
    let tokens = grouped((today.tokens_in + today.tokens_out).unsigned_abs());
    let money = today
        .cost
        .map_or_else(|| "–".to_owned(), |cost| format!("{cost:.2}"));
    let used = today.used.map_or_else(
        || words.no_limit.to_owned(),
        |used| format!("{} %", percent(used)),
    );
    let fact = |label: &'static str, value: String| {
        view! {
            <div>
                <dt>{label}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    view! {
        <section id="cost">
            <h2>{words.title} " · " {words.today}</h2>
            <dl class="facts">
                {fact(words.tokens, tokens)} {fact(words.money, money)} {fact(words.used, used)}
            </dl>
        </section>
    }
    .into_any()
}
