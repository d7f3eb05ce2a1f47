//! `/quality`: what people made of what was proposed, how they decide, and which answers could not be read (F11).

use domain::{
    Timestamp,
    candidate::{Dropped, Reason},
    id::{ConversationId, OperationId},
};
use leptos::prelude::*;

use super::decisions::{self, SPANS};
use crate::{
    components::{
        bar::{choices, select},
        chart::{Bar, bars, columns},
        empty::empty,
        share::{percent, percent_of},
        table::{Caption, Head, Row, number, table},
        tag,
        time::when,
    },
    shell::{Frame, page},
    text::{Language, Text, grouped},
};

/// What people made of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name; empty where nothing extracted it.
    pub name: String,
    /// Approved.
    pub approved: i64,
    /// Rejected.
    pub rejected: i64,
    /// Approved of both.
    pub acceptance: Option<f64>,
}

/// The same of an extractor, with how its answers were.
#[derive(Debug, Clone, PartialEq)]
pub struct Extractor {
    /// What people made of what it proposed.
    pub group: Group,
    /// Its answers.
    pub answers: i64,
    /// That could not be read.
    pub failed: i64,
    /// That were cut off.
    pub truncated: i64,
}

/// How a person decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    /// Their name.
    pub name: Option<String>,
    /// Decisions.
    pub decided: i64,
    /// Of them, those whose time is known.
    pub timed: i64,
    /// The share of these under two seconds.
    pub quick: Option<f64>,
}

/// An answer that could not be read whole.
#[derive(Debug, Clone, PartialEq)]
pub struct BadAnswer {
    /// The conversation.
    pub conversation: ConversationId,
    /// The operation that keeps it.
    pub operation: OperationId,
    /// The agent.
    pub agent: String,
    /// What answered.
    pub extractor: String,
    /// What went wrong, as a code.
    pub code: String,
    /// When.
    pub at: Timestamp,
}

/// Seconds of which half, and nine of ten, are at most.
pub type Quantiles = Option<(f64, f64)>;

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Quality {
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// The one that is chosen; empty: all.
    pub agent: String,
    /// How many days.
    pub days: u64,
    /// Everything together.
    pub all: Group,
    /// Rejected of decided.
    pub junk: Option<f64>,
    /// Edited of approved.
    pub edited: Option<f64>,
    /// Approved by policies, expired, superseded.
    pub left_out: (i64, i64, i64),
    /// By kind.
    pub kinds: Vec<Group>,
    /// By language, by its tag.
    pub languages: Vec<Group>,
    /// By extractor.
    pub extractors: Vec<Extractor>,
    /// By tenths of confidence, the least sure first.
    pub confidence: Vec<Group>,
    /// Why people rejected.
    pub reasons: Vec<(Reason, i64)>,
    /// From proposal to decision.
    pub waited: Quantiles,
    /// In view before the decision.
    pub viewed: Quantiles,
    /// Who decides how.
    pub people: Vec<Person>,
    /// Why drafts were dropped.
    pub dropped: Vec<(Dropped, i64)>,
    /// The newest answers that could not be read whole.
    pub bad: Vec<BadAnswer>,
    /// The confidence under which the built-in extractor proposes nothing, by language, by its tag.
    pub floors: Vec<(String, f64)>,
}

/// The page.
pub fn quality(frame: &Frame, quality: &Quality) -> AnyView {
    let text = frame.text();
    let words = &text.quality;
    let decided = if quality.all.approved + quality.all.rejected == 0 {
        let link = ("/review".to_owned(), text.overview.start_review.to_owned());
        empty(words.nothing, words.nothing_how, Some(link))
    } else {
        decided(frame, quality)
    };
    let content = view! {
        {bar(text, quality)}
        <p class="lead">{words.lead}</p>
        {left_out(text, quality)}
        {decided}
        {dropped(text, quality)}
        {bad(frame, quality)}
        {floors(text, quality)}
    }
    .into_any();
    page(frame, words.title, None, content)
}

fn bar(text: &'static Text, quality: &Quality) -> AnyView {
    let words = &text.quality;
    let agents = quality
        .agents
        .iter()
        .map(|name| (name.clone(), name.clone()));
    let agents = choices(text.review.any_agent, agents);
    let spans = SPANS.map(|days| (days.to_string(), (words.days)(days)));
    view! {
        <form class="bar" method="get" action="/quality">
            {select("days", words.span, &quality.days.to_string(), spans.to_vec())}
            {select("agent", text.words.agent, &quality.agent, agents)}
            <button class="button">{words.show}</button>
        </form>
    }
    .into_any()
}

/// The list behind a count of this page.
fn behind(quality: &Quality) -> decisions::Filter {
    decisions::Filter {
        agent: quality.agent.clone(),
        span: quality.days.to_string(),
        ..decisions::Filter::default()
    }
}

fn decided(frame: &Frame, quality: &Quality) -> AnyView {
    let text = frame.text();
    let words = &text.quality;
    view! {
        {figures(text, quality)}
        <div class="charts">
            {acceptance(text, words.by_kind, text.words.kind_label, &kinds(text, quality))}
            {acceptance(text, words.by_language, words.language, &languages(text, quality))}
        </div>
        {extractors(text, quality)}
        <div class="charts">{calibration(text, quality)} {reasons(text, quality)}</div>
        {people(text, quality)}
    }
    .into_any()
}

fn figures(text: &'static Text, quality: &Quality) -> AnyView {
    let words = &text.quality;
    let count = (quality.all.approved + quality.all.rejected).unsigned_abs();
    let seconds = |seconds: f64| {
        if seconds < 60.0 {
            (words.seconds)(seconds)
        } else {
            (text.time.span)(seconds as u64)
        }
    };
    let quantiles = |found: Quantiles| match found {
        None => words.not_known.to_owned(),
        Some((median, p90)) => (words.median_and_p90)(&seconds(median), &seconds(p90)),
    };
    let share = |label: &'static str, value: String| {
        view! {
            <li>
                <p class="figure">
                    <b>{value}</b>
                    " "
                    <span>{label}</span>
                </p>
            </li>
        }
    };
    let fact = |label: &'static str, value: String| {
        view! {
            <div>
                <dt>{label}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    view! {
        <ul class="figures">
            <li>
                <a class="figure" data-tone="lead" href=behind(quality).href()>
                    <b>{grouped(count)}</b>
                    " "
                    <span>{(words.decided)(count)}</span>
                </a>
            </li>
            {share(words.acceptance, percent_of(text, quality.all.acceptance))}
            {share(words.junk, percent_of(text, quality.junk))}
            {share(words.edited, percent_of(text, quality.edited))}
        </ul>
        <dl class="facts">
            {fact(words.waited, quantiles(quality.waited))}
            {fact(words.viewed, quantiles(quality.viewed))}
        </dl>
    }
    .into_any()
}

fn kinds(text: &'static Text, quality: &Quality) -> Vec<Group> {
    let named = |group: &Group| Group {
        name: tag::kind_name(text, &group.name),
        ..group.clone()
    };
    quality.kinds.iter().map(named).collect()
}

/// A language in its own words.
fn own_name(text: &'static Text, tag: &str) -> String {
    match Language::of(tag) {
        Some(language) => language.text().own_name.to_owned(),
        None if tag == "und" => text.quality.not_known.to_owned(),
        None => tag.to_owned(),
    }
}

fn languages(text: &'static Text, quality: &Quality) -> Vec<Group> {
    let named = |group: &Group| Group {
        name: own_name(text, &group.name),
        ..group.clone()
    };
    quality.languages.iter().map(named).collect()
}

fn rates(text: &'static Text, group: &Group) -> Vec<AnyView> {
    vec![
        number(group.approved),
        number(group.rejected),
        percent_of(text, group.acceptance).into_any(),
    ]
}

/// A chart with its table, which is closed until somebody asks for it.
fn charted(text: &'static Text, title: &'static str, chart: AnyView, table: AnyView) -> AnyView {
    view! {
        <section>
            <h2>{title}</h2>
            {chart}
            <details class="numbers">
                <summary>{text.quality.table}</summary>
                {table}
            </details>
        </section>
    }
    .into_any()
}

fn acceptance_bars(text: &'static Text, title: &str, groups: &[Group]) -> AnyView {
    let drawn: Vec<Bar> = groups
        .iter()
        .filter_map(|group| {
            let share = group.acceptance?;
            Some(Bar {
                name: group.name.clone(),
                share,
                figure: percent(text, share),
            })
        })
        .collect();
    bars(title, &drawn)
}

fn acceptance(
    text: &'static Text,
    title: &'static str,
    of: &'static str,
    groups: &[Group],
) -> AnyView {
    let words = &text.quality;
    let heads = [
        Head::Words(of),
        Head::Figures(words.approved),
        Head::Figures(words.rejected),
        Head::Figures(words.acceptance),
    ];
    let rows = groups.iter().map(|group| Row {
        of: group.name.clone().into_any(),
        cells: rates(text, group),
    });
    let table = table(title, Caption::Heard, &heads, rows.collect());
    charted(text, title, acceptance_bars(text, title, groups), table)
}

fn extractors(text: &'static Text, quality: &Quality) -> AnyView {
    let words = &text.quality;
    let name = |group: &Group| {
        if group.name.is_empty() {
            words.by_hand.to_owned()
        } else {
            group.name.clone()
        }
    };
    let heads = [
        Head::Words(words.extractor),
        Head::Figures(words.approved),
        Head::Figures(words.rejected),
        Head::Figures(words.acceptance),
        Head::Figures(words.answers),
        Head::Figures(words.failed),
        Head::Figures(words.truncated),
    ];
    let rows = quality.extractors.iter().map(|extractor| {
        let mut cells = rates(text, &extractor.group);
        let answers = [extractor.answers, extractor.failed, extractor.truncated];
        cells.extend(answers.map(number));
        Row {
            of: name(&extractor.group).into_any(),
            cells,
        }
    });
    let groups: Vec<Group> = quality
        .extractors
        .iter()
        .map(|extractor| Group {
            name: name(&extractor.group),
            ..extractor.group.clone()
        })
        .collect();
    let table = table(words.by_extractor, Caption::Heard, &heads, rows.collect());
    let chart = acceptance_bars(text, words.by_extractor, &groups);
    charted(text, words.by_extractor, chart, table)
}

fn calibration(text: &'static Text, quality: &Quality) -> AnyView {
    let words = &text.quality;
    let bins = &quality.confidence;
    let told: Vec<String> = bins
        .iter()
        .filter_map(|bin| Some(format!("{} {}", bin.name, percent(text, bin.acceptance?))))
        .collect();
    let label = format!("{}: {}", words.calibration, told.join(", "));
    let shares: Vec<_> = bins.iter().map(|bin| bin.acceptance).collect();
    let chart = view! {
        <figure class="series">
            <div class="scale" aria-hidden="true">
                <span>{percent(text, 1.0)}</span>
                <span>{percent(text, 0.0)}</span>
            </div>
            {columns(&shares, &label)}
            <div class="span" aria-hidden="true">
                <span>"0.0"</span>
                <span>{text.words.confidence}</span>
                <span>"1.0"</span>
            </div>
            <figcaption>{words.calibration_how}</figcaption>
        </figure>
    }
    .into_any();
    let heads = [
        Head::Words(text.words.confidence),
        Head::Figures(words.approved),
        Head::Figures(words.rejected),
        Head::Figures(words.acceptance),
    ];
    let rows = bins.iter().map(|bin| Row {
        of: bin.name.clone().into_any(),
        cells: rates(text, bin),
    });
    let table = table(words.calibration, Caption::Heard, &heads, rows.collect());
    charted(text, words.calibration, chart, table)
}

/// How a whole is shared out, as bars over their table.
fn shared_out(
    text: &'static Text,
    title: &'static str,
    of: &'static str,
    parts: &[(&'static str, i64)],
) -> AnyView {
    let most = parts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let drawn: Vec<Bar> = parts
        .iter()
        .map(|(name, count)| Bar {
            name: (*name).to_owned(),
            share: *count as f64 / most.max(1) as f64,
            figure: grouped(count.unsigned_abs()),
        })
        .collect();
    let heads = [Head::Words(of), Head::Figures(text.quality.count)];
    let rows = parts.iter().map(|(name, count)| Row {
        of: name.into_any(),
        cells: vec![number(*count)],
    });
    let table = table(title, Caption::Heard, &heads, rows.collect());
    charted(text, title, bars(title, &drawn), table)
}

fn reasons(text: &'static Text, quality: &Quality) -> Option<AnyView> {
    let parts: Vec<_> = quality
        .reasons
        .iter()
        .map(|(reason, count)| ((text.words.reason)(*reason), *count))
        .collect();
    let words = &text.quality;
    (!parts.is_empty()).then(|| shared_out(text, words.rejected_for, words.reason, &parts))
}

fn people(text: &'static Text, quality: &Quality) -> AnyView {
    let words = &text.quality;
    let heads = [
        Head::Words(words.person),
        Head::Figures(words.decisions),
        Head::Figures(words.timed),
        Head::Figures(words.quick),
    ];
    let rows = quality.people.iter().map(|person| Row {
        of: person
            .name
            .clone()
            .unwrap_or_else(|| words.not_known.to_owned())
            .into_any(),
        cells: vec![
            number(person.decided),
            number(person.timed),
            person
                .quick
                .map_or_else(|| words.not_known.to_owned(), |quick| percent(text, quick))
                .into_any(),
        ],
    });
    view! {
        <section>
            <h2>{words.people}</h2>
            <p class="quiet">{words.people_how}</p>
            {table(words.people, Caption::Heard, &heads, rows.collect())}
        </section>
    }
    .into_any()
}

fn left_out(text: &'static Text, quality: &Quality) -> Option<AnyView> {
    let (policies, expired, superseded) = quality.left_out;
    (policies + expired + superseded > 0).then(|| {
        let line = (text.quality.left_out)(
            policies.unsigned_abs(),
            expired.unsigned_abs(),
            superseded.unsigned_abs(),
        );
        view! { <p class="quiet">{line}</p> }.into_any()
    })
}

fn dropped(text: &'static Text, quality: &Quality) -> AnyView {
    let words = &text.quality;
    let parts: Vec<_> = quality
        .dropped
        .iter()
        .map(|(reason, count)| ((text.words.dropped)(*reason), *count))
        .collect();
    if parts.is_empty() {
        return view! {
            <section>
                <h2>{words.dropped}</h2>
                <p class="quiet">{words.dropped_none}</p>
            </section>
        }
        .into_any();
    }
    shared_out(text, words.dropped, words.reason, &parts)
}

fn bad(frame: &Frame, quality: &Quality) -> AnyView {
    let text = frame.text();
    let words = &text.quality;
    let heads = [
        Head::Words(words.bad_see),
        Head::Words(words.reason),
        Head::Words(text.words.agent),
        Head::Words(words.extractor),
    ];
    let rows = quality.bad.iter().map(|answer| {
        let href = format!(
            "/conversations/{}#{}",
            answer.conversation, answer.operation
        );
        Row {
            of: view! { <a href=href>{when(frame, answer.at)}</a> }.into_any(),
            cells: vec![
                (text.jobs.why)(&answer.code).into_any(),
                answer.agent.clone().into_any(),
                answer.extractor.clone().into_any(),
            ],
        }
    });
    let (how, rows) = if quality.bad.is_empty() {
        (words.bad_none, None)
    } else {
        let table = table(words.bad, Caption::Heard, &heads, rows.collect());
        (words.bad_how, Some(table))
    };
    view! {
        <section id="bad">
            <h2>{words.bad}</h2>
            <p class="quiet">{how}</p>
            {rows}
        </section>
    }
    .into_any()
}

/// From which confidence the built-in extractor proposes.
fn floors(text: &'static Text, quality: &Quality) -> AnyView {
    let words = &text.quality;
    let heads = [
        Head::Words(words.language),
        Head::Figures(text.words.confidence),
    ];
    let rows = quality.floors.iter().map(|(tag, floor)| Row {
        of: own_name(text, tag).into_any(),
        cells: vec![format!("{floor:.2}").into_any()],
    });
    view! {
        <section id="floors">
            <h2>{words.floors}</h2>
            <p class="quiet">{words.floors_how}</p>
            {table(words.floors, Caption::Heard, &heads, rows.collect())}
        </section>
    }
    .into_any()
}
