//! `/jobs`: what works in the background, what is late, what failed and why, and trying that again.

use domain::{
    Timestamp,
    id::{ConversationId, OperationId},
    schedule::ScheduleName,
};
use leptos::prelude::*;
use serde::Deserialize;

use crate::{
    components::{
        bar::address,
        content::with_code,
        table::{Caption, Head, Row, number, table},
        time::{attribute, span, when},
    },
    shell::{Frame, page},
    text::{Text, grouped},
};

/// What the address asks for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// An agent's name.
    pub agent: String,
    /// The code of a reason.
    pub reason: String,
    /// Where the page of failures begins.
    pub after: String,
}

impl Filter {
    /// The address of this page, at its failures.
    pub fn href(&self) -> String {
        let pairs = [
            ("agent", self.agent.as_str()),
            ("reason", &self.reason),
            ("after", &self.after),
        ];
        format!("{}#failed", address("/jobs", pairs))
    }
}

/// Figures of an agent, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// That wait.
    pub queued: i64,
    /// Whose time has come.
    pub due: i64,
    /// Since when the first of these is due.
    pub oldest_due: Option<Timestamp>,
    /// That wait for the next day's budget.
    pub put_off: i64,
    /// That wait until the agent allows their extractor.
    pub not_allowed: i64,
    /// In the hands of a worker.
    pub running: i64,
    /// That failed and were not tried again.
    pub given_up: i64,
}

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Which.
    pub id: OperationId,
    /// The agent.
    pub agent: String,
    /// What it does, as the engine's word.
    pub task: &'static str,
    /// The conversation that it reads.
    pub conversation: Option<ConversationId>,
    /// How often it was tried.
    pub attempt: i64,
    /// What went wrong last, as a code.
    pub code: Option<String>,
    /// When it was asked for, comes, or ended: whichever its list tells.
    pub at: Timestamp,
    /// Whether the reader can try it again.
    pub retriable: bool,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Jobs {
    /// What the address asks for.
    pub filter: Filter,
    /// All together.
    pub all: Figures,
    /// By agent.
    pub agents: Vec<(String, Figures)>,
    /// Why they failed, with how many.
    pub reasons: Vec<(String, i64)>,
    /// Those that failed, newest first.
    pub failed: Vec<Job>,
    /// Where the next page of them begins.
    pub next_failed: Option<String>,
    /// What workers have in hand.
    pub running: Vec<Job>,
    /// What comes next.
    pub next: Vec<Job>,
    /// What is done by the clock: when it was done last, when it comes.
    pub schedules: Vec<(ScheduleName, Option<Timestamp>, Timestamp)>,
    /// Whether the reader can try things again.
    pub may_retry: bool,
    /// Where trying all of a reason again goes on: the reason, and the place at which the last press ended.
    pub goes_on: Option<(String, String)>,
}

/// The page.
pub fn jobs(frame: &Frame, jobs: &Jobs) -> AnyView {
    let text = frame.text();
    let words = &text.jobs;
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let content = view! {
        {figures(frame, &jobs.all)}
        {failed(frame, jobs)}
        {agents(frame, jobs)}
        {listed(frame, "running", words.in_hand, words.running_none, words.asked, &jobs.running)}
        {listed(frame, "next", words.next, words.next_none, words.comes, &jobs.next)}
        {schedules(frame, jobs)}
    }
    .into_any();
    page(frame, words.title, Some(lead), content)
}

fn figures(frame: &Frame, all: &Figures) -> AnyView {
    let text = frame.text();
    let words = &text.jobs;
    let figure = |href: &'static str, number: i64, label: fn(u64) -> String, tone| {
        let number = number.unsigned_abs();
        view! {
            <li>
                <a class="figure" href=href data-tone=tone>
                    <b>{grouped(number)}</b>
                    " "
                    <span>{label(number)}</span>
                </a>
            </li>
        }
    };
    let failed = (all.given_up > 0).then_some("bad");
    let put_off = (all.put_off > 0).then(|| figure("#agents", all.put_off, words.put_off, None));
    let late = all.oldest_due.map(|at| {
        view! {
            <li>
                <a class="figure" href="#next">
                    <b>
                        <time datetime=attribute(at)>{span(text, frame.now - at)}</time>
                    </b>
                    " "
                    <span>{words.lag}</span>
                </a>
            </li>
        }
    });
    let on_time = all
        .oldest_due
        .is_none()
        .then(|| view! { <p class="lead">{words.no_lag}</p> });
    view! {
        <ul class="figures">
            {figure("#next", all.queued, words.queued, None)} {late}
            {figure("#running", all.running, words.running, None)} {put_off}
            {figure("#failed", all.given_up, words.given_up, failed)}
        </ul>
        {on_time}
    }
    .into_any()
}

fn agents(frame: &Frame, jobs: &Jobs) -> AnyView {
    let text = frame.text();
    let words = &text.jobs;
    let heads = [
        Head::Words(text.words.agent),
        Head::Figures(words.depth),
        Head::Figures(words.due),
        Head::Figures(words.oldest),
        Head::Figures(words.in_hand),
        Head::Figures(words.budget),
        Head::Figures(words.not_allowed),
        Head::Figures(words.failed),
    ];
    let rows = jobs.agents.iter().map(|(agent, figures)| {
        let failures = Filter {
            agent: agent.clone(),
            ..Filter::default()
        };
        let late = figures
            .oldest_due
            .map_or_else(|| "–".to_owned(), |at| span(text, frame.now - at));
        Row {
            of: view! { <a href=format!("/agents/{agent}")>{agent.clone()}</a> }.into_any(),
            cells: vec![
                number(figures.queued),
                number(figures.due),
                late.into_any(),
                number(figures.running),
                number(figures.put_off),
                number(figures.not_allowed),
                view! { <a href=failures.href()>{number(figures.given_up)}</a> }.into_any(),
            ],
        }
    });
    let rows: Vec<Row> = rows.collect();
    let content = if rows.is_empty() {
        view! { <p class="quiet">{words.by_agent_none}</p> }.into_any()
    } else {
        table(words.by_agent, Caption::Heard, &heads, rows)
    };
    view! {
        <section id="agents">
            <h2>{words.by_agent}</h2>
            {content}
        </section>
    }
    .into_any()
}

fn failed(frame: &Frame, jobs: &Jobs) -> AnyView {
    let text = frame.text();
    let words = &text.jobs;
    if jobs.reasons.is_empty() {
        return view! {
            <section id="failed">
                <h2>{words.failed}</h2>
                <p class="quiet">{words.failed_none}</p>
            </section>
        }
        .into_any();
    }
    let more = jobs.next_failed.as_ref().map(|cursor| {
        let next = Filter {
            after: cursor.clone(),
            ..jobs.filter.clone()
        };
        view! {
            <a class="more" href=next.href()>
                {text.shell.next_page}
            </a>
        }
    });
    let narrowed = (!jobs.filter.reason.is_empty() || !jobs.filter.agent.is_empty()).then(|| {
        view! {
            <a class="chip" href="/jobs#failed" aria-current="true">
                {narrowed_to(text, &jobs.filter)}
                <span aria-hidden="true">"×"</span>
                <span class="visually-hidden">{words.any_reason}</span>
            </a>
        }
    });
    view! {
        <section id="failed">
            <h2>{words.failed}</h2>
            <p class="quiet">{words.failed_how}</p>
            {reasons(text, jobs)}
            {narrowed.map(|chip| view! { <p>{chip}</p> })}
            {failures(frame, jobs)}
            {more}
        </section>
    }
    .into_any()
}

fn narrowed_to(text: &'static Text, filter: &Filter) -> String {
    let reason = (!filter.reason.is_empty()).then(|| (text.jobs.why)(&filter.reason).to_owned());
    let agent = (!filter.agent.is_empty()).then(|| filter.agent.clone());
    [agent, reason]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
}

fn reasons(text: &'static Text, jobs: &Jobs) -> AnyView {
    let words = &text.jobs;
    let heads = [
        Head::Words(words.reason),
        Head::Figures(words.count),
        Head::Buttons(words.retry_all),
    ];
    let rows = jobs.reasons.iter().map(|(code, count)| {
        let of_reason = Filter {
            reason: code.clone(),
            after: String::new(),
            ..jobs.filter.clone()
        };
        let goes_on = jobs.goes_on.as_ref().filter(|(of, _)| of == code);
        let after = goes_on.map(|(_, place)| {
            view! { <input type="hidden" name="after" value=place.clone() /> }
        });
        let retry = jobs.may_retry.then(|| {
            view! {
                <form method="post" action="/jobs/retry">
                    <input type="hidden" name="reason" value=code.clone() />
                    <input type="hidden" name="agent" value=jobs.filter.agent.clone() />
                    {after}
                    <button class="button">{words.retry_all}</button>
                </form>
            }
        });
        Row {
            of: (words.why)(code).into_any(),
            cells: vec![
                view! { <a href=of_reason.href()>{number(*count)}</a> }.into_any(),
                retry.into_any(),
            ],
        }
    });
    table(words.reason, Caption::Heard, &heads, rows.collect())
}

/// Where a job is seen: its conversation, where it reads one.
fn whereto(text: &'static Text, job: &Job) -> AnyView {
    let task = (text.jobs.task)(job.task);
    match &job.conversation {
        Some(conversation) => {
            let href = format!("/conversations/{conversation}#{}", job.id);
            view! { <a href=href>{task}</a> }.into_any()
        }
        None => task.into_any(),
    }
}

fn failures(frame: &Frame, jobs: &Jobs) -> AnyView {
    let text = frame.text();
    let words = &text.jobs;
    let heads = [
        Head::Words(words.job),
        Head::Words(words.reason),
        Head::Words(text.words.agent),
        Head::Figures(words.attempt),
        Head::Words(words.ended),
        Head::Buttons(words.retry),
    ];
    let next = jobs.filter.href();
    let rows = jobs.failed.iter().map(|job| {
        let why = job.code.as_deref().map_or("", words.why);
        let retry = job.retriable.then(|| {
            view! {
                <form method="post" action=format!("/operations/{}/retry", job.id)>
                    <input type="hidden" name="next" value=next.clone() />
                    <button class="button">{words.retry}</button>
                </form>
            }
        });
        Row {
            of: whereto(text, job),
            cells: vec![
                why.into_any(),
                job.agent.clone().into_any(),
                number(job.attempt),
                when(frame, job.at),
                retry.into_any(),
            ],
        }
    });
    table(words.failed, Caption::Heard, &heads, rows.collect())
}

/// Jobs that wait or run; `at` says what their time is.
fn listed(
    frame: &Frame,
    id: &'static str,
    title: &'static str,
    none: &'static str,
    at: &'static str,
    jobs: &[Job],
) -> AnyView {
    let text = frame.text();
    let words = &text.jobs;
    let heads = [
        Head::Words(words.job),
        Head::Words(text.words.agent),
        Head::Figures(words.attempt),
        Head::Words(at),
        Head::Words(words.reason),
    ];
    let rows = jobs.iter().map(|job| Row {
        of: whereto(text, job),
        cells: vec![
            job.agent.clone().into_any(),
            number(job.attempt),
            when(frame, job.at),
            job.code.as_deref().map_or("", words.why).into_any(),
        ],
    });
    let content = if jobs.is_empty() {
        view! { <p class="quiet">{none}</p> }.into_any()
    } else {
        table(title, Caption::Heard, &heads, rows.collect())
    };
    view! {
        <section id=id>
            <h2>{title}</h2>
            {content}
        </section>
    }
    .into_any()
}

fn schedules(frame: &Frame, jobs: &Jobs) -> AnyView {
    let words = &frame.text().jobs;
    let heads = [
        Head::Words(words.schedule),
        Head::Words(words.last_run),
        Head::Words(words.next_run),
    ];
    let rows = jobs.schedules.iter().map(|(name, ran, next)| Row {
        of: (words.does)(*name).into_any(),
        cells: vec![
            ran.map_or_else(|| words.never.into_any(), |ran| when(frame, ran)),
            when(frame, *next),
        ],
    });
    let content = if jobs.schedules.is_empty() {
        view! { <p class="quiet">{with_code(words.schedules_none)}</p> }.into_any()
    } else {
        table(words.schedules, Caption::Heard, &heads, rows.collect())
    };
    view! {
        <section id="schedules">
            <h2>{words.schedules}</h2>
            {content}
        </section>
    }
    .into_any()
}
