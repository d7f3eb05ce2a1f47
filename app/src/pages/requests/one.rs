//! `/requests/{id}`: a request, what was found for it, and its steps to the end.

use domain::{
    export::ExportSort,
    request::{FoundBy, RequestOutcome},
};
use leptos::prelude::*;

use super::{Detail, FoundUser, InAgent, Request, standing};
use crate::{
    components::{
        bar::address,
        content::{lang, revealed},
        form::{Control, Field, field},
        table::{Caption, Head, Row, number, table},
        time::{ago, attribute, date, date_time},
    },
    pages::sheet::facts,
    shell::{Frame, page},
    text::Text,
};

/// One request with what was found, and its steps.
pub fn request(frame: &Frame, detail: &Detail) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let request = &detail.request;
    let lead = view! {
        <p class="quiet">
            <a href="/requests">{words.title}</a>
            " · "
            <code>{request.id.to_string()}</code>
            " · "
            <a href=format!("/requests/{}/proof", request.id)>{words.proof}</a>
        </p>
    }
    .into_any();
    let steps = (request.closed.is_none()).then(|| {
        view! {
            <section id="copy">
                <h2>{words.copy}</h2>
                {copy(frame, detail)}
            </section>
            <section id="erasure">
                <h2>{words.erasure}</h2>
                {erasure(frame, detail)}
            </section>
            <section id="close">
                <h2>{words.close}</h2>
                {close(text, detail)}
            </section>
        }
    });
    let content = view! {
        <div class="letter">
            {about(frame, request)}
            <section id="find">
                <h2>{words.find}</h2>
                {looked(text, detail)}
                {found(frame, &detail.found)}
                {users(frame, &detail.users)}
            </section>
            {elsewhere(text, detail)}
            {steps}
        </div>
    }
    .into_any();
    page(frame, words.request, Some(lead), content)
}

pub(super) fn about(frame: &Frame, request: &Request) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let fact = |label: &str, value: String| (label.to_owned(), value.into_any());
    let who = request.who.clone().unwrap_or_else(|| match request.closed {
        Some(_) => words.forgotten_how.to_owned(),
        None => words.forgotten.to_owned(),
    });
    let agent = request
        .agent
        .clone()
        .unwrap_or_else(|| words.all_agents.to_owned());
    let mut all = vec![
        fact(words.who, who),
        fact(words.sort_label, (words.sort)(request.sort).to_owned()),
        fact(text.words.agent, agent),
        (words.received.to_owned(), date(frame, request.received_at)),
        (words.due.to_owned(), date(frame, request.due_at)),
        (words.standing.to_owned(), standing(frame, request)),
    ];
    all.extend(request.words.clone().map(|line| fact(words.words, line)));
    all.extend(request.note.clone().map(|line| fact(words.note, line)));
    let by = (words.by)(&request.by, &ago(text, frame.now, request.created_at));
    let copied = request.copied.as_ref().map(|(export, at)| {
        let line = (words.copied)(export.as_str(), &date_time(text, frame.zone, *at));
        view! { <p>{line}</p> }
    });
    let closed = request.closed.as_ref().map(|closed| {
        let line = (words.closed)(&closed.by, &date_time(text, frame.zone, closed.at));
        let note = closed
            .note
            .clone()
            .map(|note| view! { <p class="said">{note}</p> });
        view! {
            <div class="callout" data-tone="good">
                <p>
                    <strong>{line} ": " {(words.outcomes)(closed.outcome)}</strong>
                </p>
                {note}
            </div>
        }
    });
    view! {
        {facts(all)}
        <p class="quiet">{by}</p>
        {copied}
        {closed}
    }
    .into_any()
}

fn looked(text: &'static Text, detail: &Detail) -> AnyView {
    let words = &text.requests;
    let (names, all) = detail.looked;
    let names = names.unsigned_abs();
    let line = if all {
        (words.looked)(names)
    } else {
        (words.looked_part)(names)
    };
    let button = detail.request.closed.is_none().then(|| {
        let label = if all { words.look_again } else { words.look_on };
        view! {
            <form class="actions" method="post" action=format!("/requests/{}/look", detail.request.id)>
                <button class="button">{label}</button>
            </form>
        }
    });
    view! {
        <p>{line}</p>
        {button}
    }
    .into_any()
}

pub(super) fn found(frame: &Frame, found: &[InAgent]) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    if found.is_empty() {
        return view! { <p class="quiet">{words.found_none}</p> }.into_any();
    }
    let heads = [
        Head::Words(text.words.agent),
        Head::Figures(words.users),
        Head::Figures(words.erased),
        Head::Figures(words.elsewhere),
    ];
    let rows = found.iter().map(|one| Row {
        of: one.agent.clone().into_any(),
        cells: vec![number(one.users), number(one.erased), number(one.elsewhere)],
    });
    table(words.found, Caption::Shown, &heads, rows.collect())
}

pub(super) fn users(frame: &Frame, users: &[FoundUser]) -> Option<AnyView> {
    if users.is_empty() {
        return None;
    }
    let text = frame.text();
    let words = &text.requests;
    let heads = [
        Head::Words(text.words.user),
        Head::Words(text.words.agent),
        Head::Words(words.by_what),
        Head::Figures(text.users.memories),
        Head::Figures(text.users.conversations),
        Head::Words(words.standing),
    ];
    let rows = users.iter().map(|one| {
        let of = if one.erased {
            view! { <code>{one.user.to_string()}</code> }.into_any()
        } else {
            view! { <a href=format!("/users/{}", one.user)>{one.who.clone()}</a> }.into_any()
        };
        let standing = match (one.erased, one.erased_at) {
            (true, Some(at)) => {
                let line = (words.erased_at)(&date_time(text, frame.zone, at));
                view! { <time datetime=attribute(at)>{line}</time> }.into_any()
            }
            (true, None) => words.erased.into_any(),
            (false, _) => words.there.into_any(),
        };
        Row {
            of,
            cells: vec![
                one.agent.clone().into_any(),
                (words.found_by)(one.by).into_any(),
                number(one.approved),
                number(one.conversations),
                standing,
            ],
        }
    });
    Some(table(words.users, Caption::Shown, &heads, rows.collect()))
}

fn elsewhere(text: &'static Text, detail: &Detail) -> AnyView {
    let words = &text.requests;
    let rows = detail
        .elsewhere
        .iter()
        .map(|one| {
            let said = match (&one.content, &one.href) {
                (Some(content), Some(href)) => view! {
                    <a href=href.clone() lang=lang(domain::text::language(content))>
                        {revealed(text, content)}
                    </a>
                }
                .into_any(),
                _ => view! { <span class="quiet">{words.gone}</span> }.into_any(),
            };
            view! {
                <li>
                    {said}
                    <span class="tags quiet">{one.agent.clone()}</span>
                </li>
            }
        })
        .collect_view();
    let list = (!detail.elsewhere.is_empty()).then(|| {
        view! {
            <p class="quiet">{words.elsewhere_how}</p>
            <ul class="statements">{rows}</ul>
        }
    });
    view! {
        <section id="elsewhere">
            <h2>{words.elsewhere}</h2>
            {list}
            <p class="hint">{words.not_looked}</p>
        </section>
    }
    .into_any()
}

fn copy(frame: &Frame, detail: &Detail) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    let request = &detail.request;
    if !request.sort.wants_copy() {
        return view! { <p class="quiet">{words.copy_none_wanted}</p> }.into_any();
    }
    let user = request.user_id.as_deref().unwrap_or_default();
    let ask = address(
        "/exports",
        [("user", user), ("sort", ExportSort::Copy.as_str())],
    );
    let form = if detail.exports.is_empty() {
        view! { <p class="quiet">{words.copy_none}</p> }.into_any()
    } else {
        let options = detail
            .exports
            .iter()
            .map(|(id, label)| (id.to_string(), label.clone()));
        let which = field(
            text,
            "copy",
            &detail.typed,
            Field {
                name: "export",
                label: words.copy_which,
                hint: None,
                value: "",
                control: Control::Choice(options.collect()),
            },
        );
        view! {
            <form class="card wide" method="post" action=format!("/requests/{}/copy", request.id)>
                {which}
                <button class="button">{words.copy_note}</button>
            </form>
        }
        .into_any()
    };
    view! {
        <p class="quiet">{words.copy_how}</p>
        <p>
            <a class="button" href=format!("{ask}#ask")>
                {words.copy_ask}
            </a>
        </p>
        {form}
    }
    .into_any()
}

fn erasure(frame: &Frame, detail: &Detail) -> AnyView {
    let text = frame.text();
    let words = &text.requests;
    if !detail.request.sort.wants_erasure() {
        return view! { <p class="quiet">{words.erasure_none_wanted}</p> }.into_any();
    }
    let there: Vec<&FoundUser> = detail.users.iter().filter(|user| !user.erased).collect();
    let named = there.iter().any(|user| user.by == FoundBy::Name);
    let done = (!named).then(|| view! { <p>{words.erasure_done}</p> });
    let request = &detail.request.id;
    let rows = there
        .iter()
        .map(|user| {
            let to = format!("/users/{}?request={request}#erase", user.user);
            view! {
                <li>
                    {user.who.clone()} " · " {user.agent.clone()} " · "
                    <span class="quiet">{(words.found_by)(user.by)}</span> " "
                    <a class="button danger" href=to>
                        {words.erase}
                    </a>
                </li>
            }
        })
        .collect_view();
    view! {
        <p class="quiet">{words.erasure_how}</p>
        {done}
        <ul class="plainlist">{rows}</ul>
    }
    .into_any()
}

fn close(text: &'static Text, detail: &Detail) -> AnyView {
    let words = &text.requests;
    let outcomes = RequestOutcome::ALL
        .iter()
        .map(|&outcome| (outcome.to_string(), (words.outcomes)(outcome).to_owned()));
    let outcome = field(
        text,
        "close",
        &detail.typed,
        Field {
            name: "outcome",
            label: words.outcome,
            hint: None,
            value: "",
            control: Control::Choice(outcomes.collect()),
        },
    );
    let note = field(
        text,
        "close",
        &detail.typed,
        Field {
            name: "note",
            label: words.closing_note,
            hint: Some(words.closing_note_how),
            value: "",
            control: Control::Lines(3),
        },
    );
    view! {
        <p class="quiet">{words.close_how}</p>
        <form class="card wide" method="post" action=format!("/requests/{}/close", detail.request.id)>
            {outcome}
            {note}
            <button class="button danger">{words.close_button}</button>
        </form>
    }
    .into_any()
}
