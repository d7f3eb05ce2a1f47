//! The end of a person's page, for who administers their agent: what a legal hold keeps, and erasing everything (F9). And what is shown in
//! place of the page afterwards.

use domain::{
    Timestamp,
    erasure::{ErasureCounts, ErasureReason},
    id::{RequestId, UserId},
};
use leptos::prelude::*;

use super::User;
use crate::{
    components::{
        bar::address,
        form::{Control, Field, Typed, field, switch},
        time::date,
    },
    pages::holds::{Hold, release, standing},
    shell::{Frame, page},
    text::{Text, grouped},
};

/// What would go, and what keeps it.
#[derive(Debug, Clone)]
pub struct Erasing {
    /// How much would go.
    pub counts: ErasureCounts,
    /// Of the counts.
    pub version: i64,
    /// What keeps them.
    pub holds: Vec<Hold>,
    /// Other ids that go with them: the name of each, and how much.
    pub with: Vec<(String, ErasureCounts)>,
    /// The id that stays where this one is a guest id of it.
    pub stays: Option<String>,
    /// Whether the reader may place a hold in every agent.
    pub may_everywhere: bool,
    /// The request of theirs for which they are erased, where the reader comes from one.
    pub request: Option<RequestId>,
    /// What was typed into a form that was refused.
    pub typed: Typed,
}

/// Somebody who was erased.
#[derive(Debug, Clone)]
pub struct Erased {
    /// Our id of them.
    pub id: UserId,
    /// The agent.
    pub agent: String,
    /// When they were first heard of.
    pub known_since: Timestamp,
    /// When they were erased.
    pub erased_at: Timestamp,
    /// By whom.
    pub by: String,
    /// Why.
    pub reason: ErasureReason,
    /// How much went.
    pub counts: ErasureCounts,
    /// The request of theirs that asked for it.
    pub request: Option<RequestId>,
    /// Whether the reader may see that request.
    pub may_requests: bool,
    /// Whether the reader may read the audit.
    pub may_audit: bool,
}

/// The page of who was erased.
pub fn erased(frame: &Frame, erased: &Erased) -> AnyView {
    let text = frame.text();
    let words = &text.erasure;
    let beside = view! {
        <p class="quiet">
            <a href=format!("/agents/{}", erased.agent)>{erased.agent.clone()}</a>
            " · "
            <code>{erased.id.to_string()}</code>
        </p>
    }
    .into_any();
    let audit = erased.may_audit.then(|| {
        view! {
            <p>
                <a class="button" href=address("/audit", [("user", erased.id.as_str())])>
                    {words.audit}
                </a>
            </p>
        }
    });
    let request = erased.request.as_ref().map(|request| {
        let id = view! { <code>{request.to_string()}</code> };
        let shown = if erased.may_requests {
            view! { <a href=format!("/requests/{request}")>{id}</a> }.into_any()
        } else {
            id.into_any()
        };
        view! {
            <dt>{text.requests.request}</dt>
            <dd>{shown}</dd>
        }
    });
    let content = view! {
        <div class="letter">
            <section>
                <p>{words.gone_how}</p>
                <dl class="facts">
                    <dt>{words.gone_at}</dt>
                    <dd>{date(frame, erased.erased_at)}</dd>
                    <dt>{words.gone_by}</dt>
                    <dd>{erased.by.clone()}</dd>
                    <dt>{words.why}</dt>
                    <dd>{(words.reason)(erased.reason)}</dd>
                    {request}
                    <dt>{words.known_since}</dt>
                    <dd>{date(frame, erased.known_since)}</dd>
                    {counts(text, &erased.counts)}
                </dl>
                {audit}
            </section>
        </div>
    }
    .into_any();
    page(frame, words.gone, Some(beside), content)
}

/// The counts as terms of a list; what is not there is left out.
fn counts(text: &'static Text, counts: &ErasureCounts) -> AnyView {
    counts
        .each()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| {
            view! {
                <dt>{(text.erasure.count)(name)}</dt>
                <dd>{grouped(count.unsigned_abs())}</dd>
            }
        })
        .collect_view()
        .into_any()
}

/// The holds that keep this person, and the form that places one.
pub(super) fn hold(frame: &Frame, user: &User, erasing: &Erasing) -> AnyView {
    let text = frame.text();
    let words = &text.holds;
    let here = format!("/users/{}", user.id);
    let kept = erasing
        .holds
        .iter()
        .map(|hold| {
            view! {
                <li>
                    <p>
                        <strong>{hold.reason.clone()}</strong>
                        " "
                        <span class="quiet">
                            {hold.by.clone()} " · " {date(frame, hold.created_at)} " · "
                            {standing(frame, hold)}
                        </span>
                    </p>
                    {release(frame, hold, &here)}
                </li>
            }
        })
        .collect_view();
    let none = erasing
        .holds
        .is_empty()
        .then(|| view! { <p class="quiet">{words.section_none}</p> });
    let typed = &erasing.typed;
    let draw = |one: Field<'_>| field(text, "hold", typed, one);
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
    let everywhere = erasing.may_everywhere.then(|| {
        let on = typed.is_on("everywhere", false);
        switch(
            "hold",
            "everywhere",
            words.everywhere,
            words.everywhere_how,
            on,
        )
    });
    let open = ["reason", "until"]
        .iter()
        .any(|name| typed.faults.contains_key(*name));
    view! {
        <section id="hold">
            <h2>{words.section}</h2>
            {none}
            <ul class="plainlist">{kept}</ul>
            <details class="reject" open=open>
                <summary class="button">{words.place}</summary>
                <form class="grid" method="post" action=format!("{here}/hold")>
                    {reason}
                    {until}
                    {everywhere}
                    <div class="buttons">
                        <button class="button primary">{words.place}</button>
                    </div>
                </form>
            </details>
            <p>
                <a class="quiet" href="/holds">
                    {words.all}
                </a>
            </p>
        </section>
    }
    .into_any()
}

/// What would go, and the form that erases it.
pub(super) fn erase(frame: &Frame, user: &User, erasing: &Erasing) -> AnyView {
    let text = frame.text();
    let words = &text.erasure;
    let form = if erasing.holds.is_empty() {
        form(text, user, erasing)
    } else {
        view! {
            <div class="callout">
                <p>{words.kept}</p>
            </div>
        }
        .into_any()
    };
    view! {
        <section id="erase">
            <h2>{words.title}</h2>
            <p>{words.lead}</p>
            <dl class="facts">{counts(text, &erasing.counts)}</dl>
            {others(text, erasing)}
            {form}
        </section>
    }
    .into_any()
}

/// What becomes of the other ids of the person (G15).
fn others(text: &'static Text, erasing: &Erasing) -> AnyView {
    let words = &text.joins;
    let with = erasing
        .with
        .iter()
        .map(|(who, with)| {
            view! {
                <h3>{words.erased_with} ": " {who.clone()}</h3>
                <dl class="facts">{counts(text, with)}</dl>
            }
        })
        .collect_view();
    let stays = erasing
        .stays
        .as_ref()
        .map(|who| view! { <p>{(words.stays)(who)}</p> });
    view! {
        {with}
        {stays}
    }
    .into_any()
}

fn form(text: &'static Text, user: &User, erasing: &Erasing) -> AnyView {
    let words = &text.erasure;
    let typed = &erasing.typed;
    let draw = |one: Field<'_>| field(text, "erase", typed, one);
    let reasons = ErasureReason::GIVEN
        .iter()
        .map(|reason| {
            (
                reason.as_str().to_owned(),
                (words.reason)(*reason).to_owned(),
            )
        })
        .collect();
    let why = draw(Field {
        name: "why",
        label: words.why,
        hint: None,
        value: "",
        control: Control::Choice(reasons),
    });
    let how = (words.confirm_how)(&user.who);
    let confirm = draw(Field {
        name: "confirm",
        label: words.confirm,
        hint: Some(&how),
        value: "",
        control: Control::Line("text", Some("off"), true),
    });
    let request = erasing.request.as_ref().map(|request| {
        view! {
            <input type="hidden" name="request" value=request.to_string() />
            <p class="quiet">
                {text.requests.request} " " <code>{request.to_string()}</code>
            </p>
        }
    });
    // Whoever comes from a request comes to erase.
    let typed_before = ["why", "confirm"]
        .iter()
        .any(|name| typed.values.contains_key(*name) || typed.faults.contains_key(*name));
    let open = typed_before || erasing.request.is_some();
    view! {
        <details class="reject" open=open>
            <summary class="button danger">{words.title}</summary>
            <form class="grid" method="post" action=format!("/users/{}/erase", user.id)>
                <input type="hidden" name="version" value=erasing.version />
                {why}
                {confirm}
                <div class="buttons">
                    <button class="button danger">{words.button}</button>
                    {request}
                </div>
            </form>
        </details>
    }
    .into_any()
}
