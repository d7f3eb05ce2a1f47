//! `/holds`: the legal holds, what they keep and until when; and one of them in a line, wherever it is told.

use domain::{
    Timestamp,
    id::{HoldId, UserId},
};
use leptos::prelude::*;

use crate::{
    components::{
        bar::address,
        empty::empty,
        form::{Control, Field, Typed, field},
        table::{Caption, Head, Row, table},
        time::{date_time, when},
    },
    shell::{Frame, page},
    text::Text,
};

/// A hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Hold {
    /// Which.
    pub id: HoldId,
    /// The agent; `None`: every agent.
    pub agent: Option<String>,
    /// The user of that agent, where it is on one.
    pub user: Option<UserId>,
    /// Whom it is on, as people read it.
    pub who: Option<String>,
    /// Why.
    pub reason: String,
    /// Who placed it.
    pub by: String,
    /// When.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub until: Option<Timestamp>,
    /// When and by whom it was released.
    pub released: Option<(Timestamp, String)>,
}

impl Hold {
    /// Whether it keeps anything.
    pub fn keeps(&self, now: Timestamp) -> bool {
        self.released.is_none() && self.until.is_none_or(|until| now < until)
    }
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Holds {
    /// A page of the list, newest first.
    pub rows: Vec<Hold>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// Whether the reader may release one.
    pub may_release: bool,
    /// The agents on which the reader may place one.
    pub agents: Vec<String>,
    /// What was typed into a form that was refused.
    pub typed: Typed,
}

/// The page.
pub fn holds(frame: &Frame, holds: &Holds) -> AnyView {
    let words = &frame.text().holds;
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let list = if holds.rows.is_empty() {
        empty(words.none, words.none_how, None)
    } else {
        listed(frame, holds)
    };
    let content = view! {
        {list}
        {place(frame.text(), holds)}
    }
    .into_any();
    page(frame, words.title, Some(lead), content)
}

/// The form that places a hold on everybody of an agent.
fn place(text: &'static Text, holds: &Holds) -> Option<AnyView> {
    if holds.agents.is_empty() {
        return None;
    }
    let words = &text.holds;
    let draw = |one: Field<'_>| field(text, "place", &holds.typed, one);
    let agents = holds.agents.iter().map(|name| (name.clone(), name.clone()));
    let agent = draw(Field {
        name: "agent",
        label: text.words.agent,
        hint: None,
        value: "",
        control: Control::Choice(agents.collect()),
    });
    let reason = draw(Field {
        name: "reason",
        label: words.reason,
        hint: Some(words.reason_how),
        value: "",
        control: Control::Lines(2),
    });
    let until = draw(Field {
        name: "until",
        label: words.until,
        hint: Some(words.until_how),
        value: "",
        control: Control::Day,
    });
    let listed = !holds.rows.is_empty();
    let how = listed.then(|| view! { <p class="quiet">{words.none_how}</p> });
    let form = view! {
        <section id="place">
            <h2>{words.place_agent}</h2>
            {how}
            <form class="card wide" method="post" action="/holds">
                {agent}
                {reason}
                {until}
                <button class="button primary">{words.place}</button>
            </form>
        </section>
    };
    Some(form.into_any())
}

fn listed(frame: &Frame, holds: &Holds) -> AnyView {
    let text = frame.text();
    let words = &text.holds;
    let heads = [
        Head::Words(words.what),
        Head::Words(words.reason),
        Head::Words(words.placed),
        Head::Words(words.standing),
        Head::Buttons(words.release),
    ];
    let rows = holds.rows.iter().map(|hold| {
        let may = holds.may_release && hold.keeps(frame.now);
        Row {
            of: what(frame, hold),
            cells: vec![
                hold.reason.clone().into_any(),
                view! {
                    {hold.by.clone()}
                    " · "
                    {when(frame, hold.created_at)}
                }
                .into_any(),
                standing(frame, hold).into_any(),
                may.then(|| release(frame, hold, "/holds")).into_any(),
            ],
        }
    });
    let more = holds.next.as_ref().map(|cursor| {
        view! {
            <a class="more" href=address("/holds", [("after", cursor.as_str())])>
                {text.shell.next_page}
            </a>
        }
    });
    view! {
        {table(words.title, Caption::Heard, &heads, rows.collect())}
        {more}
    }
    .into_any()
}

/// What a hold keeps, in words.
fn what(frame: &Frame, hold: &Hold) -> AnyView {
    let words = &frame.text().holds;
    match (&hold.agent, &hold.user, &hold.who) {
        (Some(agent), Some(user), who) => {
            let name = who.clone().unwrap_or_else(|| user.to_string());
            view! {
                <a href=format!("/users/{user}")>{name}</a>
                " · "
                {agent.clone()}
            }
            .into_any()
        }
        (Some(agent), None, _) => (words.of_agent)(agent).into_any(),
        (None, _, who) => (words.of_name)(who.as_deref().unwrap_or_default()).into_any(),
    }
}

/// Until when it keeps, or how it ended.
pub(crate) fn standing(frame: &Frame, hold: &Hold) -> String {
    let text = frame.text();
    let words = &text.holds;
    let at = |at: Timestamp| date_time(text, frame.zone, at);
    match (&hold.released, hold.until) {
        (Some((when, who)), _) => (words.released)(who, &at(*when)),
        (None, Some(until)) if hold.keeps(frame.now) => (words.keeps_until)(&at(until)),
        (None, Some(until)) => (words.over)(&at(until)),
        (None, None) => words.keeps.to_owned(),
    }
}

/// The form that releases a hold, behind a second press; `next` is where it leads back to.
pub(crate) fn release(frame: &Frame, hold: &Hold, next: &str) -> AnyView {
    let words = &frame.text().holds;
    view! {
        <details class="reject">
            <summary class="button">{words.release}</summary>
            <form method="post" action=format!("/holds/{}/release", hold.id)>
                <input type="hidden" name="next" value=next.to_owned() />
                <p>{words.release_how}</p>
                <button class="button danger">{words.release_sure}</button>
            </form>
        </details>
    }
    .into_any()
}
