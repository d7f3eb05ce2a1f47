//! `/account/second-factor`: what a person is asked for at the sign-in besides the password.

use domain::Timestamp;
use leptos::prelude::*;

use crate::{
    components::{
        form::{Control, Field, Typed, field},
        qr::qr,
        tag,
        time::date,
    },
    shell::{Frame, page},
    text::Text,
};

/// How it stands.
#[derive(Clone, PartialEq, Eq)]
pub enum Standing {
    /// The password is enough.
    Off,
    /// A secret is shown and waits for its first code.
    Waits(Waits),
    /// It is asked for.
    On {
        /// Since when.
        since: Timestamp,
        /// How many recovery codes were not used yet.
        codes_left: u64,
    },
}

/// What an app has to be given.
#[derive(Clone, PartialEq, Eq)]
pub struct Waits {
    /// The secret, to be typed.
    pub secret: String,
    /// The same as an address that apps open, and read out of a QR code.
    pub address: String,
}

/// What the page shows.
#[derive(Clone)]
pub struct SecondFactor {
    /// How it stands.
    pub standing: Standing,
    /// Recovery codes that were just made; they are shown this once.
    pub codes: Vec<String>,
    /// What a refused form said.
    pub typed: Typed,
}

/// The page.
pub fn second_factor(frame: &Frame, second: &SecondFactor) -> AnyView {
    let text = frame.text();
    let words = &text.second_factor;
    let lead = view! {
        <p class="inline-figures">
            <a href="/account">{text.people.account}</a>
            <span>{words.lead}</span>
        </p>
    }
    .into_any();
    let standing = match &second.standing {
        Standing::Off => off(text),
        Standing::Waits(waits) => waiting(text, waits, &second.typed),
        Standing::On { since, codes_left } => on(frame, *since, *codes_left),
    };
    let codes = (!second.codes.is_empty()).then(|| new_codes(text, &second.codes));
    let content = view! { <div class="letter">{codes} {standing}</div> }.into_any();
    page(frame, words.title, Some(lead), content)
}

fn off(text: &'static Text) -> AnyView {
    let words = &text.second_factor;
    view! {
        <form class="card" method="post" action="/account/second-factor/begin">
            <p>{words.off}</p>
            <p class="hint">{words.set_up_how}</p>
            <button class="button primary">{words.set_up}</button>
        </form>
    }
    .into_any()
}

fn waiting(text: &'static Text, waits: &Waits, typed: &Typed) -> AnyView {
    let words = &text.second_factor;
    let first = field(
        text,
        "second",
        typed,
        Field {
            name: "code",
            label: words.first_code,
            hint: Some(words.first_code_how),
            value: "",
            control: Control::Line("text", Some("one-time-code"), true),
        },
    );
    view! {
        <section>
            <h2>{words.scan}</h2>
            <p>{words.scan_how}</p>
            {qr(&waits.address, words.qr)}
            <p>{words.secret} " " <code class="secret">{waits.secret.clone()}</code></p>
            <p>
                <a href=waits.address.clone()>{words.open_app}</a>
            </p>
        </section>
        <form class="card" method="post" action="/account/second-factor/enable">
            {first} <p class="hint">{words.enable_how}</p>
            <button class="button primary">{words.enable}</button>
        </form>
        <form method="post" action="/account/second-factor/begin">
            <button class="button">{words.begin_anew}</button>
        </form>
    }
    .into_any()
}

fn on(frame: &Frame, since: Timestamp, codes_left: u64) -> AnyView {
    let words = &frame.text().second_factor;
    let left = (words.codes_left)(codes_left);
    // With three left there is time to make new ones before the last is used.
    let left = if codes_left <= 3 {
        tag::tag(&left, Some("warn"), None)
    } else {
        left.into_any()
    };
    view! {
        <p>
            <strong>{words.on_since}</strong>
            " "
            {date(frame, since)}
        </p>
        <section>
            <h2>{words.codes}</h2>
            <div class="card access">
                <p>{left}</p>
                <form method="post" action="/account/second-factor/recovery-codes">
                    <button class="button">{words.renew}</button>
                    <p class="hint">{words.renew_how}</p>
                </form>
                <details>
                    <summary class="button danger">{words.disable}</summary>
                    <form method="post" action="/account/second-factor/disable">
                        <p>{words.disable_how}</p>
                        <button class="button danger">{words.disable}</button>
                    </form>
                </details>
            </div>
        </section>
    }
    .into_any()
}

/// Recovery codes, to be written down this once.
fn new_codes(text: &'static Text, codes: &[String]) -> AnyView {
    let words = &text.second_factor;
    let listed = codes
        .iter()
        .map(|code| {
            view! {
                <li>
                    <code>{code.clone()}</code>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="callout" data-tone="good">
            <h2>{words.new_codes}</h2>
            <p>{words.new_codes_how}</p>
            <ul class="codes">{listed}</ul>
        </section>
    }
    .into_any()
}
