//! Sample data: webhooks in each state, and one with what it was told.

use app::{
    components::form::Typed,
    pages::webhooks::{Delivery, Detail, Webhook, Webhooks, webhook, webhooks},
    shell::{Frame, Place},
    text::Language,
};
use domain::{
    audit::EventType,
    id::{DeliveryId, WebhookId},
    time::Span,
    webhook::{DeliveryState, WebhookState},
};

use super::{Counter, Page, frame, now};

fn one(number: u8, state: WebhookState) -> Webhook {
    let readable = state != WebhookState::Unreadable;
    Webhook {
        id: WebhookId::new(now(), &Counter(60 + number)),
        agent: (number != 2).then(|| "support".to_owned()),
        url: readable
            .then(|| "https://runtime.example/keepsake/hooks/4f5a0d3e9b7c4f5a0d3e9b7c".to_owned()),
        events: vec![EventType::MemoryRecalled, EventType::MemoryUpdated],
        state,
        by: "Mia Keller".into(),
        created_at: now() - Span::days(20),
        rotated_at: (number == 1).then(|| now() - Span::hours(2)),
        overlaps_until: (number == 1).then(|| now() + Span::hours(22)),
        delivered_at: (number < 3).then(|| now() - Span::minutes(3)),
        waiting: i64::from(number),
        failed: (number == 3).then(|| (now() - Span::minutes(2), "500".to_owned())),
    }
}

fn all() -> Vec<Webhook> {
    (1..)
        .zip(WebhookState::ALL)
        .map(|(number, &state)| one(number, state))
        .collect()
}

fn delivery(number: u8, state: DeliveryState) -> Delivery {
    let waits = state == DeliveryState::Waiting;
    Delivery {
        id: DeliveryId::new(now(), &Counter(70 + number)),
        agent: "support".into(),
        seq: 1200 + i64::from(number),
        r#type: EventType::MemoryRecalled,
        state,
        attempt: i64::from(number),
        next_at: waits.then(|| now() + Span::minutes(30)),
        status: (number != 2).then_some(if state == DeliveryState::Delivered {
            204
        } else {
            500
        }),
        error: (number == 2).then(|| "timeout".to_owned()),
        duration_ms: Some(1234),
        attempted_at: Some(now() - Span::minutes(i64::from(number))),
    }
}

fn detail(webhook: Webhook) -> Detail {
    let never = Delivery {
        status: None,
        duration_ms: None,
        attempted_at: None,
        attempt: 0,
        ..delivery(4, DeliveryState::Waiting)
    };
    Detail {
        webhook,
        deliveries: vec![
            never,
            delivery(1, DeliveryState::Delivered),
            delivery(2, DeliveryState::Waiting),
            delivery(3, DeliveryState::Failed),
        ],
        next: Some("cursor".into()),
        secret: None,
        failed: None,
        typed: Typed::default(),
    }
}

fn refused() -> Typed {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Typed {
        values: [
            pair("agent", "*"),
            pair("url", "http://10.0.0.7/hook"),
            pair("event.memory.updated", "true"),
        ]
        .into(),
        faults: [pair("url", "private_address"), pair("events", "required")].into(),
    }
}

fn list(rows: Vec<Webhook>, typed: Typed) -> Webhooks {
    Webhooks {
        rows,
        agents: vec!["sales".into(), "support".into()],
        may_all: true,
        typed,
    }
}

/// The pages with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move || frame(language, Place::Agents);
    let of = move |state| webhook(&at(), &detail(one(1, state)));
    vec![
        (
            "webhooks",
            Box::new(move || webhooks(&at(), &list(all(), Typed::default()))) as Page,
        ),
        (
            "webhooks-none",
            Box::new(move || webhooks(&at(), &list(Vec::new(), Typed::default()))),
        ),
        (
            "webhooks-refused",
            Box::new(move || webhooks(&at(), &list(all(), refused()))),
        ),
        ("webhook", Box::new(move || of(WebhookState::Enabled))),
        (
            "webhook-secret",
            Box::new(move || {
                let shown = Detail {
                    secret: Some("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=".into()),
                    ..detail(one(1, WebhookState::Enabled))
                };
                webhook(&at(), &shown)
            }),
        ),
        (
            "webhook-failing",
            Box::new(move || {
                let off = Frame {
                    webhooks_off: 2,
                    ..at()
                };
                let failing = Detail {
                    failed: Some("503".into()),
                    typed: refused(),
                    ..detail(one(3, WebhookState::Failing))
                };
                webhook(&off, &failing)
            }),
        ),
        ("webhook-gone", Box::new(move || of(WebhookState::Gone))),
        (
            "webhook-unreadable",
            Box::new(move || of(WebhookState::Unreadable)),
        ),
        (
            "webhook-untold",
            Box::new(move || {
                let untold = Detail {
                    deliveries: Vec::new(),
                    next: None,
                    ..detail(one(2, WebhookState::Disabled))
                };
                webhook(&at(), &untold)
            }),
        ),
    ]
}
