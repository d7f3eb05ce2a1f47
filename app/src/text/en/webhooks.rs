//! English: webhooks.

use domain::webhook::{DeliveryState, WebhookState};

use super::super::*;

/// Webhooks.
pub const WEBHOOKS: Webhooks = Webhooks {
    title: "Webhooks",
    one: "Webhook",
    lead: "Runtimes are told what happened at an address of theirs, signed after Standard Webhooks. Only ids are sent, never words of a person.",
    none: "No webhooks",
    none_how: "A recalled memory stops being served at once. With a webhook, the agent that was told it hears of that too.",
    alarm: |n| match n {
        1 => "A webhook was switched off, because nothing arrives there any more.".to_owned(),
        n => format!(
            "{} webhooks were switched off, because nothing arrives there any more.",
            grouped(n)
        ),
    },
    alarm_see: "See the webhooks",
    make: "Make a webhook",
    all_agents: "All agents, and the installation",
    url: "Address",
    url_how: "Begins with https://. Private addresses only where the installation allows them.",
    events: "Events",
    events_how: "Named as in the audit. What happened before is not sent.",
    all_of: |group| format!("All of {group}.*"),
    create: "Make the webhook",
    waiting: "Waiting",
    arrived: "Last arrived",
    last_failure: "Last failure",
    never: "nothing yet",
    made: "Made",
    rotated: "Secret made anew",
    state: |state| match state {
        WebhookState::Enabled => "on",
        WebhookState::Disabled => "off",
        WebhookState::Failing => "switched off: nothing arrived",
        WebhookState::Gone => "switched off: gone",
        WebhookState::Unreadable => "switched off: unreadable",
    },
    state_how: |state| match state {
        WebhookState::Enabled => "It is told what happens.",
        WebhookState::Disabled => {
            "Somebody switched it off. What happens meanwhile is sent once it is on again."
        }
        WebhookState::Failing => {
            "One event was tried ten times over three days, and nothing arrived in all that time. Put the receiver right, send a test, then switch it on again: what waits is sent."
        }
        WebhookState::Gone => {
            "The receiver answered 410 Gone: it wants to be told nothing any more. Remove the webhook, or give it another address and switch it on again."
        }
        WebhookState::Unreadable => {
            "Its address and its secret cannot be read any more. Remove it and make a new one."
        }
    },
    unreadable: "cannot be read",
    secret: "The secret, shown this once",
    secret_how: "Give it to the receiver, which checks the signatures with it.",
    overlaps: |until| format!("The secret before signs too until {until}."),
    change: "Address and events",
    save: "Save",
    rotate: "New secret",
    rotate_how: "Both secrets sign for 24 hours, so that the receiver can change over without losing anything.",
    rotate_sure: "Make a new secret",
    test: "Send a test now",
    test_how: "Sends webhook.test once, whether or not the webhook is on.",
    test_failed: |why| format!("The test did not arrive: {why}"),
    enable: "Switch on",
    disable: "Switch off",
    disable_how: "What happens meanwhile is sent once it is on again.",
    remove: "Remove",
    remove_how: "Nothing more is sent there, what waits neither. The audit keeps that it was there.",
    remove_sure: "Remove the webhook",
    deliveries: "Deliveries",
    deliveries_none: "Nothing was sent yet.",
    event: "Event",
    number: "Number in the audit",
    outcome: "Outcome",
    tries: "Tries",
    took: "Took",
    tried: "Last tried",
    delivery: |state| match state {
        DeliveryState::Waiting => "waits",
        DeliveryState::Delivered => "arrived",
        DeliveryState::Failed => "given up",
    },
    answered: |status| format!("the answer was {status}."),
    again: |when| format!("Tried again {when}."),
    milliseconds: |n| format!("{} ms", grouped(n)),
    resend: "Send again",
    flash_enabled: "Switched on. What happened meanwhile is sent now.",
    flash_disabled: "Switched off.",
    flash_removed: "The webhook is removed.",
    flash_resent: "It is sent again.",
    flash_arrived: "The test arrived.",
};
