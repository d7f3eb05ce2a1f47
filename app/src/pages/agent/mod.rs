//! `/agents/{name}`: settings, policies, cost, kinds, profile schemas, the prompt, keys, webhooks, figures, and the first calls.

mod cost;
mod four_eyes;
mod keys;
mod kinds;
mod policies;
mod prompt;
mod report;
mod schemas;
mod settings;
mod webhooks;

use domain::agent::AgentSettings;
use leptos::prelude::*;

pub use self::{
    cost::Today,
    keys::Key,
    kinds::{Kind, Proposed},
    policies::Policy,
    prompt::Prompt,
    report::Unhelpful,
    schemas::Schema,
};
use super::overview::{AgentFigures, waiting_of};
use crate::{
    components::{
        bar::address,
        demo::banner,
        form::Typed,
        snippets::{Call, snippets},
    },
    shell::{Frame, page},
    text::{Text, grouped},
};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its figures.
    pub figures: AgentFigures,
    /// Its settings.
    pub settings: AgentSettings,
    /// The version of the settings that is seen.
    pub version: i64,
    /// The policies that are on.
    pub policies: Vec<Policy>,
    /// What extraction has cost today.
    pub today: Today,
    /// Its kinds, in the order of a context block.
    pub kinds: Vec<Kind>,
    /// Its profile schemas.
    pub schemas: Vec<Schema>,
    /// What its extractor is told; `None`: nothing.
    pub prompt: Option<Prompt>,
    /// What is served often and never helps.
    pub unhelpful: Vec<Unhelpful>,
    /// Its keys.
    pub keys: Vec<Key>,
    /// A key that was just made, shown this once.
    pub new_key: Option<String>,
    /// How many webhooks are told what happens here, for who administers.
    pub webhooks: u64,
    /// The address agents call, without a slash at the end.
    pub public_url: String,
    /// Whether the reader administers.
    pub may_change: bool,
    /// What was typed into a form that was refused.
    pub typed: Typed,
}

/// The page.
pub fn agent(frame: &Frame, agent: &Agent) -> AnyView {
    let text = frame.text();
    let figures = &agent.figures;
    let name = figures.name.as_str();
    let of_agent = |path: &str| address(path, [("agent", name)]);
    let figure = |href: String, number: i64, label: &'static str| {
        let number = grouped(number.unsigned_abs());
        view! {
            <a href=href>
                <b>{number}</b>
                " "
                {label}
            </a>
            " "
        }
        .into_any()
    };
    let total = grouped(figures.total.unsigned_abs());
    let beside = view! {
        <p class="inline-figures">
            {figure(waiting_of(name), figures.pending, text.agents.pending)}
            {figure(of_agent("/memories"), figures.approved, text.agents.approved)}
            {figure(of_agent("/users"), figures.users, text.agents.users)}
            <span>
                <b>{total}</b>
                " "
                {text.agents.total}
            </span>
        </p>
    }
    .into_any();
    let keys = agent.may_change.then(|| keys::keys(frame, agent));
    let four_eyes = agent.may_change.then(|| four_eyes::four_eyes(text, agent));
    let settings = agent.may_change.then(|| settings::settings(text, agent));
    let webhooks = agent.may_change.then(|| webhooks::webhooks(text, agent));
    let content = view! {
        <div class="letter">
            {banner(frame, name)} {new_key(text, agent)} {cost::warning(text, agent)} {cost::held(text, agent)}
            {contents(text, agent)} {keys} {settings}
            {cost::cost(text, agent)} {policies::policies(frame, agent)} {four_eyes} {kinds::kinds(text, agent)}
            {schemas::schemas(frame, agent)} {prompt::prompt(text, agent)} {report::report(frame, agent)} {webhooks}
            {first_steps(text, agent)}
        </div>
    }
    .into_any();
    page(frame, name, Some(beside), content)
}

/// The sections in their order: the page is long.
fn contents(text: &'static Text, agent: &Agent) -> AnyView {
    let may = agent.may_change;
    let sections = [
        (may, "keys", text.agents.keys),
        (may, "settings", text.agents.settings),
        (true, "cost", text.budget.title),
        (true, "policies", text.policies.title),
        (may, "four-eyes", text.four_eyes.title),
        (true, "kinds", text.kinds.title),
        (true, "schemas", text.schemas.title),
        (true, "prompt", text.agents.prompt),
        (true, "report", text.report.title),
        (may, "webhooks", text.webhooks.title),
        (true, "first-calls", text.agents.first_steps),
    ];
    let links = sections
        .into_iter()
        .filter(|(there, ..)| *there)
        .map(|(_, id, title)| {
            view! {
                <li>
                    <a href=format!("#{id}")>{title}</a>
                </li>
            }
        })
        .collect_view();
    view! {
        <nav class="contents" aria-label=text.agents.contents>
            <ul>{links}</ul>
        </nav>
    }
    .into_any()
}

fn new_key(text: &'static Text, agent: &Agent) -> Option<AnyView> {
    agent.new_key.as_ref().map(|key| {
        view! {
            <section class="callout" data-tone="good">
                <h2>{text.agents.key_new}</h2>
                <p>
                    <code class="secret" tabindex="0">{key.clone()}</code>
                </p>
                <p>{text.agents.key_new_how}</p>
            </section>
        }
        .into_any()
    })
}

fn first_steps(text: &'static Text, agent: &Agent) -> AnyView {
    let review = address("/review", [("agent", agent.figures.name.as_str())]);
    view! {
        <section id="first-calls">
            <h2>{text.agents.first_steps}</h2>
            <p class="quiet">{text.agents.first_steps_how}</p>
            <ol class="steps">
                <li>
                    <h3>{text.agents.step_send}</h3>
                    {snippets(text, &agent.public_url, Call::Send)}
                </li>
                <li>
                    <h3>
                        <a href=review>{text.agents.step_review}</a>
                    </h3>
                </li>
                <li>
                    <h3>{text.agents.step_context}</h3>
                    {snippets(text, &agent.public_url, Call::Context)}
                </li>
            </ol>
        </section>
    }
    .into_any()
}
