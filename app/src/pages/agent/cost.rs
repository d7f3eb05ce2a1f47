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
    /// Of both, those of dry runs.
    pub dry_run_tokens: i64,
    /// What they cost; `None` without prices.
    pub cost: Option<f64>,
    /// How much of the budget is used, 1.0 for all; `None` without a limit.
    pub used: Option<f64>,
    /// Whether the limit is near.
    pub warns: bool,
    /// Conversations that wait for the next day.
    pub waiting: i64,
    /// Conversations that wait until the agent allows their extractor.
    pub not_allowed: i64,
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

/// What waits until the agent allows its extractor.
pub(super) fn held(text: &'static Text, agent: &Agent) -> Option<AnyView> {
    let waiting = agent.today.not_allowed.unsigned_abs();
    (waiting > 0).then(|| {
        view! {
            <div class="callout" data-tone="bad">
                <p>
                    <strong>{(text.agents.not_allowed)(waiting)}</strong>
                </p>
                <p>{text.agents.not_allowed_how}</p>
            </div>
        }
        .into_any()
    })
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
    let dry_runs = (today.dry_run_tokens > 0).then(|| {
        fact(
            text.dry_runs.title,
            grouped(today.dry_run_tokens.unsigned_abs()),
        )
    });
    let to_dry_runs = agent.may_change.then(|| {
        view! {
            <p>
                <a class="button" href=format!("/agents/{}/dry-runs", agent.figures.name)>
                    {text.dry_runs.title}
                </a>
            </p>
        }
    });
    view! {
        <section id="cost">
            <h2>{words.title} " · " {words.today}</h2>
            <dl class="facts">
                {fact(words.tokens, tokens)} {dry_runs} {fact(words.money, money)} {fact(words.used, used)}
            </dl>
            {to_dry_runs}
        </section>
    }
    .into_any()
}
