//! The settings of an agent (A12), each with what it does and what it costs (C2).

use domain::agent::MOST_GRACE;
use leptos::prelude::*;

use super::Agent;
use crate::{
    components::form::{Control, Field, field, group, switch},
    text::Text,
};

/// A number where there is one.
fn shown(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

pub(super) fn settings(text: &'static Text, agent: &Agent) -> AnyView {
    let (words, cost, settings) = (&text.agents, &text.budget, &agent.settings);
    let draw = |name, label, hint: &'static str, value: String, control| {
        let one = Field {
            name,
            label,
            hint: Some(hint),
            value: &value,
            control,
        };
        field(text, "settings", &agent.typed, one)
    };
    let on =
        |name, label, hint, on| switch("settings", name, label, hint, agent.typed.is_on(name, on));
    let may = view! {
        {on("learn", words.learn, words.learn_how, settings.learn)}
        {on("serve", words.serve, words.serve_how, settings.serve)}
        {on("natural_language", words.natural_language, words.natural_language_how, settings.natural_language)}
        {draw("max_memories", words.max_memories, words.max_memories_how, settings.max_memories.to_string(), Control::Number(1.0, 10_000.0, 1.0))}
        {draw("grace_seconds", words.grace, words.grace_how, settings.grace_seconds.to_string(), Control::Number(0.0, f64::from(MOST_GRACE), 1.0))}
    }
    .into_any();
    let how = view! {
        {draw("extractor", words.extractor, words.extractor_how, shown(settings.extractor.as_ref()), Control::Line("text", Some("off"), false))}
        {draw("allowed_extractors", words.allowed_extractors, words.allowed_extractors_how, settings.allowed_extractors.join("\n"), Control::Lines(2))}
        {draw("confidence_floor", words.floor, words.floor_how, settings.confidence_floor.to_string(), Control::Number(0.0, 1.0, 0.01))}
        {draw("max_candidates", words.max_candidates, words.max_candidates_how, settings.max_candidates.to_string(), Control::Number(1.0, 100.0, 1.0))}
        {draw("guidance", words.guidance, words.guidance_how, shown(settings.guidance.as_ref()), Control::Lines(2))}
        {draw("shared_ids", words.shared_ids, words.shared_ids_how, settings.shared_ids.join("\n"), Control::Lines(2))}
    }
    .into_any();
    let trigger = &settings.trigger;
    let starts = view! {
        {draw("trigger_messages", words.trigger_messages, words.trigger_messages_cost, shown(trigger.messages), Control::Within(1.0, 1000.0, 1.0))}
        {draw("trigger_quiet_seconds", words.trigger_quiet, words.trigger_quiet_cost, shown(trigger.quiet_seconds), Control::Within(1.0, 86_400.0, 1.0))}
        {draw("trigger_interval_seconds", words.trigger_interval, words.trigger_interval_cost, shown(trigger.interval_seconds), Control::Within(1.0, 86_400.0, 1.0))}
    }
    .into_any();
    let budget = &settings.budget;
    let limits = view! {
        {draw("budget_tokens_per_day", cost.tokens_per_day, cost.empty_how, shown(budget.tokens_per_day), Control::Within(1.0, 1e12, 1.0))}
        {draw("budget_money_per_day", cost.money_per_day, cost.empty_how, shown(budget.money_per_day), Control::Within(0.01, 1e9, 0.01))}
        {draw("budget_price_in", cost.price_in, cost.price_how, shown(budget.price_in), Control::Within(0.0, 1e6, 0.0001))}
        {draw("budget_price_out", cost.price_out, cost.price_how, shown(budget.price_out), Control::Within(0.0, 1e6, 0.0001))}
    }
    .into_any();
    view! {
        <section id="settings">
            <h2>{words.settings}</h2>
            <form class="card wide" method="post" action=format!("/agents/{}/settings", agent.figures.name)>
                <input type="hidden" name="version" value=agent.version />
                {group(words.group_memory, None, may)}
                {group(words.group_extraction, None, how)}
                {group(words.group_when, Some(words.group_when_how), starts)}
                {group(cost.title, Some(cost.lead), limits)}
                <div class="buttons">
                    <button class="button primary">{words.save}</button>
                </div>
            </form>
        </section>
    }
    .into_any()
}
