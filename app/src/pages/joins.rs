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
    /// What was typed into a form that was refused.
    pub typed: Typed,
}

/// The name of a form that decides: as it is drawn, and as what was typed into it is kept.
pub fn form_name(verb: &str, join: &JoinId) -> String {
    format!("{verb}-{join}")
}

/// The verb of the form that asks why, where there is one.
fn asks_why(state: JoinState) -> Option<&'static str> {
    match state {
        JoinState::Proposed => Some("approve"),
        JoinState::Joined => Some("split"),
        JoinState::Split | JoinState::Declined => None,
    }
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
                {listed(frame, &joins.rows, &joins.typed, None, "/joins")}
                {more}
            </div>
        }
        .into_any()
    };
    let content = view! {
        {kept(text, &joins.rows, &joins.typed)}
        {content}
    };
    page(frame, words.title, Some(lead), content.into_any())
}

/// What was typed into a form that is not there any more, because somebody decided first.
pub(super) fn kept(text: &'static Text, joins: &[Join], typed: &Typed) -> Option<AnyView> {
    let form = typed.values.get("join_form")?;
    let why = typed.values.get("join_why").filter(|why| !why.is_empty())?;
    let there = |join: &Join| {
        join.may_decide
            && asks_why(join.state).is_some_and(|verb| form_name(verb, &join.id) == *form)
    };
    if joins.iter().any(there) {
        return None;
    }
    Some(
        view! {
            <div class="callout" data-tone="warn" id="kept">
                <p>
                    <strong>{text.candidate.typed_kept}</strong>
                    " "
                    {text.candidate.typed_kept_how}
                </p>
                <p class="said">{why.clone()}</p>
            </div>
        }
        .into_any(),
    )
}

/// Joins, a line each with the forms that decide; `of` is the user whose page it is, `here` where the forms lead back to.
pub(super) fn listed(
    frame: &Frame,
    joins: &[Join],
    typed: &Typed,
    of: Option<&UserId>,
    here: &str,
) -> AnyView {
    let rows = joins
        .iter()
        .map(|join| line(frame, join, typed, of, here))
        .collect_view();
    view! { <ul class="plainlist">{rows}</ul> }.into_any()
}

fn line(frame: &Frame, join: &Join, typed: &Typed, of: Option<&UserId>, here: &str) -> AnyView {
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
            {join.may_decide.then(|| decide(text, join, typed, here))}
        </li>
    }
    .into_any()
}

/// What can be done with a join as it stands.
fn decide(text: &'static Text, join: &Join, typed: &Typed, here: &str) -> AnyView {
    let words = &text.joins;
    let ask = |label, how, tone| {
        asks_why(join.state)
            .map(|verb| with_reason(text, join, typed, here, verb, label, how, tone))
    };
    match join.state {
        JoinState::Proposed => view! {
            <div class="actions">
                {ask(words.join, words.lead, "primary")}
                {plain(join, here, "decline", words.decline)}
            </div>
        }
        .into_any(),
        JoinState::Joined => view! {
            <div class="actions">
                {ask(words.split, words.split_how, "danger")}
            </div>
        }
        .into_any(),
        JoinState::Split | JoinState::Declined => view! {
            <div class="actions">{plain(join, here, "undo", words.undo)}</div>
        }
        .into_any(),
    }
}

/// A form behind a second press, which asks why; open where what was typed into it was refused.
#[expect(
    clippy::too_many_arguments,
    reason = "each is another part of the form"
)]
fn with_reason(
    text: &'static Text,
    join: &Join,
    typed: &Typed,
    here: &str,
    verb: &'static str,
    label: &'static str,
    how: &'static str,
    tone: &'static str,
) -> AnyView {
    let form = form_name(verb, &join.id);
    let refused = typed.values.get("join_form") == Some(&form);
    let nothing = Typed::default();
    let reason = field(
        text,
        &form,
        if refused { typed } else { &nothing },
        Field {
            name: "join_why",
            label: text.joins.reason,
            hint: Some(text.joins.reason_how),
            value: "",
            control: Control::Line("text", Some("off"), true),
        },
    );
    view! {
        <details class="reject" open=refused>
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
