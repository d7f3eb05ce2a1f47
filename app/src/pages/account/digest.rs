//! `/account/digest`: when and where to a person is told what waits for them (G8).

use domain::Timestamp;
use leptos::prelude::*;

use crate::{
    components::{
        form::{Control, Field, Typed, check, field, group, switch},
        time::date,
    },
    shell::{Frame, page},
    text::Text,
};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Digest {
    /// Whether digests are sent.
    pub on: bool,
    /// At which hour.
    pub hour: u8,
    /// On which days, 1 (Monday) to 7.
    pub weekdays: Vec<u8>,
    /// In which zone.
    pub zone: String,
    /// The zones to choose from.
    pub zones: Vec<String>,
    /// `webhook` or `mail`.
    pub by: String,
    /// `slack`, `teams` or `mattermost`.
    pub shape: String,
    /// The address of the webhook.
    pub url: String,
    /// Where mail would go; `None`: the installation sends none.
    pub mail_to: Option<String>,
    /// Whether anything was saved yet: only then there is something to test.
    pub saved: bool,
    /// When the next one is due.
    pub next_at: Option<Timestamp>,
    /// When the last one went out.
    pub sent_at: Option<Timestamp>,
    /// Why the last try, or the test, failed, in a word.
    pub failed: Option<String>,
    /// What was typed into the form that was refused.
    pub typed: Typed,
}

/// The page.
pub fn digest(frame: &Frame, digest: &Digest) -> AnyView {
    let text = frame.text();
    let words = &text.digest;
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let content = view! {
        <div class="letter">
            <p class="hint">{words.holds}</p>
            {failed(text, digest)}
            {form(text, digest)}
            {state(frame, digest)}
        </div>
    }
    .into_any();
    page(frame, words.title, Some(lead), content)
}

fn failed(text: &'static Text, digest: &Digest) -> Option<AnyView> {
    let words = &text.digest;
    let why = (words.why)(digest.failed.as_ref()?);
    Some(
        view! {
            <div class="callout" data-tone="bad">
                <p>
                    <strong>{(words.failed)(&why)}</strong>
                    " "
                    {words.again}
                </p>
            </div>
        }
        .into_any(),
    )
}

fn form(text: &'static Text, digest: &Digest) -> AnyView {
    let words = &text.digest;
    // A box that is off sends nothing, so a form that was refused says everything that was on.
    let sent = digest.typed.values.contains_key("hour");
    let on = |name: &str, stored: bool| match sent {
        true => digest.typed.values.contains_key(name),
        false => stored,
    };
    let draw = |name, label, hint, value: &str, control| {
        let one = Field {
            name,
            label,
            hint,
            value,
            control,
        };
        field(text, "digest", &digest.typed, one)
    };
    let hours = (0..24).map(|hour| (hour.to_string(), format!("{hour:02}:00")));
    let zones = digest.zones.iter().map(|zone| (zone.clone(), zone.clone()));
    let days = words
        .weekdays
        .iter()
        .zip(1_u8..)
        .map(|(label, day)| {
            let name = format!("day{day}");
            let on = on(&name, digest.weekdays.contains(&day));
            check("digest", name, label, on)
        })
        .collect_view();
    let fault = digest.typed.faults.get("weekdays").map(|code| {
        let line = (text.flash.code)(code).unwrap_or(text.flash.refused);
        view! { <p class="fault">{line}</p> }
    });
    let mail = match &digest.mail_to {
        Some(address) => (words.by_mail)(address),
        None => (words.by_mail)("–"),
    };
    let by = vec![
        ("webhook".to_owned(), words.by_webhook.to_owned()),
        ("mail".to_owned(), mail),
    ];
    let mail_off = digest.mail_to.is_none().then_some(words.mail_off);
    let shapes = ["Slack", "Microsoft Teams", "Mattermost"];
    let shapes = ["slack", "teams", "mattermost"]
        .into_iter()
        .zip(shapes)
        .map(|(word, name)| (word.to_owned(), name.to_owned()))
        .collect();
    let hour = digest.hour.to_string();
    let when = view! {
        {draw("hour", words.hour, None, &hour, Control::Choice(hours.collect()))}
        {draw("zone", words.zone, None, &digest.zone, Control::Choice(zones.collect()))}
        <fieldset class="checks whole">
            <legend>{words.days}</legend>
            {days}
            {fault}
            <p class="hint">{words.days_how}</p>
        </fieldset>
    }
    .into_any();
    let to = view! {
        {draw("by", words.by, mail_off, &digest.by, Control::Choice(by))}
        {draw("shape", words.shape, None, &digest.shape, Control::Choice(shapes))}
        {draw("url", words.url, Some(words.url_how), &digest.url, Control::Line("text", Some("off"), false))}
    }
    .into_any();
    view! {
        <form class="card wide" method="post" action="/account/digest">
            {switch("digest", "on", words.on, words.on_how, on("on", digest.on))}
            {group(words.when, None, when)}
            {group(words.to, None, to)}
            <div class="buttons">
                <button class="button primary">{words.save}</button>
            </div>
        </form>
    }
    .into_any()
}

fn state(frame: &Frame, digest: &Digest) -> Option<AnyView> {
    let words = &frame.text().digest;
    let time = |at: Option<Timestamp>| match at {
        Some(at) => date(frame, at),
        None => words.never.into_any(),
    };
    digest.saved.then(|| {
        view! {
            <section>
                <h2>{words.state}</h2>
                <dl class="facts">
                    <div>
                        <dt>{words.next}</dt>
                        <dd>{time(digest.next_at)}</dd>
                    </div>
                    <div>
                        <dt>{words.sent}</dt>
                        <dd>{time(digest.sent_at)}</dd>
                    </div>
                </dl>
                <form class="actions" method="post" action="/account/digest/test">
                    <button class="button">{words.test}</button>
                    <p class="hint">{words.test_how}</p>
                </form>
            </section>
        }
        .into_any()
    })
}
