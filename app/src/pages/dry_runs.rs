//! `/agents/{name}/dry-runs`: what another model or other words would make of the last conversations, beside what came of them (G14).

use domain::{
    Timestamp,
    candidate::{Action, Flag, Reason, Status},
    dry_run::{Difference, DryRunState, TrialState},
    id::{CandidateId, ConversationId, DryRunId},
};
use leptos::prelude::*;

use crate::{
    components::{
        bar::address,
        content::lang,
        empty::empty,
        form::{Control, Field, Typed, field},
        share::percent_of,
        table::{Caption, Head, Row, number, table},
        tag::{change, flags, kind_name, tag},
        time::{date, when},
    },
    shell::{Frame, page},
    text::{Text, grouped},
};

/// A dry run in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Which.
    pub id: DryRunId,
    /// The extractor.
    pub extractor: String,
    /// Who asked for it.
    pub by: String,
    /// How far it is.
    pub state: DryRunState,
    /// Conversations that were read, could not be, or are not to be.
    pub over: i64,
    /// Those that were read.
    pub done: i64,
    /// Those of which no answer could be had.
    pub failed: i64,
    /// All its conversations.
    pub conversations: i64,
    /// When it was asked for.
    pub created_at: Timestamp,
}

/// A kind of the agent, with what the extractor is told about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Words {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// What belongs in it and what does not.
    pub guideline: String,
}

/// What it would cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The extractor.
    pub extractor: String,
    /// Conversations.
    pub conversations: i64,
    /// Windows.
    pub windows: i64,
    /// Tokens read and written; `None` where nothing tells.
    pub tokens: Option<(i64, i64)>,
    /// Their price.
    pub cost: Option<f64>,
    /// On what this rests, as the engine's word.
    pub basis: &'static str,
    /// Whether it is more than is left of the day's budget.
    pub over_budget: bool,
    /// Whether words are tried that the extractor does not read.
    pub words_unread: bool,
}

/// What the list shows, and the form.
#[derive(Debug, Clone)]
pub struct DryRuns {
    /// The agent.
    pub agent: String,
    /// Its extractor; empty: the installation's.
    pub extractor: String,
    /// Its guidance.
    pub guidance: String,
    /// Its prices.
    pub prices: (String, String),
    /// Its kinds.
    pub kinds: Vec<Words>,
    /// What was typed.
    pub typed: Typed,
    /// What that would cost, where it was asked.
    pub estimate: Option<Estimate>,
    /// A page of what there is, newest first.
    pub rows: Vec<Run>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// What people decided on what came of the conversations, or on what is like it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Decided {
    /// Approved.
    pub approved: u32,
    /// Rejected.
    pub rejected: u32,
    /// Neither.
    pub undecided: u32,
    /// The share of what was rejected.
    pub junk: Option<f64>,
}

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// Their price.
    pub cost: Option<f64>,
}

/// A statement of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// Its words.
    pub content: String,
    /// Their language.
    pub language: String,
    /// Its warnings.
    pub flags: Vec<Flag>,
}

/// What came of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Came {
    /// The candidate.
    pub candidate: CandidateId,
    /// What it says.
    pub says: Statement,
    /// Its status.
    pub status: Status,
    /// Why it was rejected.
    pub reason: Option<Reason>,
}

/// Two statements side by side, or one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// How they differ.
    pub difference: Difference,
    /// What came of the conversation.
    pub today: Option<Came>,
    /// What came of the dry run.
    pub new: Option<Statement>,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Which.
    pub conversation: ConversationId,
    /// With whom.
    pub who: String,
    /// When its last message was said.
    pub said_at: Option<Timestamp>,
    /// What became of it.
    pub state: TrialState,
    /// Why it was not read, or not all of it.
    pub error: Option<String>,
    /// Known things that were said again.
    pub sightings: u32,
    /// Things that a person had rejected before.
    pub suppressed: u32,
    /// Its statements.
    pub lines: Vec<Line>,
}

/// What the page of one shows.
#[derive(Debug, Clone)]
pub struct DryRun {
    /// Itself.
    pub run: Run,
    /// The agent.
    pub agent: String,
    /// Why it could not go on, or what it waits for.
    pub error: Option<String>,
    /// Until when.
    pub waits_until: Option<Timestamp>,
    /// The names of the kinds that have other words, and whether the guidance is another.
    pub kinds: Vec<String>,
    /// What the extractor was told.
    pub guidance: Option<String>,
    /// How many statements differ how.
    pub counts: Vec<(Difference, u32)>,
    /// What people decided, today and by likeness.
    pub decided: (Decided, Decided),
    /// What was spent, when it was read for good and now.
    pub spent: (Spent, Spent),
    /// How long the answers took, in milliseconds.
    pub took_ms: i64,
    /// Answers that could not be read.
    pub unreadable: i64,
    /// Conversations that are not to be read.
    pub left_out: i64,
    /// Whether words are tried that the extractor does not read.
    pub words_unread: bool,
    /// The conversations.
    pub items: Vec<Item>,
}

fn money(text: &'static Text, cost: Option<f64>) -> String {
    cost.map_or_else(
        || text.dry_runs.not_known.to_owned(),
        |cost| format!("{cost:.2}"),
    )
}

fn fact(label: &'static str, value: String) -> AnyView {
    view! {
        <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
        </div>
    }
    .into_any()
}

/// The list, and the form that begins one.
pub fn dry_runs(frame: &Frame, runs: &DryRuns) -> AnyView {
    let words = &frame.text().dry_runs;
    let list = if runs.rows.is_empty() {
        empty(words.none, words.none_how, None)
    } else {
        listed(frame, runs)
    };
    let lead = view! { <p class="quiet">{words.lead}</p> }.into_any();
    let content = view! {
        <p>
            <a href=format!("/agents/{}", runs.agent)>{words.to_agent}</a>
        </p>
        {form(frame, runs)}
        <section id="list">
            <h2>{words.list}</h2>
            {list}
        </section>
    }
    .into_any();
    let title = format!("{} · {}", words.title, runs.agent);
    page(frame, &title, Some(lead), content)
}

fn form(frame: &Frame, runs: &DryRuns) -> AnyView {
    let text = frame.text();
    let words = &text.dry_runs;
    let draw = |name: &str, label, hint: Option<&'static str>, value: &str, control| {
        let one = Field {
            name,
            label,
            hint,
            value,
            control,
        };
        field(text, "dry-run", &runs.typed, one)
    };
    let kinds = runs.kinds.iter().map(|kind| {
        let described = draw(
            &format!("kinds_{}_description", kind.name),
            text.kinds.description,
            None,
            &kind.description,
            Control::Lines(2),
        );
        let guided = draw(
            &format!("kinds_{}_guideline", kind.name),
            text.kinds.guideline,
            None,
            &kind.guideline,
            Control::Lines(2),
        );
        view! {
            <fieldset>
                <legend>{kind_name(text, &kind.name)}</legend>
                {described}
                {guided}
            </fieldset>
        }
    });
    let kinds = kinds.collect_view();
    // What was refused or is asked about stands open, so that nothing that was typed is out of sight.
    let open = !runs.typed.values.is_empty();
    let begin = runs.estimate.as_ref().map(|estimate| {
        view! {
            {estimated(text, estimate)}
            <button class="button primary" name="confirm" value="1">
                {words.begin}
            </button>
        }
    });
    let look = if runs.estimate.is_some() {
        "button"
    } else {
        "button primary"
    };
    view! {
        <section id="try">
            <h2>{words.form}</h2>
            <form class="card wide" method="post" action=format!("/agents/{}/dry-runs", runs.agent)>
                {draw("extractor", text.agents.extractor, Some(words.extractor_how), &runs.extractor, Control::Line("text", Some("off"), false))}
                {draw("conversations", words.conversations, Some(words.conversations_how), "20", Control::Number(1.0, 200.0, 1.0))}
                {draw("guidance", text.agents.guidance, Some(text.agents.guidance_how), &runs.guidance, Control::Lines(2))}
                {draw("price_in", text.budget.price_in, Some(words.prices_how), &runs.prices.0, Control::Within(0.0, 1e6, 0.0001))}
                {draw("price_out", text.budget.price_out, Some(words.prices_how), &runs.prices.1, Control::Within(0.0, 1e6, 0.0001))}
                <details open=open>
                    <summary>{words.kinds}</summary>
                    <p class="hint">{words.kinds_how}</p>
                    {kinds}
                </details>
                <div class="buttons">
                    <button class=look>{words.look}</button>
                </div>
                {begin}
            </form>
        </section>
    }
    .into_any()
}

fn estimated(text: &'static Text, estimate: &Estimate) -> AnyView {
    let words = &text.dry_runs;
    let tokens = |of: fn((i64, i64)) -> i64| {
        estimate.tokens.map_or_else(
            || words.not_known.to_owned(),
            |tokens| grouped(of(tokens).unsigned_abs()),
        )
    };
    let over = (words.over)(
        estimate.conversations.unsigned_abs(),
        estimate.windows.unsigned_abs(),
    );
    let too_much = estimate
        .over_budget
        .then(|| view! { <p class="fault">{words.over_budget}</p> });
    view! {
        <div class="callout" id="estimate" role="status">
            <h3>{words.estimate}</h3>
            <dl class="facts">
                {fact(words.what, estimate.extractor.clone())} {fact(words.conversations, over)}
                {fact(words.tokens_in, tokens(|(read, _)| read))} {fact(words.tokens_out, tokens(|(_, written)| written))}
                {fact(words.cost, money(text, estimate.cost))}
            </dl>
            <p class="hint">{(words.basis)(estimate.basis)}</p>
            {too_much}
            {estimate.words_unread.then(|| view! { <p id="words-unread">{words.words_unread}</p> })}
        </div>
    }
    .into_any()
}

fn listed(frame: &Frame, runs: &DryRuns) -> AnyView {
    let words = &frame.text().dry_runs;
    let heads = [
        Head::Words(words.what),
        Head::Words(words.asked),
        Head::Words(words.standing),
        Head::Figures(words.conversations),
    ];
    let path = format!("/agents/{}/dry-runs", runs.agent);
    let rows = runs.rows.iter().map(|run| Row {
        of: view! { <a href=format!("{path}/{}", run.id)>{run.extractor.clone()}</a> }.into_any(),
        cells: vec![
            view! {
                {run.by.clone()}
                " · "
                {when(frame, run.created_at)}
            }
            .into_any(),
            view! {
                {(words.state)(run.state)}
                {(run.failed > 0).then(|| format!(" · {}", (words.failed)(run.failed.unsigned_abs())))}
            }
            .into_any(),
            number(run.conversations),
        ],
    });
    let more = runs.next.as_ref().map(|cursor| {
        view! {
            <a class="more" href=address(&path, [("after", cursor.as_str())])>
                {frame.text().shell.next_page}
            </a>
        }
    });
    view! {
        {table(words.list, Caption::Heard, &heads, rows.collect())}
        {more}
    }
    .into_any()
}

/// The page of one.
pub fn dry_run(frame: &Frame, one: &DryRun) -> AnyView {
    let text = frame.text();
    let words = &text.dry_runs;
    let run = &one.run;
    let error = one.error.as_deref().map(|code| {
        let until = one.waits_until.map(|at| {
            view! {
                " "
                {words.waits_until}
                ": "
                {when(frame, at)}
            }
        });
        view! {
            <div class="callout" data-tone="warn">
                <p>{(words.why)(code)} {until}</p>
            </div>
        }
    });
    let unread = one.words_unread.then(|| {
        view! {
            <div class="callout" data-tone="warn" id="words-unread">
                <p>{words.words_unread}</p>
            </div>
        }
    });
    let items = one.items.iter().map(|one| item(frame, one)).collect_view();
    let content = view! {
        <p>
            <a href=format!("/agents/{}/dry-runs", one.agent)>{words.list}</a>
        </p>
        {progress(frame, one)}
        {all_failed(text, one)}
        {error}
        {unread}
        {tried(text, one)}
        {results(text, one)}
        {decided(text, one)}
        <section id="conversations">
            <h2>{words.by_conversation}</h2>
            {items}
        </section>
    }
    .into_any();
    let beside = view! {
        <p class="quiet">
            {run.by.clone()} " · " {one.agent.clone()} " · " {when(frame, run.created_at)} " · " {(words.state)(run.state)} " · "
            {(words.progress)(run.done.unsigned_abs(), run.conversations.unsigned_abs())}
            {(run.failed > 0).then(|| format!(" · {}", (words.failed)(run.failed.unsigned_abs())))}
        </p>
        <p class="quiet">{words.kept}</p>
    }
    .into_any();
    page(frame, &(words.of)(&run.extractor), Some(beside), content)
}

/// Where no conversation could be read at all: that, and why, before figures that say nothing.
fn all_failed(text: &'static Text, one: &DryRun) -> Option<AnyView> {
    let run = &one.run;
    if run.state == DryRunState::Running || run.done > 0 || run.failed == 0 {
        return None;
    }
    let words = &text.dry_runs;
    let failed = one
        .items
        .iter()
        .find(|item| item.state == TrialState::Failed);
    let why = failed.and_then(|item| item.error.as_deref());
    let why = why.map(words.why).unwrap_or_default();
    Some(
        view! {
            <div class="callout" data-tone="bad" id="all-failed" role="alert">
                <p>{(words.all_failed)(why)}</p>
            </div>
        }
        .into_any(),
    )
}

/// While it runs: how far, another look, and the way to stop it.
fn progress(frame: &Frame, one: &DryRun) -> Option<AnyView> {
    let words = &frame.text().dry_runs;
    let run = &one.run;
    if run.state != DryRunState::Running {
        return None;
    }
    let line = (words.progress)(run.done.unsigned_abs(), run.conversations.unsigned_abs());
    Some(
        view! {
            <div class="running" role="status">
                <progress value=run.over.to_string() max=run.conversations.max(1).to_string() aria-label=line.clone()></progress>
                <p>{line}</p>
                <p class="quiet">{frame.text().exports.refreshes}</p>
                <a class="button" href=frame.path.clone()>
                    {words.look_again}
                </a>
                <form method="post" action=format!("/agents/{}/dry-runs/{}/stop", one.agent, run.id)>
                    <button class="button danger">{words.stop}</button>
                </form>
                <p class="hint">{words.stop_how}</p>
            </div>
        }
        .into_any(),
    )
}

fn tried(text: &'static Text, one: &DryRun) -> AnyView {
    let words = &text.dry_runs;
    let kinds: Vec<String> = one.kinds.iter().map(|kind| kind_name(text, kind)).collect();
    let kinds = if kinds.is_empty() {
        words.same_words.to_owned()
    } else {
        kinds.join(", ")
    };
    let guidance = one
        .guidance
        .clone()
        .map(|guidance| fact(text.agents.guidance, guidance));
    view! {
        <section id="tried">
            <h2>{words.tried}</h2>
            <dl class="facts">
                {fact(words.what, one.run.extractor.clone())} {fact(words.kinds, kinds)} {guidance}
            </dl>
        </section>
    }
    .into_any()
}

fn results(text: &'static Text, one: &DryRun) -> AnyView {
    let words = &text.dry_runs;
    let counts = one
        .counts
        .iter()
        .map(|&(difference, count)| fact((words.difference)(difference), grouped(u64::from(count))))
        .collect_view();
    let figure =
        |label, count: i64| (count > 0).then(|| fact(label, grouped(count.unsigned_abs())));
    let heads = [
        Head::Words(words.decided_of),
        Head::Figures(words.tokens_in),
        Head::Figures(words.tokens_out),
        Head::Figures(words.cost),
        Head::Figures(words.seconds),
    ];
    let row = |label: &'static str, spent: &Spent, seconds: String| Row {
        of: label.into_any(),
        cells: vec![
            number(spent.tokens_in),
            number(spent.tokens_out),
            money(text, spent.cost).into_any(),
            seconds.into_any(),
        ],
    };
    let seconds = format!("{:.1}", one.took_ms as f64 / 1000.0);
    let rows = vec![
        row(words.today, &one.spent.0, "–".to_owned()),
        row(words.new, &one.spent.1, seconds),
    ];
    view! {
        <section id="result">
            <h2>{words.result}</h2>
            <dl class="facts">
                {counts} {figure(words.unreadable, one.unreadable)} {figure(words.no_answer, one.run.failed)}
                {figure(words.left_out, one.left_out)}
            </dl>
        </section>
        <section id="cost">
            <h2>{words.cost}</h2>
            {table(words.cost, Caption::Heard, &heads, rows)}
        </section>
    }
    .into_any()
}

fn decided(text: &'static Text, one: &DryRun) -> AnyView {
    let words = &text.dry_runs;
    let heads = [
        Head::Words(words.decided_of),
        Head::Figures(words.approved),
        Head::Figures(words.rejected),
        Head::Figures(words.undecided),
        Head::Figures(words.junk),
    ];
    let row = |label: &'static str, of: &Decided| Row {
        of: label.into_any(),
        cells: vec![
            number(i64::from(of.approved)),
            number(i64::from(of.rejected)),
            number(i64::from(of.undecided)),
            percent_of(text, of.junk).into_any(),
        ],
    };
    let rows = vec![
        row(words.today, &one.decided.0),
        row(words.new, &one.decided.1),
    ];
    view! {
        <section id="decided">
            <h2>{words.decided}</h2>
            <p class="hint">{words.decided_how}</p>
            {table(words.decided, Caption::Heard, &heads, rows)}
        </section>
    }
    .into_any()
}

fn item(frame: &Frame, item: &Item) -> AnyView {
    let text = frame.text();
    let words = &text.dry_runs;
    let error = item
        .error
        .as_deref()
        .map(|code| view! { <p class="fault">{(words.why)(code)}</p> });
    let said = [
        (item.sightings > 0).then(|| (words.sightings)(u64::from(item.sightings))),
        (item.suppressed > 0).then(|| (words.suppressed)(u64::from(item.suppressed))),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    let said = (!said.is_empty()).then(|| view! { <p class="quiet">{said.join(" · ")}</p> });
    let nothing = (item.state == TrialState::Done && item.lines.is_empty())
        .then(|| view! { <p class="quiet">{words.nothing}</p> });
    let lines = (!item.lines.is_empty()).then(|| {
        let lines = item.lines.iter().map(|one| line(text, one));
        view! { <ul class="statements">{lines.collect_view()}</ul> }
    });
    view! {
        <article class="card wide">
            <h3>
                <a href=format!("/conversations/{}", item.conversation)>{item.who.clone()}</a>
                " · "
                {item.said_at.map(|at| view! { {date(frame, at)} " · " })}
                {(words.item_state)(item.state)}
            </h3>
            {error}
            {nothing}
            {lines}
            {said}
        </article>
    }
    .into_any()
}

fn line(text: &'static Text, line: &Line) -> AnyView {
    let words = &text.dry_runs;
    let tone = match line.difference {
        Difference::Same => None,
        Difference::OtherKind => Some("warn"),
        Difference::OnlyToday | Difference::OnlyNew => Some("accent"),
    };
    let today = line.today.as_ref().map(|came| {
        let standing = match (came.status, came.reason) {
            (Status::Approved, _) => tag(words.approved, Some("good"), None),
            (Status::Rejected, Some(reason)) => tag((text.words.reason)(reason), Some("bad"), None),
            (Status::Rejected, None) => tag(words.rejected, Some("bad"), None),
            (Status::Pending, _) => tag(words.undecided, None, None),
        };
        let link = format!("/candidates/{}", came.candidate);
        let content = statement(&came.says);
        view! {
            <div>
                <dt>{words.today}</dt>
                <dd>
                    <a href=link>{content}</a>
                    <span class="tags">{marks(text, &came.says)} {standing}</span>
                </dd>
            </div>
        }
    });
    let new = line.new.as_ref().map(|new| {
        view! {
            <div>
                <dt>{words.new}</dt>
                <dd>
                    {statement(new)} <span class="tags">{marks(text, new)}</span>
                </dd>
            </div>
        }
    });
    view! {
        <li>
            <span class="tags">{tag((words.difference)(line.difference), tone, None)}</span>
            <dl class="facts">{today} {new}</dl>
        </li>
    }
    .into_any()
}

fn statement(says: &Statement) -> AnyView {
    view! { <span lang=lang(&says.language)>{says.content.clone()}</span> }.into_any()
}

fn marks(text: &'static Text, says: &Statement) -> AnyView {
    view! {
        <span>{kind_name(text, &says.kind)}</span>
        {change(text, says.action)}
        {flags(text, &says.flags)}
    }
    .into_any()
}
