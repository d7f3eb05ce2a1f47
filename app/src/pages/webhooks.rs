//! `/webhooks`: who is told what happened, at an address of theirs; and one of them, with what it was told.

use domain::{
    Timestamp,
    audit::EventType,
    id::{DeliveryId, WebhookId},
    webhook::{DeliveryState, WebhookState},
};
use leptos::prelude::*;

use crate::{
    components::{
        bar::address,
        empty::empty,
        form::{Control, Field, Typed, check, field},
        table::{Caption, Head, Row, number, table},
        tag::tag,
        time::{date, date_time, when},
    },
    shell::{Frame, page},
    text::Text,
};

/// What the name of a box begins with that chooses a type of event.
pub const EVENT: &str = "event.";

/// What the name of a box begins with that chooses all events of a group, such as `memory`.
pub const GROUP: &str = "events.";

/// The value of the choice of every agent.
pub const ALL: &str = "*";

/// A webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct Webhook {
    /// Which.
    pub id: WebhookId,
    /// The one agent it is told of; `None`: all, and the installation.
    pub agent: Option<String>,
    /// Where it leads; `None`: that cannot be read any more.
    pub url: Option<String>,
    /// The types of the events that are sent.
    pub events: Vec<EventType>,
    /// Whether it is told anything, and if not, why.
    pub state: WebhookState,
    /// Who made it.
    pub by: String,
    /// When.
    pub created_at: Timestamp,
    /// When its secret was last made anew.
    pub rotated_at: Option<Timestamp>,
    /// Until when a secret before it signs too.
    pub overlaps_until: Option<Timestamp>,
    /// When something last arrived.
    pub delivered_at: Option<Timestamp>,
    /// How many deliveries wait.
    pub waiting: i64,
    /// When a try last failed and why, in a word or a status, where nothing has arrived since.
    pub failed: Option<(Timestamp, String)>,
}

/// Telling a webhook of one event.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// Which.
    pub id: DeliveryId,
    /// The chain of the event.
    pub agent: String,
    /// Its number there.
    pub seq: i64,
    /// What happened.
    pub r#type: EventType,
    /// What became of it.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempt: i64,
    /// When it is tried next.
    pub next_at: Option<Timestamp>,
    /// What the peer answered last.
    pub status: Option<i64>,
    /// Why it did not, in a word.
    pub error: Option<String>,
    /// How long that took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// When it was last tried.
    pub attempted_at: Option<Timestamp>,
}

/// What the list shows.
#[derive(Debug, Clone)]
pub struct Webhooks {
    /// All that the reader administers, newest first.
    pub rows: Vec<Webhook>,
    /// The agents of which the reader may make one.
    pub agents: Vec<String>,
    /// Whether they may make one of all.
    pub may_all: bool,
    /// What was typed into a form that was refused.
    pub typed: Typed,
}

/// What the page of one shows.
#[derive(Debug, Clone)]
pub struct Detail {
    /// The webhook.
    pub webhook: Webhook,
    /// A page of what it was told, newest first.
    pub deliveries: Vec<Delivery>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// A secret that was just made, shown this once.
    pub secret: Option<String>,
    /// Why a test that was just sent did not arrive, in a word.
    pub failed: Option<String>,
    /// What was typed into a form that was refused.
    pub typed: Typed,
}

/// The list, and the form that makes one.
pub fn webhooks(frame: &Frame, webhooks: &Webhooks) -> AnyView {
    let words = &frame.text().webhooks;
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let list = if webhooks.rows.is_empty() {
        empty(words.none, words.none_how, None)
    } else {
        listed(frame, &webhooks.rows)
    };
    let content = view! {
        {list}
        {make(frame.text(), webhooks)}
    }
    .into_any();
    page(frame, words.title, Some(lead), content)
}

fn listed(frame: &Frame, webhooks: &[Webhook]) -> AnyView {
    let text = frame.text();
    let words = &text.webhooks;
    let heads = [
        Head::Words(words.url),
        Head::Words(text.words.agent),
        Head::Words(text.words.status),
        Head::Words(words.arrived),
        Head::Words(words.last_failure),
        Head::Figures(words.waiting),
    ];
    let rows = webhooks.iter().map(|webhook| {
        let href = format!("/webhooks/{}", webhook.id);
        let arrived = webhook.delivered_at;
        let arrived = arrived.map_or_else(|| words.never.into_any(), |at| when(frame, at));
        Row {
            of: view! {
                <a class="address" href=href>
                    {name(text, webhook)}
                </a>
            }
            .into_any(),
            cells: vec![
                agent(text, webhook).into_any(),
                state(text, webhook.state),
                arrived,
                last_failure(frame, webhook).unwrap_or_else(|| "–".into_any()),
                number(webhook.waiting),
            ],
        }
    });
    table(words.title, Caption::Heard, &heads, rows.collect())
}

/// When a try last failed and why, where nothing has arrived since.
fn last_failure(frame: &Frame, webhook: &Webhook) -> Option<AnyView> {
    let (at, word) = webhook.failed.as_ref()?;
    let why = why(frame.text(), word);
    Some(
        view! {
            {when(frame, *at)}
            " · "
            {why}
        }
        .into_any(),
    )
}

/// Where it leads.
fn name(text: &Text, webhook: &Webhook) -> String {
    let unreadable = || text.webhooks.unreadable.to_owned();
    webhook.url.clone().unwrap_or_else(unreadable)
}

fn agent(text: &Text, webhook: &Webhook) -> String {
    let all = || text.webhooks.all_agents.to_owned();
    webhook.agent.clone().unwrap_or_else(all)
}

fn state(text: &'static Text, state: WebhookState) -> AnyView {
    let tone = match state {
        WebhookState::Enabled => Some("good"),
        WebhookState::Disabled => None,
        _ => Some("bad"),
    };
    tag((text.webhooks.state)(state), tone, None)
}

fn make(text: &'static Text, webhooks: &Webhooks) -> Option<AnyView> {
    if webhooks.agents.is_empty() && !webhooks.may_all {
        return None;
    }
    let words = &text.webhooks;
    let all = webhooks
        .may_all
        .then(|| (ALL.to_owned(), words.all_agents.to_owned()));
    let agents = webhooks
        .agents
        .iter()
        .map(|name| (name.clone(), name.clone()));
    let agent = field(
        text,
        "webhook",
        &webhooks.typed,
        Field {
            name: "agent",
            label: text.words.agent,
            hint: None,
            value: "",
            control: Control::Choice(agents.chain(all).collect()),
        },
    );
    Some(
        view! {
            <section id="make">
                <h2>{words.make}</h2>
                <form class="card wide" method="post" action="/webhooks">
                    {agent}
                    {fields(text, &webhooks.typed, "", &[EventType::MemoryRecalled])}
                    <button class="button primary">{words.create}</button>
                </form>
            </section>
        }
        .into_any(),
    )
}

/// The address, and a box for each type of event, those of memories first.
fn fields(text: &'static Text, typed: &Typed, url: &str, chosen: &[EventType]) -> AnyView {
    let words = &text.webhooks;
    // A box that is off sends nothing, so a form that was refused says everything that was on.
    let sent = typed.values.contains_key("url");
    let on = |event: EventType| match sent {
        true => typed.values.contains_key(&format!("{EVENT}{event}")),
        false => chosen.contains(&event),
    };
    let url = field(
        text,
        "webhook",
        typed,
        Field {
            name: "url",
            label: words.url,
            hint: Some(words.url_how),
            value: url,
            control: Control::Line("url", Some("off"), true),
        },
    );
    let groups = groups()
        .into_iter()
        .map(|(group, events)| {
            let boxes = events
                .into_iter()
                .map(|event| {
                    let label = format!("{} · {event}", (text.words.event)(event));
                    check("webhook", format!("{EVENT}{event}"), &label, on(event))
                })
                .collect_view();
            let name = format!("{GROUP}{group}");
            let ticked = typed.values.contains_key(&name);
            let all = check("webhook", name, &(words.all_of)(group), ticked);
            view! {
                <fieldset class="checks whole">
                    <legend>{format!("{group}.*")}</legend>
                    {all}
                    {boxes}
                </fieldset>
            }
        })
        .collect_view();
    let fault = typed.faults.get("events").map(|code| {
        let line = (text.flash.code)(code).unwrap_or(text.flash.refused);
        view! { <p class="fault">{line}</p> }
    });
    view! {
        {url}
        <fieldset class="events">
            <legend>{words.events}</legend>
            <p class="hint">{words.events_how}</p>
            {fault}
            <div class="groups">{groups}</div>
        </fieldset>
    }
    .into_any()
}

/// The types of events by what their names begin with: those of memories first, because a recall is what most runtimes wait for.
fn groups() -> Vec<(&'static str, Vec<EventType>)> {
    let mut groups: Vec<(&'static str, Vec<EventType>)> = vec![("memory", Vec::new())];
    for &event in EventType::ALL {
        let group = event.as_str().split('.').next().unwrap_or_default();
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, events)) => events.push(event),
            None => groups.push((group, vec![event])),
        }
    }
    groups
}

/// The page of one.
pub fn webhook(frame: &Frame, detail: &Detail) -> AnyView {
    let text = frame.text();
    let words = &text.webhooks;
    let webhook = &detail.webhook;
    let lead = view! {
        <p class="quiet">
            {agent(text, webhook)} " · " {state(text, webhook.state)}
        </p>
    }
    .into_any();
    let readable = webhook.url.is_some();
    let content = view! {
        <div class="letter">
            {secret(text, detail)}
            {failed(text, detail)}
            {standing(text, webhook)}
            {facts(frame, webhook)}
            {readable.then(|| change(text, detail))}
            {actions(frame, webhook)}
            {deliveries(frame, detail)}
            <p>
                <a href="/webhooks">{words.title}</a>
            </p>
        </div>
    }
    .into_any();
    page(frame, words.one, Some(lead), content)
}

fn secret(text: &'static Text, detail: &Detail) -> Option<AnyView> {
    let words = &text.webhooks;
    detail.secret.as_ref().map(|secret| {
        view! {
            <section class="callout" data-tone="good">
                <h2>{words.secret}</h2>
                <p>
                    <code class="secret" tabindex="0">{secret.clone()}</code>
                </p>
                <p>{words.secret_how}</p>
            </section>
        }
        .into_any()
    })
}

fn failed(text: &'static Text, detail: &Detail) -> Option<AnyView> {
    let why = why(text, detail.failed.as_ref()?);
    Some(
        view! {
            <div class="callout" data-tone="bad">
                <p>
                    <strong>{(text.webhooks.test_failed)(&why)}</strong>
                </p>
            </div>
        }
        .into_any(),
    )
}

/// A word of what went wrong, or a status, as a sentence.
fn why(text: &'static Text, word: &str) -> String {
    match word.parse::<u16>() {
        Ok(status) => (text.webhooks.answered)(&status.to_string()),
        Err(_) => (text.digest.why)(word),
    }
}

/// What its state means, where somebody has to do something about it.
fn standing(text: &'static Text, webhook: &Webhook) -> Option<AnyView> {
    let tone = match webhook.state {
        WebhookState::Enabled => return None,
        WebhookState::Disabled => None,
        _ => Some("bad"),
    };
    Some(
        view! {
            <div class="callout" data-tone=tone>
                <p>{(text.webhooks.state_how)(webhook.state)}</p>
            </div>
        }
        .into_any(),
    )
}

fn facts(frame: &Frame, webhook: &Webhook) -> AnyView {
    let text = frame.text();
    let words = &text.webhooks;
    let fact = |label: &'static str, value: AnyView| {
        view! {
            <div>
                <dt>{label}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    let made = view! {
        {date(frame, webhook.created_at)}
        " · "
        {webhook.by.clone()}
    }
    .into_any();
    let arrived = webhook.delivered_at;
    let arrived = arrived.map_or_else(|| words.never.into_any(), |at| date(frame, at));
    let rotated = webhook
        .rotated_at
        .map(|at| fact(words.rotated, date(frame, at)));
    let failure = last_failure(frame, webhook).map(|failed| fact(words.last_failure, failed));
    let overlaps = webhook.overlaps_until.map(|until| {
        let until = date_time(text, frame.zone, until);
        view! { <p class="hint">{(words.overlaps)(&until)}</p> }
    });
    view! {
        <dl class="facts">
            {fact(words.url, view! { <code class="address">{name(text, webhook)}</code> }.into_any())}
            {fact(words.made, made)}
            {rotated}
            {fact(words.arrived, arrived)}
            {failure}
            {fact(words.waiting, number(webhook.waiting))}
        </dl>
        {overlaps}
    }
    .into_any()
}

fn change(text: &'static Text, detail: &Detail) -> AnyView {
    let words = &text.webhooks;
    let webhook = &detail.webhook;
    let url = webhook.url.clone().unwrap_or_default();
    view! {
        <details class="change" open=detail.typed.is_refused()>
            <summary class="button">{words.change}</summary>
            <form class="card wide" method="post" action=format!("/webhooks/{}", webhook.id)>
                {fields(text, &detail.typed, &url, &webhook.events)}
                <button class="button primary">{words.save}</button>
            </form>
        </details>
    }
    .into_any()
}

fn actions(frame: &Frame, webhook: &Webhook) -> AnyView {
    let text = frame.text();
    let words = &text.webhooks;
    let to = |verb: &str| format!("/webhooks/{}/{verb}", webhook.id);
    let readable = webhook.url.is_some();
    let switch = if webhook.state.is_enabled() {
        view! {
            <form class="actions" method="post" action=to("disable")>
                <button class="button">{words.disable}</button>
                <p class="hint">{words.disable_how}</p>
            </form>
        }
        .into_any()
    } else {
        view! {
            <form class="actions" method="post" action=to("enable")>
                <button class="button">{words.enable}</button>
            </form>
        }
        .into_any()
    };
    let lives = readable.then(|| {
        view! {
            <form class="actions" method="post" action=to("test")>
                <button class="button">{words.test}</button>
                <p class="hint">{words.test_how}</p>
            </form>
            {switch}
            <details class="reject">
                <summary class="button">{words.rotate}</summary>
                <form method="post" action=to("rotate")>
                    <p>{words.rotate_how}</p>
                    <button class="button primary">{words.rotate_sure}</button>
                </form>
            </details>
        }
    });
    view! {
        <section>
            {lives}
            <details class="reject">
                <summary class="button danger">{words.remove}</summary>
                <form method="post" action=to("remove")>
                    <p>{words.remove_how}</p>
                    <button class="button danger">{words.remove_sure}</button>
                </form>
            </details>
        </section>
    }
    .into_any()
}

fn deliveries(frame: &Frame, detail: &Detail) -> AnyView {
    let text = frame.text();
    let words = &text.webhooks;
    let heads = [
        Head::Words(words.event),
        Head::Words(words.number),
        Head::Words(words.outcome),
        Head::Figures(words.tries),
        Head::Figures(words.took),
        Head::Words(words.tried),
        Head::Buttons(words.resend),
    ];
    let rows = detail.deliveries.iter().map(|delivery| {
        let took = delivery
            .duration_ms
            .map(|took| (words.milliseconds)(took.unsigned_abs()));
        let tried = delivery.attempted_at;
        Row {
            of: view! {
                {(text.words.event)(delivery.r#type)}
                " "
                <code>{delivery.r#type.as_str()}</code>
            }
            .into_any(),
            cells: vec![
                format!("{} {}", delivery.agent, delivery.seq).into_any(),
                outcome(frame, delivery),
                number(delivery.attempt),
                took.unwrap_or_else(|| "–".to_owned()).into_any(),
                tried.map_or_else(|| "–".into_any(), |at| when(frame, at)),
                resend(text, &detail.webhook, delivery),
            ],
        }
    });
    let list = if detail.deliveries.is_empty() {
        view! { <p class="quiet">{words.deliveries_none}</p> }.into_any()
    } else {
        table(words.deliveries, Caption::Heard, &heads, rows.collect())
    };
    let here = format!("/webhooks/{}", detail.webhook.id);
    let more = detail.next.as_ref().map(|cursor| {
        view! {
            <a class="more" href=address(&here, [("after", cursor.as_str())])>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        <section id="deliveries">
            <h2>{words.deliveries}</h2>
            {list}
            {more}
        </section>
    }
    .into_any()
}

/// What became of it, why, and what comes next.
fn outcome(frame: &Frame, delivery: &Delivery) -> AnyView {
    let text = frame.text();
    let words = &text.webhooks;
    let tone = match delivery.state {
        DeliveryState::Waiting => None,
        DeliveryState::Delivered => Some("good"),
        DeliveryState::Failed => Some("bad"),
    };
    let status = delivery.status.map(|status| status.to_string());
    let word = status.or_else(|| delivery.error.clone());
    let told = (delivery.state != DeliveryState::Delivered)
        .then_some(word)
        .flatten()
        .map(|word| why(text, &word));
    let again = delivery.next_at.filter(|_| delivery.attempt > 0).map(|at| {
        let at = date_time(text, frame.zone, at);
        (words.again)(&at)
    });
    view! {
        {tag((words.delivery)(delivery.state), tone, None)}
        " "
        {told}
        " "
        {again}
    }
    .into_any()
}

fn resend(text: &'static Text, webhook: &Webhook, delivery: &Delivery) -> AnyView {
    let action = format!("/webhooks/{}/deliveries/{}/resend", webhook.id, delivery.id);
    view! {
        <form method="post" action=action>
            <button class="button">
                {text.webhooks.resend}
                <span class="visually-hidden">{format!(" {} {}", delivery.agent, delivery.seq)}</span>
            </button>
        </form>
    }
    .into_any()
}
