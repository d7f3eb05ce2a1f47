//! `/joins`: what agents propose as one person, and one join in a line, wherever it is told (G15).

use domain::{
    Timestamp,
    id::{JoinId, UserId},
    join::JoinState,
};
use leptos::prelude::*;

use crate::{
    components::{
        bar::address,
        empty::empty,
        form::{Control, Field, Typed, field},
        tag,
        time::date_time,
    },
    shell::{Frame, page},
    text::Text,
};

/// One of two ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Id {
    /// Which.
    pub user: UserId,
    /// As the agent names it.
    pub who: String,
}

/// Two ids that are one person, or were, or may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    /// Which.
    pub id: JoinId,
    /// The agent.
    pub agent: String,
    /// The guest id.
    pub guest: Id,
    /// The signed-in id.
    pub main: Id,
    /// How it stands.
    pub state: JoinState,
    /// The version that is seen.
    pub version: i64,
    /// Why it was proposed.
    pub proposed: Option<String>,
    /// Why they were joined.
    pub reason: Option<String>,
    /// Why it ended.
    pub ended: Option<String>,
    /// Who proposed it, or joined them at once; and when.
    pub made: (String, Timestamp),
    /// Who decided last, and when.
    pub decided: Option<(String, Timestamp)>,
    /// Whether the reader may decide.
    pub may_decide: bool,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Joins {
    /// A page of those that wait, newest first.
    pub rows: Vec<Join>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// The page.
pub fn joins(frame: &Frame, joins: &Joins) -> AnyView {
    let text = frame.text();
    let words = &text.joins;
    let lead = view! { <p class="quiet">{words.waits_lead}</p> }.into_any();
    let content = if joins.rows.is_empty() {
        empty(words.waits_none, words.waits_none_how, None)
    } else {
        let more = joins.next.as_ref().map(|cursor| {
            view! {
                <a class="more" href=address("/joins", [("after", cursor.as_str())])>
                    {text.shell.next_page}
                </a>
            }
        });
        view! {
            <div class="letter">
                {listed(frame, &joins.rows, None, "/joins")}
                {more}
            </div>
        }
        .into_any()
    };
    page(frame, words.title, Some(lead), content)
}

/// Joins, a line each with the forms that decide; `of` is the user whose page it is, `here` where the forms lead back to.
pub(super) fn listed(frame: &Frame, joins: &[Join], of: Option<&UserId>, here: &str) -> AnyView {
    let rows = joins
        .iter()
        .map(|join| line(frame, join, of, here))
        .collect_view();
    view! { <ul class="plainlist">{rows}</ul> }.into_any()
}

fn line(frame: &Frame, join: &Join, of: Option<&UserId>, here: &str) -> AnyView {
    let text = frame.text();
    let words = &text.joins;
    let id = |id: &Id, role: &'static str| {
        let name = if of == Some(&id.user) {
            words.this_id.into_any()
        } else {
            view! { <a href=format!("/users/{}", id.user)>{id.who.clone()}</a> }.into_any()
        };
        view! {
            {name}
            " "
            <span class="quiet">{role}</span>
        }
    };
    let tone = match join.state {
        JoinState::Proposed => Some("warn"),
        JoinState::Joined => Some("good"),
        JoinState::Split | JoinState::Declined => None,
    };
    let at = |at: Timestamp| date_time(text, frame.zone, at);
    let made = (words.made)(&join.made.0, &at(join.made.1));
    let decided = join
        .decided
        .as_ref()
        .map(|(who, when)| format!(" · {}", (words.decided)(who, &at(*when))));
    let why = [
        (words.why_proposed, &join.proposed),
        (words.why_joined, &join.reason),
        (words.why_ended, &join.ended),
    ];
    let why = why
        .into_iter()
        .filter_map(|(label, reason)| {
            let reason = reason.clone()?;
            Some(view! {
                <p>
                    <span class="quiet">{label} ": "</span>
                    {reason}
                </p>
            })
        })
        .collect_view();
    view! {
        <li id=format!("join-{}", join.id)>
            <p>
                {id(&join.guest, words.guest)}
                " · "
                {id(&join.main, words.main)}
                " "
                {tag::tag((words.state)(join.state), tone, None)}
                " "
                <span class="quiet">{join.agent.clone()} " · " {made} {decided}</span>
            </p>
            {why}
            {join.may_decide.then(|| decide(text, join, here))}
        </li>
    }
    .into_any()
}

/// What can be done with a join as it stands.
fn decide(text: &'static Text, join: &Join, here: &str) -> AnyView {
    let words = &text.joins;
    match join.state {
        JoinState::Proposed => view! {
            <div class="actions">
                {with_reason(text, join, here, "approve", words.join, words.lead, "primary")}
                {plain(join, here, "decline", words.decline)}
            </div>
        }
        .into_any(),
        JoinState::Joined => view! {
            <div class="actions">
                {with_reason(text, join, here, "split", words.split, words.split_how, "danger")}
            </div>
        }
        .into_any(),
        JoinState::Split | JoinState::Declined => view! {
            <div class="actions">{plain(join, here, "undo", words.undo)}</div>
        }
        .into_any(),
    }
}

/// A form behind a second press, which asks why.
fn with_reason(
    text: &'static Text,
    join: &Join,
    here: &str,
    verb: &'static str,
    label: &'static str,
    how: &'static str,
    tone: &'static str,
) -> AnyView {
    let reason = field(
        text,
        &format!("{verb}-{}", join.id),
        &Typed::default(),
        Field {
            name: "reason",
            label: text.joins.reason,
            hint: Some(text.joins.reason_how),
            value: "",
            control: Control::Line("text", Some("off"), true),
        },
    );
    view! {
        <details class="reject">
            <summary class="button">{label}</summary>
            <form class="grid" method="post" action=format!("/joins/{}/{verb}", join.id)>
                <p class="hint">{how}</p>
                {hidden(join, here)}
                {reason}
                <div class="buttons">
                    <button class=format!("button {tone}")>{label}</button>
                </div>
            </form>
        </details>
    }
    .into_any()
}

fn plain(join: &Join, here: &str, verb: &'static str, label: &'static str) -> AnyView {
    view! {
        <form method="post" action=format!("/joins/{}/{verb}", join.id)>
            {hidden(join, here)}
            <button class="button">{label}</button>
        </form>
    }
    .into_any()
}

/// The version that was seen, and where to come back to.
fn hidden(join: &Join, here: &str) -> AnyView {
    view! {
        <input type="hidden" name="version" value=join.version />
        <input type="hidden" name="next" value=here.to_owned() />
    }
    .into_any()
}
